"""Outputs of packaged models to five families, asked in four ways, labelled by hand: right, wrong, or no answer.

They are those of packaged/smollm2 where a line names no other model.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from taskloom.ask import judge_answer
from taskloom.core import Example, Instance, Instruction, Targets, Task, open_suite
from taskloom.score.stats import wilson

OUTPUTS = [json.loads(line) for line in (Path(__file__).parent / "real_outputs.jsonl").read_text("utf-8").splitlines()]


def _made(one):
    """A task that a later version has no more."""
    made = one["made"]
    examples = tuple(Example(*example) for example in made["examples"])
    return Task(one["task"], Instruction(made["definition"], examples), made["kind"], made["scorer"])


@pytest.fixture(scope="module")
def read():
    """Pairs of what the reader and the person say, with the text."""
    found, rows = [], {}
    for one in OUTPUTS:
        name = one["suite"]
        if name not in rows:
            suite = open_suite(name, seed=0)
            drawn = zip(suite.draw(suite.default_split()), range(3_000), strict=False)
            rows[name] = suite, {(row.task, row.instance.id): row.instance for row, _ in drawn}
        suite, instances = rows[name]
        # Stories of a later version are others: what was asked is kept with the output.
        if "input" in one:
            instance = Instance(one["id"], one["input"], msgspec.convert(one["targets"], Targets))
        else:
            instance = instances[one["task"], one["id"]]
        judged = judge_answer(_made(one) if "made" in one else suite.tasks[one["task"]], instance, one["text"])
        said = "none" if judged.answer is None else "right" if judged.score == 1.0 else "wrong"
        found.append((said, one["label"], one))
    return found


def test_no_false_credit_and_parsed_outputs_agree(read):
    assert len(read) >= 600
    assert len({one["suite"].partition("/")[0] for _, _, one in read}) == 5
    parsed = [(said, label, one["text"]) for said, label, one in read if said != "none"]
    unlike = [row for row in parsed if row[0] != row[1]]
    assert [row for row in unlike if row[0] == "right"] == []
    assert len(unlike) <= 0.01 * len(parsed), unlike
    credited = sum(said == "right" for said, _, _ in read)
    assert wilson(0, credited)[1] < 0.04, "the interval of the false credit"


def test_outputs_in_the_shown_form_are_all_read(read):
    gemma = "packaged/gemma3-270m"
    unread = Counter((one["asked"], one.get("model") == gemma) for said, _, one in read if said == "none")
    asked = Counter((one["asked"], one.get("model") == gemma) for _, _, one in read)
    assert unread["chat", False] == 0
    assert unread["base", False] <= 0.02 * asked["base", False]
    # A model without instruction tuning goes on with another story where answers are short and inputs long.
    assert unread["base", True] <= 0.1 * asked["base", True]
