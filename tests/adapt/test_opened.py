"""A finished run is a model: opened again without its suite, trained on, exported, refused where something is wrong."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import msgspec
import pytest

from taskloom.core import UserError, any_of
from taskloom.core.model import Generation, Request, open_model
from taskloom.run.log import read_records
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")
WORDS = [f"{head}{tail}" for head in ("ba", "ko") for tail in ("lo", "ni", "ra", "tu", "vex")]
SHORT = {"updates": 3, "batch": 4, "evaluate_updates": 3, "evaluate_limit": 4, "max_output": 4}
KINDS = {
    "finetune": ("tiny/t5-1m", {"tokenizer": "words"}, {}),
    "lora": ("tiny/gpt-1m", {}, {"learning_rate": 0.1}),
    "prompt-tune": ("tiny/t5-1m", {}, {"tokens": 4}),
}


def run(suite, folder, kind, *, model=None, options=None, **adapt):
    name, given, more = KINDS.get(kind, (model, {}, {}))
    settings = RunSettings(
        model=model or name,
        model_options=given if options is None else options,
        adapt=kind,
        adapt_options={**SHORT, **more, **adapt},
        limit=3,
        generation={"max_tokens": 4},
        cache=False,
    )
    launch(suite, folder, settings)


def requests_of(suite, plain, split="test"):
    return [
        Request(plain.encode(suite.tasks[row.task], row.instance), suite.tasks[row.task], row.instance)
        for row in suite.rows(split)
    ]


def scores(model, requests):
    return [belief.logprobs for group in model.beliefs((r, ["balo", "koni"]) for r in requests) for _, belief in group]


@pytest.mark.parametrize("kind", KINDS)
def test_any_suite_can_be_asked_of_an_adapted_model(kind, pairs, plain, tmp_path):
    suite = pairs(train=12, dev=4)
    run(suite, tmp_path / "first", kind)
    opened = open_model(f"run/{tmp_path / 'first'}")
    again = open_model(f"run/{tmp_path / 'first'}")
    base = open_model(KINDS[kind][0], KINDS[kind][1])
    base.prepare(suite)
    other = pairs(train=3, dev=5, seed=7)
    requests = requests_of(other, plain)
    assert scores(opened, requests) == scores(again, requests)
    assert scores(opened, requests) != scores(base, requests)
    assert opened.identity == again.identity
    assert opened.identity.settings["adaptation"]["name"] == kind
    recorded = json.loads((tmp_path / "first" / "adaptation" / "model.json").read_bytes())
    assert recorded["identity"]["weights"] == base.identity.weights
    # What the run itself answered is what the opened model answers.
    said = {record.id: record.raw for record in read_records(tmp_path / "first")}
    given = opened.generate(requests_of(suite, plain)[:3], Generation(max_tokens=4))
    assert [output.text for output in given] == [said[str(index)] for index in range(3)]


def test_lanes_answer_the_tasks_they_know(pairs, plain, tmp_path):
    suite = pairs(tasks=2, train=8, dev=4)
    run(suite, tmp_path, "prompt-tune", per_task=True)
    opened = open_model(f"run/{tmp_path}")
    outputs = opened.generate(requests_of(suite, plain), Generation(max_tokens=3))
    assert len(outputs) == 8
    with pytest.raises(UserError, match="adapted to each task separately"):
        opened.prepare(pairs(tasks=3))


def test_memory_networks_and_readers_keep_their_words(tmp_path):
    from taskloom.core import open_suite

    suite = open_suite("babi/task-1", seed=3)
    for model in ("tiny/entnet", "tiny/bidaf"):
        folder = tmp_path / model.partition("/")[2]
        run(suite, folder, "finetune", model=model, options={"width": 12})
        opened = open_model(f"run/{folder}")
        opened.prepare(open_suite("babi/task-1", seed=4))
        assert opened.identity.settings["adaptation"]["name"] == "finetune"


@pytest.mark.parametrize("first", ["finetune", "lora"])
def test_training_goes_on_from_a_run(first, pairs, plain, tmp_path):
    suite = pairs(train=12, dev=4)
    run(suite, tmp_path / "a", first)
    before = scores(open_model(f"run/{tmp_path / 'a'}"), requests_of(suite, plain))
    run(suite, tmp_path / "b", "finetune", model=f"run/{tmp_path / 'a'}", options={}, learning_rate=1e-9)
    after = scores(open_model(f"run/{tmp_path / 'b'}"), requests_of(suite, plain))
    for one, two in zip(before, after, strict=True):
        assert two == pytest.approx(
            one, abs=1e-4
        )  # the second training hardly moved, so it began where the first ended
    run(suite, tmp_path / "c", "lora", model=f"run/{tmp_path / 'a'}", options={}, learning_rate=0.1)
    assert scores(open_model(f"run/{tmp_path / 'c'}"), requests_of(suite, plain)) != before


def test_nothing_is_trained_on_top_of_a_soft_prompt(pairs, tmp_path):
    suite = pairs(train=8, dev=4)
    run(suite, tmp_path / "a", "prompt-tune")
    with pytest.raises(UserError, match="a soft prompt is not part of the weights"):
        run(suite, tmp_path / "b", "finetune", model=f"run/{tmp_path / 'a'}", options={})


def damaged(source, target, name, change):
    shutil.copytree(source, target)
    path = target / "adaptation" / name
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_bytes()))
    return f"run/{target}"


def test_what_is_wrong_with_a_run_is_said(pairs, plain, tmp_path):
    suite = pairs(train=8, dev=4)
    good = tmp_path / "good"
    run(suite, good, "lora")

    def edited(**more):
        return lambda data: json.dumps({**json.loads(data), **more}).encode()

    def without_a_tensor(data):
        from safetensors.torch import load, save

        tensors = load(data)
        tensors.pop(sorted(tensors)[0])
        return save(tensors)

    cases = {
        "unfinished": ("model.json", None, "its training was never finished"),
        "newer": ("model.json", edited(format=99), "written by a newer Taskloom"),
        "cut": ("model.json", lambda data: data[:40], "the description of the adapted model cannot be read"),
        "no weights": ("weights.safetensors", None, "the checkpoint is missing"),
        "missing tensor": ("weights.safetensors", without_a_tensor, "not a checkpoint that Taskloom wrote"),
        "flipped": ("weights.safetensors", lambda data: data[:-9] + b"\x01" + data[-8:], "damaged"),
        "other architecture": ("model.json", edited(model="tiny/t5-1m"), "no longer the model"),
        "other size": ("model.json", edited(model="tiny/gpt-5m"), "no longer the model"),
        "no base": ("model.json", edited(model="hf/./gone"), "the model it was adapted from cannot be opened"),
    }
    for name, (file, change, words) in cases.items():
        with pytest.raises(UserError, match=words):
            open_model(damaged(good, tmp_path / name, file, change))
    with pytest.raises(UserError, match="no such file or folder"):
        open_model(f"run/{tmp_path / 'nowhere'}")
    with pytest.raises(UserError, match=r"no run here"):
        (tmp_path / "empty").mkdir()
        open_model(f"run/{tmp_path / 'empty'}")
    plainly = tmp_path / "plain"
    launch(suite, plainly, RunSettings(model="mock/constant", limit=1, cache=False))
    with pytest.raises(UserError, match="this run adapted nothing; its model is mock/constant"):
        open_model(f"run/{plainly}")


def test_finetuned_weights_of_another_architecture_are_refused(pairs, tmp_path):
    suite = pairs(train=8, dev=4)
    run(suite, tmp_path / "good", "finetune", model="tiny/t5-1m", options={})
    path = tmp_path / "good" / "adaptation" / "model.json"
    path.write_bytes(path.read_bytes().replace(b"tiny/t5-1m", b"tiny/t5-5m"))
    with pytest.raises(UserError, match="the weights belong to a different model than tiny/t5-5m"):
        open_model(f"run/{tmp_path / 'good'}")


def test_an_adapted_model_needs_no_suite(pairs, plain, tmp_path):
    """The suite it was trained on may be gone."""
    suite = pairs(train=8, dev=4)
    run(suite, tmp_path, "finetune")
    requests = requests_of(pairs(train=2, dev=3, seed=5), plain)

    def gone(split):
        raise AssertionError("the suite was drawn again")

    del suite
    assert open_model(f"run/{tmp_path}").generate(requests, Generation(max_tokens=2))
    assert replace(pairs(), draw=gone).name == "toy/pairs"


@pytest.mark.parametrize("model", ["tiny/entnet", "tiny/stm", "tiny/bert-1m"])
def test_training_on_takes_in_new_labels_and_keeps_the_old(model, pairs, plain, tmp_path):
    suite = pairs(train=8, dev=4, labels=True)
    options = {} if "bert" in model else {"width": 8}
    run(suite, tmp_path / "a", "finetune", model=model, options=options)
    wider = replace(
        pairs(train=8, dev=4, labels=True, seed=2),
        draw=lambda split: (
            row._replace(instance=msgspec.structs.replace(row.instance, targets=any_of(WORDS[4 + index % 3])))
            for index, row in enumerate(pairs(train=8, dev=4, labels=True, seed=2).draw(split))
        ),
        tasks={
            name: msgspec.structs.replace(task, labels=(*task.labels, *WORDS[4:7]))
            for name, task in suite.tasks.items()
        },
    )
    before = open_model(f"run/{tmp_path / 'a'}")
    run(wider, tmp_path / "b", "finetune", model=f"run/{tmp_path / 'a'}", options={}, learning_rate=1e-9)
    after = open_model(f"run/{tmp_path / 'b'}")
    assert after.labels == (*before.labels, *WORDS[4:7])
    request = requests_of(suite, plain)[0]
    old, new = (opened.weigh([request], [before.labels])[0].logprobs for opened in (before, after))
    first = before.labels[0]
    # The odds among the labels it knew are as they were.
    for label in before.labels:
        assert new[label] - new[first] == pytest.approx(old[label] - old[first], abs=1e-4)
