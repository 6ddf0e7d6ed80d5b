"""``PrivateTable``: the verbs through which everything private is asked.

Every verb does the same five things, in this order: it checks its arguments against public facts,
charges its whole cost in the reservation (committed to disk, refused if it does not fit), looks in
the journal for an answer that an interrupted run already drew, otherwise reads, adds noise and
journals the noisy answer, and only then hands it out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from understudy.data.backend import Backend
from understudy.errors import TableMismatch, UsageError
from understudy.gate.count import noise_for, read_only, shares
from understudy.gate.discover import threshold_for
from understudy.gate.draw import drawing_for
from understudy.gate.exact import ExactTables
from understudy.gate.losses import Loss, check_loss, minimum_for
from understudy.gate.noise import Noise, SystemNoise
from understudy.gate.partition import check_grid, splitting_for
from understudy.gate.quantiles import (
    check_lean,
    check_probability,
    grid_domain,
    leaning,
    rank_scores,
)
from understudy.gate.scores import Score, check_score
from understudy.gate.select import SLACK, UNITS, Choice, choice_for, on_grid
from understudy.gate.sensitive import Sensitive, reveal
from understudy.gate.sensitivity import rank
from understudy.gate.statistics import Statistic, check_statistic, statistic_noise
from understudy.gate.sums import check_moments, summing_for
from understudy.privacy.budget import Budget, Exact, exact
from understudy.privacy.ledger import Reservation
from understudy.schema.columns import Category
from understudy.schema.domain import BinAxis, Domain
from understudy.schema.measurement import Noisy, NoisyVector
from understudy.schema.moment import Moment
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

Columns = Sequence[str]
Answer = dict[str, Any]


@final
class PrivateTable:
    """A confidential table behind its door. Everything it hands out is noisy and paid for."""

    def __init__(
        self, backend: Backend, reservation: Reservation, *, noise: Noise | None = None
    ) -> None:
        self._backend = backend
        self._exact = ExactTables(backend)
        self._reservation = reservation
        self._noise = SystemNoise() if noise is None else noise
        self._measured: list[tuple[Domain, Noisy]] = []
        self._check_ledger()
        if not backend.fits_declared_size():
            size = "'rows'" if backend.schema.rows is not None else "'units'"
            raise TableMismatch(
                f"the schema declares a public size ({size}) that is not the table's; "
                "correct it, or leave it out to keep the size private"
            )

    def __repr__(self) -> str:
        return f"<PrivateTable {self.schema.name!r}>"

    @property
    def schema(self) -> Schema:
        """The table's public description."""
        return self._backend.schema

    @property
    def neighbours(self) -> Neighbours:
        """The relation under which every answer is private."""
        return self.schema.neighbours

    def measured(self, domain: Domain) -> list[Noisy]:
        """Every noisy marginal over this domain, or groups of it, that was paid for so far."""
        return [noisy for over, noisy in self._measured if over.fine == domain]

    def prepare(self, domain: Domain, workload: Sequence[Columns]) -> None:
        """Say, free of charge, which marginals may be asked, so that one pass counts them all."""
        self._exact.hint(domain, [_marginal(domain, columns) for columns in workload])

    def count(
        self,
        domain: Domain,
        marginals: Sequence[Columns],
        *,
        spend: Budget,
        weights: Sequence[Exact] | None = None,
    ) -> list[Noisy]:
        """Noisy contingency tables that together cost ``spend``, split by ``weights``."""
        asked = [_marginal(domain, columns) for columns in marginals]
        parts = shares(len(asked), weights)
        noises = [
            noise_for(spend * part, self.neighbours, contribution=self.schema.contribution)
            for part in parts
        ]

        def answer() -> Answer:
            sealed = self._exact.tables(domain, asked)
            pairs = zip(noises, sealed, strict=True)
            return {"tables": [noise.add(table, self._noise) for noise, table in pairs]}

        detail = {
            "marginals": [list(marginal) for marginal in asked],
            "shares": [str(part) for part in parts],
            "noise": [f"{noise.law} {noise.scale!r}" for noise in noises],
        }
        tables = self._ask("count", detail, spend, answer)["tables"]
        noisy = [
            Noisy(
                marginal,
                read_only(table.reshape(domain.shape(marginal))),
                noise.stddev,
                domain.groups(marginal),
            )
            for marginal, table, noise in zip(asked, tables, noises, strict=True)
        ]
        self._measured += [(domain, marginal) for marginal in noisy]
        return noisy

    def select(
        self, domain: Domain, candidates: Sequence[Columns], score: Score, *, spend: Budget
    ) -> int:
        """The index of a candidate whose score is, up to noise, the best."""
        asked = [_marginal(domain, columns) for columns in candidates]
        if not asked:
            raise UsageError("a selection needs at least one candidate")
        check_score(score, [domain.shape(marginal) for marginal in asked])
        sensitivity = score.sensitivity(self.neighbours, self.schema.contribution)
        choice = choice_for(
            spend, sensitivity=UNITS + SLACK, monotone=score.monotone(self.neighbours)
        )

        def answer() -> Answer:
            scores = score([reveal(table) for table in self._exact.tables(domain, asked)])
            return {"index": choice.index(on_grid(scores, sensitivity), self._noise)}

        detail = {
            "candidates": [list(marginal) for marginal in asked],
            "score": type(score).__name__,
        }
        return int(self._ask("select", detail, spend, answer)["index"])

    def discover(self, columns: Columns, *, spend: Budget) -> dict[str, tuple[str, ...]]:
        """The levels of each of these category columns that enough units hold."""
        if not columns or len(set(columns)) != len(columns):
            raise UsageError("name one or more different category columns to discover")
        for column in columns:
            if not isinstance(self.schema.columns.get(column), Category):
                raise UsageError(f"levels are discovered in category columns; {column!r} is none")
        threshold = threshold_for(
            spend * Fraction(1, len(columns)),
            self.neighbours,
            contribution=self.schema.contribution,
        )

        def answer() -> Answer:
            found = {}
            for column in columns:
                sealed = Sensitive(self._backend.levels(column))
                found[column] = list(threshold.keep(sealed, self._noise))
            return {"levels": found}

        detail = {"columns": list(columns), "least": threshold.least}
        levels = self._ask("discover", detail, spend, answer)["levels"]
        return {column: tuple(levels[column]) for column in columns}

    def quantiles(
        self,
        column: str,
        *,
        probabilities: Sequence[Exact],
        grid: Sequence[float],
        lean: Exact = 0,
        spend: Budget,
    ) -> tuple[float, ...]:
        """A grid point near each quantile of a numeric column, missing values left out.

        ``lean`` makes each point further out on the quantile's side of zero so many scales of the
        noise less likely: a public preference where the ranks tell little.
        """
        if not probabilities:
            raise UsageError("ask for at least one quantile")
        wanted = [check_probability(exact(p, name="probability")) for p in probabilities]
        domain = grid_domain(self.schema, column, grid)
        axis = domain.axes[column]
        assert isinstance(axis, BinAxis)
        if axis.proper < 2:
            raise UsageError("a quantile grid needs at least one point between its ends")
        leans = check_lean(exact(lean, name="lean"))
        choices = [self._rank_choice(p, spend * Fraction(1, len(wanted))) for p in wanted]

        def answer() -> Answer:
            (sealed,) = self._exact.tables(domain, [(column,)])
            scores = [
                rank_scores(sealed, axis, p) - leaning(axis, choice.scale, leans, p)
                for choice, p in zip(choices, wanted, strict=True)
            ]
            pairs = zip(choices, scores, strict=True)
            return {"points": [choice.index(score, self._noise) for choice, score in pairs]}

        detail = {"column": column, "probabilities": [str(p) for p in wanted], "grid": len(grid)}
        detail |= {"lean": str(leans)} if leans else {}
        points = self._ask("quantiles", detail, spend, answer)["points"]
        return tuple(float(axis.edges[1 + point]) for point in points)

    def draw(
        self,
        domain: Domain,
        marginal: Columns,
        *,
        rows: int,
        volumes: NDArray[Any] | None = None,
        spend: Budget,
    ) -> NDArray[np.int64]:
        """``rows`` private rows from the smoothed table, as cell numbers: a line per column.

        Cells without rows are drawn too, in proportion to their public ``volumes`` (or equally).
        """
        asked = _marginal(domain, marginal)
        drawing = drawing_for(
            spend, **self._relation, rows=rows, cells=domain.size(asked), volumes=volumes
        )

        def answer() -> Answer:
            (sealed,) = self._exact.tables(domain, [asked])
            return {"cells": drawing.cells(sealed, self._noise)}

        detail = {"marginal": list(asked), **drawing.detail}
        cells = self._ask("draw", detail, spend, answer)["cells"]
        return np.stack(np.unravel_index(cells, domain.shape(asked)))

    def partition(
        self, domain: Domain, marginal: Columns, *, threshold: int = 0, spend: Budget
    ) -> NDArray[np.int64]:
        """Boxes of cells, small where many rows are: first cell and end of each column of each box.

        Shaped (boxes, columns, 2). The boxes cover the grid and do not overlap.
        """
        asked = _marginal(domain, marginal)
        check_grid(domain.shape(asked))
        splitting = splitting_for(spend, **self._relation, threshold=threshold)

        def answer() -> Answer:
            (sealed,) = self._exact.tables(domain, [asked])
            return {"boxes": splitting.boxes(sealed, self._noise)}

        detail = {"marginal": list(asked), **splitting.detail}
        boxes: NDArray[np.int64] = self._ask("partition", detail, spend, answer)["boxes"]
        return boxes

    def sums(
        self,
        domain: Domain,
        moments: Sequence[Moment],
        *,
        granularity: int = 2**14,
        spend: Budget,
    ) -> NoisyVector:
        """Noisy sums over all rows of bounded moments, all together at ``spend``."""
        check_moments(self._backend, domain, moments)
        summing = summing_for(spend, **self._relation, moments=moments, granularity=granularity)

        def answer() -> Answer:
            return {"sums": summing.values(self._backend, domain, self._noise)}

        return summing.released(self._ask("sums", summing.detail, spend, answer)["sums"])

    def statistic(self, domain: Domain, statistic: Statistic, *, spend: Budget) -> NoisyVector:
        """The noisy answers of a statistic that understudy.gate.statistics declares."""
        check_statistic(statistic, domain, self._backend.capabilities)
        asked = [_marginal(domain, columns) for columns in statistic.marginals]
        added = statistic_noise(spend, statistic, **self._relation)

        def answer() -> Answer:
            tables = [reveal(table) for table in self._exact.tables(domain, asked)]
            return {"answers": added.add(Sensitive(statistic(tables)), self._noise)}

        detail = {"statistic": type(statistic).__name__, **statistic.detail}
        return NoisyVector(self._ask("statistic", detail, spend, answer)["answers"], added.stddev)

    def minimise(self, domain: Domain, loss: Loss, *, spend: Budget) -> int:
        """The index of the public candidate whose loss is, up to noise, the smallest."""
        check_loss(loss, domain)
        asked = [_marginal(domain, columns) for columns in loss.marginals]
        choice = minimum_for(spend, loss, **self._relation)

        def answer() -> Answer:
            tables = [reveal(table) for table in self._exact.tables(domain, asked)]
            return {"index": choice.index(-loss(tables), self._noise)}

        detail = {
            "loss": type(loss).__name__,
            "candidates": loss.candidates,
            **loss.detail,
        }
        return int(self._ask("minimise", detail, spend, answer)["index"])

    @property
    def _relation(self) -> dict[str, Any]:
        """What a guarantee is about, as arguments."""
        return {"neighbours": self.neighbours, "contribution": self.schema.contribution}

    def _rank_choice(self, probability: Fraction, spend: Budget) -> Choice:
        sensitivity = rank(self.neighbours, self.schema.contribution, probability)
        return choice_for(spend, sensitivity=sensitivity, monotone=False)

    def _ask(
        self,
        verb: str,
        detail: Mapping[str, Any],
        cost: Budget,
        answer: Callable[[], Answer],
    ) -> Answer:
        charge = self._reservation.charge(verb, detail=detail, cost=cost)
        drawn = self._reservation.recall(charge)
        if drawn is None:
            drawn = answer()
            self._reservation.journal(charge, drawn)
        return drawn

    def _check_ledger(self) -> None:
        """A ledger about other neighbours or another unit must not pay for this table."""
        booked = (self._reservation.neighbours, self._reservation.unit)
        if booked != (self.neighbours, self.schema.unit.name):
            raise UsageError(
                f"the ledger promises privacy of {booked[1]} under {booked[0].value}, the schema "
                f"of {self.schema.unit.name} under {self.neighbours.value}; use a ledger made for "
                "this schema"
            )


def _marginal(domain: Domain, columns: Columns) -> tuple[str, ...]:
    marginal = tuple(columns)
    if not marginal or len(set(marginal)) != len(marginal):
        raise UsageError("a marginal is over one or more different columns")
    domain.shape(marginal)
    return marginal
