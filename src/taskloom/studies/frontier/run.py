"""One probe from settings: open the model, search its frontier, ask on where something fails, write it beside the log.

Asking on has a second level: which of the bound cells within a failing cell it is that fails. Answers of the search are
counted for the bound cells of their items as well. What failed, and what was left between with its parts mastered, is
asked on, one bound cell at a time. The level of evidence holds for all bound cells of all cells together, whichever of
them are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import log
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack

import msgspec

from taskloom.core import Row, Suite, UserError, content_hash, digest, open_suite
from taskloom.core.calls import explained
from taskloom.core.catalog import lattice_of, probed_suite
from taskloom.core.cells import Cell, ItemPair, Lattice
from taskloom.core.model import Model
from taskloom.core.recipe import resolve
from taskloom.run.log import RunLog
from taskloom.run.plan import check_folder, load_plan, save_plan
from taskloom.run.session import AskOptions, RunSettings, ask_settings, open_session
from taskloom.store.atomic import disk_errors
from taskloom.studies.frontier.claims import (
    CellState,
    Claim,
    Control,
    Counts,
    Frontier,
    Share,
    ShownItem,
    ShownPair,
    Suspect,
    fitted_cells,
    least_expected,
    more_to_verdict,
    plain_words,
    verdict,
)
from taskloom.studies.frontier.probe import AnswerTally, Probe, Prober, Stream
from taskloom.studies.frontier.search import (
    BOUND_ALPHA,
    CONTROL_ALPHA,
    CellOrder,
    SearchSettings,
    claim_of,
    drop_in_sight,
    find_patterns,
)
from taskloom.studies.frontier.sentences import Bounds, say_claim

_LOOKED_AT = 100
_RAREST = 0.05
"""A bound cell that is rarer than this among the items of its cell is not asked on its own."""
_MOST = 60

Variants = dict[Cell, Share]


def told_apart(probe: Probe, cell: int) -> Variants:
    """The shares of the bound cells within a cell, asked until each is decided; empty where there are no two."""
    settings, where = probe.search.settings, probe.search.order.cells[cell]
    # Some lattices bind nothing: a few items show it, and the many others may be dear.
    if all(probe.lattice.bound(row) is None for row in probe.streams.look(where, CONTROLS.first)):
        return {}
    looked = [probe.lattice.bound(row) for row in probe.streams.look(where, _LOOKED_AT)]
    common = Counter(bound for bound in looked if bound is not None)
    known = probe.variants.setdefault(cell, {})
    for name in common:
        known.setdefault(name, AnswerTally())
    if len(known) < 2:
        return {}
    for name in sorted(known):
        while common[name] >= _RAREST * len(looked) and known[name].counts.n < _MOST:
            if verdict(known[name].counts, settings.low, settings.high, _level(probe, cell)) is not None:
                break
            before = known[name].counts.n
            bound_share(probe, cell, name, max(4, before // 4))
            if known[name].counts.n == before:
                break
    return {name: bound_share(probe, cell, name) for name in sorted(known) if known[name].counts.n}


def bound_share(probe: Probe, cell: int, name: Cell, more: int = 0) -> Share:
    """The share of a bound cell, after some more answers where the budget reaches."""
    tally = probe.variants[cell][name]
    if more and tally.counts.n < 2 * _MOST and probe.affords(more):
        probe.ask(Stream(probe.search.order.cells[cell], bound=name), more, tally)
    return tally.share(str(name), _level(probe, cell))


def _level(probe: Probe, cell: int) -> float:
    search = probe.search
    return log(len(search.order) * len(probe.variants[cell]) / (search.settings.alpha * BOUND_ALPHA))


def left_between(probe: Probe, kinds: Callable[[Probe, int], Iterable[Counts]]) -> list[int]:
    """Cells left between, with parts that are mastered so far, of which one kind of items looks like failing."""
    search = probe.search
    standings = search.standings()
    return [
        cell
        for cell, parts in enumerate(search.order.parts)
        if standings[cell] == "between"
        and all(standings[part] == "mastered" for part in parts)
        and any(search.screened(counts) == "failing" for counts in kinds(probe, cell))
    ]


def bound_kinds(probe: Probe, cell: int) -> list[Counts]:
    """The answers of a combination by what its items hold when told apart."""
    told = probe.variants.get(cell, {}) if probe.search.order.parts[cell] else {}
    return [tally.counts for tally in told.values()]


def old_kind(probe: Probe, cell: int) -> list[Counts]:
    """The answers to the older half of a basic cell's items, by the age of what an answer needs.

    A combination may be hard where its supports are old and its parts are not: that is no matter of length alone.
    """
    aged = sorted(() if probe.search.order.parts[cell] else probe.aged.get(cell, ()))
    older = [right for age, right in aged if age > aged[len(aged) // 2][0]]
    return [Counts(sum(older), len(older) - sum(older))]


def settle_parts(probe: Probe, cell: int) -> bool:
    """Ask the parts of a cell until all are proved to be mastered; whether they are."""
    search = probe.search
    for part in search.order.parts[cell]:
        while search.direct(part, search.strict) is None and search.counts[part].n < search.settings.strict_cap:
            dose = max(4, search.counts[part].n // 4)
            if not probe.affords(dose) or not probe.more(part, dose):
                return False
        if search.direct(part, search.strict) != "mastered":
            return False
    return True


def failing_variant(probe: Probe, variants: Variants) -> Share | None:
    """The bound cell that fails most, where some fail and some do not; None where they cannot be told apart."""
    bad = [share for share in variants.values() if share.top < probe.search.settings.high]
    if not bad or len(bad) == len(variants):
        return None
    return min(bad, key=lambda share: (share.top, share.cell))


def prove_drop(probe: Probe, cell: int, variants: Variants) -> None:
    """Ask the bound cell that fails, and the parts that predict it, until its drop is proved, as far as in sight."""
    search, worst = probe.search, failing_variant(probe, variants)
    if worst is None or "prove" not in search.settings.phases:
        return
    name, parts = Cell.parse(worst.cell), search.best_pair(cell) or (search.order.largest_part(cell),)
    while drop_in_sight(search, probe.variants[cell][name].counts, *(search.counts[part] for part in parts)):
        whole, lows = bound_share(probe, cell, name), {part: search.interval(part)[0] for part in parts}
        if whole.top <= least_expected([*lows.values()]) - search.settings.drop:
            return
        weakest = min(parts, key=lambda part: lows[part])
        before, dose = sum(probe.streams.taken.values()), max(4, search.counts[weakest].n // 4)
        if whole.top - whole.value > search.counts[weakest].share - lows[weakest]:
            bound_share(probe, cell, name, max(4, whole.n // 4))
        elif search.counts[weakest].n < search.settings.strict_cap and probe.affords(dose):
            probe.more(weakest, dose)
        if sum(probe.streams.taken.values()) == before:
            return


class ControlPlan(NamedTuple):
    """What controls of claims ask; `python -m benchmarks.frontier_readers` measures which readers they tell apart."""

    young: float = 0.03
    """The share of a cell's items whose supports count as young: few, for a reader may see a short way back only."""
    each: int = 3
    """Controls of one claim at the most."""
    first: int = 8
    sign: float = 0.1
    """A difference that is no sign of an excuse."""
    most_controlled: int = 160
    """Answers to one control: where they do not decide, more would hardly."""
    enough: int = 16
    """Answers after which a control that shows no sign of an excuse is ended."""
    sharpened: int = 200
    """Answers of the failing cell itself up to which it is asked on, where it is what leaves a control undecided."""
    tries: int = 2
    """Pairs that are asked until one shows what is claimed: right without, wrong with."""


CONTROLS = ControlPlan()


def length_controls(probe: Probe, cell: int, variants: Variants) -> list[Control]:
    """Every control of a failing cell that its items allow.

    Args:
        probe: The probe.
        cell: The failing cell, by number.
        variants: Its bound cells, where they were told apart: the one that fails most is controlled.
    """
    found = []
    search = probe.search
    whole = search.order.cells[cell]
    bound = min(variants, key=lambda name: (variants[name].top, name), default=None)
    ages = probe.streams.ages(whole, bound)
    if ages and ages[0] < ages[-1]:
        young = Stream(whole, age=ages[int(len(ages) * CONTROLS.young)], bound=bound)
        found.append(_control(probe, "young", young, lambda more: _failing(probe, cell, bound, more)))
    sizes = probe.sizes.get(cell)
    if sizes:
        size = min(sizes, key=lambda one: (-sizes[one], one))
        for part in search.best_pair(cell) or search.order.parts[cell][:1]:
            stream = Stream(search.order.cells[part], size, inside=() if bound is None else bound.atoms)
            known = search.share(part)
            found.append(_control(probe, "long", stream, lambda more, known=known: known))  # type: ignore[misc]
    return found


def age_control(probe: Probe, cell: int) -> Control | None:
    """The oldest items of a cell that was left between against the youngest; None where they do not fall apart."""
    whole, tally = probe.search.order.cells[cell], AnswerTally()
    ages = probe.streams.ages(whole)
    if not ages:
        return None
    few = int(len(ages) * CONTROLS.young)
    old = Stream(whole, since=ages[-1 - few])

    def failing(more: int) -> Share:
        if more and tally.counts.n < CONTROLS.sharpened and probe.affords(more):
            probe.ask(old, more, tally)
        return tally.share(str(old), _control_level(probe))

    failing(CONTROLS.enough)
    found = _control(probe, "ages", Stream(whole, age=ages[few]), failing)
    return found if found.excuses and found.against.top < probe.search.settings.high else None


def _control_level(probe: Probe) -> float:
    search = probe.search
    return log(len(search.order) * CONTROLS.each / (search.settings.alpha * CONTROL_ALPHA))


def _idle(control: Control, share: Share) -> bool:
    """Whether there is no sign that a control will excuse."""
    if share.n < CONTROLS.enough:
        return False
    if control.kind == "long":
        return share.value >= control.against.value - CONTROLS.sign
    return share.value <= control.against.value + CONTROLS.sign


def _failing(probe: Probe, cell: int, bound: Cell | None, more: int) -> Share:
    """What fails, after some more answers."""
    if bound is not None:
        return bound_share(probe, cell, bound, more)
    if more and probe.search.counts[cell].n < CONTROLS.sharpened:
        probe.more(cell, more)
    return probe.search.share(cell)


def _control(
    probe: Probe, kind: Literal["young", "ages", "long"], stream: Stream, against: Callable[[int], Share]
) -> Control:
    """Ask until the control excuses, or shows that it does not, or enough were asked.

    Args:
        probe: The probe.
        kind: What is controlled.
        stream: The items.
        against: What they are compared with, after so many more answers of its own.
    """
    settings = probe.search.settings
    level = _control_level(probe)
    tally = AnswerTally()
    control = Control(kind, against(0), missing="unmatched")
    while tally.counts.n < CONTROLS.most_controlled:
        dose = max(CONTROLS.first, tally.counts.n // 4)
        if not probe.affords(2 * dose):
            return Control(kind, control.against, missing="budget")  # half a control says nothing
        if not _sharpened(control, against, dose, settings.high) and not probe.ask(stream, dose, tally):
            break
        share = tally.share(str(stream), level)
        control = Control(kind, against(0), share)
        fails_too = kind != "long" and share.top < settings.high
        if control.excuses or fails_too or _idle(control, share):
            break
    return control


def _sharpened(control: Control, against: Callable[[int], Share], dose: int, solved: float) -> bool:
    """Ask what fails on, where a control looks solved and what fails is what is known less well; whether it was."""
    share, known = control.share, control.against
    if control.kind == "long" or share is None or share.value <= solved:
        return False
    if known.top - known.value <= share.value - share.low:
        return False
    return against(dose).n > known.n


def shown_pair(probe: Probe, cell: int, claim: Claim) -> ShownPair | None:
    """A pair for a claim. A cell without parts is shown by one of its items; so is nothing where no item was asked."""
    if not claim.parts:
        item = _asked(probe, cell, right=False)
        return None if item is None else ShownPair(None, item)
    best = None
    for attempt in range(CONTROLS.tries if probe.affords(2 * CONTROLS.tries) else 0):
        found = _drawn(probe, claim, attempt)
        if found is None:
            break
        assert found.without is not None
        if found.without.right and not found.whole.right:
            return found
        best = best or found
    return best or _of_those_asked(probe, cell, claim)


def _drawn(probe: Probe, claim: Claim, attempt: int) -> ShownPair | None:
    """A pair of the lattice's own making, asked: with the largest part that gives a minimal one."""
    whole = claim.whole.cell
    seed = int.from_bytes(digest("pair", probe.seed, whole, attempt)[:6], "big")
    found: tuple[str, ItemPair] | None = None
    for part in sorted(claim.parts, key=lambda share: -len(Cell.parse(share.cell).atoms)):
        try:
            drawn = probe.lattice.pair(Cell.parse(whole), Cell.parse(part.cell), seed)
        except UserError:  # an item that the search could draw and this seed cannot
            continue
        if found is None or drawn.minimal:
            found = part.cell, drawn
        if drawn.minimal:
            break
    if found is None:
        return None
    part_name, pair = found
    rows: list[tuple[str, Row]] = [(part_name, pair.without), (whole, pair.whole)]
    without, with_all = probe.show(rows, f"{whole} / {part_name} / {attempt}")
    return ShownPair(without, with_all, pair.minimal)


def _of_those_asked(probe: Probe, cell: int, claim: Claim) -> ShownPair | None:
    """Two items of the two cells among those that the search has asked."""
    part = next(c for c, known in enumerate(probe.search.order.cells) if str(known) == claim.base.cell)
    without, whole = _asked(probe, part, right=True), _asked(probe, cell, right=False)
    return None if whole is None else ShownPair(without, whole)


def _asked(probe: Probe, cell: int, *, right: bool) -> ShownItem | None:
    """The first item of a cell that was answered so, or the first at all."""
    items = probe.asked_of(cell)
    return next((item for item in items if bool(item.right) == right), items[0] if items else None)


@explained
def probe(
    suite: Suite | str,
    *,
    model: str | Model | Callable[[str], Any],
    folder: str | Path,
    budget: int | None = None,
    seed: int = 0,
    **settings: Unpack[AskOptions],
) -> Frontier:
    """Find the smallest combinations of a suite at which a model stops.

    Args:
        suite: A suite, or the name of one; a family's name stands for the suite that is probed for it.
        model: The model, as `--model` names it, what `open_model` opened, or a function of the prompt that returns the
            answer.
        folder: Where the log and `frontier.json` go; the same call continues a probe that was broken off.
        budget: The most questions in all.
        seed: The seed of a suite that is named.
        settings: How the model is asked (`protocol`, `generation`, …), as `run_suite` takes it.

    Returns:
        The frontier; `sentences()` says what was found.

    Example:
        >>> found = probe("babi/mix-t2", model="mock/majority", folder="probes/majority", budget=50)
        >>> found.asked <= 50, found.sentences()[0].startswith("Not shown to be better than guessing")
        (True, True)
    """
    opened = suite if isinstance(suite, Suite) else open_suite(probed_suite(suite), seed=seed)
    search = resolve(SearchSettings(), {} if budget is None else {"budget": budget}, where="probe")
    asked, ready = ask_settings(model, settings)
    return probe_model(opened, folder, asked, search, model=ready)


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
    model: Model | None = None,
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
        model: The model of the settings, where it is open already; it stays open.
    """
    folder = Path(folder)
    if settings.adapt not in ("none", "in-context"):
        raise UserError(
            "a probe needs a finished model", where="--adapt", hint="taskloom run … --adapt …, then --model run/DIR"
        )
    lattice = lattice_of(suite)
    order = CellOrder.of(lattice)
    session = open_session(suite, settings, model)
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
        if model is None:
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
