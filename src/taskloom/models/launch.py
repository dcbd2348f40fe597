"""Programs that serve a model on this machine: started for a run, stopped with it.

A program is a record of `engines.toml`. It runs below a supervisor, whose standard input is a pipe from us: when we
end, however we end, the pipe closes and the supervisor stops the program with all its children.
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
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import msgspec

from taskloom.core import UserError, unknown_name
from taskloom.core.secrets import learn, scrub
from taskloom.models.runtime import LOGGER
from taskloom.models.supervise import LAUNCH_KEY

__all__ = ["Engine", "ServerProcess", "engine_named", "engines"]

_LOOK_AGAIN = 0.05
_LAST_WORDS = 1500


class Engine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
        """The command for a model, a port and so on."""
        return [word.format(python=sys.executable, **places) for word in self.command]


@cache
def engines() -> dict[str, Engine]:
    """Every program, by name."""
    return msgspec.convert(
        tomllib.loads(files("taskloom.models").joinpath("engines.toml").read_text(encoding="utf-8")), dict[str, Engine]
    )


def engine_named(name: str) -> Engine:
    """The program of that name.

    Raises:
        UserError: There is none.
    """
    if name not in engines():
        raise unknown_name("engine", name, engines())
    return engines()[name]


class ServerProcess:
    """One program that is serving.

    Args:
        engine: The program.
        model: What it serves: a name or a path.
        slots: Requests it works on at the same time.
        threads: Processors it may use, where it can be told.
        patience: Seconds it may take until it is ready.

    Raises:
        UserError: The program is not installed, ended early, or did not become ready in time.
    """

    def __init__(
        self, engine: Engine, model: str, *, slots: int = 1, threads: int = 1, patience: float = 900.0
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

    def _wait(self, engine: Engine, patience: float) -> None:
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
