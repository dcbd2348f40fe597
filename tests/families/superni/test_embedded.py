"""The embedded collection: its promises, and judges of its answers that share no code with it."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from families.superni.judges import BACKWARDS, JUDGES
from taskloom.author import Blueprint
from taskloom.author.prove import prove_blueprints
from taskloom.core import Suite, input_hash, open_suite
from taskloom.core.catalog import SCORERS
from taskloom.families.superni import embedded
from taskloom.families.superni.embedded.suite import blueprints, read_records
from taskloom.families.superni.embedded.words import TEST_CATEGORIES
from taskloom.families.superni.export import write_suite
from taskloom.families.superni.lint import lint_path
from taskloom.families.superni.tracks import DOMAINS


@pytest.fixture(scope="module")
def suite() -> Suite:
    return open_suite("superni/embedded", seed=3, options={"instances": 6, "dev_instances": 2})


def test_enough_tasks_categories_and_languages(suite: Suite) -> None:
    own = blueprints().values()
    assert len(own) >= 120
    assert len({blueprint.category for blueprint in own}) >= 20
    assert {blueprint.instruction_language for blueprint in own} == {"English", "Spanish"}
    assert sum(blueprint.instruction_language == "Spanish" for blueprint in own) >= 30
    assert len({task.facets["source"] for task in suite.tasks.values()}) >= 9


def test_other_families_can_be_taken_in() -> None:
    suite = open_suite("superni/embedded", options={"instances": 3, "dev_instances": 0, "families": True})
    families = {str(task.facets["derives_from"]).partition("/")[0] for task in suite.tasks.values()}
    assert families == {"superni", "babi", "taskbench", "zest", "seti"}
    languages = {str(task.facets[key]) for task in suite.tasks.values() for key in ("language", "output_language")}
    assert languages == {"English", "Spanish"}
    assert {row.task for split in suite.splits for row in suite.rows(split)} == set(suite.tasks)


def test_it_passes_its_own_linter(tmp_path: Path) -> None:
    suite = open_suite("superni/embedded", options={"instances": 100, "dev_instances": 0})
    write_suite(suite, tmp_path)
    errors = [finding for finding in lint_path(tmp_path) if finding.level == "error"]
    assert [str(finding) for finding in errors] == []


def test_every_task_is_proved() -> None:
    findings = prove_blueprints(list(blueprints().values()), file="embedded", sizes={"train": 40, "test": 20})
    assert [str(finding) for finding in findings if finding.level == "error"] == []


def test_train_and_test_categories_are_disjoint(suite: Suite) -> None:
    categories = {
        split: {str(suite.tasks[row.task].facets["category"]) for row in suite.rows(split)} for split in suite.splits
    }
    assert categories["test"] <= TEST_CATEGORIES
    assert not categories["train"] & categories["test"]
    assert categories["dev"] <= categories["train"]


def test_inputs_are_new_in_every_split_and_no_examples(suite: Suite) -> None:
    inputs: dict[str, list[bytes]] = {name: [] for name in suite.tasks}
    for split in suite.splits:
        for row in suite.rows(split):
            inputs[row.task].append(input_hash(row.instance.input))
    for name, task in suite.tasks.items():
        examples = (*task.instruction.positive, *task.instruction.negative)
        assert len(set(inputs[name])) == len(inputs[name])
        assert not {input_hash(example.input) for example in examples} & set(inputs[name])


def test_neighbouring_seeds_share_no_instance(suite: Suite) -> None:
    other = open_suite("superni/embedded", seed=4, options={"instances": 6, "dev_instances": 2})
    for split in suite.splits:
        mine, theirs = ({(row.task, row.instance.input) for row in s.rows(split)} for s in (suite, other))
        assert not mine & theirs


def test_a_record_needs_its_code_and_the_code_its_record() -> None:
    code = import_module("taskloom.families.superni.embedded.logic").TASKS
    assert read_records("logic", code).keys() == code.keys()
    other = {name: own for name, own in code.items() if name != "track_lights"} | {"brew": code["track_order"]}
    with pytest.raises(ValueError, match=r"logic: brew, track_lights: has texts or code alone"):
        read_records("logic", other)


ONE_FILE = '''
WORDS = ["tea", "moon", "river", "idea", "house", "sky"]
TASKS = {"vowels": (lambda rng: rng.choice(WORDS), lambda text: str(sum(map("aeiou".count, text))))}
TEXTS = """
[vowels]
category = "Mathematics"
domains = ["Mathematics"]
skills = ["count", "letters"]
kind = "number"
definition = "Count the vowels of the word."
right = [["tea", "They are e and a."]]
wrong = [["tea", "3", "The t is none."]]
"""
'''


def test_a_task_may_be_one_file(tmp_path, monkeypatch):
    before = list(blueprints())
    (tmp_path / "a_vowels.py").write_text(ONE_FILE)
    monkeypatch.setattr(embedded, "__path__", [*embedded.__path__, str(tmp_path)])
    found = blueprints.__wrapped__()
    assert list(found) == [*before, "vowels"], "the tasks that were there keep their places"
    findings = prove_blueprints([found["vowels"]], file="it", sizes={"train": 2})
    assert [str(finding) for finding in findings if finding.level == "error"] == []


@pytest.mark.parametrize("blueprint", blueprints().values(), ids=lambda blueprint: blueprint.name)
def test_domains_have_published_names(blueprint: Blueprint) -> None:
    assert set(blueprint.facets["domains"]) <= DOMAINS.keys()  # type: ignore[arg-type]
    definition = blueprint.instruction.definition
    assert definition == " ".join(definition.split())


@pytest.mark.parametrize("blueprint", blueprints().values(), ids=lambda blueprint: blueprint.name)
def test_instructions_are_written_with_care(blueprint: Blueprint) -> None:
    task = blueprint.task
    instruction = task.instruction
    assert len(re.findall(r"[.?](?= |$)", instruction.definition)) >= 2
    assert instruction.definition == instruction.definition.strip()
    assert len(instruction.positive) >= 2
    assert instruction.negative
    assert len({example.input for example in instruction.positive}) == len(instruction.positive)
    scorer = SCORERS.get(task.scorer)
    for example in instruction.positive:
        assert example.explanation
        assert scorer.score(example.output, blueprint.solved(example.input), task).value == 1.0
    for example in instruction.negative:
        assert example.explanation
        assert scorer.score(example.output, blueprint.solved(example.input), task).value < 1.0
    for label in task.labels:
        assert label.lower() in instruction.definition.lower()


def test_labels_are_balanced_and_answers_vary() -> None:
    suite = open_suite("superni/embedded", options={"instances": 120, "dev_instances": 0, "families": False})
    answers: dict[str, Counter[str]] = {name: Counter() for name in suite.tasks}
    for split in suite.splits:
        for row in suite.rows(split):
            answers[row.task][row.instance.targets.canonical()] += 1
    for name, counts in answers.items():
        task = suite.tasks[name]
        assert counts.total() == 120
        if task.labels:
            assert set(counts) == set(task.labels), name
            assert max(counts.values()) / 120 < 1.7 / len(task.labels) + 0.1, name
        else:
            assert counts.most_common(1)[0][1] < 75, name


@pytest.mark.parametrize("name", blueprints())
def test_second_opinions_agree(name: str) -> None:
    blueprint = blueprints()[name]
    options = {"instances": 40, "dev_instances": 0, "categories": [blueprint.category], "families": False}
    suite = open_suite("superni/embedded", options=options)
    for split in suite.splits:
        for row in suite.rows(split, task=name):
            asked, answer = row.instance.input, row.instance.targets.canonical()
            if name in BACKWARDS:
                assert BACKWARDS[name](answer) == asked
            else:
                assert JUDGES[name](asked) == answer, asked


def test_number_words_go_both_ways() -> None:
    to, back = blueprints()["number_to_words"], blueprints()["words_to_number"]
    palabras, numero = blueprints()["numero_en_palabras"], blueprints()["palabras_en_numero"]
    roman, value = blueprints()["to_roman"], blueprints()["from_roman"]
    for number in [*range(0, 1000), *range(1000, 10_000, 37)]:
        assert back.solved(to.solved(str(number)).canonical()).canonical() == str(number)
        assert numero.solved(palabras.solved(f"{number}, 7").canonical()).canonical() == f"{number}, 7"
        if 0 < number < 4000:
            assert value.solved(roman.solved(f"{number}, 1, 2").canonical()).canonical() == f"{number}, 1, 2"
    assert palabras.solved("21, 116").canonical() == "veintiuno, ciento dieciséis"


def test_recipe_choices() -> None:
    spanish = open_suite("superni/embedded", options={"languages": ["Spanish"], "instances": 1})
    assert all(task.facets["instruction_language"] == "Spanish" for task in spanish.tasks.values())
    few = open_suite("superni/embedded", options={"tasks": 5, "instances": 1, "families": False})
    assert len({row.task for row in few.rows("train")}) == 5
    more = open_suite("superni/embedded", options={"tasks": 9, "instances": 1, "families": False})
    assert set(few.tasks) < set(more.tasks)


def test_the_gallery_shows_every_category() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gallery.md").read_text("utf-8")
    for blueprint in blueprints().values():
        assert f"\n## {blueprint.category}\n" in page
        assert blueprint.name in page
