"""BIG-bench tasks open as suites and score as they should."""

from __future__ import annotations

import json

import pytest

from taskloom import UserError, open_suite, run_suite


def write(path, examples, **more):
    path.write_text(
        json.dumps({"name": "toy", "description": "A toy.", "keywords": ["logic"], "examples": examples, **more})
    )
    return path


def test_free_answers(tmp_path):
    examples = [{"input": f"What is {n} plus 1?", "target": [str(n + 1), f"it is {n + 1}"]} for n in range(10)]
    suite = open_suite(write(tmp_path / "task.json", [*examples, examples[-1]]))
    assert suite.name == "bigbench/toy" and dict(suite.splits) == {"test": 8}  # two instruct, one came twice
    assert run_suite(suite, model="mock/oracle", folder=tmp_path / "run").overall().estimate.value == 1.0
    assert suite.tasks["toy"].instruction.positive[0].output == "1"


def test_choices(tmp_path):
    examples = [{"input": f"Is {n} even?", "target_scores": {"yes": 1 - n % 2, "no": n % 2}} for n in range(10)]
    suite = open_suite(write(tmp_path / "task.json", examples))
    assert suite.tasks["toy"].labels == ("no", "yes")
    unlike = [{"input": f"Pick {n}.", "target_scores": {f"a{n}": 1, f"b{n}": 0}} for n in range(10)]
    row = next(open_suite(write(tmp_path / "other.json", unlike)).rows("test"))
    assert row.instance.input == "Pick 2.\nChoices:\n- a2\n- b2" and row.instance.targets.answers == ("a2",)


@pytest.mark.parametrize(
    "examples", [[], [{"input": 3}], [{"input": "x"}], [{"input": "x", "target_scores": {"a": "b"}}]]
)
def test_bad_files(examples, tmp_path):
    with pytest.raises(UserError):
        open_suite(write(tmp_path / "task.json", examples))
