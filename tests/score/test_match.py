from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Boolean, Instruction, Items, Product, Structure, Task, UserError
from taskloom.core.scorer import Score
from taskloom.score.match import EXACT, LABEL, NORMALISED, NUMBER
from taskloom.score.normalise import clean, loose, number

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
        ("not entailed", 1), ("Not entailed.", 1), ("The answer is: not entailed", 1), ("entailed", 0),
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
    [("2", 2), ("two", 2), ("2.0", 2), ("There are two.", 2), ("1,000", 1000), ("none", 0), ("2 or 3", None),
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
    assert LABEL.score("yes or no", AnyOf(("yes",)), task).details == {"labels_named": 2}
    assert LABEL.score("perhaps", AnyOf(("yes",)), task).details == {"labels_named": 0}
    assert LABEL.score("yes, surely", AnyOf(("yes",)), task) == Score(1.0, {"label": "yes"})
