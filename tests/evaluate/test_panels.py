"""Panels: the figures they promise, worked out by hand or by going over the rows."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tests.evaluate.tables import RULES, code, grid, people, sample
from understudy.evaluate import panels
from understudy.evaluate.compare import compare
from understudy.evaluate.grid import Sample
from understudy.evaluate.marginals import subsets, total_variation
from understudy.evaluate.panels import Finding, Setting
from understudy.evaluate.reference import bootstrap

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "how-to-read-the-scores.md"


def setting(real: Sample, **more: object) -> Setting:
    names = sorted(real.grid.columns)
    sets = {k: subsets(names, k=k, most=1000) for k in (2, 3)}
    return Setting(real, sets, 0, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def real() -> Sample:
    return sample(grid(RULES), people(600))


@pytest.fixture(scope="module")
def other() -> Sample:
    return sample(grid(RULES), people(500, seed=1))


def test_one_way_figures_summarise_the_columns(real, other):
    (found,) = panels.one_way(setting(real), [other])
    columns = found.details
    tvds = [columns[name]["tvd"] for name in columns]
    assert found.figures["tvd.1.mean"] == pytest.approx(np.mean(tvds))
    assert found.figures["tvd.1.max"] == max(tvds)
    scaled = [about["scaled"] for about in columns.values() if about["scaled"] is not None]
    assert len(scaled) == 5  # all but the category
    assert found.figures["wasserstein.1.mean"] == pytest.approx(np.mean(scaled))
    ks = [about["ks"] for about in columns.values() if about["ks"] is not None]
    assert found.figures["ks.max"] == max(ks)
    gaps = [about["missing"] for about in columns.values()]
    assert found.figures["missing.max"] == max(gaps) > 0


def test_each_columns_tvd_stands_with_its_own_name(real):
    """Only one column is changed, whose place in the schema is not its place in the alphabet."""
    values = people(600)
    changed = sample(real.grid, {**values, "member": ["true"] * 600})
    (found,) = panels.one_way(setting(real), [changed])
    no = np.mean([member == "false" for member in values["member"]])
    for name, about in found.details.items():
        assert about["tvd"] == pytest.approx(no if name == "member" else 0), name


def test_k_way_figures_and_their_distribution(real, other):
    (found,) = panels.k_way(setting(real), [other])
    for k in (2, 3):
        chosen = list(combinations(sorted(real.grid.columns), k))
        distances = total_variation(real, [other], chosen)[0]
        assert found.figures[f"tvd.{k}.mean"] == pytest.approx(distances.mean())
        assert found.figures[f"tvd.{k}.max"] == pytest.approx(distances.max())
        about = found.details[str(k)]
        assert (about["sets"], about["of"]) == (len(chosen), len(chosen))
        assert about["quantiles"]["0.5"] == pytest.approx(np.median(distances))
        assert about["quantiles"]["1"] == pytest.approx(distances.max())
        worst = about["worst"]
        assert worst[0]["columns"] == list(chosen[int(distances.argmax())])
        assert [one["tvd"] for one in worst] == sorted((one["tvd"] for one in worst), reverse=True)
        assert len(worst) == 10


def test_several_tables_are_judged_as_if_each_were_alone(real, other):
    third = bootstrap(real, rows=450, rng=np.random.default_rng(5))
    shared = setting(real, target="member", models=False)
    for name, panel in panels.PANELS.items():
        together = panel(shared, [other, third])
        alone = [panel(shared, [table])[0] for table in (other, third)]
        for one, two in zip(together, alone, strict=True):
            assert one.figures == pytest.approx(two.figures, nan_ok=True), name


def test_every_panel_gives_one_finding_per_table_and_finite_or_absent_figures(real, other):
    for name, panel in panels.PANELS.items():
        found = panel(setting(real), [other, real, other])
        assert len(found) == 3
        assert found[0].figures == pytest.approx(found[2].figures, nan_ok=True), name
        assert all(isinstance(one, Finding) for one in found)
        for figure, value in found[0].figures.items():
            assert isinstance(value, float), figure


def test_association_details_hold_both_values(real, other):
    (found,) = panels.association(setting(real), [other])
    entries = found.details["pearson"]
    gaps = [abs(entry["real"] - entry["synthetic"]) for entry in entries]
    assert found.figures["pearson.error.mean"] == pytest.approx(np.mean(gaps))
    assert found.figures["pearson.error.max"] == pytest.approx(max(gaps))
    assert {tuple(entry["columns"]) for entry in entries} <= set(
        combinations(sorted(real.grid.columns), 2)
    )


def test_figures_of_relations_that_cannot_be_are_not_numbers(real, other):
    (found,) = panels.association(setting(real), [other])
    assert np.isnan(found.figures["cramers_v.error.mean"])  # there is one category only


def test_queries_with_as_many_columns_as_there_are(real, other):
    (found,) = panels.counting_queries(setting(real), [other])
    assert set(found.figures) == {
        f"queries.{k}.{what}" for k in (1, 2, 3) for what in ("mean", "max")
    }
    (same,) = panels.counting_queries(setting(real), [real])
    assert set(same.figures.values()) == {0.0}


def test_deep_trees_only_where_they_are_quick(real, other):
    (few,) = panels.propensity(setting(real), [other])
    assert {"pmse.depth1", "pmse.depth2", "pmse.depth3", "pmse_ratio.logistic"} <= set(few.figures)
    assert "pmse.cart5" not in few.figures  # needs scikit-learn, so only with models


def test_nothing_is_predicted_without_a_target(real, other):
    for panel in (panels.prediction, panels.regression):
        assert panel(setting(real), [other])[0].figures == {}


def test_regression_details_name_every_feature(real, other):
    (found,) = panels.regression(setting(real, target="member"), [other])
    overlaps = [entry["overlap"] for entry in found.details]
    assert found.details[0]["feature"] == "intercept"
    assert found.figures["regression.overlap.mean"] == pytest.approx(np.mean(overlaps))
    assert found.figures["regression.disjoint"] == np.mean(np.array(overlaps) == 0)
    assert all(error >= 0 for entry in found.details for error in (entry["real"][1],))


def test_broken_rules_are_counted_over_all_rows(real, other):
    (found,) = panels.rules(setting(real), [other])
    values = people(500, seed=1)
    pairs = zip(values["age"], values["member"], strict=True)
    young = np.mean([int(age) < 18 and member != "false" for age, member in pairs])
    gone = np.mean([income is None for income in values["income"]])
    assert [entry["synthetic"] for entry in found.details] == pytest.approx([young, gone])
    assert found.figures["rules.broken.max"] == pytest.approx(max(young, gone))


def test_membership_needs_rows_that_were_never_seen(real, other):
    without = panels.traces(setting(real), [other])[0]
    assert "membership.advantage" not in without.figures
    kept = sample(real.grid, people(300, seed=7))
    with_them = panels.traces(setting(real, holdout=kept), [real])[0]
    assert with_them.figures["membership.advantage"] > 0.8
    assert with_them.details["membership_interval"][0] > 0.5


def test_random_choices_depend_on_the_seed_and_the_panel_only(real):
    one, two = setting(real), setting(real)
    assert one.rng("a").integers(2**60) == two.rng("a").integers(2**60)
    assert one.rng("a").integers(2**60) != one.rng("b").integers(2**60)


# ---- the whole ---------------------------------------------------------------------------------


def test_the_ceiling_and_the_floor_are_drawn_as_often_as_asked():
    on = grid()
    tables = [code(on, people(200, seed=seed)) for seed in (0, 1)]
    found = compare(tables[0], tables[1:], grid=on, repeats=3)
    figure = found.figures["tvd.2.mean"]
    assert len(figure.ceiling) == len(figure.floor) == 3
    assert len(set(figure.ceiling)) == 3
    assert min(figure.floor) > max(figure.ceiling)


def test_the_ceiling_has_as_many_rows_as_the_synthetic_table():
    """A bootstrap of fewer rows is further away."""
    on = grid()
    real, few, many = (code(on, people(n, seed=n)) for n in (500, 25, 500))
    small, large = (compare(real, [other], grid=on).figures for other in (few, many))
    assert small["tvd.2.mean"].ceiling[0] > 2 * large["tvd.2.mean"].ceiling[0]


def test_the_page_explains_every_figure_and_no_other():
    pytest.importorskip("sklearn")
    on = grid(RULES)
    tables = [code(on, people(300, seed=seed)) for seed in (0, 1, 2)]
    found = compare(tables[0], tables[1:2], grid=on, target="member", holdout=tables[2])
    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index("| Figure |") : page.index("### Exact trees")]
    named = {
        name
        for line in table.strip().splitlines()
        for name in re.findall(r"`([^`]+)`", line.split("|")[1])
    }
    families = {name for name in named if not name.startswith(".")}  # .2 continues queries.1
    families |= {f"queries.{k}" for k in (2, 3)}
    for figure in found.figures:
        assert any(figure.startswith(family) for family in families), figure
    for family in families:
        assert any(figure.startswith(family) for figure in found.figures), family
