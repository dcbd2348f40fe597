"""Other packages at the nearest kind of work, each in an environment of its own under `.hosts`.

python -m benchmarks.peers            sets the environments up, then prints the lines of the table that have a peer
"""

from __future__ import annotations

import argparse
import atexit
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.hosts import installed, python_of
from benchmarks.measure import Measured, child
from benchmarks.store import rows_as_lines, rows_on_disk

__all__ = ["PEERS", "Peer", "measure_peer", "peers_of"]


class Peer(NamedTuple):
    """What another package does, and in which environment.

    Attributes:
        package: Its name; also that of its environment.
        label: What of it is measured.
        words: Arguments of its Python.
        size: Items, where the work has a size.
    """

    package: str
    label: str
    words: tuple[str, ...]
    size: int = 0


def _gym(*names: str, size: int = 1_000) -> tuple[Peer, ...]:
    return tuple(Peer("reasoning-gym", name, ("-m", "benchmarks.peer_works", "gym", name), size) for name in names)


PEERS: dict[str, tuple[Peer, ...]] = {
    "generate babi/task-1": _gym("syllogism", "family_relationships"),
    "generate babi/mix-t12": _gym("family_relationships", "knights_knaves"),
    "generate seti/task1-trivial": _gym("propositional_logic"),
    "generate taskbench/atomic": _gym("list_functions"),
    "generate zest/fictional": _gym("gsm_symbolic"),
    # Of so many rows, each of the hundred tasks has as many as by default.
    "generate superni/embedded": _gym("sentence_reordering", size=5_000),
    "read a bundle": (Peer("polars", "read_parquet().to_dicts()", ("-m", "benchmarks.peer_works", "polars"), 50_000),),
    "write a bundle": (Peer("datasets", "Dataset.to_parquet", ("-m", "benchmarks.peer_works", "datasets"), 50_000),),
    "score ROUGE-L": (Peer("rouge-score", "RougeScorer", ("-m", "benchmarks.peer_works", "rouge"), 1_000),),
    "taskloom --help": (
        Peer("lm-eval", "lm-eval --help", ("-m", "lm_eval", "--help")),
        Peer("inspect", "inspect --help", ("-c", "from inspect_ai._cli.main import main; main()", "--help")),
    ),
}
"""The peers of each line of the table, the nearest first."""


def peers_of(work: str, *, make: bool = False) -> list[Peer]:
    """The peers of a piece of work whose environments are there, or may be made now."""
    return [peer for peer in PEERS.get(work, ()) if make or installed(peer.package)]


def measure_peer(peer: Peer) -> Measured:
    """What a peer does in its own environment."""
    size = [str(peer.size)] if peer.size else []
    command = [str(python_of(peer.package)), *peer.words, *size]
    if peer.package not in _GIVEN:
        return child(command)
    return child(command, {"TASKLOOM_BENCH_ROWS": str(_given(peer.package, peer.size))})


_GIVEN = {"polars": rows_on_disk, "datasets": rows_as_lines}
"""How the packages that read or write our rows are given them."""


@cache
def _given(package: str, size: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="taskloom-rows-"))
    atexit.register(shutil.rmtree, folder)
    return _GIVEN[package](size, folder / "rows")


def main() -> int:
    from benchmarks.table import print_table

    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    return print_table(list(PEERS), make_peers=True)


if __name__ == "__main__":
    sys.exit(main())
