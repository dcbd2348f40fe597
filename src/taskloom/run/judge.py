"""From what a model said to a record: extract, score, tell the states apart."""

from __future__ import annotations

from taskloom.core import Task, UserError
from taskloom.core.catalog import EXTRACTORS, SCORERS
from taskloom.models.base import Output, Request
from taskloom.run.record import LONGEST_RAW, Record, State, printable
from taskloom.score.base import Score, Scorer
from taskloom.score.extract import Extracted, Extractor

__all__ = ["Judge"]


class Judge:
    """Scores outputs with each task's own scorer and extractor, or with named ones for all tasks.

    Args:
        tasks: The tasks that will be judged; their scorers are looked up here, before anything runs.
        scorer: A scorer for all tasks.
        extractor: An extractor for all tasks.

    Raises:
        UserError: A scorer or extractor that does not exist.
    """

    def __init__(self, tasks: list[Task], scorer: str | None = None, extractor: str | None = None) -> None:
        self._scorer = scorer
        self._extractor = extractor
        names = {scorer} if scorer else {task.scorer for task in tasks}
        finders = {extractor} if extractor else {task.extractor for task in tasks}
        self._scorers: dict[str, Scorer] = {name: SCORERS.get(name) for name in sorted(names)}
        self._extractors: dict[str, Extractor] = {name: EXTRACTORS.get(name) for name in sorted(finders)}

    def scorer(self, task: Task) -> str:
        """The name of the scorer that judges a task."""
        return self._scorer or task.scorer

    def extract(self, raw: str, task: Task) -> Extracted:
        """The answer in an output."""
        return self._extractors[self._extractor or task.extractor].extract(raw)

    def score(self, answer: str, request: Request) -> Score:
        """The score of an extracted answer, checked to be one."""
        name = self.scorer(request.task)
        score = self._scorers[name].score(answer, request.instance.targets, request.task)
        if not 0.0 <= score.value <= 1.0:
            raise UserError(f"scorer {name!r} gave {score.value}, which is not in [0, 1]", where=request.task.name)
        return score

    def record(self, request: Request, output: Output, shown: str) -> Record:
        """The record of one output. `shown` is the very text the model read."""
        raw = printable(output.raw or output.text)
        said = printable(output.text)[:LONGEST_RAW]
        state: State = "errored" if output.state == "failed" else "scored"
        found = Extracted(None) if state == "errored" else self.extract(said, request.task)
        if state == "scored" and (output.state == "truncated" or found.unfinished):
            state = "truncated"
        score = Score(0.0) if found.answer is None else self.score(found.answer, request)
        tokens = {"prompt": output.prompt_tokens, "output": output.output_tokens, "cost": output.cost}
        return Record(
            task=request.task.name,
            id=request.instance.id,
            state=state,
            score=None if state == "errored" else score.value,
            scorer=self.scorer(request.task),
            raw=raw[:LONGEST_RAW],
            raw_length=len(raw),
            extracted=found.answer,
            targets=request.instance.targets,
            prompt=printable(shown),
            prompt_hash=request.prompt.hash(),
            facets={key: value for key, value in request.instance.facets.items() if value is not None},
            details=score.details,
            error=printable(output.error),
            tokens={name: value for name, value in tokens.items() if value is not None},
        )
