"""`outputs/FILE` and `human/NAME`: what a model or a person said elsewhere, as a model that says it again.

Each line of the file has an output and its question: the prompt (or input) itself, or the hash that exported tables
carry. Ids repeat from seed to seed with other rows behind them, so `task` and `id` count only where the user says so
(`by_id`), and then the model's name says it in every table. So outputs of any tool are read, scored and compared like
those of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Instance, Recipe, UserError, row_hash
from taskloom.core.csv_table import read_csv
from taskloom.core.decode import read_jsonl
from taskloom.core.instance import content_hash, input_hash, question_hash
from taskloom.core.model import Identity, Model, Output, Request
from taskloom.models.provider import Baseline, ProviderRecord

MATCHED_BY_ID = "answers matched by id"
"""Stands behind the model's name in every table."""
_SAID = ("output", "completion", "response", "prediction", "generated_text", "raw", "text")
_ASKED = ("prompt", "input", "question")
_NOT_TOLD = "(the log does not tell what was sent)"


class SavedOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """One output and what its question is known by.

    Attributes:
        output: What was said.
        id: The instance's id.
        task: Its task.
        prompt: What the question is known by: what was shown, or the instance's input.
        shown: What was sent to the model, as far as the log tells.
        hash: The hash of the row, as exported tables carry it.
        sample: Which of several outputs for the same question.
        error: Why there is no output.
    """

    output: str
    id: str = ""
    task: str = ""
    prompt: str = ""
    hash: str = ""
    sample: int = 0
    error: str = ""
    shown: str = ""


def read_outputs(path: str | Path) -> list[SavedOutput]:
    """The outputs of a CSV, TSV or JSONL file.

    Raises:
        UserError: A line without an output, or without anything to know its question by.
    """
    path = Path(path)
    lines: Iterable[tuple[int, Any]]
    if path.suffix.lower() in (".csv", ".tsv"):
        lines = enumerate(read_csv(path, delimiter="\t" if path.suffix.lower() == ".tsv" else ","), start=2)
    else:
        lines = read_jsonl(path)
    return [_saved(line, f"{path}:{number}") for number, line in lines]


def _saved(line: Any, where: str) -> SavedOutput:
    if not isinstance(line, dict):
        raise UserError("a line of outputs is an object", where=where)
    said = next((_text(line[key]) for key in _SAID if isinstance(line.get(key), str | int | float)), None)
    error = str(line.get("error") or "")
    if said is None and not error:
        raise UserError(f"no output here: one of {', '.join(_SAID)} is needed", where=where)
    asked = next((line[key] for key in _ASKED if isinstance(line.get(key), str)), "")
    known = {key: str(line.get(key) or "") for key in ("id", "task", "hash")}
    if not (known["id"] or known["hash"] or asked):
        raise UserError("nothing identifies the question: id, hash, prompt or input is needed", where=where)
    try:
        sample = int(line.get("sample") or 0)
    except (TypeError, ValueError):
        raise UserError(f"sample is a whole number, not {line.get('sample')!r}", where=where) from None
    shown = next((line[key] for key in ("shown", "prompt") if isinstance(line.get(key), str)), "")
    return SavedOutput(said or "", known["id"], known["task"], asked, known["hash"], sample, error, shown)


def _text(said: str | float) -> str:
    """An output as text; numbers and truth values of JSON as JSON writes them."""
    return said if isinstance(said, str) else msgspec.json.encode(said).decode()


def write_outputs(outputs: Iterable[SavedOutput], path: Path) -> None:
    """Write outputs as JSONL that `read_outputs` reads."""
    from taskloom.store.ownership import write_ours

    def line(output: SavedOutput) -> bytes:
        data = msgspec.to_builtins(output)
        # What a question is known by is not always what was sent.
        return (
            msgspec.json.encode({("input" if key == "prompt" else key): value for key, value in data.items()}) + b"\n"
        )

    write_ours(path, b"".join(map(line, outputs)))


class OutputIndex:
    """Outputs by their questions: hash or prompt, and by id where that was asked for.

    Args:
        outputs: The outputs. Where two are for the same question and sample, the last one counts.
        where: The file, for errors.
        by_id: Whether an id, taken at its word, is enough.
    """

    def __init__(self, outputs: Sequence[SavedOutput], where: str = "", *, by_id: bool = False) -> None:
        self._by: dict[tuple[Any, ...], SavedOutput] = {}
        self._tasks: dict[int, str] = {}
        self._where = where
        tasks: dict[str, set[str]] = {}
        for one in outputs:
            if one.id:
                tasks.setdefault(one.id, set()).add(one.task)
        for one in outputs:
            if one.hash:
                self._by["hash", one.hash, one.sample] = one
            if one.prompt:
                self._by["prompt", one.task, input_hash(one.prompt), one.sample] = one
            if by_id and one.id and one.task:
                self._by["task", one.task, one.id, one.sample] = one
            if by_id and one.id and not one.task and len(tasks[one.id]) == 1:
                self._by["id", one.id, one.sample] = one

    def find(
        self, task: str, instance: Instance, prompts: Iterable[str], row: str, sample: int = 0
    ) -> SavedOutput | None:
        """The output for a row, None where there is none.

        Raises:
            UserError: An output that does not say its task is found for rows of two tasks: ids and inputs may repeat.
        """
        asked = [input_hash(text) for text in (*prompts, instance.input)]
        keys: list[tuple[Any, ...]] = [
            ("hash", row, sample),
            ("hash", question_hash(task, instance), sample),
            *(("prompt", name, text, sample) for name in (task, "") for text in asked),
            ("task", task, instance.id, sample),
            ("task", "", f"{task}/{instance.id}", sample),
            ("id", f"{task}/{instance.id}", sample),
            ("id", instance.id, sample),
        ]
        found = next((self._by[key] for key in keys if key in self._by), None)
        if found is not None and not found.task:
            other = self._tasks.setdefault(id(found), task)
            if other != task:
                known = f"id {found.id!r}" if found.id else f"prompt {found.prompt[:40]!r}"
                raise UserError(
                    f"{known} is a question of {other} and of {task}", where=self._where, hint="name the task: task,id"
                )
        return found


class SavedOptions(Recipe, frozen=True, kw_only=True):
    """Options of `outputs/FILE`.

    Attributes:
        name: What the model is called in tables; the file's name where empty.
        by_id: Match outputs by their ids, which another seed repeats; every table then says so.
    """

    name: str = ""
    by_id: bool = False


def _saved_outputs(name: str, options: SavedOptions) -> Model:
    """Says what stands in a file. A question that is not in it fails."""
    path = Path(name)
    outputs = read_outputs(path)
    index = OutputIndex(outputs, str(path), by_id=options.by_id)
    called = options.name or f"outputs/{path.name}"
    weights = content_hash(msgspec.to_builtins(outputs))
    identity = Identity(f"{called} ({MATCHED_BY_ID})" if options.by_id else called, weights=weights)

    def answer(request: Request) -> Output:
        row = row_hash(request.task.name, request.instance)
        found = index.find(request.task.name, request.instance, [request.prompt.text], row, request.sample)
        if found is None:
            return Output("", "failed", "the file has no output for this instance")
        shown = found.shown or _NOT_TOLD
        return Output(found.output, "failed" if found.error else "complete", found.error, shown=shown)

    return Baseline(identity, answer)


PROVIDER = ProviderRecord(
    "outputs",
    {"FILE": "outputs of a model from elsewhere: CSV or JSONL with an output and a hash or prompt per line"},
    SavedOptions(),
    _saved_outputs,
    trains=False,
)


class HumanAnswer(msgspec.Struct, frozen=True):
    """One line of the file of `human/NAME`: what was answered to an instance."""

    task: str
    id: str
    answer: str


class HumanOptions(Recipe, frozen=True, kw_only=True):
    """Options of `human/NAME`.

    Attributes:
        answers: The JSONL file of adjudicated answers.
    """

    answers: str = ""


def _human(name: str, options: HumanOptions) -> Model:
    """Answers what people answered; a question that was not asked is an error, not a guess."""
    if not options.answers:
        hint = "-M answers=FILE, as taskloom judge read writes it"
        raise UserError("which answers?", where=f"human/{name}", hint=hint)
    lines = read_jsonl(Path(options.answers).expanduser(), type=HumanAnswer)
    answers = {(one.task, one.id): one.answer for _, one in lines}

    def answer(request: Request) -> str | Output:
        said = answers.get((request.task.name, request.instance.id))
        return Output("", "failed", "no person was asked this") if said is None else said

    return Baseline(Identity(f"human/{name}", weights=content_hash(sorted(answers.items()))), answer)


HUMAN = ProviderRecord(
    "human",
    {"NAME": "what people answered (taskloom judge make --form answer; -M answers=FILE)"},
    HumanOptions(),
    _human,
    trains=False,
)
