"""Suites over worlds of any sorts: their records, how they are said, and how their rows are drawn.

A world file is checked before a story is drawn: every sentence has one reading, every role and thing has its words in
every language, every event can happen, every question is asked, and no event contradicts itself.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, count, islice, product
from math import prod
from random import Random
from typing import Any, NamedTuple

from taskloom.core import Blocks, Cell, Instance, KeyedRandom, Lattice, Row, Task, UniformBlocks, UserError, any_of
from taskloom.core.definition import Definition
from taskloom.core.instance import input_hash
from taskloom.core.rng import digest
from taskloom.core.targets import Items, Targets
from taskloom.families.babi.concepts import StarvedError
from taskloom.families.babi.fluent_records import FluentQuestion, FluentRecipe, FluentTexts
from taskloom.families.babi.fluents import Expression, FluentWorld, Happening, State, Value
from taskloom.families.babi.instances import VERSION, ShownExample, instruction, written
from taskloom.families.babi.support import closeness
from taskloom.families.babi.vocabulary import LANGUAGES, Language, language

_BLOCK = 200
_TRIES = 60
"""Draws of the things of an event before it is held to be impossible now."""
_STORIES = 1_000
"""Stories looked through for one row."""
_WISHED = 5
"""Stories with such a question that are looked through for a support of the wished size; then the nearest size does."""
_ASKED, _WAITING = 3, 24
"""Questions of a kind whose supports are worked out for a story; stories that are kept for later rows."""
_CHECKED = 150
"""Stories told to find out whether every event happens and every question can be asked."""
_RARE = 3
"""Questions with marks that occur less often in them are left out, with a note."""
_LOOKED_AT, _COMMON = 40, 6
"""Items of each question that are looked at, and how many of them a combination needs to be a cell."""
_STREAM = 3
_SIDES = {"train": 0, "dev": 1, "test": 2}


class Turn(NamedTuple):
    """What a row must be: its question, its marks, and the answer where that is yes or no."""

    question: str
    marks: frozenset[str]
    truth: bool | None = None


class _Asked(NamedTuple):
    """A compiled question."""

    record: FluentQuestion
    answer: Expression
    needs: Value | None
    marks: dict[str, Value]


class FluentItem(NamedTuple):
    """A story with a question about it."""

    story: tuple[Happening, ...]
    question: str
    things: tuple[str, ...]
    answer: Any
    support: tuple[int, ...]
    marks: tuple[str, ...]


class WorldSource:
    """A world that has been checked, and the rows of its splits.

    Args:
        recipe: The world.
        where: The suite, for errors.

    Raises:
        UserError: The world cannot be read in one way only, has gaps or contradicts itself.
    """

    def __init__(self, recipe: FluentRecipe, where: str) -> None:
        self.recipe, self.where = recipe, where
        fluents = {name: (each.of, each.value, each.initially) for name, each in recipe.fluents.items()}
        try:
            self.world = FluentWorld(self._sorts(), fluents)
            self._compile()
            codes = sorted({code for event in recipe.events.values() for code in event.text})
            self.texts = {code: FluentTexts(recipe, self.world.sorts, code) for code in codes}
            if recipe.language not in self.texts:
                raise ValueError(f"the world has no texts in {recipe.language!r}, only in {', '.join(codes)}")
            for texts in self.texts.values():
                self._refuse_two_readings(texts)
            self.turns, self.notes = self._refuse_gaps()
        except ValueError as error:
            raise UserError(str(error), where=where) from None

    def _sorts(self) -> dict[str, dict[str, Sequence[int]]]:
        found: dict[str, dict[str, Sequence[int]]] = {}
        for sort, things in self.recipe.sorts.items():
            if isinstance(things, dict):
                found[sort] = dict(things)
            elif isinstance(things, str):
                for part in map(str.strip, things.split("|")):
                    if part not in found:
                        raise ValueError(f"the sort {sort!r} takes in {part!r}, which is not a sort before it")
                    found.setdefault(sort, {}).update(found[part])
            else:
                found[sort] = dict.fromkeys(things, ())
        for sort, every in found.items():
            if len(every) < 2:
                raise ValueError(f"gap: the sort {sort!r} has fewer than two things")
        return found

    def _compile(self) -> None:
        world, recipe = self.world, self.recipe
        for name, fluent in recipe.fluents.items():
            for sort in (*fluent.of, *(() if fluent.value in ("number", "position") else (fluent.value,))):
                if sort not in world.sorts:
                    raise ValueError(f"the fluent {name!r} names the sort {sort!r}; there are {', '.join(world.sorts)}")
        self.needs: dict[str, Value] = {}
        assigned = set()
        for name, event in recipe.events.items():
            rules = world.compile_event(name, event.roles, event.sets, event.learns)
            assigned |= {rule.fluent for rule in rules}
            if not rules:
                raise ValueError(f"gap: the event {name!r} changes nothing and tells nothing")
            if event.needs:
                self.needs[name] = world.expression(event.needs, event.roles).value
        for name in recipe.fluents:
            if name not in assigned:
                raise ValueError(f"gap: no event sets the fluent {name!r}")
        self.asked: dict[str, _Asked] = {}
        for name, asked in recipe.questions.items():
            answer = world.expression(asked.answer, asked.roles)
            needs = world.expression(asked.needs, asked.roles).value if asked.needs else None
            marks = {mark: world.expression(text, asked.roles).value for mark, text in asked.marks.items()}
            self.asked[name] = _Asked(asked, answer, needs, marks)

    # -- checks -------------------------------------------------------------------------------------------------

    def _refuse_two_readings(self, texts: FluentTexts) -> None:
        """Every text with a few things in it must be read as what it was."""
        rng = Random(0)
        for name, variants in texts.variants.items():
            roles = self.recipe.events[name].roles
            for variant in variants:
                for _ in range(12):
                    things = self._things(roles, rng)
                    sentence = texts.fill(variant, roles, things)
                    readings = texts.read(sentence)
                    if readings != {Happening(name, things)}:
                        other = next(each for each in readings if each != Happening(name, things))
                        raise ValueError(
                            f"two readings: {sentence!r} is {name}({', '.join(things)}) and "
                            f"{other.event}({', '.join(other.things)})"
                        )

    def _refuse_gaps(self) -> tuple[list[Turn], list[str]]:
        """The combinations of question and marks that occur; a world in which something never does is refused."""
        rng = Random(1)
        happened: set[str] = set()
        found: Counter[Turn] = Counter()
        for _ in range(_CHECKED):
            story, state = self.story(rng, max(self.recipe.length[1], 12), None)
            happened |= {each.event for each in story}
            for name in self.asked:
                found.update(turn for _, _, turn in self.questions(name, state, rng))
        for name in self.recipe.events:
            if name not in happened:
                raise ValueError(f"gap: the event {name!r} never happens: what it needs never holds")
        for name in self.asked:
            if not any(turn.question == name for turn in found):
                raise ValueError(f"gap: the question {name!r} can never be asked: its answer is never known")
        turns = sorted(found, key=lambda turn: (turn.question, sorted(turn.marks), bool(turn.truth)))
        rare = [turn for turn in turns if found[turn] < _RARE]
        return [turn for turn in turns if turn not in rare], [
            f"{turn.question} {'+'.join(turn.marks)}".strip() for turn in rare
        ]

    # -- stories ------------------------------------------------------------------------------------------------

    def _things(self, roles: Mapping[str, str], rng: Random) -> tuple[str, ...]:
        """Things for roles, no two the same."""
        random, sorts = rng.random, self.world.sorts
        while True:
            chosen = []
            for sort in roles.values():
                options = sorts[sort]
                thing = options[int(random() * len(options))]
                if thing in chosen:
                    break
                chosen.append(thing)
            else:
                return tuple(chosen)

    @cached_property
    def _weighted(self) -> tuple[list[tuple[str, dict[str, str], Value | None]], list[float]]:
        """The events with what they need, and their weights added up."""
        events = [(name, event.roles, self.needs.get(name)) for name, event in self.recipe.events.items()]
        return events, list(accumulate(event.weight for event in self.recipe.events.values()))

    def story(self, rng: Random, length: int, side: int | None) -> tuple[tuple[Happening, ...], State]:
        """A random story. Its first sentences say which split it belongs to."""
        events, weights = self._weighted
        random, total = rng.random, weights[-1]
        while True:
            story: list[Happening] = []
            state: State = {}
            tries = _TRIES * length
            while len(story) < length and tries:
                tries -= 1
                name, roles, needs = events[bisect(weights, random() * total)]
                things = self._things(roles, rng)
                if needs is not None and needs(state, dict(zip(roles, things, strict=True))) is not True:
                    continue
                happening = Happening(name, things)
                if len(story) == 1 and side is not None and _side((*story, happening)) != side:
                    continue
                story.append(happening)
                state = self.world.after(state, self.world.assignments(happening))
            if len(story) == length or side is None:
                return tuple(story), state

    def questions(self, name: str, state: State, rng: Random) -> Iterator[tuple[tuple[str, ...], Any, Turn]]:
        """Questions of a kind that can be asked now: (things, answer, turn)."""
        record, answer, needs, marks = self.asked[name]
        sizes = [len(self.world.sorts[sort]) for sort in record.roles.values()]
        for _ in range(min(24, prod(sizes))):
            things = self._things(record.roles, rng)
            env = dict(zip(record.roles, things, strict=True))
            if needs is not None and needs(state, env) is not True:
                continue
            found = answer.value(state, env)
            if found is None:
                continue
            known = {mark: holds(state, env) for mark, holds in marks.items()}
            if None not in known.values():
                marks_held = frozenset(mark for mark, holds in known.items() if holds)
                yield things, found, Turn(name, marks_held, found if isinstance(found, bool) else None)

    def supported(
        self, story: tuple[Happening, ...], name: str, things: tuple[str, ...], answer: Any, marks: frozenset[str]
    ) -> FluentItem | None:
        asked = self.asked[name]
        env = dict(zip(asked.record.roles, things, strict=True))
        support = self.world.support(story, asked.answer, env, answer)
        if not support:
            return None
        return FluentItem(story, name, things, answer, support, tuple(sorted(marks)))

    # -- rows -----------------------------------------------------------------------------------------------------

    def rota(self) -> list[Turn]:
        """The order in which questions and marks take turns."""
        found: list[Turn] = []
        most = max(1.0, *(asked.share for asked in self.recipe.questions.values()))
        for lap in range(round(4 * most)):
            for turn in self.turns:
                share = self.recipe.questions[turn.question].share
                if int((lap + 1) * share / most + 1e-9) > int(lap * share / most + 1e-9):
                    found.append(turn)
        return found

    def blocks(self, split: str, size: int, seed: int, key: str) -> Blocks:
        """The rows of a split."""
        random = KeyedRandom("babi", "fluents", key, seed, split)
        turns = self.rota()

        def make(block: int) -> Iterator[Row]:
            seen: set[bytes] = set()
            pool = StoryPool(self, random.at(block), _SIDES[split])
            for place in range(_BLOCK):
                position = block * _BLOCK + place
                for attempt in count():
                    rng = random.at(block, place, attempt)
                    wished = rng.randint(*self.recipe.support)
                    item = pool.item(turns[position % len(turns)], wished)
                    row = Row(item.question, self.instance(f"{position:06d}", item, rng))
                    mark = input_hash(row.instance.input)
                    if mark not in seen:
                        seen.add(mark)
                        yield row
                        break

        return UniformBlocks(make, size, _BLOCK, self.where)

    def told(self, item: FluentItem, rng: Random) -> tuple[list[str], str]:
        """The story and the question in words."""
        texts = self.texts[self.recipe.language]
        lines = [texts.say(each, rng.randrange(1 << 16)) for each in item.story]
        roles = self.recipe.questions[item.question].roles
        options = texts.questions[item.question]
        return lines, texts.fill(options[rng.randrange(len(options))], roles, item.things)

    @cached_property
    def _language(self) -> Language:
        """The words of answers and explanations; English ones for a language that the family does not have."""
        return language(self.recipe.language if self.recipe.language in LANGUAGES else "en")

    def targets(self, answer: Any) -> Targets:
        """The acceptable forms of an answer."""
        words = self._language.vocabulary
        if isinstance(answer, bool):
            return any_of(words.yes if answer else words.no)
        if isinstance(answer, int):
            return any_of((words.count_word(answer), str(answer)))
        texts = self.texts[self.recipe.language]
        if isinstance(answer, tuple):
            named = tuple(sorted(texts.word(thing) for thing in answer))
            return Items((named,), separator=words.separator, empty=words.nothing)
        return any_of(texts.forms(answer))

    def instance(self, name: str, item: FluentItem, rng: Random) -> Instance:
        """An item as a row."""
        lines, asked = self.told(item, rng)
        needed = sorted({item.story[line].event for line in item.support})
        return written(
            name,
            lines,
            asked,
            self.targets(item.answer),
            item.question,
            item.support,
            events=tuple(sorted({each.event for each in item.story})),
            constructs=item.marks,
            composition="+".join((*needed, *item.marks)),
            distractors=self._distractors(item),
        )

    def _distractors(self, item: FluentItem) -> str:
        outside = [each for line, each in enumerate(item.story) if line not in item.support]
        return closeness(sum(not set(each.things).isdisjoint(item.things) for each in outside), len(outside))

    def tasks(self) -> dict[str, Task]:
        """A task for each question, with examples that no split holds."""
        return {name: self._task(name) for name in self.recipe.questions}

    def _task(self, name: str) -> Task:
        code = self.recipe.language
        shown = []
        turns = [turn for turn in self.turns if turn.question == name]
        kinds = set()
        for number in range(3):
            rng = Random(digest("babi", "fluents", self.where, name, number))
            item = StoryPool(self, rng, _STREAM).item(turns[number % len(turns)])
            lines, asked = self.told(item, rng)
            kinds.add(type(item.answer))
            answer = self.targets(item.answer).canonical()
            shown.append(ShownExample(lines, asked, answer, self._wrong(item), item.support))
        kind = kinds.pop()
        words, said = self._language.vocabulary, self._language.instructions
        record = self.recipe.questions[name]
        text = " ".join(part for part in (self.recipe.about.get(code, ""), record.ask.get(code, "")) if part)
        return Task(
            name=name,
            instruction=instruction(Definition.of(text), shown, said),
            kind="label" if kind is bool else "items" if kind is tuple else "text",
            scorer="label" if kind is bool else "items" if kind is tuple else "exact",
            labels=(words.yes, words.no) if kind is bool else (),
            facets={"family": "babi", "category": self.where, "language": code, "question": name},
            version=VERSION,
        )

    def _wrong(self, item: FluentItem) -> str:
        """A wrong answer of the same sort."""
        answer = item.answer
        if isinstance(answer, bool):
            return self.targets(not answer).canonical()
        if isinstance(answer, int):
            return self.targets(answer + 1).canonical()
        known = answer[0] if isinstance(answer, tuple) and answer else answer
        sort = next(things for things in self.world.sorts.values() if known in things or not known)
        other = next(thing for thing in sort if thing != known)
        return self.targets((other,) if isinstance(answer, tuple) else other).canonical()


class DrawnStory:
    """A story with the items that it offers, worked out once for each turn that asks.

    Args:
        source: The world.
        rng: Where chance comes from.
        side: The split that the story belongs to.
    """

    def __init__(self, source: WorldSource, rng: Random, side: int) -> None:
        self._source, self._rng = source, rng
        self._story, self._state = source.story(rng, rng.randint(*source.recipe.length), side)
        self._asked: dict[str, list[tuple[tuple[str, ...], Any, Turn]]] = {}
        self._items: dict[Turn, list[FluentItem]] = {}

    def items(self, turn: Turn) -> list[FluentItem]:
        """Items with this question, these marks and a support of a size that the recipe allows."""
        found = self._items.get(turn)
        if found is None:
            name = turn.question
            if name not in self._asked:
                self._asked[name] = list(self._source.questions(name, self._state, self._rng))
            low, high = self._source.recipe.support
            fitting = islice((each for each in self._asked[name] if each[2] == turn), _ASKED)
            items = (
                self._source.supported(self._story, name, things, answer, turn.marks) for things, answer, _ in fitting
            )
            found = self._items[turn] = [item for item in items if item and low <= len(item.support) <= high]
        return found


class StoryPool:
    """Stories drawn one after the other for items that take turns; one that has nothing for a turn waits for the next.

    Args:
        source: The world.
        rng: Where chance comes from.
        side: The split that the stories belong to.
    """

    def __init__(self, source: WorldSource, rng: Random, side: int) -> None:
        self._source, self._rng, self._side = source, rng, side
        self._waiting: list[DrawnStory] = []

    def item(
        self, turn: Turn, wished: int | None = None, fits: Callable[[FluentItem], bool] | None = None
    ) -> FluentItem:
        """An item of a turn, of the wished size of support or the nearest of a few stories; no story serves twice.

        Raises:
            StarvedError: None was found in hundreds of stories.
        """
        nearest: tuple[int, DrawnStory, FluentItem] | None = None
        offers = 0
        for number in range(-len(self._waiting), _STORIES):
            if nearest is not None and max(offers, number) >= _WISHED:
                break
            if number >= 0:
                self._waiting.append(DrawnStory(self._source, self._rng, self._side))
            drawn = self._waiting[min(number, -1)]
            found = drawn.items(turn)
            offers += bool(found)
            for item in found:
                if fits is not None and not fits(item):
                    continue
                away = 0 if wished is None else abs(len(item.support) - wished)
                if nearest is None or away < nearest[0]:
                    nearest = away, drawn, item
            if nearest is not None and not nearest[0]:
                break
        if nearest is None:
            low, high = self._source.recipe.support
            raise StarvedError(
                f"no {turn.question} with a support of {low} to {high} sentences was found in {_STORIES} stories",
                where=self._source.where,
                hint="allow other sizes of `support`, or longer stories",
            )
        self._waiting.remove(nearest[1])
        del self._waiting[:-_WAITING]
        return nearest[2]


class FluentLattice(Lattice):
    """The combinations of a world: question × events and marks of the support.

    Args:
        name: The suite.
        source: Its world.
    """

    sized_by = "support_size"

    def __init__(self, name: str, source: WorldSource) -> None:
        self.name, self._source = name, source

    def _cell(self, item: FluentItem) -> Cell:
        return Cell(item.question, tuple(sorted({*(item.story[line].event for line in item.support), *item.marks})))

    @cached_property
    def cells(self) -> Sequence[Cell]:
        pool = StoryPool(self._source, KeyedRandom("babi", "fluents", self.name, "cells").at(), _STREAM)
        found = Counter(self._cell(pool.item(turn)) for _, turn in product(range(_LOOKED_AT), self._source.turns))
        return sorted(cell for cell, count in found.items() if count >= _COMMON)

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        question, parts = str(instance.facets.get("question")), str(instance.facets.get("composition"))
        return Cell(question, tuple(sorted(parts.split("+")))) if question in self._source.asked else None

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        asked = self._source.asked.get(cell.question)
        marks = frozenset(asked.marks.keys() & set(cell.atoms) if asked else ())
        turns = [turn for turn in self._source.turns if (turn.question, turn.marks) == (cell.question, marks)]
        random = KeyedRandom("babi", "fluents", self.name, "stream", str(cell), seed)
        pool = StoryPool(self._source, random.at(), _STREAM)

        def fits(item: FluentItem) -> bool:
            return self._cell(item) == cell and size in (None, len(item.support))

        for number in count() if turns else ():
            try:
                item = pool.item(turns[number % len(turns)], fits=fits)
            except StarvedError as error:
                raise UserError(f"no item of {cell} was found: {error.message}", where=self.name) from None
            yield Row(cell.question, self._source.instance(f"{number:06d}", item, random.at(number)))
        raise UserError(f"no question of {cell} is asked", where=self.name)


def _side(story: Sequence[Happening]) -> int:
    """The split that a story with these first sentences belongs to."""
    return digest("babi", "fluents", *(part for each in story for part in (each.event, *each.things)))[0] % 4
