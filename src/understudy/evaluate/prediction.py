"""Train on synthetic rows, test on real ones, beside training on real ones.

The real table is split once, four fifths to train on and one fifth to test on (or a hold-out table
is given to test on). Three classifiers, in the form that benchmarks of the field use:

    logistic   LogisticRegression(C=1, max_iter=500) on flags of the coarse cells
    boosting   HistGradientBoostingClassifier(random_state=0, early_stopping=False) on the cells
    svm        LinearSVC(C=1) on flags of the coarse cells

AUC is one against the rest, averaged over the classes; calibration is the mean gap between what the
classifier promises and what happens, in ten bins of promised probability (the linear SVM promises
nothing). A numeric target asks: above the real table's median?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.evaluate.associations import ranks
from understudy.evaluate.design import at_most
from understudy.evaluate.extra import require
from understudy.evaluate.grid import Sample, with_missing
from understudy.schema.domain import BinAxis

CLASSIFIERS: Final = ("logistic", "boosting", "svm")
TEST_SHARE: Final = 5  # one row in five

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """What is predicted from what. ``label`` gives each fine cell's class, -1 for missing."""

    target: str
    features: tuple[str, ...]
    label: Labels
    classes: int

    @classmethod
    def of(cls, real: Sample, target: str) -> Task:
        """The task for this target; refuses one whose known values are all alike."""
        features = tuple(name for name in real.grid.columns if name != target)
        if not features:
            raise UsageError("a prediction needs at least one column beside the target")
        axis = real.grid.fine.axes[target]
        label = np.arange(axis.proper)
        if isinstance(axis, BinAxis) and axis.proper > 2:
            known = real.codes[target][~real.missing(target)]
            middle = np.median(known) if len(known) else 0
            label = (label > middle).astype(np.int64)
        label = with_missing(axis, label, -1)
        if len(np.unique(label[real.codes[target]][~real.missing(target)])) < 2:
            raise UsageError(
                f"the target {target!r} has the same known value in every real row; "
                "choose another target"
            )
        return cls(target, features, label, int(label.max()) + 1)

    def labelled(self, sample: Sample) -> tuple[Sample, Labels]:
        """The rows whose class is known, and their classes."""
        label = self.label[sample.codes[self.target]]
        known = np.flatnonzero(label >= 0)
        return sample.take(known), label[known]

    def rows(self, sample: Sample, *, classifier: str) -> Any:
        """The features as this classifier takes them: cells, or flags of coarse cells."""
        if classifier == "boosting":
            return np.stack([sample.cells(name) for name in self.features], axis=1)
        sizes = [sample.grid.coarse(name)[1] for name in self.features]
        cells = np.stack([sample.coarse(name) for name in self.features], axis=1)
        return flags(cells, sizes)


@dataclass(frozen=True)
class Quality:
    """How well a classifier did on the test rows."""

    auc: float
    accuracy: float
    calibration: float | None


def split(real: Sample, rng: np.random.Generator) -> tuple[Sample, Sample]:
    """Rows to train on and rows to test on; at least one of each where there are two."""
    order = rng.permutation(real.rows)
    test = max(1, real.rows // TEST_SHARE)
    return real.take(order[test:]), real.take(order[:test])


def train_and_test(
    task: Task,
    train: Sample,
    test: Sample,
    rng: np.random.Generator,
    *,
    classifiers: Sequence[str] = CLASSIFIERS,
) -> dict[str, Quality]:
    """Each classifier's quality on ``test`` after training on ``train``."""
    known, label = task.labelled(at_most(train, rng))
    tested, truth = task.labelled(test)
    found = {}
    for name in classifiers:
        if len(np.unique(label)) < 2:  # nothing to learn: the same answer for every row
            score = np.eye(task.classes)[np.full(len(truth), label[0] if len(label) else 0)]
        else:
            model = _classifier(name).fit(task.rows(known, classifier=name), label)
            score = _scores(model, task.rows(tested, classifier=name), task.classes)
        found[name] = Quality(
            auc(score, truth),
            float(np.mean(np.argmax(score, axis=1) == truth)),
            calibration(score, truth) if name != "svm" else None,
        )
    return found


def _classifier(name: str) -> Any:
    match name:
        case "logistic":
            return require("sklearn.linear_model").LogisticRegression(C=1, max_iter=500)
        case "boosting":
            ensemble = require("sklearn.ensemble")
            return ensemble.HistGradientBoostingClassifier(random_state=0, early_stopping=False)
    return require("sklearn.svm").LinearSVC(C=1, dual=False)


def _scores(model: Any, rows: Any, classes: int) -> Floats:
    """One score for each class; those that the training rows did not have come last."""
    if hasattr(model, "predict_proba"):
        found, absent = model.predict_proba(rows), 0.0
    else:
        found, absent = np.asarray(model.decision_function(rows)), -np.inf
        found = np.stack([-found, found], axis=1) if found.ndim == 1 else found
    scores = np.full((len(found), classes), absent)
    scores[:, model.classes_] = found
    return scores


def flags(cells: NDArray[Any], sizes: Sequence[int]) -> Any:
    """One flag per coarse cell of each column, as a sparse matrix."""
    rows, columns = cells.shape
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    indices = (cells.astype(np.int64) + offsets[:-1]).ravel()
    starts = np.arange(rows + 1) * columns
    sparse = require("scipy.sparse")
    return sparse.csr_matrix((np.ones(rows * columns), indices, starts), (rows, offsets[-1]))


def auc(score: Floats, truth: Labels) -> float:
    """One class against the rest, averaged over the classes that the test rows divide."""
    classes = [1] if score.shape[1] == 2 else range(score.shape[1])
    found = [
        _auc_of(score[:, c], truth == c) for c in classes if 0 < np.sum(truth == c) < len(truth)
    ]
    return float(np.mean(found)) if found else float("nan")


def _auc_of(score: Floats, positive: NDArray[np.bool_]) -> float:
    """The chance that a positive row scores above a negative one, ties counted half."""
    order = np.unique(score, return_inverse=True)[1]
    above = ranks(order)[positive].sum()
    yes = int(positive.sum())
    return float((above - yes * (yes + 1) / 2) / (yes * (len(score) - yes)))


def calibration(chance: Floats, truth: Labels, *, bins: int = 10) -> float:
    """The mean gap between promised and observed: two classes the second, else the likeliest."""
    if chance.shape[1] == 2:
        promised, happened = chance[:, 1], truth == 1
    else:
        promised, happened = chance.max(axis=1), np.argmax(chance, axis=1) == truth
    bucket = np.minimum((promised * bins).astype(int), bins - 1)
    gaps = np.bincount(bucket, weights=promised - happened, minlength=bins)
    return float(np.abs(gaps).sum() / max(len(truth), 1))
