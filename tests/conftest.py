"""Fixtures shared by the whole suite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# Timing never decides a test: the machine may be busy.
settings.register_profile("taskloom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("taskloom")


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder with outputs of the reference implementations, for tests that compare with them."""
    folder = Path(os.environ.get("TASKLOOM_REFERENCE", ROOT.parent / "shared" / "reference"))
    if not folder.is_dir():
        pytest.skip(f"no reference data at {folder} (set TASKLOOM_REFERENCE)")
    return folder
