"""One model on all families with a fixed budget: parts, combinations, and the smallest that fail, on one page.

Tasks that are woven from several families have a page of their own: which systems' skills combine in the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Annotated, ClassVar

import msgspec

from taskloom.core import Positive, Recipe, UserError, open_suite
from taskloom.core.catalog import combinations_of, probed_suite
from taskloom.core.decode import read_json
from taskloom.core.study import Study, Table
from taskloom.figures import Figure, HeatCell, HeatMap, IntervalPlot, IntervalPoint
from taskloom.run.results import Run, load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.score.stats import mean_estimate
from taskloom.store.ownership import write_ours
from taskloom.studies.findings import estimate_cells, figure_words, table_of
from taskloom.studies.frontier.claims import CellState, Frontier
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings
from taskloom.studies.frontier.sentences import pair_lines

_SAID = 3
_FILE = "profile.json"
_FAMILIES = ("babi", "taskbench", "seti", "zest", "superni", "weave")
_ALONE, _OPERATORS = "alone", "with operators"


class ProfileRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `profile`.

    Attributes:
        model: The model, as `--model` names it.
        suites: What it is asked: suites, or families, of which each has one suite that is probed.
        budget: Questions of each suite.
        protocol: How it is asked; auto chooses by what the model is.
    """

    model: str = ""
    suites: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)] = _FAMILIES
    budget: Positive = 300
    protocol: str = "auto"


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
        """The smallest failing combinations of each suite, each with items to look at."""
        rows = [
            (found.suite, text, " ".join(pair_lines(claim.pair)) if claim is not None and claim.pair else "")
            for found in self.frontiers
            for text, claim in found.sentences_with_claims()[:_SAID]
        ]
        return table_of("profile/smallest", rows)

    def words(self) -> list[Table]:
        """What the names in these sentences mean, where there are any."""
        said = {name: each for found in self.frontiers for name, each in found.words.items()}
        rows = [(name, each.sentence or each.name, each.example) for name, each in said.items()]
        return [table_of("profile/words", rows)] if rows else []

    def crossings(self) -> list[Table]:
        """For every suite of tasks of several systems: how well their skills combine."""
        return [_crossing_table(found) for found in self.frontiers if _crosses(found)]

    def tables(self) -> list[Table]:
        """All tables, for the page."""
        return [self.overview(), self.smallest(), *self.words(), *self.crossings(), *self.others]

    def figures(self) -> list[Figure]:
        """All pictures, for the page."""
        maps = [_crossing_map(found) for found in self.frontiers if _crosses(found)]
        return [self.figure(), *maps] if self.frontiers else []

    def figure(self) -> IntervalPlot:
        """What is right of the simplest combinations of each suite, and of the others."""
        points = []
        for found in self.frontiers:
            for series, basic in (("simplest", True), ("others", False)):
                shares = [c.share.value for c in found.cells if c.share.n and c.basic == basic]
                if shares:
                    mean = mean_estimate(shares)
                    points.append(IntervalPoint(found.suite, mean.value, mean.low, mean.high, mean.n, series))
        return IntervalPlot(points=tuple(points), **figure_words("profile", model=self.model))


def _mean(cells: list[CellState]) -> float | None:
    return mean(cell.share.value for cell in cells) if cells else None


def _systems(cell: CellState) -> tuple[str, ...]:
    """The families whose tasks a woven cell asks for; those of given answers are not among them."""
    return tuple(sorted({atom.partition("/")[0] for atom in cell.atoms if "/" in atom}))


def _crosses(found: Frontier) -> bool:
    return found.suite.startswith("weave/") and len({_systems(cell) for cell in found.cells}) > 2


def _met(found: Frontier) -> dict[tuple[str, str], list[CellState]]:
    """What was asked, by the systems that meet in it: a system alone, with operators, or with each other one."""
    met: dict[tuple[str, str], list[CellState]] = {}
    for cell in found.cells:
        systems = _systems(cell)
        pairs = [*combinations(systems, 2)]
        if len(systems) == 1:
            pairs = [(systems[0], _ALONE if cell.basic else _OPERATORS)]
        for pair in pairs if cell.share.n else ():
            met.setdefault(pair, []).append(cell)
    others = (_ALONE, _OPERATORS)
    return dict(sorted(met.items(), key=lambda one: (one[0][0], one[0][1] not in others, one[0][1])))


def _crossing_map(found: Frontier) -> HeatMap:
    """One picture: which systems' skills combine."""
    met = _met(found)
    cells = []
    for (first, second), asked in met.items():
        mean = mean_estimate([cell.share.value for cell in asked])
        answers = sum(cell.share.n for cell in asked)
        sides = {(first, second)} if second in (_ALONE, _OPERATORS) else {(first, second), (second, first)}
        cells += [HeatCell(row, column, mean.value, mean.low, mean.high, answers) for row, column in sorted(sides)]
    order = (_ALONE, _OPERATORS, *sorted({cell.row for cell in cells}))
    ordered = tuple(sorted(cells, key=lambda cell: cell.row))
    return HeatMap(cells=ordered, column_order=order, **figure_words("profile/crossings", model=found.model))


def _crossing_table(found: Frontier) -> Table:
    """Every meeting of systems: its combinations, what is right of them and of their tasks alone, how they stand."""
    alone = {cell.atoms[0]: cell.share.value for cell in found.cells if cell.basic and cell.share.n and _systems(cell)}
    rows = []
    for (first, second), asked in _met(found).items():
        parts = [alone[atom] for cell in asked for atom in cell.atoms if atom in alone]
        standings = [sum(cell.standing == name for cell in asked) for name in ("mastered", "failing", "between")]
        promised = mean(parts) if parts and second != _ALONE else None
        rows.append(
            (first, second, len(asked), sum(cell.share.n for cell in asked), _mean(asked), promised, *standings)
        )
    return table_of("profile/crossings", rows, suite=found.suite)


class ProfileStudy(Study[ProfileRecipe]):
    """A page to attach to a paper or a model card: `index.html`, `tables.md`, `tables.json` and `profile.json`."""

    summary: ClassVar[str] = "one model on all five families, and on tasks woven from them, with a fixed budget"
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
        return found.figures()


def _profile(recipe: ProfileRecipe, seed: int, out: Path) -> ModelProfile:
    settings = RunSettings(model=recipe.model, protocol=recipe.protocol)
    frontiers: list[Frontier] = []
    others: list[Table] = []
    for name in recipe.suites:
        suite = open_suite(probed_suite(name), seed=seed)
        folder = out / suite.name.replace("/", "-")
        if cells := combinations_of(suite):
            search = SearchSettings(budget=recipe.budget, phases=("quick",))
            # What crosses systems is asked even where a part of it fails: the picture is of what was asked.
            targets = cells if suite.family == "weave" else ()
            frontiers.append(probe_model(suite, folder, settings, search, targets=targets))
        else:
            each = max(1, recipe.budget // len(suite.tasks))
            launch(suite, folder, msgspec.structs.replace(settings, limit=each))
            others.append(_by_category(load_run(folder)))
    model = frontiers[0].model if frontiers else recipe.model
    return ModelProfile(model=model, budget=recipe.budget, seed=seed, frontiers=tuple(frontiers), others=tuple(others))


def _by_category(run: Run) -> Table:
    """A suite without combinations, by the categories of its tasks."""
    groups = run.by_facet("category") if "category" in run.facet_names() else {("all",): run.overall()}
    rows = [(key[0], *estimate_cells(group.estimate)) for key, group in groups.items()]
    rows.sort(key=lambda row: float(row[1] or 0.0))
    return table_of("profile/categories", rows, suite=run.plan.suite, metric=run.estimand)


PROFILE = ProfileStudy()
