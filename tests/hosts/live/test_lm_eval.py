"""lm-evaluation-harness runs exported tasks of every family, and its scores are ours."""

from __future__ import annotations

import time

import pytest

from hosts.live.shared import COUNT, SUITES, opened, run_blocks, said
from taskloom.hosts.imports import import_log
from taskloom.hosts.lm_eval import load, write_lm_eval


def evaluate(folder, names, model):
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Known(LM):
        def generate_until(self, requests, **more):
            return [said(model, request.arguments[0], request.doc["answer"]) for request in requests]

        def loglikelihood(self, requests, **more):
            best = [said(model, r.arguments[0], r.doc["answer"]) == r.arguments[1].strip() for r in requests]
            return [(0.0 if one else -1.0, one) for one in best]

        def loglikelihood_rolling(self, requests, **more):
            raise NotImplementedError

    manager = TaskManager(include_path=str(folder), include_defaults=False)
    return lm_eval.simple_evaluate(model=Known(), tasks=names, task_manager=manager, bootstrap_iters=0)


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("model", ["oracle", "half"])
def test_scores_are_ours(name, model, ours, tmp_path):
    names = write_lm_eval(opened(name), tmp_path / "tasks", limit=COUNT)
    found = evaluate(tmp_path / "tasks", names[:1], model)
    theirs = {
        (sample["doc"]["task"], sample["doc"]["id"]): sample["score"]
        for samples in found["samples"].values()
        for sample in samples
    }
    assert theirs == ours(name, model)


def test_choices_are_ours(tmp_path):
    suite = opened("seti/task2-trivial")
    names = write_lm_eval(suite, tmp_path / "tasks", form="choice", limit=COUNT)
    found = evaluate(tmp_path / "tasks", names, "oracle")
    (samples,) = found["samples"].values()
    assert len(samples) == COUNT and all(sample["acc"] == 1.0 for sample in samples)


def test_loading_is_complete_and_its_cost_is_printed(tmp_path):
    from lm_eval.tasks import TaskManager

    spent = {}
    for name in SUITES:
        folder = tmp_path / name.replace("/", "-")
        names = write_lm_eval(opened(name), folder, limit=COUNT)
        started = time.process_time()
        TaskManager(include_path=str(folder), include_defaults=False)
        rows = load(suite=name, seed=3, options=SUITES[name], n=COUNT)
        spent[name] = time.process_time() - started
        assert names and len(rows["test"]) == COUNT
    print("seconds to index and load each exported suite:", {name: round(value, 3) for name, value in spent.items()})


def test_the_page(tmp_path):
    (shown,) = run_blocks("lm-eval", tmp_path)
    assert "30 outputs matched, 0 match no row" in shown


def test_logs_come_back(tmp_path):
    run_blocks("lm-eval", tmp_path)
    found = import_log("lm-eval", tmp_path / "out", tmp_path / "again")
    assert found.run.plan.data_seed == 3 and found.matched == 30
    # The harness's dummy model says the same to everything.
    assert {record.raw for record in found.run.records} == {"lol"}
