"""What every probe answers on stories of a fixed seed; `probes_fixed.txt` holds it, see `tests/approved.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from approved import approved, plain
from taskloom.core import open_suite
from taskloom.score.probes import BagOfWordsProbe, audit, probe_items, standard_probes


def told() -> Iterator[str]:
    """Answers of probes fitted on one part of the rows and asked about the rest; then audits."""
    for name, context in (("babi/task-2", "story"), ("babi/task-6", "story"), ("seti/task1-trivial", None)):
        suite = open_suite(name, seed=5)
        rows = suite[suite.default_split()][:70]
        items = probe_items(rows, context=context, asked="question" if context else None)
        fitted, asked = items[:45], items[45:]
        for probe in standard_probes(("both", "context")):
            probe.fit(fitted)
            yield f"{name}, {probe.name}: {' '.join(str(probe.answer(item)) for item in asked)}"
            if isinstance(probe, BagOfWordsProbe):
                held = probe.scores(asked[0])
                yield f"{name}, {probe.name}: {plain({label: round(value, 2) for label, value in held.items()})}"
    items = probe_items(rows, group=lambda row: row.instance.id[-1])
    for result in audit(items, standard_probes()):
        yield f"{result.group}, {result.probe}: {result.estimate}"


def test_probes_answer_what_they_answered():
    approved(Path(__file__).parent / "probes_fixed.txt", "\n".join(told()) + "\n")
