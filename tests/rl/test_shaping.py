"""What a policy could write to be paid without answering: none of it earns more than an honest wrong guess."""

from __future__ import annotations

from itertools import islice

import pytest

from taskloom import open_suite
from taskloom.rl import reward
from taskloom.rl.columns import pack_targets
from taskloom.rl.reward import LENIENT_SHARE

SUITES = ("babi/mix-t7", "taskbench/lexical", "seti/task2-trivial", "zest/fictional", "superni/embedded")

TRICKS = (
    "It is not {right}.", "Not {right}.", "I doubt that it is {right}.", "{right} is wrong.", "Anything but {right}",
    "It could be {right} or {wrong}.", "{right} or {wrong}", "{wrong}, {right}", "Maybe {right}, maybe {wrong}.",
    "Either {right} or {wrong}, I cannot tell.", "I don't know, possibly {right}, possibly {wrong}.",
    "Possible answers: {right}; {wrong}; {other}", "{words}", "{sorted}", "{words} {words}", "{shown}", "",
    "I cannot answer that.", "Some say {right}, but they are mistaken.", "Is it {right}?",
)  # fmt: skip


def rows_of(name):
    suite = open_suite(name)
    return suite, list(islice(suite.rows(suite.default_split()), 0, 400, 40))


@pytest.mark.parametrize("name", SUITES)
def test_two_hundred_tricks_earn_no_more_than_a_wrong_guess(name):
    suite, rows = rows_of(name)
    pay = reward(suite, "shaped")
    answers = [row.instance.targets.canonical() for row in rows]
    paid = []
    for row, right in zip(rows, answers, strict=True):
        task = suite.tasks[row.task]
        others = [one for one in (*task.labels, *answers) if pay.one(task, row.instance.targets, one) == 0.0]
        wrong, other = [*others, "nothing of the kind", "something else"][:2]
        honest = max(pay.one(task, row.instance.targets, one, row.instance.input) for one in (wrong, other))
        words = dict.fromkeys(f"{row.instance.input} {right} {wrong}".split())
        given = {"right": right, "wrong": wrong, "other": other, "words": " ".join(words)}
        given |= {"sorted": ", ".join(sorted(words)), "shown": row.instance.input}
        for trick in TRICKS:
            said = trick.format(**given)
            if said.strip() in (right, ""):
                continue
            if (earned := pay.one(task, row.instance.targets, said, row.instance.input)) > honest:
                paid.append((row.task, trick, said[:80], right[:40], earned))
    assert len(rows) * len(TRICKS) >= 200
    # What the lenient reader takes for the right answer is its own affair, and has tests of its own.
    misread = [case for case in paid if case[-1] == LENIENT_SHARE]
    assert [case for case in paid if case not in misread] == []
    assert len(misread) <= 4, misread


def test_packed_targets_are_paid_alike():
    suite, rows = rows_of(SUITES[0])
    columns = {"task": [row.task for row in rows], "targets": [pack_targets(row.instance.targets) for row in rows]}
    assert reward(suite, "shaped")(completions=["I cannot answer that."] * len(rows), **columns) == [0.0] * len(rows)
