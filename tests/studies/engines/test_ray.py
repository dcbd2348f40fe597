"""A real Ray cluster on this machine, with a worker killed in the middle of its job."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import msgspec
import pytest

from taskloom.core import UserError
from taskloom.run.session import RunSettings
from taskloom.studies.sweep import Job, read_finished, sweep

TRAIN = {
    "shots": 8,
    "epochs": 12,
    "batch": 8,
    "evaluate_epochs": 3,
    "max_output": 3,
    "evaluate_limit": 4,
    "stop_when_perfect": False,
}


@pytest.mark.slow
@pytest.mark.train
def test_a_cluster_survives_a_killed_worker(bundle, tmp_path, killer, monkeypatch):
    pytest.importorskip("ray")
    pytest.importorskip("torch")
    from taskloom.studies.sweep import RayEngine

    if " " in sys.prefix:
        pytest.skip("Ray cannot start workers from a path that contains spaces")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_worker_niceness", "0")  # Ray's workers give way to everybody else, for minutes if need be
    run = RunSettings(
        model="tiny/t5-1m", model_options={"tokenizer": "words"}, adapt="finetune", adapt_options=TRAIN, cache=False
    )
    long = Job(suite=str(bundle), run=run)
    quick = [
        Job(suite=str(bundle), run=RunSettings(model=f"mock/{name}", cache=False)) for name in ("oracle", "majority")
    ]
    mistaken = Job(suite=str(bundle), run=RunSettings(model="mock/oracle", adapt="finetune", cache=False))
    curve = tmp_path / "jobs" / long.id / "adaptation" / "curve.jsonl"
    thread = killer(tmp_path / "jobs" / long.id)
    engine = RayEngine(workers=1)
    finished = sweep([long, *quick, mistaken], tmp_path, engine, retries=1)
    thread.join()
    assert (finished[long.id].state, finished[long.id].attempts) == ("done", 2), finished[long.id].error
    assert int(finished[long.id].worker.rpartition(":")[2]) not in (thread.killed, os.getpid())
    updates = [msgspec.json.decode(line)["update"] for line in curve.read_bytes().splitlines()]
    assert updates == sorted(set(updates))
    assert [finished[job.id].state for job in quick] == ["done", "done"]
    assert (finished[mistaken.id].state, finished[mistaken.id].attempts) == ("failed", 1)
    assert read_finished(tmp_path) == finished
    second = Job(suite=str(bundle), run=RunSettings(model="mock/random", cache=False))
    found = sweep([second], tmp_path, engine)
    assert found[second.id].state == "done", "a study hands out jobs in several waves"


@pytest.mark.proof
@pytest.mark.train
def test_a_killed_driver_leaves_no_traceback_and_continues(bundle, tmp_path):
    """The command line, killed with -9 while its long job trains; the same command again does the rest."""
    pytest.importorskip("ray")
    pytest.importorskip("torch")
    if " " in sys.prefix:
        pytest.skip("Ray cannot start workers from a path that contains spaces")
    options = [
        part
        for key, value in {**TRAIN, "epochs": 40, "checkpoint_minutes": 0.01}.items()
        for part in ("-A", f"{key}={msgspec.json.encode(value).decode()}")
    ]
    command = [sys.executable, "-m", "taskloom", "sweep", str(bundle), "--engine", "ray", "--jobs", "1"]
    command += [
        "--model",
        "tiny/t5-1m",
        "-M",
        "tokenizer=words",
        "--adapt",
        "finetune",
        *options,
        "-G",
        "run_seed=[0,1]",
    ]
    command += ["-o", str(tmp_path)]
    environment = {**os.environ, "RAY_worker_niceness": "0"}
    driver = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    curves: list[int] = []
    while driver.poll() is None and not any(count >= 3 for count in curves):
        time.sleep(0.05)
        curves = [path.read_bytes().count(b"\n") for path in tmp_path.glob("jobs/*/adaptation/curve.jsonl")]
    driver.send_signal(signal.SIGKILL)
    _, printed = driver.communicate(timeout=120)
    assert driver.returncode == -signal.SIGKILL, printed
    assert "Traceback" not in printed
    assert not any(finished.state == "done" for finished in read_finished(tmp_path).values())
    again = subprocess.run(command, capture_output=True, text=True, timeout=500, env=environment, check=False)
    assert again.returncode == 0, again.stderr
    assert "Traceback" not in again.stderr
    assert [finished.state for finished in read_finished(tmp_path).values()] == ["done", "done"]
    for curve in tmp_path.glob("jobs/*/adaptation/curve.jsonl"):
        updates = [msgspec.json.decode(line)["update"] for line in curve.read_bytes().splitlines()]
        assert updates == sorted(set(updates))
        assert updates[-1] == 40 * 2


def test_a_worker_without_this_disk_sends_logs_back(bundle, tmp_path):
    from taskloom.studies.sweep import FinishedJob, work_on_job

    job = Job(suite=str(bundle), run=RunSettings(model="mock/oracle", cache=False), folder=str(tmp_path / "unseen"))
    done = work_on_job(msgspec.json.encode(job), shared=False)
    report, files = msgspec.msgpack.decode(done, type=tuple[FinishedJob, dict[str, bytes]])
    assert report.error == ""
    assert report.results["overall"]["value"] == 1.0
    assert {"run.json", "tasks.jsonl", "manifest-000001.json", "results.json"} <= set(files)
    assert not (tmp_path / "unseen").exists()


def test_relative_paths_are_meant_from_where_the_sweep_was_started(bundle, tmp_path, monkeypatch):
    from taskloom.studies.sweep import FinishedJob, work_on_job

    monkeypatch.chdir(tmp_path)  # where the cluster was started, and with it its workers
    job = Job(suite=bundle.name, run=RunSettings(model="mock/oracle", cache=False), home=str(bundle.parent))
    assert job.id == msgspec.structs.replace(job, home="/elsewhere").id
    done = work_on_job(msgspec.json.encode(job), shared=False)
    assert msgspec.msgpack.decode(done, type=tuple[FinishedJob, dict[str, bytes]])[0].error == ""


def test_a_cluster_that_is_not_there():
    pytest.importorskip("ray")
    from taskloom.studies.sweep import RayEngine

    with pytest.raises(UserError, match="no Ray cluster answers"):
        RayEngine("127.0.0.1:1")


def test_a_path_with_blanks_is_refused_instead_of_waiting_for_ever(monkeypatch):
    pytest.importorskip("ray")
    from taskloom.studies.sweep import RayEngine

    monkeypatch.setattr(sys, "executable", "/a folder/bin/python")
    with pytest.raises(UserError, match="path that contains spaces"):
        RayEngine(workers=1)
