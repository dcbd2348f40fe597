"""`datasets` loads what is exported, and what it loads scores as it did."""

from __future__ import annotations

import pickle

import pytest

from hosts.live.shared import COUNT, SUITES, opened, run_blocks, said
from taskloom import open_suite, to_hf
from taskloom.hosts.hf import to_hf_stream, write_hf
from taskloom.rl import reward


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("model", ["oracle", "half"])
def test_scores_are_ours(name, model, ours, tmp_path):
    from datasets import load_dataset

    suite = opened(name)
    split = suite.default_split()
    write_hf(suite, tmp_path / "d", splits=[split], limit=COUNT)
    data = load_dataset(str(tmp_path / "d"), cache_dir=str(tmp_path / "cache"))[split]
    outputs = [said(model, row["prompt"], row["answer"]) for row in data]
    score = pickle.loads(pickle.dumps(reward(open_suite(tmp_path / "d"))))
    values = score(completions=outputs, prompts=data["prompt"], task=data["task"], targets=data["targets"])
    theirs = dict(zip(zip(data["task"], data["id"], strict=True), values, strict=True))
    assert theirs == ours(name, model)
    again = to_hf(suite, split, limit=COUNT)
    assert again["prompt"] == data["prompt"] and again["targets"] == data["targets"]


def test_streams_need_not_end():
    suite = open_suite("babi/task-1", options={"train": 3})
    stream = to_hf_stream(suite, "train")
    ids = [row["id"] for row in stream.take(8)]
    assert len(set(ids)) == 8


def test_chat_prompts_are_messages():
    row = to_hf(open_suite("babi/task-1"), "test", protocol="chat", limit=1)[0]
    assert [turn["role"] for turn in row["prompt"]] == ["system", "user"]


def test_the_page(tmp_path):
    shown = run_blocks("datasets", tmp_path)
    assert "Answer:" in shown[1]
