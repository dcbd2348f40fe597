"""Shared helpers of the model tests: one torch thread, small requests, skips with a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from taskloom.core import Instance, Instruction, Task, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Request


@pytest.fixture(autouse=True)
def _one_thread(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("train"):
        reason = "needs torch and transformers: pip install 'taskloom[train]'"
        pytest.importorskip("transformers", reason=reason)
        pytest.importorskip("torch", reason=reason).set_num_threads(1)


@pytest.fixture(scope="session")
def ask() -> Callable[..., Request]:
    def make(text: str, *, labels: Sequence[str] = (), parts: dict[str, str] | None = None) -> Request:
        task = Task("demo", Instruction("Do it."), kind="label" if labels else "text", labels=tuple(labels))
        return Request(Prompt(text), task, Instance("1", text, any_of("x"), parts=parts or {}))

    return make


@pytest.fixture
def quick_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that waits shortly and finds no key in the environment."""
    monkeypatch.setattr("taskloom.models.client.FIRST_WAIT", 0.02)
    monkeypatch.setattr("taskloom.models.backlog.FIRST_REST", 0.02)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
