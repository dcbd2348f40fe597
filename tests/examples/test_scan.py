"""SCAN as a definition: the published sizes and examples, judged by an interpreter that shares no code with it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from taskloom import Suite, open_suite
from taskloom.author.pyfile import execute_file
from taskloom.core import Cell
from taskloom.core.catalog import lattice_of

FILE = Path(__file__).parents[2] / "examples" / "scan.py"
SIZES = {
    "simple": (16_728, 4_182),
    "length": (16_990, 3_920),
    "add-jump": (14_670, 7_706),
    "around-right": (15_225, 4_476),
}


@pytest.fixture(scope="module")
def suites() -> dict[str, Suite]:
    tasks = {blueprint.name: blueprint for blueprint in execute_file(FILE).TASKS}
    return {name: Suite.of([tasks[name]], train=None, test=None) for name in SIZES}


def interpreted(command: str) -> str:
    """By rewriting, innermost first; the definition under test parses from the outside."""
    said = command
    for side, turn in (("left", "L"), ("right", "R")):
        for verb, letter in (("turn", ""), ("walk", "W"), ("look", "K"), ("run", "U"), ("jump", "J")):
            said = said.replace(f"{verb} opposite {side}", f"<{turn}{turn}{letter}>")
            said = said.replace(f"{verb} around {side}", f"<{(turn + letter) * 4}>")
            said = said.replace(f"{verb} {side}", f"<{turn}{letter}>")
    for verb, letter in (("walk", "W"), ("look", "K"), ("run", "U"), ("jump", "J")):
        said = re.sub(rf"\b{verb}\b", f"<{letter}>", said)
    said = re.sub(r"<(\w+)> twice", r"<\1\1>", said)
    said = re.sub(r"<(\w+)> thrice", r"<\1\1\1>", said)
    said = re.sub(r"<(\w+)> after <(\w+)>", r"<\2\1>", said)
    said = re.sub(r"<(\w+)> and <(\w+)>", r"<\1\2>", said)
    names = {"W": "WALK", "K": "LOOK", "U": "RUN", "J": "JUMP", "L": "TURN_LEFT", "R": "TURN_RIGHT"}
    return " ".join(f"I_{names[letter]}" for letter in said.strip("<>"))


@pytest.mark.parametrize("name", SIZES)
def test_published_sizes(suites, name):
    assert tuple(suites[name].splits.values()) == SIZES[name]


def test_every_command_once_and_rightly(suites):
    rows = [row.instance for split in ("train", "test") for row in suites["length"].rows(split)]
    assert len({row.input for row in rows}) == len(rows) == 20_910
    assert all(row.targets.canonical() == interpreted(row.input) for row in rows)
    lengths = {split: [len(interpreted(row.instance.input).split()) for row in suites["length"].rows(split)]
               for split in ("train", "test")}  # fmt: skip
    assert max(lengths["train"]) == 22 and (min(lengths["test"]), max(lengths["test"])) == (24, 48)


def test_what_the_splits_hold_out(suites):
    jump = {split: Counter(row.instance.input for row in suites["add-jump"].rows(split)) for split in ("train", "test")}
    assert [(text, times) for text, times in jump["train"].items() if "jump" in text or times > 1] == [("jump", 1_467)]
    assert all("jump" in text for text in jump["test"])
    right = suites["around-right"]
    assert not any("around right" in row.instance.input for row in right.rows("train"))
    assert all(re.search("(walk|look|run|jump) around right", row.instance.input) for row in right.rows("test"))


@pytest.mark.parametrize(
    ("command", "actions"),
    [
        ("jump", "JUMP"),
        ("jump left", "LTURN JUMP"),
        ("jump around right", "RTURN JUMP RTURN JUMP RTURN JUMP RTURN JUMP"),
        ("turn left twice", "LTURN LTURN"),
        ("jump thrice", "JUMP JUMP JUMP"),
        ("jump opposite left and walk thrice", "LTURN LTURN JUMP WALK WALK WALK"),
        (
            "jump opposite left after walk around left",
            "LTURN WALK LTURN WALK LTURN WALK LTURN WALK LTURN LTURN JUMP",
        ),
    ],
)
def test_published_examples(suites, command, actions):
    said = actions.replace("LTURN", "TURN_LEFT").replace("RTURN", "TURN_RIGHT")
    expected = " ".join(f"I_{action}" for action in said.split())
    assert " ".join(execute_file(FILE).act(command)) == expected == interpreted(command)


def test_the_lattice_of_a_split():
    tasks = {blueprint.name: blueprint for blueprint in execute_file(FILE).TASKS}
    lattice = lattice_of(Suite.of([tasks["add-jump"]], train=10_000, test=7_000))
    known, new = (
        Cell("add-jump", ("after", "opposite", "turn")),
        Cell("add-jump", ("after", "jump", "opposite", "turn")),
    )
    assert known in lattice.parts(new)
    row = next(lattice.stream(new, 0)).instance
    assert {"jump", "opposite", "after"} < set(row.input.split())


def test_a_model_that_never_learned_around_right_is_found_out(tmp_path):
    from taskloom.run.session import RunSettings
    from taskloom.studies.frontier import SearchSettings, probe_model

    def pupil(prompt: str) -> str:
        command = prompt.strip().splitlines()[-1].removeprefix("Input: ")
        command = next(line for line in reversed(prompt.splitlines()) if set(line.split()) & {"and", "after"})
        return interpreted(command.removeprefix("Input: ").replace("around right", "opposite right"))

    suite = open_suite(FILE, options={"tasks": ["simple"]})
    found = probe_model(
        suite, tmp_path / "probe", RunSettings(model=pupil, protocol="bare"), SearchSettings(budget=1_500)
    )
    failing = [claim.whole.cell for claim in found.claims]
    assert failing and all("around right" in cell for cell in failing)


def test_a_file_of_at_most_120_lines_that_opens_by_name():
    assert len(FILE.read_text("utf-8").splitlines()) <= 120
    suite = open_suite(FILE, options={"tasks": ["length"], "train": 100, "test": 50})
    assert len(suite["train"]) == 100 and list(suite.tasks) == ["length"]
