"""Small changes to source code that a test should notice: comparisons, operators, numbers, conditions, statements.

Strings, annotations, decorators and code for type checkers alone stay as they are. So does what no result can show:
how far a progress bar has come, whether a private bound of a hundred or more (`_MOST = 2_000`) is one larger, and that
`zip` is strict, which is an assertion of lists that were made together. Each change replaces the text of one node and
keeps the number of lines, so that tracebacks still point at the right place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
}
SKIPPED = ("annotation", "returns", "decorator_list", "type_params")


@dataclass(frozen=True)
class Mutant:
    """One change: which bytes of which file become what, and in which function they stand."""

    file: str
    statement: int
    """The first line of the statement it is part of."""
    on_import: bool
    """Whether it stands outside all functions."""
    line: int
    start: int
    end: int
    text: str
    before: str
    brackets: bool = False
    """Whether the new text is an expression, which keeps its place best in brackets."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.before.strip()!r} -> {self.text.strip()!r}"

    def apply(self, source: bytes) -> bytes:
        """The file with the change, as long in lines as before."""
        gone = source[self.start : self.end].count(b"\n") - self.text.count("\n")
        # Inside brackets a line break is a blank; after a statement it is an empty line.
        padding = "\n" * max(gone, 0)
        text = f"({self.text}{padding})" if self.brackets else self.text + padding
        return source[: self.start] + text.encode() + source[self.end :]


def mutants(path: Path, name: str) -> list[Mutant]:
    """Every change of one file, in the order of its text."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, place, text in _changes(ast.parse(source), Place(0, True)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = source[start:end].decode()
        found.append(Mutant(name, *place, node.lineno, start, end, text, before, isinstance(node, ast.expr)))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.text))


class Place(NamedTuple):
    """Where a node stands: the first line of its statement, and whether that is outside all functions."""

    statement: int
    on_import: bool


def _changes(node: ast.AST, place: Place) -> Iterator[tuple[ast.expr | ast.stmt, Place, str]]:
    """(node, place, new text) for a node and all below it."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, (ast.JoinedStr, ast.AnnAssign)) and (isinstance(node, ast.JoinedStr) or node.value is None):
        return
    if _is_unseen(node, place):
        return
    if isinstance(node, ast.stmt):
        place = place._replace(statement=node.lineno)
    for text in _texts(node):
        assert isinstance(node, (ast.expr, ast.stmt))
        yield node, place, text
    if isinstance(node, (ast.If, ast.IfExp)) and isinstance(node.test, (ast.Name, ast.Attribute, ast.Call)):
        yield node.test, place, f"not {ast.unparse(node.test)}"
    if isinstance(node, ast.keyword) and node.arg == "gc":
        return  # whether the collector looks at a record, which only its speed shows
    for field, value in ast.iter_fields(node):
        if field in SKIPPED or (field == "keywords" and _is_zip(node)):
            continue
        inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and field == "body"
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _changes(child, place._replace(on_import=False) if inside else place)


def _texts(node: ast.AST) -> Iterator[str]:
    """What a node may become."""
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in COMPARISONS:
            yield ast.unparse(ast.Compare(left, [COMPARISONS[type(operator)]()], [right]))
        case ast.BoolOp(operator, values):
            yield ast.unparse(ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values))
        case ast.UnaryOp(ast.Not(), operand):
            yield ast.unparse(operand)
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float())):
            yield ast.unparse(node.operand)
        case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC and not _is_text(left, right):
            yield ast.unparse(ast.BinOp(left, ARITHMETIC[type(operator)](), right))
        case ast.Constant(bool(value)):
            yield repr(not value)
        case ast.Constant(int() | float() as value):
            yield repr(value + 1)
        case ast.Return(ast.expr() as value) if not _is_none(value) and not _is_false(value):
            yield "return None"
        case ast.Break():
            yield "continue"
        case ast.Continue():
            yield "break"
        case ast.AugAssign() | ast.Expr(ast.Call()):
            yield "pass"
        case _:
            return


def _is_false(node: ast.expr) -> bool:
    """None is as good as False to whoever asks; that False becomes True is a change of its own."""
    return isinstance(node, ast.Constant) and node.value is False


def _is_unseen(node: ast.AST, place: Place) -> bool:
    """Whether no result shows a change of it: a step of a progress bar, or a bound of a hundred or more."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("progress")))):
            return True
        case ast.Assign(targets, value) if place.on_import:
            return all(map(_is_private, targets)) and _is_large(value)
        case _:
            return False


def _is_zip(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip"


def _is_private(node: ast.expr) -> bool:
    names = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(name, ast.Name) and name.id.startswith("_") for name in names)


def _is_large(node: ast.expr) -> bool:
    """A whole number of a hundred or more, or several."""
    numbers = node.elts if isinstance(node, ast.Tuple) else [node]
    values = [number.value if isinstance(number, ast.Constant) else 0 for number in numbers]
    return all(type(value) is int and value >= 100 for value in values)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(*nodes: ast.expr) -> bool:
    """Strings are left alone, and so is what is put together of them."""
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes)))
        for node in nodes
        for part in ast.walk(node)
    )
