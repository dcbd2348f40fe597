"""The lattice of a suite whose generator takes no requests: its cells are what its rows show.

Fresh items come from the same suite at other seeds, looked through for those of a cell. So any suite that can be drawn
again can be probed, at the price of drawing more than is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import count, islice

from taskloom.core.cells import NAMING_SKILLS, Cell, Lattice, skills_cell
from taskloom.core.errors import UserError
from taskloom.core.instance import Instance, Row, input_hash
from taskloom.core.rng import digest, keyed_random
from taskloom.core.suite import Suite
from taskloom.core.task import Task

_LOOKED_AT = 1_000
"""Rows of each split whose cells are the cells."""
_FEWEST_ASKED = 20
"""Rows that a cell must have to be searched, where no others can be drawn: fewer prove nothing."""
_PATIENCE = 3_000
"""Rows looked through in vain before a cell is said to be too rare."""


class SampledLattice(Lattice):
    """Cells from the facets `question` and `composition` of the rows.

    Args:
        suite: The suite.
        reopen: The same suite at another seed.
    """

    sized_by = "support_size"

    def __init__(self, suite: Suite, reopen: Callable[[int], Suite]) -> None:
        self._suite = suite
        self._reopen = reopen

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        question, composition = instance.facets.get("question"), instance.facets.get("composition")
        if not isinstance(question, str) or not isinstance(composition, str):
            return None
        return Cell(question, tuple(sorted({atom for atom in composition.split("+") if atom})))

    @cached_property
    def cells(self) -> Sequence[Cell]:
        rows = (row for split in self._suite.splits for row in islice(self._suite.rows(split), _LOOKED_AT))
        found = {self.cell_of(self._suite.tasks[row.task], row.instance) for row in rows}
        return tuple(sorted(cell for cell in found if cell is not None))

    @cached_property
    def _known(self) -> frozenset[bytes]:
        """What the splits ask: never asked again."""
        rows = (row for split in self._suite.splits for row in self._suite.rows(split))
        return frozenset(input_hash(row.instance.input) for row in rows)

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        if cell not in self.cells:
            raise UserError(f"no item of {self._suite.name} needs exactly {cell}")
        return self._rows(cell, seed, size)

    def _rows(self, cell: Cell, seed: int, size: int | None) -> Iterator[Row]:
        seen = set(self._known)
        vain = number = 0
        for turn in count():
            fresh = self._reopen(int.from_bytes(digest("sampled", seed, turn)[:4], "big"))
            for row in (row for split in fresh.splits for row in fresh.rows(split)):
                vain += 1
                mark = input_hash(row.instance.input)
                fits = self.cell_of(fresh.tasks[row.task], row.instance) == cell
                if fits and size in (None, self.size_of(row.instance)) and mark not in seen:
                    seen.add(mark)
                    yield Row(row.task, _renamed(row.instance, f"fresh-{seed}-{number:06d}"))
                    vain, number = 0, number + 1
                if vain >= _PATIENCE:
                    raise UserError(
                        f"{number:,} different items of {cell} were found at other seeds, and no more",
                        where=self._suite.name,
                    )


class StoredLattice(Lattice):
    """The cells of rows that name their skills, where there are rows alone and nothing that draws others.

    Items are those of the split that is asked, so a cell has only so many.

    Args:
        suite: The suite.

    Raises:
        UserError: No row names skills, or no combination has enough rows.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._split = suite.default_split()
        held: dict[Cell, list[Row]] = {}
        for row in suite.rows(self._split):
            if (cell := self.cell_of(suite.tasks[row.task], row.instance)) is not None:
                held.setdefault(cell, []).append(row)
        if not held:
            raise no_skills(suite)
        self._held = {cell: rows for cell, rows in held.items() if len(rows) >= _FEWEST_ASKED}
        if not self._held:
            raise UserError(
                f"no combination of skills has {_FEWEST_ASKED} items in split {self._split!r} of {suite.name}, "
                "which has rows alone and draws no others",
                hint="probe the file or suite that the rows were made from, or generate more of them: -T test=1000",
            )

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        return skills_cell(task, instance)

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return tuple(sorted(self._held))

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        if size is not None:
            raise UserError(f"items of {self._suite.name} have no size to hold fixed")
        rows = list(self._held.get(cell, ()))
        keyed_random("stored", seed, str(cell)).shuffle(rows)
        yield from rows
        raise UserError(
            f"split {self._split!r} has {len(rows):,} items of {cell}, and all were drawn",
            where=self._suite.name,
            hint="a bundle draws no others: probe the file or suite that it was made from",
        )


def no_skills(suite: Suite) -> UserError:
    """Why there is nothing to search in a suite, and how to change that."""
    return UserError(
        f"no task of {suite.name} names skills, so there are no combinations to search", hint=NAMING_SKILLS
    )


def _renamed(instance: Instance, name: str) -> Instance:
    import msgspec

    return msgspec.structs.replace(instance, id=name)
