"""From a recipe and a seed to a suite of tasks over invented passages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from math import gcd
from random import Random
from typing import Literal

import msgspec

from taskloom.core import Blocks, KeyedRandom, Row, Suite, Task, UserError
from taskloom.core.instance import Facet, FacetType
from taskloom.core.rng import below
from taskloom.core.task import LazyTasks
from taskloom.families.zest.derive import PlannedTask
from taskloom.families.zest.describe import LABELS, answer_kind, definition, instruction, passage_row
from taskloom.families.zest.naming import name_at, name_beside, name_count
from taskloom.families.zest.passages import AnswerShares, AskedQuestion, PassageShape, draw_passage, outcome, shares_of
from taskloom.families.zest.plan import plan_tasks
from taskloom.families.zest.questions import AnswerClass
from taskloom.families.zest.recipe import VERSION, FictionalRecipe
from taskloom.families.zest.units import Answered, DrawnPassage

SOLVED = "solved"
# What is kept of keys whose passages are drawn in a row, and of examples that paraphrases share with their base.
_LINES, _EXAMPLES = 8, 1024

Part = Literal["split", "solved", "example", "stream"]
# Ranges of the numbered names, in eighths: passages of different parts are different texts.
_RANGES: dict[Part, tuple[int, int]] = {"split": (0, 4), "solved": (4, 5), "example": (5, 6), "stream": (6, 8)}


FACETS: dict[str, FacetType] = {
    "answer": str,
    "distractor": bool,
    "evidence": int,
    "facts": int,
    "implied": bool,
    "words": int,
}


class RowWriter:
    """Writes the rows of one task.

    Args:
        planned: The task.
        show: What inputs show.
    """

    def __init__(self, planned: PlannedTask, show: str) -> None:
        self._task, self._text, self._show = planned.name, planned.text, show
        self._question, self._asked = planned.question, planned.question.attributes
        self._key = id(planned.question)

    def row(self, drawn: DrawnPassage, id_: str) -> Row:
        text, question, show = drawn.text, self._text, self._show
        # Paraphrases ask the question of their base, so what it gave is kept with the passage.
        kind, targets, evidence, implied = drawn.answered.get(self._key) or self._answer(drawn)
        facets: dict[str, Facet] = {
            "answer": kind,
            "distractor": drawn.distracted,
            "evidence": len(evidence),
            "facts": len(drawn.values),
            "implied": implied,
            "words": drawn.words,
        }
        details = {"entity": drawn.entity.name, "evidence": list(evidence)}
        return passage_row(self._task, id_, text, question, targets, facets, show=show, details=details)

    def _answer(self, drawn: DrawnPassage) -> Answered:
        """The answer, the sentences it follows from, and whether one of them only implies it."""
        answer, asked = self._question.answer(drawn.values, drawn.said), self._asked
        assert answer is not None, self._task
        numbers = drawn.evidence.get(asked[0], ())
        if len(asked) > 1:
            numbers = tuple(sorted({number for name in asked for number in drawn.evidence.get(name, ())}))
        answered = (*answer, numbers, not drawn.implied.isdisjoint(asked))
        drawn.answered[self._key] = answered
        return answered


class _Line(msgspec.Struct, frozen=True):
    """The passages of one key.

    Attributes:
        planned: A task that reads them.
        asked: What they are asked.
        random: Where the draws of each come from.
        numbers: The names that the part owns.
        first: The place of the first passage's name among them.
        step: How far each name is from the one before; it has no factor in common with their number.
    """

    planned: PlannedTask
    asked: AskedQuestion
    random: KeyedRandom
    numbers: range
    first: int
    step: int

    def number(self, index: int) -> int:
        """The name of a passage: all are taken before any comes again."""
        return self.numbers.start + (self.first + index * self.step) % len(self.numbers)


def _stride(size: int, rng: Random) -> tuple[int, int]:
    """A first place and a step that leads through all places."""
    first = below(rng, size)
    while gcd(step := 1 + below(rng, size), size) > 1:
        pass
    return first, step


class Generator:
    """Draws the passages and answers of planned tasks.

    Passages belong to a key shared by a base task, its paraphrases and the flips that turn it round; passage i
    is a function of the seed, the key and i alone.
    """

    def __init__(self, recipe: FictionalRecipe, seed: int) -> None:
        self.recipe, self.seed = recipe, seed
        self.random = KeyedRandom("zest", VERSION, seed)
        self.shape = PassageShape(recipe.facts, recipe.words, recipe.distractors)
        self.splits = plan_tasks(recipe, self.random)
        self.planned = {task.name: task for tasks in self.splits.values() for task in tasks}
        self.split_of = {task.name: split for split, tasks in self.splits.items() for task in tasks}
        self._line = lru_cache(maxsize=_LINES)(self._make_line)
        self._examples = lru_cache(maxsize=_EXAMPLES)(self._draw_examples)
        self._weights = {split: _asked_for(tasks) for split, tasks in self.splits.items()}
        self._shares = {
            key: shares for split, tasks in self.splits.items() for key, shares in self._deal_shares(split, tasks)
        }

    def _deal_shares(self, split: str, tasks: list[PlannedTask]) -> Iterator[tuple[str, AnswerShares]]:
        """Shares for each key of passages; questions that look alike stand together, so that no look tells much."""
        ordered = sorted(tasks, key=lambda task: (task.domain, task.format, task.generalisation))
        keys = {task.passages: None for task in ordered}
        drawn = shares_of(len(keys), self.recipe.na, lambda batch: self.random.at("shares", split, batch))
        return zip(keys, drawn, strict=True)

    # ------------------------------------------------------------------- tasks

    def task(self, name: str) -> Task:
        return self.describe(self.planned[name])

    def definition(self, name: str) -> str:
        return str(definition(self.planned[name], self.recipe.show))

    def describe(self, planned: PlannedTask) -> Task:
        """The task of a planned question."""
        described = instruction(planned, self._examples(planned.passages), self.recipe.show)
        kind = answer_kind(planned)
        paired = planned.generalisation in ("paraphrase", "flip")
        facets: dict[str, Facet] = {
            "family": "zest",
            "category": planned.generalisation,
            "language": "en",
            "domain": planned.domain,
            "generalisation": planned.generalisation,
            "format": planned.format,
            "form": planned.form,
            "derives_from": planned.derives_from,
            "consistent_with": planned.derives_from[0] if paired else None,
            "attributes": planned.question.attributes,
        }
        labels = LABELS if kind == "label" else ()
        return Task(planned.name, described, kind, self.recipe.scorer, labels, facets=facets, version=VERSION)

    def _draw_examples(self, passages: str) -> list[DrawnPassage]:
        """Two passages that tell the answer and two that do not, of which no split has any.

        Tasks that share their passages share these too.
        """
        planned = next(task for task in self.planned.values() if task.passages == passages)
        classes = planned.planned_for.classes
        wanted: tuple[AnswerClass, ...] = (classes[0], "na", classes[-1], "na")
        line = self._line(planned.name, "example", "example")
        return [self._draw(line, index, one, self.shape) for index, one in enumerate(wanted)]

    # ---------------------------------------------------------------- passages

    def _make_line(self, name: str, part: Part, key: str) -> _Line:
        """What the passages of a task have in common."""
        planned = self.planned[name]
        domain = planned.question.domain
        weights = self._weights[self.split_of[name]].get(planned.domain, {})
        low, high = (name_count(domain) * bound // 8 for bound in _RANGES[part])
        return _Line(
            planned,
            AskedQuestion(domain, planned.planned_for, weights),
            KeyedRandom("zest", VERSION, self.seed, "passage", planned.passages, key),
            range(low, high),
            *_stride(high - low, self.random.at("names", planned.passages, key)),
        )

    def _draw(self, line: _Line, index: int, wanted: AnswerClass | AnswerShares, shape: PassageShape) -> DrawnPassage:
        """Passage `index` of a line: another text than every other index and every other part has."""
        asked = line.asked
        domain = asked.domain
        if index >= len(line.numbers):
            raise UserError(
                f"{domain.id} has names for {len(line.numbers):,} different passages of a task",
                where=f"zest: {line.planned.name}",
                hint=f"-T passages={len(line.numbers)}",
            )
        rng = line.random.at(index)
        if isinstance(wanted, AnswerShares):
            wanted = outcome(asked, wanted, rng)
        named = name_at(domain, line.number(index))
        return draw_passage(asked, wanted, shape, (named, name_beside(named, rng)), rng)

    def passage(self, planned: PlannedTask, part: Part, key: str, index: int) -> DrawnPassage:
        """Passage `index`, with an answer of the class that the task's shares give."""
        return self.passages(planned, part, key, range(index, index + 1))[0]

    def passages(self, planned: PlannedTask, part: Part, key: str, indices: range) -> list[DrawnPassage]:
        line, shares, shape = self._line(planned.name, part, key), self._shares[planned.passages], self.shape
        return [self._draw(line, index, shares, shape) for index in indices]

    def fresh(self, planned: PlannedTask, key: str, index: int, size: int | None) -> Row:
        """Row `index` of a stream that no split shares a passage with; `size` fixes how many facts it states."""
        shares = AnswerShares(round(1000 * self.recipe.na), 500)
        shape = self.shape if size is None else self.shape._replace(facts=(size, size))
        drawn = self._draw(self._line(planned.name, "stream", key), index, shares, shape)
        return self.row(planned, drawn, f"{key}-{index}")

    def row(self, planned: PlannedTask, drawn: DrawnPassage, id_: str) -> Row:
        return self.rows(planned).row(drawn, id_)

    def rows(self, planned: PlannedTask) -> RowWriter:
        return RowWriter(planned, self.recipe.show)

    def blocks(self, split: str) -> PassageBlocks:
        """The rows of a split, tasks that share passages together."""
        if split == SOLVED:
            every = [task for tasks in self.splits.values() for task in tasks]
            return PassageBlocks(self, "solved", SOLVED, [(task, self.recipe.solved) for task in every])
        surplus = self.recipe.surplus if split == "train" else 0
        sized = [(task, self.recipe.passages + (at < surplus)) for at, task in enumerate(self.splits[split])]
        return PassageBlocks(self, "split", split, sized)


_PASSAGES = 250
"""Passages of a block at the most."""


class PassageBlocks(Blocks):
    """Blocks that draw each passage once for all tasks that read it.

    Args:
        generator: Draws passages.
        part: Which range of the names they take.
        key: The split.
        tasks: The tasks with how many passages each reads; those of one key differ by one at the most.
    """

    def __init__(self, generator: Generator, part: Part, key: str, tasks: Sequence[tuple[PlannedTask, int]]) -> None:
        groups: dict[str, list[tuple[PlannedTask, int]]] = {}
        for task, count in tasks:
            groups.setdefault(task.passages, []).append((task, count))
        self._generator, self._part, self._key = generator, part, key
        self._groups = list(groups.values())
        self.size = sum(count for _, count in tasks)
        # The first row and the first block of each group, and one past the last.
        self._rows, self._blocks = [0], [0]
        for group in self._groups:
            self._rows.append(self._rows[-1] + sum(count for _, count in group))
            self._blocks.append(self._blocks[-1] + -(-max(count for _, count in group) // _PASSAGES))

    def numbers(self) -> Iterator[int]:
        return iter(range(self._blocks[-1]))

    def _block(self, number: int) -> tuple[list[tuple[PlannedTask, int]], int]:
        """The tasks of a block with how many passages of it each reads, and the first passage."""
        at = bisect_right(self._blocks, number) - 1
        first = (number - self._blocks[at]) * _PASSAGES
        return [(task, max(0, min(count - first, _PASSAGES))) for task, count in self._groups[at]], first

    def rows(self, number: int) -> Iterator[Row]:
        tasks, first = self._block(number)
        most = max(count for _, count in tasks)
        drawn = self._generator.passages(tasks[0][0], self._part, self._key, range(first, first + most))
        names = [self._name(first + at) for at in range(most)]
        return chain.from_iterable(map(self._generator.rows(task).row, drawn[:count], names) for task, count in tasks)

    def of_task(self, task: str) -> Iterator[Row]:
        for group in self._groups:
            for planned, count in group:
                for at in range(count if planned.name == task else 0):
                    drawn = self._generator.passage(planned, self._part, self._key, at)
                    yield self._generator.row(planned, drawn, self._name(at))

    def locate(self, index: int) -> tuple[int, int]:
        if not 0 <= index < self._rows[-1]:
            raise IndexError(index)
        at = bisect_right(self._rows, index) - 1
        inside = index - self._rows[at]
        full = len(self._groups[at]) * _PASSAGES
        chunk = min(inside // full, self._blocks[at + 1] - self._blocks[at] - 1)
        return self._blocks[at] + chunk, inside - chunk * full

    def row(self, index: int) -> Row:
        number, place = self.locate(index)
        tasks, first = self._block(number)
        for task, count in tasks:
            if place < count:
                drawn = self._generator.passage(task, self._part, self._key, first + place)
                return self._generator.row(task, drawn, self._name(first + place))
            place -= count
        raise IndexError(index)

    def _name(self, index: int) -> str:
        return f"solved-{index:03d}" if self._part == "solved" else f"{index:03d}"


def _asked_for(tasks: list[PlannedTask]) -> dict[str, dict[str, float]]:
    """How often each attribute of each domain is asked for; a question about two counts half for each."""
    weights: dict[str, dict[str, float]] = {}
    for task in tasks:
        of_domain = weights.setdefault(task.domain, {})
        for name in task.question.attributes:
            of_domain[name] = of_domain.get(name, 0.0) + 1 / len(task.question.attributes)
    return weights


def build_suite(name: str, recipe: FictionalRecipe, seed: int) -> Suite:
    """The suite of a recipe. Tasks are planned now, passages are drawn when rows are read."""
    generator = Generator(recipe, seed)
    sizes: dict[str, int | None] = {}
    for split, tasks in generator.splits.items():
        if tasks:
            sizes[split] = len(tasks) * recipe.passages + (recipe.surplus if split == "train" else 0)
    if recipe.solved:
        sizes[SOLVED] = len(generator.planned) * recipe.solved
    return Suite(
        name=f"zest/{name}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=LazyTasks(generator.planned, generator.task, generator.definition),
        splits=sizes,
        draw=generator.blocks,
        facets=FACETS,
        apart="pairs" if recipe.solved else "tasks",
        pool=SOLVED if recipe.solved else None,
        notes={"kinds": ["base", "paraphrase", "flip", "combination", "structure"]},
    )
