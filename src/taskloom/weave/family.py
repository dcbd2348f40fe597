"""The family of woven suites: any expression over tasks as a suite of its own, and named lists of expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from taskloom.core import Family, Suite, SuiteSpec, UserError, unknown_name
from taskloom.core.catalog import FAMILIES
from taskloom.weave.atlas import (
    AtlasRecipe,
    LongRecipe,
    SystematicRecipe,
    build_atlas,
    build_long,
    build_systematic,
)
from taskloom.weave.draw import Loom
from taskloom.weave.expression import is_ours, leaves_of
from taskloom.weave.suite import WeaveRecipe, build

__all__ = ["FAMILY", "WeaveFamily", "weave"]

_EXAMPLES = (
    "upper(babi/task-1)",
    "both(babi/task-1,superni/extract_price)",
    "count(seti/task1-trivial,entailment,of=5)",
)


class WeaveFamily(Family):
    """Tasks of all families, composed."""

    name: ClassVar[str] = "weave"
    title: ClassVar[str] = "tasks of all families composed with each other, with exact answers"
    citation: ClassVar[str] = "Taskloom"
    probed: ClassVar[str] = "atlas"

    def suites(self) -> Mapping[str, SuiteSpec[Any]]:
        systematic = "trained on tasks, operators and some compositions; tests "
        return {
            "custom": _spec("expressions of your own: -T expressions=[…]", WeaveRecipe(expressions=_EXAMPLES)),
            "atlas": SuiteSpec("compositions of tasks of five families, and their parts", AtlasRecipe(), build_atlas),
            "long": SuiteSpec("20 tasks of babi and three others, hidden in long text", LongRecipe(), build_long),
            "systematic-trivial": SuiteSpec(
                f"{systematic}those compositions on new inputs", SystematicRecipe(), build_systematic
            ),
            "systematic-nontrivial": SuiteSpec(
                f"{systematic}the others, whose parts were trained", SystematicRecipe(), build_systematic
            ),
        }

    def spec(self, suite: str) -> SuiteSpec[Any]:
        known = self.suites()
        if suite in known:
            return known[suite]
        if "(" not in suite:
            raise unknown_name(
                "suite", f"weave/{suite}", [f"weave/{name}" for name in known],
                hint="an expression such as 'weave/upper(babi/task-1)' works too",
            )  # fmt: skip
        return _spec(f"the composition {suite}", WeaveRecipe(expressions=(suite,)))


def _spec(title: str, recipe: WeaveRecipe) -> SuiteSpec[WeaveRecipe]:
    # Tasks and operators of the user's may change under the same name: then the rows themselves tell.
    return SuiteSpec(title, recipe, build, by_rows=lambda recipe: not all(map(_is_ours, recipe.expressions)))


def _is_ours(text: str) -> bool:
    node = Loom().parse(text)
    return is_ours(node) and all(name.partition("/")[0] in FAMILIES for name in leaves_of(node))


FAMILY = WeaveFamily()


def weave(*expressions: str, seed: int = 0, options: Mapping[str, Any] | None = None, **tasks: Any) -> Suite:
    """A suite of expressions over tasks of any family, and over tasks of your own.

    Args:
        expressions: The expressions: `upper(babi/task-1)`, `count(seti/task1-trivial,entailment,of=5)`.
        seed: The seed of the data.
        options: Recipe keys to replace (`train`, `dev`, `test`, `examples`).
        tasks: Tasks of your own (`taskloom.Blueprint`, `taskloom.Suite`), by the names that expressions call them.

    Example:
        >>> from taskloom import weave
        >>> suite = weave("upper(babi/task-1)")
        >>> next(suite.rows("test")).instance.targets.canonical().isupper()
        True
    """
    from taskloom.core import resolve

    if not expressions:
        raise UserError("there is nothing to weave", hint='taskloom.weave("upper(babi/task-1)")')
    recipe = resolve(WeaveRecipe(expressions=expressions), options or {}, where="weave")
    if tasks:
        return build("own", recipe, seed, tasks)
    return FAMILY.spec("custom").open("weave/custom", "custom", seed, {**(options or {}), "expressions": expressions})
