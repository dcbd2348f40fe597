"""The four buckets ZEST sorts scores into, and the F1 of a task they give.

NA ("the passage does not say") is the negative class. A structured answer fills one entry per key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

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
    return f1_of_counts(credit, counts["fp"], counts["fn"])


def f1_of_counts(credit: Sequence[float], false_positives: int, false_negatives: int) -> float:
    """The same from the credits of the true positives and the sizes of two buckets."""
    total, hits = sum(credit), len(credit)
    precision = total / (hits + false_positives) if hits + false_positives else 1.0
    recall = total / (hits + false_negatives) if hits + false_negatives else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
