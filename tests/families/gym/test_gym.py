"""Datasets of reasoning-gym as suites, and suites as its datasets: whole rows and scores (see `tests/approved.py`).

A small package of its name stands in for it; `make test-hosts` has the real one.
"""

from __future__ import annotations

import sys
from importlib import import_module, invalidate_caches
from pathlib import Path

import msgspec
import pytest

from approved import approved, plain
from taskloom import UserError, open_suite, run_suite
from taskloom.core import Instruction, Task, any_of
from taskloom.core.catalog import FAMILIES
from taskloom.core.targets import CheckedAnswers
from taskloom.families.gym import family as gym
from taskloom.hosts.table import HostTable

PACKAGE = {
    "reasoning_gym/__init__.py": """
from reasoning_gym.factory import DATASETS
from reasoning_gym.arithmetic import sums

def create_dataset(name, size, seed, **config):
    return DATASETS[name][0](DATASETS[name][1](size=size, seed=seed, **config))
""",
    "reasoning_gym/dataset.py": """
class ProceduralDataset:
    def __init__(self, config, seed, size):
        self.config, self.seed, self.size = config, seed, size
        self.category = "arithmetic"

    def __len__(self):
        return self.size
""",
    "reasoning_gym/factory.py": """
DATASETS = {}

def register_dataset(name, dataset, config):
    DATASETS[name] = (dataset, config)
""",
    "reasoning_gym/arithmetic/__init__.py": "",
    "reasoning_gym/arithmetic/deeper/word.py": 'DATASET_NAME = "spelling"\n',
    "reasoning_gym/arithmetic/composite.py": 'register_dataset("composite", A, B)\n',
    "reasoning_gym/arithmetic/sums.py": """
import math
import random
from dataclasses import dataclass
from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import register_dataset

@dataclass
class Config:
    size: int
    seed: int
    most: int = 9

    def __post_init__(self):
        assert self.most > 0, "most is positive"

class Sums(ProceduralDataset):
    def __init__(self, config):
        super().__init__(config, config.seed, config.size)

    def __getitem__(self, index):
        rng = random.Random(f"{self.seed} {index}")
        a, b = rng.randint(0, self.config.most), rng.randint(1, 2)
        metadata = {
            "source_dataset": "sums", "source_index": index, "even": a % 2 == 0, "a": a,
            "ratio": a if a % 3 else a / 2, "mixed": a if a % 2 else str(a), "long": "x" * 61, "short": "x" * 60,
            "pair": (a, b), "difficulty": {"most": (0, self.config.most), "terms": 2, "names": ["a", "b"], "by": {}},
        }
        answer = str(a + b) if a else None
        return {"question": f"What is {a} + {b}?", "answer": answer, "metadata": metadata}

    def score_answer(self, answer, entry):
        said = {"nan": math.nan, "more": 1.5, "less": -0.5, "half": 0.5}
        if answer in said:
            return said[answer]
        return float(int(answer) == sum(entry["metadata"]["pair"]))

register_dataset("sums", Sums, Config)
""",
    "reasoning_gym-9.9.dist-info/METADATA": "Metadata-Version: 2.1\nName: reasoning-gym\nVersion: 9.9\n",
}
SIZES = {"train": 6, "dev": 3, "test": 8}


def _forget():
    gym.names.cache_clear()
    invalidate_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] == "reasoning_gym"]:
        del sys.modules[name]
    sys.modules.pop("taskloom.hosts.reasoning_gym", None)


@pytest.fixture
def package(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("package")
    for name, text in PACKAGE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(folder)
    _forget()
    yield import_module("reasoning_gym")
    monkeypatch.undo()
    _forget()


def test_its_datasets_are_suites_whose_splits_share_no_question(package):
    assert gym.names() == ("spelling", "sums")
    said = []
    for seed, options in ((1, SIZES), (2, {**SIZES, "config": {"most": 2}}), (1, {"train": 0, "dev": 0, "test": 2})):
        suite = open_suite("reasoning-gym/sums", seed=seed, options=options)
        said.append(plain([suite.name, suite.seed, suite.recipe, suite.splits, suite.notes]))
        said.append(plain({name: kind.__name__ for name, kind in suite.facets.items()}))
        said += [plain(msgspec.structs.asdict(task)) for task in suite.tasks.values()]
        rows = {split: list(suite.rows(split)) for split in suite.splits}
        asked = [row.instance.input for held in rows.values() for row in held]
        assert len(set(asked)) == len(asked)
        said += [plain([split, *row]) for split, held in rows.items() for row in held]
    approved(Path(__file__).with_name("rows.txt"), "\n".join(said) + "\n")


def test_scores_are_those_of_the_dataset_between_0_and_1(package, tmp_path):
    suite = open_suite("reasoning-gym/sums", seed=1, options={**SIZES, "train": 0})
    (task,), row = suite.tasks.values(), next(row for row in suite.rows("test") if row.instance.targets.canonical())
    right = row.instance.targets.canonical()
    said = (right, right + "0", "half", "more", "less", "nan", "nothing", "x" * 10_000, "x" * 10_001)
    scores = [gym.GYM.score(answer, row.instance.targets, task) for answer in said]
    assert [found.value for found in scores] == [1, 0, 0.5, 1, 0, 0, 0, 0, 0]
    assert scores[6].details == {"refused": "ValueError: invalid literal for int() with base 10: 'nothing'"}
    assert "refused" in scores[7].details and scores[8].details == {"too_long": 10_001}
    assert len(gym.GYM.score("x" * 300, row.instance.targets, task).details["refused"]) == 200
    plainly = [gym.GYM.score(answer, any_of("7"), Task("t", Instruction("?"))).value for answer in ("7", "8")]
    assert plainly == [1, 0]
    run = run_suite(suite, model="mock/oracle", folder=tmp_path / "run", limit=3)
    assert [record.score for record in run.records] == [float(bool(record.raw)) for record in run.records]


def test_what_it_cannot_make_is_refused_in_a_sentence(package, monkeypatch):
    with pytest.raises(UserError, match="rejects these settings: most is positive"):
        open_suite("reasoning-gym/sums", options={"config": {"most": 0}})
    with pytest.raises(UserError, match="rejects these settings: .*'least'"):
        open_suite("reasoning-gym/sums", options={"config": {"least": 0}})
    with pytest.raises(UserError, match="0 or more rows"):
        open_suite("reasoning-gym/sums", options={"dev": -1})
    with pytest.raises(UserError, match="unknown suite") as raised:
        open_suite("reasoning-gym/smus")
    assert "did you mean 'reasoning-gym/sums'" in raised.value.message
    assert dict(FAMILIES.get("reasoning-gym").suites()).keys() == {"spelling", "sums"}
    monkeypatch.setattr("taskloom.families.gym.family.find_spec", lambda name: None)
    gym.names.cache_clear()
    assert FAMILIES.get("reasoning-gym").suites() == {}
    with pytest.raises(UserError, match="needs the package 'reasoning-gym'"):
        open_suite("reasoning-gym/sums")


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, "x", True, None], "b": {"c": (1, (2, "y"))}},
        {1: "a", (0, 1): {"x", "y"}},
        [2**63 - 1, -(2**63) + 1, 2**63, -(2**63), 10**30],
        {"s": {3, 1, 2}, "t": ()},
    ],
)
def test_an_entry_comes_back_from_json_as_it_was(value):
    kept = msgspec.json.encode(gym.plain(value))
    assert gym.revive(msgspec.json.decode(kept)) == value
    assert repr(gym.revive(msgspec.json.decode(kept))) == repr(value) or "{'x', 'y'}" not in repr(value)


def test_what_json_has_no_kind_for_is_kept_as_text():
    assert gym.revive(gym.plain({"path": Path("a"), "word": b"x"})) == {"path": "a", "word": "b'x'"}
    assert gym.plain({1: 2}) == {"\0pairs": [[1, 2]]} and gym.plain(frozenset("ab")) == {"\0set": ["a", "b"]}


def test_a_suite_is_a_dataset_of_it_with_the_scores_of_a_run(package):
    host = import_module("taskloom.hosts.reasoning_gym")
    config = host.TaskloomConfig(size=500)
    whole = host.TaskloomDataset(config)
    suite = open_suite("babi/task-1", seed=0)
    assert len(whole) == min(500, len(list(suite.rows("test")))) and whole.seed == 0
    data = host.TaskloomDataset(host.TaskloomConfig(split="dev", seed=3, size=4, options={"dev": 6}))
    rows = list(open_suite("babi/task-1", seed=3, options={"dev": 6}).rows("dev"))[:4]
    assert (len(data), data.seed) == (4, 3) and host.TaskloomDataset(host.TaskloomConfig(seed=None, size=1)).seed == 0
    records = list(map(HostTable(data.suite).record, rows))
    for place, record in enumerate(records):
        entry = data[place]
        assert (entry["question"], entry["answer"]) == (record["prompt"], record["answer"])
        kept = {key: value for key, value in record.items() if key not in ("prompt", "answer")}
        assert entry["metadata"] == {
            **kept, "source_dataset": "taskloom", "source_index": place, "prompt": record["prompt"],
        }  # fmt: skip
        told = (record["answer"], f"The {record['answer']}.", "nowhere", None)
        assert [data.score_answer(said, entry) for said in told] == [1, 1, 0, 0]
    strict = host.TaskloomDataset(host.TaskloomConfig(reading="strict", seed=3, size=1))
    assert strict.score_answer("I would say it is so.", strict[0]) == 0
    assert package.factory.DATASETS["taskloom"] == (host.TaskloomDataset, host.TaskloomConfig)


def test_its_answers_are_kept_with_their_entry():
    kept = gym.entry_text("sums", {"most": 3}, {"metadata": {"pair": (1, 2)}})
    targets = CheckedAnswers(("3",), kept)
    assert msgspec.json.decode(targets.entry) == {
        "dataset": "sums", "config": {"most": 3}, "entry": {"metadata": {"pair": {"\0tuple": [1, 2]}}},
    }  # fmt: skip
