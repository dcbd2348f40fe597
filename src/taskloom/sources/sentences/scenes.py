"""Every sentence the grammar can start from, numbered.

A *variant* is a frame in one place with one pattern of determiners and one voice. It decides what changes in its
sentences (the subject, the verb, the voice ...) and how words are matched, so a sentence belongs to one variant and to
one *unit* in it: a contrast set of two premises and two hypotheses. Units of a space are counted and found by their
number. The words that do not change split them into lanes: two lanes share no sentence, neither as premise nor as
hypothesis, but every unit of one lane has a counterpart with the same exchange of words in every other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate
from math import fsum
from typing import NamedTuple

from taskloom.core import keyed_random
from taskloom.sources.sentences.frames import (
    VARIANTS,
    ContrastSet,
    OwnRelation,
    OwnVoice,
    VerbFrame,
    adjective_changes,
    frames,
    own_changes,
    participant_changes,
    swap_changes,
    word_changes,
)
from taskloom.sources.sentences.words import shuffled_list

LANES = 4
"""How many parts with sentences of their own every space has."""

_PLURAL = "+"  # stands for "two", "three", "some" or "several"

_LEXICAL_PATTERNS = (("a", "a"), ("a", "the"), ("the", "a"), ("the", "the"), ("+", "the"), ("the", "+"))
_SINGLE_PATTERNS = (("a", ""), ("the", ""), ("+", ""))
# Determiners whose scopes commute, so that active and passive mean the same: a plural only beside a definite one.
_VOICE_PATTERNS = (("a", "a"), ("a", "the"), ("the", "a"), ("the", "the"), ("the", "+"), ("+", "the"))

_OWN_SHARE = 0.3
"""The share of sentences that rules of a user's take over where they fit."""
_POSITION_SHARES = {"subject": 0.36, "object": 0.32, "verb": 0.2, "adjective-subject": 0.06, "adjective-object": 0.06}


@dataclass(frozen=True, eq=False)
class FrameVariant:
    """A frame in one place with fixed determiners and voice.

    Attributes:
        frame: The frame.
        place: Where it happens, "" where that is not said.
        determiners: Of subject and object: "a", "the" or "+" for a plural.
        passive: Whether the premise is passive.
        site: What changes: a position, or the contrast of a change of voice.
        changes: The contrast sets.
        partner: For unrelated events, the variant of the other one.
        own: The rule of a user's that it shows.
    """

    frame: VerbFrame
    place: str
    determiners: tuple[str, str]
    passive: bool
    site: str
    changes: tuple[ContrastSet, ...]
    partner: FrameVariant | None = None
    own: OwnRelation | OwnVoice | None = None

    @property
    def name(self) -> tuple[str, ...]:
        """What tells it from all other variants."""
        own = (self.own.name,) if self.own else ()
        return (self.frame.key, self.place, *self.determiners, "passive" if self.passive else "active", self.site, *own)

    def rest(self, change: ContrastSet) -> tuple[Sequence[tuple[str, str]], tuple[str, ...]]:
        """What may stand where nothing changes: (subject, object) and verbs, "" where something does change."""
        frame = self.frame
        verbs = ("",) if self.site == "verb" else tuple(frame.verbs)
        if self.site in ("verb", "unrelated"):
            return _both_roles(frame), verbs
        if self.site == "role-swap":
            return (("", ""),), verbs
        used = change.words() | {change.noun}
        if self.site.endswith("subject"):
            return [("", word) for word in frame.objects or ("",) if word not in used or not word], verbs
        return [(word, "") for word in frame.subjects if word not in used], verbs

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """For every change how many units it has in each lane."""
        sizes = [len(roles) * len(verbs) // LANES for roles, verbs in map(self.rest, self.changes)]
        if self.partner is not None:
            sizes = [min(sizes[0], *self.partner.sizes)]
        return tuple(sizes)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where the units of every change begin, and the number of all."""
        return (0, *accumulate(self.sizes))

    @cached_property
    def _salt(self) -> int:
        return int(keyed_random("salt", *self.name).random() * 8)

    @cached_property
    def _rests(self) -> list[tuple[Sequence[tuple[str, str]], tuple[str, ...]]]:
        return list(map(self.rest, self.changes))

    def words(self, change: int, number: int, lane: int) -> tuple[str, str, str]:
        """The unchanging words of one unit of the change of that number: subject, verb, object."""
        roles, verbs = self._rests[change]
        place = shuffled_list(len(roles) * len(verbs), self._salt)[number * LANES + lane]
        place, verb = divmod(place, len(verbs))
        subject, patient = roles[place]
        return subject, verbs[verb], patient


@cache
def _both_roles(frame: VerbFrame) -> tuple[tuple[str, str], ...]:
    """Subjects with objects, never the same word twice."""
    return tuple((s, o) for s in frame.subjects for o in frame.objects or ("",) if s != o)


_NONE = ContrastSet((("", ""), ("", "")), (("", ""), ("", "")))


class UnitAddress(NamedTuple):
    """A unit without its lane."""

    variant: FrameVariant
    change: int
    number: int


class VariantGroup:
    """Variants that are drawn from together, their units numbered through."""

    def __init__(self, variants: Sequence[FrameVariant]) -> None:
        self.variants = [variant for variant in variants if variant.starts[-1]]
        self.starts = [0, *accumulate(variant.starts[-1] for variant in self.variants)]

    @property
    def size(self) -> int:
        return self.starts[-1]

    def at(self, rank: int) -> UnitAddress:
        index = bisect_right(self.starts, rank) - 1
        variant = self.variants[index]
        rank -= self.starts[index]
        change = bisect_right(variant.starts, rank) - 1
        return UnitAddress(variant, change, rank - variant.starts[change])


# ---------------------------------------------------------------------------------------- lexical


def _lexical_sites(frame: VerbFrame, determiners: tuple[str, str], variant: int) -> dict[str, tuple[ContrastSet, ...]]:
    """What may change under these determiners: a noun only if indefinite, an adjective only beside "a"."""
    sites: dict[str, tuple[ContrastSet, ...]] = {}
    for role, determiner in zip(("subject", "object"), determiners, strict=True):
        if determiner in ("a", _PLURAL):
            sites[role] = word_changes(frame, role, variant)
        if determiner == "a":
            sites[f"adjective-{role}"] = adjective_changes(frame, role, variant)
    sites["verb"] = word_changes(frame, "verb", variant)
    return {site: changes for site, changes in sites.items() if changes}


def _patterns(frame: VerbFrame, patterns: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    """The determiners that fit the scene: several subjects share an object, or one has several, only where they can."""
    for pattern in patterns:
        if (frame.together or pattern[0] != _PLURAL) and (frame.several or pattern[1] != _PLURAL):
            yield pattern


def _own_site(
    frame: VerbFrame, shell: tuple[str, ...], determiners: tuple[str, str], relations: Sequence[OwnRelation]
) -> tuple[str, tuple[ContrastSet, ...], OwnRelation] | None:
    """What a relation of a user's changes here. It takes a sentence over, so that no sentence serves two changes."""
    sites = [
        (role, changes, relation)
        for relation in relations
        for role, determiner in zip(("subject", "object"), determiners, strict=True)
        if determiner in ("a", _PLURAL) and (changes := own_changes(frame, role, relation))
    ]
    rng = keyed_random("own relation", *shell)
    return sites[int(rng.random() * len(sites))] if sites and rng.random() < _OWN_SHARE else None


def _lexical_variants(relations: Sequence[OwnRelation]) -> Iterator[FrameVariant]:
    for frame in frames():
        for determiners in _patterns(frame, _LEXICAL_PATTERNS) if frame.objects else _SINGLE_PATTERNS:
            for passive in (False, True) if frame.objects else (False,):
                for place in ("", *frame.places) if frame.objects else frame.places:
                    shell = (frame.key, place, *determiners, str(passive))
                    if relations and (own := _own_site(frame, shell, determiners, relations)) is not None:
                        yield FrameVariant(frame, place, determiners, passive, own[0], own[1], own=own[2])
                        continue
                    rng = keyed_random("shell", frame.key, place, *determiners, passive)
                    sites = _lexical_sites(frame, determiners, int(rng.random() * VARIANTS))
                    if sites:
                        site = _drawn(rng.random(), {name: _POSITION_SHARES[name] for name in sites})
                        yield FrameVariant(frame, place, determiners, passive, site, sites[site])


def _drawn(number: float, shares: dict[str, float]) -> str:
    """The name that a number in [0, 1) falls on, by shares."""
    number *= fsum(shares.values())
    for name, share in shares.items():
        number -= share
        if number < 0:
            return name
    return next(reversed(shares))


@cache
def lexical_groups(relations: tuple[OwnRelation, ...] = ()) -> dict[tuple[str, str], VariantGroup]:
    """Groups by (position or relation of a user's, "active", "passive" or "intransitive"); ladders by voice alone."""
    found: dict[tuple[str, str], list[FrameVariant]] = {}
    for variant in _lexical_variants(relations):
        voice = "intransitive" if not variant.frame.objects else "passive" if variant.passive else "active"
        position = variant.site.partition("-")[0] if variant.own is None else f"relation {variant.own.name}"
        if variant.own is None and variant.changes[0].ladder:
            position, voice = "ladder", "passive" if variant.passive else "active"
        key = (position, voice)
        found.setdefault(key, []).append(variant)
    return {key: VariantGroup(variants) for key, variants in sorted(found.items())}


# ------------------------------------------------------------------------------------- structural


def _participant(frame: VerbFrame, determiners: tuple[str, str], variant: int) -> tuple[str, tuple[ContrastSet, ...]]:
    roles = [role for role, word in zip(("subject", "object"), determiners, strict=True) if word == "a"]
    if not roles:
        return "", ()
    role = roles[variant % len(roles)]
    return f"participant-{role}", participant_changes(frame, role, variant)


def _role_swap(frame: VerbFrame, determiners: tuple[str, str], variant: int) -> tuple[str, tuple[ContrastSet, ...]]:
    # Determiners go with their nouns, so only equal ones stay in the variant when the roles are exchanged.
    return "role-swap", swap_changes(frame) if frame.swap and determiners[0] == determiners[1] else ()


def _unrelated(frame: VerbFrame, determiners: tuple[str, str], variant: int) -> tuple[str, tuple[ContrastSet, ...]]:
    return "unrelated", (_NONE,)


_CONTRASTS: dict[str, Callable[[VerbFrame, tuple[str, str], int], tuple[str, tuple[ContrastSet, ...]]]] = {
    "role-swap": _role_swap,
    "participant": _participant,
    "unrelated": _unrelated,
}


def _structural_variants(contrasts: tuple[str, ...], voices: Sequence[OwnVoice]) -> Iterator[tuple[str, FrameVariant]]:
    for frame in frames():
        for determiners in _patterns(frame, _VOICE_PATTERNS) if frame.objects else ():
            for passive in (False, True):
                for place in ("", *frame.places):
                    rng = keyed_random("voice", frame.key, place, *determiners, passive)
                    variant = int(rng.random() * VARIANTS)
                    sites = {name: _CONTRASTS[name](frame, determiners, variant) for name in contrasts}
                    sites = {name: site for name, site in sites.items() if site[1]}
                    if sites:
                        # Few frames allow an exchange of roles, so those that do are mostly used for it.
                        name = _drawn(rng.random(), {name: 4.0 if name == "role-swap" else 1.0 for name in sites})
                        own = keyed_random("own voice", frame.key, place, *determiners, passive).random() / _OWN_SHARE
                        voice = voices[int(own * len(voices))] if own < 1 and voices else None
                        yield name, FrameVariant(frame, place, determiners, passive, *sites[name], own=voice)


@cache
def structural_groups(
    contrasts: tuple[str, ...], voices: tuple[OwnVoice, ...] = ()
) -> dict[tuple[str, str], VariantGroup]:
    """Groups by (contrast, voice of the premise, or that of a user's in the hypothesis)."""
    found: dict[tuple[str, str], list[FrameVariant]] = {}
    for name, variant in _structural_variants(contrasts, voices):
        voice = "passive" if variant.passive else "active"
        found.setdefault((name, variant.own.name if variant.own else voice), []).append(variant)
    return {key: VariantGroup(_coupled(s) if key[0] == "unrelated" else s) for key, s in sorted(found.items())}


def _coupled(variants: list[FrameVariant]) -> list[FrameVariant]:
    """Every variant with the variant of another event; a variant stands in one couple only."""
    order = [variants[place] for place in shuffled_list(len(variants), 0)]
    couples = []
    while order:
        variant = order.pop()
        for place, other in enumerate(order):
            if _strangers(variant.frame, other.frame):
                couples.append(replace(variant, partner=other))
                del order[place]
                break
    return couples


@cache
def _strangers(frame: VerbFrame, other: VerbFrame) -> bool:
    """Whether two frames share no verb, not even through a common third one."""
    kin = set(frame.verbs)
    for third in frames():
        if kin & set(third.verbs) and set(frame.verbs) & set(third.verbs):
            kin |= set(third.verbs)
    return not kin & set(other.verbs)
