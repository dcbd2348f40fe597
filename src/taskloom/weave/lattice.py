"""The lattice of woven tasks: cells are expressions, parts are sub-expressions and the operators on a given answer.

`upper(babi/task-1)` has two parts: the task itself, and `upper(given(babi/task-1))`, capitals of a place that is handed
over. So a claim that the whole fails although both are mastered is about their combination, on the same vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from taskloom.algebra import Atom, Expression, Node
from taskloom.core import Instance, Row, Suite, Task, UserError
from taskloom.core.catalog import OPERATORS
from taskloom.core.cells import Cell, ItemPair, Lattice, PlainWords
from taskloom.weave.draw import Loom, leaves_of, task_record, text_of
from taskloom.weave.items import GIVEN, REPEAT
from taskloom.weave.records import PREFIX, AnswerOperator, TaskOperator, article, is_value
from taskloom.weave.suite import survey


def _is_given(node: Expression) -> bool:
    return isinstance(node, Node) and node.operator == GIVEN.name


def _handed_over(node: Expression) -> Node:
    return Node(GIVEN.name, (node,))


def _on_answer(node: Expression) -> bool:
    return isinstance(node, Node) and isinstance(node.record, AnswerOperator)


def _over(outer: Node, inner: Expression) -> Node:
    """The same operator, with the same values, on another task."""
    return Node(outer.operator, (inner, *outer.arguments[1:]))


def _on_given(node: Expression) -> Expression:
    """A chain of operators on answers, on the answer of what they are applied to."""
    if isinstance(node, Node) and _on_answer(node):
        return _over(node, _on_given(node.arguments[0]))
    return node if _is_given(node) else _handed_over(node)


def _made(node: Expression) -> Expression:
    """What a chain on a given answer would be, were the answer not given."""
    if _is_given(node):
        assert isinstance(node, Node)
        return node.arguments[0]
    return _over(node, _made(node.arguments[0])) if isinstance(node, Node) and _on_answer(node) else node


def parts_of(node: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression; none where it is a task, or one operator on given answers."""
    if isinstance(node, Atom) or _is_given(node):
        return ()
    if _on_answer(node):
        inner = node.arguments[0]
        whole = _on_given(node)
        if whole != node:
            return (inner, whole)
        return () if _is_given(inner) else (inner, _over(node, _handed_over(_made(inner))))
    tasks = [one for one in node.arguments if not is_value(one)]
    real = [one for one in tasks if not _is_given(one)]
    if not real:
        return ()
    # What is repeated is an operator, so its answer is not handed over, but what it is applied to.
    hand = _on_given if node.operator == REPEAT.name else _handed_over
    given = tuple(hand(one) if one in real else one for one in node.arguments)
    if given == node.arguments:
        return tuple(real)
    return (*dict.fromkeys(real), *([Node(node.operator, given)] if task_record(node).on_given else []))


def title_of(node: Expression, named: Callable[[str], str]) -> str:
    """What a claim calls an expression: "capitals of where-person"; an operator on a given answer is "capitals"."""
    if isinstance(node, Atom):
        return named(node.name)
    if _is_given(node):
        return ""
    record = task_record(node)
    inner = [title_of(one, named) for one in node.arguments if not is_value(one)]
    values = dict(zip(record.slots, map(text_of, node.arguments), strict=True))
    words = {**values, "article": article(text_of(node.arguments[-1]))}
    title = (record.title or record.word).format_map(words)
    if not any(inner):
        return title
    # A given answer among tasks is an answer; one that an operator is applied to goes without saying.
    return (record.titled or f"{title} of {{0}}").format(*(one or "an answer" for one in inner), **words)


def closure(nodes: Iterable[Expression]) -> dict[str, Expression]:
    """The expressions with all their parts, by their texts."""
    found: dict[str, Expression] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop(0)
        if text_of(node) not in found:
            found[text_of(node)] = node
            waiting += parts_of(node)
    return found


def _needs(node: Expression) -> set[str]:
    """What an answer needs: the tasks that are not given, and the operators."""
    if isinstance(node, Atom):
        return set() if is_value(node) else {node.name}
    if _is_given(node):
        return set()
    return {task_record(node).word}.union(*map(_needs, node.arguments))


class WeaveLattice(Lattice):
    """The expressions of a suite, and their parts.

    Args:
        suite: The suite.
        loom: What draws its items.
        nodes: Its expressions.
    """

    def __init__(self, suite: Suite, loom: Loom, nodes: Mapping[str, Expression]) -> None:
        self._suite = suite
        self._loom = loom
        self._nodes = nodes

    @cached_property
    def _closed(self) -> dict[Cell, Expression]:
        return {self._cell(node): node for node in closure(self._nodes.values()).values()}

    @staticmethod
    def _cell(node: Expression) -> Cell:
        return Cell(text_of(node), tuple(sorted(_needs(node))))

    def _node(self, cell: Cell) -> Expression:
        return self._closed[cell] if cell in self._closed else self._loom.parse(cell.question)

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return sorted(self._closed)

    @cached_property
    def _titles(self) -> dict[str, str]:
        """Tasks by what claims call them: the question that they ask, or the end of their name, where one has it."""
        found: dict[str, list[str]] = {}
        for name in sorted({name for node in self._closed.values() for name in leaves_of(node)}):
            task = self._loom.atom(name).task
            found.setdefault(str((task and task.facets.get("question")) or name.rpartition("/")[2]), []).append(name)
        return {name: short if len(names) == 1 else name for short, names in found.items() for name in names}

    def title(self, cell: Cell) -> str:
        return title_of(self._node(cell), lambda name: self._titles.get(name, name))

    def parts(self, cell: Cell) -> tuple[Cell, ...]:
        return tuple(self._cell(part) for part in parts_of(self._node(cell)))

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        return self._cell(self._loom.parse(task.name))

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        """Items whose parts no split and no worked example uses.

        Raises:
            UserError: There are no more of them, or too few different answers.
        """
        if size is not None:
            raise UserError(f"items of {self._suite.name} have no size to hold fixed")
        node = self._node(cell)
        survey(self._loom, node)
        made = 0
        for item in self._loom.items(node, "fresh", self._suite.seed + 1 + seed):
            if item is not None:
                yield self._loom.row(node, item, f"stream-{seed}-{made:06d}")
                made += 1
        raise UserError(f"{text_of(node)} has {made} items apart from the splits", where=self._suite.name)

    def pair(self, cell: Cell, part: Cell, seed: int) -> ItemPair:
        """The whole and a part; both begin with the same item of the first task, where neither is ambiguous."""
        found = super().pair(cell, part, seed)
        shared = found.without.instance.input in found.whole.instance.input
        return ItemPair(found.without, found.whole, minimal=shared)

    def explain(self, name: str) -> PlainWords:
        """An operator by what it gives, a task by what it asks."""
        record = OPERATORS.get(PREFIX + name) if PREFIX + name in OPERATORS else None
        if isinstance(record, TaskOperator):
            return PlainWords(name, f"{record.about[:1].upper()}{record.about[1:]}.")
        try:
            node = self._loom.parse(name)
        except UserError:
            return super().explain(name)
        return PlainWords(name, self._loom.outline(node).whole)
