"""Hierarchical logistic regression: cells borrow strength from others with the same atoms, as far as the data agree.

A cell's log-odds is a sum of effects in groups (question, atoms, pairs of atoms, atoms by question, number of atoms,
the cell itself). Each group has a variance of its own, estimated with the effects: a group that explains nothing is
shrunk to nothing. Effects are found by penalised Newton steps with a line search, variances by fixed-point steps on
Laplace's approximation. A fit that does not converge is refused, because its numbers would look like any others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taskloom.core import UserError
from taskloom.core.cells import Cell
from taskloom.studies.frontier.claims import Counts

Floats: TypeAlias = NDArray[np.float64]


GROUPS = ("question", "atom", "pair", "atom in question", "number of atoms", "cell", "covariate")
"""The groups of effects that share a variance each; the intercept stands apart."""


class FitSettings(NamedTuple):
    """How effects of cells are pooled; how often they are right: `python -m benchmarks.frontier_static`."""

    newton_steps: int = 60
    variance_steps: int = 400
    tolerance: float = 1e-3
    prior_weight: float = 1.0
    prior_variance: float = 0.1
    """A weak prior on every variance, worth one effect: without it a group may collapse to no width at all."""
    largest_variance: float = 9.0
    least_cell_variance: float = 0.7
    """What a cell may have of its own, however well the others agree: where several patterns fail, most cells follow
    from their atoms and a few do not, and a variance fitted to the most leaves the few out of their intervals."""
    intercept_variance: float = 9.0


FIT = FitSettings()


def logistic(values: Floats) -> Floats:
    """Log-odds to shares."""
    from scipy.special import expit

    shares: Floats = expit(values)
    return shares


class Design:
    """Which effects act in which cell.

    Args:
        cells: The cells to estimate, seen or not.
        covariates: How many linear terms (sizes, ages) every observation has besides.
        groups: The groups of effects that are told apart.
    """

    def __init__(self, cells: Sequence[Cell], covariates: int = 0, groups: Sequence[str] = GROUPS) -> None:
        columns: dict[tuple[str, ...], int] = {("intercept",): 0}
        rows = [
            [0, *(columns.setdefault(effect, len(columns)) for effect in _effects(cell) if effect[0] in groups)]
            for cell in cells
        ]
        numbers = [GROUPS.index(group) for group, *_ in list(columns)[1:]]
        self.groups = np.array([-1, *numbers, *[GROUPS.index("covariate")] * covariates])
        self.matrix = np.zeros((len(rows), len(self.groups)))
        for number, places in enumerate(rows):
            self.matrix[number, places] = 1.0

    def rows(self, cells: NDArray[np.int64], covariates: Floats | None = None) -> Floats:
        """The rows of observations: their cells by number, and their linear terms."""
        rows: Floats = self.matrix[cells]
        if covariates is not None and covariates.size:
            rows[:, -covariates.shape[1] :] = covariates
        return rows


def _effects(cell: Cell) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [("question", cell.question)]
    found += [("atom", atom) for atom in cell.atoms]
    found += [("pair", *pair) for pair in combinations(cell.atoms, 2)]
    found += [("atom in question", cell.question, atom) for atom in cell.atoms]
    found += [("number of atoms", str(len(cell.atoms))), ("cell", str(cell))]
    return found


class PooledFit(NamedTuple):
    """A converged fit: the effects, their covariance, and the variance of every group."""

    effects: Floats
    covariance: Floats
    variances: dict[str, float]
    steps: int

    def log_odds(self, rows: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the log-odds of these rows."""
        spread = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", rows, self.covariance, rows, optimize=True), 0.0))
        return rows @ self.effects, spread

    def draws(self, rows: Floats, shift: Floats, count: int) -> Floats:
        """Shares drawn from the joint posterior, their log-odds shifted, one row of draws per row asked for."""
        covariance = rows @ self.covariance @ rows.T
        values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        noise = np.random.default_rng(0).standard_normal((len(rows), count))
        spread = vectors @ (np.sqrt(np.maximum(values, 0.0))[:, None] * noise)
        return logistic((rows @ self.effects + shift)[:, None] + spread)


def fit_pooled(rows: Floats, groups: NDArray[np.int64], right: Floats, n: Floats) -> PooledFit:
    """Fit effects and variances.

    Args:
        rows: One row of effects per observation.
        groups: The group of every effect by its place in `GROUPS`; −1 for the intercept.
        right: Right answers of every observation (sums of scores in [0, 1]).
        n: Answers of every observation.

    Raises:
        UserError: The fit did not converge.
    """
    own_group, least = GROUPS.index("cell"), FIT.least_cell_variance
    present = sorted(set(groups.tolist()) - {-1})
    variances = dict.fromkeys(present, 1.0)
    effects = np.zeros(len(groups))
    for step in range(1, FIT.variance_steps + 1):
        penalty = np.array([1 / (FIT.intercept_variance if g < 0 else variances[g]) for g in groups.tolist()])
        effects, curvature = _mode(rows, right, n, penalty, effects)
        covariance: Floats = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
        known = 1 - np.diag(covariance) * penalty
        change = 0.0
        for group in present:
            own = groups == group
            # An effect counts as far as the data know it: the fixed point of the marginal likelihood.
            new = (float(effects[own] @ effects[own]) + FIT.prior_weight * FIT.prior_variance) / (
                max(float(known[own].sum()), 0.0) + FIT.prior_weight
            )
            new = min(max(new, least if group == own_group else 0.0), FIT.largest_variance)
            change = max(change, abs(float(np.log(new / variances[group]))))
            variances[group] = new
        if change < FIT.tolerance * 10:
            return PooledFit(effects, covariance, {GROUPS[g]: variances[g] for g in present}, step)
    raise UserError("the pooled fit did not converge, so it shows nothing", hint="probe the model: taskloom probe")


def _mode(rows: Floats, right: Floats, n: Floats, penalty: Floats, start: Floats) -> tuple[Floats, Floats]:
    """The most likely effects under a penalty, and the curvature there."""

    def loss(effects: Floats) -> float:
        values = rows @ effects
        return float(np.sum(n * np.logaddexp(0.0, values) - right * values) + 0.5 * np.sum(penalty * effects**2))

    effects, best = start, loss(start)
    for _ in range(FIT.newton_steps):
        shares = logistic(rows @ effects)
        gradient = rows.T @ (n * shares - right) + penalty * effects
        weights = n * shares * (1 - shares)
        curvature = (rows * weights[:, None]).T @ rows + np.diag(penalty)
        if float(np.abs(gradient).max()) < FIT.tolerance:
            return effects, curvature
        step = np.linalg.solve(curvature, gradient)
        fall = float(gradient @ step)
        # Full steps can overshoot and diverge where answers are all right or all wrong: go back until it helps.
        length = 1.0
        while (found := loss(effects - length * step)) > best - 1e-4 * length * fall:
            length /= 2
            if length < 1e-8:
                raise UserError("the pooled fit found no descent direction, so it shows nothing", hint="taskloom probe")
        effects, best = effects - length * step, found
    raise UserError("the pooled fit did not converge, so it shows nothing", hint="probe the model: taskloom probe")


_STEPS = 12
_RIDGE = 1.0
_GUESSED = GROUPS[:4]
"""A guess is about cells that were not asked: effects of the cell itself would teach it nothing."""


class Guess:
    """The probability that each cell passes, from what was seen of others with the same atoms.

    Args:
        cells: The cells, by number.
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._features = Design(cells, groups=_GUESSED).matrix
        self._weights = np.zeros(self._features.shape[1])

    def passing(self, counts: Sequence[Counts]) -> NDArray[np.float64]:
        """The probability of a right answer in each cell. Starts from the last weights, so a call costs little."""
        right = np.array([count.right for count in counts], dtype=float)
        n = np.array([count.n for count in counts], dtype=float)
        seen = n > 0
        features, weights = self._features[seen], self._weights
        ridge = np.full(len(weights), _RIDGE)
        ridge[0] = 0.01
        for _ in range(_STEPS):
            share = logistic(features @ weights)
            gradient = features.T @ (right[seen] - n[seen] * share) - ridge * weights
            step = newton_fit(features * np.sqrt(n[seen] * share * (1 - share))[:, None], ridge, gradient)
            weights = weights + np.clip(step, -1.0, 1.0)
            if np.abs(step).max() < 1e-4:
                break
        self._weights = weights
        return logistic(self._features @ weights)


def newton_fit(
    weighted: NDArray[np.float64], ridge: NDArray[np.float64], gradient: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Solve (WᵀW + ridge) x = gradient, in the smaller of the two dimensions of W.

    A large lattice has more pairs of atoms than cells that were asked: there Woodbury's identity takes a hundredth of
    the time.
    """
    rows, columns = weighted.shape
    if rows >= columns:
        whole = weighted.T @ weighted + np.diag(ridge)
        return np.asarray(np.linalg.solve(whole, gradient), dtype=np.float64)
    scaled = weighted / ridge
    small = np.eye(rows) + scaled @ weighted.T
    return np.asarray(gradient / ridge - scaled.T @ np.linalg.solve(small, scaled @ gradient), dtype=np.float64)
