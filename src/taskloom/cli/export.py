"""`taskloom export`: a suite, or an adapted model, in the formats of others."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from taskloom.core import Row, Suite, UserError, ensure_known, open_suite, unknown_name
from taskloom.core.display import counted
from taskloom.hosts.table import DEFAULT_PROTOCOL, refuse_endless
from taskloom.store.atomic import disk_errors
from taskloom.store.ownership import refuse_foreign, replacing, write_ours


class Format(NamedTuple):
    """A format: which families it fits (all where empty), what it holds, and how one split is written to a file."""

    families: tuple[str, ...]
    about: str
    ending: str
    write: Callable[[Suite, str, Iterator[Row], Path], str]


def _babi_text(suite: Suite, split: str, rows: Iterator[Row], path: Path) -> str:
    from taskloom.families.babi.files import write_rows

    return f"{write_rows(rows, path):,} questions"


def _squad(suite: Suite, split: str, rows: Iterator[Row], path: Path) -> str:
    from taskloom.hosts.squad import write_squad

    counts = write_squad(rows, path, suite.tasks, title=f"{suite.name} {split}")
    if not counts.written:
        path.unlink()
        raise UserError(
            f"none of the {counts.left_out:,} answers is a span of the text, so the SQuAD format cannot be used",
            where=f"{suite.name}: {split}",
            hint="taskloom export superni writes any suite",
        )
    return f"{counted(counts.written, 'question')}, {counts.left_out:,} left out because their answer is not a span"


def _babi_kit(suite: Suite, split: str, rows: Iterator[Row], path: Path) -> str:
    from taskloom.families.babi.kit import write_jsonl

    return f"{write_jsonl(rows, path, seed=suite.seed):,} questions"


def _seti_json(suite: Suite, split: str, rows: Iterator[Row], path: Path) -> str:
    from taskloom.families.seti.published import write_records

    return f"{write_records(rows, path):,} pairs"


def _zest_json(suite: Suite, split: str, rows: Iterator[Row], path: Path) -> str:
    from taskloom.families.zest.load import write_tasks

    return f"{write_tasks(rows, suite.tasks, path):,} tasks"


FORMATS: dict[str, Format] = {
    "babi-text": Format(("babi",), "numbered stories with the lines that support an answer", "txt", _babi_text),
    "squad": Format((), "answers that are spans of the text", "json", _squad),
    "babi-kit": Format(("babi",), "stories with their events, as in the Dyna-bAbI kit", "jsonl", _babi_kit),
    "zest-json": Format(("zest",), "questions with their passages", "jsonl", _zest_json),
    "seti-json": Format(("seti",), "a premise and a hypothesis with the labels of their parts", "json", _seti_json),
}
FOLDERS = ("hf", "lm-eval", "superni")
MODEL = "model"
RECORDS = "records"
_WRITES = "hf writes rows of a suite, records the answers of a run (JSON lines); taskloom export --help shows all"

OPTIONS = {
    "--as": ("form", (MODEL,)),
    "--seed": ("seed", (*FOLDERS, *FORMATS)),
    "--split": ("split", (*FOLDERS, *FORMATS)),
    "--rows": ("rows", (*FOLDERS, *FORMATS)),
    "-T": ("settings", (*FOLDERS, *FORMATS)),
    "--protocol": ("protocol", ("hf", "lm-eval")),
    "--form": ("answer_form", ("lm-eval",)),
}
"""Where each option is kept, and the formats that heed it: the others refuse it."""


def _rows(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"takes a number of rows, 1 or more, not {text}")
    return int(text)


def _refuse_unheeded(args: argparse.Namespace) -> None:
    """Refuse an option that a format has no use for; one set in the environment is meant for other commands."""
    for option, (place, formats) in OPTIONS.items():
        variable = f"TASKLOOM_{option.lstrip('-').upper()}"
        if getattr(args, place) and args.format not in formats and variable not in os.environ:
            raise UserError(f"{option} does not apply to {args.format}", hint=f"it is for {', '.join(formats)}")


def run(args: argparse.Namespace) -> int:
    """Write the files and say what is in them."""
    if args.format not in (*FORMATS, *FOLDERS, MODEL, RECORDS):
        known = [*FOLDERS, *FORMATS, MODEL, RECORDS]
        if args.suite in known:
            hint = f"taskloom export {args.suite} {args.format} -o {args.output}"
            raise UserError("the format comes before the suite", where=args.format, hint=hint)
        raise unknown_name("format", args.format, known, hint=_WRITES)
    _refuse_unheeded(args)
    if args.format == RECORDS:
        return _export_records(Path(args.suite), Path(args.output))
    if args.format == MODEL:
        return _export_model(args.suite, args.output, args.form or "auto")
    suite, folder = open_suite(args.suite, seed=args.seed, options=args.settings), Path(args.output)
    for split in args.split or ():
        ensure_known("split", split, suite.splits, where=suite.name)
    args.protocol = args.protocol or DEFAULT_PROTOCOL
    if args.format == "hf":
        return _export_hf(suite, folder, args)
    # The card of a data set has the sentence in it; the other formats have no place for it.
    from taskloom.report.html import canary

    name, text = f"{suite.name.replace('/', '-')}-canary.txt", canary(suite.identity) + "\n"
    if args.format == "superni":
        return _export_collection(suite, folder, args, {name: text})
    code = (_export_lm_eval if args.format == "lm-eval" else _export_files)(suite, folder, args)
    write_ours(folder / name, text)
    return code


def _export_records(run: Path, folder: Path) -> int:
    """A run's records as JSON lines, the newest of every question."""
    from taskloom.run.log import read_records
    from taskloom.run.record import encode_record

    path = folder / f"{run.resolve().name}.jsonl"
    refuse_foreign(path)
    with disk_errors(folder), replacing(path) as scratch, scratch.open("wb") as file:
        sizes = [file.write(encode_record(record) + b"\n") for record in read_records(run)]
    print(f"{path}: {counted(len(sizes), 'record')}")
    return 0


def _export_files(suite: Suite, folder: Path, args: argparse.Namespace) -> int:
    chosen = FORMATS[args.format]
    if chosen.families and suite.family not in chosen.families:
        fitting = " and ".join(f"{family}/…" for family in chosen.families)
        raise UserError(f"{args.format} holds {chosen.about}, which {fitting} has and {suite.name} has not")
    stem = suite.name.replace("/", "-")
    paths = {split: folder / f"{stem}-{split}.{chosen.ending}" for split in args.split or suite.splits}
    refuse_endless(suite, list(paths), args.rows)
    for path in paths.values():
        refuse_foreign(path)
    for split, path in paths.items():
        with disk_errors(folder), replacing(path) as scratch:
            said = chosen.write(suite, split, suite.rows(split, limit=args.rows), scratch)
        print(f"{path}: {said}")
    return 0


def _export_hf(suite: Suite, folder: Path, args: argparse.Namespace) -> int:
    from taskloom.hosts.hf import write_hf

    manifest = write_hf(suite, folder, splits=args.split, protocol=args.protocol, limit=args.rows)
    sizes = ", ".join(f"{name} {rows:,}" for name, rows in manifest.rows.items())
    print(f"{folder}: {suite.name}, seed {suite.seed}: {sizes}")
    print(f'  in Python: datasets.load_dataset("{folder}"); as a suite again: taskloom show {folder}')
    return 0


def _export_lm_eval(suite: Suite, folder: Path, args: argparse.Namespace) -> int:
    from taskloom.hosts.lm_eval import write_lm_eval

    names = write_lm_eval(
        suite, folder, splits=args.split, protocol=args.protocol, form=args.answer_form or "generate", limit=args.rows
    )
    print(f"{folder}: {counted(len(names), 'file')} for {suite.name}")
    print(f"  run it with: lm-eval run --include_path {folder} --tasks {names[0]} --model hf --model_args pretrained=…")
    return 0


def _export_collection(suite: Suite, folder: Path, args: argparse.Namespace, beside: dict[str, str]) -> int:
    from taskloom.families.superni.export import write_suite

    refuse_endless(suite, args.split or list(suite.splits), args.rows)
    with disk_errors(folder):
        files = write_suite(suite, folder, splits=args.split, limit=args.rows, beside=beside)
    print(f"{folder / 'tasks'}: {counted(len(files), 'task file')} of {suite.name}, seed {suite.seed}")
    print(f"  read it again with: taskloom show superni/files -T path={folder}")
    return 0


def _export_model(run: str, folder: str, form: str) -> int:
    from taskloom.adapt.opened import export_model

    if form not in ("auto", "merged", "peft"):
        raise unknown_name("form", form, ["auto", "merged", "peft"], where="--as")
    written = export_model(run, folder, form)  # type: ignore[arg-type]
    print(f"{folder}: {written.about}")
    print(f"  ask it with: taskloom run SUITE --model {written.opened_by} -o DIR")
    return 0
