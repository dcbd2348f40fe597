"""Verb frames: who does what to what and where, and how the words of each place stand to each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

from taskloom.sources.sentences.words import SceneRecord, Verb, conjugate, inventory, read_inventory

Position: TypeAlias = str
"""Where a word is replaced: "subject", "object" or "verb"."""

ENTAILING = ("hypernym", "synonym")


class Exchange(NamedTuple):
    """One word for another: `old` in the premise, `new` in the hypothesis, and how `new` stands to `old`."""

    old: str
    new: str
    relation: str


class OwnRelation(NamedTuple):
    """A lexical relation of a user's: pairs of nouns, and whether the second follows from the first."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    entailed: bool


class OwnVoice(NamedTuple):
    """A way of a user's to say what a sentence says; see `grammar.say_form`."""

    name: str
    form: str


@dataclass(frozen=True, eq=False)
class VerbFrame:
    """Verbs of one scene with what they take. Every verb fits every subject, object and place.

    Attributes:
        key: Unique among frames.
        verbs: The verbs that head a sentence of this frame, by word.
        subjects: Nouns that may stand as subject.
        objects: Nouns that may stand as object; empty for intransitive frames.
        places: Prepositional phrases that fit.
        swap: Whether the two roles can be exchanged and the exchange matters.
        together: Whether several subjects do it to one and the same object.
        several: Whether one subject does it to several objects.
        banned: Nouns that never replace another subject, because doing this makes one of those.
        relations: How every verb stands to every other one, by (old, new).
    """

    key: str
    verbs: dict[str, Verb]
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    places: tuple[str, ...]
    swap: bool
    together: bool
    several: bool
    banned: frozenset[str]
    relations: dict[tuple[str, str], str]

    def words(self, position: Position) -> tuple[str, ...]:
        return {"subject": self.subjects, "object": self.objects, "verb": tuple(self.verbs)}[position]

    def banned_at(self, position: Position) -> frozenset[str]:
        """The words that never replace another one at a position."""
        return self.banned if position == "subject" else frozenset()


class _VerbFamily(NamedTuple):
    """One family of verbs: heads that mean the same, their children, and whether the head before is its opposite."""

    heads: list[str]
    children: list[str]
    opposite: bool


def _families(text: str) -> tuple[list[_VerbFamily], list[str]]:
    """Read "pull < drag ! push < shove ; lift = raise / carry" into its families and its other verbs."""
    families, _, others = text.partition("/")
    sides = []
    for part in families.replace("!", ";!").split(";"):
        heads, _, children = part.strip().removeprefix("!").partition("<")
        opposite = part.strip().startswith("!")
        sides.append(_VerbFamily([word.strip() for word in heads.split("=")], _words(children), opposite))
    return sides, _words(others)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _verb_relations(sides: list[_VerbFamily], others: list[str]) -> dict[tuple[str, str], str]:
    """How every verb of a frame stands to every other one."""
    rank = {word: (i, "head") for i, side in enumerate(sides) for word in side.heads}
    rank.update({word: (i, "child") for i, side in enumerate(sides) for word in side.children})
    opposites = {frozenset((i - 1, i)) for i, side in enumerate(sides) if side.opposite}
    relations = {}
    for old in [*rank, *others]:
        for new in [*rank, *others]:
            if old != new:
                relations[old, new] = _verb_relation(rank.get(old), rank.get(new), opposites)
    return relations


def _verb_relation(old: tuple[int, str] | None, new: tuple[int, str] | None, opposites: set[frozenset[int]]) -> str:
    if old is None or new is None:
        return "alternative"
    if old[0] != new[0]:
        both_heads = old[1] == new[1] == "head"
        return "antonym" if both_heads and frozenset((old[0], new[0])) in opposites else "alternative"
    return {
        ("head", "head"): "synonym",
        ("child", "head"): "hypernym",
        ("head", "child"): "hyponym",
        ("child", "child"): "co-hyponym",
    }[old[1], new[1]]


@cache
def _undecided() -> frozenset[tuple[str, str]]:
    """Node pairs, both ways round, whose words say nothing certain about each other."""
    words = inventory()
    pairs = set()
    for sides in read_inventory().undecided:
        left, right = ([node for top in side.split() for node in words.below(top)] for side in sides)
        pairs |= {pair for a in left for b in right for pair in ((a, b), (b, a))}
    return frozenset(pairs)


@cache
def certain(word: str, other: str) -> bool:
    """Whether the inventory says for sure how two nouns stand to each other."""
    nouns = inventory().nouns
    return (nouns[word].node, nouns[other].node) not in _undecided()


@cache
def _agents() -> dict[str, frozenset[str]]:
    """For some verbs the words for those who, by doing this, count as such: a dancer for who dances."""
    table = {}
    words = inventory()
    for verbs, nodes in read_inventory().agents:
        below = frozenset(w for top in nodes.split() for node in words.below(top) for w in words.words_of(node))
        table.update(dict.fromkeys(verbs.split(), below))
    return table


@cache
def exchanges(frame: VerbFrame, position: Position, relation: str) -> tuple[Exchange, ...]:
    """Every certain exchange of one relation between two words that both fit the place."""
    if position == "verb":
        return tuple(Exchange(*both, found) for both, found in frame.relations.items() if found == relation)
    members, words = frame.words(position), inventory()
    return tuple(
        Exchange(old, new, relation)
        for new in members
        if new not in frame.banned_at(position)
        for old in members
        if old != new and words.relation(old, new) == relation and (relation == "synonym" or certain(old, new))
    )


def _frame(scene: SceneRecord) -> VerbFrame:
    words = inventory()
    sides, others = _families(scene.verbs)
    names = [word for side in sides for word in (*side.heads, *side.children)] + others
    return VerbFrame(
        key=f"{names[0]} {scene.places}",
        verbs={word: conjugate(word) for word in names},
        subjects=tuple(words.members(scene.subjects.split())),
        objects=tuple(words.members(scene.objects.split())),
        places=read_inventory().places[scene.places],
        swap="swap" in scene.allows,
        together="together" in scene.allows,
        several="several" in scene.allows,
        banned=frozenset[str]().union(*(_agents().get(verb, frozenset()) for verb in names)),
        relations=_verb_relations(sides, others),
    )


@cache
def frames() -> tuple[VerbFrame, ...]:
    """All frames of the inventory, made once."""
    return tuple(map(_frame, read_inventory().scenes))
