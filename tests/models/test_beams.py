"""Beam search against transformers' own, and against all answers there are."""

from __future__ import annotations

import pytest

from taskloom.core import UserError, resolve
from taskloom.core.model import Generation, open_model

pytestmark = pytest.mark.train
PROMPTS = ["dog", "Mary went to the garden. Where is the milk?", "7 + 5 =", "a b c d e f g h i j k"]


def lively(name, seed):
    """A tiny model that is sure of something and ends now and then."""
    import torch

    model = open_model(name, {"seed": seed})
    generator = torch.Generator().manual_seed(seed)
    for key, parameter in model.module.named_parameters():
        if parameter.dim() > 1 and "relative" not in key:
            parameter.data.add_(torch.randn(parameter.shape, generator=generator) * (0.5 if "t5" in name else 0.12))

    def likelier_end(module, given, output):
        top = output.logits.amax(dim=-1)
        output.logits[..., 1] = top + (top.abs() * 7) % 3 - 2
        return output

    model.module.register_forward_hook(likelier_end)
    return model


@pytest.mark.parametrize("beams", [2, 4])
@pytest.mark.parametrize("name", ["tiny/t5-1m", "tiny/bart-1m", "tiny/gpt-1m"])
def test_the_answers_are_those_of_transformers(name, beams, ask):
    import torch

    ended = 0
    for seed in (1, 2):
        model = lively(name, seed)
        found = model.generate([ask(text) for text in PROMPTS], Generation(max_tokens=7, beams=beams))
        for text, output in zip(PROMPTS, found, strict=True):
            ids = torch.tensor([model.prompt_ids(ask(text).prompt)])
            made = model.module.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                num_beams=beams,
                max_new_tokens=7,
                do_sample=False,
                early_stopping=False,
                length_penalty=1.0,
            )[0]
            new = made[ids.shape[1] :] if model.architecture == "decoder" else made[1:]
            assert output.text == model.tokenizer_hf.decode(new, skip_special_tokens=True).strip()
            ended += output.state == "complete"
    assert ended > 0, "no answer ended, so ends were not compared"


def test_stop_strings_and_bad_settings(ask):
    model = open_model("tiny/gpt-1m")
    plain = model.generate([ask("dog")], Generation(max_tokens=7, beams=2))[0].text
    stop = plain[2:4]
    assert stop
    cut = model.generate([ask("dog")], Generation(max_tokens=7, beams=2, stop=(stop,)))[0].text
    assert stop not in cut
    for options, words in (({"beams": 0}, "1 or more"), ({"beams": 2, "temperature": 0.5}, "requires temperature 0")):
        with pytest.raises(UserError, match=words):
            resolve(Generation(), options, where="generation")
