"""A function as a model: `run_suite(suite, model=lambda prompt: …, folder=…)`. It may be asynchronous."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property
from threading import Thread
from typing import TYPE_CHECKING, Any

from taskloom.core import Recipe, UserError
from taskloom.core.calls import a
from taskloom.core.functions import function_hash, function_name
from taskloom.core.model import Generation, Identity, Limits, Model, Output, Request
from taskloom.models.provider import ProviderRecord

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_FUNCTIONS: dict[str, Callable[[str], Any]] = {}
"""The functions of this process, by the names that runs know them by."""
_ABOUT: dict[str, str] = {}


def named_model(function: Callable[[str], Any]) -> str:
    """The name under which a function serves as a model in this process.

    Args:
        function: The text of a prompt -> the text of an answer, or a `taskloom.Output`; or a coroutine of it.

    Raises:
        UserError: It does not take one argument.
    """
    name = function_name(function)
    try:
        inspect.signature(function).bind("")
    except TypeError as error:
        said = f"function/{name} cannot be asked with the text of a prompt alone: {error}"
        raise UserError(said, hint="def my_model(prompt): return …") from None
    _FUNCTIONS[name], _ABOUT[name] = function, inspect.getdoc(function) or "a function"
    return f"function/{name}"


class FunctionModel(Model):
    """Asks a function of the user. Its answers are kept in the run alone: its code is known, not what it does."""

    cacheable = False
    reproducible = False
    nature = "chat"

    def __init__(self, name: str, function: Callable[[str], Any]) -> None:
        self._function = function
        self.identity = Identity(f"function/{name}", weights=function_hash(function))
        self.limits = Limits(batch=16)

    @cached_property
    def _loop(self) -> AbstractEventLoop:
        """One loop in a thread of its own: clients keep their connections, and notebooks have a loop already."""
        import asyncio

        loop = asyncio.new_event_loop()
        Thread(target=loop.run_forever, name=self.identity.name, daemon=True).start()
        return loop

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        texts = [self.render(request.prompt) for request in requests]
        said = [self._asked(text) for text in texts]
        waiting = {place: each for place, each in enumerate(said) if isinstance(each, Awaitable)}
        if waiting:
            from asyncio import run_coroutine_threadsafe

            answers = run_coroutine_threadsafe(_all(list(waiting.values())), self._loop).result()
            for place, answer in zip(waiting, answers, strict=True):
                said[place] = answer
        return [self._output(each) for each in said]

    def _asked(self, text: str) -> Any:
        try:
            return self._function(text)
        except UserError:
            raise
        except Exception as error:  # noqa: BLE001  (what a model does wrong is data)
            return error

    def _output(self, said: Any) -> Output:
        if isinstance(said, Output):
            return said
        if isinstance(said, str):
            return Output(said)
        if isinstance(said, BaseException):
            return Output("", "failed", f"{type(said).__name__}: {said}")
        return Output("", "failed", f"{self.identity.name} returned {a(type(said).__name__)}, not a text")

    def close(self) -> None:
        if "_loop" in self.__dict__:
            self._loop.call_soon_threadsafe(self._loop.stop)


async def _all(waiting: Sequence[Awaitable[Any]]) -> list[Any]:
    from asyncio import gather

    return await gather(*waiting, return_exceptions=True)


def _known(name: str, options: Recipe) -> Model:
    if name not in _FUNCTIONS:
        raise UserError(
            f"the function behind function/{name} exists only in the process that ran it",
            hint="run_suite(suite, model=the_function, folder=…)",
        )
    return FunctionModel(name, _FUNCTIONS[name])


PROVIDER = ProviderRecord("function", _ABOUT, Recipe(), _known, trains=False)
