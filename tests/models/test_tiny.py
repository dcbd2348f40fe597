"""Tiny models: sizes, seeds, vocabularies, memory networks, classifiers; and that they learn."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import taskloom
from taskloom.core import Instance, Instruction, Row, Suite, Task, UserError, any_of, keyed_random
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request, open_model
from taskloom.models.tiny import PROVIDER, build_tiny

pytestmark = pytest.mark.train

PLACES = ("garden", "office", "kitchen", "hall")
NAMES = ("Mary", "John")


def story_suite(rows: int = 64) -> Suite:
    """Who went where last: two people, four places, three moves."""
    task = Task("where", Instruction("Say where."), kind="label", labels=PLACES)

    def draw(split: str) -> Iterator[Row]:
        for index in range(rows):
            random = keyed_random("stories", split, index)
            where: dict[str, str] = {}
            lines = []
            for _ in range(3):
                name = random.choice(NAMES)
                where[name] = random.choice(PLACES)
                lines.append(f"{name} went to the {where[name]}.")
            asked = random.choice(sorted(where))
            parts = {"story": "\n".join(lines), "question": f"Where is {asked}?"}
            text = f"{parts['story']}\n{parts['question']}"
            yield Row("where", Instance(f"{split}-{index}", text, any_of(where[asked]), parts=parts))

    return Suite("test/stories", {}, 0, {"where": task}, {"train": rows, "test": rows}, draw)


def requests(suite: Suite, split: str) -> list[Request]:
    return [Request(Prompt(row.instance.input), suite.tasks[row.task], row.instance) for row in suite.rows(split)]


def fit(model, suite, steps: int, lr: float) -> float:
    """A few steps on the training split; the share of right answers on it."""
    import torch

    torch.manual_seed(0)
    asked = requests(suite, "train")
    answers = [request.instance.targets.canonical() for request in asked]
    optimiser = torch.optim.AdamW(model.module.parameters(), lr=lr)
    model.module.train()
    batch = model.collate(asked, answers)
    for _ in range(steps):
        optimiser.zero_grad()
        model.module(**batch).loss.backward()
        optimiser.step()
    given = model.generate(asked, Generation(max_tokens=4))
    return sum(output.text == answer for output, answer in zip(given, answers, strict=True)) / len(asked)


def test_every_listed_name_opens_and_has_the_size_it_says():
    sizes = {"1m": 1e6, "5m": 5e6, "15m": 15e6}
    for name in PROVIDER.names():
        model = open_model(f"tiny/{name}")
        assert model.identity.name == f"tiny/{name}"
        assert {"generate", "logprobs", "train"} <= model.abilities
        if "-" in name:
            said = sizes[name.split("-")[1]]
            assert 0.9 * said < model.identity.settings["parameters"] < 1.2 * said


@pytest.mark.parametrize(
    ("name", "option"),
    [("entnet", "width"), ("stm", "slots"), ("entnet", "words"), ("entnet", "sentences"), ("t5-1m", "dropout")],
)
def test_impossible_sizes_are_refused(name, option):
    with pytest.raises(UserError, match=option.rstrip("s")):
        open_model(f"tiny/{name}", {option: -1})


def test_weights_depend_on_the_seed_alone():
    one, same, other = (open_model("tiny/t5-1m", {"seed": seed}) for seed in (1, 1, 2))
    assert one.identity.weights == same.identity.weights != other.identity.weights


@pytest.mark.proof
def test_weights_are_the_same_in_every_process():
    code = "from taskloom.core.model import open_model; print(open_model('tiny/t5-1m', {'seed': 1}).identity.weights)"
    path = {"PYTHONPATH": str(Path(taskloom.__file__).parents[1]), "PYTHONHASHSEED": "77", "PATH": ""}
    process = subprocess.run([sys.executable, "-c", code], env=path, capture_output=True, text=True, check=True)
    assert process.stdout.strip() == open_model("tiny/t5-1m", {"seed": 1}).identity.weights


def test_opening_a_model_leaves_the_random_numbers_of_others_alone():
    import torch

    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    open_model("tiny/gpt-1m", {"seed": 9})
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("text", ["a dog", "Mary's 12 dogs, naïve — ¿qué?\nline two\ttab  double  ", "日本", "🙂", ""])
@pytest.mark.parametrize("tokenizer", ["built-in", "words", "subwords"])
def test_tokenizers_lose_nothing(text, tokenizer):
    model = open_model("tiny/t5-1m", {"tokenizer": tokenizer, "vocabulary": 400})
    if tokenizer != "built-in":
        model.fit(["a dog and another dog", "Mary went to the garden"])
    ids = model.tokenizer.encode(text)
    assert ids[-1] == 1
    assert model.tokenizer.decode(ids).removeprefix(" ") == text.removeprefix(" ")


def test_a_word_vocabulary_has_one_token_per_word_and_the_same_ids_everywhere():
    texts = ["the quick brown fox", "the lazy dog, the end"]
    model = build_tiny("t5-1m", texts=texts, vocabulary=1000)
    assert len(model.tokenizer.encode("the lazy brown dog")) == 4 + 1
    assert len(model.tokenizer.encode("the unseen")) > 3
    again = build_tiny("t5-1m", texts=reversed(texts), vocabulary=1000)
    assert again.tokenizer_hf.get_vocab() == model.tokenizer_hf.get_vocab()
    # As many words, but others: the same weights read differently are another model.
    other = build_tiny("t5-1m", texts=["the swift green cat", "the idle bird, the stop"], vocabulary=1000)
    assert other.identity.weights == model.identity.weights
    assert other.identity != model.identity == again.identity
    with pytest.raises(UserError, match="no room"):
        build_tiny("t5-1m", texts=texts, vocabulary=100)


def test_prepare_fits_the_vocabulary_to_the_suite_once():
    suite = story_suite(8)
    model = open_model("tiny/gpt-1m", {"tokenizer": "words"})
    before = model.identity.weights
    model.prepare(suite)
    fitted = model.identity.weights
    assert fitted != before
    assert len(model.tokenizer.encode("Mary went to the kitchen.")) == 6
    model.prepare(suite)
    assert model.identity.weights == fitted
    still = open_model("tiny/gpt-1m")
    still.prepare(suite)
    assert still.identity.weights == before


@pytest.mark.parametrize(
    ("name", "lr"), [("t5-1m", 3e-3), pytest.param("bart-1m", 2e-3, marks=pytest.mark.proof), ("gpt-1m", 2e-3)]
)
def test_text_models_learn_a_small_mapping(name, lr):
    words = [f"word{letter}" for letter in "abcdefghijklmnop"]
    task = Task("shift", Instruction("Say the next word."))
    rows = [
        Row("shift", Instance(word, word, any_of(other)))
        for word, other in zip(words, words[1:] + words[:1], strict=True)
    ]
    suite = Suite("test/shift", {}, 0, {"shift": task}, {"train": 16}, lambda split: iter(rows))
    model = build_tiny(name, texts=words, seed=1)
    assert fit(model, suite, 70, lr) > 0.9


@pytest.mark.parametrize(
    ("name", "options", "lr", "steps"),
    [("entnet", {}, 1e-2, 40), ("stm", {"width": 32}, 5e-3, 40), ("bert-1m", {"tokenizer": "words"}, 1e-3, 30)],
)
def test_classifiers_learn_small_stories(name, options, lr, steps):
    suite = story_suite(16)
    model = open_model(f"tiny/{name}", {"seed": 1, **options})
    model.prepare(suite)
    assert model.labels == PLACES
    assert fit(model, suite, steps, lr) > 0.8


@pytest.mark.parametrize("name", ["entnet", "stm", "bert-1m"])
@pytest.mark.parametrize("batch_size", [1, 5, 0])
def test_batches_of_stories_change_nothing(name, batch_size):
    suite = story_suite(9)
    asked = requests(suite, "test")
    # Stories of different lengths, so that there is padding to go wrong.
    asked = [
        Request(
            r.prompt,
            r.task,
            Instance(
                r.instance.id,
                r.instance.input,
                r.instance.targets,
                parts={
                    "story": "\n".join(r.instance.parts["story"].split("\n")[index % 3 :]),
                    "question": r.instance.parts["question"],
                },
            ),
        )
        for index, r in enumerate(asked)
    ]
    model = open_model(f"tiny/{name}", {"seed": 1, "batch_size": batch_size})
    model.prepare(suite)
    alone = [model.label_logprobs([request])[0] for request in asked]
    for one, other in zip(alone, model.label_logprobs(asked), strict=True):
        assert one == pytest.approx(other, abs=1e-5)


@pytest.mark.parametrize("name", ["entnet", "stm"])
def test_memory_networks_save_and_open(tmp_path, name):
    suite = story_suite(8)
    model = open_model(f"tiny/{name}", {"width": 20, "seed": 4})
    model.prepare(suite)
    model.save(tmp_path)
    again = open_model(f"tiny/{name}", {"checkpoint": str(tmp_path)})
    asked = requests(suite, "test")
    assert again.label_logprobs(asked) == model.label_logprobs(asked)
    assert again.identity.weights == model.identity.weights
    other = "stm" if name == "entnet" else "entnet"
    with pytest.raises(UserError, match=f"holds {name}, not {other}"):
        open_model(f"tiny/{other}", {"checkpoint": str(tmp_path)})
    (tmp_path / "model.safetensors").write_bytes(b"rubbish")
    with pytest.raises(UserError, match=f"the checkpoint of tiny/{name} cannot be read"):
        open_model(f"tiny/{name}", {"checkpoint": str(tmp_path)})


def test_entnet_has_the_published_size():
    model = open_model("tiny/entnet")
    model.prepare(story_suite(4))
    assert tuple(model.module.keys.shape) == (20, 100)


def free_suite(answers) -> Suite:
    """Open questions with the given answers in training."""
    rows = [Row("free", Instance(str(index), f"q {index}", any_of(text))) for index, text in enumerate(answers)]
    task = Task("free", Instruction("Say anything."))
    return Suite("test/free", {}, 0, {"free": task}, {"train": len(rows)}, lambda split: iter(rows))


@pytest.mark.parametrize("name", ["bert-1m", "entnet"])
def test_a_classifier_refuses_suites_without_classes_before_anything_runs(ask, name):
    with pytest.raises(UserError, match="no answers to learn in 1 open tasks"):
        open_model(f"tiny/{name}").prepare(free_suite([]))
    with pytest.raises(UserError, match="more than 1,000 answers"):
        open_model(f"tiny/{name}").prepare(free_suite(map(str, range(2000))))
    with pytest.raises(UserError, match="no vocabulary yet|no labels to choose from"):
        open_model(f"tiny/{name}").generate([ask("hello")], Generation())


@pytest.mark.parametrize("name", ["bert-1m", "entnet"])
def test_open_tasks_with_few_answers_have_classes_and_learned_ones_stay(name):
    model = open_model(f"tiny/{name}")
    model.prepare(free_suite(["red", "blue", "red"]))
    assert model.labels == ("red", "blue")
    weights = model.identity.weights
    model.prepare(free_suite(["blue", "green"]))
    assert (model.labels, model.identity.weights) == (("red", "blue"), weights)
    with pytest.raises(UserError, match="knows red, blue, but the answers here are green"):
        model.prepare(free_suite(["green"]))


def test_an_answer_outside_the_labels_cannot_be_trained():
    suite = story_suite(4)
    for name in ("bert-1m", "entnet"):
        model = open_model(f"tiny/{name}")
        model.prepare(suite)
        with pytest.raises(UserError, match="unknown label 'gardn'; did you mean 'garden'"):
            model.collate(requests(suite, "train")[:1], ["gardn"])


def test_labels_given_by_option_survive_a_fitted_vocabulary():
    model = open_model("tiny/bert-1m", {"labels": ["a", "b", "c"], "tokenizer": "words"})
    model.fit(["some words", "to read"])
    assert model.labels == ("a", "b", "c")
    assert model.module.config.num_labels == 3


def test_a_classifier_answers_with_the_task_s_own_labels(ask):
    model = open_model("tiny/bert-1m", {"labels": ["yes", "no", "red", "blue"]})
    for labels in (("yes", "no"), ("red", "blue")):
        outputs = model.generate([ask(f"text {index}", labels=labels) for index in range(6)], Generation())
        assert {output.text for output in outputs} <= set(labels)
    found = model.logprobs([Prompt("text")], [["yes", "no", "red", "blue"]])[0]
    import math

    assert math.fsum(map(math.exp, found)) == pytest.approx(1, abs=1e-6)


def test_a_trained_head_survives_saving_and_a_suite_it_knows(tmp_path):
    suite = story_suite(8)
    model = open_model("tiny/bert-1m")
    model.prepare(suite)
    asked = requests(suite, "test")
    model.save(tmp_path)
    again = open_model(f"hf/{tmp_path}")
    assert again.labels == PLACES
    again.prepare(suite)
    for one, other in zip(again.label_logprobs(asked), model.label_logprobs(asked), strict=True):
        assert one == pytest.approx(other, abs=1e-6)
