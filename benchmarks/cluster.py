"""A Ray cluster of two nodes on loopback, each with a model of its own, reached through RAY_ADDRESS.

`generate`, `run`, `probe` and `study` on the cluster are compared byte for byte with one process; in the run, one node
is killed in the middle, and in the study a worker while it trains.

    python -m benchmarks.cluster [-o DIR] [--only study]
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SLOW = Path(__file__).resolve().parent.parent / "tests" / "ask" / "slow_model.py"
OWN = ("run.json", ".taskloom-files.json", "jobs.jsonl", "sweep.json")
"""Files that name the command, the folder or the worker."""


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of what a command has written."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in OWN)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def command(words: list[str], folder: Path, **environment: str) -> subprocess.Popen[bytes]:
    """Start `taskloom` in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "taskloom", *words], cwd=folder,
        env={**os.environ, "TASKLOOM_RUNS": str(folder / "runs"), **environment},
        stdout=subprocess.DEVNULL,
    )  # fmt: skip


def compared(name: str, words: list[str], root: Path, address: str, kill: object = None) -> None:
    """Run a command in one process and on the cluster, and say whether they wrote the same."""
    assert command([*words, "-o", "out"], root / name / "one").wait() == 0
    (root / "diary").unlink(missing_ok=True)
    there = [*words, "--engine", "ray", "-o", "out"]
    started = time.monotonic()
    running = command(there, root / name / "ray", RAY_ADDRESS=address)
    if callable(kill):
        kill(root / name)
    code = running.wait()
    same = contents(root / name / "one" / "out") == contents(root / name / "ray" / "out")
    print(f"{name}: exit {code}, {time.monotonic() - started:.0f} s, {'equal' if same else 'DIFFERENT'}", flush=True)


def main() -> None:
    """Start the cluster, compare, stop it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=None)
    parser.add_argument("--only", choices=("generate", "run", "probe", "study"), help="only this verb")
    args = parser.parse_args()
    from ray.cluster_utils import Cluster

    os.environ |= {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    os.environ["TASKLOOM_WITH"] = str(SLOW)  # for workers; on a real cluster, the plug-in is installed there
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    root = args.output or Path(tempfile.mkdtemp(prefix="taskloom-cluster-"))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    diary = root / "diary"
    try:
        model = ["--model", "slow/one", "-M", "seconds=0.02", "--no-cache"]

        def kill(_: Path) -> None:
            while not diary.exists() or len(diary.read_text().splitlines()) < 40:
                time.sleep(0.02)
            cluster.remove_node(second, allow_graceful=False)

        verbs = {
            "generate": (["generate", "babi/task-1", "-T", "test=400"], None),
            "run": (["run", "babi/task-1", *model, "--limit", "300", "-M", f"diary={diary}"], kill),
            "probe": (["probe", "babi/mix-t2", *model, "--budget", "80"], None),
            "study": (["study", "babi/give", "--scale", "smoke", "--runs", "runs"], kill_a_worker),
        }
        for name, (words, killing) in verbs.items():
            if args.only in (None, name):
                compared(name, words, root, cluster.address, killing)
    finally:
        cluster.shutdown()


def kill_a_worker(folder: Path) -> None:
    """Kill the first worker that has begun to write in the folder of its job."""
    while not (folder / "ray" / "out" / "study.json").exists():
        for plan in folder.glob("ray/runs/*/run.json"):
            for handle in Path("/proc").glob("[0-9]*/fd/*"):
                try:
                    if handle.readlink() == plan.parent:
                        os.kill(int(handle.parts[2]), signal.SIGKILL)
                        print(f"killed the worker of {plan.parent.name}", flush=True)
                        return
                except OSError:
                    continue  # of another user, or gone
        time.sleep(0.02)


if __name__ == "__main__":
    main()
