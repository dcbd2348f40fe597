"""`taskloom probe` on a real model with planted gaps, against a grid of the same model.

    python -m benchmarks.frontier_minilm                       three seeds
    python -m benchmarks.frontier_minilm --seeds 1 -o out/minilm

The packaged MiniLM embeds every sentence once; a small recurrent classifier on top is fitted to a small world of
`babi/custom` whose training labels are wrong in two combinations. What the fitted model can do is not assumed: a grid
of 400 questions per combination, from streams that the probe never draws from, is the truth. The search is the one
that `taskloom probe` runs, with the same items.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import msgspec

from taskloom import open_model, open_suite
from taskloom.core import AnyOf, Row, Suite
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell, Lattice
from taskloom.core.study import Table
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.score.stats import wilson
from taskloom.studies.frontier.claims import Frontier
from taskloom.studies.frontier.probe import Probe
from taskloom.studies.frontier.run import frontier_of
from taskloom.studies.frontier.search import CellOrder, SearchSettings

__all__ = ["PLANTED", "Agreement", "agreement", "mislabelled"]

MODEL = "packaged/minilm"
PLACES = ("garden", "kitchen", "office")
WORLD: dict[str, Any] = {
    "events": ["move", "grab"], "constructs": ["coref", "conj", "negate"], "coref": {"move": 1.0},
    "questions": ["where-person", "where-object"], "length": [2, 4], "support": [1, 3],
    "train": 4_000, "dev": 100, "test": 400, "vocabulary.persons": {"Mary": "she", "John": "he"},
    "vocabulary.places": list(PLACES), "vocabulary.objects": ["apple", "football"],
}  # fmt: skip
PLANTED = ("where-object: conj+grab+move", "where-person: move+negate")
"""Combinations whose training labels are wrong."""
EPOCHS, BATCH, RATE, WIDTH = 40, 64, 2e-3, 128
GRID = 400
_GRID_SEED = 104_729
"""Added to the seed of the world, so that the grid and the probe share no stream."""


def mislabelled(suite: Suite, cells: Sequence[str] = PLANTED) -> Suite:
    """The suite with wrong labels in the training rows of some combinations: each place becomes the next one."""
    lattice = lattice_of(suite)
    wrong = dict(zip(PLACES, (*PLACES[1:], PLACES[0]), strict=True))

    def draw(split: str) -> Iterator[Row]:
        for row in suite.rows(split):
            if split == "train" and str(lattice.cell_of(suite.tasks[row.task], row.instance)) in cells:
                label = AnyOf((wrong[row.instance.targets.canonical()],))
                yield Row(row.task, msgspec.structs.replace(row.instance, targets=label))
            else:
                yield row

    return suite.derive("mislabelled", *cells, draw=draw)


class Embeddings:
    """MiniLM's mean embedding of every sentence, computed once."""

    def __init__(self) -> None:
        self._model: Any = open_model(MODEL)
        self._kept: dict[str, Any] = {}

    def of(self, sentences: Iterable[str]) -> list[Any]:
        """The embeddings of some sentences."""
        import torch

        wanted = list(sentences)
        new = sorted({sentence for sentence in wanted if sentence not in self._kept})
        for start in range(0, len(new), 64):
            part = new[start : start + 64]
            batch = self._model.tokenizer_hf(part, padding=True, return_tensors="pt")
            with torch.no_grad():
                states = self._model.module.base_model(**batch).last_hidden_state
            mask = batch["attention_mask"].unsqueeze(-1)
            self._kept.update(zip(part, (states * mask).sum(1) / mask.sum(1), strict=True))
        return [self._kept[sentence] for sentence in wanted]


class Reader:
    """A recurrent classifier over the embeddings of a story's sentences, the question beside each of them."""

    def __init__(self, embeddings: Embeddings, seed: int) -> None:
        import torch

        torch.manual_seed(seed)
        self._embeddings = embeddings
        self._net = torch.nn.GRU(2 * 384, WIDTH, batch_first=True)
        self._head = torch.nn.Linear(WIDTH, len(PLACES))

    def fit(self, rows: Sequence[Row], seed: int) -> None:
        """Learn the labels of some rows."""
        import torch

        inputs, lengths = self._encoded(rows)
        labels = torch.tensor([PLACES.index(row.instance.targets.canonical()) for row in rows])
        weights = [*self._net.parameters(), *self._head.parameters()]
        optimiser = torch.optim.Adam(weights, lr=RATE)
        schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, total_iters=EPOCHS)
        order = torch.Generator().manual_seed(seed)
        for _ in range(EPOCHS):
            for part in torch.randperm(len(rows), generator=order).split(BATCH):
                loss = torch.nn.functional.cross_entropy(self._logits(inputs[part], lengths[part]), labels[part])
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
            schedule.step()

    def right(self, rows: Sequence[Row]) -> list[bool]:
        """Whether each row is answered right."""
        import torch

        with torch.no_grad():
            chosen = self._logits(*self._encoded(rows)).argmax(1).tolist()
        return [
            PLACES[place] == row.instance.targets.canonical() for place, row in zip(chosen, rows, strict=True)
        ]  # fmt: skip

    def _encoded(self, rows: Sequence[Row]) -> tuple[Any, Any]:
        import torch

        stories = []
        for row in rows:
            *story, question = self._embeddings.of(row.instance.input.splitlines())
            stories.append(torch.stack([torch.cat((sentence, question)) for sentence in story]))
        lengths = torch.tensor([len(story) for story in stories])
        return torch.nn.utils.rnn.pad_sequence(stories, batch_first=True), lengths

    def _logits(self, inputs: Any, lengths: Any) -> Any:
        import torch

        packed = torch.nn.utils.rnn.pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        return self._head(self._net(packed)[1][0])


class Agreement(NamedTuple):
    """A probe against the grid of the same model.

    Attributes:
        must: Combinations that the grid shows at most `low` right with every part at least `high`: to be claimed.
        found: Those of them that the probe claims.
        claims: All claims of the probe.
        wrong: Claims that the grid denies: the whole is at least `high` right, or a part at most `low`.
        held: Combinations asked whose interval meets that of the grid's share.
        asked: Combinations that the probe asked.
    """

    must: tuple[str, ...]
    found: tuple[str, ...]
    claims: tuple[str, ...]
    wrong: tuple[str, ...]
    held: int
    asked: int


def agreement(order: CellOrder, counts: dict[str, tuple[int, int]], found: Frontier) -> Agreement:
    """How far a probe and a grid of right answers and questions agree."""
    low, high = found.settings["low"], found.settings["high"]
    shares = {cell: right / n for cell, (right, n) in counts.items()}
    parts = {str(cell): [str(order.cells[p]) for p in order.parts[place]] for place, cell in enumerate(order.cells)}
    must = tuple(
        cell
        for cell, below in parts.items()
        if below and shares[cell] <= low and all(shares[part] >= high for part in below)
    )
    claims = tuple(claim.whole.cell for claim in found.claims)
    wrong = tuple(c for c in claims if shares[c] >= high or any(shares[part] <= low for part in parts[c]))
    asked = [cell.share for cell in found.cells if cell.share.n]
    grid = {cell: wilson(right, n) for cell, (right, n) in counts.items()}
    held = sum(share.low <= grid[share.cell][1] and grid[share.cell][0] <= share.high for share in asked)
    return Agreement(must, tuple(c for c in must if c in claims), claims, wrong, held, len(asked))


def grid_of(lattice: Lattice, reader: Reader, seed: int, size: int) -> dict[str, tuple[int, int]]:
    """Right answers and questions of every combination."""
    counts = {}
    for cell in lattice.cells:
        rows = list(islice(lattice.stream(cell, seed + _GRID_SEED), size))
        counts[str(cell)] = (sum(reader.right(rows)), len(rows))
    return counts


def probe_reader(lattice: Lattice, reader: Reader, seed: int) -> Frontier:
    """The search of `taskloom probe`, asking the reader."""

    def answer(items: list[tuple[int, Row]], cells: dict[int, str]) -> dict[int, bool]:
        return dict(zip((place for place, _ in items), reader.right([row for _, row in items]), strict=True))

    probe = Probe(lattice, SearchSettings(), seed, answer)
    probe.run(f"probing {MODEL} with planted gaps")
    return frontier_of(probe, suite="babi/custom", model=MODEL, seed=seed)


def figure(seed: int, counts: dict[str, tuple[int, int]], found: Frontier) -> IntervalPlot:
    """The shares of the grid and of the probe, combination by combination."""
    asked = {cell.share.cell: cell.share for cell in found.cells if cell.share.n}
    points = []
    for cell, (right, n) in sorted(counts.items(), key=lambda each: Cell.parse(each[0])):
        name = f"{cell} *" if cell in PLANTED else cell
        points.append(IntervalPoint(name, right / n, *wilson(right, n), n, "grid"))
        if cell in asked:
            share = asked[cell]
            points.append(IntervalPoint(name, share.value, share.low, share.high, share.n, "probe"))
    caption = "* wrong training labels. Grid: Wilson intervals; probe: intervals for all combinations at all times."
    title = f"The probe and a grid of the same model, seed {seed}"
    return IntervalPlot(title=title, points=tuple(points), axis="share right", caption=caption)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 where a probe and its grid disagree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--grid", type=int, default=GRID, help="questions of each combination in the grid")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/frontier-minilm"))
    args = parser.parse_args(arguments)
    args.output.mkdir(parents=True, exist_ok=True)
    embeddings = Embeddings()
    rows: list[Any] = []
    cells: list[Any] = []
    failed = False
    for seed in range(args.first, args.first + args.seeds):
        start = process_time()
        suite = open_suite("babi/custom", seed=seed, options=WORLD)
        lattice = lattice_of(suite)
        reader = Reader(embeddings, seed)
        reader.fit(list(mislabelled(suite).rows("train")), seed)
        counts = grid_of(lattice, reader, seed, args.grid)
        found = probe_reader(lattice, reader, seed)
        agreed = agreement(CellOrder.of(lattice), counts, found)
        figure(seed, counts, found).save(args.output, f"grid-and-probe-{seed}")
        print(f"seed {seed}:", *found.sentences(), sep="\n  ", flush=True)
        for state in found.cells:
            right, n = counts[state.share.cell]
            asked = str(state.share) if state.share.n else "not asked"
            cells.append((seed, state.share.cell, right / n, asked, state.standing))
        failed |= bool(agreed.wrong) or len(agreed.found) < len(agreed.must) or agreed.held < agreed.asked
        tally = (len(agreed.must), len(agreed.found), len(agreed.claims), len(agreed.wrong))
        rows.append((seed, *tally, f"{agreed.held} of {agreed.asked}", found.asked, process_time() - start))
    columns = ("seed", "to be claimed", "of these claimed", "claims", "wrong", "intervals agree", "questions", "CPU s")
    told = ("seed", "combination", f"grid, n = {args.grid}", "probe", "standing")
    print(Table("Combinations", told, tuple(cells)).markdown(2))
    print(Table("The probe against the grid", columns, tuple(rows)).markdown(1))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
