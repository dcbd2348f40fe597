"""One answer from several people."""

from __future__ import annotations

import pytest

from taskloom.score.adjudicate import Adjudication, adjudicate


@pytest.mark.parametrize(("answers", "closed", "expected"), [
    (["yes", "Yes", "yes"], True, ("yes", "unanimous")),
    (["no", "n/a", "yes"], True, (None, "disputed")),
    (["n/a", "NA", "a red fox"], False, ("n/a", "majority")),
    (["n/a", "red fox", "a red fox"], False, ("red fox", "majority")),
    (["n/a", "red fox"], False, (None, "disputed")),
    (["1867", "in 1867", "the year 1867"], False, ("1867", "subset")),
    (["fox", "owl", "stork"], False, (None, "disputed")),
    (["red fox", "fox", "owl"], False, ("fox", "majority")),
    ([], False, (None, "open")),
])  # fmt: skip
def test_adjudication(answers: list[str], closed: bool, expected: tuple[str | None, str]) -> None:
    assert adjudicate(answers, closed=closed) == Adjudication(*expected)
