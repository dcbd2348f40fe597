"""What a record keeps beside the answer: the stretches of the prompt that an answer needs."""

from __future__ import annotations

from zlib import crc32

import msgspec
import pytest

from taskloom.ask.judge import LONGEST_RAW, Assessment, ScoredReading
from taskloom.core import AnyOf, Instance, Instruction, Task, any_of, open_suite
from taskloom.core.encoding import Prompt
from taskloom.core.model import Output, Request
from taskloom.run.record import decode_record, line_body, make_record, supporting_marks
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.seal import seal_line


def test_marks_are_the_supporting_lines_wherever_the_input_stands():
    instance = Instance("1", "a b\nccc\na b\nq?", AnyOf(("x",)), details={"support": [1, 3]})
    prompt = f"Answer.\n\n{instance.input}\nAnswer:"
    assert [prompt[start:end] for start, end in supporting_marks(instance, prompt)] == ["a b", "a b"]
    assert supporting_marks(instance, "in other words") == ()
    assert supporting_marks(Instance("1", "x", AnyOf(("x",)), details={"support": "all"}), "x") == ()


def test_a_run_marks_what_the_generator_used(tmp_path):
    suite = open_suite("babi/mix-t2", seed=3)
    launch(suite, tmp_path, RunSettings(model="mock/oracle", limit=5))
    rows = {(row.task, row.instance.id): row.instance for row in suite.rows("test")}
    for record in load_run(tmp_path).records:
        instance = rows[record.key]
        lines = instance.input.split("\n")
        wanted = [lines[number - 1] for number in sorted(instance.details["support"])]
        assert [record.prompt[start:end] for start, end in record.marks] == wanted


TASK = Task("t", Instruction("d"))


def made(output, instance=None, shown="p", **more):
    instance = instance or Instance("1", "say a", any_of("a"), {"size": 3, "odd": None})
    request = Request(Prompt("asked"), TASK, instance)
    found = Assessment("scored", "exact", ScoredReading("a", 1.0))
    return make_record(request, output, found, shown=shown, index=4, row="r", **more)


def test_a_record_says_what_was_asked_and_what_came_of_it():
    found = made(Output("said", prompt_tokens=5, cost=0.0), sample=2, wording="w")
    assert (found.task, found.id, found.index, found.row, found.sample, found.wording) == ("t", "1", 4, "r", 2, "w")
    assert (found.raw, found.raw_length, found.prompt, found.prompt_hash) == ("said", 4, "p", Prompt("asked").hash())
    assert found.facets == {"size": 3}, "facets without a value are left out"
    assert found.tokens == {"prompt": 5, "cost": 0.0}, "nothing is a cost, too"
    assert made(Output("x")).sample == 0


def test_what_the_model_said_is_cut_to_a_sane_length():
    long = "x" * (LONGEST_RAW + 5)
    found = made(Output("short", raw=long, reasoning=long))
    assert (len(found.raw), found.raw_length, len(found.reasoning)) == (LONGEST_RAW, LONGEST_RAW + 5, LONGEST_RAW)
    assert made(Output("text", raw="")).raw == "text", "what it said is its text"
    late = made(Output("x" * LONGEST_RAW + "\nAnswer: 7")).raw
    assert (late[:2], late[-9:], len(late)) == ("xx", "Answer: 7", LONGEST_RAW), "the answer stands at the end"


def test_the_reading_that_counts():
    strict, lenient = ScoredReading("a", 0.0, "", {"k": 1}), ScoredReading("b", 1.0, "", {"k": 2})
    found = msgspec.structs.replace(made(Output("x")), strict=strict, lenient=lenient)
    assert (found.answer, found.score, found.details) == ("a", 0.0, {"k": 1})
    other = msgspec.structs.replace(found, headline="lenient")
    assert (other.answer, other.score, other.details) == ("b", 1.0, {"k": 2})
    assert msgspec.structs.replace(other, lenient=None).reading == strict, "nobody read it so"
    assert found.key == ("t", "1")


def test_a_line_begins_with_its_checksum():
    line = seal_line(b'{"a":1}')
    assert line == b'%08x {"a":1}\n' % crc32(b'{"a":1}') and line_body(line) == b'{"a":1}'
    for place in range(len(line)):
        for bit in (1, 4, 64):
            assert line_body(line[:place] + bytes([line[place] ^ bit]) + line[place + 1 :]) is None
    assert all(line_body(line[:cut]) is None for cut in range(len(line)))
    for other in (b"", b"\n", b'{"a":1}\n', b'{"extracted":1}\n', b'{"extracted":"\xff"}\n', bytes(99)):
        assert line_body(other) is None


def test_what_is_no_record():
    for body in (b'{"a":1}', b"", b"[" * 100_000, b'"\xff"'):
        with pytest.raises(msgspec.DecodeError):
            decode_record(body)


def test_the_last_place_of_an_input_in_a_prompt_is_marked():
    instance = Instance("1", "one\ntwo", any_of("a"), details={"support": [2]})
    assert supporting_marks(instance, "one\ntwo\none\ntwo!") == ((12, 15),)
    first = Instance("1", "one\ntwo", any_of("a"), details={"support": [1]})
    assert supporting_marks(first, "one\ntwo") == ((0, 3),), "from the first character on"
    assert supporting_marks(Instance("1", "one", any_of("a"), details={"support": [2]}), "one") == ()
    assert made(Output("x"), first, "say one\ntwo").marks == ((4, 7),)
