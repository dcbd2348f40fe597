"""Answers that are kept: by every byte of the prompt and the sample, complete ones alone, and damaged lines apart."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.ask import ResponseCache
from taskloom.core import Instance, Instruction, Task, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Identity, Output, Request
from taskloom.store.seal import seal_line
from toy import FAMILY

TASK = Task("t", Instruction("d"))


def request(text, sample=0):
    return Request(Prompt(text), TASK, Instance("1", text, any_of("a")), sample=sample)


@pytest.fixture
def opened(tmp_path):
    def again(name="m", generation=None, encoding="plain", seed=1):
        suite = FAMILY.open("all", seed, {"test": 5})
        return ResponseCache(suite, Identity(name), generation or Generation(), {"name": encoding}, tmp_path)

    return again


def test_answers_are_found_again_by_another_process(opened):
    first = opened()
    assert first.get(request("p")) is None and first.hits == 0
    first.put([(request("p"), Output("said")), (request("p", 1), Output("other"))])
    assert first.get(request("p")) == Output("said") and first.hits == 1, "at once"
    second = opened()
    assert second.get(request("p")) == Output("said") and second.get(request("p", 1)) == Output("other")
    assert second.get(request("p", 2)) is None and second.get(request("q")) is None
    assert second.hits == 2, "what is not known is no hit"


def test_only_complete_answers_are_kept(opened):
    cache = opened()
    cache.put([(request("a"), Output("x", "truncated")), (request("b"), Output("", "failed", "busy"))])
    assert not cache.path.exists(), "nothing to write"
    cache.put([(request("a"), Output("x", "truncated")), (request("c"), Output("y"))])
    assert cache.path.read_bytes().count(b"\n") == 1
    assert opened().get(request("a")) is None and opened().get(request("c")) == Output("y")


def test_damaged_and_foreign_lines_cost_one_answer_each(opened):
    cache = opened()
    cache.put([(request(text), Output(text)) for text in "abc"])
    lines = cache.path.read_bytes().splitlines(keepends=True)
    other = seal_line(msgspec.json.encode({"form": "another"}))
    cache.path.write_bytes(lines[0] + lines[1].replace(b'"b"', b'"x"') + other + b"rubbish\n" + lines[2])
    again = opened()
    assert [again.get(request(text)) for text in "abc"] == [Output("a"), None, Output("c")]


@pytest.mark.parametrize(
    "change", [{"name": "n"}, {"generation": Generation(max_tokens=3)}, {"encoding": "chat"}, {"seed": 2}]
)
def test_whatever_may_change_an_answer_has_a_file_of_its_own(change, opened):
    one, other = opened(), opened(**change)
    assert one.path != other.path and one.path == opened().path
    described = one.path.with_suffix(".key.json")
    told = msgspec.json.decode(described.read_bytes())
    assert set(told) == {"suite", "model", "generation", "encoding"}
    described.write_bytes(b"{}")
    opened()
    assert described.read_bytes() == b"{}", "written once"


def test_the_key_names_the_sample_only_where_there_are_several():
    prompt = request("p").prompt.hash()
    assert (ResponseCache.key(request("p")), ResponseCache.key(request("p", 1))) == (prompt, f"{prompt}:1")
