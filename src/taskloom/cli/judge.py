"""`taskloom judge`: forms for people, and what they said."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import msgspec

from taskloom.cli.options import askers
from taskloom.cli.tables import results_table
from taskloom.core import UserError, open_suite
from taskloom.core.display import counted
from taskloom.core.study import Table
from taskloom.report.studies import form_page
from taskloom.run.results import load_run
from taskloom.store.atomic import disk_errors, write_page
from taskloom.store.ownership import refuse_foreign_file
from taskloom.studies.judgement.forms import FORMS, FormKey, RatingForm, deal, keep_quotes, make_form, opinion_notes
from taskloom.studies.judgement.read import (
    RaterAnswer,
    judge_by_model,
    judgement_tables,
    read_answers,
    read_key,
    run_people,
)

_MARK = b'name="generator" content="Taskloom'


def run(args: argparse.Namespace) -> int:
    """Make or read."""
    return _make(args) if args.what == "make" else _read(args)


def _make(args: argparse.Namespace) -> int:
    runs, suite = [], None
    if args.form == "answer" and len(args.paths) == 1 and not Path(args.paths[0]).exists():
        suite = open_suite(args.paths[0], seed=args.seed, options=args.settings)
    else:
        runs = [load_run(Path(folder)) for folder in args.paths]
    form, key = make_form(runs, args.form, suite=suite, tasks=args.tasks, instances=args.instances, seed=args.seed)
    path = Path(args.output or "form.html")
    raters = FORMS[form.kind].raters if args.raters is None else args.raters
    overlap = FORMS[form.kind].overlap if args.overlap is None else args.overlap
    pages = deal(form, raters, overlap)
    names = [path if len(pages) == 1 else path.with_stem(f"{path.stem}-{n}") for n in range(1, len(pages) + 1)]
    beside = path.with_suffix(".key.json")
    for name in names:
        refuse_foreign_file(name, _MARK)
    refuse_foreign_file(beside, b'"model_is_a"')
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    for name, page in zip(names, pages, strict=True):
        write_page(name, form_page(page).encode())
    write_page(beside, msgspec.json.format(msgspec.json.encode(key)) + b"\n")
    print(f"{counted(len(form.items), 'item')} in {', '.join(map(str, names))}")
    print(f"{beside} says whose answer is whose: keep it away from raters.")
    if raters > 1 and not overlap:
        print("No item has two raters, so agreement cannot be measured; --overlap 0.2 gives a fifth of them to each.")
    with askers(args):
        said = [str(_judged(form, model, args.model_options, path)) for model in args.judge]
    print(f"When answers come back:\n  taskloom judge read {beside} {' '.join([*said, 'answers-*.jsonl'])}")
    return 0


def _judged(form: RatingForm, model: str, options: dict[str, Any], path: Path) -> Path:
    """Let a model fill in the form, and write its answers as a rater's."""
    stem = f"{path.stem}.judge-{re.sub(r'[^A-Za-z0-9.]+', '-', model).strip('-')}"
    file = path.with_name(f"{stem}.jsonl")
    refuse_foreign_file(file, b'{"form":')
    answers, missed = judge_by_model(form, model, options, path.with_name(stem))
    write_page(file, b"".join(msgspec.json.encode(answer) + b"\n" for answer in answers))
    print(
        f"{model} judged {counted(len(answers), 'question')} ({file})"
        + (f"; {missed:,} got no answer offered" if missed else "")
    )
    return file


def _as_run(args: argparse.Namespace, answers: list[RaterAnswer], key: FormKey) -> Table:
    """The run of `human/NAME` on what people were asked."""
    if key.kind != "answer" or not args.output:
        raise UserError("--name goes with a form to answer, and with -o for the run's folder", where="--name")
    run = run_people(answers, key, args.name, Path(args.output))
    return results_table(run)


def _read(args: argparse.Namespace) -> int:
    first, *others = map(Path, args.paths)
    if not others:
        raise UserError("name the key and at least one file of answers", where="judge read")
    key = read_key(first)
    answers = read_answers(others, key)
    tables = judgement_tables(answers, key)
    if args.name is not None:
        tables.append(_as_run(args, answers, key))
    notes = _opinions(answers, key) if key.kind == "read" else []
    if args.json:
        print(msgspec.json.encode(tables).decode())
    else:
        print("\n\n".join([*notes, *(table.markdown() for table in tables)]))
    return 0


def _opinions(answers: list[RaterAnswer], key: FormKey) -> list[str]:
    """What people read in unparsed outputs, kept with the run as their second opinions."""
    run = load_run(Path(key.folder))
    for rater in dict.fromkeys(answer.rater for answer in answers):
        items = {answer.item: answer.answer.strip() for answer in answers if answer.rater == rater}
        keep_quotes(run, f"human/{rater}", {key.items[item].record: said for item, said in items.items()})
    return opinion_notes(run)
