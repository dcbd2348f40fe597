"""Forms for people, and second opinions on what the reader could not parse.

A form is plain data: items with texts to read and questions to answer. Answers are compared blindly, instructions
rated, instances answered, or unparsed outputs read. Which answer is the model's stands in a key of its own, beside the
page and not in it. For a second opinion a model or a person reads outputs that the reader could not parse, or a model a
sample of all. The judge sees the instruction, the prompt and the output, never the acceptable answers. It quotes; a
quote that does not stand in the output to the letter is none. Opinions are records of their own beside the readings and
change none.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.ask.requests import ask
from taskloom.core import (
    Example,
    Instance,
    Instruction,
    Reading,
    Suite,
    Task,
    UserError,
    any_of,
    content_hash,
    digest,
    open_recorded,
)
from taskloom.core.catalog import READERS
from taskloom.core.decode import read_jsonl, read_toml
from taskloom.core.encoding import Message, Prompt
from taskloom.core.kind import KINDS
from taskloom.core.model import Generation, Model, Output, Request
from taskloom.core.scorer import make_scorer
from taskloom.run.columns import grouped
from taskloom.run.record import Record
from taskloom.run.results import Run
from taskloom.score.stats import wilson
from taskloom.store.atomic import make_folder, write_atomically

QUOTES = (
    "Copy the answer that the model settles on from its words, to the letter. If it gives no answer, or more than one, "
    "or takes it back, write NONE."
)
_ASKS = f"You are shown a task and what a model said. {QUOTES} End with a line: Answer: …"
_JUDGED = Task("second-opinion", Instruction(_ASKS))
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

    `error` is the 95 % interval of the share of parsed outputs that the judge reads otherwise. Of the run, `empty`
    outputs are not judged, and `cut` ones without an answer are, which tables count apart from unparsed ones.
    """

    empty: int
    cut: int
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
    parsed = [record for record in run.records if record.state != "errored" and record.answer is not None]
    drawn = sorted(parsed, key=lambda record: digest("audit", record.task, record.id, str(record.sample)))
    chosen = unread_of(run) + drawn[:audit]
    if not chosen:
        raise UserError("every output was read: there is nothing to judge", where=str(run.folder), hint="--audit 100")
    path = opinions_file(run, name)
    known = {(one.task, one.id, one.sample): one for one in _kept(path)}
    asked = [record for record in chosen if (record.task, record.id, record.sample) not in known]
    requests = [(place, _request(run.tasks[record.task], record)) for place, record in enumerate(asked)]

    def sink(group: list[tuple[int, Request, Output]]) -> None:
        for place, _, output in group:
            if output.state != "failed":
                one = _opinion(run, asked[place], _quoted(output.text), name)
                known[one.task, one.id, one.sample] = one

    if requests:
        ask(model, requests, Generation(max_tokens=128), sink)
        _keep(path, known.values())
    keys = [(record.task, record.id, record.sample) for record in chosen]
    return [known[key] for key in keys if key in known]


def keep_quotes(run: Run, judge: str, quotes: Mapping[tuple[str, str, int], str]) -> list[Opinion]:
    """The opinions of a rater who was shown unparsed outputs, by task, instance and sample; they are kept."""
    unread = {(record.task, record.id, record.sample): record for record in unread_of(run)}
    found = [_opinion(run, unread[key], quote, judge) for key, quote in quotes.items() if key in unread]
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


def _keep(path: Path, opinions: Iterable[Opinion]) -> None:
    make_folder(path.parent)
    write_atomically(path, msgspec.json.Encoder().encode_lines(list(opinions)))


def _kept(path: Path) -> list[Opinion]:
    return [one for _, one in read_jsonl(path, type=Opinion)] if path.exists() else []


def _request(task: Task, record: Record) -> Request:
    shown = f"Task:\n{record.prompt[-_LONGEST:]}\n\nWhat the model said:\n{record.raw[-_LONGEST:]}"
    messages = (Message("system", _ASKS), Message("user", shown))
    # The judge's own request carries no acceptable answer.
    return Request(Prompt(f"{_ASKS}\n\n{shown}", messages), _JUDGED, Instance(record.id, shown, any_of("NONE")))


def _quoted(reply: str) -> str:
    """What a judge quotes: its reply as the reader of all models unwraps it, or all of it where that finds nothing."""
    found = READERS.get("lenient").read(reply, _JUDGED)
    return found.said or found.answer or reply


def _opinion(run: Run, record: Record, said: str, judge: str) -> Opinion:
    task = run.tasks[record.task]
    quote: str | None = said.strip(" \t\r\n*_`\"'“”")
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
    missing = [(record.state, record.raw.strip()) for record in run.records if record.answer is None]
    return OpinionSummary(
        sum(state != "errored" and not raw for state, raw in missing),
        sum(state == "truncated" and raw != "" for state, raw in missing),
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
        beside = [f"cut off: {found.cut:,}"] if found.cut else []
        beside += [f"empty and not judged: {found.empty:,}"] if found.empty else []
        said = f"answers in {found.answered:,} of {found.unparsed:,} unparsed outputs, {found.right:,} of them right"
        parts.append(said + f" ({'; '.join(beside)})" * bool(beside))
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


Kind: TypeAlias = Literal["compare", "instructions", "answer", "read"]


class FormWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a kind of form says and asks: a record of `forms.toml`, which says what its fields are."""

    title: str
    lead: str
    offer: str
    questions: tuple[str, ...]
    choices: tuple[str, ...] = ()
    raters: int = 1
    overlap: float = 0.0


FORMS = read_toml(Path(__file__).with_name("forms.toml"), type=dict[Kind, FormWords])
COMPARE, RATINGS = FORMS["compare"].choices, FORMS["instructions"].choices

_MOST_BUTTONS = 10
_ASPECTS = {"definition": "the definition", "positive": "the positive examples", "negative": "the negative examples"}


class RatedText(msgspec.Struct, frozen=True):
    """Something to read."""

    title: str
    text: str


class RatingQuestion(msgspec.Struct, frozen=True):
    """Something to answer: one of the choices, or a text of one's own where there are none."""

    name: str
    prompt: str
    choices: tuple[str, ...] = ()


class FormItem(msgspec.Struct, frozen=True):
    """One page of a form."""

    id: str
    texts: tuple[RatedText, ...]
    questions: tuple[RatingQuestion, ...]


class RatingForm(msgspec.Struct, frozen=True):
    """What a person fills in. `id` names the set of items that answers belong to."""

    id: str
    kind: Kind
    title: str
    items: tuple[FormItem, ...]


class ItemKey(msgspec.Struct, frozen=True):
    """What the page does not tell: whose answer is A, and what the automatic score was; and what was offered.

    `closed` says that the task has labels, also where they are too many to be offered.
    """

    task: str
    instance: str = ""
    run: str = ""
    model_is_a: bool = False
    score: float | None = None
    choices: tuple[str, ...] = ()
    sample: int = 0
    closed: bool = False

    @property
    def record(self) -> tuple[str, str, int]:
        """Whose output it is: task, instance and sample."""
        return self.task, self.instance, self.sample


class Source(msgspec.Struct, frozen=True):
    """The suite whose instances people answer."""

    suite: str
    seed: int
    recipe: dict[str, Any]
    split: str


class FormKey(msgspec.Struct, frozen=True):
    """The key of a form.

    Attributes:
        id: The form's.
        kind: The form's.
        items: What its pages do not tell.
        source: Where people answer: the suite whose instances they are.
        same: Where answers are compared: how many of each run's were drawn and equal the reference. Raters need not
            look at them; they are as good as it.
        folder: Where unparsed outputs are read: the run's, which keeps what people find in them.
    """

    id: str
    kind: Kind
    items: dict[str, ItemKey]
    source: Source | None = None
    same: dict[str, int] = {}
    folder: str = ""

    def compared(self) -> list[str]:
        """The runs whose answers are compared, those with nothing for raters to look at among them."""
        return list(dict.fromkeys((*self.same, *(item.run for item in self.items.values()))))


def make_form(
    runs: Sequence[Run],
    kind: Kind = "compare",
    *,
    suite: Suite | None = None,
    tasks: int = 60,
    instances: int = 10,
    seed: int = 0,
) -> tuple[RatingForm, FormKey]:
    """A form over runs, and its key.

    Args:
        runs: Finished runs; each is compared with the references by itself.
        suite: For `answer`, instead of a run: people answer its test split.
        kind: compare, instructions, answer (of one run, whose instances people answer), or read (its unparsed outputs).
        tasks: At most this many tasks, drawn at random.
        instances: At most this many instances of each.
        seed: Of the draws and of the order of answers.

    Raises:
        UserError: There is nothing to judge.
    """
    if tasks < 1 or instances < 1:
        raise UserError("a form has 1 or more tasks and instances")
    source = None
    same: dict[str, int] = {}
    if kind == "compare":
        found, same = _compared(runs, tasks, instances, seed)
    elif kind == "instructions":
        found = _rated(runs, tasks, seed)
    elif kind == "read":
        found = _unread(runs, tasks, instances)
    else:
        found, source = _asked(runs, suite, tasks, instances, seed)
    if not found:
        raise UserError(
            "these runs contain nothing to judge", hint="answers that failed, or equal the reference, are left out"
        )
    items = {content_hash((kind, seed, item.texts))[:12]: (item, key) for item, key in found}
    name = content_hash((kind, seed, sorted(items)))[:12]
    ordered = sorted(items, key=lambda one: digest("form", str(seed), one))
    shown = tuple(msgspec.structs.replace(items[one][0], id=one) for one in ordered)
    folder = str(runs[0].folder.resolve()) if kind == "read" else ""
    key = FormKey(name, kind, {one: items[one][1] for one in ordered}, source, same, folder)
    return RatingForm(name, kind, FORMS[kind].title, shown), key


def deal(form: RatingForm, raters: int, overlap: float) -> list[RatingForm]:
    """The items divided among raters; a share of them goes to everybody, so that agreement can be measured.

    Raises:
        UserError: No raters, or a share that is none.
    """
    if raters < 1:
        raise UserError(f"1 or more raters, not {raters}", where="--raters")
    if not 0 <= overlap <= 1:
        raise UserError(f"a share from 0 to 1, not {overlap:g}", where="--overlap")
    common = round(overlap * len(form.items))
    shared, own = form.items[:common], form.items[common:]
    return [msgspec.structs.replace(form, items=(*shared, *own[place::raters])) for place in range(raters)]


def _drawn(names: Iterable[str], most: int, seed: int) -> list[str]:
    return sorted(sorted(names, key=lambda name: digest("judged", str(seed), name))[:most])


def _drawn_records(records: Iterable[Record], tasks: Container[str], most: int, seed: int) -> list[Record]:
    """Records of some tasks, at most so many of each, drawn by their names."""
    ordered = sorted(records, key=lambda one: digest("judged", str(seed), one.task, one.id))
    by_task = grouped((record.task, record) for record in ordered if record.task in tasks)
    return [record for drawn in by_task.values() for record in drawn[:most]]


def _examples(examples: Sequence[Example]) -> str:
    return "\n\n".join(
        f"Input: {example.input}\nOutput: {example.output}"
        + (f"\nExplanation: {example.explanation}" if example.explanation else "")
        for example in examples
    )


def _instruction(task: Task) -> list[RatedText]:
    given = task.instruction
    texts = {"Definition": given.definition, "Positive examples": _examples(given.positive)}
    texts["Negative examples"] = _examples(given.negative)
    return [RatedText(title, text) for title, text in texts.items() if text or title == "Definition"]


def inputs_of(run: Run) -> dict[tuple[str, str], str]:
    """What each instance of a run says, without the instruction and examples around it; empty where that is unknown.

    A record has the whole prompt alone. The suite has its instances, unless its files are gone by now.
    """
    plan = run.plan
    wanted = {record.key for record in run.records}
    try:
        suite = open_recorded(plan.suite, seed=plan.data_seed, options=plan.recipe)
        rows = suite.draw(plan.split)
    except UserError:
        return {}
    keyed = (((row.task, row.instance.id), row.instance.input) for row in rows)
    return dict(islice((pair for pair in keyed if pair[0] in wanted), len(wanted)))


def _compared(
    runs: Sequence[Run], tasks: int, instances: int, seed: int
) -> tuple[list[tuple[FormItem, ItemKey]], dict[str, int]]:
    """The items, and how many drawn answers of each run are the reference itself."""
    chosen = _drawn({record.task for run in runs for record in run.records}, tasks, seed)
    found: list[tuple[FormItem, ItemKey]] = []
    same: dict[str, int] = {}
    for run in runs:
        inputs, answered = inputs_of(run), (record for record in run.records if record.answer is not None)
        drawn = _drawn_records(answered, chosen, instances, seed)
        different = [record for record in drawn if record.answer != record.targets.canonical()]
        same[run.name] = same.get(run.name, 0) + len(drawn) - len(different)
        found += [_pair(run, run.tasks[record.task], record, inputs.get(record.key), seed) for record in different]
    return found, same


def _pair(run: Run, task: Task, record: Record, shown: str | None, seed: int) -> tuple[FormItem, ItemKey]:
    first = digest("order", str(seed), run.plan.hash(), record.task, record.id)[0] % 2 == 0
    answers = (record.answer or "", record.targets.canonical())
    a, b = answers if first else answers[::-1]
    texts = (*_instruction(task), _input(record, shown), RatedText("Answer A", a), RatedText("Answer B", b))
    question = RatingQuestion("better", "Which answer is better?", COMPARE)
    key = ItemKey(task.name, record.id, run.name, first, record.score, COMPARE)
    return FormItem("", texts, (question,)), key


def _input(record: Record, shown: str | None) -> RatedText:
    return RatedText("Prompt, as the model saw it", record.prompt) if shown is None else RatedText("Input", shown)


def _asked(
    runs: Sequence[Run], suite: Suite | None, tasks: int, instances: int, seed: int
) -> tuple[list[tuple[FormItem, ItemKey]], Source]:
    """What people answer: instances of a run, or of the test split of a suite that no model has been asked yet."""
    if suite is not None:
        drawn = [
            row for name in _drawn(suite.tasks, tasks, seed) for row in suite.rows("test", task=name, limit=instances)
        ]
        found = [_open_item(suite.tasks[task], one.id, RatedText("Input", one.input)) for task, one in drawn]
        return found, Source(suite.name, suite.seed, dict(suite.recipe), "test")
    if len(runs) != 1:
        raise UserError("people answer the instances of one run or suite", hint="name one; answers are not shown")
    run, plan = runs[0], runs[0].plan
    inputs = inputs_of(run)
    firsts = [record for record in run.records if not record.sample]
    records = _drawn_records(firsts, _drawn({record.task for record in firsts}, tasks, seed), instances, seed)
    found = [_open_item(run.tasks[one.task], one.id, _input(one, inputs.get(one.key))) for one in records]
    return found, Source(plan.suite, plan.data_seed, plan.recipe, plan.split)


def _open_item(task: Task, name: str, shown: RatedText) -> tuple[FormItem, ItemKey]:
    kind = KINDS.get(task.kind)
    choices = kind.choices(task)
    question = RatingQuestion("answer", kind.sentence(task), choices if len(choices) < _MOST_BUTTONS else ())
    key = ItemKey(task.name, name, choices=question.choices, closed=bool(task.labels))
    return FormItem("", (*_instruction(task), shown), (question,)), key


def _unread(runs: Sequence[Run], tasks: int, instances: int) -> list[tuple[FormItem, ItemKey]]:
    """The unparsed outputs of a run: what a model is shown by `score --judge`, for people."""
    if len(runs) != 1:
        raise UserError("people read the unparsed outputs of one run at a time", hint="name one run")
    found = []
    for record in unread_of(runs[0])[: tasks * instances]:
        texts = (RatedText("Prompt, as the model saw it", record.prompt), RatedText("What the model said", record.raw))
        key = ItemKey(record.task, record.id, runs[0].name, sample=record.sample)
        found.append((FormItem("", texts, (RatingQuestion("answer", QUOTES),)), key))
    return found


def _rated(runs: Sequence[Run], tasks: int, seed: int) -> list[tuple[FormItem, ItemKey]]:
    known: dict[str, Task] = {name: task for run in runs for name, task in run.tasks.items()}
    found = []
    for name in _drawn(known, tasks, seed):
        texts = _instruction(known[name])
        titles = {text.title.split()[0].lower() for text in texts}
        questions = [
            RatingQuestion(
                aspect, f"How good is {what}?" if aspect == "definition" else f"How good are {what}?", RATINGS[::-1]
            )
            for aspect, what in _ASPECTS.items()
            if aspect in titles
        ]
        questions.append(RatingQuestion("remarks", "What would you change? (may stay empty)"))
        found.append((FormItem("", tuple(texts), tuple(questions)), ItemKey(name)))
    return found
