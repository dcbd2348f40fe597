"""Outputs of other tools become runs with our scores, however their questions are known."""

from __future__ import annotations

import csv
import json
import zipfile

import pytest

from taskloom import UserError, open_suite
from taskloom.cli.main import main
from taskloom.core import row_hash
from taskloom.hosts.imports import import_log
from taskloom.hosts.table import HostTable
from taskloom.run.log import read_records


@pytest.fixture(scope="module")
def rows():
    return list(open_suite("babi/task-1", seed=7).rows("test", limit=12))


def lines(rows, how):
    suite = open_suite("babi/task-1", seed=7)
    table = HostTable(suite)
    for place, row in enumerate(rows):
        record = table.record(row)
        known = {
            "id": {"id": record["id"]},
            "task": {"id": record["id"], "task": record["task"]},
            "hash": {"hash": record["hash"]},
            "prompt": {"prompt": record["prompt"]},
            "input": {"input": f"  {record['input']}\n"},
        }[how]
        yield {**known, "output": f"The {record['answer']}." if place % 2 else "nowhere at all"}


@pytest.mark.parametrize("how", ["hash", "prompt", "input"])
def test_every_way_to_know_a_question(how, rows, tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines(rows, how)))
    found = import_log("outputs", file, tmp_path / "run", suite="babi/task-1", seed=7, name="mine")
    assert [record.score for record in found.run.records] == [0.0, 1.0] * 6
    assert (found.matched, found.unmatched) == (12, 0) and found.run.name == "mine"
    # The same as a model of `taskloom run`.
    command = f"run babi/task-1 --seed 7 --limit 12 --model outputs/{file} --reader lenient --protocol base -o"
    assert main([*command.split(), str(tmp_path / "again")]) == 0


@pytest.mark.parametrize("how", ["id", "task"])
def test_ids_count_only_where_they_are_taken_at_their_word(how, rows, tmp_path, capsys):
    """The ids of another seed are the same, and no row is."""
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines(rows, how)))
    for seed in (7, 8):
        with pytest.raises(UserError, match="none of the 12 outputs") as raised:
            import_log("outputs", file, tmp_path / "run", suite="babi/task-1", seed=seed)
        assert "--by-id" in raised.value.hint
    command = ["import", "outputs", str(file), "--suite", "babi/task-1", "--seed", "7", "--by-id", "-o"]
    assert main([*command, str(tmp_path / "run")]) == 0
    assert "answers (answers matched by id)" in capsys.readouterr().out
    for verb in (["score"], ["gate", "--min", "0"]):
        main([verb[0], str(tmp_path / "run"), *verb[1:]])
        assert "answers matched by id" in capsys.readouterr().out
    model = f"run babi/task-1 --seed 7 --limit 12 --protocol base --reader lenient --model outputs/{file} -o".split()
    assert main([*model, str(tmp_path / "no")]) == 1
    assert main([*model, str(tmp_path / "yes"), "-M", "by_id=true"]) == 0


@pytest.mark.parametrize("how", ["hash", "prompt", "input"])
def test_outputs_of_another_seed_match_nothing(how, rows, tmp_path):
    file = tmp_path / "answers.jsonl"
    others = {row.instance.input for row in open_suite("babi/task-1", seed=8).rows("test")}
    own = [row for row in rows if row.instance.input not in others]  # the shortest stories repeat
    file.write_text("".join(json.dumps({"id": "test-1", **line}) + "\n" for line in lines(own, how)))
    with pytest.raises(UserError, match=f"none of the {len(own)} outputs"):
        import_log("outputs", file, tmp_path / "run", suite="babi/task-1", seed=8)


def test_csv_on_the_command_line(rows, tmp_path, capsys):
    file = tmp_path / "answers.csv"
    with file.open("w", newline="") as out:
        table = csv.DictWriter(out, ["hash", "output"])
        table.writeheader()
        table.writerows(lines(rows, "hash"))
    command = ["import", "outputs", str(file), "--suite", "babi/task-1", "--seed", "7", "-o", str(tmp_path / "run")]
    assert main(command) == 0
    assert "12 outputs matched, 0 match no row" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    with file.open("a") as out:
        out.write("nobody,nothing\n")
    assert main([*command[:-1], str(tmp_path / "other")]) == 1
    assert main(["gate", str(tmp_path / "run"), "--min", "0.1"]) == 0


def test_strict_reading(rows, tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines(rows, "input")))
    found = import_log("outputs", file, tmp_path / "run", suite="babi/task-1", seed=7, reader="whole")
    assert sum(record.score for record in found.run.records) == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"id": "1"}\n', "no output here"),
        ('{"output": "x"}\n', "nothing identifies the question"),
        ("[1]\n", "is an object"),
        ("{\n", "line"),
        ('{"output": "x", "id": "1", "sample": "z"}\n', "whole number"),
        ('{"output": "x", "id": "nobody"}\n', "none of the 1 outputs"),
        ("", "no outputs here"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(text, why, tmp_path):
    file = tmp_path / "bad.jsonl"
    file.write_text(text)
    with pytest.raises(UserError, match=why):
        import_log("outputs", file, tmp_path / "run", suite="babi/task-1")


def test_an_id_that_several_tasks_use_is_refused_unless_the_task_is_named(tmp_path, capsys):
    few = {"tasks": 2, "train": 4, "dev": 2, "test": 4}
    suite = open_suite("taskbench/lexical", options=few)
    asked = {row.task: row for row in suite.rows("test") if row.instance.id == "test-00001"}
    row = next(iter(asked.values()))
    assert len(asked) > 1
    file = tmp_path / "answers.jsonl"
    right = {"id": row.instance.id, "output": row.instance.targets.canonical()}
    file.write_text(json.dumps(right) + "\n")
    with pytest.raises(UserError, match="'test-00001' is a question of"):
        import_log("outputs", file, tmp_path / "run", suite="taskbench/lexical", options=few, by_id=True)
    command = f"run taskbench/lexical --limit 2 --model outputs/{file} -M by_id=true -o {tmp_path / 'as-model'}".split()
    assert main([*command, *(word for key in few for word in ("-T", f"{key}={few[key]}"))]) == 2
    assert "name the task" in capsys.readouterr().err
    file.write_text(json.dumps({**right, "task": row.task}) + "\n")
    found = import_log("outputs", file, tmp_path / "run", suite="taskbench/lexical", options=few, by_id=True)
    assert [record.score for record in found.run.records] == [1.0]


def test_repeated_outputs_are_counted_and_numbers_are_answers(rows, tmp_path, capsys):
    file = tmp_path / "answers.jsonl"
    known = rows[0].instance.id
    lines = [{"id": known, "output": 3}, {"id": known, "output": True}, {"id": "nobody", "output": "x"}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ["import", "outputs", str(file), "--suite", "babi/task-1", "--seed", "7", "--by-id"]
    command += ["-o", str(tmp_path / "run")]
    assert main(command) == 1
    said = capsys.readouterr().out
    assert "1 output matched, 1 match no row" in said and "1 output is repeated later" in said
    assert [record.raw for record in read_records(tmp_path / "run")] == ["true"]


def test_bad_logs_are_refused_in_a_sentence(tmp_path):
    (tmp_path / "log.eval").write_bytes(b"no zip")
    with pytest.raises(UserError, match="the log cannot be read: File is not a zip file"):
        import_log("inspect", tmp_path / "log.eval", tmp_path / "run")
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(UserError, match="not a log of Inspect"):
        import_log("inspect", tmp_path / "log.eval", tmp_path / "run")
    with pytest.raises(UserError, match="no samples_"):
        import_log("lm-eval", tmp_path, tmp_path / "run")
    (tmp_path / "samples_x.jsonl").write_text('{"doc": 3}\n')
    with pytest.raises(UserError, match="not a sample"):
        import_log("lm-eval", tmp_path, tmp_path / "run")
    with pytest.raises(UserError, match="unknown kind of log"):
        import_log("inspct", tmp_path, tmp_path / "run")


def test_an_inspect_log_in_json(rows, tmp_path):
    samples = [
        {"id": f"{row.task}/{row.instance.id}", "epoch": 1, "input": row.instance.input, "metadata": {},
         "output": {"choices": [{"message": {"content": row.instance.targets.canonical()}}]}}
        for row in rows
    ]  # fmt: skip
    log = {"eval": {"model": "m", "metadata": {"taskloom": "0", "suite": "babi/task-1", "seed": 7}}, "samples": samples}
    (tmp_path / "log.json").write_text(json.dumps(log))
    found = import_log("inspect", tmp_path / "log.json", tmp_path / "run")
    assert found.matched == 12 and found.run.overall().estimate.value == 1.0


def test_what_was_sent_is_taken_from_the_log_and_nothing_else(rows, tmp_path):
    row = rows[0]
    said = {"choices": [{"message": {"content": "kitchen"}}]}
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": row.instance.input}]
    sample = {"id": f"{row.task}/{row.instance.id}", "epoch": 1, "input": row.instance.input, "output": said,
              "messages": [*turns, {"role": "assistant", "content": "kitchen"}]}  # fmt: skip
    log = {"eval": {"model": "m", "metadata": {"taskloom": "0", "suite": "babi/task-1", "seed": 7}}}
    (tmp_path / "log.json").write_text(json.dumps({**log, "samples": [sample]}))
    [record] = import_log("inspect", tmp_path / "log.json", tmp_path / "run").run.records
    assert "Be brief." in record.prompt and row.instance.input in record.prompt
    assert "kitchen" not in record.prompt.replace(row.instance.input, "") and record.protocol == "imported-chat"
    (tmp_path / "o.jsonl").write_text(json.dumps({"input": row.instance.input, "task": row.task, "output": "x"}))
    [record] = import_log("outputs", tmp_path / "o.jsonl", tmp_path / "two", suite="babi/task-1", seed=7).run.records
    assert record.prompt == "(the log does not tell what was sent)" and record.protocol == "imported"


@pytest.mark.parametrize(
    ("sent", "protocol"),
    [("Mary went.\nWhere?", "text"), ('[{"role": "user", "content": "Where?"}]', "chat")],
)
def test_a_log_of_lm_eval_says_how_the_model_was_asked(rows, tmp_path, sent, protocol):
    doc = {"hash": row_hash(*rows[0]), "task": rows[0].task}
    line = {"doc": doc, "resps": [["kitchen"]], "arguments": {"gen_args_0": {"arg_0": sent}}}
    (tmp_path / "samples_babi.jsonl").write_text(json.dumps(line) + "\n")
    found = import_log("lm-eval", tmp_path, tmp_path / "run", suite="babi/task-1", seed=7)
    assert [record.protocol for record in found.run.records] == [f"imported-{protocol}"]


def test_likelihoods_of_choices_are_read(tmp_path):
    suite = open_suite("seti/task2-trivial")
    with (tmp_path / "samples_seti.jsonl").open("w") as out:
        for row in suite.rows("test", limit=6):
            labels = list(suite.tasks[row.task].labels)
            right = labels.index(row.instance.targets.canonical())
            resps = [[["0.0" if place == right else "-2.5", "False"]] for place in range(len(labels))]
            doc = {"hash": row_hash(*row), "task": row.task, "choices": labels}
            out.write(json.dumps({"doc": doc, "resps": resps, "arguments": []}) + "\n")
    found = import_log("lm-eval", tmp_path, tmp_path / "run", suite="seti/task2-trivial")
    assert found.run.overall().estimate.value == 1.0


def test_the_log_that_is_imported_is_never_written_over(rows, tmp_path):
    """A log may well lie in the folder that the run goes to, under the name the run's own copy has."""
    file = tmp_path / "outputs.jsonl"
    text = "".join(json.dumps(line) + "\n" for line in lines(rows, "hash"))
    file.write_text(text)
    with pytest.raises(UserError, match="not written by Taskloom"):
        import_log("outputs", file, tmp_path, suite="babi/task-1", seed=7)
    assert file.read_text() == text


@pytest.mark.parametrize(
    "log",
    [
        {"eval": [1], "samples": []},
        {"eval": {"metadata": "taskloom"}, "samples": 5},
        {"eval": {"metadata": {"taskloom": "1", "suite": 3, "seed": "x", "options": [1]}}, "samples": [{"id": "1"}]},
        {"eval": {"model": "m"}, "samples": [7]},
    ],
)
def test_a_log_of_an_odd_shape_is_refused_in_a_sentence(log, tmp_path):
    (tmp_path / "log.json").write_text(json.dumps(log))
    with pytest.raises(UserError):
        import_log("inspect", tmp_path / "log.json", tmp_path / "run")


@pytest.mark.parametrize("origin", ["taskloom", {"suite": ["x"]}, {"suite": "babi/task-1", "options": "[1]"}])
def test_an_odd_sample_of_lm_eval_is_refused_in_a_sentence(origin, tmp_path):
    (tmp_path / "samples_t.jsonl").write_text(json.dumps({"doc": {"taskloom": origin}, "resps": [["a"]]}) + "\n")
    with pytest.raises(UserError):
        import_log("lm-eval", tmp_path / "samples_t.jsonl", tmp_path / "run")


@pytest.mark.parametrize("said", [[{"a": 1}], [[[{}]]], {"x": [1]}, [[1e308], [None]], [[["x"]]], [[5], [6]], 7])
def test_odd_likelihoods_are_refused_in_a_sentence(said, tmp_path):
    line = {"doc": {"choices": ["one"]}, "resps": said}
    (tmp_path / "samples_t.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(UserError, match=r"samples_t\.jsonl:1|does not say which suite"):
        import_log("lm-eval", tmp_path / "samples_t.jsonl", tmp_path / "run")
