"""A cache of responses, keyed by everything that can change an answer.

One append-only file per model and settings; several processes may share it. The key's parts stand
beside the value, so anyone can see why an answer was (or was not) found.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import content_hash
from taskloom.core.folders import cache_folder
from taskloom.encode.base import Prompt
from taskloom.models.base import Generation, Identity, Output
from taskloom.store.atomic import disk_errors, write_atomically

__all__ = ["ResponseCache", "default_cache_folder"]


class _Entry(msgspec.Struct, frozen=True):
    prompt: str
    output: Output


_decode = msgspec.json.Decoder(_Entry).decode


def default_cache_folder() -> Path:
    """Where responses are kept unless a run says otherwise."""
    return cache_folder()


class ResponseCache:
    """Responses of one model under one encoding and one way of generating.

    Args:
        folder: Where caches live.
        identity: The model: name, revision, weights, settings.
        generation: Generation arguments.
        encoding: The description of the encoding.
    """

    def __init__(self, folder: Path, identity: Identity, generation: Generation, encoding: dict[str, Any]) -> None:
        parts = msgspec.to_builtins({"model": identity, "generation": generation, "encoding": encoding})
        key = content_hash(parts)
        self.hits = 0
        self.path = folder / "responses" / f"{key}.jsonl"
        with disk_errors(folder):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            described = self.path.with_suffix(".key.json")
            if not described.exists():
                write_atomically(described, msgspec.json.format(msgspec.json.encode(parts), indent=2) + b"\n")
        self._known: dict[str, Output] = {}
        self._read = 0
        self._refresh()

    def _refresh(self) -> None:
        """Take in what was appended since the last look, by this process or another."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                try:
                    entry = _decode(line)
                except msgspec.DecodeError:
                    continue  # a line torn by a kill: it costs one repeated request, nothing else
                self._known[entry.prompt] = entry.output

    def get(self, prompt: Prompt) -> Output | None:
        """The response to exactly this prompt, if it is known."""
        found = self._known.get(prompt.hash())
        self.hits += found is not None
        return found

    def put(self, answered: list[tuple[Prompt, Output]]) -> None:
        """Keep complete responses; failures and cut-off answers are asked again next time."""
        entries = [_Entry(prompt.hash(), output) for prompt, output in answered if output.state == "complete"]
        if not entries:
            return
        data = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
        with disk_errors(self.path), self.path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # A line torn by a killed process must not swallow the first of ours.
            if file.tell() and not self._ends_with_newline():
                file.write(b"\n")
            file.write(data)
        for entry in entries:
            self._known[entry.prompt] = entry.output

    def _ends_with_newline(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
