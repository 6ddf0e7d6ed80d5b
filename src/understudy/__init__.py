"""Understudy: differentially private synthetic tables, with proofs that hold for the code.

    import understudy as us

    schema = us.Schema.load("schema.toml")
    release = us.synthesize("table.csv", schema, epsilon=1, delta="1e-6")
    release.save("release")

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from understudy import methods
    from understudy.api import compare, plan, pmse, select_release, synthesize
    from understudy.errors import (
        BudgetExceeded,
        LedgerError,
        ReleaseError,
        SchemaError,
        SourceError,
        TableMismatch,
        UnderstudyError,
        UsageError,
    )
    from understudy.methods.aim import AIM
    from understudy.methods.auto import Auto
    from understudy.methods.independent import Independent
    from understudy.methods.marginal import Marginal
    from understudy.methods.mst import MST
    from understudy.methods.perturbed_histogram import PerturbedHistogram
    from understudy.methods.planned import Planned
    from understudy.methods.pmse import PMSE
    from understudy.methods.smoothed_histogram import SmoothedHistogram
    from understudy.privacy.budget import GDP, ZCDP, ApproxDP, PureDP
    from understudy.privacy.ledger import Ledger
    from understudy.release import Release, load
    from understudy.report.card import Card
    from understudy.schema.schema import Schema
    from understudy.table.table import Table

_HOME = {
    "AIM": "methods.aim",
    "ApproxDP": "privacy.budget",
    "Auto": "methods.auto",
    "BudgetExceeded": "errors",
    "Card": "report.card",
    "GDP": "privacy.budget",
    "Independent": "methods.independent",
    "Ledger": "privacy.ledger",
    "LedgerError": "errors",
    "MST": "methods.mst",
    "Marginal": "methods.marginal",
    "PMSE": "methods.pmse",
    "PerturbedHistogram": "methods.perturbed_histogram",
    "Planned": "methods.planned",
    "PureDP": "privacy.budget",
    "Release": "release",
    "ReleaseError": "errors",
    "Schema": "schema.schema",
    "SchemaError": "errors",
    "SmoothedHistogram": "methods.smoothed_histogram",
    "SourceError": "errors",
    "Table": "table.table",
    "TableMismatch": "errors",
    "UnderstudyError": "errors",
    "UsageError": "errors",
    "ZCDP": "privacy.budget",
    "compare": "api",
    "load": "release",
    "plan": "api",
    "pmse": "api",
    "select_release": "api",
    "synthesize": "api",
}

__all__ = [
    "AIM",
    "GDP",
    "MST",
    "PMSE",
    "ZCDP",
    "ApproxDP",
    "Auto",
    "BudgetExceeded",
    "Card",
    "Independent",
    "Ledger",
    "LedgerError",
    "Marginal",
    "PerturbedHistogram",
    "Planned",
    "PureDP",
    "Release",
    "ReleaseError",
    "Schema",
    "SchemaError",
    "SmoothedHistogram",
    "SourceError",
    "Table",
    "TableMismatch",
    "UnderstudyError",
    "UsageError",
    "__version__",
    "compare",
    "load",
    "methods",
    "plan",
    "pmse",
    "select_release",
    "synthesize",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        globals()[name] = found = _version()
        return found
    if name == "methods":  # the room itself, which lists its methods when it is called
        return import_module("understudy.methods")
    if name not in _HOME:
        raise AttributeError(f"module 'understudy' has no attribute {name!r}")
    found = getattr(import_module(f"understudy.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


def _loaded(name: str) -> Any:
    return getattr(import_module(f"understudy.{_HOME[name]}"), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("understudy")
    except PackageNotFoundError:
        return "0+unknown"
