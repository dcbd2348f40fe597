"""The small language of task records: expressions in Python's syntax, read as a tree and never run as code.

A formula knows constants, names, arithmetic, comparisons, lists, comprehensions, f-strings, fields (`row.name`),
the methods of texts and mappings listed here, and the functions that it is given. Anything else is refused when the
record is read.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

from taskloom.core import UserError

Names: TypeAlias = dict[str, Any]
Step: TypeAlias = Callable[[Names], Any]

_METHODS = frozenset(
    [
        "capitalize",
        "casefold",
        "count",
        "endswith",
        "find",
        "get",
        "index",
        "isalpha",
        "isascii",
        "isdigit",
        "islower",
        "isupper",
        "items",
        "join",
        "keys",
        "ljust",
        "lower",
        "lstrip",
        "partition",
        "removeprefix",
        "removesuffix",
        "replace",
        "rfind",
        "rjust",
        "rpartition",
        "rsplit",
        "rstrip",
        "split",
        "splitlines",
        "startswith",
        "strip",
        "swapcase",
        "title",
        "upper",
        "values",
        "zfill",
    ]
)
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Div: operator.truediv, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_LARGEST = 10**12


class UnsuitableError(Exception):
    """A drawn item that an `assert` of its record rejects; another one is drawn."""


def _refuse(node: ast.AST, what: str) -> UserError:
    return UserError(f"a formula cannot hold {what}: {ast.unparse(node)}")


def _step(node: ast.expr) -> Step:
    """What finds the value of an expression."""
    reader = _READERS.get(type(node))
    if reader is None:
        raise _refuse(node, type(node).__name__)
    return reader(node)


def _constant(node: Any) -> Step:
    value = node.value
    return lambda names: value


def _name(node: Any) -> Step:
    name = node.id

    def find(names: Names) -> Any:
        if name not in names:
            raise UserError(f"a formula uses {name!r}, which is not defined")
        return names[name]

    return find


def _binary(node: Any) -> Step:
    act = _BINARY.get(type(node.op))
    if act is None:
        raise _refuse(node, "this operator")
    left, right, multiply = _step(node.left), _step(node.right), isinstance(node.op, ast.Mult)

    def find(names: Names) -> Any:
        one, two = left(names), right(names)
        if multiply and any(isinstance(value, int) and abs(value) > _LARGEST for value in (one, two)):
            raise UserError("a formula multiplies numbers that are too large")
        return act(one, two)

    return find


def _unary(node: Any) -> Step:
    inner = _step(node.operand)
    if isinstance(node.op, ast.Not):
        return lambda names: not inner(names)
    if isinstance(node.op, ast.USub):
        return lambda names: -inner(names)
    raise _refuse(node, "this sign")


def _boolean(node: Any) -> Step:
    parts, wanted = [_step(value) for value in node.values], isinstance(node.op, ast.Or)

    def find(names: Names) -> Any:
        value: Any = None
        for part in parts:
            value = part(names)
            if bool(value) == wanted:
                return value
        return value

    return find


def _compare(node: Any) -> Step:
    first, others = (
        _step(node.left),
        [(_COMPARE[type(op)], _step(e)) for op, e in zip(node.ops, node.comparators, strict=True)],
    )

    def find(names: Names) -> bool:
        left = first(names)
        for act, step in others:
            right = step(names)
            if not act(left, right):
                return False
            left = right
        return True

    return find


def _choice(node: Any) -> Step:
    test, yes, no = _step(node.test), _step(node.body), _step(node.orelse)
    return lambda names: yes(names) if test(names) else no(names)


def _call(node: Any) -> Step:
    spread = [isinstance(one, ast.Starred) for one in node.args]
    given = [_step(one.value if isinstance(one, ast.Starred) else one) for one in node.args]
    named = {one.arg: _step(one.value) for one in node.keywords}

    def values(names: Names) -> list[Any]:
        found: list[Any] = []
        for step, many in zip(given, spread, strict=True):
            found.extend(step(names)) if many else found.append(step(names))
        return found

    if isinstance(node.func, ast.Attribute):
        method, inner = node.func.attr, _step(node.func.value)
        if method not in _METHODS:
            raise _refuse(node, f"the method {method!r}")

        def call_method(names: Names) -> Any:
            own = inner(names)
            if not isinstance(own, str | dict | list | tuple):
                raise UserError(f"a formula calls {method!r} of a {type(own).__name__}")
            return getattr(own, method)(*values(names), **{name: step(names) for name, step in named.items()})

        return call_method
    function = _step(node.func)
    return lambda names: function(names)(*values(names), **{name: step(names) for name, step in named.items()})


def _field(node: Any) -> Step:
    name, inner = node.attr, _step(node.value)
    if name.startswith("_"):
        raise _refuse(node, "a private name")

    def find(names: Names) -> Any:
        row = inner(names)
        if not isinstance(row, Mapping) or name not in row:
            raise UserError(f"a formula asks for the field {name!r}, which the row does not have")
        return row[name]

    return find


def _subscript(node: Any) -> Step:
    inner = _step(node.value)
    if isinstance(node.slice, ast.Slice):
        low, high, stride = (
            None if part is None else _step(part) for part in (node.slice.lower, node.slice.upper, node.slice.step)
        )
        return lambda names: inner(names)[
            slice(*(None if part is None else part(names) for part in (low, high, stride)))
        ]
    index = _step(node.slice)
    return lambda names: inner(names)[index(names)]


def _sequence(node: Any) -> Step:
    build = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
    parts = [
        (isinstance(one, ast.Starred), _step(one.value if isinstance(one, ast.Starred) else one)) for one in node.elts
    ]

    def find(names: Names) -> Any:
        found: list[Any] = []
        for many, step in parts:
            found.extend(step(names)) if many else found.append(step(names))
        return build(found)

    return find


def _mapping(node: Any) -> Step:
    pairs = [(_step(key), _step(value)) for key, value in zip(node.keys, node.values, strict=True)]
    return lambda names: {key(names): value(names) for key, value in pairs}


def _assigned(target: ast.expr) -> Callable[[Names, Any], None]:
    if isinstance(target, ast.Name):
        name = target.id
        return lambda names, value: names.__setitem__(name, value)
    if isinstance(target, ast.Tuple):
        parts = [_assigned(one) for one in target.elts]

        def unpack(names: Names, value: Any) -> None:
            held = list(value)
            if len(held) != len(parts):
                raise UserError(f"a formula expects {len(parts)} values and finds {len(held)}")
            for part, one in zip(parts, held, strict=True):
                part(names, one)

        return unpack
    raise _refuse(target, "this target")


def _comprehension(node: Any) -> Step:
    loops = [(_assigned(one.target), _step(one.iter), [_step(test) for test in one.ifs]) for one in node.generators]
    pair = isinstance(node, ast.DictComp)
    body = (_step(node.key), _step(node.value)) if pair else (_step(node.elt),)
    build: Any = {ast.DictComp: dict, ast.SetComp: set}.get(type(node), list)

    def find(names: Names) -> Any:
        found: list[Any] = []

        def walk(depth: int, inside: Names) -> None:
            if depth == len(loops):
                values = tuple(step(inside) for step in body)
                found.append(values if pair else values[0])
                return
            put, over, tests = loops[depth]
            for value in over(inside):
                put(inside, value)
                if all(test(inside) for test in tests):
                    walk(depth + 1, inside)

        walk(0, dict(names))
        return build(found)

    return find


def _text(node: Any) -> Step:
    parts: list[Step] = []
    for one in node.values:
        if isinstance(one, ast.Constant):
            parts.append(_constant(one))
        else:
            parts.append(_formatted(one))
    return lambda names: "".join(part(names) for part in parts)


def _formatted(node: Any) -> Step:
    inner = _step(node.value)
    form = _step(node.format_spec) if node.format_spec is not None else None
    return lambda names: format(inner(names), form(names) if form else "")


def _function(node: Any) -> Step:
    told, body = [one.arg for one in node.args.args], _step(node.body)
    return lambda names: lambda *given: body({**names, **dict(zip(told, given, strict=True))})


_READERS: dict[type[ast.expr], Callable[[Any], Step]] = {
    ast.Constant: _constant, ast.Name: _name, ast.BinOp: _binary, ast.UnaryOp: _unary, ast.BoolOp: _boolean,
    ast.Compare: _compare, ast.IfExp: _choice, ast.Call: _call, ast.Attribute: _field, ast.Subscript: _subscript,
    ast.List: _sequence, ast.Tuple: _sequence, ast.Set: _sequence, ast.Dict: _mapping, ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension, ast.SetComp: _comprehension, ast.DictComp: _comprehension,
    ast.JoinedStr: _text, ast.FormattedValue: _formatted, ast.Lambda: _function,
}  # fmt: skip


@cache
def formula(source: str) -> Step:
    """The steps of a formula: names are bound line by line, an `assert` rejects an item, the last line is the value.

    Args:
        source: The lines.

    Raises:
        UserError: It is no formula.
    """
    try:
        lines = ast.parse(source.strip()).body
    except SyntaxError as error:
        raise UserError(f"a formula cannot be read: {error.msg} in {source.strip()!r}") from None
    steps: list[Step] = []
    for line in lines:
        match line:
            case ast.Assign(targets=[target], value=value):
                steps.append(_binding(_assigned(target), _step(value)))
            case ast.Assert(test=test):
                steps.append(_check(_step(test)))
            case ast.Expr(value=value):
                steps.append(_step(value))
            case _:
                raise _refuse(line, "this statement")

    def run(names: Names) -> Any:
        found: Any = None
        for step in steps:
            found = step(names)
        return found

    return run


def _binding(put: Callable[[Names, Any], None], step: Step) -> Step:
    return lambda names: put(names, step(names))


def _check(step: Step) -> Step:
    def check(names: Names) -> None:
        if not step(names):
            raise UnsuitableError

    return check


@cache
def template(source: str) -> Step:
    """A text with formulas in braces; doubled braces stand for themselves.

    Raises:
        UserError: A brace is not closed, or a formula cannot be read.
    """
    parts: list[str | Step] = []
    place = 0
    while place < len(source):
        sign = source[place]
        if sign in "{}" and source[place : place + 2] == sign * 2:
            parts.append(sign)
            place += 2
        elif sign == "{":
            end = _closing(source, place)
            parts.append(formula(source[place + 1 : end]))
            place = end + 1
        else:
            end = min((at for brace in "{}" if (at := source.find(brace, place)) >= 0), default=len(source))
            parts.append(source[place:end] if end > place else sign)
            place = max(end, place + 1)
    return lambda names: "".join(part if isinstance(part, str) else str(part(dict(names))) for part in parts)


def _closing(source: str, start: int) -> int:
    depth = 0
    for place in range(start, len(source)):
        depth += {"{": 1, "}": -1}.get(source[place], 0)
        if not depth:
            return place
    raise UserError(f"a brace is not closed: {source[start : start + 40]!r}")
