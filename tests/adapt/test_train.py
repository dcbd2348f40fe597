from __future__ import annotations

import itertools

import msgspec
import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.curves import read_curve, updates_to
from taskloom.adapt.lane import read_result
from taskloom.adapt.loop import learning_rate
from taskloom.ask import ask_for_scores
from taskloom.core import UserError
from taskloom.core.model import Generation, Request, open_model
from taskloom.models.tensors import load_tensors

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")
QUICK = {"batch": 8, "epochs": 2, "max_output": 4, "learning_rate": 0.01}


def requests_of(suite, encoding, split):
    return [
        Request(encoding.encode(suite.tasks[task], instance), suite.tasks[task], instance)
        for task, instance in suite.rows(split)
    ]


@pytest.mark.parametrize("architecture", ["t5", "gpt"])
def test_finetuning_memorises_and_the_model_answers_as_its_curve_says(
    architecture, pairs, small_model, plain, tmp_path
):
    suite = pairs(train=16)
    adaptation = make_adaptation(
        "finetune", {**QUICK, "epochs": 60, "evaluate_epochs": 15, "dropout": False, "keep": "train"}
    )
    base = small_model(architecture, suite)
    before = base.identity
    model = adaptation.adapt(base, suite, plain, tmp_path, seed=0)
    curve = read_curve(tmp_path / "curve.jsonl")
    assert curve[0].scores["train"] < 0.5
    assert curve[-1].scores["train"] > 0.9
    scores = ask_for_scores(model, requests_of(suite, plain, "train"), Generation(max_tokens=4))
    assert sum(scores) / len(scores) == max(point.scores["train"] for point in curve)
    assert model.identity.weights != before.weights
    assert model.identity.settings["adapted_from"] == before.weights
    assert model.identity.settings["adaptation"]["hash"] == adaptation.hash()


def test_a_curve_tells_updates_epochs_counts_and_time(pairs, small_model, plain, tmp_path):
    suite = pairs(train=20)
    adaptation = make_adaptation("finetune", {**QUICK, "evaluate_updates": 2, "evaluate_limit": 5})
    adaptation.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=0)
    curve = read_curve(tmp_path / "curve.jsonl")
    assert [point.update for point in curve] == [0, 2, 4, 6]
    assert [point.epoch for point in curve] == pytest.approx([0, 2 / 3, 4 / 3, 2])
    assert all(point.counts == {"train": 5, "dev": 5, "test": 5} for point in curve)
    assert all(0 < a.wall <= b.wall and a.cpu <= b.cpu for a, b in itertools.pairwise(curve))
    assert curve[0].best == ("train", "dev")
    result = read_result(tmp_path)
    assert (result.state, result.updates) == ("finished", 6)


@pytest.mark.parametrize("keep", ["dev", "train", "last"])
def test_only_what_is_kept_stays_on_disk(keep, pairs, small_model, plain, tmp_path):
    suite = pairs(train=16)
    options = {**QUICK, "epochs": 40, "evaluate_epochs": 5, "dropout": False, "keep": keep}
    make_adaptation("finetune", options).adapt(small_model("t5", suite), suite, plain, tmp_path, seed=0)
    result = read_result(tmp_path)
    assert result.best_update["train"] > result.best_update["dev"]
    _, facts, _ = load_tensors(tmp_path / "weights.safetensors")
    assert facts["update"] == result.kept == {**result.best_update, "last": result.updates}[keep]
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["adaptation.json", "curve.jsonl", "model.json", "result.json", "weights.safetensors"]


def test_disk_does_not_grow_with_evaluations(pairs, small_model, plain, tmp_path, monkeypatch):
    """What is written in all, and what lies there at the worst moment, in models."""
    import taskloom.models.tensors as checkpoints

    suite = pairs(train=16)
    written, peak = [], []
    plainly = checkpoints.write_atomically

    def watched(path, data):
        if path.suffix == ".safetensors":
            written.append(len(data))
            there = sum(file.stat().st_size for file in path.parent.glob("*.safetensors"))
            peak.append(there + len(data))
        plainly(path, data)

    monkeypatch.setattr(checkpoints, "write_atomically", watched)
    totals = {}
    for evaluations in (2, 20):
        written.clear()
        options = {**QUICK, "epochs": 20, "evaluate_epochs": 20 / evaluations, "dropout": False}
        folder = tmp_path / str(evaluations)
        make_adaptation("finetune", options).adapt(small_model("t5", suite), suite, plain, folder, seed=0)
        totals[evaluations] = sum(written)
    model = (tmp_path / "2" / "weights.safetensors").stat().st_size
    assert totals[20] <= 1.1 * totals[2] < 2 * model
    peak.clear()
    options = {**QUICK, "epochs": 5, "checkpoint_minutes": 0.0}
    make_adaptation("finetune", options).adapt(small_model("t5", suite), suite, plain, tmp_path / "often", seed=0)
    assert max(peak) <= 7.1 * model


def test_who_is_no_better_than_before_training_has_still_been_trained(pairs, small_model, plain, tmp_path):
    suite = pairs(train=8)
    make_adaptation("finetune", {**QUICK, "epochs": 3, "learning_rate": 1e-6, "dropout": False}).adapt(
        small_model("t5", suite), suite, plain, tmp_path, seed=0
    )
    points, result = read_curve(tmp_path / "curve.jsonl"), read_result(tmp_path)
    assert len({point.scores["dev"] for point in points}) == 1  # nothing was learned at such a rate
    assert result.best_update["dev"] == points[1].update > 0
    assert ["dev" in point.best for point in points] == [True, True, *[False] * (len(points) - 2)]


def test_patience_stops_early_and_perfection_too(pairs, small_model, plain, tmp_path):
    suite = pairs(train=8)
    patient = make_adaptation("lora", {**QUICK, "epochs": 50, "patience": 3, "learning_rate": 1e-6})
    patient.adapt(small_model("t5", suite), suite, plain, tmp_path / "a", seed=0)
    assert (read_result(tmp_path / "a").state, read_result(tmp_path / "a").updates) == ("patience", 3)
    easy = pairs(train=4, dev=0)
    perfect = make_adaptation(
        "finetune", {**QUICK, "epochs": 400, "evaluate_epochs": 20, "dropout": False, "holdout": 0.0}
    )
    perfect.adapt(small_model("t5", easy), easy, plain, tmp_path / "b", seed=0)
    result = read_result(tmp_path / "b")
    assert result.state == "perfect"
    assert result.updates < 400
    assert result.updates_to["train"]["0.99"] == result.updates


@pytest.mark.parametrize("kind", ["prompt-tune", "lora"])
def test_everything_else_stays_frozen(kind, pairs, small_model, plain, tmp_path):
    suite = pairs(train=8)
    model = small_model("t5", suite)
    before = {name: value.clone() for name, value in model.module.state_dict().items()}
    adapted = make_adaptation(kind, QUICK).adapt(model, suite, plain, tmp_path, seed=0)
    after = {
        name.replace(".base.", ".").replace(".inner.", "."): value
        for name, value in adapted.module.state_dict().items()
    }
    assert all(torch.equal(value, after[name]) for name, value in before.items())
    tensors, _, _ = load_tensors(tmp_path / "weights.safetensors")
    assert (
        set(tensors) <= {"prompt"}
        if kind == "prompt-tune"
        else all(name.endswith((".down", ".up")) for name in tensors)
    )


def test_the_adapted_model_works_again_from_its_folder(pairs, small_model, plain, tmp_path):
    suite = pairs(train=16)
    adaptation = make_adaptation("prompt-tune", {**QUICK, "learning_rate": 0.3, "epochs": 5})
    requests = requests_of(suite, plain, "test")
    first = adaptation.adapt(small_model("gpt", suite), suite, plain, tmp_path, seed=0)
    answers = first.generate(requests, Generation(max_tokens=4))
    scored = first.logprobs([request.prompt for request in requests], [["balo"]] * len(requests))
    again = adaptation.adapt(small_model("gpt", suite), suite, plain, tmp_path, seed=0)
    assert [output.text for output in again.generate(requests, Generation(max_tokens=4))] == [
        output.text for output in answers
    ]
    assert again.logprobs([request.prompt for request in requests], [["balo"]] * len(requests)) == scored
    assert again.identity == first.identity


def test_a_model_with_one_prompt_per_task_asks_each_task_with_its_own(pairs, small_model, plain, tmp_path):
    suite = pairs(tasks=2, train=8)
    together = make_adaptation("prompt-tune", {**QUICK, "learning_rate": 0.5, "epochs": 6, "per_task": True})
    routed = together.adapt(small_model("t5", suite), suite, plain, tmp_path / "all", seed=0)
    assert not routed.cacheable  # the same prompt means different things to different tasks
    requests = requests_of(suite, plain, "test")
    mixed = [output.text for output in routed.generate(requests[::-1], Generation(max_tokens=4))][::-1]
    for task in suite.tasks:
        own = [request for request in requests if request.task.name == task]
        alone = make_adaptation("prompt-tune", {**QUICK, "learning_rate": 0.5, "epochs": 6, "tasks": [task]})
        model = alone.adapt(small_model("t5", suite), suite, plain, tmp_path / task, seed=0)
        expected = [output.text for output in model.generate(own, Generation(max_tokens=4))]
        assert [text for text, request in zip(mixed, requests, strict=True) if request.task.name == task] == expected


@pytest.mark.parametrize("kind", ["finetune", "lora"])
def test_classifiers_learn_labels_through_the_same_loop(kind, pairs, small_model, plain, tmp_path):
    suite = pairs(train=12, labels=True)
    options = {**QUICK, "epochs": 100, "evaluate_epochs": 50, "learning_rate": 4e-3, "dropout": False, "keep": "train"}
    model = make_adaptation(kind, options).adapt(small_model("bert", suite), suite, plain, tmp_path, seed=0)
    curve = read_curve(tmp_path / "curve.jsonl")
    assert max(point.scores["train"] for point in curve) >= 0.75 > curve[0].scores["train"]
    assert model.generate(requests_of(suite, plain, "test"), Generation())[0].text in suite.tasks["pairs-0"].labels


@pytest.mark.parametrize("network", ["entnet", "stm"])
def test_memory_networks_train_through_the_same_loop(network, pairs, plain, tmp_path):
    suite = pairs(train=12, labels=True)
    model = open_model(f"tiny/{network}", {"device": "cpu", "width": 16, "slots": 4})
    options = {**QUICK, "epochs": 60, "evaluate_epochs": 30, "keep": "train", "clip": 1.0}
    make_adaptation("finetune", options).adapt(model, suite, plain, tmp_path, seed=0)
    curve = read_curve(tmp_path / "curve.jsonl")
    assert curve[-1].loss < 0.8 * curve[1].loss
    assert max(point.scores["train"] for point in curve) > curve[0].scores["train"]


def test_impossible_pairs_are_refused(pairs, small_model, plain, tmp_path):
    suite = pairs(labels=True)
    with pytest.raises(UserError, match="needs a model that can train"):
        make_adaptation("finetune").check(open_model("mock/oracle"), suite)
    with pytest.raises(UserError, match="reads tokens and writes text"):
        make_adaptation("prompt-tune").check(small_model("bert", suite), suite)
    with pytest.raises(UserError, match="sweep"):
        make_adaptation("finetune", {"per_task": True}).check(small_model("t5", suite), suite)
    with pytest.raises(UserError, match="measures nothing"):
        make_adaptation("finetune", {"split": "test"}).check(small_model("t5", suite), suite)
    # A layer that is none, one that is not linear, and one of several.
    for layers, odd in (
        (["nonsense"], "nonsense"),
        (["layer_norm"], "layer_norm"),
        (["q", "embed_tokens"], "embed_tokens"),
    ):
        with pytest.raises(UserError, match=rf"no linear layer is called {odd}\n  known: k, lm_head, o, q, v, wi, wo"):
            make_adaptation("lora", {"layers": layers}).adapt(small_model("t5", suite), suite, plain, tmp_path, seed=0)


def test_schedules():
    def rates(**options):
        made = make_adaptation("finetune", {"learning_rate": 1.0, **options})
        return [round(learning_rate(made, update, 10), 3) for update in range(10)]

    assert rates() == [1.0] * 10
    assert rates(schedule="linear")[::3] == [1.0, 0.7, 0.4, 0.1]
    assert rates(warmup=4)[:5] == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert rates(warmup=0.4) == rates(warmup=4)
    cosine = rates(schedule="cosine")
    assert cosine[0] == 1.0
    assert cosine == sorted(cosine, reverse=True)


@pytest.mark.parametrize("optimiser", ["adamw", "adam", "sgd", "adafactor"])
def test_every_optimiser_lowers_the_loss(optimiser, pairs, small_model, plain, tmp_path):
    suite = pairs(train=8)
    rate = {"sgd": 0.5, "adafactor": 0.05}.get(optimiser, 0.01)
    options = {**QUICK, "epochs": 20, "evaluate_epochs": 10, "optimiser": optimiser, "learning_rate": rate}
    make_adaptation("finetune", options).adapt(small_model("t5", suite), suite, plain, tmp_path, seed=0)
    curve = read_curve(tmp_path / "curve.jsonl")
    assert curve[2].loss < curve[1].loss


def test_updates_to_thresholds():
    from taskloom.adapt.curves import Point

    points = [
        Point(update, 0.0, scores={"train": score}) for update, score in ((0, 0.1), (5, 0.6), (10, 0.5), (15, 0.95))
    ]
    assert updates_to(points, "train", (0.5, 0.9, 0.99)) == {"0.5": 5, "0.9": 15, "0.99": None}
    assert msgspec.json.decode(msgspec.json.encode(points[1]), type=Point) == points[1]


def test_a_trained_lora_classifier_opens_in_peft(pairs, small_model, plain, tmp_path):
    peft = pytest.importorskip("peft")
    suite = pairs(train=8, labels=True)
    options = {**QUICK, "keep": "last", "dropout": False, "layers": ["query", "value"]}
    adapted = make_adaptation("lora", options).adapt(small_model("bert", suite), suite, plain, tmp_path, seed=0)
    fresh = small_model("bert", suite)
    fresh.prepare(suite)
    adapted.change.export(tmp_path / "peft", adapted)
    opened = peft.PeftModel.from_pretrained(fresh.module, tmp_path / "peft").eval()
    requests = requests_of(suite, plain, "test")
    batch = adapted.collate(requests, [request.instance.targets.canonical() for request in requests])
    with torch.no_grad():
        torch.testing.assert_close(opened(**batch).logits, adapted.module(**batch).logits, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", ["finetune", "prompt-tune"])
def test_inputs_beyond_the_window_are_dropped_cut_or_refused(kind, pairs, small_model, plain, tmp_path):
    from dataclasses import replace

    suite = pairs(train=8)
    long = replace(suite, draw=lambda split: (_longer(row) for row in suite.draw(split)))
    cut = make_adaptation(kind, {**QUICK, "overlong": "cut"})
    cut.adapt(small_model("gpt", suite), long, plain, tmp_path / "a", seed=0)
    assert (read_result(tmp_path / "a").state, read_result(tmp_path / "a").examples) == ("finished", 8)
    with pytest.raises(UserError, match=r"none of the 8 training examples can be used: overlong"):
        make_adaptation(kind, QUICK).adapt(small_model("gpt", suite), long, plain, tmp_path / "c", seed=0)
    with pytest.raises(UserError, match=r"the input \(\d+ tokens\) of pairs-0/0 is too long"):
        strict = make_adaptation(kind, {**QUICK, "overlong": "error"})
        strict.adapt(small_model("gpt", suite), long, plain, tmp_path / "d", seed=0)
    some = replace(
        suite, draw=lambda split: (_longer(row) if row.instance.id in "025" else row for row in suite.draw(split))
    )
    make_adaptation(kind, QUICK).adapt(small_model("gpt", suite), some, plain, tmp_path / "e", seed=0)
    result = read_result(tmp_path / "e")
    assert (result.examples, result.dropped) == (5, {"overlong": 3})
    if kind == "prompt-tune":
        crowded = make_adaptation(kind, {**QUICK, "tokens": 127, "overlong": "cut"})
        with pytest.raises(UserError, match="the window of 128 tokens has no room"):
            crowded.adapt(small_model("gpt", suite), long, plain, tmp_path / "b", seed=0)


def _longer(row):
    text = " ".join([row.instance.input] * 60)
    return row._replace(instance=msgspec.structs.replace(row.instance, input=text))
