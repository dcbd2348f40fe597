"""The expression language: a typed tree, two notations, a normal form."""

from taskloom.families.taskbench.language.normal import MapFilter, equal, map_filter, normal
from taskloom.families.taskbench.language.parse import parse
from taskloom.families.taskbench.language.show import code, paper, short
from taskloom.families.taskbench.language.tree import (
    Atom,
    Chain,
    Compare,
    Complement,
    Empty,
    Expression,
    Filter,
    Identity,
    Intersection,
    Land,
    Lnot,
    Lor,
    Map,
    Union,
    atoms,
    chain,
    children,
    depth,
)
from taskloom.families.taskbench.language.types import IllTypedError, Signature, signature

__all__ = [
    "Atom",
    "Chain",
    "Compare",
    "Complement",
    "Empty",
    "Expression",
    "Filter",
    "Identity",
    "IllTypedError",
    "Intersection",
    "Land",
    "Lnot",
    "Lor",
    "Map",
    "MapFilter",
    "Signature",
    "Union",
    "atoms",
    "chain",
    "children",
    "code",
    "depth",
    "equal",
    "map_filter",
    "normal",
    "paper",
    "parse",
    "short",
    "signature",
]
