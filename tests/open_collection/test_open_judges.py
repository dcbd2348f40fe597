"""Fifty instances of every judged blueprint of the open collection against a second opinion (`make test-sources`)."""

from __future__ import annotations

import os
from itertools import islice

import pytest

from open_collection.open_judges import JUDGES

pytestmark = pytest.mark.skipif(
    not os.environ.get("TASKLOOM_TEST_SOURCES"), reason="needs the packages of superni/open: make test-sources"
)


@pytest.mark.parametrize("template", sorted(JUDGES))
def test_second_opinions_agree(template: str) -> None:
    from taskloom.core import Suite
    from taskloom_open.collection import open_blueprints

    held = [one for one in open_blueprints().values() if one.facets["blueprint"] == template]
    assert held
    wrong = []
    for blueprint in held[:5]:
        for row in islice(Suite.of([blueprint], seed=11, test=50).rows("test"), 50 if len(held) == 1 else 10):
            text, answer = row.instance.input, row.instance.targets.canonical()
            if not JUDGES[template](text, answer):
                wrong.append((blueprint.name, text, answer))
    assert wrong[:3] == []


def test_a_hundred_blueprints_are_judged() -> None:
    assert len(JUDGES) >= 100
