from __future__ import annotations

import dataclasses
from itertools import count

import pytest

from taskloom.author import task
from taskloom.author.prove import label_entropy, prove_blueprint, prove_blueprints, prove_file
from taskloom.cli.main import main

SIZES = {"train": 40, "test": 40}


@task(
    definition="You are given a whole number. Answer even where two divides it, otherwise answer odd.",
    right=[("0", "even", "Two divides it."), ("-1", "odd", "Two does not divide it.")],
    wrong=[("0", "odd", "Two does divide it.")],
    labels=("even", "odd"),
    solve=lambda text: "odd" if int(text) % 2 else "even",
)
def parity(rng):
    number = rng.randint(1, 99_999)
    return str(number), ("even", "odd")[number % 2]


def codes(**changes):
    return {
        finding.code for finding in prove_blueprint(dataclasses.replace(parity, **changes), file="f.py", sizes=SIZES)
    }


def test_a_sound_task_is_proved():
    assert codes() == set()


COUNTER = count()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"solve": lambda text: "even"}, "solver"),
        ({"solve": lambda text: 1 / 0}, "make"),
        ({"make": lambda rng: 1 / 0}, "make"),
        ({"right": [("0", "odd", "no")]}, "right-example"),
        ({"right": [("0", "even", "")]}, "no-explanation"),
        ({"wrong": [("0", "even", "It is right.")]}, "wrong-example"),
        ({"wrong": []}, "few-examples"),
        ({"make": lambda rng: (f"{next(COUNTER)}", None)}, "not-pure"),
        ({"make": lambda rng: (str(2 * rng.randint(1, 9999)), "even")}, "constant-label"),
        ({"make": lambda rng: str(2 * rng.randint(1, 9999) + (rng.random() < 0.05))}, "label-balance"),
        ({"make": lambda rng: str(rng.randint(1, 9))}, "make"),
        ({"definition": "Even or odd?"}, "definition"),
        ({"definition": " "}, "definition"),
        ({"make": lambda rng: (str(rng.randint(1, 9999)), rng.choice(["even", "neither"])), "solve": None}, "scorer"),
        ({"make": lambda rng: (str(rng.randint(1, 9999)), ""), "solve": None, "labels": ()}, "scorer"),
        ({"scorer": "exakt"}, "make"),
        ({"labels": ("even", "odd", "neither")}, "unnamed-labels"),
        ({"scorer": "number"}, "scorer"),
        ({"keys": 1000, "make": lambda rng, key: str(key // 2 + 1)}, "overlap"),
    ],
)
def test_every_defect_is_found(changes, code):
    assert code in codes(**changes)


def test_two_tasks_of_one_name():
    assert "name" in {finding.code for finding in prove_blueprints([parity, parity], file="f.py", sizes=SIZES)}


def test_the_entropy_of_labels():
    assert label_entropy([50, 50]) == pytest.approx(1.0)
    assert label_entropy([100]) == 0.0
    assert 0.4 < label_entropy([90, 10]) < 0.5


FILE = """
import taskloom

@taskloom.task(
    definition="You are given a word of four letters. Write it again in capital letters and write nothing else.",
    right=[("abcd", "ABCD", "All letters are capitals.")],
    wrong=[("abcd", "Abcd", "Only the first letter is a capital.")],
    solve=lambda text: text.upper(),
)
def capitals(rng):
    word = "".join(rng.choices("abcdefghijkl", k=4))
    return word, word.{method}()
"""


@pytest.mark.parametrize(("method", "code"), [("upper", 0), ("title", 1)])
def test_the_command_proves_a_file(tmp_path, capsys, method, code):
    path = tmp_path / "mine.py"
    path.write_text(FILE.replace("{method}", method))
    assert main(["check", str(path)]) == code
    assert ("the maker says" in capsys.readouterr().out) is bool(code)


def test_the_sizes_and_the_seed_of_the_file_are_proved(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        FILE.replace("{method}", "upper").replace("k=4", "k=1") + "mine = taskloom.Suite.of([capitals], test=5)\n"
    )
    assert [finding.level for finding in prove_file(path)] == []
    path.write_text(path.read_text().replace("test=5", "test=50"))
    assert ["only" in finding.message for finding in prove_file(path)] == [True]


@pytest.mark.parametrize("made", ["' '.join({word[:2], word[2:], word[::2]})", "word + str(hash(word) % 7)"])
def test_what_only_another_process_shows(tmp_path, made):
    path = tmp_path / "mine.py"
    path.write_text(FILE.replace("word, word.{method}()", f"{made}, None"))
    findings = list(prove_file(path))
    assert [finding.code for finding in findings] == ["not-pure"]
    assert "another process" in findings[0].message


def test_a_file_that_only_runs_once(tmp_path):
    path = tmp_path / "mine.py"
    once = "import pathlib\npathlib.Path(__file__ + '.lock').touch(exist_ok=False)\n"
    path.write_text(once + FILE.replace("{method}", "upper"))
    assert "FileExistsError" in next(finding.message for finding in prove_file(path) if finding.code == "not-pure")


def test_a_task_that_is_lost_to_its_namesake(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        FILE.replace("{method}", "upper") + FILE.replace("{method}", "upper").replace("import taskloom", "")
    )
    (finding,) = prove_file(path)
    assert "replaces" in finding.message
    assert finding.file.endswith(":22")


def test_many_findings_of_one_kind_are_counted():
    made = dataclasses.replace(parity, make=lambda rng: (str(rng.randint(1, 9999)), "neither"), solve=None)
    messages = [
        finding.message for finding in prove_blueprint(made, file="f.py", sizes=SIZES) if finding.code == "scorer"
    ]
    assert messages == ["the answer 'neither' is not one of the labels 'even', 'odd'"] * 3 + ["77 more rows like this"]
