"""`taskloom report`: compare runs in one HTML page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from taskloom.core import Progress, UserError, ensure_known
from taskloom.core.folders import not_here
from taskloom.report.build import build_report
from taskloom.report.studies import find_studies
from taskloom.run.log import has_records
from taskloom.run.results import load_run


def run(args: argparse.Namespace) -> int:
    """Write the page and print where it is."""
    pairs = []
    for text in args.heatmap:
        first, comma, second = text.partition(",")
        if not comma or not first or not second:
            raise UserError(f"{text!r} is not two facets separated by a comma", where="--heatmap")
        pairs.append((first.strip(), second.strip()))
    paths = [Path(text) for text in args.runs]
    studies = list(dict.fromkeys(folder for path in paths for folder in find_studies(path)))
    # A folder of studies need not hold runs: they lie on a shelf of their own.
    folders = find_runs([path for path in paths if not find_studies(path) or any(path.glob("**/run.json"))])
    with Progress("reading the logs", len(folders), unit="runs") as progress:
        runs = []
        for folder in folders:
            runs.append(load_run(folder, args.errors, args.weigh))
            progress.advance()
    known = {name for loaded in runs for name in loaded.facet_names()}
    for name in [*args.facet, *(name for pair in pairs for name in pair)]:
        ensure_known("facet", name, known)
    path = Path(args.output)
    if path.suffix not in ("", ".html", ".htm"):
        hint = f"-o {path.with_suffix('.html')}, which any browser prints; taskloom score DIR --json has the numbers"
        raise UserError("a report is an HTML page", where=f"-o {path}", hint=hint)
    if path.is_dir():
        path /= "report.html"
    build_report(runs, path, title=args.title, facets=args.facet, heat=pairs, studies=studies)
    print(path.resolve())
    return 0


def find_runs(paths: map[Path] | list[Path]) -> list[Path]:
    """The run folders among some paths; a folder that is no run itself is searched for runs inside it."""
    found: list[Path] = []
    for path in paths:
        if (path / "run.json").is_file():
            found.append(path)
            continue
        inside = sorted(p.parent for p in path.glob("**/run.json") if "scores" not in p.relative_to(path).parts)
        if not inside:
            raise not_here(path, "run", "taskloom run SUITE --model M -o DIR")
        # One job of a sweep that failed, or has not begun, must not cost the page of all the others.
        filled = [folder for folder in inside if has_records(folder)]
        for folder in inside:
            if folder not in filled:
                print(f"left out, its log is empty: {folder}", file=sys.stderr)
        found += filled or inside
    return list(dict.fromkeys(found))
