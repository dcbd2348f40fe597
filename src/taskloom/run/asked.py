"""How runs were asked, in words: protocols, wordings, and a warning where runs that were asked unlike are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from statistics import stdev

from taskloom.run.diagnosis import readings_part
from taskloom.run.results import Run

__all__ = ["asked_notes", "protocol_part", "wordings_part"]


def protocol_part(run: Run) -> str:
    """How the model was asked and why so."""
    protocol = run.plan.protocol
    if not protocol.get("name"):
        return f"encoding {run.plan.encoding.get('name')}"
    changed = f", another {' and '.join(protocol['overridden'])}" if protocol.get("overridden") else ""
    return f"protocol {protocol['name']} ({protocol.get('reason', '')}{changed}; {protocol.get('headline')} reading)"


def wordings_part(run: Run) -> str:
    """The spread over wordings, where there are several: it stands beside the interval over instances."""
    if "wording" not in run.facet_names():
        return ""
    values = [group.estimate.value for group in run.by_facet("wording").values()]
    values = [value for value in values if not isnan(value)]
    if len(values) < 2:
        return ""
    return f"{len(values)} wordings: {min(values):.3f} to {max(values):.3f}, standard deviation {stdev(values):.3f}"


def asked_notes(runs: Sequence[Run], names: Mapping[int, str]) -> list[str]:
    """What to say below a table of several runs about how each was asked.

    Args:
        runs: The runs of one table.
        names: What each is called there, by `id`.
    """
    notes = []
    ways = {_way(run) for run in runs}
    if len(ways) > 1:
        listed = "; ".join(f"{names[id(run)]}: {protocol_part(run)}" for run in runs)
        notes.append(
            "These runs were not asked in the same way, so their order depends on that as well as on the "
            f"models. {listed}."
        )
    elif runs:
        # Baselines and adapted models share a table, each asked in its own way.
        notes.append(f"Asked by {', or by '.join(dict.fromkeys(map(protocol_part, runs)))}.")
    for run in runs:
        parts = [part for part in (readings_part(run), wordings_part(run)) if part]
        notes += [f"{names[id(run)]}: {'; '.join(parts)}."] if parts else []
    return notes


def _way(run: Run) -> tuple[str, ...]:
    """What has to agree for two runs to be ranked: protocol, reading, wordings, and how many instances of each task."""
    protocol = run.plan.protocol
    if protocol.get("name") in ("bare", "fitted") and not protocol.get("overridden"):
        # Baselines and adapted models are asked in their own way, which is the point of comparing them.
        return ("own", str(protocol.get("headline")), str(run.plan.limit))
    asked = (protocol.get("name", ""), protocol.get("encoding", ""), protocol.get("headline"), protocol.get("wordings"))
    return (*map(str, asked), str(run.plan.limit), str(run.plan.scorer))
