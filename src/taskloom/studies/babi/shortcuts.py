"""How far stories can be answered by shortcuts, beside the stories of the reference kit."""

from __future__ import annotations

from collections import defaultdict
from math import fsum
from pathlib import Path
from typing import ClassVar

from taskloom.core import Recipe, Row, UserError, open_suite
from taskloom.core.study import Study, Table, Value
from taskloom.families.babi.audit import AUDITED, LastLocationProbe, audited, group_name, group_of, shares
from taskloom.families.babi.concepts import question_type
from taskloom.families.babi.files import read_babi, read_story
from taskloom.families.babi.parse import Parser
from taskloom.families.babi.story import WHERE_WAS
from taskloom.score.probes import ProbeItem
from taskloom.store.ownership import write_ours


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
