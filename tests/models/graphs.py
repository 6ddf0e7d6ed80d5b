"""Graphical models whose joint table is known, because it is where the beliefs came from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.tables import cells, numbers, schema_of
from understudy.models.graphical import GraphicalModel, Sampling
from understudy.models.separators import Clique
from understudy.schema.axes import domain_of
from understudy.schema.columns import Drop, Fake

SCHEMA = schema_of(
    cells("a", 2),
    cells("b", 3),
    Fake(name="id"),
    numbers("c", 0, 2),
    cells("d", 2, missing=("",)),
    cells("e", 1),
    cells("f", 4),
    Drop(name="z"),
)
DOMAIN = domain_of(SCHEMA)
CLIQUES: tuple[Clique, ...] = (("b", "a", "c"), ("d", "c", "b"), ("b", "a"), ("e", "a"), ("f",))
"""A triangle, one that shares two columns, one inside another, a column of one cell, a root."""


def random_model(seed: int, *, sampling: Sampling = "alias", empty: float = 0.25) -> GraphicalModel:
    """The model over ``CLIQUES`` with random beliefs, this share of them impossible."""
    law = random_joint(seed, empty=empty)
    beliefs = tuple(marginal_of(law, clique) for clique in CLIQUES)
    return GraphicalModel(DOMAIN, 100.0, CLIQUES, beliefs, sampling)


def random_joint(seed: int, *, empty: float) -> NDArray[np.float64]:
    """A joint table, axes in the domain's order, in which the cliques' independences hold."""
    rng = np.random.default_rng(seed)
    abc = _weights(rng, empty, 2, 3, 3)
    abc /= abc.sum()
    d_given_bc = _weights(rng, empty, 3, 3, 3)
    d_given_bc /= d_given_bc.sum(axis=-1, keepdims=True)
    f = _weights(rng, empty, 4)
    return np.einsum("abc,bcd,f->abcdf", abc, d_given_bc, f / f.sum())[:, :, :, :, None, :]


def marginal_of(law: NDArray[np.float64], columns: tuple[str, ...]) -> NDArray[np.float64]:
    """The marginal of a joint table over the domain, summed directly."""
    letters = "abcdef"
    return np.einsum(f"{letters}->{''.join(columns)}", law)


def joint_of(model: GraphicalModel) -> NDArray[np.float64]:
    """A model's joint table by the definition: each clique given what came before, multiplied."""
    law = np.ones(DOMAIN.shape(DOMAIN.columns))
    before: set[str] = set()
    for clique, belief in zip(model.cliques, model.beliefs, strict=True):
        new = tuple(axis for axis, name in enumerate(clique) if name not in before)
        mass = belief.sum(axis=new, keepdims=True)
        given = np.divide(belief, mass, out=np.zeros(belief.shape), where=mass > 0)
        law = np.einsum(f"abcdef,{''.join(clique)}->abcdef", law, given)
        before.update(clique)
    return law


def _weights(rng: np.random.Generator, empty: float, *shape: int) -> NDArray[np.float64]:
    found = rng.exponential(size=shape)
    found[rng.random(shape) < empty] = 0.0
    found[..., 0] += 0.05
    return found
