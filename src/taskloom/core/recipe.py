"""Recipes: typed settings of a suite, from defaults, a file and the command line, in that order."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from operator import ge, gt, le, lt
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from taskloom.core.errors import UnknownKeyError, UserError, unknown_name


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every family's recipe. Subclasses list typed fields with defaults.

    Check relations between fields in `__post_init__` and raise ValueError with a plain sentence.
    """

    file_keys: ClassVar[tuple[str, ...]] = ()
    """The keys that name files or folders whose bytes decide the rows; the identity of a suite covers them."""

    @classmethod
    def spelled(cls, key: str, value: Any) -> Any:
        """A value as the recipe writes it, for keys that people write in several ways."""
        return value

    def __repr__(self) -> str:
        from taskloom.core.secrets import public_repr

        return public_repr(self)


class NamedRecipe(Recipe, frozen=True):
    """What is registered under a name and has options: its fields, with their documented defaults."""

    name: ClassVar[str]
    """The name it is registered under."""

    def describe(self) -> dict[str, Any]:
        """Name and options, for logs and cache keys."""
        return {"name": self.name, **msgspec.to_builtins(self)}


R = TypeVar("R", bound=Recipe)

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Positive: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""Types of keys with bounds, which hold for the values that users give."""

_KINDS = ("adaptation", "encoding", "reader", "study")
_BOUNDS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    ">=": ("{:g} or more", ge),
    ">": ("above {:g}", gt),
    "<=": ("at most {:g}", le),
    "<": ("below {:g}", lt),
}
_TRUTH = {"yes": True, "on": True, "no": False, "off": False}
"""Words that people type for true and false; YAML 1.2 leaves them words."""


def resolve(default: R, overrides: Mapping[str, Any], *, where: str) -> R:
    """The default recipe with some keys replaced, validated.

    Args:
        default: The recipe to start from.
        overrides: Values by key; a dotted key (`filters.length`) reaches into nested recipes.
        where: What to name in errors: a suite, or a file.

    Raises:
        UserError: An unknown key (with the nearest one), a value of the wrong type, or a refused combination.
    """
    data: dict[str, Any] = msgspec.to_builtins(default)
    seen: dict[str, str] = {}
    for key, value in overrides.items():
        spelled = seen.setdefault(key.replace("-", "_"), key)
        if spelled != key:
            raise UserError(f"{spelled} and {key} are the same key", where=where)
        _assign(data, key.replace("-", "_"), value, default, where)
    try:
        recipe = msgspec.convert(data, type(default), strict=False)
    except msgspec.ValidationError as error:
        message, key = locate(str(error))
        choices = next((option.choices for option in options_of(default) if option.name == key), ())
        if choices and "enum" in message:
            message = f"{data[key]!r} is not one of {', '.join(map(str, choices))}"
        elif bound := re.fullmatch(r"expected a (?:whole )?number (\S+) (\S+)", message):
            (words, holds), limit = _BOUNDS[bound[1]], float(bound[2])
            found = _refused(data, re.findall(r"\w+|\.{3}", key), lambda value: holds(float(value), limit))
            assert found is not None  # what the message is about
            key, message = found[0], f"must be {words.format(limit)}, not {found[1]}"
        elif fewest := re.fullmatch(r"expected a list of length >= (\d+)", message):
            message = f"must list {fewest[1]} or more"
        listed = "expected a list" in message and isinstance(data.get(key), str | int | float)
        right = f"[{data.get(key)}]" if listed else None
        told = [f"{key}={right or _shown(own.default)}: {own.about}" for own in options_of(default) if own.name == key]
        hint = "\n  ".join([*told, _how_to_list(where)])
        raise UserError(message, where=f"{where}: {key}" if key else where, hint=hint) from None
    _refuse_nonsense(msgspec.to_builtins(recipe), "", where)
    return recipe


def _refused(data: Any, keys: Sequence[str], holds: Callable[[Any], bool]) -> tuple[str, Any] | None:
    """The first value for which something does not hold, with its whole key; "..." among the keys is any name."""
    if not keys:
        return None if holds(data) else ("", data)
    for name, value in data.items() if isinstance(data, Mapping) else enumerate(data):
        if keys[0] in ("...", str(name)) and (found := _refused(value, keys[1:], holds)):
            return f"{name}.{found[0]}".removesuffix("."), found[1]
    return None


def takes(recipe: Recipe, key: str, value: Any) -> bool:
    """Whether a key of a recipe may have a value."""
    try:
        resolve(recipe, {key: value}, where="")
    except UserError:
        return False
    return True


def _refuse_nonsense(value: Any, key: str, where: str) -> None:
    """Comparisons let "not a number" through, and JSON cannot hold it: neither a check nor a log would catch it."""
    if isinstance(value, float) and not isfinite(value):
        raise UserError(f"{value} is not a usable number", where=f"{where}: {key}")
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _refuse_nonsense(inner, f"{key}.{name}" if key else str(name), where)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            _refuse_nonsense(inner, f"{key}[{index}]", where)


def _assign(data: dict[str, Any], key: str, value: Any, default: Recipe, where: str) -> None:
    head, _, rest = key.partition(".")
    known: list[str] = list(default.__struct_fields__)
    if head not in known:
        if not known:
            kind = where.partition(" ")[0]
            hint = f"taskloom list {kind}s shows those that have" if kind in _KINDS else None
            if where == "adaptation none":
                hint = "choose an adaptation with --adapt: taskloom list adaptations"
            raise UserError(f"has no options, so {head!r} cannot be set", where=where, hint=hint)
        about = {option.name: option.about for option in options_of(default)}
        unknown = unknown_name("key", head, about, hint=_how_to_list(where))
        error = UnknownKeyError(unknown.message, where=where, hint=unknown.hint)
        error.key = head
        raise error
    inner = getattr(default, head)
    if not rest:
        value = default.spelled(head, value)
        truth = isinstance(inner, bool) and isinstance(value, str)
        data[head] = _TRUTH.get(value.lower(), value) if truth else _text(value) if isinstance(inner, str) else value
        return
    if isinstance(inner, Recipe):
        _assign(data[head], rest, value, inner, where)
    elif isinstance(inner, Mapping):
        data[head] = {**data[head], rest: value}
    else:
        raise UserError(f"{head!r} has no nested keys, so {key!r} is not a key", where=where)


def _how_to_list(where: str) -> str:
    kind, _, name = where.partition(" ")
    return f"taskloom list options {shlex.quote(name if kind in _KINDS else where)}"


def _shown(value: Any) -> str:
    """A default as it is typed, if it is short."""
    shown = str(value) if isinstance(value, str | int | float) else msgspec.json.encode(value).decode()
    return shown if len(shown) < 60 else "…"


def _text(value: Any) -> Any:
    """A value for a key that holds text: `answer=1931` is no number there."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


_PLAIN = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
"""How messages name the types of values."""


def _plainly(types: str) -> str:
    """`array | null` in words."""
    return " or ".join(_PLAIN.get(name, f"`{name}`") for name in types.split(" | "))


def locate(message: str) -> tuple[str, str]:
    """A sentence and the key that it is about, of msgspec's "... - at `$.a[0].b`" into the sentence and the key."""
    match = re.fullmatch(r"(?s)(.*?) - at `\$\.?(.*)`", message)
    sentence, key = (match[1], match[2]) if match else (message, "")
    sentence = re.sub(r"`(\w+(?: \| \w+)*)`", lambda found: _plainly(found[1]), sentence)
    return sentence[:1].lower() + sentence[1:], key


class Option(NamedTuple):
    """A key of a recipe: its default, what it may hold where that is a list, what it does."""

    name: str
    default: Any
    choices: tuple[Any, ...]
    about: str


def options_of(recipe: Recipe) -> list[Option]:
    """Every key of a recipe, with the words of the docstrings that its classes have."""
    defaults = msgspec.to_builtins(recipe)
    hints = get_type_hints(type(recipe))
    about: dict[str, str] = {}
    for kind in type(recipe).__mro__:
        if issubclass(kind, Recipe):
            about = {**documented(kind), **about}
    return [
        Option(name, value, get_args(hints[name]) if get_origin(hints[name]) is Literal else (), about.get(name, ""))
        for name, value in defaults.items()
    ]


def documented(kind: type) -> dict[str, str]:
    """The entries below "Attributes:" in a class's docstring; one may stand for several keys (`train, dev: …`)."""
    _, _, listed = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    entries = re.findall(r"^    (\w+(?:, \w+)*): (.*(?:\n     +.*)*)", listed.partition("\n\n")[0], re.MULTILINE)
    return {name: " ".join(text.split()) for names, text in entries for name in names.split(", ")}


def parse_assignments(pairs: list[str], option: str) -> dict[str, Any]:
    """Turn `["n=3", "names=[Ann, Bob]"]` into values, read as YAML scalars, lists and mappings.

    A text that YAML cannot read (`**x**`), a sentence with a colon, and a number that would not be written back as it
    stands (`007`) stay text; a key that holds numbers reads them so.
    """
    from taskloom.core.secrets import learn_options
    from taskloom.core.yaml12 import decode_yaml

    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise UserError(f"takes KEY=VALUE, not {pair!r}", where=option)
        try:
            value = decode_yaml(text, where=option) if text else ""
        except UserError as error:
            if text.lstrip()[:1] in tuple("[{\"'!"):
                raise UserError(f"the value of {key!r} cannot be read: {error.message}", where=option) from None
            value = text
        altered = isinstance(value, int) and not isinstance(value, bool) and str(value) != text.strip()
        altered |= isinstance(value, dict | list) and text.lstrip()[:1] not in ("[", "{")
        values[key.strip()] = text if altered else value
    learn_options(values)
    return values
