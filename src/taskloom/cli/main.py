"""The front door: finds the verb, loads only what it needs, and prints errors a person can use.

`taskloom --help` must not cost more than a few bare starts of Python, so nothing but the standard
library is imported before a verb is known, and argparse only when it is needed.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

VERBS: dict[str, str] = {
    "list": "list families, suites, tasks, models, scorers, encodings, studies and their options",
    "show": "print the prompts of a suite exactly as a model sees them, or its recipe",
    "generate": "write a suite to disk as a bundle (Parquet, with disjoint splits proved)",
    "check": "verify a bundle, a run, a suite or your own tasks; lint recipes and task files",
    "run": "run a model on a suite; the same command resumes an interrupted run",
    "merge": "make one run of shards that several machines asked",
    "score": "rescore a run without asking the model again",
    "gate": "pass or fail a run in continuous integration, based on intervals",
    "import": "import the outputs of another tool as a run",
    "sql": "query the records of runs in SQL (with DuckDB)",
    "compare": "compare two runs on the questions both were asked, or two probes, with error control",
    "report": "compare runs in one self-contained HTML page",
    "probe": "find the smallest combinations a model fails on, with error control",
    "cure": "train on the combinations a probe found missing, in growing doses, and probe again",
    "study": "reproduce one table or figure of a paper",
    "judge": "make forms for human raters, and read their answers",
    "sweep": "run many adaptations in parallel, on all cores or on a cluster",
    "rl": "serve items and rewards over HTTP to a trainer",
    "pretrain": "pre-train a tiny model on text generated from Taskloom's own sources",
    "prune": "limit the size of the adaptation store",
    "export": "export a suite to other formats, or an adapted model for transformers",
    "lm-eval-path": "print the folder of ready-made tasks for lm-evaluation-harness",
    "completion": "print shell completion for bash, zsh or fish",
    "sources": "download, list and check the packages that superni/open is built from",
    "new": "create a working task, family, scorer, model, study or task file to start from",
    "doctor": "show what is installed, what is missing, and how to get it",
    "demo": "run the whole pipeline in minutes: generate, fit, probe, report",
}
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
    lines = [f"  {name:<{width}}  {line}" for name, line in VERBS.items()]
    return "\n".join(
        [
            "usage: taskloom COMMAND [options]",
            "",
            "Generate controlled language tasks, run or adapt any model on them, and see exactly",
            "where it stops generalising.",
            "",
            "commands:",
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
    if not given or given[0] in ("-h", "--help", "help"):
        print(_help())
        return 0 if given else 2
    if given[0] in ("--version", "-V"):
        from taskloom import __version__

        print(f"taskloom {__version__}")
        return 0
    verb = _meant(given[0], given[1:])
    if verb not in VERBS:
        from taskloom.core.errors import unknown_name

        print(
            f"error: {unknown_name('command', given[0], [*VERBS, *ALIASES], hint='taskloom --help lists them all')}",
            file=sys.stderr,
        )
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
