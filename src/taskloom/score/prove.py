"""The proof of a blueprint: that its maker, solver, examples and splits say the same.

`taskloom check FILE.py` prints what is found here, and the collections of the families are proved by it in the tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log

from taskloom.core import Blueprint, Finding, Row, Suite, Targets, UserError, content_hash, input_hash
from taskloom.core.catalog import SCORERS
from taskloom.core.compose import compose

__all__ = ["label_entropy", "prove_blueprint", "prove_blueprints", "prove_rows"]

_ENOUGH = 10
_MOST_LABELS = 12
_FEWEST_WORDS = 8
_CONSTANT = 0.9


def prove_blueprints(
    blueprints: Sequence[Blueprint], *, file: str, sizes: Mapping[str, int] | None = None, seed: int = 0
) -> Iterator[Finding]:
    """Everything that is wrong with some tasks. Nothing found means proved for the rows drawn.

    Args:
        blueprints: The tasks.
        file: What to name as the place.
        sizes: Rows per task and split to draw for the proof.
        seed: The seed to draw them with.
    """
    for blueprint in blueprints:
        yield from prove_blueprint(blueprint, file=file, sizes=sizes, seed=seed)
    for name, times in Counter(blueprint.name for blueprint in blueprints).items():
        if times > 1:
            yield Finding(file, name, "error", f"{times} tasks have this name", "rename the others", "name")


def prove_blueprint(
    blueprint: Blueprint, *, file: str, sizes: Mapping[str, int] | None = None, seed: int = 0
) -> Iterator[Finding]:
    """Everything that is wrong with one task."""
    name = blueprint.name
    try:
        suite = compose([blueprint], seed=seed, sizes=sizes or {"train": 100, "dev": 20, "test": 100})
        yield from _prove_examples(blueprint, file)
        rows = {split: list(suite.rows(split)) for split in suite.splits}
        again = {split: list(suite.rows(split)) for split in suite.splits}
    except UserError as error:
        yield Finding(file, name, "error", error.message, error.hint or "", "make")
        return
    except Exception as error:  # noqa: BLE001  (the author's code may raise anything)
        message = f"the task raises {type(error).__name__}: {error}"
        yield Finding(file, name, "error", message, "run the maker and the solver on one item", "make")
        return
    if content_hash(rows) != content_hash(again):
        fix = "draw from the random numbers that the maker is given, and from nothing else"
        yield Finding(file, name, "error", "the same seed gives other items the second time", fix, "not-pure")
    yield from _prove_solver(blueprint, file, (row for found in rows.values() for row in found))
    yield from prove_rows(suite, rows, file=file)


def _score(blueprint: Blueprint, answer: str, targets: Targets) -> float:
    return float(SCORERS.get(blueprint.task.scorer).score(answer, targets, blueprint.task).value)


def _accepted(blueprint: Blueprint, text: str) -> list[Targets]:
    """What is known to be right for the input of an example: the solver's answer, or those of right examples."""
    if blueprint.solve is not None:
        return [blueprint.solved(text)]
    return [blueprint.targets(example[1]) for example in blueprint.right if len(example) == 3 and example[0] == text]


def _prove_examples(blueprint: Blueprint, file: str) -> Iterator[Finding]:
    name, shown = blueprint.name, blueprint.instruction
    if len(shown.definition.split()) < _FEWEST_WORDS:
        fix = "say what goes in, what comes out, and which answers are allowed"
        yield Finding(file, f"{name}: definition", "warning", "too short to do the task from", fix, "definition")
    for kind, examples in (("right", shown.positive), ("wrong", shown.negative)):
        if not examples:
            yield Finding(file, f"{name}: {kind}", "warning", f"no {kind} example", "show at least one", "few-examples")
        for index, example in enumerate(examples):
            place = f"{name}: {kind}[{index}]"
            if not (example.explanation or "").strip():
                yield Finding(file, place, "warning", "no explanation", "say why the answer is so", "no-explanation")
            scores = [_score(blueprint, example.output, targets) for targets in _accepted(blueprint, example.input)]
            if kind == "right" and (not scores or min(scores) < 1.0):
                message = f"the answer {example.output!r} scores {min(scores, default=0.0):g}, not 1"
                yield Finding(file, place, "error", message, "correct the example or the solver", "right-example")
            if kind == "wrong" and scores and max(scores) >= 1.0:
                message = f"the answer {example.output!r} is right"
                yield Finding(file, place, "error", message, "show an answer that is wrong", "wrong-example")
            if kind == "wrong" and not scores and blueprint.solve is None:
                message = "nothing tells that this answer is wrong"
                fix = "add a solver, or give the right answer to the same input among the right examples"
                yield Finding(file, place, "note", message, fix, "wrong-example")
    defined = shown.definition.lower()
    unnamed = [label for label in blueprint.labels if label.lower() not in defined]
    if unnamed:
        message = f"the definition does not name {', '.join(map(repr, unnamed))}"
        yield Finding(file, f"{name}: definition", "warning", message, "name every answer", "unnamed-labels")


def _prove_solver(blueprint: Blueprint, file: str, rows: Iterable[Row]) -> Iterator[Finding]:
    """The solver must accept what the maker says, and the maker what the solver says."""
    if blueprint.solve is None:
        return
    for row in rows:
        made = row.instance.targets
        try:
            solved = blueprint.solved(row.instance.input)
        except Exception as error:  # noqa: BLE001  (the author's code may raise anything)
            message = f"the solver raises {type(error).__name__} on {row.instance.input!r}: {error}"
            yield Finding(file, blueprint.name, "error", message, "let it read what the maker writes", "solver")
            return
        if min(_score(blueprint, solved.canonical(), made), _score(blueprint, made.canonical(), solved)) < 1.0:
            message = f"{row.instance.input!r}: the maker says {made.canonical()!r}, the solver {solved.canonical()!r}"
            yield Finding(file, blueprint.name, "error", message, "correct one of the two", "solver")
            return


def prove_rows(suite: Suite, rows: Mapping[str, Sequence[Row]], *, file: str) -> Iterator[Finding]:
    """What rows of a suite give away: duplicates, shared inputs, examples among them, answers that never change."""
    asked: dict[tuple[str, bytes], str] = {}
    repeated: set[tuple[str, bytes]] = set()
    answers: dict[str, Counter[str]] = {}
    shown = {
        name: {input_hash(e.input) for e in (*task.instruction.positive, *task.instruction.negative)}
        for name, task in suite.tasks.items()
    }
    for split, found in rows.items():
        for row in found:
            key = (row.task, input_hash(row.instance.input))
            before = asked.setdefault(key, split)
            place = f"{row.task}/{row.instance.id}"
            if before != split:
                message = f"the input is also in split {before!r}: {row.instance.input!r}"
                yield Finding(file, place, "error", message, "let the maker return equal text once", "overlap")
            elif key in repeated:
                yield Finding(file, place, "error", f"a second time: {row.instance.input!r}", "", "duplicate")
            repeated.add(key)
            if key[1] in shown[row.task]:
                yield Finding(file, place, "error", "the item is also an example", "change the example", "leak")
            if (
                SCORERS.get(suite.tasks[row.task].scorer)
                .score(row.instance.targets.canonical(), row.instance.targets, suite.tasks[row.task])
                .value
                < 1.0
            ):
                message = f"the task's scorer refuses its own answer {row.instance.targets.canonical()!r}"
                yield Finding(file, place, "error", message, "choose another scorer", "scorer")
            answers.setdefault(row.task, Counter())[row.instance.targets.canonical()] += 1
    for name, counts in answers.items():
        yield from _prove_balance(suite, name, counts, file)


def _prove_balance(suite: Suite, name: str, counts: Counter[str], file: str) -> Iterator[Finding]:
    task, total = suite.tasks[name], counts.total()
    if total < _ENOUGH:
        return
    answer, times = counts.most_common(1)[0]
    if times == total:
        yield Finding(file, name, "error", f"every answer is {answer!r}", "vary the answers", "constant-label")
        return
    if times > _CONSTANT * total:
        message = f"{times / total:.0%} of the answers are {answer!r}"
        yield Finding(file, name, "warning", message, "balance them: a constant answer looks good", "label-balance")
    elif task.labels and len(task.labels) <= _MOST_LABELS:
        missing = [label for label in task.labels if label not in counts]
        if missing and total >= _ENOUGH * len(task.labels):
            message = f"no item has the answer {', '.join(map(repr, missing))}"
            yield Finding(file, name, "warning", message, "draw every label", "label-balance")
        elif label_entropy(counts.values()) < 0.8:
            message = f"the labels are out of balance: {dict(counts.most_common())}"
            yield Finding(file, name, "warning", message, "draw the label first, then the item", "label-balance")


def label_entropy(counts: Iterable[int]) -> float:
    """The entropy of a distribution, as a share of that of equal parts: 1 where all labels are equally frequent."""
    held = [count for count in counts if count]
    total = sum(held)
    if len(held) < 2:
        return 0.0
    return -sum(count / total * log(count / total) for count in held) / log(len(held))
