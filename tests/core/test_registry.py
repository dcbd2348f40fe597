from __future__ import annotations

import sys
import textwrap

import pytest

from taskloom.core import Registry, UserError


def test_objects_load_on_first_use():
    registry: Registry = Registry("thing", {"join": "os.path:join"})
    import os.path

    assert registry.names() == ["join"]
    assert registry.get("join") is os.path.join


def test_unknown_names_get_the_nearest():
    registry: Registry = Registry("thing", {"majority": "os:sep", "oracle": "os:sep"})
    with pytest.raises(UserError, match="unknown thing 'majorty'.*'majority'"):
        registry.get("majorty")


def test_taken_names_are_refused():
    registry: Registry = Registry("thing", {"a": "os:sep"})
    with pytest.raises(UserError, match="already exists"):
        registry.register("a", 3)
    registry.register("b", 3)
    assert registry.get("b") == 3
    assert "b" in registry


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """An installed outside package, as the import system sees one: a module and its entry points."""
    (tmp_path / "chess_plugin.py").write_text("VALUE = 42\n")
    info = tmp_path / "chess_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: chess-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        textwrap.dedent(
            """
            [taskloom]
            thing.chess = chess_plugin:VALUE
            thing.broken = chess_plugin:MISSING
            other.chess = chess_plugin:NOTHING
            """
        )
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("chess_plugin", None)


def test_outside_packages_plug_in(plugin):
    registry: Registry = Registry("thing", {"own": "os:sep"})
    assert registry.names() == ["broken", "chess", "own"]
    assert "chess_plugin" not in sys.modules, "listing imports nothing"
    assert registry.get("chess") == 42
    assert registry.origin("chess") == "chess-plugin"


def test_a_broken_plugin_hurts_only_who_asks_for_it(plugin):
    registry: Registry = Registry("thing", {"own": "os:sep"})
    assert registry.get("own")
    with pytest.raises(UserError, match=r"broken.*chess-plugin cannot be loaded"):
        registry.get("broken")


def test_a_plugin_cannot_take_a_name_of_ours(plugin):
    registry: Registry = Registry("thing", {"chess": "os:sep"})
    with pytest.warns(UserWarning, match="chess-plugin also offers thing 'chess'"):
        assert "chess" in registry.names()
    assert registry.get("chess") == "/"


def test_two_plugins_with_one_name_hurt_only_who_asks_for_it(plugin, monkeypatch):
    registry: Registry = Registry("thing", {"own": "os:sep"})
    registry._add("chess", "elsewhere:thing", "rival-plugin")
    assert "chess" in registry.names()
    assert registry.get("own") == "/"
    with pytest.raises(UserError, match="offered by both rival-plugin and chess-plugin"):
        registry.get("chess")


def test_a_name_is_lent_for_the_time_of_a_block():
    registry = Registry("thing", {})
    with registry.lend("a", 5):
        assert registry.get("a") == 5 and registry.origin("a") == "this process"
        with pytest.raises(UserError, match="already exists"), registry.lend("a", 6):
            pass
    assert "a" not in registry and len(registry) == 0
    with pytest.raises(ZeroDivisionError), registry.lend("b", 5):
        raise ZeroDivisionError
    assert registry.names() == []


def test_names_of_plugins_are_known_to_every_question(plugin):
    def fresh() -> Registry:
        return Registry("thing", {"own": "os:sep"})

    assert "chess" in fresh() and "own" in fresh() and "nothing" not in fresh()
    assert fresh().get("chess") == 42
    assert fresh().origin("chess") == "chess-plugin" and fresh().origin("own") == "taskloom"
    assert len(fresh()) == 3 and list(fresh()) == ["broken", "chess", "own"]
    with pytest.raises(UserError, match="thing 'chess' already exists, from chess-plugin"):
        fresh().register("chess", 1)


def test_entry_points_are_read_once(monkeypatch):
    from importlib import metadata

    asked = []
    monkeypatch.setattr(metadata, "entry_points", lambda group: asked.append(group) or ())
    registry: Registry = Registry("thing", {"own": "os:sep"})
    assert registry.get("own") == "/" and asked == [], "what is built in needs none of them"
    assert registry.names() == registry.names() == ["own"]
    assert asked == ["taskloom"]


def test_a_broken_plugin_is_left_out_with_a_warning(plugin):
    registry: Registry = Registry("thing", {"own": "os:sep"})
    with pytest.warns(UserWarning, match="thing 'broken' of package chess-plugin cannot be loaded") as caught:
        assert list(registry.items()) == [("own", "/"), ("chess", 42)]
    assert [warning.filename for warning in caught] == [__file__], "it points at whoever asked"


def test_a_broken_part_of_ours_is_a_fault_of_ours():
    with pytest.raises(AttributeError):
        Registry("thing", {"own": "os:nothing"}).get("own")


def test_a_part_is_found_below_an_object_and_loaded_once():
    registry: Registry = Registry("thing", {"own": "os:path.sep"})
    assert registry.get("own") == "/"
    registry._paths["own"] = "os:nothing"
    assert registry.get("own") == "/"


def test_how_a_registry_looks(plugin):
    registry: Registry = Registry("thing", {"own": "os:sep"})
    assert repr(registry) == "<Thing registry: broken, chess, own>"
    html = registry._repr_html_()
    assert "thing registry" in html and "chess-plugin" in html and "taskloom" in html


def test_the_same_part_may_be_offered_twice():
    registry: Registry = Registry("thing", {"own": "os:sep"})
    registry._add("own", "os:sep", "another")
    assert registry.get("own") == "/" and registry.origin("own") == "another"
