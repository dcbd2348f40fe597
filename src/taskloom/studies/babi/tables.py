"""Tables 1, 2, 6 and 7 of Dyna-bAbI from generated splits; how the reader fares on files of others; shortcuts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import fsum
from pathlib import Path

from taskloom.core import Instance, Recipe, Row, UserError, open_suite, track
from taskloom.core.study import Table, Value
from taskloom.families.babi.audit import AUDITED, LastLocationProbe, audited, group_name, group_of, shares
from taskloom.families.babi.concepts import CONSTRUCTS, EVENTS, GROUPS, ORIGINALS, QUESTION_TYPES, SIZES, question_type
from taskloom.families.babi.files import agreement, find_file, read_babi, read_story
from taskloom.families.babi.kinds import WHERE_WAS
from taskloom.families.babi.parse import Parser
from taskloom.score.probes import ProbeItem
from taskloom.store.ownership import write_ours
from taskloom.studies.findings import table_of, table_study
from taskloom.studies.papers import printed


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

    def means(self) -> tuple[float | None, float | None]:
        """Mean length and mean support; None of nothing."""
        return (self.length / self.count, self.support / self.count) if self.count else (None, None)


Tallies = dict[tuple[str, str], _Tally]
"""By split and task; those of a whole split under ""."""


class BabiTablesRecipe(Recipe, frozen=True):
    """How much to generate.

    Attributes:
        scale: The share of the paper's sizes; 1 generates every split in full (a few minutes).
    """

    scale: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.scale <= 1:
            raise ValueError(f"scale is {self.scale}; it must be more than 0 and at most 1")


def _babi_tables(recipe: BabiTablesRecipe, seed: int, out: Path | None) -> list[Table]:
    """Tables 1, 2, 6 and 7 of Dyna-bAbI, from generated splits."""
    tallies: Tallies = defaultdict(_Tally)
    for name in printed("dyna-babi", "table-2").column("split"):
        for task, instance in _rows(name, recipe.scale, seed):
            tallies[name, task].add(instance)
            tallies[name, ""].add(instance)
    return [
        _table_1(tallies),
        _table_2(tallies, recipe.scale),
        _concept_table("babi/table-6", "t7", ("t2", "t7"), tallies),
        _concept_table("babi/table-7", "t12", ("t12",), tallies),
    ]


def _rows(name: str, scale: float, seed: int) -> Iterator[tuple[str, Instance]]:
    kind, _, group = name.partition("-")
    size = max(20 * len(GROUPS[group]), round(SIZES[name] * scale))
    split = "test" if kind == "mix" else "train"
    options = {"train": 0, "dev": 0, "test": 0, "mix": 0, split: size}
    if kind == "inject":
        options["originals"] = max(1, round(size * SIZES[f"concat-{group}"] / SIZES[name]))
    suite = open_suite(f"babi/{name}", seed=seed, options=options)
    return track(suite.rows(split), f"generating {name}", size, unit="questions")


def _table_1(tallies: Tallies) -> Table:
    paper = printed("dyna-babi", "table-1")
    rows: list[tuple[Value, ...]] = []
    for number in GROUPS["t12"]:
        tally = tallies["concat-t12", f"task-{number}"]
        events, constructs = (
            ", ".join(one for one in names if one in tally.concepts) for names in (EVENTS, CONSTRUCTS)
        )
        means = zip(tally.means(), (paper.lookup(name, task=number) for name in ("sentences", "support")), strict=True)
        numbers = (number for pair in means for number in pair)
        rows.append((str(number), events, constructs or "-", ", ".join(sorted(tally.questions)), *numbers))
    return table_of("babi/table-1", rows)


def _table_2(tallies: Tallies, scale: float) -> Table:
    rows: list[tuple[Value, ...]] = []
    for name, length, size, support in printed("dyna-babi", "table-2").rows:
        tally = tallies[str(name), ""]
        long, needed = tally.means()
        split = "test" if str(name).startswith("mix") else "train"
        rows.append((name, split, long, length, tally.count, size, needed, support))
    return table_of("babi/table-2", rows, scale=f"{scale:.0%}")


def _concept_table(name: str, group: str, mixes: tuple[str, ...], tallies: Tallies) -> Table:
    """Which concepts occur in which sub-task: yes in the original, I only in inject, D only in diverse."""
    origins = dict(printed("dyna-babi", "sub-tasks").pairs())
    rows: list[tuple[Value, ...]] = []

    def ticks(tally: _Tally) -> list[Value]:
        return ["✓" if one in tally.concepts else "" for one in (*EVENTS, *CONSTRUCTS)]

    def questions(kind: str, number: int) -> set[str]:
        """The question types of a task's counterparts in another split."""
        return {
            question
            for (suite, task), tally in tallies.items()
            if suite == f"{kind}-{group}" and (task.startswith(f"task-{number}-") or origins.get(task) == number)
            for question in tally.questions
        }

    for number in GROUPS[group]:
        own = tallies[f"concat-{group}", f"task-{number}"]
        others = {"I": questions("inject", number), "D": questions("diverse", number)}
        marks = [
            "✓" if question in own.questions else "/".join(mark for mark, held in others.items() if question in held)
            for question in QUESTION_TYPES
        ]
        rows.append((str(number), "train", *ticks(own), *marks))
    for mixed in mixes:
        whole = tallies[f"mix-{mixed}", ""]
        asked = ("✓" if question in whole.questions else "" for question in QUESTION_TYPES)
        rows.append((f"mix({mixed.upper()})", "test", *ticks(whole), *asked))
    return table_of(name, rows, concepts=(*EVENTS, *CONSTRUCTS, *QUESTION_TYPES))


class ReadingRecipe(Recipe, frozen=True):
    """Where the files of others are.

    Attributes:
        babi: A folder with the original data (`qa1_…_test.txt` and so on); empty to leave it out.
        kit: A folder with the kit's output (`mix_T12/valid.txt` and so on); empty to leave it out.
    """

    babi: str = ""
    kit: str = ""


def _reading(recipe: ReadingRecipe, seed: int, out: Path | None) -> list[Table]:
    """The reader's accuracy on the original bAbI files and its agreement with the Dyna-bAbI kit."""
    if not recipe.babi and not recipe.kit:
        hint = "taskloom study babi/reading -T babi=FOLDER -T kit=FOLDER"
        raise UserError("no files to read", where="babi/reading", hint=hint)
    tables = []
    if recipe.babi:
        parts = [(number, part) for number in ORIGINALS for part in ("train", "test")]
        files = [(f"{number} {part}", find_file(recipe.babi, number, part)) for number, part in parts]
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
            answers = ", ".join(f"{given} {count}" for given, count in sorted(counts.answers.items()))
            supports = ", ".join(f"{kind} {count}" for kind, count in counts.supports.most_common())
            numbers = (counts.asked, counts.answered, counts.agreed, counts.agreed / counts.asked)
            rows.append((name, question, *numbers, answers, supports))
    return table_of("babi/reading", rows, files=title)


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


def _audit(recipe: ShortcutsRecipe, seed: int, out: Path | None) -> list[Table]:
    """Shortcut audit: what probes without reasoning answer, beside the Dyna-bAbI kit's stories."""
    drawn = []
    for number in range(recipe.samples):
        suite = open_suite(recipe.suite, seed=seed + number, options={recipe.split: recipe.size})
        drawn.append(list(suite.rows(recipe.split, limit=recipe.size)))
    tables = [
        _shortcuts(recipe.suite, [audited(rows) for rows in drawn]),
        _places(recipe.suite, [row for rows in drawn for row in rows]),
    ]
    if recipe.kit:
        tables.append(_shortcuts("the kit's mix_T12", [_kit_items(recipe.kit)]))
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
        for question, asked in zip(read_story(story, parser).questions, story.questions, strict=True):
            size = len(asked.support) if question.kind == WHERE_WAS else 0
            context = "\n".join(story.statements[: asked.after])
            group = group_name(question_type(question.kind), size)
            items.append(ProbeItem(group, context, asked.text, asked.answer, frozenset((asked.answer.casefold(),))))
    return items


def _shortcuts(suite: str, samples: list[list[ProbeItem]]) -> Table:
    groups = sorted({item.group for items in samples for item in items})
    found = [shares(items, [LastLocationProbe()]) for items in samples]
    rows: list[tuple[Value, ...]] = [
        (probe, *(fsum(each[probe].get(group, 0.0) for each in found) / len(found) for group in groups))
        for probe in found[0]
    ]
    rows.append(("(questions)", *(sum(item.group == group for items in samples for item in items) for group in groups)))
    many = f"; mean of {len(samples)} samples" if len(samples) > 1 else ""
    return table_of("babi/shortcuts", rows, suite=suite, groups=groups, many=many)


def _places(suite: str, rows: list[Row]) -> Table:
    """How supports are spread over the fifths of a story."""
    fifths: dict[str, list[int]] = defaultdict(lambda: [0] * 5)
    for row in rows:
        length = row.instance.facets["length"]
        for line in row.instance.details["support"]:
            fifths[group_of(row)][min(4, (line - 1) * 5 // max(1, length if isinstance(length, int) else 1))] += 1
    found = [(group, *(count / sum(counts) for count in counts)) for group, counts in sorted(fifths.items())]
    return table_of("babi/places", found, suite=suite)


TABLES = table_study(BabiTablesRecipe(), _babi_tables)
READING = table_study(ReadingRecipe(), _reading)
SHORTCUTS = table_study(ShortcutsRecipe(), _audit)
