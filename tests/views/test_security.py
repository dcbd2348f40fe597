"""Who is let in, what a request can reach, and what a read-only server does not do."""

from __future__ import annotations

import os
import shutil

import pytest

from taskloom.core.serving import LARGEST_BODY

PAGES = ("/", "/runs", "/findings", "/samples", "/compare", "/api/runs", "/api/rows", "/api/sample", "/static/page.css")


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_shown_without_the_token(client, path):
    assert client.ask(path, token="").status == 401
    assert client.ask(path, token="wrong").status == 401
    assert client.ask(path, {"token": "wrong"}, token="").status == 403


@pytest.mark.parametrize("path", PAGES)
def test_another_host_gets_nothing(client, path):
    assert client.ask(path, headers={"host": "evil.example:8000"}).status == 421


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(client, method):
    assert client.ask("/runs", method=method).status == 405


def test_another_page_cannot_post(client):
    assert client.post("/api/runs", {}, headers={"origin": "http://evil.example"}).status == 403
    assert client.ask("/api/runs", method="POST", headers={"content-type": "text/plain"}).status == 415


def test_a_large_body_is_refused(client):
    headers = {"content-type": "application/json", "content-length": str(LARGEST_BODY + 1)}
    assert client.ask("/api/runs", method="POST", headers=headers).status == 413


@pytest.mark.parametrize(
    "name", ["../secret", "runs/../../secret", "/etc", "runs/oracle/../../..", ".", "", "runs/oracle/run.json"]
)
@pytest.mark.parametrize("path", ["/findings", "/api/rows", "/api/sample", "/api/group", "/samples"])
def test_only_listed_runs_have_an_address(client, path, name):
    answer = client.ask(path, {"run": name, "by": "task"})
    assert answer.status in (404, 303) if not name else answer.status == 404


@pytest.mark.parametrize("name", ["../html.py", "..%2fhtml.py", "/etc/passwd", "page.html", "%2e%2e/html.py"])
def test_only_listed_files_are_static(client, name):
    assert client.ask(f"/static/{name}").status == 404


def test_links_that_lead_outside_are_not_followed(client_of, shelf, tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    shutil.copytree(shelf / "runs/oracle", outside / "run")
    (root / "linked").symlink_to(outside / "run")
    shutil.copytree(shelf / "runs/oracle", root / "own")
    part = next((root / "own").glob("texts-*.parquet"))
    part.unlink()
    part.symlink_to(next((outside / "run").glob("texts-*.parquet")))
    client = client_of(root)
    assert [row["run"] for row in client.ask("/api/runs").json["runs"]] == ["own"]
    assert client.ask("/api/rows", {"run": "linked"}).status == 404
    refused = client.ask("/api/sample", {"run": "own", "row": "0"})
    assert refused.status == 404 and "leads out" in refused.json["error"]


def test_pages_have_a_strict_policy_and_no_script_of_their_own(client):
    answer = client.ask("/runs")
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy and "default-src 'none'" in policy
    assert "<script>" not in answer.text and "javascript:" not in answer.text
    assert answer.headers["x-frame-options"] == "DENY" and "http://" not in answer.text


def test_read_only_is_read_only(client_of, shelf):
    client = client_of(shelf, read_only=True)
    before = sorted((path, path.stat().st_mtime_ns) for path in shelf.rglob("*"))
    assert client.post("/api/jobs", {}).status == 403
    assert ">Ask<" not in client.ask("/runs").text
    for path in ("/runs", "/findings", "/samples", "/api/rows"):
        client.ask(path, {"run": "runs/oracle"})
    assert sorted((path, path.stat().st_mtime_ns) for path in shelf.rglob("*")) == before


def test_a_folder_that_is_not_there_is_said(client_of, tmp_path):
    from taskloom.core import UserError

    with pytest.raises(UserError, match="no such folder"):
        client_of(tmp_path / "nowhere")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_left_out(client_of, shelf, tmp_path):
    shutil.copytree(shelf / "runs/oracle", tmp_path / "own")
    (tmp_path / "locked").mkdir(mode=0)
    assert [row["run"] for row in client_of(tmp_path).ask("/api/runs").json["runs"]] == ["own"]
