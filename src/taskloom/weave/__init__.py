"""Weave: tasks of all families composed with each other, with exact answers and one instruction each.

In: expressions over tasks, `upper(babi/task-1)`, and the records of their operators.
Out: suites whose items, answers, instructions and cells follow from the parts.

The package can be called: `taskloom.weave(...)` is how a suite is woven in Python.
"""

from taskloom.lazy import make_callable

make_callable(__name__, "taskloom.weave.family", "weave")
