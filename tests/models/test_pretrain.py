"""Pre-training tiny models on woven text."""

from __future__ import annotations

import errno
import json
from itertools import pairwise

import pytest

from taskloom.cli.main import main
from taskloom.core import UserError, keyed_random
from taskloom.core.encoding import Prompt
from taskloom.core.model import open_model
from taskloom.models.tiny.pretrain import PARTS, Pretraining, corrupt, cut, pretrain, weave

pytestmark = pytest.mark.train

SMALL = Pretraining(steps=25, batch=8, length=24, warmup=5, texts=300, parts=("words", "sentences"))
BRIEF = Pretraining(steps=8, batch=4, length=16, warmup=2, texts=200, parts=("sentences",))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))


def test_woven_text_is_the_same_every_time_and_differs_by_seed():
    one, same, other = (weave(("words", "sentences"), 200, seed) for seed in (1, 1, 2))
    assert one == same
    assert one.texts != other.texts
    assert one.counts == {"words": 200, "sentences": 200}
    assert any(" is a kind of " in text for text in one.texts)
    assert any("Hypothesis:" in text for text in one.texts)


def test_a_part_that_is_not_there_is_named_not_replaced(monkeypatch):
    def broken(seed, world_seed):
        raise UserError("no such source")

    monkeypatch.setitem(PARTS, "world", broken)
    corpus = weave(("world", "words"), 50, 0)
    assert corpus.counts == {"words": 50}
    assert corpus.left_out == {"world": "no such source"}
    with pytest.raises(UserError, match="none of the parts world"):
        weave(("world",), 50, 0)


@pytest.mark.parametrize("length", [8, 17, 64])
def test_a_text_is_cut_in_its_middle_half_and_loses_nothing(length):
    points = set()
    for trial in range(200):
        given, target = cut(list(range(length)), keyed_random("t", trial))
        assert given + target == list(range(length))
        points.add(len(given))
    assert points == set(range(length // 4, length - length // 4 + 1))


@pytest.mark.parametrize("length", [8, 17, 64, 200])
def test_hiding_spans_loses_nothing(length):
    sentinels = list(range(1000, 1016))
    for trial in range(50):
        ids = list(range(length))
        given, target = corrupt(ids, keyed_random("t", trial), noise=0.15, span=3.0, sentinels=sentinels)
        hidden: dict[int, list[int]] = {}
        for token in target:
            if token >= 1000:
                hidden[token] = []
                last = token
            else:
                hidden[last].append(token)
        restored = [part for token in given for part in (hidden[token] if token >= 1000 else [token])]
        assert restored == ids[: len(restored)]
        assert len(restored) == length
        assert sum(map(len, hidden.values())) == max(1, round(length * 0.15))
        assert all(hidden.values())
        marks = [index for index, token in enumerate(given) if token >= 1000]
        assert all(right - left > 1 for left, right in pairwise(marks))


@pytest.mark.parametrize("name", ["t5-1m", pytest.param("bart-1m", marks=pytest.mark.proof), "gpt-1m"])
def test_pretraining_learns_is_cached_and_opens(name, tmp_path):
    folder, report = pretrain(name, SMALL, seed=1)
    assert report.loss_after < report.loss_before - 0.2
    assert report.texts == {"words": 300, "sentences": 300}
    again, same = pretrain(name, SMALL, seed=1)
    assert (again, same) == (folder, report)
    model = open_model(f"tiny/{name}", {"pretrained": str(folder)})
    assert model.identity.settings["pretrained"] is True
    assert model.identity.weights != open_model(f"tiny/{name}").identity.weights
    with pytest.raises(UserError, match="contains a checkpoint with other settings"):
        pretrain(name, Pretraining(steps=3), 1, folder)
    with pytest.raises(UserError, match=f"holds a pretrained {name}, not t5-5m"):
        open_model("tiny/t5-5m", {"pretrained": str(folder)})


def test_the_same_seed_gives_the_same_weights(tmp_path):
    folders = [pretrain("gpt-1m", BRIEF, 3, tmp_path / place)[0] for place in ("one", "two")]
    weights = {open_model("tiny/gpt-1m", {"pretrained": str(folder)}).identity.weights for folder in folders}
    assert len(weights) == 1


def test_a_broken_off_training_continues_to_the_same_weights(tmp_path, monkeypatch):
    from taskloom.core import Progress
    from taskloom.models.tiny import pretrain as module

    unbroken, _ = pretrain("t5-1m", BRIEF, 5, tmp_path / "unbroken")
    monkeypatch.setattr(module.TrainingState.__init__, "__defaults__", (0.0,))
    advance = Progress.advance

    def stop(self, count=1, note=None):
        advance(self, count, note)
        if self.done == 5:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "advance", stop)
        with pytest.raises(KeyboardInterrupt):
            pretrain("t5-1m", BRIEF, 5, tmp_path / "broken")
    done = []
    monkeypatch.setattr(Progress, "advance", lambda self, count=1, note=None: done.append(count))
    broken, _ = pretrain("t5-1m", BRIEF, 5, tmp_path / "broken")
    assert len(done) == BRIEF.steps - 4
    weights = {open_model("tiny/t5-1m", {"pretrained": str(folder)}).identity.weights for folder in (unbroken, broken)}
    assert len(weights) == 1
    assert not list((tmp_path / "cache" / "pretrained").glob(".*"))


def test_the_command_pretrains_and_says_how_to_go_on(tmp_path, capsys):
    out = tmp_path / "checkpoint"
    options = ["-T", "steps=6", "-T", "batch=4", "-T", "length=16", "-T", "texts=200", "-T", "parts=[sentences]"]
    assert main(["pretrain", "gpt-1m", *options, "-o", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "loss on held-out text" in printed and f"-M pretrained={out}" in printed
    assert main(["pretrain", "gpt-1m", *options, "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["report"]["settings"]["steps"] == 6


def test_nothing_is_lost_where_the_checkpoint_cannot_be_kept(tmp_path, monkeypatch):
    from taskloom.models.tiny import pretrain as module

    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").write_text("mine")
    for place in (tmp_path / "taken", tmp_path / "taken" / "notes.txt"):
        with pytest.raises(UserError, match="already contains something else"):
            pretrain("gpt-1m", BRIEF, 6, place)
    monkeypatch.setattr(module.TrainingState.__init__, "__defaults__", (0.0,))

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module, "keep_checkpoint", full)
        with pytest.raises(UserError, match="the disk is full"):
            pretrain("gpt-1m", BRIEF, 6, tmp_path / "new")
    assert list((tmp_path / "cache" / "pretrained").glob(".*.state"))


@pytest.mark.parametrize("name", ["t5-1m", "bart-1m", "gpt-1m"])
def test_dropout_reaches_a_pretrained_model(name):
    import torch

    folder, _ = pretrain(name, Pretraining(steps=1, batch=2, length=16, texts=200, parts=("sentences",)), 0)
    plain = open_model(f"tiny/{name}", {"pretrained": str(folder)})
    model = open_model(f"tiny/{name}", {"pretrained": str(folder), "dropout": 0.4})
    prompt = Prompt("Where is Mary?")
    assert model.logprobs([prompt], [["here"]]) == plain.logprobs([prompt], [["here"]])
    ids = torch.tensor([model.prompt_ids(prompt)])
    model.module.train()
    losses = {float(model.module(input_ids=ids, labels=ids).loss.detach()) for _ in range(3)}
    assert len(losses) == 3


def test_what_cannot_be_pretrained_is_refused():
    with pytest.raises(UserError, match="beyond the window"):
        pretrain("gpt-1m", Pretraining(length=1025), 0)
    for setting in ("span=0", "learning_rate=-1", "warmup=-1", "parts=[]"):
        assert main(["pretrain", "t5-1m", "-T", setting]) == 2
    with pytest.raises(UserError, match="does not generate text"):
        pretrain("bert-1m", SMALL, 0)
    assert main(["pretrain", "t5-7m"]) == 2
    assert main(["pretrain", "t5-1m", "-T", "parts=[poems]"]) == 2
    with pytest.raises(UserError, match="taskloom pretrain t5-1m --seed 0"):
        open_model("tiny/t5-1m", {"pretrained": "yes"})
    with pytest.raises(UserError, match="keeps the vocabulary"):
        open_model("tiny/t5-1m", {"pretrained": "yes", "tokenizer": "words"})
