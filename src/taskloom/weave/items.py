"""Operators on several items and on control, and the handing over of an answer: records that draw and lay out items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from taskloom.algebra import Expression, Node
from taskloom.core import Items, Product, UserError
from taskloom.weave.atoms import tag_of
from taskloom.weave.definition import lowered
from taskloom.weave.records import TASK, AnswerOperator, ControlOfTasks, InputTransform, ItemsOperator, Outline, Woven
from taskloom.weave.values import Value, number_of

if TYPE_CHECKING:
    from taskloom.weave.draw import Draw

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MOST_CASES = len(_NUMBERS) - 1
_CASES = {"task": TASK, "answer": None, "of": "4"}
_SHORT = ("word", "number", "label", "text", "list")
_NONE = "none"


def cases_of(of: str) -> int:
    """How many cases are asked for.

    Raises:
        UserError: Not a number of cases that an item can have.
    """
    if not of.isdecimal() or not 2 <= int(of) <= _MOST_CASES:
        raise UserError(f"an item has 2 to {_MOST_CASES} cases, not {of}", where="of")
    return int(of)


def _laid_out(names: Sequence[str], inputs: Sequence[str]) -> str:
    """Inputs under their names; short ones on the same line."""
    return "\n\n".join(
        f"{name}:{chr(10) if chr(10) in text else ' '}{text}" for name, text in zip(names, inputs, strict=True)
    )


def _cases(items: Sequence[Woven]) -> str:
    return _laid_out([f"Case {place}" for place in range(1, len(items) + 1)], [one.input for one in items])


def _said(items: Sequence[Woven], name: Callable[[int], str]) -> tuple[str, ...]:
    return ("; ".join(f"{name(place)}: {one.value.canonical}" for place, one in enumerate(items)),)


def _each(inner: Outline, of: str, form: str, use: str = "", **changes: Any) -> Outline:
    """Several cases of one task; `use` says what is found where the answer is used and not written."""
    cases = f"There are {_NUMBERS[cases_of(of)]} cases. In each case, {lowered(inner.said)}"
    fields: dict[str, Any] = {"labels": (), "steps": (), "notes": "", "lead": "Then", "scorer": "", **changes}
    used = f"{cases} {use or form}"
    sections = inner.sections | {"case"}
    return replace(
        inner, used=used, whole=f"{cases} {form}", form=form, sections=sections, leaves=cases_of(of), **fields
    )


def _quoted(inner: Outline, answer: str) -> str:
    return f"'{answer}'" if inner.type == "label" else answer


def _holds(answer: str, wanted: bool, value: Value) -> bool:
    return value.matches(answer) is wanted


def _drawn_cases(draw: Draw, task: Expression, answer: str, of: str) -> tuple[list[Woven], list[bool]] | None:
    """Cases of which a random number have an answer, in random order."""
    number = cases_of(of)
    share = draw.rng.randint(0, number)
    wanted = [place < share for place in range(number)]
    draw.rng.shuffle(wanted)
    items = [draw.item(task, partial(_holds, answer, want)) for want in wanted]
    kept = [one for one in items if one is not None]
    return (kept, wanted) if len(kept) == number and draw.differ(kept) else None


def _numbers(places: Sequence[int], *, ordered: bool) -> tuple[Value, Items]:
    members = tuple(str(place + 1) for place in places)
    return Value(((", ".join(members) or _NONE,),), (members,)), Items((members,), ordered=ordered, empty=_NONE)


def _which(draw: Draw, task: Expression, answer: str, of: str) -> Woven | None:
    found = _drawn_cases(draw, task, answer, of)
    if found is None:
        return None
    items, right = found
    value, targets = _numbers([place for place, holds in enumerate(right) if holds], ordered=False)
    return Woven(_cases(items), value, (*_said(items, lambda n: f"case {n + 1}"), value.canonical), targets)


def _count(draw: Draw, task: Expression, answer: str, of: str) -> Woven | None:
    found = _drawn_cases(draw, task, answer, of)
    if found is None:
        return None
    items, right = found
    value = Value(((str(sum(right)),),))
    return Woven(_cases(items), value, (*_said(items, lambda n: f"case {n + 1}"), value.canonical))


def _first(draw: Draw, task: Expression, answer: str, of: str) -> Woven | None:
    found = _drawn_cases(draw, task, answer, of)
    if found is None:
        return None
    items, right = found
    value = Value(((str(right.index(True) + 1) if any(right) else _NONE,),))
    return Woven(_cases(items), value, (*_said(items, lambda n: f"case {n + 1}"), value.canonical))


def _plain_cases(draw: Draw, task: Expression, of: str) -> list[Woven] | None:
    items = [draw.item(task) for _ in range(cases_of(of))]
    kept = [one for one in items if one is not None]
    return kept if len(kept) == len(items) and draw.differ(kept) else None


def _joined(inputs: str, items: Sequence[Woven], name: Callable[[int], str]) -> Woven | None:
    """Answers side by side, each in a slot of its own."""
    slots = tuple(one.value for one in items)
    if any(";" in text for value in slots for text in value.texts):
        return None
    targets = Product(tuple(value.texts for value in slots), separator="; ")
    return Woven(inputs, Value(((targets.canonical(),),)), _said(items, name), targets, slots)


def _map(draw: Draw, task: Expression, of: str) -> Woven | None:
    items = _plain_cases(draw, task, of)
    return None if items is None else _joined(_cases(items), items, lambda n: f"case {n + 1}")


def _sort(draw: Draw, task: Expression, of: str) -> Woven | None:
    items = _plain_cases(draw, task, of)
    if items is None:
        return None
    numeric = draw.outline(task).type == "number"
    keys: list[tuple[int, str]] = []
    for one in items:
        found = {number_of(text) if numeric else text.lower() for text in one.value.texts}
        if len(found) > 1 or None in found:
            return None
        key = found.pop()
        keys.append((key, "") if isinstance(key, int) else (0, str(key)))
    if len(set(keys)) < len(keys):
        return None
    value, targets = _numbers(sorted(range(len(items)), key=keys.__getitem__), ordered=True)
    return Woven(_cases(items), value, (*_said(items, lambda n: f"case {n + 1}"), value.canonical), targets)


def _order(inner: Outline) -> str:
    return "from the smallest to the largest" if inner.type == "number" else "in alphabetical order"


_OF_CASES = "cases"
WHICH: Final = ItemsOperator(
    name="weave.which", about="the cases that have an answer", slots=_CASES, takes=_SHORT[:4], make=_which,
    outline=lambda inner, answer, of: _each(
        inner, of, f"Answer with the numbers of the cases whose {inner.noun} is {_quoted(inner, answer)}, separated by "
        f"commas, or '{_NONE}' if there is no such case.",
        f"Find the numbers of the cases whose {inner.noun} is {_quoted(inner, answer)}.", type="cases",
        noun=_OF_CASES, kind="items",
    ),
)  # fmt: skip
COUNT: Final = ItemsOperator(
    name="weave.count", about="how many cases have an answer", slots=_CASES, takes=_SHORT[:4], make=_count,
    outline=lambda inner, answer, of: _each(
        inner, of, f"Count the cases whose {inner.noun} is {_quoted(inner, answer)}. Answer with that number, in "
        "digits.", f"Count the cases whose {inner.noun} is {_quoted(inner, answer)}.", type="number",
        noun="number of these cases", kind="number",
    ),
)  # fmt: skip
FIRST: Final = ItemsOperator(
    name="weave.first", about="the first case that has an answer", slots=_CASES, takes=_SHORT[:4], make=_first,
    outline=lambda inner, answer, of: _each(
        inner, of, f"Answer with the number of the first case whose {inner.noun} is {_quoted(inner, answer)}, or "
        f"'{_NONE}' if there is no such case.", type="text", noun="number of that case", kind="text",
        scorer="normalised",
    ),
)  # fmt: skip
MAP: Final = ItemsOperator(
    name="weave.map", about="the answers of several cases, in order", slots={"task": TASK, "of": "3"}, takes=_SHORT,
    make=_map,
    outline=lambda inner, of: _each(
        inner, of, f"Write the {inner.noun} of each case, in the order of the cases, separated by semicolons.",
        type="slots", noun="answers", kind="slots",
    ),
)  # fmt: skip
SORT: Final = ItemsOperator(
    name="weave.sort", about="the cases, sorted by their answers", slots={"task": TASK, "of": "4"},
    takes=("number", "word"), make=_sort,
    outline=lambda inner, of: _each(
        inner, of, f"Sort the cases by their {inner.noun}, {_order(inner)}. Answer with the numbers of the cases in "
        "that order, separated by commas.", f"Sort the cases by their {inner.noun}, {_order(inner)}.", type="cases",
        noun=_OF_CASES, kind="items",
    ),
)  # fmt: skip


def _parts(outlines: Sequence[Outline], *, written: Sequence[bool]) -> str:
    """What each part asks, one line each; parts that ask the same share a line."""
    lines: dict[str, list[str]] = {}
    for place, (outline, whole) in enumerate(zip(outlines, written, strict=True)):
        lines.setdefault(outline.whole if whole else outline.said, []).append("ABC"[place])
    return "\n".join(
        f"{'Part' if len(names) == 1 else 'Parts'} {' and '.join(names)}: {text}" for text, names in lines.items()
    )


def _woven_parts(outlines: Sequence[Outline], used: str, form: str, **changes: Any) -> Outline:
    """Parts of different tasks; what is done with them comes first, each part after it on a line of its own."""
    return replace(
        outlines[-1], used=used, whole=used, form=form, steps=(), notes="", lead="Then", labels=(), scorer="",
        sections=frozenset().union(*(one.sections for one in outlines)) | {"part"}, leaves=len(outlines), **changes,
    )  # fmt: skip


def _part_name(place: int) -> str:
    return f"part {'ABC'[place]}"


def _laid_parts(items: Sequence[Woven]) -> str:
    return _laid_out([f"Part {'ABC'[place]}" for place in range(len(items))], [one.input for one in items])


def _both(draw: Draw, first: Expression, second: Expression) -> Woven | None:
    items = [draw.item(first), draw.item(second)]
    kept = [one for one in items if one is not None]
    if len(kept) < len(items) or not draw.differ(kept):
        return None
    return _joined(_laid_parts(kept), kept, _part_name)


def _same(draw: Draw, first: Expression, second: Expression) -> Woven | None:
    one, wanted = draw.item(first), draw.rng.random() < 0.5
    if one is None:
        return None
    other = draw.item(second, lambda value: value.equals(one.value) is wanted)
    if other is None or not draw.differ((one, other)):
        return None
    value = Value((("yes" if wanted else "no",),))
    return Woven(_laid_parts((one, other)), value, (*_said((one, other), _part_name), value.canonical))


def _same_question(first: Outline, second: Outline) -> str:
    if first.noun == second.noun:
        return f"Is the {first.noun} of part A the same as that of part B?"
    return f"Is the {first.noun} of part A the same as the {second.noun} of part B?"


BOTH: Final = ItemsOperator(
    name="weave.both", about="the answers of two tasks", slots={"first": TASK, "second": TASK}, takes=_SHORT,
    make=_both,
    outline=lambda first, second: _woven_parts(
        (first, second),
        "There are two parts, A and B. Do both, and write the two answers on one line, that of part A first, with a "
        f"semicolon between them.\n{_parts((first, second), written=(True, True))}",
        "", type="slots", noun="answers", kind="slots",
    ),
)  # fmt: skip
SAME: Final = ItemsOperator(
    name="weave.same", about="whether two items have the same answer", slots={"first": TASK, "second": TASK},
    takes=("word", "number", "label"), make=_same,
    outline=lambda first, second: replace(
        _woven_parts(
            (first, second),
            f"There are two parts, A and B. {_same_question(first, second)} Answer 'yes' or 'no'.\n"
            f"{_parts((first, second), written=(False, False))}",
            "Answer 'yes' or 'no'.", type="label", noun="answer", kind="label",
        ),
        labels=("yes", "no"), scorer="label",
        used=f"There are two parts, A and B. {_same_question(first, second)} The answer is 'yes' or 'no'.\n"
        f"{_parts((first, second), written=(False, False))}\n",
    ),
)  # fmt: skip


def _chosen(
    draw: Draw, condition: Expression, chosen: Expression, other: Expression, answer: str, *, turned: bool
) -> Woven | None:
    answer = answer or draw.outline(condition).labels[0]
    wanted = draw.rng.random() < 0.5
    items = [draw.item(condition, lambda value: value.matches(answer) is wanted), draw.item(chosen), draw.item(other)]
    kept = [one for one in items if one is not None]
    # Where both branches have the same answer, nothing shows which of them was taken.
    if len(kept) < len(items) or not draw.differ(kept) or kept[1].value.equals(kept[2].value) is not False:
        return None
    taken = kept[1] if wanted is not turned else kept[2]
    return replace(taken, input=_laid_parts(kept), trace=(*_said(kept, _part_name), taken.value.canonical))


def _choice(turned: bool) -> Callable[..., Outline]:
    def outline(condition: Outline, chosen: Outline, other: Outline, answer: str) -> Outline:
        deciding = f"the {condition.noun} of part A is {_quoted(condition, answer or condition.labels[0])}"
        rule = f"Unless {deciding}, do part B; if it is, do part C." if turned else (
            f"If {deciding}, do part B; otherwise do part C."
        )  # fmt: skip
        alike = chosen.type == other.type
        tasks = _parts((condition, chosen, other), written=(False, True, True))
        return _woven_parts(
            (condition, chosen, other),
            f"There are three parts, A, B and C. First do part A. {rule} Write the answer of that part, B or C, and "
            f"nothing else.\n{tasks}",
            "", type=chosen.type if alike else "text", noun="answer",
            kind=chosen.kind if chosen.kind == other.kind else "text",
        )  # fmt: skip

    return outline


_BRANCHES = {"task": TASK, "then": TASK, "else": TASK, "answer": ""}
IF: Final = ControlOfTasks(
    name="weave.if", about="one task or another, by the answer of a third", slots=_BRANCHES, takes=("label",),
    make=lambda draw, *given: _chosen(draw, *given, turned=False), outline=_choice(turned=False),
)  # fmt: skip
UNLESS: Final = ControlOfTasks(
    name="weave.unless", about="as if, with the branches exchanged", slots=_BRANCHES, takes=("label",),
    make=lambda draw, *given: _chosen(draw, *given, turned=True), outline=_choice(turned=True),
)  # fmt: skip


def _repeated(draw: Draw, task: Expression, times: str) -> Woven | None:
    assert isinstance(task, Node) and isinstance(task.record, AnswerOperator)
    item = draw.item(task.arguments[0])
    value = None if item is None else item.value
    trace = () if item is None else item.trace
    for _ in range(int(times)):
        value = value and task.record.apply(value, draw.outline(task.arguments[0]), draw.values(task.arguments))
        trace = (*trace, value.canonical) if value else trace
    return Woven(item.input, value, trace) if item is not None and value else None


def _repeat_outline(inner: Outline, times: str) -> Outline:
    *before, last = inner.steps
    steps = (*before, f"{last}, {_NUMBERS[int(times)]} times in a row")
    repeated = replace(inner, steps=steps)
    return replace(repeated, whole=f"{repeated.said} {repeated.form}")


REPEAT: Final = ControlOfTasks(
    name="weave.repeat", about="an operator on the answer, several times", slots={"task": TASK, "times": "2"},
    takes=("number", "word"), make=_repeated, outline=_repeat_outline,
)  # fmt: skip


def _given(draw: Draw, task: Expression) -> Woven | None:
    item, outline = draw.item(task), draw.outline(task)
    if item is None:
        return None
    told = item.value.canonical
    shown = Value(((told,),), item.value.lists[:1])
    # Six places are six inputs: a number tells items apart, and keeps those of different lanes apart.
    note = f"Note {tag_of(item.input)}. {outline.noun[:1].upper()}{outline.noun[1:]}: {told}"
    return Woven(note, shown, (told,), item.targets)


def _given_outline(inner: Outline) -> Outline:
    article = "" if inner.type == "list" else "an " if inner.noun[:1] in "aeiou" else "a "
    used = f"You are given a note with {article}{inner.noun}."
    whole = f"{used} Write the {inner.noun} and nothing else."
    return replace(
        inner, used=used, whole=whole, notes="", lead="Given", steps=(), leaves=1, sections=frozenset(),
        form=f"Write the {inner.noun} and nothing else.",
    )  # fmt: skip


GIVEN: Final = InputTransform(
    name="weave.given", about="the answer of a task, handed over", make=_given, outline=_given_outline
)
