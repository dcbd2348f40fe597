"""Loading local checkpoints: what works, and how everything else is refused."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from importlib.util import find_spec

import pytest

from taskloom.core import UserError
from taskloom.core.encoding import Message, Prompt
from taskloom.core.errors import install_command
from taskloom.core.model import Generation, Request, open_model

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """One saved checkpoint of each architecture."""
    folder = tmp_path_factory.mktemp("checkpoints")
    for kind in ("t5", "gpt", "bert"):
        open_model(f"tiny/{kind}-1m", {"seed": 3}).save(folder / kind)
    return folder


@pytest.fixture
def broken(saved, tmp_path):
    """A copy of a checkpoint that a test may spoil."""

    def copy(kind):
        return shutil.copytree(saved / kind, tmp_path / kind)

    return copy


@pytest.mark.parametrize("kind", ["t5", "gpt"])
def test_a_saved_model_opens_as_the_same_model(saved, ask, kind):
    before, after = open_model(f"tiny/{kind}-1m", {"seed": 3}), open_model(f"hf/{saved / kind}")
    assert after.architecture == before.architecture
    assert after.generate([ask("a dog")], Generation(max_tokens=5)) == before.generate(
        [ask("a dog")], Generation(max_tokens=5)
    )
    assert after.logprobs([Prompt("a dog")], [["cat", "dog dog"]]) == before.logprobs(
        [Prompt("a dog")], [["cat", "dog dog"]]
    )
    assert {file.suffix for file in (saved / kind).iterdir()} <= {".json", ".safetensors", ".jinja"}


def test_fresh_weights_depend_on_the_seed_alone(saved):
    trained = open_model(f"hf/{saved / 't5'}")
    first, again, other = (open_model(f"hf/{saved / 't5'}", {"fresh": True, "seed": seed}) for seed in (1, 1, 2))
    known = {model.identity.weights for model in (trained, first, again, other)}
    assert len(known) == 3
    assert first.identity == again.identity


def test_identity_follows_the_bytes_of_the_weights(saved, broken):
    import torch

    one, same = open_model(f"hf/{saved / 'gpt'}"), open_model(f"hf/{saved / 'gpt'}")
    assert one.identity == same.identity
    assert one.identity.settings["parameters"] == sum(p.numel() for p in one.module.parameters())
    with torch.no_grad():
        next(one.module.parameters())[0, 0] += 1
    folder = broken("gpt")
    one.save(folder)
    assert open_model(f"hf/{folder}").identity.weights != same.identity.weights
    assert one.refresh().weights not in ("", same.identity.weights)


def test_pickled_weights_are_refused(broken):
    folder = broken("gpt")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(UserError, match=r"pytorch_model\.bin found; pickled weights can run code"):
        open_model(f"hf/{folder}")


class Trap:
    """Whoever unpickles it leaves a trace."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return (os.mkdir, (self.trace,))


@pytest.mark.parametrize("payload", ["code", "plain tensors"])
@pytest.mark.parametrize("guarded", [True, False], ids=["the folder is looked at", "the loader alone"])
@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.safetensors", "pytorch_model-00001-of-00001.bin"])
def test_no_pickle_is_ever_opened(broken, tmp_path, monkeypatch, name, guarded, payload):
    """Tried with pickles under the names that loaders look for: one that runs code, and one that would load well."""
    import torch
    from safetensors.torch import load_file

    from taskloom.models import load as loader

    folder, trace = broken("gpt"), tmp_path / "ran"
    state = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save({"transformer.wte.weight": Trap(trace)} if payload == "code" else state, folder / name)
    if "-of-" in name:
        index = {"metadata": {}, "weight_map": dict.fromkeys(state, name)}
        (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    if not guarded:
        monkeypatch.setattr(loader, "check_folder", lambda path: None)
        monkeypatch.setattr(loader, "weight_files", lambda path: [path / name])
    with pytest.raises(UserError):
        open_model(f"hf/{folder}")
    assert not trace.exists()


BOMB = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}


def test_a_tokenizer_that_hangs_or_crashes_is_a_sentence(broken):
    folder = broken("gpt")
    path = folder / "tokenizer.json"
    whole = json.loads(path.read_text())
    for pattern in ("(a+)+$", "(a|aa)+$"):
        bomb = {**BOMB, "pattern": {"Regex": pattern}}
        path.write_text(json.dumps({**whole, "pre_tokenizer": bomb}))
        with pytest.raises(UserError, match="the tokenizer"):
            open_model(f"hf/{folder}")
    for text in ("[" * 100_000, "{}", '{"model": {"type": "BPE", "vocab": 3}}'):
        path.write_text(text)
        with pytest.raises(UserError):
            open_model(f"hf/{folder}")


@pytest.mark.parametrize(
    "template",
    [
        "{% include 'x' %}", "{{ 'x' * 10**12 }}", "{{ ''.__class__.__mro__ }}", "{% import 'os' as os %}", "{{ x",
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ messages[9].content.x.y }}",
    ],
)  # fmt: skip
def test_a_hostile_template_is_a_sentence(saved, template):
    from taskloom.models.chat import render_chat

    tokenizer = open_model(f"hf/{saved / 'gpt'}").tokenizer_hf
    tokenizer.chat_template = template
    with pytest.raises(UserError, match=r"^the chat template of m rejects the turns user: "):
        render_chat(Prompt("hello"), tokenizer, "m")


def test_a_folder_without_weights_or_config_is_refused(broken, tmp_path):
    folder = broken("gpt")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError, match="no weights"):
        open_model(f"hf/{folder}")
    with pytest.raises(UserError, match=r"no config\.json"):
        open_model(f"hf/{tmp_path}")
    with pytest.raises(UserError, match="no such folder"):
        open_model("hf/./not/here/at/all")


def test_a_corrupt_checkpoint_is_named(broken):
    folder = broken("t5")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])
    with pytest.raises(UserError, match="corrupt"):
        open_model(f"hf/{folder}")
    weights.write_bytes(b"nonsense")
    with pytest.raises(UserError, match="corrupt"):
        open_model(f"hf/{folder}")


def test_a_corrupt_gguf_file_is_named(tmp_path):
    pytest.importorskip("gguf", reason="needs gguf: pip install 'taskloom[train]'")
    for content in (b"nonsense", b"GGUF" + b"\0" * 300, b"GGUF\x03\0\0\0" + b"\xff" * 40):
        (tmp_path / "model.gguf").write_bytes(content)
        with pytest.raises(UserError, match="corrupt"):
            open_model(f"hf/{tmp_path / 'model.gguf'}")
    with pytest.raises(UserError, match="no such file"):
        open_model(f"hf/{tmp_path / 'other.gguf'}")


def test_a_corrupt_config_is_named(broken):
    folder = broken("t5")
    (folder / "config.json").write_text("{oops")
    with pytest.raises(UserError, match="t5: "):
        open_model(f"hf/{folder}")


def test_missing_and_foreign_weights_are_named(broken):
    from safetensors.torch import load_file, save_file

    folder = broken("gpt")
    state = load_file(folder / "model.safetensors")
    lost = sorted(state)[3]
    save_file({key: value for key, value in state.items() if key != lost}, folder / "model.safetensors")
    with pytest.raises(UserError, match="lacks weights"):
        open_model(f"hf/{folder}")


def test_weights_of_another_size_are_refused(broken):
    folder = broken("gpt")
    config = json.loads((folder / "config.json").read_text())
    config["n_embd"] = 64
    config["n_head"] = 2
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError):
        open_model(f"hf/{folder}")


def change(folder, **values):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **values}))


def test_a_config_with_fewer_layers_than_the_weights_is_refused(broken):
    """Transformers would leave the other layers out without a word."""
    folder = broken("gpt")
    change(folder, n_layer=2)
    with pytest.raises(UserError, match=r"fewer layers than the weights: transformer\.h\.2"):
        open_model(f"hf/{folder}")


@pytest.mark.parametrize("values", [{"vocab_size": "many"}, {"n_head": 0}])
def test_a_config_of_nonsense_is_one_sentence(broken, values):
    folder = broken("gpt")
    change(folder, **values)
    with pytest.raises(UserError, match="cannot be loaded"):
        open_model(f"hf/{folder}")


@pytest.mark.parametrize("kind", ["t5", "gpt", "bert"])
def test_a_missing_tokenizer_is_refused_not_made_up(saved, tmp_path, kind):
    """Transformers makes up an empty one, and every prompt would be nothing. The folder's name says nothing either."""
    folder = shutil.copytree(saved / kind, tmp_path / "safetensors-header-offline")
    (folder / "tokenizer.json").write_text("{oops")
    with pytest.raises(UserError, match="the tokenizer cannot be loaded: Expecting"):
        open_model(f"hf/{folder}")
    for file in folder.glob("tokenizer*"):
        file.unlink()
    with pytest.raises(UserError, match="the tokenizer is missing"):
        open_model(f"hf/{folder}")


def test_a_missing_part_of_the_weights_is_named(broken):
    folder = broken("gpt")
    (folder / "model.safetensors").rename(folder / "part-1.safetensors")
    with pytest.raises(UserError, match=r"holds part-1\.safetensors, but no model\.safetensors"):
        open_model(f"hf/{folder}")
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "part-1.safetensors", "b": "part-2.safetensors"}}))
    with pytest.raises(UserError, match=r"lacks part-2\.safetensors"):
        open_model(f"hf/{folder}")
    index.write_text("{oops")
    with pytest.raises(UserError, match="index.json: the JSON cannot be read"):
        open_model(f"hf/{folder}")


def test_a_tokenizer_that_knows_more_than_the_model_is_refused(broken):
    folder = broken("gpt")
    model = open_model(f"hf/{folder}")
    model.tokenizer_hf.add_tokens(["brandnewword"])
    model.tokenizer_hf.save_pretrained(folder)
    with pytest.raises(UserError, match="vocabulary mismatch: the tokenizer has ids up to 2048"):
        open_model(f"hf/{folder}")


def test_the_wrong_architecture_is_refused(saved, broken):
    folder = broken("bert")
    config = json.loads((folder / "config.json").read_text())
    config["model_type"], config["architectures"] = "vit", ["ViTModel"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError):
        open_model(f"hf/{folder}")
    with pytest.raises(UserError, match="architecture: BertConfig describes a model of another architecture"):
        open_model(f"hf/{saved / 'bert'}", {"architecture": "encoder-decoder"})


def test_remote_code_is_never_run(broken, tmp_path):
    folder = broken("gpt")
    config = json.loads((folder / "config.json").read_text())
    config["model_type"] = "evil"
    config["auto_map"] = {"AutoConfig": "evil.EvilConfig", "AutoModelForCausalLM": "evil.Evil"}
    (folder / "config.json").write_text(json.dumps(config))
    mark = tmp_path / "it-ran"
    (folder / "evil.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    with pytest.raises(UserError):
        open_model(f"hf/{folder}")
    assert not mark.exists()


def test_the_first_token_may_stand_in_the_generation_config_alone(broken):
    import torch

    folder = broken("t5")
    config = json.loads((folder / "config.json").read_text())
    del config["decoder_start_token_id"]
    (folder / "config.json").write_text(json.dumps({**config, "bos_token_id": 2}))
    generating = json.loads((folder / "generation_config.json").read_text())
    (folder / "generation_config.json").write_text(json.dumps({**generating, "decoder_start_token_id": 7}))
    model = open_model(f"hf/{folder}")
    prompt = model.prompt_ids(Prompt("the dog"))
    with torch.inference_mode():
        expected = model.module.generate(torch.tensor([prompt]), max_new_tokens=1, do_sample=False)[0].tolist()
        assert [7, int(model.engine().start([prompt]).argmax())] == expected


def test_options_are_checked(saved):
    where = f"hf/{saved / 'gpt'}"
    with pytest.raises(UserError, match="did you mean 'device'"):
        open_model(where, {"devise": "cpu"})
    with pytest.raises(UserError, match="dtype"):
        open_model(where, {"dtype": "float7"})
    for device in ("quantum", "meta"):
        with pytest.raises(UserError, match=f"device '{device}' cannot be used"):
            open_model(where, {"device": device})
    assert open_model(where, {"dtype": "bf16"}).identity.settings["dtype"] == "bfloat16"


def test_a_missing_extra_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UserError, match=re.escape(install_command("train"))):
        open_model("tiny/t5-1m")
    with pytest.raises(UserError, match=re.escape(install_command("train"))):
        open_model("tiny/entnet")


def test_chat_templates_are_rendered_shown_and_logged(saved, ask, caplog):
    model = open_model(f"hf/{saved / 'gpt'}")
    turns = (Message("system", "Be brief."), Message("user", "Where is Mary?"))
    request = Request(Prompt("as shown to people", turns), ask("x").task, ask("x").instance)
    with pytest.raises(UserError, match="no chat template"):
        model.generate([request], Generation())
    model.tokenizer_hf.chat_template = (
        "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[say]{% endif %}"
    )
    expected = "[system]Be brief.[user]Where is Mary?[say]"
    assert model.render(request.prompt) == expected
    caplog.set_level("INFO", logger="taskloom.models")
    fresh = open_model(f"hf/{saved / 'gpt'}")
    fresh.tokenizer_hf.chat_template = model.tokenizer_hf.chat_template
    output = fresh.generate([request], Generation(max_tokens=4))
    assert caplog.text.count(expected) == 1
    assert output == fresh.generate([ask(expected)], Generation(max_tokens=4))
    plain = open_model(f"hf/{saved / 'gpt'}", {"chat": "never"})
    assert plain.render(request.prompt) == "as shown to people"
    model.tokenizer_hf.chat_template = "{{ raise_exception('only user turns') }}"
    with pytest.raises(UserError, match="rejects the turns system, user"):
        model.render(request.prompt)


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(UserError, match="did you mean 'tiny/t5-1m'"):
        open_model("tiny/t5-1mm")
    with pytest.raises(UserError, match="names a provider"):
        open_model("tiny")


def test_show_prints_what_a_model_reads(saved, tmp_path, capsys):
    from taskloom.cli.main import main

    folder = shutil.copytree(saved / "gpt", tmp_path / "chatty")
    (folder / "chat_template.jinja").write_text(
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<answer>"
    )
    assert main(["show", "seti/task2-trivial", "--n", "1", "--encoding", "chat", "--model", f"hf/{folder}"]) == 0
    printed = capsys.readouterr().out
    assert "<system>You are given a premise" in printed
    assert "<answer>\n─── acceptable answer" in printed


@pytest.mark.parametrize(("kind", "places"), [("gpt", 1024), ("bert", 512), ("bart", 1024)])
def test_a_window_beyond_the_learned_places_is_refused(saved, kind, places):
    if not (saved / kind).exists():
        open_model(f"tiny/{kind}-1m", {"seed": 3}).save(saved / kind)
    assert open_model(f"hf/{saved / kind}", {"window": places}).identity.settings["window"] == places
    with pytest.raises(UserError, match=f"has {places:,} positions") as caught:
        open_model(f"hf/{saved / kind}", {"window": places + 1})
    assert caught.value.where == "-M window"


def test_a_window_of_any_size_fits_a_model_with_relative_places(saved):
    assert open_model(f"hf/{saved / 't5'}", {"window": 5000}).limits.window == 5000


@pytest.mark.parametrize("kind", ["t5", "gpt", "bert"])
def test_half_a_surrogate_is_read_as_the_escape_that_records_show(saved, ask, kind):
    """A prompt from a broken file must not end a run; tokenizers take no such text."""
    labels = {"labels": ["cat", "dog"]} if kind == "bert" else {}
    model = open_model(f"hf/{saved / kind}", labels)
    odd, shown = ask("a \ud800 dog"), ask("a \\ud800 dog")
    assert model.length(odd.prompt) == model.length(shown.prompt)
    assert model.generate([odd], Generation(max_tokens=3)) == model.generate([shown], Generation(max_tokens=3))
    answers = ["cat", "dog"] if kind == "bert" else ["cat", "c\udfffat"]
    assert list(model.weigh([odd], [answers])[0].logprobs) == answers


@pytest.mark.parametrize("kind", ["gpt", "t5"])
def test_a_model_spread_over_devices_is_the_same_model(saved, ask, kind):
    pytest.importorskip("accelerate")
    whole, spread = (open_model(f"hf/{saved / kind}", more) for more in ({}, {"device_map": "cpu"}))
    asked = [ask("the cat sat"), ask("a longer question than the other one")]
    assert spread.generate(asked, Generation(max_tokens=6)) == whole.generate(asked, Generation(max_tokens=6))
    assert spread.identity == whole.identity


def test_fewer_bits_are_another_model_that_cannot_be_trained(saved, ask):
    if find_spec("bitsandbytes") is None:
        with pytest.raises(UserError, match="pip install bitsandbytes"):
            open_model(f"hf/{saved / 'gpt'}", {"quantise": "int8"})
        pytest.skip("needs bitsandbytes")
    whole, small = (open_model(f"hf/{saved / 'gpt'}", more) for more in ({}, {"quantise": "int8"}))
    assert small.identity != whole.identity and small.identity.settings["quantise"] == "int8"
    prompts, candidates = [ask("the cat sat").prompt], [["on", "red"]]
    [full], [rough] = whole.logprobs(prompts, candidates), small.logprobs(prompts, candidates)
    assert full != rough and full == pytest.approx(rough, abs=0.5)
    with pytest.raises(UserError, match="train"):
        small.require("train", "--adapt lora")
