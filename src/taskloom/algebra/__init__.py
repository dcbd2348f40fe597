"""One algebra of functions: a tree of operators and atoms, with everything about an operator in its record.

In: text of expressions and records of operators.
Out: typed trees: shown, simplified, put into words and evaluated over sets.
"""
# ruff: noqa: I001

from taskloom.algebra.operators import (
    CHAIN, COMPLEMENT, EMPTY, EQ, FILTER, IDENTITY, IF, IN, INTERSECTION, LAND, LNOT, LOR, MAP, SUBSET, UNION, equal,
    is_identity, normal,
)  # fmt: skip
from taskloom.algebra.parse import Notation, Term, fault, operator_names, quote, read
from taskloom.algebra.records import (
    Answers, Composition, ControlOperator, Evaluator, Laws, MapFilter, Operator, PredicateOperator, RelationOperator,
    Rule, SequenceOperator, Speaker, Truths, Value, links, map_filter, reasons, width,
)  # fmt: skip
from taskloom.algebra.types import TAGS, Atom, Expression, Node, atoms, depth, facet, replace_atoms
from taskloom.algebra.types import IllTypedError, Signature, signature, spoken

__all__ = [
    "CHAIN", "COMPLEMENT", "EMPTY", "EQ", "FILTER", "IDENTITY", "IF", "IN", "INTERSECTION", "LAND",
    "LNOT", "LOR", "MAP", "SUBSET", "TAGS", "UNION", "Answers", "Atom", "Composition", "ControlOperator", "Evaluator",
    "Expression", "IllTypedError", "Laws", "MapFilter", "Node", "Notation", "Operator", "PredicateOperator",
    "RelationOperator", "Rule", "SequenceOperator", "Signature", "Speaker", "Term", "Truths", "Value", "atoms",
    "depth", "equal", "facet", "fault", "is_identity", "links", "map_filter", "normal", "operator_names",
    "quote", "read", "reasons", "replace_atoms", "signature", "spoken", "width",
]  # fmt: skip
