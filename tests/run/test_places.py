"""What a log holds by place, and the order and the counts in which it is closed."""

from __future__ import annotations

import random

import msgspec
import pytest

from taskloom.ask.judge import ScoredReading
from taskloom.core import any_of
from taskloom.run.closing import is_closing, read_closing, write_canonical
from taskloom.run.places import Places
from taskloom.run.record import Record, decode_record, encode_record, is_intact, supporting_marks


def test_places_against_a_plain_dictionary():
    draw, places, known = random.Random(1), Places(), {}
    for _ in range(3_000):
        place, state = (
            draw.choice([draw.randrange(3_000), 10**9 + draw.randrange(50)]),
            draw.choice(["scored", "errored"]),
        )
        row = f"{draw.getrandbits(64):016x}{place:016x}"
        places.put(place, state, row)
        known[place] = (state, row)
    assert list(places) == sorted(known) and len(places) == len(known)
    for state in ("scored", "truncated", "errored"):
        assert places.count(state) == sum(held == state for held, _ in known.values())
    for place, (state, row) in known.items():
        assert places.state(place) == state
        assert places.same_row(place, row) and places.same_row(place, row[:16]), "half of a hash is enough"
        assert not places.same_row(place, "f" + row[1:] if row[0] != "f" else "0" + row[1:])
    assert places.state(5_000_000) is None and places.state(10**9 + 60) is None
    places.put(7, "scored", "")
    assert places.same_row(7, "")


def record(index, sample=0, answer="a", state="scored", **more):
    return Record(
        task=f"t{index % 2}", id=f"i{index}", index=index, sample=sample, state=state, scorer="exact", raw=answer,
        raw_length=1, targets=any_of("a"), prompt="p", prompt_hash="h", strict=ScoredReading(answer, 1.0), **more,
    )  # fmt: skip


def test_a_log_is_closed_in_order_with_the_newest_record_of_each_place(tmp_path):
    path = tmp_path / "records.jsonl"
    first = [record(2), record(0, 1), record(0, state="errored"), record(1, cell="c")]
    old = [*first, record(1, 1), record(0, answer="b"), record(2, 1)]
    path.write_bytes(b"".join(map(encode_record, old)))
    closing, builder = write_canonical(path, 2)
    *lines, last = path.read_bytes().splitlines(keepends=True)
    found = [decode_record(line, place) for place, line in enumerate(lines)]
    assert [(one.index, one.sample, one.raw) for one in found] == [
        (0, 0, "b"), (0, 1, "a"), (1, 0, "a"), (1, 1, "a"), (2, 0, "a"), (2, 1, "a"),
    ]  # fmt: skip
    assert is_closing(last) and is_intact(last) and read_closing(last) == closing
    assert (closing.records, closing.states, closing.tasks) == (6, {"scored": 6}, {"t0": 4, "t1": 2})
    assert closing.cells == {"c": 1}
    starts = builder.table().column("start").to_pylist()
    assert [path.read_bytes()[start:][: len(line)] for start, line in zip(starts, lines, strict=True)] == lines
    assert write_canonical(path, 2)[0] == closing, "closing what is closed changes nothing"
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_log_can_be_closed(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"")
    closing, _ = write_canonical(path, 1)
    assert (closing.records, closing.states) == (0, {}) and is_closing(path.read_bytes())


def test_a_log_that_cannot_be_closed_stays_as_it_is(tmp_path):
    path = tmp_path / "records.jsonl"
    text = encode_record(record(1)) + encode_record(record(0)).replace(b'"a"', b'"b"')
    path.write_bytes(text)
    with pytest.raises(msgspec.DecodeError):
        write_canonical(path, 1)
    assert path.read_bytes() == text and list(tmp_path.iterdir()) == [path]


def test_a_line_is_proved_by_its_checksum():
    line = encode_record(record(3))
    assert is_intact(line) and decode_record(line, 9).index == 3
    assert is_intact(line.replace(b'"a"', b'"b"')) is False
    assert is_intact(b'{"extracted": 1}\n') is None
    with pytest.raises(msgspec.DecodeError, match="checksum"):
        decode_record(line.replace(b'"a"', b'"b"'), 0)


def test_which_stretches_of_a_prompt_an_answer_needs():
    from taskloom.core import Instance

    story = "one\ntwo\nthree"
    held = Instance("i", story, any_of("a"), details={"support": [1, 3]})
    prompt = f"Read: one\n{story}\nAnswer:"
    assert [prompt[start:end] for start, end in supporting_marks(held, prompt)] == ["one", "three"]
    assert supporting_marks(held, prompt)[0][0] == prompt.rfind(story)
    assert supporting_marks(held, "other words") == ()
    assert supporting_marks(Instance("i", story, any_of("a")), prompt) == ()


def test_places_are_kept_in_pages():
    places = Places()
    assert list(places) == [] and len(places) == 0 and places.state(0) is None
    for place in (0, 1_023, 1_024, 2_047, 2_048):
        places.put(place, "scored", "ff" * 16)
    assert list(places) == [0, 1_023, 1_024, 2_047, 2_048] and sorted(places._pages) == [0, 1, 2]
    assert places.state(1_022) is None and places.state(1_025) is None
    places.put(0, "errored", "ee" * 16)
    assert (places.count("scored"), places.count("errored"), places.count("truncated"), len(places)) == (4, 1, 0, 5)
    assert not places.same_row(0, "ff" * 16) and places.same_row(0, "ee" * 16) and places.same_row(1_023, "ff" * 16)
    assert places.same_row(1_023, "ff" * 8 + "00" * 8), "half of a hash"
