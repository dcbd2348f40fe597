"""Do two benchmarks rank models alike? Concurrence as in Figure 2 and Table 8 of Dyna-bAbI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from taskloom.core import UserError
from taskloom.core.csv_table import read_csv
from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.figures import ScatterPlot, ScatterPoint
from taskloom.studies.analysis import kendall, pearson
from taskloom.studies.experiment import Experiment, paper, printed
from taskloom.studies.findings import Findings, above, estimate_cells, figure_words, table_of
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe


class ConcurRecipe(GridRecipe, frozen=True, kw_only=True):
    """Settings of `concur`.

    Attributes:
        trained: The suite that models are fitted to before both are asked; "" asks them as they are.
        first: A suite, or `SUITE:SPLIT`; `trained:SPLIT` is a split of the suite trained on.
        second: The other one, in the same way; or "" with `outside`.
        outside: A CSV file with the columns model and score: another benchmark, measured elsewhere.
        squad: Files in SQuAD's format by split, {train: FILE, test: FILE}, instead of `second`: every model is fitted
            to the one and asked the other (Table 8).
        options: Recipe keys of the suite that is trained on; without training, of both suites.
        asked_options: Recipe keys of another suite that is asked.
    """

    trained: str = "babi/concat-t2"
    first: str = "trained:mix"
    second: str = "trained:test"
    outside: str = ""
    squad: dict[str, str] = {}
    options: dict[str, Any] = {}
    asked_options: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if self.squad.keys() - {"train", "dev", "test"} or (self.squad and "test" not in self.squad):
            raise ValueError("squad names files by split: train, dev, test")
        if sum(map(bool, (self.second and not self.squad, self.outside, self.squad))) != 1:
            raise ValueError("give one of second, outside and squad")


class RankAgreement(Experiment, study="concur", settings=ConcurRecipe):
    """Pearson and Kendall between the scores of models on two benchmarks, with intervals over models."""

    def grid(self, recipe: ConcurRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for data in recipe.replicates(seed):
                for side, asked in (("first", recipe.first), ("second", "" if recipe.squad else recipe.second)):
                    if asked:
                        yield _arm(recipe, model, data, asked, {"model": model, "benchmark": side})
                if recipe.squad:
                    factors: dict[str, Value] = {"model": model, "benchmark": "second"}
                    yield recipe.arm_of(model, "zest/squad", data, factors, options=recipe.squad, split="test")

    def analyse(self, frame: Frame, recipe: ConcurRecipe) -> Findings:
        names = {
            "first": _called(recipe, recipe.first),
            "second": _called(recipe, recipe.second) if recipe.second else Path(recipe.outside).name,
        }
        if recipe.squad:
            names["second"] = Path(recipe.squad["test"]).name
        sides = [
            {str(model): group.over_seeds() for (model,), group in frame.where(benchmark=side).by("model").items()}
            for side in names
        ]
        if recipe.outside:
            # Scores from elsewhere come without intervals.
            outside = read_scores(Path(recipe.outside))
            sides[1] = {model: Estimate(score, score, score, 0) for model, score in outside.items()}
        shared = [model for model in sides[0] if model in sides[1]]
        first, second = ([side[model].value for model in shared] for side in sides)
        found = {"Pearson's r": pearson(first, second), "Kendall's tau-b": kendall(first, second)}
        asked = [side for side in names if frame.where(benchmark=side)]
        levels = [level for side in asked for level in frame.where(benchmark=side).guessing()]
        rows = [
            (model, *(cell for side in sides for cell in estimate_cells(side[model])[:3]), *levels) for model in shared
        ]
        points = tuple(
            ScatterPoint(model, x.value, y.value, x_interval=(x.low, x.high), y_interval=(y.low, y.high))
            for model in shared
            for x, y in ((sides[0][model], sides[1][model]),)
        )
        here = not recipe.outside
        figure = ScatterPlot(
            points=points, unit=here, diagonal=here, x_name=names["first"], y_name=names["second"],
            **figure_words("concur", sides=f" {_SIDES}" if here else ""),
        )  # fmt: skip
        heads = [f"{name}{end}" for name in names.values() for end in ("", " low", " high")]
        both = [(name, *one.cells, one.method) for name, one in found.items()]
        tables = [
            table_of(
                "concur",
                rows,
                heads=heads,
                levels=[f"{level} of {names[side]}" for side in asked for level in ("chance", "majority")],
            ),
            table_of("concur/coefficients", both, title="Concurrence of the two", first=(), note=""),
            published_concurrence(),
        ]
        claim = f"{names['first']} ranks these models much as {names['second']} does"
        check = above(claim, found["Kendall's tau-b"], _MUCH, source="Figure 2")
        few = f"With only {len(shared)} models the intervals of the two suites' concurrence are wide."
        return Findings(
            tables=tables, figures=[figure, _published_figure()], checks=[check], sentences=[few, *_recomputed()]
        )


def _called(recipe: ConcurRecipe, asked: str) -> str:
    """A benchmark as readers know it: its suite, with the split where one was named."""
    head, _, split = asked.partition(":")
    suite = recipe.trained if head == "trained" else head
    return f"{suite}, {split}" if split else suite


def _arm(recipe: ConcurRecipe, model: str, seed: int, asked: str, factors: dict[str, Value]) -> Arm:
    if not recipe.trained:
        return recipe.arm_of(model, asked, seed, factors, options=recipe.options)
    base = recipe.arm_of(model, recipe.trained, seed, factors, options=recipe.options, split="test")
    head, _, split = asked.partition(":")
    suite, options = (recipe.trained, recipe.options) if head == "trained" else (head, recipe.asked_options)
    return recipe.arm_of(model, suite, seed, factors, options=options, after=base, split=split or None)


_PRINTED = {"mix(T7)": "ranks", "mix(T2)": "", "babi task 2": "does not rank"}
"""The columns of Table 8 that stand beside SQuAD, and whether the paper says that they rank models much as it does."""
_SIDES = "Green points lie above the line of equal scores, red ones below it."
_MUCH = 0.5
"""The coefficient from which two benchmarks may be said to rank models much alike."""


def published_concurrence() -> Table:
    """The correlations of the paper's Table 8, computed from its printed scores."""
    table = printed("dyna-babi", "table-8")
    rows = [
        (benchmark, name, *found.cells, found.method)
        for benchmark in _PRINTED
        for name, coefficient in (("r", pearson), ("tau-b", kendall))
        for found in (coefficient(table.column("SQuAD"), table.column(benchmark)),)
    ]
    title = f"Concurrence with SQuAD, from the scores that {paper('dyna-babi').citation} prints in {table.where}"
    return table_of("concur/coefficients", rows, title=title, first=["benchmark"], note=table.note)


def _published_figure() -> ScatterPlot:
    """Figure 2 of the paper: its models on SQuAD and on stories."""
    table = printed("dyna-babi", "table-8")
    points = tuple(
        ScatterPoint(model, squad, score, series=benchmark)
        for benchmark in _PRINTED
        for model, squad, score in zip(*map(table.column, ("model", "SQuAD", benchmark)), strict=True)
        if score is not None
    )
    cited = {"citation": paper("dyna-babi").citation, "where": table.where, "note": table.note}
    return ScatterPlot(points=points, **figure_words("concur/published", **cited))


def _recomputed() -> list[str]:
    """What the paper concludes from its Table 8, from the numbers it prints."""
    table = printed("dyna-babi", "table-8")
    said = []
    for benchmark, claimed in _PRINTED.items():
        found = kendall(table.column("SQuAD"), table.column(benchmark))
        alike = "ranks" if found.low > _MUCH else "does not rank" if found.high < _MUCH else "cannot be told to rank"
        numbers = f"tau-b = {found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"
        agreed = ", as the paper says" if alike == claimed else ""
        does = f"{benchmark} {alike} models much as SQuAD does{agreed}"
        said.append(f"By the paper's own numbers {does} ({numbers}; {table.where}).")
    return said


def read_scores(path: Path) -> dict[str, float]:
    """Scores of models from a CSV file with the columns model and score.

    Raises:
        UserError: A column is missing, or a score is not a number.
    """
    found: dict[str, float] = {}
    for line, row in enumerate(read_csv(path, columns=("model", "score")), start=2):
        try:
            found[row["model"]] = float(row["score"])
        except ValueError:
            raise UserError(f"{row['score']!r} is not a score", where=f"{path}:{line}") from None
    return found


CONCUR = RankAgreement()
