"""Scoring a predictions file against a ZEST data file, as published: per answer, task, type and overall.

The evaluator shares one random generator over the whole file, skips one task, pairs paraphrases and semantic
flips with their base task, and cuts percentages to whole numbers. All of that is kept. Where it stops, this
module goes on: the answer or task counts as wrong and a finding says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from taskloom.core import Finding
from taskloom.core.csv_table import encode_csv
from taskloom.families.zest.score.metrics import Entries, f1_of_entries
from taskloom.families.zest.score.official import Judgement, judge, read_prediction, wrong_answer
from taskloom.store.ownership import write_ours

BASE = "normal"
PAIRED = frozenset({"paraphrase", "target_semantics"})
KNOWN_TYPES = frozenset({BASE, *PAIRED, "combination", "structure"})
SAMPLED = 100
SKIPPED = "Are there any buildings named after this president?"

EXTRACTION = frozenset({
    "what's", "which", "what", "when", "where", "how", "on", "who", "in", "per", "the", "at", "could", "aside",
    "during", "how's", "pertaining",
})  # fmt: skip
CLASSIFICATION = frozenset({
    "does", "are", "is", "am", "can", "do", "did", "was", "were", "should", "has", "have", "will", "while", "after",
})  # fmt: skip


class TypeResult(msgspec.Struct, frozen=True):
    """A row of the result table: mean F1 and the shares of tasks at 0.75 and 0.90 or better."""

    mean: float
    c75: float = msgspec.field(name="75")
    c90: float = msgspec.field(name="90")
    tasks: int = 0


class TaskResult(msgspec.Struct, frozen=True):
    """One task: its own F1, the F1 that counts (paired with the base where required; None if left out)."""

    id: str
    type: str
    domain: str
    f1: float
    counted: float | None
    answers: list[float]
    entries: Entries


class WrongAnswer(msgspec.Struct, frozen=True):
    """A row of the evaluator's lists of errors; `gold` is always a list there."""

    question: str
    context: str
    prediction: str
    gold: list[Any]


class FileReport(msgspec.Struct, frozen=True):
    """Everything the evaluator says about a file, what it would have stopped at, and every answer not wholly right."""

    types: dict[str, TypeResult]
    average: TypeResult
    overall: int
    tasks: list[TaskResult]
    findings: list[Finding]
    errors: list[WrongAnswer] = []

    def results(self) -> dict[str, Any]:
        """The content of the evaluator's JSON file."""
        table: dict[str, Any] = {
            name: {"mean": row.mean, "75": row.c75, "90": row.c90} for name, row in self.types.items()
        }
        return {**table, "overall": self.overall}

    def csv(self) -> str:
        """The content of the evaluator's CSV file, with its truncated percentages."""
        rows = [*self.types.items(), ("average", self.average)]
        lines = [f"{name},{_percent(row.mean)},{_percent(row.c75)},{_percent(row.c90)}" for name, row in rows]
        return "\n".join([",mean,75,90", *lines]) + "\n"

    def write(self, path: Path) -> None:
        """Write the four files of the evaluator: results, percentages, all errors, and a hundred of them."""
        import json

        write_ours(path, json.dumps(self.results()))
        write_ours(Path(f"{path}.csv"), self.csv())
        write_ours(Path(f"{path}errors.csv"), _error_lines(self.errors, range(len(self.errors))))
        write_ours(
            Path(f"{path}_sampled_errors.csv"),
            _error_lines(self.errors, _sampled(len(self.errors)) if self.errors else ()),
        )


def _error_lines(errors: Sequence[WrongAnswer], numbers: Iterable[int]) -> str:
    """Errors as the evaluator's data frame writes them: numbered, with the gold answers as Python shows a list."""
    if not errors:
        return '""\n'
    chosen = [(number, errors[number]) for number in numbers]
    rows = [(number, one.question, one.context, one.prediction, repr(one.gold)) for number, one in chosen]
    return encode_csv(["", "question", "context", "prediction", "gold"], rows)


def _sampled(count: int) -> list[int]:
    """Which errors the evaluator samples."""
    import numpy as np

    if not count:
        return []
    drawn: list[int] = np.random.RandomState(0).choice(count, size=min(SAMPLED, count), replace=False).tolist()
    return drawn


def prediction_lines(text: str) -> list[str]:
    """The lines of a predictions file; only line ends separate them, as when reading a text file."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def first_word_format(question: str) -> str | None:
    """Extraction or classification by the first word of a question, None where the evaluator knows neither."""
    word = question.split(" ", maxsplit=1)[0].lower()
    return "extraction" if word in EXTRACTION else "classification" if word in CLASSIFICATION else None


def score_file(
    tasks: Sequence[Mapping[str, Any]],
    predictions: Sequence[str],
    *,
    file: str = "predictions",
    judge_one: Callable[[Any, str, Random], Judgement] = judge,
) -> FileReport:
    """Score one prediction per example, in the order of tasks and examples.

    Args:
        tasks: The decoded lines of a data file.
        predictions: The raw lines of the predictions file; a finding counts those that are missing or surplus.
        file: What findings call the predictions.
        judge_one: Judges one answer; replace it to score the same files by other rules.
    """
    reader = _PredictionReader(predictions, file)
    draws, scored = Random(0), []
    for number, task in enumerate(tasks):
        scored.append(_score_task(task, number, reader, draws, judge_one))
    reader.report_length()
    report = _summarise([result for result in scored if result is not None], tasks, reader.findings)
    return msgspec.structs.replace(report, errors=reader.errors)


class _PredictionReader:
    """Hands out predictions one by one and remembers what was wrong with them."""

    def __init__(self, lines: Sequence[str], file: str) -> None:
        self.lines, self.file, self.at, self.missing = lines, file, 0, 0
        self.findings: list[Finding] = []
        self.errors: list[WrongAnswer] = []

    def judge(self, gold: Any, draws: Random, judge_one: Callable[[Any, str, Random], Judgement]) -> Judgement:
        number, self.at = self.at, self.at + 1
        if number >= len(self.lines):
            self.missing += 1
            return wrong_answer(gold, "no prediction")
        try:
            judged = judge_one(gold, read_prediction(self.lines[number]), draws)
        except ValueError as error:
            judged = wrong_answer(gold, str(error))
        if judged.refused:
            self.note(f"line {number + 1}", f"{judged.refused}; counted as wrong", "answer-refused")
        return judged

    def note(self, key: str, message: str, code: str) -> None:
        self.findings.append(Finding(self.file, key, "warning", message, code=code))

    def remember(self, question: str, example: Mapping[str, Any]) -> None:
        """Keep the answer that was judged last as an error."""
        number, gold = self.at - 1, example.get("answer")
        try:
            said = read_prediction(self.lines[number]) if number < len(self.lines) else ""
        except ValueError:
            said = self.lines[number]
        self.errors.append(
            WrongAnswer(question, str(example.get("context", "")), said, gold if isinstance(gold, list) else [gold])
        )

    def report_length(self) -> None:
        if self.missing:
            self.note("", f"{self.missing:,} predictions are missing; counted as wrong", "too-few-predictions")
        surplus = len(self.lines) - self.at
        if surplus > 0:
            lines = "line after the last answer is" if surplus == 1 else "lines after the last answer are"
            message = f"{surplus:,} {lines} not read; do the predictions belong to this data file?"
            self.note("", message, "too-many-predictions")


def _score_task(
    task: Mapping[str, Any],
    number: int,
    reader: _PredictionReader,
    draws: Random,
    judge_one: Callable[[Any, str, Random], Judgement],
) -> TaskResult | None:
    question = str(task.get("question", ""))
    examples = task.get("examples") or []
    if question == SKIPPED:
        reader.at += len(examples)
        return None
    kind = _type_of(task)
    judged = []
    for example in examples:
        judged.append(reader.judge(example.get("answer"), draws, judge_one))
        if judged[-1].score != 1.0:
            reader.remember(question, example)
    entries: Entries = [entry for one in judged for entry in one.entries]
    name = str(task.get("id", number))
    if first_word_format(question) is None:
        reader.note(f"task {name}", f"the evaluator does not know questions like {question!r}", "first-word")
    f1 = f1_of_entries(entries)
    return TaskResult(
        name,
        str(kind.get("generalization_type", BASE)),
        str(kind.get("domain", "")),
        f1,
        f1,
        [one.score for one in judged],
        entries,
    )


def _type_of(task: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = task.get("type")
    return kind if isinstance(kind, Mapping) else {}


def _summarise(results: list[TaskResult], tasks: Sequence[Mapping[str, Any]], findings: list[Finding]) -> FileReport:
    bases: dict[str, list[float]] = {}
    for result in results:
        if result.type == BASE:
            bases.setdefault(result.id, []).append(result.f1)
    if not bases:
        findings.append(Finding("data", "", "warning", "there is no base task", code="no-base"))
    raw = [task for task in tasks if str(task.get("question", "")) != SKIPPED]
    counted = [
        msgspec.structs.replace(result, counted=_counted(result, task, bases, findings))
        for result, task in zip(results, raw, strict=True)
    ]
    order = list(dict.fromkeys([r.type for r in counted if r.type != BASE and r.counted is not None] + [BASE]))
    types = {}
    for name in order:
        values = [r.counted for r in counted if r.type == name and r.counted is not None]
        if values:
            types[name] = _type_row(values)
    average = _average(list(types.values()))
    return FileReport(types, average, _percent(average.c90), counted, findings)


def _counted(
    result: TaskResult, task: Mapping[str, Any], bases: Mapping[str, list[float]], findings: list[Finding]
) -> float | None:
    """The F1 that counts for a task, by the evaluator's pairing; 0 with a finding where it would stop."""
    derives = _type_of(task).get("derives_from")
    known = [name for name in map(str, derives) if name in bases] if isinstance(derives, list) else []
    twice = [name for name in known if len(bases[name]) > 1]
    if result.type == BASE or (result.type in KNOWN_TYPES - PAIRED and isinstance(derives, list)):
        return result.f1
    if result.type not in KNOWN_TYPES:
        problem, code = f"unknown generalization_type {result.type!r}", "unknown-type"
    elif not isinstance(derives, list):
        problem, code = "type.derives_from is not a list", "derives-from"
    elif not known:
        return None
    elif known[-1] != str(derives[-1]):
        problem, code = f"the last base {derives[-1]!r} is not in the file though {known[-1]!r} is", "missing-base"
    elif twice:
        problem, code = f"{len(bases[twice[0]])} base tasks have the id {twice[0]!r}", "duplicate-base"
    else:
        return min(result.f1, bases[known[-1]][0])
    findings.append(Finding("data", f"task {result.id}", "warning", f"{problem}; counted as wrong", code=code))
    return 0.0


def _type_row(values: list[float]) -> TypeResult:
    import numpy as np

    scores = np.asarray(values)
    return TypeResult(float(scores.mean()), float((scores >= 0.75).mean()), float((scores >= 0.9).mean()), len(values))


def _average(rows: list[TypeResult]) -> TypeResult:
    if not rows:
        return TypeResult(0.0, 0.0, 0.0, 0)
    count = len(rows)
    return TypeResult(
        sum(row.mean for row in rows) / count,
        sum(row.c75 for row in rows) / count,
        sum(row.c90 for row in rows) / count,
        sum(row.tasks for row in rows),
    )


def _percent(share: float) -> int:
    """A share as the evaluator prints it: rounded to two digits, times 100, cut (0.29 gives 28)."""
    return int(round(share * 100) / 100 * 100)
