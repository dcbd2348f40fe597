"""How runs were asked, in words: protocols, wordings, and a warning where runs that were asked unlike are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isclose, isnan
from statistics import fmean, stdev

import numpy as np

from taskloom.run.diagnosis import readings_part
from taskloom.run.results import Group, Run

_MOST_READ = 5_000


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


def at_most(group: Group, parts: Sequence[Group] = ()) -> float | None:
    """The score if everything unparsed were right; of several tasks that count alike, the mean of theirs."""
    if parts and isclose(group.estimate.value, fmean(part.estimate.value for part in parts)):
        found = [one for one in map(at_most, parts) if one is not None]
        return fmean(found) if len(found) == len(parts) else None
    if isnan(group.estimate.value) or not group.estimate.n:
        return None
    return min(1.0, group.estimate.value + group.unparsed / group.estimate.n)


def unparsed_part(run: Run) -> str:
    """Why outputs are unparsed, the commonest reason first: refusals, empty ones and unfinished thoughts among them."""
    rows = np.flatnonzero(~run.columns.present("answer"))[:_MOST_READ]
    reasons = Counter(
        record.reading.why or "unparsed" for record in run.records.read(rows.tolist()) if record.state != "errored"
    )
    return "unparsed: " + ", ".join(f"{n:,} {why}" for why, n in reasons.most_common()) if reasons else ""


def _cannot_tell(runs: Sequence[Run], names: Mapping[int, str]) -> list[str]:
    """Pairs of runs that are closer than what is unparsed in them."""
    notes = []
    groups = [(names[id(run)], run.overall()) for run in runs]
    for (name, one), (other, two) in combinations(groups, 2):
        gap = abs(one.estimate.value - two.estimate.value)
        shares = [group.unparsed / group.estimate.n if group.estimate.n else 0.0 for group in (one, two)]
        if gap < max(shares):
            notes.append(
                f"{name} and {other} are {gap:.3f} apart, and {shares[0]:.3f} and {shares[1]:.3f} of their outputs are "
                "unparsed: which is better cannot be told until these are read (taskloom score RUN --judge MODEL)."
            )
    return notes


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
    return notes + served_notes(runs, names) + _cannot_tell(runs, names)


def served_notes(runs: Sequence[Run], names: Mapping[int, str] | None = None) -> list[str]:
    """Warnings where a server answered under several names or fingerprints within a run, or between runs of one model.

    Args:
        runs: The runs that are compared.
        names: What each is called, by `id`; their folders by default.
    """
    notes, seen = [], dict[str, tuple[str, list[str]]]()
    for run in runs:
        name = names[id(run)] if names else str(run.folder)
        if not (served := run.served()):
            continue
        if len(served) > 1:
            notes.append(f"{name}: several models or snapshots answered: {', '.join(served)}.")
        other, before = seen.setdefault(str(run.plan.model.get("name")), (name, served))
        if before != served:
            notes.append(
                f"{other} and {name} asked for the same model, but others answered: {', '.join(before)} there, "
                f"{', '.join(served)} here."
            )
    return notes


def _way(run: Run) -> tuple[str, ...]:
    """What has to agree for two runs to be ranked: protocol, reading, wordings, and how many instances of each task."""
    protocol = run.plan.protocol
    if protocol.get("name") in ("bare", "fitted") and not protocol.get("overridden"):
        # Baselines and adapted models are asked in their own way, which is the point of comparing them.
        return ("own", str(protocol.get("headline")), str(run.plan.limit))
    asked = (protocol.get("name", ""), protocol.get("encoding", ""), protocol.get("headline"), protocol.get("wordings"))
    return (*map(str, asked), str(run.plan.limit), str(run.plan.scorer))
