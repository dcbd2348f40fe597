from __future__ import annotations

from collections import Counter

import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.data import BatchSchedule, choose_target, gather, quotas
from taskloom.core import Product, UserError, any_of, keyed_random
from taskloom.core.model import open_model


def settings(**options):
    return make_adaptation("finetune", options)


def collect(suite, encoding, **options):
    return gather(settings(**options), suite, encoding, open_model("mock/oracle"), seed=3)


def inputs(material):
    return [(example.request.task.name, example.request.instance.id) for example in material.train]


def test_fewer_shots_are_a_subset_of_more(pairs, plain):
    suite = pairs(tasks=2)
    small, large = (inputs(collect(suite, plain, shots=count)) for count in (4, 9))
    assert set(small) < set(large)
    assert Counter(task for task, _ in large) == {"pairs-0": 9, "pairs-1": 9}


def test_draws_of_the_shots_differ(pairs, plain):
    assert inputs(collect(pairs(), plain, shots=4)) != inputs(collect(pairs(), plain, shots=4, draw=1))


def test_without_a_dev_split_some_examples_are_held_out(pairs, plain):
    material = collect(pairs(train=40, dev=0), plain)
    held = {request.instance.input for request in material.watched["dev"]}
    assert len(held) == 4
    assert not held & {example.request.instance.input for example in material.train}
    assert "test" not in material.watched


def test_tasks_are_chosen_by_pattern(pairs, plain):
    material = collect(pairs(tasks=3), plain, tasks=["*-1", "pairs-2"])
    assert {task for task, _ in inputs(material)} == {"pairs-1", "pairs-2"}
    with pytest.raises(UserError, match=r"unknown task 'nothing\*'"):
        collect(pairs(), plain, tasks=["pairs-0", "nothing*"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dev": "devv"}, "-A dev: unknown split 'devv'; did you mean 'dev'"),
        ({"test": "tset"}, "-A test: unknown split 'tset'; did you mean 'test'"),
        ({"tasks": ["pairs-0", "pairz-1"]}, "-A tasks: unknown task 'pairz-1'; did you mean 'pairs-1'"),
        ({"weights": {"pears*": 2}}, "-A weights: unknown task"),
    ],
)
def test_names_that_mean_nothing_are_refused_before_training(options, words, pairs):
    with pytest.raises(UserError, match=words):
        settings(**options).check(open_model("tiny/entnet"), pairs(tasks=2))


def test_the_usual_splits_may_be_missing_and_none_is_none(pairs, plain):
    settings(dev="none", test="none").check(open_model("tiny/entnet"), pairs(dev=0))
    assert set(collect(pairs(), plain, dev="none", test="none").watched) == {"train", "dev"}


def test_a_split_with_tasks_that_have_no_lane_is_refused_before_training(pairs):
    lanes = make_adaptation("prompt-tune", {"per_task": True, "tasks": ["*-1"]})
    with pytest.raises(UserError, match="the split 'test' asks 'pairs-0'"):
        lanes.check_asked(pairs(tasks=2), "test")
    make_adaptation("prompt-tune", {"per_task": True}).check_asked(pairs(tasks=2), "test")
    make_adaptation("prompt-tune", {"tasks": ["*-1"]}).check_asked(pairs(tasks=2), "test")


def test_random_targets_are_acceptable_and_repeatable():
    target = Product((("a", "b"), ("c",), ("d", "e", "f")), " ")
    found = {choose_target(target, keyed_random("t", index)) for index in range(60)}
    assert found == {f"{x} c {y}" for x in "ab" for y in "def"}
    assert choose_target(any_of(["x", "y"]), keyed_random(1)) == choose_target(any_of(["x", "y"]), keyed_random(1))


def test_an_epoch_of_a_plain_plan_visits_every_example_once():
    plan = BatchSchedule(settings(batch=8, epochs=3), ["a"] * 30, [index % 7 for index in range(30)], seed=1)
    assert (plan.per_epoch, plan.total) == (4, 12)
    for epoch in range(3):
        seen = [index for update in range(4) for index in plan.batch(4 * epoch + update)]
        assert sorted(seen) == list(range(30))
    assert plan.batch(0) != plan.batch(4)


def test_a_plan_depends_on_its_seed_and_on_nothing_else():
    lengths = [1] * 50
    first, second, other = (BatchSchedule(settings(batch=8), ["a"] * 50, lengths, seed) for seed in (1, 1, 2))
    late = second.batch(17)  # asked out of order
    assert late == first.batch(17) != other.batch(17)


def test_batches_hold_examples_of_similar_length():
    lengths = [(index * 37) % 100 for index in range(320)]
    plan = BatchSchedule(settings(batch=10), ["a"] * 320, lengths, seed=0)
    spreads = [max(chosen) - min(chosen) for chosen in ([lengths[i] for i in plan.batch(u)] for u in range(32))]
    assert max(spreads) < 12


def test_mixtures_and_weights_set_how_often_tasks_are_visited():
    tasks = ["big"] * 80 + ["small"] * 20

    def visits(epochs=4, **options):
        plan = BatchSchedule(settings(batch=10, epochs=epochs, **options), tasks, [1] * 100, seed=0)
        return Counter(tasks[index] for update in range(plan.total) for index in plan.batch(update))

    assert visits() == {"big": 320, "small": 80}
    assert visits(mixture="equal") == {"big": 200, "small": 200}
    assert visits(mixture="equal", weights={"b*": 3.0}) == {"big": 300, "small": 100}
    assert visits(weights={"*": 0.0, "small": 1.0}) == {"small": 400}


def test_a_task_visited_less_than_once_per_epoch_still_goes_through_all_its_examples():
    tasks = ["big"] * 80 + ["small"] * 20
    plan = BatchSchedule(settings(batch=10, epochs=2, mixture="equal"), tasks, [1] * 100, seed=0)
    seen = Counter(index for update in range(plan.total) for index in plan.batch(update))
    assert all(1 <= seen[index] <= 2 for index in range(80))
    assert all(seen[index] == 5 for index in range(80, 100))


def test_quotas_add_up():
    assert quotas([10, 10, 10], [1, 1, 1]) == [10, 10, 10]
    assert sum(quotas([7, 3, 1], [0.3, 0.33, 0.37])) == 11
    with pytest.raises(UserError, match="weight 0"):
        quotas([1], [0])


def test_the_gradient_of_wrong_settings_is_a_sentence():
    with pytest.raises(UserError, match=r"epochs must be more than 0"):
        settings(epochs=0)
    with pytest.raises(UserError, match="did you mean 'learning_rate'"):
        settings(learning_rat=1)


def test_many_tasks_draw_each_split_once_and_get_what_they_would_get_alone(pairs, plain):
    from dataclasses import replace

    from taskloom.adapt.data import TaskRows

    suite = pairs(tasks=4)
    drawn: list[str] = []

    def counted(split):
        drawn.append(split)
        return suite.draw(split)

    rows = TaskRows(replace(suite, draw=counted))
    model = open_model("mock/oracle")
    for task in suite.tasks:
        together = gather(settings(shots=5), suite, plain, model, seed=3, task=task, rows=rows)
        alone = collect(suite, plain, shots=5, tasks=[task])
        assert inputs(together) == inputs(alone)
        assert together.watched == alone.watched
    assert sorted(drawn) == ["dev", "test", "train"]
