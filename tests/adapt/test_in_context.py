from __future__ import annotations

from dataclasses import replace

import pytest

from taskloom.adapt import make_adaptation
from taskloom.core import UserError
from taskloom.core.model import open_model


def shown(suite, encoding, split="test", seed=0, **options):
    """The examples of every row."""
    adaptation = make_adaptation("in-context", options)
    adaptation.check(open_model("mock/oracle"), suite)
    wrapped = adaptation.wrap(encoding, suite, seed)
    return [wrapped.demos(suite.tasks[row.task], row.instance) for row in suite.rows(split)]


def test_every_prompt_shows_k_solved_examples_of_its_own_task(pairs, plain):
    suite = pairs(tasks=2)
    known = {
        name: {(row.instance.input, row.instance.targets.canonical()) for row in suite.rows("train", task=name)}
        for name in suite.tasks
    }
    for row, demos in zip(suite.rows("test"), shown(suite, plain, k=3), strict=True):
        assert len({demo.input for demo in demos}) == 3
        assert {(demo.input, demo.output) for demo in demos} <= known[row.task]


def test_the_prompt_holds_the_examples(pairs, plain):
    suite = pairs()
    wrapped = make_adaptation("in-context", {"k": 2}).wrap(plain, suite, 0)
    row = next(suite.rows("test"))
    demos = wrapped.demos(suite.tasks[row.task], row.instance)
    prompt = wrapped.encode(suite.tasks[row.task], row.instance)
    assert all(demo.input in prompt.text and demo.output in prompt.text for demo in demos)
    assert prompt.text.endswith(row.instance.input)


def test_the_asked_instance_is_never_among_its_examples(pairs, plain):
    suite = pairs(train=6)
    for same in (False, True):
        asked = list(suite.rows("train"))  # the worst case: asking the pool itself
        for row, demos in zip(asked, shown(suite, plain, "train", k=5, pool=10, same=same), strict=True):
            assert row.instance.input not in {demo.input for demo in demos}


def test_examples_depend_on_seed_and_draw_but_not_on_order(pairs, plain):
    suite = pairs()
    first = shown(suite, plain, k=4)
    assert first == shown(suite, plain, k=4)
    assert first != shown(suite, plain, k=4, draw=1)
    assert first != shown(suite, plain, k=4, seed=1)
    wrapped = make_adaptation("in-context", {"k": 4}).wrap(plain, suite, 0)
    backwards = [wrapped.demos(suite.tasks[row.task], row.instance) for row in reversed(list(suite.rows("test")))]
    assert backwards[::-1] == first


def test_same_shows_all_instances_of_a_task_the_same_examples(pairs, plain):
    assert len(set(shown(pairs(), plain, k=3, same=True))) == 1
    assert len(set(shown(pairs(), plain, k=3))) > 1


def test_a_pool_that_is_too_small_is_an_error_with_a_number(pairs, plain):
    with pytest.raises(UserError, match=r"has 4 examples besides the one asked, 5 were requested"):
        shown(pairs(train=4), plain, k=5)


def test_a_suite_without_a_pool_is_refused_before_anything_runs(pairs, plain):
    suite = replace(pairs(), pool=None)
    with pytest.raises(UserError, match="declares no pool"):
        shown(suite, plain, k=1)


def test_the_log_can_tell_draws_apart(pairs, plain):
    suite = pairs()
    one, two = (make_adaptation("in-context", {"draw": draw}).wrap(plain, suite, 0).describe() for draw in (0, 1))
    assert one != two
    assert one["name"] == "plain"
