"""What a reward costs: microseconds per short completion, in every family. `python -m benchmarks.rewards`.

Times are of the processor, for each piece the best of several passes: other work on the machine must not count.
"""

from __future__ import annotations

import time
from itertools import islice

from taskloom import open_suite
from taskloom.rl import reward
from taskloom.rl.columns import pack_targets

SUITES = ("babi/mix-t7", "taskbench/lexical", "seti/task2-trivial", "zest/fictional", "superni/embedded")
ROWS = 1_000
PIECE = 50
PASSES = 15


def main() -> None:
    print("| suite | reading | right, µs | wrong, µs | right in a sentence, µs | wrong, µs |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name in SUITES:
        suite = open_suite(name)
        rows = list(islice(suite.rows(suite.default_split()), ROWS))
        right = [row.instance.targets.canonical() for row in rows]
        columns = {
            "prompts": [row.instance.input for row in rows],
            "task": [row.task for row in rows],
            "targets": [pack_targets(row.instance.targets) for row in rows],
        }
        for reading in ("strict", "lenient", "shaped"):
            score = reward(suite, reading)
            bare = (right, right[1:] + right[:1])
            spoken = [[f"The answer is {answer}." for answer in said] for said in bare]
            costs = [_cost(score, said, columns) for said in (*bare, *spoken)]
            print(f"| {name} | {reading} | {' | '.join(f'{cost:.0f}' for cost in costs)} |", flush=True)


def _cost(score: object, said: list[str], columns: dict[str, list[object]]) -> float:
    assert callable(score)
    total = 0.0
    for start in range(0, len(said), PIECE):
        piece = {name: column[start : start + PIECE] for name, column in columns.items()}
        best = float("inf")
        for _ in range(PASSES):
            started = time.process_time()
            score(completions=said[start : start + PIECE], **piece)
            best = min(best, time.process_time() - started)
        total += best
    return total / len(said) * 1e6


if __name__ == "__main__":
    main()
