"""The same answers and log-probabilities whatever the batch, the padding or the cache."""

from __future__ import annotations

import pytest

from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, open_model
from taskloom.models.engine import pad

pytestmark = pytest.mark.train

PROMPTS = [
    "dog",
    "Mary went to the garden. Daniel took the milk there. Where is the milk?",
    "7 + 5 =",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z " * 3,
    "naïve café — ¿dónde está?",
]
CANDIDATES = [["yes", "no", "yes sir", "yes sir no"], ["garden", "office"], ["12"], ["z"], ["aquí", "allí", "a"]]
MODELS = ["tiny/t5-1m", "tiny/bart-1m", "tiny/gpt-1m"]


@pytest.fixture(params=MODELS, scope="module")
def reference(request, ask):
    """Answers and log-probabilities at batch one, without cache, from a model shaken out of repetition."""
    model = _open(request.param, cache=False, batch_size=1)
    generation = Generation(max_tokens=9)
    answers = [model.generate([ask(text)], generation)[0] for text in PROMPTS]
    scores = [model.logprobs([Prompt(text)], [texts])[0] for text, texts in zip(PROMPTS, CANDIDATES, strict=True)]
    return request.param, answers, scores


def _open(name, **options):
    """A tiny model whose distributions are far from uniform, so that wrong positions would show."""
    import torch

    model = open_model(name, options)
    generator = torch.Generator().manual_seed(5)
    for key, parameter in model.module.named_parameters():
        if parameter.dim() > 1 and "relative" not in key:
            parameter.data.add_(torch.randn(parameter.shape, generator=generator) * (0.5 if "t5" in name else 0.12))
    return model


@pytest.mark.parametrize("padding", ["left", "right"])
@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("batch_size", [1, 2, 0])
def test_batch_cache_and_padding_change_nothing(reference, ask, padding, cache, batch_size):
    name, answers, scores = reference
    model = _open(name, cache=cache, padding=padding, batch_size=batch_size)
    given = model.generate([ask(text) for text in PROMPTS], Generation(max_tokens=9))
    assert given == answers
    found = model.logprobs([Prompt(text) for text in PROMPTS], CANDIDATES)
    for expected, row in zip(scores, found, strict=True):
        assert row == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("name", MODELS)
def test_distinct_prompts_give_distinct_answers(name, ask):
    """Otherwise the equalities above would prove nothing."""
    model = _open(name)
    answers = {output.text for output in model.generate([ask(text) for text in PROMPTS], Generation(max_tokens=9))}
    assert len(answers) >= 3


@pytest.mark.parametrize("name", MODELS)
def test_greedy_answers_equal_those_of_transformers(name, ask):
    import torch

    model = _open(name)
    for text in PROMPTS[:3]:
        ids = torch.tensor([model.prompt_ids(Prompt(text))])
        made = model.module.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=9, do_sample=False, num_beams=1
        )[0]
        made = made[ids.shape[1] :] if model.architecture == "decoder" else made[1:]
        expected = model.tokenizer_hf.decode(made, skip_special_tokens=True).strip()
        assert model.generate([ask(text)], Generation(max_tokens=9))[0].text == expected


@pytest.mark.parametrize("name", MODELS)
def test_logprobs_equal_the_loss_of_transformers(name, ask):
    import torch

    model = _open(name)
    for text, texts in zip(PROMPTS, CANDIDATES, strict=True):
        for candidate in texts:
            batch = model.collate([ask(text)], [candidate])
            tokens = int((batch["labels"] != -100).sum())
            with torch.no_grad():
                loss = float(model.module(**batch).loss) * tokens
            assert model.logprobs([Prompt(text)], [[candidate]], end=True)[0][0] == pytest.approx(-loss, abs=1e-3)


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_of_next_tokens_sum_to_one(name):
    import math

    model = _open(name)
    size = model.module.config.vocab_size
    prompt = model.prompt_ids(Prompt(PROMPTS[1]))
    singles = [(token,) for token in range(size)]
    pairs = [(17, token) for token in range(size)]
    first, second = model.token_logprobs([prompt, prompt], [singles, pairs])
    assert math.fsum(math.exp(row[0]) for row in first) == pytest.approx(1, abs=1e-5)
    assert math.fsum(math.exp(sum(row)) for row in second) == pytest.approx(math.exp(first[17][0]), rel=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_sampling_depends_on_seed_and_prompt_alone(name, ask):
    model = _open(name)
    warm = Generation(max_tokens=6, temperature=1.0, seed=3)
    together = model.generate([ask(text) for text in PROMPTS], warm)
    alone = [model.generate([ask(text)], warm)[0] for text in PROMPTS]
    assert together == alone
    other = model.generate([ask(text) for text in PROMPTS], Generation(max_tokens=6, temperature=1.0, seed=4))
    assert [output.text for output in other] != [output.text for output in together]
    narrow = model.generate([ask(text) for text in PROMPTS], Generation(max_tokens=6, temperature=1.0, top_p=1e-9))
    greedy = model.generate([ask(text) for text in PROMPTS], Generation(max_tokens=6))
    assert [output.text for output in narrow] == [output.text for output in greedy]


def test_sampled_shares_follow_the_distribution(ask):
    """With many seeds the first token is drawn as often as its probability says."""
    from collections import Counter

    import torch

    model = _open("tiny/gpt-1m")
    draws = Counter(
        model.generate([ask("dog")], Generation(max_tokens=1, temperature=0.7, seed=seed))[0].text
        for seed in range(300)
    )
    with torch.inference_mode():
        shares = torch.softmax(model.engine().start([model.prompt_ids(Prompt("dog"))])[0] / 0.7, dim=-1)
    # Several tokens may read the same once blanks are gone, so the shares of a text are added up.
    expected = Counter()
    for token, share in enumerate(shares.tolist()):
        expected[model.tokenizer_hf.decode([token], skip_special_tokens=True).strip()] += 300 * share
    for text, count in expected.most_common(3):
        assert abs(draws[text] - count) < 4 * count**0.5


def test_stop_strings_end_an_answer(ask):
    model = _open("tiny/gpt-1m")
    whole = model.generate([ask(PROMPTS[1])], Generation(max_tokens=9))[0]
    mark = whole.text[len(whole.text) // 2 :][:2]
    cut = model.generate([ask(PROMPTS[1])], Generation(max_tokens=9, stop=(mark,)))[0]
    assert cut.state == "complete"
    assert cut.text == whole.text[: whole.text.find(mark)].strip()
    assert whole.state == "truncated" and whole.output_tokens == 9


def test_a_prompt_beyond_the_window_fails_alone(ask):
    model = open_model("tiny/gpt-1m", {"window": 32})
    outputs = model.generate([ask("short"), ask("word " * 50), ask("also short")], Generation(max_tokens=4))
    assert [output.state != "failed" for output in outputs] == [True, False, True]
    assert "window 32" in outputs[1].error


@pytest.mark.parametrize("name", ["tiny/t5-1m", "tiny/gpt-1m", "tiny/bert-1m"])
def test_scores_that_are_not_numbers_fail_and_are_no_answer(name, ask):
    """Half precision overflows in some models; the first token of the vocabulary would be the answer to everything."""
    from taskloom.core import UserError

    model = open_model(name, {"labels": ("yes", "no")})
    next(model.module.parameters()).data.fill_(float("nan"))
    for temperature in (0.0, 1.0):
        output = model.generate([ask("dog", labels=("yes", "no"))], Generation(temperature=temperature))[0]
        assert (output.state, output.text) == ("failed", "")
        assert "not numbers" in output.error
    if name != "tiny/bert-1m":
        with pytest.raises(UserError, match="not numbers"):
            model.logprobs([Prompt("dog")], [["yes", "no"]])


def test_an_encoder_decoder_with_absolute_positions_stops_at_its_window(ask):
    model = _open("tiny/bart-1m", window=24)
    outputs = model.generate([ask("the " * 10), ask("the " * 40)], Generation(max_tokens=100))
    assert [output.state for output in outputs] in (["truncated", "failed"], ["complete", "failed"])
    assert outputs[0].output_tokens <= 25


@pytest.mark.train
@pytest.mark.parametrize("name", ["tiny/gpt-1m", "tiny/t5-1m"])
def test_samples_differ_repeat_and_do_not_depend_on_company(ask, name):
    import msgspec

    model, generation = open_model(name), Generation(max_tokens=6, temperature=1.0, seed=4)
    draws = [msgspec.structs.replace(ask("a story"), sample=number) for number in range(5)]
    together = [output.text for output in model.generate(draws, generation)]
    assert together == [model.generate([draw], generation)[0].text for draw in draws]
    assert len(set(together)) > 1
    assert together[0] == model.generate([ask("a story")], generation)[0].text


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("rows", [[], [[]], [[], [4]], [[1, 2, 3], [4], [5, 6]]])
def test_padded_rows_have_their_tokens_in_place_and_a_mask_over_them(rows, side):
    width = max(map(len, rows), default=0)
    ids, mask = pad(rows, 9, side, "cpu")
    assert ids.shape == mask.shape == (len(rows), width)
    for row, padded, real in zip(rows, ids.tolist(), mask.tolist(), strict=True):
        gap = width - len(row)
        assert padded == ([9] * gap + row if side == "left" else row + [9] * gap)
        assert real == ([0] * gap + [1] * len(row) if side == "left" else [1] * len(row) + [0] * gap)


def test_padding_makes_as_many_tensors_for_many_rows_as_for_few(monkeypatch):
    import torch

    made = []
    real = torch.tensor
    monkeypatch.setattr(torch, "tensor", lambda *given, **more: made.append(1) or real(*given, **more))
    pad([[1, 2]], 0, "left", "cpu")
    few = len(made)
    pad([[1, 2], [3]] * 50, 0, "left", "cpu")
    assert len(made) == 2 * few


def test_likeliest_tokens_need_no_random_numbers(ask, monkeypatch):
    monkeypatch.setattr("taskloom.models.engine.keyed_random", lambda *_: pytest.fail("a generator was made"))
    model = open_model("tiny/t5-1m")
    assert model.generate([ask("ba be"), ask("da")], Generation(max_tokens=3))


@pytest.mark.parametrize("name", MODELS)
def test_many_prompts_are_read_at_once_as_each_alone(name, monkeypatch):
    model = open_model(name)
    model.prefix = (1, 2)
    prompts = [Prompt(text) for text in ("", *PROMPTS)]
    alone = [model.prompt_ids(prompt) for prompt in prompts]
    assert all(ids[:2] == [1, 2] and len(ids) > 2 for ids in alone)
    calls, real = [], type(model.tokenizer_hf).__call__
    monkeypatch.setattr(type(model.tokenizer_hf), "__call__", lambda *a, **k: calls.append(1) or real(*a, **k))
    assert model.prompts_ids(prompts) == alone
    assert len(calls) == 1
    assert model.prompts_ids([]) == []
