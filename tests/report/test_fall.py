"""How a model falls from suite to suite or along a facet: in the order of training, and only what can be told."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from taskloom.core import content_hash
from taskloom.report import first as module
from taskloom.report.first import differing, fall_of, share_words, steps_by_model, steps_plot, where_asked
from taskloom.report.sections import choose_facets, distinct_names
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.score.stats import compare_apart

FINETUNE = {"name": "finetune", "epochs": 3.0}


def said(*runs):
    (answer,) = [fall_of(model, steps) for model, steps in steps_by_model(runs, distinct_names(runs)).items()]
    return answer


def replanned(run, **changes):
    """The same answers under another plan."""
    other = load_run(run.folder)
    other.plan = msgspec.structs.replace(other.plan, **changes)
    return other


def fitted(run):
    return replanned(run, adaptation=FINETUNE)


def asked_after(run, adaptation=FINETUNE):
    """A run of a model that another run has adapted."""
    story = {"name": adaptation["name"], "hash": content_hash(adaptation), "seed": 0}
    return replanned(run, model={**run.plan.model, "settings": {"adaptation": story}})


def test_the_first_suite_given_comes_first_and_a_fall_has_its_interval(runs):
    answer = said(runs["all"], runs["half"])
    full, half = (runs[name].overall().estimate for name in ("all", "half"))
    fall = compare_apart(full, half)
    assert fall.low > 0
    assert answer.said == f"{share_words(full)} on x/all; {share_words(half)} on x/half: falls by {fall}."
    assert answer.model == "mock/constant" and "every task counts once" in answer.where
    assert share_words(full).startswith("1.00 [") and share_words(full).endswith("(n = 24)")


def test_a_model_that_does_better_on_the_later_suite_rises(runs):
    answer = said(runs["half"], runs["all"])
    rise = compare_apart(runs["all"].overall().estimate, runs["half"].overall().estimate)
    assert answer.said.endswith(f"on x/all: rises by {rise}.") and "falls" not in answer.said


@pytest.mark.parametrize("order", [(3, 4), (4, 3)])
def test_a_difference_that_chance_explains_is_no_fall(asked, order):
    """3 and 4 of 24 right: whichever stands first, nobody can tell."""
    few, more = (asked(f"x/{count}", right=lambda n, count=count: n < count) for count in order)
    text = said(few, more).said
    assert "no clear difference (" in text
    assert "falls by" not in text and "rises by" not in text
    assert text.index(f"x/{order[0]}") < text.index(f"x/{order[1]}"), "in the order given, not by score"


def test_what_a_model_was_adapted_to_comes_first(runs):
    home, away = fitted(runs["all"]), asked_after(runs["half"])
    for pair in ((home, away), (away, home)):
        text = said(*pair).said
        assert text.startswith("1.00 [") and "on x/all, to which it was adapted; 0.50 [" in text and "falls by" in text
    # Adapted to the harder suite, it does better elsewhere: the order is still that of training.
    text = said(asked_after(runs["all"]), fitted(runs["half"])).said
    assert text.startswith("0.50 [") and "rises by 0.50 [" in text


def test_an_adapted_model_asked_again_at_home_is_at_home(runs):
    home, again = fitted(runs["all"]), asked_after(runs["all"])
    steps = steps_by_model(
        [again, asked_after(runs["half"]), home], {id(run): run.folder.name for run in (home, again)}
    )
    assert [step.adapted_here for own in steps.values() for step in own].count(True) == 2


def test_another_adaptation_is_no_home(runs):
    other = asked_after(runs["half"], {"name": "finetune", "epochs": 9.0})
    ((first, second),) = steps_by_model([other, fitted(runs["all"])], {}).values()
    assert first.adapted_here and first.where == "x/all" and not second.adapted_here


def test_one_recipe_fitted_to_each_suite_is_said_to_be_several_models(runs):
    text = said(fitted(runs["all"]), fitted(runs["half"])).said
    assert "on x/all, adapted to each suite by itself; 0.50 [" in text


def test_the_training_split_comes_before_the_test_split(asked):
    test, train = asked("x/split"), asked("x/split", split="train", right=lambda n: 1)
    assert said(test, train).said.startswith(f"{share_words(train.overall().estimate)} on x/split (train); ")


def test_the_lowest_of_several_is_looked_at_with_a_wider_interval(runs, asked):
    third = asked("x/third", right=lambda n: n % 3 > 0)
    text = said(runs["all"], third, runs["half"]).said
    fall = compare_apart(runs["all"].overall().estimate, runs["half"].overall().estimate, 2)
    assert text.endswith(f"on x/half (the lowest of 2 others): falls by {fall}.")
    assert fall.low < compare_apart(runs["all"].overall().estimate, runs["half"].overall().estimate).low


def test_one_suite_under_two_recipes_is_two_places(asked):
    easy = asked("x/custom", recipe={"size": 1, "words": "a"}, right=lambda n: 1)
    hard = asked("x/custom", recipe={"size": 9, "words": "a"})
    assert "on x/custom (size=1); 0.50 [" in said(easy, hard).said
    long = asked("x/custom", recipe={"size": 9, "words": "a" * 80})
    assert f"on x/custom ({long.folder.name})" in said(easy, long).said


def test_the_fall_along_a_facet(runs, asked):
    answer = said(runs["half"])
    groups = {key[0]: share_words(group.estimate) for key, group in runs["half"].by_facet("depth").items()}
    assert answer.said == (
        f"{share_words(runs['half'].overall().estimate)} on x/half; by depth, from {groups['deep']} with deep "
        f"down to {groups['flat']} with flat."
    )
    assert said(runs["all"]).said == f"{share_words(runs['all'].overall().estimate)} on x/all.", "nothing to divide"
    even = asked("x/even", right=lambda n: n % 5 > 1)
    assert "no clear difference by " in said(even).said and "down to" not in said(even).said


def test_groups_of_five_answers_count_and_of_four_do_not(asked):
    for rows, divided in ((10, True), (8, False)):
        assert ("; by depth, from 1.00" in said(asked("x/few", rows=rows)).said) == divided


def test_a_model_that_never_answered(asked, runs, tmp_path):
    from taskloom.core import open_suite

    failing = dict.fromkeys(("stall", "truncate", "rubbish", "empty", "flood"), 0.0) | {"fail": 1.0}
    settings = RunSettings(model="mock/flaky", model_options=failing, limit=4)
    launch(open_suite("babi/task-1"), tmp_path / "none", settings)
    answer = said(load_run(tmp_path / "none"))
    assert (answer.model, answer.said) == ("mock/flaky", "Has no scored answer.")


def test_suites_and_splits(runs):
    assert [where_asked(run) for run in runs.values()] == ["x/half", "x/all", "x/half (dev)"]
    assert steps_plot(steps_by_model([runs["half"]], {})) is None
    other = replanned(runs["half"], model={**runs["half"].plan.model, "name": "mock/other"})
    plot = steps_plot(steps_by_model([runs["half"], runs["dev"], other], {}))
    assert [(point.name, point.value, point.series) for point in plot.points] == [
        ("x/half", 0.5, "mock/constant"), ("x/half", 0.5, "mock/other"), ("x/half (dev)", 0.5, "mock/constant"),
    ]  # fmt: skip


def test_settings_of_one_model_on_the_same_rows_answer_apart(runs):
    pair = [runs["half"], replanned(runs["half"], generation={**runs["half"].plan.generation, "max_tokens": 3})]
    names = {id(run): f"m ({number})" for number, run in enumerate(pair)}
    assert list(steps_by_model(pair, names)) == ["m (0)", "m (1)"]


@pytest.mark.parametrize(("length", "named"), [(60, True), (61, False)])
def test_what_differs_is_named_up_to_sixty_characters(length, named):
    plan = [SimpleNamespace(plan=SimpleNamespace(recipe={"k": value, "same": 1}), folder=Path("runs/one"))
            for value in ("x" * (length - 2), "y")]  # fmt: skip
    assert differing(plan[0], plan) == ("k=" + "x" * (length - 2) if named else "one")
    assert differing(plan[0], plan[:1]) == "one", "nothing differs"


def test_every_pair_of_every_facet_was_looked_at(asked, monkeypatch):
    """Three values of the facet that divides most make three pairs, and there were so many facets to choose from."""
    run = asked("x/sides", right=lambda n: n % 3 == 0, rows=60)
    seen = []
    real = compare_apart
    monkeypatch.setattr(module, "compare_apart", lambda *given: seen.append(given[2]) or real(*given))
    said(run)
    facets = choose_facets([run], ()).drawn
    assert facets[0] in ("novel", "side") and len(facets) == 3
    pairs = 3 if facets[0] == "side" else 1
    assert seen == [pairs * 3]
    monkeypatch.setattr(module, "choose_facets", lambda runs, wanted: SimpleNamespace(drawn=["side", "depth"]))
    said(run)
    assert seen[1:] == [3 * 2]
