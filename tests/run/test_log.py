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

from taskloom.ask import ScoredReading
from taskloom.core import AnyOf, UserError
from taskloom.run.log import RECORDS, RunLog, latest_records, read_closing_record, read_records
from taskloom.run.record import Record


def record(index: int, state: str = "scored", raw: str = "x") -> Record:
    return Record(
        task="t", id=str(index), index=index, row=f"{index:032x}", state=state,
        strict=ScoredReading(raw, None if state == "errored" else 1.0), scorer="exact", raw=raw,
        raw_length=len(raw), targets=AnyOf(("x",)), prompt="p\u2028q", prompt_hash="h",
    )  # type: ignore[arg-type]  # fmt: skip


def test_records_come_back(tmp_path):
    records = [record(i, raw=f"odd \x00 \u2028 \n {i}") for i in range(50)]
    with RunLog(tmp_path) as log:
        log.append(records[:20])
        log.append(records[20:])
        log.append([])
    assert list(read_records(tmp_path)) == records


def test_a_torn_last_line_is_repaired(tmp_path):
    with RunLog(tmp_path) as log:
        log.append([record(i) for i in range(5)])
    path = tmp_path / RECORDS
    whole = path.read_bytes()
    for cut in (1, 10, 100, len(whole.split(b"\n")[0])):
        path.write_bytes(whole[:-cut])
        assert len(list(read_records(tmp_path))) == 4, "a reader does not mind"
        with RunLog(tmp_path) as log:
            assert log.repaired > 0
            assert len(log.places) == 4
            log.append([record(4)])
        assert path.read_bytes() == whole


def test_a_tail_of_zeros_is_a_torn_line(tmp_path):
    """What a power cut leaves on some file systems."""
    with RunLog(tmp_path) as log:
        log.append([record(0)])
    with (tmp_path / RECORDS).open("ab") as file:
        file.write(b"\x00" * 200_000)
    with RunLog(tmp_path) as log:
        assert log.repaired == 200_000
        assert list(log.places) == [0]


def test_damage_in_the_middle_names_the_line(tmp_path):
    with RunLog(tmp_path) as log:
        log.append([record(i) for i in range(3)])
    lines = (tmp_path / RECORDS).read_bytes().split(b"\n")
    lines[1] = lines[1][:40]
    (tmp_path / RECORDS).write_bytes(b"\n".join(lines))
    with pytest.raises(UserError, match=r"records.jsonl:2.*damaged"):
        RunLog(tmp_path)
    with pytest.raises(UserError, match=r"records.jsonl:2"):
        list(read_records(tmp_path))


def test_two_processes_cannot_write_one_run(tmp_path):
    with RunLog(tmp_path), pytest.raises(UserError, match="another process"):
        RunLog(tmp_path)
    with RunLog(tmp_path):
        pass


def test_the_newest_record_wins(tmp_path):
    with RunLog(tmp_path) as log:
        log.append([record(0, "errored"), record(1), record(0)])
    assert [r.state for r in latest_records(tmp_path)] == ["scored", "scored"]


def test_a_finished_log_is_in_canonical_order_and_closed(tmp_path):
    for folder, order in ((tmp_path / "a", [2, 0, 1]), (tmp_path / "b", [1, 2, 0])):
        with RunLog(folder) as log:
            log.append([record(0, "errored")])
            for index in order:
                log.append([record(index)])
            log.finish()
    whole = (tmp_path / "a" / RECORDS).read_bytes()
    assert whole == (tmp_path / "b" / RECORDS).read_bytes()
    assert [r.index for r in read_records(tmp_path / "a")] == [0, 1, 2]
    closing = read_closing_record(tmp_path / "a")
    assert closing is not None
    assert (closing.records, closing.states, closing.tasks) == (3, {"scored": 3}, {"t": 3})
    with RunLog(tmp_path / "a") as log:
        log.finish()
    assert (tmp_path / "a" / RECORDS).read_bytes() == whole, "a closed log stays as it is"


def test_a_closed_log_can_be_continued(tmp_path):
    with RunLog(tmp_path) as log:
        log.append([record(0, "errored"), record(1)])
        log.finish()
    with RunLog(tmp_path) as log:
        assert log.places.count("errored") == 1
        log.append([record(0)])
        assert read_closing_record(tmp_path) is None
        log.finish()
    assert [r.state for r in read_records(tmp_path)] == ["scored", "scored"]


def test_every_flipped_byte_is_noticed(tmp_path):
    with RunLog(tmp_path) as log:
        log.append([record(i) for i in range(2)])
        log.finish()
    path = tmp_path / RECORDS
    whole = path.read_bytes()
    for place in range(0, len(whole) - 1, 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x04]) + whole[place + 1 :])
        with pytest.raises(UserError, match="damaged"):
            list(read_records(tmp_path))


def test_records_of_the_first_format_are_still_read(tmp_path):
    line = (
        b'{"task":"t","id":"7","state":"scored","score":1.0,"scorer":"exact","raw":"x","raw_length":1,"extracted":"x",'
        b'"targets":{"type":"any","answers":["x"]},"prompt":"p","prompt_hash":"h","facets":{"n":1},"details":{"a":2},'
        b'"error":"","tokens":{}}\n'
    )
    old = msgspec.json.decode(line)
    old["targets"] = msgspec.to_builtins(AnyOf(("x",)))
    (tmp_path / RECORDS).write_bytes(msgspec.json.encode(old) + b"\n")
    (found,) = read_records(tmp_path)
    assert (found.score, found.answer, found.details, found.facets) == (1.0, "x", {"a": 2}, {"n": 1})


def test_a_full_disk_leaves_whole_lines_only(tmp_path, monkeypatch):
    with RunLog(tmp_path) as log:
        log.append([record(0)])
        before = (tmp_path / RECORDS).read_bytes()
        write = os.write

        def half(handle: int, data: bytes) -> int:
            write(handle, bytes(data)[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(UserError, match=r"disk is full.*\n.*same command again"):
            log.append([record(1)])
        monkeypatch.undo()
        assert (tmp_path / RECORDS).read_bytes() == before
        log.append([record(1)])
    assert len(list(read_records(tmp_path))) == 2


RUNNER = """
import sys
from pathlib import Path
from taskloom.core import resolve
from taskloom.run.runner import RunSettings, launch
from toy import FAMILY, ToyRecipe
suite = FAMILY.open("all", 1, {"test": 600})
options = {"fail": 0.0, "stall": 0.9, "stall_seconds": 0.002, "truncate": 0.05, "empty": 0.02, "rubbish": 0.02}
print("ready", flush=True)
launch(suite, Path(sys.argv[1]), RunSettings(model="mock/flaky", model_options=options, batch_size=7))
print("done", flush=True)
"""


def _start(folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "TASKLOOM_PROGRESS": "off"}
    process = subprocess.Popen([sys.executable, "-c", RUNNER, str(folder)], stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.slow
def test_kills_leave_the_records_of_an_unbroken_run(tmp_path):
    unbroken, killed = tmp_path / "unbroken", tmp_path / "killed"
    assert _finish(_start(unbroken))
    rng = random.Random(3)
    kills = 0
    seen = 0
    while kills < 8:
        process = _start(killed)
        time.sleep(rng.random() * 0.12)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
        kills += 1
        now = len(list(read_records(killed))) if (killed / RECORDS).exists() else 0
        assert now >= seen, "nothing scored is lost"
        seen = now
    assert _finish(_start(killed))
    expected = (unbroken / RECORDS).read_bytes()
    assert (killed / RECORDS).read_bytes() == expected
    assert len(expected.splitlines()) == 601, "600 records and the closing line"


def _finish(process: subprocess.Popen[bytes]) -> bool:
    out, _ = process.communicate(timeout=300)
    return process.returncode == 0 and out == b"done\n"
