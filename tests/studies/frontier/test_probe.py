"""The search finds what was planted, claims nothing else, and resumes by replay."""

from __future__ import annotations

import pytest

from planted import SimulatedModel, SmallLattice, failing, probed
from records import chain
from taskloom.core import UserError, resolve
from taskloom.core.cells import Cell
from taskloom.run.log import read_records
from taskloom.run.sealed import latest_seal
from taskloom.studies.frontier.claims import load_frontier
from taskloom.studies.frontier.probe import Probe
from taskloom.studies.frontier.run import frontier_of
from taskloom.studies.frontier.search import CellOrder, Search, SearchSettings, make_claims
from taskloom.studies.frontier.sentences import Bounds, say_claim


def wholes(found) -> set[str]:
    return {claim.whole.cell for claim in found.claims}


def test_a_planted_pair_is_found_with_its_parts(tmp_path):
    found, _ = probed(tmp_path, failing(("coref", "move")))
    assert wholes(found) == {"where: coref+move", "who: coref+move"}
    (claim, _) = found.claims
    assert {part.cell for part in claim.parts} == {f"{claim.whole.cell.split(':')[0]}: {a}" for a in ("coref", "move")}
    assert claim.proved
    assert claim.trained is None, "what a simulated model was fitted to is not known"
    assert claim.predicted is not None
    assert claim.predicted.at_least > 0.8
    assert [str(pattern.atoms) for pattern in found.patterns] == ["('coref', 'move')"]
    assert "falls to" in found.sentences()[0]
    promise = claim.predicted
    assert (
        f"the parts promise at least {promise.at_least:.2f}, {promise.independent:.2f} if their errors are "
        f"independent, at most {promise.at_most:.2f})"
    ) in found.sentences()[0]
    assert load_frontier(tmp_path) == found


def test_a_single_part_tells_where_else_the_addition_is_mastered():
    whole, part = Cell("where", ("compound", "move")), Cell("where", ("move",))
    other = Cell("who", ("compound", "grab"))
    order = CellOrder.by_inclusion([whole, part, other])
    for known, said in ((True, "when compound is added; masters who: compound+grab (1.00); "), (False, "")):
        search = Search(order, SearchSettings())
        for cell, right in ((part, True), (whole, False), *([(other, True)] if known else [])):
            for _ in range(60):
                search.observe(order.cells.index(cell), right)
        [claim] = make_claims(search)
        sentence = say_claim(claim, Bounds())
        assert said in sentence
        assert ("masters who" in sentence) == known


def test_nothing_is_claimed_of_a_compositional_model(tmp_path):
    for seed in range(5):
        found, _ = probed(tmp_path / str(seed), lambda cell, size: 0.97, seed)
        assert found.claims == ()
        assert found.unable == ()


def test_a_missing_skill_is_not_called_a_frontier(tmp_path):
    found, _ = probed(tmp_path, failing(("give",)))
    assert found.claims == ()
    assert {claim.cell for claim in found.unable} == {"where: give", "who: give"}
    assert not any("fitted" in text or "trained" in text for text in found.sentences())


def test_a_reader_of_short_items_is_blamed_on_length(tmp_path):
    found, _ = probed(tmp_path, lambda cell, size: 0.97 if size < 6 else 0.1)
    assert found.claims
    assert all(claim.long_supports for claim in found.claims)
    assert "long supports are to blame" in found.sentences()[0]
    assert all(control.excuses for claim in found.claims for control in claim.controls)


def test_probing_resumes_by_replay(tmp_path):
    class Mortal(SimulatedModel):
        def generate(self, requests, generation):
            if self.asked > 400:
                raise UserError("the server went away")
            return super().generate(requests, generation)

    rate = failing(("coref", "move"), ("drop", "negate"))
    whole, _ = probed(tmp_path / "whole", rate)
    with pytest.raises(UserError, match="went away"):
        probed(tmp_path / "broken", rate, model=Mortal(rate))
    again, model = probed(tmp_path / "broken", rate)
    assert again == whole
    assert model.asked < whole.asked
    logs = [chain(tmp_path / name) for name in ("whole", "broken")]
    assert logs[0] == logs[1]
    closing = latest_seal(tmp_path / "whole")
    assert closing is not None
    assert closing.records == whole.asked
    assert closing.cells["where: coref+move"] > 8


@pytest.mark.parametrize("budget", [1, 7, 150])
def test_the_budget_is_kept(tmp_path, budget):
    found, model = probed(tmp_path, failing(("coref", "move")), budget=budget)
    assert model.asked == found.asked <= budget
    assert found.counts()["open"] > 0


def test_controls_are_within_the_budget_and_their_absence_is_said(tmp_path):
    def rate(cell, size):
        return 0.97 if size < 6 else 0.1

    whole, _ = probed(tmp_path / "whole", rate)
    searched = sum(cell.share.n for cell in whole.cells)
    assert searched < whole.asked
    short, model = probed(tmp_path / "short", rate, budget=searched)
    assert model.asked == short.asked == searched
    assert all({control.missing for control in claim.controls} == {"budget"} for claim in short.claims)
    assert not any(claim.long_supports for claim in short.claims)
    assert "length was not controlled for" in short.sentences()[0]


def test_a_larger_budget_goes_on_in_the_same_folder(tmp_path):
    def rate(cell, size):
        return 0.97 if size < 6 else 0.1

    whole, _ = probed(tmp_path / "whole", rate)
    asked = 0
    for budget in (40, 300, whole.settings["budget"]):
        found, model = probed(tmp_path / "steps", rate, budget=budget)
        asked += model.asked
    assert found == whole
    assert asked < 1.5 * whole.asked


def test_controls_ask_nothing_that_was_asked_before(tmp_path):
    found, _ = probed(tmp_path, lambda cell, size: 0.97 if size < 6 else 0.1)
    inputs = [record.prompt for record in read_records(tmp_path)]
    assert found.asked == len(inputs) == len(set(inputs))


@pytest.mark.parametrize("wrong", [{"low": 0.9, "high": 0.8}, {"alpha": 0.0}, {"phases": ("exact",)}, {"cap": 0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UserError):
        resolve(SearchSettings(), wrong, where="probe")


def test_answers_that_could_not_be_read_are_no_failure():
    """They count as wrong, and a claim must hold as well if they were right."""

    def answer(items, cells):
        return {place: None if {"coref", "move"} <= set(Cell.parse(cells[place]).atoms) else True for place, _ in items}

    for unread, said in ((True, "could not be read, so that it fails is not proved"), (False, "falls to")):
        probe = Probe(
            SmallLattice(),
            SearchSettings(),
            0,
            lambda items, cells, unread=unread: {
                place: right if unread else bool(right) for place, right in answer(items, cells).items()
            },
        )
        probe.run("unread")
        found = frontier_of(probe, suite="planted/world", model="m")
        assert any(said in text for text in found.sentences())
        assert any("falls to" in text for text in found.sentences()) != unread
        assert bool(found.patterns) != unread
