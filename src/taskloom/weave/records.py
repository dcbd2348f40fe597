"""The records of operators on tasks, and the values that they act on.

A value is every right answer to an item, with its spellings: "one" and "1" are two spellings of one answer; two
synonyms are two answers. An operator declares its nature, which says what becomes of spellings: a *form* changes each
of them, a *thing* is done to the answer in any spelling, a *string* function is defined only where all spellings agree,
a *decision* only where all of them match, or none. A record also says what an operator takes and gives, and how it is
put into words. Operators on answers have a function of an answer; those on several items, on control, and transforms of
the input draw their items themselves. All stand in the registry of operators, under `weave.NAME`, and are written as
NAME.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from taskloom.algebra import Atom, Expression, Laws, Operator, Signature
from taskloom.core import AnyOf, Items, Structure, Targets, UserError, keyed_random
from taskloom.core.decode import read_toml
from taskloom.core.registry import MISSING
from taskloom.score.match import loose
from taskloom.score.read.text import whole_number

if TYPE_CHECKING:
    from taskloom.weave.draw import Draw


Nature: TypeAlias = Literal["form", "thing", "string", "decision"]
Act: TypeAlias = Callable[[str], str | None]
_CONSONANTS = "bdfgklmnprstvz"


@dataclass(frozen=True, slots=True)
class Value:
    """Every right answer to an item.

    Attributes:
        answers: The right answers, each with its spellings, the canonical one first.
        lists: Where answers are lists, the members of each.
    """

    answers: tuple[tuple[str, ...], ...]
    lists: tuple[tuple[str, ...], ...] = ()

    @property
    def canonical(self) -> str:
        """The answer that is shown where one is."""
        return self.answers[0][0]

    @property
    def texts(self) -> tuple[str, ...]:
        """Every spelling of every answer, each once."""
        return tuple(dict.fromkeys(text for spellings in self.answers for text in spellings))

    def image(self, act: Act, nature: Nature) -> Value | None:
        """What an operator on answers makes of it; None where that is ambiguous or not defined."""
        found: dict[tuple[str, ...], None] = {}
        for spellings in self.answers:
            images = [act(text) for text in spellings]
            kept = tuple(dict.fromkeys(image for image in images if image is not None))
            # A form is written, so each spelling has one; anything else is one answer or not asked.
            if not kept or (len(kept) > 1 and nature != "form") or (None in images and nature != "thing"):
                return None
            found[kept] = None
        return Value(tuple(found))

    def matches(self, text: str) -> bool | None:
        """Whether an answer is this one; None where some spellings say so and others do not."""
        said = _same(text)
        found = {_same(each) == said for each in self.texts}
        return found.pop() if len(found) == 1 else None

    def equals(self, other: Value) -> bool | None:
        """Whether two items have the same answer; None where only some of their answers are shared."""
        mine, theirs = ({_same(text) for text in value.texts} for value in (self, other))
        if mine.isdisjoint(theirs):
            return False
        return True if len(self.answers) == len(other.answers) == 1 else None


def number_of(text: str) -> int | None:
    """The whole number that a text says, in digits or words; None where it says none."""
    found = 0.0 if text.strip().lower() in ("none", "nothing") else whole_number(text)
    return int(found) if found is not None and found.is_integer() else None


def _same(text: str) -> str:
    number = number_of(text)
    return loose(text) if number is None else str(number)


def label_codes(labels: tuple[str, ...]) -> dict[str, str]:
    """An arbitrary code of three letters for each label, the same wherever these labels are renamed."""
    rng = keyed_random("weave", "codes", *labels)
    found: dict[str, str] = {}
    for label in labels:
        code = ""
        while not code or code in found.values():
            code = rng.choice(_CONSONANTS) + rng.choice("aeiou") + rng.choice(_CONSONANTS)
        found[label] = code
    return found


def value_of(targets: Targets, *, several: bool) -> Value:
    """The value of a row of a task.

    Args:
        targets: Its targets.
        several: Whether acceptable texts are answers of their own; else they are spellings of one.
    """
    match targets:
        case AnyOf(answers):
            return Value(tuple((text,) for text in answers) if several else (answers,))
        case Items(alternatives):
            joined = tuple((targets.separator.join(one) or targets.empty,) for one in alternatives)
            return Value(joined, alternatives)
        case Structure(alternatives):
            return Value(tuple((text,) for text in alternatives))
        case _:
            return Value(((targets.canonical(),),))


PREFIX = "weave."
"""What stands before the names of operators on tasks in the registry of all operators."""
TASK, REQUIRED = "a task", "a value"
"""What slots hold that take a task, or a value that must be given; the others hold the default of a value."""
VALUE = "value"
"""What a leaf is that is no task: the answer that is looked for, a number of cases."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NO_LAWS = Laws()
_OF_IT = re.compile(r"the ((?:\w+ )?\w+) of \{it\}")


class OperatorWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `operators.toml` says of an operator: the fields of its record that are data, and its texts."""

    about: str
    title: str | None = None
    titled: str | None = None
    slots: dict[str, str] = msgspec.field(default_factory=lambda: {"task": TASK})
    takes: tuple[str, ...] = ()
    divides: str | None = None
    nature: Nature = "thing"
    example: tuple[str, ...] = ()
    step: str = ""
    form: str = ""
    use: str = ""
    written: tuple[str, ...] = ()
    gives: dict[str, str | tuple[str, ...]] = {}

    def record(self, word: str) -> dict[str, Any]:
        keys = ("about", "slots", "takes", "divides", "title", "titled")
        return {"name": PREFIX + word, **{key: getattr(self, key) for key in keys}}

    def named(self, values: Sequence[str]) -> dict[str, str]:
        """The values of slots that take no task, by their names, and the article of the last."""
        found = dict(zip((slot for slot, default in self.slots.items() if default != TASK), values, strict=True))
        return {**found, "article": article(values[-1]) if values else ""}


def article(noun: str) -> str:
    """The article before a noun, with its blank."""
    return "an " if noun[:1] in "aeiou" else "a "


@cache
def _all_words() -> dict[str, OperatorWords]:
    return read_toml(Path(__file__).with_name("operators.toml"), type=dict[str, OperatorWords])


def words_of(word: str) -> OperatorWords:
    """What is said of an operator that Taskloom brings along."""
    return _all_words()[word]


def is_value(node: Expression) -> bool:
    """Whether an argument is a plain value, not a task."""
    return isinstance(node, Atom) and node.language == VALUE


def values_of(arguments: Sequence[Expression]) -> tuple[str, ...]:
    """The arguments that are no tasks, as they are written."""
    return tuple(one.name for one in arguments if isinstance(one, Atom) and one.language == VALUE)


@dataclass(frozen=True, kw_only=True)
class Outline:
    """What is known of an expression before any item is drawn: its type, and its instruction in pieces.

    Attributes:
        type: What kind of answer it gives: word, text, number, label, list, cases, slots or formed.
        noun: What the answer is called: "place".
        labels: The closed set of answers, where there is one.
        language: The language of the answer.
        spoken: The language of the instruction; operators speak English alone.
        whole: The whole instruction of the item, where it stands alone.
        used: What is given and asked, in whole sentences, where the answer is used and not written.
        lead: How the sentence begins that goes on to the steps: "Find the place, then", "Then"; with "Given",
            the first step begins it.
        steps: What to do with the answer, one clause each.
        notes: What to mind.
        form: How to write the answer.
        kind: The kind of answer of the woven task.
        scorer: Its scorer; "" for that of the kind.
        writes: Whether what it says where the answer is used still tells to write it down, as part of the task.
        sections: What its input is divided into: cases, parts, or neither.
        leaves: How many items of tasks it holds at least; 1 where each item asks about one input.
    """

    type: str
    noun: str
    whole: str
    used: str
    form: str
    lead: str = "Then"
    labels: tuple[str, ...] = ()
    language: str = "English"
    spoken: str = "English"
    steps: tuple[str, ...] = ()
    notes: str = ""
    kind: str = "text"
    scorer: str = ""
    writes: bool = False
    sections: frozenset[str] = frozenset()
    leaves: int = 1

    @property
    def key(self) -> str:
        """The key under which the answer stands in an object; readers take "answer" and "result" for their own."""
        key = self.noun.split()[0]
        return key if key not in ("answer", "result") else "solution"

    @property
    def words(self) -> dict[str, str]:
        """What the texts of an operator on the answer may call it."""
        it = "the result" if self.steps else "it" if self.lead.startswith("Find") else f"the {self.noun}"
        codes = ", ".join(f"{code} for {label}" for label, code in label_codes(self.labels).items())
        it = "the list of their numbers" if self.type == "cases" else it
        it = "them" if it == "it" and self.type == "list" else it
        return {"it": it, "noun": self.noun, "key": self.key, "codes": codes}

    def after(self, step: str, values: Mapping[str, str] | None = None, form: str = "", **changes: Any) -> Outline:
        """The outline with one more step; its texts may hold {it}, {noun} and the names of values."""
        words = {**self.words, **(values or {})}
        said = (_OF_IT.sub(r"its \1", step) if words["it"] == "it" else step).format_map(words)
        changed = replace(self, steps=(*self.steps, said), form=form.format_map(words), writes=False, **changes)
        return replace(changed, whole=f"{changed.said} {changed.form}".strip())

    def noted(self, note: str) -> Outline:
        """The outline with a further sentence about the input, which is said once."""
        between = "\n" if "part" in self.sections else " "
        notes = f"{self.notes} {note}".strip()
        return self if note in self.notes else replace(self, notes=notes, whole=f"{self.whole}{between}{note}")

    @property
    def said(self) -> str:
        """What to do, without how to write the answer."""
        steps = ", then ".join(self.steps)
        steps = f"{steps[:1].upper()}{steps[1:]}." if self.lead == "Given" else f"{self.lead} {steps}."
        return " ".join(filter(None, (self.used, self.notes, steps if self.steps else ""))).replace("\n ", "\n")


@dataclass(frozen=True, slots=True)
class Woven:
    """One item of a task or an expression.

    Attributes:
        input: The text that is asked about.
        value: Its right answers.
        trace: How the answer comes about, in a few words each.
        targets: The targets of the task itself, where its answer is unchanged.
        slots: The values of several answers that are given together.
    """

    input: str
    value: Value
    trace: tuple[str, ...]
    targets: Targets | None = None
    slots: tuple[Value, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TaskOperator(Operator, ABC):
    """What every operator on tasks has.

    Attributes:
        slots: Its arguments in order: `TASK`, or the default of a plain value (`REQUIRED` where it must be given).
        takes: The types of answers that each task among its arguments may have; empty for any.
        divides: What it divides its input into, "case" or "part"; no task in it may do so too.
        outline: The outlines of the arguments that are tasks, and the other arguments, to that of the whole.
        about: One line for lists.
        title: What a claim calls it on a given answer: "capitals"; None for its name.
        titled: What a claim calls it on tasks {0}, {1} …; None for "capitals of {0}".
        on_given: Whether it can be done with a given answer, which is then one of its parts.
    """

    slots: Mapping[str, str] = field(default_factory=lambda: {"task": TASK})
    takes: tuple[str, ...] = ()
    divides: str | None = None
    outline: Callable[..., Outline] = MISSING
    about: str = MISSING
    title: str | None = None
    titled: str | None = None
    on_given: bool = True
    arity: tuple[int, int | None] = (1, None)
    types: Any = lambda name, given: Signature("task", "any")
    laws: Laws = _NO_LAWS
    facet: str = "weave"
    example: Any = ()

    @property
    def summary(self) -> str:
        return f"{self.usage}: {self.about}"

    @property
    def usage(self) -> str:
        """How it is written."""
        plain = (TASK, REQUIRED)
        shown = [name if default in plain else f"{name}={default}" for name, default in self.slots.items()]
        return f"{self.word}({', '.join(shown)})"

    @property
    def word(self) -> str:
        return self.name.removeprefix(PREFIX)

    @abstractmethod
    def weave(self, draw: Draw, arguments: tuple[Expression, ...]) -> Woven | None:
        """One item; None where its answer would be ambiguous."""

    def _prove(self) -> None:
        if not self.name.startswith(PREFIX):
            raise UserError(f"an operator on tasks is called {PREFIX}NAME, not {self.name!r}", where="operator")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnswerOperator(TaskOperator):
    """An operator on the answer of a task.

    Attributes:
        nature: How it acts on spellings (`taskloom.weave.records`).
        act: A spelling, and the values of the other slots, to its image; None where there is none.
        whole: In place of `act`, what becomes of a value, for operators that look at more than a spelling.
    """

    nature: Nature = MISSING
    act: Callable[..., str | None] = lambda text: text
    whole: Callable[[Value, Outline], Value | None] | None = None
    example: tuple[str, ...] = MISSING

    def apply(self, value: Value, inner: Outline, given: tuple[str, ...]) -> Value | None:
        if self.whole is not None:
            return self.whole(value, inner)
        return value.image(lambda text: self.act(text, *given), self.nature)

    def weave(self, draw: Draw, arguments: tuple[Expression, ...]) -> Woven | None:
        inner = draw.item(arguments[0])
        if inner is None:
            return None
        value = self.apply(inner.value, draw.loom.outline(arguments[0]), values_of(arguments))
        return None if value is None else Woven(inner.input, value, (*inner.trace, value.canonical))

    def _prove(self) -> None:
        super()._prove()
        given, *values, wanted = self.example
        lists = (tuple(given.split(", ")),) if "list" in self.takes else ()
        outline = Outline(type="label", noun="answer", whole="", used="", form="", labels=(given, "other"))
        found = self.apply(Value(((given,),), lists), outline, tuple(values))
        if found is None or found.canonical != wanted:
            said = found and found.canonical
            raise UserError(f"{self.name} gives {said!r} for its example, not {wanted!r}", where=type(self).__name__)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ItemsOperator(TaskOperator):
    """An operator that draws the items it needs: several of a task, those of several tasks, or one to be changed.

    Attributes:
        make: The draw, the tasks and the values to an item; None where the answer would be ambiguous.
    """

    make: Callable[..., Woven | None] = MISSING

    def weave(self, draw: Draw, arguments: tuple[Expression, ...]) -> Woven | None:
        return self.make(draw, *(one for one in arguments if not is_value(one)), *values_of(arguments))
