"""Runs that answer by likelihood, record mass, and ask several times."""

from __future__ import annotations

import json
import math

import pytest

from taskloom.core import UserError, open_suite
from taskloom.core.model import open_model
from taskloom.run.log import read_records
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.samples import agreement, majority, pass_at, sample_estimates
from taskloom.run.session import RunSettings

SUITE = "seti/task2-trivial"


def run(folder, model="tiny/gpt-1m", **settings):
    suite = open_suite(SUITE, seed=1)
    launch(suite, folder, RunSettings(model=model, limit=5, generation=settings.pop("generation", {}), **settings))
    return list(read_records(folder))


@pytest.mark.train
def test_likelihood_and_mass_are_columns_of_the_record(tmp_path):
    pytest.importorskip("torch")
    records = run(tmp_path / "a", weights={"answer_by": "likelihood", "normalise": "token"})
    labels = set(open_suite(SUITE, seed=1).tasks[records[0].task].labels)
    for record in records:
        assert set(record.likelihood) == labels
        assert record.raw == max(record.likelihood, key=record.likelihood.__getitem__)
        assert 0 < record.mass["best"] <= record.mass["all"] < 1
        assert record.score in (0.0, 1.0)
    plan = json.loads((tmp_path / "a" / "run.json").read_bytes())
    assert plan["weights"] == {"answer_by": "likelihood", "normalise": "token"}
    with pytest.raises(UserError, match="another run"):
        run(tmp_path / "a", weights={"answer_by": "likelihood", "normalise": "byte"})
    model = open_model("tiny/gpt-1m")
    written = run(tmp_path / "b", weights={"mass": True}, generation={"max_tokens": 2})
    assert [record.mass["all"] for record in written] == pytest.approx([record.mass["all"] for record in records])
    assert all(not record.likelihood for record in written) and model.abilities


def test_what_cannot_be_weighed_is_refused_before_anything_is_asked(tmp_path):
    with pytest.raises(UserError, match="needs a model that can logprobs"):
        run(tmp_path / "a", model="mock/constant", weights={"answer_by": "likelihood"})
    with pytest.raises(UserError, match="answer_by"):
        run(tmp_path / "b", model="mock/constant", weights={"answer_by": "magic"})
    with pytest.raises(UserError, match="every sample would be the same"):
        run(tmp_path / "c", model="mock/random", samples=3)
    assert not (tmp_path / "a").exists() and not (tmp_path / "c").exists()


def test_samples_are_told_apart_resumed_and_summed_up(tmp_path):
    generation = {"temperature": 1.0}
    records = run(tmp_path / "a", model="mock/random", samples=4, generation=generation)
    assert sorted({record.sample for record in records}) == [0, 1, 2, 3]
    by_key = {}
    for record in records:
        by_key.setdefault(record.key, []).append(record)
    assert any(len({record.answer for record in group}) > 1 for group in by_key.values())
    loaded = load_run(tmp_path / "a")
    found = sample_estimates(loaded)
    assert set(found) == {"mean", "pass@1", "pass@4", "majority", "agreement"}
    assert all(estimate.n == len(by_key) for estimate in found.values())
    assert loaded.overall().estimate.n == len(by_key)
    assert found["pass@4"].value >= found["mean"].value
    assert found["mean"].value == pytest.approx(loaded.overall().estimate.value)
    assert set(write_results(loaded)["samples"]) == set(found)
    assert run(tmp_path / "a", model="mock/random", samples=4, generation=generation) == records
    assert sample_estimates(load_run(_one(tmp_path))) == {}


def _one(tmp_path):
    run(tmp_path / "one", model="mock/random")
    return tmp_path / "one"


def test_statistics_of_samples_by_hand(tmp_path):
    assert pass_at([1, 0, 0, 0], 1) == 0.25
    assert pass_at([1, 0, 0, 0], 2) == pytest.approx(0.5)
    assert pass_at([0, 0], 2) == 0.0 and pass_at([1, 1, 0], 2) == 1.0
    records = run(tmp_path / "a", model="mock/random", samples=3, generation={"temperature": 1.0})

    def made(*answers):
        import msgspec

        return [
            msgspec.structs.replace(
                records[0], strict=msgspec.structs.replace(records[0].strict, answer=answer, score=score)
            )
            for answer, score in answers
        ]

    assert majority(made(("a", 0.0), ("b", 1.0), ("b", 1.0))) == 1.0
    assert majority(made(("a", 0.0), ("b", 1.0))) == 0.0, "of equals the first counts"
    assert majority(made((None, 0.0))) == 0.0
    assert agreement(made(("a", 0.0), ("b", 1.0), ("b", 1.0))) == pytest.approx(1 / 3)
    assert agreement(made(("a", 0.0))) is None
    assert not math.isnan(pass_at([0.5], 1))
