"""Novel or trained: told against what the probed model was fitted to, not against the training split of the suite."""

from __future__ import annotations

from pathlib import Path

import msgspec

from taskloom.core import UserError, open_suite
from taskloom.core.catalog import FAMILIES
from taskloom.run.plan import load_plan
from taskloom.studies.frontier.result import Frontier

__all__ = ["against_training"]

_ADAPTED = "run/"


def against_training(found: Frontier, model: str) -> Frontier:
    """A frontier whose cells are trained where the suite that the model was fitted to trains them.

    Args:
        found: The frontier.
        model: The model as it was named; `run/DIR` is one that was fitted in another run. Any other model leaves the
            frontier as it is, and so does one that was fitted to a suite without combinations.
    """
    if not model.startswith(_ADAPTED):
        return found
    known = _trained_cells(Path(model.removeprefix(_ADAPTED)))
    if known is None:
        return found
    cells = tuple(msgspec.structs.replace(cell, trained=cell.share.cell in known) for cell in found.cells)
    claims = tuple(msgspec.structs.replace(claim, trained=claim.whole.cell in known) for claim in found.claims)
    return msgspec.structs.replace(found, cells=cells, claims=claims)


def _trained_cells(folder: Path) -> frozenset[str] | None:
    """The cells that training held; None where nobody can tell."""
    plan = load_plan(folder)
    family = plan.suite.partition("/")[0]
    if family not in FAMILIES:
        return None
    try:
        suite = open_suite(plan.suite, seed=plan.data_seed, options=plan.recipe)
        lattice = FAMILIES.get(family).lattice(suite)
    except UserError:  # an original task, a bundle that has moved: no lattice to tell by
        return None
    return frozenset(str(cell) for cell in lattice.cells if lattice.trained(cell))
