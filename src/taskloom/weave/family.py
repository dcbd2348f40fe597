"""The family of woven suites: any expression over tasks as a suite of its own, and named lists of expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec

from taskloom.core import Family, Finding, Row, Suite, SuiteSpec, Task, UserError, resolve, unknown_name
from taskloom.core.calls import a, explained
from taskloom.core.catalog import FAMILIES
from taskloom.core.decode import read_toml
from taskloom.weave.draw import Loom, is_ours, leaves_of, operator_words
from taskloom.weave.lattice import closure
from taskloom.weave.records import NUMBERS
from taskloom.weave.suite import VERSION, WeaveRecipe, build

_SLIPS = {
    r"\{\w+\}": "a gap that was not filled",
    r"  | [.,;:?]": "a blank too many",
    r"[.?!] [a-z](?!\w*/)": "a sentence that begins with a small letter",
    r"(?<!/)\b(?:a (?=[aei]\w)|an (?=[^aeiouhAEIOUHFLMNRSX8 ]))": "the wrong article",
    r"\b(with|of|in) the answer\b[^.]*\bwith the answer\b": "an answer that answers itself",
    r"([A-Z][^.\n]{20,}\.) \1": "a sentence twice",
    r"[^.?!…}]$": "no full stop at the end",
}
"""What no instruction holds, by pattern. Quoted words are left out of it."""
_TOLD = re.compile(r"There are (\w+) (cases|parts)")


def audit(suite: Suite, split: str, rows: Sequence[Row]) -> Iterator[Finding]:
    """Findings about the tasks of some rows."""
    for name, first in {row.task: row for row in reversed(rows)}.items():
        task = suite.tasks[name]
        problems = [*_of_the_text(task), *_of_the_examples(task)]
        problems += [] if _divided(task, first.instance.input) else ["not as many cases or parts as it says"]
        yield from (
            Finding(suite.name, name, "error", f"the instruction has {problem}", code="woven") for problem in problems
        )
        lost = task.facets["not_asked"]
        if lost and split == next(iter(suite.splits)):
            message = f"{lost:.0%} of its items are not asked, because the answer would be ambiguous or unknown"
            yield Finding(suite.name, name, "note", message, code="not-asked")


def _of_the_text(task: Task) -> Iterator[str]:
    definition = re.sub(r"'[^' ]*'|\"[^\"]*\"", "'x'", task.instruction.definition)
    for pattern, problem in _SLIPS.items():
        if found := re.search(pattern, definition):
            yield f"{problem}: …{definition[max(0, found.start() - 30) : found.end() + 20]}…"
    unsaid = [label for label in task.labels if label not in task.instruction.definition]
    if unsaid:
        yield f"no word of the label {unsaid[0]!r}"


def _of_the_examples(task: Task) -> Iterator[str]:
    """A right answer ends its explanation; a wrong one is another than the right one that is told."""
    for example in task.instruction.negative:
        if example.explanation == f"Wrong: the answer is {example.output}.":
            yield f"a wrong example that is right: {example.output!r}"
    for example in task.instruction.positive if task.kind != "slots" else ():
        if not str(example.explanation).endswith(f"{example.output}."):
            yield f"an example whose explanation does not end in its answer {example.output!r}"


def _divided(task: Task, text: str) -> bool:
    """Whether an input has as many cases and parts as the instruction says, where it says so at its beginning."""
    told = _TOLD.match(task.instruction.definition)
    if told is None or told[1] not in NUMBERS:
        return told is None
    mark = "Case" if told[2] == "cases" else "Part"
    return len(re.findall(rf"(?m)^{mark} (?:\d+|[ABC]):", text)) % NUMBERS.index(told[1]) == 0


_EXAMPLES = (
    "upper(babi/task-1)",
    "both(babi/task-1,superni/extract_price)",
    "count(seti/task1-trivial,entailment,of=5)",
)


class AtlasRecipe(WeaveRecipe, frozen=True, kw_only=True):
    """The atlas: which of it, and how many rows.

    Attributes:
        whole: Every operator on every task of its type; else the core alone.
        depth: 2 takes the chains of two operators on words as well.
    """

    whole: bool = False
    depth: int = 1


class LongRecipe(WeaveRecipe, frozen=True, kw_only=True):
    """Long inputs: which tasks, hidden in how much other text.

    Attributes:
        tasks: The tasks; BABILong's names `qa1` to `qa20` are those of babi.
        lengths: The lengths in tokens: 0, 4k, 128k, 1M.
        depth: Where in the text the lines of an item stand: "" for anywhere, "0.5", "0.2-0.8".
    """

    tasks: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    depth: str = ""


class SystematicRecipe(WeaveRecipe, frozen=True, kw_only=True):
    """Training on parts and on some compositions, testing compositions.

    Attributes:
        operators: Operators on words, with % for the task.
        tasks: Tasks that give words.
    """

    operators: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


class _Lists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file `atlas.toml`."""

    atlas: AtlasRecipe
    long: LongRecipe
    systematic: SystematicRecipe
    operators: dict[str, tuple[str, ...]]
    atoms: dict[str, tuple[str, ...]]
    pairs: dict[str, tuple[str, ...]]


@cache
def template_lists() -> _Lists:
    """The lists of the atlas."""
    return read_toml(Path(__file__).with_name("atlas.toml"), type=_Lists)


def _of(recipe: WeaveRecipe, expressions: Sequence[str], trained: Sequence[str] = ()) -> WeaveRecipe:
    return msgspec.structs.replace(recipe, expressions=tuple(expressions), trained=tuple(trained))


def _build_atlas(name: str, recipe: AtlasRecipe, seed: int) -> Suite:
    """The atlas with all the parts of its compositions, each a task of its own."""
    known, chosen = template_lists(), list(recipe.expressions)
    if recipe.whole:
        chosen += [form.replace("%", task) for type_, forms in known.operators.items() for form in forms
                   for task in known.atoms[type_]]  # fmt: skip
        chosen += [form.format(*tasks.split()) for form, several in known.pairs.items() for tasks in several]
    if recipe.depth > 1:
        chosen += [
            f"{outer}({inner})" for inner in chosen for outer in ("upper", "length")
            if inner.startswith(("reverse(", "initial("))
        ]  # fmt: skip
    return build(name, _of(recipe, list(closure(map(Loom().parse, chosen)))), seed)


def _build_long(name: str, recipe: LongRecipe, seed: int) -> Suite:
    """Every task at every length."""
    depth = f",depth={recipe.depth}" if recipe.depth else ""
    texts = [f"within({task},tokens={length}{depth})" for task in recipe.tasks for length in recipe.lengths]
    return build(name, _of(recipe, texts), seed)


def _build_systematic(name: str, recipe: SystematicRecipe, seed: int) -> Suite:
    """Trained on every task, every operator on given answers, and every other composition of the two.

    `systematic-trivial` tests the compositions that were trained, on new inputs; `systematic-nontrivial` those that
    never were, although both of their parts were.
    """
    woven: tuple[list[str], list[str]] = ([], [])
    for row, form in enumerate(recipe.operators):
        for column, task in enumerate(recipe.tasks):
            woven[(row + column) % 2].append(form.replace("%", task))
    given = [form.replace("%", f"given({task})") for form in recipe.operators for task in recipe.tasks]
    tested = woven[name.endswith("-nontrivial")]
    return build(name, _of(recipe, tested, [*recipe.tasks, *given, *woven[0]]), seed)


class WeaveFamily(Family):
    """Tasks of all families, composed."""

    name: ClassVar[str] = "weave"
    title: ClassVar[str] = "tasks of all families composed with each other, with exact answers"
    citation: ClassVar[str] = "Taskloom"
    probed: ClassVar[str] = "atlas"
    version: ClassVar[str] = VERSION

    def suites(self) -> Mapping[str, SuiteSpec[Any]]:
        systematic = "trained on tasks, operators and some compositions; tests "
        named: dict[str, tuple[str, Any, Any]] = {
            "atlas": ("compositions of tasks of five families, and their parts", template_lists().atlas, _build_atlas),
            "long": ("20 tasks of babi and three others, hidden in long text", template_lists().long, _build_long),
            "systematic-trivial": (
                f"{systematic}those compositions on new inputs", template_lists().systematic, _build_systematic
            ),
            "systematic-nontrivial": (
                f"{systematic}the others, whose parts were trained", template_lists().systematic, _build_systematic
            ),
        }  # fmt: skip
        custom = _spec("expressions of your own: -T expressions=[…]", WeaveRecipe(expressions=_EXAMPLES))
        return {"custom": custom, **{name: SuiteSpec(*spec) for name, spec in named.items()}}

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

    def audit(self, suite: Suite, split: str, rows: Sequence[Row]) -> Iterable[Finding]:

        return audit(suite, split, rows)


def _spec(title: str, recipe: WeaveRecipe) -> SuiteSpec[WeaveRecipe]:
    # Tasks and operators of the user's may change under the same name: then the rows themselves tell.
    return SuiteSpec(title, recipe, build, by_rows=lambda recipe: not all(map(_is_ours, recipe.expressions)))


def _is_ours(text: str) -> bool:
    node = Loom().parse(text)
    return is_ours(node) and all(name.partition("/")[0] in FAMILIES for name in leaves_of(node))


FAMILY = WeaveFamily()


class WovenExpression(NamedTuple):
    """An expression with the tasks of the caller's own that it names.

    Attributes:
        text: As it is written.
        tasks: The tasks by the names that the text calls them.
    """

    text: str
    tasks: Mapping[str, Any]

    @classmethod
    def of(cls, given: Any) -> WovenExpression:
        """An expression, a task of the caller's own, or a plain value."""
        if isinstance(given, cls):
            return given
        if isinstance(given, str | int | float):
            return cls(str(given), {})
        if not hasattr(given, "name"):
            hint = 'taskloom.weave("upper(babi/task-1)", "count(babi/task-8)")'
            raise UserError(f"an expression is text or a task, not {a(type(given).__name__)}", where="weave", hint=hint)
        name = str(given.name).rpartition("/")[2]
        return cls(name, {name: given})


def operator_function(word: str) -> Callable[..., WovenExpression]:
    """The operator of that name as a function of tasks: `upper(my_task)`; a trailing underscore is left out.

    Raises:
        AttributeError: There is no such operator, with the nearest names.
    """
    name = word.removesuffix("_")
    if name not in operator_words():
        raise AttributeError(unknown_name("operator", word, operator_words()).message)

    def woven(*arguments: Any, **values: Any) -> WovenExpression:
        given = [("", WovenExpression.of(one)) for one in arguments]
        given += [(f"{key.removesuffix('_')}=", WovenExpression.of(one)) for key, one in values.items()]
        text = ",".join(f"{key}{one.text}" for key, one in given)
        return WovenExpression(f"{name}({text})", _together([one for _, one in given]))

    return woven


def _together(expressions: Sequence[WovenExpression]) -> dict[str, Any]:
    """The tasks of several expressions by name; two of one name cannot be told apart."""
    tasks: dict[str, Any] = {}
    for name, task in (named for one in expressions for named in one.tasks.items()):
        if tasks.setdefault(name, task) is not task:
            raise UserError(f"two tasks are called {name!r}", where="weave", hint="give one of them another name")
    return tasks


@explained
def weave(*expressions: Any, seed: int = 0, options: Mapping[str, Any] | None = None, **tasks: Any) -> Suite:
    """A suite of expressions over tasks of any family, and over tasks of your own.

    Args:
        expressions: The expressions: `upper(babi/task-1)`, `count(seti/task1-trivial,entailment,of=5)`; or what the
            operators give as functions, `taskloom.weave.upper(my_task)`.
        seed: The seed of the data.
        options: Recipe keys to replace (`train`, `dev`, `test`, `examples`).
        tasks: Tasks of your own (`taskloom.Blueprint`, `taskloom.Suite`), by the names that expressions call them.

    Example:
        >>> from taskloom import weave
        >>> suite = weave("upper(babi/task-1)")
        >>> next(suite.rows("test")).instance.targets.canonical().isupper()
        True
    """
    if not expressions:
        raise UserError("there is nothing to weave", hint='taskloom.weave("upper(babi/task-1)")')
    given = [WovenExpression.of(one) for one in expressions]
    texts, own = tuple(one.text for one in given), _together([*given, WovenExpression("", tasks)])
    if own:
        recipe = resolve(WeaveRecipe(expressions=texts), options or {}, where="weave")
        return build("own", recipe, seed, own)
    return FAMILY.open("custom", seed, {**(options or {}), "expressions": texts})
