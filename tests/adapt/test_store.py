"""What was trained once is not trained again; the store is bounded and lets go of nothing that others need."""

from __future__ import annotations

import os
import threading

import pytest
from msgspec.structs import replace

from taskloom.adapt import make_adaptation, store
from taskloom.adapt.lane import read_result

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")
SHORT = {"updates": 2, "batch": 4, "evaluate_updates": 2, "evaluate_limit": 4, "max_output": 4}


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_ADAPTATIONS", str(tmp_path / "store"))


@pytest.fixture
def steps(monkeypatch):
    """How many updates were made."""
    from taskloom.adapt.loop import Loop

    made, step = [], Loop.step

    def counted(self):
        made.append(1)
        step(self)

    monkeypatch.setattr(Loop, "step", counted)
    return made


def adapt(pairs, small_model, plain, folder, kind="finetune", seed=0, tasks=1, **options):
    suite = pairs(train=8, dev=4, tasks=tasks)
    adaptation = make_adaptation(kind, {**SHORT, **options})
    return adaptation.adapt(small_model("t5", suite), suite, plain, folder, seed=seed)


def test_the_same_training_is_done_once(pairs, small_model, plain, tmp_path, steps):
    first = adapt(pairs, small_model, plain, tmp_path / "a")
    assert len(steps) == 2
    second = adapt(pairs, small_model, plain, tmp_path / "b")
    assert len(steps) == 2
    assert first.identity == second.identity
    one, two = (tmp_path / name / "weights.safetensors" for name in "ab")
    assert one.read_bytes() == two.read_bytes()
    assert one.stat().st_ino == two.stat().st_ino, "runs and store share the bytes"
    # How the work is done changes nothing of it; everything else is another training.
    adapt(pairs, small_model, plain, tmp_path / "c", checkpoint_minutes=3.0)
    assert len(steps) == 2
    for number, more in enumerate(({"seed": 1}, {"learning_rate": 0.5}, {"keep": "last"}, {"shots": 5}, {"draw": 1})):
        adapt(pairs, small_model, plain, tmp_path / f"d{number}", **more)
        assert len(steps) == 2 * (number + 2), more


def test_lanes_and_interrupted_work(pairs, small_model, plain, tmp_path, steps):
    options = {"kind": "prompt-tune", "tokens": 2, "per_task": True, "tasks": 2}
    adapt(pairs, small_model, plain, tmp_path / "a", **options)
    done = len(steps)
    adapt(pairs, small_model, plain, tmp_path / "b", **options)
    assert len(steps) == done
    assert len(list((tmp_path / "b" / "lanes").iterdir())) == 2
    # A store without the last file holds half an adaptation, which is none.
    [entry] = store.entries()
    (store.store_folder() / entry.key / store.MODEL).unlink()
    assert store.entries() == []
    adapt(pairs, small_model, plain, tmp_path / "c", **options)
    assert len(steps) == 2 * done


def test_the_second_of_two_waits_for_the_first(pairs, small_model, plain, tmp_path, steps):
    """Two at the same moment: one trains, the other takes it."""
    suite, barrier, threads = pairs(train=8, dev=4), threading.Barrier(2), []
    models = {name: small_model("t5", suite) for name in "ab"}

    def work(name):
        barrier.wait()
        make_adaptation("finetune", SHORT).adapt(models[name], suite, plain, tmp_path / name, seed=0)

    for name in "ab":
        threads.append(threading.Thread(target=work, args=(name,)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(steps) == 2
    assert read_result(tmp_path / "a") is not None and read_result(tmp_path / "b") is not None


def test_prune_keeps_the_newest_and_what_is_not_ours(pairs, small_model, plain, tmp_path, steps):
    for seed in range(3):
        adapt(pairs, small_model, plain, tmp_path / str(seed), seed=seed)
    known = store.entries()
    assert [(entry.model, entry.adaptation, entry.suite) for entry in known] == [
        ("hf/small-t5", "finetune", "toy/pairs")
    ] * 3
    for age, entry in enumerate(known):
        os.utime(store.store_folder() / entry.key / store.MODEL, (age, age))
    foreign = store.store_folder() / known[0].key / "notes.txt"
    foreign.write_text("mine")
    removed = store.prune(known[-1].size)
    assert [entry.key for entry in removed] == [entry.key for entry in known[:2]]
    assert [entry.key for entry in store.entries()] == [known[2].key]
    assert foreign.read_text() == "mine"
    assert not (store.store_folder() / known[1].key).exists()
    # The runs keep what they have.
    assert all((tmp_path / str(seed) / "weights.safetensors").is_file() for seed in range(3))


def test_a_store_that_cannot_be_written_costs_only_the_sharing(
    pairs, small_model, plain, tmp_path, steps, monkeypatch, caplog
):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("TASKLOOM_ADAPTATIONS", str(blocked))
    adapt(pairs, small_model, plain, tmp_path / "a")
    assert read_result(tmp_path / "a").state == "finished"
    assert "cannot be shared" in caplog.text


def test_run_sweep_and_study_train_the_same_once(tmp_path, steps):
    """Each asks other rows, so none of them finds its records in another's run: only the training is shared."""
    from taskloom.cli.main import main
    from taskloom.run.session import RunSettings
    from taskloom.studies.grid import Arm, InProcess, RunStore
    from taskloom.studies.sweep import Job, sweep

    sizes = {"train": 16, "dev": 4, "test": 8}
    options = [part for key, value in sizes.items() for part in ("-T", f"{key}={value}")]
    options += [part for key, value in SHORT.items() for part in ("-A", f"{key}={value}")]
    folder = str(tmp_path / "run")
    command = ["run", "babi/task-6", *options, "--model", "tiny/entnet", "--adapt", "finetune", "--limit", "1"]
    assert main([*command, "-o", folder]) == 0
    assert len(steps) == SHORT["updates"]
    settings = RunSettings(model="tiny/entnet", adapt="finetune", adapt_options=SHORT)
    job = Job(suite="babi/task-6", options=sizes, run=replace(settings, limit=2))
    finished = sweep([job], tmp_path / "sweep", InProcess(), retries=0)
    assert finished[job.id].state == "done", finished[job.id].error
    arm = Arm(factors={}, suite="babi/task-6", options=sizes, seed=0, run=replace(settings, limit=3))
    assert RunStore(tmp_path / "shelf").fill([arm], InProcess())["done"] == 1
    assert len(steps) == SHORT["updates"]
    assert len(store.entries()) == 1
