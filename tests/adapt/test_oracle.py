"""The upper bound of Super-NaturalInstructions: fitted to the test tasks' own data, never to what is asked."""

from __future__ import annotations

import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.data import gather
from taskloom.core import open_suite
from taskloom.core.model import open_model


def test_the_oracle_trains_on_the_test_tasks_but_on_nothing_that_is_asked(plain):
    suite = open_suite("superni/embedded", options={"oracle_instances": 3, "instances": 3, "families": False})
    settings = make_adaptation("finetune", {"split": "oracle", "evaluate_limit": 500, "holdout": 0.0})
    material = gather(settings, suite, plain, open_model("mock/oracle"), seed=0)
    trained = {(example.request.task.name, example.request.instance.input) for example in material.train}
    asked = {(row.task, row.instance.input) for row in suite.rows("test")}
    assert {task for task, _ in trained} == {task for task, _ in asked}
    assert len(trained) == 3 * len({task for task, _ in trained})
    assert not trained & asked


def test_the_oracle_is_chosen_by_its_own_tasks(plain):
    """The dev split of a collection holds training tasks, which an oracle has not learned."""
    suite = open_suite("superni/embedded", options={"oracle_instances": 10, "instances": 3, "families": False})
    chosen = {}
    for split in ("oracle", "train"):
        material = gather(
            make_adaptation("finetune", {"split": split}), suite, plain, open_model("mock/oracle"), seed=0
        )
        chosen[split] = {request.task.name for request in material.watched["dev"]}
        assert chosen[split] <= {example.request.task.name for example in material.train}
        held = {(request.task.name, request.instance.input) for request in material.watched["dev"]}
        assert not held & {(example.request.task.name, example.request.instance.input) for example in material.train}
    assert not chosen["oracle"] & chosen["train"]


def test_a_dev_split_of_unseen_tasks_stays_where_unseen_tasks_are_tested(plain):
    suite = open_suite("zest/fictional", options={"train": 60, "dev": 60, "test": 60, "surplus": 0})
    material = gather(make_adaptation("finetune", {"shots": 1}), suite, plain, open_model("mock/oracle"), seed=0)
    watched = {request.instance.id for request in material.watched["dev"]}
    assert watched
    assert watched <= {row.instance.id for row in suite.rows("dev")}


def test_the_tk_instruct_recipe_trains_on_many_tasks_with_a_cap_for_each(plain):
    suite = open_suite("superni/embedded", options={"instances": 6, "tasks": 5, "families": False})
    settings = make_adaptation("finetune", {"recipe": "tk-instruct", "shots": 4})
    material = gather(settings, suite, plain, open_model("mock/oracle"), seed=0)
    counts: dict[str, int] = {}
    for example in material.train:
        counts[example.request.task.name] = counts.get(example.request.task.name, 0) + 1
    assert sorted(counts.values()) == [4] * 5
    tested = {request.task.name for request in material.watched["test"]}
    assert tested
    assert not tested & set(counts)


def test_published_collections_have_an_oracle_too(reference):
    folder = reference / "superni" / "sample"
    if not folder.is_dir():
        pytest.skip(f"no sample of task files at {folder}")
    suite = open_suite("superni/en", options={"path": str(folder), "oracle_instances": 5, "damaged": "skip"})
    asked = {(row.task, row.instance.input) for row in suite.rows("test")}
    trained = [(row.task, row.instance.input) for row in suite.rows("oracle")]
    assert {task for task, _ in trained} <= {task for task, _ in asked}
    assert not set(trained) & asked
