"""Entries of reasoning-gym as JSON and back, and the scorer that asks the dataset itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import isnan
from typing import Any, ClassVar

import msgspec

from taskloom.core import Targets, Task
from taskloom.core.scorer import Score, Scorer
from taskloom.core.targets import CheckedAnswers

__all__ = ["GYM", "GymScorer", "entry_text", "plain"]

_LONGEST = 10_000
"""Longer answers are wrong: some datasets take very long over what is no answer at all."""


def plain(value: Any) -> Any:
    """A value as JSON holds it; tuples, sets and other objects are marked, so that `revive` finds them again."""
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: plain(inner) for key, inner in value.items()}
        return {"\0pairs": [[plain(key), plain(inner)] for key, inner in value.items()]}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, tuple):
        return {"\0tuple": [plain(inner) for inner in value]}
    if isinstance(value, set | frozenset):
        return {"\0set": sorted((plain(inner) for inner in value), key=str)}
    for kind in (bool, float, str):  # numpy's own are of these kinds too
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, int):
        # Whole numbers beyond 64 bits are no JSON that every decoder takes.
        return int(value) if abs(value) < 2**63 else {"\0int": str(value)}
    return None if value is None else {"\0text": str(value)}


def revive(value: Any) -> Any:
    """The value that `plain` was given, as far as JSON can tell."""
    if isinstance(value, list):
        return [revive(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"\0pairs": pairs}:
            return {revive(key): revive(inner) for key, inner in pairs}
        case {"\0tuple": items}:
            return tuple(revive(inner) for inner in items)
        case {"\0set": items}:
            return {revive(inner) for inner in items}
        case {"\0int": digits}:
            return int(digits)
        case {"\0text": text}:
            return text
        case _:
            return {key: revive(inner) for key, inner in value.items()}


def entry_text(name: str, config: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """All that the scorer needs to know of a question."""
    return msgspec.json.encode({"dataset": name, "config": dict(config), "entry": plain(dict(entry))}).decode()


@lru_cache(maxsize=256)
def _checker(name: str, config: str) -> Any:
    import reasoning_gym

    return reasoning_gym.create_dataset(name, size=1, seed=0, **msgspec.json.decode(config))


class GymScorer(Scorer, frozen=True, kw_only=True):
    """What the dataset's own `score_answer` gives."""

    name: ClassVar[str] = "reasoning-gym"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        if not isinstance(targets, CheckedAnswers):
            return Score(float(answer == targets.canonical()))
        if len(answer) > _LONGEST:
            return Score(0.0, {"too_long": len(answer)})
        kept = msgspec.json.decode(targets.entry)
        checker = _checker(kept["dataset"], msgspec.json.encode(kept["config"]).decode())
        try:
            value = float(checker.score_answer(answer, revive(kept["entry"])))
        except Exception as error:  # noqa: BLE001 - what its checker cannot read is no answer
            return Score(0.0, {"refused": f"{type(error).__name__}: {error}"[:200]})
        return Score(0.0 if isnan(value) else min(1.0, max(0.0, value)))


GYM = GymScorer()
