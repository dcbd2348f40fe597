"""The frontier that a finished run suggests: every cell estimated with partial pooling, claims as suggestions.

A run asks only what its split holds, and many cells have few answers or none. `study_run` pools them
(`studies.frontier.pooling`) and returns a `StaticFrontier`, made of the same parts as a probe's `Frontier`, so that
tables, figures and pages need one way of drawing both:

* `cells`: `CellState`s: `share` is the pooled estimate with its 95 % interval and `n` (0 where the run has no item of
  the cell), `raw` the share seen, `trained` whether training holds the cell, `standing` mastered, failing, between, or
  open (n = 0);
* `claims`: `Claim`s whose `probability` is set: suggested by the fit, never proved;
* `sentences()` and `counts()`, as a `Frontier` has them.

Example:
    >>> found = study_run(load_run("runs/fitted"))  # doctest: +SKIP
    >>> [cell.share for cell in found.cells if cell.standing == "failing"]  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from taskloom.core import Instance, PlainWords, Targets, UserError, ensure_known, open_recorded
from taskloom.core.catalog import FAMILIES, lattice_of
from taskloom.core.cells import Cell, GuessingLevel, Lattice, guessing_level
from taskloom.run.columns import facet_labels, grouped, split_by_code
from taskloom.run.plan import fitted_here
from taskloom.run.results import Run
from taskloom.studies.frontier.claims import CellState, Claim, Share, ShownItem, ShownPair, fitted_cells, plain_words
from taskloom.studies.frontier.pooling import Design, fit_pooled, logistic
from taskloom.studies.frontier.search import CellOrder, claim_of
from taskloom.studies.frontier.sentences import Bounds, say_all

FORMAT = 1
_QUANTILE = 1.4 * NormalDist().inv_cdf(0.975)
"""Wider than the effects alone ask for, because the variances are estimates too and no model has just these effects."""

_DRAWS = 4_000
_FEWEST_RECORDS = 20
_MOST_GUESSED = 1_000
_decode_targets = msgspec.json.Decoder(Targets).decode


class StaticSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a static frontier decides.

    Attributes:
        low: A part is mastered above this share.
        high: A cell fails below this share.
        drop: A suggested cell lies at least this far below the lowest of its parts.
        wrong: The expected share of wrong suggestions among all (Bayesian false discovery rate).
        fewest: A cell with fewer answers is never suggested.
    """

    low: float = 0.60
    high: float = 0.85
    drop: float = 0.1
    wrong: float = 0.05
    fewest: int = 5


_SHOWN, _ITEMS, _PROMPT = 12, 50, 800
"""Claims that are shown with items, records of a cell that are looked through for one, and characters of a prompt."""


class StaticFrontier(msgspec.Struct, frozen=True, kw_only=True):
    """What a finished run suggests.

    Attributes:
        suite: The suite that was asked.
        model: The run's name.
        split: The split that was asked.
        by: The facets that make up a cell; ("cell",) where the family's lattice says.
        records: Answers that were counted.
        cells: Every cell: those of the lattice, or those that the run has.
        claims: Suggestions, the likeliest first.
        unable: Cells without parts that fail.
        variances: How much each group of effects explains, in squared log-odds.
        words: Plain words for the atoms and questions of what is suggested, where the family has them.
        settings: Bounds.
    """

    format: int = FORMAT
    suite: str
    model: str
    split: str = ""
    by: tuple[str, ...] = ("cell",)
    records: int = 0
    cells: tuple[CellState, ...] = ()
    claims: tuple[Claim, ...] = ()
    unable: tuple[Claim, ...] = ()
    variances: dict[str, float] = {}
    words: dict[str, PlainWords] = {}
    settings: StaticSettings = StaticSettings()

    def sentences(self) -> list[str]:
        """Everything that the run suggests, likeliest first."""
        return [text for text, _ in self.sentences_with_claims()]

    def sentences_with_claims(self) -> list[tuple[str, Claim | None]]:
        """Every sentence with the claim that it is about."""
        bounds = Bounds(self.settings.low, self.settings.high, self.settings.drop)
        return say_all((*self.claims, *self.unable), self.cells, bounds, suggested=True)

    def counts(self) -> dict[str, int]:
        """How many cells stand where."""
        names = ("mastered", "failing", "between", "open")
        return {name: sum(cell.standing == name for cell in self.cells) for name in names}


class CellTable(NamedTuple):
    """Answers by cell: what a static frontier is computed from.

    Attributes:
        order: The cells and their order.
        cell: The cell of every observation, by number.
        right: Its right answers, or the sum of its scores.
        n: Its answers.
        covariates: Its linear terms (support size, support age), one column each; may have no column.
    """

    order: CellOrder
    cell: NDArray[np.int64]
    right: NDArray[np.float64]
    n: NDArray[np.float64]
    covariates: NDArray[np.float64]

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of observations, added up by cell."""
        return np.bincount(self.cell, values, minlength=len(self.order)).astype(np.float64)


def study_run(run: Run, by: Sequence[str] = ()) -> StaticFrontier:
    """The frontier that a finished run suggests.

    Args:
        run: The run.
        by: Facets that make up a cell, such as `composition` and `question`; nothing for the cells of the lattice.

    Raises:
        UserError: The suite has no lattice and no facet was named, a facet that nobody carries, or a fit that did not
            converge.
    """
    trained: Callable[[Cell], bool] | None = None
    lattice: Lattice | None = None
    if by and tuple(by) != ("cell",):
        coded = _by_facets(run, by)
        order = CellOrder.by_inclusion(coded.cells)
        trained = _trained_by(run, coded) if fitted_here(run.plan) else None
    elif not by and has_own_skills(run):
        coded = _by_skills(run)
        order, by = CellOrder.by_inclusion(coded.cells), ("skills",)
    else:
        lattice = _lattice(run)
        coded, order = _by_lattice(run, lattice), CellOrder.of(lattice)
        if (fitted := fitted_cells(run.plan, lattice)) is not None:
            trained = lambda cell: str(cell) in fitted  # noqa: E731
        by = ("cell",)
    found = study_cells(table_of(run, coded, order), StaticSettings(), trained, _guesses(run, coded))
    # The smallest combinations that a run happens to hold are not the smallest there are.
    claims, unable = (_with_items(run, coded, each) for each in (found.claims, found.unable if by == ("cell",) else ()))
    words = {} if lattice is None else plain_words(lattice, [*claims, *unable])
    named = {"suite": run.plan.suite, "model": run.name, "split": run.plan.split, "by": tuple(by)}
    return msgspec.structs.replace(found, claims=claims, unable=unable, words=words, **named)


def _lattice(run: Run) -> Lattice:
    """The combinations of a run's suite.

    Raises:
        UserError: It belongs to no family, cannot be opened again, or has none.
    """
    if run.plan.suite.partition("/")[0] not in FAMILIES:
        known = ", ".join(run.facet_names())
        raise UserError(
            f"{run.plan.suite} does not belong to a family, so it has no combinations",
            where=str(run.folder),
            hint=f"group by facets: --by A or --by A,B ({known})",
        )
    return lattice_of(open_recorded(run.plan.suite, seed=run.plan.data_seed, options=run.plan.recipe))


def cells_of(run: Run) -> tuple[NDArray[np.int64], list[str]]:
    """A number for every record of a run, and the cell that each number stands for; "" where there is none."""
    rows, values = _distinct(run, ["cell"])
    recorded = [value.get("cell", "") for value in values]
    if any(recorded):
        return rows, recorded
    try:
        coded = _by_skills(run) if has_own_skills(run) else _by_lattice(run, _lattice(run))
    except UserError:  # an original task, a suite that cannot be opened here: there are no combinations to name
        return rows, recorded
    return coded.rows, ["" if cell is None else str(cell) for cell in coded.labels]


def _with_items(run: Run, coded: _CodedCells, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The first claims with two items of the run: of the cell, answered wrong, and of its part, answered right."""
    members, scores = split_by_code(coded.rows), run.values()

    def item(cell: str, right: bool) -> ShownItem | None:
        numbers = [number for number, label in enumerate(coded.labels) if label is not None and str(label) == cell]
        rows = sorted(row for number in numbers if number in members for row in members[number][:_ITEMS].tolist())
        for row in rows:
            if scores[row] >= 1 if right else scores[row] < 1:  # neither where there is none
                record = run.records[row]
                asked = record.prompt if len(record.prompt) <= _PROMPT else f"…{record.prompt[-_PROMPT:]}"
                target, said = record.targets.canonical(), record.raw[:_PROMPT]
                return ShownItem(record.task, record.id, cell, asked, (), target, said, right)
        return None

    found = []
    for claim in claims[:_SHOWN]:
        whole = item(claim.whole.cell, False)
        without = item(claim.base.cell, True) if claim.parts else None
        pair = None if whole is None or (claim.parts and without is None) else ShownPair(without, whole)
        found.append(msgspec.structs.replace(claim, pair=pair))
    return (*found, *claims[_SHOWN:])


def has_own_skills(run: Run) -> bool:
    """Whether the items of a suite that belongs to no family name their skills."""
    return run.plan.suite.partition("/")[0] not in FAMILIES and "skills" in run.facet_names()


class _CodedCells(NamedTuple):
    """The cell of every record: a number each, and what the numbers stand for."""

    rows: NDArray[np.int64]
    labels: list[Cell | None]

    @property
    def cells(self) -> list[Cell]:
        """Those that are one, each once."""
        return list(dict.fromkeys(cell for cell in self.labels if cell is not None))


def _distinct(run: Run, names: Sequence[str]) -> tuple[NDArray[np.int64], list[dict[str, Any]]]:
    """A number for every record, and what the records of each number have in some columns; a missing facet is not."""
    coded = [run.columns.codes(name) for name in names]
    rows, firsts = _joint([codes for codes, _ in coded])
    decoded = [
        [msgspec.json.decode(label) for label in labels] if name.startswith("facet:") else labels
        for name, (_, labels) in zip(names, coded, strict=True)
    ]
    values = [
        {
            name: own[codes[first]]
            for name, (codes, _), own in zip(names, coded, decoded, strict=True)
            if codes[first] >= 0
        }
        for first in firsts
    ]
    return rows, values


def _by_skills(run: Run) -> _CodedCells:
    """Cells of tasks that people wrote; the suite need not be opened again."""
    rows, values = _distinct(run, ["task", *(["facet:skills"] if "skills" in run.columns.facets else [])])
    found: list[Cell | None] = []
    for value in values:
        carried, shared = value.get("facet:skills"), run.tasks[value["task"]].facets.get("skills")
        skills, question = (carried, value["task"]) if isinstance(carried, list) else (shared, "")
        found.append(Cell(question, tuple(sorted(skills))) if isinstance(skills, list | tuple) else None)
    return _CodedCells(rows, found)


def _by_lattice(run: Run, lattice: Lattice) -> _CodedCells:
    """The cells of a lattice, found once for records that agree in everything it may look at."""
    facets = {f"facet:{name}": name for name in run.columns.facets}
    rows, values = _distinct(run, ["task", "cell", "targets", *facets])
    found: list[Cell | None] = []
    for value in values:
        if value["cell"]:
            found.append(Cell.parse(value["cell"]))
            continue
        carried = {name: value[column] for column, name in facets.items() if column in value}
        instance = Instance("", "", _decode_targets(value["targets"]), carried)
        found.append(lattice.cell_of(run.tasks[value["task"]], instance))
    return _CodedCells(rows, found)


def _joint(codes: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], list[int]]:
    """A number for every combination of codes, and the first row of each."""
    joint = np.zeros(len(codes[0]), np.int64)
    for own in codes:
        shifted = own.astype(np.int64) + 1
        joint = joint * (int(shifted.max(initial=0)) + 1) + shifted
        if joint.max(initial=0) > 1 << 40:  # before the next column could overflow it
            joint = np.unique(joint, return_inverse=True)[1].reshape(-1)
    _, firsts, rows = np.unique(joint, return_index=True, return_inverse=True)
    return rows.reshape(-1), firsts.tolist()


def _guesses(run: Run, coded: _CodedCells) -> dict[Cell, GuessingLevel | None]:
    """What guessing gets right among the questions of each cell: who guesses does not know the cell.

    Of a question with many answers every second, third ... is looked at.
    """
    questions = grouped((cell.question, number) for number, cell in enumerate(coded.labels) if cell is not None)
    tasks, names = run.columns.codes("task")
    targets, texts = run.columns.codes("targets")
    members = split_by_code(coded.rows)
    levels: dict[str, GuessingLevel | None] = {}
    for question, numbers in questions.items():
        rows = np.sort(np.concatenate([members[number] for number in numbers]))
        rows = rows[:: max(1, len(rows) // _MOST_GUESSED)]
        pairs = zip(tasks[rows].tolist(), targets[rows].tolist(), strict=True)
        levels[question] = guessing_level([(names[task], _decode_targets(texts[code])) for task, code in pairs])
    return {cell: levels[cell.question] for cell in coded.labels if cell is not None}


def _by_facets(run: Run, by: Sequence[str]) -> _CodedCells:
    """Cells from facets: one that joins its members with "+", or lists them, is a set of atoms; the others ask."""
    known = run.facet_names()
    for name in by:
        ensure_known("facet", name, known, where=str(run.folder))
    coded = {name: facet_labels(run.columns, run.tasks, name) for name in by}
    rows, firsts = _joint([codes for codes, _ in coded.values()])
    values = [{name: labels[codes[first]] for name, (codes, labels) in coded.items()} for first in firsts]
    sets = [name for name in by if any(len(own[name]) > 1 or "+" in own[name][0] for own in values)]
    cells: list[Cell | None] = []
    for own in values:
        asked = ", ".join(own[name][0] for name in by if name not in sets)
        atoms = {atom for name in sets for value in own[name] for atom in value.split("+") if atom}
        cells.append(Cell(asked, tuple(sorted(atoms))))
    return _CodedCells(rows, cells)


def _trained_by(run: Run, coded: _CodedCells) -> Callable[[Cell], bool] | None:
    """Whether training holds a cell, where items carry the facet `novel`."""
    if "novel" not in run.columns.facets:
        return None
    rows, values = _distinct(run, ["facet:novel"])
    novel: dict[Cell, bool] = {}
    for number, value in np.unique(np.column_stack([coded.rows, rows]), axis=0).tolist():
        cell, known = coded.labels[number], values[value].get("facet:novel")
        if isinstance(known, bool) and cell is not None:
            novel[cell] = novel.get(cell, True) and known
    return (lambda cell: not novel[cell]) if novel and len(novel) == len(set(coded.labels)) else None


def table_of(run: Run, coded: _CodedCells, order: CellOrder) -> CellTable:
    """Scored records as observations, with support size and age as linear terms where they vary."""
    number = {cell: place for place, cell in enumerate(order.cells)}
    own = np.array([-1 if cell is None else number.get(cell, -1) for cell in coded.labels], np.int64)[coded.rows]
    right = run.values()
    kept = np.flatnonzero((own >= 0) & ~np.isnan(right))
    if len(kept) < _FEWEST_RECORDS:
        raise UserError(
            f"{len(kept)} answers of the suite's combinations are too few for any conclusion",
            hint="ask more, or probe: taskloom probe SUITE --model M",
        )
    columns = []
    for name in ("support_size", "support_age"):
        values = _whole_facet(run, name, kept)
        if values is not None and len(np.unique(values)) > 1:
            columns.append(standardised(values))
    covariates = np.stack(columns, axis=1) if columns else np.zeros((len(kept), 0))
    return CellTable(order, own[kept], right[kept], np.ones(len(kept)), covariates)


def _whole_facet(run: Run, name: str, rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """A facet of some records as numbers; None unless each of them carries a whole one."""
    if name not in run.columns.facets:
        return None
    codes, values = _distinct(run, [f"facet:{name}"])
    numbers = [value.get(f"facet:{name}") for value in values]
    if any(not isinstance(numbers[code], int) for code in np.unique(codes[rows]).tolist()):
        return None
    found: NDArray[np.int64] = np.array([value if isinstance(value, int) else 0 for value in numbers])[codes[rows]]
    return found


def standardised(values: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
    """A linear term: logarithms, because one more sentence matters less the longer an item is."""
    column = np.log1p(np.array(values, dtype=float))
    scaled: NDArray[np.float64] = (column - column.mean()) / column.std()
    return scaled


def _gathered(table: CellTable) -> CellTable:
    """Like observations added up: the fit is the same and much cheaper."""
    terms = [np.unique(np.round(column, 6), return_inverse=True) for column in table.covariates.T]
    place, firsts = _joint([table.cell, *(codes.reshape(-1) for _, codes in terms)])
    right, n = (np.bincount(place, values).astype(float) for values in (table.right, table.n))
    covariates = np.round(table.covariates[firsts], 6)
    return CellTable(table.order, table.cell[firsts], right, n, covariates)


def study_cells(
    table: CellTable,
    settings: StaticSettings,
    trained: Callable[[Cell], bool] | None = None,
    guesses: Mapping[Cell, GuessingLevel | None] | None = None,
) -> StaticFrontier:
    """Pool, estimate every cell, and suggest claims.

    Args:
        table: The answers.
        settings: Bounds.
        trained: Whether a cell is among the rows that the model was fitted to, where that is known.
        guesses: What guessing gets right in each cell.

    Raises:
        UserError: The fit did not converge.
    """
    table = _gathered(table)
    order = table.order
    design = Design(order.cells, table.covariates.shape[1])
    observed = design.rows(table.cell, table.covariates)
    fit = fit_pooled(observed, design.groups, table.right, table.n)
    rows = _typical_rows(design, table)
    mean, spread = fit.log_odds(rows)
    shift = _from_typical(table, logistic(observed @ fit.effects), mean)
    mean = mean + shift
    value, low, high = logistic(mean), logistic(mean - _QUANTILE * spread), logistic(mean + _QUANTILE * spread)
    right, n = table.sums(table.right), table.sums(table.n)
    cells = []
    for place, cell in enumerate(order.cells):
        count = int(n[place])
        guess = (guesses or {}).get(cell) or (None, None)
        share = Share(str(cell), float(value[place]), float(low[place]), float(high[place]), count, *guess)
        raw = float(right[place] / n[place]) if count else None
        known = None if trained is None else trained(cell)
        cells.append(
            CellState(cell.question, cell.atoms, share.standing(settings.low, settings.high), share, known, raw)
        )
    unable = [
        Claim(cells[place].share, (), trained=cells[place].trained)
        for place, parts in enumerate(order.parts)
        if not parts and cells[place].standing == "failing" and n[place] >= settings.fewest
    ]
    return StaticFrontier(
        suite="",
        model="",
        records=round(float(table.n.sum())),
        cells=tuple(cells),
        claims=tuple(_suggest(order, cells, fit.draws(rows, shift, _DRAWS), settings)),
        unable=tuple(unable),
        variances=fit.variances,
        settings=settings,
    )


def _typical_rows(design: Design, table: CellTable) -> NDArray[np.float64]:
    """One row per cell: its effects at the mean of its linear terms; at the overall mean where it was not asked."""
    if not table.covariates.shape[1]:
        return design.matrix
    sums = np.stack([table.sums(column * table.n) for column in table.covariates.T], axis=1)
    return design.rows(np.arange(len(table.order)), sums / np.maximum(table.sums(table.n), 1.0)[:, None])


def _from_typical(table: CellTable, shares: NDArray[np.float64], typical: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far the log-odds of a cell's mean share lie from those of its typical item.

    The mean of a curve is not the curve at the mean: a cell with young and old supports is estimated item by item.
    """
    from scipy.special import logit

    n = table.sums(table.n)
    means = np.clip(table.sums(shares * table.n) / np.maximum(n, 1.0), 1e-9, 1 - 1e-9)
    shift: NDArray[np.float64] = np.where(n > 0, logit(means) - typical, 0.0)
    return shift


def _suggest(
    order: CellOrder, cells: Sequence[CellState], draws: NDArray[np.float64], settings: StaticSettings
) -> list[Claim]:
    """The likeliest claims, as many as keep the expected share of wrong ones within bounds."""
    found: list[tuple[float, int]] = []
    for place, parts in enumerate(order.parts):
        if not parts or cells[place].share.n < settings.fewest or not all(cells[part].share.n for part in parts):
            continue
        lowest = draws[list(parts)].min(axis=0)
        holds = (draws[place] < settings.high) & (lowest > settings.low) & (draws[place] < lowest - settings.drop)
        found.append((float(holds.mean()), place))
    found.sort(key=lambda each: (-each[0], each[1]))
    claims: list[Claim] = []
    doubt = 0.0
    for probability, place in found:
        doubt += 1 - probability
        if doubt > settings.wrong * (len(claims) + 1):
            break
        more = {"probability": probability, "trained": cells[place].trained}
        claims.append(claim_of(order, [cell.share for cell in cells], place, settings.low, settings.drop, **more))
    return claims
