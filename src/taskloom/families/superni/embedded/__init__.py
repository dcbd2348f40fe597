"""The embedded collection: instruction tasks in English and Spanish that need no download."""

from taskloom.families.superni.embedded.collection import TEST_CATEGORIES, blueprints

__all__ = ["TEST_CATEGORIES", "blueprints"]
