"""Unseen tasks from instructions: heuristics, untuned, tuned on other tasks, and the oracle (Table 3, Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, scored_table
from taskloom.studies.frame import Contrast, Frame, Observation, contrast
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.scores import Keys, expected, measure
from taskloom.studies.superni.common import PAPER, CollectionRecipe, collection_arm, scale_of, too_weak

_COPY = ("mock/copy-input", "mock/copy-demo")
_PRINTED = {
    "mock/copy-input": "copying the input",
    "mock/copy-demo": "copying a demonstration",
    "untuned": "T5-LM (11B)",
    "tuned on other tasks": "Tk-Instruct (11B)",
    "tuned on another style": "T0 (11B)",
    "oracle": "supervised training",
}
"""The row of Table 3 that each of ours stands beside."""
_TUNED = "tuned on other tasks"
_ROWS = {"untuned": "", _TUNED: "train", "tuned on another style": "train", "oracle": "oracle"}
_STYLE: dict[str, Any] = {"encoding": "plain", "encoding_options": {"definition": True, "answer": "Answer:"}}
"""Another style of instructions: no template of the benchmark and no examples, as T0 was tuned on."""
_LANGUAGES = ("English", "Spanish")
_TRACKS = ("English", "cross-lingual")


class UnseenRecipe(CollectionRecipe, frozen=True, kw_only=True):
    """Settings of `superni/unseen`.

    Attributes:
        fitted: Which rows of the table: untuned, tuned on other tasks, tuned on another style, oracle.
        tracks: English, cross-lingual: tasks that read or write another language.
        tuned_in: The languages of the tasks that models of the cross-lingual track are tuned on. With English alone
            they are those of the English track, asked in Spanish; the oracle is tuned on the tasks it is asked.
    """

    fitted: tuple[str, ...] = tuple(_ROWS)
    tracks: tuple[str, ...] = _TRACKS
    tuned_in: tuple[str, ...] = _LANGUAGES


class UnseenTasks(Experiment):
    """ROUGE-L on test tasks, overall, by category, and by task against the better copying heuristic."""

    name: ClassVar[str] = "superni/unseen"
    summary: ClassVar[str] = "does tuning on instructions help with tasks never seen (Table 3, Figures 4, 11, 12)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": UnseenRecipe(fitted=("untuned", "tuned on other tasks"), tracks=("English",), **scale_of("smoke")),
        "tiny": UnseenRecipe(fitted=tuple(_ROWS)[:-1], tuned_in=("English",), **scale_of("tiny")),
        "paper": UnseenRecipe(**scale_of("paper")),
    }

    def grid(self, recipe: UnseenRecipe, seed: int) -> Iterator[Arm]:
        for track in recipe.tracks:
            for data in recipe.replicates(seed):
                for model in _COPY:
                    factors: dict[str, Value] = {"track": track, "model": model, "fitted": "heuristic"}
                    yield collection_arm(recipe, model, data, factors, options=_asked(track), adapt="none")
                for model in recipe.models:
                    for fitted in recipe.fitted:
                        yield _fitted(recipe, {"track": track, "model": model, "fitted": fitted}, data)

    def analyse(self, frame: Frame, recipe: UnseenRecipe) -> Findings:
        frame = frame.where(_of_track)
        table = printed("superni", "table-3")

        def paper(key: Keys) -> float | None:
            return table.share(key["track"], method=_PRINTED.get(key["model"]) or _PRINTED[key["fitted"]])

        unseen = measure(frame, "track", "model", "fitted", over="tasks", published=paper)
        note = f"Published: {PAPER}, {table.where}, for the paper's models."
        gains = _gains(frame)
        fitted = frame.where(lambda one: one.value("model") in recipe.models)
        return Findings(
            tables=[unseen.table("Unseen tasks", metric="ROUGE-L", note=note), _tasks(gains)],
            figures=[*_categories(frame), *_improvements(gains)],
            checks=_checks(fitted),
            sentences=too_weak(fitted),
        )


def _asked(track: str) -> dict[str, Any]:
    """What a track sets in the collection that is asked."""
    return {"languages": ["English"] if track == "English" else ["Spanish"]}


def _fitted(recipe: UnseenRecipe, factors: dict[str, Value], seed: int) -> Arm:
    """A row of the table: asked as it is, or tuned and asked in the style of the benchmark."""
    model, fitted, track = (str(factors[name]) for name in ("model", "fitted", "track"))
    asked = _asked(track)
    if not _ROWS[fitted]:
        return collection_arm(recipe, model, seed, factors, options=asked, adapt="none")
    if fitted == "oracle":
        return collection_arm(recipe, model, seed, factors, options=asked, adapt_options={"split": _ROWS[fitted]})
    tuned = asked if track == "English" else {"languages": list(recipe.tuned_in)}
    # What it answers in the other style is in no table.
    style = {**_STYLE, "limit": 1} if fitted == "tuned on another style" else {}
    base = collection_arm(recipe, model, seed, factors, options=tuned, **style)
    if tuned == asked and not style:
        return base
    return collection_arm(recipe, model, seed, factors, options=asked, after=base)


def _of_track(one: Observation) -> bool:
    """Whether a task belongs to the track it was asked in: the cross-lingual one has none in English alone."""
    english = {one.facets.get("language"), one.facets.get("output_language")} <= {"English", None}
    return english == (one.value("track") == "English")


def _checks(frame: Frame) -> list[Check]:
    checks: list[Check] = []
    for better, worse in ((_TUNED, "untuned"), (_TUNED, "tuned on another style"), ("oracle", _TUNED)):
        checks += expected(
            frame, f"{{model}} {better} does better than {worse} on unseen tasks, {{track}} track", "track", "model",
            more={"fitted": better}, less={"fitted": worse}, source="Table 3",
        )  # fmt: skip
    return checks


def _categories(frame: Frame) -> list[IntervalPlot]:
    return [
        measure(part, "category", "model", "fitted", over="tasks").intervals(
            f"Unseen tasks by category: {track}", "{category}", "{model}, {fitted}", axis="ROUGE-L", values=False,
            caption="Intervals 95 % for other tasks and seeds.",
        )
        for (track,), part in frame.by("track").items()
    ]  # fmt: skip


class _Gain(NamedTuple):
    """A task as one model did it, beside the better of the two copying heuristics; `gain` is paired by instance."""

    track: str
    model: str
    fitted: str
    task: str
    score: Estimate
    copied: float
    gain: Contrast


def _gains(frame: Frame) -> list[_Gain]:
    """Each task's score less that of the better copying heuristic."""
    copied: dict[tuple[Value, ...], Frame] = {}
    for (track, task, _), part in frame.where(fitted="heuristic").by("track", "task", "model").items():
        best = copied.get((track, task))
        if best is None or part.mean().value > best.mean().value:
            copied[track, task] = part
    asked = frame.where(lambda one: one.value("fitted") != "heuristic").by("track", "model", "fitted", "task")
    return [
        _Gain(str(track), str(model), str(how), str(task), part.mean(), other.mean().value, contrast(part, other))
        for (track, model, how, task), part in asked.items()
        for other in (copied[track, task],)
    ]


def _tasks(gains: Sequence[_Gain]) -> Table:
    rows = [
        (g.track, g.model, g.fitted, g.task, g.score.value, g.copied, g.gain.value, g.gain.low, g.gain.high, g.score.n)
        for g in gains
    ]
    columns = ("track", "model", "fitted", "task", "ROUGE-L", "better heuristic", "difference", "low", "high", "n")
    note = "The intervals are those of the difference."
    return scored_table("Tasks against copying", columns, rows, metric="ROUGE-L", note=note)


def _improvements(gains: Sequence[_Gain]) -> list[IntervalPlot]:
    """Figures 11 and 12: what a model tuned on other tasks adds to copying, task by task, the most first."""
    figures = []
    tuned = [one for one in gains if one.fitted == _TUNED]
    for track, model in dict.fromkeys((one.track, one.model) for one in tuned):
        shown = sorted((g for g in tuned if (g.track, g.model) == (track, model)), key=lambda g: -g.gain.value)
        figures.append(
            IntervalPlot(
                title=f"Gain over the better copying heuristic: {model}, {track}", axis="difference in ROUGE-L",
                points=tuple(IntervalPoint(g.task, g.gain.value, g.gain.low, g.gain.high, g.score.n) for g in shown),
                low=-1.0, caption=f"{model} {_TUNED}, task by task; 95 % intervals for other seeds.",
            )
        )  # fmt: skip
    return figures


UNSEEN = UnseenTasks()
