"""Novel or trained: judged by what the probed model was fitted to, not by the training split of the suite."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import msgspec

from taskloom.core import UserError, open_recorded
from taskloom.core.cells import Lattice
from taskloom.run.plan import load_plan
from taskloom.studies.frontier.result import Frontier

__all__ = ["against_training"]

_ADAPTED = "run/"
_MOST_ROWS = 20_000
"""Training rows that are looked through: a combination that is not among them was hardly taught."""


def against_training(found: Frontier, model: str, lattice: Lattice) -> Frontier:
    """A frontier whose cells are trained where the rows that the model was fitted to hold them.

    Args:
        found: The frontier.
        model: The model as it was named; `run/DIR` is one that was fitted in another run. Any other model leaves the
            frontier as it is, and so does one whose training rows cannot be drawn again.
        lattice: What says which cell a row belongs to.
    """
    if not model.startswith(_ADAPTED):
        return found
    known = _trained_cells(Path(model.removeprefix(_ADAPTED)), lattice)
    if known is None:
        return found
    cells = tuple(msgspec.structs.replace(cell, trained=cell.share.cell in known) for cell in found.cells)
    claims = tuple(msgspec.structs.replace(claim, trained=claim.whole.cell in known) for claim in found.claims)
    return msgspec.structs.replace(found, cells=cells, claims=claims)


def _trained_cells(folder: Path, lattice: Lattice) -> frozenset[str] | None:
    """The cells among the training rows of a run; None where nobody can tell."""
    plan = load_plan(folder)
    split = str(plan.adaptation.get("split", "train"))
    try:
        suite = open_recorded(plan.suite, seed=plan.data_seed, options=plan.recipe)
    except UserError:  # a bundle that has moved, a plug-in that is not there
        return None
    splits = [name for name in split.split("+") if name in suite.splits]
    if not splits:
        return None
    rows = (row for name in splits for row in islice(suite.rows(name), _MOST_ROWS))
    return frozenset(str(lattice.cell_of(suite.tasks[row.task], row.instance)) for row in rows)
