"""PCFG SET as a definition: published examples, the papers' rules, judged by an interpreter of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskloom import Item, Suite, open_suite
from taskloom.author.pyfile import execute_file
from taskloom.core.catalog import lattice_of

FILE = Path(__file__).parents[2] / "examples" / "pcfg.py"


@pytest.fixture(scope="module")
def suites() -> dict[str, Suite]:
    return {task.name: Suite.of([task], train=300, test=100) for task in execute_file(FILE).TASKS}


def interpreted(text: str) -> str:
    """Reads from the right with a stack: letters gather, a function takes what stands on top."""
    stack: list[list[str]] = []
    letters: list[str] = []
    for word in reversed(text.split()):
        name = word.replace("_twin", "")
        if word == "," or not name[0].isupper():
            stack += [letters] if letters else []
            letters = []
        if word == ",":
            continue
        if name[0].isupper():
            letters.insert(0, name)
            continue
        one = stack.pop()
        if name in ("append", "prepend", "remove_first", "remove_second"):
            two = stack.pop()
            stack.append({"append": one + two, "prepend": two + one, "remove_first": two, "remove_second": one}[name])
            continue
        last = len(one) - 1
        order = {
            "copy": range(last + 1),
            "reverse": range(last, -1, -1),
            "shift": [*range(1, last + 1), 0],
            "echo": [*range(last + 1), last],
            "swap_first_last": [last, *range(1, last), 0][: last + 1],
            "repeat": [*range(last + 1)] * 2,
        }[name]
        stack.append([one[place] for place in order])
    (found,) = stack or [letters]
    return " ".join(found)


@pytest.mark.parametrize("name", ["random", "systematicity", "productivity", "substitutivity"])
def test_answers_are_right_and_splits_follow_the_rules(suites, name):
    for split in ("train", "test"):
        rows = [row.instance for row in suites[name].rows(split)]
        assert len(rows) == (300 if split == "train" else 100)
        for row in rows:
            words = row.input.split()
            assert row.targets.canonical() == interpreted(row.input)
            counted = sum(not word[0].isupper() and word != "," for word in words)
            if name == "productivity":
                assert (counted > 8) == (split == "test")
            if name == "substitutivity":
                assert ("_twin" in row.input and counted > 1) == (split == "test")
            if name == "systematicity":
                held_out = ("swap_first_last repeat", "append remove_second", "repeat remove_second",
                            "append swap_first_last")  # fmt: skip
                assert any(f" {pair} " in f" {row.input} " for pair in held_out) == (split == "test")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("repeat A B C", "A B C A B C"),
        ("echo remove_first D K , E F", "E F F"),
        ("append swap_first_last F G H , repeat I J", "H G F I J I J"),
        ("repeat copy M5 B15", "M5 B15 M5 B15"),
        ("prepend reverse R1 J11 , K8 L16 Y18", "K8 L16 Y18 J11 R1"),
        ("reverse copy O14 O4 C12 J14 W3", "W3 J14 C12 O4 O14"),
    ],
)
def test_published_examples(text, result):
    assert " ".join(execute_file(FILE).read(text.split())[0]) == result == interpreted(text)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("by_number", "copy copy append reverse swap_first_last reverse A15 P12 , reverse copy repeat H13 Z16"),
        ("by_number", "shift append reverse repeat Y14 D16 , reverse repeat prepend echo echo U9 G9 M18 , K12 X20"),
        ("by_twin", "swap_first_last append_twin Q7 O3 P1 Y19 , G9 T14 U6 T9"),
        ("by_pair", "reverse repeat remove_second A B , C D"),
    ],
)
def test_commands_that_the_authors_test_are_tested(rule, text):
    module = execute_file(FILE)
    assert getattr(module, rule)(Item(text, interpreted(text))) == "test"
    assert interpreted(text.replace("_twin", "")) == interpreted(text)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (
            "by_number",
            "remove_first swap_first_last Y7 H8 A6 , copy remove_second reverse reverse swap_first_last "
            "swap_first_last X9 Y12 L10 J13 J4 , T6 Y18",
        ),
        ("by_pair", "repeat reverse remove_second A B , C D"),
    ],
)
def test_commands_that_the_authors_train_are_trained(rule, text):
    assert getattr(execute_file(FILE), rule)(Item(text, interpreted(text))) == "train"


@pytest.mark.proof
@pytest.mark.parametrize(
    ("name", "train", "test"), [("systematicity", 82_000, 10_000), ("productivity", 81_000, 11_000)]
)
def test_splits_of_the_published_size_hold_different_expressions(name, train, test):
    suite = open_suite(str(FILE), options={"tasks": [name], "train": train, "test": test})
    inputs = {split: [row.instance.input for row in suite.rows(split)] for split in suite.splits}
    assert {split: len(held) for split, held in inputs.items()} == {"train": train, "test": test}
    assert len({text for held in inputs.values() for text in held}) == train + test


def test_held_out_pairs_are_cells_above_their_functions(suites):
    lattice = lattice_of(suites["systematicity"])
    cells = {cell.atoms: cell for cell in lattice.cells}
    whole = cells[("repeat", "swap_first_last", "swap_first_last repeat")]
    assert cells[("repeat", "swap_first_last")] in lattice.parts(whole)
    row = next(lattice.stream(whole, 3))
    assert "swap_first_last repeat" in row.instance.input


def test_a_file_of_at_most_120_lines():
    assert len(FILE.read_text("utf-8").splitlines()) <= 120
