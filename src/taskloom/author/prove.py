"""The proof of a blueprint: that its maker, solver, examples and splits say the same.

`taskloom check FILE.py` prints what is found here, and the collections of the families are proved by it in the tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from pathlib import Path

import msgspec

from taskloom.author import Blueprint
from taskloom.author.compose import compose
from taskloom.author.pyfile import load_declared, replaced_tasks
from taskloom.author.shares import COPY
from taskloom.core import Finding, Row, Suite, Targets, Task, UserError, content_hash, input_hash
from taskloom.core.catalog import SCORERS
from taskloom.core.decode import decode_json, read_json

_ENOUGH = 10
_MOST_LABELS = 12
_FEWEST_WORDS = 8
_CONSTANT = 0.9
_SIZES = {"train": 100, "dev": 20, "test": 100}
_MOST_ROWS = 10_000
_MOST_ALIKE = 3
_PURE = "use only the random generator passed to the maker"


def prove_file(path: Path) -> Iterator[Finding]:
    """Everything that is wrong with a file of tasks, at the sizes and with the seed that its `Suite.of` gives it."""
    file = str(path)
    try:
        blueprints, declared, seed = load_declared(path)
    except UserError as error:
        yield Finding(error.where or file, "", "error", error.message, error.hint or "", "python")
        return
    for name, line in replaced_tasks(path, blueprints).items():
        message = "a later function of the same name replaces this task"
        yield Finding(f"{file}:{line}", name, "error", message, "give the later function another name", "name")
    sizes = {split: 100 if size is None else min(size, _MOST_ROWS) for split, size in declared.items()} or _SIZES
    wrong = False
    for finding in prove_blueprints(blueprints, file=file, sizes=sizes, seed=seed):
        wrong = wrong or finding.code in ("make", "not-pure")
        yield finding
    if wrong:
        return  # it would go wrong in the same way
    try:
        hashes = hashes_elsewhere(path, sizes, seed)
    except UserError as error:
        yield Finding(error.where or file, "", "error", error.message, error.hint or "", "not-pure")
        return
    if len(hashes) != len(blueprints):
        message = f"another process finds {len(hashes)} tasks in the file, not {len(blueprints)}"
        yield Finding(file, "", "error", message, "define the same tasks every time", "not-pure")
        return
    for place, blueprint in enumerate(blueprints):
        if content_hash(draw_all(blueprint, sizes, seed)) != hashes[place]:
            message = "another process draws different items from the same seed"
            fix = "sort a set before iterating over it, and do not call hash()"
            yield Finding(file, blueprint.name, "error", message, fix, "not-pure")


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
    name, sizes = blueprint.name, sizes or _SIZES
    try:
        SCORERS.get(blueprint.task.scorer)
        yield from prove_examples(blueprint, file)
        rows, again = draw_all(blueprint, sizes, seed), draw_all(blueprint, sizes, seed)
    except UserError as error:
        yield Finding(file, name, "error", error.message, error.hint or "", "make")
        return
    if content_hash(rows) != content_hash(again):
        yield Finding(file, name, "error", "the same seed gives different items the second time", _PURE, "not-pure")
    yield from prove_solver(blueprint, file, (row for found in rows.values() for row in found))
    yield from prove_rows(compose([blueprint], seed=seed, sizes=sizes), rows, file=file)


def _score(blueprint: Blueprint, answer: str, targets: Targets) -> float:
    return float(SCORERS.get(blueprint.task.scorer).score(answer, targets, blueprint.task).value)


def _accepted(blueprint: Blueprint, text: str) -> list[Targets]:
    """What is known to be right for the input of an example: the solver's answer, or those of right examples."""
    if blueprint.solve is not None:
        return [blueprint.solved(text)]
    return [blueprint.targets(example[1]) for example in blueprint.right if len(example) == 3 and example[0] == text]


def prove_examples(blueprint: Blueprint, file: str) -> Iterator[Finding]:
    """What is wrong with a definition and its examples."""
    name, shown = blueprint.name, blueprint.instruction
    fix = "describe the input, the output and the allowed answers"
    if not shown.definition.strip():
        yield Finding(file, f"{name}: definition", "error", "there is no definition", fix, "definition")
    elif len(shown.definition.split()) < _FEWEST_WORDS:
        yield Finding(file, f"{name}: definition", "warning", "too short to explain the task", fix, "definition")
    for kind, examples in (("right", shown.positive), ("wrong", shown.negative)):
        if not examples:
            yield Finding(file, f"{name}: {kind}", "warning", f"no {kind} example", "show at least one", "few-examples")
        for index, example in enumerate(examples):
            place = f"{name}: {kind}[{index}]"
            if not (example.explanation or "").strip():
                yield Finding(file, place, "warning", "no explanation", "explain the answer", "no-explanation")
            scores = [_score(blueprint, example.output, targets) for targets in _accepted(blueprint, example.input)]
            if kind == "right" and (not scores or min(scores) < 1.0):
                message = f"the answer {example.output!r} scores {min(scores, default=0.0):g}, not 1"
                yield Finding(file, place, "error", message, "correct the example or the solver", "right-example")
            if kind == "wrong" and scores and max(scores) >= 1.0:
                message = f"the answer {example.output!r} is right"
                yield Finding(file, place, "error", message, "show an answer that is wrong", "wrong-example")
            if kind == "wrong" and not scores and blueprint.solve is None:
                message = "nothing shows that this answer is wrong"
                fix = "add a solver, or give the right answer to the same input among the right examples"
                yield Finding(file, place, "note", message, fix, "wrong-example")
    defined = shown.definition.lower()
    unnamed = [label for label in blueprint.labels if label.lower() not in defined]
    if unnamed:
        message = f"the definition does not name {', '.join(map(repr, unnamed))}"
        yield Finding(file, f"{name}: definition", "warning", message, "name every answer", "unnamed-labels")


def prove_solver(blueprint: Blueprint, file: str, rows: Iterable[Row]) -> Iterator[Finding]:
    """The solver must accept what the maker says, and the maker what the solver says."""
    if blueprint.solve is None:
        return
    for row in rows:
        made = row.instance.targets
        try:
            solved = blueprint.solved(row.instance.input)
        except UserError as error:
            yield Finding(file, blueprint.name, "error", error.message, error.hint or "", "solver")
            return
        if min(_score(blueprint, solved.canonical(), made), _score(blueprint, made.canonical(), solved)) < 1.0:
            message = f"{row.instance.input!r}: the maker says {made.canonical()!r}, the solver {solved.canonical()!r}"
            yield Finding(file, blueprint.name, "error", message, "correct one of the two", "solver")
            return


def prove_rows(suite: Suite, rows: Mapping[str, Sequence[Row]], *, file: str) -> Iterator[Finding]:
    """What rows of a suite give away: duplicates, shared inputs, examples among them, answers that never change."""
    alike: Counter[tuple[str, str]] = Counter()
    for task, finding in _prove_each_row(suite, rows, file):
        alike[task, finding.code] += 1
        if alike[task, finding.code] <= _MOST_ALIKE:
            yield finding
    for (task, code), times in alike.items():
        if times > _MOST_ALIKE:
            yield Finding(file, task, "error", f"{times - _MOST_ALIKE:,} more rows like this", "", code)
    answers: dict[str, Counter[str]] = {}
    for found in rows.values():
        for row in found:
            answers.setdefault(row.task, Counter())[row.instance.targets.canonical()] += 1
    for name, counts in answers.items():
        yield from prove_balance(suite, name, counts, file)


def _prove_each_row(suite: Suite, rows: Mapping[str, Sequence[Row]], file: str) -> Iterator[tuple[str, Finding]]:
    """What is wrong with single rows, with the task of each."""
    asked: dict[tuple[str, bytes], str] = {}
    shown = {
        name: {input_hash(e.input) for e in (*task.instruction.positive, *task.instruction.negative)}
        for name, task in suite.tasks.items()
    }
    for split, row in ((split, row) for split, found in rows.items() for row in found):
        name, asks, key = row.task, row.instance.input, input_hash(row.instance.input)
        place = f"{name}/{row.instance.id}"
        before = asked.get((name, key))
        asked.setdefault((name, key), split)
        if before is not None and before != split:
            message = f"the input is also in split {before!r}: {asks!r}"
            fix = "make the maker return different texts for different keys"
            yield name, Finding(file, place, "error", message, fix, "overlap")
        elif before is not None and COPY not in row.instance.details:
            yield name, Finding(file, place, "error", f"the input occurs twice: {asks!r}", "", "duplicate")
        if key in shown[name] and split != "train":
            yield name, Finding(file, place, "error", "the item is also an example", "change the example", "leak")
        refused = scorer_refusals(suite.tasks[name], row.instance.targets)
        if refused:
            yield name, Finding(file, place, "error", *refused, "scorer")


def scorer_refusals(task: Task, targets: Targets) -> tuple[str, str] | None:
    """What is wrong with an answer that scores less than 1 as the answer to its own question, and what helps."""
    said = targets.canonical()
    if not said.strip():
        return (
            "the answer is empty",
            "an empty answer looks like no answer: use a word, such as 'none'",
        )
    if SCORERS.get(task.scorer).score(said, targets, task).value >= 1.0:
        return None
    if task.labels and said not in task.labels:
        return f"the answer {said!r} is not one of the labels {', '.join(map(repr, task.labels))}", "correct the maker"
    return f"the answer {said!r}, repeated exactly, scores less than 1", f"{task.scorer!r} cannot score it"


def prove_balance(suite: Suite, name: str, counts: Counter[str], file: str) -> Iterator[Finding]:
    """Whether one answer is given too often."""
    task, total = suite.tasks[name], counts.total()
    if total < _ENOUGH:
        return
    answer, times = counts.most_common(1)[0]
    if times == total:
        yield Finding(file, name, "error", f"every answer is {answer!r}", "vary the answers", "constant-label")
        return
    if times > _CONSTANT * total:
        message = f"{times:,} of {total:,} answers are {answer!r}"
        fix = "balance them: a constant answer would score well"
        yield Finding(file, name, "warning", message, fix, "label-balance")
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


_CHILD = "import sys; from taskloom.author.prove import redraw_here; redraw_here(sys.argv[1])"


class _Order(msgspec.Struct):
    """What the other process is to draw, and where to write the hashes."""

    file: str
    sizes: dict[str, int]
    seed: int
    answer: str


def draw_all(blueprint: Blueprint, sizes: Mapping[str, int], seed: int) -> dict[str, list[Row]]:
    """All rows of one task, by split."""
    suite = compose([blueprint], seed=seed, sizes=sizes)
    return {split: list(suite.rows(split)) for split in suite.splits}


def hashes_elsewhere(file: str | Path, sizes: Mapping[str, int], seed: int) -> list[str]:
    """The hash of the rows of every task of a file, in its order, as a fresh process draws them.

    Raises:
        UserError: The file does not run there.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "hashes.json"
        order = _Order(str(file), dict(sizes), seed, str(answer))
        other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
        environment = {**os.environ, "PYTHONHASHSEED": other, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        ran = subprocess.run(
            [sys.executable, "-c", _CHILD, msgspec.json.encode(order).decode()],
            env=environment, capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        if not answer.exists():
            said = (ran.stderr.strip() or f"it ended with {ran.returncode}").splitlines()[-1]
            raise UserError(f"a second process cannot draw the rows: {said}", where=str(file))
        return read_json(answer, type=list[str])


def redraw_here(given: str) -> None:
    """Draw the rows of an order in this process, and write their hashes where it says."""
    order = decode_json(given, where="the order", type=_Order)
    declared = load_declared(order.file).blueprints
    hashes = [content_hash(draw_all(blueprint, order.sizes, order.seed)) for blueprint in declared]
    Path(order.answer).write_bytes(msgspec.json.encode(hashes))
