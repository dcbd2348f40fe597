"""Two runs side by side: what is said follows from the paired intervals."""

from __future__ import annotations

import msgspec
import pytest

import taskloom
from planted import failing, probed
from taskloom import UserError, open_suite, run_suite
from taskloom.cli.main import main
from taskloom.studies.contrasts import contrast_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    place, suite = tmp_path_factory.mktemp("contrast"), open_suite("babi/mix-t2", seed=1)
    models = {"a": "mock/majority", "b": "mock/oracle", "c": "mock/majority"}
    made = {name: run_suite(suite, model=model, folder=place / name, limit=60) for name, model in models.items()}
    one = open_suite("babi/task-1", seed=1)
    return made | {
        f"one-{name}": run_suite(one, model=model, folder=place / f"one-{name}", limit=60)
        for name, model in models.items()
    }


def test_two_tasks_say_little_about_others_and_much_about_their_own_questions(runs):
    found = contrast_runs(runs["a"], runs["b"])
    assert found.overall.low < 0 < found.overall.difference and found.overall.worse == 0
    said = found.sentences()[0]
    assert said.startswith("mock/oracle is better on the 120 questions") and "2 tasks do not show" in said


def test_the_better_run_is_named_with_its_interval_and_its_facets(runs):
    found = contrast_runs(runs["one-a"], runs["one-b"])
    assert found.overall.difference > 0.5 and found.overall.low > 0
    assert found.sentences()[0].startswith("mock/oracle is better than mock/majority on ")
    assert any(each.is_significant for each in found.facets) and "(Holm): " in found.sentences()[1]
    mirrored = contrast_runs(runs["one-b"], runs["one-a"])
    assert mirrored.sentences()[0].startswith("mock/oracle is better than mock/majority on ")
    assert found.table().rows[0][0] == "overall" and len(found.table().rows) == 1 + len(found.facets)


def test_equal_runs_differ_in_nothing(runs):
    found = contrast_runs(runs["a"], runs["c"])
    assert found.sentences()[0].startswith("No difference is shown")
    assert not any(each.is_significant for each in found.facets)
    assert found.first != found.second, "two runs of one model are told apart by their folders"


def test_the_verb_and_the_function_agree(runs, capsys):
    folders = [str(runs[name].folder) for name in "ab"]
    assert main(["compare", *folders, "--by", "question", "--json"]) == 0
    data = msgspec.json.decode(capsys.readouterr().out)
    found = taskloom.compare(*folders, by=["question"])
    assert data["sentences"] == found.sentences() and {each.facet for each in found.facets} == {"question"}
    assert main(["compare", *folders]) == 0
    assert "| overall" in capsys.readouterr().out


def test_what_cannot_be_compared_is_refused(runs, tmp_path):
    other = run_suite(open_suite("babi/mix-t2", seed=2), model="mock/oracle", folder=tmp_path / "other", limit=5)
    with pytest.raises(UserError, match="share no questions"):
        taskloom.compare(runs["a"], other)
    with pytest.raises(UserError, match="did you mean 'question'"):
        taskloom.compare(runs["a"], runs["b"], by=["qestion"])
    probed(tmp_path / "probe", failing(("coref", "move")), budget=30)
    with pytest.raises(UserError, match="two probes"):
        taskloom.compare(runs["a"], tmp_path / "probe")
    assert taskloom.compare(tmp_path / "probe", tmp_path / "probe").sentences()
