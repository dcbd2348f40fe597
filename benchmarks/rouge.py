"""ROUGE-L per CPU second against the `rouge-score` package, both in this process.

    python -m benchmarks.rouge [COUNT]

Texts are the copy-input predictions of Super-NI where reference data is at hand (TASKLOOM_REFERENCE), else texts
drawn from a seed. Cold: every cache is empty when the clock starts. Warm: the same texts a second time.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from time import process_time

from benchmarks.texts import drawn
from taskloom.core import keyed_random
from taskloom.score.rouge import ROUGE_L


def published(folder: Path) -> list[tuple[str, list[str]]]:
    def lines(name: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in (folder / name).read_text("utf-8").split("\n") if line]

    predictions = {line["id"]: line["prediction"] for line in lines("predictions_copy_input.jsonl")}
    pairs = [line for line in lines("references.jsonl") if line["track"] == "default"]
    keyed_random("benchmark").shuffle(pairs)
    return [(predictions[line["id"]], line["references"]) for line in pairs]


def main(count: int = 1500) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    folder = Path(os.environ.get("TASKLOOM_REFERENCE", "../shared/reference")) / "superni"
    found = folder.is_dir()
    pairs = (published(folder) if found else drawn(count))[:count]
    package = RougeScorer(["rougeL"], use_stemmer=True)

    start = process_time()
    theirs = [max(package.score(r, p)["rougeL"].fmeasure for r in refs) for p, refs in pairs]
    per_prediction = (process_time() - start) / len(pairs)

    seconds = {}
    ROUGE_L.forget()
    for label in ("cold", "warm"):
        start = process_time()
        ours = [ROUGE_L.best(p, refs) for p, refs in pairs]
        seconds[label] = (process_time() - start) / len(pairs)
    assert ours[: len(theirs)] == theirs, "the scores differ"

    print(
        f"{'Super-NI copy-input' if found else 'drawn'} texts; scores equal bit for bit on {len(theirs):,} predictions"
    )
    print(f"rouge-score   {1 / per_prediction:>12,.0f} predictions per CPU second")
    for label, each in seconds.items():
        print(f"taskloom {label} {1 / each:>12,.0f} predictions per CPU second, ratio {per_prediction / each:,.0f}x")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
