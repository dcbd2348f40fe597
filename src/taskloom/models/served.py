"""Models that a program on this machine serves: `gguf/FILE`, and `-M launch=true` for servers we can start.

They are asked as any server is. What makes them what they are is the file and the program, not the port, so those are
their identity; and since a quantised engine computes something else than transformers does, it is never the same model.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Any

from taskloom.core import UserError, resolve
from taskloom.core.model import Generation, Identity, Model, Output, Provider, Request, open_model
from taskloom.models.api import APIModel, APIOptions, APIProvider, Endpoint
from taskloom.models.launch import ServerProcess, engine_named
from taskloom.models.runtime import file_hash
from taskloom.models.wires import COMPLETIONS

__all__ = ["GGUF", "LaunchOptions", "LaunchingProvider", "ServedModel", "gguf_model"]

_NOWHERE = "http://127.0.0.1:9/v1"
"""Where a program that has not been started is. Nothing is ever sent there."""


class LaunchOptions(APIOptions, frozen=True, kw_only=True):
    """Options of models that a program on this machine serves, given as `-M key=value`.

    Attributes:
        children: How many copies of the program run side by side; 0 for half as many as there are processors.
        threads: Processors that each copy may use. More than one gains little for small models and wastes time on a
            busy machine.
        slots: Requests that each works on at the same time. With 1, equal questions get equal answers run after run;
            with more, answers may differ in their last bits.
        launch: Start the program for this run and stop it afterwards, instead of asking a server that is there.
    """

    launch: bool = False
    children: int = 0
    threads: int = 1
    slots: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.children < 0 or min(self.slots, self.threads) < 1:
            raise ValueError("slots and threads must be 1 or more, children 0 or more")


class ServedModel(APIModel):
    """A model served by a program that is started with the first question.

    Args:
        identity: What the model is, whatever the port.
        engine: The program's name.
        model: The name or path that the program is given.
        options: The copies of the program, and how they are asked.
        in_process: Opens the same weights in this process, where that can be done.
    """

    def __init__(
        self,
        identity: Identity,
        engine: str,
        model: str,
        options: LaunchOptions,
        in_process: Callable[[], Model] | None = None,
    ) -> None:
        self._engine = engine_named(engine)
        self._in_process = in_process
        self._model = model
        self._launch_options = options
        self._running: list[ServerProcess] = []
        provider, _, name = identity.name.partition("/")
        super().__init__(name, options, Endpoint(name=provider, title="", url=_NOWHERE, needs_key=False))
        self.identity = identity

    def _start(self) -> None:
        if self._running:
            return
        options = self._launch_options
        for _ in range(options.children or max(1, (os.cpu_count() or 1) // 2)):
            process = ServerProcess(self._engine, self._model, slots=options.slots, threads=options.threads)
            self._running.append(process)
        self.client.move_to({process.url: process.key for process in self._running}, options.slots)

    def stream(self, requests: Iterable[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        """As any server's model, except that a prompt without turns is sent as plain text."""
        waiting = iter(requests)
        first = next(waiting, None)
        if first is None:
            return
        self._start()
        usual, self.wire = self.wire, self.wire if first.prompt.messages else COMPLETIONS
        try:
            yield from super().stream(chain([first], waiting), generation)
        finally:
            self.wire = usual

    def form_for(self, ability: str) -> Model:
        if ability not in ("train", "logprobs") or self._in_process is None:
            return self
        self.close()
        return self._in_process()

    def require(self, ability: str, purpose: str) -> None:
        if ability == "train":
            raise UserError(
                f"{purpose} needs weights in this process; {self.identity.name} is served by {self._engine.title}",
                hint="hf/FILE.gguf opens a file in this process",
            )
        if ability == "logprobs":
            self._start()
        super().require(ability, purpose)

    def close(self) -> None:
        for process in self._running:
            process.stop()
        self._running.clear()


def _identity(name: str, engine: str, options: LaunchOptions, *, weights: str = "", **more: Any) -> Identity:
    """What distinguishes a model that we serve: the program and how it is asked, not where."""
    asked = {key: getattr(options, key) for key in ("system", "effort", "thinking", "extra", "omit")}
    settings = {"engine": engine, "slots": options.slots, **{key: value for key, value in asked.items() if value}}
    return Identity(name, weights=weights, settings={**settings, **more})


def gguf_model(
    name: str, path: Path, options: LaunchOptions, in_process: Callable[[], Model] | None = None, **settings: Any
) -> ServedModel:
    """A GGUF file behind llama.cpp."""
    try:
        settings["version"] = version("xllamacpp")
    except PackageNotFoundError:
        raise UserError("xllamacpp is not installed", where=name, hint=engine_named("llamacpp").install) from None
    identity = _identity(name, "llamacpp", options, weights=file_hash(path)[:32], **settings)
    return ServedModel(identity, "llamacpp", str(path), options, in_process)


class GGUFProvider(Provider):
    """Opens `gguf/FILE`."""

    def names(self) -> Mapping[str, str]:
        return {"FILE": "a GGUF file through llama.cpp (xllamacpp), chat or plain text"}

    def options(self, name: str) -> LaunchOptions:
        return LaunchOptions()

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        resolved = resolve(self.options(name), options, where=f"gguf/{name}")
        path = Path(name)
        if not path.is_file():
            raise UserError(f"no file {name}", hint="gguf/FILE takes the path of a .gguf file")
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise UserError("not a GGUF file", where=name)
        return gguf_model(f"gguf/{path.name}", path, resolved, lambda: open_model(f"hf/{name}"))

    def recognises(self, name: str) -> bool:
        return name.endswith(".gguf")


class LaunchingProvider(APIProvider):
    """Opens models of servers that can be started for a run: `vllm/NAME -M launch=true`."""

    def options(self, name: str) -> LaunchOptions:
        return resolve(LaunchOptions(), self.endpoint.options, where=self.endpoint.name)

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        engine = self.endpoint.name
        resolved = resolve(self.options(name), options, where=f"{engine}/{name}")
        if not resolved.launch:
            return super().open(name, options)
        return ServedModel(_identity(f"{engine}/{name}", engine, resolved), engine, name, resolved)


GGUF = GGUFProvider()
