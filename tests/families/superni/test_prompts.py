"""Prompts at the limit against the official rule, written anew here, with two kinds of real tokenizers."""

from __future__ import annotations

import random
from typing import Any

import pytest

from taskloom.core import Example, Instance, Instruction, Task, any_of
from taskloom.families.superni.encoding import SuperNI, tidy

pytest.importorskip("transformers")

PIECES = (
    "don 't stop , please", "is it ?", "no !", "the cat 's bed .", "we 've seen it  .", "they 're ' here '", "I 'm in",
    "a, b", "sie sagt : ja .", "plain words only", "can n't", "end .  next", "x\ny .",
)  # fmt: skip


def sentences(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(PIECES) for _ in range(count))


def unigram() -> Any:
    """A tokenizer of T5's kind: unigram pieces, blanks as ▁, an end token that counts."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Replace("\n", " ")
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    rng = random.Random(1)
    texts = ["Definition: Input: Output: Now complete the following example - Positive Example 1 2 3"]
    texts += [sentences(rng, 6) for _ in range(300)]
    made.train_from_iterator(
        texts, trainers.UnigramTrainer(vocab_size=150, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>")
    )
    made.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="</s>", pad_token="<pad>", unk_token="<unk>")


def byte_level() -> Any:
    """A tokenizer of GPT-2's kind."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    rng = random.Random(2)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        [sentences(rng, 6) for _ in range(300)], trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet)
    )
    return PreTrainedTokenizerFast(tokenizer_object=made)


def clean_up(text: str) -> str:
    """The clean-up of the library that the official code was written for."""
    return (
        text.replace(" .", ".").replace(" ?", "?").replace(" !", "!").replace(" ,", ",").replace(" ' ", "'")
        .replace(" n't", "n't").replace(" 'm", "'m").replace(" 's", "'s").replace(" 've", "'ve").replace(" 're", "'re")
    )  # fmt: skip


def official(task: Task, asked: str, positive: int, tokenizer: Any, limit: int) -> str:
    """The rule of the published collator, written down from its description."""

    def ended(text: str) -> str:
        return text if text[-1] in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" else text + "."

    definition = ended("Definition: " + task.instruction.definition.strip()) + "\n\n"
    tail = ended("Now complete the following example -\nInput: " + asked.strip()) + "\nOutput: "
    kept: list[str] = []
    for number, example in enumerate(task.instruction.positive[:positive], start=1):
        text = ended(f" Positive Example {number} -\nInput: {example.input.strip()}") + "\n"
        text = ended(text + f" Output: {example.output.strip()}") + "\n\n"
        if len(tokenizer(definition + " ".join(kept) + text + tail).input_ids) > limit:
            break
        kept.append(text)
    source = definition + "".join(kept) + tail
    ids = tokenizer(source).input_ids
    if len(ids) <= limit:
        return source
    cut = tokenizer.decode(ids[:limit], skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return clean_up(cut)


@pytest.mark.parametrize("make", [unigram, byte_level], ids=["t5-style", "gpt2-style"])
def test_prompts_at_the_limit_equal_the_official_ones(make: Any) -> None:
    from taskloom.models.local import HFTokenizer

    tokenizer = make()
    rng = random.Random(3)
    dropped = cut = 0
    for number in range(250):
        examples = tuple(
            Example(sentences(rng, rng.randint(1, 6)), sentences(rng, 1)) for _ in range(rng.randint(0, 3))
        )
        task = Task("t", Instruction(sentences(rng, rng.randint(1, 8)), examples))
        asked = sentences(rng, rng.randint(1, 12))
        limit = rng.choice([60, 120, 200, 400])
        encoding = SuperNI(max_tokens=limit)
        prompt = encoding.encode(task, Instance(str(number), asked, any_of("x")), tokenizer=HFTokenizer(tokenizer))
        assert prompt.text == official(task, asked, 2, tokenizer, limit), (number, limit)
        dropped += prompt.dropped > 0
        cut += prompt.cut
    assert dropped > 40
    assert cut > 40


def test_the_clean_up_goes_over_a_text_once() -> None:
    assert tidy("a  . b , don n't") == "a . b, donn't"
    assert all(tidy(text) == clean_up(text) for text in PIECES)
