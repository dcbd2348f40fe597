"""Tracks, splits and the choice of instances, by the published procedure and beyond it; and the published names.

Names are those of task types, domains and languages, and the numbers of the paper's tables, in `vocabulary.toml`. Types
are those of the collection's task list; domains are its `doc/domains_map.json`, each with the broader one that the
paper counts; languages are ISO 639 names as the collection spells them.

Twelve categories are kept for evaluation. The English track (`default` in the published files) tests on their English
tasks, the cross-lingual one on the others; a task that shares a source with any evaluation task never trains.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from taskloom.core import UserError, digest, unknown_name
from taskloom.families.superni.collection import Collection, Header


class PublishedScore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of Table 3: ROUGE-L on unseen tasks, None where the paper gives no number."""

    group: str
    english: float
    cross_lingual: float | None = None


class _Vocabulary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    types: frozenset[str]
    languages: frozenset[str]
    domains: dict[str, tuple[str, ...]]
    evaluation: dict[str, Literal["exact_match", "rougeL"]]
    scores: dict[str, PublishedScore]


_FILE = msgspec.toml.decode(Path(__file__).with_name("vocabulary.toml").read_bytes(), type=_Vocabulary)

TYPES, LANGUAGES = _FILE.types, _FILE.languages
EVALUATION_METRICS, PUBLISHED_SCORES = _FILE.evaluation, _FILE.scores
DOMAINS: dict[str, str] = {name: broad for broad, members in _FILE.domains.items() for name in members}
"""Domain as written in task files -> the broader one that is counted."""


def language_name(name: str) -> str:
    """An ISO 639 name without its remark: "Malay (macrolanguage)" is Malay, "Modern Greek (1453-)" Modern Greek."""
    return name.partition(" (")[0].removesuffix(" languages").strip()


def broad_domain(name: str) -> str:
    """The broader domain that the paper counts, the name itself where it is not known."""
    return DOMAINS.get(name, name)


Track: TypeAlias = Literal["default", "xlingual"]
Axis: TypeAlias = Literal["category", "language", "domain", "source"]

TEST_INSTANCES = 100
"""How many instances of a test task are evaluated."""

# Left out of training by name in the published lists, although no rule asks for it.
_ALWAYS_EXCLUDED = "task1415_"


class Division(NamedTuple):
    """Three disjoint lists of task names; `missing` are names of published lists without a file."""

    train: list[str]
    test: list[str]
    excluded: list[str]
    missing: list[str]


def divide(headers: Mapping[str, Header], track: Track) -> Division:
    """Divide tasks by the published rule."""
    held = {name for name, header in headers.items() if header.category in EVALUATION_METRICS}
    sources = {source for name in held for source in headers[name].source}
    parts = Division([], [], [], [])
    for name, header in headers.items():
        if name in held:
            part = parts.test if header.english == (track == "default") else parts.excluded
        elif (
            not sources.isdisjoint(header.source)
            or (track == "default" and not header.english)
            or name.startswith(_ALWAYS_EXCLUDED)
        ):
            part = parts.excluded
        else:
            part = parts.train
        part.append(name)
    return parts


def listed_division(collection: Collection, track: Track) -> Division:
    """The published lists where the collection has them, else the rule applied to its tasks."""
    listed = {part: collection.split_names(track, part) for part in ("train", "test", "excluded")}
    if all(names is None for names in listed.values()):
        return divide(collection.headers, track)
    known = collection.known
    present = {part: [name for name in names or [] if name in known] for part, names in listed.items()}
    files = collection.headers.keys() | collection.damaged.keys()
    missing = [name for names in listed.values() for name in names or [] if name not in files]
    return Division(present["train"], present["test"], present["excluded"], missing)


def hold_out(collection: Collection, axis: Axis, values: Iterable[str]) -> Division:
    """Keep every task with one of the values for testing, and train on tasks that share no source with those.

    Args:
        collection: The tasks.
        axis: What the values are: categories, languages, domains (as mapped) or sources.
        values: Matched without regard to case.

    Raises:
        UserError: A value that no task has (with the nearest ones), or nothing left on one side.
    """
    seen = {name: {value.lower() for value in _values(collection, name, axis)} for name in collection.headers}
    known = {value for found in seen.values() for value in found}
    wanted = {value.lower() for value in values}
    for value in sorted(wanted - known):
        raise unknown_name(axis, value, known, where="values")
    test = [name for name, found in seen.items() if found & wanted]
    sources = {source for name in test for source in collection.headers[name].source}
    rest = [name for name in collection.headers if not seen[name] & wanted]
    train = [name for name in rest if sources.isdisjoint(collection.headers[name].source)]
    if not test or not train:
        raise UserError(f"holding out {axis} {', '.join(sorted(wanted)) or 'nothing'} leaves one side empty")
    return Division(train, test, [name for name in rest if name not in set(train)], [])


def _values(collection: Collection, name: str, axis: Axis) -> Iterable[str]:
    header = collection.headers[name]
    if axis == "category":
        mapped = (broad for name in header.categories for broad in collection.category_map.get(name, ()))
        return (*header.categories, *mapped)
    if axis == "language":
        return header.languages
    if axis == "domain":
        return (*collection.domains(name), *header.domains)
    return header.source


def nested_subset(names: Sequence[str], count: int, seed: int) -> list[str]:
    """This many names, drawn by the seed; a smaller count gives a subset of a larger one. Order is kept."""
    if not 0 < count <= len(names):
        raise UserError(f"there are {len(names)} tasks to choose from, not {count}", where="tasks")
    ranked = sorted(names, key=lambda name: digest("superni/nested", seed, name))
    chosen = set(ranked[:count])
    return [name for name in names if name in chosen]


def balanced_order(labels: Sequence[Hashable], count: int, rng: Random) -> list[int]:
    """The order of instances for testing: a round robin over labels first, the rest behind it as it was.

    Labels take turns in the order of their first appearance; each turn draws one of the label's instances. After
    `count` draws (or when all are drawn) the others follow in their old order.
    """
    groups: dict[Hashable, list[int]] = {}
    for index, label in enumerate(labels):
        groups.setdefault(label, []).append(index)
    chosen: list[int] = []
    while len(chosen) < min(count, len(labels)):
        for members in groups.values():
            if members and len(chosen) < count:
                drawn = rng.choice(members)
                members.remove(drawn)
                chosen.append(drawn)
    taken = set(chosen)
    return chosen + [index for index in range(len(labels)) if index not in taken]
