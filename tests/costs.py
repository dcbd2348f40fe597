"""What tests cost: `pytest --cpu 10` names the ten that take most CPU time, children included, and the sum of all.

Seconds on a clock say little on a machine that does other work at the same time; CPU seconds stay nearly the same.
What a fixture of a module or session takes is counted for the test that asks for it first.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Mapping
from typing import Any

import pytest

_KEY = "cpu"
_costs: Counter[str] = Counter()
_workers: list[float] = []


def cpu_seconds() -> float:
    """CPU seconds of this process and of those children that have ended."""
    return sum(os.times()[:4])


def cost_lines(costs: Mapping[str, float], count: int) -> list[str]:
    """The costliest tests, the costliest first."""
    return [f"{seconds:8.1f}  {name}" for name, seconds in Counter(costs).most_common(count) if seconds]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu", type=int, default=0, metavar="N", help="name the N tests that take most CPU time")


def _timed(item: pytest.Item) -> Generator[None, object, object]:
    before = cpu_seconds()
    try:
        return (yield)
    finally:
        item.user_properties.append((_KEY, cpu_seconds() - before))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _timed(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _timed(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _timed(item))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":  # by then the properties hold all three phases
        _costs[report.nodeid] += sum(float(value) for name, value in report.user_properties if name == _KEY)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[_KEY] = cpu_seconds()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A process of `pytest -n 2` has ended; one that crashed says nothing."""
    _workers.append(getattr(node, "workeroutput", {}).get(_KEY, 0.0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if not (count := config.getoption("--cpu")):
        return
    # Workers that have ended are among the children of this process, the others only in what they reported.
    user, system, *children = os.times()[:4]
    total = user + system + max(sum(children), sum(_workers))
    terminalreporter.section(f"CPU seconds: {total:,.0f} in all", "=")
    for line in cost_lines(_costs, count):
        terminalreporter.write_line(line)
