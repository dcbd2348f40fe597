"""Settings at paper scale: each against the paper's words, and the table in the documentation against both."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from scripts.build_settings import our_setting

from taskloom.core.catalog import STUDIES
from taskloom.studies.experiment import Experiment, paper_records

ROOT = Path(__file__).parents[2]
CASES = [
    (study, words) for paper in paper_records().values() for words in paper.words for study in words.studies or ("",)
]
EXPERIMENTS = {name for name in STUDIES if isinstance(STUDIES.get(name), Experiment)}


@pytest.mark.parametrize(("study", "words"), CASES, ids=lambda case: getattr(case, "key", case))
def test_a_setting_is_the_papers_or_the_difference_is_explained(study, words):
    recipe = STUDIES.get(study).scales["paper"] if study else None
    ours = our_setting(words, recipe)
    assert (ours == words.value) != bool(words.why), (ours, words.value)
    assert words.where


def test_every_study_and_every_training_recipe_of_paper_scale_is_accounted_for():
    assert {name for paper in paper_records().values() for name in paper.studies} == EXPERIMENTS
    for paper in paper_records().values():
        covered = {(study, words.key) for words in paper.words for study in words.studies}
        recipes = {words.key.split(".")[1] for words in paper.words if not words.studies}
        for study in paper.studies:
            assert {(study, "models"), (study, "seeds")} <= covered, study
            learners = STUDIES.get(study).scales["paper"].learners.values()
            assert {one.options["recipe"] for one in learners if "recipe" in one.options} <= recipes, study


FREE = {
    "more", "learners", "limit", "test", "extractive", "length", "updates", "files", "probed", "pretraining", "kinds",
    "outside", "squad", "options", "asked_options", "people",
}  # fmt: skip
"""Settings about which papers say nothing: workings of ours, and files that a user may give."""


@pytest.mark.parametrize("study", sorted(EXPERIMENTS))
def test_every_setting_of_paper_scale_stands_beside_the_papers_words(study):
    said = {words.key.partition(".")[0] for name, words in CASES if name == study}
    kept = {*STUDIES.get(study).scales["paper"].__struct_fields__}
    assert kept - said - FREE == set()


def test_one_training_step_of_every_paper_scale_is_planned():
    """Nothing of paper scale can be run without accelerators; its runs are complete and its suites have tasks."""
    for name in EXPERIMENTS:
        study = STUDIES.get(name)
        arm = next(arm for arm in study.grid(study.scales["paper"], 0) if next(arm.line()).trains)
        assert next(arm.line()).run.adapt_options.get("recipe"), name


def test_the_documentation_has_the_table_as_the_records_give_it():
    page = ROOT / "docs" / "studies.md"
    before = page.read_bytes()
    subprocess.run([sys.executable, str(ROOT / "scripts" / "build_settings.py"), "--check"], check=True)
    assert page.read_bytes() == before


def test_a_misspelt_key_of_a_record_is_refused():
    record = msgspec.to_builtins(paper_records()["seti"])
    record["studies"]["seti/few-shot"]["tinny"] = {}
    with pytest.raises(msgspec.ValidationError, match="tinny"):
        msgspec.convert(record, type(paper_records()["seti"]))
