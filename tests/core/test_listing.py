"""What there is, by name."""

from __future__ import annotations

import pytest

from taskloom.core import UserError
from taskloom.core.catalog import (
    FAMILIES,
    REGISTRIES,
    list_adaptations,
    list_encodings,
    list_families,
    list_metrics,
    list_models,
    list_readers,
    list_scorers,
    list_studies,
    list_suites,
    register,
)


@pytest.mark.parametrize(
    ("listed", "kind"),
    [
        (list_scorers, "scorer"), (list_readers, "reader"), (list_metrics, "metric"), (list_encodings, "encoding"),
        (list_adaptations, "adaptation"), (list_studies, "study"), (list_families, "family"),
    ],
)  # fmt: skip
def test_everything_registered_has_a_line(listed, kind):
    found = listed()
    assert sorted(found) == REGISTRIES[kind].names()  # those of this package come first
    assert all(line and "\n" not in line for line in found.values())


def test_lines_come_from_summaries_or_docstrings(own_registries):
    class Silent:
        __doc__ = None

    class Told:
        """What it does.

        More.
        """

    class Summed(Told):
        summary = "In short."

    for name, entry in (("silent", Silent()), ("told", Told()), ("summed", Summed())):
        register(f"reader.{name}", entry)
    found = list_readers()
    assert [found[name] for name in ("silent", "told", "summed")] == ["", "What it does.", "In short."]


def test_suites_of_all_families_or_of_one():
    assert list_suites("babi").items() <= list_suites().items()
    assert {name.partition("/")[0] for name in list_suites()} == {name for name in FAMILIES if list_suites(name)}
    assert {name.partition("/")[0] for name in list_suites("seti")} == {"seti"}
    with pytest.raises(UserError, match="unknown family 'bbai'; did you mean 'babi'"):
        list_suites("bbai")
    assert list_models()["mock/oracle"]
