"""One probe from settings: open the model, search its frontier, write it beside the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from taskloom.core import Suite, UserError, content_hash, open_suite
from taskloom.core.catalog import lattice_of, probed_suite
from taskloom.core.cells import Cell
from taskloom.run.log import RunLog
from taskloom.run.plan import check_folder, save_plan
from taskloom.run.session import RunSettings, open_session
from taskloom.store.atomic import disk_errors
from taskloom.studies.frontier.order import CellOrder
from taskloom.studies.frontier.probe import Probe, Prober
from taskloom.studies.frontier.result import Frontier, frontier_of
from taskloom.studies.frontier.search import SearchSettings
from taskloom.studies.frontier.training import against_training

__all__ = ["probe", "probe_model"]


def probe(
    suite: Suite | str, *, model: str, folder: str | Path, budget: int | None = None, seed: int = 0, **settings: Any
) -> Frontier:
    """Find the smallest combinations of a suite at which a model stops.

    Args:
        suite: A suite, or the name of one; a family's name stands for the suite that is probed for it.
        model: The model, as `--model` names it.
        folder: Where the log and `frontier.json` go; the same call continues a probe that was broken off.
        budget: The most questions in all.
        seed: The seed of a suite that is named.
        settings: Further settings of `RunSettings` (protocol, generation …).

    Returns:
        The frontier; `sentences()` says what was found.

    Example:
        >>> found = probe("babi/mix-t2", model="mock/majority", folder="probes/majority", budget=50)
        >>> found.asked <= 50, found.sentences()[0].startswith("Not shown to be better than guessing")
        (True, True)
    """
    opened = suite if isinstance(suite, Suite) else open_suite(probed_suite(suite), seed=seed)
    search = SearchSettings() if budget is None else SearchSettings(budget=budget)
    return probe_model(opened, folder, RunSettings(model=model, **settings), search)


def probe_model(
    suite: Suite,
    folder: str | Path,
    settings: RunSettings,
    search: SearchSettings,
    *,
    right: float = 1.0,
    targets: Sequence[Cell] = (),
    apart: frozenset[bytes] = frozenset(),
    watch: Callable[[Probe], None] = lambda probe: None,
) -> Frontier:
    """Search the frontier of a model, or continue a search that was broken off.

    Args:
        suite: Whose combinations are searched.
        folder: Where the log and `frontier.json` go.
        settings: The model and how it is asked; adapted models are opened as `run/DIR`.
        search: Bounds, levels, phases, budget.
        right: The score from which an answer counts as right.
        targets: Cells that are asked until they are settled, whatever else is searched.
        apart: Hashes of inputs that are never asked, because the model was taught them.
        watch: Called after every round of questions, for those who follow.

    Example:
        >>> frontier = probe_model(open_suite("babi/mix-t2"), "probes/majority", RunSettings(model="mock/majority"),
        ...                        SearchSettings(budget=500))  # doctest: +SKIP
    """
    folder = Path(folder)
    if settings.adapt not in ("none", "in-context"):
        raise UserError(
            "a probe needs a finished model", where="--adapt", hint="taskloom run … --adapt …, then --model run/DIR"
        )
    lattice = lattice_of(suite)
    order = CellOrder.of(lattice)
    session = open_session(suite, settings)
    try:
        session.model.prepare(suite)
        encoding = session.asked_with()
        protocol = {**session.protocol, "search": search.identity(), "right": right}
        if targets or apart:
            protocol |= {"targets": sorted(map(str, targets)), "apart": content_hash(sorted(map(bytes.hex, apart)))}
        session.protocol = protocol
        plan = session.plan(encoding, "", streams=tuple(str(cell) for cell in order.cells))
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        check_folder(plan, folder)
        with RunLog(folder) as log:
            save_plan(plan, list(suite.tasks.values()), folder)
            prober = Prober(
                suite, session.model, encoding, session.judge, session.generation, log, right=right,
                stamp=session.stamp, budget=search.budget,
            )  # fmt: skip
            search_run = Probe(
                lattice, search, suite.seed, prober.answer, targets=targets, apart=apart, said=prober.said
            )
            search_run.run(f"probing {session.model.identity.name} on {suite.name}", watch)
            found = frontier_of(
                search_run,
                suite=suite.name,
                model=session.model.identity.name,
                protocol=str(session.protocol.get("name", "")),
                seed=suite.seed,
            )
            log.finish()
        found = against_training(found, settings.model, lattice)
        found.save(folder)
        return found
    finally:
        session.close()
