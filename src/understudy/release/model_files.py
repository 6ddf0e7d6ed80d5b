"""A fitted model as a folder: ``model.json`` (what it is and its axes), ``schema.toml``, arrays.

Arrays are numbered files; their names stand in ``model.json`` and are never used as paths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from understudy.errors import ReleaseError, UnderstudyError
from understudy.models import get
from understudy.models.base import Model
from understudy.release.files import read_array, read_json, write_array, write_json
from understudy.schema.domain import Axis, BinAxis, Domain, LevelAxis
from understudy.schema.schema import Schema

MODEL_FORMAT: Final = 1


def write_model(model: Model, folder: Path) -> list[str]:
    """Write a model into a new folder; returns the names of its files."""
    folder.mkdir()
    arrays = model.arrays()
    write_json(
        folder / "model.json",
        {
            "format": MODEL_FORMAT,
            "kind": model.kind,
            "axes": {name: _describe(axis) for name, axis in model.domain.axes.items()},
            "model": model.describe(),
            "arrays": list(arrays),
        },
    )
    model.domain.schema.save(folder / "schema.toml")
    for name, array in zip(_array_files(len(arrays)), arrays.values(), strict=True):
        write_array(folder / name, array)
    return model_files(len(arrays))


def model_files(arrays: int) -> list[str]:
    """The names of the files of a model with so many arrays."""
    return ["model.json", "schema.toml", *_array_files(arrays)]


def read_model(folder: Path) -> Model:
    """The model of a folder, or ``ReleaseError`` if anything in it does not fit the rest."""
    content = read_json(folder / "model.json")
    try:
        return _restore(folder, content)
    except ReleaseError:
        raise
    except (UnderstudyError, KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise ReleaseError(f"the model in {folder.name} is damaged: its parts disagree") from None


def array_count(folder: Path) -> int:
    """How many arrays the model of a folder says it has."""
    names = read_json(folder / "model.json").get("arrays")
    if not isinstance(names, list) or not _texts(names):
        raise ReleaseError(f"the model in {folder.name} is damaged: it lists no arrays")
    return len(names)


def _restore(folder: Path, content: Mapping[str, Any]) -> Model:
    if content["format"] != MODEL_FORMAT:
        raise ReleaseError(
            f"the model in {folder.name} has format {content['format']}, this version reads "
            f"{MODEL_FORMAT}; install a matching understudy"
        )
    domain = _domain(Schema.load(folder / "schema.toml"), content["axes"])
    names = content["arrays"]
    arrays = {
        name: read_array(folder / file)
        for name, file in zip(names, _array_files(len(names)), strict=True)
    }
    return get(content["kind"]).restore(domain, content["model"], arrays)


def _array_files(count: int) -> list[str]:
    return [f"{number:04d}.npy" for number in range(count)]


def _describe(axis: Axis) -> dict[str, Any]:
    if isinstance(axis, LevelAxis):
        own: dict[str, Any] = {"levels": list(axis.levels), "fallback": axis.fallback}
    elif isinstance(axis, BinAxis):
        own = {"edges": list(axis.edges), "whole": axis.whole}
    else:
        raise ReleaseError(f"a release cannot hold a {type(axis).__name__}")
    return {"nullable": axis.nullable, **own}


def _domain(schema: Schema, axes: Mapping[str, Mapping[str, Any]]) -> Domain:
    if tuple(axes) != schema.modelled:
        raise ReleaseError("the model's axes are not the modelled columns of its schema")
    return Domain(schema, {name: _axis(axis) for name, axis in axes.items()})


def _axis(content: Mapping[str, Any]) -> Axis:
    nullable = _typed(content["nullable"], bool)
    if "levels" in content:
        levels, fallback = content["levels"], _typed(content["fallback"], int)
        if not _texts(levels) or not 0 <= fallback < len(levels) + nullable:
            raise ReleaseError("an axis of the model is damaged: its levels do not fit")
        return LevelAxis(nullable=nullable, levels=tuple(levels), fallback=fallback)
    edges = tuple(_typed(edge, int | float) for edge in content["edges"])
    if len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
        raise ReleaseError("an axis of the model is damaged: its edges do not rise")
    return BinAxis(nullable=nullable, edges=edges, whole=_typed(content["whole"], bool))


def _texts(value: Any) -> bool:
    return isinstance(value, Sequence) and all(isinstance(item, str) for item in value)


def _typed(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise ReleaseError("an axis of the model is damaged: a value has the wrong type")
    return value
