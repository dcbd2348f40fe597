"""Running a model on a suite: ask what is not yet scored, score it, append it at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from taskloom.core import Progress, Row, Suite, UserError
from taskloom.encode.base import Encoding, Prompt
from taskloom.models.base import Generation, Model, Output, Request
from taskloom.run.cache import ResponseCache
from taskloom.run.judge import Judge
from taskloom.run.log import RunLog
from taskloom.run.record import Record, printable

__all__ = ["Outcome", "chosen_rows", "execute"]


class Outcome(NamedTuple):
    """What a run did: how many records in each state, how many were there before, how many came from the cache."""

    scored: int
    truncated: int
    errored: int
    resumed: int
    cached: int
    repaired: bool


def chosen_rows(suite: Suite, split: str, limit: int | None) -> Iterator[Row]:
    """The rows a run asks: all of a split, or the first `limit` of each task."""
    if limit is None:
        yield from suite.rows(split)
        return
    taken: Counter[str] = Counter()
    full = 0
    for row in suite.rows(split):
        if taken[row.task] < limit:
            taken[row.task] += 1
            full += taken[row.task] == limit
            yield row
        if full == len(suite.tasks):
            return


def execute(
    suite: Suite,
    split: str,
    model: Model,
    encoding: Encoding,
    judge: Judge,
    log: RunLog,
    *,
    generation: Generation,
    limit: int | None = None,
    batch: int | None = None,
    cache: ResponseCache | None = None,
) -> Outcome:
    """Ask every row that the log does not hold a score for, and append each batch as soon as it is scored.

    Failures of the model are records, not exceptions: the run goes on, and the same command asks only them again.
    """
    model.prepare(suite)
    done = {key for key, state in log.states.items() if state != "errored"}
    rows = (row for row in chosen_rows(suite, split, limit) if (row.task, row.instance.id) not in done)
    counted = suite.splits[split] if limit is None else None
    with Progress(f"{model.identity.name} on {suite.name}", counted, unit="asked") as progress:
        progress.skip(len(done))
        size = batch or model.limits.batch
        while chunk := list(islice(rows, size)):
            requests = [_request(suite, row, encoding, model) for row in chunk]
            for group in _answers(model, requests, generation, cache):
                records = [
                    judge.record(requests[index], output, model.render(requests[index].prompt))
                    for index, output in group
                ]
                log.append(records)
                progress.advance(len(records), note=_running_score(records))
    states = Counter(log.states.values())
    return Outcome(
        states["scored"],
        states["truncated"],
        states["errored"],
        len(done),
        cache.hits if cache else 0,
        log.repaired > 0,
    )


def _request(suite: Suite, row: Row, encoding: Encoding, model: Model) -> Request:
    task = suite.tasks[row.task]
    return Request(encoding.encode(task, row.instance, tokenizer=model.tokenizer), task, row.instance)


def _running_score(records: Sequence[Record]) -> str:
    scores = [record.score for record in records if record.score is not None]
    return f"last batch {sum(scores) / len(scores):.2f}" if scores else "last batch failed"


def _answers(
    model: Model, requests: list[Request], generation: Generation, cache: ResponseCache | None
) -> Iterator[list[tuple[int, Output]]]:
    """Outputs with the places of their requests: refused if too long, known from the cache, or asked now."""
    ready: list[tuple[int, Output]] = []
    asked: list[int] = []
    for index, request in enumerate(requests):
        if problem := _too_long(model, request.prompt, generation):
            ready.append((index, Output("", "failed", problem)))
        elif cache is not None and (known := cache.get(request.prompt)) is not None:
            ready.append((index, known))
        else:
            asked.append(index)
    if ready:
        yield ready
    if not asked:
        return
    for answered in _ask(model, [requests[index] for index in asked], generation):
        group = [(asked[place], output) for place, output in answered]
        if cache is not None:
            cache.put([(requests[index].prompt, output) for index, output in group])
        yield group


def _too_long(model: Model, prompt: Prompt, generation: Generation) -> str | None:
    """Why a prompt cannot be asked, counted with the model's own tokenizer; None where it can (or nobody knows)."""
    if model.tokenizer is None or model.limits.window is None:
        return None
    length = len(model.tokenizer.encode(prompt.text))
    room = 0 if model.limits.apart else generation.max_tokens
    if length + room <= model.limits.window:
        return None
    if not room:
        return f"the prompt has {length} tokens, but the model's window is {model.limits.window}: use fewer examples"
    return (
        f"the prompt has {length} tokens and the answer may have {generation.max_tokens}, "
        f"but the model's window is {model.limits.window}: use fewer examples or a shorter --max-tokens"
    )


def _ask(model: Model, requests: list[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
    """Ask the model; whatever it does wrong becomes a failed output of each request it has not answered."""
    waiting = set(range(len(requests)))
    try:
        for group in model.stream(requests, generation):
            waiting -= {place for place, _ in group}
            yield [(place, _cleaned(output)) for place, output in group]
        problem = "the model gave no output"
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - a bad answer is data: the record keeps the words, the run goes on
        problem = f"{type(error).__name__}: {error}"
    if waiting:
        yield [(place, Output("", "failed", problem)) for place in sorted(waiting)]


def _cleaned(output: Output) -> Output:
    """The output with text any file can hold."""
    text, raw = printable(output.text), printable(output.raw)
    if text == output.text and raw == output.raw:
        return output
    return Output(text, output.state, output.error, output.prompt_tokens, output.output_tokens, output.cost, raw)
