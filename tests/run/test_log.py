"""A log loses nothing that was written, and asks nobody to mend it."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from records import chain, old_log
from taskloom.ask import ScoredReading
from taskloom.core import AnyOf, UserError
from taskloom.run.log import LOGS, OLD_LOG, LogPart, RunLog, has_records, log_files, open_columns, read_records
from taskloom.run.record import Record
from taskloom.run.sealed import latest_seal


def record(index: int, state: str = "scored", raw: str = "x", **more) -> Record:
    return Record(
        task="t", id=str(index), index=index, row=f"{index:032x}", question=f"{index + 7:032x}", state=state,
        strict=ScoredReading(raw, None if state == "errored" else 1.0), scorer="exact", raw=raw,
        raw_length=len(raw), targets=AnyOf(("x",)), prompt="p\u2028q", prompt_hash="h", **more,
    )  # type: ignore[arg-type]  # fmt: skip


def only_log(folder: Path) -> Path:
    (path,) = log_files(folder)
    return path


def test_records_come_back_from_a_log_and_when_they_are_sealed(tmp_path):
    records = [
        record(
            i, raw=f"odd \x00 \u2028 \n {i}", facets={"b": [1], "c": 2 if i % 2 else 2.5, "d": i % 3 == 0} if i else {},
            marks=((1, 2),) if i % 3 else (), tokens={"prompt": 5.0, "cost": 0.25} if i % 5 else {}, cell="c" * (i % 2),
            lenient=ScoredReading(None, 0.0, "why", {"n": [i]}) if i % 4 else None, likelihood={"a": -0.5} if i else {},
            headline="lenient" if i % 7 else "strict", error="e" * (i % 3), reasoning="r" * (i % 2), mass={"all": 0.1},
        )
        for i in range(50)
    ]  # fmt: skip
    with RunLog(tmp_path) as log:
        log.append(records[:20])
        log.append(records[20:])
        log.append([])
        assert list(read_records(tmp_path)) == records, "a reader beside the writer"
        seal = log.finish()
    assert list(read_records(tmp_path)) == records and seal.records == 50
    assert not (tmp_path / LOGS).exists() and log_files(tmp_path) == []


@pytest.mark.parametrize("tail", [b"x", b'{"task":', bytes(200_000), b"\n\n", b"0" * 70_000 + b"\n", b"deadbeef {}\n"])
def test_a_tail_that_no_checksum_vouches_for_is_set_aside(tmp_path, tail):
    with RunLog(tmp_path) as log:
        log.append([record(i) for i in range(5)])
    path = only_log(tmp_path)
    whole = path.read_bytes()
    for cut in (0, 1, 10, 100):
        path.write_bytes(whole[: len(whole) - cut] + tail)
        good = 5 if cut == 0 or (tail.startswith(b"\n") and cut == 1) else 4
        assert len(list(read_records(tmp_path))) == good, "a reader does not mind"
        with RunLog(tmp_path) as log:
            assert log.repaired > 0 and len(log.places) == good
    with RunLog(tmp_path) as log:
        log.append([record(i) for i in range(5) if log.places.state(i) is None])
        seal = log.finish()
    assert [one.index for one in read_records(tmp_path)] == [0, 1, 2, 3, 4]
    (aside,) = tmp_path.glob("set-aside-*.txt")
    assert seal.set_aside >= len(tail.strip()) and tail.strip() in aside.read_bytes()


def test_a_damaged_line_in_the_middle_costs_one_record(tmp_path):
    with RunLog(tmp_path) as log:
        log.append([record(i) for i in range(3)])
    path = only_log(tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b'"scored"', b'"scorex"')
    path.write_bytes(b"\n".join(lines))
    assert [one.index for one in read_records(tmp_path)] == [0, 2]
    with RunLog(tmp_path) as log:
        assert log.places.state(1) is None
        log.append([record(1)])
        log.finish()
    assert [one.index for one in read_records(tmp_path)] == [0, 1, 2]


def test_two_processes_do_not_write_one_run_at_once(tmp_path):
    with RunLog(tmp_path), pytest.raises(UserError, match="another process"):
        RunLog(tmp_path)
    with RunLog(tmp_path):
        pass


def test_an_answer_beats_a_failure_and_of_failures_the_newest_counts(tmp_path):
    with RunLog(tmp_path) as log:
        log.append([record(0, "errored", error="a"), record(1), record(0), record(0, "errored"), record(1, raw="y")])
        log.append([record(2, "errored", error="a"), record(2, "errored", error="b")])
    assert [(r.state, r.raw, r.error) for r in read_records(tmp_path)] == [
        ("scored", "x", ""), ("scored", "x", ""), ("errored", "x", "b"),
    ]  # fmt: skip


def test_equal_runs_have_equal_chains_whatever_their_order_and_usage(tmp_path):
    for name, order in (("a", [2, 0, 1]), ("b", [1, 2, 0])):
        with RunLog(tmp_path / name) as log:
            log.append([record(0, "errored")])
            for index in order:
                log.append([record(index, tokens={"prompt": float(order[0])}, facets={"b": 1, "a": 2})])
            seal = log.finish()
        assert (seal.records, seal.states, seal.tasks) == (3, {"scored": 3}, {"t": 3})
    assert chain(tmp_path / "a") == chain(tmp_path / "b")
    before = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    with RunLog(tmp_path / "a") as log:
        log.finish()
    assert {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()} == before, "sealed is sealed"


def test_what_is_asked_again_is_a_further_part(tmp_path):
    with RunLog(tmp_path / "a") as log:
        log.append([record(0, "errored"), record(1), record(2, "errored")])
        log.finish()
    first = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    with RunLog(tmp_path / "a") as log:
        assert log.places.count("errored") == 2
        log.append([record(2), record(0)])
        seal = log.finish()
    assert (seal.number, seal.states, [part.records for part in seal.parts]) == (2, {"scored": 3}, [3, 2])
    assert all((tmp_path / "a" / name).read_bytes() == data for name, data in first.items()), "the first is untouched"
    with RunLog(tmp_path / "b") as log:
        log.append([record(i) for i in range(3)])
        log.finish()
    assert chain(tmp_path / "a") == chain(tmp_path / "b"), "equal to one that never failed"


@pytest.mark.parametrize("closed", [True, False])
def test_a_run_of_an_older_version_reads_as_before_and_goes_on(tmp_path, closed):
    records = [record(i, facets={"b": 1, "a": "x"}) for i in range(5)]
    path = old_log(tmp_path, records, closed=closed)
    assert list(read_records(tmp_path)) == records and has_records(tmp_path)
    before = path.read_bytes()
    with RunLog(tmp_path) as log:
        assert list(log.places) == [0, 1, 2, 3, 4] and path.read_bytes() == before
        log.append([record(5)])
        seal = log.finish()
    assert seal.records == 6 and not path.exists()
    assert [one.index for one in read_records(tmp_path)] == list(range(6))


def test_a_damaged_record_of_an_older_finished_run_is_not_left_out_in_silence(tmp_path):
    path = old_log(tmp_path, [record(i) for i in range(3)])
    path.write_bytes(path.read_bytes().replace(b'"id":"1"', b'"id":"9"'))
    with pytest.raises(UserError, match="1 records of this finished run are damaged"):
        open_columns(tmp_path)
    with RunLog(tmp_path) as log:
        log.append([record(1)])
        log.finish()
    assert [one.id for one in read_records(tmp_path)] == ["0", "1", "2"]


def test_records_of_the_first_format_are_still_read(tmp_path):
    old = {
        "task": "t", "id": "7", "state": "scored", "score": 1.0, "scorer": "exact", "raw": "x", "raw_length": 1,
        "extracted": "x", "targets": msgspec.to_builtins(AnyOf(("x",))), "prompt": "p", "prompt_hash": "h",
        "facets": {"n": 1}, "details": {"a": 2}, "error": "", "tokens": {},
    }  # fmt: skip
    (tmp_path / OLD_LOG).write_bytes(b"".join(msgspec.json.encode({**old, "id": str(n)}) + b"\n" for n in range(3)))
    for _ in range(2):
        found = list(read_records(tmp_path))
        assert [(one.id, one.index) for one in found] == [("0", 0), ("1", 1), ("2", 2)]
        assert (found[0].score, found[0].answer, found[0].details, found[0].facets) == (1.0, "x", {"a": 2}, {"n": 1})
        with RunLog(tmp_path) as log:
            log.finish()


def test_a_full_disk_leaves_whole_lines_only(tmp_path, monkeypatch):
    with RunLog(tmp_path) as log:
        log.append([record(0)])
        before = only_log(tmp_path).read_bytes()
        write = os.write

        def half(handle: int, data: bytes) -> int:
            if len(data) < 100:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(handle, data[:60])

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(UserError, match="disk is full"):
            log.append([record(1)])
        monkeypatch.undo()
        assert only_log(tmp_path).read_bytes() == before
        log.append([record(1)])
    assert len(list(read_records(tmp_path))) == 2


def test_records_are_flushed_before_they_count(tmp_path, monkeypatch):
    made = []
    real = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: made.append(str(Path(f"/proc/self/fd/{handle}").readlink())) or real(handle)
    )
    with RunLog(tmp_path) as log:
        log.append([record(0)])
        path = str(only_log(tmp_path))
        assert made == [str(tmp_path / LOGS), str(tmp_path), path], "its name, then its bytes"
        made.clear()
        log.append([record(1), record(2)])
        assert made == [path]


@pytest.mark.parametrize("at", ["publish", "unlink"])
def test_a_process_killed_while_it_seals_leaves_the_log_or_the_seal(tmp_path, monkeypatch, at):
    class KilledError(Exception):
        pass

    def killed(*given, **more):
        raise KilledError

    with RunLog(tmp_path) as log:
        log.append([record(i, "errored" if i == 1 else "scored") for i in range(3)])
        if at == "publish":
            monkeypatch.setattr("taskloom.run.log.publish", killed)
        else:
            monkeypatch.setattr(RunLog, "_remove_logs", killed)
        with pytest.raises(KilledError):
            log.finish()
    monkeypatch.undo()
    assert [one.index for one in read_records(tmp_path)] == [0, 1, 2]
    with RunLog(tmp_path) as log:
        seal = log.finish()
    assert seal.number == 1 and len(seal.parts) == 1 and [one.index for one in read_records(tmp_path)] == [0, 1, 2]
    assert sorted(path.name.partition("-")[0] for path in tmp_path.iterdir()) == [
        "answers", "manifest", "questions", "texts",
    ]  # fmt: skip


def test_a_manifest_of_another_writer_is_built_upon(tmp_path, monkeypatch):
    """As if no lock had kept them apart: the second seals over the first, and nothing of either is lost."""
    monkeypatch.setattr("taskloom.store.atomic.lock_file", lambda *given, **more: None)
    with RunLog(tmp_path) as one, RunLog(tmp_path) as two:
        one.append([record(0), record(2, "errored")])
        two.append([record(1), record(2), record(0, raw="other")])
        one.finish()
        assert two.finish().number == 2
    assert [(r.index, r.state, r.raw) for r in read_records(tmp_path)] == [
        (0, "scored", "x"), (1, "scored", "x"), (2, "scored", "x"),
    ]  # fmt: skip


_WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_log import record
from taskloom.run.log import RunLog
with RunLog(Path(sys.argv[1])) as log:
    for index in range(10_000):
        if log.places.state(index) is None:
            log.append([record(index)])
            print(index, flush=True)
"""


def test_a_killed_writer_loses_nothing_it_said_it_wrote(tmp_path):
    said: set[int] = set()
    rng = random.Random(1)
    tests = str(Path(__file__).parent)
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path), tests], stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(Path(tests).parent)])},
        )  # fmt: skip
        assert process.stdout is not None
        said.add(int(process.stdout.readline()))
        time.sleep(rng.random() / 10)
        process.send_signal(signal.SIGKILL)
        said |= {int(line) for line in process.stdout.read().split(b"\n")[:-1]}
        process.wait()
    found = [one.index for one in read_records(tmp_path)]
    assert said <= set(found) and len(found) == len(set(found))


def test_a_manifest_that_was_edited_is_refused(tmp_path):
    with RunLog(tmp_path) as log:
        log.append([record(0)])
        log.finish()
    path = tmp_path / "manifest-000001.json"
    whole = path.read_bytes()
    for text in (whole.replace(b'"scored": 1', b'"scored": 2'), whole[:-20], b"{}", b"[]"):
        path.write_bytes(text)
        with pytest.raises(UserError):
            latest_seal(tmp_path)


def test_every_flipped_byte_of_a_sealed_run_is_noticed(tmp_path):
    with RunLog(tmp_path) as log:
        log.append([record(i) for i in range(3)])
        log.finish()
    rng = random.Random(2)
    for path in sorted(tmp_path.iterdir()):
        whole = path.read_bytes()
        for place in rng.sample(range(len(whole)), min(40, len(whole))):
            flipped = whole[:place] + bytes([whole[place] ^ 0x04]) + whole[place + 1 :]
            path.write_bytes(flipped)
            with pytest.raises(UserError):
                list(read_records(tmp_path))
        path.write_bytes(whole)
    assert len(list(read_records(tmp_path))) == 3


def test_answers_nearly_in_order_are_sealed_as_from_the_log(tmp_path, monkeypatch):
    """Files are written while a run goes on; what comes too late has them made from the log, with the same records."""
    import taskloom.run.log as module

    monkeypatch.setattr(module, "BATCH", 4)
    orders = {"sorted": range(40), "nearly": [place ^ 3 for place in range(40)], "late": [*range(1, 40), 0]}
    chains, used = {}, {}
    for name, order in orders.items():
        made = []
        monkeypatch.setattr(module, "LogPart", lambda path, made=made: made.append(path) or LogPart(path))
        with RunLog(tmp_path / name) as log:
            for place in order:
                log.append([record(place)])
            chains[name] = log.finish().chain
        used[name] = bool(made)
        assert [each.index for each in read_records(tmp_path / name)] == list(range(40))
        assert not list((tmp_path / name).glob(".*")), "no half of a file stays"
    assert len(set(chains.values())) == 1
    assert used == {"sorted": False, "nearly": False, "late": True}


def test_a_writer_holds_places_of_earlier_records_and_not_their_columns(tmp_path):
    """A resumed run of a million records has to fit into memory; 100 bytes a record would be 100 MB."""
    import tracemalloc

    import pyarrow as pa

    with RunLog(tmp_path) as log:
        for start in range(0, 10_000, 1_000):
            log.append([record(i, tokens={"prompt": 5.0}, facets={"a": i}) for i in range(start, start + 1_000)])
    with RunLog(tmp_path):
        pass  # brings in what is imported late
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    try:
        with RunLog(tmp_path) as log:
            held = tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes() - before
    finally:
        tracemalloc.stop()
    assert len(log.places) == 10_000
    assert held < 100 * 10_000
