"""Scoring JSON answers: equal as values, with the share of right leaves beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from taskloom.core import Structure, Targets, Task, UserError
from taskloom.core.decode import decode_json
from taskloom.core.scorer import Score, Scorer
from taskloom.score.normalise import loose

__all__ = ["STRUCTURE", "StructureMatch"]

_DEEPEST = 100


class StructureMatch(Scorer, frozen=True):
    """1 if the answer is JSON equal to an acceptable structure, key order and loose spelling of strings aside.

    The details carry the F1 over leaves (path and value), so near misses can be distinguished from nonsense.
    """

    name: ClassVar[str] = "structure"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        if not isinstance(targets, Structure):
            return Score(float(loose(answer) == loose(targets.canonical())))
        try:
            said = Counter(_leaves(decode_json(answer.encode("utf-8", "replace"), where="the answer")))
        except (UserError, ValueError, OverflowError):
            return Score(0.0, {"parsed": False})
        best, exact = 0.0, False
        for value in targets.values():
            right = Counter(_leaves(value))
            shared = (said & right).total()
            best = max(best, 2 * shared / (said.total() + right.total()) if shared else 0.0)
            exact = exact or said == right
        return Score(float(exact), {"parsed": True, "leaf_f1": best})


def _leaves(value: Any, path: str = "$", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every leaf as (path, loose value); empty containers count as leaves, so {} and [] differ."""
    if depth > _DEEPEST:
        raise ValueError("too deep to be an answer")
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}", depth + 1)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]", depth + 1)
    elif isinstance(value, str):
        yield path, f"s:{loose(value)}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, f"n:{float(value)!r}"
    else:
        yield path, f"c:{value!r}"


STRUCTURE: Scorer = StructureMatch()
