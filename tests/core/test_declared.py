"""What an author leaves out is named, whatever is being written; files find their neighbours."""

from __future__ import annotations

import sys

import pytest

from taskloom import Family, Kind, RelationAtom, UserError, task
from taskloom.algebra import RelationOperator
from taskloom.core.execute import execute_file
from taskloom.core.model import Model, Provider
from taskloom.core.study import Study
from taskloom.studies import Experiment

FAMILY = {"name": "sums", "title": "sums", "citation": "none", "suites": lambda self: {}}
STUDY = {
    "name": "duel", "summary": "which is better?", "scales": {}, "grid": lambda *_: (), "analyse": lambda *_: None,
}  # fmt: skip


@pytest.mark.parametrize("left_out", ["name", "title", "citation", "suites"])
def test_a_family_says_what_it_is(left_out):
    made = type("Sums", (Family,), {key: value for key, value in FAMILY.items() if key != left_out})
    with pytest.raises(UserError, match=f"the family Sums lacks {left_out}"):
        made()
    assert type("Sums", (Family,), FAMILY)().title == "sums"


@pytest.mark.parametrize("left_out", ["name", "summary", "scales", "grid"])
def test_a_study_says_what_it_is(left_out):
    made = type("Duel", (Experiment,), {key: value for key, value in STUDY.items() if key != left_out})
    with pytest.raises(UserError, match=f"the study Duel lacks {left_out}"):
        made()
    assert type("Duel", (Experiment,), STUDY)().name == "duel"


def test_a_method_that_is_left_out_is_shown_as_it_is_written():
    for base, sort, hint in (
        (Model, "model", "def generate(self, requests"), (Provider, "provider", "def names(self)"),
        (Study, "study", "def run(self, recipe"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=f"the {sort} Mine lacks") as caught:
            type("Mine", (base,), {"summary": "mine"})()
        assert str(caught.value.hint).startswith(hint)


@pytest.mark.parametrize(
    ("record", "field", "meant"),
    [(RelationOperator, "phrse", "phrase"), (RelationAtom, "domian", "domain"), (Kind, "sample", "samples")],
)
def test_a_misspelt_field_of_a_record_is_named_with_what_was_meant(record, field, meant):
    with pytest.raises(UserError, match=f"unknown field of {record.__name__} '{field}'; did you mean '{meant}'"):
        record(name="mine", **{field: "x"})


def test_the_file_and_the_line_are_named(tmp_path):
    (tmp_path / "broken.py").write_text(
        "from taskloom import Family\n\n\nclass Sums(Family):\n    name = 'sums'\n\n    def suites(self):\n"
        "        return {}\n\n\nSums()\n"
    )
    with pytest.raises(UserError, match=r"broken\.py:11.*the family Sums lacks title"):
        execute_file(tmp_path / "broken.py")


def test_a_file_imports_its_neighbours(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    (tmp_path / "neighbour_of_mine.py").write_text("VALUE = 7\n")
    (tmp_path / "mine.py").write_text("from neighbour_of_mine import VALUE\n")
    assert execute_file(tmp_path / "mine.py").VALUE == 7


def test_an_unknown_kind_of_answer_says_how_to_add_one():
    with pytest.raises(UserError, match="unknown kind 'datum'") as caught:

        @task(definition="d", kind="datum")
        def tomorrow(rng):
            return "a", "b"

        tomorrow.task  # noqa: B018 - the task is made when it is asked for
    assert "--with FILE.py" in str(caught.value.hint)
