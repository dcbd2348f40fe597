"""Tables 1, 2, 6 and 7 of Dyna-bAbI from generated splits; how the reader fares on files of others; shortcuts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from taskloom.core import Instance, Positive, Recipe, Row, UserError, open_suite, track
from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.families.babi.audit import AUDITED, LastLocationProbe, audited, group_name, group_of, shares
from taskloom.families.babi.concepts import GROUPS, ORIGINALS, SUITES, question_type
from taskloom.families.babi.files import agreement, find_file, read_babi, read_story
from taskloom.families.babi.kinds import CONSTRUCTS, EVENTS, QUESTION_TYPES, WHERE_WAS
from taskloom.families.babi.parse import Parser
from taskloom.score.probes import ProbeItem
from taskloom.score.stats import compare_apart
from taskloom.store.ownership import write_ours
from taskloom.studies.analysis import over_seeds
from taskloom.studies.experiment import printed
from taskloom.studies.findings import table_of, table_study


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

    scale: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.05


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
    sizes, split = SUITES[name], "test" if kind == "mix" else "train"
    size = max(20 * len(GROUPS[group]), round(sizes[split] * scale))
    options = {"train": 0, "dev": 0, "test": 0, "mix": 0, split: size}
    if kind == "inject":
        options["originals"] = max(1, round(size * sizes["originals"] / sizes[split]))
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
        size: How many questions a sample has, 20 or more; with `kit` it has as many of each type as the kit's file.
        samples: Over how many samples shares are averaged: one knows the share of a question type to ±0.07 only.
        halves: In how many ways each sample is halved; fitted probes learn from one half and are asked the other.
        kit: The kit's output folder, to audit its stories beside (`mix_T12/valid.txt` for a suite of t12); empty for
            ours alone.
    """

    suite: str = "babi/mix-t12"
    split: str = "test"
    size: Annotated[int, msgspec.Meta(ge=20)] = AUDITED
    samples: Positive = 5
    halves: Annotated[int, msgspec.Meta(ge=1, le=16)] = 4
    kit: str = ""


_DRAWN = 2
"""Questions drawn for each one of a sample: some types are rarer than in the kit's stories."""


def _audit(recipe: ShortcutsRecipe, seed: int, out: Path | None) -> list[Table]:
    """Shortcut audit: what probes without reasoning answer, beside the Dyna-bAbI kit's stories."""
    kit = _kit_items(recipe.kit, recipe.suite) if recipe.kit else []
    drawn = _DRAWN * recipe.size * recipe.samples if kit else recipe.size * recipe.samples
    suite = open_suite(recipe.suite, seed=seed, options={recipe.split: drawn})
    rows = list(suite.rows(recipe.split, limit=drawn))
    items = defaultdict(list)
    for item in audited(rows):
        items[item.group].append(item)
    sizes = Counter(item.group for item in kit) or {
        group: len(found) // recipe.samples for group, found in items.items()
    }
    samples = [
        [item for group, size in sizes.items() for item in items[group][number * size : (number + 1) * size]]
        for number in range(recipe.samples)
    ]
    ours = _over_samples([shares(sample, [LastLocationProbe()], recipe.halves) for sample in samples])
    tables = [_shortcuts(recipe.suite, ours, recipe), _places(recipe.suite, rows)]
    if kit:
        theirs = shares(kit, [LastLocationProbe()], recipe.halves)
        tables += [_shortcuts("the kit's stories", theirs, recipe), _beside(ours, theirs)]
    if out is not None:
        write_ours(out / "shortcuts.md", "\n\n".join(table.markdown() for table in tables) + "\n")
    return tables


def _kit_items(folder: str, suite: str) -> list[ProbeItem]:
    part = f"mix_{suite.rpartition('-')[2].upper()}"
    path = Path(folder) / part / "valid.txt"
    if not path.is_file():
        raise UserError(f"no {part}/valid.txt here", where=folder, hint="point kit= at the kit's output folder")
    parser = Parser()
    items = []
    for story in read_babi(path):
        for question, asked in zip(read_story(story, parser).questions, story.questions, strict=True):
            size = len(asked.support) if question.kind == WHERE_WAS else 0
            context = "\n".join(story.statements[: asked.after])
            group = group_name(question_type(question.kind), size)
            items.append(ProbeItem(group, context, asked.text, asked.answer, frozenset((asked.answer.casefold(),))))
    return items


Shares = dict[str, dict[str, Estimate]]
"""By probe and question type, what a probe answers."""


def _over_samples(found: list[Shares]) -> Shares:
    """The mean of each share, with its interval over samples."""
    return {
        probe: {
            group: over_seeds([one[probe][group].value for one in found], each.n, "sample")._replace(n=each.n)
            for group, each in by.items()
        }
        for probe, by in found[0].items()
    }


def _shortcuts(suite: str, found: Shares, recipe: ShortcutsRecipe) -> Table:
    groups = sorted(found["majority"])
    rows: list[tuple[Value, ...]] = [(probe, *(by[group].value for group in groups)) for probe, by in found.items()]
    rows.append(("(questions of a sample)", *(found["majority"][group].n for group in groups)))
    return table_of("babi/shortcuts", rows, suite=suite, groups=groups, halves=recipe.halves)


def _beside(ours: Shares, theirs: Shares) -> Table:
    """Every share beside the kit's, and how far above it is."""
    rows = [
        (probe, group, *mine[:3], *kit[:3], *fall)
        for probe, by in ours.items()
        for group, mine in by.items()
        if (kit := theirs[probe].get(group)) is not None
        for fall in (compare_apart(mine, kit),)
    ]
    above = [row for row in rows if row[-2] > 0]
    names = "; ".join(f"{probe} on {group}" for probe, group, *_ in above)
    return table_of("babi/beside the kit", rows, above=f"{len(above)} of {len(rows)}{f' ({names})' if names else ''}")


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
