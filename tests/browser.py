"""A headless Chromium for tests, driven over a pipe, that notices whatever a page does.

Use the fixture `browser` (in conftest.py):

    def test_page(browser, tmp_path):
        seen = browser.open(tmp_path / "page.html")
        assert seen.harmless, seen
"""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

__all__ = ["CANARY", "FLAGS", "Browser", "Seen", "find_chromium", "needed_chromium"]

CANARY = "__ran"
"""What hostile payloads set on `window`; a page on which it is set has run somebody's code."""

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip
_PATIENCE = 60.0


def find_chromium() -> str | None:
    """The browser of this machine, None where there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def needed_chromium() -> str:
    """The browser of this machine; without one a test is skipped, or fails if `TASKLOOM_BROWSER=required` is set."""
    program = find_chromium()
    if program is None:
        told = "no Chromium on this machine (Debian: apt install chromium)"
        (pytest.fail if os.environ.get("TASKLOOM_BROWSER") == "required" else pytest.skip)(told)
    return program


@dataclass
class Seen:
    """What a page did while it was open."""

    dialogs: list[str] = field(default_factory=list)
    """Texts of `alert`, `confirm` and `prompt`."""
    errors: list[str] = field(default_factory=list)
    """Exceptions that its scripts did not catch, and what they logged as errors."""
    blocked: list[str] = field(default_factory=list)
    """What the page's policy stopped: proof that something tried to run or load."""
    requests: list[str] = field(default_factory=list)
    """Addresses that were asked for, the page itself left out."""
    ran: Any = None
    """What `window.__ran` held at the end."""
    values: list[Any] = field(default_factory=list)
    """What the expressions given to `open` were."""

    @property
    def harmless(self) -> bool:
        """Whether nothing foreign ran, tried to run, or was loaded, and the page's own scripts did not fail."""
        return not (self.dialogs or self.errors or self.blocked or self.requests or self.ran)


class Browser:
    """One Chromium process; each page is opened in a fresh tab."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="taskloom-browser-", ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def pipes() -> None:
            # The browser reads from descriptor 3 and writes to 4, which may be taken by each other now.
            reads, writes = (fcntl.fcntl(end, fcntl.F_DUPFD, 100) for end in (to_browser, from_browser))
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        command = [program, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={self._profile.name}", "about:blank"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, preexec_fn=pipes, pass_fds=(3, 4), **quiet)  # noqa: PLW1509
        os.close(to_browser)
        os.close(from_browser)
        self._ids = itertools.count(1)
        self._rest = b""
        self._on_event: Callable[[dict[str, Any]], None] = lambda event: None

    def open(self, page: str | Path, *expressions: str) -> Seen:
        """Open a page, evaluate expressions in it one after the other, and tell what happened.

        Args:
            page: A file or an address.
            *expressions: JavaScript of the test's own, for example to click something.
        """
        address = page if "://" in str(page) else Path(page).resolve().as_uri()
        seen, loaded = Seen(), []

        def on_event(event: dict[str, Any]) -> None:
            self._note(event, seen, str(address))
            if event["method"] == "Page.loadEventFired":
                loaded.append(True)

        self._on_event = on_event
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._ask(f"{domain}.enable", session=session)
        loaded.clear()
        self._ask("Page.navigate", {"url": str(address)}, session)
        end = time.monotonic() + _PATIENCE
        while not loaded and time.monotonic() < end:
            self._receive(0.2)
        assert loaded, f"{address} did not load"
        for expression in expressions:
            seen.values.append(self._evaluate(expression, session))
        # Two turns of the event loop, so that what was put off has happened.
        self._evaluate("new Promise(done => setTimeout(() => setTimeout(done, 30), 30))", session)
        seen.ran = self._evaluate(f"window.{CANARY} ?? null", session)
        self._ask("Target.closeTarget", {"targetId": target})
        return seen

    def _note(self, event: dict[str, Any], seen: Seen, address: str) -> None:
        method, values = event["method"], event.get("params", {})
        if method == "Page.javascriptDialogOpening":
            seen.dialogs.append(values["message"])
            self._send("Page.handleJavaScriptDialog", {"accept": False}, event["sessionId"])
        elif method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            seen.errors.append(str(details.get("exception", {}).get("description") or details["text"]))
        elif method == "Log.entryAdded":
            entry = values["entry"]
            if entry["level"] == "error":
                (seen.blocked if entry["source"] == "security" else seen.errors).append(entry["text"])
        elif method == "Network.requestWillBeSent":
            url = values["request"]["url"]
            if url.partition("#")[0] != address.partition("#")[0] and not url.startswith(("data:", "blob:")):
                seen.requests.append(url)

    def _evaluate(self, expression: str, session: str) -> Any:
        values = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        answer = self._ask("Runtime.evaluate", values, session)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def _send(self, method: str, values: dict[str, Any] | None = None, session: str | None = None) -> int:
        number = next(self._ids)
        message = {"id": number, "method": method, "params": values or {}}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        return number

    def _ask(self, method: str, values: dict[str, Any] | None = None, session: str | None = None) -> dict[str, Any]:
        number = self._send(method, values, session)
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            for message in self._receive(0.2):
                if message.get("id") == number:
                    assert "error" not in message, f"{method}: {message}"
                    return message["result"]
        raise AssertionError(f"the browser does not answer {method}")

    def _receive(self, seconds: float) -> list[dict[str, Any]]:
        """Messages that have arrived; events among them are handed on at once."""
        if not select.select([self._in], [], [], seconds)[0]:
            return []
        data = os.read(self._in, 1 << 20)
        assert data, "the browser has gone"
        *whole, self._rest = (self._rest + data).split(b"\0")
        messages = [json.loads(part) for part in whole]
        for message in messages:
            if "method" in message:
                self._on_event(message)
        return messages

    def close(self) -> None:
        """End the process and remove its profile."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()
