"""What a model was fitted to: known where the fitting was a run of ours, and not known of any other model."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import msgspec

from taskloom.core import UserError, open_recorded
from taskloom.core.cells import Lattice
from taskloom.run.plan import Plan, load_plan
from taskloom.studies.frontier.result import Frontier

__all__ = ["against_training", "fitted_cells", "fitted_here"]

_ADAPTED = "run/"
_MOST_ROWS = 20_000
"""Training rows that are looked through: a combination that is not among them was hardly taught."""


def against_training(found: Frontier, model: str, lattice: Lattice) -> Frontier:
    """A frontier whose cells say whether the rows that the model was fitted to hold them.

    Args:
        found: The frontier.
        model: The model as it was named; only `run/DIR` is one that was fitted where it can be looked up.
        lattice: What says which cell a row belongs to.
    """
    if not model.startswith(_ADAPTED):
        return found
    known = fitted_cells(load_plan(Path(model.removeprefix(_ADAPTED))), lattice)
    if known is None:
        return found
    cells = tuple(msgspec.structs.replace(cell, trained=cell.share.cell in known) for cell in found.cells)
    claims, unable = (
        tuple(msgspec.structs.replace(claim, trained=claim.cell in known) for claim in every)
        for every in (found.claims, found.unable)
    )
    return msgspec.structs.replace(found, cells=cells, claims=claims, unable=unable)


def fitted_here(plan: Plan) -> bool:
    """Whether a run fitted its model, and nothing that is recorded did so before."""
    fits = plan.adaptation.get("name", "none") not in ("none", "in-context")
    return fits and not plan.model.get("settings", {}).get("adaptation")


def fitted_cells(plan: Plan, lattice: Lattice) -> frozenset[str] | None:
    """The cells among the rows that a run fitted its model to.

    Returns:
        None where that is not known: it fitted nothing, its model had been fitted to other rows before, or the rows
        cannot be drawn again.
    """
    if not fitted_here(plan):
        return None
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
