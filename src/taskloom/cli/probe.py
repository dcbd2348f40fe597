"""`taskloom probe`: find the smallest combinations at which a model stops."""

from __future__ import annotations

import argparse
from contextlib import closing

import msgspec

from taskloom.cli.options import askers
from taskloom.cli.run import settings_from
from taskloom.core import open_suite, resolve
from taskloom.core.catalog import probed_suite
from taskloom.core.display import counted
from taskloom.run.session import open_session
from taskloom.studies.frontier.claims import Frontier, load_frontier
from taskloom.studies.frontier.compare import compare_frontiers
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings
from taskloom.studies.frontier.sentences import told_lines

_SHOWN = 20
_WITH_ITEMS = 3
_SUSPECTED = 3


def run(args: argparse.Namespace) -> int:
    """Probe, then print what may be said."""
    given = args.search_settings | ({} if args.budget is None else {"budget": args.budget})
    search = resolve(SearchSettings(), given, where="probe")
    suite = open_suite(probed_suite(args.suite), seed=args.seed, options=args.settings)
    before = None if args.against is None else load_frontier(args.against)
    if args.dry_run:
        with closing(open_session(suite, settings_from(args))) as session:
            print(session.estimate(suite.rows(suite.default_split()), search.budget).sentence())
        return 0
    with askers(args):
        found = probe_model(suite, args.output, settings_from(args), search, right=args.right)
    change = None if before is None else compare_frontiers(before, found)
    if args.json:
        data = msgspec.to_builtins(found)
        print(msgspec.json.encode(data if change is None else {**data, "comparison": change}).decode())
        return 0
    print(describe(found))
    if change is not None:
        print("\n" + change.table().markdown(2))
        print("\n" + "\n".join(f"  {text}" for text in change.sentences()))
    return 0


def describe(found: Frontier) -> str:
    """A frontier for the terminal: claims first, then what was not asked."""
    counts = found.counts()
    total = len(found.cells)
    budget = found.settings["budget"]
    asked = f"{found.asked:,} of at most {counted(budget, 'question')}"
    if controls := found.asked - sum(cell.share.n for cell in found.cells):
        asked += f", {controls:,} of them to control for length"
    lines = [f"{found.model} on {found.suite}: {counted(total, 'combination')}, {asked}", ""]
    said = found.sentences_with_claims()
    lines += told_lines(said[:_SHOWN], _WITH_ITEMS)
    if len(said) > _SHOWN:
        lines.append(f"  … and {len(said) - _SHOWN} more in frontier.json")
    if found.words:
        lines.append("")
        lines += [f"  {name}: {each.name} ({each.example})" for name, each in found.words.items() if each.example]
    if found.patterns:
        names = "; ".join(
            f"{'+'.join(pattern.atoms)} ({pattern.question})" if pattern.question else "+".join(pattern.atoms)
            for pattern in found.patterns
        )
        lines += ["", f"In short (a summary, without guarantee): {names}."]
    if found.suspects:
        listed = "; ".join(map(str, found.suspects[:_SUSPECTED]))
        lines += ["", f"Suspected and not decided, likeliest first: {listed}."]
    lines += [
        "",
        f"{counts['mastered']:,} mastered, {counts['failing']:,} failing, {counts['between']:,} in between; "
        f"{counts['inherited']:,} vouched for by a larger one and not asked; {_left_open(found)}.",
        f"All claims hold jointly with probability at least {1 - found.settings['alpha']:.0%}: "
        f"{counted(total, 'combination')}, "
        f"mastered above {found.settings['low']:.0%}, failing below {found.settings['high']:.0%}.",
    ]
    if found.undrawable:
        cell, reason = next(iter(found.undrawable.items()))
        more = "" if len(found.undrawable) == 1 else " frontier.json has the other reasons."
        lines.append(
            f"{counted(len(found.undrawable), 'combination')} could not be drawn to the end, so what is in between or "
            f"not asked may be so for want of items. {cell}: {' '.join(reason.split())}{more}"
        )
    if _spent(found):
        lines.append(
            f"The budget of {counted(budget, 'question')} is spent: the same command with a larger one "
            f"(--budget {2 * budget}) goes on from here."
        )
    return "\n".join(lines)


def _spent(found: Frontier) -> bool:
    missed = any(control.missing == "budget" for claim in (*found.claims, *found.unable) for control in claim.controls)
    return bool(found.asked >= found.settings["budget"] or missed)


def _left_open(found: Frontier) -> str:
    """What has no verdict, and why none was needed."""
    left = [cell.share.n for cell in found.cells if cell.standing == "open"]
    text = f"{left.count(0):,} not asked"
    if begun := len(left) - left.count(0):
        text += f", {begun:,} left undecided"
    # Above a part that is not mastered nothing is smallest; without budget there may be other reasons.
    return text if not left or _spent(found) else f"{text}, as a part of them is not mastered"
