"""Damaged and hostile input for every loader, reader and scorer: a sentence is right, a traceback or a hang is not.

    python -m benchmarks.fuzz                  100,000 inputs (`make fuzz`)
    python -m benchmarks.fuzz --inputs 2000    a quick look
    python -m benchmarks.fuzz --keep DIR       also keep what went wrong, one file each
    python -m benchmarks.fuzz --only YAML      only targets whose name contains this
    python -m benchmarks.fuzz --commands 10000     files given to commands, with the limited child

Seeds are in `benchmarks/fuzz_targets.py`, hostile texts below. Inputs depend on `--seed` alone. Limits: one second of
processor time and 512 MB for each.
"""

# ruff: noqa: E501 - a table of bytes

from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.fuzz_targets import Target, make_targets

SECONDS = 1.0
MEGABYTES = 512

HOSTILE = [
    b"", b"\0", b"\xff\xfe\xfd", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xf4\x90\x80\x80", b"\xc3(", b"\r", b"\r\n", b"\n\n",
    b"[" * 5_000, b"{" * 5_000, b'{"a":' * 3_000, b"[" * 200 + b"]" * 200, b"- " * 3_000, b"? " * 500,
    b"9" * 1_000, b"-" + b"9" * 5_000, b"1e999", b"-1e999", b"1e-999", b"NaN", b"Infinity", b"-Infinity", b"0x" + b"f" * 900,
    b"&a [*a, *a]", b"&a [1,1,1,1]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]", b"!!python/object/apply:os.system [ls]",
    b"<think>" * 2_000, b"</think>" * 2_000, b"<think>" * 1_000 + b"</think>" * 1_000, b"\\boxed{" * 2_000, b"$" * 3_000,
    b"\\u0000", b"\\ud800", b'"\\ud83d"', b"null", b"true", b"[]", b"{}", b'""', b"'", b'"', b"|" * 2_000, b"," * 3_000,
    "\u2028\u2029\u0085\u202e".encode(), "ﷺ".encode() * 300, "İı".encode() * 300, "e\u0301".encode() * 900, b"a" * 100_000,
    b"2024-99-99", b"1_000", b"012", b"12:30:45", b"<<: *x", b"%YAML 9.9\n---", b"\x1f\x8b\x08", b"PAR1", b"PK\x03\x04",
    b"\t" * 500, b" " * 20_000, b"(" * 3_000, b"((((a+)+)+)+)+", b"\xe2\x80\x8b" * 300, b"%s%s%n{0.__class__}", b"${jndi}",
]  # fmt: skip


CASES = Path(__file__).resolve().parent.parent / "tests" / "cases"
"""Inputs that once went wrong, small, one file each."""


def _found_case(number: int, rng: random.Random) -> bytes:
    cases = sorted(CASES.iterdir())
    return (
        cases[number % len(cases)].read_bytes() if rng.random() < 0.5 else mutate(rng.choice(cases).read_bytes(), rng)
    )


class HangError(BaseException):
    """An input took more processor time than it may."""


def mutate(seed: bytes, rng: random.Random) -> bytes:
    """One to four changes to a seed."""
    data = bytearray(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(10)
        if kind == 0 and data:
            data[place % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[place:]
        elif kind == 2:
            data[place:place] = rng.choice(HOSTILE)
        elif kind == 3:
            del data[place : place + rng.randrange(1, 40)]
        elif kind == 4:
            data[place:place] = data[place : place + rng.randrange(1, 200)] * rng.randrange(1, 4)
        elif kind == 5:
            data[place:place] = rng.randbytes(rng.randrange(1, 12))
        elif kind == 6:
            replace_token(data, rng)
        elif kind == 7:
            data[:] = rng.choice(HOSTILE)
        elif kind == 8:
            # What a pattern takes to the square of its length shows only in long runs of what it looks for.
            unit = bytes(data[place : place + rng.randrange(1, 9)]) or b" "
            data[place:place] = unit * (rng.randrange(20_000) // len(unit))
        else:
            data[place : place + rng.randrange(30)] = rng.choice(HOSTILE)
    return bytes(data)


def replace_token(data: bytearray, rng: random.Random) -> None:
    """Put something hostile in place of a value."""
    import re

    found = list(re.finditer(rb'"[^"\n]*"|-?\d+(?:\.\d+)?|\btrue\b|\bnull\b', data))
    if found:
        chosen = rng.choice(found)
        data[chosen.start() : chosen.end()] = rng.choice(HOSTILE)


def attempt(call: Callable[[bytes], Any], data: bytes, allowed: tuple[type[BaseException], ...]) -> str:
    """What came of one input: "" where it was read or refused in a sentence, else what went wrong."""

    def ring(*_: object) -> None:
        raise HangError

    signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        call(data)
    except allowed:
        return ""
    except HangError:
        return f"more than {SECONDS:g} s"
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return ""


def command_targets(root: Path) -> list[Target]:
    """Files of every kind that commands take, through the command line itself; importers read in the limited child."""
    from contextlib import redirect_stderr, redirect_stdout
    from io import StringIO

    from taskloom.cli.main import main as command_line

    root.mkdir(parents=True, exist_ok=True)
    outputs, folder = b'{"output": "kitchen", "id": "test-0"}\n{"output": "x", "prompt": "y"}\n', str(root / "run")
    sample = (
        b'{"doc": {"id": "test-0", "choices": ["a", "b"]}, "resps": [[[-1.5, false]], [[-2, true]]], "arguments": []}\n'
    )
    suite = ["--suite", "babi/task-1", "-o", folder]
    log = b'{"eval": {"model": "m", "metadata": {}}, "samples": [{"id": "1", "input": "q", "output": {"choices": [{"message": {"content": "a"}}]}}]}'
    given: list[tuple[str, list[str], bytes]] = [
        ("r.yaml", ["check", "FILE"], b"suite: babi/task-1\nseed: 3\nrecipe:\n  train: 5\n"),
        ("s.yaml", ["show", "FILE", "--recipe"], b"suite: babi/task-1\nseed: 3\nrecipe: {test: 3}\n"),
        ("o.jsonl", ["import", "outputs", "FILE", *suite], outputs),
        ("o.csv", ["import", "outputs", "FILE", *suite], b"output,id\nkitchen,test-0\n"),
        ("samples_x.jsonl", ["import", "lm-eval", "FILE", *suite], sample),
        ("l.json", ["import", "inspect", "FILE", *suite], log),
        ("t.json", ["check", "FILE"], b'{"Definition": ["d"], "Positive Examples": [], "Instances": []}'),
        ("k.json", ["judge", "read", "FILE", "FILE"], b'{"model_is_a": {}}'),
    ]

    def target(name: str, words: list[str], seed: bytes) -> Target:
        path = root / name

        def call(data: bytes) -> None:
            path.write_bytes(data)
            said = StringIO()
            with redirect_stdout(said), redirect_stderr(said):
                code = command_line([str(path) if word == "FILE" else word for word in words])
            if code not in (0, 1, 2) or "Traceback" in said.getvalue():
                raise AssertionError(f"exit {code}: {said.getvalue()[:300]}")

        return Target(" ".join(words[:2]).replace("FILE", name), call, [seed])

    return [target(*one) for one in given]


def fuzz(
    inputs: int, root: Path, seed: int = 0, keep: Path | None = None, only: str = "", commands: bool = False
) -> Counter[tuple[str, str]]:
    """Try inputs on all targets in turn; count what went wrong."""
    problems: Counter[tuple[str, str]] = Counter()
    made = command_targets(root) if commands else make_targets(root)
    targets = [target for target in made if only in target.name]
    # Warm up: imports are not part of an input's second.
    for target in targets:
        for example in target.seeds:
            with suppress(*target.allowed):
                target.call(example)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(inputs):
        target = targets[number % len(targets)]
        rng = random.Random(f"{seed}/{number}")
        target = rng.choice(targets) if target.rare and rng.random() < 0.9 else target
        data = mutate(rng.choice(target.seeds), rng) if number % 100 else _found_case(number // 100, rng)
        problem = attempt(target.call, data, target.allowed)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
        if grown > MEGABYTES:
            problem, before = f"{grown} MB more", before + 1024 * grown
        if problem:
            problems[target.name, problem] += 1
            if keep is not None and problems[target.name, problem] == 1:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{target.name.replace('/', '-').replace(' ', '-')}-{number}").write_bytes(data)
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=None, help="a folder for inputs that went wrong")
    parser.add_argument("--only", default="", help="only targets whose name contains this")
    parser.add_argument("--commands", type=int, default=0, help="so many inputs through the command line instead")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    inputs = given.commands or given.inputs
    with tempfile.TemporaryDirectory(prefix="taskloom-fuzz-") as folder:
        problems = fuzz(inputs, Path(folder), given.seed, given.keep, given.only, bool(given.commands))
    for (name, problem), count in problems.most_common():
        print(f"{name}: {problem}: {count:,}")
    print(f"{inputs:,} inputs, {problems.total():,} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
