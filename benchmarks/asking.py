"""Asking under load, on loopback: what a request costs, unlike servers as one, faults, kills.

    python -m benchmarks.asking cost [--requests 1500] [--at-once 64]
    python -m benchmarks.asking pool [--seconds 8] [--faults]
    python -m benchmarks.asking dies
    python -m benchmarks.asking killed [--requests 100000]

Servers run in a process of their own, so that their work is not counted. `cost` is the whole command
(`taskloom run … --no-cache`), CPU time of its process and children; `pool` compares with the sum of the servers' rates.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from taskloom.core import Instance, Instruction, Task, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request, open_model
from taskloom.run.results import load_run

RATES = (200, 100, 25, 6)


def serve(pipe: Any, rate: float, delay: float, faults: bool) -> None:
    """A server of at most `rate` answers a second (0: no limit), each after `delay` seconds; counts what it answers."""
    from aiohttp import web

    state = {"free": 0.0}
    rng = random.Random(7)

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        wait = delay
        if rate:
            now = time.monotonic()
            state["free"] = max(state["free"], now) + 1 / rate
            wait = state["free"] - now
        if faults:
            if rng.random() < 0.03:
                return web.json_response({"error": {"message": "overloaded"}}, status=503)
            wait *= rng.uniform(0.5, 1.5) * (20 if rng.random() < 0.02 else 1)
        await asyncio.sleep(wait)
        choice = {"message": {"content": "Answer: kitchen"}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 2}})

    async def main() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", pipe.recv(), backlog=4096)
        await site.start()
        pipe.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(main())


@contextmanager
def servers(rates: tuple[float, ...], delay: float = 0.02, *, faults: bool = False) -> Any:
    """The addresses of some servers, with their processes."""
    context, found = get_context("spawn"), []
    for rate in rates:
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, rate, delay, faults), daemon=True)
        process.start()
        ours.send(0)
        found.append((f"http://127.0.0.1:{ours.recv()}/v1", process))
    try:
        yield found
    finally:
        for _, process in found:
            process.kill()
            process.join()


def questions(count: int) -> list[Request]:
    """As many different requests."""
    task = Task("demo", Instruction("Do it."))
    return [Request(Prompt(f"Question {n}?"), task, Instance(str(n), "", any_of("x"))) for n in range(count)]


def command(url: str, folder: Path, count: int, at_once: int) -> list[str]:
    """`taskloom run` on so many questions."""
    options = ["-M", f"base_url={url}", "-M", f"concurrency={at_once}", "-T", f"test={count}", "--no-cache"]
    return [sys.executable, "-m", "taskloom", "run", "babi/task-1", "--model", "api/x", *options, "-o", str(folder)]


def cost(args: argparse.Namespace) -> None:
    """CPU seconds of the whole command, with compiled modules as an installed package has them."""
    with servers((0,)) as [(url, _)], tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {**kept, "PYTHONPYCACHEPREFIX": str(Path(folder, "compiled"))}
        subprocess.run(command(url, Path(folder, "first"), 5, 1), check=True, capture_output=True, env=environment)
        asked = command(url, Path(folder, "run"), args.requests, args.at_once)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(asked, check=True, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{args.requests:,} requests, {args.at_once} at once: {used:.2f} CPU s all in")


def pool(args: argparse.Namespace) -> None:
    """Four servers of unlike speed as one."""
    count = round(sum(RATES) * args.seconds)
    with servers(RATES, faults=args.faults) as found:
        model = open_model("api/x", {"base_url": [url for url, _ in found], "concurrency": args.at_once})
        began = time.monotonic()
        outputs = model.generate(questions(count), Generation())
        took = time.monotonic() - began
    assert all(output.state == "complete" for output in outputs)
    ideal = count / sum(RATES)
    print(f"{count:,} answers in {took:.2f} s, ideal {ideal:.2f}: {ideal / took:.3f} of the ideal")


def dies(args: argparse.Namespace) -> None:
    """The fastest server is stopped for a while (SIGSTOP, then killed) and another one starts in its place."""
    count = 1_500
    with servers((200, 100)) as found, tempfile.TemporaryDirectory() as folder:
        urls = [url for url, _ in found]
        words = command("[" + ", ".join(urls) + "]", Path(folder) / "run", count, 8)
        running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(3)
        found[0][1].kill()
        found[0][1].join()
        time.sleep(2)
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        again = context.Process(target=serve, args=(theirs, 200, 0.02, False), daemon=True)
        again.start()
        ours.send(int(urls[0].rpartition(":")[2].partition("/")[0]))
        ours.recv()
        code = running.wait()
        again.kill()
        records = load_run(Path(folder) / "run").records
        ids = [record.id for record in records]
        states = {record.state for record in records}
    print(f"exit {code}: {len(ids):,} records of {count:,}, {len(set(ids)):,} different, states {sorted(states)}")


def killed(args: argparse.Namespace) -> None:
    """A long run, killed twice with SIGKILL; the most memory of its process, and every record once."""
    most = 0
    with servers((0,), delay=0.001) as [(url, _)], tempfile.TemporaryDirectory() as folder:
        words = command(url, Path(folder) / "run", args.requests, 128)
        for kill in (True, True, False):
            running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            began, seconds = time.monotonic(), args.seconds
            while running.poll() is None and not (kill and time.monotonic() > began + seconds):
                try:
                    status = Path(f"/proc/{running.pid}/status").read_text()
                    most = max(most, int(status.partition("VmHWM:")[2].split()[0]))
                except (OSError, ValueError, IndexError):
                    break
                time.sleep(0.2)
            if running.poll() is None:
                os.kill(running.pid, signal.SIGKILL)
            running.wait()
        ids = [record.id for record in load_run(Path(folder) / "run").records]
    print(f"{len(ids):,} records of {args.requests:,}, {len(set(ids)):,} different; at most {most / 1024:.0f} MB")


def main() -> None:
    """One measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cost", "pool", "dies", "killed"))
    parser.add_argument("--requests", type=int, default=1_500)
    parser.add_argument("--at-once", type=int, default=64, help="at one address")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--faults", action="store_true", help="3 % of answers are 503, 2 % take 20 times as long")
    args = parser.parse_args()
    {"cost": cost, "pool": pool, "dies": dies, "killed": killed}[args.what](args)


if __name__ == "__main__":
    main()
