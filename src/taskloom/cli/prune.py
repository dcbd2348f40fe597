"""`taskloom prune`: keep the store of adaptations within a bound."""

from __future__ import annotations

import argparse
import re

import msgspec

from taskloom.cli.options import add_json, add_option
from taskloom.core import UserError

EXAMPLES = """
  taskloom list adaptations            what is kept, and how large it is
  taskloom prune --keep 5GB            remove the least recently used until 5 GB are left
  taskloom prune --keep 0              remove everything; runs keep their own files
"""

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)
_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_option(parser, "--keep", required=True, metavar="SIZE", help="how much to keep: 500MB, 5GB, 0")
    add_json(parser)


def size_of(text: str) -> int:
    """A size as people write it, in bytes."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise UserError(f"{text!r} is not a size", where="--keep", hint="for example 500MB or 5GB")
    return int(float(found[1]) * 1000 ** _UNITS[found[2].upper()])


def run(args: argparse.Namespace) -> int:
    """Remove, and say what went."""
    from taskloom.adapt.store import entries, prune

    removed = prune(size_of(args.keep))
    left = entries()
    if args.json:
        print(msgspec.json.encode({"removed": removed, "left": left}).decode())
        return 0
    for entry in removed:
        print(f"removed {entry.key}  {entry.size / 1e6:,.1f} MB  {entry.model} + {entry.adaptation} on {entry.suite}")
    print(f"{len(left):,} adaptations are left, {sum(entry.size for entry in left) / 1e6:,.1f} MB")
    return 0
