"""The lattice of tasks that name their skills: what an item needs, and the combinations of it.

Skills of a task stand for all of its items: cells of such tasks are compared with each other, whatever the task
("letters+reverse" lies below "compare+letters+reverse"). Skills of items are compared within their task, whose name is
the question of the cell; an item may need none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from taskloom.author.blueprint import Blueprint
from taskloom.author.shares import FRESH, Shares, fresh_items, is_ruled, to_instance
from taskloom.core.cells import SKILLS, Cell, Lattice, skills_cell
from taskloom.core.errors import UserError
from taskloom.core.instance import Instance, Row
from taskloom.core.rng import KeyedRandom
from taskloom.core.sampled import no_skills
from taskloom.core.suite import Suite
from taskloom.core.targets import AnyOf
from taskloom.core.task import Task

_FEWEST_LOOKED_AT = 2_000
"""Items in a row without a new set of skills, after which no more are looked at: what is rarer than one in a thousand
may be missed."""
_MOST_LOOKED_AT = 50_000
_FEWEST_ASKED = 20
"""Items that a cell must have to be searched, where their number is known: fewer prove nothing."""


def _shared_cell(blueprint: Blueprint) -> Cell | None:
    """The cell of all items of a task; None where it names no skills."""
    return skills_cell(blueprint.task, Instance("", "", AnyOf(())))


class SkillLattice(Lattice):
    """The cells of a suite whose tasks name their skills.

    Args:
        suite: The suite.
        blueprints: What makes fresh items of its tasks, by name.
        shares: Which part of what can be asked every split owns, by task.

    Raises:
        UserError: No task names any skills.
    """

    def __init__(self, suite: Suite, blueprints: Mapping[str, Blueprint], shares: Mapping[str, Shares]) -> None:
        self._suite = suite
        self._shares = shares
        self._blueprints = {name: blueprints[name] for name in suite.tasks if name in blueprints}
        if not any(each.has_skills or _shared_cell(each) for each in self._blueprints.values()):
            raise no_skills(suite)

    @cached_property
    def _tasks(self) -> Mapping[Cell, list[Blueprint]]:
        """The tasks of each cell."""
        found: dict[Cell, list[Blueprint]] = {}
        for name, blueprint in self._blueprints.items():
            if blueprint.has_skills:
                found |= {Cell(name, skills): [blueprint] for skills in self._seen(blueprint)}
            elif (cell := _shared_cell(blueprint)) is not None:
                found.setdefault(cell, []).append(blueprint)
        return found

    def _seen(self, blueprint: Blueprint) -> set[tuple[str, ...]]:
        """The sets of skills that items of a task need."""
        if is_ruled(blueprint):
            ruled = self._shares[blueprint.name].ruled(blueprint, self._suite.seed)
            counts = Counter(ruled.skills[key] for split in (FRESH, "test") for key in ruled.asked(split))
            return {skills for skills, count in counts.items() if isinstance(skills, tuple) and count >= _FEWEST_ASKED}
        found: set[tuple[str, ...]] = set()
        since = 0
        for skills in self._looked_at(blueprint):
            since = 0 if skills not in found else since + 1
            found.add(skills)
            if since >= _FEWEST_LOOKED_AT and blueprint.keys is None:
                break
        return found

    def _looked_at(self, blueprint: Blueprint) -> Iterable[tuple[str, ...]]:
        draws = KeyedRandom("skills", blueprint.name)
        number = min(_MOST_LOOKED_AT, blueprint.keys or _MOST_LOOKED_AT)
        step = (blueprint.keys or 0) // number
        items = (blueprint.draw(draws.at(place), place * step) for place in range(number))
        needed = (item.facets.get(SKILLS) for item in items)
        return (skills for skills in needed if isinstance(skills, tuple))

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return tuple(sorted(self._tasks))

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        return skills_cell(task, instance)

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        blueprints = self._tasks.get(cell)
        if blueprints is None:
            asked = self._blueprints.get(cell.question)
            if asked is None or not asked.takes_requests:
                raise UserError(f"no task of {self._suite.name} makes items that need exactly {cell}")
            blueprints = [asked]
        if size is not None:
            raise UserError(f"items of {self._suite.name} have no size to hold fixed")
        return self._rows(blueprints, cell, seed)

    def _rows(self, blueprints: Sequence[Blueprint], cell: Cell, seed: int) -> Iterator[Row]:
        """Tasks of one cell by turns; a task whose items are used up is left out."""
        drawn = {
            each.name: enumerate(
                fresh_items(
                    each, self._shares[each.name], self._suite.seed, seed, cell.atoms if each.has_skills else None
                )
            )
            for each in blueprints
        }
        while drawn:
            for name, items in list(drawn.items()):
                index, item = next(items, (0, None))
                if item is None:
                    del drawn[name]
                else:
                    yield Row(name, to_instance(item, f"stream-{seed}-{index}"))
        raise UserError(
            f"there are no more items of {cell} that no split owns",
            where=self._suite.name,
            hint="ask for fewer rows, or leave some out of the splits: -T train=…",
        )
