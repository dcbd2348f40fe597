"""The application over real HTTP, from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from taskloom.cli.main import main

SOURCE = Path(__file__).resolve().parents[2] / "src"


@pytest.fixture(scope="module")
def served(shelf):
    command = [sys.executable, "-m", "taskloom", "serve", str(shelf), "--read-only"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(SOURCE)}
    ) as process:
        yield urlsplit(process.stdout.readline().strip())
        process.terminate()


def get(address, path, **headers):
    connection = HTTPConnection(address.hostname, address.port, timeout=30)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


def test_the_printed_address_opens_the_pages(served):
    token = parse_qs(served.query)["token"][0]
    status, headers, _ = get(served, f"/runs?token={token}")
    assert status == 303 and headers["location"] == "/runs"
    cookie = headers["set-cookie"].partition(";")[0]
    assert "HttpOnly" in headers["set-cookie"] and "SameSite=Strict" in headers["set-cookie"]
    status, _, body = get(served, "/runs", Cookie=cookie)
    assert status == 200 and b"runs/constant" in body and token.encode() not in body
    status, _, body = get(served, "/api/rows?run=runs/constant&count=3", Cookie=cookie)
    assert status == 200 and len(json.loads(body)["rows"]) == 3
    assert get(served, "/runs")[0] == 401


def test_events_begin_at_once(served):
    token = parse_qs(served.query)["token"][0]
    connection = HTTPConnection(served.hostname, served.port, timeout=30)
    connection.request("GET", "/api/events", headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    assert answer.getheader("content-type").startswith("text/event-stream")
    assert answer.readline().startswith(b"data: ")
    connection.close()


def test_others_can_reach_it_only_with_a_token_of_ones_own(shelf, capsys):
    assert main(["serve", str(shelf), "--host", "0.0.0.0"]) == 2
    assert "--token" in capsys.readouterr().err
