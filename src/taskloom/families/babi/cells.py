"""Suites made of cells: guided stories with one question each (mix, diverse, inoculate, rephrase, custom)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random

from taskloom.core import Instance, Key, KeyedRandom, Row, Task
from taskloom.families.babi.concepts import Cell, question_type
from taskloom.families.babi.describe import Shown, story_task, wrong_answer
from taskloom.families.babi.instances import Seen, story_instance
from taskloom.families.babi.render import Renderer
from taskloom.families.babi.sampler import Item, Sampler, StarvedError
from taskloom.families.babi.splits import allocate, interleave
from taskloom.families.babi.story import WHERE_P, YES, YES_NO, Question
from taskloom.families.babi.support import canonical_support
from taskloom.families.babi.vocabulary import Vocabulary

__all__ = ["CellSource", "cell_tasks", "rephrased"]


class CellSource:
    """Draws the rows of a split from its cells.

    Args:
        cells: What to draw.
        vocabulary: The words.
        key: What the random draws are keyed by, before the cell and the number.
        where: The suite, for errors.
        seen: The training set that novelty is told against.
    """

    def __init__(
        self, cells: Sequence[Cell], vocabulary: Vocabulary, key: tuple[Key, ...], where: str, seen: Seen | None
    ) -> None:
        self.cells = cells
        self.renderer = Renderer(vocabulary)
        self._random = KeyedRandom("babi", *key)
        self._seen = seen
        sizes = (len(vocabulary.persons), len(vocabulary.objects), len(vocabulary.places))
        self._samplers = [Sampler(cell, *sizes, where=where) for cell in cells]

    def rows(self, total: int) -> Iterator[Row]:
        """`total` rows, the cells spread evenly."""
        counts = allocate(total, [cell.share for cell in self.cells])
        streams = [self._stream(index) for index in range(len(self.cells))]
        for index, _ in interleave(counts):
            yield next(streams[index])

    def _stream(self, index: int) -> Iterator[Row]:
        """The rows of one cell, story by story."""
        task = self.cells[index].task
        for number in count():
            rng = self._random.at(index, number)
            item, text = self.draw(index, rng)
            name = f"{index}-{number:05d}"
            yield Row(task, self.instance(index, name, item, text))
            for part, other in enumerate(self._samplers[index].further(item, rng), 1):
                yield Row(task, self.instance(index, f"{name}-{part}", other, text))

    def item(self, index: int, number: int) -> tuple[Item, list[str]]:
        """The item of that number of one cell, with its text."""
        return self.draw(index, self._random.at(index, number))

    def draw(self, index: int, rng: Random, length: int | None = None) -> tuple[Item, list[str]]:
        """An item of one cell, with its text, from a generator of the caller's."""
        item = self._samplers[index].draw(rng, length)
        return item, self.renderer.story(item.sentences, rng)

    def row(self, index: int, number: int) -> Row:
        """The row of that number of one cell."""
        item, text = self.item(index, number)
        return Row(self.cells[index].task, self.instance(index, f"{index}-{number:05d}", item, text))

    def instance(self, index: int, name: str, item: Item, text: list[str]) -> Instance:
        """An item of one cell as an instance."""
        mask = 0
        for line in item.support:
            mask |= 1 << line
        return story_instance(
            name,
            self.renderer,
            text,
            item.sentences,
            item.reader,
            item.question,
            item.answer,
            item.support,
            mask,
            self.cells[index].concepts,
            self._seen,
        )


def rephrased(source: CellSource, index: int, number: int) -> tuple[Row, Row] | None:
    """A yes-no question answered yes, and its where-person twin over the same story.

    None for items that are not answered yes, which have no twin.
    """
    item, text = source.item(index, number)
    if item.question.kind != YES_NO or item.answer != YES:
        return None
    name = f"{index}-{number:05d}"
    first = source.instance(index, name, item, text)
    twin = Question(WHERE_P, item.question.first)
    mask = canonical_support(item.reader, twin)
    answer = item.reader.answer(twin)
    if mask is None or answer is None or answer != item.question.second:
        raise AssertionError("a place affirmed by yes is the answer to the twin")
    second = source.instance(index, name, item._replace(question=twin, answer=answer), text)
    return Row("yes-no", first), Row("where-person", second)


def cell_tasks(
    cells: Sequence[Cell], vocabulary: Vocabulary, key: tuple[Key, ...], where: str, category: str
) -> dict[str, Task]:
    """The tasks of the cells, each with examples of its own that no split contains."""
    tasks: dict[str, Task] = {}
    for cell in cells:
        if cell.task not in tasks:
            question = question_type(cell.questions[0])
            shown = _examples(cell, vocabulary, (*key, cell.task), where)
            tasks[cell.task] = story_task(cell.task, question, vocabulary, shown, category)
    return tasks


def _examples(cell: Cell, vocabulary: Vocabulary, key: tuple[Key, ...], where: str) -> list[Shown]:
    """Three short stories, of a length that the splits do not use."""
    low, high = cell.length
    needed = max(5, cell.support[0] + 2)
    lengths = [length for length in range(needed, needed + 30) if not low <= length <= high]
    for length in lengths:
        small = Cell(
            cell.task,
            cell.concepts,
            cell.questions,
            (cell.support[0], max(cell.support[0], min(cell.support[1], 3))),
            (length, length),
            cell.requires,
        )
        try:
            source = CellSource([small], vocabulary, (*key, "examples", length), where, None)
            return [_shown(source, number) for number in range(3)]
        except StarvedError:
            if length == lengths[-1]:
                raise
    raise AssertionError("some length is always left")


def _shown(source: CellSource, number: int) -> Shown:
    item, text = source.item(0, number)
    renderer = source.renderer
    question = item.question
    answer = renderer.answer(question, item.answer)
    return Shown(text, renderer.question(question), answer, wrong_answer(renderer, question, item.answer), item.support)
