"""How a support of a wanted size and composition can be put together, derived from what events do.

A proof that somebody is somewhere is a *source* (what is said of a place) and any number of *links* (events
that put two people into one place); an object comes in by a *hold*, goes on by a *leave*; somebody's hands are
a series of *changes*. Which events can play which part follows from their effects (`worlds`), so events of a
recipe's own take part like the paper's. Every supporting sentence in which a pronoun may stand can also be
spoken with one; the sentence before it then belongs to the support.

Ways are not listed: a table over (sentences left, concepts so far) says which parts can still reach the goal,
so any size costs the same, every way can be drawn, and a demand that no way meets is seen at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.kinds import AFFIRM, CONJ, INDEF, LEFT, MOVE, NEGATE
from taskloom.families.babi.worlds import WorldProgram


class Part(NamedTuple):
    """One piece of a proof.

    Attributes:
        role: What it does: source, link, hold, leave or change, with its manner ("link give").
        kinds: The events of its supporting sentences, in order.
        before: For each of them the event that the pronoun's antecedent tells, -1 where no pronoun stands.
        cost: How many sentences it adds to the support.
        labels: The events and constructs it adds to the composition.
        weight: How likely it is among parts of its cost: pronouns are as rare in proofs as in the rest of a story.
        gain: How many objects more a person carries afterwards.
    """

    role: str
    kinds: tuple[int, ...]
    before: tuple[int, ...]
    cost: int
    labels: frozenset[str]
    weight: int = 10
    gain: int = 0


class Stage(NamedTuple):
    """A choice of parts: one, or where `repeat` at least `least` and at the most `most` of them."""

    parts: tuple[Part, ...]
    repeat: bool = False
    least: int = 0
    most: int = 1


Skeleton = tuple[Stage, ...]

_COMPOUND_WEIGHT = 38
"""Two people who go on as 'they': where a person was named last is then not where they are."""

_UNIT = 1_200
_LONG = 7
_RARE = 8


class Grammar:
    """The parts that a concept set offers.

    Args:
        concepts: Events and constructs.
        world: The world's programs.
    """

    def __init__(self, concepts: Concepts, world: WorldProgram) -> None:
        self.concepts, self.world = concepts, world
        has = concepts.has
        self.kinds = [
            kind
            for kind, event in enumerate(world.events)
            if has(event.name) or (kind in (AFFIRM, LEFT) and has("negate"))
        ]
        if concepts.affirm >= 1:
            self.kinds = [kind for kind in self.kinds if kind not in (NEGATE, LEFT)]
        if concepts.affirm <= 0 and AFFIRM in self.kinds:
            self.kinds.remove(AFFIRM)
        self.referring = tuple(kind for kind in self.kinds if concepts.may_refer(world.events[kind].name))

    # -- which events can do what -----------------------------------------------------------------------

    def doing(self, *names: str) -> list[int]:
        """The events whose one effect is one of these."""
        ops = ((kind, self.world.events[kind].ops) for kind in self.kinds)
        return [kind for kind, own in ops if len(own) == 1 and own[0][0] in names]

    def labels(self, *kinds: int) -> frozenset[str]:
        """What sentences of these kinds count as."""
        events = [self.world.events[kind] for kind in kinds]
        return frozenset(
            [*(event.label for event in events), *(event.construct for event in events if event.construct)]
        )

    def part(self, role: str, *kinds: int, before: Sequence[int] | None = None, free: bool = False) -> Part:
        """A part of these sentences; antecedents cost a sentence each, unless they belong to the support anyway."""
        stands = tuple(before) if before is not None else (-1,) * len(kinds)
        extra = [kind for kind in stands if kind >= 0]
        labels = self.labels(*kinds) | (frozenset() if free else self.labels(*extra))
        if extra or free:
            labels |= {"coref"}
        spoken = [kind for kind, stand in zip(kinds, stands, strict=True) if stand >= 0]
        weight = min((self._pronoun_weight(kind) for kind in spoken), default=10)
        return Part(role, kinds, stands, len(kinds) + (0 if free else len(extra)), labels, weight)

    def _pronoun_weight(self, kind: int) -> int:
        coref = self.concepts.coref
        share = coref.get(self.world.events[kind].name, 0.0) / max(coref.values())
        return max(1, round(10 * share))

    def spoken(self, role: str, kind: int, *, moving: bool) -> list[Part]:
        """A part of one sentence, with and without a pronoun. Antecedents that move need a person free to move."""
        parts = [self.part(role, kind)]
        if kind in self.referring:
            events = self.world.events
            others = [other for other in self.referring if moving or not events[other].moves()]
            parts += [self.part(role, kind, before=(other,)) for other in others]
        return parts

    # -- stages -------------------------------------------------------------------------------------------

    def sources(self) -> tuple[Part, ...]:
        """What puts a person into a place for certain."""
        parts: list[Part] = []
        for kind in self.doing("in", "at"):
            parts += self.spoken("source", kind, moving=True)
        if CONJ in self.kinds:
            parts.append(self.part("source conj", CONJ))
        if self.concepts.has("compound"):
            labels = frozenset(("move", "compound"))
            parts.append(Part("source compound", (CONJ, CONJ), (-1, -1), 2, labels, _COMPOUND_WEIGHT))
        return tuple(parts)

    def double_sources(self) -> tuple[Part, ...]:
        """Two open statements about people of the chain that settle the place together."""
        parts = []
        if INDEF in self.kinds:
            parts.append(self.part("source either-either", INDEF, INDEF))
            if NEGATE in self.kinds:
                parts.append(self.part("source either-not", INDEF, NEGATE))
        return tuple(parts)

    def open_sources(self) -> tuple[Part, ...]:
        """Statements that leave a place open or rule it out."""
        return tuple(
            self.part(f"source {name}", kind)
            for name, kind in (("either", INDEF), ("not", NEGATE))
            if kind in self.kinds
        )

    def links(self) -> tuple[Part, ...]:
        """What puts two people into one place."""
        parts = [self.part("link give", kind) for kind in self.doing("give")] if self.doing("take") else []
        parts += [self.part("link meet", kind) for kind in self.doing("meet")]
        parts += [self.part("link join", kind) for kind in self.doing("with")]
        still = [kind for kind in self.referring if not self.world.events[kind].moves()]
        for drop in self.doing("drop"):
            for take in self.doing("take"):
                for one in (-1, *(still if drop in self.referring else ())):
                    for two in (-1, *(still if take in self.referring else ())):
                        parts.append(self.part("link drop-take", drop, take, before=(one, two)))
        return tuple(parts)

    def holds(self) -> tuple[Part, ...]:
        """How a person who is placed otherwise comes to hold the asked object there."""
        return tuple(part for kind in self.doing("take") for part in self.spoken("hold take", kind, moving=False))

    def dropped(self) -> tuple[Part, ...]:
        """How the asked object comes to lie."""
        if not self.doing("take"):
            return ()
        return tuple(part for kind in self.doing("drop") for part in self.spoken("hold drop", kind, moving=False))

    def carried(self) -> tuple[Part, ...]:
        """How a person comes to hold the asked object before their place is stated."""
        parts = [part for kind in self.doing("take") for part in self.spoken("hold carry", kind, moving=True)]
        if self.doing("take"):
            parts += [self.part("hold receive", kind) for kind in self.doing("give")]
        return tuple(parts)

    def brought(self) -> tuple[Part, ...]:
        """A person takes the asked object and goes, spoken as a pair: the antecedent is the taking."""
        return tuple(
            self.part("hold bring", take, move, before=(-1, take), free=True)
            for take in self.doing("take")
            if take in self.referring
            for move in self.doing("in")
            if move in self.referring
        )

    def leaves(self) -> tuple[Part, ...]:
        """How the holder goes on."""
        parts: list[Part] = []
        for kind in self.doing("in"):
            parts += self.spoken("leave", kind, moving=False)
        if CONJ in self.kinds:
            parts.append(self.part("leave conj", CONJ))
        if self.concepts.has("compound"):
            parts.append(Part("leave compound", (CONJ,), (-1,), 1, frozenset(("move", "compound"))))
        return tuple(parts)

    def pairs(self) -> tuple[Part, ...]:
        """Both ends of a move in one pair: "Ann went to the park. Then she went to the school."""
        parts = []
        if MOVE in self.referring:
            parts.append(
                Part("pair", (MOVE, MOVE), (-1, MOVE), 2, frozenset(("move", "coref")), self._pronoun_weight(MOVE))
            )
        if self.concepts.has("compound"):
            parts.append(Part("pair compound", (CONJ, CONJ), (-1, -1), 2, frozenset(("move", "compound"))))
        return tuple(parts)

    def changes(self) -> tuple[Part, ...]:
        """Changes of one person's hands."""
        parts: list[Part] = []
        moving = [kind for kind in self.referring if self.world.events[kind].moves()]
        if self.doing("take"):
            for name, gain in (("take", 1), ("drop", -1)):
                for kind in self.doing(name):
                    before = [-1, *(moving if kind in self.referring else ())]
                    parts += [self.part(f"change {name}", kind, before=(one,))._replace(gain=gain) for one in before]
            for kind in self.doing("give"):
                parts += [self.part("change give", kind)._replace(gain=-1)]
                parts += [self.part("change receive", kind)._replace(gain=1)]
        return tuple(parts)


# -- ways --------------------------------------------------------------------------------------------


class Ways:
    """The ways that lead through a skeleton to a size and a composition.

    Args:
        skeleton: The stages.
        wanted: Labels that must all occur.
        exact: Whether no other label may occur.
    """

    def __init__(self, skeleton: Skeleton, wanted: frozenset[str], exact: bool) -> None:
        self._names = sorted(wanted)
        bits = {name: 1 << place for place, name in enumerate(self._names)}
        self._full = (1 << len(self._names)) - 1

        def mask(part: Part) -> int:
            return sum(bits[label] for label in part.labels if label in bits)

        self._stages = tuple(
            stage._replace(parts=tuple(part for part in stage.parts if not exact or part.labels <= wanted))
            for stage in skeleton
        )
        self._masks = tuple(tuple(mask(part) for part in stage.parts) for stage in self._stages)
        self.reach: Callable[[int, int, int, int], bool] = lru_cache(maxsize=None)(self._reach)
        self._choices = lru_cache(maxsize=None)(self._cumulated)

    def _reach(self, stage: int, used: int, left: int, mask: int) -> bool:
        """Whether the goal can be reached; `used` counts the parts of this stage so far."""
        if stage == len(self._stages):
            return left == 0 and mask == self._full
        return any(True for _ in self._options(stage, used, left, mask))

    def _options(self, stage: int, used: int, left: int, mask: int) -> Iterator[tuple[int, Part | None, int]]:
        """What may come next and still reach the goal: (weight, part or None for the next stage, its mask)."""
        parts, repeat, least, most = self._stages[stage]
        needed = max(least, 0 if repeat else 1)
        if used >= needed and self.reach(stage + 1, 0, left, mask):
            yield _UNIT, None, 0
        if used < most:
            now = used + 1
            for part, more in zip(parts, self._masks[stage], strict=True):
                if (
                    part.cost <= left
                    and (part.cost or not repeat)
                    and self.reach(stage, now, left - part.cost, mask | more)
                ):
                    # Objects for antecedents run out in long proofs.
                    rare = _RARE ** sum(kind >= 0 for kind in part.before) if left > _LONG else 1
                    yield max(1, _UNIT * part.weight // (10 * max(1, part.cost) * rare)), part, more

    def draw(self, size: int, rng: Random) -> list[Part]:
        """Parts of one way. Cheap parts are likelier, or the many dear ones would crowd them out."""
        stage, used, left, mask = 0, 0, size, 0
        found: list[Part] = []
        while stage < len(self._stages):
            options = self._choices(stage, used, left, mask)
            pick = int(rng.random() * options[-1][0])
            _, part, more = next(option for option in options if pick < option[0])
            if part is None:
                stage, used = stage + 1, 0
                continue
            found.append(part)
            left, mask, used = left - part.cost, mask | more, used + 1
        return found

    def _cumulated(self, stage: int, used: int, left: int, mask: int) -> list[tuple[int, Part | None, int]]:
        total, found = 0, []
        for weight, part, more in self._options(stage, used, left, mask):
            total += weight
            found.append((total, part, more))
        return found

    def possible(self, size: int) -> bool:
        """Whether any way has this size."""
        return size >= 0 and self.reach(0, 0, size, 0)
