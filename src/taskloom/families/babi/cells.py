"""Suites made of cells: guided stories with one question each (mix, diverse, inoculate, rephrase, custom).

Rows are drawn in blocks. Row i of a split takes its cell from a fixed rota and its chance from a key of its
own, so no block needs another one. Its wording is a number too: every sentence has several forms, a story so
many wordings as the product of them, and row i speaks in wording (a * i + b) modulo that product. Two rows that
tell the same story thus use different words as long as the story has more wordings than there are rows before;
inside a block every input is checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from math import fsum
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from taskloom.core import BLOCK_ROWS, Instance, Key, KeyedRandom, Row, Task, UniformBlocks, input_hash
from taskloom.core.blocks import apportion
from taskloom.core.rng import digest
from taskloom.families.babi.concepts import CellSpec, StarvedError, composition, interleave, question_type
from taskloom.families.babi.instances import (
    Renderer,
    SeenCells,
    ShownExample,
    shown_example,
    story_instance,
    story_task,
)
from taskloom.families.babi.kinds import WHERE_P, YES, YES_NO, Question
from taskloom.families.babi.sampler import PATIENCE, Sampler
from taskloom.families.babi.support import StoryItem
from taskloom.families.babi.worlds import PAPER_WORLD, WorldProgram

_SPLITS = ("train", "dev", "test", "dose", "examples", "mix", "stream")
_ROTA = 1_000
_LONGEST_ROTA = 30_000
_SIDES = {"train": 0, "dev": 1, "test": 2}
_SHORT = 6
"""Stories below this length are so few that blocks cannot be kept apart by their wording."""

_EXAMPLES = 3
_EXAMPLE_TRIES = 1_000

_REPEATS = 2_000
"""Repeated inputs in a row after which a split of short stories is said to be finished."""


def rota(cells: Sequence[CellSpec]) -> list[int]:
    """In what order the cells take turns; it begins anew after its end."""
    shares = [cell.share for cell in cells]
    whole = round(fsum(shares))
    exact = all(share == int(share) for share in shares) and 0 < whole <= _LONGEST_ROTA
    return [cell for cell, _ in interleave(apportion(whole if exact else _ROTA, shares))]


class CellSet(NamedTuple):
    """Cells to draw from.

    Attributes:
        cells: What to draw.
        key: What the random draws are keyed by, before split, block and number; the suite, recipe and seed.
        where: The suite, for errors.
        world: The world's programs.
    """

    cells: Sequence[CellSpec]
    key: tuple[Key, ...]
    where: str
    world: WorldProgram = PAPER_WORLD

    def tasks(self, category: str, code: str = "en", prefix: str = "") -> dict[str, Task]:
        """The tasks of the cells, each with examples of its own that no split contains."""
        tasks: dict[str, Task] = {}
        for cell in self.cells:
            name = prefix + cell.task
            if name not in tasks:
                shown = _examples(self._replace(cells=[cell], key=(*self.key, cell.task)))
                asked = question_type(cell.questions[0])
                tasks[name] = story_task(name, asked, cell.words, shown, category, code, cell.concepts)
        return tasks


class CellSource:
    """Draws the rows of a split from its cells.

    Args:
        group: What to draw.
        split: The split.
        seen: The training set that novelty is measured against.
        search: Whether random stories are looked through where no plan leads to a cell.
        patience: Attempts in a row that may fail before a cell is given up.
        prefix: What the names of tasks begin with.
    """

    def __init__(
        self,
        group: CellSet,
        split: str,
        seen: SeenCells | None = None,
        *,
        search: bool = True,
        patience: int = PATIENCE,
        prefix: str = "",
    ) -> None:
        self.cells, self.where, self.world = group.cells, group.where, group.world
        shared = {id(cell.words): Renderer(cell.words, self.world) for cell in self.cells}
        self.renderers = [shared[id(cell.words)] for cell in self.cells]
        self._random = KeyedRandom("babi", *group.key, split)
        self._shows_bound, self._prefix, self._seen = split == "stream", prefix, seen
        self._split = _SPLITS.index(split) if split in _SPLITS else len(_SPLITS)
        self._side = _SIDES.get(split, 3)
        # Odd and coprime to the numbers of forms, so that consecutive rows differ in every sentence.
        self._factor = int.from_bytes(digest("babi", *group.key, "wording"), "big") * 30030 + 1
        self._place_orders = lru_cache(maxsize=256)(self._place_order)
        tasks = [cell.task for cell in self.cells]
        self._starts = [
            tasks[:index].count(cell.task) * len(cell.words.places) // tasks.count(cell.task)
            for index, cell in enumerate(self.cells)
        ]
        self._samplers = [
            Sampler(cell, cell.words.sizes, self.world, where=self.where, search=search, patience=patience)
            for cell in self.cells
        ]

    # -- blocks ---------------------------------------------------------------------------------------------

    def blocks(self, size: int | None, order: Sequence[int] | None = None) -> UniformBlocks:
        """The rows of the split.

        Args:
            size: How many, None for an endless split.
            order: The rota, if not that of the cells' shares.
        """
        turns = rota(self.cells) if order is None else order
        short = bool(self.cells) and min(cell.length[0] for cell in self.cells) < _SHORT and size is not None
        block = max(1, size) if short and size is not None else BLOCK_ROWS
        return UniformBlocks(lambda number: self._block(number, block, turns, short), size, block, self.where)

    def _block(self, number: int, rows: int, turns: Sequence[int], short: bool) -> Iterator[Row]:
        for sampler in self._samplers:
            sampler.new_block()
        inputs: set[bytes] = set()
        sizes = Counter(turns)
        seen: Counter[int] = Counter()
        ranks = []  # how many turns of the same cell come before in the rota
        for index in turns:
            ranks.append(seen[index])
            seen[index] += 1
        for place in count():
            position = number * rows + place
            laps, turn = divmod(position, len(turns))
            index = turns[turn]
            wished = self._wished_place(index, laps * sizes[index] + ranks[turn])
            yield from self._fresh(index, (number, place), position, wished, inputs, short)

    def _fresh(
        self, index: int, key: tuple[int, int], position: int, place: int, inputs: set[bytes], short: bool
    ) -> Iterator[Row]:
        """The rows of one story that the block has not had yet."""
        task = self._prefix + self.cells[index].task
        for attempt in range(_REPEATS):
            rng = self._random.at(*key, attempt)
            fresh: list[Row] = []
            for part, (item, text, spoken) in enumerate(self._stories(index, rng, position, place)):
                name = f"{position:06d}" if part == 0 else f"{position:06d}-{part}"
                instance = self.instance(index, name, item, text, spoken)
                mark = input_hash(instance.input)
                if mark in inputs or (short and mark[0] % 4 != self._side):
                    continue
                inputs.add(mark)
                fresh.append(Row(task, instance))
            if fresh:
                yield from fresh
                return
        raise StarvedError(
            f"{self.cells[index].title()}: no more than {len(inputs):,} different questions were found for this split",
            where=self.where,
            hint="ask for fewer questions, longer stories, or more words",
        )

    def _stories(
        self, index: int, rng: Random, position: int, place: int
    ) -> Iterator[tuple[StoryItem, list[str], Sequence[int] | None]]:
        """An item with the text of its story, then further items about the same story.

        The third value is the support, where the form of the story is free.
        """
        sampler = self._samplers[index]
        renderer = self.renderers[index]
        if self.cells[index].gap:
            items = sampler.inside(rng)
            text = renderer.worded(items[-1].sentences, self._wording(position))
            for item in items:
                yield item, text[: len(item.sentences)], None
            return
        item = sampler.draw(rng, place=place)
        items = [item, *sampler.further(item, rng)]
        if self.cells[index].prose:
            text, supports = self._freely_told(index, items, rng)
            for each, spoken in zip(items, supports, strict=True):
                yield each, text, spoken
            return
        text = renderer.worded(item.sentences, self._wording(position))
        for each in items:
            yield each, text, None

    def _wished_place(self, index: int, number: int) -> int:
        """The place that the answer to a cell's row should be: each has its turn before any comes again."""
        count = self._samplers[index].sizes[2]
        lap, spot = divmod(number, count)
        # Cells of one task begin at different places, so that what is left of their laps adds up to a lap, too.
        return self._place_orders(self.cells[index].task, lap, count)[(spot + self._starts[index]) % count]

    def _place_order(self, task: str, number: int, count: int) -> list[int]:
        """The places in a random order."""
        places = list(range(count))
        self._random.at("places", task, number).shuffle(places)
        return places

    def _wording(self, position: int) -> int:
        return (position * 8 + self._split) * self._factor

    def twins(self, size: int) -> UniformBlocks:
        """Yes-no questions answered yes, each followed by its where-person twin over the same story."""
        turns = rota(self.cells)

        def make(number: int) -> Iterator[Row]:
            for place in count():
                position = number * (BLOCK_ROWS // 2) + place
                yield from self._pair(turns[position % len(turns)], (number, place), position)

        return UniformBlocks(make, size, BLOCK_ROWS, self.where)

    def _pair(self, index: int, key: tuple[int, int], position: int) -> Iterator[Row]:
        for attempt in range(_REPEATS):
            item = self._samplers[index].draw(self._random.at(*key, attempt))
            if item.question.kind != YES_NO or item.answer != YES:
                continue
            text = self.renderers[index].worded(item.sentences, self._wording(position))
            _, person, place = item.question
            twin, name = item._replace(question=Question(WHERE_P, person), answer=place), f"{position:06d}"
            assert item.reader.answer(twin.question) == place  # what yes affirms
            yield Row("yes-no", self.instance(index, name, item, text))
            yield Row("where-person", self.instance(index, name, twin, text))
            return
        raise StarvedError(f"{self.cells[index].title()} is never answered yes", where=self.where)

    # -- single items -----------------------------------------------------------------------------------------

    def item(self, index: int, number: int) -> tuple[StoryItem, list[str]]:
        """An item of one cell by number, with its text; for examples and tests."""
        return self.draw(index, self._random.at("item", index, number))

    def example(self, number: int) -> ShownExample:
        """An item of the first cell, shown as an example."""
        rng = self._random.at("item", 0, number)
        item, text = self.draw(0, rng)
        support = item.support
        if self.cells[0].prose:
            text, (support,) = self._freely_told(0, [item], rng)
        return shown_example(self.renderers[0], item, text, support)

    def _freely_told(
        self, index: int, items: Sequence[StoryItem], rng: Random
    ) -> tuple[list[str], list[tuple[int, ...]]]:
        from taskloom.families.babi.prose import freely_told  # which most suites do without

        return freely_told(self.renderers[index], items, self.cells[index].prose, rng, self.where)

    def draw(self, index: int, rng: Random, length: int | None = None) -> tuple[StoryItem, list[str]]:
        """An item of one cell, with its text, from a generator of the caller's."""
        item = self._samplers[index].draw(rng, length)
        return item, self.renderers[index].story(item.sentences, rng)

    def retold(self, index: int, item: StoryItem, text: Sequence[str], origin: Sequence[int]) -> list[str]:
        """The text of an edited story: unchanged sentences as they stood, changed ones in the most similar words.

        Args:
            index: The cell.
            item: The edited story.
            text: The text of the story before.
            origin: The line that each sentence had there.
        """
        renderer = self.renderers[index]
        told = []
        for sentence, line in zip(item.sentences, origin, strict=True):
            words = set(text[line].split())
            forms = renderer.forms(sentence)
            told.append(
                text[line] if text[line] in forms else max(forms, key=lambda form: len(words & set(form.split())))
            )
        return told

    def instance(
        self, index: int, name: str, item: StoryItem, text: list[str], spoken: Sequence[int] | None = None
    ) -> Instance:
        """An item of one cell as an instance."""
        concepts = self.cells[index].concepts
        instance = story_instance(name, self.renderers[index], item, text, concepts, self._seen, spoken)
        if not self._shows_bound:
            return instance
        return replace(instance, details={**instance.details, "bound": bound_atoms(item, self.world)})


def bound_atoms(item: StoryItem, world: WorldProgram) -> list[str]:
    """What a support is made of, each pronoun with the event that it is said in: "coref(grab)"."""
    found: set[str] = set()
    for line in item.support:
        event, *constructs = composition(item.sentences, (line,), world)
        found |= {event, *(f"coref({event})" if one == "coref" else one for one in constructs)}
    return sorted(found)


def _examples(group: CellSet) -> list[ShownExample]:
    """Three short stories of a cell, of lengths that the splits do not use.

    Raises:
        StarvedError: Nothing like the cell was found; the error has the recipe's own numbers.
    """
    (cell,) = group.cells
    low, high = cell.length
    needed = max(5, cell.support[0] + 3)
    lengths = [length for length in range(needed, needed + high - low + 20) if not low <= length <= high]
    patience = max(20, _EXAMPLE_TRIES // len(lengths))
    shown: list[ShownExample] = []
    last = (lengths[-1], _EXAMPLE_TRIES)  # the most room, and all the patience there is
    for length, tries in (*((each, patience) for each in lengths), last):
        small = replace(
            cell,
            support=(cell.support[0], max(cell.support[0], min(cell.support[1], 3))),
            length=(length, length),
            paths=(0, 1_000_000),
            per_signature=None,
            per_story=1,
            distractors="mixed",
            gap=0,
        )
        try:
            source = CellSource(group._replace(cells=[small], key=(*group.key, length)), "examples", patience=tries)
            for number in range(_EXAMPLES - len(shown)):
                shown.append(source.example(number))
        except StarvedError:
            continue  # another length may do
        break
    if not shown:
        tries = patience * len(lengths) + _EXAMPLE_TRIES
        raise StarvedError(
            f"{cell.title()} was not found after {tries:,} tries with stories of {lengths[0]} to {lengths[-1]} "
            "sentences, for the examples",
            where=group.where,
            hint="loosen `support` or `requires`, or allow more concepts",
        )
    return shown
