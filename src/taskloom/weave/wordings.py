"""Transforms of the instruction that leave items and answers as they are: other words for it, or another language."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_toml
from taskloom.core.definition import SENTENCES
from taskloom.weave.records import ItemsOperator, Outline, Woven, words_of

if TYPE_CHECKING:
    from taskloom.algebra import Expression
    from taskloom.weave.draw import Draw

__all__ = ["PARAPHRASED", "TRANSLATED", "explained"]


class _Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file `wordings.toml`."""

    explained: dict[str, tuple[str, str, str]]
    wordings: dict[str, tuple[tuple[str, str, str], ...]]


@cache
def _wordings() -> _Wordings:
    return read_toml(Path(__file__).with_name("wordings.toml"), type=_Wordings)


@cache
def _patterns() -> list[tuple[re.Pattern[str], str, str]]:
    """Every known sentence as a pattern, with its other words and its Spanish."""
    found = []
    for english, *others in _wordings().wordings["sentences"]:
        pattern = re.sub(r"\\\{(\w)\\\}", r"(?P<\1>.+)", re.escape(english))
        other, spanish = (re.sub(r"\{(\w)\}", r"\\g<\1>", text) for text in others)
        found.append((re.compile(pattern), other, spanish))
    return found


def explained(language: str) -> tuple[str, str, str]:
    """What worked examples say in a language: of a right answer, of a wrong one, and what joins steps."""
    return _wordings().explained[language]


def _said(text: str, place: int) -> str:
    """A text sentence by sentence in other words (0) or in Spanish (1)."""
    said = []
    for sentence in SENTENCES.split(text) if text else ():
        fitting = ((found, others[place]) for pattern, *others in _patterns() if (found := pattern.fullmatch(sentence)))
        found, other = next(((found, other) for found, other in fitting if other), (None, ""))
        if found is None:
            raise UserError(f"no other words are known for {sentence!r}", hint="a task of weave/atlas or babi")
        said.append(found.expand(other))
    return " ".join(said)


def _paraphrased(inner: Outline) -> Outline:
    used, notes, form, whole = (_said(text, 0) for text in (inner.used, inner.notes, inner.form, inner.whole))
    return replace(inner, used=used, notes=notes, form=form, whole=whole)


def _translated(inner: Outline, language: str) -> Outline:
    return replace(inner, whole=_said(inner.whole, 1), spoken=language)


def _unchanged(draw: Draw, task: Expression, *values: str) -> Woven | None:
    return draw.item(task)


PARAPHRASED, TRANSLATED = (
    ItemsOperator(**words_of(word).record(word), make=_unchanged, outline=outline, on_given=False)
    for word, outline in (("paraphrased", _paraphrased), ("translated", _translated))
)
