"""The lattice of a suite: its expressions, and what each is made of.

A cell is an expression in normal form; its parts are the expressions directly inside it. A word function that fails
although its parts are mastered is a composition that a model lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from taskloom.algebra import IDENTITY, Expression, atoms, normal, signature
from taskloom.core import Instance, Row, Suite, Task, UserError
from taskloom.core.cells import Cell, ItemPair, Lattice, PlainWords
from taskloom.core.rng import keyed_random
from taskloom.families.taskbench.language import parse, short

if TYPE_CHECKING:
    from taskloom.families.taskbench.builder import TaskBuilder

_STREAMED = 512  # spare items that are shuffled together


def cell_of_expression(node: Expression) -> Cell:
    """The cell of an expression: its normal form as the question, its atoms as the parts an answer needs."""
    form = normal(node)
    return Cell(short(form), tuple(sorted({short(atom) for atom in atoms(form)})))


class ExpressionLattice(Lattice):
    """The expressions of a suite.

    Args:
        suite: The suite, for names and the recipe.
        builder: What evaluates its expressions.
    """

    def __init__(self, suite: Suite, builder: TaskBuilder) -> None:
        self._suite = suite
        self._builder = builder

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return sorted(self._listed)

    @cached_property
    def _listed(self) -> dict[Cell, str]:
        """The built tasks by cell."""
        return {cell_of_expression(one.entry.expression): one.name for one in self._builder.built()}

    def parts(self, cell: Cell) -> tuple[Cell, ...]:
        """The expressions directly inside, each once; an atom has none."""
        inside = [part for part in parse(cell.question).arguments if part != IDENTITY()]
        return tuple(dict.fromkeys(cell_of_expression(part) for part in inside))

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        return cell_of_expression(parse(task.name))

    def explain(self, name: str) -> PlainWords:
        """A function by its definition."""
        try:
            built = self._listed.get(cell_of_expression(parse(name)))
        except UserError:
            built = None
        if built is None:
            return super().explain(name)
        instruction = self._suite.tasks[built].instruction
        shown = instruction.positive[0] if instruction.positive else None
        example = "" if shown is None else f"{shown.input} → {shown.output}"
        return PlainWords(name, instruction.definition.split(". ")[0].rstrip(".") + ".", example)

    def pair(self, cell: Cell, part: Cell, seed: int) -> ItemPair:
        """The whole and the part asked of the same words, or the part of one of a sequence, where both know them."""
        known: dict[str, Row] = {}
        with suppress(UserError):  # few words: all were drawn
            known.update((row.instance.input, row) for row in islice(self.stream(part, seed), _STREAMED))
        with suppress(UserError):
            for row in islice(self.stream(cell, seed), _STREAMED):
                asked = row.instance.input
                word = next((word for word in (asked, *asked.split()) if word in known), None)
                if word is not None:
                    return ItemPair(known[word], row, minimal=True)
        return super().pair(cell, part, seed)

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        """Items that stand in no split and in no example.

        Sequences are as good as endless. Single words are not: when they are used up the stream says how many there
        were.

        Args:
            cell: Any expression, listed or not.
            seed: Keys the order.
            size: The number of words of a sequence; None draws all lengths.

        Raises:
            UserError: There is no such item, or no further one.
        """
        # A listed task may be written in another order than its cell: its own name counts, and its own splits.
        listed = self._listed.get(cell)
        verdict = (self._builder.find(listed) if listed else None) or self._builder.unlisted(parse(cell.question))
        if verdict.state != "built":
            raise UserError(f"no item of {cell.question}: {verdict.state}, {verdict.reason}", where=self._suite.name)
        sequence = signature(verdict.entry.expression).sequence
        spare = self._builder.dress(verdict, "spare", self._builder.dataset(verdict).spare())
        count = 0
        for instance in self._shuffled(spare, cell, seed):
            if size is None or not sequence or instance.facets["length"] == size:
                yield Row(verdict.name, msgspec.structs.replace(instance, id=f"stream-{seed}-{count:06d}"))
                count += 1
        raise UserError(
            f"{cell.question} has {count:,} different items apart from the splits", where=self._suite.name,
            hint="ask for fewer, or leave more words out of the splits: -T train=200",
        )  # fmt: skip

    @staticmethod
    def _shuffled(items: Iterator[Instance], cell: Cell, seed: int) -> Iterator[Instance]:
        """Items in the order of a seed, a few hundred at a time."""
        place = 0
        while group := list(islice(items, _STREAMED)):
            keyed_random("taskbench", "stream", seed, cell.question, place).shuffle(group)
            yield from group
            place += 1
