"""Records are joined on what was asked, whatever their ids and places."""

from __future__ import annotations

from itertools import combinations
from random import Random

import msgspec
import pytest

from records import made_run, record
from taskloom import open_suite, run_suite
from taskloom.core import AnyOf, Instance, UserError, question_hash, row_hash
from taskloom.run.join import join_runs, question_numbers
from taskloom.run.log import RunLog
from taskloom.run.plan import save_plan
from taskloom.run.results import load_run


def test_a_new_facet_changes_the_row_and_not_the_question():
    one = Instance("1", "Where is Mary?", AnyOf(("kitchen",)))
    two = msgspec.structs.replace(one, id="2", facets={"length": 3}, details={"support": [1]})
    assert question_hash("t", one) == question_hash("t", two) and row_hash("t", one) != row_hash("t", two)
    for other in ({"input": "Where is Jo?"}, {"targets": AnyOf(("hall",))}):
        assert question_hash("t", msgspec.structs.replace(one, **other)) != question_hash("t", one)
    assert question_hash("u", one) != question_hash("t", one)


def test_random_runs_are_joined_like_dictionaries(tmp_path):
    """The same questions in another order, with others between them, some of them asked again."""
    draw = Random(5)
    for trial in range(20):
        asked = [[("tu"[draw.randrange(2)], str(draw.randrange(12)), 1.0) for _ in range(10)] for _ in range(2)]
        one, two = (made_run(tmp_path / f"{trial}-{n}", rows) for n, rows in enumerate(asked))
        joined = join_runs(one, two)
        assert join_runs(one, two) is joined, "a comparison by facets asks again and again"
        left = list(enumerate(asked[1]))
        expected = []
        for place, (task, text, _) in enumerate(asked[0]):
            partner = next((entry for entry in left if entry[1][:2] == (task, text)), None)
            if partner is not None:
                left.remove(partner)
                expected.append((place, partner[0]))
        assert list(zip(joined.first.tolist(), joined.second.tolist(), strict=True)) == expected
        assert joined.unpaired == (10 - len(expected), 10 - len(expected))
        if not expected:
            with pytest.raises(UserError, match="share no questions"):
                joined.required(one, two)


def test_records_of_older_versions_are_joined_by_row_and_prompt(tmp_path):
    now = made_run(tmp_path / "now", [("t", name, 1.0) for name in "abcd"])
    old = tmp_path / "old"
    old.mkdir()
    save_plan(now.plan, list(now.tasks.values()), old)
    # The first has its row, the second only prompt and targets, the third another prompt.
    kept = [
        msgspec.structs.replace(now.records[3], question="", index=0),
        msgspec.structs.replace(now.records[1], question="", row="", index=1),
        msgspec.structs.replace(record(2, "t", "x", 1.0), question="", row=""),
    ]
    with RunLog(old) as log:
        log.append(kept)
        log.finish()
    joined = join_runs(load_run(old), now)
    assert list(zip(joined.first.tolist(), joined.second.tolist(), strict=True)) == [(0, 3), (1, 1)]
    assert joined.note == "2 of 3 and 4 records ask the same question"


def test_questions_of_many_runs_share_their_numbers(tmp_path):
    rows = [[("t", name, 1.0) for name in names] for names in ("abc", "cde", "eaf")]
    runs = [made_run(tmp_path / str(n), own) for n, own in enumerate(rows)]
    assert [own.tolist() for own in question_numbers(runs)] == [[0, 1, 2], [2, 3, 4], [4, 0, 5]]


@pytest.mark.proof
def test_no_two_questions_that_differ_are_paired_in_a_thousand_pairs_of_runs(tmp_path):
    """Runs on other data (suites, seeds, recipes) share ids by the hundred; what is paired has the same words."""
    suites = ("babi/task-1", "babi/task-2", "babi/mix-t2", "seti/task1-trivial", "superni/embedded", "zest/fictional")
    runs = [
        run_suite(open_suite(name, seed=seed), model="mock/oracle", folder=tmp_path / name / str(seed), limit=12)
        for name in suites
        for seed in range(1, 9)
    ]
    pairs = list(combinations(runs, 2))
    assert len(pairs) > 1_000
    shared_ids = paired = 0
    for one, two in pairs:
        shared_ids += len({record.key for record in one} & {record.key for record in two})
        joined = join_runs(one, two)
        paired += len(joined.first)
        for first, second in zip(
            one.records.at(joined.first.tolist()), two.records.at(joined.second.tolist()), strict=True
        ):
            assert (first.task, first.prompt, first.targets) == (second.task, second.prompt, second.targets)
    print(f"{len(pairs):,} pairs of runs: {shared_ids:,} shared ids, {paired:,} questions with the same words in both")
    assert shared_ids > 1_000
