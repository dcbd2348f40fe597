"""The operators that draw their items: on several cases, on parts of different tasks, and on what is shown.

Their words are in `operators.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from taskloom.algebra import Expression, Node
from taskloom.core import Items, Product, Targets, UserError
from taskloom.weave.atoms import tag_of
from taskloom.weave.records import (
    NUMBERS,
    AnswerOperator,
    ItemsOperator,
    OperatorWords,
    Outline,
    Value,
    Woven,
    article,
    label_codes,
    number_of,
    values_of,
    words_of,
)

if TYPE_CHECKING:
    from taskloom.weave.draw import Draw

_NONE = "none"
_MARKS = "~^#*"
_BREAK = "\n"


# -- words -------------------------------------------------------------------------------------------------


def _divided(said: OperatorWords, tasks: Sequence[Outline], head: Callable[[str, bool], str], **more: Any) -> Outline:
    """An outline of several items; `head` puts what is asked of all of them and what each of them asks together."""
    fields = {
        "labels": (),
        "steps": (),
        "notes": "",
        "lead": "Then",
        "scorer": "",
        "writes": False,
        **more,
        **said.gives,
    }
    sections = frozenset({said.divides or ""}).union(*(one.sections for one in tasks))
    return replace(
        tasks[-1], used=head(said.use or said.form, False), whole=head(said.form, True), form="", sections=sections,
        **fields,
    )  # fmt: skip


def _lowered(text: str) -> str:
    """A text that goes on after a comma."""
    first, _, _ = text.partition(" ")
    return text if len(first) > 1 and first.isupper() else text[:1].lower() + text[1:]


def _quoted(inner: Outline, answer: str) -> str:
    return answer if inner.type == "number" else f"'{answer}'"


def _cases_outline(said: OperatorWords, inner: Outline, *values: str) -> Outline:
    named = said.named(values)
    order = "from the smallest to the largest" if inner.type == "number" else "in alphabetical order"
    words = {"noun": inner.noun, "order": order, "answer": _quoted(inner, named.get("answer", ""))}
    number = int(named["of"])
    cases = f"There are {NUMBERS[number]} cases. In each case, {_lowered(inner.said)}"
    between = "" if cases.endswith("\n") else " "
    if inner.writes and "answer" in named:
        between += "Do not write this down. "
    return _divided(said, [inner], lambda text, _: f"{cases}{between}{text.format_map(words)}", leaves=number)


def _parts_outline(said: OperatorWords, *given: Any) -> Outline:
    """Parts of different tasks: what is done with them, then what each asks; parts that ask the same share a line."""
    tasks = [one for one in given if isinstance(one, Outline)]
    first, *_, last = tasks
    answer = next((one for one in given if one and isinstance(one, str)), first.labels[0] if first.labels else "")
    other = "that" if last.noun == first.noun else f"the {last.noun}"
    words = {"noun": first.noun, "other": other, "answer": _quoted(first, answer)}

    def head(text: str, whole: bool) -> str:
        lines: dict[str, list[str]] = {}
        for name, outline in zip("ABC", tasks, strict=False):
            lines.setdefault(outline.whole if whole and name in said.written else outline.said, []).append(name)
        parts = [f"Part{'s' * (len(names) > 1)} {' and '.join(names)}: {text}" for text, names in lines.items()]
        return "\n".join([text.format_map(words), *parts, *([""] if not whole else [])])

    branches = tasks[1:]
    alike = {
        field: getattr(last, field) if len({getattr(one, field) for one in branches}) == 1 else "text"
        for field in ("type", "kind")
    }
    return _divided(said, tasks, head, leaves=len(tasks), **alike)


def _same_outline(said: OperatorWords, first: Outline, second: Outline) -> Outline:
    if first.type != second.type or (first.labels and set(first.labels).isdisjoint(second.labels)):
        raise UserError("the answers of the two tasks are of different kinds, so they are never the same")
    return _parts_outline(said, first, second)


def _operator(
    word: str, make: Callable[..., Woven | None], outline: Callable[..., Outline], **fields: Any
) -> ItemsOperator:
    said = words_of(word)
    return ItemsOperator(**said.record(word), make=make, outline=partial(outline, said), **fields)


# -- cases -------------------------------------------------------------------------------------------------


def _together(
    items: Sequence[Woven],
    value: Value,
    targets: Targets | None = None,
    slots: tuple[Value, ...] = (),
    name: str = "Case",
) -> Woven:
    """Items under their names, short ones on the same line."""
    named = list(zip("ABC" if name == "Part" else range(1, len(items) + 1), items, strict=False))
    text = "\n\n".join(f"{name} {mark}:{_BREAK if _BREAK in one.input else ' '}{one.input}" for mark, one in named)
    said = "; ".join(f"{name.lower()} {mark}: {one.value.canonical}" for mark, one in named)
    return Woven(text, value, (said,) if slots else (said, value.canonical), targets, slots)


def _numbers(places: Sequence[int], *, ordered: bool = False) -> tuple[Value, Items]:
    members = tuple(map(str, places))
    return Value(((", ".join(members) or _NONE,),), (members,)), Items((members,), ordered=ordered, empty=_NONE)


def _with_answer(found: Callable[[list[int]], tuple[Value, Items | None]]) -> Callable[..., Woven | None]:
    """Cases of which a random number have an answer, in random order, and what is asked of those."""

    def make(draw: Draw, task: Expression, answer: str, of: str) -> Woven | None:
        number = int(of)
        share = draw.rng.randint(0, number)
        wanted = [place < share for place in range(number)]
        draw.rng.shuffle(wanted)
        items = draw.apart([draw.item(task, partial(_holds, answer, want)) for want in wanted])
        places = [place for place, holds in enumerate(wanted, 1) if holds]
        return None if items is None else _together(items, *found(places))

    return make


def _holds(answer: str, wanted: bool, value: Value) -> bool:
    return value.matches(answer) is wanted


def _joined(items: list[Woven] | None, name: str) -> Woven | None:
    """Answers side by side, each in a slot of its own."""
    slots = tuple(one.value for one in items or ())
    if not items or any(";" in text for value in slots for text in value.texts):
        return None
    targets = Product(tuple(value.texts for value in slots), separator="; ")
    return _together(items, Value(((targets.canonical(),),)), targets, slots, name=name)


def _map(draw: Draw, task: Expression, of: str) -> Woven | None:
    return _joined(draw.apart([draw.item(task) for _ in range(int(of))]), "Case")


def _sort(draw: Draw, task: Expression, of: str) -> Woven | None:
    items = draw.apart([draw.item(task) for _ in range(int(of))])
    read: Callable[[str], Any] = number_of if draw.loom.outline(task).type == "number" else str.lower
    keys = [{read(text) for text in one.value.texts} for one in items or ()]
    if not items or any(len(key) > 1 or None in key for key in keys) or len({*map(frozenset, keys)}) < len(keys):
        return None
    order = sorted(range(len(items)), key=lambda place: next(iter(keys[place])))
    return _together(items, *_numbers([place + 1 for place in order], ordered=True))


WHICH: Final = _operator("which", _with_answer(_numbers), _cases_outline)
COUNT: Final = _operator("count", _with_answer(lambda places: (Value(((str(len(places)),),)), None)), _cases_outline)
FIRST: Final = _operator(
    "first", _with_answer(lambda places: (Value(((str(places[0]) if places else _NONE,),)), None)), _cases_outline
)
MAP: Final = _operator("map", _map, _cases_outline)
SORT: Final = _operator("sort", _sort, _cases_outline)


# -- parts -------------------------------------------------------------------------------------------------


def _both(draw: Draw, first: Expression, second: Expression) -> Woven | None:
    return _joined(draw.apart([draw.item(first), draw.item(second)]), "Part")


def _same(draw: Draw, first: Expression, second: Expression) -> Woven | None:
    one, wanted = draw.item(first), draw.rng.random() < 0.5
    other = one and draw.item(second, lambda value: value.equals(one.value) is wanted)
    items = draw.apart([one, other])
    return None if items is None else _together(items, Value((("yes" if wanted else "no",),)), name="Part")


def _chosen(
    turned: bool, draw: Draw, condition: Expression, chosen: Expression, other: Expression, answer: str
) -> Woven | None:
    answer = answer or draw.loom.outline(condition).labels[0]
    wanted = draw.rng.random() < 0.5
    items = draw.apart([draw.item(condition, partial(_holds, answer, wanted)), draw.item(chosen), draw.item(other)])
    # Where both branches have the same answer, nothing shows which of them was taken.
    if items is None or items[1].value.equals(items[2].value) is not False:
        return None
    taken = items[1 if wanted is not turned else 2]
    laid = _together(items, taken.value, name="Part")
    return replace(taken, input=laid.input, trace=laid.trace)


BOTH: Final = _operator("both", _both, _parts_outline)
SAME: Final = _operator("same", _same, _same_outline)
IF: Final = _operator("if", partial(_chosen, False), _parts_outline)
UNLESS: Final = _operator("unless", partial(_chosen, True), _parts_outline)


# -- one item ----------------------------------------------------------------------------------------------


def _repeated(draw: Draw, task: Expression, times: str) -> Woven | None:
    assert isinstance(task, Node) and isinstance(task.record, AnswerOperator)
    item = draw.item(task.arguments[0])
    inner = draw.loom.outline(task.arguments[0])
    for _ in range(int(times)):
        value = item and task.record.apply(item.value, inner, values_of(task.arguments))
        item = Woven(item.input, value, (*item.trace, value.canonical)) if item and value else None
    return item


def _repeat_outline(said: OperatorWords, inner: Outline, times: str) -> Outline:
    *before, last = inner.steps
    often = "twice" if times == "2" else f"{NUMBERS[int(times)]} times"
    repeated = replace(inner, steps=(*before, last + said.step.format(times=often)))
    return replace(repeated, whole=f"{repeated.said} {repeated.form}")


def _given(draw: Draw, task: Expression) -> Woven | None:
    item, noun = draw.item(task), draw.loom.outline(task).noun
    if item is None:
        return None
    told = item.value.canonical
    # Six places are six inputs: a number tells items apart, and keeps those of different lanes apart.
    note = f"Note {tag_of(item.input)}. {noun[:1].upper()}{noun[1:]}: {told}"
    return Woven(note, Value(((told,),), item.value.lists[:1]), (told,), item.targets)


def _given_outline(said: OperatorWords, inner: Outline) -> Outline:
    several = inner.type in ("list", "slots", "cases") and inner.noun.endswith("s")
    words = {"article": "" if several else article(inner.noun), "noun": inner.noun}
    used, form = (text.format_map(words) for text in (said.use, said.form))
    return replace(
        inner, used=used, whole=f"{used} {form}", form=form, notes="", lead="Given", steps=(), leaves=1,
        sections=frozenset(),
    )  # fmt: skip


def _rate(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise UserError(f"a rate is a share of the blanks, above 0 and up to 1, not {text!r}", where="rate")
    return share


def _noisy(draw: Draw, task: Expression, rate: str) -> Woven | None:
    item = draw.item(task)
    if item is None or any(mark in item.input for mark in _MARKS):
        return None
    share = _rate(rate)
    marked = re.sub(" ", lambda _: f" {draw.rng.choice(_MARKS)} " if draw.rng.random() < share else " ", item.input)
    return replace(item, input=marked)


def _noise_outline(said: OperatorWords, inner: Outline, rate: str) -> Outline:
    _rate(rate)
    return inner.noted(said.use)


def _relabelled(draw: Draw, task: Expression) -> Woven | None:
    item = draw.item(task)
    value = item and item.value.image(label_codes(draw.loom.outline(task).labels).get, "thing")
    return Woven(item.input, value, (*item.trace, value.canonical)) if item and value else None


def _relabel_outline(said: OperatorWords, inner: Outline) -> Outline:
    codes = label_codes(inner.labels)
    if not codes or not all(f"'{label}' if" in inner.whole for label in codes):
        raise UserError("relabel takes a task whose definition says when each of its labels is right", where="relabel")
    used, whole, form = (
        re.sub(r"'([\w-]+)'", lambda found: f"'{codes.get(found[1], found[1])}'", text)
        for text in (inner.used, inner.whole, inner.form)
    )
    return replace(inner, used=used, whole=whole, form=form, labels=tuple(codes.values()))


REPEAT: Final = _operator("repeat", _repeated, _repeat_outline)
GIVEN: Final = _operator("given", _given, _given_outline)
NOISE: Final = _operator("noise", _noisy, _noise_outline)
RELABEL: Final = _operator("relabel", _relabelled, _relabel_outline, on_given=False)
