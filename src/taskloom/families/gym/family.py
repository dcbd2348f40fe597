"""`reasoning-gym/NAME`: the procedural datasets of reasoning-gym as suites, scored by the datasets themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from taskloom.core import Instance, Instruction, Recipe, Row, Suite, Targets, Task, missing_extra, unknown_name
from taskloom.core.family import Family, SuiteSpec
from taskloom.core.instance import Facet, FacetType, input_hash
from taskloom.core.rng import digest
from taskloom.core.scorer import Score, Scorer
from taskloom.core.targets import CheckedAnswers

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


_NAMED = re.compile(
    r"register_dataset\(\s*(?:name\s*=\s*)?[\"']([^\"']+)[\"']|^DATASET_NAME\s*=\s*[\"']([^\"']+)", re.M
)
_LOOKED_AT = 16
_TYPES: dict[type, FacetType] = {bool: bool, int: int, float: float, str: str}
_ORDER = ("test", "dev", "train")


class GymRecipe(Recipe, frozen=True, kw_only=True):
    """Sizes of the splits, and the settings of the dataset itself.

    Attributes:
        train: Rows of the training split.
        dev: Rows of the development split.
        test: Rows of the test split.
        config: Settings that the dataset knows, by name (`-T config.min_terms=3`).
    """

    train: int = 500
    dev: int = 100
    test: int = 200
    config: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if min(self.train, self.dev, self.test) < 0:
            raise ValueError("a split has 0 or more rows")


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """The datasets of the installed package, read from its files: to import it would take seconds."""
    found = find_spec("reasoning_gym")
    if found is None or not found.submodule_search_locations:
        return ()
    files = Path(found.submodule_search_locations[0]).glob("*/**/*.py")
    known = {name for file in files for pair in _NAMED.findall(file.read_text("utf-8")) for name in pair if name}
    # A composite has no parts of its own.
    return tuple(sorted(known - {"composite"}))


def _create(name: str, config: Mapping[str, Any], size: int, seed: int) -> Any:
    import reasoning_gym

    from taskloom.core import UserError

    try:
        return reasoning_gym.create_dataset(name, size=size, seed=seed, **config)
    except (TypeError, ValueError, AssertionError) as error:
        raise UserError(f"reasoning-gym rejects these settings: {error}", where=f"reasoning-gym/{name}") from None


def build(name: str, recipe: GymRecipe, seed: int) -> Suite:
    """A dataset as a suite of one task. No two splits share a question, and none asks one twice."""
    sizes = {split: size for split in ("train", "dev", "test") if (size := getattr(recipe, split))}

    def entries(split: str) -> Iterator[dict[str, Any]]:
        # Some datasets draw from a small space; then there are fewer rows than asked for.
        own = int.from_bytes(digest("reasoning-gym", name, seed, split)[:4], "big") // 2
        data = _create(name, recipe.config, max(1, 3 * sizes[split]), own)
        return (data[index] for index in range(3 * sizes[split]))

    def draw(split: str) -> Iterator[Row]:
        seen: set[bytes] = set()
        for other in _ORDER:
            if other not in sizes:
                continue
            kept = 0
            for entry in entries(other):
                key = input_hash(entry["question"])
                if key in seen:
                    continue
                seen.add(key)
                if other == split:
                    yield Row(name, _instance(name, recipe, entry, f"{split}-{kept}", facets))
                kept += 1
                if kept == sizes[other]:
                    break
            if other == split:
                return

    probe = _create(name, recipe.config, _LOOKED_AT, int.from_bytes(digest("look", name)[:4], "big") // 2)
    first = [probe[index] for index in range(_LOOKED_AT)]
    facets = _facets(first)
    task = Task(
        name,
        Instruction("Answer the question. End with the answer alone, in the form that the question asks for."),
        scorer="reasoning-gym",
        facets={"category": probe.category},
    )
    return Suite(
        name=f"reasoning-gym/{name}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks={name: task},
        splits=dict.fromkeys(sizes),
        draw=draw,
        facets=facets,
        notes={"reasoning_gym": _version(), "licence": "Apache-2.0 (reasoning-gym)"},
    )


def _version() -> str:
    from importlib.metadata import version

    return version("reasoning-gym")


def _scalars(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry's metadata says that can be grouped by: plain values, and the settings of difficulty."""
    metadata = entry.get("metadata") or {}
    found = {key: value for key, value in metadata.items() if type(value) in _TYPES and key not in ("source_index",)}
    difficulty = metadata.get("difficulty")
    for key, value in difficulty.items() if isinstance(difficulty, dict) else ():
        shown = "-".join(map(str, value)) if isinstance(value, list | tuple) else value
        if type(shown) in _TYPES:
            found[f"difficulty_{key}"] = shown
    return {key: value for key, value in found.items() if not (isinstance(value, str) and len(value) > 60)}


def _facets(entries: list[dict[str, Any]]) -> dict[str, FacetType]:
    kinds: dict[str, set[type]] = {}
    for entry in entries:
        for key, value in _scalars(entry).items():
            kinds.setdefault(key, set()).add(type(value))
    # A value that may be whole or broken is broken.
    return {
        key: _TYPES[float if own == {int, float} else next(iter(own))]
        for key, own in sorted(kinds.items())
        if len(own) == 1 or own == {int, float}
    }


def _instance(
    name: str, recipe: GymRecipe, entry: dict[str, Any], place: str, facets: Mapping[str, FacetType]
) -> Instance:
    values: dict[str, Facet] = {}
    for key, value in _scalars(entry).items():
        kind = facets.get(key)
        if kind is not None and (type(value) is kind or kind is float):
            values[key] = float(value) if kind is float else value
    answer = entry["answer"] if isinstance(entry["answer"], str) else ""
    text = entry_text(name, recipe.config, entry)
    return Instance(
        place, entry["question"], CheckedAnswers((answer,), text), values, {}, {"metadata": plain(entry["metadata"])}
    )


class ReasoningGym(Family):
    """The datasets of reasoning-gym, where it is installed."""

    name: ClassVar[str] = "reasoning-gym"
    title: ClassVar[str] = "the procedural datasets of reasoning-gym, where it is installed"
    citation: ClassVar[str] = (
        "Stojanovski et al. (2025): Reasoning Gym: Reasoning Environments for Reinforcement Learning with "
        "Verifiable Rewards."
    )

    def suites(self) -> Mapping[str, SuiteSpec[Any]]:
        return {name: SuiteSpec(f"{name.replace('_', ' ')} (reasoning-gym)", GymRecipe(), build) for name in names()}

    def spec(self, suite: str) -> SuiteSpec[Any]:
        if not names():
            raise missing_extra("reasoning-gym", "reasoning-gym", f"reasoning-gym/{suite}")
        known = self.suites()
        if suite not in known:
            raise unknown_name("suite", f"reasoning-gym/{suite}", [f"reasoning-gym/{name}" for name in known])
        return known[suite]


FAMILY = ReasoningGym()
