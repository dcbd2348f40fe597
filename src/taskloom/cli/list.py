"""`taskloom list`: what there is."""

from __future__ import annotations

import argparse
import fnmatch
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import msgspec

from taskloom.core import UserError, ensure_known, open_suite, options_of, unknown_name
from taskloom.core import catalog as listing
from taskloom.core.catalog import FAMILIES, REGISTRIES, STUDIES
from taskloom.core.siblings import absent_lines
from taskloom.core.study import Study
from taskloom.protocol import PROTOCOLS

_KINDS = {
    "families": "family", "suites": "suite", "tasks": "task", "models": "model", "scorers": "scorer",
    "readers": "reader", "protocols": "protocol", "encodings": "encoding", "metrics": "metric",
    "adaptations": "adaptation", "studies": "study", "operators": "operator", "atoms": "atom",
    "kinds": "kind of answer", "options": "option",
}  # fmt: skip
_LISTS: dict[str, Callable[[], dict[str, str]]] = {
    "families": listing.list_families,
    "models": listing.list_models,
    "scorers": listing.list_scorers,
    "readers": listing.list_readers,
    "metrics": listing.list_metrics,
    "encodings": listing.list_encodings,
    "adaptations": listing.list_adaptations,
    "operators": listing.list_operators,
    "atoms": listing.list_atoms,
    "kinds": listing.list_kinds,
}


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    if args.what in FAMILIES:
        args.what, args.filter = "suites", args.what
    ensure_known("list", args.what, [*_KINDS], hint="taskloom list --help")
    if args.what == "options":
        return _list_options(args.filter, as_json=args.json)
    rows = _rows(args.what, args.filter)
    if args.filter and args.what != "tasks":
        found = {name: line for name, line in rows.items() if _matches(name, args.filter)}
        # A word that begins no name may stand in the middle of one, or in what is said about it.
        word = args.filter.lower()
        rows = found or {name: line for name, line in rows.items() if word in f"{name} {line}".lower()}
        if not rows:
            raise unknown_name(_KINDS[args.what], args.filter, _rows(args.what, None) | dict.fromkeys(FAMILIES, ""))
    cited = {name: FAMILIES.get(name).citation for name in rows} if args.what == "families" else {}
    known = list(REGISTRIES.get(_KINDS[args.what], ()))
    for line in () if args.filter else absent_lines(_KINDS[args.what], known):
        print(line, file=sys.stderr)
    if args.json:
        every = [{"name": name, "about": line, **_citation(cited.get(name))} for name, line in rows.items()]
        print(msgspec.json.encode(every).decode())
        return 0
    width = min(max(map(len, rows), default=0), 44)
    for name, line in rows.items():
        print(f"{name:<{width}}  {line}".rstrip())
        if name in cited:
            print(
                textwrap.fill(cited[name], 110, initial_indent=" " * (width + 2), subsequent_indent=" " * (width + 2))
            )
    if args.what == "families" and not args.filter:
        print("\ntaskloom list suites, models, tasks SUITE, options NAME …: taskloom list --help", file=sys.stderr)
    return 0


def _citation(text: str | None) -> dict[str, str]:
    return {"citation": text} if text else {}


def _list_options(name: str | None, *, as_json: bool) -> int:
    """The keys of the object of that name, each with its default and what it does."""
    from taskloom.cli.keys import find_recipe

    if name is None:
        raise UserError("name what the options belong to", hint="taskloom list options finetune")
    letter, recipe = find_recipe(name)
    options = options_of(recipe)
    if as_json:
        print(msgspec.json.encode([option._asdict() for option in options]).decode())
        return 0
    for option in options:
        print(f"{letter} {option.name}={msgspec.json.encode(option.default).decode()}")
        choices = f"one of {', '.join(map(str, option.choices))}. " if option.choices else ""
        if choices or option.about:
            print(textwrap.fill(choices + option.about, 110, initial_indent="    ", subsequent_indent="    "))
    if not options:
        print(f"{name} has no options")
    return 0


def _matches(name: str, wanted: str) -> bool:
    return name.startswith(wanted) or fnmatch.fnmatchcase(name, wanted)


def _rows(what: str, wanted: str | None) -> dict[str, str]:
    if what == "tasks":
        return _task_rows(wanted)
    if what == "protocols":
        return {name: protocol.summary for name, protocol in PROTOCOLS.items()}
    if what == "suites":
        family = wanted.partition("/")[0] if wanted else None
        return listing.list_suites(family if family and family in FAMILIES else None)
    if what == "studies":
        return {name: _study_line(name, study) for name, study in STUDIES.items()}
    rows: dict[str, str] = _LISTS[what]()
    return {**rows, **_stored()} if what == "adaptations" else rows


def _study_line(name: str, study: Study[Any]) -> str:
    """What a study answers, what it needs, and what it was measured to cost at each scale."""
    from taskloom.studies.cost import measured_costs, needed
    from taskloom.studies.experiment import Experiment

    needs = needed(study.scales["tiny"], study.scales["paper"]) if isinstance(study, Experiment) else study.needs
    parts = [study.summary, *([f"needs {needs}"] if needs else [])]
    costs = study.costs or measured_costs(name)
    parts += [", ".join(f"{scale}: {cost}" for scale, cost in costs.items())] if costs else []
    return "; ".join(parts)


def _stored() -> dict[str, str]:
    """The adaptations in the store, under their keys."""
    from taskloom.adapt.store import entries

    return {
        entry.key: f"{entry.size / 1e6:,.1f} MB, used {entry.used}: {entry.model} + {entry.adaptation} on {entry.suite}"
        for entry in entries()
    }


def _task_rows(suite: str | None) -> dict[str, str]:
    if suite is None:
        raise UserError("name the suite whose tasks to list", hint="taskloom list tasks babi/mix-t12")
    return {name: " ".join(said.split())[:90] for name, said in open_suite(suite).definitions()}
