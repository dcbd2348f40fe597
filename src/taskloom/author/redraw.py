"""The rows of a file of tasks, drawn once more by another process.

Within one process a maker that walks through a set, or calls `hash`, looks pure: the order of texts in a set changes
with the process. So the proof of a file draws its rows again in a process that orders them otherwise.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from taskloom.author import Blueprint
from taskloom.author.compose import compose
from taskloom.author.pyfile import load_blueprints
from taskloom.core import Row, UserError, content_hash
from taskloom.core.decode import decode_json, read_json

_CHILD = "import sys; from taskloom.author.redraw import _main; _main(sys.argv[1])"


class _Order(msgspec.Struct):
    """What the other process is to draw, and where to write the hashes."""

    file: str
    sizes: dict[str, int]
    seed: int
    answer: str


def draw_all(blueprint: Blueprint, sizes: Mapping[str, int], seed: int) -> dict[str, list[Row]]:
    """All rows of one task, by split."""
    suite = compose([blueprint], seed=seed, sizes=sizes)
    return {split: list(suite.rows(split)) for split in suite.splits}


def hashes_elsewhere(file: str | Path, sizes: Mapping[str, int], seed: int) -> list[str]:
    """The hash of the rows of every task of a file, in its order, as a fresh process draws them.

    Raises:
        UserError: The file does not run there.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "hashes.json"
        order = _Order(str(file), dict(sizes), seed, str(answer))
        other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
        environment = {**os.environ, "PYTHONHASHSEED": other, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        ran = subprocess.run(
            [sys.executable, "-c", _CHILD, msgspec.json.encode(order).decode()],
            env=environment, capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        if not answer.exists():
            said = (ran.stderr.strip() or f"it ended with {ran.returncode}").splitlines()[-1]
            raise UserError(f"a second process cannot draw the rows: {said}", where=str(file))
        return read_json(answer, type=list[str])


def _main(given: str) -> None:
    order = decode_json(given, where="the order", type=_Order)
    blueprints: Sequence[Blueprint] = load_blueprints(order.file)
    hashes = [content_hash(draw_all(blueprint, order.sizes, order.seed)) for blueprint in blueprints]
    Path(order.answer).write_bytes(msgspec.json.encode(hashes))
