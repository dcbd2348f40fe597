"""A suite of invented word pairs and models small enough to train in a test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest

from taskloom.core import Instance, Instruction, Row, Suite, Task, any_of, keyed_random
from taskloom.core.encoding import Encoding, make_encoding

WORDS = [f"{head}{tail}" for head in ("ba", "ko", "mi", "du", "re", "sa") for tail in ("lo", "ni", "ra", "tu", "vex")]


def make_pairs(tasks: int = 1, train: int = 24, *, seed: int = 0, dev: int = 6, labels: bool = False) -> Suite:
    """Words with partners drawn at random per task; `train` may also differ by task through its index."""
    named = {
        f"pairs-{index}": Task(
            f"pairs-{index}",
            Instruction("Say the partner of the word."),
            kind="label" if labels else "text",
            labels=tuple(WORDS[:4]) if labels else (),
        )
        for index in range(tasks)
    }

    def draw(split: str) -> Iterator[Row]:
        for index, name in enumerate(named):
            count = train if split == "train" else dev
            for number in range(count):
                random = keyed_random("toy", seed, split, index, number)
                answers = WORDS[:4] if labels else WORDS
                text = f"{random.choice(WORDS)} {random.choice(WORDS)} {split} {number}"
                yield Row(name, Instance(str(number), text, any_of(random.choice(answers))))

    splits = {"train": train * tasks, "dev": dev * tasks, "test": dev * tasks} if dev else {"train": train * tasks}
    recipe = {"tasks": tasks, "train": train, "dev": dev, "labels": labels}
    return Suite("toy/pairs", recipe, seed, named, splits, draw)


def make_model(kind: str, suite: Suite, seed: int = 0):
    """A model of a few thousand parameters behind the interface of every local model."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from taskloom.models.hf import make_local
    from taskloom.models.load import HFOptions, LoadedModel
    from taskloom.models.runtime import seeded, state_hash
    from taskloom.models.tiny.vocabulary import fit_words, make_tokenizer

    torch.set_num_threads(1)
    texts = [text for split in suite.splits for row in suite.rows(split) for text in _texts(row)]
    vocabulary = fit_words(texts, 400)
    size = vocabulary.get_vocab_size()
    architecture = {"t5": "encoder-decoder", "gpt": "decoder", "bert": "classifier"}[kind]
    with seeded("test", kind, seed):
        if kind == "t5":
            config = transformers.T5Config(
                vocab_size=size, d_model=32, d_kv=8, d_ff=64, num_layers=1, num_decoder_layers=1, num_heads=4,
                dropout_rate=0.1, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
            )  # fmt: skip
            module = transformers.T5ForConditionalGeneration(config)
        elif kind == "gpt":
            config = transformers.GPT2Config(
                vocab_size=size, n_embd=32, n_layer=1, n_head=4, n_positions=128, pad_token_id=0, eos_token_id=1,
                bos_token_id=2,
            )  # fmt: skip
            module = transformers.GPT2LMHeadModel(config)
        else:
            config = transformers.BertConfig(
                vocab_size=size, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64,
                max_position_embeddings=128, pad_token_id=0,
            )  # fmt: skip
            module = transformers.BertForSequenceClassification(config)
    tokenizer = make_tokenizer(vocabulary, add_end=kind == "t5", pair=kind == "bert")
    loaded = LoadedModel(
        f"small-{kind}", module.eval(), tokenizer, architecture, weights=state_hash(module.state_dict())
    )
    return make_local(loaded, HFOptions(device="cpu"), "hf")


def _texts(row: Row) -> tuple[str, str]:
    return row.instance.input, row.instance.targets.canonical()


@pytest.fixture(autouse=True)
def _train_everything(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests train the same twice to compare; only those of the store itself may find it there."""
    if "store" not in request.node.nodeid:
        monkeypatch.setattr("taskloom.adapt.store.fetch", lambda key, directory: False)


@pytest.fixture
def pairs() -> Callable[..., Suite]:
    return make_pairs


@pytest.fixture
def small_model() -> Callable[..., object]:
    return make_model


@pytest.fixture
def plain() -> Encoding:
    return make_encoding("plain")


def _forget_processes() -> None:
    if state := sys.modules.get("accelerate.state"):
        state.AcceleratorState._reset_state(reset_partial_state=True)


@pytest.fixture(autouse=True)
def _own_accelerate_state() -> Iterator[None]:
    """accelerate remembers in its classes how many processes there are; the next test may start others."""
    _forget_processes()
    yield
    _forget_processes()
