"""The front door: finds the verb, loads only what it needs, and prints errors a person can use.

`taskloom --help` must not cost more than a few bare starts of Python, so nothing but the standard
library is imported before a verb is known, and argparse only when it is needed.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

GROUPS: dict[str, dict[str, str]] = {
    "make": {
        "list": "list families, suites, tasks, models, scorers, encodings, studies and their options",
        "show": "print the prompts of a suite exactly as a model sees them, or its recipe",
        "generate": "write a suite to disk as a bundle (Parquet, with disjoint splits proved)",
        "check": "verify a bundle, a run, a suite or your own tasks; lint recipes and task files",
        "sources": "download, list and check the packages that superni/open is built from",
    },
    "ask": {
        "run": "run a model on a suite; the same command resumes an interrupted run",
        "merge": "make one run of shards that several machines asked",
        "import": "import the outputs of another tool as a run",
        "judge": "make forms for human raters, and read their answers",
    },
    "understand": {
        "probe": "find the smallest combinations a model fails on, with error control",
        "compare": "compare two runs on the questions both were asked, or two probes, with error control",
        "serve": "watch runs, browse samples and see findings in the browser",
        "report": "compare runs in one self-contained HTML page",
        "score": "rescore a run without asking the model again",
        "sql": "query the records of runs in SQL (with DuckDB)",
        "gate": "pass or fail a run in continuous integration, based on intervals",
        "study": "reproduce one table or figure of a paper",
    },
    "teach": {
        "cure": "train on the combinations a probe found missing, in growing doses, and probe again",
        "sweep": "run many adaptations in parallel, on all cores or on a cluster",
        "rl": "serve items and rewards over HTTP to a trainer",
        "pretrain": "pre-train a tiny model on text generated from Taskloom's own sources",
        "prune": "limit the size of the adaptation store",
    },
    "share": {
        "export": "export a suite to other formats, or an adapted model for transformers",
        "lm-eval-path": "print the folder of ready-made tasks for lm-evaluation-harness",
    },
    "extend, and find your way": {
        "new": "create a working task, family, scorer, model, study or task file to start from",
        "demo": "run the whole pipeline in minutes: generate, fit, probe, report",
        "doctor": "show what is installed, what is missing, and how to get it",
        "completion": "print shell completion for bash, zsh or fish",
    },
}
"""The commands, by what a person wants to do."""
VERBS = {name: line for verbs in GROUPS.values() for name, line in verbs.items()}
MODULES = {"import": "imports"}
"""Verbs whose module cannot bear their name."""
ALIASES = {"ls": ("list",), "validate": ("check",), "view": ("show", "report"), "eval": ("run",)}
"""Names that people type; `view` is `report` for folders of runs or studies and `show` for a suite."""

_EXAMPLES = """\
examples:
  taskloom list suites
  taskloom show babi/task-1 --n 2
  taskloom generate babi/mix-t12 --seed 7 -o stories
  taskloom run babi/task-1 --model mock/majority --limit 100 -o runs/majority
  taskloom report runs/majority runs/oracle -o report.html

`taskloom COMMAND --help` shows more examples. Every option can also be set in the environment, as TASKLOOM_OPTION."""


def _help() -> str:
    width = max(map(len, VERBS))
    lines = []
    for group, verbs in GROUPS.items():
        lines += ["", f"{group}:", *(f"  {name:<{width}}  {line}" for name, line in verbs.items())]
    return "\n".join(
        [
            "usage: taskloom COMMAND [options]",
            "",
            "Generate controlled language tasks, run or adapt any model on them, and see exactly",
            "where it stops generalising.",
            *lines,
            "",
            _EXAMPLES,
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0 if everything asked for was done, 1 if some instances failed or a check found errors, 2 for a usage error,
        70 for a defect of Taskloom, 130 if it was stopped.
    """
    from taskloom.cli.guard import guarded

    given = list(sys.argv[1:] if argv is None else argv)
    return guarded(given, lambda: run_command(given), program=argv is None)


def run_command(given: list[str]) -> int:
    """Run a command without the last resort: whatever goes wrong is raised."""
    if given[:1] == ["help"] and given[1:]:
        given = [*given[1:], "--help"]
    if not given or given[0] in ("-h", "--help", "help"):
        print(_help())
        return 0 if given else 2
    if given[0] in ("--version", "-V", "-v"):
        from taskloom import __version__

        print(f"taskloom {__version__}")
        return 0
    verb = _meant(given[0], given[1:])
    if verb not in VERBS:
        from taskloom.core.errors import unknown_name

        known = [*VERBS, *ALIASES, "--help", "--version"]
        error = unknown_name("command", given[0], known, hint="taskloom --help lists them all")
        print(f"error: {error}", file=sys.stderr)
        return 2
    return _run(verb, given[1:])


def _meant(verb: str, rest: list[str]) -> str:
    """The verb behind an alias."""
    if verb != "view":
        return ALIASES.get(verb, (verb,))[0]
    from pathlib import Path

    from taskloom.core.catalog import OPENERS

    show, report = ALIASES[verb]
    folders = [Path(word) for word in rest if Path(word).is_dir()]
    suites = [folder for folder in folders if any(opener.opens(folder) for _, opener in OPENERS.items())]
    return report if folders and not suites else show


def _run(verb: str, rest: list[str]) -> int:
    from taskloom.cli.options import run_verb
    from taskloom.core.secrets import learn_words, refuse_in_names

    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"
    learn_words(rest)  # before anything of the command can fail and be printed
    refuse_in_names(rest)
    return run_verb(verb, rest)
