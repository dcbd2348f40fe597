"""What `taskloom check` proves of woven tasks: their instructions are whole sentences that fit their items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from taskloom.core import Finding, Row, Suite, Task
from taskloom.weave.records import NUMBERS

__all__ = ["audit"]

_SLIPS = {
    r"\{\w+\}": "a gap that was not filled",
    r"  | [.,;:?]": "a blank too many",
    r"[.?!] [a-z](?!\w*/)": "a sentence that begins with a small letter",
    r"(?<!/)\b(?:a (?=[aei]\w)|an (?=[^aeiouhAEIOUHFLMNRSX8 ]))": "the wrong article",
    r"\b(with|of|in) the answer\b[^.]*\bwith the answer\b": "an answer that answers itself",
    r"([A-Z][^.\n]{20,}\.) \1": "a sentence twice",
    r"[^.?!…}]$": "no full stop at the end",
}
"""What no instruction holds, by pattern. Quoted words are left out of it."""
_TOLD = re.compile(r"There are (\w+) (cases|parts)")


def audit(suite: Suite, split: str, rows: Sequence[Row]) -> Iterator[Finding]:
    """Findings about the tasks of some rows."""
    for name, first in {row.task: row for row in reversed(rows)}.items():
        task = suite.tasks[name]
        problems = [*_of_the_text(task), *_of_the_examples(task)]
        problems += [] if _divided(task, first.instance.input) else ["not as many cases or parts as it says"]
        yield from (
            Finding(suite.name, name, "error", f"the instruction has {problem}", code="woven") for problem in problems
        )
        lost = task.facets["not_asked"]
        if lost and split == next(iter(suite.splits)):
            message = f"{lost:.0%} of its items are not asked, because the answer would be ambiguous or unknown"
            yield Finding(suite.name, name, "note", message, code="not-asked")


def _of_the_text(task: Task) -> Iterator[str]:
    definition = re.sub(r"'[^' ]*'|\"[^\"]*\"", "'x'", task.instruction.definition)
    for pattern, problem in _SLIPS.items():
        if found := re.search(pattern, definition):
            yield f"{problem}: …{definition[max(0, found.start() - 30) : found.end() + 20]}…"
    unsaid = [label for label in task.labels if label not in task.instruction.definition]
    if unsaid:
        yield f"no word of the label {unsaid[0]!r}"


def _of_the_examples(task: Task) -> Iterator[str]:
    """A right answer ends its explanation; a wrong one is another than the right one that is told."""
    for example in task.instruction.negative:
        if example.explanation == f"Wrong: the answer is {example.output}.":
            yield f"a wrong example that is right: {example.output!r}"
    for example in task.instruction.positive if task.kind != "slots" else ():
        if not str(example.explanation).endswith(f"{example.output}."):
            yield f"an example whose explanation does not end in its answer {example.output!r}"


def _divided(task: Task, text: str) -> bool:
    """Whether an input has as many cases and parts as the instruction says, where it says so at its beginning."""
    told = _TOLD.match(task.instruction.definition)
    if told is None or told[1] not in NUMBERS:
        return told is None
    mark = "Case" if told[2] == "cases" else "Part"
    return len(re.findall(rf"(?m)^{mark} (?:\d+|[ABC]):", text)) % NUMBERS.index(told[1]) == 0
