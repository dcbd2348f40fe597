"""Many adaptations in one batch give what each gives alone, and what peft and plain torch give."""

from __future__ import annotations

import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.curves import read_curve
from taskloom.adapt.lane import read_result
from taskloom.adapt.train import Fitting, lane_directory
from taskloom.models.tensors import load_tensors

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")
QUICK = {
    "batch": 6,
    "epochs": 3,
    "evaluate_epochs": 1,
    "max_output": 4,
    "learning_rate": 0.05,
    "thresholds": [0.01],
    "keep": "last",
}


def one_by_one(kind, options, suite, model_of, plain, folder):
    for task in suite.tasks:
        alone = make_adaptation(kind, {**QUICK, **options, "tasks": [task]})
        alone.adapt(model_of(), suite, plain, folder / task, seed=5)


@pytest.mark.parametrize("architecture", ["t5", "gpt"])
@pytest.mark.parametrize(("kind", "options"), [("prompt-tune", {"tokens": 3}), ("lora", {"rank": 2, "clip": 0.5})])
def test_together_equals_one_by_one(kind, options, architecture, pairs, small_model, plain, tmp_path):
    """In double precision: Adam divides a gradient by its own size, so where a gradient is nearly zero single precision
    leaves the sign of a whole step to the order of additions, on some machines and not on others. In doubles that noise
    is far below Adam's epsilon, and the tolerance can be a hundred times smaller than a real error would be.
    """
    suite = pairs(tasks=3, train=14)

    def model_of():
        model = small_model(architecture, suite)
        model.module.double()
        return model

    one_by_one(kind, options, suite, model_of, plain, tmp_path)
    together = make_adaptation(kind, {**QUICK, **options, "per_task": True, "lanes": 2})
    together.adapt(model_of(), suite, plain, tmp_path / "all", seed=5)
    for task in suite.tasks:
        ours, theirs = lane_directory(tmp_path / "all", task), tmp_path / task
        mine, _, _ = load_tensors(ours / "weights.safetensors")
        alone, _, _ = load_tensors(theirs / "weights.safetensors")
        assert mine.keys() == alone.keys()
        start = max(float((alone[name]).abs().max()) for name in alone)
        for name in mine:
            torch.testing.assert_close(mine[name], alone[name], atol=1e-6 * start, rtol=1e-5)
        left, right = read_curve(ours / "curve.jsonl"), read_curve(theirs / "curve.jsonl")
        assert [point.update for point in left] == [point.update for point in right]
        assert [point.scores for point in left] == [point.scores for point in right]
        assert [point.loss for point in left[1:]] == pytest.approx([point.loss for point in right[1:]], rel=1e-6)


def test_lanes_really_learn_different_things(pairs, small_model, plain, tmp_path):
    suite = pairs(tasks=2, train=14)
    adaptation = make_adaptation("prompt-tune", {**QUICK, "tokens": 3, "per_task": True})
    adaptation.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=5)
    first, second = (load_tensors(lane_directory(tmp_path, task) / "weights.safetensors")[0] for task in suite.tasks)
    assert float((first["prompt"] - second["prompt"]).abs().max()) > 0.01


def test_tasks_of_different_size_are_trained_in_cohorts(pairs, small_model, plain, tmp_path):
    suite = pairs(tasks=2, train=12)
    small = make_adaptation("lora", {**QUICK, "per_task": True, "epochs": 1, "lanes": 1})
    model = small.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=0)
    states = [read_result(lane_directory(tmp_path, task)).state for task in suite.tasks]
    assert states == ["finished", "finished"]
    assert model.identity.settings["adaptation"]["name"] == "lora"


def test_a_lane_that_diverges_is_dropped_and_the_others_go_on(pairs, small_model, plain, tmp_path, monkeypatch):
    from taskloom.adapt.readers import TextReader

    suite = pairs(tasks=3, train=12)
    healthy = make_adaptation("prompt-tune", {**QUICK, "tokens": 3, "per_task": True})
    healthy.adapt(small_model("t5", suite), suite, plain, tmp_path / "healthy", seed=0)

    plainly = TextReader.losses
    calls = {"count": 0}

    def poisoned(self, batch, prefixes):
        calls["count"] += 1
        if calls["count"] == 4:  # vectors so large that this lane, and only this lane, overflows
            self.model.module.encoder.get_input_embeddings().table.data[1] = float("inf")
        return plainly(self, batch, prefixes)

    monkeypatch.setattr(TextReader, "losses", poisoned)
    model = healthy.adapt(small_model("t5", suite), suite, plain, tmp_path / "ill", seed=0)
    results = {task: read_result(lane_directory(tmp_path / "ill", task)) for task in suite.tasks}
    assert [result.state for result in results.values()] == ["finished", "diverged", "finished"]
    assert "update 4" in results["pairs-1"].message
    for task in ("pairs-0", "pairs-2"):
        spared, _, _ = load_tensors(lane_directory(tmp_path / "ill", task) / "weights.safetensors")
        undisturbed, _, _ = load_tensors(lane_directory(tmp_path / "healthy", task) / "weights.safetensors")
        torch.testing.assert_close(spared["prompt"], undisturbed["prompt"], atol=1e-4, rtol=1e-3)
    assert model.identity.weights


def test_lora_equals_peft_and_its_files_load_there(pairs, small_model, plain, tmp_path):
    """The same initial values, trained by peft and a loop of ten lines, end at the same weights."""
    peft = pytest.importorskip("peft")
    from taskloom.adapt.change import LowRank
    from taskloom.adapt.data import TrainingExample
    from taskloom.adapt.readers import reader_for
    from taskloom.core.model import Request

    suite = pairs(train=6)
    rows = list(suite.rows("train"))
    requests = [
        Request(plain.encode(suite.tasks[row.task], row.instance), suite.tasks[row.task], row.instance) for row in rows
    ]
    answers = [row.instance.targets.canonical() for row in rows]

    ours = small_model("t5", suite)
    change = LowRank(ours.module, lanes=1, rank=2, alpha=4.0, layers=(), seed=1)
    theirs = small_model("t5", suite)
    config = peft.LoraConfig(r=2, lora_alpha=4.0, target_modules=["q", "v"], bias="none")
    wrapped = peft.get_peft_model(theirs.module, config)
    state = wrapped.state_dict()
    for name, tensor in change.tensors(0).items():
        layer, _, part = name.rpartition(".")
        key = f"base_model.model.{layer}.{'lora_A' if part == 'down' else 'lora_B'}.default.weight"
        state[key].copy_(tensor)

    reader = reader_for(ours)
    features = [
        reader.features(TrainingExample(request, answer), make_adaptation("lora"))
        for request, answer in zip(requests, answers, strict=True)
    ]
    optimiser = torch.optim.AdamW(change.parameters().values(), lr=0.01, weight_decay=0.0)
    reference = torch.optim.AdamW([p for p in wrapped.parameters() if p.requires_grad], lr=0.01, weight_decay=0.0)
    batch = theirs.collate(requests, answers)
    for _ in range(5):
        optimiser.zero_grad()
        change.select([0] * len(features))
        (reader.losses(features, [()] * len(features)).sum() / sum(item.weight for item in features)).backward()
        optimiser.step()
        reference.zero_grad()
        wrapped(**batch).loss.backward()
        reference.step()
    for name, tensor in change.tensors(0).items():
        layer, _, part = name.rpartition(".")
        key = f"base_model.model.{layer}.{'lora_A' if part == 'down' else 'lora_B'}.default.weight"
        torch.testing.assert_close(tensor, wrapped.state_dict()[key], atol=1e-5, rtol=1e-3)

    change.export(tmp_path / "peft", ours)
    loaded = peft.PeftModel.from_pretrained(small_model("t5", suite).module, tmp_path / "peft").eval()
    with torch.no_grad():
        torch.testing.assert_close(loaded(**batch).logits, ours.module(**batch).logits, atol=1e-5, rtol=1e-4)


def test_a_soft_prompt_equals_embeddings_put_in_front_by_hand(pairs, small_model, plain):
    """Virtual ids against vectors concatenated by hand and given as `inputs_embeds`."""
    from taskloom.adapt.change import SoftPrompts

    suite = pairs(train=4)
    for kind in ("t5", "gpt"):
        model, plainly = small_model(kind, suite), small_model(kind, suite)
        change = SoftPrompts(model.module, lanes=2, tokens=3, first_rows=50, seed=2)
        with torch.no_grad():
            change.parameters()["prompt"][1] += 0.5
        ids = torch.tensor(
            [model.prompt_ids(plain.encode(suite.tasks[row.task], row.instance)) for row in suite.rows("train")][:1]
        )
        virtual = torch.tensor([change.prefix(1)])
        with torch.no_grad():
            vectors = torch.cat(
                [change.tensors(1)["prompt"].unsqueeze(0), plainly.module.get_input_embeddings()(ids)], 1
            )
            given = {"decoder_input_ids": torch.tensor([[0, 5, 6]])} if kind == "t5" else {}
            ours = model.module(input_ids=torch.cat([virtual, ids], 1), **given).logits
            by_hand = plainly.module(inputs_embeds=vectors, **given).logits
        torch.testing.assert_close(ours, by_hand, atol=1e-6, rtol=1e-5)
        rows = plainly.module.get_input_embeddings().weight
        starts = change.tensors(0)["prompt"]
        assert all(any(torch.equal(vector, row) for row in rows[:50]) for vector in starts)


@pytest.mark.parametrize("architecture", ["t5", "gpt"])
@pytest.mark.parametrize("kind", ["prompt-tune", "lora"])
def test_many_lanes_answer_in_one_batch_as_each_does_alone(kind, architecture, pairs, small_model, plain, monkeypatch):
    """Answers, beams and likelihoods; rows leave the batch at different times, so lanes have to follow their rows."""
    from taskloom.adapt.opened import RoutedModel
    from taskloom.core.model import Generation, Request
    from taskloom.models.engine import Engine

    suite = pairs(tasks=3, train=4)
    model = small_model(architecture, suite)
    model.module.double()
    change = make_adaptation(kind, {"per_task": True}).make_change(model, 3, 0)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        # Large weights all over: a model that says nothing would agree with any other.
        for tensor in [*model.module.parameters(), *change.parameters().values()]:
            tensor.add_(0.5 * torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype))
    rows = sorted(suite.rows("dev"), key=lambda row: row.instance.id)  # tasks take turns
    requests = [
        Request(plain.encode(suite.tasks[row.task], row.instance), suite.tasks[row.task], row.instance) for row in rows
    ]
    answers = [["balo", "koni ra", ""]] * len(requests)
    lanes = {task: place for place, task in enumerate(suite.tasks)}
    routed = RoutedModel(model, change, lanes)
    passes = []

    def count(self, given, select, really=Engine.for_lanes):
        passes.append(len(given))
        really(self, given, select)

    monkeypatch.setattr(Engine, "for_lanes", count)
    for generation in (Generation(max_tokens=6), Generation(max_tokens=5, beams=3)):
        together = routed.generate(requests, generation)
        assert passes == [len(requests)], "all tasks go through the model at once"
        passes.clear()
        for request, output in zip(requests, together, strict=True):
            with change.answering(model, lanes[request.task.name]):
                assert model.generate([request], generation)[0].text == output.text
    assert len({output.text for output in together}) > 1
    for request, belief, texts in zip(requests, routed.weigh(requests, answers), answers, strict=True):
        with change.answering(model, lanes[request.task.name]):
            alone = model.weigh([request], [texts])[0]
        assert belief.logprobs == pytest.approx(alone.logprobs, abs=1e-9)


@pytest.mark.parametrize(("longest", "at_once"), [(10_000, 9), (80, 6), (10, 3)])
def test_as_many_lanes_go_through_a_cpu_at_once_as_its_caches_hold(
    longest, at_once, pairs, small_model, plain, tmp_path, monkeypatch
):
    """Whole lanes, counted in tokens with those of the prompts; never less than the batch of one."""
    suite = pairs(tasks=3, train=14)
    settings = make_adaptation("prompt-tune", {**QUICK, "batch": 3, "tokens": 5, "per_task": True})
    fitting = Fitting(settings, small_model("t5", suite), suite, plain, tmp_path, seed=0, shared=False)
    lanes = [fitting.prepare(task) for task in suite.tasks]
    lengths = [item.length for lane in lanes for item in lane.features]
    assert 13 < sum(lengths) / len(lengths) + 5 < 13.3
    monkeypatch.setattr("taskloom.adapt.loop.CPU_TOKENS", longest)
    assert fitting.loop(lanes, fitting.change(3))._piece == at_once
