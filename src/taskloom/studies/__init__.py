"""Studies: a grid of ordinary runs, an analysis of their records, and what can be concluded, at any scale."""

from taskloom.studies.experiment import Experiment, recipe_for, run_study
from taskloom.studies.findings import Check, Findings, above, below, estimate_cells, scored_table, within
from taskloom.studies.frame import Contrast, Frame, Observation, contrast
from taskloom.studies.grid import Arm, GridRecipe, Learner
from taskloom.studies.output import StudyResult, write_study
from taskloom.studies.scores import Scores, expected, measure
from taskloom.studies.shelf import Shelf

__all__ = [
    "Arm",
    "Check",
    "Contrast",
    "Experiment",
    "Findings",
    "Frame",
    "GridRecipe",
    "Learner",
    "Observation",
    "Scores",
    "Shelf",
    "StudyResult",
    "above",
    "below",
    "contrast",
    "estimate_cells",
    "expected",
    "measure",
    "recipe_for",
    "run_study",
    "scored_table",
    "within",
    "write_study",
]
