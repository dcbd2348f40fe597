"""`litellm/…`: what the library is given, and what becomes of its answers and errors."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from taskloom.core import Instance, Instruction, Task, UserError, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request, open_model

TASK = Task("demo", Instruction("Do it."))


def answered(data):
    """A response as the library gives it: a pydantic model with `model_dump`."""
    return SimpleNamespace(model_dump=lambda: data)


WHOLE = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "kitchen"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
}


@pytest.fixture
def library(monkeypatch):
    """Stands for the module; `calls` are the arguments of every question."""
    module = SimpleNamespace(calls=[], answer=lambda number: answered(WHOLE))

    def completion(**given):
        module.calls.append(given)
        return module.answer(int(given["messages"][-1]["content"]))

    module.completion = completion
    monkeypatch.setitem(sys.modules, "litellm", module)
    return module


def ask(count, **options):
    requests = [Request(Prompt(str(n)), TASK, Instance(str(n), "", any_of("x"))) for n in range(count)]
    return open_model("litellm/cohere/command", options).generate(requests, Generation(max_tokens=7))


def test_answers_keep_their_questions(library):
    def answer(number):
        choice = {"message": {"content": f"said {number}"}, "finish_reason": "length" if number == 3 else "stop"}
        return answered({**WHOLE, "choices": [choice]})

    library.answer = answer
    outputs = ask(40, concurrency=4, api_key="key-4711-4711", base_url="http://127.0.0.1:9/v1")
    assert [output.text for output in outputs] == [f"said {number}" for number in range(40)]
    assert [n for n, output in enumerate(outputs) if output.state == "truncated"] == [3]
    assert (outputs[0].prompt_tokens, outputs[0].served) == (11, "m-1")
    given = library.calls[0]
    assert (given["model"], given["max_tokens"], given["drop_params"]) == ("cohere/command", 7, True)
    assert (given["api_key"], given["api_base"]) == ("key-4711-4711", "http://127.0.0.1:9/v1")


def test_errors_and_malformed_answers_are_failed_records(library):
    def answer(number):
        if number == 1:
            raise RuntimeError("AuthenticationError: key-4711-4711 is wrong")
        return answered({} if number == 2 else WHOLE)

    library.answer = answer
    outputs = ask(4, api_key="key-4711-4711")
    assert [output.state for output in outputs] == ["complete", "failed", "failed", "complete"]
    assert "RuntimeError" in outputs[1].error and "key-4711" not in outputs[1].error
    assert "malformed" in outputs[2].error


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(UserError, match=r"taskloom\[litellm\]|litellm/x/y needs the package"):
        open_model("litellm/x/y")
