"""Suites of woven tasks: one task for each expression, rows in blocks, splits disjoint in the inputs of their parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from taskloom.algebra import Atom, Expression
from taskloom.core import Example, Instruction, Recipe, Row, Suite, Task, UserError
from taskloom.core.blocks import SeriesBlocks
from taskloom.core.kind import KINDS
from taskloom.weave.draw import Loom
from taskloom.weave.expression import leaves_of, task_record, text_of
from taskloom.weave.records import Woven

__all__ = ["FACETS", "Survey", "WeaveRecipe", "build", "survey", "woven_task"]

FACETS: dict[str, type] = {"expression": str, "answer": str}
SPLITS = ("train", "dev", "test")
_BLOCK = 1_000
_SURVEYED = 80
_FEWEST_ANSWERS = 5
"""Different answers that an expression must have: with fewer, guessing looks like knowing."""


class WeaveRecipe(Recipe, frozen=True, kw_only=True):
    """What to weave, and how much of it.

    Attributes:
        expressions: The expressions; one task each.
        train: Rows of each task in this split.
        dev: Likewise.
        test: Likewise.
        examples: Worked examples in each instruction.
    """

    expressions: tuple[str, ...] = ()
    train: int = 100
    dev: int = 50
    test: int = 100
    examples: int = 2

    def __post_init__(self) -> None:
        if min(self.train, self.dev, self.test, self.examples) < 0:
            raise ValueError("a split has 0 or more rows, and an instruction 0 or more examples")


class Survey(NamedTuple):
    """What the first items of an expression show.

    Attributes:
        items: Items with an answer.
        lost: The share that is not asked because the answer would be ambiguous.
        answers: How many different answers there are.
    """

    items: list[Woven]
    lost: float
    answers: int


def survey(loom: Loom, node: Expression) -> Survey:
    """The first items of an expression that belong to no split.

    Raises:
        UserError: There are fewer different answers than an expression must have.
    """
    drawn = list(islice(loom.items(node, "shown", 0), _SURVEYED))
    items = [one for one in drawn if one is not None]
    answers = len({one.value.canonical.lower() for one in items})
    outline = loom.outline(node)
    wanted = min(len(outline.labels) or _FEWEST_ANSWERS, _FEWEST_ANSWERS)
    if answers < wanted and not (outline.labels and answers > 1):
        lost = f", {len(drawn) - len(items)} of {len(drawn)} items lost as ambiguous" if len(drawn) > len(items) else ""
        raise UserError(
            f"{text_of(node)} has {answers} different answers{lost}; with fewer than {wanted}, guessing looks like "
            "knowing",
            where="weave", hint="choose a task whose answers differ more",
        )  # fmt: skip
    return Survey(items, 1 - len(items) / len(drawn), answers)


def woven_task(loom: Loom, node: Expression, examples: int = 2) -> Task:
    """The task of an expression, with worked examples."""
    found, outline = survey(loom, node), loom.outline(node)
    varied = _varied(found.items)
    shown = [_example(loom, node, one) for one in varied[:examples]]
    wrong = [_wrong(loom, node, *varied[-2:])] if len(varied) > examples > 0 else []
    kind = KINDS.get(outline.kind)
    families = tuple(sorted({name.partition("/")[0] for name in leaves_of(node)}))
    return Task(
        text_of(node),
        Instruction(outline.whole, tuple(shown), tuple(wrong)),
        kind=outline.kind,
        scorer=outline.scorer or kind.scorer,
        labels=outline.labels or kind.labels,
        facets={
            "family": "weave",
            "category": "a task" if isinstance(node, Atom) else task_record(node).about,
            "language": outline.language,
            "expression": text_of(node),
            "families": families,
            "not_asked": round(found.lost, 3),
        },
    )


def _varied(items: Sequence[Woven]) -> list[Woven]:
    """Items with different answers first."""
    first = {one.value.canonical: one for one in reversed(items)}
    return sorted(first.values(), key=lambda one: len(one.input))


def _example(loom: Loom, node: Expression, item: Woven) -> Example:
    row = loom.row(node, item, "example")
    said = "; then ".join(item.trace) if len(item.trace) > 1 else item.trace[0]
    return Example(item.input, row.instance.targets.canonical(), f"Step by step: {said}.")


def _wrong(loom: Loom, node: Expression, item: Woven, other: Woven) -> Example:
    """An item with the answer of another one."""
    right, wrong = (loom.row(node, one, "example").instance.targets.canonical() for one in (item, other))
    return Example(item.input, wrong, f"Wrong: the answer is {right}.")


class WovenTasks(Mapping[str, Task]):
    """The tasks of a suite, each made when it is asked for."""

    def __init__(self, loom: Loom, nodes: Mapping[str, Expression], examples: int) -> None:
        self._loom = loom
        self._nodes = nodes
        self._examples = examples
        self._made: dict[str, Task] = {}

    def __getitem__(self, name: str) -> Task:
        if name not in self._made:
            self._made[name] = woven_task(self._loom, self._nodes[name], self._examples)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._nodes

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


def build(name: str, recipe: WeaveRecipe, seed: int, bound: Mapping[str, Any] | None = None) -> Suite:
    """The suite of a resolved recipe."""
    loom = Loom(bound)
    if not recipe.expressions:
        raise UserError("there is nothing to weave", where=name, hint="-T 'expressions=[upper(babi/task-1)]'")
    nodes = {text_of(node): node for node in map(loom.parse, recipe.expressions)}
    sizes = {split: size for split in SPLITS if (size := getattr(recipe, split))}

    def draw(split: str) -> Iterable[Row]:
        makers, lengths, tasks = [], [], []
        parts = -(-sizes[split] // _BLOCK)
        for task, node in nodes.items():
            for part in range(parts):
                size = min(_BLOCK, sizes[split] - part * _BLOCK)
                makers.append(partial(_rows, loom, node, split, seed, part, parts, size))
                lengths.append(size)
                tasks.append(task)
        return SeriesBlocks(makers, lengths, tasks)

    return Suite(
        name=f"weave/{name}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=WovenTasks(loom, nodes, recipe.examples),
        splits={split: size * len(nodes) for split, size in sizes.items()},
        draw=draw,
        facets=FACETS,
        apart="inputs",
        pool="train" if "train" in sizes else None,
    )


def _rows(loom: Loom, node: Expression, split: str, seed: int, part: int, parts: int, size: int) -> Iterator[Row]:
    survey(loom, node)
    made = 0
    for item in loom.items(node, split, seed, part=part, parts=parts):
        if item is not None and made < size:
            yield loom.row(node, item, f"{split}-{part * _BLOCK + made}")
            made += 1
        if made == size:
            return
    raise UserError(
        f"{text_of(node)} has {made} items for {split}, not {size}", where="weave", hint=f"-T {split}={made}"
    )
