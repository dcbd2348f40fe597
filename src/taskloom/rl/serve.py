"""Items and rewards over HTTP, for trainers that run somewhere else.

    GET  /        what is served: suite, tasks, combinations, reading
    POST /items   {"n": 8}, and optionally "cell" (one combination) and "start"
    POST /score   {"items": [{"task": …, "targets": …, "completion": …, "prompt": …, "cell": …}]}

An item carries everything that scoring needs, so the server keeps nothing about it. With a curriculum, items come from
the combinations that the policy can nearly do, and every score with a `cell` moves the choice of the next ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import msgspec

from taskloom.core import Cell, Row, Suite, UserError, content_hash
from taskloom.core.catalog import combinations_of, lattice_of
from taskloom.core.decode import decode_json
from taskloom.core.encoding import Encoding, make_encoding
from taskloom.core.serving import Receive, Scope, Send, reply, to_json
from taskloom.rl.columns import pack_targets, unpack_targets
from taskloom.rl.curriculum import CELL, Curriculum
from taskloom.rl.reward import Reading, reward
from taskloom.rl.stream import endless

_MOST_ITEMS = 4_096
_CELL_ITEMS = 100_000
"""Where a combination begins anew: streams are drawn in order, and no trainer needs this many of one."""


class ItemRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a trainer asks for: `n` items, of one combination if `cell` names it, from the `start`-th on."""

    n: int = 1
    cell: str | None = None
    start: int | None = None


class Completion(msgspec.Struct, frozen=True):
    """What a policy said to an item, with the item's own fields; others are ignored."""

    task: str
    targets: Any
    completion: str
    prompt: str = ""
    cell: str | None = None


class _Scored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    items: list[Completion]


class RewardServer:
    """An ASGI application that gives items of a suite and scores what is said to them.

    Args:
        suite: The suite. Combinations and curricula need a lattice.
        reading: How completions are read.
        seed: Keys the items.
        encoding: How items are shown: the name of an encoding.
        curriculum: Choose combinations by the rewards that come back.

    Raises:
        UserError: A curriculum over a suite without combinations.
    """

    def __init__(
        self,
        suite: Suite,
        reading: Reading = "lenient",
        *,
        seed: int = 0,
        encoding: str = "chat",
        curriculum: bool = False,
    ) -> None:
        self.suite = suite
        self._reward = reward(suite, reading)
        self._seed = seed
        self._encoding: Encoding = make_encoding(encoding, {})
        self._curriculum = Curriculum(suite, seed) if curriculum else None
        self._rows = self._own_rows()

    def _own_rows(self) -> Iterator[Row]:
        if self._curriculum is not None:
            while True:
                yield from self._curriculum.draw(1)
        split = "train" if "train" in self.suite.splits else self.suite.default_split()
        yield from endless(self.suite, split, seed=self._seed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.requests import Request

        routes: dict[tuple[str, str], Callable[[bytes], dict[str, Any]]]
        routes = {("GET", "/"): self.describe, ("POST", "/items"): self.items, ("POST", "/score"): self.score}
        action = routes.get((scope["method"], scope["path"]))
        if action is None:
            known = sorted({path for _, path in routes})
            raise UserError(f"nothing is served at {scope['path']}", hint=f"there are {', '.join(known)}")
        await reply(send, 200, to_json(action(await Request(scope, receive).body())))

    def describe(self, _: bytes = b"") -> dict[str, Any]:
        """What is served, and the success that a curriculum expects of each combination."""
        cells = list(map(str, combinations_of(self.suite)))
        return {
            "suite": self.suite.name,
            "seed": self.suite.seed,
            "identity": self.suite.identity,
            "tasks": list(self.suite.tasks),
            "cells": cells,
            "reading": self._reward.reading,
            "curriculum": self._curriculum is not None,
            "rates": {} if self._curriculum is None else self._curriculum.rates(),
        }

    def items(self, body: bytes) -> dict[str, Any]:
        """Items as a trainer needs them: what to show, and what scoring needs."""
        asked = decode_json(body, where="/items", type=ItemRequest, what="the request")
        if not 1 <= asked.n <= _MOST_ITEMS:
            raise UserError(f"1 to {_MOST_ITEMS:,} items at a time, not {asked.n}", where="n")
        if asked.cell is not None:
            start = asked.start or 0
            if not 0 <= start < _CELL_ITEMS:
                raise UserError(f"0 to {_CELL_ITEMS - 1:,}, not {start}", where="start")
            rows = islice(lattice_of(self.suite).stream(Cell.parse(asked.cell), self._seed), start, start + asked.n)
        elif asked.start is not None:
            raise UserError('only items of one combination are numbered: add "cell"', where="start")
        else:
            rows = islice(self._rows, asked.n)
        return {"items": [self._shown(row, asked.cell) for row in rows]}

    def _shown(self, row: Row, cell: str | None) -> dict[str, Any]:
        task, instance = self.suite.tasks[row.task], row.instance
        prompt = self._encoding.encode(task, instance)
        own = instance.facets.get(CELL) if self._curriculum is not None else None
        shown = {
            "id": content_hash((row.task, instance.id, instance.input))[:16],
            "task": row.task,
            "prompt": prompt.text,
            "messages": [{"role": turn.role, "content": turn.content} for turn in prompt.messages],
            "targets": pack_targets(instance.targets),
            "answer": instance.targets.canonical(),
        }
        return {**shown, "cell": cell or own} if cell or own else shown

    def score(self, body: bytes) -> dict[str, Any]:
        """Rewards in order; None where a scorer failed on a completion."""
        given = decode_json(body, where="/score", type=_Scored, what="the request").items
        rewards: list[float | None] = []
        for item in given:
            if item.task not in self.suite.tasks:
                raise UserError(f"{self.suite.name} has no task {item.task!r}", where="task")
            targets = unpack_targets(item.targets)
            found = self._reward.one(self.suite.tasks[item.task], targets, item.completion, item.prompt)
            rewards.append(found)
            if self._curriculum is not None and item.cell and found is not None:
                self._curriculum.learn(item.cell, found)
        return {"rewards": rewards}
