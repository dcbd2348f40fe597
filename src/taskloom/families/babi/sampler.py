"""Guided sampling: the support is planned first, the rest of the story is written around it, and every item is checked.

Where no plan meets a demand, stories are drawn at random and looked through before anything is said: a demand is called
impossible only with the reason, and otherwise "not found" with the number of tries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import fsum
from random import Random
from typing import NamedTuple, TypeVar

from taskloom.core import keyed_random
from taskloom.families.babi import kinds
from taskloom.families.babi.concepts import PLACELESS, CellSpec, StarvedError, composition, impossible
from taskloom.families.babi.grammar import Ways
from taskloom.families.babi.kinds import Question, Sentence
from taskloom.families.babi.mentions import TELLING, story_scale, wishes
from taskloom.families.babi.plans import StoryPlan
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.shapes import Carrying, Shape, shapes_of
from taskloom.families.babi.storyteller import Noise, Storyteller
from taskloom.families.babi.support import (
    StoryItem,
    all_supports,
    askable,
    canonical_support,
    every_question,
    gift_question,
    lines,
    measured_distractors,
    signature,
    stands_alone,
)
from taskloom.families.babi.worlds import PAPER_WORLD, WorldProgram

PATIENCE = 1_000
"""Attempts in a row that may fail before a cell is given up; a second at the most."""


_ABOUT_OBJECTS = (kinds.WHERE_O, kinds.WHERE_WAS)


def _demands(shape: Shape) -> int:
    """How many objects and companions a proof needs at hand for sentences that are spoken with others."""
    parts = shape.parts
    return sum(kind >= 0 for part in parts for kind in part.before) + 9 * sum(
        kinds.CONJ in part.kinds for part in parts
    )


_T = TypeVar("_T")


class _Choice(NamedTuple):
    """A size of support; `glue` says that the wanted pronoun comes from a pair that belongs to the support anyway."""

    size: int
    wanted: frozenset[str]
    glue: bool


class Sampler:
    """Draws the items of one cell.

    Args:
        cell: What the items must be like.
        sizes: How many persons, objects and places the vocabulary has.
        world: The world's programs.
        where: What to name in errors.
        search: Whether random stories are looked through where no plan leads to the cell.
        patience: Attempts in a row that may fail before the cell is given up.

    Raises:
        StarvedError: Nothing meets the cell, or nothing was found that does.
    """

    def __init__(
        self,
        cell: CellSpec,
        sizes: tuple[int, int, int],
        world: WorldProgram = PAPER_WORLD,
        *,
        where: str,
        search: bool = True,
        patience: int = PATIENCE,
    ) -> None:
        self.cell, self.sizes, self.world, self.where = cell, sizes, world, where
        self.noise = Noise(cell.concepts, world)
        self.shapes = shapes_of(cell.concepts, world, sizes[0])
        self._patience, self._stories = patience, max(1, round(TELLING.stories * patience))
        self._wanted = frozenset(cell.requires)
        self._statements = cell.concepts.has("negate") or cell.concepts.has("indef")
        self._signatures: Counter[str] = Counter()
        self._choices = {kind: found for kind in cell.questions if (found := self._feasible(kind))}
        self._random_only = False
        if not self._choices:
            if not search:
                raise StarvedError(f"no plan leads to {self.cell.title()}", where=where)
            self._refuse_or_search()
        self._kinds = tuple(self._choices) or cell.questions
        self.new_block()

    # -- what is looked for -----------------------------------------------------------------------------------

    def new_block(self) -> None:
        """Forget the signatures of the block before: blocks are drawn independently."""
        self._signatures.clear()

    def _length(self, rng: Random) -> int:
        low, high = self.cell.length
        return low if low == high else low + int(rng.random() * (high - low + 1))

    def judge(self, sentences: list[Sentence], reader: Reader, question: Question) -> StoryItem | str:
        """The question as an item, or the name of the filter that refuses it."""
        cell = self.cell
        answer = reader.answer(question)
        if answer is None or reader.conflicts or not askable(reader, question, answer):
            return "question"
        mask = canonical_support(reader, question, cell.support[1])
        if mask is None or not cell.support[0] <= mask.bit_count() <= cell.support[1]:
            return "support"
        item = StoryItem(sentences, question, answer, lines(mask), reader)
        support = item.support
        if not self._fits_composition(sentences, support):
            return "requires"
        if cell.paths != (0, 1_000_000):
            alternatives = len(all_supports(reader, question))
            if not cell.paths[0] <= alternatives <= cell.paths[1]:
                return "paths"
        if (
            cell.distractors != "mixed"
            and measured_distractors(sentences, support, question, self.world) != cell.distractors
        ):
            return "distractors"
        if not stands_alone(item, *self.sizes[:2]):
            return "support"
        if cell.per_signature is not None:
            name = signature(sentences, support, question, self.world)
            if self._signatures[name] >= cell.per_signature:
                return "per_signature"
            self._signatures[name] += 1
        return item

    def _fits_composition(self, sentences: list[Sentence], support: Sequence[int]) -> bool:
        cell = self.cell
        if cell.double is not None:
            double = sum(sentences[line].kind == kinds.INDEF for line in support) > 1
            if double != cell.double:
                return False
        if not self._wanted and not cell.exact:
            return True
        found = set(composition(sentences, support, self.world))
        return found == self._wanted if cell.exact else self._wanted <= found

    def further(self, item: StoryItem, rng: Random) -> list[StoryItem]:
        """More questions about the story of an item that pass the filters too, up to the cell's `per_story`."""
        wanted = self.cell.per_story - 1
        if wanted <= 0:
            return []
        return self._look(item.sentences, item.reader, rng, wanted, but=item.question)

    def _look(
        self, sentences: list[Sentence], reader: Reader, rng: Random, most: int, but: Question | None = None
    ) -> list[StoryItem]:
        """Questions about a story that pass the filters."""
        options = [
            question for kind in self.cell.questions for question in every_question(kind, *self.sizes, self.world)
        ]
        rng.shuffle(options)
        found: list[StoryItem] = []
        for question in options:
            if question == but:
                continue
            other = self.judge(sentences, reader, question)
            if isinstance(other, StoryItem):
                found.append(other)
                if len(found) == most:
                    break
        return found

    def _search(self, rng: Random, stories: int, length: int | None = None) -> StoryItem | None:
        """An item from stories drawn at random."""
        for _ in range(stories):
            teller = Storyteller(rng, self.noise, *self.sizes)
            teller.fill(self._length(rng) if length is None else length)
            found = self._look(teller.sentences, teller.reader, rng, 1)
            if found:
                return found[0]
        return None

    def inside(self, rng: Random) -> list[StoryItem]:
        """Questions asked while a story goes on, up to the cell's `per_story`, at least `gap` sentences apart.

        Raises:
            StarvedError: No story offered a question that passes the filters.
        """
        low, high = self.cell.length
        for _ in range(self._stories):
            teller = Storyteller(rng, self.noise, *self.sizes)
            found: list[StoryItem] = []
            since = 0
            while len(found) < self.cell.per_story and len(teller.sentences) < high:
                before = len(teller.sentences)
                if not teller.tell_something(high - before):
                    break
                since += len(teller.sentences) - before
                if len(teller.sentences) < low or since < self.cell.gap or rng.random() >= self.cell.chance:
                    continue
                reader = Reader.of(teller.sentences, *self.sizes[:2], self.world)
                items = self._look(list(teller.sentences), reader, rng, 1)
                if items:
                    found += items
                    since = 0
            if found:
                return found
        raise StarvedError(
            f"{self.cell.title()} was not found after {self._stories:,} stories with questions inside",
            where=self.where,
            hint="loosen `support` or `requires`, or ask at the end of stories",
        )

    # -- what can be built ------------------------------------------------------------------------------------

    def _feasible(self, kind: int) -> list[tuple[_Choice, ...]]:
        """Sizes that can be built, smallest first."""
        low, high = self.cell.support
        top = min(high, self.cell.length[1])
        return [choices for size in range(max(low, 1), top + 1) if (choices := self._size(kind, size))]

    def _size(self, kind: int, size: int) -> tuple[_Choice, ...]:
        wanted = self._wanted
        options = [_Choice(size, wanted, False)]
        if "coref" in wanted and self.shapes.grammar.referring:
            options.append(_Choice(size, wanted - {"coref"}, True))
        return tuple(choice for choice in options if self._possible(kind, choice))

    def _possible(self, kind: int, choice: _Choice) -> bool:
        if self.cell.double and kind in PLACELESS:
            return False
        if kind in kinds.HAND_QUESTIONS:
            return bool(self._carrying(choice.wanted).results(choice.size))
        return any(way.possible(choice.size) for _, way in self._ways(kind, choice.wanted))

    def _carrying(self, wanted: frozenset[str]) -> Carrying:
        """Series of changes with this composition."""
        return self.shapes.carrying(self.sizes[1], wanted, self.cell.exact)

    def _ways(self, kind: int, wanted: frozenset[str]) -> tuple[tuple[str, Ways], ...]:
        """The ways to this composition."""
        return self.shapes.ways(kind, "double" if self.cell.double else "", wanted, self.cell.exact)

    def _refuse_or_search(self) -> None:
        """No plan meets the cell: refuse it where the reason is known, else look at random stories."""
        reason = impossible(self.cell)
        if reason is not None:
            raise StarvedError(
                f"{self.cell.title()} is impossible: {reason}", where=self.where, hint=self._sizes_hint()
            )
        self._random_only = True
        rng = keyed_random("babi", "search", self.cell.title(), *self.sizes)
        if self._search(rng, self._stories) is None:
            raise StarvedError(
                f"{self.cell.title()} was not found: no plan leads to it and none of {self._stories:,} random "
                "stories holds such a question",
                where=self.where,
                hint=self._sizes_hint(),
            )

    def _sizes_hint(self) -> str | None:
        sizes = sorted({size for kind in self.cell.questions for size in range(1, 13) if self._size(kind, size)})
        return f"sizes that can be built: {', '.join(map(str, sizes))}" if sizes else None

    # -- drawing ------------------------------------------------------------------------------------------------

    def draw(self, rng: Random, length: int | None = None, place: int = -1) -> StoryItem:
        """One item that passes every filter.

        Args:
            rng: Where chance comes from.
            length: The number of sentences, if not the cell's own choice.
            place: The place that the answer should be, where it is one and the story allows it; -1 for any.

        Raises:
            StarvedError: Thousands of attempts in a row failed; names the filter that starves.
        """
        failures: Counter[str] = Counter()
        for lean in () if self._random_only else (False, True):
            for number in range(self._patience // 2 if lean else self._patience):
                item = self._attempt(rng, length, place, lean, number > 0)
                if isinstance(item, StoryItem):
                    return item
                failures[item] += 1
        found = self._search(rng, self._stories, length)  # the last resort, before anything is said
        if found is not None:
            return found
        planned = failures.total()
        if not planned:
            failures["support"] = self._stories
        reason, count = failures.most_common(1)[0]
        stories = f"{self._stories:,} random stories"
        raise StarvedError(
            f"{self.cell.title()} was not found after "
            + (f"{planned:,} tries and {stories}" if planned else stories)
            + f"; the filter `{reason}` rejected {count:,} of them",
            where=self.where,
            hint=f"loosen `{reason}`, ask for fewer items, or allow more concepts",
        )

    def _attempt(self, rng: Random, length: int | None, place: int, lean: bool, again: bool) -> StoryItem | str:
        """An item, or the name of the filter that refused it.

        Args:
            rng: Where chance comes from.
            length: The number of sentences, if not the cell's own choice.
            place: The place that the answer should be.
            lean: Whether the plan gets no more room than it must have, and noise keeps away from it half of the time:
                for demands that leave little to chance.
            again: Whether the attempt before failed: a long story then has its support early, or it would fail late.
        """
        cell = self.cell
        kind = self._kinds[int(rng.random() * len(self._kinds))]
        teller = Storyteller(rng, self.noise, *self.sizes)
        teller.far = cell.distractors == "far" or (lean and rng.random() < 0.5)
        plan = StoryPlan(teller, self.shapes.grammar.referring)
        plan.place = place
        if kind == kinds.WHERE_WAS and not teller.far and "indef" in self.noise.names:
            teller.distractor_place = teller.elsewhere(place)
        wanted = self._length(rng) if length is None else length
        plan.long = wanted > TELLING.long
        try:
            wish, glue = self._plan(plan, kind, rng, lean, wanted)
        except LookupError:
            return "length"  # not enough people for so long a chain
        if kind == kinds.WHERE_WAS and wanted > 2 * TELLING.latest:
            # What goes on for long after the move comes to the same place again, and the question would be open.
            plan.head = max(plan.head, wanted - TELLING.latest)
            teller.topic_from = wanted - 2 * TELLING.latest
        elif plan.long and again:
            plan.tail = wanted - 2 * TELLING.long
        told = plan.tell(wanted, self._glued(plan, glue), lean=lean)
        plan.units.clear()  # units hold the plan that holds them; without this only the garbage collector frees them
        if not told:
            return "length"
        found: StoryItem | str = "question"
        for question in self._questions(plan, kind, wish):
            found = self.judge(teller.sentences, teller.reader, question)
            if not plan.long or isinstance(found, StoryItem):
                break  # a long story is worth another question; a short one is told anew
        return found

    def _plan(self, plan: StoryPlan, kind: int, rng: Random, lean: bool, length: int) -> tuple[str, bool]:
        """Choose a size and a proof and put its units into the plan; returns the wished answer."""
        choices = self._choices[kind]
        index = 0
        while index + 1 < len(choices) and rng.random() < self.cell.spread:
            index += 1
        options = choices[index]
        size, wanted, glue = options[int(rng.random() * len(options))]
        if not plan.teller.far:
            self._mention(plan, kind, size, length)
        if kind in kinds.HAND_QUESTIONS:
            series = self._carrying(wanted)
            results = series.results(size)
            result = results[int(rng.random() * len(results))]
            if kind == kinds.LIST and not result:  # empty hands are one answer, two objects are many
                result = results[int(rng.random() * len(results))]
            series.build(plan, series.draw(size, result, rng))
            return "", glue
        shape = self._shape(self._ways(kind, wanted), size, rng, lean)
        wish = ""
        if kind == kinds.YES_NO:
            shape, wish = self._balanced(shape, size, rng, lean)
            plan.wish = wish
        if any(kinds.MOVE in part.kinds and part.before[-1] >= 0 for part in shape.parts):
            plan.teller.pronouns = 2
        if self.cell.paths[0] > 1 and shape.parts[-1].role == "link give":
            self.shapes.build(plan, shape)
            plan.echo(self.cell.paths[0] - 1)
        else:
            self.shapes.build(plan, shape)
        self._make_room(plan, kind, shape, length)
        return wish, glue

    def _mention(self, plan: StoryPlan, kind: int, size: int, length: int) -> None:
        """Decide what noise is to tell of the person or object asked about, and when."""
        cell, teller = self.cell, plan.teller
        found = wishes(kind, size, self._statements, cell.mentions)
        if found is None:
            return
        scale = story_scale(kind, length)
        if cell.distractors == "near":
            scale = max(scale, (length - size) / 3 / max(fsum(found.kinds.values()), 0.1))
        teller.mentions, teller.mention_times = found.draw(plan.rng, length, scale)
        if kind in _ABOUT_OBJECTS:
            teller.topic = plan.favourite

    @staticmethod
    def _make_room(plan: StoryPlan, kind: int, shape: Shape, length: int) -> None:
        """Leave room for what is to be told of the person or object asked about, after the support or before it."""
        times = plan.teller.mention_times
        if kind == kinds.WHERE_O:
            if plan.rng.random() < TELLING.object_room:  # the object is taken later
                unit = 0 if shape.skeleton == "carried" else -1
                after = max((time for time, end in times if end < length), default=0)
                plan.units[unit] = plan.units[unit]._replace(after=after)
        elif plan.rng.random() < TELLING.room:
            late = [time for time, end in times if end == length]
            if late:
                plan.tail = max(plan.tail, length - late[int(plan.rng.random() * len(late))])

    def _shape(self, ways: tuple[tuple[str, Ways], ...], size: int, rng: Random, lean: bool) -> Shape:
        """A proof; for a lean plan the one of several that needs the least besides."""
        if not lean:
            return self.shapes.draw(ways, size, rng)
        return min((self.shapes.draw(ways, size, rng) for _ in range(TELLING.shapes)), key=_demands)

    def _balanced(self, shape: Shape, size: int, rng: Random, lean: bool) -> tuple[Shape, str]:
        """A proof of the same composition for an answer drawn from all that this composition can have."""
        labels = shape.labels()
        wishes = []
        for wish in ("yes", "no", "maybe"):
            if self.cell.double and wish == "maybe":
                continue
            ways = self.shapes.ways(kinds.YES_NO, wish, labels, True)
            if any(way.possible(size) for _, way in ways):
                wishes.append((wish, ways))
        wish, ways = wishes[int(rng.random() * len(wishes))]
        if self.cell.double:
            return shape, wish
        return self._shape(ways, size, rng, lean), wish

    def _glued(self, plan: StoryPlan, glue: bool) -> set[int]:
        """The units that are spoken with a pronoun right behind the unit before."""
        if self.cell.exact and "coref" not in self._wanted:
            return set()
        if not self.shapes.grammar.referring:
            return set()
        pairs = [
            index
            for index in range(1, len(plan.units))
            if plan.units[index].pairs
            and plan.units[index - 1].refers
            and plan.units[index].subject == plan.units[index - 1].subject
        ]
        found: set[int] = set()
        for index in pairs:
            if index - 1 not in found and plan.rng.random() < TELLING.glue:
                found.add(index)
        if glue and pairs and not found:
            found = {pairs[int(plan.rng.random() * len(pairs))]}
        return found

    def _questions(self, plan: StoryPlan, kind: int, wish: str) -> list[Question]:
        """What may be asked at the end of a plan, the question drawn first."""
        asked, reader = plan.asked, plan.teller.reader
        if kind in kinds.GIVE_QUESTIONS:
            return [gift_question(kind, reader.gives[int(plan.rng.random() * len(reader.gives))])]
        if kind == kinds.WHERE_WAS:
            origin = reader.place(reader.path[asked][-1][0])
            if origin == plan.arrived_at and plan.rng.random() < TELLING.back:
                return []
            return [Question(kinds.WHERE_WAS, asked, plan.goal)]
        if kind == kinds.YES_NO:
            return [Question(kind, asked, place) for place in _asked_places(plan, asked, wish)]
        if self.world.questions[kind].find == "role":
            options = every_question(kind, *self.sizes, self.world)
            return _turned([one for one in options if reader.answer(one) is not None], plan.rng)
        return [Question(kind, asked)]


def _turned(options: list[_T], rng: Random) -> list[_T]:
    """The options from a random one on."""
    start = int(rng.random() * len(options)) if options else 0
    return options[start:] + options[:start]


def _asked_places(plan: StoryPlan, who: int, wish: str) -> list[int]:
    """Places for a yes-no question with the wished answer, one drawn first; for 'no' those that the story speaks of."""
    teller = plan.teller
    places = teller.reader.person_places(who)
    inside = [place for place in range(teller.places) if places >> place & 1]
    if wish == "yes":
        return inside if len(inside) == 1 and places > 0 else []
    if wish == "maybe":
        return _turned(inside, plan.rng) if places > 0 else []
    outside = [place for place in range(teller.places) if not places >> place & 1]
    if plan.tempting in outside:
        return [plan.tempting]
    said = {
        place
        for kind, _, second, third, _, _ in teller.sentences
        if kind <= kinds.CONJ
        for place in ((second, third) if kind == kinds.INDEF else (third,) if kind == kinds.CONJ else (second,))
    }
    return _turned([place for place in outside if place in said] or outside, plan.rng)
