"""A function as a scorer: `run_suite(…, scorer=my_function)`, `@taskloom.task(scorer=my_function)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from taskloom.core import Targets, Task, UserError
from taskloom.core.catalog import SCORERS
from taskloom.core.functions import function_name
from taskloom.core.scorer import FUNCTION, Score, Scorer

__all__ = ["named_scorer"]


def named_scorer(function: Callable[..., Any]) -> str:
    """The name under which a function serves as a scorer in this process.

    Args:
        function: (answer, targets) or (answer, targets, task) -> a score in [0, 1], a Boolean, or a `taskloom.Score`.

    Raises:
        UserError: It takes other arguments.
    """
    called = f"{FUNCTION}{function_name(function)}"
    given = 3
    try:
        inspect.signature(function).bind("", None, None)
    except TypeError:
        given = 2
        try:
            inspect.signature(function).bind("", None)
        except TypeError:
            raise UserError(
                f"{called} takes neither (answer, targets) nor (answer, targets, task)",
                hint="def my_scorer(answer, targets): return float(answer == targets.canonical())",
            ) from None

    class FunctionScorer(Scorer, frozen=True):
        """Asks the function."""

        name: ClassVar[str] = called

        def score(self, answer: str, targets: Targets, task: Task) -> Score:
            found = function(*(answer, targets, task)[:given])
            if isinstance(found, Score):
                return found
            if not isinstance(found, int | float):
                raise UserError(f"{called} returned a {type(found).__name__}, not a score", hint="return 0.0 to 1.0")
            return Score(float(found))

    if called not in SCORERS:
        SCORERS.register(called, FunctionScorer())
    return called
