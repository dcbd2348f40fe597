"""Functions of a user as parts of a run: a name and a hash that say which function it was.

A function has no version. Its name is followed by a hash of its code and of the plain values that it uses (defaults,
what it encloses, globals), so that two functions never go by the same name. What else it does, no hash can tell: a
function may ask a server or a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from taskloom.core.instance import content_hash


def function_name(function: Callable[..., Any]) -> str:
    """What a function is called in logs: its name and the head of its hash."""
    own = function.func if isinstance(function, partial) else function
    called = str(getattr(own, "__name__", type(own).__name__)).strip("<>")
    return f"{called}@{function_hash(function)[:12]}"


def function_hash(function: Callable[..., Any]) -> str:
    """A hash of everything about a function that plain data can tell."""
    home = function.func if isinstance(function, partial) else function
    return content_hash(_facts(function, getattr(home, "__module__", ""), frozenset()))


def _facts(value: Any, home: str, above: frozenset[int]) -> Any:
    """A value as plain data. Functions are followed within their module; what others import goes by its name."""
    if value is None or isinstance(value, str | int | float | bool | bytes):
        return repr(value)
    if id(value) in above:
        return "itself"
    facts = partial(_facts, home=home, above=above | {id(value)})
    if isinstance(value, CodeType):
        return [value.co_code.hex(), list(value.co_names), [facts(constant) for constant in value.co_consts]]
    if isinstance(value, list | tuple):
        return [facts(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted(repr(facts(each)) for each in value)
    if isinstance(value, Mapping):
        return [[facts(key), facts(each)] for key, each in value.items()]
    if isinstance(value, partial):
        return ["partial", facts(value.func), facts(value.args), facts(value.keywords)]
    if isinstance(value, FunctionType) and value.__module__ == home:
        used = {name: value.__globals__[name] for name in value.__code__.co_names if name in value.__globals__}
        held = [_contents(cell) for cell in value.__closure__ or ()]
        return [facts(each) for each in (value.__code__, value.__defaults__, value.__kwdefaults__, held, used)]
    if isinstance(value, MethodType):
        return [facts(value.__func__), facts(value.__self__)]
    named = value if hasattr(value, "__qualname__") else type(value)
    name = [str(getattr(named, "__module__", "")), named.__qualname__]
    if named is value or isinstance(value, ModuleType):
        return [*name, getattr(value, "__name__", "")]
    # An object: its plain attributes and how it answers. A client of a server shows no more than that.
    plain = {key: each for key, each in getattr(value, "__dict__", {}).items() if isinstance(each, str | int | float)}
    return [*name, facts(plain), facts(vars(named).get("__call__"))]


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that is bound later
        return None
