"""Probing a model: the search, asking real items, every answer in an ordinary run log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from taskloom.ask import Judge, ask, make_request
from taskloom.core import Progress, Row, Suite, UserError, row_hash
from taskloom.core.cells import Cell, Lattice
from taskloom.core.encoding import Encoding
from taskloom.core.model import Generation, Model, Output, Request
from taskloom.run.log import RunLog, read_records
from taskloom.run.record import Record, make_record
from taskloom.studies.frontier.claims import proving_cells
from taskloom.studies.frontier.evidence import Counts
from taskloom.studies.frontier.order import CellOrder
from taskloom.studies.frontier.search import Search, SearchSettings
from taskloom.studies.frontier.streams import Stream, Streams

__all__ = ["Probe", "Prober"]

_TRIES = 3
_GUESSED = 60
"""Items from which the share that guessing gets in a cell is told."""
Answer = Callable[[list[tuple[int, Row]]], dict[int, bool]]
"""Places and rows -> whether each was answered right; what failed is missing."""


class Prober:
    """Asks a model and keeps the log. Answers that the log holds are not asked again, so probing resumes by replay.

    Args:
        suite: The suite whose cells are probed.
        model: Who is asked.
        encoding: How.
        judge: Who reads and scores.
        generation: How answers are generated.
        log: Where every answer goes.
        right: The score from which an answer counts as right.
        stamp: Further fields of every record (protocol, headline).
    """

    def __init__(
        self,
        suite: Suite,
        model: Model,
        encoding: Encoding,
        judge: Judge,
        generation: Generation,
        log: RunLog,
        *,
        right: float = 1.0,
        stamp: dict[str, Any] | None = None,
    ) -> None:
        self._suite = suite
        self._model = model
        self._encoding = encoding
        self._judge = judge
        self._generation = generation
        self._log = log
        self._right = right
        self._stamp = stamp or {}
        self._known: dict[int, float] = {}
        if log.places:
            for record in read_records(log.path.parent):
                if record.score is not None:
                    self._known[record.index] = record.score
        self.replayed = 0

    def answer(self, items: list[tuple[int, Row]], cells: dict[int, str]) -> dict[int, bool]:
        """Whether each item was answered right. Failed requests are tried again and then left out."""
        self._check_rows(items)
        scores = {place: self._known[place] for place, _ in items if place in self._known}
        self.replayed += len(scores)
        waiting = [(place, row) for place, row in items if place not in scores]
        for _ in range(_TRIES):
            if not waiting:
                break
            scores |= self._ask(waiting, cells)
            waiting = [(place, row) for place, row in waiting if place not in scores]
        return {place: score >= self._right for place, score in scores.items()}

    def _check_rows(self, items: Iterable[tuple[int, Row]]) -> None:
        for place, row in items:
            if place in self._known and not self._log.places.same_row(place, row_hash(*row)):
                raise UserError(
                    f"the log and the generator have different items at {row.task}/{row.instance.id}",
                    where=str(self._log.path),
                    hint="name another folder with -o",
                )

    def _ask(self, items: list[tuple[int, Row]], cells: dict[int, str]) -> dict[int, float]:
        rows = dict(items)
        scores: dict[int, float] = {}

        def requests() -> Iterable[tuple[int, Request]]:
            for place, row in items:
                yield place, make_request(self._suite.tasks[row.task], row, self._encoding, self._model)

        def keep(group: list[tuple[int, Request, Output]]) -> None:
            records: list[Record] = []
            for place, request, output in group:
                found = self._judge.assess(request, output)
                record = make_record(
                    request,
                    output,
                    found,
                    shown=self._model.render(request.prompt),
                    index=place,
                    row=row_hash(*rows[place]),
                    cell=cells[place],
                    **self._stamp,
                )
                records.append(record)
                if record.score is not None:
                    scores[place] = record.score
            self._log.append(records)

        ask(self._model, requests(), self._generation, keep)
        return scores


class Probe:
    """A search over the cells of a lattice with real items.

    Args:
        lattice: The cells and their items.
        settings: Bounds, levels, budget.
        seed: The seed of the items.
        answer: Asks items; usually `Prober.answer`.
        targets: Cells that are asked until they are settled, whatever else is searched.
        apart: Hashes of inputs that are never asked.
    """

    def __init__(
        self,
        lattice: Lattice,
        settings: SearchSettings,
        seed: int,
        answer: Callable[[list[tuple[int, Row]], dict[int, str]], dict[int, bool]],
        *,
        targets: Sequence[Cell] = (),
        apart: frozenset[bytes] = frozenset(),
    ) -> None:
        self.lattice = lattice
        self.search = Search(CellOrder.of(lattice), settings, targets)
        self.streams = Streams(lattice, self.search.order.cells, seed, apart)
        self.sizes: dict[int, Counter[int]] = {}
        self.undrawable: dict[int, str] = {}
        self.cut_short = False
        self.rounds = 0
        self._answer = answer

    def run(self, title: str) -> None:
        """Search until nothing is left to ask or the budget is spent."""
        search = self.search
        with Progress(title, search.settings.budget, unit="questions") as progress:
            while wanted := search.next_questions(proving_cells):
                asked = self._round(wanted)
                if not asked:
                    break
                self.rounds += 1
                claims = len(search.claims())
                progress.advance(asked, note=f"{search.phase}, {claims} claim{'s' if claims != 1 else ''}")

    def _round(self, wanted: dict[int, int]) -> int:
        items: list[tuple[int, Row]] = []
        cells: dict[int, str] = {}
        owner: dict[int, int] = {}
        for cell, count in wanted.items():
            for place, row in self._take(cell, count):
                items.append((place, row))
                cells[place] = str(self.search.order.cells[cell])
                owner[place] = cell
        answers = self._answer(items, cells)
        for place, row in items:
            if place in answers:
                cell = owner[place]
                self.search.observe(cell, answers[place])
                if (size := self.lattice.size_of(row.instance)) is not None:
                    self.sizes.setdefault(cell, Counter())[size] += 1
        return len(answers)

    def _take(self, cell: int, count: int) -> list[tuple[int, Row]]:
        """Items of a cell; one that the generator cannot draw is noted and left out of the search."""
        try:
            found = self.streams.take(cell, count)
        except UserError as error:
            self.undrawable[cell] = str(error)
            self.search.give_up(cell)
            return []
        if not found:
            self.undrawable[cell] = "the generator has no more different items"
            self.search.give_up(cell)
        return found

    def guessing(self, cell: int, *, look: bool) -> float | None:
        """The share that guessing gets right in a cell; None where too few items are known to tell.

        Args:
            cell: The cell, by number.
            look: Whether items are drawn, not asked, where too few were asked; else those of the same question do.
        """
        cells = self.search.order.cells
        rows = self.streams.drawn(cell)
        if look and len(rows) < _GUESSED:
            rows = self.streams.look(cells[cell], _GUESSED) or rows
        elif len(rows) < _GUESSED:
            alike = (other for other, each in enumerate(cells) if each.question == cells[cell].question)
            rows = [row for other in alike for row in self.streams.drawn(other)]
        return self.lattice.guessing(rows)

    def control(self, stream: Stream, count: int) -> Counts:
        """Answers to fresh items of a cell at a fixed size, or whose supports are young: does length alone decide?

        Where the budget does not reach, nothing is asked and `cut_short` says so.
        """
        if sum(self.streams.taken.values()) + count > self.search.settings.budget:
            self.cut_short = True
            return Counts()
        try:
            items = self.streams.take(self.streams.number(stream), count)
        except UserError:
            return Counts()
        answers = self._answer(items, {place: str(stream) for place, _ in items})
        right = sum(answers.values())
        return Counts(right, len(answers) - right)
