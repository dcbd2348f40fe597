"""What lenient reading costs: `python -m benchmarks.readers --cost`.

Times are CPU time of the thread. They grow with the load of the machine, so each table begins with what a million
additions in a loop cost at the same time.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time, thread_time_ns

from benchmarks.readers import FAMILIES, every_round, sample
from taskloom.core import Reader, Task, open_suite
from taskloom.core.catalog import READERS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "score"))

from styles import parts_of, say

ORDINARY = (
    "The answer is **⟨a⟩**.", "Sure! The answer is ⟨a⟩ right now.", "Based on the story, I'd say ⟨a⟩.",
    "⟨a⟩ — that's where it ends", "```⟨a⟩```", '{"answer": ⟨j⟩}', "So, to sum up: ⟨a⟩", "⟨r⟩", "Sure! ⟨r⟩",
    "I believe the correct answer is ⟨a⟩.", "**Answer:** ⟨a⟩", "Final answer: ⟨a⟩",
    'The correct answer would be: "⟨a⟩"', "After reading the text carefully: ⟨a⟩.",
    "Answer: ⟨a⟩\n\nLet me know if you need anything else!", "⟨A⟩!", "It's ⟨a⟩, I'm fairly confident.",
    "Okay, so the answer is ⟨a⟩.", "Therefore, the answer is ⟨a⟩.", "\\boxed{⟨a⟩}", "<answer>⟨a⟩</answer>",
    "My answer: *⟨a⟩*", "Great question! It is ⟨a⟩.", "⟨A⟩ is the answer.", "Looking at the input, we get ⟨a⟩.",
    "> ⟨a⟩", "- ⟨a⟩", "Here is the answer:\n\n⟨a⟩", "⟨a⟩ ✅", "Result → ⟨a⟩",
)  # fmt: skip
"""Thirty ordinary short ways to say an answer."""
_MOST_WORDS = 15


def _seconds(reader: Reader, text: str, task: Task, prompt: str, rounds: int) -> float:
    begin = process_time()
    for _ in range(rounds):
        reader.read(text, task, prompt)
    return process_time() - begin


def cost() -> None:
    """Microseconds of processor time for reading answers of several lengths, the best of five rounds."""
    suite = open_suite("babi/task-1", seed=0)
    row = next(iter(suite.draw("test")))
    task, prompt = suite.tasks[row.task], row.instance.input
    reader = READERS.get("lenient")
    texts = [
        "office",
        "Office.",
        "**office**",
        "The answer is office.",
        "I think it's the office.",
        "Answer: **office**",
    ]
    texts += ["Answer: **office**", "Daniel is in the office.", "Sure! The answer is office. Hope that helps!"]
    texts += ["Daniel went to the office. " * length for length in (10, 100, 1000)]
    for text in texts:
        rounds = max(3, 4_000 // max(1, len(text) // 10))
        best = min(_seconds(reader, text, task, prompt, rounds) for _ in range(5))
        print(f"{len(text):>7} characters {1e6 * best / rounds:10.1f} µs  {text[:44]!r}")


def cost_of_styles(rows_of_family: int = 20, longest: int = 60) -> None:
    """Microseconds for every short style on rows of each family, each read once: how most wordings cost at first."""
    reader = READERS.get("lenient")
    print(f"\n| family | short answers | median µs | mean µs | 80 % below |\n{'| --- ' + '| --: ' * 4}|")
    for family, names in FAMILIES.items():
        spent: list[float] = []
        for name in names:
            suite, rows = sample(name, rows_of_family // len(names))
            for row, style in ((row, style) for row in rows for style in every_round().styles):
                task, instance = suite.tasks[row.task], row.instance
                text = say(style, parts_of(instance), task, instance)
                if len(text) <= longest:
                    spent.append(1e6 * _seconds(reader, text, task, instance.input, 1))
        spent.sort()
        median, most, mean = spent[len(spent) // 2], spent[len(spent) * 4 // 5], sum(spent) / len(spent)
        print(f"| {family} | {len(spent)} | {median:.0f} | {mean:.0f} | {most:.0f} |", flush=True)


def _loop() -> float:
    """Milliseconds for a million additions in a loop."""
    begin, total = thread_time_ns(), 0
    for number in range(1_000_000):
        total += number
    return (thread_time_ns() - begin) / 1e6


def _ordinary(family: str, count: int, *, all_styles: bool) -> Iterator[tuple[str, Task, str]]:
    """Short outputs with their tasks and prompts, each row in one of the styles or in all of them."""
    for name in FAMILIES[family]:
        suite, rows = sample(name, count // len(FAMILIES[family]))
        for number, row in enumerate(rows):
            for style in ORDINARY if all_styles else [ORDINARY[number % len(ORDINARY)]]:
                task, instance = suite.tasks[row.task], row.instance
                text = say(style, parts_of(instance), task, instance)
                if len(text.split()) <= _MOST_WORDS:
                    yield text, task, instance.input


def cost_of_new_texts(count: int = 500) -> None:
    """Microseconds for ordinary short outputs, none of which was read before, with as many prompts as rows."""
    reader = READERS.get("lenient")
    print(f"\n{_loop():.0f} ms for a million additions\n")
    print("| family | styles per row | texts | median µs | mean µs |\n| --- | --: | --: | --: | --: |")
    for family in FAMILIES:
        for styles in (1, len(ORDINARY)):
            spent = []
            cases = list(_ordinary(family, count, all_styles=styles > 1))
            gc.collect()
            gc.disable()
            for text, task, prompt in cases:
                begin = thread_time_ns()
                reader.read(text, task, prompt)
                spent.append((thread_time_ns() - begin) / 1e3)
            gc.enable()
            mean = sum(spent) / len(spent)
            print(f"| {family} | {styles} | {len(spent)} | {median(spent):.1f} | {mean:.1f} |", flush=True)
