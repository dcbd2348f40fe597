"""The words and scenes of `inventory.toml`: words with explicit forms, what each of them entails, and clauses of them.

Clauses are said with agreement, articles, aspect, voice, negation and mood.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from taskloom.core import keyed_random
from taskloom.core.decode import read_toml


@cache
def shuffled_list(size: int, salt: int) -> tuple[int, ...]:
    """The numbers below a small size in one of several fixed orders."""
    numbers = list(range(size))
    keyed_random("shuffled-list", size, salt).shuffle(numbers)
    return tuple(numbers)


_VOWELS = "aeiou"
# Spelt with a vowel, spoken with a consonant: "a unicycle".
_CONSONANT_SOUND = ("uni", "eu", "one")


class AdjectiveGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Adjectives that may replace each other, and the nouns they go with."""

    words: tuple[str, ...]
    nouns: str
    relative: bool = False


class SceneRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Verbs with their subjects, objects (none for intransitive ones) and the name of their places."""

    verbs: str
    subjects: str
    places: str
    objects: str = ""
    allows: tuple[Literal["swap", "together", "several"], ...] = ()


class InventoryRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file; its comments say what the entries mean."""

    doubling: str
    antonyms: tuple[tuple[str, str], ...]
    undecided: tuple[tuple[str, str], ...]
    agents: tuple[tuple[str, str], ...]
    nouns: str
    irregular_verbs: dict[str, tuple[str, str]]
    places: dict[str, tuple[str, ...]]
    groups: dict[str, str]
    adjectives: tuple[AdjectiveGroup, ...]
    scenes: tuple[SceneRecord, ...]


@cache
def read_inventory() -> InventoryRecord:
    """The file, read once."""
    return read_toml(Path(__file__).with_name("inventory.toml"), type=InventoryRecord)


class Noun(NamedTuple):
    """A countable noun. `node` names its set of synonyms; `article` is "a" or "an"."""

    word: str
    plural: str
    node: str
    article: str


class Verb(NamedTuple):
    """A verb with the forms a sentence may need."""

    word: str
    third: str
    past: str
    participle: str
    gerund: str


class Adjective(NamedTuple):
    """An adjective. A `relative` one measures by its noun, so the noun must stay as it is."""

    word: str
    article: str
    relative: bool


def article(word: str) -> str:
    """The indefinite article before a word."""
    return "an" if word[0] in _VOWELS and not word.startswith(_CONSONANT_SOUND) else "a"


def pluralise(word: str) -> str:
    """The regular plural of a noun, and the third person of a verb."""
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "es" if word.endswith(("s", "x", "z", "ch", "sh")) or word in _PLURAL_OES else word + "s"


_PLURAL_OES = frozenset({"potato", "tomato", "mango"})


@cache
def _doubling() -> frozenset[str]:
    return frozenset(read_inventory().doubling.split())


def conjugate(base: str) -> Verb:
    """All forms of a verb: regular spelling rules, the irregular table, the list of doubled consonants."""
    stem = base + base[-1] if base in _doubling() else base
    gerund = (stem[:-1] if stem.endswith("e") and not stem.endswith(("ee", "oe", "ye")) else stem) + "ing"
    if base.endswith("e"):
        past = base + "d"
    elif base.endswith("y") and base[-2] not in _VOWELS:
        past = base[:-1] + "ied"
    else:
        past = stem + "ed"
    past, participle = read_inventory().irregular_verbs.get(base, (past, past))
    return Verb(base, pluralise(base), past, participle, gerund)


class Inventory:
    """The inventory as a small lexicon: nouns by word, the taxonomy, adjectives by noun.

    Attributes:
        nouns: Every noun by its singular.
        adjectives: Adjectives by the noun they may stand before.
        alike: For each adjective its synonyms, none for one that only decorates.
    """

    def __init__(self) -> None:
        self.nouns: dict[str, Noun] = {}
        self._words: dict[str, tuple[str, ...]] = {}
        self._parent: dict[str, str | None] = {}
        self._children: dict[str, list[str]] = {}
        self._above: dict[str, list[str]] = {}
        self._relations: dict[tuple[str, str], str] = {}
        self._read_nouns()
        self._groups = {name: names.split() for name, names in read_inventory().groups.items()}
        self.antonyms = set(read_inventory().antonyms)
        self.adjectives: dict[str, list[Adjective]] = {}
        self.alike: dict[str, tuple[str, ...]] = {}
        self._read_adjectives()

    def _read_nouns(self) -> None:
        path: list[str] = []
        for line in read_inventory().nouns.splitlines():
            depth = (len(line) - len(line.lstrip())) // 2
            entries = [entry.partition("/") for entry in line.strip().split(" = ")]
            node = entries[0][0]
            del path[depth:]
            self._parent[node] = path[-1] if path else None
            self._children[node] = []
            if path:
                self._children[path[-1]].append(node)
            path.append(node)
            self._words[node] = tuple(word for word, _, _ in entries)
            for word, _, plural in entries:
                self.nouns[word] = Noun(word, plural or pluralise(word), node, article(word))

    def _read_adjectives(self) -> None:
        for group in read_inventory().adjectives:
            for word in group.words:
                self.alike[word] = tuple(other for other in group.words if other != word)
                adjective = Adjective(word, article(word), group.relative)
                for noun in group.nouns.split():
                    self.adjectives.setdefault(noun, []).append(adjective)

    def synonyms(self, word: str) -> tuple[str, ...]:
        return tuple(other for other in self._words[self.nouns[word].node] if other != word)

    def ancestors(self, node: str) -> list[str]:
        """The nodes above a node, nearest first."""
        above = self._above.get(node)
        if above is None:
            parent = self._parent[node]
            above = self._above[node] = [] if parent is None else [parent, *self.ancestors(parent)]
        return above

    def below(self, node: str) -> list[str]:
        """A node and everything under it, in the order of the inventory."""
        found = [node]
        for child in self._children[node]:
            found += self.below(child)
        return found

    def members(self, names: list[str]) -> list[str]:
        """The words a list of the inventory names, without repeats: "word", "word*" and "@group"."""
        words: list[str] = []
        for name in names:
            if name.startswith("@"):
                words += self.members(self._groups[name[1:]])
            else:
                node = self.nouns[name.rstrip("*")].node
                below = self.below(node) if name.endswith("*") else [node]
                words += [word for entry in below for word in self._words[entry]]
        return list(dict.fromkeys(words))

    def words_of(self, node: str) -> tuple[str, ...]:
        return self._words[node]

    def entails(self, word: str, other: str) -> bool:
        """Whether every `word` is also an `other`."""
        below, above = self.nouns[word].node, self.nouns[other].node
        return below == above or above in self.ancestors(below)

    def relation(self, word: str, other: str) -> str:
        """How `other` stands to `word`: synonym, hypernym, hyponym, antonym, co-hyponym or alternative."""
        found = self._relations.get((word, other))
        if found is None:
            found = self._relations[word, other] = self._compared(word, other)
        return found

    def _compared(self, word: str, other: str) -> str:
        below, above = self.nouns[word].node, self.nouns[other].node
        if below == above:
            return "synonym"
        if above in self.ancestors(below):
            return "hypernym"
        if below in self.ancestors(above):
            return "hyponym"
        if (word, other) in self.antonyms or (other, word) in self.antonyms:
            return "antonym"
        parent = self._parent[below]
        return "co-hyponym" if parent is not None and parent == self._parent[above] else "alternative"


@cache
def inventory() -> Inventory:
    """The embedded inventory, read once."""
    return Inventory()


Aspect: TypeAlias = Literal["progressive", "past-progressive", "present", "past", "perfect"]
ASPECTS: tuple[Aspect, ...] = ("progressive", "past-progressive", "present", "past", "perfect")


class Phrase(NamedTuple):
    """A noun phrase. The determiner "a" turns into "an" by itself; "" leaves the noun bare."""

    determiner: str
    noun: Noun
    plural: bool = False
    adjective: Adjective | None = None


class Clause(NamedTuple):
    """Who does what to whom, and where. `negated` says "not"; `there` says "there is no …"."""

    subject: Phrase
    verb: Verb
    object: Phrase | None = None
    place: str = ""
    passive: bool = False
    negated: bool = False
    there: bool = False


def say_phrase(phrase: Phrase) -> str:
    """The words of a noun phrase."""
    determiner, noun, plural, adjective = phrase
    if determiner == "a":
        determiner = noun.article if adjective is None else adjective.article
    word = noun.plural if plural else noun.word
    return f"{determiner} {word}" if adjective is None else f"{determiner} {adjective.word} {word}"


def _predicate(verb: Verb, aspect: Aspect, plural: bool, passive: bool, subjunctive: bool, negated: bool) -> str:
    """The finite verb group. The past subjunctive ("I wish he were …") has "were" for every form of "to be"."""
    no = "not " if negated else ""
    if aspect in ("progressive", "past-progressive"):
        if subjunctive:
            be = "were"
        elif aspect == "progressive":
            be = "are" if plural else "is"
        else:
            be = "were" if plural else "was"
        return f"{be} {no}being {verb.participle}" if passive else f"{be} {no}{verb.gerund}"
    if aspect == "perfect":
        have = "had" if subjunctive else "have" if plural else "has"
        return f"{have} {no}been {verb.participle}" if passive else f"{have} {no}{verb.participle}"
    past = aspect == "past" or subjunctive
    if passive:
        be = "were" if subjunctive or (past and plural) else "was" if past else "are" if plural else "is"
        return f"{be} {no}{verb.participle}"
    if negated:
        do = "did" if past else "do" if plural else "does"
        return f"{do} not {verb.word}"
    if past:
        return verb.past
    return verb.word if plural else verb.third


def say(clause: Clause, aspect: Aspect = "progressive", *, subjunctive: bool = False) -> str:
    """The clause in words, without a capital or a full stop, ready to stand after "that"."""
    subject, verb, patient, place, passive, negated, there = clause
    if there:
        return _say_there(clause, aspect, subjunctive)
    if passive:
        if patient is None:
            raise ValueError(f"{verb.word!r} has no object here, so it has no passive")
        group = _predicate(verb, aspect, patient.plural, True, subjunctive, negated)
        text = f"{say_phrase(patient)} {group} by {say_phrase(subject)}"
    else:
        text = f"{say_phrase(subject)} {_predicate(verb, aspect, subject.plural, False, subjunctive, negated)}"
        if patient is not None:
            text = f"{text} {say_phrase(patient)}"
    return f"{text} {place}" if place else text


def say_form(form: str, clause: Clause, aspect: Aspect = "progressive") -> str:
    """The clause by a form such as "it {be} {object} that {subject} {verb} {place}".

    `{verb}` agrees with the subject ("is chasing"), `{passive}` with the object ("is being chased"), `{be}` with the
    aspect alone.
    """
    assert clause.object is not None
    text = form.format(
        subject=say_phrase(clause.subject),
        object=say_phrase(clause.object),
        verb=_predicate(clause.verb, aspect, clause.subject.plural, False, False, False),
        passive=_predicate(clause.verb, aspect, clause.object.plural, True, False, False),
        be="was" if aspect in ("past", "past-progressive") else "is",
        place=clause.place,
    )
    return " ".join(text.split())


def _say_there(clause: Clause, aspect: Aspect, subjunctive: bool) -> str:
    """Say "there is no boy running": the subject keeps its determiner and the verb stands as a participle."""
    past = aspect in ("past", "past-progressive")
    be = "were" if subjunctive or (past and clause.subject.plural) else "was" if past else "is"
    if be == "is" and clause.subject.plural:
        be = "are"
    text = f"there {be} {say_phrase(clause.subject)} {clause.verb.gerund}"
    if clause.object is not None:
        text = f"{text} {say_phrase(clause.object)}"
    return f"{text} {clause.place}" if clause.place else text


def capitalise(text: str) -> str:
    """A clause as a sentence of its own."""
    return f"{text[0].upper()}{text[1:]}."
