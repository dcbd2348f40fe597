"""What public functions and objects answer where they are used wrongly: what is wrong, and the use that is right.

Everything is read from what exists: signatures and their annotations, docstrings, the fields of an object and the
public functions that return what was wanted. Right uses cost nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, wraps
from itertools import chain
from numbers import Integral, Real
from os import PathLike
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar, cast, get_args, get_origin

from taskloom.core.errors import UserError, nearest

if TYPE_CHECKING:
    from inspect import Signature

P = ParamSpec("P")
R = TypeVar("R")

_LISTED = 16
"""The most names that a sentence lists."""
_LONGEST_REPR = 80


class CallError(UserError, TypeError):
    """A call with arguments that a function does not take."""


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """Let a public function answer a wrong call with the nearest argument and with how it is called."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        _check_call(function, args, options)
        # Numbers of numpy and pandas are numbers, but are not written to files.
        plain_options: Any = {name: _plain_number(value) for name, value in options.items()}
        return function(*map(_plain_number, args), **plain_options)

    return call


def explained_late(function: Callable[P, R]) -> Callable[P, R]:
    """As `explained` where thousands of right calls a second must cost nothing: only one that fails is looked at."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        try:
            return function(*args, **options)
        except (TypeError, AttributeError):
            _check_call(function, args, options)
            raise

    return call


class Method:
    """A method that says so where its call is forgotten: `run.overall.estimate`."""

    def __init__(self, function: Callable[..., Any], owner: object = None) -> None:
        self.__func__, self.__self__ = function, owner

    def __get__(self, owner: object, _: object = None) -> Any:
        return self.__func__ if owner is None else Method(self.__func__, owner)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.__func__(self.__self__, *args, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.__self__, self.__func__.__name__)

    def _called(self, rest: str = "", argument: str = "…") -> str:
        from inspect import signature

        given = list(signature(self.__func__).parameters.values())[1:]
        needed = any(each.default is each.empty and each.kind is not each.VAR_KEYWORD for each in given)
        name = f"{type(self.__self__).__name__.lower()}.{self.__func__.__name__}"
        indexed = needed and argument != "…"
        return f"{name} is a method: write {name}({argument if needed else ''}){'' if indexed else rest}"

    if not TYPE_CHECKING:
        # What looks at objects (help, signatures, notebooks) takes it for what it is.
        __class__ = property(lambda self: MethodType)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                return getattr(self.__func__, name)
            raise AttributeError(self._called(f".{name}"), name=name)

        def __getitem__(self, name: object) -> Any:
            raise CallError(self._called(f"[{name!r}]", repr(name)))

        def __iter__(self, *_: object) -> Any:
            raise CallError(self._called())

        def __bool__(self) -> bool:
            return True

        __len__ = __float__ = __lt__ = __gt__ = __le__ = __ge__ = __iter__


def method(function: Callable[P, R]) -> Callable[P, R]:
    """`Method` as a decorator, for classes whose wrong calls are not explained otherwise."""
    return cast("Any", Method(function))  # type: ignore[no-any-return]


def _plain_number(value: Any) -> Any:
    return value.item() if isinstance(value, Real) and hasattr(value, "item") else value


def explained_methods(kind: type[R]) -> type[R]:
    """Let the public methods of a class answer wrong calls; right ones are not looked at."""
    for name, method in list(vars(kind).items()):
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(kind, name, Method(explained_late(method)))
        elif isinstance(method, staticmethod):
            setattr(kind, name, staticmethod(explained(method.__func__)))

    make: Callable[..., None] | None = vars(kind).get("__init__")
    if make is None:
        return kind

    @wraps(make)
    def init(self: Any, *args: Any, **options: Any) -> None:
        try:
            make(self, *args, **options)
        except TypeError:
            _check_call(make, (self, *args), options, f"{' or '.join(_makers(kind))} gives {a(kind.__name__)}")
            raise

    kind.__init__ = init  # type: ignore[method-assign]
    return kind


class _Wanted:
    """What an annotation asks for: one of some types, each with its name."""

    _PLAIN: Mapping[str, tuple[type, str]] = {
        "int": (Integral, "a whole number"),
        "float": (Real, "a number"),
        "str": (str, "text"),
        "bool": (bool, "True or False"),
        "Path": (PathLike, "a path"),
        "os.PathLike": (PathLike, "a path"),
        "None": (type(None), "None"),
        "Callable": (Callable, "a function"),  # type: ignore[dict-item]
        **dict.fromkeys(("Mapping", "dict"), (Mapping, "a mapping {name: value}")),
        **dict.fromkeys(("Sequence", "Iterable", "list", "tuple", "set"), (Iterable, "a list")),
    }

    def __init__(self, annotation: object, names: Mapping[str, Any]) -> None:
        text, inner = str(getattr(annotation, "__forward_arg__", annotation)), 1
        while inner:
            text, inner = re.subn(r"\[[^][]*\]", "", text)
        found = [self._PLAIN.get(head) or self._of(names.get(head)) for head in text.split(" | ")]
        self.types = [each for each in found if each]
        self.known = bool(self.types) and len(self.types) == len(found)
        """Whether all of it could be read; else nothing is said of any value."""
        self.text = " or ".join(dict.fromkeys(said for _, said in self.types))

    @staticmethod
    def _of(value: Any) -> tuple[Any, str] | None:
        if isinstance(value, type) and value is not Any and not getattr(value, "_is_protocol", False):
            return value, a(value.__name__)
        values = get_args(value) if str(get_origin(value)).endswith("Literal") else ()
        return (values, " or ".join(map(repr, values))) if values else None

    def allows(self, value: object) -> bool:
        return not self.known or any(
            value in kind
            if isinstance(kind, tuple)
            else isinstance(value, kind)
            and not (kind is Iterable and isinstance(value, str | bytes | Mapping))
            and not (kind is Integral and isinstance(value, bool))
            for kind, _ in self.types
        )

    def fits(self, value: object) -> bool:
        """Whether a value is of a class that is asked for, and not of a plain kind."""
        return any(isinstance(kind, type) and kind.__module__.startswith("taskloom") and isinstance(value, kind)
                   for kind, _ in self.types)  # fmt: skip

    def instead(self, name: str, value: object, others: Iterable[str]) -> str:
        """What would be right where a value is not: a sentence, or nothing."""
        kinds = [kind for kind, _ in self.types]
        if isinstance(value, Mapping) and (options := f"{name}_options") in others:
            return f"a name goes into {name}=…, its options into {options}={{…}}"
        if Iterable in kinds and not isinstance(value, Mapping):
            return f"{name}=[{_named(value)}]"
        if isinstance(value, list | tuple) and value and all(map(self.allows, value)):
            return f"one {name} at a time: for {name} in {_said(value)}: …"
        makers = [maker for kind in kinds if isinstance(kind, type) for maker in _makers(kind)]
        if makers and isinstance(value, str | PathLike):
            return f"{makers[0]}({str(value)!r})"
        one = a(next((kind.__name__ for kind in kinds if isinstance(kind, type) and _makers(kind)), ""))
        return f"{' or '.join(makers[:3])} gives {one}" if makers else ""


def _functions() -> list[tuple[str, FunctionType]]:
    taskloom = sys.modules["taskloom"]
    public = [(name, getattr(taskloom, name)) for name in taskloom.__all__]
    called = [(name, getattr(one, "__wrapped__", one)) for name, one in public if not isinstance(one, type)]
    return [(name, one) for name, one in called if isinstance(one, FunctionType)]


def public_lines() -> dict[str, str]:
    """The public names of the package, with the first line of what is said of each."""
    taskloom = sys.modules["taskloom"]
    said = {name: getattr(taskloom, name).__doc__ or "" for name in taskloom.__all__}
    return {name: text.strip().partition("\n")[0] for name, text in said.items()}


def holder_of(name: str) -> str:
    """Where a name is public: in the package itself, or in a class; as part of a sentence, nothing where nowhere."""
    taskloom = sys.modules["taskloom"]
    if name in taskloom.__all__:
        return f"it is taskloom.{name}"
    kinds = (kind for each in taskloom.__all__ if isinstance(kind := getattr(taskloom, each), type))
    found = next((kind for kind in kinds if hasattr(kind, name)), None)
    return f"{a(found.__name__)} has it: {found.__name__.lower()}.{name}" if found else ""


def _takers(owner: object) -> list[str]:
    """The public functions whose first argument may be an object of this class."""
    firsts = ((name, next(iter(one.__annotations__.values()), "")) for name, one in _functions())
    return [name for name, first in firsts if type(owner).__name__ in str(first).split(" | ")]


def _makers(kind: type) -> list[str]:
    """The public functions that return objects of a class."""
    if kind.__module__.partition(".")[0] != "taskloom":
        return []
    made = [name for name, one in _functions() if one.__annotations__.get("return") == kind.__name__]
    return sorted(made, key=lambda name: not name.startswith(("open", "load")))


class _Call(NamedTuple):
    """How a function is called: its signature, what each argument may be, and whether any other name is refused."""

    signature: Signature
    wanted: Mapping[str, _Wanted]
    closed: bool
    rest: str

    @staticmethod
    @cache
    def of(function: Callable[..., Any]) -> _Call:
        """The call of a function; settings behind its last `**` are arguments as the others are."""
        import inspect

        signature, names = inspect.signature(function), function.__globals__
        each = signature.parameters.values()
        found = {one.name: one.annotation for one in each if one.kind is not one.VAR_KEYWORD}
        rest = next((one for one in each if one.kind is one.VAR_KEYWORD), None)
        if unpacked := rest and re.fullmatch(r"Unpack\[(\w+)\]", str(rest.annotation)):
            settings = names[unpacked[1]]
            found |= settings.__annotations__
            names = {**vars(sys.modules[settings.__module__]), **names}
        wanted = {name: _Wanted(annotation, names) for name, annotation in found.items()}
        return _Call(signature, wanted, bool(unpacked) or not rest, rest.name if rest else "")


def _check_call(function: Callable[..., Any], args: Iterable[Any], options: dict[str, Any], hint: str = "") -> None:
    """Refuse arguments that a function does not take, saying which it takes; `hint` replaces how it is called."""
    signature, wanted, closed, rest = _Call.of(function)

    def wrong(message: str) -> CallError:
        called = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
        return CallError(message, where=called, hint=hint or _usage(function, signature))

    for unknown in (name for name in options if closed and name not in wanted):
        raise wrong(f"there is no argument {unknown!r}" + _meant(unknown, options[unknown], function, wanted, args))
    try:
        given = signature.bind(*args, **options).arguments
    except TypeError as error:
        placed = [each.name for each in signature.parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
        named = [each.name for each in signature.parameters.values() if each.kind is each.KEYWORD_ONLY]
        beyond = dict(zip(named, [*args][len(placed) :], strict=False))
        fit = all(wanted[name].allows(value) for name, value in beyond.items())
        if not beyond or not fit:
            raise wrong(str(error)) from None
        lacking = [name for name in named if signature.parameters[name].default is signature.empty]
        values = {**dict.fromkeys(lacking, "…"), **{name: _said(value) for name, value in (beyond | options).items()}}
        first = [
            _said(each) if isinstance(each, str | Real) else name for name, each in zip(placed, args, strict=False)
        ]
        pairs = ", ".join([*first, *(f"{name}={value}" for name, value in values.items())])
        said = f"only {' and '.join(placed)} may stand without a name; write {function.__name__}({pairs})"
        raise wrong(said) from None
    given |= given.pop(rest, {})
    for name, value in given.items():
        if name in wanted and not wanted[name].allows(value):
            from taskloom.core.meaning import with_help

            others = (each for each, one in given.items() if each in wanted and wanted[name].fits(one))
            own = f"{type(value).__name__.lower()}.{function.__name__}(…)"
            method = own if callable(getattr(type(value), function.__name__, None)) else ""
            swapped = next((each for each in others if wanted[each].allows(value)), None)
            better = f"{swapped} holds one: are they swapped?" if swapped else method
            better = better or wanted[name].instead(name, value, wanted)
            told = f"{'; ' * bool(better)}{better}{with_help([name], _documented(function, wanted))}"
            raise wrong(f"{name} is {wanted[name].text}, not {_said(value)}{told}")


def _usage(function: Callable[..., Any], signature: Signature) -> str:
    """How a function is called, with the call in the example of its docstring."""
    name = function.__name__
    bare = [each.replace(annotation=each.empty) for each in signature.parameters.values() if each.name != "self"]
    usage = f"it is called as {name}{signature.replace(parameters=bare, return_annotation=signature.empty)}"
    shown = re.search(rf">>> (.*\b{name}\(.+?)(?:  #.*)?$", function.__doc__ or "", re.MULTILINE)
    return f"{usage}; help({name}) says more" + (f"\n  for example: {shown[1]}" if shown else "")


def _meant(
    name: str, value: object, function: Callable[..., Any], arguments: Mapping[str, Any], args: Iterable[Any]
) -> str:
    """Which argument was probably meant by a name, or which key of the recipe of the suite that is named."""
    from taskloom.core.meaning import meant_by, with_help
    from taskloom.core.recipe import takes

    about, first = _documented(function, arguments), next(iter(args), None)
    if "options" not in arguments and name in (keys := _recipe_keys(first)) and takes(_recipe(first), name, value):
        return f"; open_suite({first!r}, options={{{name!r}: …}}) sets it{with_help([name], keys)}"
    if close := meant_by(name, about, 1):
        return f"; did you mean {close[0]}=…?{with_help(close, about)}"
    made = function.__globals__.get(str(function.__annotations__.get("return")))
    if name in getattr(getattr(made, "__getitem__", None), "__annotations__", ()):
        return f"; {function.__name__}(…)[{value!r}] has it"
    keys = _recipe_keys(first) if "options" in arguments else {}
    if close := meant_by(name, keys, 1):
        return f"; did you mean options={{{close[0]!r}: …}}?{with_help(close, keys)}"
    return f"; options={{…}} takes {', '.join(keys)}" if keys else ""


def _recipe(name: object) -> Any:
    """The recipe of a suite or model that is named; None where there is none."""
    from taskloom.core.catalog import FAMILIES, MODELS

    head, _, rest = (name if isinstance(name, str) else "").partition("/")
    if head in FAMILIES and rest in FAMILIES.get(head).suites():
        return FAMILIES.get(head).spec(rest).recipe
    return MODELS.get(head).options(rest) if rest and head in MODELS else None


def _recipe_keys(name: object) -> dict[str, str]:
    """Its keys, with what is said of each."""
    from taskloom.core.recipe import options_of

    recipe = _recipe(name)
    return {} if recipe is None else {option.name: option.about for option in options_of(recipe)}


def _documented(function: Callable[..., Any], names: Iterable[str]) -> dict[str, str]:
    """What the docstring says of each argument; nothing of those that it does not name."""
    entries = dict(re.findall(r"^ +\*{0,2}(\w+): (.*)", function.__doc__ or "", re.MULTILINE))
    return {name: entries.get(name, "") for name in names if name != "self"}


def _said(value: object) -> str:
    """A value in a sentence: itself where that is short, else what it is."""
    text = repr(value).partition("\n")[0]
    return text if len(text) <= _LONGEST_REPR and " at 0x" not in text else a(type(value).__name__)


def _named(value: object) -> str:
    """As `_said`, but functions and tasks by their names."""
    name = getattr(value, "__name__", None) or getattr(value, "name", None)
    return name if isinstance(name, str) and name.isidentifier() else _said(value)


def a(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[:1].upper() in 'AEIO' else 'a'} {noun}"


class Explained:
    """What says, when asked for an attribute or an item that it does not have, which attributes it has."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker would take it for leave to ask for anything

        def __getattr__(self, name: str) -> Any:
            return missing_attribute(self, name)

        def __getitem__(self, name: Any) -> Any:
            return missing_item(self, name)

        def __lt__(self, other: object) -> bool:
            numbers = [path for path, value in _fields(self) if isinstance(value, Real)]
            raise CallError(f"{a(type(self).__name__)} is not a number", hint=", ".join(numbers) or None)

        def __float__(self, *_: object) -> float:
            return self < 0

        __gt__ = __le__ = __ge__ = __lt__
        __round__ = __float__


class OneByOne(chain[R]):
    """Values as they are drawn or read, once and in order."""

    def __getitem__(self, index: object) -> R:
        hint = f"list(…)[{index!r}] reads them all; suite['test'][{index!r}] is a row, run[{index!r}] a record"
        raise CallError(f"these come one after the other, so there is no [{index!r}]", hint=hint)

    def __len__(self) -> int:
        hint = "len(list(…)) counts them; len(suite['test']) counts rows, len(run) records"
        raise CallError("these come one after the other, so they have no length", hint=hint)

    def __bool__(self) -> bool:
        return True


def explain_tuple(kind: type[tuple[Any, ...]]) -> None:
    """Let a named tuple answer as `Explained` does. Not in its class: type checkers would allow any attribute."""

    def item(self: tuple[Any, ...], index: Any) -> Any:
        out = isinstance(index, int) and not -len(self) <= index < len(self)
        return missing_item(self, index) if out or isinstance(index, str) else tuple.__getitem__(self, index)

    refused: Any = vars(Explained)["__lt__"]

    def with_number(name: str) -> Callable[[Any, object], Any]:
        own = getattr(tuple, name, refused)
        return lambda self, other: (refused if isinstance(other, Real) else own)(self, other)

    methods: dict[str, Any] = {
        "__getattr__": missing_attribute,
        "__getitem__": item,
        "__format__": lambda self, spec: refused(self, spec) if spec else str(self),
        **dict.fromkeys(("__float__", "__round__"), lambda self, *_: refused(self, 0)),
    }
    plus = ("lt", "gt", "le", "ge", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv")
    for name, answer in {**methods, **{f"__{name}__": with_number(f"__{name}__") for name in plus}}.items():
        setattr(kind, name, answer)


def missing_item(owner: object, name: object) -> Any:
    """What `__getitem__` does in a class that has attributes only."""
    kind = type(owner).__name__.lower()
    if not isinstance(name, str):
        public = ", ".join([each for each in dir(owner) if not each.startswith("_")][:_LISTED])
        raise CallError(f"{a(type(owner).__name__)} has attributes, not items", where=f"{kind}[{name!r}]", hint=public)
    told = name if hasattr(type(owner), name) else ""
    try:
        told = told or missing_attribute(owner, name)
    except AttributeError as error:
        raise CallError(f"{error}", where=f"{kind}[{name!r}]", hint=f"attributes are read as {kind}.NAME") from None
    raise CallError(
        f"{a(type(owner).__name__)} has attributes, not items", where=f"{kind}[{name!r}]", hint=f"{kind}.{told}"
    )


def missing_attribute(owner: object, name: str) -> Any:
    """What `__getattr__` does in a class that says which attributes it has."""
    if name.startswith("_") or hasattr(type(owner), name):
        return object.__getattribute__(owner, name)
    from taskloom.core.meaning import alike, plain

    kind, said = type(owner).__name__.lower(), a(type(owner).__name__)
    items = getattr(type(owner), "_ipython_key_completions_", None)  # what notebooks offer after a bracket
    public = [each for each in dir(owner) if not each.startswith("_")]
    meant = alike(name)
    fields = [path for path, _ in _fields(owner) if path.count(".") > 1]
    own = next((each for word in meant for each in public if plain(each) == word), None)
    inner = {path.rpartition(".")[2]: path for path in reversed(fields)}
    better = [inner[each] for word in meant for each in inner if plain(each) == word][:1]
    better = better or [inner[each] for each in nearest(name, inner, 1, cutoff=0.9) if not own]
    if own and better and f".{own}." not in better[0]:
        better = []  # its own is nearer than that of another field
    if items and name in items(owner):
        better = [f"{kind}[{name!r}]"]
    elif not better and not own:
        better = [f"taskloom.{each}({kind}, …)" for each in _takers(owner) if plain(each) in meant][:1]
    if better:
        raise AttributeError(f"{said} has no attribute {name!r}; did you mean {better[0]}?", name=name)
    raise no_attribute(said, name, {each: _first_line(owner, each) for each in public})


def _fields(owner: object) -> Iterator[tuple[str, Any]]:
    """The fields of an object and those of its fields, as they are written."""
    kind = type(owner)
    for name in getattr(kind, "__struct_fields__", ()) or getattr(kind, "_fields", ()):
        value, path = getattr(owner, name), f"{kind.__name__.lower()}.{name}"
        yield path, value
        inner = getattr(type(value), "__struct_fields__", ()) or getattr(type(value), "_fields", ())
        yield from ((f"{path}.{each}", getattr(value, each)) for each in inner)


def _first_line(owner: object, name: str) -> str:
    """The first line of what is said of a method or property, or of an attribute in the docstring of its class."""
    from inspect import getdoc, isdatadescriptor, isroutine

    found = getattr(type(owner), name, None)
    if isroutine(found) or (isdatadescriptor(found) and not type(found).__name__.startswith("member")):
        return "" if (said := getdoc(found) or "").startswith("Alias for field") else said.partition("\n")[0]
    told = re.search(rf"^ +(?:\w+, )*{name}(?:, \w+)*: (.*)", type(owner).__doc__ or "", re.MULTILINE)
    return told[1] if told else ""


def no_attribute(owner: str, name: str, known: Mapping[str, str], elsewhere: str = "") -> AttributeError:
    """An error for an attribute that is not there, with where it is, or those that were probably meant."""
    from taskloom.core.meaning import meant_by, with_help

    close = meant_by(name, known)
    some = ", ".join([*known][:_LISTED]) + f" and {len(known) - _LISTED} more (dir)" * (len(known) > _LISTED)
    tail = f"did you mean {' or '.join(close)}?{with_help(close, known)}" if close else f"it has {some}"
    if elsewhere:
        tail = f"{elsewhere}; {tail}" if close and elsewhere.startswith("a") else elsewhere
    # Named, so that Python does not look for a suggestion of its own.
    return AttributeError(f"{owner} has no attribute {name!r}; {tail}", name=name)
