"""What people said: checked, joined with the key, and summed up with intervals and agreement."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from taskloom.core import AnyOf, Instance, Instruction, Recipe, Row, Suite, Task, UserError, content_hash, open_recorded
from taskloom.core.decode import read_json, read_jsonl
from taskloom.core.metric import Estimate
from taskloom.core.study import Study, Table, Value
from taskloom.figures import Figure, ScatterPlot, ScatterPoint
from taskloom.models.outputs import HumanAnswer
from taskloom.run.columns import grouped
from taskloom.run.results import Run, load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.score.adjudicate import Adjudication, adjudicate
from taskloom.score.stats import mean_estimate
from taskloom.store.atomic import disk_errors, write_page
from taskloom.store.ownership import refuse_foreign_file, write_ours
from taskloom.studies.analysis import Level, krippendorff, pearson
from taskloom.studies.experiment import printed
from taskloom.studies.findings import estimate_cells, figure_words, table_of
from taskloom.studies.judgement.forms import (
    COMPARE,
    FORMS,
    RATINGS,
    FormKey,
    ItemKey,
    RatingForm,
    RatingQuestion,
)

_PREFERS = {"model": 1.0, "both": 0.5, "reference": 0.0}
_LONGEST = 10_000


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
    if answer.question not in FORMS[key.kind].questions:
        raise UserError(f"the form has no question {answer.question[:40]!r}", where=where)
    # People write remarks as they like, and answers where no choices are offered.
    offered = () if answer.question == "remarks" else FORMS[key.kind].choices or key.items[answer.item].choices
    if len(answer.answer) > _LONGEST or (offered and answer.answer not in offered):
        raise UserError(f"{answer.answer[:40]!r} is not among the answers offered", where=where)


def preference(answer: RaterAnswer, item: ItemKey) -> str:
    """Whom a rater prefers, now that the key is at hand: model, reference or both."""
    if answer.answer == COMPARE[1]:
        return "both"
    return "model" if (answer.answer == COMPARE[0]) == item.model_is_a else "reference"


def judgement_tables(answers: Sequence[RaterAnswer], key: FormKey) -> list[Table]:
    """What was judged, by whom, and how far raters agree."""
    if key.kind in ("answer", "read"):
        said = ((answer.item, answer.answer.strip().lower()) for answer in answers)
        alpha = table_of("judge/agreement", [_alpha(said, "answers, to the letter")], level="")
        differing = list(_differences(answers, key)) if key.kind == "answer" else []
        return [alpha, table_of("judge/differences", differing)] if differing else [alpha]
    return _compared(answers, key) if key.kind == "compare" else _rated(answers, key)


def settled_answers(answers: Sequence[RaterAnswer], key: FormKey) -> dict[str, Adjudication]:
    """What all raters together say of each item that was answered."""
    said = grouped((one.item, one.answer.strip()) for one in answers)
    closed = {name: item.closed or bool(item.choices) for name, item in key.items.items()}
    return {name: adjudicate(own, closed=closed[name]) for name, own in said.items()}


def _differences(answers: Sequence[RaterAnswer], key: FormKey) -> Iterator[tuple[str, ...]]:
    """The items of which people said different things, with what each said and what is taken of it."""
    taken = settled_answers(answers, key)
    for name, item in key.items.items():
        said = {one.rater: one.answer.strip() for one in answers if one.item == name}
        if len({answer.casefold() for answer in said.values()}) > 1:
            each = "; ".join(f"{rater}: {answer}" for rater, answer in said.items())
            yield item.task, item.instance, each, taken[name].answer or "disputed"


def _alpha(
    answers: Iterable[tuple[str, str]], what: str, level: Level = "nominal", order: Sequence[str] = ()
) -> tuple[Value, ...]:
    """A row of a table of agreement, from items and what was said of them."""
    found = krippendorff(grouped(answers), level, order=order)
    return (what, *found.cells, found.method)


def _compared(answers: Sequence[RaterAnswer], key: FormKey) -> list[Table]:
    judged = [(answer, key.items[answer.item], preference(answer, key.items[answer.item])) for answer in answers]
    rows = []
    for run in key.compared():
        counts = Counter(said for _, item, said in judged if item.run == run)
        same = key.same.get(run, 0)
        good = credit([(one.item, said != "reference") for one, item, said in judged if item.run == run], same)
        rows.append((run, counts.total(), *(counts[n] for n in _PREFERS), same, good.value, good.low, good.high))
    alpha = _alpha(((answer.item, said) for answer, _, said in judged), "preference")
    raters = [
        (rater, len(own), *(sum(said == name for said in own) / len(own) for name in _PREFERS))
        for rater in dict.fromkeys(answer.rater for answer in answers)
        for own in ([said for answer, _, said in judged if answer.rater == rater],)
    ]
    found = pearson([item.score for _, item, _ in judged], [_PREFERS[said] for *_, said in judged])
    return [
        table_of("judge/compared", rows),
        table_of("judge/agreement", [alpha], level=""),
        table_of("judge/raters", raters),
        table_of("judge/automatic", [("judgement and automatic score", *found.cells)]),
    ]


def credit(given: Sequence[tuple[str, bool]], more: int = 0) -> Estimate:
    """The share of items with credit, each counted once: what two say of one item is no news of a second."""
    shares = [sum(said) / len(said) for said in grouped(given).values()]
    return mean_estimate([*shares, *[1.0] * more])


def _rated(answers: Sequence[RaterAnswer], key: FormKey) -> list[Table]:
    rated = [answer for answer in answers if answer.question != "remarks"]
    rows, alphas = [], []
    for aspect in dict.fromkeys(answer.question for answer in rated):
        own = [answer for answer in rated if answer.question == aspect]
        counts = Counter(answer.answer for answer in own)
        good = credit([(answer.item, answer.answer in RATINGS[2:]) for answer in own])
        rows.append((aspect, len(own), *(counts[name] for name in RATINGS), good.value, good.low, good.high))
        alphas.append(_alpha(((answer.item, answer.answer) for answer in own), aspect, "ordinal", RATINGS))
    remarks = [
        (key.items[answer.item].task, answer.rater, answer.answer)
        for answer in answers
        if answer.question == "remarks" and answer.answer.strip()
    ]
    tables = [
        table_of("judge/instructions", rows, ratings=RATINGS),
        table_of("judge/agreement", alphas, level=", ordinal"),
    ]
    return [*tables, table_of("judge/remarks", remarks)] if remarks else tables


def _asked(key: FormKey) -> Suite:
    """The suite with the rows of the form alone."""
    source = key.source
    if source is None:
        raise UserError("the key does not say which suite was asked")
    suite = open_recorded(source.suite, seed=source.seed, options=source.recipe)
    wanted = {(item.task, item.instance) for item in key.items.values()}
    return suite.derive(
        "judged",
        content_hash(sorted(wanted)),
        splits={source.split: len(wanted)},
        draw=lambda split: (row for row in suite.draw(split) if (row.task, row.instance.id) in wanted),
    )


def run_people(answers: Sequence[RaterAnswer], key: FormKey, name: str, folder: Path) -> Run:
    """Adjudicate, and run `human/NAME` on what people were asked; its file of answers lies beside the run's folder.

    Where people do not agree, their answer is empty, which scores 0.

    Raises:
        UserError: Some items have no answer, or the file beside the folder was not written by Taskloom.
    """
    agreed = settled_answers(answers, key)
    missing = [item for item in key.items if item not in agreed]
    if missing:
        raise UserError(f"{len(missing):,} of {len(key.items):,} items have no answer", hint="wait for all files")
    if disputed := sum(each.answer is None for each in agreed.values()):
        warnings.warn(f"people disagree on {disputed} of {len(agreed)} items: they score 0", stacklevel=2)
    lines = [HumanAnswer(item.task, item.instance, agreed[name].answer or "") for name, item in key.items.items()]
    path = folder.with_name(f"{folder.name}.answers.jsonl")
    refuse_foreign_file(path, b'{"task":')
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_page(path, b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    settings = RunSettings(model=f"human/{name}", model_options={"answers": str(path)})
    launch(_asked(key), folder, settings)
    run = load_run(folder)
    write_results(run)
    return run


def form_suite(form: RatingForm) -> Suite:
    """A form as a suite: a task for each question with its choices, an instance for each item.

    Every choice is acceptable, so that the score of a run says how often the judge gave one of them at all.
    """
    asked = [(item, question) for item in form.items for question in item.questions if question.name != "remarks"]
    if not asked:
        raise UserError("this form has no questions that a model could answer")
    # Choices of questions to answer differ from task to task; the longest list would mislead the others.
    tasks: dict[str, Task] = {}
    for _, question in asked:
        name = _task_name(question)
        tasks.setdefault(name, Task(name, Instruction(_definition(question)), labels=question.choices))

    def draw(split: str) -> Iterator[Row]:
        for item, question in asked:
            shown = "\n\n".join(f"{text.title}:\n{text.text}" for text in item.texts)
            yield Row(_task_name(question), Instance(item.id, shown, AnyOf(question.choices or ("",))))

    return Suite(f"judged/{form.kind}", {"form": form.id}, 0, tasks, {"test": len(asked)}, draw)


def judge_by_model(
    form: RatingForm, model: str, options: Mapping[str, Any], folder: Path
) -> tuple[list[RaterAnswer], int]:
    """Let a model fill in a form; broken off, it continues.

    Args:
        form: All items.
        model: As `--model` names it.
        options: Options of the model.
        folder: The folder of its run.

    Returns:
        What it answered, and how often it gave none of the answers offered.
    """
    launch(form_suite(form), folder, RunSettings(model=model, model_options=dict(options)))
    asked = {(_task_name(one), item.id): one for item in form.items for one in item.questions}
    answers: list[RaterAnswer] = []
    missed = 0
    for record in load_run(folder).records:
        question = asked[record.task, record.id]
        said = (record.answer if question.choices else record.raw) or ""
        chosen = _chosen(said.strip(), question.choices)
        if chosen is None:
            missed += 1
        else:
            answers.append(RaterAnswer(form.id, model, record.id, question.name, chosen))
    return answers, missed


def _task_name(question: RatingQuestion) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", "-".join(question.choices).lower()).strip("-")
    return f"{question.name}-{words}"[:80].strip("-") if question.name == "answer" else question.name


def _definition(question: RatingQuestion) -> str:
    if not question.choices:
        return question.prompt
    return f"{question.prompt} Answer with exactly one of: {'; '.join(question.choices)}."


def _chosen(said: str, choices: tuple[str, ...]) -> str | None:
    """The choice that was meant, by its letters alone; anything goes where there are no choices."""
    if not choices:
        return said or None
    return next((choice for choice in choices if choice.casefold() == said.casefold().rstrip(".")), None)


_FILE = "human.json"


class HumanRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `superni/human`.

    Attributes:
        form: The key of a form that compares answers of several runs (`taskloom judge make RUN RUN … -o form.html`).
        answers: Files of raters' answers.
    """

    form: str = ""
    answers: tuple[str, ...] = ()


class JudgedRun(msgspec.Struct, frozen=True):
    """A run as people and as the automatic metric see it, on the same answers."""

    run: str
    judged: Estimate
    automatic: Estimate


def judged_runs(answers: Sequence[RaterAnswer], key: FormKey) -> list[JudgedRun]:
    """Every run of a form: how often its answers are at least as good as the reference, and its automatic score.

    Answers that equal the reference were not shown to raters: they are as good as it, and have the full score.
    """
    found = []
    for run in key.compared():
        own = [(one.item, one) for one in answers if key.items[one.item].run == run]
        good = [(item, preference(one, key.items[item]) != "reference") for item, one in own]
        seen = {item: key.items[item].score or 0.0 for item, _ in own}
        same = key.same.get(run, 0)
        found.append(JudgedRun(run, credit(good, same), mean_estimate([*seen.values(), *[1.0] * same])))
    return found


class HumanEvaluation(Study[HumanRecipe]):
    """One point for each run, and how closely people follow the automatic score."""

    summary: ClassVar[str] = (
        "Super-NI, Figure 3: people's judgement beside ROUGE-L, from judge files (-T key= -T answers=[])"
    )
    needs: ClassVar[str] = "a form over several runs (taskloom judge make) and the answers of raters"
    recipe: ClassVar[Recipe] = HumanRecipe()

    def run(self, recipe: HumanRecipe, seed: int, out: Path | None) -> list[Table]:
        if not recipe.form or not recipe.answers:
            hint = "-T form=form.key.json -T 'answers=[answers-1.jsonl]'; taskloom judge make RUN RUN writes a form"
            raise UserError("no key or no answers given", where="study superni/human", hint=hint)
        key = read_key(Path(recipe.form).expanduser())
        if key.kind != "compare":
            raise UserError("this form compares no answers", where=recipe.form, hint="taskloom judge make RUN RUN")
        found = judged_runs(read_answers([Path(path).expanduser() for path in recipe.answers], key), key)
        if out is not None:
            write_ours(out / _FILE, msgspec.json.encode(found))
        one = pearson([run.automatic.value for run in found], [run.judged.value for run in found])
        paper = printed("superni", "figures").lookup("value", what="Pearson, human judgement and ROUGE-L")
        rows = [
            (run.run, *estimate_cells(run.judged)[:3], *estimate_cells(run.automatic)[:3], run.judged.n)
            for run in found
        ]
        return [table_of("superni/judged", rows), table_of("superni/followed", [("Pearson's r", *one.cells, paper)])]

    def figures(self, out: Path) -> Sequence[Figure]:
        found = read_json(out / _FILE, type=list[JudgedRun])
        points = tuple(
            ScatterPoint(
                one.run, one.automatic.value, one.judged.value, one.judged.n,
                x_interval=(one.automatic.low, one.automatic.high), y_interval=(one.judged.low, one.judged.high),
            )
            for one in found
        )  # fmt: skip
        return (ScatterPlot(points=points, **figure_words("superni/judged")),)


HUMAN = HumanEvaluation()
