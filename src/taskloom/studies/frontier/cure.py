"""From a frontier to what closes it: lessons of exactly the missing combinations, doses 1, 2, 4 …, probed again.

For every dose the model is trained on top of what it is, with that many fresh items of each missing combination and,
against forgetting, items that the curriculum of `taskloom.rl` draws from what the probe saw. Then it is probed again:
which dose heals which gap, and what else was healed or broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec

from taskloom.core import Positive, Recipe, Row, Suite, UserError, input_hash, open_recorded, open_suite
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell
from taskloom.core.study import Table
from taskloom.figures import Line, LinePlot, LinePoint
from taskloom.rl.curriculum import Curriculum
from taskloom.run.plan import load_plan
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.ownership import write_ours
from taskloom.store.write import write_bundle
from taskloom.studies.findings import figure_words, table_of
from taskloom.studies.frontier.claims import Frontier, Share, load_frontier
from taskloom.studies.frontier.compare import FrontierComparison, compare_frontiers
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings

__all__ = ["FILE", "CureSettings", "DoseOutcome", "RemedyResult", "cure_model", "lesson", "missing_cells"]

FILE = "cure.json"
_LESSON_SEED = 7_919
"""Added to the probe's seed, so that lessons and questions come from different streams."""


class CureSettings(Recipe, frozen=True, kw_only=True):
    """What is taught and how it is looked at.

    Attributes:
        doses: Fresh items of each missing combination, one lesson each; every lesson starts from the same model.
        rehearse: Items of what is known, for every item taught.
        most: How many combinations are taught at most, the smallest first.
        budget: Questions of each probe after a lesson.
    """

    doses: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    rehearse: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    most: Positive = 8
    budget: Positive = 3_000

    def __post_init__(self) -> None:
        if not self.doses or min(self.doses) < 1 or list(self.doses) != sorted(set(self.doses)):
            raise ValueError("doses must be 1 or more, each once, smallest first")


class DoseOutcome(msgspec.Struct, frozen=True):
    """One lesson: what it held, where the missing cells stand after it, and what else changed."""

    dose: int
    taught: int
    rehearsed: int
    shares: tuple[Share, ...]
    standings: tuple[str, ...]
    comparison: FrontierComparison


class RemedyResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of all lessons.

    Attributes:
        suite: Whose combinations were taught.
        model: The model before.
        missing: The cells that were taught.
        before: Their shares before.
        outcomes: One per dose.
    """

    suite: str
    model: str
    missing: tuple[str, ...]
    before: tuple[Share, ...]
    outcomes: tuple[DoseOutcome, ...] = ()

    def healing_dose(self, cell: str) -> int | None:
        """The smallest dose after which a cell is mastered; None where none was enough."""
        place = self.missing.index(cell)
        return next((each.dose for each in self.outcomes if each.standings[place] == "mastered"), None)

    def table(self) -> Table:
        """One row per missing cell: its share before and after each dose, and the smallest dose that heals it."""
        rows = []
        for place, cell in enumerate(self.missing):
            shares = [self.before[place], *(each.shares[place] for each in self.outcomes)]
            values = tuple(f"{share.value:.2f} (n = {share.n})" if share.n else "–" for share in shares)
            rows.append((cell, *values, self.healing_dose(cell)))
        doses = [f"dose {each.dose}" for each in self.outcomes]
        return table_of("frontier/doses", rows, model=self.model, suite=self.suite, doses=doses)

    def side_effects(self) -> Table:
        """What else every dose healed or broke."""
        taught = set(self.missing)
        rows = []
        for each in self.outcomes:
            changed = [change for change in each.comparison.changes if change.after.cell not in taught]
            names = {
                kind: ", ".join(change.after.cell for change in changed if change.change == kind) or "–"
                for kind in ("gained", "rose", "fell", "lost")
            }
            new = ", ".join(each.comparison.new) or "–"
            rows.append((each.dose, each.taught, each.rehearsed, *names.values(), new))
        return table_of("frontier/side effects", rows)

    def figure(self) -> LinePlot:
        """The share of every missing cell over doses."""
        lines = []
        for place, cell in enumerate(self.missing):
            found = [(0, self.before[place]), *((each.dose, each.shares[place]) for each in self.outcomes)]
            points = (LinePoint(dose, share.value, share.low, share.high, share.n) for dose, share in found if share.n)
            lines.append(Line(cell, tuple(points)))
        return LinePlot(lines=tuple(lines), **figure_words("frontier/doses"))


def missing_cells(found: Frontier, most: int) -> list[Cell]:
    """The combinations to teach: what is claimed and not blamed on length, smallest first."""
    claims = [claim for claim in found.claims if not claim.long_supports]
    cells = sorted({Cell.parse(claim.cell) for claim in claims}, key=lambda cell: (len(cell.atoms), cell))
    return cells[:most]


def lesson(suite: Suite, found: Frontier, cells: Sequence[Cell], dose: int, rehearse: float) -> Suite:
    """A suite whose training split holds `dose` fresh items of each cell, and items against forgetting."""
    lattice = lattice_of(suite)
    seed = suite.seed + _LESSON_SEED
    taught = [row for cell in cells for row in islice(lattice.stream(cell, seed), dose)]
    practice = Curriculum(suite, seed, target=0.9, explore=0.2)
    skip = {str(cell) for cell in cells}
    for cell in found.cells:
        # What fails elsewhere is no part of this lesson: only what is known is kept fresh.
        if cell.standing == "failing":
            skip.add(cell.share.cell)
        practice.counts[Cell(cell.question, cell.atoms)] = (cell.share.value * cell.share.n, float(cell.share.n))
    wanted = round(len(taught) * rehearse)
    known = (row for row in practice.rows() if row.instance.facets["cell"] not in skip)
    rows = [*_named(taught, "taught"), *_named(islice(known, wanted), "kept")]
    note: tuple[str | int, ...] = ("cure", dose, wanted, *map(str, cells))
    tasks = {name: task for name, task in suite.tasks.items() if any(row.task == name for row in rows)}
    return suite.derive(*note, tasks=tasks, splits={"train": len(rows)}, draw=lambda split: iter(rows))


def _named(rows: Iterator[Row] | Sequence[Row], what: str) -> list[Row]:
    """Rows under ids of their own: streams number theirs from 0 each."""
    named = []
    for number, row in enumerate(rows):
        facets = {key: value for key, value in row.instance.facets.items() if key != "cell"}
        instance = msgspec.structs.replace(row.instance, id=f"{what}-{number:05d}", facets=facets)
        named.append(Row(row.task, instance))
    return named


Train = Callable[[Suite, int, Path], str]
"""Trains on a lesson of a dose in a folder; returns the model to probe."""


def cure_model(
    probe: str | Path,
    model: str,
    out: str | Path,
    settings: CureSettings | None = None,
    *,
    adapt: str = "finetune",
    adapt_options: dict[str, Any] | None = None,
    suite: str | None = None,
    train: Train | None = None,
    ask: Callable[[Suite, Path, str, SearchSettings, Sequence[Cell], frozenset[bytes]], Frontier] | None = None,
) -> RemedyResult:
    """Teach what a probe found missing, in growing doses, and probe again after each.

    Args:
        probe: The folder of a finished probe.
        model: The model that was probed; every lesson starts from it.
        out: Where lessons, models, probes and `cure.json` go.
        settings: Doses, rehearsal, budget.
        adapt: How it is trained.
        adapt_options: Options of the adaptation.
        suite: The file of tasks that was probed. Code runs only when it is named, so the probe alone cannot open it.
        train: Takes the place of the training.
        ask: Takes the place of the probe after a lesson.

    Raises:
        UserError: The probe found nothing to teach, or probed another suite.
    """
    settings = settings or CureSettings()
    before, out = load_frontier(probe), Path(out)
    cells = missing_cells(before, settings.most)
    if not cells:
        raise UserError("this probe found no combination to teach", where=str(probe))
    found = _probed_suite(Path(probe), suite)
    search = msgspec.convert({**before.settings, "phases": ("quick",), "budget": settings.budget}, SearchSettings)
    train, names = train or lesson_trainer(model, adapt, adapt_options or {}), tuple(map(str, cells))
    outcomes = []
    for dose in settings.doses:
        taught = lesson(found, before, cells, dose, settings.rehearse)
        place = out / f"dose-{dose}"
        write_bundle(taught, place / "lesson", replace=True)
        trained = train(taught, dose, place)
        seen = frozenset(input_hash(row.instance.input) for row in taught.rows("train"))
        if ask is None:
            asked = RunSettings(model=trained)
            after = probe_model(found, place / "probe", asked, search, targets=cells, apart=seen)
        else:
            after = ask(found, place / "probe", trained, search, cells, seen)
        outcomes.append(_outcome(dose, taught, before, after, names))
    known = before.by_cell()
    cure = RemedyResult(
        suite=found.name,
        model=before.model,
        missing=names,
        before=tuple(known[name].share for name in names),
        outcomes=tuple(outcomes),
    )
    write_ours(out / FILE, msgspec.json.format(msgspec.json.encode(cure), indent=1) + b"\n")
    return cure


def _probed_suite(probe: Path, named: str | None) -> Suite:
    """The suite of a probe; one of a user's own files has to be named."""
    plan = load_plan(probe)
    if not named and "/" not in plan.suite:
        raise UserError(f"{plan.suite} is a suite of your own", where=str(probe), hint="name its file: --suite FILE.py")
    opened = open_suite if named else open_recorded
    found = opened(named or plan.suite, seed=plan.data_seed, options=plan.recipe)
    if named and found.identity != plan.identity:
        raise UserError(f"{found.name} is not the suite that was probed, or has changed since", where=str(probe))
    return found


_KEPT = ("optimiser", "learning_rate", "batch", "clip")


def _as_before(model: str, adapt: str) -> dict[str, Any]:
    """How a model of a run was trained, as far as it does not depend on the data: a lesson goes on like that."""
    provider, _, folder = model.partition("/")
    before = load_plan(Path(folder)).adaptation if provider == "run" else {}
    return {key: before[key] for key in _KEPT if key in before} if before.get("name") == adapt else {}


def lesson_trainer(model: str, adapt: str, options: dict[str, Any]) -> Train:
    def train(taught: Suite, dose: int, place: Path) -> str:
        # A lesson is too small to hold anything back: it is learned as a whole, and the probe judges.
        given = {"dev": "none", "test": "none", "holdout": 0.0, "keep": "last", **_as_before(model, adapt), **options}
        launch(taught, place / "run", RunSettings(model=model, adapt=adapt, adapt_options=given, split="train"))
        return f"run/{place / 'run'}"

    return train


def _outcome(dose: int, taught: Suite, before: Frontier, after: Frontier, missing: Sequence[str]) -> DoseOutcome:
    states, settings = after.by_cell(), after.settings
    found = [states[name] for name in missing]
    # By the simultaneous interval alone: mastered is said only where it is proved.
    standings = tuple(
        state.share.standing(settings["low"], settings["high"]) if state.share.n else state.standing for state in found
    )
    new, rows = dose * len(missing), taught.splits["train"] or 0
    shares = tuple(state.share for state in found)
    return DoseOutcome(dose, new, rows - new, shares, standings, compare_frontiers(before, after))
