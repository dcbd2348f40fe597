"""Single flipped bits in bundles, runs, caches and checkpoints: each must be found, or change nothing that is read.

python -m benchmarks.flips              10,000 flips (`make flips`)
python -m benchmarks.flips --flips 300  a quick look
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

from msgspec.structs import replace

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Identity, Output, Request
from taskloom.run.check import check_run
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import ResponseCache, RunSettings
from taskloom.store.bundle import Bundle, check_bundle
from taskloom.store.manifest import FILE
from taskloom.store.seal import read_sealed, write_sealed
from taskloom.store.write import write_bundle

Probe = Callable[[], Any]
"""What a reader gets out of a folder; raises `UserError` where it finds damage."""


def small_suite(rows: int = 60) -> Suite:
    """Two tasks of short questions."""
    tasks = {name: Task(name, Instruction(f"Say {name}.")) for name in ("even", "odd")}
    made = [
        Row(name, Instance(str(n), f"{name} {n}", AnyOf((str(n % 7),)), {"size": n}))
        for n in range(rows)
        for name in tasks
    ]
    return Suite(
        "own/flips", {"rows": rows}, 3, tasks, {"test": len(made)}, lambda split: iter(made), {"size": int}, "pairs"
    )


def read_bundle(folder: Path) -> Any:
    """Everything a reader of a bundle sees."""
    suite = Bundle(folder).suite()
    return suite.name, suite.seed, dict(suite.recipe), suite.tasks, list(suite.rows("test")), suite.notes


def prove_bundle(folder: Path) -> Any:
    """What `taskloom check` says."""
    for finding in check_bundle(folder):
        raise UserError(finding.message)
    return read_bundle(folder)


def prove_run(folder: Path) -> Any:
    """What `taskloom check` says, and what a report would read."""
    for finding in check_run(folder):
        raise UserError(finding.message)
    run = load_run(folder)
    return run.plan, run.tasks, list(run.records)


def read_cache(suite: Suite, folder: Path, requests: list[Request]) -> Any:
    """What a run would take from a cache: a response that is not found is asked for again."""
    cache = ResponseCache(suite, Identity("own/model"), Generation(), {"name": "plain"}, folder)
    return [cache.get(request) for request in requests]


def older_bundle(folder: Path, new: Path) -> None:
    """A bundle as it was written before the manifest had the hash of the file of tasks."""
    copytree(new, folder)
    manifest = replace(Bundle(folder).manifest, tasks_sha256="").sealed()
    (folder / FILE).write_bytes(manifest.render())


def make_targets(root: Path) -> list[tuple[str, Path, Probe]]:
    """Folders with a file of every kind, and how each is read."""
    suite = small_suite()
    write_bundle(suite, root / "bundle")
    older_bundle(root / "older", root / "bundle")
    launch(suite, root / "run", RunSettings(model="mock/flaky", model_options={"fail": 0.1}, cache=False))
    write_results(load_run(root / "run"))
    (root / "sealed").mkdir()
    write_sealed(
        root / "sealed" / "facts.json", {"rows": 60, "of": {"even": 30, "odd": 30}, "note": "as it was written"}
    )
    requests = [Request(Prompt(f"p{n}"), suite.tasks["odd"], Instance(str(n), "", AnyOf(("x",)))) for n in range(40)]
    cache = ResponseCache(suite, Identity("own/model"), Generation(), {"name": "plain"}, root / "cache")
    cache.put([(request, Output(f"answer {n}")) for n, request in enumerate(requests)])
    targets: list[tuple[str, Path, Probe]] = [
        ("bundle, read", root / "bundle", lambda: read_bundle(root / "bundle")),
        ("bundle, checked", root / "bundle", lambda: prove_bundle(root / "bundle")),
        ("older bundle, read", root / "older", lambda: read_bundle(root / "older")),
        ("run, checked", root / "run", lambda: prove_run(root / "run")),
        ("sealed file", root / "sealed", lambda: read_sealed(root / "sealed" / "facts.json", "the file")),
        ("cache", root / "cache", lambda: read_cache(suite, root / "cache", requests)),
    ]
    try:
        import torch

        from taskloom.models.tensors import load_tensors, save_tensors
    except ImportError:
        return targets
    (root / "checkpoint").mkdir()
    file = root / "checkpoint" / "weights.safetensors"
    save_tensors(file, {"a": torch.arange(300.0), "b": torch.ones(7, 9)}, {"update": 7})

    def read_checkpoint() -> Any:
        tensors, facts, total = load_tensors(file)
        return {name: tensor.tolist() for name, tensor in tensors.items()}, facts, total

    return [*targets, ("checkpoint", root / "checkpoint", read_checkpoint)]


def outcome(probe: Probe, intact: Any, kind: str) -> str:
    """What came of one flip: found, harmless, or (what must not be) read as something else, or a crash."""
    try:
        seen = probe()
    except UserError:
        return "found"
    except Exception as error:  # noqa: BLE001 - counted and shown
        return f"crash: {type(error).__name__}: {str(error)[:80]}"
    if kind == "cache":
        # A response that is gone is asked for again; one that is another response must not be.
        return "harmless" if all(now in (None, before) for now, before in zip(seen, intact, strict=True)) else "WRONG"
    return "harmless" if seen == intact else "WRONG"


def flip(count: int, root: Path, seed: int = 0) -> Counter[tuple[str, str]]:
    """Flip `count` bits, one at a time, spread over all files."""
    rng = random.Random(seed)
    results: Counter[tuple[str, str]] = Counter()
    targets = [(name, folder, probe, probe()) for name, folder, probe in make_targets(root)]
    for number in range(count):
        name, folder, probe, intact = targets[number % len(targets)]
        files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
        path = rng.choice(files)
        whole = path.read_bytes()
        place = rng.randrange(len(whole))
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << rng.randrange(8))]) + whole[place + 1 :])
        results[name, outcome(probe, intact, name)] += 1
        path.write_bytes(whole)
        if name == "cache":
            for extra in [p for p in folder.rglob("*") if p.is_file() and p not in files]:
                extra.unlink()
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="taskloom-flips-") as folder:
        results = flip(given.flips, Path(folder), given.seed)
    for (name, what), count in sorted(results.items()):
        print(f"{name}: {what}: {count:,}")
    bad = sum(count for (_, what), count in results.items() if what not in ("found", "harmless"))
    print(f"{given.flips:,} flips, {given.flips - bad:,} found or harmless, {bad:,} not")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
