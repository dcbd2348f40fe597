"""What hosts are handed, with small modules in their place; `make test-hosts` has the real ones."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from itertools import islice
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, TypeVar

import pytest

from taskloom import __version__, open_suite
from taskloom.core.catalog import FAMILIES
from taskloom.hosts.table import HostTable
from taskloom.rl.stream import endless


class Given(SimpleNamespace):
    """Keeps what it is called with, by name; what has no name under `given`."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(**({"given": given} if given else {}), **named)


class Message(Given):
    role = ""

    @property
    def text(self) -> str:
        return self.content


def kinds(*names: str) -> dict[str, type]:
    return {name: type(name, (Given,), {}) for name in names}


TASKS: dict[str, Any] = {}


def marked(**about: Any) -> Any:
    return lambda thing: TASKS.setdefault(about.get("name", thing.__name__), thing)


class ModelAPI:
    def __init__(self, *given: Any) -> None:
        self.model_name, self.base_url, self.api_key, self.key_vars, self.config = given


class ModelOutput(Given):
    @classmethod
    def from_content(cls, model: str, content: str) -> ModelOutput:
        return cls(model=model, content=content)


INSPECT = {
    "inspect_ai": {**kinds("Task"), "task": marked},
    "inspect_ai.dataset": kinds("MemoryDataset", "Sample"),
    "inspect_ai.model": {
        "ChatMessage": Message, "ModelAPI": ModelAPI, "ModelOutput": ModelOutput, "modelapi": marked,
        **kinds("GenerateConfig", "ModelUsage"),
        **{f"ChatMessage{role.title()}": type(role, (Message,), {"role": role})
           for role in ("system", "user", "assistant")},
    },
    "inspect_ai.scorer": {
        **kinds("Score", "Scorer", "Target"),
        "scorer": lambda **about: lambda make: make,
        **{name: lambda *given, name=name, **named: (name, given, named)
           for name in ("accuracy", "grouped", "mean", "stderr")},
    },
    "inspect_ai.solver": {**kinds("TaskState"), "generate": lambda: "generate"},
}  # fmt: skip

Data, Config = TypeVar("Data"), TypeVar("Config")


class Records(SimpleNamespace):
    """A settings class: its own values, and what it is called with."""

    def __init__(self, **named: Any) -> None:
        own = {name: getattr(type(self), name) for name in type(self).__annotations__ if hasattr(type(self), name)}
        super().__init__(**{**own, **named})


class VerifiersTask(Generic[Data]):
    def __init__(self, data: Any, settings: Any) -> None:
        self.data, self.settings = data, settings


class Taskset(Generic[Data, Config]):
    def __init__(self, config: Any) -> None:
        self.config = config


VERIFIERS = {
    "verifiers": {},
    "verifiers.v1": {
        "TaskData": Records, "Task": VerifiersTask, "Taskset": Taskset, "Trace": Given,
        "TasksetConfig": type("TasksetConfig", (Records,), {"task": "task settings", "__annotations__": {"task": str}}),
        "stop": lambda act: act, "reward": lambda **about: lambda act: act,
    },
}  # fmt: skip


def host(monkeypatch, modules, name):
    """A module of ours that imports these in place of the host's."""
    for path, held in modules.items():
        module = ModuleType(path)
        module.__dict__.update(held)
        monkeypatch.setitem(sys.modules, path, module)
        if "." in path:
            monkeypatch.setattr(sys.modules[path.rpartition(".")[0]], path.rpartition(".")[2], module, raising=False)
    monkeypatch.delitem(sys.modules, f"taskloom.hosts.{name}", raising=False)
    TASKS.clear()
    try:
        return import_module(f"taskloom.hosts.{name}")
    finally:
        sys.modules.pop(f"taskloom.hosts.{name}", None)


def test_a_suite_is_a_task_of_inspect(monkeypatch):
    found = host(monkeypatch, INSPECT, "inspect_tasks")
    task = found.build("babi/mix-t7", 3, n=5, by="question")
    suite = open_suite("babi/mix-t7", seed=3)
    table = HostTable(suite, "chat")
    records = list(table.records("test", 5))
    (samples,) = task.dataset.given
    assert task.dataset.name == "babi/mix-t7:test" and task.solver == "generate" and task.version == __version__
    assert task.metrics == [
        ("mean", (), {}),
        ("stderr", (), {"cluster": "task"}),
        ("grouped", (("accuracy", (), {}), table.facets["question"]), {}),
    ]
    assert task.metadata == {
        "taskloom": __version__, "suite": "babi/mix-t7", "seed": 3, "split": "test", "options": {}, "protocol": "chat",
        "reading": "lenient", "identity": suite.identity,
    }  # fmt: skip
    settings = table.protocol.settings(suite.tasks.values())
    assert vars(task.config) == {"max_tokens": settings.get("max_tokens", 64), "stop_seqs": settings.get("stop")}
    for sample, record in zip(samples, records, strict=True):
        assert (sample.id, sample.target) == (f"{record['task']}/{record['id']}", record["answer"])
        assert [(turn.role, turn.content) for turn in sample.input] == [tuple(m.values()) for m in record["prompt"]]
        kept = {key: record[key] for key in ("id", "task", "input", "targets", "prompt", "hash")}
        assert sample.metadata["taskloom"] == kept and sample.metadata["task"] == record["task"]
        assert not {"parts", "details", "answer", "prompt"} & sample.metadata.keys()
        said = {key: value for key, value in sample.metadata.items() if key not in ("task", "taskloom")}
        assert said == {
            key: "–" if record[key] is None else "+".join(record[key]) if isinstance(record[key], list) else record[key]
            for key in said
        }
        assert set(table.facets.values()) <= said.keys()
        for text, value in ((record["answer"], 1.0), ("nowhere", 0.0)):
            state = Given(metadata=sample.metadata, output=Given(completion=text))
            score = asyncio.run(task.scorer(state, None))
            assert score.value == value and (score.answer or text) == text
        for name in ("oracle", "half"):
            model = TASKS["taskloom"](name)
            output = asyncio.run(model.generate(sample.input, None, None, None))
            assert (output.content == record["answer"]) or name == "half"
            assert vars(output.usage) == {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    said = {found.right_or_wrong("half", f"{number}", "right") for number in range(20)}
    assert said == {"right", "none of these"} and found.right_or_wrong("oracle", "1", "right") == "right"


def test_a_question_of_one_text_is_sent_as_it_is(monkeypatch):
    found = host(monkeypatch, INSPECT, "inspect_tasks")
    task = found.build("seti/task2-trivial", 1, "dev", "base", "strict", "task", 2, {"dev": 6})
    (samples,) = task.dataset.given
    records = list(HostTable(open_suite("seti/task2-trivial", seed=1, options={"dev": 6}), "base").records("dev", 2))
    assert [sample.input for sample in samples] == [record["prompt"] for record in records]
    assert task.metrics[2][1][1] == "task" and task.metadata["options"] == {"dev": 6}
    turn = INSPECT["inspect_ai.model"]["ChatMessageUser"](content=samples[0].input)
    output = asyncio.run(TASKS["taskloom"]("oracle").generate([turn], None, None, None))
    assert output.content == records[0]["answer"]


def test_every_suite_is_registered_with_inspect(monkeypatch):
    found = host(monkeypatch, INSPECT, "inspect_tasks")
    TASKS.clear()
    found.register()
    named = {f"{family}/{suite}" for family in FAMILIES for suite in FAMILIES.get(family).suites()}
    assert set(TASKS) == {"open", *named}
    for task in (TASKS["babi/task-1"](n=1, seed=2, test=3), TASKS["open"]("babi/task-1", n=1, seed=2, test=3)):
        assert (task.metadata["suite"], task.metadata["options"]) == ("babi/task-1", {"test": 3})
        assert len(task.dataset.given[0]) == 1


@pytest.mark.parametrize("reading", ["lenient", "strict", "shaped"])
def test_a_suite_is_a_taskset_of_verifiers(monkeypatch, reading):
    found = host(monkeypatch, VERIFIERS, "verifiers_taskset")
    config = found.TaskloomConfig(seed=3, split="dev", options={"dev": 4}, reading=reading)
    tasks = list(found.TaskloomTaskset(config).load())
    suite = open_suite("babi/task-1", seed=3, options={"dev": 4})
    records = list(HostTable(suite, "chat").records("dev"))
    assert len(tasks) == len(records) == 4
    for task, record in zip(tasks, records, strict=True):
        data = task.data
        system, *turns = record["prompt"]
        assert (data.id, data.name) == (f"{record['task']}/{record['id']}", record["task"])
        assert (data.system_prompt, data.prompt, task.settings) == (system["content"], turns, "task settings")
        assert (data.suite, data.seed, data.options, data.reading) == ("babi/task-1", 3, '{"dev":4}', reading)
        assert data.record == {key: record[key] for key in ("id", "task", "input", "prompt", "targets")}
        for text, value in ((record["answer"], 1.0), ("nowhere", 0.0), (None, 0.0)):
            assert asyncio.run(task.taskloom(Given(last_reply=text))) == value
        ends = [asyncio.run(task.single_turn(Given(num_turns=turns))) for turns in (0, 1, 2)]
        assert ends == [False, True, True]


def test_an_endless_taskset_goes_on_and_the_default_split_is_asked(monkeypatch):
    found = host(monkeypatch, VERIFIERS, "verifiers_taskset")
    suite = open_suite("babi/task-1", options={"train": 2})
    config = found.TaskloomConfig(split="train", options={"train": 2}, endless=True)
    ids = [task.data.id for task in islice(found.TaskloomTaskset(config).load(), 5)]
    assert ids == [f"{row.task}/{row.instance.id}" for row in islice(endless(suite, "train"), 5)]
    first = next(iter(found.TaskloomTaskset(found.TaskloomConfig()).load()))
    assert first.data.id.partition("/")[2] == next(open_suite("babi/task-1").rows("test")).instance.id
