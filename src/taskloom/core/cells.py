"""Cells: the combinations of parts that a family's items are made of, and the order between them.

A cell is what can be drawn on request: a question together with the set of atoms an answer needs. Cells of one
question are ordered by inclusion of their atoms, so that a failing cell whose parts are mastered says which
combination a model lacks. A lattice has two levels: its cells, and within each the *bound* cells, whose atoms say what
they act on ("coref(grab)": the pronoun stands for who grabbed something). A lattice of one level leaves `bound` alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec

from taskloom.core.calls import Explained
from taskloom.core.decode import read_toml
from taskloom.core.instance import Instance, Row
from taskloom.core.targets import Boolean, Targets, acceptable_texts
from taskloom.core.task import Task

_FEWEST_GUESSED = 8
"""Answers below which nothing is said about what guessing gets."""

_NO_ATOMS = "the plain task"
"""How a cell is written whose items require none of the parts: the smallest cell of its question."""


class Cell(msgspec.Struct, Explained, frozen=True, order=True):
    """One combination.

    Attributes:
        question: The question; cells of different questions are not compared. "" if a family has only one.
        atoms: The parts an answer requires, sorted, each once.
    """

    question: str
    atoms: tuple[str, ...]

    def __str__(self) -> str:
        atoms = "+".join(self.atoms) or _NO_ATOMS
        return f"{self.question}: {atoms}" if self.question else atoms

    @classmethod
    def parse(cls, text: str) -> Cell:
        """The cell that `str(cell)` came from."""
        question, colon, atoms = text.rpartition(": ")
        return cls(question if colon else "", tuple(atom for atom in atoms.split("+") if atom not in ("", _NO_ATOMS)))


class PlainWords(msgspec.Struct, frozen=True):
    """What an atom, a facet or a question is called where a stranger reads it.

    Attributes:
        name: A short name in plain words: "a pronoun".
        sentence: What it is, in one sentence.
        example: How it looks in an item: "Then he went to the garden."
    """

    name: str
    sentence: str = ""
    example: str = ""


def read_glossary(path: Path) -> dict[str, dict[str, PlainWords]]:
    """The plain words beside a generator: a file `words.toml` with the tables atoms, questions and facets.

    Raises:
        UserError: The file is not of that form.
    """
    return read_toml(path, type=dict[str, dict[str, PlainWords]])


class ItemPair(NamedTuple):
    """An item with what is claimed to hurt, and one without.

    Attributes:
        without: An item of the part.
        whole: An item of the cell.
        minimal: Whether they are the same but for the part that is claimed to hurt; else they are two items of the
            two cells.
    """

    without: Row
    whole: Row
    minimal: bool = False


SKILLS = "skills"
"""The facet in which a task or an item names what it needs."""


def skills_cell(task: Task, instance: Instance) -> Cell | None:
    """The cell of an item that names its skills, or whose task does for all of its items; None where neither does.

    Instructions in another language than English need it as well.
    """
    own, shared = instance.facets.get(SKILLS), task.facets.get(SKILLS)
    if isinstance(own, tuple | list):
        return Cell(task.name, tuple(map(str, own)))
    if not isinstance(shared, tuple | list) or not shared:
        return None
    language = str(task.facets.get("instruction_language", "English")).lower()
    return Cell("", tuple(sorted({*map(str, shared), *([language] if language != "english" else [])})))


NAMING_SKILLS = """the third thing that a maker returns names what the item needs:
    @taskloom.task(definition="Add the two numbers.")
    def addition(rng):
        a, b = rng.randint(0, 99), rng.randint(0, 99)
        return f"{a} + {b}", a + b, {"carry"} if a % 10 + b % 10 > 9 else set()"""
"""How to mend a suite without cells: five lines that work."""


class Lattice(ABC):
    """The cells of a suite, their order, and endless new items of each.

    A family returns one from `Family.lattice(suite)`. `cells`, `stream` and `cell_of` are all it has to give. It may
    say more: `parts` where the order is not inclusion (taskbench: subexpressions), `bound` and `pair` where its items
    allow it, `glossary` for names that a stranger understands.
    """

    glossary: Mapping[str, PlainWords] = {}
    """Plain words for atoms and questions, by their names."""

    sized_by: ClassVar[str] = ""
    """The facet that holds the size of an item."""

    def __repr__(self) -> str:
        # To count the cells of a large suite takes time and is not needed here.
        known = self.__dict__.get("cells")
        return f"<{type(self).__name__}>" if known is None else f"<{type(self).__name__}: {len(known):,} cells>"

    @cached_property
    @abstractmethod
    def cells(self) -> Sequence[Cell]:
        """Every cell that the suite's splits draw from, sorted."""

    @abstractmethod
    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        """Endless new items of exactly this cell, disjoint from every split of the suite.

        Args:
            cell: The cell; it need not be in `cells` as long as the generator can draw it.
            seed: Keys the stream; item k of (cell, seed) is always the same.
            size: Hold this size fixed (babi: the number of supporting sentences), for control of length;
                None draws the suite's own mixture.

        Raises:
            UserError: No item of this cell can exist, or none was found, with the reason.
        """

    @abstractmethod
    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        """The cell of an item; None if it belongs to none."""

    def bound(self, row: Row) -> Cell | None:
        """The bound cell of an item of `stream`: its atoms with what they act on, "coref(grab)" for "coref".

        Returns:
            None where a lattice has no such level.
        """
        return None

    def pair(self, cell: Cell, part: Cell, seed: int) -> ItemPair:
        """An item of a cell beside one of a part of it: the same but for what the cell adds, where a family can do it.

        Raises:
            UserError: One of the cells has no item.
        """
        return ItemPair(next(self.stream(part, seed)), next(self.stream(cell, seed)))

    def title(self, cell: Cell) -> str:
        """What claims call a cell; "" where its parts are named one by one."""
        return ""

    def explain(self, name: str) -> PlainWords:
        """The plain words for an atom or a question; "coref(grab)" and "negation/is-not" by those of their pieces."""
        if name in self.glossary:
            return self.glossary[name]
        outer, opened, inner = name.removesuffix(")").partition("(")
        pieces = [outer, inner] if opened else name.split("/")
        if len(pieces) > 1 and any(piece in self.glossary for piece in pieces):
            first, *rest = map(self.explain, pieces)
            names = ", ".join(each.name for each in rest)
            told = [first] if opened else [first, *rest]
            sentence = " ".join(each.sentence for each in told if each.sentence)
            return PlainWords(f"{first.name} ({names})", sentence, told[-1].example or first.example)
        return PlainWords(name.replace("-", " ").replace("_", " "))

    def size_of(self, instance: Instance) -> int | None:
        """The size of an item, which `stream(…, size=…)` fixes; None if a family has no size."""
        size = instance.facets.get(self.sized_by)
        return size if isinstance(size, int) else None

    def age_of(self, instance: Instance) -> int | None:
        """How many sentences back the oldest fact that an answer needs is; None if that does not apply."""
        age = instance.facets.get("support_age")
        return age if isinstance(age, int) else None

    def guessing(self, rows: Sequence[Row]) -> GuessingLevel | None:
        """The shares of these items that guessing gets right; None where they are too few to tell."""
        return guessing_level([(row.task, row.instance.targets) for row in rows])

    @cached_property
    def atoms(self) -> tuple[str, ...]:
        """Every atom of every cell, sorted."""
        return tuple(sorted({atom for cell in self.cells for atom in cell.atoms}))

    @cached_property
    def _parts(self) -> Mapping[Cell, tuple[Cell, ...]]:
        return direct_parts(self.cells)

    def parts(self, cell: Cell) -> tuple[Cell, ...]:
        """The direct parts: the largest cells strictly below. A cell without parts is basic."""
        return self._parts.get(cell, ())


class GuessingLevel(NamedTuple):
    """What guessing gets right: a random one of the answers that occur, and always the most frequent one."""

    random: float
    majority: float


def guessing_level(asked: Sequence[tuple[str, Targets]]) -> GuessingLevel | None:
    """What guessing gets right, task by task.

    The most frequent answer is chosen on one half of the items and counted on the other, by turns: chosen and counted
    on the same items it would look better than it is.

    Args:
        asked: The task and the acceptable answers of each item.

    Returns:
        None where there are too few items to tell.
    """
    if len(asked) < _FEWEST_GUESSED:
        return None
    by_task: dict[str, list[Targets]] = {}
    for task, targets in asked:
        by_task.setdefault(task, []).append(targets)
    random = majority = 0.0
    for own in by_task.values():
        halves = (own[::2], own[1::2])
        for chosen, counted in (halves, halves[::-1]):
            seen = Counter(text for targets in chosen for text in acceptable_texts(targets))
            best = min(seen, key=lambda text: (-seen[text], text), default=None)
            majority += sum(best in acceptable_texts(targets) for targets in counted)
        every = {text for targets in own for text in acceptable_texts(targets)}
        options = max(len(every), *(2 if isinstance(targets, Boolean) else 1 for targets in own))
        random += sum(len(set(acceptable_texts(targets))) for targets in own) / options
    return GuessingLevel(random / len(asked), majority / len(asked))


def direct_parts(cells: Iterable[Cell]) -> dict[Cell, tuple[Cell, ...]]:
    """The largest cells strictly below each, by inclusion of atoms within a question."""
    by_question: dict[str, list[Cell]] = {}
    for cell in cells:
        by_question.setdefault(cell.question, []).append(cell)
    parts: dict[Cell, tuple[Cell, ...]] = {}
    for members in by_question.values():
        sets = [(member, frozenset(member.atoms)) for member in members]
        for cell, own in sets:
            below = [(other, atoms) for other, atoms in sets if atoms < own]
            parts[cell] = tuple(other for other, atoms in below if not any(atoms < more for _, more in below))
    return parts
