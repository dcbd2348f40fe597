"""One table of speed and scale: what others need, what we need, what would be possible, how it grows.

python -m benchmarks.table                    every line; `make bench`
python -m benchmarks.table --most 1000000     growth up to that many items
python -m benchmarks.table "write a bundle"   some lines

Figures are amounts per CPU second, each measured in a process of its own. The reference of a line is another package
where its environment is there (`make bench-peers` makes them), else the limit. The limit is the same output with
everything left out that could be; the distance is the limit's figure over ours. The exponent is the slope of cost over
amount on logarithmic axes from the smallest size to the largest: 1 is a constant cost per item.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks.measure import Measured, child, exponent, python
from benchmarks.peers import measure_peers
from benchmarks.works import WORKS

__all__ = ["print_table"]

SMALL = 1_000
START = "taskloom --help"
_STARTS = 5
HEAD = (
    "work",
    "unit",
    "reference",
    "its figure",
    "ours",
    "ratio",
    "limit",
    "its figure",
    "distance",
    "growth",
    "peak MB",
)


def print_table(names: Sequence[str], most: int = 100_000, *, make_peers: bool = False) -> int:
    """Measure the named lines and print each as soon as it is known."""
    print("| " + " | ".join(HEAD) + " |\n|" + " --- |" * len(HEAD))
    for name in names:
        for line in _start_lines(make_peers) if name == START else _work_lines(name, most, make_peers):
            print("| " + " | ".join(line) + " |", flush=True)
    return 0


def _work_lines(name: str, most: int, make_peers: bool) -> list[list[str]]:
    work = WORKS[name]
    largest = min(most, work.most)
    small, large = (_own(name, "ours", size) for size in (SMALL, largest))
    limit = _own(name, "limit", min(largest, 10_000)) if work.limit else None
    growth = f"{exponent(small, large):.3f}" if largest > SMALL else "-"
    bound = [work.bound, _figure(limit.rate), f"{limit.rate / large.rate:.1f}"] if limit else ["-", "-", "-"]
    tail = [*bound, growth, f"{large.megabytes:.0f}"]
    references = [(f"{peer.package} {peer.label}", done.rate) for peer, done in measure_peers(name, make=make_peers)]
    if limit and not references:
        references = [(work.bound, limit.rate)]
    if not references:
        return [[name, work.unit, "-", "-", _figure(large.rate), "-", *tail]]
    return [
        [name, work.unit, label, _figure(rate), _figure(large.rate), f"{large.rate / rate:.2f}", *tail]
        for label, rate in references
    ]


def _own(name: str, role: str, size: int) -> Measured:
    return child(python("-m", "benchmarks.works", name, role, str(size)))


def _start_lines(make_peers: bool) -> list[list[str]]:
    bare, ours = (
        min((child(python(*words)) for _ in range(_STARTS)), key=lambda done: done.seconds)
        for words in (("-c", "pass"), ("-m", "taskloom", "--help"))
    )
    others = [(peer.label, done) for peer, done in measure_peers(START, make=make_peers)]
    tail = ["python -c pass", _figure(bare.rate), f"{bare.rate / ours.rate:.1f}", "-", f"{ours.megabytes:.0f}"]
    return [
        [START, "starts", label, _figure(done.rate), _figure(ours.rate), f"{ours.rate / done.rate:.2f}", *tail]
        for label, done in others or [("python -c pass", bare)]
    ]


def _figure(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.2f}"


def main(argv: Sequence[str] | None = None) -> int:
    known = [*WORKS, START]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", nargs="*", choices=[*known, []], metavar="WORK")
    parser.add_argument("--most", type=int, default=100_000, help="the largest size; default %(default)s")
    args = parser.parse_args(argv)
    return print_table(args.works or known, args.most)


if __name__ == "__main__":
    sys.exit(main())
