"""Folders on object storage: every verb works on `s3://…`, and of several writers one wins."""

from __future__ import annotations

import threading

import pytest

from taskloom import UserError, load_run, open_suite, run_suite, write_bundle
from taskloom.cli.main import main
from taskloom.run.log import RunLog
from taskloom.run.sealed import latest_seal
from taskloom.store.remote import WorkingCopy, is_address, stored

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(scope="module")
def server():
    moto = pytest.importorskip("moto.server")
    started = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    yield f"http://127.0.0.1:{started.get_host_and_port()[1]}"
    started.stop()


@pytest.fixture
def bucket(server, monkeypatch, tmp_path):
    """An empty bucket on loopback, and a machine that has seen nothing of it."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "machine-1"))
    storage, _ = fsspec.core.url_to_fs("s3://", skip_instance_cache=True, use_listings_cache=False)
    name = f"bucket-{tmp_path.name.replace('_', '-').lower()[-30:]}"
    storage.mkdir(name)
    yield f"s3://{name}", storage
    storage.rm(name, recursive=True)


@pytest.fixture
def another_machine(monkeypatch, tmp_path):
    def move(number=2):
        monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / f"machine-{number}"))

    return move


def test_addresses():
    assert is_address("s3://b/x") and is_address("gs://b/x") and is_address("memory://x")
    assert (
        not is_address("runs/x") and not is_address("https://x.y/z") and not is_address("api/x") and not is_address("")
    )


def test_a_bundle_and_a_run_travel_between_machines(bucket, another_machine, capsys, tmp_path, monkeypatch):
    address, storage = bucket
    monkeypatch.chdir(tmp_path)
    assert (
        main(["generate", "babi/task-1", "-T", "test=40", "-T", "train=20", "-T", "dev=20", "-o", f"{address}/x"]) == 0
    )
    assert f"{address}/x" in capsys.readouterr().out
    another_machine()
    assert main(["check", f"{address}/x"]) == 0
    assert main(["run", f"{address}/x", "--model", "mock/oracle", "-o", f"{address}/r"]) == 0
    assert f"40 records in {address}/r" in capsys.readouterr().out
    another_machine(3)
    assert main(["check", f"{address}/r"]) == 0
    assert main(["score", f"{address}/r", "--by", "question"]) == 0
    assert main(["report", f"{address}/r", "-o", f"{address}/pages/report.html"]) == 0
    assert b"<html" in storage.cat_file(f"{address}/pages/report.html")
    assert len(list(open_suite(f"{address}/x").rows("test"))) == 40
    assert load_run(f"{address}/r").overall().estimate.value == 1.0
    assert not list(tmp_path.glob("s3*")), "no folder is called s3:"


def test_the_same_interface_in_python(bucket, another_machine):
    address, _ = bucket
    write_bundle(open_suite("babi/task-1").take(10), f"{address}/b")
    run = run_suite(f"{address}/b", model="mock/oracle", folder=f"{address}/r")
    assert len(run.records) == 10
    another_machine()
    write_bundle(open_suite("babi/task-1").take(10), f"{address}/b")  # the same again changes nothing
    with pytest.raises(UserError, match="contains another bundle"):
        write_bundle(open_suite("babi/task-1", seed=5).take(10), f"{address}/b")


def test_a_run_goes_on_where_another_machine_stopped(bucket, another_machine, monkeypatch):
    """Lines of the log are shipped while a run goes on; the second machine asks only what is missing."""
    address, storage = bucket
    monkeypatch.setattr("taskloom.store.remote.SHIPPED_EVERY", 0.0)
    suite, groups = open_suite("babi/task-1").take(40), []
    ask = {"model": "mock/oracle", "folder": f"{address}/r", "batch_size": 8}
    append = RunLog.append

    def stop(log, records):
        append(log, records)
        groups.append(len(records))
        if len(groups) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(RunLog, "append", stop)
    with pytest.raises(KeyboardInterrupt):
        run_suite(suite, **ask)
    assert [name for name in storage.find(f"{address}/r") if "/log/" in name]
    another_machine()
    run = run_suite(suite, **ask)
    assert len(run.records) == 40 and groups == [8] * 5, "what the first machine asked is not asked again"
    names = storage.find(f"{address}/r")
    assert not [name for name in names if "/log/" in name] and [name for name in names if "manifest-000001" in name]


def test_of_several_writers_one_wins_and_the_others_are_told(bucket, tmp_path):
    address, storage = bucket
    copies = []
    for number in range(6):
        made = WorkingCopy(f"{address}/m")
        made.folder = tmp_path / f"w{number}" / "m"
        made._index_file = tmp_path / f"w{number}" / "index.json"
        made.folder.mkdir(parents=True)
        (made.folder / "data.txt").write_text("equal")
        (made.folder / "manifest.json").write_text(str(number))
        copies.append(made)
    told = []

    def publish(copy):
        try:
            copy.publish()
        except UserError as error:
            told.append(error.message)

    threads = [threading.Thread(target=publish, args=[copy]) for copy in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 5 and all("another writer published manifest.json" in message for message in told)
    assert storage.cat_file(f"{address}/m/manifest.json").decode() in "012345"


def test_a_changed_manifest_is_not_written_over(bucket, another_machine):
    address, storage = bucket
    write_bundle(open_suite("babi/task-1").take(5), f"{address}/b")
    with pytest.raises(UserError, match="another writer published manifest.json"), stored(f"{address}/b") as copy:
        (copy / "manifest.json").write_text("mine")
        storage.pipe_file(f"{address}/b/manifest.json", b"theirs")
    assert storage.cat_file(f"{address}/b/manifest.json") == b"theirs"


def test_a_manifest_appears_after_its_data(bucket, monkeypatch):
    address, _ = bucket
    order = []
    publish = WorkingCopy._publish
    monkeypatch.setattr(WorkingCopy, "_publish", lambda self, name: (order.append(name), publish(self, name)))
    run_suite(open_suite("babi/task-1").take(5), model="mock/oracle", folder=f"{address}/r")
    assert order[0] == "run.json" and order[-1].startswith("manifest-")
    assert latest_seal(load_run(f"{address}/r").folder).records == 5


def test_storage_that_cannot_be_reached_is_a_sentence(bucket, monkeypatch):
    address, _ = bucket
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    with pytest.raises(UserError, match="the storage cannot be used"):
        load_run(f"{address}/r")
    fsspec.get_filesystem_class("s3").clear_instance_cache()


def test_memory_serves_tests_of_your_own(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path))
    write_bundle(open_suite("babi/task-1").take(5), "memory://own/b")
    assert len(list(open_suite("memory://own/b").rows("test"))) == 5


def test_few_parts_of_a_large_file_are_in_memory_at_once(bucket, another_machine, monkeypatch):
    address, storage = bucket
    kind = type(storage)
    real, under_way, most = kind._call_s3, [], []

    async def call(self, method, *given, **more):
        if method not in ("upload_part", "get_object"):
            return await real(self, method, *given, **more)
        under_way.append(method)
        most.append(len(under_way))
        try:
            return await real(self, method, *given, **more)
        finally:
            under_way.pop()

    monkeypatch.setattr(kind, "_call_s3", call)
    monkeypatch.setitem(kind._put_file.__globals__, "calculate_chunksize", lambda size, chunksize=None: 5 << 20)
    monkeypatch.setattr(kind, "default_block_size", 5 << 20)
    with stored(f"{address}/large") as folder:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "data.bin").open("wb") as file:
            file.truncate(30 << 20)
    assert len(most) == 6 and max(most) <= 2
    another_machine()
    with stored(f"{address}/large", write=False) as folder:
        assert (folder / "data.bin").stat().st_size == 30 << 20
    assert len(most) == 13 and max(most) <= 2
