"""Which cells are likely to fail: a ridge logistic regression that orders questions and never decides anything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from taskloom.core.cells import Cell
from taskloom.studies.frontier.evidence import Counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Guess"]

_STEPS = 12
_RIDGE = 1.0


class Guess:
    """The probability that each cell passes, from what was seen of others with the same atoms.

    Args:
        cells: The cells, by number.
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        import numpy as np

        columns: dict[tuple[str, ...], int] = {}
        rows = []
        for cell in cells:
            names: list[tuple[str, ...]] = [("all",), ("question", cell.question)]
            names += [("atom", atom) for atom in cell.atoms]
            names += [("pair", *pair) for pair in combinations(cell.atoms, 2)]
            names += [("in", cell.question, atom) for atom in cell.atoms]
            rows.append([columns.setdefault(name, len(columns)) for name in names])
        self._features = np.zeros((len(cells), len(columns)))
        for number, row in enumerate(rows):
            self._features[number, row] = 1.0
        self._weights = np.zeros(len(columns))

    def passing(self, counts: Sequence[Counts]) -> NDArray[np.float64]:
        """The probability of a right answer in each cell. Starts from the last weights, so a call costs little."""
        import numpy as np

        right = np.array([count.right for count in counts], dtype=float)
        n = np.array([count.n for count in counts], dtype=float)
        seen = n > 0
        features, weights = self._features[seen], self._weights
        ridge = np.full(len(weights), _RIDGE)
        ridge[0] = 0.01
        for _ in range(_STEPS):
            share = _logistic(features @ weights)
            gradient = features.T @ (right[seen] - n[seen] * share) - ridge * weights
            step = _newton(features * np.sqrt(n[seen] * share * (1 - share))[:, None], ridge, gradient)
            weights = weights + np.clip(step, -1.0, 1.0)
            if np.abs(step).max() < 1e-4:
                break
        self._weights = weights
        return _logistic(self._features @ weights)


def _newton(
    weighted: NDArray[np.float64], ridge: NDArray[np.float64], gradient: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Solve (WᵀW + ridge) x = gradient, in the smaller of the two dimensions of W.

    A large lattice has more pairs of atoms than cells that were asked: there Woodbury's identity takes a hundredth of
    the time.
    """
    import numpy as np

    rows, columns = weighted.shape
    if rows >= columns:
        whole = weighted.T @ weighted + np.diag(ridge)
        return np.asarray(np.linalg.solve(whole, gradient), dtype=np.float64)
    scaled = weighted / ridge
    small = np.eye(rows) + scaled @ weighted.T
    return np.asarray(gradient / ridge - scaled.T @ np.linalg.solve(small, scaled @ gradient), dtype=np.float64)


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0))), dtype=np.float64)
