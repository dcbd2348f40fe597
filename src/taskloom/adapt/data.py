"""Training data: which rows, which answers, and which examples form the batch of update n.

Everything is a function of (seed, meaning): the examples chosen for a number of shots, the order of an
epoch, the batch of an update. So a continued adaptation needs no random state, and the batches of a
task are the same whether it is trained alone or together with others.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from math import ceil
from random import Random

from taskloom.adapt.settings import TrainingSettings, matching_tasks
from taskloom.core import Product, Row, Suite, Targets, UserError, digest, keyed_random
from taskloom.core.blocks import apportion
from taskloom.core.encoding import Encoding
from taskloom.core.model import Model, Request

_BUCKET_BATCHES = 32

_UPDATE_COST, _ROW_COST = 3.0, 2.0
"""Work per example of an update and per row of an evaluation, in forward passes over one example."""
_SPLITS = 3
_FEWEST_ROWS, _MOST_ROWS = 32, 200


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A request and the answer trained on."""

    request: Request
    target: str


@dataclass(frozen=True)
class Material:
    """What one adaptation learns from and is looked at with.

    Attributes:
        train: The training examples, in the order of the split.
        watched: Rows asked at every evaluation, by `train`, `dev` and `test` (those that exist).
    """

    train: list[TrainingExample]
    watched: dict[str, list[Request]]


def choose_target(targets: Targets, random: Random) -> str:
    """One acceptable answer, every one as likely as the others (a product is drawn slot by slot)."""
    if isinstance(targets, Product):
        return targets.separator.join(random.choice(slot) for slot in targets.slots)
    options: Sequence[str] = getattr(targets, "answers", ())
    return random.choice(options) if options else targets.canonical()


def _pick(rows: Iterable[Row], count: int | None, *key: str | int) -> list[Row]:
    """`count` rows of each task, chosen by hash: the same in any order, and nested for smaller counts."""
    kept: dict[str, list[tuple[int, int, Row]]] = defaultdict(list)
    for position, row in enumerate(rows):
        rank = int.from_bytes(digest(*key, row.task, row.instance.id), "big")
        heap = kept[row.task]
        if count is None or len(heap) < count:
            heapq.heappush(heap, (-rank, position, row))
        else:
            heapq.heappushpop(heap, (-rank, position, row))
    chosen = sorted((position, row) for heap in kept.values() for _, position, row in heap)
    return [row for _, row in chosen]


def _some(rows: list[Row], count: int, *key: str | int) -> list[Row]:
    """`count` rows out of all tasks, chosen by hash, in their old order."""
    ranked = sorted(range(len(rows)), key=lambda i: digest(*key, rows[i].task, rows[i].instance.id))
    return [rows[index] for index in sorted(ranked[:count])]


class TaskRows:
    """The rows of each task of a suite. A split is drawn once, however many tasks are asked for."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._splits: dict[str, dict[str, list[Row]]] = {}

    def tasks(self, split: str) -> list[str]:
        """The tasks that a split has rows of, in the order of the suite."""
        found = self._grouped(split)
        return [name for name in self._suite.tasks if name in found]

    def of(self, split: str, task: str) -> list[Row]:
        """The rows of one task in one split."""
        return self._grouped(split).get(task, [])

    def _grouped(self, split: str) -> dict[str, list[Row]]:
        if split not in self._splits:
            groups: dict[str, list[Row]] = defaultdict(list)
            for row in self._suite.rows(split):
                groups[row.task].append(row)
            self._splits[split] = dict(groups)
        return self._splits[split]


def gather(
    settings: TrainingSettings,
    suite: Suite,
    encoding: Encoding,
    model: Model,
    *,
    seed: int,
    task: str | None = None,
    rows: TaskRows | None = None,
) -> Material:
    """The training examples and watched rows of one adaptation.

    With `task`, it is trained and watched by itself; `rows` gives its rows, if many tasks are asked for one by one.
    """
    where = f"{suite.name}: -A tasks"
    wanted = matching_tasks(suite.tasks, settings.tasks, where) if task is None else {task}

    def rows_of(split: str) -> Iterable[Row]:
        return suite.rows(split) if task is None else (rows or TaskRows(suite)).of(split, task)

    train = _training_rows(settings, {split: rows_of(split) for split in settings.splits}, wanted, seed)
    if not train:
        raise UserError(f"split {settings.split!r} has no rows of these tasks", where=where)
    watched: dict[str, list[Row]] = {}
    limit = rows_to_watch(settings, len(train))
    asked, chosen_by = ([*rows_of(split)] if split in suite.splits else [] for split in (settings.test, settings.dev))
    if chosen_by and not _is_of_other_tasks(chosen_by, train, asked):
        watched["dev"] = _watch(chosen_by, wanted, limit)
    elif settings.holdout and len(train) > 1:
        watched["dev"] = _some(train, max(1, round(settings.holdout * len(train))), "holdout", seed)
        back = {(row.task, row.instance.id) for row in watched["dev"]}
        train = [row for row in train if (row.task, row.instance.id) not in back]
        watched["dev"] = watched["dev"][:limit]
    watched["train"] = _some(train, limit, "watch")
    if asked:
        watched["test"] = _watch(asked, wanted, limit)

    def request(row: Row) -> Request:
        task = suite.tasks[row.task]
        return Request(encoding.encode(task, row.instance, (), model.tokenizer), task, row.instance)

    def target(row: Row) -> str:
        if settings.targets == "first":
            return row.instance.targets.canonical()
        return choose_target(row.instance.targets, keyed_random("target", seed, row.task, row.instance.id))

    return Material(
        [TrainingExample(request(row), target(row)) for row in train],
        {name: [request(row) for row in watched[name]] for name in ("train", "dev", "test") if watched.get(name)},
    )


def _training_rows(
    settings: TrainingSettings, rows: dict[str, Iterable[Row]], wanted: set[str], seed: int
) -> list[Row]:
    """The rows of the splits trained on, one split after the other, with the shots and the dose asked for."""
    chosen: list[Row] = []
    for split, every in rows.items():
        own = (row for row in every if row.task in wanted)
        # Several splits may use the same ids for different rows, so each has a draw of its own.
        name = () if len(rows) == 1 else (split,)
        picked = _pick(own, settings.shots, "shots", seed, settings.draw, *name)
        if settings.dose is not None and split == settings.splits[-1]:
            picked = _dose(picked, settings, seed)
        chosen += picked
    return chosen


def _dose(rows: list[Row], settings: TrainingSettings, seed: int) -> list[Row]:
    if settings.dose is not None and settings.dose > len(rows):
        raise UserError(
            f"split {settings.splits[-1]!r} has {len(rows)} examples, {settings.dose} were requested",
            where="-A dose",
            hint=f"-A dose={len(rows)}, or leave it out for all",
        )
    return _some(rows, settings.dose or len(rows), "dose", seed, settings.draw)


def _is_of_other_tasks(dev: list[Row], train: list[Row], test: list[Row]) -> bool:
    """Whether the tasks trained on are tested, but are not those of the dev split.

    So it is with an oracle, fitted to the tasks of the test: how it does on others says nothing about it.
    Where a suite tests unseen tasks, a dev split of unseen tasks is what it should be.
    """
    trained = {row.task for row in train}
    return trained.isdisjoint(row.task for row in dev) and not trained.isdisjoint(row.task for row in test)


def _watch(rows: list[Row], wanted: set[str], limit: int) -> list[Row]:
    """Rows to watch: of the tasks trained on, or of all tasks where the split has others."""
    own = [row for row in rows if row.task in wanted]
    return _some(own or rows, limit, "watch")


def planned_updates(settings: TrainingSettings, examples: int) -> tuple[int, int]:
    """How many updates an epoch has, and the whole training."""
    per_epoch = ceil(examples / settings.batch)
    planned = max(1, ceil(settings.epochs * per_epoch))
    return per_epoch, planned if settings.updates is None else min(planned, settings.updates)


def rows_to_watch(settings: TrainingSettings, examples: int) -> int:
    """How many rows of each split are asked at an evaluation.

    An update costs three forward passes per example (one forward, two backward), an asked row about as much as two.
    """
    if settings.evaluate_limit is not None:
        return settings.evaluate_limit
    per_epoch, total = planned_updates(settings, examples)
    every = settings.evaluate_updates or (settings.evaluate_epochs or 1.0) * per_epoch
    looks = total / every + 1
    affordable = settings.evaluate_share * _UPDATE_COST * total * settings.batch / (_ROW_COST * _SPLITS * looks)
    return max(_FEWEST_ROWS, min(_MOST_ROWS, int(affordable)))


def evaluation_interval(settings: TrainingSettings, per_epoch: int, total: int, watched: int) -> int:
    """Updates between evaluations: one epoch, or as many as keep the work of evaluating within its share."""
    if settings.evaluate_updates is not None:
        return min(settings.evaluate_updates, total)
    every = max(1, round((settings.evaluate_epochs or 1.0) * per_epoch))
    # Patience counts evaluations, so setting it means one per epoch.
    if settings.evaluate_epochs is None and settings.patience is None and watched:
        work = settings.evaluate_share * _UPDATE_COST * total * settings.batch
        looks = max(2, int(work / (_ROW_COST * watched)))
        every = max(every, ceil(total / (looks - 1)))
    return min(every, total)


def quotas(sizes: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Examples per epoch for each task: in proportion to the weights, as many in all as there are examples.

    Rounded by largest remainders, so the sum is exact and the result does not depend on anything else.
    """
    if sum(weights) <= 0:
        raise UserError("all tasks have weight 0", where="-A weights")
    return apportion(sum(sizes), weights)


class BatchSchedule:
    """Which examples form the batch of an update.

    Each task is an endless stream of its own shuffled passes; an epoch takes the next quota of each
    stream, mixes them, and forms batches of similar length.

    Args:
        settings: Batch size, epochs, mixture and weights.
        tasks: The task of each example.
        lengths: The length of each example, for batches with little padding.
        seed: The seed of the adaptation.
        watched: How many rows an evaluation asks.
    """

    def __init__(
        self, settings: TrainingSettings, tasks: Sequence[str], lengths: Sequence[int], seed: int, watched: int = 0
    ) -> None:
        self._batch = settings.batch
        self._lengths = lengths
        self._seed = seed
        members: dict[str, list[int]] = defaultdict(list)
        for index, task in enumerate(tasks):
            members[task].append(index)
        self._members = list(members.values())
        self._names = list(members)
        sizes = [len(group) for group in self._members]
        base = [float(size) for size in sizes] if settings.mixture == "proportional" else [1.0] * len(sizes)
        factors = [_weight(name, settings.weights) for name in self._names]
        self._quotas = quotas(sizes, [b * f for b, f in zip(base, factors, strict=True)])
        self.per_epoch, self.total = planned_updates(settings, len(tasks))
        self.interval = evaluation_interval(settings, self.per_epoch, self.total, watched)
        self._epoch = lru_cache(maxsize=2)(self._make_epoch)

    def batch(self, update: int) -> list[int]:
        """The examples (by index) of one update, counted from 0."""
        epoch, position = divmod(update, self.per_epoch)
        return self._epoch(epoch)[position]

    def _make_epoch(self, epoch: int) -> list[list[int]]:
        chosen: list[int] = []
        for name, group, quota in zip(self._names, self._members, self._quotas, strict=True):
            chosen += [self._item(name, group, epoch * quota + offset) for offset in range(quota)]
        random = keyed_random("epoch", self._seed, epoch)
        random.shuffle(chosen)
        batches: list[list[int]] = []
        window = self._batch * _BUCKET_BATCHES
        for start in range(0, len(chosen), window):
            # Sorting is stable, so equal lengths keep their shuffled order.
            near = sorted(chosen[start : start + window], key=lambda index: self._lengths[index])
            batches += [near[at : at + self._batch] for at in range(0, len(near), self._batch)]
        random.shuffle(batches)
        return batches

    def _item(self, name: str, group: list[int], position: int) -> int:
        lap, place = divmod(position, len(group))
        return group[_shuffled(name, len(group), self._seed, lap)[place]]


@lru_cache(maxsize=256)
def _shuffled(name: str, size: int, seed: int, lap: int) -> list[int]:
    order = list(range(size))
    keyed_random("pass", seed, name, lap).shuffle(order)
    return order


def _weight(name: str, weights: dict[str, float]) -> float:
    """The factor of the most specific (longest) pattern that matches; 1 where none does."""
    patterns = [pattern for pattern in weights if name == pattern or fnmatchcase(name, pattern)]
    return weights[max(patterns, key=len)] if patterns else 1.0
