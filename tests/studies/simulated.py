"""Frames of studies whose truth is known: the arms are the study's own, the answers are made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from taskloom.ask.judge import ScoredReading
from taskloom.core import AnyOf
from taskloom.run.record import Record
from taskloom.studies.experiment import Experiment
from taskloom.studies.frame import Frame, Observation
from taskloom.studies.grid import Arm, GridRecipe


class Kind(NamedTuple):
    """A kind of question that every arm is asked: its task, its facets, and what else its records hold."""

    task: str = "t"
    facets: Mapping[str, Any] = {}
    fields: Mapping[str, Any] = {}


def simulated(
    study: Experiment,
    recipe: GridRecipe,
    rate: Callable[[Arm, Kind], float],
    kinds: Callable[[Arm], Sequence[Kind]] = lambda arm: (Kind(),),
    n: int = 40,
) -> Frame:
    """A frame in which each arm answers that share of each kind of question right; seeds differ by one answer."""
    found = []
    for arm in study.grid(recipe, 0):
        for kind in kinds(arm):
            right = round(rate(arm, kind) * n) + (arm.seed % 2 if rate(arm, kind) < 1 else 0)
            for place in range(n):
                score = float(place < right)
                record = Record(
                    task=kind.task, id=str(place), state="scored", strict=ScoredReading("a", score, "", {}),
                    scorer="exact", raw="", raw_length=0, targets=AnyOf((f"a{place}",)), prompt="", prompt_hash="",
                    **kind.fields,
                )  # fmt: skip
                found.append(Observation(arm, record, score, kind.facets))
    return Frame(found)
