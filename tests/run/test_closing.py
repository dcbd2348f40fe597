"""The end of a log: what is on disk when it takes the place of the old one, and how its lines are picked."""

from __future__ import annotations

import os
from io import BytesIO

import numpy as np
import pytest

from taskloom.ask import ScoredReading
from taskloom.core import any_of
from taskloom.run import closing
from taskloom.run.closing import Closing, Tally, _picked, _survey, write_canonical
from taskloom.run.columns import decode_entry
from taskloom.run.record import Record, encode_record


def line(index, sample=0, task="t", state="scored", cell="", raw="a"):
    return encode_record(Record(
        task=task, id=str(index), index=index, sample=sample, state=state, scorer="exact", raw=raw, raw_length=1,
        targets=any_of("a"), prompt="p", prompt_hash="h", strict=ScoredReading("a", 1.0), cell=cell,
    ))  # fmt: skip


def test_the_new_log_is_whole_on_disk_before_it_takes_the_old_ones_place(tmp_path, monkeypatch):
    path = tmp_path / "records.jsonl"
    path.write_bytes(line(1) + line(0))
    seen = []
    real = os.fsync

    def fsync(file):
        seen.append(("file", os.fstat(file).st_size, path.read_bytes() == line(1) + line(0)))
        real(file)

    monkeypatch.setattr(closing.os, "fsync", fsync)
    monkeypatch.setattr(closing, "sync_folder", lambda folder: seen.append(("folder", folder, path.stat().st_size)))
    write_canonical(path, 1)
    size = path.stat().st_size
    assert seen == [("file", size, True), ("folder", tmp_path, size)]
    assert path.read_bytes().startswith(line(0) + line(1)) and list(tmp_path.iterdir()) == [path]


class Watched(BytesIO):
    """A file that counts how often it is moved about."""

    seeks = 0

    def seek(self, *given):
        self.seeks += 1
        return super().seek(*given)


@pytest.mark.parametrize(
    ("starts", "sizes", "texts", "seeks"),
    [
        ([0, 2, 5], [2, 3, 1], [b"ab", b"cde", b"f"], 0), ([2, 5, 0], [3, 1, 2], [b"cde", b"f", b"ab"], 2),
        ([0, 0], [2, 2], [b"ab", b"ab"], 1), ([], [], [], 0), ([5], [1], [b"f"], 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("part", [1, 2, 65_536])
def test_lines_are_picked_and_the_file_is_moved_only_where_it_must(starts, sizes, texts, seeks, part, monkeypatch):
    monkeypatch.setattr(closing, "_SLICE", part)
    file = Watched(b"abcdef")
    assert list(_picked(file, np.array(starts, np.int64), np.array(sizes, np.int64))) == texts
    assert file.seeks == seeks


def test_the_newest_line_of_each_place(tmp_path):
    path = tmp_path / "records.jsonl"
    lines = [line(1), line(0, 1), line(0, raw="old"), line(0, raw="new")]
    path.write_bytes(b"".join(lines))
    starts, sizes = _survey(path, 2)
    whole = path.read_bytes()
    found = [whole[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    assert found == [lines[3], lines[1], lines[0]], "places 0, 1 and 2"
    path.write_bytes(b"")
    assert [len(part) for part in _survey(path, 2)] == [0, 0]


def test_counts_of_lines():
    tally = Tally()
    assert tally.closing() == Closing(0, {}, {}, tally.closing().chain, {})
    for one in (line(0, task="u", cell="c"), line(1, state="errored"), line(2, cell="c")):
        tally.add(one, decode_entry(one, 0))
    made = tally.closing()
    assert (made.records, made.states, made.tasks) == (3, {"errored": 1, "scored": 2}, {"t": 2, "u": 1})
    assert made.cells == {"c": 2} and list(made.tasks) == ["t", "u"] and len(made.chain) == 32
    other = Tally()
    for one in (line(1, state="errored"), line(0, task="u", cell="c"), line(2, cell="c")):
        other.add(one, decode_entry(one, 0))
    assert other.closing().chain != made.chain and other.closing().states == made.states, "the order counts"
