"""Sentence pairs whose label holds by construction, found by number.

Pairs come in contrast sets of two premises and two hypotheses: each premise meets a hypothesis that follows and one
that does not, and so does each hypothesis. Neither sentence alone says anything about the label, by design rather
than by luck; only the ladders of `changes` give something away, and they are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import fsum
from random import Random
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from taskloom.core import Key, KeyedRandom, Permutation, UserError, keyed_random
from taskloom.sources.sentences.frames import ContrastSet, OwnRelation, OwnVoice
from taskloom.sources.sentences.scenes import (
    FrameVariant,
    UnitAddress,
    VariantGroup,
    lexical_groups,
    structural_groups,
)
from taskloom.sources.sentences.words import Adjective, Aspect, Clause, Phrase, inventory, say, say_form

T = TypeVar("T")

Contrast: TypeAlias = Literal["role-swap", "participant", "unrelated"]
STRUCTURAL_CONTRASTS: tuple[Contrast, ...] = ("role-swap", "participant", "unrelated")
"""How a change of voice fails: roles exchanged, a participant exchanged, another event altogether."""

PASSIVES = 0.4
"""The share of transitive lexical pairs that are passive on both sides, unless asked otherwise.

In SICK they are rare; but where nearly all of them are active, a "being … by" alone tells structural pairs
from lexical ones, and a learner may go by that.
"""

GroupName: TypeAlias = tuple[str, str]
"""What changes, and the voice."""

_PLURALS = ("two", "three", "some", "several")
_PERIOD = 200
_INTRANSITIVE = {"subject": 0.2, "verb": 0.3, "adjective": 0.1}
_OWN = 0.15
"""The share of each relation of a user's, beside those of the positions."""
_POSITIONS = {"subject": 0.31, "object": 0.29, "verb": 0.19, "adjective": 0.11, "ladder": 0.1}


class Pair(NamedTuple):
    """A premise and a hypothesis as clauses without capital and full stop.

    Attributes:
        premise: The clause that is given.
        hypothesis: The clause that follows, or does not.
        entailed: Whether it follows.
        natural: The kind of inference: "lexical", "structural", "negation", "quantifier".
        relation: How the new word stands to the old one, or how the structure changed.
        rule: The inference rule, for example "boy → kid" or "active → passive".
        position: Where the change is: subject, object, verb, adjective, voice.
        form: What the clause stands under: "plain", or the negation or quantifier used.
        wished: The premise as it stands under "wish" (past subjunctive), "" where no such form is known.
    """

    premise: str
    hypothesis: str
    entailed: bool
    natural: str
    relation: str
    rule: str
    position: str
    form: str = "plain"
    wished: str = ""


def pick(rng: Random, items: Sequence[T]) -> T:
    """One item; `Random.choice` without its checks, which cost more than the draw."""
    return items[int(rng.random() * len(items))]


# ------------------------------------------------------------------------------------------ spaces


class _Phase(NamedTuple):
    """A stretch of units in which the same groups take turns.

    Attributes:
        start: The first unit.
        turns: For each turn of a round the group, and how many turns it had before in the round.
        counts: Turns of each group in a round.
        before: How many units of each group earlier phases used.
    """

    start: int
    turns: list[tuple[GroupName, int]]
    counts: dict[GroupName, int]
    before: dict[GroupName, int]


class PairSpace:
    """All contrast sets of one kind. Groups of them take turns in fixed shares; the rest goes on when one runs out.

    Args:
        natural: "lexical" or "structural".
        groups: The groups by name.
        shares: The share of each group.
    """

    def __init__(self, natural: str, groups: dict[GroupName, VariantGroup], shares: dict[GroupName, float]) -> None:
        self.natural = natural
        self.groups = {name: group for name, group in groups.items() if group.size and shares.get(name, 0) > 0}
        self.units = 0
        self._phases: list[_Phase] = []
        left = {name: group.size for name, group in self.groups.items()}
        while left:
            phase = self._phase(left, shares)
            enough = {name: size for name, size in left.items() if size >= phase.counts[name]}
            if len(enough) < len(left):
                # The shares of groups that run out fall to the others.
                left = enough
                continue
            self._phases.append(phase)
            rounds = min(size // phase.counts[name] for name, size in left.items())
            for name in left:
                left[name] -= rounds * phase.counts[name]
            self.units += rounds * len(phase.turns)

    def _phase(self, left: dict[GroupName, int], shares: dict[GroupName, float]) -> _Phase:
        total = fsum(shares[name] for name in left)
        counts = {name: max(1, round(_PERIOD * shares[name] / total)) for name in left}
        # Evenly spread: a short stretch of units has its share of every group.
        first = {name: keyed_random("turns", self.natural, *name).random() for name in counts}
        spread = sorted(((turn + first[name]) / count, name) for name, count in counts.items() for turn in range(count))
        order = [name for _, name in spread]
        seen = dict.fromkeys(counts, 0)
        turns = []
        for name in order:
            turns.append((name, seen[name]))
            seen[name] += 1
        used = {name: self.groups[name].size - size for name, size in left.items()}
        return _Phase(self.units, turns, counts, used)

    @property
    def pairs(self) -> int:
        """How many different pairs of each label one lane holds."""
        return 2 * self.units

    def locate(self, unit: int) -> tuple[GroupName, int]:
        """The group of a unit, and its number among the units of that group."""
        phase = next(phase for phase in reversed(self._phases) if phase.start <= unit)
        rounds, turn = divmod(unit - phase.start, len(phase.turns))
        name, before = phase.turns[turn]
        return name, phase.before[name] + rounds * phase.counts[name] + before


class PairOrder:
    """The pairs of a space in an order that a key decides.

    Args:
        space: The space.
        aspect: The aspect of all sentences.
        key: What decides the order: the suite's name and seed, say.
    """

    def __init__(self, space: PairSpace, aspect: Aspect, *key: Key) -> None:
        self.space = space
        self.aspect = aspect
        self._orders = {name: Permutation(group.size, *key, *name) for name, group in space.groups.items()}

    def pair(self, index: int, entailed: bool, lane: int = 0) -> Pair:
        """The pair of that number among those of a label in a lane.

        The same number in another lane is the same exchange of words in another sentence.

        Raises:
            UserError: The lane has no pair of that number.
        """
        unit, member = divmod(index, 2)
        if not 0 <= unit < self.space.units:
            raise UserError(
                f"the grammar has {self.space.pairs:,} different {self.space.natural} sentence pairs of each label "
                f"here, fewer than the {index + 1:,} that are asked for"
            )
        name, place = self.space.locate(unit)
        address = self.space.groups[name].at(self._orders[name](place))
        make = _lexical if self.space.natural == "lexical" else _structural
        return make(address, lane, member, entailed, self.aspect)


@lru_cache(maxsize=32)
def lexical_space(passives: float = PASSIVES, relations: tuple[OwnRelation, ...] = ()) -> PairSpace:
    """One word replaced by a related one."""
    groups = lexical_groups(relations)
    shares = {}
    for position, voice in groups:
        alone = _INTRANSITIVE.get(position, 0.2 if position.startswith("relation ") else 0.0)
        share = {
            "": 1.0,
            "intransitive": alone,
            "passive": (1 - alone) * passives,
            "active": (1 - alone) * (1 - passives),
        }
        shares[position, voice] = _POSITIONS.get(position, _OWN) * share[voice]
    return PairSpace("lexical", groups, shares)


@lru_cache(maxsize=32)
def structural_space(
    contrasts: tuple[Contrast, ...] = STRUCTURAL_CONTRASTS, voices: tuple[OwnVoice, ...] = ()
) -> PairSpace:
    """A change of voice: true when the roles stay, false by one of the contrasts."""
    groups = structural_groups(contrasts, voices)
    return PairSpace("structural", groups, dict.fromkeys(groups, 1.0))


# ---------------------------------------------------------------------------------------- sentences


@cache
def _keys(variant: FrameVariant) -> KeyedRandom:
    return KeyedRandom("unit", *variant.name)


def _rng(address: UnitAddress, lane: int) -> Random:
    variant, change, number = address
    return _keys(variant).at(change, number, lane)


@cache
def _adjective(word: str) -> Adjective:
    return next(entry for entries in inventory().adjectives.values() for entry in entries if entry.word == word)


def _phrase(rng: Random, determiner: str, word: str, keep: frozenset[str] = frozenset()) -> Phrase:
    """A noun phrase, now and then with an adjective; where the noun changes, one that fits all of `keep`.

    Only absolute adjectives may stand beside a noun that changes: a red car is a red vehicle, a big mouse no big
    animal.
    """
    noun = inventory().nouns[word]
    if determiner == "+":
        return Phrase(pick(rng, _PLURALS), noun, True)
    adjective = None
    if rng.random() < 0.15:
        fitting = inventory().adjectives.get(word, [])
        if keep:
            fitting = [
                entry for entry in fitting
                if not entry.relative and all(entry in inventory().adjectives.get(other, ()) for other in keep)
            ]  # fmt: skip
        adjective = pick(rng, fitting) if fitting else None
    return Phrase(determiner, noun, False, adjective)


def _lexical(address: UnitAddress, lane: int, member: int, entailed: bool, aspect: Aspect) -> Pair:
    variant, index, number = address
    change, frame = variant.changes[index], variant.frame
    subject, verb, patient = variant.words(index, number, lane)
    old, new = (change.true if entailed else change.false)[member]
    rng = _rng(address, lane)
    position = variant.site.partition("-")[0]
    # What does not change is drawn before, and alike for all sentences of the set.
    actor = _role_phrase(rng, variant, change, "subject", subject)
    other = _role_phrase(rng, variant, change, "object", patient) if frame.objects else None
    shown = Clause(actor, frame.verbs[verb or old], other, variant.place, variant.passive)
    before, after = _changed(shown, variant, old), _changed(shown, variant, new)
    if position == "verb":
        relation = frame.relations[old, new]
    elif position == "adjective":
        relation = "synonym" if entailed else "alternative"
    else:
        relation = inventory().relation(old, new)
    if isinstance(variant.own, OwnRelation) and (old, new) in variant.own.pairs:
        relation = variant.own.name
    wished = say(before, aspect, subjunctive=True)
    rule = f"{old} → {new}"
    return Pair(say(before, aspect), say(after, aspect), entailed, "lexical", relation, rule, position, wished=wished)


def _role_phrase(rng: Random, variant: FrameVariant, change: ContrastSet, role: str, rest: str) -> Phrase:
    """The phrase of one role: with a word that is going to change, or with what stays."""
    determiner = variant.determiners[role == "object"]
    if variant.site == role:
        return _phrase(rng, determiner, change.true[0][0], change.words())
    if variant.site == f"adjective-{role}":
        return Phrase(determiner, inventory().nouns[change.noun])
    return _phrase(rng, determiner, rest)


def _changed(clause: Clause, variant: FrameVariant, word: str) -> Clause:
    """The clause with a word in the place that changes."""
    if variant.site == "verb":
        return clause._replace(verb=variant.frame.verbs[word])
    position, _, role = variant.site.rpartition("-")
    phrase = clause.subject if role == "subject" or clause.object is None else clause.object
    changed = phrase._replace(adjective=_adjective(word)) if position else phrase._replace(noun=inventory().nouns[word])
    return clause._replace(subject=changed) if role == "subject" else clause._replace(object=changed)


def _structural(address: UnitAddress, lane: int, member: int, entailed: bool, aspect: Aspect) -> Pair:
    variant = address.variant
    events = _events(address, lane)
    before = events[member]._replace(passive=variant.passive)
    after = events[member if entailed else 1 - member]._replace(passive=not variant.passive)
    voices = ("passive", "active") if variant.passive else ("active", "passive")
    said = say(after, aspect)
    if isinstance(variant.own, OwnVoice):
        voices, said = (voices[0], variant.own.name), say_form(variant.own.form, after, aspect)
    rule = " → ".join(voices)
    contrast = variant.site if variant.site == "role-swap" else variant.site.partition("-")[0]
    relation = voices[1] if entailed else contrast
    wished = say(before, aspect, subjunctive=True)
    return Pair(say(before, aspect), said, entailed, "structural", relation, rule, "voice", wished=wished)


def _events(address: UnitAddress, lane: int) -> tuple[Clause, Clause]:
    variant, index, number = address
    change = variant.changes[index]
    rng = _rng(address, lane)
    subject, verb, patient = variant.words(index, number, lane)
    nouns = inventory().nouns
    first, second = variant.determiners
    if variant.site == "unrelated":
        other = variant.partner
        assert other is not None
        subject_2, verb_2, patient_2 = other.words(index, number, lane)
        return (
            Clause(_plain(rng, first, subject), variant.frame.verbs[verb], _plain(rng, second, patient), variant.place),
            Clause(_plain(rng, other.determiners[0], subject_2), other.frame.verbs[verb_2],
                   _plain(rng, other.determiners[1], patient_2), other.place),
        )  # fmt: skip
    head = variant.frame.verbs[verb]
    one, two = change.false[0]
    if variant.site == "role-swap":
        here, there = _plain(rng, first, one), _plain(rng, second, two)
        return Clause(here, head, there, variant.place), Clause(there, head, here, variant.place)
    if variant.site == "participant-subject":
        event = Clause(_plain(rng, first, one), head, _plain(rng, second, patient), variant.place)
        return event, event._replace(subject=event.subject._replace(noun=nouns[two]))
    event = Clause(_plain(rng, first, subject), head, _plain(rng, second, one), variant.place)
    return event, event._replace(object=_plain(rng, second, two))


def _plain(rng: Random, determiner: str, word: str) -> Phrase:
    if determiner == "+":
        return Phrase(pick(rng, _PLURALS), inventory().nouns[word], True)
    return Phrase(determiner, inventory().nouns[word])
