"""Competence on tasks never seen: C@T by kind of generalisation, ablations, and kinds of errors (Tables 3 to 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import decode_loose_json
from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.families.zest.score.errors import ERROR_KINDS, error_shares
from taskloom.families.zest.score.metrics import task_f1
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.run.results import Run, load_run
from taskloom.score.competence import CompetenceRow, breakdown
from taskloom.studies.analysis.seeds import over_seeds
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, below, estimate_cells
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Learner
from taskloom.studies.published import printed
from taskloom.studies.scores import expected

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

    def fitted(self, model: str, how: str) -> Learner:
        """How a model is fitted to inputs or data of a kind: as the paper found best for it, where that is named."""
        found = self.learners.get(f"*, {how}")
        return found if found and model not in self.learners else self.learner(model)


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
        figure = IntervalPlot(
            title="Tasks done at 90 % F1", points=tuple(points), axis="C@90",
            caption="Intervals 95 % over seeds. Diamonds: T5-11B trained on ZEST, on the published test tasks.",
        )  # fmt: skip
        return Findings(
            tables=[self._competence(rows), _ablations(frame), _errors(frame), _structures(frame)],
            figures=[figure],
            checks=_checks(frame, rows),
        )

    def _competence(self, rows: Sequence[_Row]) -> Table:
        columns = (
            "model",
            "trained on",
            "split",
            "kind",
            *_ENDS,
            "published of",
            *(f"published {m}" for m in _MEASURES),
        )
        cells = []
        for row in rows:
            name, who = _BART if "bart" in row.model and row.trained == _ALONE else _PRINTED[row.trained]
            paper = [printed("zest", name).share(f"{row.split} {measure}", kind=row.kind) for measure in _MEASURES]
            numbers = (cell for one in row.numbers for cell in estimate_cells(one)[:3])
            cells.append((row.model, row.trained, row.split, row.kind, *numbers, who, *paper))
        note = (
            "Every task counts once; 95 % intervals over seeds. A paraphrase or flip counts the smaller F1 of itself "
            f"and its base. Published: {self.paper}, Tables 8 (T5-11B on ZEST), 9 (BART-large), 4 and 7 (T5-11B on "
            "ZEST and other data sets) and 10 (people, test alone)."
        )
        return Table("Competence by kind of generalisation", columns, tuple(cells), note)


class _Row(NamedTuple):
    """A kind of generalisation as one model did it: mean F1, C@75 and C@90."""

    model: str
    trained: str
    split: str
    kind: str
    numbers: tuple[Estimate, Estimate, Estimate]

    @property
    def called(self) -> str:
        return self.model if self.trained != _MIXED else f"{self.model}, {_MIXED}"


def _detailed(frame: Frame, recipe: ZestRecipe) -> list[_Row]:
    """Tables 4 and 7 to 10: by model, what it was trained on, split and kind."""
    found = [
        (str(model), str(trained), str(split), competence_rows([part.run(arm) for arm in part.arms()]))
        for (model, trained, split), part in frame.where(shown="both").by("model", "trained", "split").items()
    ]
    for folder in recipe.people:
        run = load_run(Path(folder).expanduser(), errors="wrong")
        found.append((run.name, _PEOPLE, "test", competence_rows([run])))
    return [
        _Row(model, trained, split, kind, by_kind[kind])
        for model, trained, split, by_kind in found
        for kind in _KINDS
        if kind in by_kind
    ]


def _checks(frame: Frame, rows: Sequence[_Row]) -> list[Check]:
    """What Tables 3 and 5 say of models that were trained; a reader without weights has no level to fall short of."""
    trained = frame.where(lambda one: any(arm.trains for arm in one.arm.line()))
    names = set(map(str, trained.values("model")))
    people = printed("zest", "table-10").share("test C@90", kind="overall") or 0.0
    checks = [
        below(f"{row.called} stays below people at C@90", row.numbers[2], people, source="Table 3")
        for row in rows
        if row.model in names and (row.split, row.kind) == ("test", "overall")
    ]
    for shown, said in (("question", "the question alone"), ("passage", "the passage alone")):
        claim = f"{{model}} does better with question and passage than with {said}"
        checks += expected(
            trained.where(split="dev", trained=_ALONE), claim, "model",
            more={"shown": "both"}, less={"shown": shown}, source="Table 5",
        )  # fmt: skip
    return checks or [Check("models stay below people at C@90", "cannot tell", "no model was trained")]


def _arms(recipe: ZestRecipe, model: str, factors: dict[str, Value], seed: int) -> Iterator[Arm]:
    """Dev and, where everything is shown, test; a model that learns learns once for both."""
    shown, trained = str(factors["shown"]), factors["trained"]
    named: dict[str, Value] = {"model": model, **factors, "split": "dev"}
    suite, options = recipe.suite, {**recipe.options, "show": shown}
    if trained == _MIXED:
        suite, options = "zest/multitask", {**recipe.others, "path": str(recipe.options.get("path", ""))}
    learner = recipe.fitted(model, "multi-task" if trained == _MIXED else shown)
    fields = {"adapt": learner.adapt, "adapt_options": learner.options, "model_options": learner.model_options}
    asked = {"encoding": "zest", **learner.run}
    base = Arm(
        factors=named, suite=suite, options=options, seed=seed,
        run=recipe.settings(model, seed, split="dev", **fields, **asked),
    )  # fmt: skip
    # An oracle knows the answer from any input.
    if shown == "both" or model != "mock/oracle":
        yield base
    if shown == "both":
        again = recipe.asked(seed, split="test", **asked)
        if not base.trains:
            again = msgspec.structs.replace(base.run, split="test")
        after = base if base.trains else None
        tested: dict[str, Value] = {**named, "split": "test"}
        yield Arm(factors=tested, suite=suite, options=options, seed=seed, run=again, after=after)


def competence_rows(runs: Iterable[Run]) -> dict[str, tuple[Estimate, Estimate, Estimate]]:
    """Mean F1, C@75 and C@90 by kind of generalisation, over runs; each seed has tasks of its own."""
    seeds: dict[str, list[CompetenceRow]] = {}
    for run in runs:
        facets: dict[str, Mapping[str, Any]] = {name: task.facets for name, task in run.tasks.items()}
        for row in breakdown(run.scored(run.records), facets, "generalisation", _THRESHOLDS, task_f1):
            seeds.setdefault(row.group, []).append(row)
    return {group: over_runs(rows) for group, rows in seeds.items()}


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
    rows: list[tuple[Value, ...]] = []
    for (shown, model), part in frame.where(split="dev", trained=_ALONE).by("shown", "model").items():
        numbers = competence_rows([part.run(arm) for arm in part.arms()])["overall"]
        theirs = printed("zest", "table-5")
        paper = [theirs.share(name, input=shown) for name in ("mean", "C@75", "C@90")]
        rows.append(
            (_INPUTS[str(shown)], model, *(cell for one in numbers for cell in estimate_cells(one)[:3]), *paper)
        )
    columns = ("input", "model", *_ENDS, "T5-11B mean", "T5-11B C@75", "T5-11B C@90")
    note = "Every task counts once; 95 % intervals over seeds. T5-11B: Table 5, trained anew on each input."
    return Table("Ablations, on dev", columns, tuple(rows), note)


def _errors(frame: Frame) -> Table:
    rows: list[tuple[Value, ...]] = []
    for (model,), part in frame.where(shown="both", split="test", trained=_ALONE).by("model").items():
        counts: dict[str, int] = dict.fromkeys(ERROR_KINDS, 0)
        for arm in part.arms():
            run = part.run(arm)
            for kind, count in error_shares(run.scored(run.records)).items():
                counts[kind] += count
        total = sum(counts.values())
        rows.append((model, len(part), total, *(counts[k] / total if total else None for k in ERROR_KINDS)))
    shares = printed("zest", "table-6")
    paper = (shares.share("share", kind=kind) for kind in ERROR_KINDS)
    rows.append(("T5-11B, 100 errors by hand", None, 100, *paper))
    note = "Shares of errors: every wrong answer of any seed counts once."
    return Table("Kinds of errors, on test", ("model", "answers", "errors", *ERROR_KINDS), tuple(rows), note)


def _structures(frame: Frame) -> Table:
    """Section 5.3: JSON where none was asked for, and none where it was."""
    rows: list[tuple[Value, ...]] = []
    for (model,), part in frame.where(shown="both", split="test", trained=_ALONE).by("model").items():
        asked = part.where(lambda one: one.facets.get("generalisation") == "structure")
        plain = part.where(lambda one: one.facets.get("generalisation") != "structure")
        broken = sum(not _is_json(one.record.answer) for one in asked)
        needless = sum((one.record.answer or "").lstrip().startswith(("{", "[")) for one in plain)
        rows.append((model, len(asked), broken, len(plain), needless))
    columns = ("model", "structures asked", "not to be parsed", "others asked", "JSON without need")
    return Table("Structured answers", columns, tuple(rows), "Every answer of any seed counts once.")


def _is_json(text: str | None) -> bool:
    try:
        decode_loose_json(text or "", where="the answer")
    except UserError:
        # Not answering is allowed: n/a is a right answer where the passage is silent.
        return (text or "").strip().lower() in ("n/a", "na")
    return True


COMPETENCE_OF_MODELS = CompetenceOfModels()
