"""BIG-bench tasks (`task.json`) as suites: free answers and choices, scored by Taskloom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from taskloom.core import (
    AnswerKind,
    Example,
    Instance,
    Instruction,
    Opener,
    Row,
    Suite,
    Task,
    UserError,
    any_of,
    content_hash,
)
from taskloom.core.decode import read_json
from taskloom.core.instance import Facet, input_hash
from taskloom.store.manifest import FILE as MANIFEST

_MOST_LABELS = 30
_SHOWN = 2


class BigBenchOpener(Opener):
    """A BIG-bench JSON task."""

    what: ClassVar[str] = "a BIG-bench task"

    def opens(self, path: Path) -> bool:
        return path.suffix == ".json" and path.name != MANIFEST and path.is_file()

    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        if options or seed is not None:
            raise UserError("a BIG-bench task is fixed: -T and --seed do not apply", where=str(path))
        return read_bigbench(path)


def read_bigbench(path: Path) -> Suite:
    """The suite of a BIG-bench JSON task: the first two examples instruct, the others are asked.

    `target_scores` become choices, of which every one with the highest score is right; choices that differ from example
    to example are listed in the input. Examples that ask the same twice are asked once.

    Raises:
        UserError: It is no BIG-bench task.
    """
    data = read_json(path)
    examples = data.get("examples") if isinstance(data, dict) else None
    if not isinstance(examples, list) or not examples:
        raise UserError("not a BIG-bench task: it has no examples", where=str(path))
    name = str(data.get("name") or path.parent.name or path.stem)
    read = [_example(example, data, f"{path}: example {number}") for number, example in enumerate(examples)]
    sets = {tuple(sorted(choices)) for _, _, choices in read}
    labels = sets.pop() if len(sets) == 1 else ()
    labels = labels if 0 < len(labels) <= _MOST_LABELS else ()
    asked = [(_listed(text, choices) if choices and not labels else text, right) for text, right, choices in read]
    asked = list({input_hash(text): (text, right) for text, right in reversed(asked)}.values())[::-1]
    shown = asked[:_SHOWN] if len(asked) > 2 * _SHOWN else []
    kind: AnswerKind = "label" if labels else "text"
    facets: dict[str, Facet] = {"category": str((data.get("keywords") or ["BIG-bench"])[0])}
    task = Task(
        name,
        Instruction(
            str(data.get("task_prefix") or data.get("description") or name).strip(),
            tuple(Example(text, right[0]) for text, right in shown),
        ),
        kind=kind,
        scorer="label" if labels else "normalised",
        labels=labels,
        facets=facets,
    )
    rows = [Row(name, Instance(f"{place}", text, any_of(right))) for place, (text, right) in enumerate(asked)][
        len(shown) :
    ]

    def draw(split: str) -> Iterator[Row]:
        return iter(rows)

    suite = Suite(
        name=f"bigbench/{name}",
        recipe={"file": path.name},
        seed=0,
        tasks={name: task},
        splits={"test": len(rows)},
        draw=draw,
        pool=None,
        notes={
            "description": str(data.get("description", "")),
            "preferred_score": str(data.get("preferred_score", "")),
        },
    )
    return suite.identified("bigbench", content_hash(data))


def _example(example: Any, data: Mapping[str, Any], where: str) -> tuple[str, list[str], list[str]]:
    """Input, right answers, choices."""
    if not isinstance(example, dict) or not isinstance(example.get("input"), str):
        raise UserError("an example needs an input", where=where)
    text = example["input"]
    scores, target = example.get("target_scores"), example.get("target")
    if isinstance(scores, dict) and scores:
        if not all(isinstance(score, int | float) for score in scores.values()):
            raise UserError("target_scores gives every choice a number", where=where)
        best = max(scores.values())
        return text, [choice for choice, score in scores.items() if score == best], list(scores)
    answers = [target] if isinstance(target, str) else target
    if not isinstance(answers, list) or not answers or not all(isinstance(one, str) for one in answers):
        raise UserError("an example needs a target (a text or several) or target_scores", where=where)
    return text, answers, []


def _listed(text: str, choices: list[str]) -> str:
    return text + "\nChoices:\n" + "\n".join(f"- {choice}" for choice in choices)


BIGBENCH = BigBenchOpener()
