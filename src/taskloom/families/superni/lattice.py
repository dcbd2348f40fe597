"""The lattice of a collection whose tasks declare their skills.

A cell is a set of skills: "compare+letters+reverse" is asked for by the check for palindromes, and lies above
"letters+reverse" and "compare+letters". Where the instructions are not in English, their language is a skill too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from taskloom.author import Blueprint
from taskloom.author.compose import Shares, fresh_items, to_instance
from taskloom.core import Cell, Instance, Lattice, Row, Suite, Task, UserError

__all__ = ["SkillLattice", "no_skills"]


def _task_cell(task: Task) -> Cell | None:
    """The cell of a task; None where it declares no skills."""
    skills = task.facets.get("skills")
    if not isinstance(skills, tuple | list) or not skills:
        return None
    language = str(task.facets.get("instruction_language", "English")).lower()
    return Cell("", tuple(sorted({*map(str, skills), *([language] if language != "english" else [])})))


class SkillLattice(Lattice):
    """The cells of a suite.

    Args:
        suite: The suite.
        blueprints: What makes fresh items of its tasks, by name.
        trained: The tasks of the training split.
        shares: Which part of what can be asked every split owns, for training and for test tasks.

    Raises:
        UserError: No task declares any skills.
    """

    def __init__(
        self,
        suite: Suite,
        blueprints: Mapping[str, Blueprint],
        trained: frozenset[str],
        shares: Mapping[bool, Shares],
    ) -> None:
        self._suite = suite
        self._trained = trained
        self._shares = shares
        self._tasks: dict[Cell, list[Blueprint]] = {}
        for name, task in suite.tasks.items():
            cell = _task_cell(task)
            if cell is not None and name in blueprints:
                self._tasks.setdefault(cell, []).append(blueprints[name])
        if not self._tasks:
            raise no_skills(suite)

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return tuple(sorted(self._tasks))

    def trained(self, cell: Cell) -> bool:
        return any(blueprint.name in self._trained for blueprint in self._tasks.get(cell, ()))

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        return _task_cell(task)

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        blueprints = self._tasks.get(cell)
        if blueprints is None:
            raise UserError(f"no task of {self._suite.name} asks for exactly {cell}")
        if size is not None:
            raise UserError(f"items of {self._suite.name} have no size to hold fixed")
        return self._rows(blueprints, seed)

    def _rows(self, blueprints: Sequence[Blueprint], seed: int) -> Iterator[Row]:
        """Tasks of one cell by turns; a task whose items are used up is left out."""
        drawn = {
            blueprint.name: enumerate(
                fresh_items(blueprint, self._shares[blueprint.name in self._trained], self._suite.seed, seed)
            )
            for blueprint in blueprints
        }
        while drawn:
            for name, items in list(drawn.items()):
                index, item = next(items, (0, None))
                if item is None:
                    del drawn[name]
                else:
                    yield Row(name, to_instance(item, f"stream-{seed}-{index}"))
        raise UserError(
            f"there are no more items of {', '.join(blueprint.name for blueprint in blueprints)} that no split owns",
            where=self._suite.name,
            hint="ask for fewer rows",
        )


def no_skills(suite: Suite) -> UserError:
    """Why a collection has no lattice."""
    return UserError(
        f"no task of {suite.name} declares its skills, so there are no combinations to search",
        hint="superni/embedded does; a task of your own declares them by the facet `skills`",
    )
