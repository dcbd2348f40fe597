"""What a finished run suggests: pooled estimates that hold the truth, and few, right suggestions."""

from __future__ import annotations

import base64
import gzip
import json
import re
from random import Random
from urllib.parse import unquote

import msgspec
import numpy as np
import pytest

import taskloom
from planted import SmallLattice, failing
from taskloom import open_suite
from taskloom.core import UserError
from taskloom.core.catalog import lattice_of
from taskloom.report.build import build_report
from taskloom.studies.frontier import pooling
from taskloom.studies.frontier.search import CellOrder
from taskloom.studies.frontier.static import CellTable, StaticSettings, study_cells, study_run
from taskloom.views.table import SampleTable

ORDER = CellOrder.of(SmallLattice())


def answers(rate, seed=0, most=20):
    """A log with 0 to `most` answers in a cell, as splits have them."""
    rng = Random(seed)
    n = np.array([rng.randint(0, most) for _ in ORDER.cells], dtype=float)
    rates = [rate(cell, len(cell.atoms)) for cell in ORDER.cells]
    right = np.array([sum(rng.random() < p for _ in range(int(k))) for p, k in zip(rates, n, strict=True)], dtype=float)
    numbers = np.arange(len(ORDER))
    return rates, CellTable(ORDER, numbers, right, n, np.zeros((len(ORDER), 0)))


@pytest.mark.parametrize(
    "rate",
    [failing(("coref", "move")), failing(("drop", "give"), bad=0.5), lambda cell, size: 0.97 if size < 3 else 0.3],
)
def test_intervals_hold_the_truth(rate):
    held = []
    for seed in range(2):
        rates, table = answers(rate, seed)
        found = study_cells(table, StaticSettings())
        held += [c.share.low <= p <= c.share.high for c, p in zip(found.cells, rates, strict=True) if c.share.n]
    assert sum(held) / len(held) >= 0.93


def test_a_planted_pair_is_suggested_and_nothing_else():
    _, table = answers(failing(("coref", "move")), most=40)
    found = study_cells(table, StaticSettings())
    assert {claim.whole.cell for claim in found.claims} == {"where: coref+move", "who: coref+move"}
    claim = found.claims[0]
    assert not claim.proved
    assert claim.probability is not None
    assert claim.probability > 0.9
    assert claim.predicted is not None
    assert claim.predicted.at_least > 0.8
    assert "suggested with probability" in found.sentences()[0]
    assert {cell.standing for cell in found.cells if cell.share.n == 0} <= {"open"}


def test_nothing_is_suggested_where_nothing_fails():
    for seed in range(4):
        _, table = answers(lambda cell, size: 0.95, seed)
        assert study_cells(table, StaticSettings()).claims == ()


def test_answers_that_are_all_right_leave_width():
    _, table = answers(lambda cell, size: 1.0)
    found = study_cells(table, StaticSettings())
    assert all(cell.share.high - cell.share.low > 0.001 for cell in found.cells)


def test_a_fit_that_does_not_converge_is_refused(monkeypatch):
    monkeypatch.setattr(pooling, "FIT", pooling.FIT._replace(variance_steps=1))
    _, table = answers(failing(("coref", "move")))
    with pytest.raises(UserError, match="did not converge"):
        study_cells(table, StaticSettings())


def test_a_record_without_empty_facets_belongs_to_the_same_cell():
    suite = open_suite("seti/task1-trivial")
    lattice = lattice_of(suite)
    for split in ("train", "test"):
        for row in suite.rows(split, limit=20):
            kept = {key: value for key, value in row.instance.facets.items() if value is not None}
            record = msgspec.structs.replace(row.instance, facets=kept)
            task = suite.tasks[row.task]
            assert lattice.cell_of(task, record) == lattice.cell_of(task, row.instance)


def test_a_suggestion_shows_two_items_of_the_run_and_leads_to_its_samples(tmp_path):
    @taskloom.task(definition="Add the two numbers.", right=[("1 + 1", 2, "Two.")])
    def addition(rng):
        a, b = rng.randint(0, 99), rng.randint(0, 99)
        needs = {"carry"} if a % 10 + b % 10 > 9 else set()
        return f"{a} + {b}", a + b, needs | ({"three-digit"} if a + b > 99 else set())

    def without_carry_beyond_99(prompt: str) -> str:
        a, b = map(int, prompt.strip().splitlines()[-1].split(" + "))
        return "0" if a + b > 99 and a % 10 + b % 10 > 9 else str(a + b)

    suite = taskloom.Suite.of([addition], train=0, test=400)
    run = taskloom.run_suite(suite, model=without_carry_beyond_99, protocol="bare", folder=tmp_path / "run")
    found = study_run(run)
    assert [claim.cell for claim in found.claims] == ["addition: carry+three-digit"]
    (claim,) = found.claims
    assert claim.pair is not None and not claim.pair.minimal
    assert claim.pair.whole.right is False and claim.pair.whole.said == "0"
    assert claim.pair.without.right is True and claim.pair.without.said == claim.pair.without.target
    a, b = map(int, claim.pair.whole.input.split(" + "))
    assert a + b > 99 and a % 10 + b % 10 > 9
    claimed = [record.id for record in run.records if sum(map(int, record.prompt.splitlines()[-1].split(" + "))) > 99]
    table = SampleTable([("run", run)])
    assert "cell" in table.names_of_columns()
    column = table.column("cell")
    inside = [run.records[int(row)].id for row in (column.rows == column.labels.index((claim.cell,))).nonzero()[0]]
    assert 0 < len(inside) == claim.whole.n and set(inside) < set(claimed), "the table knows the cell of each record"
    build_report([run], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    links = {unquote(unquote(link)) for link in re.findall(r'href="#[^"]*-samples\?([^"]*)"', page)}
    assert f"s0-in=cell={claim.cell}" in links and not any("which=wrong" in link for link in links)
    packed = [gzip.decompress(base64.b64decode(block)) for block in re.findall(r">(H4sI[^<]+)<", page)]
    records = [record for block in packed for sample in json.loads(block) for record in sample if record]
    assert {record["id"] for record in records if record.get("cell") == claim.cell} == set(inside)
