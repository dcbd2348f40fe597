"""Jobs on a cluster that is a stand-in: what it is asked for, what comes back, and what is tidied up."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from taskloom.run.session import RunSettings
from taskloom.studies import sweep as ray_engine
from taskloom.studies.sweep import FinishedJob, Job, RayEngine


class RayError(Exception):
    """As Ray's own."""


class Reference(str):
    """What Ray knows a job by; its future is settled when the engine waits for it."""

    def future(self):
        return Future()


class Cluster:
    """Answers like the module `ray`; a job is done when it is waited for, the first first."""

    def __init__(self, resources, reports):
        self._resources, self._reports = resources, reports
        self.options, self.most, self.queue, self.started = {}, 0, [], []
        self.cancelled, self.shut = [], 0

    def is_initialized(self):
        return not self.shut

    def cluster_resources(self):
        return self._resources

    def remote(self, **options):
        self.options = options

        def queue(data, shared):
            job = msgspec.json.decode(data, type=Job)
            self.started.append((job.run.model, shared))
            self.queue.append(job)
            self.most = max(self.most, len(self.queue))
            return Reference(f"{len(self.started)} {job.run.model}")

        return lambda function: SimpleNamespace(remote=queue) if function is ray_engine.work_on_job else None

    def wait(self, futures, return_when):
        assert len(futures) == len(self.queue) and return_when == "FIRST_COMPLETED"
        job, future = self.queue.pop(0), next(iter(futures))
        report = self._reports.get(job.run.model, {})
        if isinstance(report, Exception):
            future.set_exception(report)
            return
        item = FinishedJob(id=job.id, state="failed" if "error" in report else "done", **report.get("item", report))
        future.set_result(msgspec.msgpack.encode((item, report.get("files", {}))))

    def cancel(self, reference, force):
        self.cancelled.append((reference, force))

    def shutdown(self):
        self.shut += 1


@pytest.fixture
def cluster(monkeypatch):
    def make(resources=None, ours=True, reports=None, **given):
        found = Cluster(resources if resources is not None else {"CPU": 2.0}, reports or {})
        monkeypatch.setattr(ray_engine, "connect", lambda address, workers: (found, ours))
        monkeypatch.setattr(ray_engine, "wait", found.wait)
        return found, RayEngine(**given)

    return make


def jobs_of(bundle, *models, folder="") -> list[Job]:
    return [Job(suite=str(bundle), run=RunSettings(model=model), folder=str(folder)) for model in models]


def test_costly_jobs_start_first_and_each_asks_for_its_gpus(bundle, cluster):
    ray, engine = cluster(gpus=0.5, shared=False)
    jobs = jobs_of(bundle, "hf/a-1b", "hf/b-7b", "mock/z", "mock/y")
    assert {line.id: line.state for line in engine.run(jobs, 0)} == dict.fromkeys((one.id for one in jobs), "done")
    cheap = sorted(jobs[2:], key=lambda one: one.id)
    assert ray.started == [(name, False) for name in ("hf/b-7b", "hf/a-1b", *(one.run.model for one in cheap))]
    assert ray.options == {"num_cpus": 1, "num_gpus": 0.5, "max_retries": 0}


@pytest.mark.parametrize(("resources", "most"), [({"CPU": 3.0}, 6), ({"CPU": 0.5}, 2), ({}, 2)])
def test_the_queue_on_the_cluster_is_short(resources, most, bundle, cluster):
    ray, engine = cluster(resources)
    jobs = jobs_of(bundle, *(f"mock/m{number}" for number in range(9)))
    assert len(list(engine.run(jobs, 0))) == 9
    assert ray.most == most


def test_accidents_are_tried_again_and_mistakes_are_not(bundle, cluster):
    reports = {
        "mock/broken": {"error": "it broke"},
        "mock/wrong": {"error": "no such thing", "mistake": True},
        "mock/dead": RayError("\nthe node is gone\nand more"),
        "mock/mute": RayError(""),
    }
    _, engine = cluster(reports=reports)
    jobs = jobs_of(bundle, *reports, "mock/fine")
    names = {one.id: one.run.model for one in jobs}
    found = {names[line.id]: (line.state, line.attempts, line.error) for line in engine.run(jobs, 2)}
    assert found == {
        "mock/broken": ("failed", 3, "it broke"),
        "mock/wrong": ("failed", 1, "no such thing"),
        "mock/dead": ("failed", 3, "its worker died (RayError: the node is gone)"),
        "mock/mute": ("failed", 3, "its worker died (RayError: )"),
        "mock/fine": ("done", 1, ""),
    }
    assert [next(iter(engine.run(jobs[:1], retries))).attempts for retries in (0, 1, 3)] == [1, 2, 4]


def test_what_is_tried_again_comes_next(bundle, cluster):
    ray, engine = cluster({"CPU": 1}, reports={"hf/a-9b": {"error": "it broke"}})
    list(engine.run(jobs_of(bundle, "hf/a-9b", "hf/b-3b", "hf/c-2b", "hf/d-1b"), 1))
    assert [model for model, _ in ray.started] == ["hf/a-9b", "hf/b-3b", "hf/a-9b", "hf/c-2b", "hf/d-1b"]


def test_files_come_home(bundle, cluster, tmp_path):
    report = {"item": {}, "files": {"run.json": b"1", "adaptation/deep/curve.jsonl": b"2"}}
    _, engine = cluster(reports={"mock/far": report})
    (tmp_path / "adaptation").mkdir()
    list(engine.run(jobs_of(bundle, "mock/far", folder=tmp_path), 0))
    assert (tmp_path / "run.json").read_bytes() == b"1"
    assert (tmp_path / "adaptation" / "deep" / "curve.jsonl").read_bytes() == b"2"


@pytest.mark.parametrize("ours", [True, False])
def test_what_is_left_is_cancelled_and_only_our_cluster_is_shut_down(ours, bundle, cluster):
    ray, engine = cluster(ours=ours)
    running = engine.run(jobs_of(bundle, "hf/a-9b", "hf/b-3b", "hf/c-2b"), 0)
    next(running)
    running.close()
    assert ray.cancelled == [("2 hf/b-3b", True), ("3 hf/c-2b", True)] and ray.shut == ours
    ray, engine = cluster(ours=ours)
    list(engine.run(jobs_of(bundle, "mock/a"), 0))
    assert ray.cancelled == [] and ray.shut == ours


@pytest.fixture
def carried(monkeypatch, tmp_path):
    """Notes where jobs are carried out, and leaves some files behind."""
    seen = []

    def carry_out(job):
        seen.append((job.folder, str(Path.cwd())))
        if job.folder:
            for name in ("run.json", "log.txt", "weights.bin", "curve.jsonl"):
                Path(job.folder, name).write_bytes(name.encode())
        return FinishedJob(id="j", state="done", worker="w", wall=2.0)

    monkeypatch.setattr(ray_engine, "carry_out", carry_out)
    monkeypatch.chdir(tmp_path)
    return seen


def work(job, shared):
    done = ray_engine.work_on_job(msgspec.json.encode(job), shared)
    return msgspec.msgpack.decode(done, type=tuple[FinishedJob, dict[str, bytes]])


def test_a_worker_with_this_disk_works_in_the_folder_of_the_job(carried, tmp_path):
    (tmp_path / "home").mkdir()
    job = Job(suite="s", run=RunSettings(model="m"), folder=str(tmp_path), home=str(tmp_path / "home"))
    assert work(job, shared=True) == (FinishedJob(id="j", state="done", worker="w", wall=2.0), {})
    assert carried == [(str(tmp_path), str(tmp_path / "home"))]


def test_a_worker_without_it_sends_logs_but_no_weights(carried, tmp_path):
    job = Job(suite="s", run=RunSettings(model="m"), folder=str(tmp_path), home=str(tmp_path / "elsewhere"))
    report, files = work(job, shared=False)
    assert files == {name: name.encode() for name in ("curve.jsonl", "log.txt", "run.json")}
    assert (report.worker, report.wall) == ("w", 2.0)
    ((folder, place),) = carried
    assert folder != str(tmp_path) and not Path(folder).exists()
    assert place == str(tmp_path), "a home that is not there is no place to go to"
