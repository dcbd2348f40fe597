"""Does a reward from Taskloom teach? Policy gradient on the combinations that a probe found missing.

A tiny reader is fitted to stories that tell nothing but moves and probed on stories that tell more (the demo's suites).
Then it practises what the probe found missing by group-relative policy gradient (the update of GRPO without a reference
model): eight sampled answers to each question, the strict score as the reward, the advantage within the group. Rows
come from the curriculum over the frontier, or from all combinations alike (`--uniform`). What is compared is the strict
score on fresh items of each failing combination, which no training row can equal, before and after, over several seeds
of fitting, practice and sampling. The control (`--control`) is the same practice with the rewards of other questions.

    python -m benchmarks.rl_proof -o DIR [--seeds 0 1 2 3 4] [--updates 400] [--uniform] [--control]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from scipy.stats import t as student

from taskloom.ask import ask_for_scores
from taskloom.cli.demo import FITTED, FITTING, PARTS, WHOLE
from taskloom.core import Row, Suite, content_hash, open_suite
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell
from taskloom.core.encoding import make_encoding
from taskloom.core.model import Generation, Request, open_model
from taskloom.core.parallel import ONE_THREAD
from taskloom.rl import Curriculum, reward
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.studies.frontier.claims import Frontier
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings

FRESH_SEED = 9_000_017
SHORTCUTS = {"majority": "always the same answer", "last": "the answer that a story mentions last"}
GROUP, QUESTIONS = 8, 128


def main() -> None:
    """Fit, probe, train by reward, measure; for every seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="*", default=list(range(5)))
    parser.add_argument("--budget", type=int, default=400, help="questions of the probe")
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--rate", type=float, default=3e-3, help="learning rate")
    parser.add_argument("--entropy", type=float, default=0.3, help="weight of the entropy, which keeps answers varied")
    parser.add_argument("--held-out", type=int, default=300, help="fresh items of each combination")
    parser.add_argument("--uniform", action="store_true", help="no curriculum: all combinations alike")
    parser.add_argument("--control", action="store_true", help="rewards of other questions: nothing can be learned")
    args = parser.parse_args()
    os.environ.update(ONE_THREAD)  # two threads wait for each other on a busy machine
    args.output.mkdir(parents=True, exist_ok=True)
    practice = "control" if args.control else "uniform" if args.uniform else "curriculum"
    found = []
    for seed in args.seeds:
        kept = args.output / f"{practice}-{seed}.json"
        if not kept.exists():
            kept.write_text(json.dumps(one_seed(seed, args), indent=1))
        found.append(json.loads(kept.read_text()))
    for kind in ("failing", "other"):
        pairs = [each[kind] for each in found if each[kind]]
        before, after = ([mean(pair[when] for pair in each.values()) for each in pairs] for when in (0, 1))
        print(f"{kind} combinations: {mean(before):.3f} -> {mean(after):.3f}, gain {interval(before, after)}")
    for shortcut in ("majority", "last"):
        print(f"{SHORTCUTS[shortcut]}: {max(each[shortcut] for each in found):.3f} at most")
    print(f"{sum(each['cpu'] for each in found):.0f} CPU s for {len(found)} seeds")


def interval(before: list[float], after: list[float]) -> str:
    """The mean gain over seeds, with its 95 % interval by Student's t."""
    gains = [two - one for one, two in zip(before, after, strict=True)]
    if len(gains) < 2:
        return f"{mean(gains):+.3f}"
    half = student.ppf(0.975, len(gains) - 1) * stdev(gains) / len(gains) ** 0.5
    return f"{mean(gains):+.3f} [{mean(gains) - half:+.3f}, {mean(gains) + half:+.3f}] over {len(gains)} seeds"


def one_seed(seed: int, args: argparse.Namespace) -> dict[str, Any]:
    """Everything once: scores of the failing and of the mastered combinations, before and after."""
    started = time.process_time()
    parts, suite = (open_suite(name, seed=seed, options=options) for name, options in (PARTS, WHOLE))
    fitted = args.output / f"fitted-{seed}"
    settings = RunSettings(model=FITTED, adapt="finetune", adapt_options=FITTING, run_seed=seed, limit=100)
    launch(parts, fitted, settings)
    found = probe_model(
        suite, args.output / f"probe-{seed}", RunSettings(model=f"run/{fitted}"), SearchSettings(budget=args.budget)
    )
    asked = {Cell(cell.question, cell.atoms): cell.share for cell in found.cells if cell.share.n}
    failing = [cell for cell, share in asked.items() if share.high < 0.8]
    others = [cell for cell in asked if cell not in failing]
    model: Any = open_model(f"run/{fitted}").form_for("train")
    model.extend(model.new_in(suite, list(suite.splits)))
    held_out = {cell: fresh(suite, cell, args.held_out) for cell in asked}
    before = {cell: score(model, suite, rows) for cell, rows in held_out.items()}
    apart = {content_hash(row.instance.input) for rows in held_out.values() for row in rows}
    rewards = train(model, suite, found, apart, seed, args)
    after = {cell: score(model, suite, rows) for cell, rows in held_out.items()}
    told = {
        name: {str(cell): (before[cell], after[cell]) for cell in cells}
        for name, cells in (("failing", failing), ("other", others))
    }
    for name, scores in told.items():
        for cell, (one, two) in scores.items():
            print(f"seed {seed}, {name} {cell}: {one:.3f} -> {two:.3f} (n = {args.held_out})", flush=True)
    shortcuts = {
        "majority": max(map(most_common, held_out.values())),
        "last": max(mentioned_last(rows, model.labels) for rows in held_out.values()),
    }
    return {"seed": seed, **told, **shortcuts, "rewards": rewards, "cpu": time.process_time() - started}


def fresh(suite: Suite, cell: Cell, count: int) -> list[Row]:
    """Items of a combination from a stream that nothing else draws from."""
    return list(islice(lattice_of(suite).stream(cell, FRESH_SEED), count))


def most_common(rows: list[Row]) -> float:
    """What always giving the commonest answer to some items would score."""
    return Counter(row.instance.targets.canonical() for row in rows).most_common(1)[0][1] / len(rows)


def mentioned_last(rows: list[Row], labels: tuple[str, ...]) -> float:
    """What always giving the answer whose name comes last in the story would score."""
    return mean(max(labels, key=row.instance.input.rfind) == row.instance.targets.canonical() for row in rows)


def requests(suite: Suite, rows: list[Row]) -> list[Request]:
    """Each row as a fitted model is asked it."""
    encoding = make_encoding("plain", {})
    tasks = suite.tasks
    return [Request(encoding.encode(tasks[row.task], row.instance), tasks[row.task], row.instance) for row in rows]


def score(model: Any, suite: Suite, rows: list[Row]) -> float:
    """The strict score of its likeliest answers."""
    return mean(ask_for_scores(model, requests(suite, rows), Generation(max_tokens=8)))


def train(model: Any, suite: Suite, found: Frontier, apart: set[str], seed: int, args: Any) -> list[float]:
    """Policy gradient; the mean reward of every twentieth part."""
    import torch

    curriculum = Curriculum(suite, 77 + seed, explore=1.0 if args.uniform else 0.5)
    for cell in () if args.uniform else found.cells:
        if cell.share.n:
            curriculum.counts[Cell(cell.question, cell.atoms)] = (cell.share.value * cell.share.n, float(cell.share.n))
    judge = reward(suite, "strict")
    optimiser = torch.optim.AdamW(model.module.parameters(), lr=args.rate)
    faded = [min(1.0, (args.updates - update) / (0.3 * args.updates)) for update in range(args.updates + 1)]
    fading = torch.optim.lr_scheduler.LambdaLR(optimiser, faded.__getitem__)
    drawing, shuffling, rewards = torch.Generator().manual_seed(seed), random.Random(seed), []
    for update in range(args.updates):
        rows = [row for row in curriculum.draw(QUESTIONS) if content_hash(row.instance.input) not in apart]
        asked = requests(suite, rows)
        model.module.train()
        beliefs = model.module(**model.encode_instances([row.instance for row in rows])).logits.log_softmax(-1)
        picks = torch.multinomial(beliefs.detach().exp(), GROUP, replacement=True, generator=drawing)
        said = [model.labels[pick] for pick in picks.flatten().tolist()]
        many = [one for one in asked for _ in range(GROUP)]
        values = judge(
            completions=said, task=[one.task.name for one in many], targets=[one.instance.targets for one in many]
        )
        points = torch.tensor([value or 0.0 for value in values]).reshape(-1, GROUP)
        for row, value in zip(rows, points.mean(dim=1).tolist(), strict=True):
            curriculum.learn(row.instance.facets["cell"], value)
        rewards.append(points.mean().item())
        if args.control:
            points = points[shuffling.sample(range(len(rows)), len(rows))]
        advantage = points - points.mean(dim=1, keepdim=True)
        entropy = -(beliefs.exp() * beliefs).sum(dim=1).mean()
        loss = -(beliefs.gather(1, picks) * advantage).mean() - args.entropy * faded[update] * entropy
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.module.parameters(), 1.0)
        optimiser.step()
        fading.step()
    model.module.eval()
    model.refresh()
    step = max(1, args.updates // 20)
    return [round(mean(rewards[start : start + step]), 3) for start in range(0, len(rewards), step)]


if __name__ == "__main__":
    main()
