"""`taskloom rl serve`: items and rewards over HTTP, for a trainer that runs somewhere else."""

from __future__ import annotations

import argparse
from functools import partial

from taskloom.cli.options import add_option, add_suite_arguments
from taskloom.cli.suites import find_suite

EXAMPLES = """
  taskloom rl serve babi/mix-t7                             items and rewards at a free port of this machine
  taskloom rl serve babi/mix-t7 --reading strict --port 8900
  taskloom rl serve babi/mix-t7 --curriculum                items from where the policy's frontier is
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("serve",), help="serve: give items and score answers over HTTP")
    add_suite_arguments(parser)
    add_option(
        parser, "--reading", choices=("strict", "lenient", "shaped"), default="lenient", help="how answers are rewarded"
    )
    add_option(parser, "--encoding", default="chat", help="how items are shown (default chat)")
    add_option(parser, "--curriculum", action="store_true", help="choose combinations by the rewards that come back")
    add_option(parser, "--items-seed", type=int, default=0, help="seed of the items (default 0)")
    add_option(parser, "--host", default="127.0.0.1", help="where to listen; others than loopback need --token")
    add_option(parser, "--port", type=int, default=0, help="the port (default: a free one)")
    add_option(parser, "--token", default="", help="the token that requests must carry (default: a new one)")


def run(args: argparse.Namespace) -> int:
    """Serve until stopped."""
    from taskloom.core.serving import serve
    from taskloom.rl.serve import RewardServer

    suite = find_suite(args.suite, args.seed, args.settings)
    application = RewardServer(
        suite, args.reading, seed=args.items_seed, encoding=args.encoding, curriculum=args.curriculum
    )
    announce = partial(print, flush=True)
    serve(application, announce, host=args.host, port=args.port, token=args.token)
    return 0
