"""Weave: tasks of all families composed with each other, with exact answers and one instruction each.

In: expressions over tasks, `upper(babi/task-1)`, and the records of their operators.
Out: suites whose items, answers, instructions and cells follow from the parts.

The package can be called: `taskloom.weave(...)` is how a suite is woven in Python. It has the operators as functions of
tasks: `taskloom.weave.upper(my_task)`, `taskloom.weave.if_(one, then=two, else_=three)`.
"""

from typing import Any

from taskloom.lazy import make_callable

make_callable(__name__, "taskloom.weave.family", "weave")


def __getattr__(word: str) -> Any:
    if word.startswith("_"):
        raise AttributeError(word)
    from taskloom.weave.family import operator_function

    return operator_function(word)
