"""Probing a model: the search, asking real items, every answer in an ordinary run log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple, TypeAlias

from taskloom.ask import Meter, ask, make_request, spending_now
from taskloom.core import Progress, Row, UserError, digest, input_hash, row_hash
from taskloom.core.cells import Cell, GuessingLevel, Lattice
from taskloom.core.display import counted
from taskloom.core.encoding import Encoding
from taskloom.core.model import Output, Request
from taskloom.run.log import RunLog, read_records
from taskloom.run.record import Record, make_record
from taskloom.run.session import Session
from taskloom.studies.frontier.claims import Counts, Share, ShownItem
from taskloom.studies.frontier.search import CellOrder, Search, SearchSettings

_BITS = 20
_NAMED_BITS = 40
_LOOKED_AT = 150
"""Items drawn, not asked, to see how old the supports of a cell are: the few that a search asks would not tell."""
_MOST_DRAWN = 100
"""Items drawn at most for one that is wanted."""


def place_of(stream: int, item: int) -> int:
    """Where an item of a stream stands in the log: streams one after the other."""
    return stream << _BITS | item


def stream_of(place: int) -> tuple[int, int]:
    """The stream and the item at a place of the log."""
    return place >> _BITS, place & (1 << _BITS) - 1


class Stream(NamedTuple):
    """What a stream draws.

    Attributes:
        cell: The cell.
        size: The size that it holds fixed; None for the suite's own mixture, here and below.
        age: The greatest age of what an answer needs.
        since: The least.
        bound: The bound cell that its items must have.
        inside: Atoms; the bound cells of its items have no others.
    """

    cell: Cell
    size: int | None = None
    age: int | None = None
    since: int = 0
    bound: Cell | None = None
    inside: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = str(self.bound or self.cell)
        held = {"size": self.size, "age": self.age, "since": self.since or "", "inside": "+".join(self.inside)}
        for name, value in held.items():
            text += "" if value in (None, "") else f" @ {name} {value}"
        return text


class Streams:
    """Items of numbered streams. The first streams are the cells of a lattice; controls of size come after them.

    The number of a control follows from what it draws, not from when it was first asked for: a log stays readable when
    a search goes on with a larger budget and comes to its controls in another order. Controls have a seed of their own,
    so that they do not ask again what the search has asked.

    Args:
        lattice: Where items come from.
        cells: The cells, by number.
        seed: The seed of the streams.
        apart: Hashes of inputs that are left out, because the model was taught them.
    """

    def __init__(
        self, lattice: Lattice, cells: Sequence[Cell], seed: int, apart: frozenset[bytes] = frozenset()
    ) -> None:
        self._apart = apart
        self._lattice = lattice
        self._seed = seed
        self._control_seed = int.from_bytes(digest("control", seed)[:6], "big")
        self._places = {cell: number for number, cell in enumerate(cells)}
        self.streams = {number: Stream(cell) for number, cell in enumerate(cells)}
        self._rows: dict[int, list[Row]] = {}
        self._iterators: dict[int, Iterator[Row]] = {}
        self.taken: dict[int, int] = {}

    def number(self, stream: Stream) -> int:
        """The number of a stream."""
        if stream == Stream(stream.cell):
            return self._places[stream.cell]
        number = len(self._places) + int.from_bytes(digest("stream", str(stream))[: _NAMED_BITS // 8], "big")
        self.streams[number] = stream
        return number

    def drawn(self, number: int) -> list[Row]:
        """The items of a stream that were drawn so far."""
        return self._rows.get(number, [])

    def look(self, cell: Cell, count: int) -> list[Row]:
        """Items of a cell that are only looked at and never asked; fewer, or none, where the generator has no more."""
        rows: list[Row] = []
        with suppress(UserError):  # where it has run dry, what it gave will do
            rows.extend(islice(self._lattice.stream(cell, self._control_seed), count))
        return rows

    def ages(self, cell: Cell, bound: Cell | None = None) -> list[int]:
        """How old the supports of a cell's items are, youngest first; empty where items have no ages."""
        rows = self.look(cell, _LOOKED_AT)
        found = (self._lattice.age_of(row.instance) for row in rows if bound in (None, self._lattice.bound(row)))
        return sorted(age for age in found if age is not None)

    def apart_from_streams(self, name: str, count: int) -> int:
        """The first of so many places for single items that belong to no stream."""
        number = len(self._places) + int.from_bytes(digest("item", name)[: _NAMED_BITS // 8], "big")
        self.taken[number] = count
        return place_of(number, 0)

    def _wanted(self, row: Row, stream: Stream) -> bool:
        if self._apart and input_hash(row.instance.input) in self._apart:
            return False
        if stream.bound is not None or stream.inside:
            own = self._lattice.bound(row)
            if stream.bound not in (None, own) or (
                stream.inside and own is not None and not set(own.atoms) <= set(stream.inside)
            ):
                return False
        if stream.age is None and not stream.since:
            return True
        age = self._lattice.age_of(row.instance)
        return age is None or stream.since <= age <= (age if stream.age is None else stream.age)

    def take(self, number: int, count: int) -> list[tuple[int, Row]]:
        """The next items of a stream with their places; fewer where the stream ends.

        Raises:
            UserError: The generator cannot draw this cell.
        """
        start = self.taken.get(number, 0)
        rows = self._rows.setdefault(number, [])
        if number not in self._iterators:
            stream = self.streams[number]
            seed = self._seed if number < len(self._places) else self._control_seed
            self._iterators[number] = self._lattice.stream(stream.cell, seed, size=stream.size)
        drawn = 0
        while len(rows) < start + count and drawn < _MOST_DRAWN * count:
            row = next(self._iterators[number], None)
            if row is None:
                break
            drawn += 1
            if self._wanted(row, self.streams[number]):
                rows.append(row)
        found = rows[start : start + count]
        self.taken[number] = start + len(found)
        if self.taken[number] >= 1 << _BITS:
            raise UserError(f"more than {1 << _BITS:,} items of one cell", where=str(self.streams[number]))
        return [(place_of(number, start + offset), row) for offset, row in enumerate(found)]


_TRIES = 3
_SAID = 400
"""Characters of an answer that are kept to be shown."""
_ALIKE = 20
"""Items of one cell that count for this: some cells are asked much more than others."""
_GUESSED = 60
"""Items from which the share that guessing gets in a cell is told."""
Answers: TypeAlias = dict[int, bool | None]
"""Whether the item at each place was answered right; None where the answer could not be read."""


class AnswerTally:
    """Answers beside the search: right, wrong, and among the wrong those that could not be read."""

    def __init__(self) -> None:
        self.counts, self.unread = Counts(), 0

    def add(self, right: bool | None) -> None:
        """Take one answer in."""
        self.counts = self.counts.plus(bool(right))
        self.unread += right is None

    def share(self, name: str, level: float) -> Share:
        """What came out."""
        return Share.of(name, self.counts, self.unread, level)


class Prober:
    """Asks a model and keeps the log. Answers that the log holds are not asked again, so probing resumes by replay.

    Args:
        session: The model and everything that decides how it is asked.
        encoding: How questions are written.
        log: Where every answer goes.
        right: The score from which an answer counts as right.
        budget: How many questions will be asked at most, where that is known.
    """

    def __init__(
        self, session: Session, encoding: Encoding, log: RunLog, *, right: float = 1.0, budget: int | None = None
    ) -> None:
        self._session, self._encoding, self._log, self._right = session, encoding, log, right
        self._known: Answers = {}
        self.said: dict[int, str] = {}
        limits, self.meter = spending_now(), Meter(budget)
        if log.places:
            for record in read_records(log.folder):
                self._learn(record)
                if limits is not None:
                    limits.spent += record.tokens.get("cost") or 0.0
        self.replayed = 0

    def _learn(self, record: Record) -> None:
        if record.score is None:
            return
        self._known[record.index] = None if record.answer is None else record.score >= self._right
        self.said[record.index] = record.raw[:_SAID]

    def answer(self, items: list[tuple[int, Row]], cells: dict[int, str]) -> Answers:
        """Whether each item was answered right. Failed requests are tried again and then left out."""
        self._check_rows(items)
        waiting = [(place, row) for place, row in items if place not in self._known]
        self.replayed += len(items) - len(waiting)
        for _ in range(_TRIES):
            if not waiting:
                break
            self._ask(waiting, cells)
            waiting = [(place, row) for place, row in waiting if place not in self._known]
        return {place: self._known[place] for place, _ in items if place in self._known}

    def _check_rows(self, items: Iterable[tuple[int, Row]]) -> None:
        for place, row in items:
            if place in self._known and not self._log.places.same_row(place, row_hash(*row)):
                raise UserError(
                    f"the log and the generator have different items at {row.task}/{row.instance.id}",
                    where=str(self._log.folder),
                    hint="name another folder with -o",
                )

    def _ask(self, items: list[tuple[int, Row]], cells: dict[int, str]) -> None:
        rows, session = dict(items), self._session

        def requests() -> Iterable[tuple[int, Request]]:
            for place, row in items:
                yield place, make_request(session.suite.tasks[row.task], row, self._encoding, session.model)

        def keep(group: list[tuple[int, Request, Output]]) -> None:
            records: list[Record] = []
            for place, request, output in group:
                found = session.judge.assess(request, output)
                record = make_record(
                    request,
                    output,
                    found,
                    shown=session.model.render(request.prompt),
                    index=place,
                    row=row_hash(*rows[place]),
                    cell=cells[place],
                    **session.stamp,
                )
                records.append(record)
                self._learn(record)
            self._log.append(records)
            self.meter.add(output for _, _, output in group)

        ask(session.model, requests(), session.generation, keep)


class Probe:
    """A search over the cells of a lattice with real items.

    Args:
        lattice: The cells and their items.
        settings: Bounds, levels, budget.
        seed: The seed of the items.
        answer: Asks items; usually `Prober.answer`.
        targets: Cells that are asked until they are settled, whatever else is searched.
        apart: Hashes of inputs that are never asked.
        said: What the model said to the item at each place, where that is kept.
    """

    def __init__(
        self,
        lattice: Lattice,
        settings: SearchSettings,
        seed: int,
        answer: Callable[[list[tuple[int, Row]], dict[int, str]], Mapping[int, bool | None]],
        *,
        targets: Sequence[Cell] = (),
        apart: frozenset[bytes] = frozenset(),
        said: Mapping[int, str] | None = None,
    ) -> None:
        self.lattice = lattice
        self.said = {} if said is None else said
        self.search = Search(CellOrder.of(lattice), settings, targets)
        self.streams = Streams(lattice, self.search.order.cells, seed, apart)
        self.sizes: dict[int, Counter[int]] = {}
        self.aged: dict[int, list[tuple[int, bool]]] = {}
        self.undrawable: dict[int, str] = {}
        self.variants: dict[int, dict[Cell, AnswerTally]] = {}
        self.rounds = 0
        self.seed = seed
        self._guesses: dict[str, GuessingLevel | None] = {}
        self._answer = answer
        self._answered: dict[int, bool | None] = {}

    def run(self, title: str, watch: Callable[[Probe], None] = lambda probe: None) -> None:
        """Search until nothing is left to ask or the budget is spent; `watch` is called after every round."""
        search = self.search
        with Progress(title, search.settings.budget, unit="questions") as progress:
            while wanted := search.next_questions():
                asked = self._round(wanted)
                if not asked:
                    break
                self.rounds += 1
                claims = len(search.claims())
                progress.advance(asked, note=f"{search.phase}, {counted(claims, 'claim')}")
                watch(self)

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
        self._answered |= answers
        for place, row in items:
            if place in answers:
                cell = owner[place]
                self.search.observe(cell, answers[place])
                if (bound := self.lattice.bound(row)) is not None:
                    self.variants.setdefault(cell, {}).setdefault(bound, AnswerTally()).add(answers[place])
                    if len({self.search.screened(tally.counts) for tally in self.variants[cell].values()} - {None}) > 1:
                        self.search.divided.add(cell)
                if (size := self.lattice.size_of(row.instance)) is not None:
                    self.sizes.setdefault(cell, Counter())[size] += 1
                if (age := self.lattice.age_of(row.instance)) is not None:
                    self.aged.setdefault(cell, []).append((age, bool(answers[place])))
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

    def guessing(self, cell: int, *, look: bool) -> GuessingLevel | None:
        """What guessing gets right among questions like those of a cell; None where that cannot be told.

        Who guesses does not know the cell: the answers are those of all items of the same question.

        Args:
            cell: The cell, by number.
            look: Whether items are drawn, not asked, where too few are known.
        """
        cells = self.search.order.cells
        question = cells[cell].question
        if question not in self._guesses or (look and self._guesses[question] is None):
            alike = [other for other, each in enumerate(cells) if each.question == question]
            rows = [row for other in alike for row in self.streams.drawn(other)[:_ALIKE]]
            if look and len(rows) < _GUESSED:
                rows = [*rows, *self.streams.look(cells[cell], _GUESSED - len(rows))]
            self._guesses[question] = self.lattice.guessing(rows)
        return self._guesses[question]

    def more(self, cell: int, count: int) -> int:
        """Ask more of a cell: what is learned counts as if the search had asked it. The number that was answered."""
        return self._round({cell: count})

    def affords(self, count: int) -> bool:
        """Whether the budget reaches for so many more questions."""
        return sum(self.streams.taken.values()) + count <= self.search.settings.budget

    def ask(self, stream: Stream, count: int, tally: AnswerTally) -> int:
        """Ask fresh items of a stream beside the search; the number that was answered, 0 where there are none."""
        try:
            items = self.streams.take(self.streams.number(stream), count)
        except UserError:
            return 0
        answers = self._answer(items, {place: str(stream) for place, _ in items})
        for right in answers.values():
            tally.add(right)
        return len(answers)

    def show(self, rows: Sequence[tuple[str, Row]], name: str) -> list[ShownItem]:
        """Ask single items, and show them with the answers.

        Args:
            rows: The cell and the item of each.
            name: What their places in the log are keyed by.
        """
        first = self.streams.apart_from_streams(name, len(rows))
        items = [(first + offset, row) for offset, (_, row) in enumerate(rows)]
        answers = self._answer(items, {place: cell for (place, _), (cell, _) in zip(items, rows, strict=True)})
        return [
            self._shown(cell, place, row, answers.get(place))
            for (place, row), (cell, _) in zip(items, rows, strict=True)
        ]

    def asked_of(self, cell: int) -> list[ShownItem]:
        """The items of a cell that the search has asked."""
        name = str(self.search.order.cells[cell])
        placed = ((place_of(cell, number), row) for number, row in enumerate(self.streams.drawn(cell)))
        return [
            self._shown(name, place, row, self._answered[place]) for place, row in placed if place in self._answered
        ]

    def _shown(self, cell: str, place: int, row: Row, right: bool | None) -> ShownItem:
        instance = row.instance
        support = tuple(instance.details.get("support", ()))
        target, said = instance.targets.canonical(), self.said.get(place, "")
        return ShownItem(row.task, instance.id, cell, instance.input, support, target, said, right)
