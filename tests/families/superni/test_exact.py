from __future__ import annotations

from taskloom.families.superni.official import SUPERNI_EXACT, normalise


def test_case_punctuation_and_blanks_do_not_count_but_articles_do() -> None:
    assert SUPERNI_EXACT.best(" The  Answer!", ["no", "the answer"]) == 1.0
    assert SUPERNI_EXACT.best("answer", ["the answer"]) == 0.0
    assert SUPERNI_EXACT.best("?!", ["."]) == 1.0
    assert normalise("U.S.A. 。") == "usa 。"


def test_long_predictions_are_judged_like_short_ones() -> None:
    assert SUPERNI_EXACT.best("yes" + "!" * 5000, ["yes"]) == 1.0
    assert SUPERNI_EXACT.best("y" + " . " * 5000 + "es", ["y es"]) == 1.0
    assert SUPERNI_EXACT.best("yes " * 5000, ["yes"]) == 0.0
    assert SUPERNI_EXACT.best("", []) == 0.0
