"""ROUGE-L against the reference implementation, a naive one of our own, and odd input."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import Boolean, Instruction, Items, Product, Task, acceptable_texts, any_of
from taskloom.encode.gpt2 import gpt2
from taskloom.score.rouge import ROUGE_L, ROUGE_L_XLINGUAL, RougeL, Stems, common_length, stem

TASK = Task("t", Instruction("Say something."))
TEXTS = st.text(st.sampled_from("ab cdeN'.é日7 \n") | st.characters(), max_size=60)


def naive(prediction: list[str], reference: list[str]) -> float:
    """The textbook table, on any tokens."""
    row = [0] * (len(reference) + 1)
    for token in prediction:
        diagonal = 0
        for index, other in enumerate(reference, 1):
            above = row[index]
            row[index] = diagonal + 1 if token == other else max(above, row[index - 1])
            diagonal = above
    if not row[-1]:
        return 0.0
    precision, recall = row[-1] / len(prediction), row[-1] / len(reference)
    return 2 * precision * recall / (precision + recall)


def english(text: str) -> list[str]:
    return [stem(word) if len(word) > 3 else word for word in re.findall("[a-z0-9]+", text.lower())]


def cross_lingual(text: str) -> list[str]:
    return [repr(gpt2().tokens[number].lstrip(b" ")) for number in gpt2().encode(text)]


@given(TEXTS, TEXTS)
def test_both_kinds_equal_a_naive_table(prediction: str, reference: str) -> None:
    assert ROUGE_L.best(prediction, [reference]) == naive(english(prediction), english(reference))
    assert ROUGE_L_XLINGUAL.best(prediction, [reference]) == naive(cross_lingual(prediction), cross_lingual(reference))


@given(st.text("abcd", max_size=90), st.text("abde", max_size=90))
def test_common_tokens_are_counted_as_rapidfuzz_counts_them(first: str, second: str) -> None:
    distance = pytest.importorskip("rapidfuzz.distance")
    assert common_length(first, second) == distance.LCSseq.similarity(first, second)


@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_the_best_reference_counts_and_the_score_stays_in_range(prediction: str, references: list[str]) -> None:
    each = ROUGE_L.each(prediction, references)
    assert all(0.0 <= value <= 1.0 for value in each)
    assert ROUGE_L.best(prediction, references) == max(each, default=0.0)


def test_equals_the_package(reference: Path) -> None:
    package = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"], use_stemmer=True)
    lines = (reference / "superni" / "predictions_copy_input.jsonl").read_text("utf-8").split("\n")[:200]
    texts = [json.loads(line)["prediction"] for line in lines]
    for prediction, target in pairwise(texts):
        assert ROUGE_L.best(prediction, [target]) == package.score(target, prediction)["rougeL"].fmeasure


@pytest.mark.parametrize("method", ["copy_demo", "copy_input"])
@pytest.mark.parametrize(("track", "scorer"), [("default", ROUGE_L), ("xlingual", ROUGE_L_XLINGUAL)])
def test_every_reference_pair_bit_for_bit(reference: Path, method: str, track: str, scorer: RougeL) -> None:
    folder = reference / "superni"

    def read(name: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in (folder / name).read_text("utf-8").split("\n") if line]

    predictions = {line["id"]: line["prediction"] for line in read(f"predictions_{method}.jsonl")}
    references = {line["id"]: line["references"] for line in read("references.jsonl")}
    pairs = json.loads((folder / f"rougeL_pairs_{method}_{track}.json").read_text("utf-8"))
    different = [
        pair["id"]
        for pair in pairs
        if scorer.each(predictions[pair["id"]], references[pair["id"]]) != pair["rougeL_per_ref"]
    ]
    assert pairs
    assert different == []


def test_targets_of_every_kind_have_texts() -> None:
    assert acceptable_texts(any_of(["a", "b"])) == ("a", "b")
    assert acceptable_texts(Items((("x", "y"), ()))) == ("x, y", "nothing")
    assert acceptable_texts(Boolean(True)) == ("yes",)
    assert acceptable_texts(Product((("a", "b"), ("c",)))) == ("a c",)
    assert ROUGE_L.score("a c", Product((("a", "b"), ("c",))), TASK).value == 1.0


@pytest.mark.parametrize("scorer", [ROUGE_L, ROUGE_L_XLINGUAL])
def test_odd_answers_never_raise(scorer: RougeL) -> None:
    for answer in ("", "\x00", "\ud800", " " * 200_000, "\n" * 200_000 + "x", "y" * 300_000, "word " * 300_000):
        assert 0.0 <= scorer.score(answer, any_of(["the word", ""]), TASK).value <= 1.0
    assert scorer.best("", [""]) == 0.0


def test_the_cache_empties_itself_without_changing_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskloom.score.rouge.CACHED_CHARACTERS", 100)
    monkeypatch.setattr("taskloom.score.rouge.MOST_STEMS", 20)
    small = RougeL()
    texts = [f"number {index} and {index * 7} make {index * 8}" for index in range(200)]
    for prediction, target in zip(texts, texts[3:], strict=False):
        assert small.best(prediction, [target, prediction[:12]]) == ROUGE_L.best(prediction, [target, prediction[:12]])


def test_the_cache_is_emptied_above_its_limit_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskloom.score.rouge.CACHED_CHARACTERS", 8)
    small = RougeL()
    small.each("abcd", ["efgh"])
    codes = small._codes
    assert (set(codes), codes._held) == ({"abcd", "efgh"}, 8)
    small.each("abcd", ["i"])
    assert (set(codes), codes._held) == ({"abcd", "efgh", "i"}, 9), "eight is no more than eight"
    small.each("abcd", ["jk"])
    assert (set(codes), codes._held) == ({"jk"}, 2)
    small.forget()
    assert small._codes is not codes and not small._codes


def test_stems_are_named_anew_above_their_limit_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskloom.score.rouge.MOST_STEMS", 2)
    small = RougeL()
    small.each("one two", ["two"])
    stems = small._codes.stems
    assert small.each("one", ["two"]) == [0.0] and small._codes.stems is stems
    small.each("three", ["two"])
    assert small._codes.stems is stems, "looked at before, not after"
    assert small.each("one", ["one"]) == [1.0] and small._codes.stems is not stems
    assert set(small._codes) == {"one"}


def test_very_long_texts_are_scored_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskloom.score.rouge.LONG_TEXTS", 10)
    small = RougeL()
    assert small.each("aaaaa", ["aaaaa"]) == [1.0] and set(small._codes) == {"aaaaa"}
    assert small.each("bbbbb", ["bbb bb", "bbbbb"]) == [0.0, 1.0] and set(small._codes) == {"aaaaa"}


def test_names_of_stems_leave_out_surrogates() -> None:
    stems = Stems()
    stems.numbers = {str(number): "" for number in range(0xD7FF)}
    assert [ord(stems[word]) for word in (b"last", b"first", b"next")] == [0xD7FF, 0xE000, 0xE001]
    assert stems[b"last"] == chr(0xD7FF)


def test_words_of_three_letters_are_left_as_they_are() -> None:
    assert ROUGE_L.best("was", ["wa"]) == 0.0 and ROUGE_L.best("sees", ["see"]) == 1.0
    assert ROUGE_L.best("don't", ["don t"]) == 1.0 and ROUGE_L.best("über", ["ber"]) == 1.0
