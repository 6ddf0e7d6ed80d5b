"""When to run compiled code, and how to compile it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def worth_compiling(work: float, *, above: float) -> bool:
    """Whether compiled code pays: always once numba is loaded, else from some forecast work on."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return False
    return "numba" in sys.modules or work > above


def compiled(**options: Any) -> Callable[[Function], Function]:
    """Compile once per machine, or once per process where no folder can keep the result."""
    import numba

    def compile_it(function: Function) -> Function:
        try:
            done = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # numba found no folder that it may write to
            done = numba.njit(**options)(function)
        result: Function = done
        return result

    return compile_it
