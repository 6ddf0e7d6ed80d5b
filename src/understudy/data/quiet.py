"""Keeps what foreign libraries say about rows out of every message.

DuckDB, pyarrow, pandas and Python itself quote the offending value, its row number or the size of
an array in their errors. None of that may leave the cellar.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from understudy.errors import UnderstudyError


@contextmanager
def quiet(instead: UnderstudyError) -> Iterator[None]:
    """Raise ``instead``, which says public facts only, for any error that is not ours."""
    try:
        yield
    except (UnderstudyError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # noqa: BLE001  whatever went wrong (polars' panics are no Exception)
        raise instead from None
