"""What a probe says of readers that lack one thing, and of models that lack nothing in particular.

    python -m benchmarks.frontier_readers                     eight readers, 20 seeds each
    python -m benchmarks.frontier_readers --flat 200          models that are equally good everywhere

A reader answers real items of a family. What it lacks is a matter of meaning (pronouns in one event, one question, the
last twelve sentences, one verb class, one operator inside another), which its items show, not of a cell. It is right
98 % of the time where it lacks nothing, else 5 %. A flat model has one share of right answers everywhere, between 0.5
and 0.95: of it no fall, no missing skill and no blame may be said. An independent judge (`frontier_judge`) works every
interval out anew from the answers and reads every sentence for what it asserts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from statistics import mean
from typing import Any, NamedTuple

from benchmarks.frontier import KeptLattice
from benchmarks.frontier_judge import AnswerBook, faults
from taskloom import open_suite
from taskloom.core import Row
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell, Lattice
from taskloom.core.study import Table
from taskloom.score.stats import wilson
from taskloom.studies.frontier.claims import Claim, Frontier
from taskloom.studies.frontier.probe import Probe
from taskloom.studies.frontier.run import frontier_of
from taskloom.studies.frontier.search import SearchSettings

__all__ = ["FLAT", "READERS", "Reader", "false_words", "flat_probe", "probe_reader", "said_of"]

_KNOWS, _LACKS = 0.98, 0.05
STORIES = {
    "length": [20, 20], "support": [1, 6], "events": ["move", "grab", "drop"], "constructs": ["coref", "conj"],
    "questions": ["where-person", "where-object"],
}  # fmt: skip


class SomeCells(KeptLattice):
    """Part of a large lattice: the cells that a test keeps, in their own order."""

    def __init__(self, lattice: Lattice, kept: Callable[[Cell], bool]) -> None:
        super().__init__(lattice)
        self._kept = tuple(cell for cell in lattice.cells if kept(cell))

    @property
    def cells(self) -> Sequence[Cell]:  # type: ignore[override]
        return self._kept


@cache
def stories() -> Lattice:
    """A small world of stories."""
    return KeptLattice(lattice_of(open_suite("babi/custom", options=STORIES)))


@cache
def inferences() -> Lattice:
    """Lexical inferences under verbs."""
    return KeptLattice(lattice_of(open_suite("seti/task1-trivial")))


@cache
def functions() -> Lattice:
    """Functions of words that use three relations, alone, joined and mapped."""
    known = {"synonyms[eng]", "hyponyms[eng]", "antonyms[eng]", "entailments[eng]"}
    return SomeCells(lattice_of(open_suite("taskbench/500")), lambda cell: set(cell.atoms) <= known)


@cache
def passages() -> Lattice:
    """Questions about ships and rulers."""
    return SomeCells(lattice_of(open_suite("zest/fictional")), lambda cell: cell.question in ("ships", "rulers"))


class Reader(NamedTuple):
    """A reader with one thing missing.

    Attributes:
        name: What it lacks.
        lattice: What it reads.
        lacks: Whether an item needs what it lacks.
        named: Whether a claim names it.
        excused: Whether length is to be blamed.
    """

    name: str
    lattice: Callable[[], Lattice]
    lacks: Callable[[Cell, Row], bool]
    named: Callable[[Claim], bool]
    excused: bool = False


def _bound(row: Row) -> Sequence[str]:
    found: Sequence[str] = row.instance.details.get("bound", ())
    return found


def _atoms(claim: Claim) -> tuple[str, ...]:
    return Cell.parse(claim.whole.cell).atoms


def _holds(*names: str) -> Callable[[Claim], bool]:
    return lambda claim: set(names) <= set(_atoms(claim))


def _inference(row: Row, relation: str, position: str, veridical: bool) -> bool:
    facets = row.instance.facets
    asked = (facets.get("relation"), facets.get("position"), facets.get("veridical"))
    return facets.get("kind") == "composition" and asked == (relation, position, veridical)


READERS = (
    Reader("pronouns of who grabs", stories, lambda cell, row: "coref(grab)" in _bound(row), _holds("coref(grab)")),
    Reader(
        "pronouns, asked for objects",
        stories,
        lambda cell, row: cell.question == "where-object" and any("coref" in atom for atom in _bound(row)),
        lambda claim: claim.cell.startswith("where-object") and "coref" in claim.cell,
    ),
    Reader(
        "all but the last 12 sentences",
        stories,
        lambda cell, row: int(str(row.instance.facets["support_age"])) > 12,
        lambda claim: claim.long_supports,
        excused=True,
    ),
    Reader(
        "two people at once, asked for persons",
        stories,
        lambda cell, row: cell.question == "where-person" and "conj" in _bound(row),
        lambda claim: claim.cell.startswith("where-person") and "conj" in claim.cell,
    ),
    Reader(
        "hypernyms of subjects under non-veridical verbs",
        inferences,
        lambda cell, row: _inference(row, "hypernym", "subject", False),
        _holds("lexical/hypernym(subject)", "non-veridical-verb"),
    ),
    Reader(
        "co-hyponyms of objects under veridical verbs",
        inferences,
        lambda cell, row: _inference(row, "co-hyponym", "object", True),
        _holds("lexical/co-hyponym(object)", "veridical-verb"),
    ),
    Reader(
        "unions inside maps",
        functions,
        lambda cell, row: cell.question.startswith("map{union"),
        lambda claim: claim.cell.startswith("map{union"),
    ),
    Reader(
        "'and' in questions about ships",
        passages,
        lambda cell, row: cell.question == "ships" and "and" in cell.atoms,
        lambda claim: claim.cell.startswith("ships") and "and" in _atoms(claim),
    ),
)


def probe_reader(reader: Reader, seed: int, budget: int = 20_000) -> Frontier:
    """Probe a reader."""

    def right(cell: Cell, row: Row) -> float:
        return _LACKS if reader.lacks(cell, row) else _KNOWS

    return _probe(reader.lattice(), right, f"{reader.name} {seed}", budget)


def _probe(
    lattice: Lattice, rate: Callable[[Cell, Row], float], name: str, budget: int, book: AnswerBook | None = None
) -> Frontier:
    def answer(items: list[tuple[int, Row]], cells: dict[int, str]) -> dict[int, bool]:
        found = {}
        for place, row in items:
            named = Cell.parse(cells[place].partition(" @ ")[0])
            cell = Cell(named.question, tuple(sorted({atom.partition("(")[0] for atom in named.atoms})))
            found[place] = Random(f"{name} {place} {row.instance.id}").random() < rate(cell, row)
            if book is not None:
                book.note(place, cells[place], row, found[place])
        return found

    probe = Probe(lattice, SearchSettings(budget=budget), 0, answer)
    probe.run(name)
    return frontier_of(probe, suite="planted", model=name)


class Said(NamedTuple):
    """What a probe said of a reader: whether it named what is missing, and what it got wrong."""

    named: bool
    wrong: int
    excuses: int
    claims: int
    minimal: int
    asked: int


def said_of(reader: Reader, found: Frontier) -> Said:
    """A frontier against what the reader lacks. An excuse is false where it is not length that the reader lacks."""
    every = (*found.claims, *found.unable)
    excused = [claim for claim in every if claim.long_supports]
    blamed = [claim for claim in every if not claim.long_supports]
    right = [claim for claim in (every if reader.excused else blamed) if reader.named(claim)]
    wrong = [claim for claim in blamed if not reader.named(claim)]
    minimal = sum(claim.pair is not None and claim.pair.minimal for claim in found.claims)
    false = 0 if reader.excused else len(excused)
    return Said(bool(right) and not wrong, len(wrong), false, len(found.claims), minimal, found.asked)


FLAT = {"babi": stories, "seti": inferences, "taskbench": functions}
_NEVER = ("falls to", "is lower than", "at all", "to blame", "it is ")


def flat_probe(family: str, share: float, seed: int, budget: int = 1_500) -> tuple[Frontier, AnswerBook]:
    """Probe a model that is right with the same share everywhere; what was said, and every answer."""
    lattice = FLAT[family]()
    book = AnswerBook(lattice)
    return _probe(lattice, lambda cell, row: share, f"flat {share} {seed}", budget, book), book


def false_words(found: Frontier, share: float) -> list[str]:
    """The sentences about a flat model that are false, whatever their intervals show."""
    low, high = found.settings["low"], found.settings["high"]
    wrong = [text for text in found.sentences() if any(words in text for words in _NEVER)]
    wrong += [text for text in found.sentences() if ("below 85%" in text or "Below 85%" in text) and share >= high]
    return wrong + [text for text in found.sentences() if "its part" in text and share <= low]


def _readers(seeds: int) -> Table:
    rows = []
    for reader in READERS:
        every = [said_of(reader, probe_reader(reader, seed)) for seed in range(seeds)]
        claims = sum(each.claims for each in every)
        pairs = f"{sum(each.minimal for each in every)} of {claims}"
        rows.append(
            (
                reader.name, sum(each.named for each in every), sum(each.wrong for each in every),
                sum(each.excuses for each in every), claims, pairs, round(mean(each.asked for each in every)),
            )
        )  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    columns = ("lacks", f"named, of {seeds}", "wrong claims", "false excuses", "claims", "minimal pairs", "questions")
    return Table("readers that lack one thing", columns, tuple(rows))


def _flat(probes: int) -> Table:
    rows: list[Any] = []
    for number, family in enumerate(FLAT):
        count = probes // len(FLAT) + (number < probes % len(FLAT))
        rng = Random(number)
        false = unproved = sentences = 0
        for seed in range(count):
            share = round(rng.uniform(0.5, 0.95), 2)
            found, book = flat_probe(family, share, seed)
            wrong, faulted = false_words(found, share), faults(found, book)
            false += bool(wrong)
            unproved += len(faulted)
            sentences += len(found.sentences())
            for text in (*wrong, *faulted):
                print(family, share, text, file=sys.stderr, flush=True)
        rows.append((family, count, sentences, unproved, false, wilson(false, count)[1]))
        print(rows[-1], file=sys.stderr, flush=True)
    totals = [sum(row[place] for row in rows) for place in range(1, 5)]
    rows.append(("all", *totals, wilson(totals[3], probes)[1]))
    columns = (
        "family",
        "probes",
        "sentences",
        "not entailed",
        "probes with a false claim",
        "upper bound of that share",
    )
    return Table("flat models", columns, tuple(rows))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20, help="seeds of each reader")
    parser.add_argument("--flat", type=int, default=0, help="probe so many flat models instead")
    args = parser.parse_args()
    print((_flat(args.flat) if args.flat else _readers(args.seeds)).markdown(3))


if __name__ == "__main__":
    main()
