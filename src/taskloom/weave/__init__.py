"""Weave: tasks of all families composed with each other, with exact answers and one instruction each.

In: expressions over tasks, `upper(babi/task-1)`, and the records of their operators.
Out: suites whose items, answers, instructions and cells follow from the parts.

The package can be called, since `taskloom.weave(...)` is how a suite is woven in Python.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *expressions: str, **options: Any) -> Any:
        from taskloom.weave.family import weave

        return weave(*expressions, **options)


sys.modules[__name__].__class__ = _Callable
