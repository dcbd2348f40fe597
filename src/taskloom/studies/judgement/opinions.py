"""Second opinions: a model or a person reads outputs that the reader could not parse, or a model a sample of all.

The judge sees the instruction, the prompt and the output, never the acceptable answers. It quotes; a quote that does
not stand in the output to the letter is none. Opinions are records of their own beside the readings and change none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from taskloom.ask.requests import ask
from taskloom.core import Example, Instance, Instruction, Reading, Task, UserError, any_of, digest
from taskloom.core.catalog import READERS
from taskloom.core.encoding import Message, Prompt
from taskloom.core.kind import KINDS
from taskloom.core.model import Generation, Model, Output, Request
from taskloom.core.scorer import make_scorer
from taskloom.run.record import Record
from taskloom.run.results import Run
from taskloom.score.stats import wilson
from taskloom.store.atomic import make_folder, write_atomically

QUOTES = (
    "Copy the answer that the model settles on from its words, to the letter. If it gives no answer, or more than one, "
    "or takes it back, write NONE."
)
_ASKS = f"You are shown a task and what a model said. {QUOTES} End with a line: Answer: …"
_LINE = re.compile(r"answer:\s*(\S.*)", re.IGNORECASE)
_LONGEST = 4_000


class Opinion(msgspec.Struct, frozen=True):
    """What a judge reads in one output.

    Attributes:
        task, id, sample: Whose output it is.
        judge: The model that read it.
        quote: The answer as it stands in the output; None where the judge found none, or quoted what is not there.
        answer: The quote as the task's kind of answer parses it.
        score: Its score; 0 without an answer.
        read: What the reader found, None for unparsed outputs.
        why: The reader's reason.
    """

    task: str
    id: str
    sample: int
    judge: str
    quote: str | None
    answer: str | None
    score: float
    read: str | None
    why: str


class OpinionSummary(msgspec.Struct, frozen=True):
    """Opinions in numbers: of unparsed outputs, and of a sample of parsed ones, how often the judge reads otherwise.

    `error` is the 95 % interval of the share of parsed outputs that the judge reads otherwise.
    """

    unparsed: int
    answered: int
    right: int
    audited: int
    otherwise: int
    error: tuple[float, float] | None


def opinions_file(run: Run, judge: str) -> Path:
    """Where the opinions of a judge about a run are kept."""
    return run.folder / "opinions" / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', judge)}.jsonl"


def second_opinions(run: Run, model: Model, *, audit: int = 0) -> list[Opinion]:
    """The opinions of a model about unparsed outputs and, with `audit`, about that many parsed ones, drawn by key.

    They are kept in the run's folder, and an output is not asked about twice.

    Raises:
        UserError: There is nothing to judge.
    """
    name = model.identity.name
    chosen = _chosen(run, audit)
    if not chosen:
        raise UserError("every output was read: there is nothing to judge", where=str(run.folder), hint="--audit 100")
    path = opinions_file(run, name)
    known = {(one.task, one.id, one.sample): one for one in _kept(path)}
    asked = [record for record in chosen if (record.task, record.id, record.sample) not in known]
    requests = [(place, _request(run.tasks[record.task], record)) for place, record in enumerate(asked)]

    def sink(group: list[tuple[int, Request, Output]]) -> None:
        for place, _, output in group:
            if output.state != "failed":
                one = _opinion(run, asked[place], output.text, name)
                known[one.task, one.id, one.sample] = one

    if requests:
        ask(model, requests, Generation(max_tokens=128), sink)
        _keep(path, known.values())
    keys = [(record.task, record.id, record.sample) for record in chosen]
    return [known[key] for key in keys if key in known]


def keep_quotes(run: Run, judge: str, quotes: Mapping[tuple[str, str, int], str]) -> list[Opinion]:
    """The opinions of a rater who was shown unparsed outputs, by task, instance and sample; they are kept."""
    unread = {(record.task, record.id, record.sample): record for record in unread_of(run)}
    found = [_opinion(run, unread[key], f"Answer: {quote}", judge) for key, quote in quotes.items() if key in unread]
    _keep(opinions_file(run, judge), found)
    return found


def opinion_notes(run: Run) -> list[str]:
    """One sentence about the opinions of each judge that are kept with a run."""
    kept = [_kept(path) for path in sorted((run.folder / "opinions").glob("*.jsonl"))]
    return [sentence(summary(run, opinions), opinions[0].judge) for opinions in kept if opinions]


def unread_of(run: Run) -> list[Record]:
    """Outputs that are not empty, unparsed, and without an opinion yet. The queue of second opinions."""
    unparsed = (record for record in run.records if record.answer is None and record.state != "errored")
    return [record for record in unparsed if record.raw.strip()]


def _chosen(run: Run, audit: int) -> list[Record]:
    parsed = [record for record in run.records if record.state != "errored" and record.answer is not None]
    drawn = sorted(parsed, key=lambda record: digest("audit", record.task, record.id, str(record.sample)))
    return unread_of(run) + drawn[:audit]


def _keep(path: Path, opinions: Iterable[Opinion]) -> None:
    make_folder(path.parent)
    write_atomically(path, msgspec.json.Encoder().encode_lines(list(opinions)))


def _kept(path: Path) -> list[Opinion]:
    from taskloom.core.decode import read_jsonl

    return [one for _, one in read_jsonl(path, type=Opinion)] if path.exists() else []


def _request(task: Task, record: Record) -> Request:
    shown = f"Task:\n{record.prompt[-_LONGEST:]}\n\nWhat the model said:\n{record.raw[-_LONGEST:]}"
    messages = (Message("system", _ASKS), Message("user", shown))
    judged = Task("second-opinion", Instruction(_ASKS, (Example("…", "Answer: …"),)))
    # The judge's own request carries no acceptable answer.
    return Request(Prompt(f"{_ASKS}\n\n{shown}", messages), judged, Instance(record.id, shown, any_of("NONE")))


def _opinion(run: Run, record: Record, said: str, judge: str) -> Opinion:
    task = run.tasks[record.task]
    lines = [found[1].strip() for line in said.splitlines() if (found := _LINE.match(line.strip(" *_`")))]
    quote: str | None = lines[-1].strip(" *_`\"'“”") if lines else said.strip()
    if not quote or quote.upper() == "NONE" or quote not in record.raw:
        quote = None
    answer = None if quote is None else KINDS.get(task.kind).parse(quote, task)
    score = 0.0
    if answer is not None:
        scorer = make_scorer(run.plan.scorer or task.scorer, run.plan.scorer_options)
        reading = Reading(answer, "asked", said=quote or "")
        score = READERS.get("lenient").grade(reading, scorer, record.targets, task).value
    return Opinion(
        record.task, record.id, record.sample, judge, quote, answer, score, record.answer, record.reading.why
    )


def summary(run: Run, opinions: Sequence[Opinion]) -> OpinionSummary:
    """Opinions in numbers."""
    unparsed = [one for one in opinions if one.read is None]
    audited = [one for one in opinions if one.read is not None]
    otherwise = sum(not _same(one, run.tasks[one.task]) for one in audited)
    return OpinionSummary(
        len(unparsed),
        sum(one.answer is not None for one in unparsed),
        sum(one.score == 1.0 for one in unparsed),
        len(audited),
        otherwise,
        wilson(otherwise, len(audited)) if audited else None,
    )


def sentence(found: OpinionSummary, judge: str) -> str:
    """A summary for people."""
    parts = []
    if found.unparsed:
        given = f"{found.answered:,} give an answer, {found.right:,} a right one"
        parts.append(f"of {found.unparsed:,} unparsed outputs {given}")
    if found.error is not None:
        low, high = found.error
        parts.append(
            f"{found.otherwise:,} of {found.audited:,} parsed outputs are read otherwise ({low:.3f} to {high:.3f})"
        )
    return f"{judge}: {'; '.join(parts)}. The scores above are the reader's."


def _same(one: Opinion, task: Task) -> bool:
    if one.answer is None or one.read is None:
        return False
    normalise = KINDS.get(task.kind).normalise
    return normalise(one.answer, task) == normalise(one.read, task)
