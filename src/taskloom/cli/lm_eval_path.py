"""`taskloom lm-eval-path`: the folder of ready-made tasks for lm-evaluation-harness."""

from __future__ import annotations

import argparse

EXAMPLES = """
  taskloom lm-eval-path
  lm-eval run --include_path $(taskloom lm-eval-path) --tasks taskloom_babi_task-1 --model dummy --limit 5
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: none."""


def run(args: argparse.Namespace) -> int:
    """Print the folder; it is made when it is first asked for."""
    from taskloom.hosts.lm_eval_export import lm_eval_path

    print(lm_eval_path())
    return 0
