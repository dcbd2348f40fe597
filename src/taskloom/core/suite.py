"""A suite: recipe and seed in, tasks with splits out. Pure, lazy, and the same bytes everywhere.

A suite's identity is what everything that is cached, resumed or compared is keyed by. For a generated suite it follows
from family, version, recipe and seed (and the bytes of the files a recipe names); for any other it covers every row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias, get_origin, overload

from taskloom.core.blocks import Blocks
from taskloom.core.calls import Explained, OneByOne, explained, explained_methods
from taskloom.core.cells import Lattice
from taskloom.core.display import html_table
from taskloom.core.errors import NamedValues, UserError, ensure_known, unknown_name
from taskloom.core.instance import FacetType, Row, content_hash, row_hash
from taskloom.core.rng import Key, digest, keyed_random
from taskloom.core.task import DefinedTasks, Task, tasks_hash

Apart: TypeAlias = Literal["inputs", "pairs", "tasks"]
"""What no two splits may share: an input text, a (task, input) pair, or a task and any (task, input) pair."""


class Origin(NamedTuple):
    """How a suite was opened, so that another process can open it again."""

    name: str
    seed: int | None
    options: Mapping[str, Any]


@explained_methods
@dataclass(frozen=True, repr=False)
class Suite(Explained):
    """Tasks with splits, drawn lazily.

    Attributes:
        name: `family/suite`, as typed on the command line.
        recipe: The whole resolved recipe as plain data; with the seed it determines every byte.
        seed: The seed of the data.
        tasks: The tasks by name, in a fixed order.
        splits: Split names with their sizes; None if the size is known only after drawing.
        draw: Split name -> its rows: blocks if the family draws in blocks, else a new iterator. Called any
            number of times; must not share state.
        facets: The typed columns that instances of this suite may have.
        apart: What its splits keep apart; proved when a bundle is written.
        pool: The split that in-context examples may come from, or None.
        notes: Anything a report should say about the suite (status of tasks, licences). JSON values only.
        lattice: The combinations of the suite, or of one derived from it, where no family knows them.
    """

    name: str
    recipe: Mapping[str, Any]
    seed: int
    tasks: Mapping[str, Task]
    splits: Mapping[str, int | None]
    draw: Callable[[str], Iterable[Row]]
    facets: Mapping[str, FacetType] = field(default_factory=dict)
    apart: Apart = "inputs"
    pool: str | None = "train"
    notes: Mapping[str, Any] = field(default_factory=dict)
    lattice: Callable[[Suite], Lattice] | None = field(default=None, compare=False)
    # Not an argument, and so not kept by `dataclasses.replace`: a suite with other rows must not keep its identity.
    _identify: Callable[[], str] | None = field(default=None, init=False, compare=False)
    _origin: Origin | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        # tuple[str, ...] and tuple name the same column type.
        plain = {name: get_origin(kind) or kind for name, kind in self.facets.items()}
        object.__setattr__(self, "facets", plain)
        for kind, values in (("task", self.tasks), ("split", self.splits)):
            if type(values) is dict:
                object.__setattr__(self, f"{kind}s", NamedValues(kind, values))

    @staticmethod
    def of(
        tasks: Sequence[Any],
        *,
        seed: int = 0,
        train: int | None = 0,
        dev: int | None = 0,
        test: int | None = 0,
        name: str = "own",
    ) -> Suite:
        """A suite of tasks written with `@taskloom.task`.

        Args:
            tasks: The tasks (`taskloom.Blueprint`).
            seed: The seed of the data.
            train: Rows per task of this split; 0 for no such split, None for an endless one.
            dev: Likewise.
            test: Likewise.
            name: The name of the suite.

        Example:
            >>> from taskloom import Suite, task
            >>> @task(definition="Write the word backwards.", right=[("ab", "ba", "b comes first.")])
            ... def backwards(rng):
            ...     word = "".join(rng.choices("abcdefgh", k=6))
            ...     return word, word[::-1]
            >>> suite = Suite.of([backwards], train=20, test=10)
            >>> len(suite["test"])
            10
        """
        from taskloom.core.catalog import COMPOSERS

        compose = COMPOSERS.get("tasks")
        return compose(tasks, seed=seed, sizes={"train": train, "dev": dev, "test": test}, name=name)

    @property
    def family(self) -> str:
        """The part of the name before the first slash."""
        return self.name.partition("/")[0]

    @cached_property
    def identity(self) -> str:
        """Thirty-two hexadecimal digits that differ wherever any row, task, recipe key or seed does."""
        return self._identify() if self._identify is not None else self._row_identity()

    def _row_identity(self) -> str:
        chains = {}
        for split in self.splits:
            rows = self.draw(split)
            if isinstance(rows, Blocks) and rows.endless:
                raise UserError(
                    "an endless suite cannot be identified by its rows",
                    where=f"{self.name}: {split}",
                    hint="suite.identified(...) names what decides its rows",
                )
            state = blake2b(digest_size=16)
            for row in rows:
                state.update(bytes.fromhex(row_hash(row.task, row.instance)))
            chains[split] = state.hexdigest()
        whole = (self.name, self.seed, dict(self.recipe), tasks_hash(self.tasks), self.apart, self.pool, chains)
        return content_hash(whole)

    def identified(self, *parts: Key) -> Suite:
        """The same suite with an identity computed from `parts`, which must determine every row."""
        return self.identified_by(lambda: digest("suite", *parts).hex())

    def derive(self, *note: Key, **changes: Any) -> Suite:
        """A suite derived from this one (some of its tasks, say). `note` covers everything the changes depend on."""
        return replace(self, **changes).identified_by(lambda: digest("derived", self.identity, *note).hex())

    def identified_by(self, identify: Callable[[], str]) -> Suite:
        """The same suite with an identity that is computed on first use."""
        suite = replace(self)
        object.__setattr__(suite, "_identify", identify)
        return suite

    @property
    def origin(self) -> Origin | None:
        """How `open_suite` can reopen this suite; None if it was created or changed in Python."""
        return self._origin

    def opened_as(self, origin: Origin) -> Suite:
        """The same suite, remembering how it was opened."""
        suite = replace(self)
        object.__setattr__(suite, "_identify", self._identify)
        object.__setattr__(suite, "_origin", origin)
        return suite

    def only_task(self, task: str) -> Suite:
        """The suite with one of its tasks."""
        ensure_known("task", task, self.tasks, where=self.name)
        return self.derive(
            "only-task",
            task,
            recipe={**self.recipe, "only_task": task},
            tasks={task: self.tasks[task]},
            splits=dict.fromkeys(self.splits),
            draw=lambda split: self.rows(split, task=task),
        )

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {'?' if size is None else format(size, ',')}" for name, size in self.splits.items())
        return f"<Suite {self.name}, seed {self.seed}: {sizes}>"

    def rows(self, split: str, *, task: str | None = None, limit: int | None = None) -> Iterator[Row]:
        """The rows of one split, in order, of one task if named, at most `limit` of them."""
        ensure_known("split", split, self.splits, where=self.name)
        if task is not None and task not in self.tasks:
            raise unknown_name("task", task, self.tasks, where=self.name)
        if limit is not None and limit < 0:
            raise UserError(f"a limit must be 0 or more, not {limit}", where=self.name)
        drawn = self.draw(split)
        if task is None:
            rows = iter(drawn)
        elif isinstance(drawn, Blocks):
            rows = drawn.of_task(task)
        else:
            rows = (row for row in drawn if row.task == task)
        return OneByOne(rows if limit is None else islice(rows, limit))

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.splits)

    def hashed_rows(self, split: str) -> Iterator[tuple[Row, str]]:
        """The rows of a split with their hashes where they are stored, as in a bundle; else with ""."""
        stored = getattr(self.draw, "hashed_rows", None)
        return ((row, "") for row in self.rows(split)) if stored is None else stored(split)

    def blocks(self, split: str) -> Blocks | None:
        """The blocks of a split; None if its rows can only be drawn in order (from files, for example)."""
        ensure_known("split", split, self.splits, where=self.name)
        rows = self.draw(split)
        return rows if isinstance(rows, Blocks) else None

    def __iter__(self) -> Iterator[str]:
        """The names of the splits, as of a mapping; `suite["test"]` has the rows."""
        return iter(self.splits)

    def __len__(self) -> int:
        return len(self.splits)

    def __getitem__(self, split: str) -> SplitView:
        """The rows of a split as a sequence: `len(suite["test"])`, `suite["test"][5]`, slices."""
        if not isinstance(split, str):
            raise UserError(
                f"a suite is indexed by the name of a split, not by {split!r}",
                where=self.name,
                hint=f"suite[{self.default_split()!r}][{split!r}]",
            )
        ensure_known("split", split, self.splits, where=self.name)
        return SplitView(self, split)

    def only(self, **where: Any) -> Suite:
        """The suite with the rows of some tasks (`task=…`) or facet values; lists mean any of them.

        Example:
            >>> from taskloom import open_suite
            >>> small = open_suite("babi/mix-t2").only(question="where-person").take(5)
            >>> {row.instance.facets["question"] for row in small["test"]}
            {'where-person'}
        """
        keeps = row_filter(where, self.tasks, self.facets, self.name)
        return self.derive(
            "only",
            content_hash({key: sorted(map(str, _listed(value))) for key, value in where.items()}),
            splits=dict.fromkeys(self.splits),
            draw=lambda split: self._kept(split, keeps, where),
        )

    def _kept(self, split: str, keeps: Callable[[Row], bool], where: Mapping[str, Any]) -> Iterator[Row]:
        """The rows of a split that are kept; where there is none, what was wanted has to occur in some split."""
        kept = 0
        for row in self.draw(split):
            if keeps(row):
                kept += 1
                yield row
        if kept:
            return
        for key, value in where.items():
            held = {each for name in self.splits for row in self.draw(name) for each in _facet(row, key, self.tasks)}
            if held.isdisjoint(_listed(value)):
                raise unknown_name(f"value of {key}", next(iter(_listed(value)), ""), held, where=self.name)

    @explained
    def take(self, count: int) -> Suite:
        """The suite with the first `count` rows of each split."""
        if count < 0:
            raise UserError(f"0 or more rows can be taken, not {count}", where=self.name)
        sizes = {name: None if size is None else min(size, count) for name, size in self.splits.items()}
        return self.derive("take", count, splits=sizes, draw=lambda split: islice(self.draw(split), count))

    def shuffle(self, seed: int = 0) -> Suite:
        """The suite with the rows of each split shuffled by a seed."""

        def draw(split: str) -> Iterator[Row]:
            rows = list(self.draw(split))
            keyed_random("shuffle", self.name, split, seed).shuffle(rows)
            return iter(rows)

        return self.derive("shuffle", seed, draw=draw)

    def _repr_html_(self) -> str:
        rows = [(name, "?" if size is None else f"{size:,}") for name, size in self.splits.items()]
        return html_table(f"{self.name}, seed {self.seed}", ("split", "rows"), rows)

    def definitions(self) -> Iterator[tuple[str, str]]:
        """Every task's name with its definition, in order, without making its examples where that can be spared."""
        if isinstance(self.tasks, DefinedTasks):
            return self.tasks.definitions()
        return ((name, task.instruction.definition) for name, task in self.tasks.items())

    def default_split(self) -> str:
        """The split that is run by default: test, else dev, else the last one."""
        for name in ("test", "dev"):
            if name in self.splits:
                return name
        return list(self.splits)[-1]


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, set | frozenset | list | tuple) else (value,)


@explained_methods
class SplitView(Explained):
    """Rows by index, slice and iteration. A suite that draws in blocks finds any row without those before it."""

    def __init__(self, suite: Suite, split: str) -> None:
        self.suite, self.split = suite.name, split
        self._suite, self._size = suite, suite.splits[split]

    def only(self, **where: Any) -> SplitView:
        """The rows of a task (`task=…`) or with a facet's value (`question="where-person"`); lists mean any of them.

        Example:
            >>> from taskloom import open_suite
            >>> view = open_suite("babi/task-1")["test"].only(task="task-1").take(3)
            >>> len(view)
            3
        """
        return self._suite.only(**where)[self.split]

    @explained
    def take(self, count: int) -> SplitView:
        """The first `count` rows."""
        return self._suite.take(count)[self.split]

    def shuffle(self, seed: int = 0) -> SplitView:
        """The rows in an order that depends on the seed alone. All of them are held in memory when they are drawn."""
        return self._suite.shuffle(seed)[self.split]

    def _draw(self) -> Iterable[Row]:
        return self._suite.draw(self.split)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._draw())

    def __len__(self) -> int:
        if self._size is None:
            rows = self._draw()
            if isinstance(rows, Blocks) and rows.endless:
                raise UserError(
                    "this split has no known length", where=f"{self.suite}: {self.split}", hint="use a slice of it"
                )
            self._size = sum(1 for _ in rows)
        return self._size

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        rows = self._draw()
        if not isinstance(index, int | slice):
            hint = f"suite[{self.split!r}][0]; suite[{self.split!r}].only(FACET=value) chooses rows"
            raise UserError(f"rows are indexed by number, not by {index!r}", where=str(self.suite), hint=hint)
        if isinstance(index, slice):
            # Only what is counted from the end needs the length.
            counted = index.stop is not None and all(
                part is None or part >= 0 for part in (index.start, index.stop, index.step)
            )
            return self._some(rows, range(*index.indices(index.stop if counted else len(self))))
        place = index + len(self) if index < 0 else index
        with suppress(IndexError, StopIteration):
            if place >= 0:
                return rows.row(place) if isinstance(rows, Blocks) else next(islice(rows, place, None))
        size = "" if self._size is None else f": it has {self._size:,}"
        raise IndexError(f"the split {self.split} of {self.suite} has no row {index}{size}")

    @staticmethod
    def _some(rows: Iterable[Row], span: range) -> list[Row]:
        if not span:
            return []
        if isinstance(rows, Blocks):
            found: list[Row] = []
            held: tuple[int | None, list[Row]] = (None, [])
            for place in span:
                try:
                    number, inside = rows.locate(place)
                except IndexError:
                    break
                if held[0] != number:
                    held = (number, list(rows.rows(number)))
                if inside >= len(held[1]):
                    break
                found.append(held[1][inside])
            return found
        by_place = {place: row for place, row in enumerate(islice(rows, max(span) + 1)) if place in span}
        return [by_place[place] for place in span if place in by_place]

    def __repr__(self) -> str:
        size = "?" if self._size is None else f"{self._size:,}"
        return f"<{self.suite}: {self.split}, {size} rows>"

    def _repr_html_(self) -> str:
        rows = [(row.task, row.instance.id, row.instance.input, row.instance.targets.canonical()) for row in self[:5]]
        return html_table(repr(self)[1:-1], ("task", "id", "input", "answer"), rows)


def _facet(row: Row, key: str, tasks: Mapping[str, Task]) -> Iterable[Any]:
    """The values of a facet that a row has itself, or from its task."""
    if key == "task":
        return (row.task,)
    found = row.instance.facets[key] if key in row.instance.facets else tasks[row.task].facets.get(key)
    return found if isinstance(found, tuple | list) else (found,)


def row_filter(
    where: Mapping[str, Any], tasks: Mapping[str, Task], facets: Iterable[str], name: str
) -> Callable[[Row], bool]:
    """Whether a row has the wanted values.

    Args:
        where: Values by `task` or facet. Of a facet that is a list, one member is enough; a set, list or tuple of
            values means any of them.
        tasks: The tasks; their facets count for all their rows.
        facets: The facets that instances carry.
        name: The suite, for errors.

    Raises:
        UserError: A facet that no row has, or a task that does not exist (with the nearest names).
    """
    known = {"task", *facets}
    if not known.issuperset(where):
        # Only then: suites of many tasks make them when they are looked at.
        known |= {facet for task in tasks.values() for facet in task.facets}
    for key in where:
        ensure_known("facet", key, known, where=name)
    wanted = {key: frozenset(_listed(value)) for key, value in where.items()}
    for task in wanted.get("task", ()):
        if task not in tasks:
            raise unknown_name("task", str(task), tasks, where=name)

    def keeps(row: Row) -> bool:
        return not any(options.isdisjoint(_facet(row, key, tasks)) for key, options in wanted.items())

    return keeps
