"""The collector looks less often for a while, and as before afterwards."""

from __future__ import annotations

import gc

import pytest

from taskloom.core.collector import calm_collector


def test_the_usual_threshold_comes_back_whatever_happens() -> None:
    usual = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), calm_collector():
        assert gc.get_threshold()[0] > usual[0]
        assert gc.isenabled()
        raise ZeroDivisionError
    assert gc.get_threshold() == usual


@pytest.mark.parametrize(
    ("usual", "calm"),
    [
        ((700, 10, 10), (100_000, 50, 100)),
        ((200_000, 60, 200), (200_000, 60, 200)),
        ((700, 60, 10), (100_000, 60, 100)),
    ],
)
def test_it_looks_as_seldom_as_it_should_and_never_more_often(usual, calm) -> None:
    before = gc.get_threshold()
    gc.set_threshold(*usual)
    try:
        with calm_collector():
            assert gc.get_threshold() == calm
        assert gc.get_threshold() == usual
    finally:
        gc.set_threshold(*before)
