"""Targets of every kind as records of one shape, and back."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.core import AnyOf, Boolean, Items, Product, Structure, UserError
from taskloom.core.targets import CheckedAnswers, Targets
from taskloom.rl.columns import facet_columns, pack_targets, unpack_targets

EVERY = [
    AnyOf(("a", "b")), CheckedAnswers(("a",), "entry"), Boolean(False, ("ja", "nein")),
    Items((("a", "b"), ()), True, " | ", "none"), Product((("a", "b"), ("c",)), ", "), Structure(('{"a":1}',)),
]  # fmt: skip


@pytest.mark.parametrize("targets", EVERY, ids=lambda targets: type(targets).__name__)
def test_targets_come_back(targets):
    packed = pack_targets(targets)
    assert list(packed) == ["kind", "answers", "value", "ordered", "separator", "empty", "entry"]
    assert unpack_targets(packed) == targets
    assert unpack_targets(msgspec.json.encode(targets).decode()) == targets
    if not isinstance(targets, CheckedAnswers):
        assert unpack_targets(targets) is targets


def test_plain_texts_are_answers():
    assert unpack_targets("office") == AnyOf(("office",))
    assert unpack_targets('{"type": nonsense') == AnyOf(('{"type": nonsense',))
    assert unpack_targets('{"type":"unheard of"}') == AnyOf(('{"type":"unheard of"}',))


@pytest.mark.parametrize(
    "value", [None, 3, {}, {"kind": "new", "answers": []}, {"kind": "bool", "answers": [["a"]], "value": True}]
)
def test_other_forms_are_refused(value):
    with pytest.raises(UserError, match="does not write"):
        unpack_targets(value)


def test_every_kind_of_targets_is_tried_here():
    assert {type(one) for one in EVERY} == set(Targets.__args__)


def test_facets_do_not_take_the_names_of_other_columns():
    assert facet_columns({"size": int, "input": str, "task": str}) == {
        "size": "size", "input": "facet_input", "task": "facet_task",
    }  # fmt: skip
    assert facet_columns(["size", "facet_size"]) == {"size": "size", "facet_size": "facet_size"}
    assert facet_columns(["facet_input", "input"]) == {"facet_input": "facet_input", "input": "facet_facet_input"}
    assert facet_columns([]) == {}
