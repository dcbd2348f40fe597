"""Finding the suite a user means, with the options of the command line."""

from __future__ import annotations

from taskloom.core import Suite, UserError, open_suite, parse_assignments, unknown_name


def find_suite(name: str, seed: int | None, settings: list[str]) -> Suite:
    """The suite a user named; the seed and the `key=value` pairs given win over a recipe file's."""
    return open_suite(name, seed=seed, options=parse_assignments(settings, "-T"))


def find_suite_and_task(name: str, seed: int | None, settings: list[str]) -> tuple[Suite, str | None]:
    """Like `find_suite`, but the name may end in `/TASK`."""
    try:
        return find_suite(name, seed, settings), None
    except UserError as error:
        head, slash, tail = name.rpartition("/")
        if not slash or "/" not in head:
            raise
        try:
            suite = find_suite(head, seed, settings)
        except UserError:
            raise error from None
        if tail not in suite.tasks:
            raise unknown_name("task", tail, suite.tasks, where=suite.name) from None
        return suite, tail
