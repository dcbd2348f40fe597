"""A suite that leaves for `datasets` comes back row for row, and its card says what it is."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
import yaml

from taskloom import UserError, open_suite, run_suite
from taskloom.cli.main import main
from taskloom.core import row_hash
from taskloom.hosts.hf import split_name, write_hf
from taskloom.hosts.table import HostTable

SUITES = ("babi/mix-t7", "seti/task2-trivial", "superni/embedded", "taskbench/synonyms[eng]", "zest/fictional")


def hashes(suite, split):
    return [row_hash(*row) for row in suite.rows(split, limit=30)]


@pytest.mark.parametrize("name", SUITES)
def test_every_family_comes_back_with_equal_rows(name, tmp_path):
    small = {"train": 20, "dev": 10, "test": 20, "surplus": 0, "passages": 4} if name == "zest/fictional" else {}
    suite = open_suite(name, seed=3, options=small)
    split = suite.default_split()
    manifest = write_hf(suite, tmp_path / "d", splits=[split], limit=30)
    again = open_suite(tmp_path / "d")
    assert hashes(again, split) == hashes(suite, split)
    assert dict(again.tasks) == dict(suite.tasks)
    assert manifest.rows == {split: 30} and again.pool is None
    table = pq.read_table(tmp_path / "d" / "data" / f"{split}.parquet")
    assert {"id", "task", "prompt", "answer", "targets", *HostTable(suite).facets.values()} <= set(table.column_names)
    assert table.column("answer").to_pylist() == [r.instance.targets.canonical() for r in suite.rows(split, limit=30)]


def test_scores_are_equal_after_the_round_trip(tmp_path):
    suite = open_suite("babi/task-1").take(40)
    write_hf(suite, tmp_path / "d")
    for model in ("mock/oracle", "mock/majority"):
        first = run_suite(suite, model=model, folder=tmp_path / "a" / model)
        second = run_suite(open_suite(tmp_path / "d"), model=model, folder=tmp_path / "b" / model)
        assert [r.score for r in first.records] == [r.score for r in second.records]
        assert first.overall() == second.overall()


def test_prompts_follow_the_protocol(tmp_path):
    suite = open_suite("babi/task-1")
    row = next(suite.rows("test"))
    chat = HostTable(suite, "chat").record(row)["prompt"]
    assert [message["role"] for message in chat] == ["system", *["user", "assistant"] * 2, "user"]
    base = HostTable(suite).record(row)["prompt"]
    assert base.endswith(f"{row.instance.input}\nAnswer:")
    write_hf(suite, tmp_path / "d", splits=["test"], protocol="chat", limit=3)
    assert pq.read_table(tmp_path / "d" / "data" / "test.parquet").column("prompt").to_pylist()[0] == chat
    with pytest.raises(UserError, match="unknown protocol"):
        HostTable(suite, "chta")


def test_the_card_is_a_card(tmp_path):
    assert main(["export", "hf", "taskbench/synonyms[eng]", "-T", "labels=faithful", "--rows", "5", "--seed", "4",
                 "--split", "test", "-o", str(tmp_path / "d")]) == 0  # fmt: skip
    text = (tmp_path / "d" / "README.md").read_text()
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["configs"][0]["data_files"] == [{"split": "test", "path": "data/test.parquet"}]
    assert front["license"] == "cc-by-sa-4.0"
    for part in ("Vulgar words", "## Motivation", "## Composition", "## Preview", "## Process", "## Uses",
                 "## Licences", "WordNet 3.0 licence", "--seed 4", "labels=faithful", "--rows 5"):  # fmt: skip
        assert part in text
    write_hf(open_suite("taskbench/synonyms[eng]"), tmp_path / "clean", splits=["test"], limit=5)
    assert "Vulgar words" not in (tmp_path / "clean" / "README.md").read_text()
    assert yaml.safe_load((tmp_path / "d" / "eval.yaml").read_text())["tasks"][0]["split"] == "test"


def test_what_was_changed_is_refused(tmp_path):
    suite = open_suite("babi/task-1").take(5)
    write_hf(suite, tmp_path / "d", splits=["test"])
    path = tmp_path / "d" / "data" / "test.parquet"
    table = pq.read_table(path)
    changed = table.set_column(table.column_names.index("input"), "input", [["x"] * 5])
    pq.write_table(changed.cast(table.schema), path)
    with pytest.raises(UserError, match="changed after it was written"):
        list(open_suite(tmp_path / "d").rows("test"))
    with pytest.raises(UserError, match="not empty"):
        write_hf(suite, tmp_path / "d")
    with pytest.raises(UserError, match="fixed"):
        open_suite(tmp_path / "d", seed=3)
    with pytest.raises(UserError, match="unknown split"):
        write_hf(suite, tmp_path / "e", splits=["tset"])


@pytest.mark.parametrize(("known", "odd"), [('"str"', '"text"'), ('"apart":"', '"apart":"far ')])
def test_a_manifest_that_no_export_wrote_is_refused(known, odd, tmp_path):
    write_hf(open_suite("babi/task-1").take(5), tmp_path / "d", splits=["test"])
    path = tmp_path / "d" / "taskloom" / "suite.json"
    plain = json.dumps(json.loads(path.read_text()), separators=(",", ":"))
    assert known in plain
    path.write_text(plain.replace(known, odd))
    with pytest.raises(UserError, match=r"suite\.json"):
        open_suite(tmp_path / "d")


def test_split_names():
    assert [split_name(name) for name in ("test", "dev-2", "a b", "all")] == ["test", "dev_2", "a_b", "all_"]


@pytest.mark.parametrize("arguments", [["superni"], ["hf"]])
def test_split_is_honoured(arguments, tmp_path):
    folder = tmp_path / "d"
    assert (
        main(
            ["export", *arguments, "babi/task-1", "-T", "test=7", "-T", "train=9", "--split", "test", "-o", str(folder)]
        )
        == 0
    )
    again = open_suite(folder)
    assert dict(again.splits) == {"test": 7}
