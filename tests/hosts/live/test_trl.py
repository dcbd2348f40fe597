"""TRL trains on exported suites with our rewards, and the rewards it sees are our scores."""

from __future__ import annotations

import pytest

from hosts.live.shared import COUNT, SUITES, opened, run_blocks, said
from taskloom import to_hf
from taskloom.rl import reward


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A GPT-2 of two thin layers with a tokenizer made here."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("model")
    letters = pre_tokenizers.ByteLevel.alphabet()
    vocabulary = {"<end>": 0, **{letter: place for place, letter in enumerate(sorted(letters), start=1)}}
    inner = Tokenizer(models.BPE(vocabulary, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<end>", pad_token="<end>")
    config = GPT2Config(vocab_size=len(vocabulary), n_positions=4096, n_embd=16, n_layer=2, n_head=2,
                        bos_token_id=0, eos_token_id=0)  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder / "tiny")
    tokenizer.save_pretrained(folder / "tiny")
    return folder


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("model", ["oracle", "half"])
def test_rewards_in_a_trainer_are_ours(name, model, ours, tiny, tmp_path):
    """The trainer's own reward step, on completions of a deterministic model."""
    from trl import GRPOConfig, GRPOTrainer

    suite = opened(name)
    data = to_hf(suite, limit=COUNT)
    settings = GRPOConfig(str(tmp_path / "out"), max_steps=1, per_device_train_batch_size=4, num_generations=4,
                          max_completion_length=4, use_cpu=True, report_to=[])  # fmt: skip
    trainer = GRPOTrainer(str(tiny / "tiny"), reward_funcs=reward(suite), train_dataset=data, args=settings)
    rows = list(data)
    texts = [said(model, row["prompt"], row["answer"]) for row in rows]
    ids = [trainer.processing_class(text)["input_ids"] for text in texts]
    values = trainer._calculate_rewards(rows, [row["prompt"] for row in rows], texts, ids)[:, 0].tolist()
    theirs = {(row["task"], row["id"]): value for row, value in zip(rows, values, strict=True)}
    expected = ours(name, model)
    assert theirs == {key: pytest.approx(value, abs=1e-6) for key, value in expected.items()}


def test_the_page(tiny):
    shown = run_blocks("trl", tiny)
    assert "train_runtime" in shown[0] and "rewards/taskloom_shaped/mean" in shown[0]
    assert "where-person: move" in shown[1]
