"""Output forms as kinds of answers, graded in content and form; and answers that stand side by side, slot by slot."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from taskloom.core import AnyOf, Kind, Product, Targets, Task
from taskloom.core.decode import decode_json
from taskloom.core.errors import UserError
from taskloom.core.scorer import Score, Scorer
from taskloom.core.targets import acceptable_texts
from taskloom.score.match import clean, loose

_FENCES = "` \n"


class FormedMatch(Scorer, frozen=True):
    """1 if the answer is right and written in the form that was asked for; the details grade the two apart."""

    name: ClassVar[str] = "formed"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        right = acceptable_texts(targets)
        said, wanted = _content(answer), {_content(text) for text in right}
        content = said in wanted
        form = _written(answer) == _written(right[0])
        return Score(float(content and form), {"content": float(content), "form": float(form)})


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = decode_json(text.strip(_FENCES).removeprefix("json").encode("utf-8", "replace"), where="the answer")
    except (UserError, ValueError, OverflowError):
        return None
    return value if isinstance(value, dict) else None


def _content(text: str) -> str:
    """What an answer says, apart from its form."""
    value = _object(text)
    if value is not None and len(value) == 1:
        text = json.dumps(found) if isinstance(found := next(iter(value.values())), list) else str(found)
    return loose(text)


def _written(text: str) -> str | None:
    """The form of an answer: an object with its key, quotes, capitals; None for none of them."""
    text = text.strip()
    value = _object(text)
    if value is not None:
        return "object " + ", ".join(value)
    if len(text) > 2 and text[0] == text[-1] == '"':
        return "quoted"
    return "capitals" if text.isupper() else None


class SlotMatch(Scorer, frozen=True):
    """1 if every slot is right; the details say which are, and their share."""

    name: ClassVar[str] = "slots"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        if not isinstance(targets, Product):
            return Score(float(loose(answer) == loose(targets.canonical())))
        said = [_bare(piece) for piece in answer.replace("\n", ";").split(";") if piece.strip()]
        right = [
            float(place < len(said) and said[place] in {loose(text) for text in slot})
            for place, slot in enumerate(targets.slots)
        ]
        whole = all(right) and len(said) == len(targets.slots)
        return Score(float(whole), {"slots": right, "share": sum(right) / len(right)})


def _bare(piece: str) -> str:
    """The answer of a slot without the name of its case or part."""
    head, colon, rest = piece.partition(":")
    named = loose(head).split()
    if colon and len(named) in (1, 2) and (named[0] in ("case", "part", "a", "b", "c") or named[0].isdecimal()):
        piece = rest
    return loose(piece)


def _text(text: str, task: Task) -> str | None:
    return clean(text) or None


def _form(name: str, instruct: str, samples: dict[str, str | None], marks: str = "") -> Kind:
    return Kind(
        name=name, instruct=instruct, parse=_text, schema={"type": "string"}, targets=(AnyOf,),
        samples=samples, normalise=lambda text, task: clean(text), scorer="formed", marks=marks,
    )  # fmt: skip


def _parse_object(text: str, task: Task) -> str | None:
    value = _object(text)
    return None if value is None else json.dumps(value, ensure_ascii=False)


CAPITALS = _form("capitals", "Answer in capital letters.", {"KITCHEN": "KITCHEN", "": None})
QUOTED = _form("quoted", "Answer in double quotes.", {'"kitchen"': '"kitchen"', "": None}, '"')
JSON_OBJECT = Kind(
    name="json-object", instruct="Answer with a JSON object that has one key.", parse=_parse_object,
    schema={"type": "object"}, targets=(AnyOf,), samples={'{"place": "hall"}': '{"place": "hall"}', "hall": None},
    normalise=lambda text, task: clean(text), scorer="formed", structured=True, lines=True,
)  # fmt: skip
SLOTS = Kind(
    name="slots", instruct="Answer with the answers in their order, separated by semicolons.", parse=_text,
    schema={"type": "string"}, targets=(Product,), samples={"hall; 3": "hall; 3", "": None},
    normalise=lambda text, task: loose(text), scorer="slots", lines=True, graded=True, joined=True,
)  # fmt: skip
FORMED: Scorer = FormedMatch()
SLOT_BY_SLOT: Scorer = SlotMatch()
