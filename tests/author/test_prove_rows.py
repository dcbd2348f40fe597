"""What a proof says about rows, examples and answers, at the limits where it begins to speak."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from taskloom.author import prove, task
from taskloom.author.prove import (
    label_entropy,
    prove_balance,
    prove_blueprint,
    prove_examples,
    prove_file,
    prove_rows,
    prove_solver,
    scorer_refusals,
)
from taskloom.core import Instance, Instruction, Row, Suite, Task, UserError, any_of
from taskloom.core.task import Example

LABELS = ("a", "b", "c")


def suite_of(*tasks: Task) -> Suite:
    return Suite("own/rows", {}, 0, {one.name: one for one in tasks}, {"train": 9, "test": 9}, lambda split: iter(()))


def row(text, answer="a", name="t", number="1"):
    return Row(name, Instance(number, text, any_of(answer)))


def balance(counts, labels=LABELS):
    suite = suite_of(Task("t", Instruction("d"), "label", "label", labels))
    return [(found.level, found.code, found.message) for found in prove_balance(suite, "t", Counter(counts), "f.py")]


@pytest.mark.parametrize(
    ("counts", "labels", "said"),
    [
        ({"a": 9}, LABELS, None),
        ({"a": 10}, LABELS, ("error", "constant-label", "every answer is 'a'")),
        ({"a": 9, "b": 1}, (), None),
        ({"a": 1000, "b": 100}, (), ("warning", "label-balance", "1,000 of 1,100 answers are 'a'")),
        ({"a": 15, "b": 14}, LABELS, None),
        ({"a": 15, "b": 15}, LABELS, ("warning", "label-balance", "no item has the answer 'c'")),
        ({"a": 10, "b": 10, "c": 10}, LABELS, None),
        ({"a": 80, "b": 20}, ("a", "b"),
         ("warning", "label-balance", "the labels are out of balance: {'a': 80, 'b': 20}")),
        ({"a": 75, "b": 25}, ("a", "b"), None),
        ({"a": 80, "b": 20}, (), None),
        ({"a": 80, "b": 20}, tuple("abcdefghijkl"), ("warning", "label-balance", None)),
        ({"a": 80, "b": 20}, tuple("abcdefghijklm"), None),
    ],
)  # fmt: skip
def test_the_balance_of_answers(counts, labels, said):
    found = balance(counts, labels)
    if said is None:
        assert found == []
    else:
        ((level, code, message),) = found
        assert (level, code) == said[:2] and said[2] in (message, None)


def test_entropy_as_a_share_of_equal_parts():
    assert label_entropy([1, 1, 1, 0]) == pytest.approx(1.0)
    assert label_entropy([3, 1]) == pytest.approx(0.8112781)
    assert label_entropy([5, 0]) == label_entropy([]) == 0.0


@pytest.mark.parametrize(
    ("said", "scorer", "labels", "words"),
    [
        ("a", "exact", (), None),
        ("", "exact", (), ("the answer is empty", "an empty answer looks like no answer: use a word, such as 'none'")),
        ("z", "label", LABELS, ("the answer 'z' is not one of the labels 'a', 'b', 'c'", "correct the maker")),
        ("a", "label", LABELS, None),
        ("x", "number", (), ("the answer 'x', repeated exactly, scores less than 1", "'number' cannot score it")),
        ("a", "number", LABELS, ("the answer 'a', repeated exactly, scores less than 1", "'number' cannot score it")),
    ],
)
def test_answers_that_their_scorer_refuses(said, scorer, labels, words):
    assert scorer_refusals(Task("t", Instruction("d"), "text", scorer, labels), any_of(said)) == words


def test_rows_that_meet_again_and_examples_that_are_asked():
    shown = Instruction("d", (Example("known", "a", "e"),), (Example("bad", "b", "e"),))
    suite = suite_of(Task("t", shown), Task("u", Instruction("d")))
    rows = {
        "train": [row("one"), row("one", number="2"), row("known", number="3"), row("one", name="u")],
        "test": [row("one", number="4"), row("bad", number="5"), row("known", name="u", number="6")],
    }
    found = [(one.key, one.code, one.message) for one in prove_rows(suite, rows, file="f.py")]
    assert found == [
        ("t/2", "duplicate", "the input occurs twice: 'one'"),
        ("t/4", "overlap", "the input is also in split 'train': 'one'"),
        ("t/5", "leak", "the item is also an example"),
    ]


@pytest.mark.parametrize(("times", "shown", "more"), [(3, 3, []), (4, 3, ["1 more rows like this"])])
def test_three_of_a_kind_are_shown(times, shown, more):
    rows = {"test": [row("one")] + [row("one", number=str(place)) for place in range(times)]}
    messages = [found.message for found in prove_rows(suite_of(Task("t", Instruction("d"))), rows, file="f.py")]
    assert messages == ["the input occurs twice: 'one'"] * shown + more


def test_answers_are_balanced_over_all_splits():
    rows = {split: [row(f"{split} {place}") for place in range(6)] for split in ("train", "test")}
    (found,) = prove_rows(suite_of(Task("t", Instruction("d"))), rows, file="f.py")
    assert found.message == "every answer is 'a'", "twelve in all"


@task(
    definition="You are given a number. Answer even or odd, as it is.",
    right=[("0", "even", "Two divides it.")],
    wrong=[("0", "odd", "Two does divide it.")],
    labels=("even", "odd"),
    solve=lambda text: "odd" if int(text) % 2 else "even",
)
def parity(rng):
    number = rng.randint(1, 99_999)
    return str(number), ("even", "odd")[number % 2]


def examples(**changes):
    return [
        (found.key, found.level, found.code, found.message)
        for found in prove_examples(dataclasses.replace(parity, **changes), "f.py")
    ]


def test_sound_examples_are_passed_over():
    assert examples() == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"definition": " "},
         [("definition", "error", "definition", "there is no definition"),
          ("definition", "warning", "unnamed-labels", "the definition does not name 'even', 'odd'")]),
        ({"definition": "Even or odd one two three four"},
         [("definition", "warning", "definition", "too short to explain the task")]),
        ({"definition": "Even or odd one two three four five"}, []),
        ({"definition": "EVEN one two three four five six seven"},
         [("definition", "warning", "unnamed-labels", "the definition does not name 'odd'")]),
        ({"right": []}, [("right", "warning", "few-examples", "no right example")]),
        ({"right": [("0", "even", "x"), ("1", "even", "x")]},
         [("right[1]", "error", "right-example", "the answer 'even' scores 0, not 1")]),
        ({"wrong": [("0", "even", "x")]}, [("wrong[0]", "error", "wrong-example", "the answer 'even' is right")]),
        ({"wrong": [("0", "odd", " ")]}, [("wrong[0]", "warning", "no-explanation", "no explanation")]),
        ({"solve": None}, []),
        ({"solve": None, "wrong": [("0", "odd", "x"), ("1", "even", "x")]},
         [("wrong[1]", "note", "wrong-example", "nothing shows that this answer is wrong")]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_examples(changes, found):
    assert examples(**changes) == [(f"parity: {key}", *rest) for key, *rest in found]


def test_the_solver_is_asked_until_it_is_wrong_once():
    rows = [row(str(number), ("even", "odd")[number % 2], "parity") for number in (2, 3, 4, 6)]
    assert list(prove_solver(parity, "f.py", rows)) == []
    assert list(prove_solver(dataclasses.replace(parity, solve=None), "f.py", rows)) == []
    (found,) = prove_solver(dataclasses.replace(parity, solve=lambda text: "odd"), "f.py", rows)
    assert found.message == "'2': the maker says 'even', the solver 'odd'" and found.code == "solver"
    (found,) = prove_solver(dataclasses.replace(parity, solve=lambda text: 1 / (int(text) - 3)), "f.py", rows[1:])
    assert found.code == "solver" and "ZeroDivisionError" in found.message


def test_maker_and_solver_have_to_accept_each_other():
    """The solver may know more answers than the maker, but its first has to be right by the maker."""
    lists = dataclasses.replace(parity, labels=(), solve=lambda text: ["a", "b"])
    assert list(prove_solver(lists, "f.py", [row("1", "a", "parity")])) == []
    assert len(list(prove_solver(lists, "f.py", [row("1", "b", "parity")]))) == 1, "what it says first is not right"
    narrow = dataclasses.replace(parity, labels=(), solve=lambda text: "b")
    assert len(list(prove_solver(narrow, "f.py", [row("1", ("a", "b"), "parity")]))) == 1


def test_a_proof_draws_enough_by_itself(monkeypatch):
    drawn = []
    monkeypatch.setattr(prove, "draw_all", lambda blueprint, sizes, seed: drawn.append((dict(sizes), seed)) or {})
    assert list(prove_blueprint(parity, file="f.py")) == []
    assert drawn == [({"train": 100, "dev": 20, "test": 100}, 0)] * 2
    assert list(prove.prove_blueprints([parity], file="f.py")) == [] and drawn[2:] == drawn[:2]
    del drawn[2:]
    assert list(prove_blueprint(parity, file="f.py", sizes={"test": 3}, seed=4)) == []
    assert drawn[2:] == [({"test": 3}, 4)] * 2


@pytest.fixture
def declared(monkeypatch, tmp_path):
    """A file with one task, whatever the sizes; the other process and what it is asked are in our hands."""
    path, asked = tmp_path / "mine.py", []
    path.write_text("")

    def say(sizes, other=None, findings=()):
        asked.clear()
        monkeypatch.setattr(prove, "load_declared", lambda given: ([parity], sizes, 3))
        monkeypatch.setattr(prove, "prove_blueprints", lambda *given, **more: asked.append(more) or findings)
        monkeypatch.setattr(prove, "draw_all", lambda blueprint, sizes, seed: ["rows", seed])

        def elsewhere(file, sizes, seed):
            asked.append((file, sizes, seed))
            if isinstance(other, UserError):
                raise other
            return other or [prove.content_hash(["rows", seed])]

        monkeypatch.setattr(prove, "hashes_elsewhere", elsewhere)
        return [(found.code, found.message) for found in prove_file(path)], asked

    return say


@pytest.mark.parametrize(
    ("sizes", "drawn"),
    [
        ({}, {"train": 100, "dev": 20, "test": 100}),
        ({"test": None, "train": 7}, {"test": 100, "train": 7}),
        ({"test": 10_000, "train": 10_001}, {"test": 10_000, "train": 10_000}),
    ],
)
def test_a_file_is_proved_at_its_own_sizes(sizes, drawn, declared):
    found, (here, elsewhere) = declared(sizes)
    assert found == []
    assert (here["sizes"], here["seed"]) == (drawn, 3) == elsewhere[1:]


def test_what_goes_wrong_here_is_not_tried_elsewhere(declared):
    for code in ("make", "not-pure"):
        wrong = [prove.Finding("f.py", "", "error", "m", "", code), prove.Finding("f.py", "", "note", "n", "", "x")]
        found, asked = declared({}, findings=wrong)
        assert found == [(code, "m"), ("x", "n")] and len(asked) == 1
    harmless = [prove.Finding("f.py", "", "error", "m", "", "solver")]
    found, asked = declared({}, findings=harmless)
    assert found == [("solver", "m")] and len(asked) == 2


def test_another_process_says_otherwise_or_nothing(declared):
    drawn = declared({}, other=["other"])[0]
    assert drawn == [("not-pure", "another process draws different items from the same seed")]
    assert declared({}, other=["a", "b"])[0] == [("not-pure", "another process finds 2 tasks in the file, not 1")]
    assert declared({}, other=UserError("it fell over"))[0] == [("not-pure", "it fell over")]


@pytest.mark.parametrize("hint", ["try this", None])
def test_what_helps_is_passed_on(hint, declared, monkeypatch, tmp_path):
    def fail(*given, **more):
        raise UserError("it fell over", where="here", hint=hint)

    path = tmp_path / "mine.py"
    path.write_text("")
    rows = [row("1", "odd", "parity")]
    with monkeypatch.context() as patch:
        patch.setattr(type(parity), "solved", fail)
        (found,) = prove_solver(parity, "f.py", rows)
    assert (found.fix, found.file, found.code) == (hint or "", "f.py", "solver")
    with monkeypatch.context() as patch:
        patch.setattr(prove, "draw_all", fail)
        (found,) = prove_blueprint(parity, file="f.py")
    assert (found.fix, found.key, found.code) == (hint or "", "parity", "make")
    declared({})
    monkeypatch.setattr(prove, "hashes_elsewhere", fail)
    (found,) = prove_file(path)
    assert (found.fix, found.file, found.code) == (hint or "", "here", "not-pure")
    monkeypatch.setattr(prove, "load_declared", fail)
    (found,) = prove_file(path)
    assert (found.fix, found.file, found.code) == (hint or "", "here", "python")
