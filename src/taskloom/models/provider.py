"""Providers and simple models as records: a table of names, their options, and a function that makes the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from taskloom.core import Recipe, resolve, unknown_name
from taskloom.core.model import Generation, Identity, Limits, Model, Output, Provider, Request

Options = TypeVar("Options", bound=Recipe)


class ProviderRecord(Provider, Generic[Options]):
    """Opens the models of one provider.

    Args:
        provider: The part of a model's name before the slash.
        names: Known names, or patterns of names in capitals, with one line each.
        options: The options of its models.
        make: Makes a model from its name and options.
        closed: Whether there are no other names.
        recognises: Whether a name without a provider can only mean one of these models.
        trains: Whether they can be trained.
    """

    def __init__(
        self,
        provider: str,
        names: Mapping[str, str],
        options: Options,
        make: Callable[[str, Options], Model],
        *,
        closed: bool = False,
        recognises: Callable[[str], bool] = lambda name: False,
        trains: bool = True,
    ) -> None:
        self._provider, self._names, self._options, self._make = provider, names, options, make
        self._closed, self._recognises, self.trains = closed, recognises, trains

    def names(self) -> Mapping[str, str]:
        return self._names

    def options(self, name: str) -> Options:
        if self._closed and name not in self._names:
            known = [f"{self._provider}/{each}" for each in self._names]
            raise unknown_name("model", f"{self._provider}/{name}", known, hint="taskloom list models shows all")
        return self._options

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        return self._make(name, resolve(self.options(name), options, where=f"{self._provider}/{name}"))

    def recognises(self, name: str) -> bool:
        return self._recognises(name)


class Baseline(Model):
    """Answers each request by a function of the row behind it; prompts are not read."""

    nature = "baseline"
    cacheable = False

    def __init__(self, identity: Identity, answer: Callable[[Request], str | Output], batch: int = 256) -> None:
        self.identity, self.limits = identity, Limits(batch=batch)
        self.answer = answer

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        said = map(self.answer, requests)
        return [one if isinstance(one, Output) else Output(one) for one in said]
