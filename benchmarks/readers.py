"""Servers on loopback that say right answers, wrong ones and hedges in many styles: `python -m benchmarks.readers`.

Each instance is asked over HTTP under the chat protocol and answered in one of the styles of `tests/score`. The table
gives the lenient reading (for graded scorers, against the strict reading of the bare answer; two answers to a task that
asks for a list are a list, and measured against the strict reading of that list). `--cost` measures reading alone
(`readers_cost`).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "score"))

from styles import ROUNDS, Round, parts_of, say, whole

from taskloom.ask import judge_answer
from taskloom.core import Instance, Row, Suite, Task, open_suite
from taskloom.core.catalog import SCORERS
from taskloom.run.runner import run_suite

FAMILIES = {
    "babi": ("babi/mix-t12", "babi/task-15", "babi/task-17", "babi/task-19", "babi/task-20"),
    "seti": ("seti/task1-trivial",),
    "superni": ("superni/embedded",),
    "taskbench": ("taskbench/500",),
    "zest": ("zest/fictional",),
}


@cache
def sample(name: str, count: int) -> tuple[Suite, list[Row]]:
    """A suite of `count` rows drawn from all over the test split, with inputs that are all different."""
    suite = open_suite(name, seed=0)
    split = suite.default_split()
    rows = []
    for row in suite.draw(split):
        rows.append(row)
        if len(rows) >= 40_000:
            break
    Random(0).shuffle(rows)
    kept = list({row.instance.input: row for row in rows}.values())[:count]

    def draw(asked: str) -> Iterator[Row]:
        return iter(kept if asked == split else ())

    return replace(suite, draw=draw, splits={n: len(kept) if n == split else 0 for n in suite.splits}), kept


def strict(task: Task, instance: Instance, text: str) -> float:
    """The score of a bare answer to the letter."""
    return float(SCORERS.get(task.scorer).score(text, instance.targets, task).value)


def wrong_answer(task: Task, row: Row, rows: list[Row], random: Random) -> list[str]:
    """Another answer of the same kind that is wrong: another label, or the answer to another instance."""
    if task.labels:
        return [next(label for label in task.labels if strict(task, row.instance, label) == 0.0)]
    same = [other for other in rows if other.task == row.task and other is not row]
    random.shuffle(same)
    for other in same:
        parts = parts_of(other.instance)
        if strict(task, row.instance, whole(parts, task)) == 0.0:
            return parts
    return ["4711" if task.kind == "number" else "zebra"]


class ServedModel:
    """A chat server that looks the last message up in a table."""

    def __init__(self, answers: dict[str, str]) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                said = answers[body["messages"][-1]["content"]]
                choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
                data = json.dumps({"choices": [choice], "usage": {}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"


class Said(NamedTuple):
    """What a server says to one row, and what the same answer is worth to the letter."""

    text: str
    worth: float


def answers_of(suite: Suite, row: Row, rows: list[Row], random: Random, style: str, hedge: str) -> dict[str, Said]:
    """The right answer and a wrong one in a style, and a hedge between them."""
    task, instance = suite.tasks[row.task], row.instance
    right, wrong = parts_of(instance), wrong_answer(task, row, rows, random)
    hedged = say(hedge, right, task, instance, whole(wrong, task))
    # Two answers to a task that asks for a list are a list; scorers that give part marks give them for what was said.
    listed = strict(task, instance, whole([*wrong, *right], task)) if task.kind == "items" and "⟨w⟩" in hedge else 0.0
    listed = max(listed, strict(task, instance, hedged)) if task.scorer.startswith("zest") else listed
    return {
        "right": Said(say(style, right, task, instance), strict(task, instance, whole(right, task)) - 1.0),
        "wrong": Said(say(style, wrong, task, instance), strict(task, instance, whole(wrong, task))),
        "hedged": Said(hedged, listed),
    }


def measure(family: str, count: int, styles: list[str], hedges: list[str], folder: Path) -> str:
    """One row of the table: each instance is asked over HTTP and answered in one of the styles."""
    cells: dict[str, list[float]] = {"right": [], "wrong": [], "hedged": []}
    for suite_name in FAMILIES[family]:
        suite, rows = sample(suite_name, count // len(FAMILIES[family]))
        random = Random(1)
        said = [
            answers_of(suite, row, rows, random, styles[number % len(styles)], hedges[number % len(hedges)])
            for number, row in enumerate(rows)
        ]
        worth = {(row.task, row.instance.id): given for row, given in zip(rows, said, strict=True)}
        for server in cells:
            texts = {row.instance.input: given[server].text for row, given in zip(rows, said, strict=True)}
            served = ServedModel(texts)
            run = run_suite(
                suite, model="api/styles", model_options={"base_url": served.url}, cache=False,
                folder=folder / f"{suite_name.replace('/', '-')}-{server}", protocol="chat",
            )  # fmt: skip
            served.server.shutdown()
            cells[server] += [(record.score or 0.0) - worth[record.key][server].worth for record in run.records]
            assert all(record.state != "errored" for record in run.records), run.records[0].error
    return _line(family, cells)


def measure_directly(family: str, count: int, styles: list[str], hedges: list[str]) -> str:
    """One row of the table without a server: every style and every hedge on every row."""
    cells: dict[str, list[float]] = {"right": [], "wrong": [], "hedged": []}
    for suite_name in FAMILIES[family]:
        suite, rows = sample(suite_name, count // len(FAMILIES[family]))
        random = Random(1)
        for row in rows:
            task, instance = suite.tasks[row.task], row.instance
            for number in range(max(len(styles), len(hedges))):
                style, hedge = styles[number % len(styles)], hedges[number % len(hedges)]
                for server, given in answers_of(suite, row, rows, random, style, hedge).items():
                    if number < len(hedges if server == "hedged" else styles):
                        score = judge_answer(task, instance, given.text).score or 0.0
                        cells[server].append(score - given.worth)
    return _line(family, cells)


def _line(family: str, cells: dict[str, list[float]]) -> str:
    means = [sum(values) / len(values) for values in cells.values()]
    return f"| {family} | {len(cells['right'])} | " + " | ".join(f"{mean:.4f}" for mean in means) + " |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--round", action="append", default=[], choices=[written.name for written in ROUNDS])
    parser.add_argument("--direct", action="store_true", help="no server: every style on every row")
    parser.add_argument("--cost", action="store_true")
    args = parser.parse_args()
    if args.cost:
        from benchmarks.readers_cost import cost, cost_of_new_texts, cost_of_styles

        cost()
        cost_of_new_texts()
        cost_of_styles()
        return
    chosen = [written for written in ROUNDS if written.name in args.round]
    for name, styles, hedges in chosen or [every_round()]:
        print(f"\n{name}\n\n| family | n | right | wrong | hedged |\n| --- | --: | --: | --: | --: |", flush=True)
        for family in args.family or FAMILIES:
            if args.direct:
                print(measure_directly(family, args.n, styles, hedges), flush=True)
                continue
            with tempfile.TemporaryDirectory() as folder:
                print(measure(family, args.n, styles, hedges, Path(folder)), flush=True)


def every_round() -> Round:
    """All styles and hedges."""
    return Round(
        "all", [one for each in ROUNDS for one in each.styles], [one for each in ROUNDS for one in each.hedges]
    )


if __name__ == "__main__":
    main()
