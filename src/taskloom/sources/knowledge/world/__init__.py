"""Fictional worlds: generated, consistent knowledge graphs with the ids of Wikidata."""

from taskloom.sources.knowledge.world.build import World, build_world, open_world
from taskloom.sources.knowledge.world.settings import DEFAULT_PEOPLE, WorldSettings

__all__ = ["DEFAULT_PEOPLE", "World", "WorldSettings", "build_world", "open_world"]
