"""The same kinds of work in other packages. Runs in their environments, so nothing of Taskloom is imported.

python -m benchmarks.peer_works gym NAME SIZE | rouge SIZE | datasets SIZE | polars SIZE
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import report, timed


def gym(name: str, size: int) -> tuple[float, float, float]:
    """Rows of a reasoning-gym generator, and the characters of their questions and answers."""
    import reasoning_gym

    made = reasoning_gym.create_dataset(name, size=size + 50, seed=1)
    for index in range(50):
        made[size + index]
    rows, seconds = timed(lambda: float(sum(1 for index in range(size) if made[index])), 3)
    texts = sum(len(one["question"]) + len(str(one["answer"])) for one in map(made.__getitem__, range(size)))
    return rows, seconds, float(texts)


def rouge(size: int) -> tuple[float, float]:
    """Texts scored by the package `rouge-score`."""
    from rouge_score.rouge_scorer import RougeScorer

    from benchmarks.texts import drawn

    pairs, package = drawn(size), RougeScorer(["rougeL"], use_stemmer=True)
    return timed(lambda: float(sum(1 for text, refs in pairs if max(package.score(r, text)["rougeL"] for r in refs))))


def datasets(size: int) -> tuple[float, float]:
    """The rows of a bundle by `datasets`: from Python objects to the same columns in Parquet, no hash and no proof."""
    from datasets import Dataset

    with Path(os.environ["TASKLOOM_BENCH_ROWS"]).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]

    def columns(row: dict[str, Any]) -> dict[str, Any]:
        texts = {name: json.dumps(row[name]) for name in ("targets", "parts", "details")}
        facets = {f"facet:{name}": value for name, value in row["facets"].items()}
        return {"task": row["task"], "id": row["id"], "input": row["input"], **texts, **facets}

    def write() -> float:
        with tempfile.TemporaryDirectory() as folder:
            Dataset.from_list([columns(row) for row in rows[:size]]).to_parquet(f"{folder}/rows.parquet")
        return float(size)

    return timed(write, 3)


def polars(size: int) -> tuple[float, float]:
    """Rows of the file of a bundle as dictionaries by `polars`, nothing proved."""
    import polars as frames

    path = os.environ["TASKLOOM_BENCH_ROWS"]
    return timed(lambda: float(len(frames.read_parquet(path, n_rows=size).to_dicts())), 3)


def main() -> None:
    work, *words = sys.argv[1:]
    size = int(words[-1])
    if work == "gym":
        report(*gym(words[0], size))
    else:
        report(*{"rouge": rouge, "datasets": datasets, "polars": polars}[work](size))


if __name__ == "__main__":
    main()
