"""`taskloom serve`: runs, samples and findings in the browser."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from taskloom.cli.options import add_option

EXAMPLES = """
  taskloom serve                                     what lies below this folder, at a free port of this machine
  taskloom serve runs probes --port 8000
  taskloom serve runs --read-only                    to look at, not to start or judge anything
  taskloom serve runs --host 0.0.0.0 --token SECRET  others can reach it, and need the token
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folders", nargs="*", metavar="DIR", help="folders with runs and probes (default: this one)")
    add_option(parser, "--read-only", action="store_true", help="refuse everything that would change something")
    add_option(parser, "--host", default="127.0.0.1", help="where to listen; others than loopback need --token")
    add_option(parser, "--port", type=int, default=0, help="the port (default: a free one)")
    add_option(parser, "--token", default="", help="the token of the address (default: a new one)")


def run(args: argparse.Namespace) -> int:
    """Serve until stopped."""
    from taskloom.core.serving import serve
    from taskloom.views.app import App

    app = App([Path(text) for text in args.folders or ["."]], read_only=args.read_only)
    serve(
        app,
        partial(print, flush=True),
        host=args.host,
        port=args.port,
        token=args.token,
        read_only=args.read_only,
    )
    return 0
