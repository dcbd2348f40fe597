"""The error taxonomy of ZEST's Table 6, computed from score records of any run.

The published table was counted by hand over 100 errors of one model; here every error of a run is sorted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from taskloom.core.metric import ItemScore
from taskloom.families.zest.score.buckets import entries_from

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
    """How many errors of each kind a run makes, in the order of the published table."""
    counts: dict[str, int] = dict.fromkeys(ERROR_KINDS, 0)
    for score in scores:
        kind = error_kind(score)
        if kind is not None:
            counts[kind] += 1
    return counts
