"""`taskloom serve` at size: 15 runs of 100,000 records and one of a million, by server and in Chromium.

python -m benchmarks.app                            everything (`make bench-app`)
python -m benchmarks.app --records 5000 --million 20000 --folder DIR      a quick look; runs in DIR are used again

Times are seconds on the wall and CPU seconds of the server, which on a busy machine say more. Of the 15 runs three are
asked (oracle, constant, random) and the others are copies of them: the server reads each by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

TOKEN = "benchmark-token"
MODELS = ("oracle", "constant", "random")
TICK = os.sysconf("SC_CLK_TCK")
LIVE = "import time\ndef answer(prompt):\n    time.sleep(0.005)\n    return 'Answer: yes'\n"


def fill(folder: Path, records: int, million: int) -> None:
    """Make the runs that are not there yet."""

    def call(*words: str) -> None:
        subprocess.run([sys.executable, "-m", "taskloom", *words], check=True, stdout=subprocess.DEVNULL)

    def ask(name: str, size: int, model: str) -> None:
        bundle = folder.resolve().with_name(f"{folder.name}-bundle-{size}")
        if not (bundle / "manifest.json").exists():
            call("generate", "seti/task1-trivial", "-T", f"lexical={-(-size // 30)}", "-T", "few=0", "-o", str(bundle))
        if not (folder / name / "results.json").exists():
            options = ["-M", "answer=entailment"] if model == "constant" else []
            call("run", str(bundle), "--model", f"mock/{model}", *options, "-o", str(folder / name))

    for model in MODELS:
        ask(f"runs/{model}-0", records, model)
        for number in range(1, 5):
            if not (folder / f"runs/{model}-{number}").exists():
                shutil.copytree(folder / f"runs/{model}-0", folder / f"runs/{model}-{number}")
    ask("million", million, "majority")


class Server:
    """A server with what it has cost so far."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "taskloom", "serve", str(folder), "--token", TOKEN]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip().partition("/?")[0]

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self) -> tuple[float, float]:
        """Resident megabytes now, and at most."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        kept = {
            name: int(rest.split()[0]) / 1024
            for name, _, rest in (line.partition(":") for line in lines)
            if "kB" in rest
        }
        return kept["VmRSS"], kept["VmHWM"]

    def get(self, path: str, pairs: Any = ()) -> bytes:
        request = Request(
            f"{self.address}{path}?{urlencode(list(pairs))}", headers={"Authorization": f"Bearer {TOKEN}"}
        )
        with urlopen(request, timeout=300) as answer:
            return bytes(answer.read())

    def measure(self, name: str, path: str, pairs: Any = ()) -> Any:
        """Ask, and print what it took."""
        cpu, begun = self.cpu(), time.perf_counter()
        data = self.get(path, pairs)
        wall, spent = time.perf_counter() - begun, self.cpu() - cpu
        print(f"| {name} | {wall:.3f} | {spent:.2f} | {self.memory()[0]:.0f} |", flush=True)
        return json.loads(data) if path.startswith("/api") else data


def requests(server: Server, runs: list[str], what: str) -> None:
    """What a person does with the samples of some runs."""
    chosen = [("run", name) for name in runs]
    server.measure(f"{what}: first rows", "/api/rows", chosen)
    server.measure(f"{what}: columns", "/api/facets", chosen)
    for turn in ("first", "again"):
        server.measure(f"{what}: filter by outcome, {turn}", "/api/rows", [*chosen, ("q", "outcome=wrong")])
        server.measure(
            f"{what}: filter by two facets, {turn}", "/api/rows", [*chosen, ("q", "outcome=wrong position=1")]
        )
        server.measure(f"{what}: group by two facets, {turn}", "/api/group", [*chosen, ("by", "outcome,composition")])
        server.measure(f"{what}: sort by three, {turn}", "/api/rows", [*chosen, ("sort", "task,-score,said")])
    begun, asked = time.perf_counter(), [*chosen, ("q", "hypothesis /\\bponies|\\bpony\\b/")]
    found = server.measure(f"{what}: search, first hits", "/api/rows", asked)
    while not found["complete"]:
        time.sleep(0.2)
        found = json.loads(server.get("/api/rows", asked))
    wall = time.perf_counter() - begun
    print(f"| {what}: search, all read ({found['total']:,} hits, {found['ended']}) | {wall:.1f} | | |", flush=True)


def browse(server: Server, runs: list[str], what: str) -> None:
    """The page of samples in Chromium: first paint, rows, jumps through the whole table, heap."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(600_000)  # a busy machine is no reason to measure nothing
        page.goto(f"{server.address}/?token={TOKEN}")
        begun = time.perf_counter()
        page.goto(f"{server.address}/samples?{urlencode([('run', name) for name in runs])}")
        page.wait_for_selector(".grid-row")
        rows = time.perf_counter() - begun
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN") / 1000
        blank, waits = 0, []
        body = page.locator("[data-body]")
        for place in range(1, 21):
            begun = time.perf_counter()
            body.evaluate("(node, share) => { node.scrollTop = node.scrollHeight * share; }", place / 21)
            page.wait_for_timeout(20)
            page.wait_for_function(
                "() => ![...document.querySelectorAll('.grid-row')].some((row) => !row.innerText.trim())"
            )
            waits.append(time.perf_counter() - begun)
            blank += page.evaluate(
                "() => [...document.querySelectorAll('.grid-row')].filter((row) => !row.innerText.trim()).length"
            )
        heap = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
        waits.sort()
        print(f"| {what}: first paint {paint:.2f} s, rows after {rows:.2f} s, jumps median {waits[10]:.2f} s, "
              f"slowest {waits[-1]:.2f} s, {blank} blank rows, heap {heap:.1f} MB | | | |", flush=True)  # fmt: skip
        browser.close()


def follow(folder: Path, seconds: float) -> None:
    """Twenty pages that follow a run which goes on."""
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "slow.py").write_text(LIVE)
        live = subprocess.Popen(
            [sys.executable, "-c", _ASKED.format(path=f"{scratch}/slow.py", out=f"{scratch}/live")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        server = Server(Path(scratch))
        server.get("/runs")
        end = time.monotonic() + seconds
        drawn = [0]

        def page() -> None:
            request = Request(f"{server.address}/api/events", headers={"Authorization": f"Bearer {TOKEN}"})
            with urlopen(request, timeout=seconds + 30) as stream:
                for line in stream:
                    if time.monotonic() > end:
                        return
                    if line.startswith(b"data"):
                        server.get("/runs")
                        drawn[0] += 1

        time.sleep(3)
        before, begun = server.cpu(), time.monotonic()
        threads = [threading.Thread(target=page, daemon=True) for _ in range(20)]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        share = (server.cpu() - before) / (time.monotonic() - begun)
        print(
            f"| 20 pages on a live run, {seconds:.0f} s: {share:.1%} of a core, {drawn[0]} pages drawn | | | |",
            flush=True,
        )
        live.kill()
        live.wait()
        server.process.kill()
        server.process.wait()


_ASKED = """
from taskloom import open_suite, run_suite
from taskloom.core.execute import execute_file
from pathlib import Path
answer = execute_file(Path({path!r})).answer
run_suite(open_suite("babi/mix-t2", options={{"test": 50_000}}), model=answer, folder={out!r})
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="of fill, runs, million and live; all of them by default")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--million", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="keep the runs here; those that are there are used again")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long twenty pages follow a run")
    args = parser.parse_args()
    parts = args.parts or ["fill", "runs", "million", "live"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        if "fill" in parts or args.folder is None:
            fill(folder, args.records, args.million)
        print("| | wall s | CPU s of the server | MB |\n| --- | --- | --- | --- |")
        for part, what, runs in (
            ("runs", "15 runs", [f"runs/{model}-{number}" for model in MODELS for number in range(5)]),
            ("million", "a million", ["million"]),
        ):
            if part in parts:
                measure(folder, what, runs)
        if "live" in parts:
            follow(folder, args.seconds)
    return 0


def measure(folder: Path, what: str, runs: list[str]) -> None:
    """A server over all runs, asked about some of them."""
    server = Server(folder)
    try:
        server.measure("leaderboard, first", "/runs")
        server.measure("leaderboard, again", "/runs")
        requests(server, runs, what)
        browse(server, runs, what)
        print(f"| {what}: at most {server.memory()[1]:.0f} MB of memory | | | |", flush=True)
    finally:
        server.process.kill()
        server.process.wait()


if __name__ == "__main__":
    raise SystemExit(main())
