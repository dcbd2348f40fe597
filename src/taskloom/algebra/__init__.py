"""One algebra of functions: a tree of operators and atoms, with everything about an operator in its record.

In: text of expressions and records of operators.
Out: typed trees: shown, simplified, put into words and evaluated over sets.
"""
# ruff: noqa: I001

from taskloom.algebra.normal import equal, is_identity, links, map_filter, normal
from taskloom.algebra.operators import (
    CHAIN, COMPLEMENT, EMPTY, EQ, FILTER, IDENTITY, IF, IN, INTERSECTION, LAND, LNOT, LOR, MAP, SUBSET, UNION,
)  # fmt: skip
from taskloom.algebra.parse import Parser, Term, fault, operator_names
from taskloom.algebra.records import (
    Composition, ControlOperator, Laws, MapFilter, Operator, PredicateOperator, RelationOperator, SequenceOperator,
    width,
)  # fmt: skip
from taskloom.algebra.sets import Answers, Evaluator, Rule, Truths, Value
from taskloom.algebra.show import Notation, quote
from taskloom.algebra.speak import Speaker, reasons
from taskloom.algebra.tree import TAGS, Atom, Expression, Node, atoms, children, depth, facet, replace_atoms
from taskloom.algebra.types import IllTypedError, Signature, signature, spoken

__all__ = [
    "CHAIN", "COMPLEMENT", "EMPTY", "EQ", "FILTER", "IDENTITY", "IF", "IN", "INTERSECTION", "LAND",
    "LNOT", "LOR", "MAP", "SUBSET", "TAGS", "UNION", "Answers", "Atom", "Composition", "ControlOperator", "Evaluator",
    "Expression", "IllTypedError", "Laws", "MapFilter", "Node", "Notation", "Operator", "Parser", "PredicateOperator",
    "RelationOperator", "Rule", "SequenceOperator", "Signature", "Speaker", "Term", "Truths", "Value", "atoms",
    "children", "depth", "equal", "facet", "fault", "is_identity", "links", "map_filter", "normal", "operator_names",
    "quote", "reasons", "replace_atoms", "signature", "spoken", "width",
]  # fmt: skip
