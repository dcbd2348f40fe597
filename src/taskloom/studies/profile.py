"""One model on all families with a fixed budget: parts, combinations, and the smallest that fail, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import ClassVar

import msgspec

from taskloom.core import Recipe, Suite, UserError, open_suite
from taskloom.core.catalog import lattice_of, probed_suite
from taskloom.core.decode import read_json
from taskloom.core.study import Study, Table
from taskloom.figures import Figure, IntervalPlot, IntervalPoint
from taskloom.run.results import Run, load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.score.stats import mean_estimate
from taskloom.store.ownership import write_ours
from taskloom.studies.findings import estimate_cells, table_of
from taskloom.studies.frontier.claims import CellState, Frontier
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings

_SAID = 3
_FILE = "profile.json"
_FAMILIES = ("babi", "taskbench", "seti", "zest", "superni")


class ProfileRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `profile`.

    Attributes:
        model: The model, as `--model` names it.
        suites: What it is asked: suites, or families, of which each has one suite that is probed.
        budget: Questions of each suite.
        protocol: How it is asked; auto chooses by what the model is.
    """

    model: str = ""
    suites: tuple[str, ...] = _FAMILIES
    budget: int = 300
    protocol: str = "auto"

    def __post_init__(self) -> None:
        if self.budget < 1 or not self.suites:
            raise ValueError("budget must be 1 or more, and suites must name at least one")


class ModelProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What a profile found: a frontier of every suite with combinations, and a table for every other."""

    model: str
    budget: int
    seed: int
    frontiers: tuple[Frontier, ...] = ()
    others: tuple[Table, ...] = ()

    def overview(self) -> Table:
        """One row per suite. Every cell that was asked counts once: a search asks some much more than others."""
        rows = []
        for found in self.frontiers:
            asked, counts = [cell for cell in found.cells if cell.share.n], found.counts()
            shares = (_mean([cell for cell in asked if cell.basic == basic]) for basic in (True, False))
            standings = (counts[name] for name in ("mastered", "inherited", "failing", "between", "open"))
            rows.append((found.suite, len(found.cells), found.asked, *shares, *standings, len(found.claims)))
        return table_of("profile", rows, model=self.model, budget=self.budget, seed=self.seed)

    def smallest(self) -> Table:
        """The smallest failing combinations of each suite."""
        rows = [(found.suite, text) for found in self.frontiers for text in found.sentences()[:_SAID]]
        return table_of("profile/smallest", rows)

    def tables(self) -> list[Table]:
        """All tables, for the page."""
        return [self.overview(), self.smallest(), *self.others]

    def figure(self) -> IntervalPlot:
        """What is right of the simplest combinations of each suite, and of the others."""
        points = []
        for found in self.frontiers:
            for series, basic in (("simplest", True), ("others", False)):
                shares = [c.share.value for c in found.cells if c.share.n and c.basic == basic]
                if shares:
                    mean = mean_estimate(shares)
                    points.append(IntervalPoint(found.suite, mean.value, mean.low, mean.high, mean.n, series))
        caption = "Every combination asked counts once, as does n; 95 % intervals over combinations."
        title = f"Parts and combinations: {self.model}"
        return IntervalPlot(title=title, points=tuple(points), axis="share right", caption=caption)


def _mean(cells: list[CellState]) -> float | None:
    return mean(cell.share.value for cell in cells) if cells else None


class ProfileStudy(Study[ProfileRecipe]):
    """A page to attach to a paper or a model card: `index.html`, `tables.md`, `tables.json` and `profile.json`."""

    summary: ClassVar[str] = "one model on all five families with a fixed budget"
    needs: ClassVar[str] = "a model (--model NAME)"
    recipe: ClassVar[Recipe] = ProfileRecipe()

    def run(self, recipe: ProfileRecipe, seed: int, out: Path | None) -> list[Table]:
        if not recipe.model:
            raise UserError("no model given", where="study profile", hint="taskloom study profile --model NAME")
        if out is None:
            with TemporaryDirectory() as folder:
                return _profile(recipe, seed, Path(folder)).tables()
        found = _profile(recipe, seed, out)
        write_ours(out / _FILE, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
        return found.tables()

    def figures(self, out: Path) -> Sequence[Figure]:
        found = read_json(out / _FILE, type=ModelProfile)
        return (found.figure(),) if found.frontiers else ()


def _profile(recipe: ProfileRecipe, seed: int, out: Path) -> ModelProfile:
    settings = RunSettings(model=recipe.model, protocol=recipe.protocol)
    frontiers: list[Frontier] = []
    others: list[Table] = []
    for name in recipe.suites:
        suite = open_suite(probed_suite(name), seed=seed)
        folder = out / suite.name.replace("/", "-")
        if _has_lattice(suite):
            search = SearchSettings(budget=recipe.budget, phases=("quick",))
            frontiers.append(probe_model(suite, folder, settings, search))
        else:
            each = max(1, recipe.budget // len(suite.tasks))
            launch(suite, folder, msgspec.structs.replace(settings, limit=each))
            others.append(_by_category(load_run(folder)))
    model = frontiers[0].model if frontiers else recipe.model
    return ModelProfile(model=model, budget=recipe.budget, seed=seed, frontiers=tuple(frontiers), others=tuple(others))


def _has_lattice(suite: Suite) -> bool:
    try:
        lattice_of(suite)
    except UserError:
        return False
    return True


def _by_category(run: Run) -> Table:
    """A suite without combinations, by the categories of its tasks."""
    groups = run.by_facet("category") if "category" in run.facet_names() else {("all",): run.overall()}
    rows = [(key[0], *estimate_cells(group.estimate)) for key, group in groups.items()]
    rows.sort(key=lambda row: float(row[1] or 0.0))
    return table_of("profile/categories", rows, suite=run.plan.suite, metric=run.estimand)


PROFILE = ProfileStudy()
