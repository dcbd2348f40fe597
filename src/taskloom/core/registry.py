"""Registries: names to objects, loaded on first use, open to outside packages.

An outside package adds an entry point to the group ``taskloom`` whose name is ``kind.name``::

    [project.entry-points.taskloom]
    "family.chess" = "chess_tasks:FAMILY"
    "scorer.elo" = "chess_tasks.score:ELO"

A file that is run first (`--with FILE.py`) registers its own with `taskloom.register("kind.name", …)`.

Listing names imports nothing; a plug-in that fails to import hurts only who asks for it.
"""

from __future__ import annotations

import tomllib
import warnings
from abc import ABC
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from importlib import import_module
from inspect import Signature, signature
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from taskloom.core.display import html_table
from taskloom.core.errors import UserError, unknown_name

T = TypeVar("T")

GROUP = "taskloom"
_HOME = Path(__file__).resolve().parent.parent
_RECORDS = "records.toml"


class Registry(Generic[T]):
    """Objects of one kind by name.

    Args:
        kind: What the objects are, in the singular; also the prefix of their entry points.
        builtin: Names to `module:attribute`, imported on first use.
    """

    def __init__(self, kind: str, builtin: dict[str, str]) -> None:
        self.kind = kind
        self._paths = dict(builtin)
        self._origin = dict.fromkeys(builtin, "taskloom")
        self._objects: dict[str, T] = {}
        self._scanned = False
        self._rivals: dict[str, str] = {}

    def _scan(self) -> None:
        """Read the entry points once; only those of this kind, and without importing them."""
        if self._scanned:
            return
        self._scanned = True
        from importlib.metadata import entry_points

        prefix = f"{self.kind}."
        for point in entry_points(group=GROUP):
            if point.name.startswith(prefix):
                origin = point.dist.name if point.dist else "an installed package"
                self._add(point.name[len(prefix) :], point.value, origin)
        from taskloom.core.execute import load_extensions

        load_extensions()

    def _add(self, name: str, path: str, origin: str) -> None:
        if self._paths.get(name, path) != path:
            # Another package must not take a name of ours away, nor keep anybody from using it.
            ours, others = self._origin[name], origin
            if not is_ours(ours) and is_ours(others):
                ours, others = others, ours
                self._paths[name], self._origin[name] = path, origin
            if is_ours(ours):
                warnings.warn(f"{others} also offers {self.kind} {name!r}; using {ours}'s own", stacklevel=2)
            else:
                self._rivals[name] = origin  # refused when the name is asked for
            return
        self._paths[name] = path
        self._origin[name] = origin

    def register(self, name: str, value: T) -> None:
        """Add an object from Python code; a name that is taken is refused."""
        self._scan()
        if name in self._paths:
            raise UserError(f"{self.kind} {name!r} already exists, from {self._origin[name]}")
        self._paths[name] = f"{type(value).__module__}:registered"
        self._origin[name] = "this process"
        self._objects[name] = value

    @contextmanager
    def lend(self, name: str, value: T) -> Iterator[None]:
        """As `register`, for the time of a `with` block."""
        self.register(name, value)
        try:
            yield
        finally:
            del self._paths[name], self._origin[name], self._objects[name]

    def names(self) -> list[str]:
        """All names, sorted."""
        self._scan()
        return sorted(self._paths)

    def __contains__(self, name: str) -> bool:
        if name in self._paths:
            return True
        self._scan()
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def items(self) -> Iterator[tuple[str, T]]:
        """Every name with its object. A plug-in that cannot be loaded is named in a warning and left out.

        Those of this package come first, so that a search that ends with one of them waits for no list of packages.
        """
        for name in self._in_turn():
            try:
                value = self.get(name)
            except UserError as error:
                warnings.warn(error.message, stacklevel=2)
                continue
            yield name, value

    def described(self) -> dict[str, str]:
        """Every name with the first line of what is said of its object."""
        said = {name: getattr(entry, "summary", "") or type(entry).__doc__ or "" for name, entry in self.items()}
        return {name: text.strip().partition("\n")[0] for name, text in said.items()}

    def _in_turn(self) -> Iterator[str]:
        yield from sorted(name for name, origin in self._origin.items() if origin == "taskloom")
        yield from (name for name in self.names() if self._origin[name] != "taskloom")

    def get(self, name: str) -> T:
        """The object of that name.

        Raises:
            UserError: The name is unknown (with the nearest ones), or its package cannot be imported.
        """
        if name not in self._paths:
            self._scan()  # which may register the object itself
        if name in self._objects:
            return self._objects[name]
        if name not in self._paths:
            raise self._unknown(name)
        if name in self._rivals:
            raise UserError(
                f"{self.kind} {name!r} is offered by both {self._origin[name]} and {self._rivals[name]}",
                hint=f"pip uninstall {self._rivals[name]}",
            )
        module, _, attribute = self._paths[name].partition(":")
        try:
            value: Any = import_module(module)
            for part in attribute.split("."):
                value = getattr(value, part)
        except (Exception, SystemExit) as error:
            # A plug-in may do anything at import; it must hurt only those who ask for it.
            if is_ours(self._origin[name]):
                raise
            raise UserError(
                f"{self.kind} {name!r} of package {self._origin[name]} cannot be loaded: {error}"
            ) from error
        self._objects[name] = value
        return self._objects[name]

    def _unknown(self, name: str) -> UserError:
        """It is in a package of ours that is absent, or it is unknown; the nearest may be in such a package too."""
        from taskloom.core.folders import other_kind
        from taskloom.core.siblings import absent_names, not_installed

        absent = absent_names(self.kind, self._paths)
        if name in absent:
            return not_installed(absent[name], f"{self.kind} {name}")
        if wrong := other_kind(name, self.kind):
            return wrong
        own = f"one of your own: taskloom.register('{self.kind}.{name}', …), in a file that --with FILE.py runs first"
        return unknown_name(self.kind, name, dict.fromkeys(absent, "") | self.described(), hint=own)

    def __len__(self) -> int:
        self._scan()
        return len(self._paths)

    def __repr__(self) -> str:
        return f"<{self.kind.capitalize()} registry: {', '.join(self.names())}>"

    def _repr_html_(self) -> str:
        return html_table(f"{self.kind} registry", ("name", "from"), [(n, self.origin(n)) for n in self.names()])

    def origin(self, name: str) -> str:
        """Which package offers the name."""
        self._scan()
        return self._origin[name]


def is_ours(origin: str) -> bool:
    """Whether a package is Taskloom or one of its packages beside the core."""
    from taskloom.core.siblings import siblings

    return origin == "taskloom" or origin in siblings()


def room_records(home: Path = _HOME) -> dict[str, dict[str, str]]:
    """What the rooms register: kind -> name -> `module:attribute`.

    A room, or a folder in one, lists its records in a file `records.toml`: a table for each kind, from names to
    `module:attribute` within the room. Nothing is imported.
    """
    found: dict[str, dict[str, str]] = {}
    for page in sorted([*home.glob(f"*/{_RECORDS}"), *home.glob(f"*/*/{_RECORDS}")]):
        room = ".".join(("taskloom", *page.parent.relative_to(home).parts))
        for kind, records in tomllib.loads(page.read_text(encoding="utf-8")).items():
            table = found.setdefault(kind, {})
            if twice := table.keys() & records:
                raise ValueError(f"{page}: {kind} {sorted(twice)[0]!r} is registered by another room")
            table.update((name, f"{room}.{path}") for name, path in records.items())
    return found


ROOM_RECORDS = room_records()
"""What the rooms of Taskloom register."""


MISSING: Any = object()
"""What stands in a record for a field that was not given."""


class _InitSignature:
    """What help shows of a class: how it is made, not what `__new__` looks at first."""

    def __get__(self, made: object | None, cls: Any) -> Signature:
        if made is not None:
            raise AttributeError("__signature__")
        own = signature(cls.__init__)
        return (
            Signature() if cls.__init__ is object.__init__ else own.replace(parameters=[*own.parameters.values()][1:])
        )


class Record:
    """A dataclass that users make too: a field that is missing, misspelt or not a function is refused with its name."""

    __signature__ = _InitSignature()
    sort: ClassVar[str]
    name: str

    def __new__(cls, *_: Any, **given: Any) -> Self:
        known = [field.name for field in fields(cls)]  # type: ignore[arg-type]
        for name in given.keys() - set(known):
            what = unknown_name(f"field of {cls.__name__}", name, known).message
            raise UserError(what, where=f"{cls.__name__}(…)", hint=f"it has {', '.join(known)}")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        given = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        lacking = [name for name, value in given.items() if value is MISSING or value == ""]
        if lacking:
            title = f"this {self.sort}" if "name" in lacking else f"the {self.sort} {self.name!r}"
            hint = f"a record {type(self).__name__} has {', '.join(given)}"
            raise UserError(f"{title} lacks {' and '.join(lacking)}", where=f"{type(self).__name__}(…)", hint=hint)
        for field in fields(self):  # type: ignore[arg-type]
            optional = given[field.name] is None and str(field.type).endswith("| None")
            if str(field.type).startswith("Callable") and not callable(given[field.name]) and not optional:
                found = type(given[field.name]).__name__
                raise self.fault(f"{field.name} of the {self.sort} {self.name!r} is a {found}, not a function")

    def fault(self, what: str) -> UserError:
        """An error about this record."""
        return UserError(what, where=f"{type(self).__name__}(…)")


class Declared(ABC):
    """A base of classes that users write: one that leaves out a method, or something to say of itself, is refused."""

    __signature__ = _InitSignature()
    sort: ClassVar[str]
    """What its objects are."""

    declared: ClassVar[dict[str, str]] = {}
    """What each has to say of itself, with an example."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        wanted = {name: f"def {name}{signature(getattr(cls, name))}: …" for name in sorted(cls.__abstractmethods__)}
        wanted |= {name: example for name, example in cls.declared.items() if not hasattr(cls, name)}
        for name, example in wanted.items():
            said = f"the {cls.sort} {cls.__name__} lacks {name}"
            raise UserError(said, where=f"class {cls.__name__}", hint=example)
        return super().__new__(cls)
