"""Does a reward from Taskloom teach? Policy gradient on the combinations that a probe found missing.

A tiny model is fitted to a part of a suite, probed, and then trained by group-relative policy gradient (the update of
GRPO without a reference model): eight sampled answers to each question, the strict score as the reward, the advantage
within the group. Rows come from the curriculum over the frontier, or from all combinations alike (`--uniform`). What is
compared is the strict score on fresh items of the weakest probed combinations, which no training row can equal.

    python -m benchmarks.rl_proof -o DIR [--suite seti/task1-trivial] [--updates 150] [--uniform]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from taskloom.ask import ask_for_scores
from taskloom.core import Row, Suite, content_hash, open_suite
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell
from taskloom.core.encoding import make_encoding
from taskloom.core.model import Generation, Request, open_model
from taskloom.core.parallel import ONE_THREAD
from taskloom.rl import Curriculum, reward
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.score.stats import wilson
from taskloom.studies.frontier.claims import Frontier
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings

FRESH_SEED = 9_000_017
GROUP, QUESTIONS = 8, 16


def main() -> None:
    """Fit, probe, train by reward, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--suite", default="seti/task1-trivial")
    parser.add_argument("--model", default="tiny/t5-1m")
    parser.add_argument("--shots", type=int, default=600, help="training rows of the fitted model")
    parser.add_argument("--budget", type=int, default=600, help="questions of the probe")
    parser.add_argument("--updates", type=int, default=150)
    parser.add_argument("--rate", type=float, default=2e-4, help="learning rate")
    parser.add_argument("--held-out", type=int, default=200, help="fresh items of each combination")
    parser.add_argument("--uniform", action="store_true", help="no curriculum: all combinations alike")
    args = parser.parse_args()
    os.environ.update(ONE_THREAD)  # two threads wait for each other on a busy machine
    suite = open_suite(args.suite, seed=1)
    started = time.process_time()
    options = {"shots": args.shots, "epochs": 20, "batch": 32, "learning_rate": 1e-3, "dev": "none", "keep": "last"}
    fitted = RunSettings(
        model=args.model, model_options={"tokenizer": "words"}, adapt="finetune", adapt_options=options, limit=20
    )
    launch(suite, args.output / "fitted", fitted)
    name = f"run/{args.output / 'fitted'}"
    found = probe_model(
        suite, args.output / "probe", RunSettings(model=name, protocol="fitted"), SearchSettings(budget=args.budget)
    )
    cells = weakest(suite, found)
    model: Any = open_model(name).form_for("train")
    held_out = {str(cell): fresh(suite, cell, args.held_out) for cell in cells}
    before = {cell: score(model, suite, rows) for cell, rows in held_out.items()}
    apart = {content_hash(row.instance.input) for rows in held_out.values() for row in rows}
    report = {"suite": suite.name, "model": args.model, "cells": list(held_out), "n": args.held_out}
    report |= {"cpu_fitted_and_probed": round(time.process_time() - started, 1), "before": before}
    started = time.process_time()
    report["rewards"] = train(model, suite, found, apart, args)
    report["after"] = {cell: score(model, suite, rows) for cell, rows in held_out.items()}
    report["cpu_training"] = round(time.process_time() - started, 1)
    (args.output / "rl_proof.json").write_text(json.dumps(report, indent=1))
    for cell in held_out:
        print(f"{cell}: {before[cell]:.3f} -> {report['after'][cell]:.3f} (n = {args.held_out})")
    means = [sum(values.values()) / len(values) for values in (before, report["after"])]
    n = args.held_out * len(held_out)
    shown = [f"{mean:.3f} {_shown(wilson(round(mean * n), n))}" for mean in means]
    answers = {majority_answer(rows) for rows in held_out.values()}
    print(f"together: {shown[0]} -> {shown[1]}; always the same answer: {1 / len(answers):.3f}")
    print(f"{report['cpu_fitted_and_probed']} CPU s to fit and probe, {report['cpu_training']} to train by reward")


def _shown(bounds: Any) -> str:
    low, high = bounds[-2:]
    return f"[{low:.3f}, {high:.3f}]"


def weakest(suite: Suite, found: Frontier, most: int = 2) -> list[Cell]:
    """The probed combinations with the lowest share, as many of each answer.

    In some suites all items of a combination have the same answer; over these together, always saying the same gets one
    half, so a higher mean is no bias.
    """
    asked = sorted((cell for cell in found.cells if cell.share.n >= 4), key=lambda cell: cell.share.value)
    by_answer: dict[str, list[Cell]] = {}
    for cell in (Cell(each.question, each.atoms) for each in asked):
        answers = Counter(row.instance.targets.canonical() for row in fresh(suite, cell, 20))
        by_answer.setdefault(answers.most_common(1)[0][0], []).append(cell)
    return [cell for cells in by_answer.values() for cell in cells[:most]]


def fresh(suite: Suite, cell: Cell, count: int) -> list[Row]:
    """Items of a combination from a stream that nothing else draws from."""
    return list(islice(lattice_of(suite).stream(cell, FRESH_SEED), count))


def majority_answer(rows: list[Row]) -> str:
    """The commonest answer to some items."""
    return Counter(row.instance.targets.canonical() for row in rows).most_common(1)[0][0]


def requests(suite: Suite, rows: list[Row], samples: int = 1) -> list[Request]:
    """Each row as a fitted model is asked it."""
    encoding = make_encoding("plain", {})
    return [
        Request(encoding.encode(suite.tasks[row.task], row.instance), suite.tasks[row.task], row.instance, sample)
        for row in rows
        for sample in range(samples)
    ]


def score(model: Any, suite: Suite, rows: list[Row]) -> float:
    """The strict score of greedy answers."""
    scores = ask_for_scores(model, requests(suite, rows), Generation(max_tokens=8))
    return sum(scores) / len(scores)


def train(model: Any, suite: Suite, found: Frontier, apart: set[str], args: argparse.Namespace) -> list[float]:
    """Policy gradient; the mean reward of every tenth update."""
    import torch

    curriculum = Curriculum(suite, 77, explore=1.0 if args.uniform else 0.1)
    for cell in () if args.uniform else found.cells:
        if cell.share.n:
            curriculum.counts[Cell(cell.question, cell.atoms)] = (cell.share.value * cell.share.n, float(cell.share.n))
    judge = reward(suite, "strict")
    optimiser = torch.optim.AdamW(model.module.parameters(), lr=args.rate)
    rewards = []
    for update in range(args.updates):
        rows = [row for row in curriculum.draw(QUESTIONS) if content_hash(row.instance.input) not in apart]
        asked = requests(suite, rows, GROUP)
        said = [output.text for output in model.generate(asked, Generation(max_tokens=8, temperature=1.0, seed=update))]
        values = judge(
            completions=said, task=[one.task.name for one in asked], targets=[one.instance.targets for one in asked]
        )
        points = torch.tensor([value or 0.0 for value in values]).reshape(-1, GROUP)
        for row, mean in zip(rows, points.mean(dim=1).tolist(), strict=True):
            curriculum.learn(row.instance.facets["cell"], mean)
        rewards.append(points.mean().item())
        advantage = (points - points.mean(dim=1, keepdim=True)) / (points.std(dim=1, keepdim=True) + 1e-4)
        useful = [place for place, value in enumerate(advantage.flatten().tolist()) if abs(value) > 1e-3]
        if not useful:
            continue
        model.module.train()
        batch = model.collate([asked[place] for place in useful], [said[place] for place in useful])
        logits = model.module(**batch).logits.log_softmax(-1)
        labels = batch["labels"]
        chosen = logits.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1) * (labels >= 0)
        loss = -(chosen.sum(dim=1) * advantage.flatten()[useful]).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.module.parameters(), 1.0)
        optimiser.step()
        model.module.eval()
    model.refresh()
    return [
        round(sum(rewards[start : start + 10]) / len(rewards[start : start + 10]), 3)
        for start in range(0, len(rewards), 10)
    ]


if __name__ == "__main__":
    main()
