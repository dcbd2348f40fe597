"""The nouns of the house: instances, instructions, tasks, suites, recipes, registries, random keys."""

from taskloom.core.blocks import BLOCK_ROWS, Blocks, SeriesBlocks, UniformBlocks
from taskloom.core.cells import Cell, ItemPair, Lattice, PlainWords
from taskloom.core.errors import EmptySuiteError, UserError, missing_extra, nearest, unknown_name
from taskloom.core.family import Family, SuiteSpec
from taskloom.core.findings import Finding
from taskloom.core.instance import (
    Facet,
    FacetType,
    Instance,
    Row,
    content_hash,
    input_digests,
    input_hash,
    question_digests,
    question_hash,
    row_digests,
    row_hash,
)
from taskloom.core.instruction import Example, Instruction
from taskloom.core.kind import Kind
from taskloom.core.open import Opener, open_recorded, open_suite
from taskloom.core.permute import Permutation, Shuffle
from taskloom.core.progress import Progress, is_helper, track
from taskloom.core.reader import Reader, Reading
from taskloom.core.recipe import Option, Recipe, options_of, parse_assignments, resolve
from taskloom.core.registry import Registry
from taskloom.core.rng import Key, KeyedRandom, digest, keyed_random
from taskloom.core.suite import Apart, Suite
from taskloom.core.targets import AnyOf, Boolean, Items, Product, Structure, Targets, acceptable_texts, any_of
from taskloom.core.task import AnswerKind, Task, tasks_hash
from taskloom.core.view import SplitView

__all__ = [
    "BLOCK_ROWS",
    "AnswerKind",
    "AnyOf",
    "Apart",
    "Blocks",
    "Boolean",
    "Cell",
    "EmptySuiteError",
    "Example",
    "Facet",
    "FacetType",
    "Family",
    "Finding",
    "Instance",
    "Instruction",
    "ItemPair",
    "Items",
    "Key",
    "KeyedRandom",
    "Kind",
    "Lattice",
    "Opener",
    "Option",
    "Permutation",
    "PlainWords",
    "Product",
    "Progress",
    "Reader",
    "Reading",
    "Recipe",
    "Registry",
    "Row",
    "SeriesBlocks",
    "Shuffle",
    "SplitView",
    "Structure",
    "Suite",
    "SuiteSpec",
    "Targets",
    "Task",
    "UniformBlocks",
    "UserError",
    "acceptable_texts",
    "any_of",
    "content_hash",
    "digest",
    "input_digests",
    "input_hash",
    "is_helper",
    "keyed_random",
    "missing_extra",
    "nearest",
    "open_recorded",
    "open_suite",
    "options_of",
    "parse_assignments",
    "question_digests",
    "question_hash",
    "resolve",
    "row_digests",
    "row_hash",
    "tasks_hash",
    "track",
    "unknown_name",
]
