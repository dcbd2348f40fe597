"""The protocols and the choice between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from taskloom.core import Recipe, Task, UserError, unknown_name
from taskloom.core.decode import read_toml
from taskloom.core.encoding import Encoding, make_encoding
from taskloom.core.model import Model
from taskloom.protocol.formats import FORMS
from taskloom.protocol.instruct import InstructedEncoding
from taskloom.protocol.wordings import wordings


class Protocol(Recipe, frozen=True, kw_only=True):
    """How a kind of model is asked.

    Attributes:
        name: What it is called.
        summary: Who it is for, in one line.
        encoding: The encoding of prompts.
        encoding_options: Its options.
        format: Append the answer format to the definition.
        form: The form in which answers are asked for and shown in examples: "line", "schema" or "" (none).
        reader: The strict reader; None for each task's own.
        headline: The reading that counts.
        generation: Settings of generation.
        ends: An answer ends where the example answers end (`ends_of`).
    """

    name: str
    summary: str
    encoding: str = "plain"
    encoding_options: dict[str, Any] = {}
    format: bool = False
    form: str = ""
    reader: str | None = None
    headline: Literal["strict", "lenient"] = "strict"
    generation: dict[str, Any] = {}
    ends: bool = False

    def settings(self, tasks: Iterable[Task]) -> dict[str, Any]:
        """Settings of generation for these tasks."""
        return {**self.generation, "stop": ends_of(tasks)} if self.ends else self.generation

    def make(self, count: int = 1, seed: int = 0) -> Encoding:
        """The encoding of this protocol, with `count` wordings.

        Raises:
            UserError: Wordings of an instruction that the encoding does not show.
        """
        encoding = make_encoding(self.encoding, self.encoding_options)
        if wordings(count) > 1 and not getattr(encoding, "definition", True):
            raise UserError(
                f"protocol {self.name} shows no instruction to reword",
                where=f"--wordings {count}",
                hint="--protocol chat or --protocol base",
            )
        if not self.format and not self.form and count == 1:
            return encoding
        return InstructedEncoding(inner=encoding, wordings=count, seed=seed, format=self.format, form=self.form)

    def describe(self) -> dict[str, Any]:
        """Name and parts, for plans."""
        parts: dict[str, Any] = msgspec.to_builtins(self)
        for name in ("summary", *(["ends"] if not self.ends else [])):
            del parts[name]
        return parts


_LISTED = read_toml(Path(__file__).with_name("protocols.toml"), type=dict[str, tuple[Protocol, ...]])
PROTOCOLS = {protocol.name: protocol for protocol in _LISTED["protocols"]}

_PAPER = {"zest": "zest", "superni": "superni/def-pos2"}
_NATURES = {
    "chat": ("chat", "it is asked in messages"),
    "base": ("base", "it was pretrained and not instructed"),
    "classifier": ("fitted", "it is a classifier"),
    "memory": ("fitted", "it is a memory network"),
    "span": ("fitted", "it answers with a span of its input"),
    "baseline": ("bare", "it reads the row itself, not the prompt"),
}
_SHOWING = frozenset({"chat", "base"})
"""The protocols that show examples in a form."""
_FITTING = frozenset({"finetune", "lora", "prompt-tune"})


def ends_of(tasks: Iterable[Task]) -> list[str]:
    """The string that ends an answer: the shortest of a line's end and a blank line that no example answer holds.

    A blank line where no example is shown; none where examples hold blank lines.
    """
    shown = [example.output.strip() for task in tasks for example in task.instruction.positive]
    ends = ("\n", "\n\n") if shown else ("\n\n",)
    return [end for end in ends if not any(end in output for output in shown)][:1]


class Choice(NamedTuple):
    """A protocol and why it was chosen; `overridden` names the parts that the user set."""

    protocol: Protocol
    reason: str
    overridden: tuple[str, ...] = ()

    def sentence(self) -> str:
        """For people, before a run."""
        parts = f", with another {' and '.join(self.overridden)}" if self.overridden else ""
        return f"protocol {self.protocol.name}: {self.reason}{parts}"

    def describe(self) -> dict[str, Any]:
        """For plans."""
        return {**self.protocol.describe(), "reason": self.reason, "overridden": list(self.overridden)}


_LISTS = "taskloom list protocols; --examples N puts solved examples into the prompt"


def protocol_named(name: str, family: str) -> Protocol:
    """The protocol of that name, with the family's own encoding where it is the paper's.

    Raises:
        UserError: No protocol of that name.
    """
    if name not in PROTOCOLS:
        raise unknown_name("protocol", name, [*PROTOCOLS, "auto"], hint=_LISTS)
    protocol = PROTOCOLS[name]
    if name == "paper":
        return msgspec.structs.replace(protocol, encoding=_PAPER.get(family, "plain"))
    return protocol


def choose(
    name: str,
    model: Model,
    adaptation: str,
    family: str,
    *,
    encoding: str | None = None,
    encoding_options: Mapping[str, Any] | None = None,
    trained_with: Mapping[str, Any] | None = None,
    examples: int | None = None,
    form: str | None = None,
) -> Choice:
    """The protocol for a model, with the parts that were set otherwise.

    Args:
        name: A protocol, or "auto" to choose by what the model is.
        model: Who is asked.
        adaptation: The adaptation of this run.
        family: The family of the suite, whose paper may have an encoding of its own.
        encoding: An encoding instead of the protocol's; with "auto" nothing is added to it.
        encoding_options: Options of the encoding.
        trained_with: The description of the encoding that an adapted model was trained with.
        examples: Show this many of the instruction's solved examples instead of the protocol's.
        form: Ask for another form of answers than the protocol's ("none" for none).

    Raises:
        UserError: No protocol of that name, or one that asks in its own way.
    """
    if name != "auto":
        protocol_named(name, family)
    if name == "auto" and encoding is not None:
        return _custom(encoding, encoding_options or {}, family)
    chosen, reason = (name, "it was asked for") if name != "auto" else _automatic(model, adaptation, trained_with)
    protocol = protocol_named(chosen, family)
    if chosen == "fitted" and trained_with is not None:
        protocol = msgspec.structs.replace(protocol, **_trained(trained_with))
    overridden = []
    if encoding is not None and encoding != protocol.encoding:
        protocol = msgspec.structs.replace(protocol, encoding=encoding, encoding_options={})
        overridden.append("encoding")
    if encoding_options:
        options = {**protocol.encoding_options, **encoding_options}
        protocol = msgspec.structs.replace(protocol, encoding_options=options)
        overridden.append("encoding option")
    if protocol.name not in _SHOWING and (examples is not None or form is not None):
        wish = "--form" if examples is None else "--examples"
        raise UserError(f"protocol {protocol.name} has no form to change", where=wish, hint="--protocol chat or base")
    if examples is not None:
        if examples < 0:
            raise UserError(f"{examples} examples cannot be shown", where="--examples", hint="0, 1 or 2")
        shown = {**protocol.encoding_options, "positive": examples}
        protocol = msgspec.structs.replace(protocol, encoding_options=shown)
        overridden.append("number of examples")
    if form is not None:
        if form not in (*FORMS[1:], "none"):
            raise unknown_name("form", form, [*FORMS[1:], "none"], where="--form")
        protocol = msgspec.structs.replace(protocol, form="" if form == "none" else form)
        overridden.append("form")
    return Choice(protocol, reason, tuple(overridden))


def _custom(encoding: str, options: Mapping[str, Any], family: str) -> Choice:
    """An encoding that was asked for, with nothing added to it."""
    protocol = Protocol(name="custom", summary="", encoding=encoding, encoding_options=dict(options))
    reason = f"the encoding {encoding} was asked for"
    if encoding.partition("/")[0] == "superni" and family != "superni":
        # Its examples end in a full stop, which other families' scorers would take for a part of the answer.
        protocol = msgspec.structs.replace(protocol, headline="lenient")
        reason += "; its examples end in a full stop, so the lenient reading counts"
    return Choice(protocol, reason)


def _automatic(model: Model, adaptation: str, trained_with: Mapping[str, Any] | None) -> tuple[str, str]:
    if adaptation in _FITTING:
        return "fitted", f"the model is adapted by {adaptation}"
    if trained_with is not None:
        return "fitted", "the model was adapted in another run"
    return _NATURES[model.nature]


def _trained(description: Mapping[str, Any]) -> dict[str, Any]:
    """Encoding and options from the description in the plan of the run that trained the model."""
    own = {key: value for key, value in description.items() if key not in ("name", "in_context", "instructed")}
    known = make_encoding(str(description["name"])).__struct_fields__
    return {
        "encoding": str(description["name"]),
        "encoding_options": {key: value for key, value in own.items() if key in known},
        "format": bool(description.get("instructed", {}).get("format", False)),
    }
