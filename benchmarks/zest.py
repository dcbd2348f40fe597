"""How fast ZEST is generated and scored.

The published evaluator is not shipped with Taskloom. The yardstick for scoring is therefore an evaluator written
for this benchmark from the rules in docs/zest.md, in the manner of the published one: plain functions over numpy
arrays, `scipy.optimize.linear_sum_assignment` for every answer however short, regular expressions for every word,
nothing remembered between answers. Both sides score the same predictions in one process
and must agree on every answer, task and type before a ratio is printed.

    python -m benchmarks.zest
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import string
import time
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from taskloom.core import open_suite
from taskloom.families.zest.score.file import FileReport, score_file
from taskloom.families.zest.score.official import gold_answers

PROMISE_SECONDS, PROMISE_RATIO = 60.0, 2.0
ANSWERS = 6_000


# ------------------------------------------------------------------ the plain evaluator


def plain_float(text: str) -> bool:
    try:
        float(text)
        return True
    except ValueError:
        return False


PUNCTUATION = set(string.punctuation)


def plain_normalise(text: str) -> str:
    pieces = []
    for raw in re.split(" |-", text):
        piece = raw.lower()
        if not plain_float(piece):
            piece = "".join(letter for letter in piece if letter not in PUNCTUATION)
        if plain_float(piece):
            piece = str(float(piece))
        pieces.append(" ".join(re.sub(r"\b(a|an|the)\b", " ", piece).split()))
    return " ".join(piece for piece in pieces if piece.strip()).strip()


def plain_pair(gold: set[str], said: set[str]) -> float:
    numbers = {word for word in gold if plain_float(word)}
    if numbers and not numbers & said:
        return 0.0
    shared = len(gold & said)
    precision = shared / len(said) if said else 1.0
    recall = shared / len(gold) if gold else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def plain_spans(said: list[str], gold: list[str]) -> float:
    bags = [[set(plain_normalise(text).split()) for text in texts] for texts in (gold, said)]
    if not said and gold:
        return 0.0
    scores = np.zeros([len(gold), len(said)])
    for row, one in enumerate(bags[0]):
        for column, other in enumerate(bags[1]):
            scores[row, column] = plain_pair(one, other)
    best = np.zeros([max(len(gold), len(said))])
    for row, column in zip(*linear_sum_assignment(-scores), strict=True):
        best[row] = max(best[row], scores[row, column])
    return float(round(np.mean(best), 2)) if len(best) else float("nan")


def plain_na(value: Any) -> bool:
    if isinstance(value, list):
        return all(plain_na(item) for item in value)
    if value is None:
        return True
    if "{" in value:
        try:
            rows = json.loads(value.replace("nan", '"n/a"'))
        except ValueError:
            return False
        return all(v is None or v.lower() in ("n/a", "na", "nan") for row in rows for v in row.values())
    return value.lower() in ("n/a", "na")


def plain_score(gold: list[str], said: Any) -> float:
    if isinstance(said, str) and "[" in said:
        with contextlib.suppress(ValueError):
            said = json.loads(said)
    if isinstance(said, list):
        said = random.choice(said)
    if not isinstance(said, str):
        return 0.0
    return max(plain_spans(said.split("|"), alternative.split("|")) for alternative in gold)


def plain_bucket(gold: Any, said: Any, score: float, lists: dict[str, list[float]]) -> None:
    name = ("tn" if plain_na(said) else "fp") if plain_na(gold) else ("fn" if plain_na(said) else "tp")
    lists[name].append(score)


def plain_row(gold: dict[str, str], said: dict[str, str]) -> float:
    texts = [[f"{k.replace('_', ' ')} {part}" for k, v in row.items() for part in v.split("|")] for row in (gold, said)]
    score = plain_spans(texts[1], texts[0])
    return -1.0 if np.isnan(score) else score


def plain_structure(gold_text: str, said_text: str, lists: dict[str, list[float]]) -> float:
    gold = json.loads(gold_text)
    mean = 0.0
    try:
        said = json.loads(said_text)
    except ValueError:
        said = None
    if not isinstance(said, list):
        said = [{}] * len(gold)
    else:
        length = max(len(gold), len(said))
        gold, said = gold + [{}] * (length - len(gold)), said + [{}] * (length - len(said))
        mean = 1.0
        if gold != said:
            free, order = list(range(length)), []
            for row in said:
                scores = [plain_row(gold[index], row) for index in free]
                order.append(free.pop(scores.index(max(scores))))
            said = [said[index] for index in order]
            mean = sum(plain_row(one, other) for one, other in zip(gold, said, strict=True)) / length
    for gold_row, said_row in zip(gold, said, strict=True):
        pairs = list(said_row.items())
        for index, (key, value) in enumerate(gold_row.items()):
            if index >= len(pairs):
                plain_bucket(value, "", 0.0, lists)
                continue
            said_key, said_value = pairs[index]
            right = "n/a" if plain_na(value) else value
            given = "n/a" if plain_na(said_value) else said_value
            key_score = plain_score([key.replace("_", " ")], said_key.replace("_", " "))
            plain_bucket(right, given, plain_score([right], given) * key_score, lists)
    return mean


def plain_evaluate(tasks: list[dict[str, Any]], lines: list[str]) -> tuple[dict[str, Any], list[list[float]]]:
    random.seed(0)
    at, table, answers = 0, [], []
    for task in tasks:
        lists: dict[str, list[float]] = {name: [] for name in ("tp", "fp", "fn", "tn")}
        scores = []
        for example in task["examples"]:
            said = lines[at].strip()
            at += 1
            gold = example["answer"] if isinstance(example["answer"], list) else [example["answer"]]
            if any("}" in alternative for alternative in gold):
                scores.append(plain_structure(gold[0], said, lists))
            else:
                scores.append(plain_score(gold, said))
                plain_bucket(gold[0], said, scores[-1], lists)
        answers.append(scores)
        precision = sum(lists["tp"]) / (len(lists["tp"]) + len(lists["fp"])) if lists["tp"] or lists["fp"] else 1.0
        recall = sum(lists["tp"]) / (len(lists["tp"]) + len(lists["fn"])) if lists["tp"] or lists["fn"] else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        table.append((task["id"], task["type"]["derives_from"][-1:], task["type"]["generalization_type"], f1))
    bases = {name: f1 for name, _, kind, f1 in table if kind == "normal"}
    counted: dict[str, list[float]] = {}
    for _, derived, kind, f1 in table:
        paired = kind in ("paraphrase", "target_semantics")
        counted.setdefault(kind, []).append(min(f1, bases[derived[0]]) if paired else f1)
    values = {kind: np.asarray(found) for kind, found in counted.items()}
    means = {kind: (v.mean(), (v >= 0.75).mean(), (v >= 0.9).mean()) for kind, v in values.items()}
    return means, answers


# --------------------------------------------------------------------------- the race

PUBLISHED = {"base": "normal", "flip": "target_semantics"}


def spoilt(answer: str, rng: random.Random) -> str:
    """A prediction with the faults models have: NA, half an answer, more than asked, broken or reordered JSON."""
    draw = rng.random()
    if draw < 0.55:
        return answer
    if draw < 0.65:
        return "n/a"
    if draw < 0.75:
        return answer[: len(answer) // 2].strip() or "n/a"
    if draw < 0.85 and answer.startswith("[{"):
        return json.dumps([*reversed(json.loads(answer)), {"name": "else"}])
    if "{" in answer:
        return answer
    return f"The {answer}." if draw < 0.9 else f"{answer}|something else"


def material(seed: int) -> tuple[list[dict[str, Any]], list[str]]:
    suite = open_suite("zest/fictional", seed=seed, options={"passages": 10})
    rng = random.Random(seed)
    tasks: dict[str, dict[str, Any]] = {}
    lines = []
    for name, instance in suite.rows("test", limit=ANSWERS):
        facets = suite.tasks[name].facets
        kind = str(facets["generalisation"])
        task = tasks.setdefault(name, {
            "id": name, "question": instance.parts["question"], "examples": [],
            "type": {"generalization_type": PUBLISHED.get(kind, kind), "domain": facets["domain"],
                     "derives_from": list(facets["derives_from"] or ())},
        })  # fmt: skip
        gold = gold_answers(instance.targets)
        task["examples"].append({"context": "", "answer": gold if len(gold) > 1 else gold[0]})
    kept = [task for task in tasks.values() if all(base in tasks for base in task["type"]["derives_from"])]
    for task in kept:
        for example in task["examples"]:
            answer = example["answer"]
            lines.append(spoilt(answer if isinstance(answer, str) else answer[0], rng))
    return kept, lines


def agree(report: FileReport, means: dict[str, Any], answers: list[list[float]]) -> None:
    assert [task.answers for task in report.tasks] == answers, "the two evaluators differ on an answer"
    for name, row in report.types.items():
        assert np.allclose((row.mean, row.c75, row.c90), means[name]), f"the two evaluators differ on {name}"


def varied(tasks: list[dict[str, Any]], seed: int) -> tuple[list[dict[str, Any]], list[str]]:
    """The same tasks with answers that never repeat, as those of people: sentences of six to twelve words."""
    rng = random.Random(seed)
    words = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "rd", "st", "lk", "ver", "ton")]

    def sentence() -> str:
        return " ".join(rng.choices(words, k=rng.randint(6, 12)))

    kept, lines = [], []
    for task in tasks:
        examples = []
        for example in task["examples"]:
            gold = example["answer"]
            text = gold if isinstance(gold, str) else gold[0]
            if text not in ("yes", "no", "n/a") and "{" not in text:
                text = sentence()
            examples.append({"context": "", "answer": text})
            plain = "{" in text or text in ("yes", "no", "n/a")
            half = text.split()
            said = text if plain else " ".join([*half[: len(half) // 2 + 1], sentence()])
            lines.append(spoilt(said, rng))
        kept.append({**task, "examples": examples})
    return kept, lines


def race(repeating: bool) -> float:
    tasks, lines = material(1)
    if not repeating:
        tasks, lines = varied(tasks, 1)
    score_file(*material(2))  # imports, and what a process pays once
    start = time.process_time()
    report = score_file(tasks, lines)
    ours = time.process_time() - start
    start = time.process_time()
    means, answers = plain_evaluate(tasks, lines)
    plain = time.process_time() - start
    agree(report, means, answers)
    rate, plain_rate = len(lines) / ours, len(lines) / plain
    kind = "that repeat" if repeating else "that never repeat"
    print(f"scoring   {len(lines):,} answers {kind}, of {len(tasks):,} tasks, both evaluators equal on every one")
    print(f"          zest/official {rate:>10,.0f} answers per CPU second")
    print(f"          plain         {plain_rate:>10,.0f} answers per CPU second")
    print(f"          ratio         {rate / plain_rate:>10.1f} (promise: {PROMISE_RATIO:g})")
    return rate / plain_rate


def generation() -> float:
    start = time.process_time()
    suite = open_suite("zest/fictional", seed=7)
    count = sum(1 for split in suite.splits for _ in suite.rows(split))
    tasks = len(list(suite.tasks.values()))
    seconds = time.process_time() - start
    print(f"generate  {tasks:,} tasks with {count:,} answers in {seconds:.1f} CPU s (promise: {PROMISE_SECONDS:g})")
    return seconds


def main() -> None:
    generation()
    race(repeating=True)
    race(repeating=False)


if __name__ == "__main__":
    main()
