"""Exported lm-eval files are what the harness reads, whatever harness is installed."""

from __future__ import annotations

import msgspec
import pytest
import yaml

from taskloom import Suite, UserError, open_suite
from taskloom.cli.main import main
from taskloom.hosts.lm_eval import host_name, lm_eval_path, process_results, write_lm_eval
from taskloom.hosts.table import HostTable


class Loader(yaml.SafeLoader):
    pass


Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def read(path):
    return yaml.load(path.read_text(), Loader=Loader)


def test_a_group_and_its_tasks(tmp_path):
    names = write_lm_eval(open_suite("babi/mix-t7", seed=3), tmp_path, limit=30)
    group = read(tmp_path / f"{names[0]}.yaml")
    assert group["task"] == sorted(names[1:]) and group["aggregate_metric_list"][0]["weight_by_size"] is False
    task = read(tmp_path / f"{names[1]}.yaml")
    assert task["metadata"]["seed"] == 3 and task["metadata"]["only_task"] in names[1]
    assert task["custom_dataset"] == "taskloom.hosts.lm_eval.load"


def test_tasks_without_rows_are_not_written(tmp_path):
    names = write_lm_eval(open_suite("superni/embedded"), tmp_path, limit=40)
    asked = {row.task for row in open_suite("superni/embedded").rows("test", limit=40)}
    assert {host_name("superni/embedded", task) for task in asked} | {host_name("superni/embedded")} >= set(names)


def test_choices_need_labels(tmp_path):
    (name,) = write_lm_eval(open_suite("seti/task2-trivial"), tmp_path, form="choice")
    assert read(tmp_path / f"{name}.yaml")["output_type"] == "multiple_choice"
    with pytest.raises(UserError, match="labels"):
        write_lm_eval(open_suite("babi/task-1"), tmp_path, form="choice")


def test_what_does_not_fit_is_refused(tmp_path):
    suite = open_suite("babi/task-1")
    with pytest.raises(UserError, match="chat messages"):
        write_lm_eval(suite, tmp_path, protocol="chat")
    with pytest.raises(UserError, match="one split"):
        write_lm_eval(suite, tmp_path, splits=["dev", "test"])
    with pytest.raises(UserError, match="made in Python"):
        write_lm_eval(suite.take(3), tmp_path)
    assert isinstance(suite, Suite)


def test_the_ready_made_folder(capsys):
    assert main(["lm-eval-path"]) == 0
    folder = lm_eval_path()
    assert str(folder) in capsys.readouterr().out
    assert (folder / "taskloom_babi_task-1.yaml").is_file() and not (folder / "taskloom_superni_en.yaml").exists()


def test_a_task_file_of_somebody_else_is_left_as_it_is(tmp_path):
    (name,) = write_lm_eval(open_suite("babi/task-1"), tmp_path)
    write_lm_eval(open_suite("babi/task-1", seed=1), tmp_path)
    (tmp_path / f"{name}.yaml").write_text("task: mine\n")
    with pytest.raises(UserError, match="changed since"):
        write_lm_eval(open_suite("babi/task-1"), tmp_path)
    assert (tmp_path / f"{name}.yaml").read_text() == "task: mine\n"


def test_a_right_output_scores_by_both_readings_and_a_wrong_one_by_neither():
    suite = open_suite("babi/task-1", seed=3)
    record = next(iter(HostTable(suite, "base").records("test")))
    doc = {**record, "targets": msgspec.json.encode(record["targets"]).decode()}
    doc["taskloom"] = {"suite": "babi/task-1", "seed": 3, "options": "{}"}
    assert process_results(doc, [record["answer"]]) == {"score": 1.0, "strict": 1.0}
    assert process_results(doc, ["nowhere"]) == {"score": 0.0, "strict": 0.0}
