"""When a composition counts as new."""

from __future__ import annotations

from taskloom.families.babi.instances import SeenCells


def test_a_composition_is_known_only_with_its_question():
    seen = SeenCells([("where-person", frozenset({"move", "coref"})), ("where-object", frozenset({"move", "grab"}))])
    assert not seen.novel("where-person", ("coref", "move"))
    assert not seen.novel("where-person", ("move",))
    assert seen.novel("where-object", ("coref", "move"))
    assert seen.novel("where-person", ("grab", "move"))
    assert seen.novel("count", ("move",))
