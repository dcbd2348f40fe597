"""What is typed into the search field, and what the address of a filter says."""

from __future__ import annotations

import pytest

from taskloom.core import UserError
from taskloom.views.pages import quoted
from taskloom.views.table import FacetClause, TextClause, parse_query


def test_words_phrases_facets_and_expressions_may_be_mixed():
    found = parse_query(r'outcome=wrong support>2 "went to" -kitchen /\bthey\b/ -/x y/ a!=b')
    assert found.clauses == (
        FacetClause("outcome", "=", ("wrong",)), FacetClause("support", ">", ("2",)), FacetClause("a", "!=", ("b",)),
    )  # fmt: skip
    assert found.texts == (
        TextClause("went to"), TextClause("kitchen", absent=True), TextClause(r"\bthey\b", regex=True),
        TextClause("x y", regex=True, absent=True),
    )  # fmt: skip


@pytest.mark.parametrize("value", ["plain", "two words", 'a "quote"', "back\\slash", "a|b", "", "x=y", "ünï", "a,b"])
def test_a_value_survives_the_way_through_an_address(value):
    assert parse_query(quoted("facet", value)).clauses == (FacetClause("facet", "=", (value,)),)


def test_several_values_are_alternatives():
    assert parse_query(quoted("cell", "who: a+b", "who: c")).clauses == (
        FacetClause("cell", "=", ("who: a+b", "who: c")),
    )
    assert parse_query("outcome=cut|failed").clauses == (FacetClause("outcome", "=", ("cut", "failed")),)


def test_a_slash_in_a_word_is_no_expression():
    assert parse_query("and/or task=runs/a").texts == (TextClause("and/or"),)


def test_a_search_is_not_endless():
    with pytest.raises(UserError, match="2,000"):
        parse_query("x" * 2_001)
