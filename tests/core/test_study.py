"""A study's tables are rectangular, whoever made them."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.core.study import Table


@pytest.mark.parametrize("row", [(), ("x",), ("x", 1, 2)])
def test_every_row_has_a_cell_for_every_column(row):
    said = rf"row 2 of the table 't' has {len(row)} cells for 2 columns"
    with pytest.raises(ValueError, match=said):
        Table("t", ("a", "b"), (("x", 1), row))
    with pytest.raises(msgspec.ValidationError, match=said):
        msgspec.convert({"title": "t", "columns": ["a", "b"], "rows": [["x", 1], list(row)]}, Table)
    assert "| x" in Table("t", ("a", "b"), (("x", 1),)).markdown()
