"""`human/NAME`: what people answered, as a model. `taskloom judge read` writes the file that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Recipe, UserError, content_hash, resolve
from taskloom.core.decode import read_jsonl
from taskloom.core.model import Generation, Identity, Limits, Model, Output, Provider, Request


class HumanAnswer(msgspec.Struct, frozen=True):
    """One line of the file: what was answered to an instance."""

    task: str
    id: str
    answer: str


class HumanOptions(Recipe, frozen=True, kw_only=True):
    """Options of `human/NAME`.

    Attributes:
        answers: The JSONL file of adjudicated answers.
    """

    answers: str = ""


class HumanModel(Model):
    """Answers what people answered; what nobody was asked is an error, not a guess."""

    cacheable = False
    nature = "baseline"

    def __init__(self, name: str, path: Path) -> None:
        answers = [answer for _, answer in read_jsonl(path, type=HumanAnswer)]
        self._answers = {(answer.task, answer.id): answer.answer for answer in answers}
        self.identity = Identity(f"human/{name}", weights=content_hash(sorted(self._answers.items())))
        self.limits = Limits(batch=256)

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        found = (self._answers.get((request.task.name, request.instance.id)) for request in requests)
        return [Output("", "failed", "no person was asked this") if said is None else Output(said) for said in found]


class HumanProvider(Provider):
    """Opens `human/NAME`."""

    def names(self) -> Mapping[str, str]:
        return {"NAME": "what people answered (taskloom judge make --form answer; -M answers=FILE)"}

    def options(self, name: str) -> HumanOptions:
        return HumanOptions()

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        given = resolve(self.options(name), options, where=f"human/{name}")
        if not given.answers:
            raise UserError(
                "which answers?", where=f"human/{name}", hint="-M answers=FILE, as taskloom judge read writes it"
            )
        return HumanModel(name, Path(given.answers).expanduser())


PROVIDER = HumanProvider()
