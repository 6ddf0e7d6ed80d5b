"""Compiled draws from alias tables, block by block: the fast half of ``ancestral.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from understudy.kernels.compiling import compiled


@compiled(nogil=True)
def fill_compiled(block: Any, uniforms: Any, layout: Any) -> None:
    """Draw the codes of as many rows as there are uniform numbers for each step.

    Looking up and choosing are two loops: in one, the choice becomes a branch that no processor can
    guess, at five times the price.
    """
    columns, widths, starts, givens, strides, bounds, accept, other = layout
    height = uniforms.shape[1]
    place, accepted = np.empty(height, dtype=np.int64), np.empty(height)
    for step in range(len(columns)):
        for row in range(height):
            place[row] = starts[step]
        for position in range(bounds[step], bounds[step + 1]):
            source, stride = block[givens[position]], strides[position]
            for row in range(height):
                place[row] += np.int64(source[row]) * stride
        target, draws, width = block[columns[step]], uniforms[step], widths[step]
        for row in range(height):
            at = np.uint64(place[row] + np.int64(draws[row] * width))
            accepted[row] = accept[at]
            target[row] = other[at]
        for row in range(height):
            scaled = draws[row] * width
            slot = np.int64(scaled)
            target[row] = slot if scaled - slot < accepted[row] else target[row]
