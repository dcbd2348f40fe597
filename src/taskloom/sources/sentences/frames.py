"""Verb frames: who does what to what and where, how the words of each place stand to each other, and what may change.

What may change are contrast sets of words in which every word meets both labels. A *square* has two true exchanges,
poodle → dog and tabby → cat, and the two false ones that cross them, poodle → cat and tabby → dog. Each old and each
new word stands in one true and one false exchange, so neither the premise nor the hypothesis alone says anything about
the label. A *ladder* goes up and down one branch: boy → child and child → person are true, child → boy and person →
child are false. It teaches the direction of an entailment, which no square can, but its ends give their label away;
ladders are therefore few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NamedTuple, TypeAlias

from taskloom.core import keyed_random
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


VARIANTS = 6
"""In how many ways the words of a place are matched with each other."""

_LADDERS = 0.3
"""The share of matchings that are ladders, where the words of the place have three rungs."""

Couple = tuple[str, str]


class ContrastSet(NamedTuple):
    """Two true and two false exchanges of old words for new ones; `noun` is what changing adjectives stand before."""

    true: tuple[Couple, Couple]
    false: tuple[Couple, Couple]
    noun: str = ""

    @property
    def ladder(self) -> bool:
        """Whether it goes up and down one branch, so that its ends give their label away."""
        return {old for old, _ in self.true} != {old for old, _ in self.false}

    def words(self) -> frozenset[str]:
        """Every word that stands in one of its sentences."""
        return frozenset(word for couple in (*self.true, *self.false) for word in couple)


def _square(first: Couple, second: Couple, noun: str = "") -> ContrastSet:
    return ContrastSet((first, second), ((first[0], second[1]), (second[0], first[1])), noun)


def _matched(words: Sequence[str], above: dict[str, list[str]], apart: Callable[[str, str], bool], rng: Random,
             near: Callable[[str, str], bool]) -> list[ContrastSet]:  # fmt: skip
    """Squares that use every word at most once as an old word; half of them try a near word first."""
    order = [word for word in words if above[word]]
    rng.shuffle(order)
    free = dict.fromkeys(order)
    found = []
    for old in order:
        if old not in free:
            continue
        del free[old]
        partners = list(free)
        if rng.random() < 0.5:
            partners.sort(key=lambda other: not any(near(old, new) for new in above[other]))
        for other in partners:
            couple = _crossing(old, other, above, apart, rng)
            if couple is not None:
                found.append(_square((old, couple[0]), (other, couple[1])))
                del free[other]
                break
    return found


def _crossing(
    old: str, other: str, above: dict[str, list[str]], apart: Callable[[str, str], bool], rng: Random
) -> Couple | None:
    """A new word for each of two old ones such that neither follows from the other old word."""
    options = [
        (new, crossed)
        for new in above[old]
        if apart(other, new)
        for crossed in above[other]
        if crossed != new and apart(old, crossed)
    ]
    return options[int(rng.random() * len(options))] if options else None


def _ladders(
    words: Sequence[str], above: dict[str, list[str]], apart: Callable[[str, str], bool], rng: Random
) -> list[ContrastSet]:
    """Ladders over words that all fit the place, no word in two of them; few matchings have any."""
    if rng.random() >= _LADDERS:
        return []
    strict = {
        word: [new for new in above[word] if new in words and word not in above[new] and apart(new, word)]
        for word in words
    }
    free = dict.fromkeys(words)
    order = list(words)
    rng.shuffle(order)
    found = []
    for start in order:
        chains = [
            (start, mid, high)
            for mid in strict[start]
            for high in strict[mid]
            if start in free and mid in free and high in free
        ]
        if chains:
            low, mid, high = chains[int(rng.random() * len(chains))]
            found.append(ContrastSet(((low, mid), (mid, high)), ((mid, low), (high, mid))))
            for word in (low, mid, high):
                del free[word]
    return found


@cache
def word_changes(frame: VerbFrame, position: str, variant: int) -> tuple[ContrastSet, ...]:
    """The changes of a noun or verb at one position."""
    rng = keyed_random("changes", frame.key, position, variant)
    words = frame.words(position)
    if position == "verb":
        relations = frame.relations
        up = {old: [new for new in words if relations.get((old, new)) in ENTAILING] for old in words}

        def apart(old: str, new: str) -> bool:
            return old != new and relations[old, new] not in ENTAILING

        def near(old: str, new: str) -> bool:
            return relations.get((old, new)) in ("antonym", "co-hyponym")

        return tuple(_ladders(words, up, apart, rng) or _matched(words, up, apart, rng, near))
    nouns, above = inventory(), _nouns_above(frame, position)

    def excluded(old: str, new: str) -> bool:
        return certain(old, new) and not nouns.entails(old, new)

    def close(old: str, new: str) -> bool:
        return nouns.relation(old, new) in ("antonym", "co-hyponym")

    return tuple(_ladders(words, above, excluded, rng) or _matched(words, above, excluded, rng, close))


@cache
def _nouns_above(frame: VerbFrame, position: str) -> dict[str, list[str]]:
    """The words that follow from each noun at one position, the same in every variant."""
    words = frame.words(position)
    return {old: _above(old, words, frame.banned_at(position)) for old in words}


def _above(old: str, members: Sequence[str], banned: frozenset[str]) -> list[str]:
    """The words that follow from a noun: those of the place, and the names of what lies above it."""
    nouns = inventory()
    tops = nouns.ancestors(nouns.nouns[old].node)
    found = dict.fromkeys((*(word for word in members if nouns.relation(old, word) in ENTAILING), *tops))
    return [word for word in found if word != old and word not in banned]


@cache
def own_changes(frame: VerbFrame, role: str, relation: OwnRelation) -> tuple[ContrastSet, ...]:
    """Contrast sets that hold a pair of a relation of a user's on its side of the label.

    They are squares where the nouns of the place allow one. Where two words have nothing above them but the same words,
    as boy and girl have, a premise still meets both labels, but a hypothesis may meet one alone.
    """
    nouns, words = inventory(), frame.words(role)
    above = {old: list(news) for old, news in _nouns_above(frame, role).items()}
    banned = frame.banned_at(role)
    fitting = [pair for pair in relation.pairs if set(pair) <= set(words) and pair[1] not in banned]
    if relation.entailed:
        for old, new in fitting:
            above[old].append(new)

    def apart(old: str, new: str) -> bool:
        return old != new and certain(old, new) and not nouns.entails(old, new) and new not in above[old]

    found = []
    for old, new in fitting:
        rng = keyed_random("own relation", relation.name, frame.key, role, old, new)
        if relation.entailed:
            options = [_square((old, new), (z, y)) for z in words for y in above[z] if apart(z, new) and apart(old, y)]
            options = options or [
                ContrastSet(((old, new), (z, y)), ((old, x), (z, old)))
                for z in above[old] for y in above.get(z, ()) for x in words if apart(old, x) and apart(z, old)
            ]  # fmt: skip
        else:
            under = [z for z in words if new in above[z] and z != old]
            options = [_square((old, y), (z, new)) for z in under for y in above[old] if apart(z, y)]
            options = options or [
                ContrastSet(((old, y), (new, z)), ((old, new), (new, old)))
                for y in above[old] for z in above[new] if apart(new, old)
            ]  # fmt: skip
        if options:
            found.append(options[int(rng.random() * len(options))])
    return tuple(found)


@cache
def _synonymous_adjectives(noun: str) -> tuple[list[str], ...]:
    """The groups of adjectives before a noun that mean the same."""
    words = inventory()
    groups = dict.fromkeys(frozenset((a.word, *words.alike[a.word])) for a in words.adjectives.get(noun, ()))
    return tuple(sorted(group) for group in groups if len(group) > 1)


@cache
def adjective_changes(frame: VerbFrame, role: str, variant: int) -> tuple[ContrastSet, ...]:
    """The changes of an adjective before a noun: one group of synonyms against another that fits the noun too."""
    found = []
    for noun in frame.words(role):
        pairs = list(_synonymous_adjectives(noun))
        if len(pairs) < 2:
            continue
        rng = keyed_random("adjectives", frame.key, role, noun, variant)
        rng.shuffle(pairs)
        for first, second in zip(pairs[::2], pairs[1::2], strict=False):
            turned = rng.random() < 0.5
            old, new = first if turned else first[::-1]
            found.append(_square((old, new), tuple(second if rng.random() < 0.5 else second[::-1]), noun))  # type: ignore[arg-type]
    return tuple(found)


@cache
def participant_changes(frame: VerbFrame, role: str, variant: int) -> tuple[ContrastSet, ...]:
    """Two nouns for one role, neither of which follows from the other."""
    rng = keyed_random("participants", frame.key, role, variant)
    nouns = inventory()
    free = list(frame.words(role))
    rng.shuffle(free)
    found = []
    while free:
        old = free.pop()
        for other in free:
            if certain(old, other) and not nouns.entails(old, other) and not nouns.entails(other, old):
                found.append(ContrastSet(((old, old), (other, other)), ((old, other), (other, old))))
                free.remove(other)
                break
    return tuple(found)


@cache
def swap_changes(frame: VerbFrame) -> tuple[ContrastSet, ...]:
    """Two nouns that fit both roles and exclude each other: who does it to whom."""
    nouns = inventory()
    both = [word for word in frame.subjects if word in frame.objects]
    return tuple(
        ContrastSet(((first, second), (second, first)), ((first, second), (second, first)))
        for i, first in enumerate(both)
        for second in both[i + 1 :]
        if certain(first, second) and not nouns.entails(first, second) and not nouns.entails(second, first)
    )
