"""The exact engine and classifiers on other architectures than our own, built small from their configs."""

from __future__ import annotations

import pytest

from taskloom.core import Instance, Instruction, Task, UserError, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request

pytestmark = pytest.mark.train

PROMPTS = ["dog", "Mary went to the garden and never came back to us. Where is Mary?", "a b c d e f g h i j k l m n"]
CANDIDATES = [["yes", "yes sir"], ["garden", "office"], ["o"]]
WORDS = {"vocab_size": 2048, "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2}
SIZES = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 128,
    "max_position_embeddings": 256,
}
GROUPED = {**SIZES, "num_key_value_heads": 2}
TWO_PARTS = {
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_ffn_dim": 128,
    "decoder_ffn_dim": 128,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "max_position_embeddings": 256,
    "decoder_start_token_id": 1,
}
TEXT_MODELS = {
    "rotary positions": ("LlamaForCausalLM", "LlamaConfig", GROUPED),
    "a sliding window": ("MistralForCausalLM", "MistralConfig", {**GROUPED, "sliding_window": 6}),
    "learned positions with an offset": (
        "OPTForCausalLM",
        "OPTConfig",
        {
            "hidden_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "ffn_dim": 128,
            "max_position_embeddings": 256,
            "word_embed_proj_dim": 64,
        },
    ),
    "linear biases": ("BloomForCausalLM", "BloomConfig", {"hidden_size": 64, "n_layer": 2, "n_head": 4}),
    "no attention at all": (
        "MambaForCausalLM",
        "MambaConfig",
        {"hidden_size": 64, "num_hidden_layers": 2, "state_size": 8},
    ),
    "mT5": (
        "MT5ForConditionalGeneration",
        "MT5Config",
        {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0},
    ),
    "sinusoidal positions": ("MarianMTModel", "MarianConfig", TWO_PARTS),
}
PADDING_IS_SEEN = {
    "recurrent, without a mask": (
        "RwkvForCausalLM",
        "RwkvConfig",
        {"hidden_size": 64, "num_hidden_layers": 2, "attention_hidden_size": 64},
    ),
    "positions by column": ("BartForCausalLM", "BartConfig", TWO_PARTS),
}
ENCODERS = {
    "RoBERTa": ("RobertaForSequenceClassification", "RobertaConfig", SIZES),
    "ALBERT": ("AlbertForSequenceClassification", "AlbertConfig", {**SIZES, "embedding_size": 32}),
    "places kept for padding": (
        "LongformerForSequenceClassification",
        "LongformerConfig",
        {**SIZES, "attention_window": 8},
    ),
    "relative positions too": ("MPNetForSequenceClassification", "MPNetConfig", SIZES),
    "the last token decides": (
        "XLNetForSequenceClassification",
        "XLNetConfig",
        {"d_model": 64, "n_layer": 2, "n_head": 4, "d_inner": 128},
    ),
    "no mask at all": ("FNetForSequenceClassification", "FNetConfig", {**SIZES, "num_attention_heads": None}),
}


def build(entry, architecture, **options):
    import torch
    import transformers

    from taskloom.models.hf import make_local
    from taskloom.models.load import HFOptions, LoadedModel
    from taskloom.models.tiny.vocabulary import built_in_subwords, make_tokenizer

    model_class, config_class, sizes = entry
    torch.manual_seed(0)
    module = getattr(transformers, model_class)(getattr(transformers, config_class)(**WORDS, **sizes)).eval()
    for parameter in module.parameters():
        if parameter.dim() > 1:
            parameter.data.add_(torch.randn_like(parameter) * 0.08)
    tokenizer = make_tokenizer(
        built_in_subwords(), add_end=architecture == "encoder-decoder", pair=architecture == "classifier"
    )
    return make_local(LoadedModel("small", module, tokenizer, architecture), HFOptions(**options), "test")


@pytest.mark.parametrize("kind", TEXT_MODELS)
def test_batch_cache_and_padding_change_nothing(kind, ask):
    entry = TEXT_MODELS[kind]
    architecture = "decoder" if "Causal" in entry[0] else "encoder-decoder"
    plain = build(entry, architecture, cache=False, batch_size=1)
    generation = Generation(max_tokens=6)
    answers = [plain.generate([ask(text)], generation)[0] for text in PROMPTS]
    scores = [plain.logprobs([Prompt(text)], [texts])[0] for text, texts in zip(PROMPTS, CANDIDATES, strict=True)]
    for cache in (True, False):
        for padding in ("left", "right"):
            model = build(entry, architecture, cache=cache, padding=padding)
            assert model.generate([ask(text) for text in PROMPTS], generation) == answers
            found = model.logprobs([Prompt(text) for text in PROMPTS], CANDIDATES)
            for row, expected in zip(found, scores, strict=True):
                assert row == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("kind", PADDING_IS_SEEN)
def test_models_that_see_padding_answer_alike_in_batches(kind, ask):
    plain = build(PADDING_IS_SEEN[kind], "decoder", cache=False, batch_size=1)
    model = build(PADDING_IS_SEEN[kind], "decoder")
    generation = Generation(max_tokens=6)
    answers = [plain.generate([ask(text)], generation)[0] for text in PROMPTS]
    assert model.generate([ask(text) for text in PROMPTS], generation) == answers
    scores = [plain.logprobs([Prompt(text)], [texts])[0] for text, texts in zip(PROMPTS, CANDIDATES, strict=True)]
    for row, expected in zip(model.logprobs([Prompt(text) for text in PROMPTS], CANDIDATES), scores, strict=True):
        assert row == pytest.approx(expected, abs=1e-3)
    with pytest.raises(UserError, match="sees padding"):
        build(PADDING_IS_SEEN[kind], "decoder", padding="left")


@pytest.mark.parametrize("kind", ENCODERS)
def test_encoders_keep_their_body_and_answer_alike_in_batches(kind):
    import torch

    model = build(ENCODERS[kind], "classifier")
    body = {key: value.clone() for key, value in model.module.base_model.state_dict().items()}
    labels = ("yes", "no", "maybe")
    model.set_labels(labels)
    for key, value in model.module.base_model.state_dict().items():
        assert torch.equal(value, body[key])
    task = Task("t", Instruction(""), labels=labels)
    texts = [*PROMPTS, "word " * 400]
    asked = [
        Request(Prompt(text), task, Instance(str(index), text, any_of("yes"), parts={"a": text, "b": "Is it so?"}))
        for index, text in enumerate(texts)
    ]
    # A text without a second part among pairs must not be read as a pair with an empty one.
    asked += [Request(Prompt(PROMPTS[1]), task, Instance("single", PROMPTS[1], any_of("yes")))]
    alone = [model.label_logprobs([request])[0] for request in asked]
    for one, other in zip(model.label_logprobs(asked), alone, strict=True):
        assert one == pytest.approx(other, abs=1e-5)
    loss = model.module(**model.collate(asked, ["yes", "no", "maybe", "yes", "no"])).loss
    assert torch.isfinite(loss)
