"""What is kept gives the same suite, and what is damaged is worked out again."""

from __future__ import annotations

import pytest

from taskloom.algebra import normal
from taskloom.core import open_suite, row_hash, tasks_hash
from taskloom.families.taskbench import engines
from taskloom.families.taskbench.builder import TaskBuilder
from taskloom.families.taskbench.functions import TaskCache
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.store.derived import DerivedCache
from taskloom.store.seal import write_hashed

EXPRESSIONS = (
    "synonyms[eng]",
    "is{POS=noun}[eng]",
    "map{antonyms[eng]}",
    "father",
    "random{1}[eng]",
    "synonyms[eng](antonyms[eng])",
)


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path))


def content(expression: str, **options) -> tuple[list[str], str]:
    options = {"knowledge": "world:300", "train": 20, "dev": 5, "test": 10, **options}
    suite = open_suite(f"taskbench/{expression}", seed=3, options=options)
    rows = [row_hash(row.task, row.instance) for split in suite.splits for row in suite.rows(split)]
    return rows, tasks_hash(suite.tasks)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_second_opening_evaluates_nothing_and_gives_the_same(expression, monkeypatch):
    first = content(expression)
    monkeypatch.setattr(engines.Engines, "_evaluate", lambda *_: pytest.fail("evaluated again"))
    assert content(expression) == first
    assert content(expression, train=7)[1] == first[1]  # how many rows there are decides nothing that is kept


def test_damaged_files_are_worked_out_again(tmp_path):
    first = content("synonyms[eng]")
    files = [path for path in (tmp_path / "taskbench").rglob("*") if path.is_file()]
    assert len(files) == 3  # the function, the verdict, the instruction
    for path in files:
        path.write_bytes(path.read_bytes()[:-1])
    assert content("synonyms[eng]") == first


def test_a_well_sealed_file_with_something_else_inside_is_worked_out_again(tmp_path, caplog):
    first = content("synonyms[eng]")
    for path in [path for path in (tmp_path / "taskbench").rglob("*") if path.is_file()]:
        name = f"{path.parent.name}{path.name}\n".encode()
        write_hashed(path, name + b"no msgpack")
    assert content("synonyms[eng]") == first
    assert "will be rebuilt" in caplog.text


@pytest.mark.parametrize(
    ("expression", "change", "same"),
    [
        ("synonyms[eng]", {"labels": "faithful"}, False),
        ("synonyms[eng]", {"vulgar": False}, False),
        ("synonyms[eng]", {"antonyms": "direct"}, False),
        ("synonyms[eng]", {"most_outputs": 3}, False),
        ("synonyms[eng]", {"train": 3, "dev": 1, "test": 2, "shots": 1}, True),
        ("synonyms[eng]", {"knowledge": "world:300"}, True),
        ("father", {"knowledge": "world:300"}, False),
        ("father", {"row_limit": 10}, False),
        ("father", {"labels": "faithful"}, True),
    ],
)
def test_functions_are_kept_by_what_decides_them(expression, change, same):
    form = normal(parse(expression))
    usual = TaskCache(TaskBenchRecipe(), 3).function_key(form)
    assert (TaskCache(TaskBenchRecipe(**change), 3).function_key(form) == usual) == same


@pytest.mark.parametrize(
    ("expression", "same"), [("synonyms[eng]", True), ("father", False), ("random{1}[eng]", False)]
)
def test_the_seed_counts_where_it_decides(expression, same):
    form = normal(parse(expression))
    keys = [TaskCache(TaskBenchRecipe(), seed).function_key(form) for seed in (3, 4)]
    assert (keys[0] == keys[1]) == same


def test_what_files_of_the_user_decide_is_not_kept(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("cat\ndog\nhouse\ntree\n")
    own = TaskCache(TaskBenchRecipe(english_words=str(words)), 0)
    assert own.function_key(normal(parse("synonyms[eng]"))) is None
    assert own.function_key(normal(parse("father"))) is not None
    assert own.suite_key("outcomes", []) is None
    graph = TaskCache(TaskBenchRecipe(knowledge="facts.ttl"), 0)
    assert graph.function_key(normal(parse("father"))) is None
    assert graph.suite_key("outcomes", []) is None


def test_other_code_finds_nothing_of_this_one(monkeypatch):
    first = content("synonyms[eng]")
    monkeypatch.setattr("taskloom.families.taskbench.functions.code_hash", lambda *_: "another")
    evaluated = []
    real = engines.Engines._evaluate
    monkeypatch.setattr(engines.Engines, "_evaluate", lambda *a: evaluated.append(a) or real(*a))
    assert content("synonyms[eng]") == first
    assert evaluated
    assert isinstance(TaskCache(TaskBenchRecipe(), 0)._cache, DerivedCache)


def test_the_notice_of_a_suite_judges_none_of_its_tasks(monkeypatch):
    monkeypatch.setattr(TaskBuilder, "advance", lambda _: pytest.fail("judged"))
    assert "Vulgar words" in open_suite("taskbench/map", seed=7).notes["notice"]
