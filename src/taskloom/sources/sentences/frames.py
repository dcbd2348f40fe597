"""Verb frames: which nouns a verb takes, and which words may truly or falsely replace which in each place."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple, TypeAlias

from taskloom.sources.sentences import inventory
from taskloom.sources.sentences.words import Verb, conjugate, lexis

__all__ = ["COMMON", "Exchange", "Frame", "Position", "Table", "certain", "frames", "openings"]

Position: TypeAlias = str
"""Where a word is replaced: "subject", "object" or "verb"."""

COMMON = ("man", "woman", "boy", "girl", "child", "kid", "person", "lady")
"""The people of everyday sentences; unspecific subjects are drawn from them more often than not."""

ENTAILING = ("hypernym", "synonym")


class Exchange(NamedTuple):
    """One word for another: `old` in the premise, `new` in the hypothesis, and how `new` stands to `old`."""

    old: str
    new: str
    relation: str


Table: TypeAlias = dict[str, dict[bool, dict[str, list[Exchange]]]]
"""new word -> label -> relation -> exchanges."""


class Frame(NamedTuple):
    """A verb family with what it takes.

    Attributes:
        key: Unique among frames.
        verbs: The verbs that head a sentence of this frame, by word.
        subjects: Nouns that may stand as subject.
        objects: Nouns that may stand as object; empty for intransitive frames.
        places: Prepositional phrases that fit.
        swap: Whether the two roles can be exchanged and the exchange matters.
        exchanges: For each position the words that may be put there, see `Table`.
    """

    key: str
    verbs: dict[str, Verb]
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    places: tuple[str, ...]
    swap: bool
    exchanges: dict[Position, Table]


def _family(text: str) -> tuple[list[tuple[list[str], list[str]]], list[str]]:
    """Read "pull < drag, tug ! push < shove / lift" into its sides (heads, children) and its other verbs."""
    family, _, others = text.partition("/")
    sides = []
    for side in family.split("!"):
        heads, _, children = side.partition("<")
        sides.append(([word.strip() for word in heads.split("=")], _words(children)))
    return sides, _words(others)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _verb_relations(sides: list[tuple[list[str], list[str]]], others: list[str]) -> dict[tuple[str, str], str]:
    """How every verb of a family stands to every other one."""
    rank = {word: (i, "head") for i, (heads, _) in enumerate(sides) for word in heads}
    rank.update({word: (i, "child") for i, (_, children) in enumerate(sides) for word in children})
    relations = {}
    for old in [*rank, *others]:
        for new in [*rank, *others]:
            if old != new:
                relations[old, new] = _verb_relation(rank.get(old), rank.get(new))
    return relations


def _verb_relation(old: tuple[int, str] | None, new: tuple[int, str] | None) -> str:
    if old is None or new is None:
        return "alternative"
    if old[0] != new[0]:
        return "antonym" if old[1] == new[1] == "head" else "alternative"
    return {
        ("head", "head"): "synonym",
        ("child", "head"): "hypernym",
        ("head", "child"): "hyponym",
        ("child", "child"): "co-hyponym",
    }[old[1], new[1]]


@cache
def _murky() -> frozenset[tuple[str, str]]:
    """Node pairs, both ways round, whose words say nothing certain about each other."""
    words = lexis()
    pairs = set()
    for line in inventory.MURKY.split("\n"):
        if line:
            left, right = ([node for top in side.split() for node in words.below(top)] for side in line.split("|"))
            pairs |= {pair for a in left for b in right for pair in ((a, b), (b, a))}
    return frozenset(pairs)


def certain(word: str, other: str) -> bool:
    """Whether the inventory says for sure how two nouns stand to each other."""
    nouns = lexis().nouns
    return (nouns[word].node, nouns[other].node) not in _murky()


def _noun_exchanges(members: tuple[str, ...]) -> Iterable[Exchange]:
    """Every certain exchange of a noun that fits the place; a hypernym may reach beyond it ("An animal barks")."""
    words = lexis()
    tops = (node for member in members for node in words.ancestors(words.nouns[member].node))
    for new in dict.fromkeys((*members, *tops)):
        for old in members:
            if old == new:
                continue
            relation = words.relation(old, new)
            if relation in (*ENTAILING, "hyponym") or certain(old, new):
                yield Exchange(old, new, relation)


def _by_new_word(exchanges: Iterable[Exchange]) -> Table:
    """Group by new word, then label, then relation; keep only new words that can be reached with both labels.

    That is what keeps the hypothesis alone from telling the label.
    """
    table: Table = {}
    for exchange in exchanges:
        side = table.setdefault(exchange.new, {True: {}, False: {}})[exchange.relation in ENTAILING]
        side.setdefault(exchange.relation, []).append(exchange)
    return {new: sides for new, sides in table.items() if sides[True] and sides[False]}


@cache
def _agents() -> dict[str, frozenset[str]]:
    """For some verbs the nodes of those who, by doing this, count as such: a dancer for who dances."""
    table = {}
    for line in inventory.AGENTS.split("\n"):
        if line:
            verbs, nodes = line.split("|")
            below = frozenset(node for top in nodes.split() for node in lexis().below(top))
            table.update(dict.fromkeys(verbs.split(), below))
    return table


def _subject_table(members: tuple[str, ...], verbs: Iterable[str]) -> Table:
    """The exchanges of a subject, without nouns that any of the verbs makes of its subject."""
    nouns = lexis().nouns
    banned = frozenset[str]().union(*(_agents().get(verb, frozenset()) for verb in verbs))
    return {new: sides for new, sides in _noun_table(members).items() if nouns[new].node not in banned}


@cache
def _noun_table(members: tuple[str, ...]) -> Table:
    """The exchanges of a place; many frames take the same nouns and share one table."""
    return _by_new_word(_noun_exchanges(members))


def _frame(line: str, places: dict[str, tuple[str, ...]], transitive: bool) -> Frame:
    words = lexis()
    fields = [field.strip() for field in line.split("|")]
    sides, others = _family(fields[0])
    subjects, _, objects = fields[1].partition(">")
    relations = _verb_relations(sides, others)
    names = [word for heads, children in sides for word in (*heads, *children)] + others
    actors = tuple(words.members(subjects.split()))
    patients = tuple(words.members(objects.split())) if transitive else ()
    exchanges = {
        "subject": _subject_table(actors, names),
        "object": _noun_table(patients),
        "verb": _by_new_word(Exchange(old, new, relation) for (old, new), relation in relations.items()),
    }
    return Frame(
        key=line,
        verbs={word: conjugate(word) for word in names},
        subjects=actors,
        objects=patients,
        places=places[fields[2]],
        swap=len(fields) > 3 and fields[3] == "swap",
        exchanges={position: table for position, table in exchanges.items() if table},
    )


@cache
def frames() -> tuple[Frame, ...]:
    """All frames of the inventory, read once."""
    rows = (line.split("|") for line in inventory.PLACES.split("\n") if line)
    places = {name.strip(): tuple(place.strip() for place in text.split(";")) for name, text in rows}
    transitive = [_frame(line, places, True) for line in inventory.TRANSITIVE.split("\n") if line]
    intransitive = [_frame(line, places, False) for line in inventory.INTRANSITIVE.split("\n") if line]
    return (*transitive, *intransitive)


@cache
def openings() -> dict[tuple[Position, str, str], tuple[Frame, ...]]:
    """Where each exchange can be made: (position, old, new) -> frames."""
    found: dict[tuple[Position, str, str], list[Frame]] = {}
    for frame in frames():
        for position, table in frame.exchanges.items():
            for sides in table.values():
                for relations in sides.values():
                    for exchanges in relations.values():
                        for old, new, _ in exchanges:
                            found.setdefault((position, old, new), []).append(frame)
    return {key: tuple(value) for key, value in found.items()}
