"""All that a frontier says of planted models, probed, suggested and compared (see `tests/approved.py`)."""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec
import numpy as np

from approved import approved, plain
from planted import SmallLattice, failing, probed
from taskloom.core.cells import Cell, GuessingLevel
from taskloom.studies.frontier.claims import (
    Counts,
    interval,
    log_evidence,
    more_to_verdict,
    verdict,
    verdict_chance,
)  # fmt: skip
from taskloom.studies.frontier.compare import compare_frontiers
from taskloom.studies.frontier.pooling import Guess
from taskloom.studies.frontier.search import CellOrder
from taskloom.studies.frontier.static import CellTable, StaticSettings, standardised, study_cells

MODELS = {
    "sound": (lambda cell, size: 0.99, {"budget": 700}),
    "a pair": (failing(("coref", "move")), {}),
    "a pair and a triple": (
        failing(("give", "negate"), ("drop", "grab", "move"), bad=0.4),
        {"phases": ("quick",), "budget": 1_500},
    ),
    "a skill": (failing(("negate",), bad=0.0), {"budget": 700}),
    "what is long": (lambda cell, size: 0.98 if size < 5 else 0.1, {}),
    "between": (lambda cell, size: 0.72, {"budget": 600}),
    "guessing": (lambda cell, size: 0.1, {"budget": 300}),
    "targets": (failing(("coref", "move")), {"targets": [Cell("who", ("coref", "drop", "move"))]}),
}


def said_of(found):
    """Sentences, counts, claims and every cell."""
    yield from found.sentences()
    yield plain([found.counts(), getattr(found, "asked", None), getattr(found, "settings", None)])
    for name in ("claims", "unable", "patterns", "suspects"):
        yield from (f"{name}: {plain(one)}" for one in getattr(found, name, ()))
    for cell in found.cells[::5]:
        yield plain([cell.share.cell, cell.standing, cell.trained, *msgspec.structs.astuple(cell.share)[1:]])


def test_all_that_a_probe_says(tmp_path):
    said, frontiers = [], {}
    for name, (rate, settings) in MODELS.items():
        frontiers[name], _ = probed(tmp_path / name, rate, 3, **settings)
        said += [f"== {name}", *said_of(frontiers[name])]
        for cell in [cell for cell in frontiers[name].cells if cell.share.n and cell.share.top < 0.6][:1]:
            alone = {"cells": (cell,), "claims": (), "unable": (), "patterns": (), "suspects": ()}
            said += msgspec.structs.replace(frontiers[name], **alone).sentences()
    for one, two in (("sound", "a pair"), ("a pair", "sound"), ("a pair", "a skill")):
        change = compare_frontiers(frontiers[one], frontiers[two])
        said += [f"== from {one} to {two}", *change.sentences(), change.table().markdown(), plain(change)]
    approved(Path(__file__).with_name("probes.txt"), "\n".join(said) + "\n")


def test_all_that_a_finished_run_suggests():
    order, said = CellOrder.of(SmallLattice()), []
    for name, (rate, _) in MODELS.items():
        rng = Random(name)
        places = [place for place in range(len(order)) for _ in range(3)]
        sizes = [rng.choice((2, 4, 9)) for _ in places]
        n = [rng.randint(0, 12) for _ in places]
        right = [sum(rng.random() < rate(order.cells[p], s) for _ in range(k)) for p, s, k in
                 zip(places, sizes, n, strict=True)]  # fmt: skip
        columns = standardised(sizes)[:, None] if name == "what is long" else np.zeros((len(places), 0))
        table = CellTable(order, np.array(places), np.array(right, float), np.array(n, float), columns)
        guesses = {cell: GuessingLevel(0.1, 0.2) for cell in order.cells[::2]}
        found = study_cells(table, StaticSettings(), lambda cell: "coref" in cell.atoms, guesses)
        said += [f"== {name}", *said_of(found), plain(found.variances)]
    approved(Path(__file__).with_name("suggestions.txt"), "\n".join(said) + "\n")


def test_what_counts_prove():
    said = []
    for counts in (Counts(0, 0), Counts(0, 7), Counts(9, 1), Counts(30, 0), Counts(20, 20), Counts(57, 3)):
        said.append(plain([counts.n, counts.share if counts.n else None, counts.plus(True), counts.plus(False)]))
        for low, high, level in ((0.6, 0.9, 0.01), (0.5, 0.8, 0.05)):
            said.append(plain([
                counts, low, high, level, verdict(counts, low, high, level), more_to_verdict(counts, low, high, level),
                more_to_verdict(counts, low, high, level, 10), verdict_chance(counts, low, high, level, 40),
                log_evidence(counts, low), interval(counts, level),
            ]))  # fmt: skip
    cells = SmallLattice().cells
    tallies = [Counts(2 * ("coref" not in cell.atoms), 2 * ("coref" in cell.atoms)) for cell in cells]
    said.append(plain(Guess(cells).passing(tallies).tolist()))
    approved(Path(__file__).with_name("counts.txt"), "\n".join(said) + "\n")
