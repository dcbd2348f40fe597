"""The nouns of the house: instances, instructions, tasks, suites, recipes, registries, random keys."""

from taskloom.core.errors import UserError, missing_extra, nearest, unknown_name
from taskloom.core.family import Family, open_suite
from taskloom.core.findings import Finding
from taskloom.core.instance import Facet, FacetType, Instance, Row, content_hash, input_hash
from taskloom.core.instruction import Example, Instruction
from taskloom.core.progress import Progress, is_helper, track
from taskloom.core.recipe import Option, Recipe, options_of, parse_assignments, resolve
from taskloom.core.registry import Registry
from taskloom.core.rng import Key, KeyedRandom, digest, keyed_random
from taskloom.core.suite import Apart, Suite
from taskloom.core.targets import AnyOf, Boolean, Items, Product, Structure, Targets, acceptable_texts, any_of
from taskloom.core.task import AnswerKind, Task

__all__ = [
    "AnswerKind",
    "AnyOf",
    "Apart",
    "Boolean",
    "Example",
    "Facet",
    "FacetType",
    "Family",
    "Finding",
    "Instance",
    "Instruction",
    "Items",
    "Key",
    "KeyedRandom",
    "Option",
    "Product",
    "Progress",
    "Recipe",
    "Registry",
    "Row",
    "Structure",
    "Suite",
    "Targets",
    "Task",
    "UserError",
    "acceptable_texts",
    "any_of",
    "content_hash",
    "digest",
    "input_hash",
    "is_helper",
    "keyed_random",
    "missing_extra",
    "nearest",
    "open_suite",
    "options_of",
    "parse_assignments",
    "resolve",
    "track",
    "unknown_name",
]
