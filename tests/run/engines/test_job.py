"""A job in this process: what its report says, whatever becomes of it."""

from __future__ import annotations

import os
import socket

from taskloom.run.engines.job import Job, JobReport, carry_out, estimate_cost
from taskloom.run.runner import RunSettings

ME = f"{socket.gethostname()}:{os.getpid()}"


def test_a_job_that_is_done(bundle, tmp_path):
    report = carry_out(Job(suite=str(bundle), folder=str(tmp_path / "done"), run=RunSettings(model="mock/oracle")))
    assert (report.error, report.mistake, report.worker) == ("", False, ME)
    assert report.results["overall"]["value"] == 1.0
    assert 0 < report.wall < 120 and round(report.wall, 3) == report.wall


def test_a_users_mistake_is_told_from_an_accident(bundle, tmp_path, monkeypatch):
    report = carry_out(Job(suite="babi/nope", folder=str(tmp_path / "a"), run=RunSettings(model="mock/oracle")))
    assert report.mistake and "nope" in report.error and report.worker == ME and 0 <= report.wall < 120

    def fail(*given, **more):
        raise RuntimeError("the disk fell over")

    monkeypatch.setattr("taskloom.run.engines.job.launch", fail)
    report = carry_out(Job(suite=str(bundle), folder=str(tmp_path / "b"), run=RunSettings(model="mock/oracle")))
    assert (report.mistake, report.error) == (False, "RuntimeError: the disk fell over") and 0 <= report.wall < 120
    assert JobReport() == JobReport(results={}, error="", mistake=False, worker="", wall=0.0, files={})


def test_what_a_job_costs(bundle):
    def cost(model="mock/oracle", adapt="none", **options):
        return estimate_cost(Job(suite=str(bundle), run=RunSettings(model=model, adapt=adapt, adapt_options=options)))

    assert cost() == 1.0
    assert cost("hf/x-7b") == 7000.0 and cost("tiny/t5-1m") == 1.0 and cost("hf/a-1b-to-3m") == 1000.0
    assert cost(adapt="finetune", epochs=3, shots=10) == 30.0
    assert cost(adapt="finetune", epochs=3, shots=1000) == 240.0, "no more than there is"
    assert cost(adapt="finetune", epochs=3, shots=1000, updates=5, batch=4) == 20.0
