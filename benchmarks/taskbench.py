"""Speed of the taskbench family: the scorer, lexical functions, the published list. CPU time, one run.

Run with `PYTHONPATH=src python -m benchmarks taskbench`, or `python benchmarks/taskbench.py RESOURCES` to add the full
resources in a folder. The published generator needs a Wikidata server and cannot run here, so the lexical part is
measured against looking words up one by one, and the scorer against listing all segmentations.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path

from taskloom.core import Instruction, Product, Task, open_suite
from taskloom.families.taskbench.engines import Engines
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.score.match import WORDS, best_segmentation, fold_all
from taskloom.store.write import write_bundle


def cpu(work: Callable[[], object], times: int = 1) -> float:
    start = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - start) / times


def scorer() -> None:
    task = Task("t", Instruction("d"))
    slots = tuple(tuple(f"word{i} alt{j}" if j % 3 else f"w{i}x{j}" for j in range(1000)) for i in range(50))
    for separator in (" ", " # "):
        answer = separator.join(slot[7] for slot in slots)
        took = cpu(lambda s=separator, a=answer: WORDS.score(a, Product(slots, s), task), 10)
        print(f"score 50 words x 1,000 alternatives, separator {separator!r:5}  {1000 * took:7.1f} ms")
    small = [fold_all([f"a{i} b", f"c{i}"]) for i in range(8)]
    tokens = " ".join(f"a{i} b" if i % 2 else f"c{i}" for i in range(8)).split() + ["x"] * 4

    def listed() -> int:
        best = 0
        for cut in combinations(range(1, len(tokens)), len(small) - 1):
            ends = (0, *cut, len(tokens))
            words = [" ".join(tokens[a:b]) for a, b in pairwise(ends)]
            best = max(best, sum(word in slot for word, slot in zip(words, small, strict=True)))
        return best

    assert listed() == best_segmentation(tokens, small)
    slow, fast = cpu(listed), cpu(lambda: best_segmentation(tokens, small), 50)
    print(
        f"8 words in 16 tokens: all segmentations {1000 * slow:.1f} ms, here {1000 * fast:.3f} ms  x{slow / fast:,.0f}"
    )


def lexical() -> None:
    engines = Engines(TaskBenchRecipe(knowledge="none", most_outputs=0), 0)
    engine = engines.lexical
    lexicon, words = engine.lexicon, engine.vocabulary["eng"]
    for name in ("synonyms", "hypernyms", "hyponyms"):
        engine.relation(parse(f"{name}[eng](antonyms[eng])"))  # links are computed once
        one = cpu(lambda n=name: [getattr(lexicon, n)(word) for word in words])
        fresh = Engines(TaskBenchRecipe(knowledge="none", most_outputs=0), 0).lexical
        fresh._links = engine._links
        fresh._languages = engine._languages
        whole = cpu(lambda n=name, e=fresh: e.relation(parse(f"{n}[eng]")))
        print(f"{name:10} of {len(words):,} words: one by one {one:.2f} s, at once {whole:.2f} s  x{one / whole:.1f}")


def published(resources: str = "") -> None:
    with tempfile.TemporaryDirectory() as folder:
        suite = open_suite("taskbench/500", options={"resources": resources})
        start = time.perf_counter()
        took = cpu(lambda: write_bundle(suite, Path(folder) / "bundle"))
        wall = time.perf_counter() - start
    states = [one["state"] for one in suite.notes["status"]]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"taskbench/500 on {'the full resources' if resources else 'the embedded data'}: {took:.0f} s CPU, "
        f"{wall:.0f} s wall, at most {memory:.2f} GB; {states.count('built')} of {len(states)} listed tasks built"
    )


def main() -> None:
    scorer()
    lexical()
    published()
    if len(sys.argv) > 1 and Path(sys.argv[-1]).is_dir():
        published(sys.argv[-1])


if __name__ == "__main__":
    main()
