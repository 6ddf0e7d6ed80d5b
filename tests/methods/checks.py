"""What EVERY method must pass. ``test_checks.py`` finds the methods and runs each check on each.

A check is a function ``check_*`` of one subject; it raises AssertionError, or whatever the method
raised. That they notice what they should is tested with the methods in ``tests/broken``.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from tests.methods.privacy_section import section_of
from tests.methods.subjects import (
    MIXED,
    Run,
    Subject,
    essence,
    fitted,
    mixed_rows,
    same_schema_other_rows,
    schema_like,
)
from tests.noise_sources import ForbiddenNoise, KeyedNoise, SeededNoise
from tests.rooms import SOURCE, problems_of
from tests.tables import Row, SealedBackend, purse_for
from understudy.data.backend import Capability
from understudy.errors import BudgetExceeded
from understudy.gate.noise import SystemNoise
from understudy.privacy.budget import Budget
from understudy.privacy.ledger import Ledger
from understudy.release.model_files import read_model, write_model
from understudy.schema.columns import Column
from understudy.schema.domain import Domain
from understudy.schema.neighbours import Neighbours
from understudy.table.codec import encode_table

Check = Callable[[Subject], None]


def checks() -> list[Check]:
    """Every check of this file, in the order in which they are written."""
    return [check for name, check in globals().items() if name.startswith("check_")]


def settings(subject: Subject) -> Iterator[tuple[Budget, Neighbours]]:
    """Every accepted currency under every relation that the method supports."""
    for budget in subject.budgets():
        for relation in sorted(subject.kind.neighbours, key=lambda relation: relation.value):
            yield budget, relation


# ---- what it says ------------------------------------------------------------------------------


def check_says_what_it_is(subject: Subject) -> None:
    kind = subject.kind
    assert dataclasses.is_dataclass(kind), "a method is a frozen dataclass"
    assert kind.__dataclass_params__.frozen, "a method is a frozen dataclass"  # type: ignore[attr-defined]
    assert getattr(kind, "__final__", False), "a method is final"
    assert subject.make() == subject.make(), "every hyper-parameter has a default"
    assert kind.summary.strip()
    assert kind.paper.strip()
    assert kind.status in ("proven", "caller-owes", "ideal-numbers")
    assert kind.accepts, "at least one currency"
    subject.budgets()
    assert kind.neighbours
    assert kind.neighbours <= frozenset(Neighbours)
    assert kind.needs <= {capability.value for capability in Capability}


def check_imports_and_touches_only_what_a_method_may(subject: Subject) -> None:
    source = subject.source.read_text()
    assert problems_of(f"methods/{subject.source.name}", source) == []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and re.match(r"_[^_]", node.attr):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            assert owner in ("self", "cls"), f"line {node.lineno} reaches into another object"


def check_has_a_privacy_section(subject: Subject) -> None:
    section = section_of(subject.module.__doc__)
    assert section.neighbours == subject.kind.neighbours
    for lemma in section.lemmas:
        assert (SOURCE / lemma).is_file(), f"{lemma} does not exist"


def check_ledger_equals_the_privacy_section(subject: Subject) -> None:
    section = section_of(subject.module.__doc__)
    for budget, relation in settings(subject):
        schema = schema_like(relation)
        ledger = Ledger.in_memory(
            table=schema.name, unit=schema.unit.name, neighbours=relation, total=budget
        )
        reservation = ledger.reserve(budget, purpose="check")
        fitted(subject, schema, mixed_rows(), budget, purse=reservation)  # type: ignore[arg-type]
        verbs = [charge.verb for charge in reservation.charges]
        assert section.describes(verbs), f"the ledger says {verbs}, the section something else"
        assert reservation.left.is_zero


# ---- what it pays ------------------------------------------------------------------------------


def check_spends_all_and_never_more(subject: Subject) -> None:
    for budget, relation in settings(subject):
        for contribution in (1, 3):
            schema = schema_like(relation, contribution=contribution)
            rows = [(*row, "p1") if contribution > 1 else row for row in mixed_rows()]
            run = fitted(subject, schema, rows, budget)
            assert run.purse.spent == budget, f"spent {run.purse.spent} of {budget}"


def check_reads_only_what_is_paid(subject: Subject) -> None:
    for budget, relation in settings(subject):
        run = fitted(subject, schema_like(relation), mixed_rows(), budget)
        diary = " ".join(run.purse.diary)
        assert re.fullmatch(r"(charge (read )*journal ?)+", diary), diary


def check_refuses_before_reading(subject: Subject) -> None:
    for budget, relation in settings(subject):
        schema = schema_like(relation)
        purse = purse_for(schema, budget.zero())
        try:
            fitted(
                subject,
                schema,
                [],
                budget,
                purse=purse,
                backend=SealedBackend(schema, []),
                noise=ForbiddenNoise(),
            )
        except BudgetExceeded:
            assert not purse.charges
        else:
            raise AssertionError("an empty purse must refuse")


def check_knows_only_what_it_was_answered(subject: Subject) -> None:
    """With its journal it comes to the same model although the table is gone."""
    for budget, relation in settings(subject):
        schema = schema_like(relation)
        run = fitted(subject, schema, mixed_rows(), budget)
        purse = purse_for(schema, budget * 2)
        purse.answers.update(run.purse.answers)
        again = fitted(
            subject,
            schema,
            [],
            budget,
            purse=purse,
            backend=SealedBackend(schema, []),
            noise=ForbiddenNoise(),
        )
        assert essence(again.model) == essence(run.model)
        assert [c.detail for c in purse.charges] == [c.detail for c in run.purse.charges]


def check_the_seed_fixes_no_noise(subject: Subject) -> None:
    """Two fits with the same seed and the system's noise measure differently."""
    for budget, relation in settings(subject):
        schema = schema_like(relation)
        measured = []
        for _ in range(2):
            run = fitted(subject, schema, mixed_rows(), budget, noise=SystemNoise(), seed=1)
            noisy = run.table.measured(run.domain)
            seen = [(marginal.columns, marginal.values.tolist()) for marginal in noisy]
            counts = not subject.releases_a_draw and not subject.numeric
            measured.append(seen if counts else essence(run.model))
        assert measured[0], "a method hands out its measurements by counting"
        assert measured[0] != measured[1]


def check_leaves_global_randomness_alone(subject: Subject) -> None:
    np.random.seed(1)
    before = np.random.get_state()[1].tolist()  # type: ignore[union-attr]
    relation = min(subject.kind.neighbours, key=lambda relation: relation.value)
    runs = [
        fitted(subject, schema_like(relation), mixed_rows(), subject.budgets()[0]) for _ in "ab"
    ]
    after = np.random.get_state()[1].tolist()  # type: ignore[union-attr]
    assert before == after
    assert essence(runs[0].model) == essence(runs[1].model), "same noise, same seed, same model"


# ---- what it makes -----------------------------------------------------------------------------


def _stays_in_schema(run: Run, *, rows: int = 300) -> None:
    assert np.isfinite(run.model.total)
    assert run.model.total >= 0
    codes = run.model.draw(rows, np.random.default_rng(1))
    assert tuple(codes.columns) == run.domain.columns
    for name, axis in run.domain.axes.items():
        column = codes.columns[name]
        assert column.shape == (rows,)
        assert column.dtype.kind == "u", f"{name!r}: cell numbers are unsigned integers"
        assert int(column.max(initial=0)) < axis.size, f"{name!r}: there is no such cell"
    table = run.model.sample(rows, np.random.default_rng(1))
    assert tuple(table.columns) == run.domain.schema.released
    again = encode_table(run.domain, table)
    for name in run.domain.columns:
        assert np.array_equal(again.columns[name], codes.columns[name]), name


def check_stays_in_the_schema(subject: Subject) -> None:
    for budget, relation in settings(subject):
        for rows in same_schema_other_rows():
            _stays_in_schema(fitted(subject, schema_like(relation), rows, budget))


def check_types_follow_from_the_schema(subject: Subject) -> None:
    for budget, relation in settings(subject):
        kinds = set()
        for rows in same_schema_other_rows():
            model = fitted(subject, schema_like(relation), rows, budget).model
            codes = model.draw(50, np.random.default_rng(1))
            table = model.sample(50, np.random.default_rng(1))
            frame = table.to_pandas()
            kinds.add(
                (
                    type(model),
                    tuple(column.dtype.str for column in codes.columns.values()),
                    tuple((v.data.dtype.str, v.levels, v.missing is None) for v in _values(table)),
                    tuple(map(repr, frame.dtypes)),
                    type(frame.index),
                )
            )
        assert len(kinds) == 1, f"types that depend on the rows: {kinds}"


def _values(table: object) -> Sequence[object]:
    return list(table.columns.values())  # type: ignore[attr-defined]


def shapes(subject: Subject) -> Iterator[tuple[tuple[Column, ...], list[Row]]]:
    """Tables of every shape, of columns that the method takes."""
    column = subject.column
    two = (column("a", 2), column("b", 2))
    yield (column("a", 3),), [("1",), ("2",)] * 10  # one column
    yield (column("a", 1),), [("0",)] * 5  # one cell
    yield two, [("1", "0")]  # one row
    yield (*two, column("c", 2)), []  # no rows
    constant = (column("a", 1), column("b", 4), column("c", 3))
    yield constant, [("0", "2", "1")] * 9
    yield (column("a", 2, missing=("",)), column("b", 2)), [("", "1")] * 9  # always missing
    yield (column("a", 10_000), column("b", 2)), [("17", "1"), ("9999", "0")] * 5  # many levels


def check_takes_tables_of_every_shape(subject: Subject) -> None:
    for budget, relation in settings(subject):
        for columns, rows in shapes(subject):
            schema = schema_like(relation, columns=columns, rows=len(rows))
            run = fitted(subject.over(columns), schema, rows, budget)
            _stays_in_schema(run, rows=20)
            assert run.purse.spent == budget
            assert len(run.model.sample(0, np.random.default_rng(0))) == 0


def check_samples_the_same_after_saving(subject: Subject) -> None:
    for budget, relation in settings(subject):
        run = fitted(subject, schema_like(relation), mixed_rows(), budget)
        json.dumps(run.model.describe(), allow_nan=False)
        with tempfile.TemporaryDirectory() as folder:
            write_model(run.model, Path(folder) / "model")
            loaded = read_model(Path(folder) / "model")
        assert essence(loaded) == essence(run.model)
        assert loaded.total == run.model.total
        drawn = [m.draw(200, np.random.default_rng(3)).columns for m in (run.model, loaded)]
        for name in run.domain.columns:
            assert np.array_equal(drawn[0][name], drawn[1][name]), name


def check_public_sizes_are_kept(subject: Subject) -> None:
    if Neighbours.REPLACE_ONE in subject.kind.neighbours:
        for budget in subject.budgets():
            schema = schema_like(Neighbours.REPLACE_ONE)
            assert fitted(subject, schema, mixed_rows(), budget).model.total == 60.0


def check_column_order_does_not_matter(subject: Subject) -> None:
    """The same law whatever the order: noise follows the exact counts, 10^5 rows are compared.

    Each cell of each pair lies within 7 standard deviations of the other sample's, so a false
    alarm has a probability below 1e-8 over all of the some thousand cells.
    """
    rows, draws = mixed_rows(200), 100_000
    order = np.random.default_rng(2).permutation(len(MIXED))
    many = subject.with_rows(draws).settled()
    for budget, relation in settings(subject):
        tables = []
        for chosen in (np.arange(len(MIXED)), order):
            schema = schema_like(relation, columns=[MIXED[i] for i in chosen], rows=200)
            moved = [tuple(row[i] for i in chosen) for row in rows]
            run = fitted(many, schema, moved, budget, noise=KeyedNoise())
            tables.append((run.model.draw(draws, np.random.default_rng(len(tables))), run.domain))
        (one, domain), (two, _) = tables
        for pair in combinations(domain.columns, 2):
            first, second = (_counted(codes.columns, domain, pair) for codes in (one, two))
            spread = np.sqrt(first + second)
            assert (np.abs(first - second) <= 7 * np.maximum(spread, 1.0)).all(), pair


def _counted(columns: object, domain: Domain, pair: tuple[str, str]) -> np.ndarray:
    counts = np.zeros(domain.shape(pair))
    np.add.at(counts, tuple(columns[name] for name in pair), 1)  # type: ignore[index]
    return counts


def check_finds_the_table_with_a_large_budget(subject: Subject) -> None:
    """With nearly no noise every column's shares are those of the table."""
    for budget, relation in settings(subject):
        run = fitted(
            subject.with_rows(2000),
            schema_like(relation),
            mixed_rows(),
            budget * 10**7,
            noise=SeededNoise(3),
        )
        table = run.model.sample(20_000, np.random.default_rng(1))
        codes = encode_table(run.asked, table).columns
        for name in run.asked.columns:
            (exact,) = run.backend.count(run.asked, [(name,)])
            drawn = np.bincount(codes[name], minlength=exact.size) / 20_000
            gap = drawn - exact / exact.sum()
            if subject.shaped:  # the mean is right, the shape is the model's
                gap = gap @ np.arange(exact.size) / exact.size
            assert np.abs(gap).max() < 0.06, name
