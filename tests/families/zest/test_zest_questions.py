"""What a yes/no question about a number says near its bound."""

from __future__ import annotations

import pytest

from taskloom.families.zest.domain import DOMAINS, load_domain
from taskloom.families.zest.questions import Proposition


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_values_near_the_bound_are_not_asked_about(name):
    """A twentieth of the range on either side: "about 21" neither is nor is not more than 20."""
    domain = load_domain(name)
    for key, attribute in domain.attributes.items():
        if attribute.kind not in ("number", "year") or attribute.high - attribute.low < 40:
            continue
        middle = (attribute.low + attribute.high) // 2
        claim = Proposition(domain, key, middle)
        near, far = (attribute.high - attribute.low) // 20, (attribute.high - attribute.low) // 8
        assert claim.holds(middle) is claim.holds(middle + near) is claim.holds(middle - near) is None
        assert claim.holds(middle + far) is (attribute.kind == "number")
        assert claim.holds(middle - far) is (attribute.kind == "year")
