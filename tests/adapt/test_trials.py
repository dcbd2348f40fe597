"""Rates and restarts chosen by dev, and doses of another split."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.data import gather
from taskloom.core import Row, UserError
from taskloom.core.model import open_model

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")
SHORT = {"updates": 4, "batch": 4, "evaluate_updates": 2, "evaluate_limit": 8, "max_output": 4}


def listed(folder):
    return json.loads((folder / "trials.json").read_bytes())


@pytest.mark.parametrize("kind", ["finetune", "lora"])
def test_the_best_rate_on_dev_is_kept(kind, pairs, small_model, plain, tmp_path):
    suite = pairs(train=12, dev=6)
    adaptation = make_adaptation(kind, {**SHORT, "rates": [1e-7, 0.02, 1e20], "optimiser": "sgd"})
    adapted = adaptation.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=3)
    trials = listed(tmp_path)
    assert [trial["rate"] for trial in trials] == [1e-7, 0.02, 1e20]
    sound = [trial for trial in trials if trial["state"] != "diverged"]
    [chosen] = [trial for trial in trials if trial["chosen"]]
    assert chosen["score"] == max(trial["score"] for trial in sound) and chosen["split"] == "dev"
    assert [path.parent.name for path in tmp_path.rglob("weights.safetensors")] == [chosen["name"]]
    single = make_adaptation(kind, {**SHORT, "learning_rate": chosen["rate"], "optimiser": "sgd"})
    alone = single.adapt(small_model("t5", suite), suite, plain, tmp_path / "alone", seed=3)
    assert alone.identity.weights == adapted.identity.weights
    # The same command finds everything done.
    again = adaptation.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=3)
    assert again.identity == adapted.identity


def test_restarts_begin_elsewhere(pairs, plain, tmp_path):
    """Memory networks are drawn anew for each restart, and only the best weights stay."""
    suite = pairs(train=12, dev=6, labels=True)
    adaptation = make_adaptation("finetune", {**SHORT, "restarts": 3})
    adapted = adaptation.adapt(open_model("tiny/entnet", {"width": 8}), suite, plain, tmp_path, seed=1)
    trials = listed(tmp_path)
    assert [trial["restart"] for trial in trials] == [0, 1, 2]
    starts = {json.loads(path.read_bytes())["identity"]["weights"] for path in tmp_path.glob("trials/*/model.json")}
    assert len(starts) == 3
    assert adapted.identity.settings["adaptation"]["name"] == "finetune"
    assert len(list(tmp_path.rglob("weights.safetensors"))) == 1


def test_settings_that_cannot_be(pairs, small_model, plain, tmp_path):
    for options, words in (
        ({"restarts": 0}, "restarts must be more than 0"),
        ({"rates": [0.1, -1]}, "rates must be more than 0"),
        ({"dose": 0}, "dose must be 1 or more"),
        ({"split": "train+"}, "several joined by"),
    ):
        with pytest.raises(UserError, match=words):
            make_adaptation("finetune", options)
    with pytest.raises(UserError, match="leave per_task out"):
        make_adaptation("lora", {"restarts": 2, "per_task": True})
    suite = pairs(train=4)
    with pytest.raises(UserError, match="unknown split 'fow'"):
        make_adaptation("finetune", {"split": "train+fow"}).check(small_model("t5", suite), suite)
    with pytest.raises(UserError, match="training on 'test'"):
        make_adaptation("finetune", {"split": "train+test"}).check(small_model("t5", suite), suite)
    with pytest.raises(UserError, match="100,000 tokens are too many"):
        make_adaptation("prompt-tune", {"tokens": 100_000})
    with pytest.raises(UserError, match="do not fit into the window"):
        make_adaptation("prompt-tune", {"tokens": 1_500}).check(small_model("gpt", suite), suite)


def with_few(suite, count=20):
    def draw(split):
        if split != "few":
            yield from suite.draw(split)
            return
        for row in list(suite.draw("train"))[:count]:
            yield Row(row.task, replace_input(row.instance))

    return replace(suite, splits={**suite.splits, "few": count}, draw=draw)


def replace_input(instance):
    import msgspec

    return msgspec.structs.replace(instance, input=f"few {instance.input}")


def inputs(settings, suite, plain, model):
    found = gather(settings, suite, plain, model, seed=4).train
    return [example.request.instance.input for example in found]


def test_doses_are_nested_and_come_on_top(pairs, small_model, plain):
    suite = with_few(pairs(train=30))
    model = small_model("t5", suite)

    def chosen(**options):
        return inputs(make_adaptation("finetune", {"holdout": 0, **options}), suite, plain, model)

    whole = chosen()
    doses = {dose: chosen(split="train+few", dose=dose) for dose in (2, 8, 20)}
    for dose, found in doses.items():
        assert found[:30] == whole and len(found) == 30 + dose
        assert all(text.startswith("few ") for text in found[30:])
    assert set(doses[2]) < set(doses[8]) < set(doses[20])
    assert chosen(split="train+few") == doses[20]
    assert len(chosen(split="few", dose=5)) == 5
    assert set(chosen(split="few", dose=8)) != set(chosen(split="few", dose=8, draw=1))
    with pytest.raises(UserError, match="'few' has 20 examples, 21 were requested"):
        chosen(split="few", dose=21)
