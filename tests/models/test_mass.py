"""Probability mass against models whose whole distribution is known."""

from __future__ import annotations

import math
from importlib.util import find_spec
from itertools import product
from typing import NamedTuple

import pytest

from taskloom.core import AnyOf, Boolean, Instance, Instruction, Items, Product, Task, UserError, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Request, open_model
from taskloom.models.likelihood import Weights, acceptable_answers, check_weights, union_logprob

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch: pip install 'taskloom[train]'")
LETTERS = "abcd"
END = 4


class Letters:
    """A tokenizer of four letters and an end."""

    pad_token_id, eos_token_id, bos_token_id = 0, END, END
    chat_template = None

    def __call__(self, text="", text_target=None, add_special_tokens=True):
        from types import SimpleNamespace

        texts = [text] if isinstance(text, str) else text
        read = [[LETTERS.index(letter) for letter in one if letter in LETTERS] for one in texts]
        return SimpleNamespace(input_ids=read[0] if isinstance(text, str) else read)

    def get_vocab(self):
        return {letter: index for index, letter in enumerate(LETTERS)}

    def decode(self, ids, skip_special_tokens=True):
        return "".join(LETTERS[token] for token in ids if token != END)


def table():
    """Next-token probabilities after the last two tokens, from exact integers."""
    weights = {}
    for pair in product(range(5), repeat=2):
        row = [(3 * pair[0] + 5 * pair[1] + 7 * token + pair[0] * token) % 11 + 1 for token in range(5)]
        weights[pair] = [value / sum(row) for value in row]
    return weights


def truth(prompt, answer, *, end):
    """The probability of an answer, multiplied out by hand."""
    seen = [END, END, *(LETTERS.index(letter) for letter in prompt)]
    share = 1.0
    for token in [*(LETTERS.index(letter) for letter in answer), *([END] if end else [])]:
        share *= table()[seen[-2], seen[-1]][token]
        seen.append(token)
    return share


def markov_model(**options):
    """A decoder of the usual interface whose distribution is the table."""
    import torch

    from taskloom.models.hf import HFModel
    from taskloom.models.load import HFOptions, LoadedModel

    class Memory:
        def __init__(self, ids):
            self.ids = ids

        def batch_select_indices(self, index):
            self.ids = self.ids[index]

    class Markov(torch.nn.Module):
        def __init__(self):
            super().__init__()
            rows = [[table()[first, second] for second in range(5)] for first in range(5)]
            self.logits = torch.nn.Parameter(torch.tensor(rows, dtype=torch.float64).log())
            from types import SimpleNamespace

            self.config = SimpleNamespace(model_type="markov", eos_token_id=END)
            self.device, self.dtype = torch.device("cpu"), torch.float64

        def forward(self, input_ids, attention_mask=None, past_key_values=None, use_cache=False):
            from types import SimpleNamespace

            ids = input_ids if past_key_values is None else torch.cat([past_key_values.ids, input_ids], dim=1)
            out = torch.zeros((*input_ids.shape, 5), dtype=torch.float64)
            skip = ids.shape[1] - input_ids.shape[1]
            for row in range(ids.shape[0]):
                last = [END, END]
                for column in range(ids.shape[1]):
                    if attention_mask[row, column]:
                        last = [last[1], int(ids[row, column])]
                    if column >= skip:
                        out[row, column - skip] = self.logits[last[0], last[1]]
            return SimpleNamespace(logits=out, past_key_values=Memory(ids) if use_cache else None)

    loaded = LoadedModel("markov", Markov(), Letters(), "decoder")
    return HFModel(loaded, HFOptions(**options), "test")


class Mass(NamedTuple):
    """The probability of a set of answers, and of each of them."""

    value: float
    answers: dict[str, float]


def answer_mass(model, prompts, answers, event="whole"):
    """The mass that a model gives to the answers of each prompt, from what it believes of each answer."""
    task = Task("t", Instruction(""))
    requests = [Request(prompt, task, Instance("", prompt.text, any_of(""))) for prompt in prompts]
    found = []
    for belief in model.weigh(requests, answers, end=event == "whole"):
        assert not belief.error and belief.ended == (event == "whole")
        spelled = [(belief.tokens[text], belief.logprobs[text]) for text in belief.logprobs]
        each = {text: math.exp(value) for text, value in belief.logprobs.items()}
        found.append(Mass(math.exp(union_logprob(spelled, event)), each))
    return found


PROMPTS = ["a", "abcd", "dc", "bb"]
ANSWERS = [
    ["a", "ab", "abc", "b"],  # one inside the next
    ["abca", "abcb", "abcc", "dd"],  # a long shared beginning
    ["c", "c", "ca"],  # given twice
    ["d"],
]


@needs_torch
@pytest.mark.train
@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("padding", ["auto", "right"])
@pytest.mark.parametrize("batch_size", [0, 1, 3])
def test_mass_is_the_truth_to_float_precision(cache, padding, batch_size):
    model = markov_model(cache=cache, padding=padding, batch_size=batch_size)
    for found, prompt, answers in zip(
        answer_mass(model, [Prompt(text) for text in PROMPTS], ANSWERS), PROMPTS, ANSWERS, strict=True
    ):
        expected = {text: truth(prompt, text, end=True) for text in answers}
        assert found.answers == pytest.approx(expected, rel=1e-13)
        assert found.value == pytest.approx(math.fsum(expected.values()), rel=1e-13)


@needs_torch
@pytest.mark.train
def test_beginnings_are_counted_once():
    model = markov_model()
    found = answer_mass(model, [Prompt(text) for text in PROMPTS], ANSWERS, event="beginning")
    for mass, prompt, kept in zip(found, PROMPTS, [["a", "b"], ANSWERS[1], ["c"], ["d"]], strict=True):
        expected = math.fsum(truth(prompt, text, end=False) for text in kept)
        assert mass.value == pytest.approx(expected, rel=1e-13)


@needs_torch
@pytest.mark.train
@pytest.mark.parametrize("name", ["tiny/t5-1m", "tiny/bart-1m", "tiny/gpt-1m"])
def test_everything_begins_with_nothing_and_nothing_is_its_end_alone(name):
    model = open_model(name)
    prompt = Prompt("Where is Mary?")
    beginning = answer_mass(model, [prompt], [["", "garden"]], event="beginning")[0]
    assert beginning.value == beginning.answers[""] == 1
    assert model.answer_ids(prompt, "", end=True) == [model.tokenizer_hf.eos_token_id]
    whole = answer_mass(model, [prompt], [["", "garden", "garden", " garden"]])[0]
    assert 0 < whole.value < 1
    assert whole.value == pytest.approx(whole.answers[""] + whole.answers["garden"])


@needs_torch
@pytest.mark.train
def test_the_mass_of_everything_is_one():
    """All answers of up to four letters, and the beginnings of all longer ones, exclude and exhaust."""
    model = markov_model()
    whole = ["".join(letters) for length in range(5) for letters in product(LETTERS, repeat=length)]
    longer = ["".join(letters) for letters in product(LETTERS, repeat=5)]
    ended = answer_mass(model, [Prompt("ab")], [whole])[0].value
    unended = answer_mass(model, [Prompt("ab")], [longer], event="beginning")[0].value
    assert ended + unended == pytest.approx(1, abs=1e-12)
    assert 0.3 < ended < 0.99


@needs_torch
@pytest.mark.train
@pytest.mark.parametrize("name", ["tiny/t5-1m", "tiny/gpt-1m"])
def test_a_transformer_without_opinions_is_uniform(name):
    """With all weights zero every token is as likely as any other, so a set of answers can be counted."""
    import torch

    model = open_model(name)
    for parameter in model.module.parameters():
        torch.nn.init.zeros_(parameter)
    answers = ["garden", "garden gate", "the garden", "xylophone", "12", "garden"]
    size = model.module.config.vocab_size
    prompt = Prompt("Where is Mary?")
    expected = math.fsum(size ** -len(model.answer_ids(prompt, text, end=True)) for text in dict.fromkeys(answers))
    assert answer_mass(model, [prompt], [answers])[0].value == pytest.approx(expected, rel=1e-5)
    kept = ["garden", "the garden", "xylophone", "12"]  # "garden gate" begins with "garden"
    expected = math.fsum(size ** -len(model.answer_ids(prompt, text, end=False)) for text in kept)
    assert answer_mass(model, [prompt], [answers], event="beginning")[0].value == pytest.approx(expected, rel=1e-5)


@needs_torch
@pytest.mark.train
def test_an_encoder_decoder_with_known_token_probabilities():
    """BART adds a bias to its scores; with everything else zero the bias alone is the distribution."""
    import torch

    model = open_model("tiny/bart-1m")
    for parameter in model.module.parameters():
        torch.nn.init.zeros_(parameter)
    size = model.module.config.vocab_size
    weights = [1 + token % 7 for token in range(size)]
    shares = [weight / sum(weights) for weight in weights]
    model.module.final_logits_bias.copy_(torch.tensor([shares]).log())
    prompts = [Prompt("short"), Prompt("a much longer prompt than the other one")]
    answers = [["garden", "garden gate", "kitchen"], ["xylophone", "the garden gate"]]
    for mass, prompt, texts in zip(answer_mass(model, prompts, answers), prompts, answers, strict=True):
        expected = math.fsum(
            math.prod(shares[token] for token in model.answer_ids(prompt, text, end=True)) for text in texts
        )
        assert mass.value == pytest.approx(expected, rel=1e-4)


@needs_torch
@pytest.mark.train
@pytest.mark.parametrize("name", ["tiny/t5-1m", "tiny/gpt-1m", "tiny/bart-1m"])
def test_real_models_agree_with_one_answer_at_a_time(name):
    model = open_model(name)
    prompts = [Prompt("antonym of happy |"), Prompt("dog")]
    answers = [["sad", "sadly", "unhappy", "sad"], ["dogs", "do", "dog dog dog"]]
    together = answer_mass(model, prompts, answers)
    for prompt, texts, mass in zip(prompts, answers, together, strict=True):
        single = {text: math.exp(model.logprobs([prompt], [[text]], end=True)[0][0]) for text in texts}
        assert mass.answers == pytest.approx(single, rel=1e-3)
        assert mass.value == pytest.approx(sum(single.values()), rel=1e-3)


def test_union_of_sequences():
    half = math.log(0.5)
    assert math.exp(union_logprob([((1, 9), half), ((1, 2, 9), math.log(0.25))], "whole")) == pytest.approx(0.75)
    assert math.exp(union_logprob([((1,), half), ((1, 2), math.log(0.2)), ((2,), math.log(0.1))], "beginning")) == (
        pytest.approx(0.6)
    )
    assert union_logprob([], "whole") == -math.inf


def test_acceptable_answers_of_every_kind():
    assert acceptable_answers(AnyOf(("a", "b"))) == ["a", "b"]
    assert acceptable_answers(Boolean(value=True)) == ["yes"]
    assert acceptable_answers(Product((("a", "b"), ("c",)))) == ["a c", "b c"]
    assert acceptable_answers(Items((("x", "y"), ()), empty="nothing")) == ["x, y", "nothing"]
    assert acceptable_answers(Product((tuple("abcdefghij"),) * 6)) == []


def test_a_model_without_logprobs_is_refused_before_anything_runs():
    from taskloom.core.model import Generation, Identity, Model

    class Talker(Model):
        identity = Identity("api/talker")

        def generate(self, requests, generation: Generation):
            raise AssertionError("must not run")

    with pytest.raises(UserError, match="mass needs a model that can logprobs"):
        check_weights(Talker(), Weights(mass=True), [])
