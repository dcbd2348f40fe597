"""What contracts give to whoever writes no more than he has to: names, descriptions, hashes, identities."""

from __future__ import annotations

from typing import ClassVar

import pytest

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.core.adaptation import adapted_identity
from taskloom.core.blocks import SeriesBlocks
from taskloom.core.catalog import ADAPTATIONS, SCORERS
from taskloom.core.encoding import Prompt
from taskloom.core.metric import Estimate, ItemScore, Metric
from taskloom.core.model import Belief, Identity, Limits, Model, Request, open_model
from taskloom.core.study import Table
from taskloom.core.targets import Structure, acceptable_texts
from taskloom.lazy import lazy_names


def test_parts_describe_themselves_with_every_option():
    number = SCORERS.get("number")
    assert number.describe() == {"name": "number", "tolerance": 0.0}
    tuned = ADAPTATIONS.get("finetune")
    assert tuned.describe()["name"] == "finetune" and "epochs" in tuned.describe()
    assert tuned.hash() == ADAPTATIONS.get("finetune").hash() != ADAPTATIONS.get("none").hash()


def test_an_adapted_model_says_what_it_came_from():
    tuned = ADAPTATIONS.get("finetune")
    base = Identity("a/b", revision="r1", weights="w1", settings={"x": 1})
    found = adapted_identity(base, tuned, 7, "w2", draw=3)
    assert (found.name, found.revision, found.weights) == ("a/b", "r1", "w2")
    assert found.settings == {
        "x": 1, "adapted_from": "w1", "adaptation": {"name": "finetune", "hash": tuned.hash(), "seed": 7, "draw": 3},
    }  # fmt: skip


def test_a_metric_is_the_number_of_its_task():
    class Highest(Metric, frozen=True, kw_only=True):
        name: ClassVar[str] = "highest"

        def task(self, scores):
            return Estimate(max(score.value for score in scores), 0.0, 1.0, len(scores))

        suite = task

    assert Highest().number([ItemScore("t", "1", 0.25), ItemScore("t", "2", 0.75)]) == 0.75


class Spoken(Model):
    """Gives each answer minus its length as the logarithm of its probability."""

    identity = Identity("x/spoken")
    limits = Limits(batch=2)
    abilities = frozenset({"logprobs"})

    def generate(self, requests, generation):
        raise NotImplementedError

    def logprobs(self, prompts, answers):
        return [[-float(len(text)) for text in row] for row in answers]


def test_a_model_that_only_knows_probabilities_can_be_asked_what_it_believes():
    requests = [Request(Prompt("q"), None, None)] * 2
    assert Spoken().weigh(requests, [["a", "bcd"], ["ef"]]) == [
        Belief({"a": -1.0, "bcd": -3.0}, ended=True), Belief({"ef": -2.0}, ended=True),
    ]  # fmt: skip
    with pytest.raises(UserError, match="sampling needs a model that can generate; x/spoken cannot"):
        Spoken().require("generate", "sampling")


@pytest.mark.parametrize("name", ["mock", "mock/"])
def test_a_provider_alone_is_no_model(name):
    with pytest.raises(UserError, match="names a provider, not a model") as raised:
        open_model(name)
    assert "mock/oracle" in raised.value.hint


def test_blocks_that_know_their_tasks_are_found_by_them():
    makers = [lambda: iter(())] * 3
    assert list(SeriesBlocks(makers, tasks=["a", "b", "a"]).numbers_of("a")) == [0, 2]
    assert list(SeriesBlocks(makers).numbers_of("a")) == [0, 1, 2]


def test_structures_are_acceptable_as_they_stand():
    assert acceptable_texts(Structure(('{"a":1}', "[]"))) == ('{"a":1}', "[]")


def test_rows_are_chosen_by_members_of_lists_and_by_facets_of_tasks():
    tasks = {"t": Task("t", Instruction("d"), facets={"skill": "count"})}
    held = {"parts": ["a", "b"], "depth": 2}
    row = Row("t", Instance("1", "x", AnyOf(("a",)), held))
    suite = Suite("x/y", {}, 0, tasks, {"test": 1}, lambda split: iter([row]), {"parts": list, "depth": int})
    for where in (
        {"parts": "a"}, {"parts": ["c", "b"]}, {"depth": 2, "parts": "b"}, {"depth": {2, 3}}, {"skill": "count"},
        {"task": "t"},
    ):  # fmt: skip
        assert len(list(suite["test"].only(**where))) == 1, where
    for where in ({"parts": "c"}, {"depth": 3, "parts": "b"}, {"skill": "order"}):
        with pytest.raises(UserError, match="unknown value of"):
            list(suite["test"].only(**where))
    with pytest.raises(UserError, match="unknown facet 'dept'"):
        suite["test"].only(dept=2)
    with pytest.raises(UserError, match="unknown task 'u'"):
        suite["test"].only(task="u")


def test_a_split_without_a_value_that_another_has_is_empty():
    def draw(split):
        return iter([Row("t", Instance(split, "x", AnyOf(("a",)), {"depth": {"dev": 1, "test": 2}[split]}))])

    suite = Suite("x/y", {}, 0, {"t": Task("t", Instruction("d"))}, {"dev": 1, "test": 1}, draw, {"depth": int})
    assert (len(suite["dev"].only(depth=2)), len(suite["test"].only(depth=2))) == (0, 1)
    with pytest.raises(UserError, match="x/y: unknown value of depth '3'; known: 1, 2"):
        list(suite["dev"].only(depth=3))


def test_tables_as_markdown():
    table = Table("Some\n table", ("name", "n", "share"), (("a|b", 1200, 0.5), ("c\nd", None, None)), "Note.")
    assert table.markdown(2).split("\n") == [
        "### Some table",
        "",
        "| name |     n | share |",
        "| ---- | ----: | ----: |",
        "| a\\|b | 1,200 |  0.50 |",
        "| c d  |     – |     – |",
        "",
        "Note.",
    ]
    assert "yes" in Table("t", ("x",), ((True,), (False,))).markdown() and table.markdown().count("0.500") == 1
    assert Table("t", ("x",), ((1,),)).markdown().endswith("| -: |\n|  1 |")


def test_packages_offer_their_names_without_importing_them(tmp_path):
    lines = [f"from taskloom.core.{module} import {name} as {name}\n" for module, name in (
        ("errors", "UserError"), ("apportion", "allocate"), ("nowhere", "nothing"))]  # fmt: skip
    (tmp_path / "__init__.pyi").write_text("".join(lines) + "\n__version__: str\n")
    names, find, listed = lazy_names("taskloom.core", str(tmp_path / "__init__.py"))
    assert names == listed() == ["UserError", "allocate", "nothing"]
    assert find("UserError") is UserError
    with pytest.raises(AttributeError, match="module 'taskloom.core' has no attribute 'other'"):
        find("other")


def test_a_facet_of_a_row_wins_over_that_of_its_task_and_a_missing_one_is_none():
    tasks = {"t": Task("t", Instruction("d"), facets={"skill": "count"}), "u": Task("u", Instruction("d"))}
    rows = [
        Row("t", Instance("1", "x", AnyOf(("a",)), {"skill": "order"})),
        Row("t", Instance("2", "x", AnyOf(("a",)))),
        Row("u", Instance("3", "x", AnyOf(("a",)), {"parts": ()})),
    ]
    suite = Suite("x/y", {}, 0, tasks, {"test": 3}, lambda split: iter(rows), {"parts": tuple})
    for where, kept in (
        ({"skill": "order"}, "1"), ({"skill": "count"}, "2"), ({"skill": None}, "3"), ({"parts": None}, "12"),
        ({"task": ("t", "u")}, "123"), ({"task": frozenset("u")}, "3"), ({}, "123"),
    ):  # fmt: skip
        assert "".join(row.instance.id for row in suite["test"].only(**where)) == kept, where
    with pytest.raises(UserError, match="x/y: unknown value of parts 'a'; known: None"):
        list(suite["test"].only(parts="a"))
    with pytest.raises(UserError, match="x/y: unknown facet 'skil'; did you mean 'skill'"):
        suite["test"].only(skil=1)
