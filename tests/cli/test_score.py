from __future__ import annotations

import msgspec
import pytest

from taskloom import open_suite, run_suite
from taskloom.cli.main import main
from taskloom.core import Instance, Instruction, Row, Suite, Task, UserError, any_of
from taskloom.core.catalog import lattice_of
from taskloom.run.results import load_run, run_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from toy import FAMILY


def test_a_folder_that_cannot_be_written_to_still_gives_its_numbers(tmp_path, capsys, monkeypatch):
    launch(FAMILY.open("all", 1, {"test": 5}), tmp_path, RunSettings(model="mock/oracle", cache=False))

    def refuse(path, value):
        raise UserError("cannot write here: Read-only file system", where=str(path))

    monkeypatch.setattr("taskloom.run.results.write_sealed", refuse)
    assert main(["score", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert "overall" in printed.out
    assert "results.json is not written" in printed.err


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stories") / "run"
    launch(open_suite("babi/mix-t2"), folder, RunSettings(model="mock/majority", cache=False, limit=60))
    return folder


def test_combinations_are_estimated_and_kept(stories, capsys):
    assert main(["score", str(stories), "--by", "composition,question"]) == 0
    printed = capsys.readouterr().out
    assert "combinations by composition, question, lowest first" in printed
    assert "estimate" in printed
    kept = msgspec.json.decode((stories / "results.json").read_bytes())
    cells = kept["combinations"]["cells"]
    assert sum(cell["share"]["n"] for cell in cells) == kept["combinations"]["records"]
    assert set(kept["facets"]["question"]) == {cell["question"] for cell in cells}
    assert all(cell["share"]["low"] <= cell["share"]["value"] <= cell["share"]["high"] for cell in cells)
    assert main(["check", str(stories)]) == 0


def test_a_facet_of_single_values_names_its_own_column(stories, capsys):
    assert main(["score", str(stories), "--by", "question"]) == 0
    printed = capsys.readouterr().out
    assert "| question" in printed and "| combination" not in printed
    assert main(["score", str(stories), "--by", "question,support_size"]) == 0
    assert "| question, support_size |" in capsys.readouterr().out
    assert main(["score", str(stories), "--by", "cell"]) == 0
    assert "| combination" in capsys.readouterr().out


def test_the_cells_of_the_family_are_all_estimated(stories, capsys):
    assert main(["score", str(stories), "--by", "cell", "--json"]) == 0
    found = msgspec.json.decode(capsys.readouterr().out)["combinations"]
    cells = lattice_of(open_suite("babi/mix-t2")).cells
    assert [(cell["question"], *cell["atoms"]) for cell in found["cells"]] == [(c.question, *c.atoms) for c in cells]
    assert {cell["trained"] for cell in found["cells"]} == {None}, "no run of ours fitted this model"


def test_a_facet_that_nobody_carries_is_refused(stories, capsys):
    assert main(["score", str(stories), "--by", "compositoin"]) == 2
    assert "composition" in capsys.readouterr().err


def test_a_facet_with_a_value_for_every_record_is_named_not_listed(tmp_path):
    task = Task("count", Instruction("Say the number."))
    rows = [Row("count", Instance(str(k), f"{k}?", any_of(str(k)), {"own": k})) for k in range(60)]
    suite = Suite("own/numbers", {}, 0, {"count": task}, {"test": 60}, lambda split: iter(rows), {"own": int})
    launch(suite, tmp_path, RunSettings(model="mock/oracle", cache=False))
    run = load_run(tmp_path)
    results = run_results(run)
    assert results["facets"] == {}
    assert results["facets_left_out"] == {"own": 60}


HOSTILE = """
import taskloom

@taskloom.task(definition="Write the number again.", right=[("n 1", "1", "It is one.")],
               columns={"a,b": str, "x|\\ny": str})
def echo(rng):
    number = rng.randint(0, 10**6)
    return f"n {number}", str(number), {"a,b": rng.choice(["p", "q|r"]), "x|\\ny": rng.choice(["1", "2"])}
"""


def test_facets_with_odd_names_of_a_file_of_ones_own(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(HOSTILE)
    folder = tmp_path / "run"
    launch(open_suite(tmp_path / "mine.py"), folder, RunSettings(model="mock/majority", cache=False))
    assert main(["score", str(folder), "--by", "a,b"]) == 0
    assert "| q\\|r" in capsys.readouterr().out
    assert main(["score", str(folder), "--by", "x|\ny"]) == 0
    printed = capsys.readouterr().out
    assert "combinations by x| y, lowest first" in printed and "| x\\| y |" in printed
    for by, words in (
        ("", "no facet given"),
        (" ,", "no facet"),
        ("cell", "does not belong to a family"),
        ("b", "'a,b'"),
    ):
        assert main(["score", str(folder), "--by", by]) == 2
        assert words in capsys.readouterr().err


OWN = """
import taskloom

@taskloom.task(definition="Add the two numbers.", right=[("1 + 1", 2, "Two.")])
def addition(rng):
    a, b = rng.randint(0, 99), rng.randint(0, 99)
    needs = {"carry"} if a % 10 + b % 10 > 9 else set()
    return f"{a} + {b}", a + b, needs | ({"three-digit"} if a + b > 99 else set())
"""


def test_suggestions_are_printed_with_two_items_of_the_run(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(OWN)

    def without_carry_beyond_99(prompt: str) -> str:
        a, b = map(int, prompt.strip().splitlines()[-1].split(" + "))
        return "0" if a + b > 99 and a % 10 + b % 10 > 9 else str(a + b)

    suite = open_suite(tmp_path / "mine.py", options={"test": 400})
    run_suite(suite, model=without_carry_beyond_99, protocol="bare", folder=tmp_path / "run")
    assert main(["score", str(tmp_path / "run"), "--by", "skills"]) == 0
    printed = capsys.readouterr().out
    assert "1. " in printed and "for example, two items of the two cells:" in printed
    assert "→ 0 (wrong, it is" in printed
