"""`taskloom export`: every option means the same in every format, or is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from taskloom import open_suite
from taskloom.cli.export import FOLDERS, FORMATS, OPTIONS
from taskloom.cli.main import main

SUITES = {
    "babi-text": ("babi/task-1", "test=12"),
    "squad": ("babi/task-1", "test=12"),
    "babi-kit": ("babi/task-1", "test=12"),
    "seti-json": ("seti/task2-trivial", "test=40"),
    "zest-json": ("zest/fictional", "passages=4"),
    "hf": ("babi/task-1", "test=12"),
    "superni": ("babi/task-1", "test=12"),
    "lm-eval": ("babi/task-1", "test=12"),
}


def written_inputs(kind: str, folder: Path) -> list[str]:
    """What each question of an export is asked of, read without any code of ours."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")
    files = sorted(path for path in found if not path.name.endswith("-canary.txt"))
    match kind:
        case "babi-text":
            return [line for line in files[0].read_text().splitlines() if "\t" in line]
        case "squad":
            paragraphs = json.loads(files[0].read_text())["data"][0]["paragraphs"]
            return [paragraph["context"] for paragraph in paragraphs]
        case "babi-kit":
            return files[0].read_text().splitlines()
        case "seti-json":
            return [one["sent1"] + one["sent2"] for one in json.loads(files[0].read_text())]
        case "zest-json":
            tasks = [json.loads(line) for line in files[0].read_text().splitlines()]
            return [example["context"] + task["question"] for task in tasks for example in task["examples"]]
        case "hf":
            return pq.read_table(folder / "data").column("input").to_pylist()
        case "superni":
            found = [json.loads(path.read_text()) for path in sorted((folder / "tasks").iterdir())]
            return [instance["input"] for task in found for instance in task["Instances"]]
    raise AssertionError(kind)


def export(kind: str, folder: Path, *words: str) -> int:
    name, size = SUITES[kind]
    return main(["export", kind, name, "-T", size, "-o", str(folder), *words])


@pytest.mark.parametrize("kind", ["hf", "superni", "squad"])
def test_what_is_published_can_be_found_again_by_its_canary(kind, tmp_path):
    texts = []
    for folder, seed in (("one", "1"), ("two", "2"), ("again", "1")):
        assert export(kind, tmp_path / folder, "--split", "test", "--seed", seed) == 0
        every = (path for path in (tmp_path / folder).iterdir() if path.suffix in (".md", ".txt"))
        texts.append({found[0] for path in every if (found := re.search("canary [0-9a-f-]{36}", path.read_text()))})
    assert texts[0] == texts[2] != texts[1] and len(texts[0]) == 1


@pytest.mark.parametrize("kind", [kind for kind in (*FOLDERS, *FORMATS) if kind != "lm-eval"])
def test_limit_split_seed_and_keys_are_heeded(kind, tmp_path):
    assert export(kind, tmp_path / "whole", "--split", "test") == 0
    whole = written_inputs(kind, tmp_path / "whole")
    name, _, value = SUITES[kind][1].partition("=")
    rows = list(open_suite(SUITES[kind][0], options={name: int(value)}).rows("test"))
    assert len(whole) == len(rows), "one split, of the size the key asks for"
    assert export(kind, tmp_path / "some", "--split", "test", "--rows", "3") == 0
    some = written_inputs(kind, tmp_path / "some")
    assert len(some) == 3 and set(some) <= set(whole)
    assert export(kind, tmp_path / "other", "--split", "test", "--rows", "3", "--seed", "5") == 0
    assert written_inputs(kind, tmp_path / "other") != some


def test_lm_eval_tasks_name_limit_split_seed_and_keys(tmp_path):
    assert export("lm-eval", tmp_path, "--split", "dev", "--rows", "3", "--seed", "5") == 0
    (file,) = tmp_path.glob("*.yaml")

    class Loader(yaml.SafeLoader):
        """Knows the harness's tag for functions, and leaves it alone."""

    Loader.add_constructor("!function", lambda loader, node: node.value)
    metadata = yaml.load(file.read_text(), Loader)["metadata"]
    asked = {key: metadata[key] for key in ("suite", "seed", "split", "n", "options")}
    assert asked == {"suite": "babi/task-1", "seed": 5, "split": "dev", "n": 3, "options": {"test": 12}}


VALUES = {"--as": "peft", "--seed": "5", "--split": "test", "--rows": "3", "-T": "test=12"}
VALUES |= {"--protocol": "base", "--form": "choice"}
UNHEEDED = [
    (kind, option)
    for option, (_, formats) in OPTIONS.items()
    for kind in (*FOLDERS, *FORMATS, "model")
    if kind not in formats
]


@pytest.mark.parametrize(("kind", "option"), UNHEEDED)
def test_an_option_without_meaning_is_refused(kind, option, tmp_path, capsys):
    name = SUITES[kind][0] if kind in SUITES else "runs/tuned"
    assert main(["export", kind, name, "-o", str(tmp_path / "out"), option, VALUES[option]]) == 2
    assert f"{option} does not apply to {kind}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_option_of_the_environment_is_meant_for_others(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_PROTOCOL", "chat")
    assert export("squad", tmp_path / "out", "--split", "test") == 0


@pytest.mark.parametrize("limit", ["0", "-1", "0.5", "few"])
def test_rows_is_a_number(limit, tmp_path, capsys):
    assert export("squad", tmp_path / "out", f"--rows={limit}") == 2
    assert "takes a whole number, 1 or more" in capsys.readouterr().err


ENDLESS = """
from taskloom import Item, Suite, task


@task(definition="Repeat the number.", keys=10**9)
def repeat(rng, key):
    return Item(f"The number is {key}.", str(key))


suite = Suite.of([repeat], seed=1, train=None, test=5)
"""


@pytest.mark.parametrize("kind", ["hf", "superni", "squad"])
def test_an_endless_split_needs_a_limit(kind, tmp_path, capsys):
    (tmp_path / "own.py").write_text(ENDLESS)
    words = ["export", kind, str(tmp_path / "own.py"), "--split", "train", "-o", str(tmp_path / "out")]
    assert main(words) == 2
    assert "this split is endless" in capsys.readouterr().err
    assert main([*words, "--rows", "4"]) == 0
    assert len(written_inputs(kind, tmp_path / "out")) == 4
