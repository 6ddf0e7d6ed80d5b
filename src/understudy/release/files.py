"""Reading and writing the parts of a release: nothing here trusts what it reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError

NUMBER_KINDS: Final = "biuf"
LARGEST_TEXT: Final = 256 * 1024 * 1024


def digest(path: Path) -> str:
    """The SHA-256 of a file, read piece by piece."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()


def plain_file(path: Path) -> Path:
    """The path itself, if it is a regular file of this folder and no link to elsewhere."""
    if path.is_symlink() or not path.is_file():
        raise ReleaseError(
            f"the release is incomplete: {path.parent} has no file {path.name} of its own"
        )
    return path


def plain_folder(path: Path) -> Path:
    """The path itself, if it is a folder inside the release and no link to elsewhere."""
    if path.is_symlink() or not path.is_dir():
        raise ReleaseError(f"the release is incomplete: it has no folder {path.name} of its own")
    return path


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """JSON with the given order of keys, so that equal content gives equal bytes."""
    with path.open("w", encoding="utf-8") as file:
        json.dump(content, file, indent=2, ensure_ascii=False, allow_nan=False)
        file.write("\n")


def read_text(path: Path) -> str:
    """A text file of the release, refused if it is damaged or absurdly large."""
    if plain_file(path).stat().st_size > LARGEST_TEXT:
        raise ReleaseError(f"{path.name} is too large to belong to a release")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ReleaseError(f"{path.name} is damaged: it is not UTF-8 text") from None


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of the release."""
    text = read_text(path)
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ReleaseError(f"{path.name} is damaged: it is not JSON") from None
    if not isinstance(content, dict):
        raise ReleaseError(f"{path.name} is damaged: it holds no object")
    return content


def write_array(path: Path, array: NDArray[Any]) -> None:
    """A numeric array as .npy; objects, which could carry code, are refused."""
    if array.dtype.kind not in NUMBER_KINDS:
        raise ReleaseError(f"a model holds an array of {array.dtype}, which is not numeric")
    with path.open("wb") as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)


def read_array(path: Path) -> NDArray[Any]:
    """A numeric array; its header must agree with the file's length before anything is loaded."""
    damaged = ReleaseError(f"{path.name} is damaged: it is not a whole array of numbers")
    try:
        with plain_file(path).open("rb") as file:
            shape, dtype = _header(file)
            promised = file.tell() + int(np.prod(shape, dtype=object)) * dtype.itemsize
            if dtype.kind not in NUMBER_KINDS or promised != path.stat().st_size:
                raise damaged
            file.seek(0)
            return np.lib.format.read_array(file, allow_pickle=False)
    except ReleaseError:
        raise
    except (ValueError, TypeError, OverflowError, SyntaxError, RecursionError, TokenError):
        raise damaged from None


def _header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an unknown version of the array format")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return shape, dtype


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")
