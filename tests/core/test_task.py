from __future__ import annotations

import pytest

from taskloom.core import Example, Instruction, Task, UserError
from taskloom.core.task import tasks_hash


def test_an_unknown_kind_of_answer_is_refused_by_name():
    """A run of such a task could be written, but not read back."""
    with pytest.raises(UserError, match=r"task 'mine': unknown kind of answer 'lable'; did you mean 'label'"):
        Task("mine", Instruction("Say yes."), "lable")


def test_the_hash_covers_all_that_is_seen_of_a_task():
    task = Task("t", Instruction("Say yes."))
    others = [
        Task("u", Instruction("Say yes.")),
        Task("t", Instruction("Say no.")),
        Task("t", Instruction("Say yes."), "label", labels=("yes",)),
        Task("t", Instruction("Say yes."), scorer="rouge-l"),
        Task("t", Instruction("Say yes."), reader="boxed"),
        Task("t", Instruction("Say yes."), version="2"),
    ]
    assert len({one.hash() for one in [task, *others]}) == 7
    assert tasks_hash({"t": task, "u": others[0]}) != tasks_hash({"u": others[0], "t": task})


def test_how_a_task_looks():
    shown = tuple(Example(f"in {n}", f"out {n}") for n in range(3))
    task = Task("mine", Instruction("Say <yes>.", shown), "label", "label", ("yes", "no"))
    assert repr(task) == "<Task mine: label, scored by label>"
    html = task._repr_html_()
    assert "in 1 → out 1" in html and "in 2" not in html and "yes, no" in html and "Say &lt;yes&gt;." in html
    assert "labels" not in Task("mine", Instruction("Say it."))._repr_html_()
