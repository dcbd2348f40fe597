"""Records of operators: complete or refused, and proved by their own examples."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from taskloom import register
from taskloom.algebra import (
    FILTER,
    LAND,
    UNION,
    Atom,
    Laws,
    PredicateOperator,
    RelationOperator,
    depth,
    facet,
    normal,
    operator_names,
    width,
)
from taskloom.core import UserError
from taskloom.core.catalog import OPERATORS

father, mother = Atom("father"), Atom("mother")


def given(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


@pytest.mark.parametrize("record", [UNION, LAND, FILTER], ids=lambda record: record.name)
def test_a_record_without_any_of_its_fields_is_refused(record: Any) -> None:
    whole = given(record)
    for name in whole:
        rest = {key: value for key, value in whole.items() if key != name}
        with pytest.raises(UserError, match=rf"lacks {name}\b"):
            type(record)(**rest)


def test_a_meaning_that_contradicts_its_example_is_refused() -> None:
    with pytest.raises(UserError, match=r"the semantics of the operator 'union' gives .* for its example, not"):
        RelationOperator(**{**given(UNION), "semantics": lambda at, x, f, g: at(f, x) & at(g, x)})
    with pytest.raises(UserError, match="for its example"):
        PredicateOperator(**{**given(LAND), "semantics": lambda at, x, f, g: at(f, x) | at(g, x)})


@pytest.mark.parametrize("name", operator_names())
def test_every_operator_has_a_facet_and_a_depth(name: str) -> None:
    record = OPERATORS.get(name)
    node = record(*[father] * max(record.arity[0], 1))
    assert facet(node)
    assert depth(node) >= 1


def test_no_law_holds_unless_it_is_said() -> None:
    plain = RelationOperator(**{**given(UNION), "name": "heap", "laws": Laws()})
    with OPERATORS.lend("heap", plain):
        assert normal(plain(mother, father, mother)) == plain(mother, father, mother)
    assert normal(UNION(mother, father, mother)) == UNION(father, mother)


def test_what_only_everything_there_is_limits_has_no_bound() -> None:
    complement, meet = OPERATORS.get("complement"), OPERATORS.get("intersection")
    assert width(UNION(father, mother)) == 2
    assert width(complement(father)) == float("inf")
    assert width(meet(father, complement(mother))) == 1


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("types", "set", "types of the operator 'union' is a str, not a function"),
        ("phrase", lambda say, f, g: "", "phrase of the operator 'union' has to take 4 arguments: too many"),
        ("semantics", lambda at, x, f: at(f, x), "semantics of the operator 'union' has to take 4 arguments"),
        ("example", ({"x": "a"}, {"x": "a"}), "the example of the operator 'union' has 1 arguments and a result"),
        ("arity", 2, "arity of the operator 'union' is the fewest and the most arguments"),
    ],
)
def test_a_field_of_the_wrong_shape_is_named(field: str, value: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        RelationOperator(**{**given(UNION), field: value})


def test_a_record_is_registered_under_its_own_name() -> None:
    with pytest.raises(UserError, match="this operator is called 'union', not 'joined'"):
        register("operator.joined", UNION)
