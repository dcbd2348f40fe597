"""Exported models give plain transformers and peft the same log-probabilities."""

from __future__ import annotations

import pytest

from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.core.encoding import Prompt
from taskloom.core.model import open_model
from taskloom.run.log import read_records
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")
SHORT = {"updates": 3, "batch": 4, "evaluate_updates": 3, "evaluate_limit": 2, "max_output": 4}
ADAPTATIONS = {
    "finetune": {"learning_rate": 0.01},
    "lora": {"learning_rate": 0.1, "rank": 2},
    "prompt-tune": {"tokens": 3},
}
PROMPT, ANSWERS = "balo koni", ["mira", "duvex saro"]


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """A Llama of a few thousand parameters with the built-in vocabulary."""
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("llama")
    tokenizer = open_model("tiny/gpt-1m").tokenizer_hf
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=256, pad_token_id=0, eos_token_id=1, bos_token_id=2,
    )  # fmt: skip
    torch.manual_seed(0)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return f"hf/{folder}"


def by_hand(module, model, answer):
    """The log-probability of an answer from one plain forward pass; the soft prompt is peft's affair."""
    prompt = [token for token in model.prompt_ids(Prompt(PROMPT)) if token not in model.prefix]
    target = model.answer_ids(Prompt(PROMPT), answer)
    with torch.no_grad():
        if model.architecture == "encoder-decoder":
            start = module.config.decoder_start_token_id
            fed = torch.tensor([[start, *target[:-1]]])
            ids = torch.tensor([prompt])
            logits = module(input_ids=ids, attention_mask=torch.ones_like(ids), decoder_input_ids=fed).logits[0]
        else:
            ids = torch.tensor([[*prompt, *target[:-1]]])
            logits = module(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0][-len(target) :]
    rows = logits[-len(target) :].float().log_softmax(-1)
    return sum(float(rows[at, token]) for at, token in enumerate(target))


@pytest.mark.parametrize("kind", ADAPTATIONS)
@pytest.mark.parametrize("name", ["tiny/t5-1m", "tiny/gpt-1m", "llama"])
def test_the_same_log_probabilities_everywhere(name, kind, llama, pairs, tmp_path):
    import peft
    import transformers

    from taskloom.adapt.opened import export_model

    name = llama if name == "llama" else name
    suite = pairs(train=8, dev=2)
    settings = RunSettings(
        model=name, adapt=kind, adapt_options={**SHORT, **ADAPTATIONS[kind]}, limit=1, generation={"max_tokens": 2}
    )
    launch(suite, tmp_path / "run", settings)
    ours = open_model(f"run/{tmp_path / 'run'}")
    wanted = ours.logprobs([Prompt(PROMPT)], [ANSWERS])[0]
    base = open_model(name).logprobs([Prompt(PROMPT)], [ANSWERS])[0]
    assert wanted != pytest.approx(base, abs=1e-3), "nothing was learned, so nothing is compared"
    forms = {"finetune": ["merged"], "lora": ["merged", "peft"], "prompt-tune": ["peft"]}[kind]
    auto = transformers.AutoModelForSeq2SeqLM if "t5" in name else transformers.AutoModelForCausalLM
    for form in forms:
        folder = tmp_path / form
        export_model(tmp_path / "run", folder, form)
        opened = open_model(f"hf/{folder}")
        assert opened.logprobs([Prompt(PROMPT)], [ANSWERS])[0] == pytest.approx(wanted, abs=1e-5)
        if form == "merged":
            module = auto.from_pretrained(folder)
        else:
            module = peft.PeftModel.from_pretrained(auto.from_pretrained(folder / "base"), folder)
        assert transformers.AutoTokenizer.from_pretrained(folder / "base" if form == "peft" else folder)
        found = [by_hand(module.eval(), ours, answer) for answer in ANSWERS]
        assert found == pytest.approx(wanted, abs=1e-5)


def test_what_cannot_be_exported_is_refused(pairs, tmp_path):
    from taskloom.adapt.opened import export_model

    suite = pairs(tasks=2, train=8, dev=2)
    common = {"limit": 1, "generation": {"max_tokens": 2}}
    each = {**SHORT, "tokens": 2, "per_task": True}
    launch(suite, tmp_path / "each", RunSettings(model="tiny/t5-1m", adapt="prompt-tune", adapt_options=each, **common))
    with pytest.raises(UserError, match="one adaptation per task cannot be exported"):
        export_model(tmp_path / "each", tmp_path / "out")
    launch(suite, tmp_path / "tuned", RunSettings(model="tiny/t5-1m", adapt="finetune", adapt_options=SHORT, **common))
    with pytest.raises(UserError, match="no adapter"):
        export_model(tmp_path / "tuned", tmp_path / "out2", "peft")
    assert not (tmp_path / "out2").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        export_model(tmp_path / "tuned", tmp_path / "full")


@pytest.mark.parametrize("name", ["tiny/entnet", "tiny/bidaf"])
def test_the_command_that_export_prints_asks_the_same_model(name, tmp_path, capsys):
    common = ["babi/task-1", "-T", "train=20", "-T", "dev=5", "--limit", "5"]
    trained = ["--model", name, "--adapt", "finetune", "-A", "epochs=1", "-o", str(tmp_path / "run")]
    assert main(["run", *common, *trained]) == 0
    assert main(["export", "model", str(tmp_path / "run"), "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out.split("ask it with: taskloom run SUITE ")[1].split(" -o DIR")[0]
    assert main(["run", *common, *said.split(), "-o", str(tmp_path / "again")]) == 0
    answers = [[record.raw for record in read_records(tmp_path / folder)] for folder in ("run", "again")]
    assert answers[0] == answers[1]
    weights = tmp_path / "out" / "model.safetensors"
    flipped = bytearray(weights.read_bytes())
    flipped[-9] ^= 1
    weights.write_bytes(flipped)
    assert main(["run", *common, *said.split(), "-o", str(tmp_path / "flipped")]) == 2
    assert "changed after it was written" in capsys.readouterr().err
