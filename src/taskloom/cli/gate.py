"""`taskloom gate`: pass, fail or cannot tell, for continuous integration."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

import msgspec

from taskloom.core.display import paint
from taskloom.run.results import load_run
from taskloom.store.atomic import disk_errors, write_page
from taskloom.store.ownership import refuse_foreign_file
from taskloom.studies.contrasts import GateCheck, GateResult, gate_run

CODES = {"pass": 0, "fail": 1, "cannot tell": 3}
_COLOURS = {"pass": "green", "fail": "red", "cannot tell": "yellow"}
_MARKS = {"pass": "✅", "fail": "❌", "cannot tell": "❔"}


def run(args: argparse.Namespace) -> int:
    """Check the run; the exit code is the verdict."""
    loaded = load_run(args.run, args.errors, args.weigh)
    result = gate_run(
        loaded,
        minimum=args.minimum,
        by=[name.strip() for name in args.by.split(",") if name.strip()],
        baseline=load_run(args.baseline, args.errors, args.weigh) if args.baseline else None,
        max_drop=args.max_drop,
        level=args.level,
    )
    if args.junit:
        refuse_foreign_file(Path(args.junit), b'name="taskloom gate ')
        with disk_errors(Path(args.junit).parent):
            write_page(Path(args.junit), junit(result).encode())
    summary = args.summary or os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with disk_errors(Path(summary).parent), Path(summary).open("a", encoding="utf-8") as file:
            file.write(markdown(result))
    if args.json:
        checks = [check._asdict() for check in result.checks]
        found = {"run": result.run, "verdict": result.verdict, "checks": checks, "warnings": result.warnings}
        print(msgspec.json.encode(found).decode())
    else:
        for check in result.checks:
            print(f"{paint(f'{check.verdict:<11}', _COLOURS[check.verdict], sys.stdout)}  {check.sentence()}")
        verdict = paint(result.verdict.upper(), _COLOURS[result.verdict], sys.stdout)
        print(f"{verdict}: {result.run}; {result.estimand}; {result.level:.0%} jointly over all checks")
        for warning in result.warnings:
            print(f"warning: {warning}")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for check in result.checks:
            if check.verdict != "pass":
                kind = "error" if check.verdict == "fail" else "warning"
                print(f"::{kind} title=taskloom gate::{_one_line(check.sentence())}")
    return CODES[result.verdict]


def _one_line(text: str) -> str:
    """Text that cannot begin another workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def junit(result: GateResult) -> str:
    """The checks as JUnit XML: what fails is a failure, what cannot be decided an error."""
    counts = {name: sum(check.verdict == name for check in result.checks) for name in CODES}
    cases = []
    for check in result.checks:
        name = quoteattr(_xml(f"{check.name} {check.kind}"))
        inside = ""
        if check.verdict != "pass":
            tag = "failure" if check.verdict == "fail" else "error"
            inside = f"<{tag} message={quoteattr(_xml(f'{check.verdict}: {check.sentence()}'))}/>"
        cases.append(f'    <testcase classname="taskloom.gate" name={name}>{inside}</testcase>')
    head = f'tests="{len(cases)}" failures="{counts["fail"]}" errors="{counts["cannot tell"]}"'
    suite = f"  <testsuite name={quoteattr(_xml(f'taskloom gate {result.run}'))} {head}>"
    body = "\n".join([suite, *cases, "  </testsuite>"])
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {head}>\n{body}\n</testsuites>\n'


def _xml(text: str) -> str:
    """Text without the control characters that XML cannot hold."""
    return "".join(c if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff") else "�" for c in text)


def markdown(result: GateResult) -> str:
    """The checks as a table for a job's summary page."""
    rows = "\n".join(_row(check) for check in result.checks)
    title = f"### {_MARKS[result.verdict]} taskloom gate: {result.verdict}"
    note = f"{_cell(result.run)}; {result.estimand}; intervals hold jointly at {result.level:.0%}"
    head = "| | what | wanted | found | interval | n |\n| --- | --- | --- | --- | --- | --- |"
    warnings = "".join(f"⚠️ {_cell(warning)}\n\n" for warning in result.warnings)
    return f"{title}\n\n{note}\n\n{head}\n{rows}\n\n{warnings}"


def _row(check: GateCheck) -> str:
    wanted = f"at least {check.bound:g}" if check.kind == "level" else f"a drop of at most {check.bound:g}"
    found = f"{check.value:.3f}" if check.kind == "level" else f"{check.value:+.3f}"
    interval = f"{check.low:.3f} to {check.high:.3f}"
    return f"| {_MARKS[check.verdict]} | {_cell(check.name)} | {wanted} | {found} | {interval} | {check.n:,} |"


def _cell(text: str) -> str:
    shown = text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;").replace("`", "&#96;")
    return " ".join(shown.split())
