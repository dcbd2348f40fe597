"""`taskloom check`: prove a bundle, a run or a page, lint recipes and task files."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from taskloom.cli.findings import to_github, to_json, to_sarif
from taskloom.cli.package import check_package, is_package
from taskloom.core import Finding, UserError, open_suite
from taskloom.core.display import counted
from taskloom.core.folders import not_here
from taskloom.run.log import has_records


def run(args: argparse.Namespace) -> int:
    """Print the findings; 1 if any is an error."""
    levels: Counter[str] = Counter()
    written = "json" if args.json else args.format
    findings: list[Finding] = []
    for path in map(Path, args.paths):
        for finding in _check(path, args):
            levels[finding.level] += 1
            if written == "sarif":
                findings.append(finding)
            else:
                print(_LINES[written](finding))
    if written == "sarif":
        print(to_sarif(findings))
    elif written == "text":
        found = [(levels[level], level) for level in ("error", "warning", "note") if levels[level]]
        counts = ", ".join(counted(count, level) for count, level in found)
        print(f"{len(args.paths)} checked: {counts or 'nothing wrong'}")
    return 1 if levels["error"] else 0


_LINES: dict[str, Callable[[Finding], str]] = {"text": str, "json": to_json, "github": to_github}


def _check(path: Path, args: argparse.Namespace) -> Iterator[Finding]:
    if (path / "manifest.json").exists():
        from taskloom.store.bundle import check_bundle

        return check_bundle(path)
    if (path / "run.json").exists() or has_records(path):
        return _check_run(path, args)
    if (path / "api" / "runs.json").is_file():
        from taskloom.views.pages import check_site

        return check_site(path)
    if path.suffix == ".html" and path.is_file():
        from taskloom.report.build import check_page

        return check_page(path)
    if path.suffix in (".yaml", ".yml"):
        return _check_recipe(path)
    if path.suffix == ".py" and path.is_file():
        from taskloom.author.prove import prove_file

        return prove_file(path)
    if path.is_dir() and is_package(path):
        return check_package(path)
    if path.suffix == ".json" or path.is_dir():
        from taskloom.families.superni.lint import lint_path

        return lint_path(path)
    if not path.exists() and "/" in str(path):
        return _check_suite(str(path))
    if not path.exists():
        raise not_here(path, "suite", "taskloom check PATH takes a bundle, a run, a page, a recipe or a task file")
    raise UserError(
        "not a bundle, a run, a page, a recipe or a task file", where=str(path), hint="taskloom check --help"
    )


def _check_suite(name: str) -> Iterator[Finding]:
    """A registered suite: every row drawn and proved, and its counts printed."""
    from taskloom.author.prove import prove_rows
    from taskloom.core.catalog import FAMILIES
    from taskloom.families.superni.statistics import from_suite

    try:
        suite = open_suite(name)
    except UserError as error:
        raise UserError(error.message, where=error.where or name, hint=error.hint) from None
    rows = {split: list(suite.rows(split)) for split in suite.splits}
    yield from prove_rows(suite, rows, file=name)
    family = FAMILIES.get(suite.name.partition("/")[0])
    for split, found in rows.items():
        yield from family.audit(suite, split, found)
    numbers = from_suite(suite)
    parts = [f"{numbers.tasks:,} tasks"]
    if "blueprints" in suite.notes:
        parts.append(f"{suite.notes['blueprints']:,} blueprints")
    parts += [f"{numbers.task_types} types", f"{numbers.languages} languages", f"{numbers.domains} domains"]
    message = f"{', '.join(parts)}; {sum(map(len, rows.values())):,} rows drawn and proved"
    yield Finding(name, "", "note", message, code="counts")


def _check_run(path: Path, args: argparse.Namespace) -> Iterator[Finding]:
    from taskloom.run.check import RunProof, load_key
    from taskloom.run.log import RunLog
    from taskloom.run.plan import load_plan

    if args.upgrade:
        with RunLog(path, load_plan(path).samples) as log:
            log.finish()
    key = load_key(Path(args.signed_by), private=False) if args.signed_by else None
    proof = RunProof(path, args.suite, key)
    yield from proof.findings()
    if not (args.json or args.format != "text"):
        print(proof.sentence())


def _check_recipe(path: Path) -> Iterator[Finding]:
    try:
        open_suite(str(path))
    except UserError as error:
        yield Finding(error.where or str(path), "", "error", error.message, error.hint or "", "recipe")
