"""How a person writes a task: a maker of items, a definition, worked examples, and a solver where there is one.

A maker gets random numbers keyed by the item's place and returns the item. A solver reads nothing but the text that a
model reads, so that an answer always follows from what is shown. `taskloom check` proves that the two agree.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any, Concatenate, ParamSpec, TypeAlias, cast, get_origin

import msgspec

from taskloom.core.calls import Explained
from taskloom.core.cells import SKILLS
from taskloom.core.definition import Definition
from taskloom.core.display import clipped
from taskloom.core.errors import UserError, unknown_name
from taskloom.core.instance import Facet, FacetType
from taskloom.core.kind import KINDS
from taskloom.core.recipe import documented
from taskloom.core.rng import keyed_random
from taskloom.core.targets import AnyOf, Boolean, Items, Product, Structure, Targets, any_of
from taskloom.core.task import AnswerKind, Example, Instruction, Task
from taskloom.score.match import named_scorer

Answer: TypeAlias = str | int | float | bool | Sequence[str] | Targets
"""An answer as an author writes it; a sequence lists every acceptable text, the canonical one first."""


class Item(Explained, msgspec.Struct, frozen=True):
    """What a maker returns: a question with its answer.

    Attributes:
        input: The text that a model reads.
        answer: Every acceptable answer; None lets the solver find it.
        facets: Values of the columns that the blueprint declares.
        parts: Named pieces of the input (for example, story and question).
        details: Anything else worth keeping: the identity of the material, derivations. JSON values only.
        skills: What an answer needs, such as {"carry", "three-digit"}; None if the task says so, or nothing does.
        copies: How often the item stands in its split, where `Blueprint.split` decides the splits.
    """

    input: str
    answer: Any = None
    facets: dict[str, Facet] = {}
    parts: dict[str, str] = {}
    details: dict[str, Any] = {}
    skills: Any = None
    copies: int = 1


Draft: TypeAlias = Item | str | tuple[str, Answer] | tuple[str, Answer, Mapping[str, Facet] | set[str]]
"""A maker may also return the input alone (the solver answers), or (input, answer), with facets or a set of skills."""

Maker: TypeAlias = Callable[..., Draft]
Solver: TypeAlias = Callable[[str], Answer]
Skills: TypeAlias = Collection[str] | Mapping[str, Callable[[Item], bool]] | Callable[[Item], Iterable[str]]
"""Of all items of a task; or each with its test; or a function that finds those of an item."""

SPLITS = ("train", "dev", "test")

_TARGETS = (AnyOf, Boolean, Items, Product, Structure)

_LOOKED_AT = 16
"""Items that are drawn to find the types of facets that are not declared."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Blueprint:
    """One task as its author wrote it. Usually made by the decorator `taskloom.task`, whose options are its attributes.

    Attributes:
        make: Random numbers -> an item; with `keys`, (random numbers, key) -> an item. If it has a parameter `skills`,
            it is told the skills that are wanted, None for any.
        definition: Everything a person needs to know to do the task: a text, or {"task": …, "notes": …, "form": …,
            "noun": …}, whose fields woven tasks use one by one (`taskloom.core.definition`).
        right: Positive examples: (input, output, explanation), or (input, explanation) if there is a solver.
        wrong: Negative examples: (input, wrong output, explanation).
        name: Unique in its suite (default: the name of the maker).
        category: The kind of task; suites may hold out whole categories.
        solve: The acceptable answers to an input, from its text alone; None if only the maker knows them.
            `@THE_TASK.solver` also adds one.
        labels: The closed set of answers, if there is one.
        kind: The kind of answer (default: inferred from labels and examples).
        scorer: The registered scorer, or a function (answer, targets) -> score (default: chosen by the kind of answer).
        language: The language of the inputs.
        output_language: The language of the answers, if different.
        instruction_language: The language of definition and explanations.
        keys: The number of different keys. Two keys never give the same input; splits then share no key,
            and the cost of an item does not depend on how many there are. None: items are distinguished by their text.
        skills: What an answer needs: names for all items, {name: test of the item}, or a function of the item that
            returns names. None: what the maker returns. The sets of skills are the cells that are probed.
        split: The split of an item ("train", "dev", "test", or None for none of them), where a rule of yours divides
            the items. None: chance divides them.
        columns: The types of the items' facets; None finds them by drawing a few items.
        facets: More facets of the task itself (domains, source, skills).
        version: Raised whenever the meaning of the data or the scoring changes.
        balanced: Make all labels equally frequent in every block, as long as the maker finds items of each.
    """

    make: Maker = field(kw_only=False)
    definition: str | Mapping[str, str]
    right: Sequence[tuple[Any, ...]] = ()
    wrong: Sequence[tuple[str, Answer, str]] = ()
    name: str = ""
    category: str = "Misc."
    solve: Solver | None = None
    labels: tuple[str, ...] = ()
    kind: AnswerKind | None = None
    scorer: str | Callable[..., Any] | None = None
    language: str = "English"
    output_language: str | None = None
    instruction_language: str = "English"
    keys: int | None = None
    skills: Skills | None = None
    split: Callable[[Item], str | None] | None = None
    columns: Mapping[str, FacetType] | None = None
    facets: Mapping[str, Facet] = field(default_factory=dict)
    version: str = "1"
    balanced: bool = False

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", getattr(self.make, "__name__", "<lambda>"))
        if self.name == "<lambda>":
            raise UserError("a task needs a name", hint='taskloom.task(name="…", …)')
        code = getattr(self.make, "__code__", None)
        if code is not None and not code.co_argcount and not code.co_flags & inspect.CO_VARARGS:
            hint = f"def {self.name}(rng): … draws from it, so that a seed makes the same items everywhere"
            raise UserError("the maker takes no random generator", where=self._where, hint=hint)
        Definition.of(self.definition, self._where)
        check_labels(self.labels, self._where)
        if isinstance(self.right, list | tuple | str) and isinstance(self.wrong, list | tuple | str):
            check_examples(self.right, self.wrong, self._where)  # others are made, and checked, on first access
        check_columns(self.columns or {}, self._where)
        if self.skills is not None and not callable(self.skills):
            check_skills(self.skills, self._where)

    @cached_property
    def _where(self) -> str:
        return f"task {self.name}"

    def __repr__(self) -> str:
        return f"<Blueprint {self.name}: {clipped(str(self.fields), 60)!r}>"

    def _repr_html_(self) -> str:
        return self.task._repr_html_()

    def solver(self, solve: Solver) -> Solver:
        """A decorator that adds a solver to the task."""
        object.__setattr__(self, "solve", solve)
        return solve

    def draw(self, rng: Random, key: int = 0, skills: Collection[str] | None = None) -> Item:
        """One item with its answer; its skills are a facet.

        Args:
            rng: Where chance comes from.
            key: The key, if the task has keys.
            skills: What to ask the maker for, if it takes requests. It may make something else.

        Raises:
            UserError: The maker raised, or returned something that is no item, or no answer can be found.
        """
        return self.answered(self.draft(rng, key, skills))

    def draft(self, rng: Random, key: int = 0, skills: Collection[str] | None = None) -> Item:
        """One item as the maker leaves it. Its text decides whose it is; those of others need no answer."""
        item = self._drafted(rng, key, skills)
        check_facets(item.facets, self.column_types, self._where)
        check_text(item.input, "the input", self._where)
        return item

    def answered(self, item: Item) -> Item:
        """A drafted item with its answer."""
        answer = self.solved(item.input) if item.answer is None else self.targets(item.answer)
        return msgspec.structs.replace(item, answer=answer)

    @cached_property
    def takes_requests(self) -> bool:
        """Whether the maker can be told which skills are wanted."""
        return "skills" in inspect.signature(self.make).parameters

    @cached_property
    def has_skills(self) -> bool:
        """Whether items have skills of their own."""
        return self.column_types.get(SKILLS) is tuple

    def split_of(self, item: Item) -> str | None:
        """The split that the author's rule gives an item to.

        Raises:
            UserError: The rule raises, or names no split.
        """
        assert self.split is not None, "only tasks with a rule are asked"
        found = self._asked(self.split, "the split rule", item)
        if found is not None and found not in SPLITS:
            raise unknown_name("split", str(found), SPLITS, where=f"{self._where}: split")
        return cast("str | None", found)

    @cached_property
    def column_types(self) -> Mapping[str, FacetType]:
        """The types of the facets of items: those declared, or those of a few items drawn for the purpose."""
        if self.columns is not None:
            by_item = callable(self.skills) or isinstance(self.skills, Mapping)
            return {**self.columns, SKILLS: tuple} if by_item else self.columns
        drawn = (
            self._drafted(keyed_random("columns", self.name, number), number % (self.keys or 1), None)
            for number in range(_LOOKED_AT)
        )
        found = facet_types(item.facets for item in drawn)
        check_columns(found, self._where)
        return found

    def _drafted(self, rng: Random, key: int, skills: Collection[str] | None) -> Item:
        """What the maker made, as an item; its skills among its facets."""
        given = (rng,) if self.keys is None else (rng, key)
        wanted = {"skills": None if skills is None else frozenset(skills)} if self.takes_requests else {}
        drafted = self._asked(self.make, "the maker", *given, **wanted)
        match drafted:
            case Item():
                item = drafted
            case str():
                item = Item(drafted)
            case (str() as text, answer):
                item = Item(text, answer)
            case (str() as text, answer, Mapping() as facets):
                item = Item(text, answer, dict(facets))
            case (str() as text, answer, set() | frozenset() as needed):
                item = Item(text, answer, skills=needed)
            case _:
                raise UserError(
                    f"the maker returned a {type(drafted).__name__}, not an item",
                    where=self._where,
                    hint="return (input, answer), (input, answer, facets), (input, answer, {skills}) or "
                    "taskloom.Item(...)",
                )
        return self._skilled(item)

    def _skilled(self, item: Item) -> Item:
        """The item with the skills that its maker or the task's rule names."""
        found: Any = item.skills
        rule = self.skills
        if rule is None:
            pass
        elif callable(rule):
            found = self._asked(rule, "the function of skills", item)
        elif isinstance(rule, Mapping):
            found = [name for name, needs in rule.items() if self._asked(needs, f"the skill {name!r}", item)]
        if found is None:
            return item
        check_skills(found, self._where)
        return msgspec.structs.replace(item, facets={**item.facets, SKILLS: tuple(sorted({*found}))})

    def _asked(self, function: Callable[..., Any], what: str, *given: Any, **named: Any) -> Any:
        """What a function of the author returns; its errors name its line."""
        try:
            return function(*given, **named)
        except UserError:
            raise
        except Exception as error:
            raise blamed(error, function, what.replace("{}", repr(given[0])), self._where) from error

    def solved(self, text: str) -> Targets:
        """What the solver answers.

        Raises:
            UserError: There is no solver, or it raises.
        """
        if self.solve is None:
            raise UserError(
                "an item has no answer and the task has no solver",
                where=self._where,
                hint="return (input, answer) from the maker, or add solve=…",
            )
        return self.targets(self._asked(self.solve, "the solver, given {},", text))

    def targets(self, answer: Answer) -> Targets:
        """The author's answer as a target.

        Raises:
            UserError: It is nothing that a model could answer, or a text that cannot be written.
        """
        if type(answer) is str:  # as nearly always
            check_text(answer, "an answer", self._where)
            return AnyOf((answer,))
        if isinstance(answer, _TARGETS):
            return answer
        if isinstance(answer, bool):
            words = self.labels if len(self.labels) == 2 else ("yes", "no")
            return Boolean(answer, (words[0], words[1]))
        if isinstance(answer, (str, int, float)):
            answer = [str(answer)]
        # The texts of a set have no order: another process would take another one for the canonical answer.
        if not isinstance(answer, (list, tuple)) or not answer:
            raise UserError(
                f"{answer!r} is not an answer",
                where=self._where,
                hint="use a string, a number, a Boolean, a list of acceptable strings, or a target (taskloom.Items)",
            )
        texts = [str(text) for text in answer]
        for text in texts:
            check_text(text, "an answer", self._where)
        return any_of(texts)

    @cached_property
    def fields(self) -> Definition:
        return Definition.of(self.definition, self._where)

    @cached_property
    def instruction(self) -> Instruction:
        """Definition and examples; outputs that an author left out are the solver's."""
        check_examples(self.right, self.wrong, self._where)
        positive = []
        for example in self.right:
            text, why = str(example[0]), str(example[-1])
            answer = self.solved(text) if len(example) == 2 else self.targets(example[1])
            positive.append(Example(text, answer.canonical(), why))
        negative = [Example(text, self.targets(answer).canonical(), why) for text, answer, why in self.wrong]
        return Instruction.of(self.fields, tuple(positive), tuple(negative))

    def _kind(self) -> AnswerKind:
        if self.kind is not None:
            return self.kind
        if self.labels:
            return "label"
        answer = self.right[0][1] if self.right and len(self.right[0]) == 3 else ""
        match answer:
            case bool() | Boolean():
                return "boolean"
            case int() | float():
                return "number"
            case Items():
                return "items"
            case Structure():
                return "json"
        return "text"

    @cached_property
    def task(self) -> Task:
        """The task as the rest of Taskloom knows it."""
        kind = self._kind()
        own = self.skills if isinstance(self.skills, Collection) and not isinstance(self.skills, Mapping) else ()
        facets: dict[str, Facet] = {
            "family": "own",
            "category": self.category,
            "language": self.language,
            "output_language": self.output_language or self.language,
            "instruction_language": self.instruction_language,
            **({SKILLS: tuple(sorted(own))} if own else {}),
            **self.facets,
        }
        known = KINDS.get(kind)
        labels = self.labels or known.labels
        scorer = named_scorer(self.scorer) if callable(self.scorer) else self.scorer or known.scorer
        return Task(self.name, self.instruction, kind, scorer, labels, facets=facets, version=self.version)

    def renamed(self, name: str, **changes: Any) -> Blueprint:
        """The same task under another name, with some attributes replaced."""
        return replace(self, name=name, **changes)


P = ParamSpec("P")


def _decorator(record: Callable[Concatenate[Maker, P], Blueprint]) -> Callable[P, Callable[[Maker], Blueprint]]:
    """What makes a record of the function below it; type checkers see the options of the record."""

    def task(*args: P.args, **options: P.kwargs) -> Callable[[Maker], Blueprint]:
        """Turn a function that draws items into a task. Its options are the attributes of `taskloom.Blueprint`.

        Example:
            >>> @task(definition="Add the two numbers.", right=[("1 + 1", 2, "One and one are two.")])
            ... def addition(rng):
            ...     a, b = rng.randint(0, 99), rng.randint(0, 99)
            ...     return f"{a} + {b}", a + b
            >>> addition.task.kind
            'number'
        """
        known = {name: said for name, said in documented(Blueprint).items() if name != "make"}
        unknown = next((name for name in options if name not in known), None)
        if unknown is not None:
            raise unknown_name("option", unknown, known, where="@taskloom.task")
        if args or "definition" not in options:
            raise UserError("a task needs a definition", hint="write @taskloom.task(definition=…) above the function")
        return lambda make: record(make, *args, **options)

    options = list(inspect.signature(record).parameters.values())[1:]
    shown = inspect.Signature(options, return_annotation="Callable[[Maker], Blueprint]")
    task.__signature__ = shown  # type: ignore[attr-defined]
    return task


task = _decorator(Blueprint)


_TYPES: tuple[type, ...] = (str, int, float, bool, tuple)
_NAMES = "str, int, float, bool, tuple[str, ...]"


def blamed(error: BaseException, function: Callable[..., Any], what: str, where: str) -> UserError:
    """An error for an author's function that raised, with the line of its file at which it did.

    Args:
        error: What it raised.
        function: The author's function.
        what: What to call it: "the maker", "the solver on '3 + 4'".
        where: The task.
    """
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return UserError(f"{what} raises {said}", where=where, hint=f"see line {lines[-1]} of {file}" if lines else None)


def check_labels(labels: Sequence[str], where: str) -> None:
    """Labels are a sequence of different, non-empty texts.

    Raises:
        UserError: They are not.
    """
    if isinstance(labels, str) or not all(isinstance(label, str) and label.strip() for label in labels):
        raise UserError(
            f"labels must be a tuple of strings, not {labels!r}", where=where, hint='for example labels=("yes", "no")'
        )
    twice = next((label for place, label in enumerate(labels) if label in labels[:place]), None)
    if twice is not None:
        raise UserError(f"the label {twice!r} is listed twice", where=where)


def check_examples(right: Sequence[Any], wrong: Sequence[Any], where: str) -> None:
    """Right examples have two or three entries, wrong ones three.

    Raises:
        UserError: One does not; it is named.
    """
    for kind, examples, sizes in (("right", right, (2, 3)), ("wrong", wrong, (3,))):
        for place, example in enumerate(examples):
            if isinstance(examples, str) or not isinstance(example, list | tuple) or len(example) not in sizes:
                raise UserError(
                    f"{kind}[{place}] is not an example: {example!r}",
                    where=where,
                    hint=f"{kind}=[(input, output, explanation), …]",
                )


def check_columns(columns: Mapping[str, FacetType], where: str) -> None:
    """The columns of facets have one of five types.

    Raises:
        UserError: A column has another.
    """
    for name, kind in columns.items():
        if (get_origin(kind) or kind) not in _TYPES:
            called = getattr(kind, "__name__", repr(kind))
            raise UserError(f"the column {name!r} cannot hold {called}", where=where, hint=f"choose one of {_NAMES}")


def facet_types(items: Iterable[Mapping[str, Facet]]) -> dict[str, FacetType]:
    """The types of the facets of some items: whole numbers and fractions make fractions, lists hold texts."""
    found: dict[str, FacetType] = {}
    empty: list[str] = []
    for facets in items:
        for name, value in facets.items():
            if value is None:
                empty.append(name)
                continue
            kind: FacetType = tuple if isinstance(value, list | tuple) else type(value)
            found[name] = float if {found.get(name), kind} == {int, float} else found.get(name, kind)
    return {**dict.fromkeys(empty, str), **found}


def check_facets(facets: Mapping[str, Facet], columns: Mapping[str, FacetType], where: str) -> None:
    """Every facet of an item has a column, and its value fits.

    Raises:
        UserError: One has none, or does not fit.
    """
    for name, value in facets.items():
        kind = columns.get(name)
        if type(value) is kind is not tuple:  # as nearly always
            continue
        if kind is None:
            raise UserError(
                f"items have the facet {name!r}, which has no column",
                where=where,
                hint=f"declare it: columns={{{name!r}: {type(value).__name__}}}",
            )
        if value is not None and not _fits(value, get_origin(kind) or kind):
            raise UserError(
                f"the facet {name!r} is {value!r}, but its column holds {kind.__name__}",
                where=where,
                hint="change the value or the column",
            )


def _fits(value: object, kind: type) -> bool:
    if kind is tuple:
        return isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def check_skills(names: object, where: str) -> None:
    """Skills are names that can stand in the name of a cell.

    Raises:
        UserError: One cannot.
    """
    found = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    for name in found:
        if found == [names] or not isinstance(name, str) or not name.strip() or "+" in name or ": " in name:
            raise UserError(
                f"skills are a set of names without '+' and ': ', not {names!r}",
                where=where,
                hint='for example {"carry", "three-digit"}',
            )


def check_text(text: str, what: str, where: str) -> None:
    """A text can be written to a file.

    Raises:
        UserError: It holds half a character (a lone surrogate).
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(
            f"{what} contains half a character: {error.object[error.start : error.end]!r} in {text!r}",
            where=where,
            hint="lone surrogates cannot be written as UTF-8",
        ) from None
