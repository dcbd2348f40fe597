"""Tokenizers of Taskloom's own making, for models of Taskloom's own making.

Every one is lossless: what it has no entry for is spelled in bytes, so there are no unknown words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from taskloom.core import UserError, missing_extra

PAD, END, START, MASK = "<pad>", "</s>", "<s>", "<mask>"
SENTINELS = tuple(f"<extra_id_{index}>" for index in range(16))
SPECIALS = (PAD, END, START, MASK, *SENTINELS)
"""The first entries of every vocabulary, in this order; so the padding is 0 and the end 1, as in T5."""

_WORD_SCORE = -1.0
_BYTE_SCORE = -20.0
_BUILT_IN = "subwords.json"


def _tokenizers() -> Any:
    try:
        import tokenizers
    except ImportError:
        raise missing_extra("tokenizers", "train", "a tiny model") from None
    return tokenizers


def _splitter() -> Any:
    """Cut into words with their leading blank, as visible bytes, then digits one by one."""
    cut = _tokenizers().pre_tokenizers
    return cut.Sequence([cut.ByteLevel(add_prefix_space=True), cut.Digits(individual_digits=True)])


def _finish(tokenizer: Any) -> Any:
    library = _tokenizers()
    tokenizer.pre_tokenizer = _splitter()
    tokenizer.decoder = library.decoders.ByteLevel()
    tokenizer.add_special_tokens(list(SPECIALS))
    return tokenizer


def fit_words(texts: Iterable[str], size: int) -> Any:
    """A vocabulary of the whole words of texts, the most frequent first, with single bytes for the rest.

    `size` is the most entries, special tokens and the 256 bytes included.
    """
    library = _tokenizers()
    splitter = _splitter()
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(piece for piece, _ in splitter.pre_tokenize_str(text))
    alphabet = sorted(library.pre_tokenizers.ByteLevel.alphabet())
    room = size - len(SPECIALS) - len(alphabet)
    if room < 1:
        raise UserError(
            f"a vocabulary of {size} has no room for words", hint=f"{len(SPECIALS) + len(alphabet)} are taken already"
        )
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    words = [word for word, _ in ranked if len(word) > 1][:room]
    entries = [(token, _BYTE_SCORE) for token in (*SPECIALS, *alphabet)] + [(word, _WORD_SCORE) for word in words]
    return _finish(library.Tokenizer(library.models.Unigram(entries, unk_id=None)))


def fit_subwords(texts: Iterable[str], size: int) -> Any:
    """A byte-level vocabulary of frequent pieces (byte-pair encoding), fitted to texts."""
    library = _tokenizers()
    tokenizer = library.Tokenizer(library.models.BPE())
    tokenizer.pre_tokenizer = _splitter()
    trainer = library.trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIALS),
        initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _finish(tokenizer)


@cache
def _built_in_text() -> str:
    return (files("taskloom.models.tiny") / _BUILT_IN).read_text("utf-8")


def built_in_subwords() -> Any:
    """The vocabulary of 2,048 pieces that comes with Taskloom."""
    return _tokenizers().Tokenizer.from_str(_built_in_text())


def read_vocabulary(text: str) -> Any:
    """A vocabulary from its JSON.

    Raises:
        UserError: It is none.
    """
    try:
        return _tokenizers().Tokenizer.from_str(text)
    except Exception as error:  # noqa: BLE001 - the library raises nothing more telling
        raise UserError(f"not a vocabulary: {error}") from None


def make_tokenizer(tokenizer: Any, *, add_end: bool, pair: bool = False) -> Any:
    """A transformers tokenizer around a vocabulary.

    Args:
        tokenizer: The vocabulary.
        add_end: Put the end token behind every text (encoder-decoder models).
        pair: Put the start token in front and the end token between and behind texts (encoders).
    """
    from taskloom.models.runtime import import_transformers

    transformers = import_transformers("a tiny model")
    library = _tokenizers()
    ends = [(END, tokenizer.token_to_id(END)), (START, tokenizer.token_to_id(START))]
    if pair:
        tokenizer.post_processor = library.processors.TemplateProcessing(
            single=f"{START} $A {END}", pair=f"{START} $A {END} $B:1 {END}:1", special_tokens=ends
        )
    elif add_end:
        tokenizer.post_processor = library.processors.TemplateProcessing(
            single=f"$A {END}", pair=f"$A $B {END}", special_tokens=ends
        )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        bos_token=START,
        mask_token=MASK,
        extra_special_tokens=list(SENTINELS),
        model_input_names=["input_ids", "token_type_ids", "attention_mask"]
        if pair
        else ["input_ids", "attention_mask"],
        clean_up_tokenization_spaces=False,
    )
