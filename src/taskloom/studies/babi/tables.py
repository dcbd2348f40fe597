"""Tables 1, 2, 6 and 7 of Dyna-bAbI from generated splits; and how the reader fares on files of others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import ClassVar

from taskloom.core import Instance, Recipe, Row, UserError, open_suite, track
from taskloom.core.study import Study, Table, Value
from taskloom.families.babi.audit import AUDITED, LastLocationProbe, audited, group_name, group_of, shares
from taskloom.families.babi.concepts import CONSTRUCTS, EVENTS, GROUPS, QUESTION_TYPES, SIZES, question_type
from taskloom.families.babi.files import Agreement, agreement, find_file, read_babi, read_story
from taskloom.families.babi.original_tasks import ORIGINALS
from taskloom.families.babi.parse import Parser
from taskloom.families.babi.story import WHERE_WAS
from taskloom.score.probes import ProbeItem
from taskloom.store.outputs import write_ours
from taskloom.studies.papers import printed

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


class ShortcutsRecipe(Recipe, frozen=True):
    """What is audited.

    Attributes:
        suite: A suite of stories.
        split: Its split.
        size: How many questions; as many as the reference has, so that fitted probes learn from equally many.
        samples: Over how many suites of that size, each with a seed of its own, shares are averaged: one sample knows
            the share of a question type to ±0.07 only.
        kit: The kit's output folder, to audit its stories beside (`mix_T12/valid.txt` is read); empty for ours alone.
    """

    suite: str = "babi/mix-t12"
    split: str = "test"
    size: int = AUDITED
    samples: int = 5
    kit: str = ""

    def __post_init__(self) -> None:
        if self.size < 20:
            raise ValueError(f"size is {self.size}; probes need at least 20 questions")
        if self.samples < 1:
            raise ValueError(f"samples is {self.samples}; at least 1")


class ShortcutsStudy(Study[ShortcutsRecipe]):
    """Probes that follow no chain, per question type; where-was with long supports counts by itself."""

    summary: ClassVar[str] = "shortcut audit: what probes without reasoning answer, beside the Dyna-bAbI kit's stories"
    recipe: ClassVar[Recipe] = ShortcutsRecipe()

    def run(self, recipe: ShortcutsRecipe, seed: int, out: Path | None) -> list[Table]:
        drawn = []
        for number in range(recipe.samples):
            suite = open_suite(recipe.suite, seed=seed + number, options={recipe.split: recipe.size})
            drawn.append(list(suite.rows(recipe.split, limit=recipe.size)))
        tables = [
            _table(f"Shortcuts on {recipe.suite}", [audited(rows) for rows in drawn]),
            _places(f"Where supports stand in {recipe.suite}", [row for rows in drawn for row in rows]),
        ]
        if recipe.kit:
            tables.append(_table("Shortcuts on the kit's mix_T12", [_kit_items(recipe.kit)]))
        if out is not None:
            write_ours(out / "shortcuts.md", "\n\n".join(table.markdown() for table in tables) + "\n")
        return tables


def _kit_items(folder: str) -> list[ProbeItem]:
    path = Path(folder) / "mix_T12" / "valid.txt"
    if not path.is_file():
        raise UserError("no mix_T12/valid.txt here", where=folder, hint="point kit= at the kit's output folder")
    parser = Parser()
    items = []
    for story in read_babi(path):
        read = read_story(story, parser)
        for question, asked in zip(read.questions, story.questions, strict=True):
            size = len(asked.support) if question.kind == WHERE_WAS else 0
            context = "\n".join(story.statements[: asked.after])
            accepted = frozenset((asked.answer.casefold(),))
            group = group_name(question_type(question.kind), size)
            items.append(ProbeItem(group, context, asked.text, asked.answer, accepted))
    return items


def _table(title: str, samples: list[list[ProbeItem]]) -> Table:
    groups = sorted({item.group for items in samples for item in items})
    found = [shares(items, [LastLocationProbe()]) for items in samples]
    rows: list[tuple[Value, ...]] = [
        (probe, *(fsum(each[probe].get(group, 0.0) for each in found) / len(found) for group in groups))
        for probe in found[0]
    ]
    rows.append(("(questions)", *(sum(item.group == group for items in samples for item in items) for group in groups)))
    many = f"; mean of {len(samples)} samples" if len(samples) > 1 else ""
    note = (
        "Share answered by each probe, every question counts once; fitted on one half of the questions, "
        f"asked about the other, both ways round{many}."
    )
    return Table(title, ("probe", *groups), tuple(rows), note)


_SHARES = "Shares of all supporting sentences, every sentence counts once."


def _places(title: str, rows: list[Row]) -> Table:
    """How supports are spread over the fifths of a story."""
    fifths: dict[str, list[int]] = defaultdict(lambda: [0] * 5)
    for row in rows:
        length = row.instance.facets["length"]
        for line in row.instance.details["support"]:
            fifths[group_of(row)][min(4, (line - 1) * 5 // max(1, length if isinstance(length, int) else 1))] += 1
    found: list[tuple[Value, ...]] = []
    for group, counts in sorted(fifths.items()):
        total = sum(counts)
        found.append((group, *(count / total for count in counts)))
    return Table(title, ("question", "first fifth", "second", "third", "fourth", "last"), tuple(found), _SHARES)


SHORTCUTS = ShortcutsStudy()
