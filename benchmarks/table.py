"""One table of speed and scale: what others need, what we need, what would be possible, how it grows.

python -m benchmarks.table                    every line; `make bench`
python -m benchmarks.table --most 1000000     growth up to that many items
python -m benchmarks.table "write a bundle"   some lines
python -m benchmarks.table --write            every line, or those that are named, into docs/benchmarks.md

Figures are amounts per CPU second, each measured in a process of its own; ours and those of others alternate in five
rounds, and a ratio is given as its median and its extremes. Of generated items, rows and characters are compared:
the characters of input and answer, without the instruction that items share. The reference of a line is another package
where its environment is there (`make bench-peers` makes them), else the limit. The limit is the same output with
everything left out that could be; the distance is the limit's figure over ours. Generation is measured with the
compiled wheel where it is there (`make compiled`; `make release` builds it for Linux), and in pure Python beside it.
The exponent is the slope of cost over amount on logarithmic axes from the smallest size to the largest: 1 is a constant
cost per item.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks.measure import COMPILED, ROOT, Measured, child, exponent, python
from benchmarks.peers import Peer, measure_peer, peers_of
from benchmarks.works import WORKS

__all__ = ["HEAD", "START", "compared", "lines_of", "print_table"]

SMALL = 1_000
ROUNDS = 5
START = "taskloom --help"
HEAD = (
    "work",
    "unit",
    "reference",
    "its figure",
    "ours",
    "ratio",
    "ratio in characters",
    "pure Python",
    "its ratio",
    "in characters",
    "limit",
    "distance",
    "growth",
    "peak MB",
)
_NONE = ["-", "-", "-"]
BEGIN, END = "<!-- written by python -m benchmarks.table --write -->", "<!-- end of the table -->"


def lines_of(names: Sequence[str], most: int = 100_000, *, make_peers: bool = False) -> Iterator[str]:
    """The table in Markdown, each line as soon as it is known."""
    yield "| " + " | ".join(HEAD) + " |"
    yield "|" + " --- |" * len(HEAD)
    for name in names:
        for line in _start_lines(make_peers) if name == START else _work_lines(name, most, make_peers):
            yield "| " + " | ".join(line) + " |"


def print_table(names: Sequence[str], most: int = 100_000, *, make_peers: bool = False) -> int:
    """Measure the named lines and print each as soon as it is known."""
    for line in lines_of(names, most, make_peers=make_peers):
        print(line, flush=True)
    return 0


def _work_lines(name: str, most: int, make_peers: bool) -> Iterator[list[str]]:
    work = WORKS[name]
    largest = min(most, work.most)
    fast = COMPILED.exists() and name.startswith("generate")
    small, large = (_own(name, "ours", size, compiled=fast) for size in (SMALL, largest))
    limit = _own(name, "limit", min(largest, 10_000)) if work.limit else None
    growth = f"{exponent(small, large):.3f}" if largest > SMALL else "-"
    tail = [work.bound or "-", f"{limit.rate / large.rate:.1f}" if limit else "-", growth, f"{large.megabytes:.0f}"]
    peers = peers_of(name, make=make_peers)
    for peer in peers:
        rounds, pure = [], []
        for _ in range(ROUNDS):
            rounds.append((_own(name, "ours", peer.size, compiled=fast), measure_peer(peer)))
            if fast:
                pure.append((_own(name, "ours", peer.size), rounds[-1][1]))
        slow = compared(pure)[1:] if pure else _NONE
        yield [name, work.unit, f"{peer.package} {peer.label}", *compared(rounds), *slow, *tail]
    if not peers:
        against = [work.bound, _figure(limit.rate)] if limit else ["-", "-"]
        ratio = f"{large.rate / limit.rate:.2f}" if limit else "-"
        yield [name, work.unit, *against, _figure(large.rate), ratio, "-", *_NONE, *tail]


def compared(rounds: Sequence[tuple[Measured, Measured]]) -> list[str]:
    """Their figure, ours, and the ratios with their extremes."""
    ours, theirs = (median(pair[side].rate for pair in rounds) for side in (0, 1))
    texts = [
        (own.characters / own.seconds) / (other.characters / other.seconds) for own, other in rounds if other.characters
    ]
    return [_figure(theirs), _figure(ours), _spread([own.rate / other.rate for own, other in rounds]), _spread(texts)]


def _spread(ratios: Sequence[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else "-"


def _own(name: str, role: str, size: int, *, compiled: bool = False) -> Measured:
    return child(python("-m", "benchmarks.works", name, role, str(size), compiled=compiled))


def _start_lines(make_peers: bool) -> Iterator[list[str]]:
    def start(peer: Peer | None) -> Measured:
        return measure_peer(peer) if peer else child(python("-c", "pass"))

    for peer in peers_of(START, make=make_peers) or [None]:
        rounds = [(child(python("-m", "taskloom", "--help")), start(peer)) for _ in range(ROUNDS)]
        bare = min((start(None) for _ in range(ROUNDS)), key=lambda done: done.seconds)
        distance = bare.rate / median(own.rate for own, _ in rounds)
        tail = ["python -c pass", f"{distance:.1f}", "-", f"{max(own.megabytes for own, _ in rounds):.0f}"]
        yield [START, "starts", peer.label if peer else "python -c pass", *compared(rounds), *_NONE, *tail]


def _figure(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.2f}"


def write_table(lines: Sequence[str]) -> None:
    """Put lines into the table of docs/benchmarks.md; those of works that were not measured now stay."""
    page = ROOT / "docs" / "benchmarks.md"
    head, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    last, _, tail = rest.partition(END)
    top, rule, *measured = lines
    now = {_work_of(line) for line in measured}
    kept = [line for line in last.strip().split("\n")[2:] if _work_of(line) not in now]
    order = [*WORKS, START]
    table = sorted([*kept, *measured], key=lambda line: order.index(_work_of(line)))
    page.write_text("\n".join([f"{head}{BEGIN}", "", top, rule, *table, "", f"{END}{tail}"]), encoding="utf-8")


def _work_of(line: str) -> str:
    return line.split("|")[1].strip()


def main(argv: Sequence[str] | None = None) -> int:
    known = [*WORKS, START]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", nargs="*", choices=[*known, []], metavar="WORK")
    parser.add_argument("--most", type=int, default=100_000, help="the largest size; default %(default)s")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    args = parser.parse_args(argv)
    if not args.write:
        return print_table(args.works or known, args.most)
    lines = []
    for line in lines_of(args.works or known, args.most, make_peers=True):
        print(line, flush=True)
        lines.append(line)
    write_table(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
