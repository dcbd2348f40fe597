"""Fuzzing that is led by coverage (atheris), on the targets and with the structure-aware changes of `benchmarks.fuzz`.

    python -m benchmarks.fuzz_guided --runs 100000

An input that reaches new code is kept and changed further. Needs `pip install atheris` (Linux, Python 3.11 or later).
"""

from __future__ import annotations

import argparse
import atexit
import random
import sys
import tempfile
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["taskloom"]):
    from benchmarks.fuzz import attempt, mutate
    from benchmarks.fuzz_targets import Target, make_targets


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    problems: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="taskloom-guided-") as folder:
        targets: list[Target] = make_targets(Path(folder) / "work")
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for number, target in enumerate(targets):
            for at, example in enumerate(target.seeds):
                (corpus / f"{number}-{at}").write_bytes(bytes([number % 256]) + example)
                with suppress(*target.allowed):
                    target.call(example)

        def one(data: bytes) -> None:
            if not data:
                return
            target = targets[data[0] % len(targets)]
            problem = attempt(target.call, data[1:], target.allowed)
            if problem:
                problems[target.name, problem] += 1
                if problems[target.name, problem] == 1:
                    given.keep.mkdir(parents=True, exist_ok=True)
                    (given.keep / f"{target.name.replace('/', '-').replace(' ', '-')}-guided").write_bytes(data[1:])
                    print(f"\n{target.name}: {problem}", flush=True)

        def change(data: bytes, most: int, seed: int) -> bytes:
            rng = random.Random(seed)
            if not data or rng.random() < 0.3:
                return bytes(atheris.Mutate(data, most))
            return (data[:1] + mutate(data[1:], rng))[:most]

        arguments = [sys.argv[0], f"-runs={given.runs}", f"-seed={given.seed}", "-max_len=200000", "-verbosity=0"]
        arguments += ["-print_final_stats=1", "-detect_leaks=0", "-rss_limit_mb=0", "-timeout=60", str(corpus)]
        # The fuzzer ends the process itself.
        atexit.register(
            lambda: print(f"{given.runs:,} runs, {problems.total():,} problems", dict(problems), flush=True)
        )
        atheris.Setup(arguments, one, custom_mutator=change)
        atheris.Fuzz()
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
