"""Super-NI at full size: indexing against json.load, and reading, encoding and scoring against the reference scoring.

    python benchmarks/superni.py [MEGABYTES]

Two collections are written to a temporary folder: one of task files shaped like the published ones (same keys, same
sizes, a bare NaN now and then) for indexing, and the 124 test tasks with 12,310 instances for the evaluation. Their
texts come from the reference sample where it is at hand (TASKLOOM_REFERENCE), else they are drawn from a seed. The
reference side is the official metric written with the `rouge-score` package, run on every tenth instance of the English
track and multiplied by ten; it needs nothing else that we would save it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

from taskloom.core import acceptable_texts, keyed_random
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.encoding import SUPERNI
from taskloom.families.superni.official import Reference, evaluate
from taskloom.families.superni.published import PublishedRecipe, build_published
from taskloom.families.superni.tracks import EVALUATION_METRICS

FILE_MEGABYTES = 1.2


def drawn_task(number: int, megabytes: float, category: str, language: str, *, least: int = 100) -> dict[str, Any]:
    rng = keyed_random("benchmark", "superni", number)
    words = ["".join(rng.choices("aeiouthrnsldcmé", k=rng.randint(2, 9))) for _ in range(3000)]

    def text(low: int, high: int) -> str:
        return " ".join(rng.choices(words, k=rng.randint(low, high)))

    instances: list[dict[str, Any]] = []
    size = 0
    while size < megabytes * 1e6 or len(instances) < least:
        asked, answers = text(20, 120), [text(1, 20) for _ in range(rng.choice([1, 1, 1, 3]))]
        name = f"task{number}-{rng.getrandbits(128):032x}"
        instances.append({"id": name, "input": asked, "output": answers})
        size += len(asked) + sum(map(len, answers)) + 150
    example = [{"input": text(20, 60), "output": text(2, 9), "explanation": text(5, 20)} for _ in range(3)]
    return {
        "Contributors": ["Someone"],
        "Source": [f"source{number}"],
        "URL": [float("nan")] if number % 14 == 0 else ["https://example.org"],
        "Categories": [category],
        "Reasoning": [],
        "Definition": [text(30, 80)],
        "Input_language": [language],
        "Output_language": [language],
        "Instruction_language": ["English"],
        "Domains": ["News"],
        "Positive Examples": example,
        "Negative Examples": example[:2],
        "Instances": instances,
        "Instance License": ["Unknown"],
    }


def write_collection(folder: Path, megabytes: int) -> None:
    """Task files like the published ones; the same forty bodies under many names, since only bytes count here."""
    (folder / "tasks").mkdir(parents=True)
    bodies = [
        json.dumps(drawn_task(number, FILE_MEGABYTES, "Translation", "English"), indent=4, ensure_ascii=False).encode()
        for number in range(40)
    ]
    written = number = 0
    while written < megabytes * 1e6:
        written += (folder / "tasks" / f"task{number:04d}_drawn.json").write_bytes(bodies[number % len(bodies)])
        number += 1


def write_test_tasks(folder: Path) -> None:
    (folder / "tasks").mkdir(parents=True)
    categories = list(EVALUATION_METRICS)
    for number in range(124):
        language = "English" if number < 98 else "Swahili"
        task = drawn_task(number, FILE_MEGABYTES, categories[number % 12], language)
        name = folder / "tasks" / f"task{number:04d}_drawn.json"
        name.write_text(json.dumps(task, indent=4, ensure_ascii=False), "utf-8")


def indexing(folder: Path) -> None:
    files = sorted((folder / "tasks").iterdir())
    megabytes = sum(file.stat().st_size for file in files) / 1e6
    every = files[:: max(1, len(files) // 60)]
    start = process_time()
    for file in every:
        with file.open(encoding="utf-8") as handle:
            json.load(handle)
    theirs = sum(file.stat().st_size for file in every) / 1e6 / (process_time() - start)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = process_time()
    collection = Collection(folder)
    ours = megabytes / (process_time() - start)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    start = process_time()
    Collection(folder)
    again = process_time() - start
    print(f"indexing {len(collection):,} files, {megabytes:,.0f} MB (peak memory grew by {grown:.0f} MB)")
    print(f"  json.load {theirs:,.0f} MB per CPU second, taskloom {ours:,.0f}, ratio {ours / theirs:.1f}x")
    print(f"  opening it again: {again:.3f} CPU seconds")


def reference_seconds(references: list[Reference], predictions: dict[str, str]) -> float:
    """The official scoring of the English track, from every tenth instance."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=True)
    english = [line for line in references if line.track == "default"]
    start = process_time()
    for line in english[::10]:
        for text in line.references:
            scorer.score(prediction=predictions[line.id], target=text)
    return (process_time() - start) * 10


def evaluation(folder: Path, origin: str) -> None:
    start = process_time()
    references: list[Reference] = []
    predictions: dict[str, str] = {}
    for track, suite in (("default", "test-en"), ("xlingual", "test-xlingual")):
        tests = build_published(suite, PublishedRecipe(path=str(folder)), 0)
        for name, instance in tests.rows("test"):
            SUPERNI.encode(tests.tasks[name], instance)
            predictions[instance.id] = instance.input
            category = str(tests.tasks[name].facets["category"])
            references.append(Reference(instance.id, list(acceptable_texts(instance.targets)), name, category, track))
    results = evaluate(references, predictions)
    ours = process_time() - start
    theirs = reference_seconds(references, predictions)
    print(f"reading, encoding and scoring {len(references):,} test instances ({origin} texts)")
    print(f"  ROUGE-L of copying the input: {results['rougeL_default_track']} / {results['rougeL_xlingual_track']}")
    print(f"  reference, scoring of the English track alone: {theirs:.2f} CPU seconds")
    print(f"  taskloom, everything in both tracks: {ours:.2f} CPU seconds, {theirs / ours:.1f} times less")


def main(megabytes: int = 400) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        os.environ["TASKLOOM_CACHE"] = str(root / "cache")
        write_collection(root / "whole", megabytes)
        indexing(root / "whole")
        sample = Path(os.environ.get("TASKLOOM_REFERENCE", "../shared/reference")) / "superni" / "sample"
        if sample.is_dir():
            evaluation(sample, "published")
        else:
            write_test_tasks(root / "test")
            evaluation(root / "test", "drawn")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
