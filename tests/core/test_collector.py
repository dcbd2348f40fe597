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
