"""What a record keeps beside the answer: the stretches of the prompt that an answer needs."""

from __future__ import annotations

from taskloom.core import AnyOf, Instance, open_suite
from taskloom.run.record import supporting_marks
from taskloom.run.results import load_run
from taskloom.run.runner import RunSettings, launch


def test_marks_are_the_supporting_lines_wherever_the_input_stands():
    instance = Instance("1", "a b\nccc\na b\nq?", AnyOf(("x",)), details={"support": [1, 3]})
    prompt = f"Answer.\n\n{instance.input}\nAnswer:"
    assert [prompt[start:end] for start, end in supporting_marks(instance, prompt)] == ["a b", "a b"]
    assert supporting_marks(instance, "in other words") == ()
    assert supporting_marks(Instance("1", "x", AnyOf(("x",)), details={"support": "all"}), "x") == ()


def test_a_run_marks_what_the_generator_used(tmp_path):
    suite = open_suite("babi/mix-t2", seed=3)
    launch(suite, tmp_path, RunSettings(model="mock/oracle", limit=5))
    rows = {(row.task, row.instance.id): row.instance for row in suite.rows("test")}
    for record in load_run(tmp_path).records:
        instance = rows[record.key]
        lines = instance.input.split("\n")
        wanted = [lines[number - 1] for number in sorted(instance.details["support"])]
        assert [record.prompt[start:end] for start, end in record.marks] == wanted
