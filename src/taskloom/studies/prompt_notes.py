"""How runs were asked, in words: protocols, wordings, and a warning where runs that were asked unlike are compared."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import isclose, isnan
from statistics import fmean, stdev

import numpy as np

from taskloom.ask.judge import Headline
from taskloom.core import acceptable_texts
from taskloom.core.metric import Estimate
from taskloom.protocol.formats import languages_in
from taskloom.run.record import Record
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
    """Why outputs are unparsed, the commonest reason first, as the table counts them; those that were cut off apart."""
    rows = np.flatnonzero(~run.columns.present("answer"))[:_MOST_READ]
    records = [(one.state, one.reading.why or "unparsed") for one in run.records.read(rows.tolist())]
    said = {"unparsed": "scored", "cut off without an answer": "truncated"}
    reasons = {name: Counter(why for state, why in records if state == said[name]).most_common() for name in said}
    return "; ".join(f"{name}: " + ", ".join(f"{n:,} {why}" for why, n in of) for name, of in reasons.items() if of)


def unparsed_notes(runs: Sequence[Run], names: Mapping[int, str]) -> list[str]:
    """Pairs of runs that are closer than what is unparsed in them."""
    notes = []
    for (name, one), (other, two) in combinations([(names[id(run)], run.overall()) for run in runs], 2):
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
    ways = {way_of_asking(run) for run in runs}
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
    return notes + served_notes(runs, names) + unparsed_notes(runs, names)


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


def way_of_asking(run: Run) -> tuple[str, ...]:
    """What has to agree for two runs to be ranked: protocol, reading, wordings, and how many instances of each task."""
    protocol = run.plan.protocol
    if protocol.get("name") in ("bare", "fitted") and not protocol.get("overridden"):
        # Baselines and adapted models are asked in their own way, which is the point of comparing them.
        return ("own", str(protocol.get("headline")), str(run.plan.limit))
    asked = (protocol.get("name", ""), protocol.get("encoding", ""), protocol.get("headline"), protocol.get("wordings"))
    return (*map(str, asked), str(run.plan.limit), str(run.plan.scorer))


_MOST = 3
_LONGEST = 2_000
LOOKED_AT = 5_000
"""Records that are read for a diagnosis: of a run with more than twice as many, one in two, in three ..."""
_WORDS = re.compile(r"[^\W\d_]+")


def diagnose(run: Run) -> list[str]:
    """At most three sentences about a run."""
    step = max(1, len(run.records) // LOOKED_AT)
    records = [record for record in run.records[::step] if record.state != "errored"]
    if len(records) < 5:
        return []
    found = [sentence for rule in RULES for sentence in rule(run, records)]
    return [f"Of one record in {step:,}: {sentence}" if step > 1 else sentence for sentence in found[:_MOST]]


def both_readings(run: Run) -> dict[str, Estimate] | None:
    """The run by its strict and by its lenient reading; None where one of them is missing."""
    if not run.columns.column("read_twice").to_numpy().any():
        return None
    readings: tuple[Headline, ...] = ("strict", "lenient")
    return {name: run.group(name, headline=name).estimate for name in readings}


def readings_part(run: Run) -> str:
    """Both readings in a few words, where they differ by more than the interval of the headline; else ""."""
    estimates = both_readings(run)
    if estimates is None:
        return ""
    rows, headlines = run.columns.codes("headline")
    headline = "lenient" if headlines[rows[0]] == "lenient" else "strict"
    counts, other = estimates[headline], estimates["strict" if headline == "lenient" else "lenient"]
    if counts.low is None or counts.high is None or counts.low <= other.value <= counts.high:
        return ""
    strict, lenient = estimates["strict"], estimates["lenient"]
    return f"strict {strict.value:.3f}, lenient {lenient.value:.3f}; the headline is {headline}"


def other_reading(run: Run, records: Sequence[Record]) -> Iterator[str]:
    """Whether another reader would give other scores."""
    said = readings_part(run)
    if said:
        missed = sum(readings_differ(record) for record in records)
        other = "strict" if records[0].headline == "lenient" else "lenient"
        yield (
            f"The readings differ ({said}): {missed:,} of {len(records):,} answers are right in other words. "
            f"{command_to_try(run, '--reader', other, verb='score')}"
        )


def readings_differ(record: Record) -> bool:
    """Whether the lenient reading earns more by over a half."""
    return record.lenient is not None and (record.lenient.score or 0.0) > (record.strict.score or 0.0) + 0.5


def hidden_targets(run: Run, records: Sequence[Record]) -> Iterator[str]:
    """Whether wrong answers hold the target."""
    wrong = [record for record in records if record.score is not None and record.score < 0.5]
    inside = sum(contains_target(record) for record in wrong)
    if wrong and inside >= max(5, len(wrong) // 5) and not run.tasks[wrong[0].task].labels:
        yield (
            f"The target occurs in {inside:,} of {len(wrong):,} wrong answers: the model may know more than it is "
            f"credited for. {command_to_try(run, '--protocol', 'chat')}"
        )


def contains_target(record: Record) -> bool:
    """Whether an answer holds an accepted text in whole words."""
    said = f" {' '.join(_WORDS.findall(record.raw[:_LONGEST].casefold()))} "
    texts = [" ".join(_WORDS.findall(text.casefold())) for text in acceptable_texts(record.targets)[:50]]
    return any(text and f" {text} " in said for text in texts)


def equal_answers(run: Run, records: Sequence[Record]) -> Iterator[str]:
    """Whether the model always says the same."""
    answers = Counter((record.answer or "").strip() for record in records)
    (most, count), *_ = answers.most_common(1)
    labels = any(task.labels for task in run.tasks.values())
    wanted = len({acceptable_texts(record.targets)[0] for record in records})
    if wanted > 1 and count == len(records):
        yield f"All {len(records):,} answers are {quoted_answer(most)}. {learned_too_little(run)}".rstrip()
    elif wanted > 1 and labels and count >= 0.95 * len(records):
        yield f"One label dominates: {count:,} of {len(records):,} answers are {quoted_answer(most)}."


def cut_answers(run: Run, records: Sequence[Record]) -> Iterator[str]:
    """Whether over a tenth of the answers are cut off."""
    cut = sum(record.state == "truncated" for record in records)
    if cut > 0.1 * len(records):
        limit = int(run.plan.generation.get("max_tokens", 64))
        yield f"{cut:,} of {len(records):,} answers are cut off. {command_to_try(run, '--max-tokens', str(4 * limit))}"


def echoed_prompts(run: Run, records: Sequence[Record]) -> Iterator[str]:
    """Whether over a fifth of the answers repeat the prompt."""
    repeated = sum(repeats_prompt(record) for record in records)
    if repeated > 0.2 * len(records):
        yield (
            f"{repeated:,} of {len(records):,} answers repeat the prompt instead of answering it. "
            f"{command_to_try(run, '--protocol', 'base')}"
        )


def repeats_prompt(record: Record) -> bool:
    """Whether an answer begins with a passage of the end of its prompt."""
    said = " ".join(record.raw[:_LONGEST].split())
    return len(said) >= 40 and said[:120] in " ".join(record.prompt[-4 * _LONGEST :].split())


def other_language(run: Run, records: Sequence[Record]) -> Iterator[str]:
    """Whether over a fifth of the answers are in another language than the prompt."""
    other = sum(speaks_otherwise(record) for record in records)
    if other > 0.2 * len(records):
        yield f"{other:,} of {len(records):,} answers are in another language than the prompt."


def speaks_otherwise(record: Record) -> bool:
    """Whether the language of an answer clearly differs from that of its prompt."""
    said, shown = record.raw[:_LONGEST], record.prompt[-_LONGEST:]
    if min(len(_WORDS.findall(said)), len(_WORDS.findall(shown))) < 8:
        return False
    spoken, asked = languages_in(said), languages_in(shown)
    best, own = max(spoken, key=lambda code: spoken[code]), max(asked, key=lambda code: asked[code])
    return best != own and spoken[best] - spoken[own] > 0.1


def learned_too_little(run: Run) -> str:
    """What helps a model that always says the same: more training where it was adapted, another prompt elsewhere."""
    if run.plan.protocol.get("name") != "fitted":
        return command_to_try(run, "--protocol", "base")
    adapts = run.plan.adaptation.get("name") not in (None, "none")
    return command_to_try(run, "-A", "epochs=N") if adapts else "It needs more training: no other prompt will help it."


def quoted_answer(text: str) -> str:
    """An answer in quotes, cut at 40 characters."""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def command_to_try(run: Run, option: str, value: str, verb: str = "run") -> str:
    """The command to try next: the run's own with another option, or a second reading of its log."""
    if verb == "score":
        return f"Try: taskloom score {shlex.quote(str(run.folder))} {option} {value}"
    reads_rows = str(run.plan.protocol.get("reason", "")).startswith("it reads the row")
    # A fitted model was trained on the prompts that it gets: under another protocol it would only do worse.
    if reads_rows or (option == "--protocol" and run.plan.protocol.get("name") == "fitted"):
        return ""
    if f"{option} {value}" in run.plan.command or run.plan.protocol.get("name") == value:
        return ""
    return f"Try the same command with {option} {value} and another -o."


RULES = (other_reading, cut_answers, echoed_prompts, equal_answers, other_language, hidden_targets)
