"""What the proof of a bundle's splits lets pass, and what it does not."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Instance, Row, UserError
from taskloom.store.disjoint import SplitProof, all_distinct, asked_keys

SMALL = st.lists(st.tuples(st.sampled_from("tu"), st.sampled_from(["1", "2", "3\n", "3"]), st.sampled_from("abcd")))


def row(task: str, id: str, input: str) -> Row:
    return Row(task, Instance(id, input, AnyOf(("yes",))))


def prove(apart: str, **splits: list[Row]) -> SplitProof:
    proof = SplitProof(apart)
    for split, rows in splits.items():
        for each in rows:
            proof.add(split, each)
    return proof


def test_two_tasks_may_use_the_same_id():
    proof = prove("pairs", test=[row("a", "1", "x"), row("b", "1", "y")])
    assert proof.repeated_id("test") == 0
    proof.check("own/suite")


def test_an_id_repeated_within_a_task_is_refused_with_the_number_of_rows():
    proof = prove("pairs", test=[row("a", "1", "x"), row("a", "1", "y"), row("a", "1", "z"), row("b", "1", "x")])
    assert proof.repeated_id("test") == 2
    with pytest.raises(UserError, match="2 rows of split 'test' repeat an id within their task"):
        proof.check("own/suite")


def test_splits_may_use_the_same_id():
    prove("pairs", train=[row("a", "1", "x")], test=[row("a", "1", "y")]).check("own/suite")


@pytest.mark.parametrize(
    ("apart", "second", "shared"),
    [
        ("inputs", row("b", "2", "x"), True),
        ("inputs", row("a", "2", "y"), False),
        ("pairs", row("a", "2", "x"), True),
        ("pairs", row("b", "2", "x"), False),
        ("tasks", row("a", "2", "y"), True),
        ("tasks", row("b", "2", "y"), False),
    ],
)
def test_what_two_splits_may_share(apart, second, shared):
    found = prove(apart, train=[row("a", "1", "x")], test=[second]).overlap()
    assert (found is not None) == shared
    if found:
        assert found[:2] == ("test", "train")


def test_an_overlap_among_many_rows_is_found_and_named():
    train = [row("a", str(n), f"train {n}") for n in range(300)]
    test = [row("a", str(n), f"test {n}") for n in range(300)] + [row("a", "same", "train 217")]
    first, second, shared = prove("inputs", train=train, test=test).overlap()
    assert (first, second) == ("test", "train")
    assert shared == asked_keys("inputs", [row("a", "217", "train 217")])


def rows_of(given: list[tuple[str, str, str]]) -> list[Row]:
    return [Row(task, Instance(name, f"what  is\n{text} ?", AnyOf(("x",)))) for task, name, text in given]


@given(SMALL)
def test_repeated_ids_are_counted_exactly(rows):
    proof = SplitProof("pairs")
    for row in rows_of(rows):
        proof.add("test", row)
    assert proof.repeated_id("test") == len(rows) - len({(task, name) for task, name, _ in rows})


@pytest.mark.parametrize("apart", ["inputs", "pairs"])
@given(first=SMALL, second=SMALL)
def test_an_overlap_is_found_if_and_only_if_there_is_one(apart, first, second):
    proof = SplitProof(apart)
    for split, rows in (("train", first), ("test", second)):
        made = rows_of(rows)
        proof.extend(split, asked_keys(apart, made), [row.task for row in made], [row.instance.id for row in made])
    keep = slice(2, 3) if apart == "inputs" else slice(0, 3, 2)
    shared = {row[keep] for row in first} & {row[keep] for row in second}
    assert (proof.overlap() is not None) == bool(shared)


def test_rows_are_known_by_task_and_id_each():
    proof = SplitProof("pairs")
    with pytest.raises(ValueError, match="shorter"):
        proof.extend("test", b"", ["a", "b"], ["1"])
    assert SplitProof("pairs").repeated_id("test") == 0
    assert SplitProof("pairs").overlap() is None


def test_ids_whose_hashes_meet_by_chance_are_not_repeated():
    """The first half of what is kept of two rows may agree; the second decides."""
    proof = SplitProof("pairs")
    proof._ids["test"] = (array("q", [5, 5, 5]), array("q", [1, 2, 2]))
    assert proof.repeated_id("test") == 1


def test_keys_that_agree_in_one_half_are_not_shared():
    one, two, three = (bytes([n]) * 8 for n in (1, 2, 255))
    for first, second, shared in (
        (one + two, one + three, None), (one + two, three + two, None), (one + two, one + two, one + two),
        (three + three + one + two, one + two + three + three, one + two),
    ):  # fmt: skip
        proof = SplitProof("inputs")
        proof.extend("train", first, [], [])
        proof.extend("test", second, [], [])
        assert proof.overlap() == (("test", "train", shared) if shared else None)


@pytest.mark.parametrize(
    ("apart", "words"),
    [
        ("tasks", "splits 'dev' and 'test' share task 'a'; they must keep tasks apart"),
        ("pairs", "splits 'dev' and 'test' share an input (hash "),
    ],
)
def test_what_two_splits_share_is_said(apart, words):
    proof = prove(
        apart, train=[row("c", "9", "z")], dev=[row("b", "1", "x"), row("a", "1", "x")], test=[row("a", "1", "x")]
    )
    with pytest.raises(UserError) as raised:
        proof.check("own/suite")
    assert raised.value.message.startswith(words) and raised.value.where == "own/suite"


def test_numbers_that_all_differ_need_no_second_look():
    assert [all_distinct(array("q", numbers)) for numbers in ([], [1], [2, 1, 3], [1, 2, 1])] == [
        True,
        True,
        True,
        False,
    ]
