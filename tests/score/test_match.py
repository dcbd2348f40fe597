from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Boolean, Instruction, Items, Product, Structure, Task, UserError
from taskloom.core.scorer import Score
from taskloom.score.match import (
    EXACT,
    LABEL,
    NORMALISED,
    NUMBER,
    ExactMatch,
    NumberMatch,
    clean,
    fold,
    loose,
    number,
    squeezed,
)

TASK = Task("t", Instruction("d"))


def label_task(*labels: str) -> Task:
    return Task("t", Instruction("d"), "label", "label", labels)


@pytest.mark.parametrize(
    ("answer", "exact", "normalised"),
    [
        ("The Cat", 1, 1),
        (" The  Cat\n", 1, 1),
        ("the cat.", 0, 1),
        ("cat", 0, 1),
        ("dog", 0, 0),
        ("", 0, 0),
        ("!", 0, 0),
    ],
)
def test_exact_and_normalised(answer, exact, normalised):
    targets = AnyOf(("The Cat", "Felix"))
    assert EXACT.score(answer, targets, TASK).value == exact
    assert NORMALISED.score(answer, targets, TASK).value == normalised


@pytest.mark.parametrize(
    "targets", [Boolean(True), Items((("a", "b"),)), Structure(('{"a":1}',)), Product((("a", "b c"), ("d",)))]
)
def test_every_kind_of_target_matches_its_canonical_answer(targets):
    assert EXACT.score(targets.canonical(), targets, TASK).value == 1
    assert NORMALISED.score(targets.canonical().upper(), targets, TASK).value == 1
    assert EXACT.score(targets.canonical() + " x", targets, TASK).value == 0


slots = st.lists(st.lists(st.sampled_from(["a", "b", "a b", "ab", "b a"]), min_size=1, max_size=3), max_size=4)


@given(slots, st.lists(st.sampled_from(["a", "b", "ab"]), max_size=6), st.sampled_from([" ", " # ", ", "]))
def test_products_are_matched_as_if_multiplied_out(slots, words, separator):
    targets = Product(tuple(map(tuple, slots)), separator)
    allowed = {clean(separator.join(choice)) for choice in product(*slots)}
    answer = separator.join(words)
    assert EXACT.score(answer, targets, TASK).value == (clean(answer) in allowed)


def test_a_product_of_many_words_costs_little():
    targets = Product(tuple(tuple(f"w{i} {j}" for j in range(1000)) for i in range(50)))
    assert EXACT.score(targets.canonical(), targets, TASK).value == 1


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("not entailed", 1), ("Not entailed.", 1), ("The answer is: not entailed", 0), ("entailed", 0),
        ("entailed, or not entailed", 0), ("maybe", 0), ("", 0), ("NOT-ENTAILED", 1), ("unentailed", 0),
    ],
)  # fmt: skip
def test_labels_are_named_alone_and_whole(answer, value):
    task = label_task("entailed", "not entailed")
    assert LABEL.score(answer, AnyOf(("not entailed",)), task).value == value


def test_labels_of_booleans():
    assert LABEL.score("Yes!", Boolean(True), label_task("yes", "no")).value == 1
    assert LABEL.score("yes and no", Boolean(True), label_task("yes", "no")).value == 0


@given(st.sampled_from(["yes", "no", "maybe"]), st.text(max_size=30))
def test_a_label_never_scores_for_another(right, noise):
    task = label_task("yes", "no", "maybe")
    scored = [name for name in task.labels if LABEL.score(f"{noise} {right}", AnyOf((name,)), task).value == 1]
    assert len(scored) <= 1


@pytest.mark.parametrize(
    ("text", "value"),
    [("2", 2), ("two", 2), ("2.0", 2), ("There are two.", None), ("not 2", None), ("Luku ei ole 2.", None),
     ("1,000", 1000), ("none", 0), ("2 or 3", None),
     ("", None), ("x" * 20_000, None), ("-3", -3)],
)  # fmt: skip
def test_numbers(text, value):
    assert number(text) == value
    assert NUMBER.score(text, AnyOf(("7",)), TASK).value == 0
    if value is not None:
        assert NUMBER.score(text, AnyOf((str(value),)), TASK).value == 1


@given(st.text())
def test_normalisation_is_idempotent(text):
    assert clean(clean(text)) == clean(text)
    assert loose(loose(text)) == loose(text)


@given(st.text(max_size=200))
def test_nothing_a_model_says_breaks_a_scorer(text):
    for targets in (AnyOf(("x",)), Boolean(True), Items((("x",),)), Product((("x",),)), Structure(("{}",))):
        for scorer in (EXACT, NORMALISED, LABEL, NUMBER):
            assert scorer.score(text, targets, label_task("x", "y")).value in (0.0, 1.0)


def test_scorers_take_options():
    from taskloom.core.scorer import make_scorer

    task = Task("t", Instruction("x"))
    close = make_scorer("number", {"tolerance": 0.01})
    assert [close.score(text, AnyOf(("100",)), task).value for text in ("100.9", "99", "102", "x")] == [1, 1, 0, 0]
    assert make_scorer("exact", {"case": False}).score("ABC", AnyOf(("abc",)), task).value == 1
    with pytest.raises(UserError, match="did you mean 'tolerance'"):
        make_scorer("number", {"tolerence": 1})


def test_the_label_that_was_named_is_kept():
    task = label_task("yes", "no")
    assert LABEL.score("no", AnyOf(("yes",)), task).details == {"label": "no"}
    assert LABEL.score("perhaps", AnyOf(("yes",)), task) == Score(0.0)
    assert LABEL.score(" YES! ", AnyOf(("yes",)), task) == Score(1.0, {"label": "yes"})


@pytest.mark.parametrize("tolerance", [-0.1, 1.0, 1.5])
def test_a_tolerance_is_a_share_below_one(tolerance):
    with pytest.raises(ValueError, match="0 or more and below 1"):
        NumberMatch(tolerance=tolerance)


@pytest.mark.parametrize(
    ("tolerance", "said", "right", "value"),
    [
        (0.0, "100", "100", 1), (0.0, "100.5", "100", 0), (0.5, "50", "100", 1), (0.5, "49", "100", 0),
        (0.5, "150", "100", 1), (0.5, "151", "100", 0), (0.5, "-150", "-100", 1), (0.5, "-151", "-100", 0),
        (0.99, "0.1", "0", 0), (0.5, "none at all, or 3 and 4", "0", 0),
    ],
)  # fmt: skip
def test_numbers_within_a_share_of_the_right_one(tolerance, said, right, value):
    assert NumberMatch(tolerance=tolerance).score(said, AnyOf((right, "x")), TASK).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x" * 10_000 + "7", None), ("1e3", 1000), (".5", 0.5), ("+4", 4), ("two and 3", None),
        ("one or two", None), ("twenty", 20), ("Zero", 0), ("3 3", None), ("no, two", None),
    ],
)  # fmt: skip
def test_which_number_a_short_answer_gives(text, value):
    assert number(text) == value


def test_long_texts_are_folded_like_short_ones():
    assert loose("The Cat" + "!" * 57) == loose("The Cat" + "!" * 58) == "cat"
    assert loose("the") == "the", "an article that is all there is"
    assert fold("!") == "!" and fold("A!b") == "a b" and fold("!") != fold("?")


def test_runs_of_blanks_are_squeezed_from_33_on():
    assert squeezed("a" + " " * 32 + "b") == "a" + " " * 32 + "b"
    assert squeezed("a" + " " * 33 + "b") == "a b"
    assert squeezed("a" + " " * 20 + "\n" + " " * 20 + "b") == "a\nb"


def test_every_list_of_targets_will_do():
    lists = Items((("a", "b"), ()), separator="; ", empty="nobody")
    for answer, value in (("a; b", 1), ("nobody", 1), ("a, b", 0), ("nothing", 0), ("", 0)):
        assert EXACT.score(answer, lists, TASK).value == value
    assert EXACT.score("yes", Boolean(True), TASK).value == 1 and EXACT.score("yes", Boolean(False), TASK).value == 0
    assert EXACT.score("[2]", Structure(("[1]", "[2]")), TASK).value == 1
    assert EXACT.score("", Product(()), TASK).value == 1 and EXACT.score("a", Product(()), TASK).value == 0


def test_case_counts_unless_it_is_said_not_to():
    assert EXACT.score("ABC", AnyOf(("abc",)), TASK).value == 0 and ExactMatch().case is True


def test_articles_are_words_of_a_sequence():
    assert NORMALISED.score("a Cat", Product((("a",), ("cat",))), TASK).value == 1
    assert NORMALISED.score("Cat", Product((("a",), ("cat",))), TASK).value == 0


@pytest.mark.parametrize(
    "answer",
    ["yes or no", "yes, surely", "not yes", "The answer is yes", "Vastaus ei ole yes.", "La risposta non è yes.", "y"],
)
def test_a_label_among_other_words_is_no_answer(answer):
    assert LABEL.score(answer, AnyOf(("yes",)), label_task("yes", "no")) == Score(0.0)
    assert LABEL.score(answer, AnyOf(("yes",)), label_task()) == Score(0.0)


def test_labels_that_are_spelled_alike_are_one():
    assert LABEL.score("yes", AnyOf(("yes",)), label_task("yes", "Yes", "no")) == Score(1.0, {"label": "yes"})
