"""SIGKILL at any moment, over every verb that writes: nothing lost, nothing doubled, no file of anybody else's touched.

    python -m benchmarks.torture               1,000 kills (`make torture`)
    python -m benchmarks.torture --kills 50    a quick look

Each piece of work is started again and again and killed after a random time, with all its processes; then it runs to
its end. What it leaves must equal, byte for byte, what the same work leaves when nobody disturbs it, and files that
were put into and beside its folders must be as they were.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import taskloom.cli.run
import taskloom.cli.sweep  # noqa: F401 - imported once, before children are forked
from taskloom.cli.main import main as taskloom_main
from taskloom.run.check import check_run
from taskloom.run.log import has_records, read_records
from taskloom.store.bundle import Bundle, check_bundle

Check = Callable[[Path], list[str]]


class Work(NamedTuple):
    """Something that is killed.

    Attributes:
        name: What it is.
        command: Its command line; OUT is the folder it writes to.
        share: How many of all kills it gets, relative to the others.
        whole: Whether a killed one has left something valid, or nothing.
        result: What must be equal to an undisturbed one: names relative to OUT.
        foreign: Whether files of others may lie in OUT (a bundle's folder is its own).
        given: A run that lies in OUT/run when the work begins; what it consists of must stay as it is.
    """

    name: str
    command: list[str]
    share: float
    whole: Check
    result: tuple[str, ...]
    foreign: bool = True
    given: Path | None = None


SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class H(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = str(len(body["messages"][-1]["content"]))
        data = json.dumps({"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}).encode()
        self.send_response(200); self.send_header("Content-Length", str(len(data))); self.end_headers()
        self.wfile.write(data)
    def log_message(self, *a): pass
s = ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
s.serve_forever()
"""


@contextmanager
def serving() -> Iterator[str]:
    """A server in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def valid_bundle(folder: Path) -> list[str]:
    """A killed writer leaves the old bundle, the new one, or none yet."""
    return [str(finding) for finding in check_bundle(folder)] if (folder / "manifest.json").exists() else []


def valid_log(folder: Path) -> list[str]:
    """A killed run leaves whole records, at most with a torn last line."""
    if not (folder / "run.json").exists() or not count_records(folder):
        return []
    return [str(finding) for finding in check_run(folder) if finding.level == "error"]


def count_records(folder: Path) -> int:
    """How many records a run's folder holds, sealed or not."""
    return sum(1 for _ in read_records(folder)) if has_records(folder) else 0


def anything(folder: Path) -> list[str]:
    """What is left halfway is nobody's business, as long as the same command ends well."""
    return []


def works(bundle: Path, done: Path, url: str, train: bool) -> list[Work]:
    """All kinds of work."""
    run = ["run", str(bundle), "--model", "mock/flaky", "-M", "fail=0", "--no-cache", "-o", "OUT"]
    api = ["run", str(bundle), "--model", "api/x", "-M", f"base_url={url}", "--limit", "60", "--no-cache", "-o", "OUT"]
    sweep = [
        "sweep",
        str(bundle),
        "--model",
        "mock/oracle",
        "--model",
        "mock/copy-input",
        "--jobs",
        "1",
        "--limit",
        "200",
    ]
    small = ["-T", "train=100", "-T", "test=50"]
    logs = ("*.parquet", "tasks.jsonl")  # run.json holds the command, which names the folder
    study = ["--scale", "smoke", "--runs", "OUT/shelf", "-o", "OUT/result"]
    tables = ("result/[!.]*",)
    rescored = tuple(f"{place}/*.{kind}" for place in ("run", "run/scores/normalised") for kind in ("json*", "parquet"))
    found = [
        Work(
            "generate",
            ["generate", "babi/task-1", "--seed", "SEED", *small, "--replace", "-o", "OUT"],
            30,
            valid_bundle,
            (),
            False,
        ),
        Work("run", run, 30, valid_log, logs),
        Work("API run", api, 16, valid_log, logs),
        Work("sweep", [*sweep, "-o", "OUT"], 10, anything, ("jobs/*/*.parquet",)),
        Work("rescore", ["score", "OUT/run", "--scorer", "normalised"], 8, anything, rescored, given=done),
        Work("report", ["report", str(done), "-o", "OUT/page.html"], 2, anything, ("page.html",)),
        Work("asking study", ["study", "concur", *study], 3, anything, tables),
    ]
    if train:
        fit = ["--adapt", "finetune", "-A", "epochs=1", "-A", "shots=24", "-A", "batch=8", "--limit", "20"]
        small = ["-T", "steps=4", "-T", "texts=700", "-T", "batch=4", "-T", "parts=[stories]"]
        steps = ["pretrain", "t5-1m", *small, "-o", "OUT/model"]
        weights = ("model/*.safetensors", "model/token*.json")  # pretrain.json holds how long it took
        found += [
            Work(
                "adapted run", ["run", str(bundle), "--model", "tiny/t5-1m", *fit, "-o", "OUT"], 3, valid_log, logs[:1]
            ),
            Work("pretrain", steps, 1, anything, weights),
            Work("training study", ["study", "seti/few-shot", *study], 1, anything, tables),
        ]
    return found


def start(argv: list[str], cache: Path) -> int:
    """Fork a child that carries out a command in a session of its own."""
    child = os.fork()
    if child:
        return child
    os.setsid()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.environ.update(TASKLOOM_CACHE=str(cache), TASKLOOM_PROGRESS="off", OPENAI_API_KEY="")
    sys.argv = ["taskloom", *argv]
    code = 70
    try:
        code = taskloom_main(argv)
    finally:
        os._exit(code)


def finish(argv: list[str], cache: Path) -> tuple[int, float]:
    """Carry a command out undisturbed; its exit code and how long it took."""
    began = time.monotonic()
    child = start(argv, cache)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), time.monotonic() - began


def kill_soon(argv: list[str], cache: Path, delay: float) -> bool:
    """Start a command and kill it with all its processes; False where it had ended before."""
    child = start(argv, cache)
    time.sleep(delay)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)  # not yet in a session of its own
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def plant(folder: Path, inside: bool) -> dict[Path, bytes]:
    """Files of somebody else, in a folder (where they may be) and beside it."""
    places = [folder.parent / ".x.tmp", folder.parent / "data-raw" / "a.csv"]
    if inside:
        places += [folder / ".y.tmp", folder / "notes.txt", folder / "jobs" / ".z.tmp", folder / ".records.jsonl.1.tmp"]
    if (folder / "run").is_dir():
        places += [folder / "run" / "scores" / "normalised" / "mine.txt", folder / "run" / ".mine.tmp"]
    for path in places:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"mine: {path.name}".encode())
    return {path: path.read_bytes() for path in places}


def contents(folder: Path, patterns: tuple[str, ...]) -> list[bytes]:
    """The files that must be equal, in order."""
    return [path.read_bytes() for pattern in patterns for path in sorted(folder.glob(pattern))]


def torture(work: Work, kills: int, root: Path, rng: random.Random) -> list[str]:
    """Kill one kind of work some number of times, then compare."""

    def argv(folder: Path, seed: int) -> list[str]:
        return [part.replace("OUT", str(folder)).replace("SEED", str(seed)) for part in work.command]

    def fresh(folder: Path) -> None:
        shutil.rmtree(folder.parent, ignore_errors=True)
        folder.mkdir(parents=True)
        if work.given is not None:
            shutil.copytree(work.given, folder / "run")

    problems: list[str] = []
    calm, rough = root / "calm" / "out", root / "rough" / "out"
    for folder in (calm, rough):
        fresh(folder)
    code, seconds = finish(argv(calm, 1), root / "cache-calm")
    if code:
        return [f"the undisturbed command ended with {code}"]
    mine = plant(rough, work.foreign)
    landed, seed, lines = 0, 1, 0
    while landed < kills:
        seed += work.name == "generate"
        killed = kill_soon(argv(rough, seed), root / "cache-rough", rng.uniform(0, 1.2 * seconds))
        landed += killed
        problems += [f"after {landed} kills: {problem}" for problem in work.whole(rough)[:2]]
        if (there := count_records(rough)) < lines:
            problems.append(f"after {landed} kills: {lines} records became {there}")
        lines = there
        problems += [
            f"foreign file gone or changed: {p.name}" for p, d in mine.items() if not p.is_file() or p.read_bytes() != d
        ]
        if len(problems) > 5:
            return problems
        if not killed and work.result:
            # It has come to its end: compare, and begin anew, since work that is done has nothing to lose.
            if contents(calm, work.result) != contents(rough, work.result):
                problems.append(f"after {landed} kills: the result is not that of an undisturbed run")
            shutil.rmtree(root / "cache-rough", ignore_errors=True)
            fresh(rough)
            mine, lines = plant(rough, work.foreign), 0
    code, _ = finish(argv(rough, 1), root / "cache-rough")
    if code:
        problems.append(f"the same command ended with {code} after all kills")
    wanted, found = contents(calm, work.result), contents(rough, work.result)
    if wanted != found or (work.result and not wanted):
        problems.append("the result is not that of an undisturbed run, or there is none")
    if work.name == "generate" and list(Bundle(calm).rows("test")) != list(Bundle(rough).rows("test")):
        problems.append("the rows are not those of an undisturbed run")
    if work.name == "generate" and len(left := sorted(path.name for path in rough.iterdir())) != 2:
        problems.append(f"more is left than a manifest and its data: {left}")
    problems += [f"at the end: {problem}" for problem in work.whole(rough)]
    return problems


def all_works(
    kills: int, root: Path, seed: int = 0, train: bool = True, only: str = ""
) -> dict[str, tuple[int, list[str]]]:
    """Every kind of work with its share of the kills."""
    bundle, done = root / "bundle", root / "done"
    made = ["generate", "babi/task-1", "--seed", "5", "-T", "train=60", "-T", "test=120", "-o", str(bundle)]
    run = ["run", str(bundle), "--model", "mock/copy-input", "-o", str(done)]
    for command in (made, run):
        assert finish(command, root / "cache")[0] == 0, command
    report: dict[str, tuple[int, list[str]]] = {}
    with serving() as url:
        chosen = [work for work in works(bundle, done, url, train) if only in work.name]
        total = sum(work.share for work in chosen)
        for number, work in enumerate(chosen):
            share = max(1, round(kills * work.share / total))
            rng = random.Random(f"{seed}/{work.name}")
            report[work.name] = share, torture(work, share, root / str(number), rng)
            problems = report[work.name][1]
            print(f"{work.name}: {share} kills, {len(problems)} problems", *problems, sep="\n  ", flush=True)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-train", action="store_true", help="leave out what needs torch")
    parser.add_argument("--only", default="", help="only work whose name contains this")
    given = parser.parse_args()
    os.environ["TASKLOOM_PROGRESS"] = "off"
    with tempfile.TemporaryDirectory(prefix="taskloom-torture-") as folder:
        report = all_works(given.kills, Path(folder), given.seed, not given.no_train, given.only)
    bad = sum(len(problems) for _, problems in report.values())
    print(f"{sum(kills for kills, _ in report.values()):,} kills, {bad:,} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
