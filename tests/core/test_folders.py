"""Where caches lie."""

from __future__ import annotations

from pathlib import Path

from taskloom.core.folders import cache_folder


def test_a_variable_decides_where_caches_lie(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TASKLOOM_CACHE", "~/mine")
    assert cache_folder() == tmp_path / "mine" and cache_folder("a", "b") == tmp_path / "mine" / "a" / "b"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "system"))
    for nothing in ("", None):
        if nothing is None:
            monkeypatch.delenv("TASKLOOM_CACHE")
        else:
            monkeypatch.setenv("TASKLOOM_CACHE", nothing)
        assert cache_folder("a").parts[-2:] == ("taskloom", "a")
        assert Path(tmp_path) in cache_folder().parents
