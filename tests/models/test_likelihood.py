"""Answers by likelihood and probability mass: by hand, on local models, and through a server."""

from __future__ import annotations

import math

import pytest

from servers import ScoringServer, said, serving
from taskloom.core import AnyOf, Boolean, Instance, Instruction, Task, UserError
from taskloom.core.encoding import Prompt
from taskloom.core.model import Belief, Generation, Output, Request, open_model
from taskloom.models.likelihood import Weights, candidates_of, check_weights, judge_belief, outputs

pytestmark = pytest.mark.train
LABELS = ("yes", "no", "maybe so")
CHOOSE = Weights(answer_by="likelihood")


def question(text="Is it so?", targets=None, labels=LABELS, **details):
    task = Task("demo", Instruction(""), kind="label" if labels else "text", labels=tuple(labels))
    return Request(Prompt(text), task, Instance("1", text, targets or AnyOf(("yes",)), details=details))


def test_normalisation_and_ties():
    belief = Belief(
        {"yes": math.log(0.3), "no": math.log(0.2), "maybe so": math.log(0.25)},
        {"yes": (1,), "no": (2,), "maybe so": (3, 4, 5)},
        ended=False,
    )
    chosen = {
        how: judge_belief(belief, question(), Weights(answer_by="likelihood", normalise=how))
        for how in ("raw", "token", "byte")
    }
    assert {how: output.text for how, output in chosen.items()} == {
        "raw": "yes",
        "token": "maybe so",
        "byte": "maybe so",
    }
    assert chosen["raw"].likelihood["yes"] == pytest.approx(math.log(0.3))
    assert chosen["token"].likelihood["maybe so"] == pytest.approx(math.log(0.25) / 3)
    assert chosen["byte"].likelihood["maybe so"] == pytest.approx(math.log(0.25) / 8)
    assert [output.mass["all"] for output in chosen.values()] == [pytest.approx(0.3)] * 3
    even = Belief(dict.fromkeys(LABELS, -1.0))
    assert judge_belief(even, question(), CHOOSE).text == "yes"
    impossible = judge_belief(Belief(dict.fromkeys(LABELS, -math.inf)), question(), CHOOSE)
    assert (impossible.likelihood, impossible.mass) == ({}, {"all": 0.0, "best": 0.0})


def test_mass_of_sets_of_parts_and_of_the_best_answer():
    """An answer that begins another contains it where ends do not count."""
    spelled = {"new": (1,), "new york": (1, 2), "rome": (3,)}
    logprobs = {"new": math.log(0.5), "new york": math.log(0.125), "rome": math.log(0.25)}
    request = question(
        targets=AnyOf(("rome", "new", "new york")), labels=("rome",), first=["new", "rome"], second=["new york"]
    )
    best = {"first best": 0.5, "second best": 0.125}
    begun = judge_belief(Belief(logprobs, spelled, ended=False), request, CHOOSE)
    assert begun.mass == pytest.approx({"all": 0.75, "best": 0.5, "first": 0.75, "second": 0.125, **best})
    whole = judge_belief(Belief(logprobs, spelled, ended=True), request, CHOOSE)
    assert whole.mass == pytest.approx({"all": 0.875, "best": 0.5, "first": 0.75, "second": 0.125, **best})


def test_candidates_come_from_the_instance_or_the_task():
    assert candidates_of(question()) == LABELS
    assert candidates_of(question(candidates=["a", "b", "a"])) == ("a", "b")
    with pytest.raises(UserError, match="neither labels nor candidates"):
        check_weights(open_model("tiny/gpt-1m"), CHOOSE, [question(labels=())])
    with pytest.raises(UserError, match="likelihood needs a model that can logprobs; mock/constant cannot"):
        check_weights(open_model("mock/constant"), CHOOSE, [question()])
    check_weights(open_model("mock/constant"), Weights(), [question()])


@pytest.mark.parametrize("name", ["tiny/t5-1m", "tiny/gpt-1m", "tiny/bert-1m"])
def test_local_models_answer_by_likelihood(name):
    model = open_model(name)
    if name == "tiny/bert-1m":
        model.set_labels(LABELS)
    requests = [question(f"Is it so, number {index}?") for index in range(5)]
    found = dict(pair for group in outputs(model, iter(requests), Generation(), CHOOSE) for pair in group)
    beliefs = dict(pair for group in model.beliefs((request, LABELS) for request in requests) for pair in group)
    for index, request in enumerate(requests):
        best = max(LABELS, key=beliefs[index].logprobs.__getitem__)
        assert found[index].text == best
        assert found[index].mass["all"] == pytest.approx(math.exp(beliefs[index].logprobs["yes"]), rel=1e-6)
        if name != "tiny/bert-1m":
            alone = model.logprobs([request.prompt], [LABELS])[0]
            assert [beliefs[index].logprobs[text] for text in LABELS] == pytest.approx(alone, abs=1e-5)


def test_mass_beside_generated_answers():
    model = open_model("tiny/gpt-1m")
    requests = [question(f"number {index}", labels=()) for index in range(3)]
    plain = model.generate(requests, Generation(max_tokens=3))
    found = dict(
        pair for group in outputs(model, requests, Generation(max_tokens=3), Weights(mass=True)) for pair in group
    )
    assert [found[index].text for index in range(3)] == [output.text for output in plain]
    assert all(0 < output.mass["all"] < 1 and output.mass["all"] == output.mass["best"] for output in found.values())


def test_a_prompt_beyond_the_window_fails_alone():
    model = open_model("tiny/gpt-1m", {"window": 40})
    requests = [question("short"), question("long " * 60)]
    found = dict(pair for group in outputs(model, requests, Generation(), CHOOSE) for pair in group)
    assert found[0].state == "complete"
    assert found[1].state == "failed" and "window 40" in found[1].error


@pytest.fixture
def served():
    """A tiny model of whole words, and the same model behind a server."""
    texts = [f"Is it so, number {index}? yes no maybe so one two three" for index in range(30)]
    from taskloom.models.tiny import build_tiny

    return build_tiny("gpt-1m", texts=texts, seed=3)


@pytest.mark.parametrize("mode", ["completions", "chat"])
def test_a_server_and_the_model_behind_it_agree(served, mode):
    labels = LABELS if mode == "completions" else ("yes", "no")
    requests = [
        question(f"Is it so, number {index}?", labels=labels, targets=Boolean(index % 2 == 0, ("yes", "no")))
        for index in range(8)
    ]
    if mode == "chat":  # the likeliest twenty tokens must hold the answers for a server to tell them
        make_likely(served, labels)
    with serving(ScoringServer(served.module, served.tokenizer_hf)) as server:
        model = open_model("api/x", {"base_url": server.url, "mode": mode})
        check_weights(model, CHOOSE, requests)
        there = dict(pair for group in outputs(model, iter(requests), Generation(), CHOOSE) for pair in group)
        remote = model.logprobs([request.prompt for request in requests], [labels] * len(requests))
    here = dict(pair for group in outputs(served, iter(requests), Generation(), CHOOSE) for pair in group)
    local = served.logprobs([request.prompt for request in requests], [labels] * len(requests))
    for index in range(len(requests)):
        assert there[index].text == here[index].text
        assert there[index].likelihood == pytest.approx(here[index].likelihood, abs=1e-5)
        assert there[index].mass == pytest.approx(here[index].mass, rel=1e-5)
        assert remote[index] == pytest.approx(local[index], abs=1e-5)


def make_likely(model, words):
    import torch

    ids = [model.tokenizer_hf(f" {word}", add_special_tokens=False).input_ids[0] for word in words]
    with torch.no_grad():
        weight = model.module.get_output_embeddings().weight
        weight[ids] = 3 * weight[ids] + 0.3 * model.module.transformer.ln_f.bias.new_ones(weight.shape[1])
        model.module.transformer.ln_f.bias += 0.5


def test_a_server_without_log_probabilities_is_refused_before_anything_is_asked(served):
    replies = {
        "silent": lambda handler, body, count: handler.send(said("yes")),
        "refusing": lambda handler, body, count: handler.send({"error": {"message": "logprobs not supported"}}, 400),
    }
    for answer in replies.values():
        for mode in ("chat", "completions"):
            with serving(answer) as server:
                model = open_model("api/x", {"base_url": server.url, "mode": mode, "malformed": 0})
                with pytest.raises(UserError, match="does not provide log-probabilities") as caught:
                    check_weights(model, CHOOSE, [question()])
            assert server.count == 1 and "--answer-by generate" in str(caught.value)


def test_a_server_that_drops_log_probabilities_half_way_loses_only_those(served):
    requests = [question(f"Is it so, number {index}?") for index in range(6)]
    with serving(ScoringServer(served.module, served.tokenizer_hf, drop_after=1 + 3 * 2)) as server:
        model = open_model("api/x", {"base_url": server.url, "mode": "completions", "concurrency": 1})
        check_weights(model, CHOOSE, requests)
        found = dict(pair for group in outputs(model, requests, Generation(), CHOOSE) for pair in group)
    assert [found[index].state for index in range(6)] == ["complete"] * 2 + ["failed"] * 4
    assert all("sent no log-probabilities" in found[index].error for index in range(2, 6))


def test_an_answer_that_cannot_be_told_from_the_prompt_or_is_unlisted_fails_with_the_reason(served):
    def joined(handler, body, count):
        text = body["prompt"]
        scores = {"tokens": [text], "token_logprobs": [-1.0], "text_offset": [0]}
        handler.send({"choices": [{"text": text, "logprobs": scores}]})

    with serving(joined) as server:
        model = open_model("api/x", {"base_url": server.url, "mode": "completions"})
        [[(_, belief)]] = list(model.beliefs([(question(), ("yes",))]))
    assert "one token" in belief.error
    with serving(ScoringServer(served.module, served.tokenizer_hf)) as server:
        model = open_model("api/x", {"base_url": server.url, "mode": "chat"})
        [[(_, belief)]] = list(model.beliefs([(question(), ("no such word at all",))]))
    assert "most likely first tokens" in belief.error
    assert judge_belief(belief, question(), CHOOSE) == Output("", "failed", belief.error)
