from __future__ import annotations

import os
import signal
import subprocess
import sys

import msgspec
import pytest

from here import Here
from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.run.log import read_records
from taskloom.run.session import RunSettings
from taskloom.studies.sweep import (
    FinishedJob,
    Job,
    JobEngine,
    LocalEngine,
    check_jobs,
    estimate_cost,
    expand,
    open_engine,
    read_finished,
    sweep,
)

TRAIN = {
    "shots": 8,
    "epochs": 100,
    "batch": 8,
    "evaluate_epochs": 4,
    "max_output": 3,
    "evaluate_limit": 4,
    "stop_when_perfect": False,
}


def job(bundle, model="mock/oracle", **run) -> Job:
    return Job(suite=str(bundle), run=RunSettings(model=model, cache=False, **run))


@pytest.mark.slow
def test_a_sweep_runs_continues_and_adds(bundle, tmp_path, capsys):
    command = ["sweep", str(bundle), "--model", "mock/oracle", "--each-task", "--jobs", "2", "-o", str(tmp_path)]
    assert main(command) == 0
    assert "2 of 2 jobs done" in capsys.readouterr().out
    lines = (tmp_path / "sweep.jsonl").read_bytes()
    assert main(command) == 0
    assert (tmp_path / "sweep.jsonl").read_bytes() == lines
    assert main([*command, "--model", "mock/copy-input"]) == 0
    assert (tmp_path / "sweep.jsonl").read_bytes().startswith(lines)
    done = read_finished(tmp_path)
    scores = [item.results["overall"]["value"] for item in done.values()]
    assert sorted(scores) == [0.0, 0.0, 1.0, 1.0]
    assert all((tmp_path / "jobs" / name / "manifest-000001.json").exists() for name in done)


def test_a_users_mistake_fails_once_and_the_rest_goes_on(bundle, tmp_path, capsys):
    jobs = [job(bundle), job(bundle, adapt="finetune")]
    finished = sweep(jobs, tmp_path, LocalEngine(1), retries=3)
    good, bad = (finished[one.id] for one in jobs)
    assert (good.state, bad.state, bad.attempts) == ("done", "failed", 1)
    assert "needs a model that can train" in bad.error


def test_a_key_is_written_nowhere(bundle, tmp_path, capsys, monkeypatch):
    command = ["sweep", str(bundle), "--model", "api/x", "-M", "patience=0", "-M", "api_key=sk-secret-4711"]
    command += ["-M", "base_url=http://127.0.0.1:9/v1", "--limit", "1", "-o", str(tmp_path / "s")]
    monkeypatch.setattr(sys, "argv", ["taskloom", *command])
    assert main(command) == 1
    assert "no answer for" in capsys.readouterr().err
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"127.0.0.1:9/v1" in written and b"api_key=" in written
    assert b"sk-secret" not in written


@pytest.mark.train
def test_a_job_that_failed_does_not_cost_the_report_of_the_sweep(bundle, tmp_path, capsys):
    pytest.importorskip("torch")
    wild = {"optimiser": "sgd", "learning_rate": 1e35, "shots": 8, "epochs": 2, "batch": 4, "max_output": 3}
    jobs = [job(bundle), job(bundle, "tiny/t5-1m", adapt="finetune", adapt_options=wild)]
    good, bad = sweep(jobs, tmp_path, Here()).values()
    assert {good.state, bad.state} == {"done", "failed"}
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "page.html")]) == 0
    assert f"left out, its log is empty: {tmp_path / 'jobs' / jobs[1].id}" in capsys.readouterr().err


def test_a_killed_worker_costs_one_attempt_and_its_job_continues(bundle, tmp_path, killer):
    slow = {"stall": 1.0, "stall_seconds": 0.1, "fail": 0.0, "truncate": 0.0, "empty": 0.0, "rubbish": 0.0}
    long = job(bundle, "mock/flaky", model_options=slow, batch_size=1)
    place = tmp_path / "jobs" / long.id
    thread = killer(place, "log/000001.jsonl")
    finished = sweep([long, job(bundle)], tmp_path, LocalEngine(1), retries=1)
    thread.join()
    item = finished[long.id]
    assert (item.state, item.attempts) == ("done", 2), item.error
    assert int(item.worker.rpartition(":")[2]) != thread.killed
    assert thread.left, "it was killed at work"
    assert [record.id for record in read_records(place)] == [str(n) for n in range(8)] * 2
    assert all(result.state == "done" for result in finished.values())


@pytest.mark.train
@pytest.mark.proof
def test_a_killed_worker_trains_on_where_it_was(bundle, tmp_path, killer):
    pytest.importorskip("torch")
    long = job(bundle, "tiny/t5-1m", model_options={"tokenizer": "words"}, adapt="finetune", adapt_options=TRAIN)
    curve = tmp_path / "jobs" / long.id / "adaptation" / "curve.jsonl"
    thread = killer(tmp_path / "jobs" / long.id)
    finished = sweep([long, job(bundle)], tmp_path, LocalEngine(1), retries=1)
    thread.join()
    item = finished[long.id]
    assert (item.state, item.attempts) == ("done", 2), item.error
    assert int(item.worker.rpartition(":")[2]) != thread.killed
    updates = [msgspec.json.decode(line)["update"] for line in curve.read_bytes().splitlines()]
    assert updates == sorted(set(updates))
    assert all(result.state == "done" for result in finished.values())


def test_a_sweep_leaves_the_environment_as_it_was(bundle, tmp_path):
    before = dict(os.environ)
    sweep([job(bundle)], tmp_path, LocalEngine(1))
    assert dict(os.environ) == before


def test_costly_jobs_start_first(bundle):
    small = job(bundle, "tiny/t5-1m", adapt="finetune", adapt_options={"epochs": 2})
    large = job(bundle, "tiny/t5-15m", adapt="finetune", adapt_options={"epochs": 2})
    longer = job(bundle, "tiny/t5-15m", adapt="finetune", adapt_options={"epochs": 20})
    capped = job(bundle, "tiny/t5-15m", adapt="finetune", adapt_options={"epochs": 20, "updates": 1})
    costs = [estimate_cost(one) for one in (job(bundle), capped, small, large, longer)]
    assert costs[0] < costs[2] < costs[3] < costs[4]
    assert costs[1] < costs[4]


def test_a_grid_is_every_combination_once(bundle):
    base = job(bundle, adapt_options={"epochs": 2, "tokens": 5})
    jobs = expand(
        [str(bundle)], ["mock/oracle"], ["none", "finetune", "prompt-tune"],
        base=base, grid={"adapt.shots": [4, 8], "run_seed": [0, 1]}, tasks={},
    )  # fmt: skip
    kinds = [one.run.adapt for one in jobs]
    assert {kind: kinds.count(kind) for kind in kinds} == {"none": 2, "finetune": 4, "prompt-tune": 4}
    assert all("tokens" not in one.run.adapt_options for one in jobs if one.run.adapt == "finetune")
    assert len({one.id for one in jobs}) == len(jobs)
    with pytest.raises(UserError, match="unknown grid key 'lr'"):
        expand(["x"], ["m"], ["none"], base=base, grid={"lr": [1]}, tasks={})


def test_a_torn_line_of_the_log_is_forgotten(bundle, tmp_path):
    first = sweep([job(bundle)], tmp_path, LocalEngine(1))
    with (tmp_path / "sweep.jsonl").open("ab") as file:
        file.write(b'{"id":"half')
    assert read_finished(tmp_path) == first

    class Instant(JobEngine):
        def run(self, jobs, retries):
            yield from (FinishedJob(id=one.id, state="done") for one in jobs)

    both = sweep([job(bundle), job(bundle, "mock/copy-input")], tmp_path, Instant())
    assert len(both) == 2
    assert set(read_finished(tmp_path)) == set(both)


def test_two_sweeps_do_not_share_a_folder(bundle, tmp_path):
    class Greedy(JobEngine):
        def run(self, jobs, retries):
            with pytest.raises(UserError, match="another process is writing here"):
                sweep([job(bundle)], tmp_path, LocalEngine(1))
            yield from (FinishedJob(id=one.id, state="done") for one in jobs)

    assert len(sweep([job(bundle)], tmp_path, Greedy())) == 1


def test_engines_have_names():
    with pytest.raises(UserError, match="did you mean 'local'"):
        open_engine("locale", workers=1, address=None, gpus=0, shared=True)


def test_a_grid_over_an_option_that_not_every_adaptation_has(bundle, tmp_path, capsys):
    command = ["sweep", str(bundle), "--model", "mock/oracle", "--adapt", "none", "--adapt", "in-context"]
    assert main([*command, "-G", "adapt.k=[1,2]", "--jobs", "1", "-o", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "3 of 3 jobs done" in out
    assert [line.count(" – ") for line in out.splitlines() if "| none " in line] == [1]


@pytest.mark.parametrize("flag", ["--jobs", "--gpus"])
def test_fewer_than_no_workers_are_refused_before_anything_is_written(flag, bundle, tmp_path, capsys):
    folder = tmp_path / "sweep"
    assert main(["sweep", str(bundle), "--model", "mock/oracle", flag, "-1", "-o", str(folder)]) == 2
    assert f"{flag}: " in (error := capsys.readouterr().err) and "not -1" in error
    assert not folder.exists()


def test_a_damaged_list_of_jobs_is_told(bundle, tmp_path):
    (tmp_path / "jobs.json").write_text("[1")
    with pytest.raises(UserError, match=r"jobs\.json: the list of jobs is damaged[\s\S]*delete the file"):
        sweep([job(bundle)], tmp_path, LocalEngine(1))


def test_a_list_of_somebody_elses_jobs_is_left_alone(bundle, tmp_path):
    (tmp_path / "jobs.json").write_text('{"nightly": {"cron": "0 3 * * *"}}')
    with pytest.raises(UserError, match="'nightly' is not a job: something else wrote this file"):
        sweep([job(bundle)], tmp_path, LocalEngine(1))
    assert (tmp_path / "jobs.json").read_text() == '{"nightly": {"cron": "0 3 * * *"}}'


_ASLEEP = """
import time
from taskloom.studies import sweep as local

def slowly(job):
    print("working", flush=True)
    time.sleep(30)
    print("outlived it", flush=True)

local.carry_out = slowly
"""


def test_workers_end_with_a_sweep_that_was_killed(bundle, tmp_path):
    # A module of its own: workers are fresh processes and import what the target of their process lives in.
    (tmp_path / "asleep.py").write_text(_ASLEEP)
    script = tmp_path / "sweep.py"
    script.write_text(
        "import sys, asleep\n"
        "from taskloom.studies.sweep import Job\n"
        "from taskloom.studies.sweep import LocalEngine\n"
        "from taskloom.run.session import RunSettings\n"
        "if __name__ == '__main__':\n"
        "    list(LocalEngine(1).run([Job(suite=sys.argv[1], run=RunSettings(model='mock/oracle'))], 0))\n"
    )
    parent = subprocess.Popen(
        [sys.executable, str(script), str(bundle)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None and parent.stderr is not None
    assert parent.stdout.readline() == "working\n"
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    # The worker holds the other end of the pipe: it closes when the worker is gone.
    assert parent.stdout.read() == ""
    assert "Traceback" not in parent.stderr.read()


GRIDS = {
    "seeds of other kinds": (["-G", 'run_seed=[1.5,"a"]'], "a seed is a whole number, not 1.5"),
    "a seed that is true": (["-G", "seed=[true]"], "a seed is a whole number"),
    "an unknown key": (["-G", "sed=[1]"], "unknown grid key 'sed'"),
    "an unknown option": (["--adapt", "finetune", "-G", "adapt.epochz=[1]"], "epochz"),
    "a wrong type": (["--adapt", "finetune", "-G", 'adapt.epochs=[1,"many"]'], "epochs"),
    "too many tokens": (["--adapt", "prompt-tune", "-A", "tokens=100000"], "too many"),
    "an unknown encoding": (["-G", "encoding=[plain,plian]"], "plian"),
    "a model option": (["-G", "model.sed=[1]"], "sed"),
    "an unknown split": (["-G", "split=[test,tset]"], "unknown split 'tset'"),
    "no processes": (["--jobs", "0"], "1 or more processes, not 0"),
    "retries": (["--retries", "-1"], "0 or more, not -1"),
}


@pytest.mark.parametrize("case", GRIDS)
def test_a_grid_is_refused_before_the_first_job(case, bundle, tmp_path, capsys):
    from taskloom.cli.main import main

    more, words = GRIDS[case]
    out = tmp_path / "sweep"
    assert main(["sweep", str(bundle), "--model", "mock/oracle", *more, "-o", str(out)]) == 2
    printed = capsys.readouterr()
    assert words in printed.err and "Traceback" not in printed.err
    assert not out.exists()


def test_jobs_that_differ_in_a_key_alone_are_different_jobs(bundle):
    from taskloom.studies.sweep import expand

    base = Job(suite="", run=RunSettings(model="api/x", model_options={"base_url": "http://127.0.0.1:1/v1"}))
    keys = ["sk-first-key-0001", "sk-second-key-0002"]
    jobs = expand([str(bundle)], ["api/x"], ["none"], base=base, grid={"model.api_key": keys}, tasks={})
    assert [job.run.model_options["api_key"] for job in jobs] == keys
    assert len({job.id for job in jobs}) == 2
    shown = str([(job.id, job.settings()) for job in jobs])
    assert not any(key in shown for key in keys)
    # Nor does the table say more than which of them it was.
    from taskloom.cli.sweep import flag_value

    assert [flag_value(job, "model.api_key") for job in jobs] == ["1", "2"]
    named = msgspec.structs.replace(jobs[0], run=msgspec.structs.replace(jobs[0].run, encoding="chat"))
    assert (flag_value(named, "encoding"), flag_value(named, "seed"), flag_value(named, "run_seed")) == (
        "chat",
        "0",
        "0",
    )


def test_a_job_waits_for_the_worker_of_a_killed_sweep(bundle, tmp_path):
    import threading
    import time

    from taskloom.store.atomic import FolderInUseError, lock_folder
    from taskloom.studies.sweep import carry_out

    job = Job(
        suite=str(bundle), folder=str(tmp_path / "job"), run=RunSettings(model="mock/oracle", limit=1, cache=False)
    )
    held, released = threading.Event(), threading.Event()

    def hold():
        from taskloom.run.log import RunLog

        with RunLog(tmp_path / "job", 1):
            held.set()
            released.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    threading.Timer(0.3, released.set).start()
    began = time.monotonic()
    report = carry_out(job)
    thread.join()
    assert report.error == "" and released.is_set() and time.monotonic() >= began
    with lock_folder(tmp_path / "other"), pytest.raises(FolderInUseError), lock_folder(tmp_path / "other"):
        pass


def test_every_key_of_a_grid_sets_what_it_names(bundle):
    base = job(bundle, generation={"max_tokens": 5}, encoding_options={"definition": True})
    grid = {
        "seed": [3], "run_seed": [4], "encoding": ["plain"], "split": ["dev"], "suite.size": [6], "model.delay": [7],
        "encoding.positive": [1], "adapt.k": [2],
    }  # fmt: skip
    (made,) = expand([str(bundle)], ["mock/oracle"], ["in-context"], base=base, grid=grid, tasks={})
    run = made.run
    assert (made.seed, made.options, run.run_seed, run.encoding, run.split) == (3, {"size": 6}, 4, "plain", "dev")
    assert run.generation == {"max_tokens": 5, "seed": 4}
    assert run.encoding_options == {"definition": True, "positive": 1}
    assert (run.model_options, run.adapt_options) == ({"delay": 7}, {"k": 2})
    for key, value in (("encoding", 3), ("split", None)):
        with pytest.raises(UserError, match="a name, not"):
            expand([str(bundle)], ["m"], ["none"], base=base, grid={key: [value]}, tasks={})


def test_one_job_for_each_task_that_is_named(bundle):
    tasks = {str(bundle): ["first", "second"]}
    jobs = expand([str(bundle), "x"], ["mock/oracle"], ["none"], base=job(bundle), grid={}, tasks=tasks)
    assert [(one.suite, one.task) for one in jobs] == [(str(bundle), "first"), (str(bundle), "second"), ("x", None)]


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"encoding": "plian"}, "plian"),
        ({"encoding": "plain", "encoding_options": {"sed": 1}}, "sed"),
        ({"generation": {"max_tokenz": 3}}, "max_tokenz"),
        ({"model_options": {"sed": 1}}, "sed"),
        ({"limit": 0}, "a limit must be 1 or more, not 0"),
        ({"split": "tset"}, "unknown split 'tset'"),
    ],
)
def test_a_job_is_refused_by_what_is_wrong_with_it(run, words, bundle):
    check_jobs([job(bundle, limit=1)])
    with pytest.raises(UserError, match=words):
        check_jobs([job(bundle), job(bundle, **run)])
