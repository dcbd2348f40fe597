from __future__ import annotations

from taskloom.score.superni_exact import SUPERNI_EXACT, normalise


def test_case_punctuation_and_blanks_do_not_count_but_articles_do() -> None:
    assert SUPERNI_EXACT.best(" The  Answer!", ["no", "the answer"]) == 1.0
    assert SUPERNI_EXACT.best("answer", ["the answer"]) == 0.0
    assert SUPERNI_EXACT.best("?!", ["."]) == 1.0
    assert normalise("U.S.A. 。") == "usa 。"
