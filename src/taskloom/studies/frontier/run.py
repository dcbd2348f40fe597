"""One probe from settings: open the model, search its frontier, write it beside the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Suite, UserError, content_hash, open_suite
from taskloom.core.catalog import lattice_of, probed_suite
from taskloom.core.cells import Cell, Lattice
from taskloom.core.errors import explained
from taskloom.core.recipe import resolve
from taskloom.run.log import RunLog
from taskloom.run.plan import check_folder, load_plan, save_plan
from taskloom.run.session import RunSettings, open_session
from taskloom.store.atomic import disk_errors
from taskloom.studies.frontier.claims import (
    CellState,
    Claim,
    Control,
    Frontier,
    Share,
    Suspect,
    fitted_cells,
    plain_words,
)
from taskloom.studies.frontier.evidence import more_to_verdict
from taskloom.studies.frontier.probe import Probe, Prober
from taskloom.studies.frontier.refine import (
    Variants,
    age_control,
    bound_kinds,
    bound_share,
    failing_variant,
    left_between,
    length_controls,
    old_kind,
    prove_drop,
    settle_parts,
    shown_pair,
    told_apart,
)
from taskloom.studies.frontier.search import CellOrder, SearchSettings, claim_of, find_patterns
from taskloom.studies.frontier.sentences import Bounds, say_claim


@explained
def probe(
    suite: Suite | str,
    *,
    model: str | Callable[[str], Any],
    folder: str | Path,
    budget: int | None = None,
    seed: int = 0,
    **settings: Any,
) -> Frontier:
    """Find the smallest combinations of a suite at which a model stops.

    Args:
        suite: A suite, or the name of one; a family's name stands for the suite that is probed for it.
        model: The model, as `--model` names it, or a function of the prompt that returns the answer.
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
    search = resolve(SearchSettings(), {} if budget is None else {"budget": budget}, where="probe")
    given: dict[str, Any] = {"model": model, **settings}  # a function is named by RunSettings itself
    return probe_model(opened, folder, RunSettings(**given), search)


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
        searched = {"search": search.identity(), "right": right, **_set_apart(targets, apart)}
        session.protocol = {**session.protocol, **searched}
        plan = session.plan(encoding, "", streams=tuple(str(cell) for cell in order.cells))
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        check_folder(plan, folder)
        with RunLog(folder) as log:
            save_plan(plan, list(suite.tasks.values()), folder)
            prober = Prober(session, encoding, log, right=right, budget=search.budget)
            search_run = Probe(
                lattice, search, suite.seed, prober.answer, targets=targets, apart=apart, said=prober.said
            )
            search_run.run(f"probing {plan.title} on {suite.name}", watch)
            protocol = str(session.protocol.get("name", ""))
            found = frontier_of(search_run, suite=suite.name, model=plan.title, protocol=protocol, seed=suite.seed)
            log.finish()
        found = against_training(found, settings.model, lattice)
        found.save(folder)
        return found
    finally:
        session.close()


def _set_apart(targets: Sequence[Cell], apart: frozenset[bytes]) -> dict[str, Any]:
    """What else makes it another search: cells that are always asked, and inputs that never are."""
    if not targets and not apart:
        return {}
    return {"targets": sorted(map(str, targets)), "apart": content_hash(sorted(map(bytes.hex, apart)))}


def frontier_of(probe: Probe, *, suite: str, model: str, protocol: str = "", seed: int = 0) -> Frontier:
    """What a finished probe found. What fails is told apart, controlled for length and shown here, with fresh items."""
    search = probe.search
    order = search.order
    basic = [c for c, parts in enumerate(order.parts) if not parts and search.direct(c, search.strict) == "failing"]
    claimed = search.claims()
    between = left_between(probe, bound_kinds)
    variants = {cell: told_apart(probe, cell) for cell in (*claimed, *basic, *between)}
    between = [
        cell for cell in between if failing_variant(probe, variants[cell]) is not None and settle_parts(probe, cell)
    ]
    for cell in claimed:
        prove_drop(probe, cell, variants[cell])
    controls = {cell: tuple(length_controls(probe, cell, variants[cell])) for cell in (*claimed, *basic, *between)}
    # What neither passes nor fails may do both: near the question and far from it.
    for cell in left_between(probe, old_kind):
        if cell not in controls and (by_age := age_control(probe, cell)) is not None:
            controls[cell], variants[cell] = (by_age,), {}
    spoken = {*controls} | {part for cell in controls for part in order.parts[cell]}
    # Where there is nothing to claim every cell that was asked is compared with guessing.
    spoken = spoken or {cell for cell, count in enumerate(search.counts) if count.n}
    shares = search.shares(lambda cell: probe.guessing(cell, look=cell in spoken))
    shares = [
        msgspec.structs.replace(share, title=probe.lattice.title(cell))
        for share, cell in zip(shares, order.cells, strict=True)
    ]
    found = {cell: _claim(probe, cell, shares, variants[cell], controls[cell]) for cell in controls}
    shown = {cell: msgspec.structs.replace(claim, pair=shown_pair(probe, cell, claim)) for cell, claim in found.items()}
    # More answers may have taken back what a bound cell looked like: what proves no sentence is no claim.
    bounds = Bounds.of(search.settings.describe())
    claims = sorted(
        (claim for claim in shown.values() if claim.parts and say_claim(claim, bounds) is not None),
        key=lambda claim: (not claim.proved, claim.whole.cell.count("+"), claim.whole.cell),
    )
    proved = {claim.cell for claim in claims if claim.proved and not claim.long_supports}
    patterns = [pattern for pattern in find_patterns(search) if proved & set(pattern.cells)]
    return Frontier(
        suite=suite,
        model=model,
        protocol=protocol,
        seed=seed,
        settings=search.settings.describe(),
        asked=sum(probe.streams.taken.values()),
        rounds=probe.rounds,
        cells=tuple(_cell_states(probe, shares)),
        claims=tuple(claims),
        unable=tuple(claim for claim in shown.values() if not claim.parts),
        patterns=tuple(patterns),
        suspects=tuple(_suspects(probe, shares)),
        undrawable={str(order.cells[cell]): reason for cell, reason in probe.undrawable.items()},
        words=plain_words(probe.lattice, [*shown.values()]),
    )


def _claim(probe: Probe, cell: int, shares: list[Share], variants: Variants, controls: tuple[Control, ...]) -> Claim:
    """What is claimed of a cell; of the bound cell that fails, where some of its bound cells fail and some do not."""
    settings = probe.search.settings
    # More was asked since they were told apart.
    known = {name: bound_share(probe, cell, name) for name in variants}
    more: dict[str, Any] = {"variants": tuple(known.values()), "controls": controls}
    if not probe.search.order.parts[cell]:
        return Claim(shares[cell], (), **more)
    if (worst := failing_variant(probe, known)) is not None:
        guessed = msgspec.structs.replace(worst, guess=shares[cell].guess, majority=shares[cell].majority)
        more["within"] = shares[cell].cell
        shares = [*shares[:cell], guessed, *shares[cell + 1 :]]
    return claim_of(probe.search.order, shares, cell, settings.low, settings.drop, **more)


def _cell_states(probe: Probe, shares: Sequence[Share]) -> list[CellState]:
    search = probe.search
    standings, vouched = search.standings(), set(search.inherited())
    found = []
    for number, cell in enumerate(search.order.cells):
        standing = "inherited" if number in vouched and standings[number] == "open" else standings[number]
        basic = not search.order.parts[number]
        found.append(CellState(cell.question, cell.atoms, standing, shares[number], basic=basic))
    return found


def _suspects(probe: Probe, shares: Sequence[Share]) -> list[Suspect]:
    """Where the budget is spent: cells below the asked level so far whose verdict is out, the lowest bound first."""
    search = probe.search
    settings = search.settings
    if sum(probe.streams.taken.values()) < settings.budget:
        return []
    found = []
    for number, count in enumerate(search.counts):
        if not count.n or count.share >= settings.high or search.direct(number, search.strict) is not None:
            continue
        group = [number, *search.order.parts[number]]
        more = [
            more_to_verdict(search.counts[cell], settings.low, settings.high, search.strict)
            for cell in group
            if search.direct(cell, search.strict) is None
        ]
        known = [each for each in more if each is not None]
        if len(known) == len(more):
            found.append(Suspect(shares[number], sum(known)))
    return sorted(found, key=lambda each: (each.share.high, each.more, each.share.cell))


_ADAPTED = "run/"


def against_training(found: Frontier, model: str, lattice: Lattice) -> Frontier:
    """A frontier whose cells say whether the rows that the model was fitted to hold them.

    Args:
        found: The frontier.
        model: The model as it was named; only `run/DIR` is one that was fitted where it can be looked up.
        lattice: What says which cell a row belongs to.
    """
    if not model.startswith(_ADAPTED):
        return found
    known = fitted_cells(load_plan(Path(model.removeprefix(_ADAPTED))), lattice)
    if known is None:
        return found
    cells = tuple(msgspec.structs.replace(cell, trained=cell.share.cell in known) for cell in found.cells)
    claims, unable = (
        tuple(msgspec.structs.replace(claim, trained=claim.cell in known) for claim in every)
        for every in (found.claims, found.unable)
    )
    return msgspec.structs.replace(found, cells=cells, claims=claims, unable=unable)
