"""A diagnosis after a run: what seems to be wrong with how the model was asked, with counts and a command to try.

One to three sentences, the most telling first; none where nothing stands out.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from taskloom.ask.judge import Headline
from taskloom.core import acceptable_texts
from taskloom.core.metric import Estimate
from taskloom.protocol.formats import languages_in
from taskloom.run.record import Record
from taskloom.run.results import Run

_MOST = 3
_LONGEST = 2_000
_LOOKED_AT = 5_000
"""Records that are read for a diagnosis: of a run with more than twice as many, one in two, in three ..."""
_WORDS = re.compile(r"[^\W\d_]+")


def diagnose(run: Run) -> list[str]:
    """At most three sentences about a run."""
    step = max(1, len(run.records) // _LOOKED_AT)
    records = [record for record in run.records[::step] if record.state != "errored"]
    if len(records) < 5:
        return []
    found = [sentence for rule in _RULES for sentence in rule(run, records)]
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
    headline = run.records[0].headline
    counts, other = estimates[headline], estimates["strict" if headline == "lenient" else "lenient"]
    if counts.low is None or counts.high is None or counts.low <= other.value <= counts.high:
        return ""
    strict, lenient = estimates["strict"], estimates["lenient"]
    return f"strict {strict.value:.3f}, lenient {lenient.value:.3f}; the headline is {headline}"


def _part(run: Run, records: Sequence[Record]) -> Iterator[str]:
    said = readings_part(run)
    if said:
        missed = sum(_differs(record) for record in records)
        yield (
            f"The readings differ ({said}): {missed:,} of {len(records):,} answers are right in other words. "
            f"{_try(run, '--reader', 'strict' if records[0].headline == 'lenient' else 'lenient', verb='score')}"
        )


def _differs(record: Record) -> bool:
    return record.lenient is not None and (record.lenient.score or 0.0) > (record.strict.score or 0.0) + 0.5


def _hidden(run: Run, records: Sequence[Record]) -> Iterator[str]:
    wrong = [record for record in records if record.score is not None and record.score < 0.5]
    inside = sum(_contains(record) for record in wrong)
    if wrong and inside >= max(5, len(wrong) // 5) and not run.tasks[wrong[0].task].labels:
        yield (
            f"The target occurs in {inside:,} of {len(wrong):,} wrong answers: the model may know more than it is "
            f"credited for. {_try(run, '--protocol', 'chat')}"
        )


def _contains(record: Record) -> bool:
    said = f" {' '.join(_WORDS.findall(record.raw[:_LONGEST].casefold()))} "
    texts = [" ".join(_WORDS.findall(text.casefold())) for text in acceptable_texts(record.targets)[:50]]
    return any(text and f" {text} " in said for text in texts)


def _equal(run: Run, records: Sequence[Record]) -> Iterator[str]:
    answers = Counter((record.answer or "").strip() for record in records)
    (most, count), *_ = answers.most_common(1)
    labels = any(task.labels for task in run.tasks.values())
    wanted = len({acceptable_texts(record.targets)[0] for record in records})
    if wanted > 1 and count == len(records):
        yield f"All {len(records):,} answers are {_quoted(most)}. {_learned_too_little(run)}".rstrip()
    elif wanted > 1 and labels and count >= 0.95 * len(records):
        yield f"One label dominates: {count:,} of {len(records):,} answers are {_quoted(most)}."


def _cut(run: Run, records: Sequence[Record]) -> Iterator[str]:
    cut = sum(record.state == "truncated" for record in records)
    if cut > 0.1 * len(records):
        limit = int(run.plan.generation.get("max_tokens", 64))
        yield f"{cut:,} of {len(records):,} answers are cut off. {_try(run, '--max-tokens', str(4 * limit))}"


def _echo(run: Run, records: Sequence[Record]) -> Iterator[str]:
    repeated = sum(_repeats(record) for record in records)
    if repeated > 0.2 * len(records):
        yield (
            f"{repeated:,} of {len(records):,} answers repeat the prompt instead of answering it. "
            f"{_try(run, '--protocol', 'base')}"
        )


def _repeats(record: Record) -> bool:
    said = " ".join(record.raw[:_LONGEST].split())
    return len(said) >= 40 and said[:120] in " ".join(record.prompt[-4 * _LONGEST :].split())


def _language(run: Run, records: Sequence[Record]) -> Iterator[str]:
    other = sum(_speaks_otherwise(record) for record in records)
    if other > 0.2 * len(records):
        yield f"{other:,} of {len(records):,} answers are in another language than the prompt."


def _speaks_otherwise(record: Record) -> bool:
    said, shown = record.raw[:_LONGEST], record.prompt[-_LONGEST:]
    if min(len(_WORDS.findall(said)), len(_WORDS.findall(shown))) < 8:
        return False
    spoken, asked = languages_in(said), languages_in(shown)
    best, own = max(spoken, key=lambda code: spoken[code]), max(asked, key=lambda code: asked[code])
    return best != own and spoken[best] - spoken[own] > 0.1


def _learned_too_little(run: Run) -> str:
    """What helps a model that always says the same: more training where it was adapted, another prompt elsewhere."""
    if run.plan.protocol.get("name") != "fitted":
        return _try(run, "--protocol", "base")
    adapts = run.plan.adaptation.get("name") not in (None, "none")
    return _try(run, "-A", "epochs=N") if adapts else "It needs more training: no other prompt will help it."


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _try(run: Run, option: str, value: str, verb: str = "run") -> str:
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


_RULES = (_part, _cut, _echo, _equal, _language, _hidden)
