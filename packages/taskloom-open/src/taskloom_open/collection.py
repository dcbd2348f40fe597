"""All tasks of the open collection, and which languages each blueprint is copied into."""

from __future__ import annotations

from functools import cache

from taskloom.author import Blueprint
from taskloom.core import digest
from taskloom_open.archives import PACKAGES
from taskloom_open.lexical import lexical
from taskloom_open.measures import measures
from taskloom_open.places import places
from taskloom_open.puzzles import puzzles
from taskloom_open.tongues import tongues
from taskloom_open.voices import voices
from taskloom_open.worlds import worlds
from taskloom_open.written import written

MOST_COPIES = 14
"""At most this many languages per blueprint: copies add languages, not kinds of tasks."""

SOURCES: tuple[str, ...] = tuple(PACKAGES)
"""Every source that some task is made from."""


def _rank(blueprint: Blueprint) -> tuple[bool, bytes]:
    """Languages that many readers know come first, the others by chance but always the same."""
    spoken = (blueprint.language, blueprint.output_language or blueprint.language)
    foreign = next((one for one in spoken if one != "English"), "English")
    return foreign != "English", digest("superni/open", blueprint.facets["blueprint"], foreign)  # type: ignore[arg-type]


@cache
def open_blueprints() -> dict[str, Blueprint]:
    """Every task by name, in a fixed order.

    Raises:
        UserError: A source is missing, with the command that gets it.
    """
    by_template: dict[str, list[Blueprint]] = {}
    for make in (measures, tongues, voices, lexical, places, worlds, puzzles, written):
        for blueprint in make():
            by_template.setdefault(str(blueprint.facets["blueprint"]), []).append(blueprint)
    found: dict[str, Blueprint] = {}
    for template in sorted(by_template):
        for blueprint in sorted(by_template[template], key=_rank)[:MOST_COPIES]:
            found[blueprint.name] = blueprint
    return found
