"""Answers of several people made one, and one model: `human/NAME` in an ordinary run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from taskloom.core import Suite, UserError, content_hash, open_recorded
from taskloom.models.outputs import HumanAnswer
from taskloom.run.results import Run, load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.atomic import disk_errors, write_page
from taskloom.store.ownership import refuse_foreign_file
from taskloom.studies.judgement.forms import FormKey
from taskloom.studies.judgement.read import RaterAnswer


def adjudicate(given: Sequence[str], labels: Sequence[str] = ()) -> str:
    """One answer out of several, as ZEST's section 4.4 has it.

    Where a task has labels, the one that most people gave; of equally many, the one that the task lists first. Else
    the answer that is contained in most of the others, and of those the shortest.

    Example:
        >>> adjudicate(["yes", "no", "yes"], ["yes", "no"])
        'yes'
        >>> adjudicate(["the brown trout", "brown trout", "trout and salmon"])
        'brown trout'
    """
    if not given:
        raise UserError("no rater has answered")
    if labels:
        counts = Counter(given)
        order = {label: place for place, label in enumerate(labels)}
        return min(counts, key=lambda answer: (-counts[answer], order.get(answer, len(order)), answer))
    words = [set(answer.lower().split()) for answer in given]

    def rank(place: int) -> tuple[int, int, str]:
        within = sum(words[place] <= other for other in words)
        return -within, len(given[place]), given[place]

    return given[min(range(len(given)), key=rank)]


def _asked(key: FormKey) -> Suite:
    """The suite with the rows of the form alone."""
    source = key.source
    if source is None:
        raise UserError("the key does not say which suite was asked")
    suite = open_recorded(source.suite, seed=source.seed, options=source.recipe)
    wanted = {(item.task, item.instance) for item in key.items.values()}
    return suite.derive(
        "judged",
        content_hash(sorted(wanted)),
        splits={source.split: len(wanted)},
        draw=lambda split: (row for row in suite.draw(split) if (row.task, row.instance.id) in wanted),
    )


def run_people(answers: Sequence[RaterAnswer], key: FormKey, name: str, folder: Path) -> Run:
    """Adjudicate, and run `human/NAME` on what people were asked; its file of answers lies beside the run's folder.

    Raises:
        UserError: Some items have no answer, or the file beside the folder was not written by Taskloom.
    """
    said: dict[str, list[str]] = {}
    for answer in answers:
        said.setdefault(answer.item, []).append(answer.answer)
    missing = [item for item in key.items if item not in said]
    if missing:
        raise UserError(f"{len(missing):,} of {len(key.items):,} items have no answer", hint="wait for all files")
    suite = _asked(key)
    lines = [
        HumanAnswer(item.task, item.instance, adjudicate(said[name_of], suite.tasks[item.task].labels))
        for name_of, item in key.items.items()
    ]
    path = folder.with_name(f"{folder.name}.answers.jsonl")
    refuse_foreign_file(path, b'{"task":')
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_page(path, b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    settings = RunSettings(model=f"human/{name}", model_options={"answers": str(path)})
    launch(suite, folder, settings)
    run = load_run(folder)
    write_results(run)
    return run
