"""A cure teaches what is missing, finds the dose that heals it, and says what else changed."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from planted import FAMILY, failing, probed, suite
from taskloom.core import UserError, resolve
from taskloom.core.catalog import FAMILIES
from taskloom.core.cells import Cell
from taskloom.run.session import RunSettings
from taskloom.store.bundle import Bundle
from taskloom.studies.frontier import cure as module
from taskloom.studies.frontier.cure import CureSettings, cure_model, lesson, missing_cells
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings

PAIR = ("coref", "move")


@pytest.fixture(autouse=True)
def planted(monkeypatch, own_registries):
    FAMILIES.register("planted", FAMILY)
    monkeypatch.setenv("TASKLOOM_PROGRESS", "off")


@pytest.fixture
def sick(tmp_path):
    """A probe whose model fails one pair."""
    found, _ = probed(tmp_path / "pair", failing(PAIR))
    folder = tmp_path / "probe"
    probe_model(suite(), folder, RunSettings(model="mock/oracle"), SearchSettings(budget=20))
    found.save(folder)
    return folder, found


def test_lessons_hold_the_missing_cells_and_what_is_known(sick):
    _, found = sick
    cells = missing_cells(found, 8)
    assert cells == [Cell("where", PAIR), Cell("who", PAIR)]
    taught = lesson(suite(), found, cells, 4, 1.0)
    rows = list(taught.rows("train"))
    held = [row.instance.details["cell"] for row in rows]
    assert [held.count(str(cell)) for cell in cells] == [4, 4]
    assert len(rows) == 16
    assert all(not {"coref", "move"} <= set(Cell.parse(cell).atoms) for cell in held[8:])
    assert len({row.instance.id for row in rows}) == 16
    assert rows == list(lesson(suite(), found, cells, 4, 1.0).rows("train"))


def test_the_smallest_dose_that_heals_is_found_with_its_side_effects(sick, tmp_path):
    folder, _ = sick

    def ask(own, place, model, search, cells, seen):
        assert seen
        rate = failing(PAIR) if int(model) < 4 else failing(("drop", "negate"))
        return probed(place, rate, seed=int(model), targets=cells, phases=("quick",))[0]

    out = tmp_path / "cure"
    found = cure_model(
        folder, "mock/any", out, CureSettings(doses=(1, 4)), train=lambda taught, dose, place: str(dose), ask=ask
    )
    assert [found.healing_dose(cell) for cell in found.missing] == [4, 4]
    assert [row[-1] for row in found.table().rows] == [4, 4]
    last = found.outcomes[-1].comparison
    assert "who: drop+negate" in last.new
    assert "who: drop+negate" in found.side_effects().markdown()
    assert "who: coref+move" in found.figure().svg()
    assert msgspec.json.decode((out / module.FILE).read_bytes(), type=module.RemedyResult) == found
    assert Bundle(out / "dose-4" / "lesson").manifest.splits["train"].rows == 16


def test_nothing_to_teach_is_said(tmp_path):
    found, _ = probed(tmp_path, lambda cell, size: 0.97, budget=100)
    found.save(tmp_path)
    with pytest.raises(UserError, match="no combination to teach"):
        cure_model(tmp_path, "mock/any", tmp_path / "out")


@pytest.mark.parametrize("wrong", [{"doses": ()}, {"doses": (4, 2)}, {"rehearse": -1.0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UserError):
        resolve(CureSettings(), wrong, where="cure")


def test_a_lesson_goes_on_at_the_rate_that_the_model_was_trained_with(tmp_path, monkeypatch):
    used = []
    monkeypatch.setattr(module, "launch", lambda suite, folder, settings: used.append(settings.adapt_options))
    trained = {"name": "finetune", "learning_rate": 0.02, "batch": 8, "updates": 900, "split": "train"}
    monkeypatch.setattr(module, "load_plan", lambda folder: SimpleNamespace(adaptation=trained))
    for adapt, options in (("finetune", {}), ("finetune", {"learning_rate": 0.5}), ("lora", {})):
        module.lesson_trainer("run/before", adapt, options)(suite(), 1, tmp_path)
    rates = [options.get("learning_rate") for options in used]
    assert rates == [0.02, 0.5, None]
    assert "updates" not in used[0]
