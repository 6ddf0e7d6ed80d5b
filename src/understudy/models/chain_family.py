"""The chain of regressions of the pMSE paper: each column is normal given those before it.

Parameters are, column by column, an intercept, a slope for each earlier column and the variance of
what they leave unexplained. They are read off the noisy sums and sums of products that the normal
family buys too, for every candidate anew, so the cloud has the shape that the noise gives them.
Columns stand in the order in which they were named, or in the schema's.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.models.cloud import Answer, Cloud, CloudPlan, Family, Question
from understudy.models.normal_family import check_numbers, cloud_of, found_moments
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema

Floats = NDArray[np.float64]

LEAST_UNEXPLAINED: Final = 1e-3
"""The least part of a column's variance that earlier columns leave to itself."""


@final
@dataclass(frozen=True)
class ChainFamily(Family):
    """A regression for each column, one after the other."""

    def scope(self, schema: Schema) -> Schema:
        check_numbers(schema)
        return schema

    def ask(self, domain: Domain, plan: CloudPlan) -> Generator[Question, Answer, Cloud]:
        found = yield from found_moments(domain, plan)
        order = [domain.columns.index(name) for name in plan.order or domain.columns]
        scales = found.spreads[:, :, None] * found.spreads[:, None, :]
        chain = Chain.fitted(found.covariances / scales, order)
        return cloud_of(domain, plan, found, chain.correlations)


@dataclass(frozen=True)
class Chain:
    """Per candidate, for columns scaled to variance 1: slopes on earlier columns, and what is left.

    ``slopes[m, j, i]`` is that of column j on column i, 0 unless i stands before j in the order.
    ``correlations`` are those of the rows that the chain makes: always positive definite.
    """

    slopes: Floats
    unexplained: Floats
    correlations: Floats

    @classmethod
    def fitted(cls, correlations: Floats, order: Sequence[int]) -> Chain:
        """The chains with these correlations, as nearly as a chain can have them.

        Noise may say that earlier columns explain more than there is. Then all their slopes are
        shrunk until ``LEAST_UNEXPLAINED`` is left: each column keeps its variance.
        """
        wanted = np.clip(np.nan_to_num(correlations, nan=0.0), -1.0, 1.0)
        slopes, unexplained = np.zeros_like(wanted), np.ones(wanted.shape[:2])
        implied = np.zeros_like(wanted)
        implied[:, range(wanted.shape[-1]), range(wanted.shape[-1])] = 1.0
        for place, j in enumerate(order):
            earlier = list(order[:place])
            known = implied[np.ix_(range(len(wanted)), earlier, earlier)]
            asked = wanted[:, earlier, j]
            found = np.linalg.solve(known, asked[..., None])[..., 0]
            explained = np.einsum("mi,mij,mj->m", found, known, found)
            most = 1.0 - LEAST_UNEXPLAINED
            found = found * np.sqrt(np.minimum(1.0, most / np.maximum(explained, most)))[:, None]
            slopes[:, j, earlier], unexplained[:, j] = found, 1.0 - np.minimum(explained, most)
            reached = np.einsum("mij,mj->mi", known, found)
            implied[:, j, earlier] = implied[:, earlier, j] = reached
        return cls(slopes, unexplained, implied)
