"""``Cells``: one private column as the engine in memory holds it, distinct values and an index.

Columns repeat themselves, so each distinct value is encoded once. What a cell turns into depends
on its own value alone: nothing here looks at two rows together except to see that they are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from understudy.data.texts import Text, in_calendar, text_of, valid
from understudy.schema.columns import Column, Date, Datetime, Number
from understudy.schema.domain import Axis
from understudy.schema.moment import Feature
from understudy.table.codec import encode
from understudy.table.quantise import quantise


@final
@dataclass(frozen=True, repr=False, eq=False)
class Cells:
    """Row i holds ``values[index[i]]``.

    ``values`` are text forms (dtype object; see ``texts.py``), or, so that they need not go by
    text, the numbers of a number column or the moments of a date column; NaN and NaT are missing.
    """

    values: NDArray[Any]
    index: NDArray[np.int32]

    @staticmethod
    def of_texts(texts: Iterable[Text]) -> Cells:
        """A column given as text forms."""
        building = GrowingCells()
        building.extend(texts)
        return building.finished()

    @staticmethod
    def of_objects(column: Column, objects: Iterable[Any]) -> Cells:
        """A column given as Python objects of any kind."""
        return Cells.of_texts(
            value if type(value) is str else text_of(column, value) for value in objects
        )

    @staticmethod
    def of_numbers(column: Column, numbers: NDArray[Any], missing: NDArray[np.bool_]) -> Cells:
        """A column given as an array of integers or floats."""
        if isinstance(column, Number):
            return _distinct(np.where(missing, np.nan, numbers.astype(np.float64)))
        plain = _distinct(numbers)
        cells = Cells.of_objects(column, [*plain.values.tolist(), None])
        return Cells(cells.values, cells.index[np.where(missing, -1, plain.index)])

    @staticmethod
    def of_moments(column: Column, moments: NDArray[np.datetime64]) -> Cells:
        """A column given as an array of days or moments (in UTC if they had a time zone)."""
        if moments.dtype != np.dtype("datetime64[D]"):
            moments = moments.astype("datetime64[s]")
        plain = _distinct(in_calendar(moments))
        if isinstance(column, Date | Datetime):
            return plain
        texts = np.datetime_as_string(plain.values).tolist()
        cells = Cells.of_texts(None if text == "NaT" else text for text in texts)
        return Cells(cells.values, cells.index[plain.index])

    def encode(self, column: Column, axis: Axis) -> NDArray[Any]:
        """The cell number of each row."""
        cells: NDArray[Any] = encode(column, axis, self.values)[self.index]
        return cells

    def steps(
        self, column: Column, axis: Axis, feature: Feature, *, granularity: int
    ) -> NDArray[np.int32]:
        """The feature of each row, in whole steps of 1 / granularity."""
        steps = quantise(column, axis, feature, self.values, granularity=granularity)
        return steps.astype(np.int32)[self.index]

    def texts(self, column: Column) -> list[Text]:
        """The text form of each distinct value."""
        if self.values.dtype == object:
            return list(self.values)
        return [text_of(column, value) for value in self.values]

    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each distinct value."""
        return np.bincount(self.index, minlength=len(self.values))

    def only(self, rows: NDArray[Any]) -> Cells:
        """The same column with these rows only."""
        return Cells(self.values, self.index[rows])


def _distinct(array: NDArray[Any]) -> Cells:
    values, index = np.unique(array, return_inverse=True)
    return Cells(values, index.astype(np.int32))


@final
class GrowingCells:
    """A column that is read piece by piece."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._pieces: list[NDArray[np.int32]] = []

    def extend(self, texts: Iterable[Text]) -> None:
        """Append the text forms of more rows."""
        numbers = map(self._numbers.__getitem__, texts)
        self._pieces.append(np.fromiter(numbers, dtype=np.int32))

    def finished(self, *, strip: bool = False) -> Cells:
        """The column read so far, its texts made valid and, if wanted, rid of outer spaces."""
        index = np.concatenate([np.empty(0, np.int32), *self._pieces])
        final = _Numbers()
        renumbered = [final[_final_form(text, strip)] for text in self._numbers]
        values = np.empty(len(final), dtype=object)
        values[:] = list(final)
        if len(final) < len(renumbered):  # two texts have become one
            index = np.array(renumbered, dtype=np.int32)[index]
        return Cells(values, index)


@final
@dataclass(frozen=True, repr=False, eq=False)
class Rows:
    """Private rows as they were read: the needed columns, and how many rows there are."""

    columns: Mapping[str, Cells]
    number: int

    def only(self, rows: NDArray[Any]) -> Rows:
        """These rows only."""
        return Rows({name: cells.only(rows) for name, cells in self.columns.items()}, len(rows))


@final
@dataclass(frozen=True, repr=False, eq=False)
class Texts:
    """Some rows of a text file: the text forms of the needed columns, and how many rows."""

    columns: Mapping[str, Sequence[Text]]
    number: int


def gathered(pieces: Iterable[Texts], names: Iterable[str], *, strip: bool = False) -> Rows:
    """All pieces as one table with these columns."""
    growing = {name: GrowingCells() for name in names}
    number = 0
    for piece in pieces:
        number += piece.number
        for name, texts in piece.columns.items():
            growing[name].extend(texts)
    return Rows({name: each.finished(strip=strip) for name, each in growing.items()}, number)


def pieces_of(pieces: Iterable[Texts], *, strip: bool = False) -> Iterator[Rows]:
    """Each piece as a table of its own."""
    for piece in pieces:
        yield gathered([piece], piece.columns, strip=strip)


class _Numbers(dict[Text, int]):
    """Numbers its keys from 0 in the order in which they are first asked for."""

    def __missing__(self, text: Text) -> int:
        number = self[text] = len(self)
        return number


def _final_form(text: Text, strip: bool) -> Text:
    if not isinstance(text, str):
        return text
    text = valid(text)
    return text.strip(" ") if strip else text
