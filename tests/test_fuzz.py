"""A short version of `make fuzz`, and proof that the fuzzer notices what it looks for."""

from __future__ import annotations

import warnings

import pytest
from benchmarks.fuzz import attempt, fuzz

from taskloom.core import UserError
from taskloom.core.csv_table import read_csv
from taskloom.core.decode import read_bytes, read_json, read_text
from taskloom.core.yaml12 import decode_yaml, read_yaml


def test_no_input_ends_in_a_traceback(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert fuzz(600, tmp_path, seed=1) == {}


def test_the_fuzzer_notices_tracebacks_and_hangs():
    def spin(data: bytes) -> None:
        while True:
            pass

    assert attempt(lambda data: data.decode(), b"\xff", (UserError,)).startswith("UnicodeDecodeError at")
    assert attempt(lambda data: {}[data], b"x", (UserError,)).startswith("KeyError at")
    assert attempt(spin, b"", (UserError,)) == "more than 1 s"


def test_errors_name_file_and_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo\n\xff\n")
    with pytest.raises(UserError, match=r"a\.txt:3: not UTF-8"):
        read_text(path)
    path.write_text("a: 1\nb: [\n")
    with pytest.raises(UserError, match=r"a\.txt:\d: not YAML"):
        read_yaml(path)
    path.write_text("a,b\n1,2\n3\n")
    with pytest.raises(UserError, match=r"a\.txt:3: .*1 fields under 2 columns"):
        list(read_csv(path))


@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, '{"a":' * 101 + "1" + "}" * 101, "9" * 1000])
def test_what_is_too_deep_or_too_long_is_refused(text, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(UserError, match="deep|digits"):
        read_json(path)


def test_brackets_in_texts_are_not_nesting(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('["' + "[" * 500 + '", "\\"[' + "{" * 300 + '"]')
    assert len(read_json(path)) == 2


def test_references_cannot_grow(tmp_path):
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{n}: &{n} [*{o}, *{o}, *{o}, *{o}, *{o}, *{o}]" for o, n in zip("abcdefgh", "bcdefghi", strict=True)]
    with pytest.raises(UserError, match="expand"):
        decode_yaml("\n".join(lines), where="x")
    with pytest.raises(UserError, match="contains itself"):
        decode_yaml("&a [*a]", where="x")


def test_a_small_file_cannot_unpack_to_a_large_one(tmp_path):
    import gzip

    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"\0" * 5_000_000))
    with pytest.raises(UserError, match="too large"):
        read_bytes(path, most=1_000_000)


def test_an_answer_of_a_thousand_digits_is_an_answer():
    from taskloom.ask.judge import Judge
    from taskloom.core import Instruction, Reading, Structure, Task

    task = Task("t", Instruction("x"), "json", "structure")
    assert Judge([task]).score(Reading("9" * 1000), Structure(('{"a":1}',)), task).value == 0.0


def test_a_scorer_that_raises_costs_one_record(tmp_path, monkeypatch):
    from taskloom.run.log import read_records
    from taskloom.run.runner import launch
    from taskloom.run.session import RunSettings
    from taskloom.score.match import ExactMatch
    from toy import FAMILY

    def score(self, answer, targets, task):
        raise OverflowError("too large")

    monkeypatch.setattr(ExactMatch, "score", score)
    launch(FAMILY.open("all", 1, {"test": 10}), tmp_path, RunSettings(model="mock/oracle", cache=False))
    records = list(read_records(tmp_path))
    failed = [record for record in records if record.scorer == "exact"]
    assert failed and all(record.state == "errored" and "OverflowError" in record.strict.why for record in failed)
    assert all(record.state == "scored" for record in records if record.scorer != "exact")


@pytest.mark.parametrize("opening", ["[", '{"a":', "[{'a':"])
def test_structures_of_any_depth_are_read_or_refused(opening):
    """What Python can just decode it may not be able to encode again."""
    from taskloom.core import Instruction, Task
    from taskloom.core.catalog import READERS

    task = Task("t", Instruction("x"), "json", "structure")
    closing = {"[": "]", '{"a":': "}", "[{'a':": "}]"}[opening]
    for depth in (50, 120, 480, 900, *range(984, 1004), 30_000):
        text = opening * depth + "1" + closing * depth
        for name in READERS:
            READERS.get(name).read(f"The answer is {text}", task)
            READERS.get(name).read(text, task)
