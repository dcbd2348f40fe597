"""Drawing woven items: leaves from the supplies of their tasks, answers by the records of the operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from random import Random
from typing import Any

from taskloom.algebra import Atom, Expression
from taskloom.core import AnyOf, Instance, KeyedRandom, Row, UserError
from taskloom.core.instance import input_hash
from taskloom.weave.atoms import LANES, TaskAtom, task_atom
from taskloom.weave.expression import leaves_of, parse, task_record, text_of
from taskloom.weave.records import Outline, Woven, is_value, values_of
from taskloom.weave.values import Value

_WINDOW = 80
"""Items of a task, for each sixteenth that a lane has, among which those of further cases and parts are chosen."""
_TRIES = 48
"""Items that are looked at for one with a wanted answer."""
_PATIENCE = 400
"""Attempts in a row without an item, after which there are no more."""


class Loom:
    """Expressions with their outlines and items.

    Args:
        bound: Tasks of the caller's own, by the names that expressions call them.
        settings: What transforms of the input use: `background` and `tokenizer`.
    """

    def __init__(self, bound: Mapping[str, Any] | None = None, settings: Mapping[str, str] | None = None) -> None:
        self.bound = bound or {}
        self.settings = settings or {}
        self._atoms: dict[str, TaskAtom] = {}
        self._outlines: dict[Expression, Outline] = {}
        self.surveys: dict[Expression, Any] = {}

    def parse(self, text: str) -> Expression:
        return parse(text, self.outline)

    def atom(self, name: str) -> TaskAtom:
        if name not in self._atoms:
            self._atoms[name] = task_atom(name, self.bound)
        return self._atoms[name]

    def outline(self, node: Expression) -> Outline:
        if node not in self._outlines:
            if isinstance(node, Atom):
                found = self.atom(node.name).outline
            else:
                tasks = [self.outline(one) for one in node.arguments if not is_value(one)]
                found = task_record(node).outline(*tasks, *values_of(node.arguments))
            self._outlines[node] = found
        return self._outlines[node]

    def single(self, node: Expression) -> bool:
        """Whether each item asks about one input, so that there are as many as the task has inputs."""
        return len(leaves_of(node)) == 1 and self.outline(node).leaves == 1

    def items(self, node: Expression, lane: str, seed: int, *, part: int = 0, parts: int = 1) -> Iterator[Woven | None]:
        """Endless items, or all there are; None for each that is not asked because its answer would be ambiguous.

        Args:
            node: The expression.
            lane: Whose inputs to use.
            seed: The seed of the tasks' suites.
            part: Which of several parts of all items, in which no two share one of the leading inputs.
            parts: How many such parts there are.
        """
        draws = KeyedRandom("weave", text_of(node), lane, seed, part)
        seen: set[bytes] = set()
        dry = 0
        for attempt in count():
            draw = Draw(self, lane, seed, draws.at(attempt), part + parts * attempt)
            item = draw.item(node)
            if draw.exhausted and self.single(node):
                return
            fresh = not draw.missed if item is None else (key := input_hash(item.input)) not in seen
            dry = 0 if item is not None and fresh else dry + 1
            if dry > _PATIENCE:
                return
            if item is not None and fresh:
                seen.add(key)
            if fresh:
                yield item

    def row(self, node: Expression, item: Woven, name: str) -> Row:
        facets: dict[str, Any] = {"expression": text_of(node), "answer": item.value.canonical}
        targets = AnyOf(item.value.texts) if item.targets is None else item.targets
        return Row(text_of(node), Instance(name, item.input, targets, facets, {}, {"steps": list(item.trace)}))


class Draw:
    """One attempt to draw an item.

    Args:
        loom: Where tasks and outlines come from.
        lane: Whose inputs to use.
        seed: The seed of the tasks' suites.
        rng: The random numbers of this attempt.
        lead: The number of the input that the first leaf takes; further leaves are chosen at random.

    Attributes:
        exhausted: Whether the first leaf has no further input.
        missed: Whether there is no item for want of fitting inputs, not because its answer would be ambiguous.
    """

    def __init__(self, loom: Loom, lane: str, seed: int, rng: Random, lead: int) -> None:
        self.loom = loom
        self.lane = lane
        self.seed = seed
        self.rng = rng
        self._lead: int | None = lead
        self.exhausted = False
        self.missed = False

    def item(self, node: Expression, wanted: Callable[[Value], bool] | None = None) -> Woven | None:
        """An item of an expression, with a wanted answer where one is; None where it is not asked, or not found."""
        for _ in range(_TRIES if wanted is not None else 1):
            found = self._one(node)
            if found is not None and (wanted is None or wanted(found.value)):
                return found
        self.missed = self.missed or wanted is not None
        return None

    def _one(self, node: Expression) -> Woven | None:
        if not isinstance(node, Atom):
            return task_record(node).weave(self, node.arguments)
        return self._leaf(self.loom.atom(node.name))

    def _leaf(self, atom: TaskAtom) -> Woven | None:
        lead, self._lead = self._lead, None
        if lead is not None:
            found = atom.leaf(self.lane, self.seed, lead)
            if found is not None:
                return found
            self.exhausted = True
        last = atom.held(self.lane, self.seed, _WINDOW * LANES[self.lane])
        if not last:
            raise UserError(f"{atom.name} has no items for {self.lane}", hint="name a task with more items")
        return atom.leaf(self.lane, self.seed, self.rng.randrange(last))

    def apart(self, items: Sequence[Woven | None]) -> list[Woven] | None:
        """The items; None where one is missing, or two have the same input."""
        found = [one for one in items if one is not None]
        if len(found) < len(items):
            return None
        alike = len({one.input for one in found}) < len(found)
        self.missed = self.missed or alike
        return None if alike else found
