"""Fixtures shared by the whole suite."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from browser import Browser, needed_chromium
from costs import (  # noqa: F401 - pytest finds its hooks here
    pytest_addoption,
    pytest_runtest_call,
    pytest_runtest_logreport,
    pytest_runtest_setup,
    pytest_runtest_teardown,
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
)
from taskloom.core import secrets
from taskloom.core.catalog import REGISTRIES
from taskloom.core.parallel import ONE_THREAD
from taskloom.store.derived import not_shipped

ROOT = Path(__file__).resolve().parent.parent

# Before numerical libraries are loaded, here and in every child: models this small gain nothing from threads, and
# threads that wait for each other cost as much CPU time as those that work.
os.environ.update(ONE_THREAD)

# Timing never decides a test: the machine may be busy.
settings.register_profile("taskloom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("taskloom")


def pytest_collection_finish() -> None:
    """Thousands of tests and the libraries they import stay: looking for cycles among them is a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def _store_of_adaptations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A store of this session's own: what an older version trained must not pass for what this one trains."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TASKLOOM_ADAPTATIONS", str(tmp_path_factory.mktemp("adaptations")))
        patch.setenv("TASKLOOM_RUNS", str(tmp_path_factory.mktemp("runs")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_shipped() -> Iterator[None]:
    """Tests are about what the code works out, not about what was worked out when the primer was built."""
    with not_shipped():
        yield


@pytest.fixture(autouse=True)
def _search_path() -> Iterator[None]:
    """Files that a test names may import their neighbours; the next test's files must not."""
    before = sys.path[:]
    yield
    sys.path[:] = before


@pytest.fixture(autouse=True)
def _forgotten_secrets() -> Iterator[None]:
    """A test's keys are forgotten after it: every text would be searched for all of them ever after."""
    secrets.learn_environment()
    before = dict(secrets.known_secrets)
    yield
    if secrets.known_secrets != before:
        secrets.known_secrets.clear()
        secrets.known_secrets.update(before)


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder with outputs of the reference implementations, for tests that compare with them."""
    folder = Path(os.environ.get("TASKLOOM_REFERENCE", ROOT.parent / "shared" / "reference"))
    if not folder.is_dir():
        pytest.skip(f"no reference data at {folder} (set TASKLOOM_REFERENCE)")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium that notices whatever a page does; see tests/browser.py."""
    opened = Browser(needed_chromium())
    yield opened
    opened.close()


@pytest.fixture
def own_registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr("taskloom.core.execute._loaded", set())
    for registry in REGISTRIES.values():
        registry.names()  # reads the entry points
        for table in ("_paths", "_origin", "_objects"):
            monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
