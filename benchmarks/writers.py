"""Several writers of one folder at once, who share nothing but the disk: nothing breaks, with locks and without.

python -m benchmarks.writers                  1,000 rounds of three writers
python -m benchmarks.writers --rounds 50      a quick look

Each writer is a process with a TMPDIR of its own and a clock that is wrong by up to a day. Half of the rounds are
without locks, as on disks that know none; in a third one writer is killed somewhere. A round writes a bundle or runs a
model. After it, a single writer goes on in the same folder: what it finds must be usable, and what is there in the end
must be what one writer alone would have made. A writer that did not succeed has to say that another is at work.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from unittest import mock

from benchmarks.crashes import sums
from taskloom.core import UserError
from taskloom.run.check import check_run
from taskloom.run.log import read_records
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store import atomic
from taskloom.store.bundle import check_bundle
from taskloom.store.write import write_bundle

ROWS = 30
WRITERS = 3
BUSY = ("another process is writing here",)


def write(what: str, folder: Path) -> None:
    """What a writer does."""
    suite = sums(1, ROWS)
    if what == "bundle":
        write_bundle(suite, folder)
    else:
        launch(suite, folder, RunSettings(model="mock/oracle", batch_size=4, cache=False))


def wrong(what: str, folder: Path) -> str:
    """What is wrong with a finished folder; empty where nothing is."""
    found = check_bundle(folder) if what == "bundle" else check_run(folder)
    problems = [finding.message for finding in found if finding.level == "error"]
    if what == "run" and not problems:
        records = list(read_records(folder))
        if [record.index for record in records] != list(range(ROWS)) or any(record.score != 1.0 for record in records):
            problems.append("the records are not those of one writer")
    left = sorted(path.name for path in folder.iterdir() if atomic.is_half(path.name))
    return "; ".join(problems + ([f"left behind: {left}"] if left else []))


def _child(what: str, folder: Path, scratch: Path, locks: bool, rng: random.Random, said: Path) -> None:
    """A writer on a host of its own."""
    scratch.mkdir()
    os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)
    shift = rng.uniform(-86_400, 86_400)
    real = time.time
    with mock.patch.object(time, "time", lambda: real() + shift):
        if not locks:
            atomic.lock_file = lambda handle, wait=False: None  # what a disk without locks answers
        time.sleep(rng.uniform(0, 0.01))
        try:
            write(what, folder)
            os._exit(0)
        except UserError as error:
            said.write_text(error.message)
        except BaseException as error:  # noqa: BLE001 -- whatever breaks is a finding
            said.write_text(f"{type(error).__name__}: {error}")
        os._exit(1)


def one_round(number: int) -> tuple[str, list[str]]:
    """What was tried, and what went wrong."""
    rng = random.Random(number)
    what, locks, kills = ("bundle", "run")[number % 2], number // 2 % 2 == 0, rng.random() < 1 / 3
    problems = []
    with tempfile.TemporaryDirectory() as place:
        folder, writers = Path(place) / "shared", []
        for writer in range(WRITERS):
            said = Path(place) / f"said-{writer}"
            process = os.fork()
            if process == 0:
                _child(what, folder, Path(place) / f"tmp-{writer}", locks, rng, said)
            rng.random()
            writers.append((process, said))
        if kills:
            time.sleep(rng.uniform(0, 0.08))
            os.kill(writers[rng.randrange(WRITERS)][0], signal.SIGKILL)
        for process, said in writers:
            _, status = os.waitpid(process, 0)
            if os.waitstatus_to_exitcode(status) == 1 and said.read_text() not in BUSY:
                problems.append(said.read_text())
        try:
            write(what, folder)
            problems += filter(None, [wrong(what, folder)])
        except UserError as error:
            problems.append(f"not usable: {error.message}")
    return f"{what} {'with' if locks else 'without'} locks{', one killed' if kills else ''}", problems


def main() -> int:
    """So many rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1_000)
    args = parser.parse_args()
    tried: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for number in range(args.rounds):
        name, problems = one_round(number)
        tried[name] += 1
        broken.update(f"{name}: {problem}" for problem in dict.fromkeys(problems))
    for name, times in sorted(tried.items()):
        print(f"{times:,} rounds: {name}")
    for name, times in broken.most_common(20):
        print(f"  {times:,} × {name}")
    print(f"{args.rounds:,} rounds of {WRITERS} writers: {broken.total():,} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
