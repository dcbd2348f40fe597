from __future__ import annotations

from dataclasses import replace

import pytest

from taskloom.author import task
from taskloom.core import (
    AnyOf,
    Boolean,
    Instance,
    Items,
    Product,
    Row,
    Structure,
    Suite,
    UniformBlocks,
    UserError,
    any_of,
    open_suite,
)
from taskloom.core.catalog import ENCODINGS, FAMILIES, MODELS, SCORERS, STUDIES
from taskloom.core.metric import Estimate
from taskloom.core.model import open_model
from taskloom.core.suite import Origin
from toy import FAMILY


@pytest.fixture
def suite():
    return FAMILY.open("all", 3)


def test_rows_can_be_limited_and_filtered(suite):
    assert len(list(suite.rows("test"))) == 20
    assert [row.task for row in suite.rows("test", task="even", limit=2)] == ["even", "even"]
    assert suite.default_split() == "test"
    assert suite.family == "toy"


@pytest.mark.parametrize(
    ("splits", "default"),
    [
        (("train", "dev", "test"), "test"),
        (("test", "dev"), "test"),
        (("dev", "train"), "dev"),
        (("train", "few"), "few"),
        (("train", "few", "more"), "more"),
        (("train",), "train"),
    ],
)
def test_test_is_asked_first_then_dev_then_the_last_split(splits, default):
    suite = Suite("own/s", {}, 1, {}, dict.fromkeys(splits, 0), lambda split: iter(()), {}, "pairs")
    assert suite.default_split() == default


def test_drawing_twice_gives_the_same_rows(suite):
    assert list(suite.rows("train")) == list(suite.rows("train"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"split": "tset"}, "'test'"),
        ({"split": "test", "task": "evn"}, "'even'"),
        ({"split": "test", "limit": -1}, "-1"),
    ],
)
def test_mistakes_are_named(suite, arguments, words):
    with pytest.raises(UserError, match=words):
        list(suite.rows(**arguments))


@pytest.mark.parametrize("name", ["bbai/task-1", "babi", "babi/", "nothing"])
def test_unknown_suites_are_refused(name):
    with pytest.raises(UserError):
        open_suite(name)


def test_canonical_answers():
    assert AnyOf(("a", "b")).canonical() == "a"
    assert Boolean(False, ("true", "false")).canonical() == "false"
    assert Items((("x", "y"),)).canonical() == "x, y"
    assert Items(((),), empty="n/a").canonical() == "n/a"
    assert Product((("a", "b"), ("c",)), " # ").canonical() == "a # c"
    assert Structure(('{"a":1}',)).values() == [{"a": 1}]
    assert any_of(["a", "b", "a"]) == AnyOf(("a", "b"))
    with pytest.raises(ValueError, match="at least one"):
        any_of([])


def test_a_folder_of_task_files_is_a_suite(tmp_path):
    import json

    task = {
        "Contributors": ["a"], "Source": ["own"], "URL": [""], "Categories": ["Misc."], "Reasoning": [],
        "Definition": ["Repeat the input."], "Input_language": ["English"], "Output_language": ["English"],
        "Instruction_language": ["English"], "Domains": ["News"],
        "Positive Examples": [{"input": "a", "output": "a", "explanation": "It is the same."}], "Negative Examples": [],
        "Instances": [{"id": "task1-1", "input": "b", "output": ["b"]}], "Instance License": ["Apache 2.0"],
    }  # fmt: skip
    (tmp_path / "task1_copy.json").write_text(json.dumps(task))
    suite = open_suite(tmp_path)
    assert [row.instance.input for row in suite.rows("test")] == ["b"]
    with pytest.raises(UserError, match="no suite here"):
        (tmp_path / "empty").mkdir()
        open_suite(tmp_path / "empty")
    with pytest.raises(UserError, match="no such file or folder"):
        open_suite("./nowhere")


def test_a_suite_feels_like_data():
    suite = FAMILY.open("all", 3)
    test = suite["test"]
    assert len(test) == 20
    assert test[3] == list(suite.rows("test"))[3]
    assert test[-1] == list(test)[-1]
    adds = test.only(task="add")
    assert {row.task for row in adds} == {"add"}
    assert len(adds) == 4
    assert len(test.take(3)) == len(list(test.take(3))) == 3
    big = test.only(size="big", odd=True)
    assert all(row.instance.facets["size"] == "big" for row in big)
    assert sum(1 for _ in test.only(tags="n")) == 20
    assert sorted(test.shuffle(1), key=str) == sorted(test, key=str)
    assert list(test.shuffle(1)) == list(test.shuffle(1)) != list(test.shuffle(2))
    assert suite.only(task=["add", "even"]).identity != suite.identity
    with pytest.raises(UserError, match="did you mean 'size'"):
        test.only(sizee="big")
    with pytest.raises(UserError, match="unknown task"):
        test.only(task="ad")


def test_objects_show_themselves():
    suite = FAMILY.open("all", 3)
    row = suite["test"][0]
    assert repr(Estimate(0.5, 0.25, 0.75, 1200)) == "<Estimate 0.500 [0.250, 0.750] n=1,200>"
    objects = [FAMILY, Estimate(0.5, 0.25, 0.75, 9), open_model("mock/oracle"), MODELS]
    shown = [suite, suite["test"], suite.tasks["add"], row.instance, *objects]
    assert all("object at 0x" not in repr(one) for one in shown)
    everything = [
        entry for registry in (MODELS, STUDIES, SCORERS, ENCODINGS, FAMILIES) for _, entry in registry.items()
    ]
    assert not [entry for entry in everything if "object at 0x" in repr(entry)]
    assert repr(suite) == "<Suite toy/all, seed 3: train 40, test 20>"
    for one in shown:
        assert "<table>" in one._repr_html_()
        assert "<script" not in one._repr_html_()


def test_a_suite_becomes_a_table():
    from taskloom.store.rows import to_arrow

    table = to_arrow(FAMILY.open("all", 3))
    assert table.num_rows == 60
    assert {"split", "task", "input", "answer", "size", "digits"} <= set(table.column_names)


def test_a_suite_knows_how_it_was_opened_until_it_is_changed():
    origin = Origin("toy/all", 3, {})
    suite = FAMILY.open("all", 3)
    opened = suite.opened_as(origin)
    assert (suite.origin, opened.origin) == (None, origin)
    assert opened.identity == suite.identity
    assert replace(opened).origin is None and replace(opened)._identify is None
    assert opened == suite == opened.identified("x"), "where it came from is no part of what it is"


def test_identities_cover_what_a_change_depends_on():
    suite = FAMILY.open("all", 3)
    derived = [
        suite.take(3), suite.take(4), suite.shuffle(), suite.shuffle(1), suite.only(task="add"),
        suite.only(task=["add", "even"]), suite.only(size="big"), suite.only_task("add"), suite.only_task("even"),
    ]  # fmt: skip
    assert len({one.identity for one in [suite, *derived]}) == 10
    assert suite.shuffle().identity == suite.shuffle(0).identity
    assert suite.only(task=["even", "add"]).identity == suite.only(task={"add", "even"}).identity
    assert suite.only(task="add").identity == suite.only(task=["add"]).identity
    assert suite.take(3).identity == FAMILY.open("all", 3).take(3).identity


def test_derived_suites_have_the_rows_they_promise():
    suite = FAMILY.open("all", 3)
    taken = suite.take(30)
    assert dict(taken.splits) == {"train": 30, "test": 20} and list(taken.rows("train")) == suite["train"][:30]
    assert dict(suite.take(0).splits) == {"train": 0, "test": 0}
    with pytest.raises(UserError, match="0 or more rows can be taken, not -1"):
        suite.take(-1)
    shuffled = list(suite.shuffle(2).rows("test"))
    assert shuffled == list(suite["test"].shuffle(2)) and shuffled != list(suite.rows("test"))
    one = suite.only_task("add")
    assert (list(one.tasks), dict(one.splits)) == (["add"], {"train": None, "test": None})
    assert one.recipe == {**suite.recipe, "only_task": "add"}
    assert list(one.rows("test")) == list(suite.rows("test", task="add")) == list(suite.only(task="add").rows("test"))
    assert suite.only(task="add").take(2).splits == {"train": None, "test": None}
    with pytest.raises(UserError, match="toy/all: unknown task 'ad'; did you mean 'add'"):
        suite.only_task("ad")


def test_splits_are_asked_by_name():
    suite = FAMILY.open("all", 3)
    assert suite.blocks("test") is None
    assert Suite("own", {}, 0, {}, {"test": 0}, lambda split: UniformBlocks(iter, 0)).blocks("test").size == 0
    for ask in (suite.blocks, suite.__getitem__, suite.rows):
        with pytest.raises(UserError, match="toy/all: unknown split 'tset'; did you mean 'test'"):
            ask("tset")
    assert list(suite.rows("test", limit=0)) == []
    assert len(list(suite.rows("test", limit=100))) == 20


def test_a_suite_without_a_family_or_sizes_shows_itself():
    suite = Suite("own", {}, 7, {}, {"test": None, "train": 12_345}, lambda split: iter(()), {"tags": tuple[str, ...]})
    assert suite.family == "own"
    assert repr(suite) == "<Suite own, seed 7: test ?, train 12,345>"
    html = suite._repr_html_()
    assert "own, seed 7" in html and "12,345" in html and "?" in html
    assert suite.facets == {"tags": tuple}


def test_definitions_come_with_the_names_of_the_tasks(suite):
    assert dict(suite.definitions()) == {name: task.instruction.definition for name, task in suite.tasks.items()}


def test_the_identity_of_rows_covers_each_of_them():
    def of(*texts: str, **changes) -> Suite:
        rows = [Row("t", Instance(str(n), text, AnyOf(("x",)))) for n, text in enumerate(texts)]
        return replace(Suite("own", {}, 0, {}, {"test": len(rows)}, lambda split: iter(rows)), **changes)

    assert of("a", "b").identity == of("a", "b").identity == "0dd843f5100509f8381fceb098bae662"
    others = [of("a"), of("b", "a"), of("a", "b", seed=1), of("a", "b", recipe={"x": 1}), of("a", "b", pool=None),
              of("a", "b", apart="pairs"), of("a", "b", name="mine"), of("a", "b", splits={"dev": 2})]  # fmt: skip
    assert len({one.identity for one in [of("a", "b"), *others]}) == 9
    assert of("a").identified("x").identity == of("b").identified("x").identity != of("a").identified("y").identity


def test_definitions_come_without_the_tasks_where_they_can():
    class Listed(dict):
        def definitions(self):
            return iter([("t", "Say x.")])

    assert list(Suite("own", {}, 0, Listed(), {}, iter).definitions()) == [("t", "Say x.")]


def test_a_suite_of_tasks_has_the_splits_that_are_asked_for():
    @task(definition="Say the number.", keys=100)
    def number(rng, key):
        return f"{key}", key

    for split in ("train", "dev", "test"):
        suite = Suite.of([number], **{split: 2})
        assert (suite.seed, suite.name, dict(suite.splits)) == (0, "own", {split: 2})
