"""A run is a sequence of its records, a suite a mapping of its splits; wrong indices get sentences."""

import pytest

from taskloom import UserError, open_suite, run_suite


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    return run_suite("babi/task-1", model=lambda prompt: "kitchen", folder=tmp_path_factory.mktemp("run"), limit=30)


def test_a_run_is_a_sequence(kitchen):
    assert len(kitchen) == 30
    assert [record.id for record in kitchen] == [kitchen[place].id for place in range(30)]
    assert kitchen[-1] == kitchen[29]
    assert kitchen[3:5] == [kitchen[3], kitchen[4]]


def test_failures_are_what_was_not_right(kitchen):
    failed = kitchen.failures()
    assert failed[:2] == list(failed)[:2]
    assert failed.sample(2) == failed.sample(2)
    assert 0 < len(failed) < 30
    assert all(record.score < 1 for record in failed)
    assert len(failed) == sum(record.score < 1 for record in kitchen)


def test_a_sample_depends_on_its_seed_alone(kitchen):
    assert kitchen.sample(5) == kitchen.sample(5)
    assert kitchen.sample(5) != kitchen.sample(5, seed=1)
    assert len(kitchen.sample(99)) == 30


def test_wrong_indices_get_sentences(kitchen):
    with pytest.raises(UserError, match="indexed by number, not by 'where-person'"):
        kitchen["where-person"]
    with pytest.raises(IndexError, match="there is no record 30: this run has 30, "):
        kitchen[30]
    with pytest.raises(UserError, match="indexed by the name of a split, not by 0"):
        open_suite("babi/task-1")[0]
    with pytest.raises(IndexError, match="there is no record 99: there are "):
        kitchen.failures()[99]
    with pytest.raises(UserError, match="record.answer"):
        kitchen[0]["answer"]
    with pytest.raises(AttributeError, match="did you mean answer"):
        _ = kitchen[0].prediction
    with pytest.raises(UserError, match="unknown facet .* did you mean 'question'"):
        kitchen.by_facet(["question"])


def test_groups_are_found_by_name(kitchen):
    assert kitchen.by_task()["task-1"] == kitchen.by_task()[0] == kitchen.by_task()[:1][0]
    assert kitchen.by_facet("question")["where-person"] == kitchen.by_facet("question")["where-person",]
    with pytest.raises(KeyError, match="unknown task 'task-2'; did you mean 'task-1'"):
        kitchen.by_task()["task-2"]
    with pytest.raises(KeyError, match="did you mean 'where-person'"):
        kitchen.by_facet("question")["where-preson"]


def test_a_suite_iterates_over_its_splits():
    assert list(open_suite("babi/task-1")) == ["train", "dev", "test"]
