"""Competence on tasks never seen: C@T by kind of generalisation, ablations, and kinds of errors (Tables 3 to 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from taskloom.core import Recipe, Share, Suite, UserError, open_suite
from taskloom.core.catalog import METRICS
from taskloom.core.decode import decode_loose_json, read_bytes
from taskloom.core.metric import Estimate
from taskloom.core.scorer import metric_of
from taskloom.core.study import Table, Value
from taskloom.families.zest.load import read_tasks
from taskloom.families.zest.score.fair import judge_fairly
from taskloom.families.zest.score.file import prediction_lines, score_file
from taskloom.families.zest.score.metrics import ERROR_KINDS, error_shares, task_f1
from taskloom.families.zest.score.official import judge
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.run.columns import grouped
from taskloom.run.results import Run, load_run
from taskloom.score.metrics import CompetenceRow, NumberOf, breakdown
from taskloom.score.stats import estimand
from taskloom.studies.analysis import over_seeds
from taskloom.studies.experiment import Experiment, printed
from taskloom.studies.findings import Check, Findings, below, estimate_cells, figure_words, table_of, table_study
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe

_THRESHOLDS = (0.75, 0.9)
_KINDS = ("base", "paraphrase", "combination", "flip", "structure", "overall")
_INPUTS = {"both": "full data", "question": "question only", "passage": "context only"}
_MEASURES = ("mean", "C@75", "C@90")
_ENDS = tuple(f"{name}{end}" for name in ("mean F1", *_MEASURES[1:]) for end in ("", " low", " high"))
"""Columns of the three measures with their intervals."""
_ALONE, _MIXED, _PEOPLE = "ZEST", "ZEST and others", "people"
_PRINTED = {_ALONE: ("table-8", "T5-11B"), _MIXED: ("table-4", "T5-11B"), _PEOPLE: ("table-10", "people")}
"""The detailed table of the paper that rows stand beside, by what was trained on; BART has one of its own."""
_BART = ("table-9", "BART-large")


class ZestRecipe(GridRecipe, frozen=True, kw_only=True):
    """Settings of `zest/competence`.

    Attributes:
        suite: The suite.
        options: Keys of its recipe.
        inputs: What the input shows: both, question, passage (the ablations).
        ablated: Models that are asked with parts of the input too; empty for all.
        others: Files of other data sets to train on as well, by name: boolq, multirc, record, squad (Tables 4 and 7).
        people: Folders of runs of `human/NAME`, which `taskloom judge read` writes (Table 10).
    """

    suite: str = "zest/fictional"
    options: dict[str, Any] = {}
    inputs: tuple[str, ...] = ("both", "question", "passage")
    ablated: tuple[str, ...] = ()
    others: dict[str, str] = {}
    people: tuple[str, ...] = ()


class CompetenceOfModels(Experiment, study="zest/competence", settings=ZestRecipe):
    """Each model on dev and test, and on dev with parts of the input withheld; it is trained on what it is shown."""

    def grid(self, recipe: ZestRecipe, seed: int) -> Iterator[Arm]:
        for model, data in product(recipe.models, recipe.replicates(seed)):
            for shown in recipe.inputs:
                if shown == "both" or model in (recipe.ablated or recipe.models):
                    yield from _arms(recipe, model, {"shown": shown, "trained": _ALONE}, data)
            if recipe.others and recipe.learner(model).adapt != "none":
                yield from _arms(recipe, model, {"shown": "both", "trained": _MIXED}, data)

    def analyse(self, frame: Frame, recipe: ZestRecipe) -> Findings:
        rows = _detailed(frame, recipe)
        points = [
            IntervalPoint(row.kind, row.numbers[2].value, row.numbers[2].low, row.numbers[2].high, 0, row.called)
            for row in rows
            if row.split == "test"
        ]
        published = printed("zest", "table-8")
        for kind in dict.fromkeys(point.name for point in points):
            if (share := published.share("test C@90", kind=kind)) is not None:
                points.append(IntervalPoint(kind, share, share, share, 0, "T5-11B", published=True))
        return Findings(
            tables=[self._competence(rows), _ablations(frame), _errors(frame), _structures(frame)],
            figures=[IntervalPlot(points=tuple(points), **figure_words("zest/competence"))],
            checks=_checks(frame, rows),
        )

    def _competence(self, rows: Sequence[_Row]) -> Table:
        cells = []
        for row in rows:
            name, who = _BART if "bart" in row.model and row.trained == _ALONE else _PRINTED[row.trained]
            paper = [printed("zest", name).share(f"{row.split} {measure}", kind=row.kind) for measure in _MEASURES]
            named = (row.model, row.trained, row.split, row.kind)
            cells.append((*named, *_interval_cells(row.numbers), *row.guessed, who, *paper))
        return table_of("zest/competence", cells, ends=_ENDS, paper=self.paper)


def _interval_cells(numbers: Sequence[Estimate]) -> list[Value]:
    return [cell for one in numbers for cell in estimate_cells(one)[:3]]


class _Row(NamedTuple):
    """A kind of generalisation as one model did it: mean F1, C@75 and C@90."""

    model: str
    trained: str
    split: str
    kind: str
    numbers: tuple[Estimate, Estimate, Estimate]
    guessed: tuple[Value, ...] = (None, None)

    @property
    def beats_guessing(self) -> bool:
        return self.numbers[0].low > max(float(str(level)) for level in self.guessed)

    @property
    def called(self) -> str:
        return self.model if self.trained != _MIXED else f"{self.model}, {_MIXED}"


def _detailed(frame: Frame, recipe: ZestRecipe) -> list[_Row]:
    """Tables 4 and 7 to 10: by model, what it was trained on, split and kind."""
    rows = []
    for (model, trained, split), part in frame.where(shown="both").by("model", "trained", "split").items():
        by_kind = competence_rows([part.run(arm) for arm in part.arms()])
        levels = {"overall": part.guessing(), **{k: one.guessing() for (k,), one in part.by("generalisation").items()}}
        rows += [
            _Row(str(model), str(trained), str(split), kind, by_kind[kind], levels.get(kind, (None, None)))
            for kind in _KINDS
            if kind in by_kind
        ]
    for folder in recipe.people:
        run = load_run(Path(folder).expanduser(), errors="wrong")
        by_kind = competence_rows([run])
        rows += [_Row(run.name, _PEOPLE, "test", kind, by_kind[kind]) for kind in _KINDS if kind in by_kind]
    return rows


def _checks(frame: Frame, rows: Sequence[_Row]) -> list[Check]:
    """What Tables 3 and 5 say of models that were trained; one that guesses cannot but stay below people."""
    trained = frame.where(lambda one: any(arm.trains for arm in one.arm.line()))
    names = set(map(str, trained.values("model")))
    people = printed("zest", "table-10").share("test C@90", kind="overall") or 0.0
    checks = [
        below(_BELOW.format(model=row.called), row.numbers[2], people, source="Table 3")
        for row in rows
        if row.model in names and (row.split, row.kind) == ("test", "overall") and row.beats_guessing
    ]
    checks += COMPETENCE_OF_MODELS.checks(trained)
    return checks or [Check(_BELOW.format(model="a model"), "cannot tell", "no model was trained")]


_BELOW = "{model} does better than guessing and yet stays below people at C@90"


def _arms(recipe: ZestRecipe, model: str, factors: dict[str, Value], seed: int) -> Iterator[Arm]:
    """Dev and, where everything is shown, test; a model that learns learns once for both."""
    shown, trained = str(factors["shown"]), factors["trained"]
    named: dict[str, Value] = {"model": model, **factors, "split": "dev"}
    suite, options = recipe.suite, {**recipe.options, "show": shown}
    if trained == _MIXED:
        suite, options = "zest/multitask", {**recipe.others, "path": str(recipe.options.get("path", ""))}
    # As the paper found best for inputs or data of this kind, where that is named.
    learner = recipe.learner(model, f"*, {'multi-task' if trained == _MIXED else shown}")
    fields = {"adapt": learner.adapt, "adapt_options": learner.options, "model_options": learner.model_options}
    asked = {"encoding": "zest", **learner.run}
    base = recipe.arm_of(model, suite, seed, named, options=options, **{**fields, **asked, "split": "dev"})
    # An oracle knows the answer from any input.
    if shown == "both" or model != "mock/oracle":
        yield base
    if shown == "both":
        more = {**({} if base.trains else fields), **asked, "split": "test"}
        yield recipe.arm_of(model, suite, seed, {**named, "split": "test"}, options=options, after=base, **more)


def competence_rows(runs: Iterable[Run]) -> dict[str, tuple[Estimate, Estimate, Estimate]]:
    """Mean F1, C@75 and C@90 by kind of generalisation, over runs; each seed has tasks of its own."""
    rows = (
        row
        for run in runs
        for facets in ({name: task.facets for name, task in run.tasks.items()},)
        for row in breakdown(run.scored(run.records), facets, "generalisation", _THRESHOLDS, task_f1)
    )
    return {group: over_runs(own) for group, own in grouped((row.group, row) for row in rows).items()}


def over_runs(rows: Sequence[CompetenceRow]) -> tuple[Estimate, Estimate, Estimate]:
    """Mean F1, C@75 and C@90 of one kind over runs."""
    first, second = _THRESHOLDS
    columns = ([r.mean.value for r in rows], [r.at[first].value for r in rows], [r.at[second].value for r in rows])
    if len(rows) == 1:
        # One seed has the interval over its tasks.
        return rows[0].mean, rows[0].at[first], rows[0].at[second]
    # Competence is a share of tasks: few of them differ by chance even where the seeds agree.
    each = min(row.tasks for row in rows)
    mean, c75, c90 = (over_seeds(column, each) for column in columns)
    return mean, c75, c90


def _ablations(frame: Frame) -> Table:
    rows = []
    for (shown, model), part in frame.where(split="dev", trained=_ALONE).by("shown", "model").items():
        numbers = competence_rows([part.run(arm) for arm in part.arms()])["overall"]
        paper = [printed("zest", "table-5").share(name, input=shown) for name in _MEASURES]
        rows.append((_INPUTS[str(shown)], model, *_interval_cells(numbers), *part.guessing(), *paper))
    return table_of("zest/ablations", rows, ends=_ENDS)


def _errors(frame: Frame) -> Table:
    parts = frame.where(shown="both", split="test", trained=_ALONE).by("model").items()
    rows = [_error_row(str(model), len(part), [part.run(arm) for arm in part.arms()]) for (model,), part in parts]
    shares = printed("zest", "table-6")
    rows.append(("T5-11B, 100 errors by hand", None, 100, *(shares.share("share", kind=kind) for kind in ERROR_KINDS)))
    return table_of("zest/errors", rows, kinds=ERROR_KINDS)


def _error_row(name: str, answers: int, runs: Sequence[Run]) -> tuple[Value, ...]:
    """Answers, errors, and the shares of their kinds, over some runs."""
    counts = sum((Counter(error_shares(run.scored(run.records))) for run in runs), Counter[str]())
    total = counts.total()
    return (name, answers, total, *(counts[kind] / total if total else None for kind in ERROR_KINDS))


def _structures(frame: Frame) -> Table:
    """Section 5.3: JSON where none was asked for, and none where it was."""
    rows: list[tuple[Value, ...]] = []
    for (model,), part in frame.where(shown="both", split="test", trained=_ALONE).by("model").items():
        asked = part.where(lambda one: one.facets.get("generalisation") == "structure")
        plain = part.where(lambda one: one.facets.get("generalisation") != "structure")
        broken = sum(not _is_json(one.record.answer) for one in asked)
        needless = sum((one.record.answer or "").lstrip().startswith(("{", "[")) for one in plain)
        rows.append((model, len(asked), broken, len(plain), needless))
    return table_of("zest/structures", rows)


def _is_json(text: str | None) -> bool:
    try:
        decode_loose_json(text or "", where="the answer")
    except UserError:
        # Not answering is allowed: n/a is a right answer where the passage is silent.
        return (text or "").strip().lower() in ("n/a", "na")
    return True


COMPETENCE_OF_MODELS = CompetenceOfModels()


class CompetenceRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `competence`.

    Attributes:
        runs: Folders of runs (the -o of `taskloom run`).
        by: The task facet to group by: generalisation, domain, format, category ...
        thresholds: The levels T of C@T, between 0 and 1.
    """

    runs: tuple[str, ...] = ()
    by: str = "category"
    thresholds: Annotated[tuple[Share, ...], msgspec.Meta(min_length=1)] = (0.75, 0.9)


def _competence_of_runs(recipe: CompetenceRecipe, seed: int, out: Path | None) -> list[Table]:
    """Competence C@T and kinds of errors of finished runs (-T runs=[DIR, …])."""
    if not recipe.runs:
        raise UserError("no run given", where="study competence: runs", hint="-T 'runs=[out/run]'")
    # Failed answers are wrong here: a task is not done by failing on it.
    runs = [load_run(Path(folder).expanduser(), errors="wrong") for folder in recipe.runs]
    rows = [_error_row(run.name, len(run.records), [run]) for run in runs]
    return [_competence(runs, recipe), table_of("competence/errors", rows, kinds=ERROR_KINDS)]


def _number_in(run: Run) -> NumberOf:
    """The number of a task by the metric of the scorer that judged it in this run."""
    scorers = {record.task: record.scorer for record in run.records}
    return lambda scores: METRICS.get(metric_of(scorers[scores[0].task])).number(scores)


def _competence(runs: list[Run], recipe: CompetenceRecipe) -> Table:
    rows: list[tuple[Value, ...]] = []
    for run in runs:
        facets = {name: dict(task.facets) for name, task in run.tasks.items()}
        for row in breakdown(run.scored(run.records), facets, recipe.by, recipe.thresholds, _number_in(run)):
            cells: list[Value] = [row.mean.value]
            for level in recipe.thresholds:
                estimate = row.at[level]
                cells += [estimate.value, f"{estimate.low:.2f} to {estimate.high:.2f}"]
            rows.append((run.name, row.group, row.tasks, row.left_out, *cells))
    levels = [f"C@{100 * level:g}{end}" for level in recipe.thresholds for end in ("", " interval")]
    said = estimand().capitalize()
    return table_of("competence", rows, by=recipe.by, by_name=[recipe.by], levels=levels, estimand=said)


class ScoreFileRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `zest/score-file`.

    Attributes:
        data: A data file with answers, JSONL.
        predictions: One prediction per line, in the order of tasks and examples.
        rules: official, or fair for the same files by the fair rules.
    """

    data: str = ""
    predictions: str = ""
    rules: Literal["official", "fair"] = "official"


def _score_file(recipe: ScoreFileRecipe, seed: int, out: Path | None) -> list[Table]:
    """Score a predictions file as published (-T data=dev.jsonl -T predictions=predictions.txt)."""
    for key in ("data", "predictions"):
        if not getattr(recipe, key):
            raise UserError(f"{key} names no file", where=f"study zest/score-file: {key}", hint=f"-T {key}=FILE")
    tasks = [task.raw for task in read_tasks(Path(recipe.data).expanduser())]
    path = Path(recipe.predictions).expanduser()
    text = read_bytes(path).decode("utf-8", "replace")
    rules = judge if recipe.rules == "official" else judge_fairly
    report = score_file(tasks, prediction_lines(text), file=path.name, judge_one=rules)
    if out is not None:
        report.write(out / "results.json")
    rows = [*report.types.items(), ("average", report.average)]
    results = [(name, row.tasks, row.mean, row.c75, row.c90) for name, row in rows]
    found = [(finding.key or finding.file, finding.message, finding.code) for finding in report.findings]
    nothing = "Nothing at which the published evaluator would have stopped, and no surplus lines."
    return [
        table_of("zest/results", results, estimand=estimand(), overall=report.overall),
        table_of("zest/findings", found, note="" if found else nothing),
    ]


class ZestTablesRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `zest/tables`.

    Attributes:
        suite: The suite; its recipe keys can be set under `options`.
        options: Recipe keys of the suite to replace, for example `{"test": 60}` for a quick look.
    """

    suite: str = "zest/fictional"
    options: dict[str, Any] = {}


def _zest_tables(recipe: ZestTablesRecipe, seed: int, out: Path | None) -> list[Table]:
    """Table 2 of ZEST: statistics (zest/competence has those that ask models)."""
    return [statistics_table(open_suite(recipe.suite, seed=seed, options=recipe.options))]


def statistics_table(suite: Suite) -> Table:
    """Table 2: how large the data are, and how answers and tasks are distributed."""
    paper = printed("zest", "table-2").rows
    columns = [
        _statistics(suite, split) if split in suite.splits else [None] * len(paper)
        for split in ("train", "dev", "test")
    ]
    rows = [(name, *(col[index] for col in columns), *theirs) for index, (name, *theirs) in enumerate(paper)]
    return table_of("zest/table-2", rows)


def _statistics(suite: Suite, split: str) -> list[Value]:
    words = pairs = silent = 0
    questions: dict[str, int] = {}
    for row in suite.rows(split):
        pairs += 1
        words += len(row.instance.parts.get("passage", "").split())
        silent += row.instance.facets["answer"] == "na"
        questions.setdefault(row.task, len(row.instance.parts.get("question", "").split()))
    closed = sum(suite.tasks[name].facets["format"] == "classification" for name in questions)
    rows, tasks = max(1, pairs), max(1, len(questions))
    lengths = round(words / rows, 1), len(questions), round(sum(questions.values()) / tasks, 1)
    return [pairs, *lengths, round(silent / rows, 3), round(closed / tasks, 3)]


COMPETENCE = table_study(CompetenceRecipe(), _competence_of_runs)
FILE = table_study(ScoreFileRecipe(), _score_file)
TABLES = table_study(ZestTablesRecipe(), _zest_tables)
