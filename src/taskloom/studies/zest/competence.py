"""Competence on tasks never seen: C@T by kind of generalisation, ablations, and kinds of errors (Tables 3 to 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from taskloom.core import UserError
from taskloom.core.decode import decode_loose_json
from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.families.zest.score.errors import ERROR_KINDS, error_shares
from taskloom.families.zest.score.metrics import task_f1
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.score.competence import CompetenceRow, breakdown
from taskloom.studies.analysis.seeds import over_seeds
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, below, estimate_cells
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Learner, Scale
from taskloom.studies.published import printed

PAPER = "Weller et al. (2020), Learning from Task Descriptions"
_THRESHOLDS = (0.75, 0.9)
_KINDS = ("base", "paraphrase", "combination", "flip", "structure", "overall")
_INPUTS = {"both": "full data", "question": "question only", "passage": "context only"}
_ASKED = Learner(adapt="none")
_SHORT: dict[str, Any] = {
    "updates": 40, "epochs": 1e6, "batch": 8, "learning_rate": 0.002, "schedule": "linear", "keep": "last",
    "dev": "none", "max_output": 16, "overlong": "cut", "evaluate_updates": 40, "evaluate_limit": 8,
}  # fmt: skip


class ZestRecipe(GridRecipe, frozen=True, kw_only=True):
    """Settings of `zest/competence`.

    Attributes:
        suite: The suite.
        options: Keys of its recipe.
        inputs: What the input shows: both, question, passage (the ablations).
    """

    suite: str = "zest/fictional"
    options: dict[str, Any] = {}
    inputs: tuple[str, ...] = ("both", "question", "passage")


_READING = ("reading/longest-overlap", "reading/yes", "reading/na")
_ENDS = tuple(f"{name}{end}" for name in ("mean F1", "C@75", "C@90") for end in ("", " low", " high"))
"""Columns of the three measures with their intervals."""


class CompetenceOfModels(Experiment):
    """Each model on test, and on dev with parts of the input withheld; a learner is trained on what it is shown."""

    name: ClassVar[str] = "zest/competence"
    summary: ClassVar[str] = "which unseen tasks does a model do well as a whole (Tables 3 to 10)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": ZestRecipe(
            models=("mock/oracle", "reading/yes"), seeds=1, learners={"*": _ASKED},
            options={"train": 20, "dev": 10, "test": 20, "passages": 4, "surplus": 0},
        ),
        "tiny": ZestRecipe(
            models=("mock/oracle", *_READING, "tiny/t5-1m"), seeds=3,
            learners={**dict.fromkeys(("mock/oracle", *_READING), _ASKED), "*": Learner(options=_SHORT)},
            options={"train": 60, "dev": 12, "test": 40, "passages": 4},
        ),
        "paper": ZestRecipe(
            models=(*_READING, "hf/google/t5-v1_1-xxl", "hf/facebook/bart-large"), seeds=3,
            learners={
                **dict.fromkeys(_READING, _ASKED),
                "hf/facebook/bart-large": Learner(options={"recipe": "zest-bart"}),
                "*": Learner(options={"recipe": "zest"}),
            },
        ),
    }  # fmt: skip

    def grid(self, recipe: ZestRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for data in recipe.replicates(seed):
                for shown in recipe.inputs:
                    yield from _arms(recipe, model, shown, data)

    def analyse(self, frame: Frame, recipe: ZestRecipe) -> Findings:
        rows: list[tuple[Value, ...]] = []
        points, checks = [], []
        people, printed_t5 = printed("zest", "table-10"), printed("zest", "table-4")
        for (model,), part in frame.where(shown="both", split="test").by("model").items():
            found = competence_rows(part)
            for kind in (kind for kind in _KINDS if kind in found):
                numbers = found[kind]
                theirs = tuple(printed_t5.share(f"test {name}", kind=kind) for name in ("mean", "C@75", "C@90"))
                rows.append((model, kind, *(cell for one in numbers for cell in estimate_cells(one)[:3]), *theirs))
                points.append(IntervalPoint(kind, numbers[2].value, numbers[2].low, numbers[2].high, 0, str(model)))
            if "overall" in found and model != "mock/oracle":
                human = people.share("test C@90", kind="overall") or 0.0
                claim = f"{model} stays below people at C@90"
                checks.append(below(claim, found["overall"][2], human, source="Table 3"))
        columns = ("model", "kind", *_ENDS, "T5-11B mean", "T5-11B C@75", "T5-11B C@90")
        note = (
            "Every task counts once; 95 % intervals over seeds. A paraphrase or flip counts the smaller F1 of itself "
            "and its base."
        )
        tables = [Table("Competence by kind of generalisation, on test", columns, tuple(rows), note)]
        tables += [_ablations(frame), _errors(frame), _structures(frame)]
        tables += [printed("zest", f"table-{number}").table(PAPER) for number in (8, 9, 10)]
        for kind in (kind for kind in _KINDS if kind in {point.name for point in points}):
            share = printed_t5.share("test C@90", kind=kind)
            if share is not None:
                points.append(IntervalPoint(kind, share, share, share, 0, "T5-11B", published=True))
        figure = IntervalPlot(
            title="Tasks done at 90 % F1", points=tuple(points), axis="C@90",
            caption="Intervals 95 % over seeds. Diamonds: T5-11B on the published test tasks.",
        )  # fmt: skip
        return Findings(tables=tables, figures=[figure], checks=_known(checks), sentences=_alike(frame))


def _known(checks: list[Check]) -> list[Check]:
    """The checks, or that no model could be checked where only the oracle was asked."""
    return checks or [Check("models stay below people at C@90", "cannot tell", "no model but the oracle was asked")]


_ALIKE = 0.95
"""The share of equal answers from which a fitted model may be said to answer everything alike."""


def _alike(frame: Frame) -> list[str]:
    """A sentence for every fitted model that gives one answer to nearly every instruction."""
    said = []
    fitted = frame.where(lambda one: any(arm.trains for arm in one.arm.line()), shown="both", split="test")
    for (model,), part in fitted.by("model").items():
        (answer, times), *_ = Counter(one.record.answer for one in part).most_common(1)
        if times >= _ALIKE * len(part):
            said.append(
                f"{model} answers {answer!r} to {times:,} of {len(part):,} test instances: so short a training teaches "
                "it the most frequent answer and nothing of the descriptions, which takes a larger model (--model)."
            )
    return said


def _arms(recipe: ZestRecipe, model: str, shown: str, seed: int) -> Iterator[Arm]:
    """Dev and, where everything is shown, test; a model that learns learns once for both."""
    options = {**recipe.options, "show": shown}
    factors: dict[str, Value] = {"model": model, "shown": shown, "split": "dev"}
    run = recipe.settings(model, seed, split="dev", encoding="zest")
    base = Arm(factors=factors, suite=recipe.suite, options=options, seed=seed, run=run)
    # An oracle knows the answer from any input.
    if shown == "both" or model != "mock/oracle":
        yield base
    if shown != "both":
        return
    tested: dict[str, Value] = {**factors, "split": "test"}
    if base.trains:
        asked = recipe.asked(seed, split="test", encoding="zest")
        yield Arm(factors=tested, suite=recipe.suite, options=options, seed=seed, run=asked, after=base)
    else:
        asked = recipe.settings(model, seed, split="test", encoding="zest")
        yield Arm(factors=tested, suite=recipe.suite, options=options, seed=seed, run=asked)


def competence_rows(frame: Frame) -> dict[str, tuple[Estimate, Estimate, Estimate]]:
    """Mean F1, C@75 and C@90 by kind of generalisation, over seeds; each seed has tasks of its own."""
    seeds: dict[str, list[CompetenceRow]] = {}
    for arm in frame.arms():
        run = frame.run(arm)
        facets: dict[str, Mapping[str, Any]] = {name: task.facets for name, task in run.tasks.items()}
        for row in breakdown(run.scored(run.records), facets, "generalisation", _THRESHOLDS, task_f1):
            seeds.setdefault(row.group, []).append(row)
    return {group: _over(rows) for group, rows in seeds.items()}


def _over(rows: Sequence[CompetenceRow]) -> tuple[Estimate, Estimate, Estimate]:
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
    for (shown, model), part in frame.where(split="dev").by("shown", "model").items():
        numbers = competence_rows(part)["overall"]
        theirs = printed("zest", "table-5")
        paper = [theirs.share(name, input=shown) for name in ("mean", "C@75", "C@90")]
        rows.append(
            (_INPUTS[str(shown)], model, *(cell for one in numbers for cell in estimate_cells(one)[:3]), *paper)
        )
    columns = ("input", "model", *_ENDS, "T5-11B mean", "T5-11B C@75", "T5-11B C@90")
    note = f"Every task counts once; 95 % intervals over seeds. {PAPER}, Table 5, trained anew on each input."
    return Table("Ablations, on dev", columns, tuple(rows), note)


def _errors(frame: Frame) -> Table:
    rows: list[tuple[Value, ...]] = []
    for (model,), part in frame.where(shown="both", split="test").by("model").items():
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
    for (model,), part in frame.where(shown="both", split="test").by("model").items():
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
