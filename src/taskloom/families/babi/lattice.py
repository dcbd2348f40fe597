"""The combinations that a suite's stories are made of: question type × events and constructs of the support."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from msgspec.structs import replace

from taskloom.core import Cell, Instance, ItemPair, Lattice, Row, Task, UserError
from taskloom.families.babi.cells import CellSet, CellSource
from taskloom.families.babi.concepts import CellSpec, StarvedError
from taskloom.families.babi.grammar import Skeleton, Stage
from taskloom.families.babi.instances import SeenCells
from taskloom.families.babi.kinds import CONJ, COUNTING, DROP, GIVE, GRAB, LIST, MOVE, Sentence
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.shapes import Shapes, shapes_of
from taskloom.families.babi.support import StoryItem, answered
from taskloom.families.babi.worlds import WorldProgram

_HANDLED = (GRAB, DROP, GIVE)


def plainer(item: StoryItem, sizes: tuple[int, int], world: WorldProgram) -> Iterator[tuple[StoryItem, list[int]]]:
    """Stories that lack one thing of an item's support, each with the line that every sentence had before.

    Args:
        item: The story and its question.
        sizes: How many persons and objects there are.
        world: The world's programs.
    """
    for edited in _edits(item.sentences, item.support):
        sentences, origin = [one for one, _ in edited], [line for _, line in edited]
        if sentences == item.sentences or not sentences or not _resolved(sentences):
            continue
        plain = answered(sentences, Reader.of(sentences, *sizes, world), item.question)
        # An edit must leave no trace: a person never drops what they never had.
        if plain is not None and not plain.reader.conflicts:
            yield plain, origin


_Edited: TypeAlias = list[tuple[Sentence, int]]
"""Sentences with the line that each had before."""


def _edits(story: Sequence[Sentence], support: Sequence[int]) -> Iterator[_Edited]:
    """Plainer words first, then less and less of the story."""
    told: _Edited = [(one, line) for line, one in enumerate(story)]
    needed = set(support)
    yield [(one._replace(pronoun=False) if line in needed else one, line) for one, line in told]
    for person in ("first", "second"):
        yield [
            (Sentence(MOVE, getattr(one, person), one.third) if line in needed and one.kind == CONJ else one, line)
            for one, line in told
        ]
    for line in support:
        yield told[:line] + told[line + 1 :]
    for kind in {story[line].kind: None for line in support}:
        yield [(one, line) for one, line in told if line not in needed or one.kind != kind]
    for thing in {story[line].second: None for line in support if story[line].kind == GIVE}:
        yield from _taken(told, thing)


def _taken(told: _Edited, thing: int) -> Iterator[_Edited]:
    """A person who was given something takes it instead, from no one."""
    last = max(line for one, line in told if one.kind == GIVE and one.second == thing)
    yield [
        (Sentence(GRAB, one.third, thing) if line == last else one, line)
        for one, line in told
        if line >= last or one.kind not in _HANDLED or one.second != thing
    ]


def _resolved(story: Sequence[Sentence]) -> bool:
    """Whether every pronoun has who it stands for in the sentence before it."""
    for before, one in zip([None, *story[:-1]], story, strict=True):
        if not one.pronoun:
            continue
        if before is None or (before.kind == CONJ) != (one.kind == CONJ) or before.first != one.first:
            return False
        if one.kind == CONJ and before.second != one.second:
            return False
    return True


DOUBLE = "double-disjunction"
"""The atom of items in which two eithers settle the answer together."""

_PAIRS_TRIED = 60
_LARGEST = 9
"""Supports beyond this size add no further compositions."""


class BabiLattice(Lattice):
    """The cells of a suite that draws from cell specifications.

    Args:
        group: What its splits draw from.
        seen: The training set that novelty is measured against; None where no cell is novel.
    """

    sized_by = "support_size"

    def __init__(self, group: CellSet, seen: SeenCells | None) -> None:
        self.name, self._group, self._world, self._seen = group.where, group, group.world, seen
        self._words = group.cells[0].words

    @cached_property
    def _by_question(self) -> Mapping[str, list[CellSpec]]:
        found: dict[str, list[CellSpec]] = {}
        for spec in self._group.cells:
            types = {kind: self._world.questions[kind].type for kind in spec.questions}
            for question in dict.fromkeys(types.values()):
                kinds = tuple(kind for kind in spec.questions if types[kind] == question)
                found.setdefault(question, []).append(replace(spec, questions=kinds))
        return found

    @cached_property
    def cells(self) -> Sequence[Cell]:
        found: set[Cell] = set()
        for question, specs in self._by_question.items():
            for spec in specs:
                shapes = shapes_of(spec.concepts, self._world, len(self._words.persons))
                for kind in spec.questions:
                    found |= {Cell(question, tuple(sorted(atoms))) for atoms in self._compositions(shapes, kind, spec)}
        return sorted(found)

    def _compositions(self, shapes: Shapes, kind: int, spec: CellSpec) -> set[frozenset[str]]:
        """Every composition that a specification's supports can have."""
        low, high = max(1, spec.support[0]), min(spec.support[1], max(_LARGEST, spec.support[0]), spec.length[1])
        wanted = set(spec.requires)
        found: set[frozenset[str]] = set()
        if kind in (LIST, COUNTING):
            changes = Stage(shapes.grammar.changes(), repeat=True, least=1)
            found = _reachable((changes,), low, high, len(self._words.objects))
            found |= _paired(shapes, found, high)
        else:
            for name, skeleton in shapes.skeletons(kind).items():
                for atoms in _reachable(skeleton, low, high):
                    found.add(atoms | {DOUBLE} if name.startswith("double") and "negate" not in atoms else atoms)
                    if name.startswith("double") and "negate" in atoms:
                        found |= _both(skeleton, atoms, low, high)
            found |= _spoken_on(shapes, found)
        exact = spec.exact
        return {
            atoms
            for atoms in found
            if wanted <= atoms
            and (not exact or atoms - {DOUBLE} == wanted)
            and (spec.double is None or spec.double == (DOUBLE in atoms))
        }

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        composition, question = instance.facets.get("composition"), instance.facets.get("question")
        if not isinstance(composition, str) or not isinstance(question, str) or question not in self._by_question:
            return None
        atoms = {atom for atom in composition.split("+") if atom}
        if instance.facets.get("double_disjunction"):
            atoms.add(DOUBLE)
        return Cell(question, tuple(sorted(atoms)))

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        if cell.question not in self._by_question:
            raise UserError(
                f"{self.name} asks no question {cell.question!r}; it asks {', '.join(self._by_question)}",
                where=self.name,
            )
        return iter(self._source(cell, size, seed).blocks(None))

    def _source(self, cell: Cell, size: int | None, seed: int) -> CellSource:
        # Random stories are looked through only where no specification has a plan: that takes a hundred times as long.
        kept, errors = self._fitting(cell, size, search=False)
        if not kept:
            kept, errors = self._fitting(cell, size, search=True)
        if not kept:
            raise UserError(
                f"no item of {cell} was found: {errors[0].message}" if errors else f"no item of {cell} can exist",
                where=self.name,
            )
        key = ("stream", self.name, str(cell), -1 if size is None else size, seed)
        return CellSource(self._group._replace(cells=kept, key=key), "stream", self._seen)

    def bound(self, row: Row) -> Cell | None:
        atoms = row.instance.details.get("bound")
        if not isinstance(atoms, list):
            return None
        double = [DOUBLE] if row.instance.facets.get("double_disjunction") else []
        return Cell(str(row.instance.facets["question"]), tuple(sorted([*atoms, *double])))

    def pair(self, cell: Cell, part: Cell, seed: int) -> ItemPair:
        """The same story with and without what the cell adds, where one sentence makes the difference."""
        loose = _loose(cell)
        source = self._source(loose, None, seed)
        sizes = len(self._words.persons), len(self._words.objects)
        task = source.cells[0].task
        fallback = None
        for number in range(_PAIRS_TRIED):
            index = number % len(source.cells)
            item, text = source.item(index, number)
            whole = Row(source.cells[index].task, source.instance(index, f"pair-{seed}-{number}", item, text))
            if loose != cell and self.bound(whole) != cell:
                continue
            fallback = fallback or whole
            for plain, origin in plainer(item, sizes, self._world):
                lines = source.retold(index, plain, text, origin)
                without = Row(task, source.instance(index, f"pair-{seed}-{number}-without", plain, lines))
                found = self.bound(without)
                if found is not None and _loose(found) == part:
                    return ItemPair(without, whole, minimal=True)
        return ItemPair(next(self.stream(part, seed)), fallback or next(self.stream(loose, seed)))

    def _fitting(self, cell: Cell, size: int | None, *, search: bool) -> tuple[list[CellSpec], list[StarvedError]]:
        """The specifications that can draw a cell, narrowed down to it."""
        atoms = tuple(atom for atom in cell.atoms if atom != DOUBLE)
        kept: dict[tuple[tuple[int, int], tuple[int, int]], CellSpec] = {}
        errors: list[StarvedError] = []
        for spec in self._by_question[cell.question]:
            support = spec.support if size is None else (size, size)
            double = DOUBLE in cell.atoms if "indef" in atoms else None
            narrow = replace(spec, requires=atoms, exact=True, support=support, double=double, per_story=1, gap=0)
            if not all(map(spec.concepts.has, atoms)) or (support, spec.length) in kept:
                continue
            try:
                CellSource(self._group._replace(cells=[narrow], key=("stream",)), "stream", search=search).item(0, 0)
            except StarvedError as error:
                errors.append(error)
            else:
                kept[support, spec.length] = narrow
        return list(kept.values()), errors


def _loose(cell: Cell) -> Cell:
    """A cell whose pronouns stand in any event."""
    return Cell(cell.question, tuple(sorted({atom.partition("(")[0] for atom in cell.atoms})))


def _reachable(skeleton: Skeleton, low: int, high: int, objects: int = 0) -> set[frozenset[str]]:
    """Compositions of the ways through a skeleton whose size lies in a range, with so many objects to carry."""
    states: set[_State] = {(0, 0, frozenset())}
    for parts, repeat, least, _ in skeleton:
        kinds = list(dict.fromkeys((part.cost, part.gain, part.labels) for part in parts))
        if not repeat:
            states = _step(states, kinds, high, objects)
            continue
        reached = set(states) if not least else set()
        frontier = states
        while frontier:
            frontier = _step(frontier, kinds, high, objects) - reached
            reached |= frontier
        states = reached
    return {labels for size, _, labels in states if size >= low}


_State: TypeAlias = tuple[int, int, frozenset[str]]
"""How many sentences there are so far, how many objects are carried, and the labels so far; of a part what it adds."""


def _step(states: set[_State], kinds: Sequence[_State], high: int, objects: int) -> set[_State]:
    return {
        (size + cost, held + gain, labels | more)
        for size, held, labels in states
        for cost, gain, more in kinds
        if size + cost <= high and cost and 0 <= held + gain <= objects
    }


def _both(skeleton: Skeleton, atoms: frozenset[str], low: int, high: int) -> set[frozenset[str]]:
    """Whether two eithers, without a not, can give this composition too (the not then stands elsewhere: it cannot)."""
    eithers = skeleton[0]._replace(parts=tuple(part for part in skeleton[0].parts if "negate" not in part.labels))
    return {atoms | {DOUBLE}} if atoms in _reachable((eithers, *skeleton[1:]), low, high) else set()


def _spoken_on(shapes: Shapes, found: set[frozenset[str]]) -> set[frozenset[str]]:
    """Compositions in which who has just come drops something ("he put down the apple"): a pronoun at no cost."""
    grammar = shapes.grammar
    if MOVE not in grammar.referring:
        return set()
    drops = [kind for kind in grammar.doing("drop") if kind in grammar.referring]
    plain = {grammar.labels(MOVE, drop, take) for drop in drops for take in grammar.doing("take")}
    return {atoms | {"coref"} for atoms in plain & found}


def _paired(shapes: Shapes, found: set[frozenset[str]], high: int) -> set[frozenset[str]]:
    """Compositions in which two changes in one breath bring a pronoun at no cost."""
    names = {shapes.world.events[kind].label for kind in shapes.grammar.referring}
    return {atoms | {"coref"} for atoms in found if shapes.grammar.referring and atoms & names and high > 1}
