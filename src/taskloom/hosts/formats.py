"""The logs that can be imported, each read in the limited child."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core.confine import confined
from taskloom.core.decode import decoding, most_memory
from taskloom.hosts.inspect_log import read_inspect
from taskloom.hosts.lm_eval_log import read_lm_eval
from taskloom.hosts.logs import HostLog
from taskloom.models.outputs import SavedOutput, read_outputs

FORMATS: Mapping[str, Callable[[Path], HostLog]] = {
    "inspect": read_inspect,
    "lm-eval": read_lm_eval,
    "outputs": lambda path: HostLog(read_outputs(path), name=path.stem),
}


def open_log(kind: str, path: Path) -> HostLog:
    """A log of one of the formats, read where it can do no harm.

    Raises:
        UserError: It cannot be read, or takes more time or memory than a log of its size.
    """
    with decoding(path):
        size = sum(file.stat().st_size for file in ([path] if not path.is_dir() else path.rglob("*")))
    data = confined(
        f"{__name__}:read_log",
        kind,
        str(path),
        where=path,
        what="the log",
        seconds=20 + size // 1_000_000,
        megabytes=3 * most_memory() // 1024**2,
    )
    outputs, *about = data
    return HostLog([SavedOutput(*one) for one in outputs], *about)


def read_log(kind: str, path: str) -> list[Any]:
    """What a log says, as plain data."""
    outputs, *about = FORMATS[kind](Path(path))
    return [[list(msgspec.structs.astuple(one)) for one in outputs], *about]
