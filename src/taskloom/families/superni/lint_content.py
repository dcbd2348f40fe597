"""What a sound task file gives away: examples that leak or contradict, labels out of balance, tasks that are alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from heapq import nsmallest
from itertools import chain, compress, islice
from operator import not_
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zlib import crc32

from taskloom.author.prove import label_entropy
from taskloom.core import Finding
from taskloom.core.decode import read_bytes, read_toml
from taskloom.families.superni.official import SUPERNI_EXACT
from taskloom.families.superni.tracks import EVALUATION_METRICS

_MOST_LABELS = 14
_ENTROPY = 0.8
_ENOUGH = 10
_FEW = 4
_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve twenty thirty hundred no none
"""
_NUMBER_WORDS = frozenset(_NUMBERS.split())
_SKETCH = 48
_ALIKE = 0.5
_LOOKED_AT = 120
_LOOSE = 4
_TURN = 8
_LATER = 1 << 32

ShownExample = tuple[str, list[str], str]
"""Input, outputs, explanation ("" where there is none)."""


class LintRule(NamedTuple):
    """How bad it is, what is wrong, and what would fix it."""

    level: Literal["error", "warning", "note"]
    message: str
    fix: str = ""


RULES = read_toml(Path(__file__).with_name("lint.toml"), type=dict[str, LintRule])


def finding(file: str, rule: str, place: str = "", **slots: Any) -> Finding:
    """What a rule of `lint.toml` says about a place in a file."""
    level, message, fix = RULES[rule]
    return Finding(file, place, level, message.format(**slots), fix.format(**slots), rule.partition(".")[0])


def definition_text(task: dict[str, Any]) -> str:
    """The definition of a file whose shape has not been checked yet."""
    definition = task.get("Definition")
    if isinstance(definition, list):
        return " ".join(text for text in definition if isinstance(text, str))
    return definition if isinstance(definition, str) else ""


class TaskView:
    """A decoded task file whose shape is known to be right.

    Attributes:
        header: Every key but the instances.
        definition: The definition as one text.
        positive, negative: The examples.
        inputs, outputs, ids: Those of the instances; outputs are always lists, ids None where there are none.
        first_outputs: The first output of each instance.
        stripped, stripped_outputs: Inputs and first outputs without white space at their ends.
        several: The instances with more than one output.
    """

    def __init__(self, task: dict[str, Any]) -> None:
        instances = task["Instances"]
        self.header = {key: value for key, value in task.items() if key != "Instances"}
        self.definition = definition_text(task)
        self.positive = [_example(record) for record in task.get("Positive Examples") or ()]
        self.negative = [_example(record) for record in task.get("Negative Examples") or ()]
        self.inputs: list[str] = [record["input"] for record in instances]
        self.outputs = [_list(record["output"]) for record in instances]
        self.ids: list[str | None] = [record.get("id") for record in instances]
        self.first_outputs = [outputs[0] for outputs in self.outputs]
        self.stripped = list(map(str.strip, self.inputs))
        self.stripped_outputs = list(map(str.strip, self.first_outputs))
        self.several = [index for index, outputs in enumerate(self.outputs) if len(outputs) > 1]

    @cached_property
    def answers(self) -> Counter[str]:
        return Counter(self.first_outputs)

    @cached_property
    def closed(self) -> bool:
        """Whether the outputs are drawn from a small set again and again, so that an unlisted output is wrong."""
        return len(self.answers) <= _MOST_LABELS and len(self.outputs) >= max(_ENOUGH, 4 * len(self.answers))

    def texts(self) -> Iterator[tuple[str, str, Sequence[str]]]:
        """Every text of the file, in groups: the key before the index, the key behind it, the texts."""
        definition = self.header.get("Definition")
        listed = [definition] if isinstance(definition, str) else definition or ()
        yield "Definition", "", [text or "" for text in listed]
        for key, examples in (("Positive Examples", self.positive), ("Negative Examples", self.negative)):
            yield key, ".input", [text for text, _, _ in examples]
            yield key, ".output", [outputs[0] if outputs else "" for _, outputs, _ in examples]
            yield key, ".explanation", [why for _, _, why in examples]
        yield "Instances", ".input", self.inputs
        yield "Instances", ".output", self.first_outputs


def _list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _example(record: dict[str, Any]) -> ShownExample:
    return record["input"], _list(record["output"]), str(record.get("explanation") or "")


# ------------------------------------------------------------------------------- examples


def _accepted(outputs: Iterable[str], references: Sequence[str]) -> bool:
    """Whether the official exact match accepts any of them."""
    return any(SUPERNI_EXACT.best(output, references) == 1.0 for output in outputs)


def _wrong_yet_accepted(
    file: str, place: str, outputs: Sequence[str], references: Sequence[str], by: str, *, sure: bool
) -> Iterator[Finding]:
    """A negative example that something else accepts, to the letter or by the official rule."""
    if not {output.strip() for output in outputs}.isdisjoint(text.strip() for text in references):
        yield finding(file, "contradiction.negative" if sure else "doubtful-negative", place, by=by)
    elif _accepted(outputs, references):
        yield finding(file, "blind-spot", place, by=by)


def _folded(text: str) -> str:
    """A text without differences that no reader minds: case, white space, marks at the end."""
    return " ".join(text.casefold().split()).rstrip(".!? ")


def _asked(view: TaskView) -> dict[str, int]:
    """The inputs of examples that are instances, with the place of each; case, blanks and final marks do not count."""
    shown = {text.strip() for text, _, _ in (*view.positive, *view.negative)}
    asked = {text: view.stripped.index(text) for text in shown.intersection(view.stripped)}
    alike = {_folded(text): text for text in shown - asked.keys()}
    sizes = {size for text in alike.values() for size in range(len(text) - _LOOSE, len(text) + _LOOSE + 1)}
    for place, text in enumerate(view.stripped):
        # Few inputs have the length of an example, so few are looked at closely.
        if len(text) in sizes and (told := alike.get(_folded(text))) is not None:
            asked.setdefault(told, place)
    return asked


def lint_examples(file: str, view: TaskView) -> Iterator[Finding]:
    """Examples that are instances, that contradict each other, or that are too few."""
    asked = _asked(view)
    for kind, fewest, examples in (("Positive", 2, view.positive), ("Negative", 1, view.negative)):
        key = f"{kind} Examples"
        if len(examples) < fewest:
            yield finding(file, "few-examples", key, count=len(examples), fewest=fewest)
        for index, (text, outputs, why) in enumerate(examples):
            place = f"{key}[{index}]"
            if not why.strip():
                yield finding(file, "no-explanation", f"{place}.explanation")
            found = asked.get(text.strip())
            if found is None:
                continue
            if view.stripped[found] == text.strip():
                yield finding(file, f"leak.{kind.lower()}", place, found=found)
            references = view.outputs[found]
            if kind == "Negative":
                by = "the instance of the same input"
                yield from _wrong_yet_accepted(file, f"{place}.output", outputs, references, by, sure=view.closed)
            elif view.closed and not _accepted(outputs, references):
                yield finding(file, "contradiction.instance", f"{place}.output")
    yield from _lint_twins(file, view)


def _lint_twins(file: str, view: TaskView) -> Iterator[Finding]:
    positive: dict[str, list[str]] = {}
    for index, (text, outputs, _) in enumerate(view.positive):
        before = positive.setdefault(_folded(text), [])
        if before and view.closed and not _accepted(outputs, before):
            yield finding(file, "contradiction.example", f"Positive Examples[{index}].output")
        before += outputs
    for index, (text, outputs, _) in enumerate(view.negative):
        if (twin := positive.get(_folded(text))) is not None:
            place, by = f"Negative Examples[{index}].output", "the positive example of the same input"
            yield from _wrong_yet_accepted(file, place, outputs, twin, by, sure=True)


# --------------------------------------------------------------------------------- labels


def _plain(label: str) -> str:
    return label.strip().lower().strip(".")


def _open_ended(view: TaskView, labels: Iterable[str], named: int) -> bool:
    """Whether few different outputs are no labels after all.

    Numbers are counted, questions and sentences are written, words of the input are found there; and where no output
    at all is named and there are more than a few, the definition asks for words of a kind, not for labels.
    """
    unnamed = set(labels)
    plain = [_plain(label) for label in unnamed]
    if all(re.search(r"\d", label) or label in _NUMBER_WORDS for label in plain):
        return True
    if all("?" in label or len(label.split()) > 4 for label in plain) or (not named and len(unnamed) > _FEW):
        return True
    answered = zip(view.inputs, view.first_outputs, strict=True)
    return all(_plain(output) in text.lower() for text, output in answered if output in unnamed)


def _lint_spellings(file: str, view: TaskView) -> Iterator[Finding]:
    """Labels that are spelled in several ways, and labels that every input gives away."""
    spelled: dict[str, Counter[str]] = {}
    for output in view.stripped_outputs:
        spelled.setdefault(_folded(output), Counter())[output] += 1
    if len(spelled) > _MOST_LABELS or len(view.outputs) < max(_ENOUGH, 4 * len(spelled)):
        return
    for ways in spelled.values():
        if len(ways) > 1:
            listed = ", ".join(f"{way!r} ({times})" for way, times in ways.most_common())
            yield finding(file, "label-variants", "Instances", labels=listed)
    # Where all labels are offered as options none is given away; numbers and short signs occur by chance.
    patterns = {label: re.compile(rf"(?<!\w){re.escape(label)}(?!\w)") for label in spelled if len(label) > 1}
    if len(spelled) < 2 or len(patterns) < len(spelled) or all(map(str.isdigit, spelled)):
        return
    for text, output in zip(view.inputs, view.stripped_outputs, strict=True):
        if [label for label, pattern in patterns.items() if pattern.search(text.casefold())] != [_folded(output)]:
            return
    yield finding(file, "answer-in-input", "Instances", count=len(view.inputs))


def lint_labels(file: str, view: TaskView) -> Iterator[Finding]:
    """Answers that never change, labels out of balance, and definitions that do not say which labels there are."""
    yield from _lint_spellings(file, view)
    every: Counter[str] = Counter(chain.from_iterable(view.outputs))
    if len(every) == 1 and len(view.outputs) > 1:
        yield finding(file, "constant-label", "Instances", label=next(iter(every)))
        return
    # The rule of the collection's tests: up to fourteen different outputs, entropy above 0.8 of an even spread.
    if 1 < len(every) <= _MOST_LABELS and len(view.outputs) >= _ENOUGH:
        entropy, (label, count) = label_entropy(every.values()), every.most_common(1)[0]
        if entropy <= _ENTROPY:
            slots = {"share": count / every.total(), "label": label, "entropy": entropy, "least": _ENTROPY}
            yield finding(file, "label-balance", "Instances", **slots)
    if not view.closed:
        return
    defined = view.definition.lower()
    unnamed = sorted(label for label in view.answers if _plain(label) not in defined)
    if unnamed and not _open_ended(view, unnamed, len(view.answers) - len(unnamed)):
        yield finding(file, "unnamed-labels", "Definition", labels=", ".join(map(repr, unnamed)))
    if _open_ended(view, view.answers, 0):
        return
    known = {_plain(label) for label in every}
    for index, (_, outputs, _) in enumerate(view.positive):
        label = outputs[0] if outputs else ""
        if _plain(label) not in known:
            yield finding(file, "unknown-label", f"Positive Examples[{index}].output", label=label)


# ------------------------------------------------------------------------- several files


class Fingerprint(NamedTuple):
    """What is kept of a file to compare it with the others."""

    file: str
    name: str
    definition: str
    category: str
    sources: tuple[str, ...]
    sketch: frozenset[int]


def fingerprint(path: Path, view: TaskView) -> Fingerprint:
    """The smallest hashes of its (input, output) pairs: the overlap of two such samples estimates that of the tasks.

    Pairs whose lengths add up to a multiple of `_TURN` come before all others, so that of a large file one pair in
    `_TURN` is hashed. Which pairs these are depends on their texts alone and is the same in every file.
    """
    inputs, outputs = view.inputs, view.first_outputs
    first = [not (len(text) + len(output)) % _TURN for text, output in zip(inputs, outputs, strict=True)]
    hashes = set(map(_hash, compress(inputs, first), compress(outputs, first)))
    if len(hashes) < _SKETCH:
        later = list(map(not_, first))
        hashes |= {_LATER + value for value in map(_hash, compress(inputs, later), compress(outputs, later))}
    categories, sources = (_list(view.header.get(key) or []) for key in ("Categories", "Source"))
    return Fingerprint(
        str(path),
        path.name.removesuffix(".json"),
        " ".join(view.definition.lower().split()),
        str(categories[0]) if categories else "",
        tuple(map(str, sources)),
        frozenset(nsmallest(_SKETCH, hashes)),
    )


def _hash(text: str, output: str) -> int:
    return crc32(f"{text[:_LOOKED_AT]}\n{output[:40]}".encode("utf-8", "replace"))


def lint_across(root: Path, prints: Sequence[Fingerprint]) -> Iterator[Finding]:
    """Findings about pairs of files."""
    first: dict[str, Fingerprint] = {}
    for one in prints:
        before = first.setdefault(one.definition, one)
        if before is not one and one.definition:
            yield finding(one.file, "same-definition", "Definition", name=before.name)
    yield from _same_instances(prints)
    yield from _leaking(root, prints)


def _same_instances(prints: Sequence[Fingerprint]) -> Iterator[Finding]:
    holders: dict[int, list[int]] = {}
    for index, one in enumerate(prints):
        for value in one.sketch:
            holders.setdefault(value, []).append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for found in holders.values():
        for place, second in enumerate(found):
            shared.update((first, second) for first in islice(found, place))
    for (first, second), times in sorted(shared.items()):
        one, other = prints[first], prints[second]
        smaller = min(len(one.sketch), len(other.sketch))
        if smaller and times / smaller >= _ALIKE:
            yield finding(other.file, "near-duplicate", "Instances", share=times / smaller, name=one.name)


def _leaking(root: Path, prints: Sequence[Fingerprint]) -> Iterator[Finding]:
    """Training tasks of a published list whose source a test task has too."""
    tested = {source: one.name for one in prints if one.category in EVALUATION_METRICS for source in one.sources}
    for track in ("default", "xlingual"):
        listed = root / "splits" / track / "train_tasks.txt"
        if not listed.is_file():
            continue
        names = set(read_bytes(listed).decode("utf-8", "replace").split())
        for one in prints:
            leak = next((source for source in one.sources if source in tested), None)
            if one.name in names and one.category not in EVALUATION_METRICS and leak is not None:
                slots = {"track": track, "leak": leak, "name": tested[leak], "listed": listed}
                yield finding(one.file, "leaking-source", "Source", **slots)
