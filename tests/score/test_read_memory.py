"""What the reader remembers is short, so that its memory stays small."""

from __future__ import annotations

import pytest

from taskloom.score.read import frame, hedge, peel, stance


@pytest.mark.parametrize(
    ("ask", "kept", "longest"),
    [
        (frame.is_frame, frame._is_brief_frame, 80),
        (hedge.takes_back, hedge._takes_back_short, 200),
        (lambda text: hedge.without_harmless(f"no{text[2:]}"), hedge._without_harmless_short, 200),
        (peel.plain, peel._short_form, 64),
        (lambda text: stance.stance(text, "office", 1), stance._weigh_short, 400),
    ],
)
def test_only_short_texts_are_kept(ask, kept, longest):
    kept.cache_clear()
    for size, found in ((longest - 1, 1), (longest, 2), (longest + 1, 2)):
        ask(" " * size)
        assert kept.cache_info().currsize == found, size
