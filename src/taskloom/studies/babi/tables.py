"""Tables 1, 2, 6 and 7 of Dyna-bAbI from generated splits; and how the reader fares on files of others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from taskloom.core import Instance, Recipe, UserError, open_suite, track
from taskloom.core.study import Study, Table, Value
from taskloom.families.babi.concepts import CONSTRUCTS, EVENTS, GROUPS, ORIGINALS, QUESTION_TYPES, SIZES
from taskloom.families.babi.files import Agreement, agreement, find_file
from taskloom.studies.published import printed

# The original task whose concept set a sub-task of diverse(T) inherits.
_ORIGIN = {
    "where-person": 2,
    "where-object": 2,
    "where-was-object": 3,
    "give": 5,
    "give-where-object": 5,
    "give-where-person": 5,
    "yes-no": 6,
    "yes-no-where-person": 6,
    "counting": 7,
    "list": 8,
    "negate": 9,
    "negate-where-person": 9,
    "indef": 10,
    "indef-where-person": 10,
    "coref": 11,
    "conj": 12,
    "compound": 13,
}


class _Tally:
    """Sums over instances."""

    def __init__(self) -> None:
        self.count = self.length = self.support = 0
        self.concepts: set[str] = set()
        self.questions: set[str] = set()

    def add(self, instance: Instance) -> None:
        facets = instance.facets
        self.count += 1
        self.length += int(facets["length"] or 0)  # type: ignore[arg-type]
        self.support += int(facets["support_size"] or 0)  # type: ignore[arg-type]
        for key in ("events", "constructs"):
            names = facets[key]
            if isinstance(names, tuple):
                self.concepts.update(names)
        self.questions.add(str(facets["question"]))


class BabiTablesRecipe(Recipe, frozen=True):
    """How much to generate.

    Attributes:
        scale: The share of the paper's sizes; 1 generates every split in full (a few minutes).
    """

    scale: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.scale <= 1:
            raise ValueError(f"scale is {self.scale}; it must be more than 0 and at most 1")


class TablesStudy(Study[BabiTablesRecipe]):
    """Generates the splits and counts what is in them."""

    summary: ClassVar[str] = "Tables 1, 2, 6 and 7 of Dyna-bAbI, from generated splits"
    recipe: ClassVar[Recipe] = BabiTablesRecipe()

    def run(self, recipe: BabiTablesRecipe, seed: int, out: Path | None) -> list[Table]:
        tallies: dict[tuple[str, str], _Tally] = defaultdict(_Tally)
        for name in printed("dyna-babi", "table-2").column("split"):
            for task, instance in _rows(name, recipe.scale, seed):
                tallies[name, task].add(instance)
                tallies[name, ""].add(instance)
        tables = [_table_1(tallies), _table_2(tallies, recipe.scale)]
        tables += [_concept_table("Table 6", ("t7",), ("t2", "t7"), tallies)]
        tables += [_concept_table("Table 7", ("t12",), ("t12",), tallies)]
        return tables


def _rows(name: str, scale: float, seed: int) -> Iterator[tuple[str, Instance]]:
    kind, _, group = name.partition("-")
    size = max(20 * len(GROUPS[group]), round(SIZES[name] * scale))
    options = {"train": 0, "dev": 0, "test": 0, "mix": 0}
    split = "test" if kind == "mix" else "train"
    options[split] = size
    if kind == "inject":
        options["originals"] = max(1, round(size * SIZES[f"concat-{group}"] / SIZES[name]))
    suite = open_suite(f"babi/{name}", seed=seed, options=options)
    return track(suite.rows(split), f"generating {name}", size, unit="questions")


def _mean(total: int, count: int) -> float | None:
    return total / count if count else None


def _table_1(tallies: dict[tuple[str, str], _Tally]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for number in GROUPS["t12"]:
        tally = tallies["concat-t12", f"task-{number}"]
        length, support = (
            printed("dyna-babi", "table-1").lookup(column, task=number) for column in ("sentences", "support")
        )
        rows.append(
            (
                str(number),
                ", ".join(name for name in EVENTS if name in tally.concepts),
                ", ".join(name for name in CONSTRUCTS if name in tally.concepts) or "-",
                ", ".join(sorted(tally.questions)),
                _mean(tally.length, tally.count),
                length,
                _mean(tally.support, tally.count),
                support,
            )
        )
    columns = ("task", "events", "constructs", "questions", "sentences", "(paper)", "support", "(paper)")
    return Table("Table 1: the twelve story tasks", columns, tuple(rows), "Means over the training questions.")


def _table_2(tallies: dict[tuple[str, str], _Tally], scale: float) -> Table:
    rows: list[tuple[Value, ...]] = []
    for name, length, size, support in printed("dyna-babi", "table-2").rows:
        tally = tallies[str(name), ""]
        rows.append(
            (
                name,
                "test" if str(name).startswith("mix") else "train",
                _mean(tally.length, tally.count),
                length,
                tally.count,
                size,
                _mean(tally.support, tally.count),
                support,
            )
        )
    columns = ("split", "type", "length", "(paper)", "size", "(paper)", "support", "(paper)")
    note = (
        f"Generated at {scale:.0%} of the paper's sizes; with scale=1 the sizes are equal. The paper left out the "
        "1,585 longest questions (over 512 tokens), which shortens its concat and inject splits: the means of its own "
        "Table 1 are 15.9 for T7 and 12.3 for T12. Its support of concat(T12), 1.42, is 1.61 by its Table 1."
    )
    return Table("Table 2: the splits", columns, tuple(rows), note)


def _concept_table(
    title: str, groups: tuple[str, ...], mixes: tuple[str, ...], tallies: dict[tuple[str, str], _Tally]
) -> Table:
    """Which concepts occur in which sub-task: yes in the original, I only in inject, D only in diverse."""
    rows: list[tuple[Value, ...]] = []
    for group in groups:
        for number in GROUPS[group]:
            own = tallies[f"concat-{group}", f"task-{number}"]
            injected = _questions(tallies, f"inject-{group}", f"task-{number}-")
            diverse = {
                question
                for (suite, task), tally in tallies.items()
                if suite == f"diverse-{group}" and _ORIGIN.get(task) == number
                for question in tally.questions
            }
            marks: list[Value] = ["✓" if name in own.concepts else "" for name in (*EVENTS, *CONSTRUCTS)]
            marks += [_mark(question, own.questions, injected, diverse) for question in QUESTION_TYPES]
            rows.append((str(number), "train", *marks))
    for group in mixes:
        whole = tallies[f"mix-{group}", ""]
        marks = ["✓" if name in whole.concepts else "" for name in (*EVENTS, *CONSTRUCTS)]
        marks += ["✓" if question in whole.questions else "" for question in QUESTION_TYPES]
        rows.append((f"mix({group.upper()})", "test", *marks))
    columns = ("sub-task", "type", *EVENTS, *CONSTRUCTS, *QUESTION_TYPES)
    note = "✓ in the original task; I, D: only in inject, in diverse."
    if "t12" in groups:
        note += " The paper ticks give questions for mix(T12) as well; its configuration asks none."
    return Table(f"{title}: concept sets of {groups[-1].upper()}", columns, tuple(rows), note)


def _questions(tallies: dict[tuple[str, str], _Tally], suite: str, prefix: str) -> set[str]:
    return {
        question
        for (name, task), tally in tallies.items()
        if name == suite and task.startswith(prefix)
        for question in tally.questions
    }


def _mark(question: str, own: set[str], injected: set[str], diverse: set[str]) -> str:
    if question in own:
        return "✓"
    return "/".join(letter for letter, asked in (("I", injected), ("D", diverse)) if question in asked)


class ReadingRecipe(Recipe, frozen=True):
    """Where the files of others are.

    Attributes:
        babi: A folder with the original data (`qa1_…_test.txt` and so on); empty to leave it out.
        kit: A folder with the kit's output (`mix_T12/valid.txt` and so on); empty to leave it out.
    """

    babi: str = ""
    kit: str = ""


class ReadingStudy(Study[ReadingRecipe]):
    """Reads the data of others from the text alone and compares answers and supports."""

    summary: ClassVar[str] = "the reader's accuracy on the original bAbI files and its agreement with the Dyna-bAbI kit"
    recipe: ClassVar[Recipe] = ReadingRecipe()

    def run(self, recipe: ReadingRecipe, seed: int, out: Path | None) -> list[Table]:
        if not recipe.babi and not recipe.kit:
            raise UserError(
                "no files to read",
                where="babi/reading",
                hint="taskloom study babi/reading -T babi=FOLDER -T kit=FOLDER",
            )
        tables = []
        if recipe.babi:
            files = [
                (f"{number} {part}", find_file(recipe.babi, number, part))
                for number in ORIGINALS
                for part in ("train", "test")
            ]
            tables.append(_reading_table("Original bAbI", files))
        if recipe.kit:
            files = [(path.parent.name, path) for path in sorted(Path(recipe.kit).glob("*/valid.txt"))]
            if not files:
                raise UserError("no */valid.txt here", where=recipe.kit, hint="point kit= at the kit's output folder")
            tables.append(_reading_table("Dyna-bAbI kit", files))
        return tables


def _reading_table(title: str, files: list[tuple[str, Path]]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for name, path in track(files, "reading", len(files), unit="files"):
        for question, counts in agreement(path).items():
            rows.append((name, question, counts.asked, counts.answered, counts.agreed, *_accounts(counts)))
    columns = ("file", "question", "asked", "answered", "agreed", "accuracy", "disagreements", "supports")
    return Table(f"{title}: the reader against the files", columns, tuple(rows))


def _accounts(counts: Agreement) -> tuple[float, str, str]:
    answers = ", ".join(f"{name} {count}" for name, count in sorted(counts.answers.items()))
    supports = ", ".join(f"{name} {count}" for name, count in counts.supports.most_common())
    return counts.agreed / counts.asked, answers, supports


TABLES = TablesStudy()
READING = ReadingStudy()
