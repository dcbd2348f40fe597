"""The four buckets that ZEST sorts scores into: the F1 of a task that they give, competence by it, kinds of errors.

NA ("the passage does not say") is the negative class. A structured answer fills one entry per key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from taskloom.core.metric import Estimate, ItemScore, Metric
from taskloom.score.metrics import Competence, mean_over_tasks, task_numbers
from taskloom.score.stats import DRAWS, wilson

Bucket: TypeAlias = Literal["tp", "fp", "fn", "tn"]
Entries: TypeAlias = list[tuple[Bucket, float]]
BUCKETS: tuple[Bucket, ...] = ("tp", "fp", "fn", "tn")


def bucket_of(gold_na: bool, said_na: bool) -> Bucket:
    """Which bucket an answer falls into, by whether gold and answer are NA."""
    if gold_na:
        return "tn" if said_na else "fp"
    return "fn" if said_na else "tp"


def gather(entries: Entries) -> dict[str, list[float]]:
    """Entries as score details: the lists that are not empty, by bucket."""
    lists: dict[str, list[float]] = {}
    for bucket, value in entries:
        lists.setdefault(bucket, []).append(value)
    return lists


def entries_from(details: Mapping[str, Any]) -> Entries:
    """The entries kept in score details; empty where the scorer kept none."""
    return [(bucket, float(value)) for bucket in BUCKETS for value in details.get(bucket, ())]


def f1_of_entries(entries: Iterable[tuple[Bucket, float]]) -> float:
    """The F1 of a task: credit over predicted and over gold positives. True negatives have no weight.

    A task without gold positives is done perfectly (1) exactly when nothing is claimed.

    Example:
        >>> f1_of_entries([("tp", 1.0), ("tp", 0.5), ("fn", 0.0), ("tn", 1.0)])
        0.6
    """
    credit, counts = [], dict.fromkeys(BUCKETS, 0)
    for bucket, value in entries:
        counts[bucket] += 1
        if bucket == "tp":
            credit.append(value)
    total, claimed, wanted = sum(credit), len(credit) + counts["fp"], len(credit) + counts["fn"]
    precision, recall = total / claimed if claimed else 1.0, total / wanted if wanted else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def task_f1(scores: Sequence[ItemScore]) -> float:
    """The F1 of a task's bucket entries, or the mean score where the scorer keeps none."""
    if any(bucket in score.details for score in scores for bucket in BUCKETS):
        return f1_of_entries(entry for score in scores for entry in entries_from(score.details))
    return sum(score.value for score in scores) / len(scores) if scores else float("nan")


class ZestF1(Metric, frozen=True, kw_only=True):
    """The F1 of a task with NA as the negative class; over tasks, the mean."""

    name: ClassVar[str] = "zest-f1"

    def number(self, scores: Sequence[ItemScore]) -> float:
        return task_f1(scores)

    def task(self, scores: Sequence[ItemScore]) -> Estimate:
        value, n = task_f1(scores), len(scores)
        if not n:
            return Estimate(value, 0.0, 1.0, 0)
        return self._bootstrap(scores, value)

    def _bootstrap(self, scores: Sequence[ItemScore], value: float) -> Estimate:
        """Resample instances; never narrower than Wilson's interval for as many of them."""
        import numpy as np

        rng = np.random.default_rng(0)
        credit, hits, fps, fns = (np.zeros(len(scores)) for _ in range(4))
        for index, score in enumerate(scores):
            for bucket, one in entries_from(score.details):
                hits[index] += bucket == "tp"
                credit[index] += one if bucket == "tp" else 0.0
                fps[index] += bucket == "fp"
                fns[index] += bucket == "fn"
        picks = rng.integers(len(scores), size=(DRAWS // 4, len(scores)))
        total, hit = credit[picks].sum(axis=1), hits[picks].sum(axis=1)
        claimed, wanted = hit + fps[picks].sum(axis=1), hit + fns[picks].sum(axis=1)
        precision = np.divide(total, claimed, out=np.ones_like(total), where=claimed > 0)
        recall = np.divide(total, wanted, out=np.ones_like(total), where=wanted > 0)
        both = precision + recall
        f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(total), where=both > 0)
        low, high = (float(bound) for bound in np.quantile(f1, [0.025, 0.975]))
        floor, ceiling = wilson(value * len(scores), len(scores))
        return Estimate(value, min(low, floor), max(high, ceiling), len(scores), 1, "bootstrap over instances")

    def suite(self, scores: Iterable[ItemScore], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> Estimate:
        """The mean F1 of tasks, each on its own: pairing is a matter of competence, and of `breakdown`."""
        return mean_over_tasks(task_numbers(scores, number=task_f1))


class ZestCompetence(Competence, frozen=True, kw_only=True):
    """C@T where the number of a task is its F1."""

    name: ClassVar[str] = "zest-competence"

    of: str = "zest-f1"


ZEST_F1: Metric = ZestF1()
ZEST_COMPETENCE: Metric = ZestCompetence()


# ------------------------------------------------------------------------- kinds of errors

ErrorKind: TypeAlias = Literal["recall", "precision", "partial", "other"]
ERROR_KINDS: tuple[ErrorKind, ...] = ("recall", "precision", "partial", "other")


def error_kind(score: ItemScore) -> ErrorKind | None:
    """The kind of error an answer makes, None where it makes none.

    recall: says NA though the passage tells. precision: claims something though it does not. partial: earns some
    credit but not all (members of a list or keys of a row are missing or wrong). other: claims the wrong thing.
    """
    if score.value >= 1.0:
        return None
    entries = [entry for entry in entries_from(score.details) if entry[0] != "tn"]
    if not entries:
        return "partial" if score.value > 0 else "other"
    buckets = {bucket for bucket, _ in entries}
    if buckets == {"fn"}:
        return "recall"
    if buckets == {"fp"}:
        return "precision"
    return "partial" if any(bucket == "tp" and value > 0 for bucket, value in entries) else "other"


def error_shares(scores: Iterable[ItemScore]) -> dict[str, int]:
    """How many errors of each kind of Table 6 a run makes, in its order.

    The published table was counted by hand over 100 errors of one model; here every error of a run is sorted.
    """
    kinds = [error_kind(score) for score in scores]
    return {kind: kinds.count(kind) for kind in ERROR_KINDS}
