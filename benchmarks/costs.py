"""What tests cost in CPU seconds: a plug-in of pytest.

`python -m pytest -p benchmarks.costs -n 2` ends with the dearest tests, set-up and processes they started included,
and with what every folder costs; `--costs-out FILE` writes all of it as tab-separated lines.
"""

from __future__ import annotations

import os
import resource
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_OWN = "cpu seconds"


def spent() -> float:
    """CPU seconds of this process, of those it has waited for, and of those below it that still run."""
    waited = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + waited.ru_utime + waited.ru_stime + sum(map(_living, _children("self")))


def _children(pid: str) -> list[str]:
    found: list[str] = []
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += (thread / "children").read_text().split()
    except OSError:  # it ended meanwhile: its parent's count has it
        pass
    return found


def _living(pid: str) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) * _TICK + sum(map(_living, _children(pid)))


class Costs:
    """Notes what was spent since the last note with every report, where tests run; adds it up, where they are shown."""

    def __init__(self) -> None:
        self.last = 0.0
        self.tests: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[None]:
        report = yield
        now = spent()
        report.user_properties.append((_OWN, now - self.last))
        self.last = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.tests[report.nodeid] += dict(report.user_properties).get(_OWN, 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        write = terminalreporter.write_line
        folders: Counter[str] = Counter()
        for test, seconds in self.tests.items():
            folders["/".join(test.partition("::")[0].split("/")[1:-1][:2]) or "."] += seconds
        terminalreporter.section("CPU seconds")
        for test, seconds in self.tests.most_common(config.getoption("--costs")):
            write(f"{seconds:8.1f}  {test.removeprefix('tests/')}")
        write("")
        for folder, seconds in folders.most_common():
            write(f"{seconds:8.1f}  {folder}")
        write(f"{sum(folders.values()):8.1f}  in tests; {spent():.1f} in this process and all below it")
        if out := config.getoption("--costs-out"):
            Path(out).write_text("".join(f"{seconds:.3f}\t{test}\n" for test, seconds in self.tests.most_common()))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", type=int, default=10, metavar="N", help="how many of the dearest tests to name")
    parser.addoption("--costs-out", metavar="FILE", help="write what every test cost to FILE")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs())
