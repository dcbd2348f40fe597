"""Commands that are a call and a few lines of print; what each needs is imported when it is called."""

from __future__ import annotations

import argparse
import re
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from taskloom.cli.options import COMMANDS, arguments_of, askers, read_command
from taskloom.core import UserError, ensure_known, open_suite, resolve
from taskloom.core.decode import read_text
from taskloom.core.display import counted

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)
_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def _say(args: argparse.Namespace, data: Any, text: str) -> int:
    """Print JSON where it was asked for, text where not."""
    print(msgspec.json.encode(data).decode() if args.json else text)
    return 0


def compare(args: argparse.Namespace) -> int:
    """Two runs on the questions both were asked, or two probes."""
    from taskloom.studies.frontier.compare import compare

    by = [name.strip() for name in (args.by or "").split(",") if name.strip()]
    found = compare(args.first, args.second, by=by)
    data = {**msgspec.to_builtins(found), "sentences": found.sentences()}
    return _say(args, data, "\n".join(found.sentences()) + "\n\n" + found.table().markdown(3))


def completion(args: argparse.Namespace) -> int:
    """Completion of commands, options, suites and models for a shell."""
    import shlex

    import jinja2

    from taskloom.cli.main import ALIASES, VERBS
    from taskloom.core.catalog import list_models, list_suites

    shells = sorted(path.suffix[1:] for path in COMMANDS.glob("completion.*") if path.suffix != ".toml")
    ensure_known("shell", args.shell, shells)
    taken = {verb: [name for each in arguments_of(read_command(verb)) for name in each.names] for verb in VERBS}
    taken |= {alias: [name for verb in verbs for name in taken[verb]] for alias, verbs in ALIASES.items()}
    options = {verb: sorted({"--help", *(n for n in names if n[:2] == "--")}) for verb, names in taken.items()}
    about = VERBS | {alias: f"another name for {' or '.join(verbs)}" for alias, verbs in ALIASES.items()}
    names = sorted(name for name in [*list_suites(), *list_models()] if re.fullmatch(r"[\w./-]+", name, re.ASCII))
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)  # noqa: S701 - a shell's text
    environment.filters["quoted"] = shlex.quote
    template = environment.from_string(read_text(COMMANDS / f"completion.{args.shell}"))
    print(template.render(options=options, about=about, names=names), end="")
    return 0


def cure(args: argparse.Namespace) -> int:
    """Teach what a probe found missing, and see which dose heals it."""
    from taskloom.store.ownership import write_ours
    from taskloom.studies.frontier.cure import CureSettings, cure_model

    settings = resolve(CureSettings(), args.cure_settings, where="cure")
    with askers(args):
        found = cure_model(
            args.probe, args.model, args.output, settings,
            adapt=args.adapt, adapt_options=args.adapt_options, suite=args.suite,
        )  # fmt: skip
    picture = Path(args.output) / "doses.svg"
    write_ours(picture, found.figure().svg())
    text = f"{found.table().markdown(2)}\n\n{found.side_effects().markdown()}\n\n{picture} draws it."
    return _say(args, found, text)


def generate(args: argparse.Namespace) -> int:
    """Write a bundle and say what is in it."""
    from taskloom.store.write import write_bundle

    suite = open_suite(args.suite, seed=args.seed, options=args.settings)
    for split in args.split:
        ensure_known("split", split, suite.splits, where=suite.name)
    if args.gpus:
        raise UserError("generating a suite uses no GPU", where="--gpus")
    manifest = write_bundle(
        suite, args.output, splits=args.split or None, jobs=args.jobs, engine=args.engine, address=args.address,
        replace=args.replace,
    )  # fmt: skip
    lines = [f"{suite.name}, seed {suite.seed}: {counted(len(suite.tasks), 'task')} in {args.output}"]
    for name, entry in manifest.splits.items():
        lines.append(f"  {name:<8} {entry.rows:>10,} instances of {counted(len(entry.tasks), 'task')}")
    lines.append(f"  splits keep {manifest.apart} apart: proved    content {manifest.hash}")
    return _say(args, manifest, "\n".join(lines))


def import_outputs(args: argparse.Namespace) -> int:
    """Import, score and print the table; 1 if some outputs match no row, or one that has another."""
    from taskloom.cli.tables import results_table
    from taskloom.hosts.imports import describe, import_log
    from taskloom.run.results import write_results

    names = ("suite", "seed", "split", "name", "reader", "by_id")
    given = {name: getattr(args, name) for name in names}
    found = import_log(args.kind, args.path, args.output, options=args.settings, **given)
    write_results(found.run)
    text = results_table(found.run).markdown()
    matched = counted(found.matched, "output")
    text += f"\n\n{matched} matched, {found.unmatched:,} match no row, {found.missing:,} rows unasked"
    if found.repeated:
        text += f"\n{counted(found.repeated, 'output is', 'outputs are')} repeated later; the last one counts"
    _say(args, describe(found), text)
    return 1 if found.unmatched or found.repeated else 0


def lm_eval_path(args: argparse.Namespace) -> int:
    """Print the folder of ready-made tasks for lm-evaluation-harness; it is made when it is first asked for."""
    from taskloom.hosts.lm_eval import lm_eval_path

    print(lm_eval_path())
    return 0


def merge(args: argparse.Namespace) -> int:
    """Merge shards, and print the table of the whole."""
    from taskloom.cli.tables import results_table
    from taskloom.run.results import load_run, write_results
    from taskloom.run.shards import merge_runs

    seal = merge_runs(args.shards, args.output)
    loaded = load_run(args.output)
    write_results(loaded)
    print(results_table(loaded).markdown())
    print(f"\n{counted(seal.records, 'record')} of {counted(len(args.shards), 'shard')} in {args.output}")
    return 0


def pretrain(args: argparse.Namespace) -> int:
    """Pre-train a tiny model, or find what was pre-trained before, and say how to use it."""
    from taskloom.models.tiny import PROVIDER
    from taskloom.models.tiny.pretrain import Pretraining, pretrain

    name = args.model.removeprefix("tiny/")
    ensure_known("tiny model", name, PROVIDER.names())
    settings = resolve(Pretraining(), args.settings, where="pretrain")
    folder, report = pretrain(name, settings, args.seed, Path(args.output) if args.output else None)
    lines = ["texts: " + ", ".join(f"{count:,} of {part}" for part, count in report.texts.items())]
    lines += [f"left out: {part} ({reason})" for part, reason in report.left_out.items()]
    lines += [
        f"loss on held-out text: {report.loss_before:.3f} before, {report.loss_after:.3f} after",
        f"{report.settings.steps:,} updates, {report.tokens:,} tokens, {report.cpu_seconds:,.0f} CPU seconds",
        f"use it: --model tiny/{name} -M pretrained={folder}",
    ]
    return _say(args, {"folder": str(folder), "report": report}, "\n".join(lines))


def prune(args: argparse.Namespace) -> int:
    """Keep the store of adaptations within a bound, and say what went."""
    from taskloom.adapt.store import entries, prune

    size = _SIZE.fullmatch(args.keep.strip())
    if size is None:
        raise UserError(f"{args.keep!r} is not a size", where="--keep", hint="for example 500MB or 5GB")
    removed = prune(int(float(size[1]) * 1000 ** _UNITS[size[2].upper()]))
    left = entries()
    lines = [
        f"removed {entry.key}  {entry.size / 1e6:,.1f} MB  {entry.model} + {entry.adaptation} on {entry.suite}"
        for entry in removed
    ]
    kept = counted(len(left), "adaptation is", "adaptations are")
    lines.append(f"{kept} left, {sum(entry.size for entry in left) / 1e6:,.1f} MB")
    return _say(args, {"removed": removed, "left": left}, "\n".join(lines))


def serve_rewards(args: argparse.Namespace) -> int:
    """Items and rewards over HTTP, for a trainer that runs somewhere else, until stopped."""
    from taskloom.core.serving import serve
    from taskloom.rl.serve import RewardServer

    suite = open_suite(args.suite, seed=args.seed, options=args.settings)
    server = RewardServer(suite, args.reading, seed=args.items_seed, encoding=args.encoding, curriculum=args.curriculum)
    serve(server, partial(print, flush=True), host=args.host, port=args.port, token=args.token)
    return 0


def serve_runs(args: argparse.Namespace) -> int:
    """Runs, samples and findings in the browser, until stopped; or written to files."""
    from taskloom.core.serving import serve
    from taskloom.views.app import App
    from taskloom.views.pages import export_site

    roots = [Path(text) for text in args.folders or ["."]]
    if args.export:
        written = export_site(roots, Path(args.export), reveal=args.reveal)
        print(f"{counted(len(written), 'page')}; the first is {written[0]}")
        return 0
    if args.reveal:
        raise UserError("--reveal is for --export", where="--reveal")
    app = App(roots, read_only=args.read_only)
    where = {name: getattr(args, name) for name in ("host", "port", "token", "read_only")}
    serve(app, partial(print, flush=True), **where)
    return 0


def sql(args: argparse.Namespace) -> int:
    """A query over the records of runs: a table, or a line of JSON per row."""
    from taskloom.core.study import Table
    from taskloom.run.frames import query_runs
    from taskloom.run.results import load_run

    apart = [each.lower() for each in args.runs].index("select") if "select" in map(str.lower, args.runs) else 0
    if apart:
        query = " ".join([*args.runs[apart:], args.query])
        raise UserError("a query is one argument, in quotation marks", hint=f'taskloom sql {args.runs[0]} "{query}"')
    if not Path(args.runs[0]).exists() and Path(args.query).is_dir():
        raise UserError("the query comes last", hint=f"taskloom sql {args.query} {args.runs[0]!r}")
    found = query_runs([load_run(folder) for folder in args.runs], args.query)
    if args.json:
        for row in found.to_pylist():
            print(msgspec.json.encode(row).decode())
        return 0
    columns = found.to_pydict()
    rows = tuple(
        tuple(value if isinstance(value, str | int | float | None) else str(value) for value in row)
        for row in zip(*columns.values(), strict=True)
    )
    print(Table(args.query, tuple(columns), rows, counted(len(rows), "row")).markdown())
    return 0
