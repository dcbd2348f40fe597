"""One algebra of functions: a tree of operators and atoms, with everything about an operator in its record.

In: text, atoms and their data. Out: typed expressions with values, normal forms, phrases, explanations and queries.
"""

from taskloom.algebra.atoms import AtomRecord, PredicateAtom, RelationAtom, has_own_atoms, is_ours, own_atom
from taskloom.algebra.normal import equal, is_identity, links, map_filter, normal
from taskloom.algebra.operators import (
    CHAIN,
    COMPLEMENT,
    EMPTY,
    EQ,
    FILTER,
    IDENTITY,
    IF,
    IN,
    INTERSECTION,
    LAND,
    LNOT,
    LOR,
    MAP,
    SUBSET,
    UNION,
)
from taskloom.algebra.parse import Parser, operator_names
from taskloom.algebra.records import (
    Composition,
    ControlOperator,
    Laws,
    MapFilter,
    Operator,
    PredicateOperator,
    RelationOperator,
    SequenceOperator,
    width,
)
from taskloom.algebra.sets import Answers, Evaluator, Rule, Table, Truths, TruthTable, Value
from taskloom.algebra.show import Notation, quote
from taskloom.algebra.speak import Explainer, Speaker, reasons
from taskloom.algebra.syntax import Term, fault
from taskloom.algebra.tree import TAGS, Atom, Expression, Node, atoms, children, depth, facet, replace_atoms
from taskloom.algebra.types import LANGUAGES, IllTypedError, Signature, signature, spoken

__all__ = [
    "CHAIN", "COMPLEMENT", "EMPTY", "EQ", "FILTER", "IDENTITY", "IF", "IN", "INTERSECTION", "LAND", "LANGUAGES",
    "LNOT", "LOR", "MAP", "SUBSET", "TAGS", "UNION", "Answers", "Atom", "AtomRecord", "Composition",
    "ControlOperator", "Evaluator", "Explainer", "Expression", "IllTypedError", "Laws", "MapFilter", "Node",
    "Notation", "Operator", "Parser", "PredicateAtom", "PredicateOperator", "RelationAtom", "RelationOperator",
    "Rule", "SequenceOperator", "Signature", "Speaker", "Table", "Term", "TruthTable", "Truths", "Value", "atoms",
    "children", "depth", "equal", "facet", "fault", "has_own_atoms", "is_identity", "is_ours", "links", "map_filter",
    "normal", "operator_names", "own_atom", "quote", "reasons", "replace_atoms", "signature", "spoken", "width",
]  # fmt: skip
