"""Where the public tables for development lie, if this machine has them.

``UNDERSTUDY_DATA`` names the folder; without it, ``../shared/data`` beside the checkout is tried.
The tables are not part of the repository. A test that needs one asks for the fixture ``data_dir``
and is skipped without the folder, unless ``UNDERSTUDY_REQUIRE_DATA=1`` makes that a failure.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ABSENT = "the public tables are not on this machine (set UNDERSTUDY_DATA to their folder)"


def find_data_dir(environment: Mapping[str, str], *, root: Path = ROOT) -> Path | None:
    """The folder of public tables, or None."""
    named = environment.get("UNDERSTUDY_DATA")
    folder = Path(named) if named else root.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public tables; skips the test, or fails it if they are required."""
    folder = find_data_dir(os.environ)
    if folder is not None:
        return folder
    if os.environ.get("UNDERSTUDY_REQUIRE_DATA") == "1":
        pytest.fail(f"required, but {ABSENT}")
    pytest.skip(ABSENT)
