"""The experiments of Super-NaturalInstructions: models tuned on some tasks by their instructions, and asked others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import msgspec

from taskloom.core import UserError, open_suite
from taskloom.core.cells import GuessingLevel
from taskloom.core.metric import Estimate
from taskloom.core.study import Value
from taskloom.figures import IntervalPlot, IntervalPoint, LinePlot, ScatterPlot, ScatterPoint
from taskloom.run.columns import grouped
from taskloom.studies.analysis import LeastSquares, fit_log, joint_scaling, kendall, pearson, saturation
from taskloom.studies.cost import parameters
from taskloom.studies.experiment import Experiment, printed
from taskloom.studies.findings import Check, Findings, above, estimate_cells, figure_words, table_of
from taskloom.studies.frame import (
    Contrast,
    Frame,
    Keys,
    Observation,
    ScoreRow,
    Scores,
    contrast,
    measure,
)
from taskloom.studies.grid import Arm, GridRecipe


class CollectionRecipe(GridRecipe, frozen=True, kw_only=True):
    """What every study of Super-NaturalInstructions has.

    Attributes:
        suite: A collection with training and test tasks.
        options: Keys of its recipe.
        encoding: How instruction and instance are written.
        max_tokens: Tokens of an answer.
    """

    suite: str = "superni/embedded"
    options: dict[str, Any] = msgspec.field(default_factory=lambda: {"languages": ["English"], "families": False})
    encoding: str = "superni/def-pos2"
    max_tokens: int = 24

    def arm(self, model: str, seed: int, factors: dict[str, Value], *, after: Arm | None = None, **more: Any) -> Arm:
        """A run on the test tasks of the collection, scored by ROUGE-L; `options` replaces keys of the collection."""
        options = {**self.options, **more.pop("options", {})}
        fields = {
            "encoding": self.encoding, "split": "test", "scorer": "rouge-l",
            "generation": {"max_tokens": self.max_tokens}, **more,
        }  # fmt: skip
        return self.arm_of(model, self.suite, seed, factors, options=options, after=after, **fields)


def run_score(frame: Frame, arm: Arm) -> float:
    """The mean of one run."""
    return frame.where(lambda one: one.arm is arm).mean().value


_COPY: dict[str, dict[str, Any]] = {"mock/copy-input": {}, "mock/copy-demo": {"draw": "random"}}
"""The heuristics with their options: the paper copies the output of a random demonstration."""
_TUNED, _STYLED, _ORACLE = "tuned on other tasks", "tuned on another style", "oracle"
_PRINTED = {
    "mock/copy-input": "copying the input", "mock/copy-demo": "copying a demonstration", "untuned": "T5-LM (11B)",
    _TUNED: "Tk-Instruct (11B)", _STYLED: "T0 (11B)", _ORACLE: "supervised training",
}  # fmt: skip
"""The row of Table 3 that each of ours stands beside; the cross-lingual Tk-Instruct has another."""
_STYLE: dict[str, Any] = {"encoding": "plain", "encoding_options": {"definition": True, "answer": "Answer:"}}
"""Another style of instructions: no template of the benchmark and no examples, as T0 was tuned on."""


class UnseenRecipe(CollectionRecipe, frozen=True, kw_only=True):
    """Settings of `superni/unseen`.

    Attributes:
        fitted: Which rows of the table: untuned, tuned on other tasks, tuned on another style, oracle.
        tracks: English, cross-lingual: tasks that read or write another language.
        tuned_in: The languages of the tasks that models of the cross-lingual track are tuned on. With English alone
            they are those of the English track, asked in Spanish; the oracle is tuned on the tasks it is asked.
        instead: Models of a row or a track of their own instead of `models`, as the paper has them; one that stands for
            another style is asked as it is. A row with a model of its own is in the English track alone.
    """

    fitted: tuple[str, ...] = ("untuned", _TUNED, _STYLED, _ORACLE)
    tracks: tuple[str, ...] = ("English", "cross-lingual")
    tuned_in: tuple[str, ...] = ("English", "Spanish")
    instead: dict[str, str] = {}


class UnseenTasks(Experiment, study="superni/unseen", settings=UnseenRecipe):
    """ROUGE-L on test tasks, overall, by category, and by task against the better copying heuristic."""

    def grid(self, recipe: UnseenRecipe, seed: int) -> Iterator[Arm]:
        for track, data in product(recipe.tracks, recipe.replicates(seed)):
            for model, given in _COPY.items():
                factors: dict[str, Value] = {"track": track, "model": model, "fitted": "heuristic"}
                yield recipe.arm(model, data, factors, options=_asked(track), adapt="none", model_options=given)
            for model, fitted in product(recipe.models, recipe.fitted):
                if track != "English" and fitted in recipe.instead:
                    continue
                named = recipe.instead.get(fitted) or recipe.instead.get(track) or model
                yield _fitted(recipe, {"track": track, "model": named, "fitted": fitted}, data)

    def analyse(self, frame: Frame, recipe: UnseenRecipe) -> Findings:
        frame = frame.where(_of_track)
        table = printed("superni", "table-3")

        def paper(key: Keys) -> float | None:
            row = _PRINTED.get(key["model"]) or _PRINTED[key["fitted"]]
            cross = key["track"] != "English" and key["fitted"] == _TUNED
            return table.share(key["track"], method="mTk-Instruct (13B)" if cross else row)

        unseen = measure(frame, "track", "model", "fitted", over="tasks", published=paper)
        gains = _gains(frame)
        return Findings(
            tables=[
                unseen.table("Unseen tasks", metric="ROUGE-L", note=self.cited(table)),
                table_of("superni/gains", [(*g[:4], g.score.value, g.copied, *g.gain[:3], g.score.n) for g in gains]),
            ],
            figures=[*_categories(frame), *_improvements(gains)],
            checks=self.checks(frame),
        )


def _asked(track: str) -> dict[str, Any]:
    """What a track sets in the collection that is asked."""
    return {"languages": ["English"] if track == "English" else ["Spanish"]}


def _fitted(recipe: UnseenRecipe, factors: dict[str, Value], seed: int) -> Arm:
    """A row of the table: asked as it is, or tuned and asked in the style of the benchmark."""
    model, fitted, track = (str(factors[name]) for name in ("model", "fitted", "track"))
    asked = _asked(track)
    if fitted == "untuned" or (fitted == _STYLED and fitted in recipe.instead):
        return recipe.arm(model, seed, factors, options=asked, adapt="none")
    if fitted == _ORACLE:
        # The bound is fitted to all instances that the collection has for it, however many are tuned on otherwise.
        given = {"split": "oracle", "shots": recipe.options.get("oracle_instances")}
        return recipe.arm(model, seed, factors, options=asked, adapt_options=given)
    tuned = asked if track == "English" else {"languages": list(recipe.tuned_in)}
    # What it answers in the other style is in no table.
    style = {**_STYLE, "limit": 1} if fitted == _STYLED else {}
    base = recipe.arm(model, seed, factors, options=tuned, **style)
    return base if tuned == asked and not style else recipe.arm(model, seed, factors, options=asked, after=base)


def _of_track(one: Observation) -> bool:
    """Whether a task belongs to the track it was asked in: the cross-lingual one has none in English alone."""
    english = {one.facets.get("language"), one.facets.get("output_language")} <= {"English", None}
    return english == (one.value("track") == "English")


def _categories(frame: Frame) -> list[IntervalPlot]:
    return [
        measure(part, "category", "model", "fitted", over="tasks").intervals(
            place="{category}", series="{model}, {fitted}", **figure_words("superni/categories", track=track)
        )
        for (track,), part in frame.by("track").items()
    ]


class _Gain(NamedTuple):
    """A task as one model did it, beside the better of the two copying heuristics; `gain` is paired by instance."""

    track: Value
    model: Value
    fitted: Value
    task: Value
    score: Estimate
    copied: float
    gain: Contrast


def _gains(frame: Frame) -> list[_Gain]:
    """Each task's score less that of the better copying heuristic."""
    copied = {
        key: max(part.by("model").values(), key=lambda one: one.mean().value)
        for key, part in frame.where(fitted="heuristic").by("track", "task").items()
    }
    asked = frame.where(lambda one: one.value("fitted") != "heuristic").by("track", "model", "fitted", "task")
    return [
        _Gain(track, model, how, task, part.mean(), other.mean().value, contrast(part, other))
        for (track, model, how, task), part in asked.items()
        for other in (copied[track, task],)
    ]


def _improvements(gains: Sequence[_Gain]) -> list[IntervalPlot]:
    """Figures 11 and 12: what a model tuned on other tasks adds to copying, task by task, the most first."""
    ordered = sorted(gains, key=lambda one: -one.gain.value)
    tuned = grouped(((one.track, one.model), one) for one in ordered if one.fitted == _TUNED)
    return [
        IntervalPlot(
            points=tuple(IntervalPoint(str(g.task), g.gain.value, g.gain.low, g.gain.high, g.score.n) for g in ranked),
            **figure_words("superni/gains", model=model, track=track, tuned=_TUNED),
        )
        for (track, model), ranked in tuned.items()
    ]


class EncodingsRecipe(CollectionRecipe, frozen=True, kw_only=True):
    """Settings of `superni/encodings`.

    Attributes:
        encodings: The encodings trained with and asked with.
    """

    encodings: tuple[str, ...] = (
        "task-id", "def", "pos1", "def-pos1", "pos2", "def-pos2", "def-pos2-neg2", "def-pos2-neg2-expl", "pos4",
        "def-pos4",
    )  # fmt: skip


class Encodings(Experiment, study="superni/encodings", settings=EncodingsRecipe):
    """One training per encoding, asked with all of them."""

    def grid(self, recipe: EncodingsRecipe, seed: int) -> Iterator[Arm]:
        for model, data, trained in product(recipe.models, recipe.replicates(seed), recipe.encodings):
            factors: dict[str, Value] = {"model": model, "trained": trained, "asked": trained}
            base = recipe.arm(model, data, factors, encoding=f"superni/{trained}")
            yield base
            for asked in recipe.encodings:
                if asked != trained:
                    yield recipe.arm(model, data, {**factors, "asked": asked}, after=base, encoding=f"superni/{asked}")

    def analyse(self, frame: Frame, recipe: EncodingsRecipe) -> Findings:
        table = printed("superni", "table-4")
        place = {name: number for number, name in enumerate(recipe.encodings)}.__getitem__
        maps = [
            measure(part, "trained", "asked", over="tasks")
            .nested(trained=place, asked=place)
            .heat(
                row="trained", column="asked", framed=lambda key: key["trained"] == key["asked"],
                **figure_words("superni/encodings", model=model),
            )
            for (model,), part in frame.by("model").items()
        ]  # fmt: skip
        scores = measure(
            frame, "model", "trained", "asked", over="tasks",
            published=lambda key: table.share(key["asked"], trained=key["trained"]),
        )  # fmt: skip
        note = f"{self.cited(table)} {table.note}"
        return Findings(
            tables=[scores.table("Trained and asked encodings", metric="ROUGE-L", note=note)],
            figures=maps,
            checks=self.checks(frame),
        )


_ANY, _SIZE, _KINDS = "all models", "billions of parameters", "kinds among as many tasks"
_FITTED = ("slope", "low", "high", "r2")


class ScalingRecipe(CollectionRecipe, frozen=True, kw_only=True):
    """Settings of `superni/scaling`.

    Attributes:
        tasks: Numbers of training tasks.
        instances: Instances per training task, with the most tasks.
        kinds: Numbers of kinds of training tasks, of a collection that has copies of tasks in several languages: with
            the most of `tasks` in all, the fewer kinds the more copies.
        shots: Instances per training task where tasks or models vary; 0 for the most of `instances`.
        varied: Models whose tasks and instances are varied; the others are tuned on the most. Empty for all.
    """

    tasks: tuple[int, ...] = (6, 32, 128, 256, 512, 757)
    instances: tuple[int, ...] = (8, 32, 64, 128, 256, 512)
    varied: tuple[str, ...] = ()
    kinds: tuple[int, ...] = ()
    shots: int = 0


class Scaling(Experiment, study="superni/scaling", settings=ScalingRecipe):
    """Trained on growing numbers of tasks and of instances, by models of growing size."""

    def grid(self, recipe: ScalingRecipe, seed: int) -> Iterator[Arm]:
        drawn = {tasks: _drawn(recipe, seed, tasks) for tasks in _within(recipe, seed)}
        largest, usual = max(drawn), {"shots": recipe.shots or max(recipe.instances)}
        for model, data in product(recipe.models, recipe.replicates(seed)):
            varied = not set(recipe.varied) & set(recipe.models) or model in recipe.varied
            for tasks, keys in drawn.items():
                if varied or tasks == largest:
                    factors: dict[str, Value] = {"model": model, "varied": "tasks", "amount": tasks}
                    yield recipe.arm(model, data, factors, options=keys, adapt_options=usual)
            for kinds in recipe.kinds if varied else ():
                factors = {"model": model, "varied": _KINDS, "amount": kinds}
                keys = {"kinds": kinds, "tasks": largest}
                yield recipe.arm(model, data, factors, options=keys, adapt_options=usual)
            for shots in recipe.instances if varied else ():
                factors = {"model": model, "varied": "instances", "amount": shots}
                yield recipe.arm(model, data, factors, options=drawn[largest], adapt_options={"shots": shots})

    def analyse(self, frame: Frame, recipe: ScalingRecipe) -> Findings:
        varied = measure(frame, "model", "varied", "amount", over="tasks").nested(amount=int)
        rows, fits = list(varied.rows), []
        checks: list[Check] = []
        ends: list[str] = []
        for (model, name), part in frame.by("model", "varied").items():
            if len(part.values("amount")) < 2:
                continue
            # Every seed is a point of its own, so that the interval of the slope is one over trainings.
            line = _doublings([(float(arm.factors["amount"] or 0), run_score(part, arm)) for arm in part.arms()])
            fits.append((model, name, *line.cells(*_FITTED)))
            checks.append(above(f"each doubling of {name} helps {model}", line, source="Figure 5"))
            if name == "instances":
                end = saturation({float(str(amount)): inner.mean() for (amount,), inner in part.by("amount").items()})
                ends.append(f"{model}: {_NO_END if end is None else _END.format(end=end)}")
        numbers = [int(str(amount)) for amount in frame.where(varied="tasks").values("amount")]
        if sizes := _sizes(frame.where(varied="tasks", amount=max(numbers))):
            named = {"model": _ANY, "varied": _SIZE}
            rows += [ScoreRow({**named, "amount": size}, part.mean()) for size, part in sizes.items()]
            line = _doublings([(size, run_score(part, arm)) for size, part in sizes.items() for arm in part.arms()])
            fits.append((_ANY, _SIZE, *line.cells(*_FITTED)))
            checks.append(above("each doubling of the model helps", line, source="Figure 5"))
        scores = Scores(rows, "tasks")
        tables = [
            scores.table("ROUGE-L by amount", metric="ROUGE-L"),
            table_of("superni/doublings", fits),
            printed("superni", "figures").table(self.paper),
        ]
        sentences = [*ends, *_traded(frame)]
        if missing := sorted(set(recipe.tasks) - set(numbers)):
            listed = ", ".join(map(str, missing))
            sentences.append(f"{recipe.suite} has fewer than {missing[0]} training tasks: {listed} were left out.")
        return Findings(tables=tables, figures=_plots(scores), checks=checks, sentences=sentences)


_NO_END = "no end of growth with instances is in sight."
_END = "more than {end:g} instances per task are not shown to help."


def _plots(scores: Scores) -> list[LinePlot]:
    """One plot for each of tasks, their kinds, instances and sizes that was varied."""
    return [
        LinePlot(
            lines=tuple(Scores(rows, "tasks").lines("amount", "{model}")),
            **figure_words("superni/amounts", name=name),
            low=None,
            high=None,
        )
        for name in ("tasks", _KINDS, "instances", _SIZE)
        if (rows := [row for row in scores.rows if row.key["varied"] == name])
    ]


def _within(recipe: ScalingRecipe, seed: int) -> list[int]:
    """The numbers of tasks that the collection has: ours has fewer than the published one (`-T suite=superni/en`)."""
    kept: list[int] = []
    for tasks in sorted(recipe.tasks):
        try:
            open_suite(recipe.suite, seed=seed, options={**recipe.options, "tasks": tasks})
        except UserError as error:
            if error.where != "tasks" or not kept:
                raise
            break
        kept.append(tasks)
    return kept


def _drawn(recipe: ScalingRecipe, seed: int, tasks: int) -> dict[str, int]:
    """The keys of so many training tasks; all of them are the collection itself, which other studies train on too."""
    keys = {"tasks": tasks}
    whole, part = (open_suite(recipe.suite, seed=seed, options={**recipe.options, **more}) for more in ({}, keys))
    return {} if len(part.tasks) == len(whole.tasks) else keys


def _doublings(trained: Sequence[tuple[float, float]]) -> LeastSquares:
    return fit_log([amount for amount, _ in trained], [score for _, score in trained])


def _sizes(frame: Frame) -> dict[float, Frame]:
    """The models by their billions of parameters, the smallest first; nothing where there is only one size."""
    found: dict[float, Frame] = {}
    for (model,), part in frame.by("model").items():
        size = parameters(str(model))
        if size is not None:
            found[size] = Frame([*found.get(size, ()), *part], frame.runs)
    return dict(sorted(found.items())) if len(found) > 1 else {}


def _traded(frame: Frame) -> list[str]:
    """How many doublings of tasks are worth one of the model, where models of several sizes were asked."""
    points = [
        (float(str(amount)), size, part.mean().value)
        for (model, amount), part in frame.where(varied="tasks").by("model", "amount").items()
        for size in (parameters(str(model)),)
        if size is not None
    ]
    if len({size for _, size, _ in points}) < 2:
        return ["Tasks cannot be traded for the size of the model here: that takes models of several sizes (--model)."]
    try:
        found = joint_scaling(points)
    except UserError as error:
        return [f"Tasks cannot be traded for size here: {error.message}."]
    return [f"One doubling of the model is worth {found.rate:.2f} doublings of the tasks (r² = {found.r2:.2f})."]


_SCORERS = {"rouge-l": "ROUGE-L", "superni-exact": "exact match"}
_EQUAL = (
    "Both metrics are equal at every point: here no answer shares a word with a label other than its own, so the "
    "agreement says little about longer answers."
)


class MetricCheck(Experiment, study="superni/metric-check", settings=CollectionRecipe):
    """Every model asked once, scored twice, on the tasks whose answers are labels."""

    def grid(self, recipe: CollectionRecipe, seed: int) -> Iterator[Arm]:
        for model, data in product(recipe.models, recipe.replicates(seed)):
            asis: dict[str, Any] = {"adapt": "none"} if model.startswith("mock/") else {}
            first, second = (dict[str, Value]({"model": model, "scored by": scorer}) for scorer in _SCORERS)
            base = recipe.arm(model, data, first, **asis)
            again = {} if base.trains else asis
            yield from (base, recipe.arm(model, data, second, after=base, scorer=tuple(_SCORERS)[1], **again))

    def analyse(self, frame: Frame, recipe: CollectionRecipe) -> Findings:
        asked = frame.where(lambda one: bool(frame.run(one.arm).tasks[one.record.task].labels))
        points: dict[tuple[Value, Value], dict[Value, Estimate]] = {}
        levels: dict[tuple[Value, Value], GuessingLevel] = {}
        for (model, category, scorer), part in (asked or frame).by("model", "category", "scored by").items():
            points.setdefault((model, category), {})[scorer] = part.mean()
            levels[model, category] = part.guessing()
        rows = [
            (*key, *(cell for scorer in _SCORERS for cell in estimate_cells(found[scorer])[:3]), *levels[key])
            for key, found in points.items()
        ]
        rouge, exact = ([found[scorer].value for found in points.values()] for scorer in _SCORERS)
        linear = pearson(rouge, exact)
        paper = printed("superni", "figures").lookup("value", what="Pearson, accuracy and ROUGE-L on classification")
        figure = ScatterPlot(
            points=tuple(
                ScatterPoint(
                    f"{model}, {category}", x.value, y.value, series=str(model),
                    x_interval=(x.low, x.high), y_interval=(y.low, y.high),
                )
                for (model, category), pair in points.items()
                for y, x in (tuple(pair[scorer] for scorer in _SCORERS),)
            ),
            **figure_words("superni/metrics"),
        )  # fmt: skip
        agreement = [
            ("Pearson's r", *linear.cells, paper),
            ("Kendall's tau-b", *kendall(rouge, exact).cells, None),
        ]
        heads = [f"{name}{end}" for name in _SCORERS.values() for end in ("", " low", " high")]
        which = "tasks whose answers are labels" if asked else "all tasks"
        return Findings(
            tables=[table_of("superni/metrics", rows, heads=heads), table_of("superni/agree", agreement, which=which)],
            figures=[figure],
            checks=[above("ROUGE-L follows exact match closely", linear, 0.8, source="Figure 9")],
            sentences=[_EQUAL] if rouge == exact else [],
        )


UNSEEN, ENCODINGS, SCALING, METRIC_CHECK = UnseenTasks(), Encodings(), Scaling(), MetricCheck()
