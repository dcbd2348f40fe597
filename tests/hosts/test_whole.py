"""All that leaves for other tools, and all that is read of their logs (see `tests/approved.py`)."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from importlib.machinery import ModuleSpec
from itertools import islice
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from approved import approved, plain
from taskloom import UserError, open_suite, to_hf
from taskloom.core import Instance, Instruction, Row, Task, any_of, row_hash
from taskloom.hosts.card import command_of
from taskloom.hosts.hf import to_hf_stream, write_hf
from taskloom.hosts.imports import describe, import_log
from taskloom.hosts.lm_eval import load, process_results, write_lm_eval
from taskloom.hosts.logs import read_log
from taskloom.hosts.squad import write_squad
from taskloom.hosts.table import HostTable

ZEST = {"train": 20, "dev": 10, "test": 20, "surplus": 0, "passages": 4}
EXPORTS = {
    "stories": ("babi/mix-t7", {}, "base", 2),
    "words": ("taskbench/synonyms[eng]", {"labels": "faithful"}, "chat", 2),
    "pairs": ("seti/task2-trivial", {}, "bare", 2),
    "instructions": ("superni/embedded", {}, "base", 30),
    "passages": ("zest/fictional", ZEST, "base", None),
}


def text_of(folder):
    """Every text file of a folder; hashes of data and versions are of no interest."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".parquet":
            text = path.read_text("utf-8")
            text = re.sub(r"\b[0-9a-f]{32,64}\b|canary [\w-]+|Taskloom \d\S*|(?<=taskloom\": \")[^\"]+", "…", text)
            yield f"-- {path.relative_to(folder).as_posix()}\n{text.rstrip()}"


def test_every_file_that_is_exported(tmp_path):
    said = []
    for name, (suite, options, protocol, limit) in EXPORTS.items():
        opened = open_suite(suite, seed=3, options=options)
        write_hf(opened, tmp_path / name, protocol=protocol, limit=limit)
        said += [f"== {name}", *(text for text in text_of(tmp_path / name) if "tasks.jsonl" not in text[:30])]
        again = open_suite(tmp_path / name)
        said.append(plain([again.name, again.seed, dict(again.splits), again.apart, again.pool, list(again.facets)]))
        table = HostTable(opened, protocol)
        said += [plain(record) for record in table.records(opened.default_split(), 2)]
        if protocol != "chat":
            write_lm_eval(opened, tmp_path / "lm" / name, protocol=protocol, limit=limit)
            said += islice(text_of(tmp_path / "lm" / name), 3)
    write_lm_eval(open_suite("seti/task2-trivial"), tmp_path / "choice", splits=["dev"], form="choice")
    said += [*text_of(tmp_path / "choice"), command_of(open_suite("babi/task-1").take(3), None)]
    approved(Path(__file__).with_name("exports.txt"), "\n".join(said) + "\n")


def row(task, name, text, answers, parts=None, support=()):
    return Row(task, Instance(name, text, any_of(answers), {}, parts or {}, {"support": list(support)}))


def test_every_span(tmp_path):
    story = "Mary is at the sea.\nMary went to the seaside.\nAt the sea is Bob."
    read = {"story": story, "question": "Where?"}
    rows = [
        row("t", "last supporting line", story, ["sea"], read, (1, 3)),
        row("t", "only line", story, ["sea"], read, (1,)),
        row("t", "part of a word alone", story, ["sea"], read, (2,)),
        row("t", "second text", story, ["beach", "seaside"], read, (1, 2)),
        row("t", "no such line", story, ["Bob"], read, (4, "x")),
        row("t", "anywhere", story, ["Bob"], read),
        row("t", "nothing", story, ["", "moon"], read),
        row("t", "unanswerable", "p", ["n/a"], {"passage": "A passage.", "question": "Who?"}),
        row("t", "passage", "p", ["passage"], {"passage": "A passage.", "question": "What?"}),
        row("t", "not a passage", "p", ["n/a"], {"context": "n/a, they say", "question": "What?"}),
        row("spans", "defined", "one two", ["two"]),
        row("labels", "labelled", "one two", ["two"]),
        row("t", "ends", "x", ["one", "two"], {"context": "one\ntwo", "question": "Last?"}, (2,)),
    ]
    tasks = {
        "t": Task("t", Instruction("Answer.")),
        "spans": Task("spans", Instruction("Say the last word.")),
        "labels": Task("labels", Instruction("Choose."), kind="label", labels=("two", "one"), scorer="label"),
    }
    said = []
    for number, known in enumerate((tasks, None)):
        path = tmp_path / f"{number}.json"
        said += [plain(write_squad(rows, path, known, title="of spans")), path.read_text().strip()]
    said += [plain(write_squad([], tmp_path / "none.json")), (tmp_path / "none.json").read_text().strip()]
    approved(Path(__file__).with_name("spans.txt"), "\n".join(said) + "\n")


def test_every_big_bench_task(tmp_path):
    def task(examples, **more):
        (tmp_path / "task.json").write_text(json.dumps({"examples": examples, **more}))
        suite = open_suite(tmp_path / "task.json")
        return [
            plain([suite.name, suite.recipe, suite.splits, suite.notes, suite.pool]),
            *(plain(one) for one in suite.tasks.values()),
            *(plain(row) for row in suite.rows("test")),
        ]

    choices = [{"input": f"Is {n} even?", "target_scores": {"yes": 1 - n % 2, "no": n % 2}} for n in range(6)]
    many = [{"input": "Pick.", "target_scores": {f"c{n:02}": n for n in range(count)}} for count in (30, 31)]
    free = [{"input": f"{n}?", "target": [str(n), f"it is {n}"]} for n in range(5)]
    said = [
        *task(choices, name="even", task_prefix=" Say it. ", description="Not shown.", keywords=["numbers", "x"]),
        *task(free, name="numbers", description="Numbers.", preferred_score="exact"),
        *task([*free[:4], {"input": "0?", "target": "late"}]),
        *(line for one in many for line in task([one], name="choices")),
        *task([{"input": "Both?", "target_scores": {"a": 1, "b": 1.0, "c": 0.5}}, {"input": "?", "target": "x"}]),
    ]
    approved(Path(__file__).with_name("bigbench.txt"), "\n".join(said) + "\n")
    for options, seed in (({"x": 1}, None), ({}, 0)):
        with pytest.raises(UserError, match="fixed"):
            open_suite(tmp_path / "task.json", seed=seed, options=options)


MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"text": "Where"}, {"text": "?"}]}]
ANSWER = {"role": "assistant", "content": "kitchen"}


def choice(content):
    return {"choices": [{"message": {"content": content}}]}


SAMPLES = [
    {"id": "t/1", "epoch": 2, "input": "Where?", "output": choice([{"text": "kit"}, {"text": "chen"}, "x", {}])},
    {"id": 2, "input": MESSAGES, "messages": [*MESSAGES, ANSWER, *MESSAGES], "output": choice("kitchen")},
    {"id": "3", "input": MESSAGES, "messages": MESSAGES, "error": {"message": "too long"}, "output": None},
    {"id": "4", "input": "x", "error": "timeout",
     "metadata": {"taskloom": {"id": "own", "task": "t", "hash": "h", "input": "asked"}}},
    {"id": "5", "input": "x", "error": "late", "output": choice("said")},
]  # fmt: skip
ORIGIN = {"taskloom": "1", "suite": "babi/task-1", "seed": 7, "options": {"test": 3}, "split": "dev"}


def logs(folder):
    """Logs of every format, by name."""
    folder.mkdir()
    whole = {"eval": {"model": "m", "metadata": ORIGIN}, "samples": SAMPLES}
    (folder / "a.json").write_text(json.dumps({"eval": {"model": "older"}, "samples": SAMPLES[:1]}))
    (folder / "b.json").write_text(json.dumps(whole))
    for name, head in (("c.eval", "header.json"), ("d.eval", "_journal/start.json")):
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(head, json.dumps({"eval": {"model": name, "metadata": {"suite": "not ours"}}}))
            for number, sample in enumerate(reversed(SAMPLES)):
                archive.writestr(f"samples/{9 - number}_epoch_1.json", json.dumps(sample))
            archive.writestr("samples/notes.txt", "no sample")
    (folder / "lm" / "deep").mkdir(parents=True)
    doc = {"id": "test-1", "task": "t", "hash": "h", "choices": ["yes", "no"]}
    doc["taskloom"] = {"suite": "s", "seed": 3, "options": '{"a": 1}'}
    lines = [
        {"doc": doc, "resps": [["kitchen", "more"]], "arguments": {"gen_args_0": {"arg_0": "Where?"}}},
        {"doc": {"id": 0}, "resps": ["plain"], "arguments": [["Where?", {}]]},
        {"doc": doc, "resps": [[["-1.5", "False"]], [["-0.5", "True"]]], "arguments": []},
        {"doc": doc, "resps": [[-0.5, 0], [-0.5, 0]], "arguments": [[]]},
        {"doc": {"taskloom": {}}, "resps": [], "arguments": ["x"]},
    ]
    (folder / "lm" / "deep" / "samples_t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "lm" / "samples_chat.jsonl").write_text(
        json.dumps({"doc": {}, "resps": [["x"]], "arguments": {"gen_args_0": {"arg_0": '  [{"role": "user"}]'}}}) + "\n"
    )
    (folder / "lm" / "results_1.json").write_text('{"model_source": "hf", "model_name": "my model"}')
    (folder / "o.tsv").write_text("hash\toutput\nh\tx\n")
    lines = [
        {"prediction": 3, "question": "Where?", "sample": 1}, {"raw": True, "id": 7, "task": "t"},
        {"error": "refused", "hash": "h"}, {"text": "a", "completion": "b", "input": "i", "prompt": "p"},
    ]  # fmt: skip
    (folder / "o.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    yield from (("inspect", folder / name) for name in ("a.json", "b.json", "c.eval", "d.eval", "."))
    yield from (("lm-eval", folder / name) for name in ("lm", "lm/deep/samples_t.jsonl", "lm/samples_chat.jsonl"))
    yield from (("outputs", folder / name) for name in ("o.tsv", "o.jsonl"))


def test_every_log_that_is_read(tmp_path):
    said = []
    for kind, path in logs(tmp_path / "logs"):
        outputs, *about = read_log(kind, str(path))
        said += [f"== {kind} {path.name}", plain(about), *map(plain, outputs)]
    approved(Path(__file__).with_name("logs.txt"), "\n".join(said) + "\n")


def test_every_count_of_an_import(tmp_path):
    rows = list(open_suite("babi/task-1", seed=7).rows("test", limit=4))
    lines = [{"hash": row_hash(*one), "output": one.instance.targets.canonical()} for one in rows[:3]]
    lines += [lines[0], {"hash": "none", "output": "x"}, {**lines[1], "sample": 1}, {"hash": "none", "output": "y"}]
    (tmp_path / "o.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = import_log("outputs", tmp_path / "o.jsonl", tmp_path / "run", suite=open_suite("babi/task-1", seed=7))
    said = describe(found)
    counts = {key: said[key] for key in ("matched", "unmatched", "missing", "repeated")}
    missing = len(list(open_suite("babi/task-1", seed=7).rows("test"))) - 3
    assert counts == {"matched": 3, "unmatched": 1, "missing": missing, "repeated": 2}
    assert said["overall"]["estimate"][0] == 1.0 and said["folder"] == str(tmp_path / "run")
    assert [record.id for record in found.run.records] == [one.instance.id for one in rows[:3]]


@pytest.fixture
def datasets(monkeypatch):
    """Stands for the module; tables and generators stay as they are given."""
    module = ModuleType("datasets")
    module.__spec__ = ModuleSpec("datasets", None)
    module.table = SimpleNamespace(InMemoryTable=lambda table: table)
    module.Dataset = type("Dataset", (), {"__new__": lambda _, table: table, "from_list": staticmethod(list)})
    module.DatasetDict = dict
    module.IterableDataset = SimpleNamespace(from_generator=lambda make: make)
    monkeypatch.setitem(sys.modules, "datasets", module)
    return module


def test_a_split_in_memory_is_the_table_and_a_stream_goes_on(datasets):
    suite = open_suite("babi/task-1", seed=3, options={"train": 3})
    records = list(HostTable(suite).records("test"))
    assert to_hf(suite).to_pylist()[:9] == [{**record, "targets": held["targets"]} for record, held in
                                            zip(records[:9], to_hf(suite).to_pylist(), strict=False)]  # fmt: skip
    assert to_hf(suite).num_rows == len(records) and to_hf(suite, "train", limit=2).num_rows == 2
    chat = to_hf(suite, protocol="chat", limit=1).to_pylist()[0]["prompt"]
    assert [turn["role"] for turn in chat][::5] == ["system", "user"]
    stream = to_hf_stream(suite)
    assert len({record["id"] for record in islice(stream(), 7)}) == 7
    rows = list(suite.rows("train"))
    assert [record["id"] for record in to_hf_stream(suite, rows)()] == [one.instance.id for one in rows]
    made, arguments = stream.__reduce__()
    assert made(*arguments) == (suite.identity, "base", "train")
    assert to_hf_stream(suite, rows).__reduce__() != to_hf_stream(suite, list(rows)).__reduce__()


def test_a_task_of_the_harness_holds_the_rows_of_its_suite(datasets):
    settings = {"suite": "seti/task2-trivial", "seed": 3, "split": "dev", "protocol": "bare", "n": 4, "ignored": 1}
    docs = load(**settings)["test"]
    suite = open_suite("seti/task2-trivial", seed=3)
    records = list(HostTable(suite, "bare").records("dev", 4))
    assert [doc["hash"] for doc in docs] == [record["hash"] for record in records]
    for doc, record in zip(docs, records, strict=True):
        assert doc["choices"] == list(suite.tasks[doc["task"]].labels)
        assert doc["choices"][doc["gold"]] == record["answer"]
        assert doc["taskloom"] == {"suite": "seti/task2-trivial", "seed": 3, "options": "{}"}
        assert {key: doc[key] for key in ("id", "task", "prompt", "answer", "input", "hash")} == {
            key: record[key] for key in ("id", "task", "prompt", "answer", "input", "hash")
        }
        assert process_results(doc, [record["answer"]]) == {"score": 1.0, "strict": 1.0}
        assert process_results(doc, [[record["answer"]]]) == {"score": 0.0, "strict": 0.0}
    mixed = {"suite": "babi/mix-t7", "options": {"test": 30}}
    every = load(**mixed)["test"]
    only = load(**mixed, only_task=every[0]["task"])["test"]
    assert [doc for doc in every if doc["task"] == every[0]["task"]] == only and 0 < len(only) < len(every)
    assert load(**mixed, only_task="no such")["test"] == []
    assert all(doc["choices"] == [doc["answer"]] and doc["gold"] == 0 for doc in every if doc["task"] == "where-person")


def test_without_datasets_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr("taskloom.hosts.hf.find_spec", lambda name: None)
    with pytest.raises(UserError, match="a Hugging Face data set needs the package 'datasets'"):
        to_hf(open_suite("babi/task-1"), limit=1)
