"""Kinds of answers: how each is asked for, written, parsed and compared. One record each; a package can add its own.

A task names its kind, and all that handles its answers (prompts, readers, scorers, exports, forms
that people fill in) asks the record. Nothing asks which kind it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from taskloom.core.errors import UserError
from taskloom.core.registry import ROOM_RECORDS, Record, Registry
from taskloom.core.targets import Targets, acceptable_texts

if TYPE_CHECKING:
    from taskloom.core.task import Task

_MOST_COMPARED = 10_000
_REQUIRED = {
    "name": 'what tasks call it, "date"',
    "instruct": 'the sentence that asks for it, "Answer with a date, as YYYY-MM-DD."',
    "parse": "a function of a text and a task that gives the answer, or None where the text is no such answer",
    "schema": 'its JSON schema, {"type": "string"}',
    "targets": "the target shapes that its tasks use, (taskloom.AnyOf,)",
    "samples": 'texts with the answers that they are read as, {"2 May 1999": "1999-05-02", "soon": None}',
}


def _as_written(text: str, task: Task) -> str:
    return " ".join(text.split())


def _unchanged(text: str, task: Task) -> str:
    return text


@dataclass(frozen=True, kw_only=True)
class Kind(Record):
    """A kind of answer.

    Attributes:
        name: What tasks call it.
        instruct: The sentence that asks for such an answer: one text, texts by language ("en", "es" …), or a function
            of the task and a language.
        parse: A text that is nothing but an answer → the answer as scorers read it; None where it is not of this kind.
        schema: The JSON schema of an answer, or a function of the task.
        targets: The shapes of targets that its tasks use.
        samples: Texts with what `parse` makes of them: at least one answer, and a text that is none (None). Every kind
            is tested with its own.
        normalise: The form in which two spellings of one answer are equal.
        respell: Other spellings of an answer that a scorer may understand; by default the acceptable answers that are
            equal to it once both are normalised.
        write: How a text found elsewhere (a span of the input) is written as an answer of this kind.
        scorer: The scorer of tasks that name none.
        labels: The labels of tasks that name none.
        lines: Whether an answer may be written on several lines.
        span: Whether an answer may be a span of the input.
        graded: Whether an answer has parts that can be right on their own.
        joined: Whether an answer may have several members.
        structured: Whether an answer is a JSON value.
        marks: Marks around an answer that belong to it, and that readers therefore leave where they are.

    Example:
        >>> from datetime import date
        >>> from taskloom import AnyOf, Kind, register
        >>> def parse(text, task):
        ...     try:
        ...         return date.fromisoformat(text).isoformat()
        ...     except ValueError:
        ...         return None
        >>> iso_date = Kind(
        ...     name="iso-date",
        ...     instruct="Answer with a date, as YYYY-MM-DD.",
        ...     parse=parse,
        ...     schema={"type": "string", "format": "date"},
        ...     targets=(AnyOf,),
        ...     samples={"1999-05-02": "1999-05-02", "soon": None},
        ... )
        >>> register("kind.iso-date", iso_date)
    """

    sort: ClassVar[str] = "kind of answer"

    name: str = ""
    instruct: str | Mapping[str, str] | Callable[[Task, str], str] = ""
    parse: Callable[[str, Task], str | None] = None  # type: ignore[assignment]
    schema: Mapping[str, Any] | Callable[[Task], Mapping[str, Any]] = field(default_factory=dict)
    targets: tuple[type, ...] = ()
    samples: Mapping[str, str | None] = field(default_factory=dict)
    normalise: Callable[[str, Task], str] = _as_written
    respell: Callable[[str, Targets, Task], Iterable[str]] | None = None
    write: Callable[[str, Task], str] = _unchanged
    scorer: str = "kind"
    labels: tuple[str, ...] = ()
    lines: bool = False
    span: bool = False
    graded: bool = False
    joined: bool = False
    structured: bool = False
    marks: str = ""

    def __post_init__(self) -> None:
        for name, wanted in _REQUIRED.items():
            if not getattr(self, name):
                title = f"the kind of answer {self.name!r}" if self.name else "this kind of answer"
                raise UserError(f"{title} lacks {name}: {wanted}", where=f"kind.{self.name or 'NAME'}")
        if None not in self.samples.values() or not any(self.samples.values()):
            raise UserError(
                f"the samples of the kind {self.name!r} show one side only: give an answer, and a text that is none",
                where=f"kind.{self.name}: samples",
            )

    def prove(self) -> None:
        """Hold `parse` against the samples, and the shapes of targets against those that there are.

        Raises:
            UserError: They differ.
        """
        from taskloom.core.task import Instruction, Task

        shapes = get_args(Targets)
        if not isinstance(self.targets, tuple) or not set(self.targets) <= set(shapes):
            known = ", ".join(shape.__name__ for shape in shapes)
            raise UserError(
                f"the targets of the kind {self.name!r} are {self.targets!r}, not a tuple of target shapes",
                where=f"kind.{self.name}: targets",
                hint=f"targets=(taskloom.AnyOf,); there are {known}",
            )
        labels = self.labels or tuple(answer for answer in self.samples.values() if answer)
        task = Task("sample", Instruction("Answer."), "text", labels=labels)
        for text, wanted in self.samples.items():
            found = self.parse(text, task)
            if found != wanted:
                raise UserError(
                    f"the kind {self.name!r} reads its sample {text!r} as {found!r}, not as {wanted!r}",
                    where=f"kind.{self.name}: samples",
                )

    @property
    def summary(self) -> str:
        """What lists say of it: the texts of its samples that are answers."""
        read = [repr(text) for text, answer in self.samples.items() if answer is not None]
        return f"answers like {' and '.join(read[:2])}, scored by {self.scorer}"

    def sentence(self, task: Task, language: str = "en") -> str:
        """The sentence that asks for an answer, in a language where it is known, else in the first that is."""
        if isinstance(self.instruct, str):
            return self.instruct
        if isinstance(self.instruct, Mapping):
            return self.instruct.get(language) or next(iter(self.instruct.values()))
        return self.instruct(task, language)

    def keeps(self, text: str) -> bool:
        """Whether a text stands between marks that belong to the answer."""
        return bool(self.marks) and len(text) > 2 and text[0] == text[-1] and text[0] in self.marks

    def schema_of(self, task: Task) -> dict[str, Any]:
        """The JSON schema of an answer to a task."""
        return dict(self.schema(task) if callable(self.schema) else self.schema)

    def choices(self, task: Task) -> tuple[str, ...]:
        """The answers among which one is chosen, where its schema lists them."""
        return tuple(map(str, self.schema_of(task).get("enum", ())))

    def spellings(self, answer: str, targets: Targets, task: Task) -> Iterable[str]:
        """Spellings of an answer that scorers may understand where they do not understand the answer as it stands."""
        if self.respell is not None:
            return self.respell(answer, targets, task)
        said = self.normalise(answer, task)
        right = acceptable_texts(targets)[:_MOST_COMPARED]
        return (text for text in right if self.normalise(text, task) == said)


KINDS: Registry[Kind] = Registry("kind", ROOM_RECORDS["kind"])
