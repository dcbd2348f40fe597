"""What people said: checked, joined with the key, and summed up with intervals and agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isnan
from pathlib import Path

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_json, read_jsonl
from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.score.stats import mean_estimate
from taskloom.studies.analysis.agreement import krippendorff
from taskloom.studies.analysis.correlation import Correlation, pearson
from taskloom.studies.judgement.forms import COMPARE, RATINGS, FormKey, ItemKey, Kind

_PREFERS = {"model": 1.0, "both": 0.5, "reference": 0.0}
_LONGEST = 10_000
_QUESTIONS: dict[Kind, tuple[str, ...]] = {
    "compare": ("better",), "instructions": ("definition", "positive", "negative", "remarks"), "answer": ("answer",),
    "read": ("answer",),
}  # fmt: skip


class RaterAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a rater's file."""

    form: str
    rater: str
    item: str
    question: str
    answer: str


def read_key(path: Path) -> FormKey:
    """The key of a form."""
    return read_json(path, type=FormKey)


def read_answers(paths: Sequence[Path], key: FormKey) -> list[RaterAnswer]:
    """The answers of all raters, the last of each to a question.

    Raises:
        UserError: A line belongs to another form, to no item or question of it, has no rater, or an answer that was not
            offered.
    """
    newest: dict[tuple[str, str, str], RaterAnswer] = {}
    for path in paths:
        for number, line in read_jsonl(path, type=RaterAnswer):
            answer = msgspec.structs.replace(line, rater=line.rater.strip())
            check_answer(answer, key, f"{path}:{number}")
            newest[answer.rater, answer.item, answer.question] = answer
    given = [answer for answer in newest.values() if answer.answer.strip()]
    if not given:
        raise UserError("no answers were given", where=", ".join(map(str, paths)))
    return given


def check_answer(answer: RaterAnswer, key: FormKey, where: str) -> None:
    """Refuse an answer that does not belong to the form, or that it does not offer."""
    if answer.form != key.id:
        raise UserError("this answer belongs to another form", where=where, hint="give the key of that form")
    if answer.item not in key.items:
        raise UserError(f"the form has no item {answer.item!r}", where=where)
    if not answer.rater:
        raise UserError("no rater is named", where=where)
    if answer.question not in _QUESTIONS[key.kind]:
        raise UserError(f"the form has no question {answer.question[:40]!r}", where=where)
    offered = _offered(answer, key)
    if len(answer.answer) > _LONGEST or (offered and answer.answer not in offered):
        raise UserError(f"{answer.answer[:40]!r} is not among the answers offered", where=where)


def _offered(answer: RaterAnswer, key: FormKey) -> tuple[str, ...]:
    """The choices of a question; none where people write what they like."""
    if answer.question == "remarks":
        return ()
    if key.kind in ("answer", "read"):
        return key.items[answer.item].choices
    return COMPARE if key.kind == "compare" else RATINGS


def preference(answer: RaterAnswer, item: ItemKey) -> str:
    """Whom a rater prefers, now that the key is at hand: model, reference or both."""
    if answer.answer == COMPARE[1]:
        return "both"
    return "model" if (answer.answer == COMPARE[0]) == item.model_is_a else "reference"


def judgement_tables(answers: Sequence[RaterAnswer], key: FormKey) -> list[Table]:
    """What was judged, by whom, and how far raters agree."""
    if key.kind in ("answer", "read"):
        return [_answered(answers)]
    return _compared(answers, key) if key.kind == "compare" else _rated(answers, key)


def _agreement(found: Correlation, what: str) -> tuple[Value, ...]:
    missing = isnan(found.value)
    return what, None if missing else found.value, found.low, found.high, found.n, found.method


_CREDIT = (
    "Every answer counts once, however many judged it; those that equal the reference were not shown to raters and are "
    "as good as it. 95 % intervals over answers."
)
_AGREEMENT = ("about", "alpha", "low", "high", "units rated twice", "interval")


def _compared(answers: Sequence[RaterAnswer], key: FormKey) -> list[Table]:
    judged = [(answer, key.items[answer.item], preference(answer, key.items[answer.item])) for answer in answers]
    rows: list[tuple[Value, ...]] = []
    for run in dict.fromkeys(item.run for _, item, _ in judged):
        counts = Counter(said for _, item, said in judged if item.run == run)
        same = key.same.get(run, 0)
        good = credit([(one.item, said != "reference") for one, item, said in judged if item.run == run], same)
        rows.append((run, counts.total(), *(counts[n] for n in _PREFERS), same, good.value, good.low, good.high))
    units: dict[str, list[float | str | None]] = {}
    for answer, _, said in judged:
        units.setdefault(answer.item, []).append(said)
    raters: tuple[tuple[Value, ...], ...] = tuple(
        (rater, len(own), *(sum(said == name for said in own) / len(own) for name in _PREFERS))
        for rater in dict.fromkeys(answer.rater for answer in answers)
        for own in ([said for answer, _, said in judged if answer.rater == rater],)
    )
    scores = [item.score for _, item, _ in judged]
    found = pearson(scores, [_PREFERS[said] for *_, said in judged])
    together = tuple(_agreement(found, "judgement and automatic score")[:5])
    columns = ("run", "judgements", "model better", "alike", "reference better", "same answer", "at least as good",
               "low", "high")  # fmt: skip
    return [
        Table("Judged against the reference", columns, tuple(rows), _CREDIT),
        Table("Agreement (Krippendorff's alpha)", _AGREEMENT, (_agreement(krippendorff(units), "preference"),)),
        Table("Raters", ("rater", "judgements", "model better", "alike", "reference better"), raters),
        Table("With the automatic score", ("about", "Pearson's r", "low", "high", "judgements"), (together,)),
    ]


def credit(given: Sequence[tuple[str, bool]], more: int = 0) -> Estimate:
    """The share of items with credit, each counted once: what two say of one item is no news of a second."""
    said: dict[str, list[bool]] = {}
    for item, credit in given:
        said.setdefault(item, []).append(credit)
    return mean_estimate([*(sum(each) / len(each) for each in said.values()), *[1.0] * more])


def _answered(answers: Sequence[RaterAnswer]) -> Table:
    units: dict[str, list[float | str | None]] = {}
    for answer in answers:
        units.setdefault(answer.item, []).append(answer.answer.strip().lower())
    row = _agreement(krippendorff(units), "answers, to the letter")
    return Table("Agreement (Krippendorff's alpha)", _AGREEMENT, (row,))


def _rated(answers: Sequence[RaterAnswer], key: FormKey) -> list[Table]:
    rated = [answer for answer in answers if answer.question != "remarks"]
    rows: list[tuple[Value, ...]] = []
    alphas: list[tuple[Value, ...]] = []
    for aspect in dict.fromkeys(answer.question for answer in rated):
        own = [answer for answer in rated if answer.question == aspect]
        counts = Counter(answer.answer for answer in own)
        good = credit([(answer.item, answer.answer in RATINGS[2:]) for answer in own])
        rows.append((aspect, len(own), *(counts[name] for name in RATINGS), good.value, good.low, good.high))
        units: dict[str, list[float | str | None]] = {}
        for answer in own:
            units.setdefault(answer.item, []).append(answer.answer)
        alphas.append(_agreement(krippendorff(units, "ordinal", order=RATINGS), aspect))
    remarks = tuple(
        (key.items[answer.item].task, answer.rater, answer.answer)
        for answer in answers
        if answer.question == "remarks" and answer.answer.strip()
    )
    columns = ("aspect", "ratings", *RATINGS, "okay or better", "low", "high")
    tables = [
        Table(
            "Instructions rated",
            columns,
            tuple(rows),
            "Every task counts once, however many rated it. 95 % intervals over tasks.",
        ),
        Table("Agreement (Krippendorff's alpha, ordinal)", _AGREEMENT, tuple(alphas)),
    ]
    return tables + ([Table("Remarks", ("task", "rater", "remark"), remarks)] if remarks else [])
