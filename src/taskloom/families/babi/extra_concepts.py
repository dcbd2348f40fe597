"""Further concepts woven into stories: time, deduction, sizes and so on beside people, objects and places.

The sentences of both worlds alternate. Names do not meet: the other world speaks of people of its own,
and touches no object of the story.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random

from msgspec.structs import replace

from taskloom.core import BLOCK_ROWS, KeyedRandom, Row, Task, UniformBlocks, input_hash
from taskloom.core.blocks import apportion
from taskloom.families.babi.cells import CellSet, CellSource
from taskloom.families.babi.concepts import FACTS, FactRecord, interleave
from taskloom.families.babi.enumeration import random_story
from taskloom.families.babi.facts import pick
from taskloom.families.babi.kinds import Sentence
from taskloom.families.babi.original_tasks import fact_instance, original_task
from taskloom.families.babi.storyteller import Noise, Storyteller
from taskloom.families.babi.vocabulary import BABI


def _task_of(concept: str) -> FactRecord:
    """The original task of a further concept."""
    return next(task for task in FACTS.values() if task.concept == concept)


def extra_tasks(also: Sequence[str]) -> dict[str, Task]:
    """The tasks of further concepts, under the concepts' names."""
    return {name: replace(original_task(_task_of(name).number, BABI), name=name) for name in also}


def _in_turns(
    rng: Random, one: Sequence[list[str]], other: Sequence[list[str]]
) -> tuple[list[str], list[int], list[int]]:
    """Two texts that alternate, chunk by chunk, and where the lines of each came to stand."""
    together: list[str] = []
    lines: tuple[list[int], list[int]] = ([], [])
    texts = (one, other)
    done = [0, 0]
    while done[0] < len(one) or done[1] < len(other):
        left, right = len(one) - done[0], len(other) - done[1]
        turn = 0 if rng.random() * (left + right) < left else 1
        for line in texts[turn][done[turn]]:
            lines[turn].append(len(together))
            together.append(line)
        done[turn] += 1
    return together, *lines


def _chunks(text: Sequence[str], sentences: Sequence[Sentence]) -> list[list[str]]:
    """Lines in chunks that must not be torn apart: a pronoun stays right behind what it refers to."""
    chunks: list[list[str]] = []
    for line, sentence in zip(text, sentences, strict=True):
        if sentence.pronoun and chunks:
            chunks[-1].append(line)
        else:
            chunks.append([line])
    return chunks


class ExtraConceptRows:
    """Draws rows from cells of the story world and from further concepts, woven together.

    Args:
        group: The story world's part, all in the same words.
        also: The further concepts.
        split: The split.
        length: Least and greatest number of sentences.
    """

    def __init__(self, group: CellSet, also: Sequence[str], split: str, length: tuple[int, int]) -> None:
        cells = group.cells
        self._where = group.where
        self._source = CellSource(group, split)
        self._further = [_task_of(name) for name in also]
        self._actions = Noise(cells[0].concepts, group.world) if cells else None
        self._random = KeyedRandom("babi", "woven", *group.key, split)
        self._length = length
        shares = [cell.share for cell in cells] + [1.0] * len(self._further)
        self._turns = [index for index, _ in interleave(apportion(BLOCK_ROWS, shares))]

    def blocks(self, size: int | None) -> UniformBlocks:
        """The rows of the split, all cells and concepts spread evenly."""
        return UniformBlocks(self._block, size, BLOCK_ROWS, self._where)

    def _block(self, number: int) -> Iterator[Row]:
        cells = len(self._source.cells)
        inputs: set[bytes] = set()
        for place, index in enumerate(self._turns):
            label = f"{number * BLOCK_ROWS + place:06d}"
            for attempt in count():
                rng = self._random.at(number, place, attempt)
                if index < cells:
                    row = self._story_row(index, label, rng)
                else:
                    row = self._fact_row(self._further[index - cells], label, rng)
                mark = input_hash(row.instance.input)
                if mark not in inputs:
                    inputs.add(mark)
                    yield row
                    break

    def _draw_length(self, rng: Random) -> int:
        low, high = self._length
        return low + int(rng.random() * (high - low + 1))

    def _story_row(self, index: int, label: str, rng: Random) -> Row:
        """A question about the story, with sentences of another world in between."""
        length = self._draw_length(rng)
        statements, _ = random_story(pick(rng, self._further), rng)
        extra = statements[: max(1, length // 3)]
        item, text = self._source.draw(index, rng, length - len(extra))
        together, own, _ = _in_turns(rng, _chunks(text, item.sentences), [[line] for line in extra])
        spoken = [own[line] for line in item.support]
        return Row(self._source.cells[index].task, self._source.instance(index, label, item, together, spoken))

    def _fact_row(self, task: FactRecord, label: str, rng: Random) -> Row:
        """A question about the other world, with a story in between."""
        statements, questions = random_story(task, rng)
        asked = pick(rng, questions)
        lines = statements[: asked.after]
        chunks: list[list[str]] = []
        if self._actions is not None:
            renderer = self._source.renderers[0]
            draft = Storyteller(rng, self._actions, *renderer.vocabulary.sizes)
            draft.fill(self._draw_length(rng) - len(lines))
            chunks = _chunks(renderer.story(draft.sentences, rng), draft.sentences)
        together, _, own = _in_turns(rng, chunks, [[line] for line in lines])
        support = [own[line] for line in asked.support]
        return Row(task.concept, fact_instance(label, task, together, asked._replace(support=tuple(support))))
