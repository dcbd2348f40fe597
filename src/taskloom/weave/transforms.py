"""Transforms of what is shown that leave the answer as it is: stray marks, and arbitrary symbols for labels."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from taskloom.core import UserError
from taskloom.weave.operators import label_codes
from taskloom.weave.records import TASK, InputTransform, Outline, Woven

if TYPE_CHECKING:
    from taskloom.algebra import Expression
    from taskloom.weave.draw import Draw

_MARKS = "~^#*"


def _noisy(draw: Draw, task: Expression, rate: str) -> Woven | None:
    item = draw.item(task)
    if item is None or any(mark in item.input for mark in _MARKS):
        return None
    share = _rate(rate)
    marked = re.sub(" ", lambda _: f" {draw.rng.choice(_MARKS)} " if draw.rng.random() < share else " ", item.input)
    return replace(item, input=marked)


def _rate(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise UserError(f"a rate is a share of the blanks, above 0 and up to 1, not {text!r}", where="rate")
    return share


def _with_note(inner: Outline, note: str) -> Outline:
    return replace(inner, used=f"{inner.used} {note}", whole=f"{inner.whole} {note}")


def _noise_outline(inner: Outline, rate: str) -> Outline:
    _rate(rate)
    return _with_note(inner, f"The marks {' '.join(_MARKS)} in the input mean nothing.")


NOISE: Final = InputTransform(
    name="weave.noise", about="the input with stray marks between words", slots={"task": TASK, "rate": "0.2"},
    make=_noisy, outline=_noise_outline,
)  # fmt: skip


def _quoted(label: str) -> str:
    return f"'{label}'"


def _relabelled(draw: Draw, task: Expression) -> Woven | None:
    item = draw.item(task)
    if item is None:
        return None
    value = item.value.image(label_codes(draw.outline(task).labels).get, "thing")
    return None if value is None else Woven(item.input, value, (*item.trace, value.canonical))


def _relabel_outline(inner: Outline) -> Outline:
    codes = label_codes(inner.labels)
    if not codes or not all(_quoted(label) in inner.whole for label in codes):
        raise UserError("relabel takes a task whose definition names its labels in quotes", where="relabel")

    def renamed(text: str) -> str:
        return re.sub(r"'([\w-]+)'", lambda found: _quoted(codes.get(found[1], found[1])), text)

    return replace(
        inner, used=renamed(inner.used), whole=renamed(inner.whole), form=renamed(inner.form),
        labels=tuple(codes.values()),
    )  # fmt: skip


RELABEL: Final = InputTransform(
    name="weave.relabel", about="the task with arbitrary symbols for its labels", takes=("label",),
    make=_relabelled, outline=_relabel_outline,
)  # fmt: skip
