"""Models that a program on this machine serves: `gguf/FILE`, and `-M launch=true` for servers we can start.

They are asked as any server is. What makes them what they are is the file and the program, not the port, so those are
their identity; and since a quantised engine computes something else than transformers does, it is never the same model.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import msgspec

from taskloom.core import Count, Positive, UserError
from taskloom.core.decode import read_toml
from taskloom.core.model import Generation, Identity, Model, Output, Request, open_model
from taskloom.core.secrets import learn, scrub
from taskloom.models.api import APIEndpoint, APIModel, APIOptions, endpoint_provider
from taskloom.models.provider import ProviderRecord
from taskloom.models.runtime import LOGGER, file_hash
from taskloom.models.supervise import LAUNCH_KEY
from taskloom.models.wires import COMPLETIONS

_LOOK_AGAIN = 0.05
_LAST_WORDS = 1500


class ServerProgram(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program that serves models.

    Attributes:
        title: One line for lists.
        command: The command, with places for the model, the port, a key and the number of slots.
        ready: The path that answers once the model is loaded.
        install: How to get the program.
        environment: Variables it wants, with the same places.
        tried: Whether the tests start it.
    """

    title: str
    command: tuple[str, ...]
    ready: str
    install: str
    environment: dict[str, str] = {}
    tried: bool = False

    def filled(self, **places: Any) -> list[str]:
        return [word.format(python=sys.executable, **places) for word in self.command]


@cache
def engines() -> dict[str, ServerProgram]:
    """Every program, by name."""
    return read_toml(Path(__file__).with_name("engines.toml"), type=dict[str, ServerProgram])


class ServerProcess:
    """One program that is serving a model (a name or a path), with so many requests at once and processors.

    Raises:
        UserError: The program is not installed, ended early, or did not become ready in time.
    """

    def __init__(
        self, engine: ServerProgram, model: str, *, slots: int = 1, threads: int = 1, patience: float = 900.0
    ) -> None:
        self.key = secrets.token_urlsafe(24)
        learn(self.key, "api_key")
        port = _free_port()
        places = {"model": model, "port": port, "key": self.key, "slots": slots, "threads": threads}
        command = engine.filled(**places)
        if shutil.which(command[0]) is None:
            raise UserError(f"{command[0]} is not installed", where=engine.title, hint=engine.install)
        environment = {name: value.format(**places) for name, value in engine.environment.items()}
        self._address = f"http://127.0.0.1:{port}"
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the program
        self._process = subprocess.Popen(
            [sys.executable, "-m", "taskloom.models.supervise", *command],
            stdin=subprocess.PIPE,
            stdout=self._words,
            stderr=self._words,
            env={**os.environ, **environment, LAUNCH_KEY: self.key},
            # Ctrl-C is for us; what we started ends when we do.
            start_new_session=True,
        )
        try:
            self._wait(engine, patience)
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        """The address to ask, up to and with `/v1`."""
        return f"{self._address}/v1"

    def _wait(self, engine: ServerProgram, patience: float) -> None:
        began, shown = time.monotonic(), 10.0
        ask = build_opener(ProxyHandler({}))  # a proxy has no business with loopback
        while True:
            if self._process.poll() is not None:
                raise UserError(f"{engine.title} ended before it was ready: {self._said()}", hint=engine.install)
            try:
                with ask.open(self._address + engine.ready, timeout=10) as answer:
                    if answer.status == 200:
                        return
            except (URLError, OSError):
                pass
            waited = time.monotonic() - began
            if waited > patience:
                raise UserError(f"{engine.title} was not ready within {patience:g} s: {self._said()}")
            if waited > shown:
                LOGGER.warning("waiting for %s to load the model (%.0f s)", engine.title, waited)
                shown *= 2
            time.sleep(_LOOK_AGAIN)

    def _said(self) -> str:
        self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, self._words.tell() - _LAST_WORDS))
        return scrub(self._words.read().decode("utf-8", "replace").strip()) or "it said nothing"

    def stop(self) -> None:
        """End the program and everything it started."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._words.close()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


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
    children: Count = 0
    threads: Positive = 1
    slots: Positive = 1


class ServedModel(APIModel):
    """A model served by a program that is started with the first question.

    Its identity does not depend on the port; `in_process` opens the same weights here, where that can be done.
    """

    def __init__(
        self,
        identity: Identity,
        engine: str,
        model: str,
        options: LaunchOptions,
        in_process: Callable[[], Model] | None = None,
    ) -> None:
        self._engine = engines()[engine]
        self._in_process = in_process
        self._model = model
        self._launch_options = options
        self._running: list[ServerProcess] = []
        provider, _, name = identity.name.partition("/")
        super().__init__(name, options, APIEndpoint(name=provider, title="", url=_NOWHERE, needs_key=False))
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
        raise UserError("xllamacpp is not installed", where=name, hint=engines()["llamacpp"].install) from None
    identity = _identity(name, "llamacpp", options, weights=file_hash(path)[:32], **settings)
    return ServedModel(identity, "llamacpp", str(path), options, in_process)


def _gguf_file(name: str, options: LaunchOptions) -> Model:
    path = Path(name)
    if not path.is_file():
        raise UserError(f"no file {name}", hint="gguf/FILE takes the path of a .gguf file")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise UserError("not a GGUF file", where=name)
    return gguf_model(f"gguf/{path.name}", path, options, lambda: open_model(f"hf/{name}"))


GGUF = ProviderRecord(
    "gguf",
    {"FILE": "a GGUF file through llama.cpp (xllamacpp), chat or plain text"},
    LaunchOptions(),
    _gguf_file,
    recognises=lambda name: name.endswith(".gguf"),
)


def _own_server(name: str, options: LaunchOptions, endpoint: APIEndpoint) -> Model:
    """A model of a server of the user's, which can be started for a run: `vllm/NAME -M launch=true`."""
    engine = endpoint.name
    if not options.launch:
        return APIModel(name, options, endpoint)
    return ServedModel(_identity(f"{engine}/{name}", engine, options), engine, name, options)


class _Endpoints(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Providers that are asked, and those of servers that can also be started here."""

    hosted: tuple[APIEndpoint, ...]
    own: tuple[APIEndpoint, ...]


_endpoints = read_toml(Path(__file__).with_name("endpoints.toml"), type=_Endpoints)
PROVIDERS = SimpleNamespace(
    **{one.name: endpoint_provider(one, APIModel, APIOptions()) for one in _endpoints.hosted},
    **{one.name: endpoint_provider(one, _own_server, LaunchOptions()) for one in _endpoints.own},
)
"""Well-known endpoints under the names people type."""
