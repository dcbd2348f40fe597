"""What a family of tasks offers: named suites, a typed recipe for each, and a way to build them."""

from __future__ import annotations

import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

import msgspec

from taskloom.core.calls import explained
from taskloom.core.cells import NAMING_SKILLS, Lattice, PlainWords, read_glossary
from taskloom.core.display import html_table
from taskloom.core.errors import UserError, nearest, unknown_name
from taskloom.core.instance import Row, content_hash
from taskloom.core.recipe import Recipe, resolve
from taskloom.core.registry import Declared
from taskloom.core.suite import Origin, Suite

R = TypeVar("R", bound=Recipe)


class SuiteSpec(Generic[R]):
    """One suite of a family: a title, the default recipe, and the function that builds it.

    Args:
        title: One line for lists.
        recipe: The default recipe, or a function that returns it (if its classes are slow to import).
        build: (suite name without the family, resolved recipe, seed) -> the suite. Cheap: rows are drawn later.
        by_rows: Whether, with a recipe, the suite is identified by its rows, because more than its recipe, seed and
            version decides them.
    """

    def __init__(
        self,
        title: str,
        recipe: R | Callable[[], R],
        build: Callable[[str, R, int], Suite],
        *,
        by_rows: Callable[[R], bool] | None = None,
    ) -> None:
        self.title = title
        self._recipe = recipe
        self._build = build
        self._by_rows = by_rows

    @property
    def recipe(self) -> R:
        """The default recipe."""
        return self._recipe if isinstance(self._recipe, Recipe) else self._recipe()

    def open(self, name: str, suite: str, seed: int, options: Mapping[str, Any], version: str = "1") -> Suite:
        """The suite of the default recipe with some keys replaced."""
        recipe = resolve(self.recipe, options, where=name)
        built = self._build(suite, recipe, seed)
        if self._by_rows is not None and self._by_rows(recipe):
            return built
        return built.identified_by(lambda: recipe_identity(name, version, recipe, seed))

    def __repr__(self) -> str:
        return f"SuiteSpec({self.title!r})"


class Family(Declared):
    """A family. One folder under `taskloom.families`, or a plug-in registered as `family.NAME`."""

    sort = "family"
    declared = {
        "name": 'name = "sums"',
        "title": 'title = "sums of two numbers"',
        "citation": 'citation = "none yet"',
    }

    name: ClassVar[str]
    """The first part of its suites' names."""

    title: ClassVar[str]
    """One line for lists."""

    citation: ClassVar[str]
    """The paper it implements: authors, year, title, venue."""

    version: ClassVar[str] = "1"
    """Raised whenever any of its generated suites changes bytes; part of every suite's identity."""

    probed: ClassVar[str] = ""
    """The suite whose combinations stand for the family where a probe names the family alone; "" for none."""

    expressions: ClassVar[bool] = False
    """Whether its suites may be named by expressions, which then open without the family's name in front."""

    @abstractmethod
    def suites(self) -> Mapping[str, SuiteSpec[Any]]:
        """Its suites by name, without the family. Must be cheap."""

    def spec(self, suite: str) -> SuiteSpec[Any]:
        """The suite of that name; a family with open-ended names (such as expressions) overrides this.

        Raises:
            UserError: No such suite (with the nearest names).
        """
        known = self.suites()
        if suite not in known:
            from taskloom.core.catalog import list_suites
            from taskloom.core.folders import other_kind

            names = {f"{self.name}/{name}": spec.title for name, spec in known.items()}
            others = {name: title for name, title in list_suites().items() if name.endswith(f"/{suite}")}
            raise other_kind(f"{self.name}/{suite}", "suite") or unknown_name(
                "suite", f"{self.name}/{suite}", others or names, hint=f"taskloom list suites {self.name}"
            )
        return known[suite]

    def open(self, suite: str, seed: int = 0, options: Mapping[str, Any] | None = None) -> Suite:
        """The suite of that name with some recipe keys replaced."""
        return self.spec(suite).open(f"{self.name}/{suite}", suite, seed, options or {}, self.version)

    def lattice(self, suite: Suite) -> Lattice:
        """The cells of one of its suites.

        Raises:
            UserError: The suite has no cells.
        """
        raise UserError(f"{suite.name} has no lattice of combinations to search", hint=NAMING_SKILLS)

    @cached_property
    def glossary(self) -> Mapping[str, Mapping[str, PlainWords]]:
        """Plain words for its atoms, questions and facets, from `words.toml` beside it; empty where there is none."""
        own = sys.modules[type(self).__module__].__file__
        path = Path(own or "").with_name("words.toml")
        return read_glossary(path) if path.is_file() else {}

    def audit(self, suite: Suite, split: str, rows: Sequence[Row]) -> Iterable[Finding]:
        """What `taskloom check` reports about shortcuts in the rows of a split; nothing by default."""
        return ()

    def __repr__(self) -> str:
        return f"<Family {self.name}: {len(self.suites())} suites>"

    def _repr_html_(self) -> str:
        suites = [(f"{self.name}/{name}", spec.title) for name, spec in self.suites().items()]
        return html_table(f"{self.name}: {self.title}", ("suite", ""), suites)


def open_named(name: str, *, seed: int = 0, options: Mapping[str, Any] | None = None) -> Suite:
    """Build a registered suite, `family/suite`."""
    from taskloom.core.catalog import FAMILIES

    family_name, slash, suite = name.partition("/")
    if family_name not in FAMILIES:
        from taskloom.core.catalog import list_suites
        from taskloom.core.folders import other_kind

        if wrong := other_kind(name, "suite"):
            raise wrong
        hint = f"taskloom list suites shows those of {', '.join(FAMILIES)}; your own: taskloom new task NAME"
        told = nearest(family_name, FAMILIES) or [known for known in list_suites() if known.endswith(f"/{suite}")]
        if suite and not told:
            raise unknown_name("family", family_name, FAMILIES.described(), where=name, hint=hint)
        here = (
            each
            for each in Path().iterdir()
            if (each / "manifest.json").is_file() or each.suffix in (".yaml", ".yml", ".py")
        )
        known = dict.fromkeys(FAMILIES, "") | list_suites() | {each.name: "a suite in this folder" for each in here}
        raise unknown_name("suite", name, known, hint=hint)
    family = FAMILIES.get(family_name)
    if not slash or not suite:
        raise UserError(
            f"{name!r} names a family, not a suite",
            hint=f"taskloom list suites {family_name} shows its {len(family.suites())} suites, "
            f"such as {family_name}/{next(iter(family.suites()), 'SUITE')}",
        )
    return family.open(suite, seed, options)


class Finding(msgspec.Struct, frozen=True):
    """One finding of `taskloom check`.

    Attributes:
        file: The file, as the user named it.
        key: The key inside the file ("Instances[3].output"), "" for the whole file.
        level: "error" (it does not work), "warning" (it probably misleads), "note".
        message: What is wrong, in one sentence.
        fix: What would fix it, in one sentence or as a command.
        code: A short stable name of the check, for filtering.
    """

    file: str
    key: str
    level: Literal["error", "warning", "note"]
    message: str
    fix: str = ""
    code: str = ""

    def __str__(self) -> str:
        place = f"{self.file}: {self.key}" if self.key else self.file
        text = f"{self.level}: {place}: {self.message}"
        return f"{text}\n    {self.fix}" if self.fix else text


def recipe_identity(name: str, version: str, recipe: Recipe, seed: int) -> str:
    """The identity of a generated suite.

    A path in the recipe counts by the bytes it leads to, so that a moved file is the same and a changed one is not.
    """
    values: dict[str, Any] = msgspec.to_builtins(recipe)
    for key in recipe.file_keys:
        if values.get(key):
            values[key] = files_hash(values[key])
    return content_hash(("generated", name, version, seed, values))


def files_hash(given: str | list[str] | dict[str, Any]) -> str:
    """A hash of the bytes of a file, of every file below a folder (with their names), or of several of them."""
    if isinstance(given, list):
        return content_hash([files_hash(one) for one in given])
    if isinstance(given, dict):
        return content_hash({key: files_hash(str(one)) for key, one in given.items()})
    path = Path(given).expanduser()
    try:
        if path.is_file():
            return _file(path)
        if path.is_dir():
            state = blake2b(digest_size=16)
            for one in sorted(path.rglob("*")):
                if one.is_file():
                    state.update(f"{one.relative_to(path).as_posix()}\0{_file(one)}\n".encode())
            return state.hexdigest()
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror or error}", where=str(path)) from None
    # Not a path (an address, or something that opening the suite will complain about): it counts as it is written.
    return content_hash(given)


def _file(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()


LONGEST_NAME = 200
"""Characters of a path that is looked for; an expression may be longer than any."""


class Opener(ABC):
    """Opens suites from one kind of file or folder. Registered as `opener.NAME`."""

    what: ClassVar[str]
    """What it opens, for messages: "a bundle", "a recipe file"."""

    @abstractmethod
    def opens(self, path: Path) -> bool:
        """Whether this path is of its kind. Looks at names and folders, reads no more than it must."""

    @abstractmethod
    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        """The suite of that path.

        Args:
            path: The file or folder.
            seed: The seed the caller named, None if none; a file may bring its own.
            options: Recipe keys to replace.
        """


@explained
def open_suite(
    name: str | os.PathLike[str], *, seed: int | None = None, options: Mapping[str, Any] | None = None
) -> Suite:
    """Open a suite.

    Args:
        name: A registered name (`babi/mix-t12`), one task of it (`babi/mix-t12/where-person`), a TaskBench expression
            (`father(mother)`, `map{antonyms[eng]}`), a recipe file, a bundle's folder, a folder of Super-NI tasks, or a
            Python file with tasks. A registered name wins over a path; if both exist, write the path as `./name`.
        seed: The seed of the data.
        options: Recipe keys to replace.

    Example:
        >>> suite = open_suite("babi/task-1", seed=7)
        >>> task, instance = next(suite.rows("test"))
        >>> task
        'task-1'
    """
    origin = Origin(os.fspath(name), seed, dict(options or {}))
    return _open(*origin).opened_as(origin)


def open_recorded(name: str, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Suite:
    """Open a suite that a file names (a run, a log, a recipe), not a person: anything but Python code.

    Raises:
        UserError: It is a Python file, which runs only when a person names it.
    """
    if Path(name.strip()).suffix.lower() == ".py":
        raise UserError(f"a file names {name}, but code runs only when you name it yourself", where=name)
    return open_suite(name, seed=seed, options=options)


def _open(text: str, seed: int | None, options: Mapping[str, Any]) -> Suite:
    """A suite; of one task alone where the name is FAMILY/SUITE/TASK, or the recipe of a run says so."""
    from taskloom.core.catalog import FAMILIES

    if task := options.get("only_task"):
        return _open(text, seed, {key: value for key, value in options.items() if key != "only_task"}).only_task(task)
    try:
        return _open_whole(text, seed, options)
    except UserError as error:
        head, _, task = text.rpartition("/")
        if "/" not in head or head.partition("/")[0] not in FAMILIES:
            raise
        try:
            suite = _open_whole(head, seed, options)
        except UserError:
            raise error from None
    return suite.only_task(task)


def _open_whole(text: str, seed: int | None, options: Mapping[str, Any]) -> Suite:
    from taskloom.core.catalog import FAMILIES, OPENERS

    if _named(text, FAMILIES):
        suite = open_named(text, seed=seed or 0, options=options)
        # An expression may be longer than any path.
        path = Path(text) if len(text) <= LONGEST_NAME else None
        if path is not None and path.exists() and any(opener.opens(path) for _, opener in OPENERS.items()):
            raise UserError(
                f"{text!r} is both a registered suite and a path", hint=f"write ./{text} for the path, or rename it"
            )
        return suite
    path = _path(text)
    for _, opener in OPENERS.items():
        if opener.opens(path):
            return opener.open(path, seed, options)
    from taskloom.core.folders import kind_of, not_here

    if path.is_dir():
        raise not_here(text, "suite", None if kind_of(text) else "taskloom generate SUITE -o FOLDER")
    if path.exists():
        hint = "data of your own: taskloom new task NAME writes a file of tasks to start from"
        raise UserError("this file is no recipe (.yaml), tasks (.py) or suite of another kind", where=text, hint=hint)
    if text.startswith((".", "/", "~")) or re.fullmatch(r"\.[a-z]\w+", path.suffix):
        raise not_here(text, "suite", "taskloom list suites")
    if path.parent.name and path.parent.is_dir() and not (path.parent / "manifest.json").is_file():
        raise not_here(text, "suite", "taskloom list suites")
    if path.parent.name and path.parent.is_dir():
        splits = _open_whole(str(path.parent), seed, {}).splits
        named = f" --split {path.stem}" if path.stem in splits else ""
        hint = f"name the folder: taskloom run {path.parent}{named} …"
        raise UserError(f"{path.parent} is a bundle, with the splits {', '.join(splits)}", where=text, hint=hint)
    return open_named(_with_family(text, FAMILIES), seed=seed or 0, options=options)


def _path(text: str) -> Path:
    """The text as a path; one that no file can have (too long, unprintable) is no name of a suite either."""
    try:
        path = Path(text).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        shown = text if len(text) <= 80 else text[:79] + "…"
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"neither a suite nor a path: {reason}", where=repr(shown)) from None
    return path


def _with_family(text: str, families: Any) -> str:
    """An expression with its family in front; any other name as it is."""
    family = text.partition("/")[0]
    if family not in families and any(mark in family for mark in "([{"):
        for name, known in families.items():
            if known.expressions:
                return f"{name}/{text}"
    return text


def _named(text: str, families: Any) -> bool:
    """Whether the text is `family/suite` with a family that is known and a suite that it offers."""
    family, slash, suite = text.partition("/")
    if not slash or family not in families:
        return False
    try:
        families.get(family).spec(suite)
    except UserError:
        return False
    return True
