"""Samples to browse: every answer of every run, side by side with the others' to the same question.

Records go into the page as JSON, packed in blocks that the page unpacks when they are looked at. Up to
50,000 questions stand in the page itself; more go into pages of their own beside it. None is left out.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from taskloom.core import Progress
from taskloom.report.html import TableCell, card, data_block, heading, html_cell, page, part, plain_table
from taskloom.run.join import question_numbers
from taskloom.run.record import encode_record
from taskloom.run.results import Run
from taskloom.store.ownership import remove_stale, write_ours
from taskloom.studies.frontier.static import cells_of

MOST_INSIDE = 50_000
"""Questions whose answers stand in the page itself."""
PER_PAGE = 5_000
BLOCK = 100


class SampleIndex:
    """Which questions there are, which record of each run answers them, and how they went."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        codes = question_numbers(runs)
        count = 1 + max(int(own.max(initial=-1)) for own in codes)
        self.rows = np.full((count, len(runs)), -1, np.int64)
        for number, own in enumerate(codes):
            self.rows[own, number] = np.arange(len(own))
        labels = [run.columns.codes("task").labels for run in runs]
        self.tasks = {name: number for number, name in enumerate(dict.fromkeys(name for own in labels for name in own))}
        self.task = np.zeros(count, np.int64)
        for number, run in reversed(list(enumerate(runs))):
            of_label = np.asarray([self.tasks[name] for name in labels[number]])
            asked = self.rows[:, number] >= 0
            self.task[asked] = of_label[run.columns.codes("task").rows[self.rows[asked, number]]]
        self.flags = self._flags()

    def __len__(self) -> int:
        return len(self.rows)

    def _flags(self) -> NDArray[np.uint8]:
        """Four bits a question: some run is wrong, all are right, runs differ, something odd."""
        low, high = np.full(len(self), np.inf), np.full(len(self), -np.inf)
        odd = np.zeros(len(self), bool)
        for number, run in enumerate(self.runs):
            asked = self.rows[:, number] >= 0
            rows = self.rows[asked, number]
            scores = np.nan_to_num(run.values()[rows], nan=0.0)
            states, names = run.columns.codes("state")
            plain = names.index("scored") if "scored" in names else -1
            low[asked], high[asked] = np.minimum(low[asked], scores), np.maximum(high[asked], scores)
            odd[asked] |= (states[rows] != plain) | ~run.columns.present("answer")[rows]
        bits: NDArray[np.uint8] = np.zeros(len(self), np.uint8)
        for place, true in enumerate((low < 1, low >= 1, low != high, odd)):
            bits |= true.astype(np.uint8) << place
        return bits

    def telling_order(self) -> NDArray[np.int64]:
        """Disagreements, mistakes and successes in turn, of all tasks in turn, so that the first samples show most."""
        pile = np.where(self.flags & 4, 0, np.where(self.flags & 1, 1, 2))
        group = pile * len(self.tasks) + self.task
        order = np.argsort(group, kind="stable")
        _, starts, counts = np.unique(group[order], return_index=True, return_counts=True)
        turn = np.empty(len(self), np.int64)
        turn[order] = np.arange(len(self)) - np.repeat(starts, counts)
        return np.lexsort((self.task, pile, turn))

    def described(self, numbers: NDArray[np.int64], names: Sequence[str]) -> dict[str, Any]:
        """What the page needs to know of these questions before it unpacks any."""
        tasks = self.task[numbers]
        used = sorted(set(tasks.tolist()))
        every = list(self.tasks)
        place = {task: number for number, task in enumerate(used)}
        return {
            "runs": list(names),
            "tasks": [every[task] for task in used],
            "task": [place[task] for task in tasks.tolist()],
            "flags": "".join(f"{flag:x}" for flag in self.flags[numbers].tolist()),
            "block": BLOCK,
        }

    def blocks(self, numbers: NDArray[np.int64], level: int) -> Iterator[str]:
        """The records of these questions with their combinations, packed."""
        cells = [cells_of(run) for run in self.runs]
        for start in range(0, len(numbers), BLOCK):
            part = self.rows[numbers[start : start + BLOCK]]
            texts = [self._texts(run, part[:, number], *cells[number]) for number, run in enumerate(self.runs)]
            samples = (b"[%b]" % b",".join(each) for each in zip(*texts, strict=True))
            packed = gzip.compress(b"[%b]" % b",".join(samples), level, mtime=0)
            yield base64.b64encode(packed).decode()

    @staticmethod
    def _texts(run: Run, rows: NDArray[np.int64], codes: NDArray[np.int64], cells: Sequence[str]) -> list[bytes]:
        """The records of some rows as JSON, null where a run was not asked."""
        asked = sorted({row for row in rows.tolist() if row >= 0})
        read = zip(asked, run.records.read(asked), strict=True)
        found = {row: encode_record(msgspec.structs.replace(record, cell=cells[codes[row]])) for row, record in read}
        return [found.get(row, b"null") for row in rows.tolist()]


def samples_card(runs: Sequence[Run], names: Sequence[str], anchor: str, path: Path, level: int = 3) -> Markup:
    """The samples of some runs, inside the page or, where they are very many, in a folder of pages beside it."""
    index = SampleIndex(runs)
    title = heading(level, "Samples", f"{anchor}-samples")
    if len(index) > MOST_INSIDE:
        return card(title, pages_folder(index, names, anchor, path))
    numbers = index.telling_order()
    note = part("note", f"All {len(index):,} questions. Marked lines are those that an answer needs.")
    return card(title, note, samples_browser(index, numbers, names, anchor, 6))


def samples_browser(
    index: SampleIndex, numbers: NDArray[np.int64], names: Sequence[str], anchor: str, level: int
) -> Markup:
    """Samples inside the page, with their filters."""
    data = data_block(index.described(numbers, names))
    return part("samples", anchor, f"{len(numbers):,}", data, index.blocks(numbers, level))


def pages_folder(index: SampleIndex, names: Sequence[str], anchor: str, path: Path) -> Markup:
    """Samples on pages of their own, written beside the report."""
    folder = path.with_name(f"{path.stem}-samples")
    starts = range(0, len(index), PER_PAGE)
    files = [f"{anchor}-{number:04}.html" for number in range(1, len(starts) + 1)]
    rows = []
    with Progress("writing the samples", len(index), unit="questions") as progress:
        for number, start in enumerate(starts):
            numbers = np.arange(start, min(start + PER_PAGE, len(index)))
            body = card(heading(2, "Samples", f"{anchor}-samples"), samples_browser(index, numbers, names, anchor, 1))
            around = [(files[number - 1], "‹ page before")] if number else []
            around += [(f"../{path.name}", "the report")]
            around += [(files[number + 1], "next page ›")] if number + 1 < len(files) else []
            lead = f"Questions {start + 1:,} to {start + len(numbers):,} of {len(index):,}."
            text = page("Samples", lead, part("beside", around) + body, "", ("state.js", "samples.js"))
            target = folder / files[number]
            write_ours(target, text.encode("utf-8", "xmlcharrefreplace"))
            flags = index.flags[numbers]
            counts = [len(numbers), *(int(np.count_nonzero(flags & bit)) for bit in (1, 4, 8))]
            link = TableCell(f"{start + 1:,} to {start + len(numbers):,}", str(start), f"{folder.name}/{files[number]}")
            rows.append([link, *map(html_cell, counts)])
            progress.advance(len(numbers))
    remove_stale(folder, f"{anchor}-*.html", set(files))
    caption = f"All {len(index):,} questions on {len(files):,} pages in {folder.name}/."
    columns = ("questions", "asked", "some run is wrong", "runs differ", "failed, cut or unparsed")
    return plain_table(f"{anchor}-pages", caption, columns, rows, folded=20)
