"""Fictional worlds: generated, consistent knowledge graphs with the ids of Wikidata."""

from taskloom.sources.knowledge.world.build import FictionalWorld, open_world
from taskloom.sources.knowledge.world.draft import DEFAULT_PEOPLE, WorldSettings

__all__ = ["DEFAULT_PEOPLE", "FictionalWorld", "WorldSettings", "open_world"]
