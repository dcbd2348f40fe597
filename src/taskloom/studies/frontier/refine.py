"""The second level: which of the bound cells within a failing cell it is that fails.

Answers of the search are counted for the bound cells of their items as well. What failed, and what was left between
with its parts mastered, is asked on, one bound cell at a time. The level of evidence holds for all bound cells of all
cells together, whichever of them are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import log
from typing import Literal

from taskloom.core import Row, UserError, digest
from taskloom.core.cells import Cell, ItemPair
from taskloom.studies.frontier.claims import Claim, Control, Share, ShownItem, ShownPair
from taskloom.studies.frontier.evidence import Counts, verdict
from taskloom.studies.frontier.probe import AnswerTally, Probe, Stream
from taskloom.studies.frontier.search import BOUND_ALPHA, CONTROL_ALPHA, drop_in_sight

_LOOKED_AT = 100
_RAREST = 0.05
"""A bound cell that is rarer than this among the items of its cell is not asked on its own."""
_MOST = 60

Variants = dict[Cell, Share]


def told_apart(probe: Probe, cell: int) -> Variants:
    """The shares of the bound cells within a cell, asked until each is decided; empty where there are no two."""
    settings, where = probe.search.settings, probe.search.order.cells[cell]
    # Some lattices bind nothing: a few items show it, and the many others may be dear.
    if all(probe.lattice.bound(row) is None for row in probe.streams.look(where, _FIRST)):
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
        if whole.top <= sum(lows.values()) - (len(parts) - 1) - search.settings.drop:
            return
        weakest = min(parts, key=lambda part: lows[part])
        before, dose = sum(probe.streams.taken.values()), max(4, search.counts[weakest].n // 4)
        if whole.top - whole.value > search.counts[weakest].share - lows[weakest]:
            bound_share(probe, cell, name, max(4, whole.n // 4))
        elif search.counts[weakest].n < search.settings.strict_cap and probe.affords(dose):
            probe.more(weakest, dose)
        if sum(probe.streams.taken.values()) == before:
            return


_YOUNG = 0.03
"""The share of a cell's items whose supports count as young: few, for a reader may see a short way back only."""
_EACH = 3
"""Controls of one claim at the most."""
_FIRST = 8
_SIGN = 0.1
"""A difference that is no sign of an excuse."""
_MOST_CONTROLLED = 160
"""Answers to one control: where they do not decide, more would hardly."""
_ENOUGH = 16
"""Answers after which a control that shows no sign of an excuse is ended."""
_SHARPENED = 200
"""Answers of the failing cell itself up to which it is asked on, where it is what leaves a control undecided."""


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
        young = Stream(whole, age=ages[int(len(ages) * _YOUNG)], bound=bound)
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
    few = int(len(ages) * _YOUNG)
    old = Stream(whole, since=ages[-1 - few])

    def failing(more: int) -> Share:
        if more and tally.counts.n < _SHARPENED and probe.affords(more):
            probe.ask(old, more, tally)
        return tally.share(str(old), _control_level(probe))

    failing(_ENOUGH)
    found = _control(probe, "ages", Stream(whole, age=ages[few]), failing)
    return found if found.excuses and found.against.top < probe.search.settings.high else None


def _control_level(probe: Probe) -> float:
    search = probe.search
    return log(len(search.order) * _EACH / (search.settings.alpha * CONTROL_ALPHA))


def _idle(control: Control, share: Share) -> bool:
    """Whether there is no sign that a control will excuse."""
    if share.n < _ENOUGH:
        return False
    if control.kind == "long":
        return share.value >= control.against.value - _SIGN
    return share.value <= control.against.value + _SIGN


def _failing(probe: Probe, cell: int, bound: Cell | None, more: int) -> Share:
    """What fails, after some more answers."""
    if bound is not None:
        return bound_share(probe, cell, bound, more)
    if more and probe.search.counts[cell].n < _SHARPENED:
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
    while tally.counts.n < _MOST_CONTROLLED:
        dose = max(_FIRST, tally.counts.n // 4)
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


_LONGEST, _SAID = 300, 60
"""Characters of an item and of an answer that a terminal is shown."""
_TRIES = 2
"""Pairs that are asked until one shows what is claimed: right without, wrong with."""


def shown_pair(probe: Probe, cell: int, claim: Claim) -> ShownPair | None:
    """A pair for a claim. A cell without parts is shown by one of its items; so is nothing where no item was asked."""
    if not claim.parts:
        item = _asked(probe, cell, right=False)
        return None if item is None else ShownPair(None, item)
    best = None
    for attempt in range(_TRIES if probe.affords(2 * _TRIES) else 0):
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


def told_lines(told: Sequence[tuple[str, Claim | None]], items: int) -> list[str]:
    """Sentences for the terminal, numbered where they are about claims; the first so many with their items."""
    numbered = any(claim is not None for _, claim in told)
    lines = []
    for number, (text, claim) in enumerate(told, start=1):
        lines.append(f"  {number}. {text}" if numbered else f"  {text}")
        if number <= items and claim is not None and claim.pair is not None:
            lines += [f"     {line}" for line in pair_lines(claim.pair)]
    return lines


def pair_lines(pair: ShownPair) -> list[str]:
    """A pair for the terminal: the sentences that an answer needs, the question, and what the model said."""
    kind = "the same but for that" if pair.minimal else "two items of the two cells"
    items = [("without", pair.without), ("with", pair.whole)] if pair.without is not None else [("", pair.whole)]
    found = [f"for example, {kind}:"] if pair.without is not None else ["for example:"]
    for name, item in items:
        assert item is not None
        verdict = {True: "right", False: f"wrong, it is {item.target}", None: "could not be read"}[item.right]
        said = item.said.strip().splitlines()[0][:_SAID] if item.said.strip() else "nothing"
        found.append(f"  {name + ': ' if name else ''}{_needed(item)} → {said} ({verdict})")
    return found


def _needed(item: ShownItem) -> str:
    lines = item.input.splitlines()
    if item.support and lines:
        lines = [lines[number - 1] for number in item.support if number <= len(lines)] + lines[-1:]
    text = " / ".join(lines)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
