"""The words scorer against an oracle that lists every segmentation and every acceptable sequence."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taskloom.core import AnyOf, Boolean, Instruction, Items, Product, Structure, Task
from taskloom.score.match import WORDS, best_segmentation

TASK = Task("t", Instruction("d"), kind="sequence", scorer="words")


def segmentations(tokens: list[str], count: int) -> list[list[str]]:
    """All ways to cut tokens into `count` words of at least one token."""
    cuts = combinations(range(1, len(tokens)), count - 1)
    ends = [(0, *cut, len(tokens)) for cut in cuts]
    return [[" ".join(tokens[a:b]) for a, b in pairwise(e)] for e in ends]


def oracle(tokens: list[str], slots: list[list[str]]) -> float:
    """Equation 1, word for word: the best acceptable sequence under the best segmentation."""
    count = len(slots)
    if len(tokens) >= count:
        readings = segmentations(tokens, count)
    else:  # too few tokens: read from the left, what is left out is wrong
        readings = [
            [*reading, *[None] * (count - size)]
            for size in range(1, len(tokens) + 1)
            for reading in segmentations(tokens, size)
        ]
    best = 0
    for reading in readings:
        for sequence in product(*slots):
            best = max(best, sum(said == right for said, right in zip(reading, sequence, strict=True)))
    return best / count


words = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join)
slots_strategy = st.lists(st.lists(words, min_size=1, max_size=3, unique=True), min_size=1, max_size=4)
answers = st.lists(st.sampled_from("abcd"), min_size=0, max_size=7)


@settings(max_examples=600, deadline=None)
@given(answers, slots_strategy)
def test_blank_separator_equals_the_oracle(tokens: list[str], slots: list[list[str]]) -> None:
    expected = oracle(tokens, slots) if tokens else 0.0
    target = Product(tuple(map(tuple, slots)))
    assert WORDS.score(" ".join(tokens), target, TASK).value == pytest.approx(expected)


@settings(max_examples=300, deadline=None)
@given(slots_strategy, st.data())
def test_every_acceptable_sequence_scores_one(slots: list[list[str]], data: st.DataObject) -> None:
    chosen = [data.draw(st.sampled_from(slot)) for slot in slots]
    for separator in (" ", " # ", ", "):
        target = Product(tuple(map(tuple, slots)), separator)
        assert WORDS.score(separator.join(chosen), target, TASK).value == 1.0


@settings(max_examples=500, deadline=None)
@given(st.lists(words, max_size=6), slots_strategy)
def test_visible_separator_counts_positions_exactly(said: list[str], slots: list[list[str]]) -> None:
    target = Product(tuple(map(tuple, slots)), " # ")
    right = sum(word in slot for word, slot in zip(said, slots, strict=False))
    expected = right / max(len(slots), len(said))
    assert WORDS.score(" # ".join(said), target, TASK).value == pytest.approx(expected)


def test_entities_of_several_words_are_found_without_separators() -> None:
    target = Product((("new york city", "paris"), ("cat",)))
    assert WORDS.score("New York  City cat", target, TASK).value == 1.0
    assert WORDS.score("new york cat", target, TASK).value == 0.5
    assert WORDS.score("paris cat and a dog", target, TASK).value == 0.5


def test_extra_words_are_not_free() -> None:
    assert WORDS.score("a # b # c", Product((("a",), ("b",)), " # "), TASK).value == pytest.approx(2 / 3)
    assert WORDS.score("a b c", Product((("a",), ("b",))), TASK).value == 0.5


def test_case_composition_and_white_space_do_not_matter() -> None:
    assert WORDS.score(" PERÚ\n", AnyOf(("Perú",)), TASK).value == 1.0
    assert WORDS.score("straße", AnyOf(("STRASSE",)), TASK).value == 1.0


@pytest.mark.parametrize(
    ("said", "value"), [("true", 1.0), ("True.", 1.0), ("false", 0.0), ("", 0.0), ("true false", 0.0)]
)
def test_truth_values(said: str, value: float) -> None:
    assert WORDS.score(said, Boolean(True, ("true", "false")), TASK).value == value


@given(st.text(max_size=40))
def test_odd_answers_never_raise(said: str) -> None:
    for target in (AnyOf(("a",)), Product((("a",), ("b c",))), Product((("a",), ("b",)), " # "), Product(())):
        assert 0.0 <= WORDS.score(said, target, TASK).value <= 1.0


def test_cost_does_not_multiply() -> None:
    """Fifty positions of a thousand alternatives are ten to the hundred and fiftieth sequences; this one finishes."""
    slots = [{f"w{i} {j}" if j % 2 else f"w{i}x{j}" for j in range(1000)} for i in range(50)]
    tokens = " ".join(f"w{i} 7" for i in range(50)).split()
    assert best_segmentation(tokens, slots) == 50
    assert best_segmentation(["w"] * 2000, slots) == 0


@pytest.mark.parametrize("separator", [" ", " # "])
@pytest.mark.parametrize(("answer", "value"), [("", 1.0), ("  ", 1.0), ("word", 0.0), ("a # b", 0.0)])
def test_where_nothing_is_kept_nothing_is_right(separator: str, answer: str, value: float) -> None:
    task = Task("t", Instruction("d"))
    assert WORDS.score(answer, Product((), separator), task).value == value


@pytest.mark.parametrize(
    ("said", "slots", "separator", "score"),
    [
        ("a b", (("a",), ("b",)), " ", (1.0, 2, 2)), ("a x", (("a",), ("b",)), " ", (0.5, 1, 2)),
        ("", (("a",),), " ", (0.0, 0, 1)), ("", (("a",),), " # ", (0.0, 0, 1)),
        ("a #  b  c", (("a",), ("b c",)), " # ", (1.0, 2, 2)), ("a", (("a",), ("b",)), " # ", (0.5, 1, 2)),
        ("a # b # c", (("a",), ("b",)), " # ", (2 / 3, 2, 3)), ("b", (("a",), ("b",)), " ", (0.0, 0, 2)),
        ("a", (("a",), ("b",)), " ", (0.5, 1, 2)), ("a b", (("a",), ("b",), ("c",)), " ", (2 / 3, 2, 3)),
        ("x b", (("a",), ("b",), ("c",)), " ", (1 / 3, 1, 3)), ("a b c", (("a b", "a"), ("c",)), " ", (1.0, 2, 2)),
        ("a b c d", (("a",), ("d",)), " ", (0.5, 1, 2)), ("a b", (("a b",), ("c",), ("d",)), " ", (1 / 3, 1, 3)),
        ("c", (("a",), ("c",)), " ", (0.0, 0, 2)), ("a", (("a",),), " ", (1.0, 1, 1)),
        ("a c b", (("a",), ("x",), ("b",)), " ", (2 / 3, 2, 3)), ("a b c", (("a",), ("b c",)), " ", (1.0, 2, 2)),
    ],
)  # fmt: skip
def test_how_many_positions_are_right(said, slots, separator, score):
    found = WORDS.score(said, Product(slots, separator), TASK)
    assert (found.value, found.details["right"], found.details["positions"]) == pytest.approx(score)


def test_an_answer_far_too_long_is_read_in_part_and_counted_in_full():
    slots = (("x",), ("z",), ("y",))
    full = WORDS.score("x " * 1_999 + "y", Product(slots), TASK)
    assert (full.details["right"], full.details["positions"]) == (2, 3)
    longer = WORDS.score("x " * 2_000 + "y", Product(slots), TASK)
    assert (longer.details["right"], longer.details["positions"]) == (1, 2_001), "the y is not read"


def test_lists_and_other_targets_are_whole_texts():
    lists = Items((("a", "b"), ()), separator=" ", empty="nobody")
    for said, value in (("A  b", 1.0), ("nobody", 1.0), ("b a", 0.0), ("", 0.0)):
        assert WORDS.score(said, lists, TASK).value == value
    assert WORDS.score("[2]", Structure(("[1]", "[2]")), TASK).value == 1.0
    assert WORDS.score("[3]", Structure(("[1]", "[2]")), TASK).value == 0.0
    assert WORDS.score("true..", Boolean(True, ("true", "false")), TASK).value == 1.0
