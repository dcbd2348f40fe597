"""What is shipped is what the code works out, and who finds nothing shipped works it out."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import msgspec
import pytest

from taskloom.core import open_suite
from taskloom.families.taskbench import engines
from taskloom.families.taskbench.family import FAMILY, task_builder
from taskloom.families.taskbench.functions import Outcome
from taskloom.sources.knowledge.world import build
from taskloom.sources.knowledge.world.draft import WorldSettings
from taskloom.sources.knowledge.world.ledger import Ledger, ledger_key
from taskloom.store import derived as module
from taskloom.store.derived import PRIMER, Packed, made_by, not_shipped, shipped, write_packed

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "build_primer.py"
_spec = importlib.util.spec_from_file_location("build_primer", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
builder = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(builder)


HEAD = made_by()


@pytest.fixture
def installed(monkeypatch):
    """Use the primer as whoever installed Taskloom does, whichever code it was made by: its values are compared."""
    monkeypatch.setattr(module, "_used", [True])
    monkeypatch.setattr(module, "made_by", lambda: Packed(module.PRIMER).head)
    module.open_primer.cache_clear()
    yield
    module.open_primer.cache_clear()


def test_each_value_is_found_under_its_key_alone(tmp_path):
    path = tmp_path / "primer.bin"
    write_packed(path, HEAD, {("a", 1): b"body", ("a", 2): {"x": [1, 2]}, ("b",): ""})
    primer = Packed(path)
    assert len(primer) == 3
    assert primer.get(bytes, "a", 1) == b"body"
    assert primer.get(dict[str, list[int]], "a", 2) == {"x": [1, 2]}
    assert primer.get(str, "b") == ""
    assert primer.get(bytes, "a") is None


def test_the_same_values_give_the_same_bytes_in_whatever_order(tmp_path):
    values = {("a", 1): b"body", ("b", 2): b"other"}
    write_packed(tmp_path / "one", HEAD, values)
    write_packed(tmp_path / "two", HEAD, dict(reversed(values.items())))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("damage", [b"", b"something else", f"{HEAD}\n".encode() + b"\x00\x00\x00\x09"])
def test_a_damaged_primer_is_named_and_passed_over(tmp_path, monkeypatch, installed, caplog, damage):
    path = tmp_path / "primer.bin"
    path.write_bytes(damage)
    monkeypatch.setattr(module, "PRIMER", path)
    module.open_primer.cache_clear()
    try:
        assert shipped(bytes, "a") is None
        assert "first looks take longer" in caplog.text
    finally:
        module.open_primer.cache_clear()


def test_a_primer_of_other_code_is_named_and_not_used_until_it_is_stamped(tmp_path, monkeypatch):
    path = tmp_path / "primer.bin"
    write_packed(path, HEAD, {("a",): b"body"})
    monkeypatch.setattr(module, "_used", [True])
    monkeypatch.setattr(module, "PRIMER", path)
    monkeypatch.setattr(module, "made_by", lambda: "taskloom-primer-3 of other code")
    module.open_primer.cache_clear()
    with pytest.warns(module.StalePrimerWarning, match=r"build_primer\.py"):
        assert shipped(bytes, "a") is None
    write_packed(path, module.made_by(), {}, Packed(path).entries())
    module.open_primer.cache_clear()
    assert shipped(bytes, "a") == b"body"
    module.open_primer.cache_clear()


def test_a_changed_value_is_noticed(tmp_path, monkeypatch, installed, caplog):
    path = tmp_path / "primer.bin"
    write_packed(path, HEAD, {("a",): b"body" * 50})
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    monkeypatch.setattr(module, "PRIMER", path)
    module.open_primer.cache_clear()
    try:
        assert shipped(bytes, "a") is None
        assert "is damaged" in caplog.text
    finally:
        module.open_primer.cache_clear()


def test_inside_not_shipped_nothing_is(installed):
    key = ledger_key(WorldSettings())
    assert shipped(Ledger, *key) is not None
    with not_shipped():
        assert shipped(Ledger, *key) is None
    assert shipped(Ledger, *key) is not None


def test_it_is_used_unless_somebody_says_otherwise():
    spec = importlib.util.spec_from_file_location("primer_again", module.__file__)
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    assert fresh.shipped(Ledger, *ledger_key(WorldSettings())) is not None


def assert_shipped(values):
    primer = Packed(PRIMER)
    for key, value in values.items():
        assert primer.body(*key) == msgspec.msgpack.encode(value), f"{key}: python scripts/build_primer.py"


def test_the_world_is_the_one_that_the_code_draws():
    assert_shipped(builder.world())


SOME = [
    name if at % 4 == 0 else pytest.param(name, marks=pytest.mark.proof) for at, name in enumerate(builder.suites())
]


@pytest.mark.parametrize("name", SOME)
def test_the_first_rows_of_a_suite_are_what_the_code_works_out(name):
    assert_shipped(builder.values(name, listed=False))


@pytest.mark.parametrize("name", SOME)
def test_a_list_begins_as_the_code_judges_it(name):
    suite = name.partition("/")[2]
    shop = task_builder(suite, FAMILY.spec(suite).recipe, builder.SEED)
    key = shop.engines.cache.suite_key("outcomes", shop.plan)
    listed = Packed(PRIMER).get(list[Outcome], "taskbench", *key)
    assert len(listed) == len(shop.plan), "python scripts/build_primer.py"
    for outcome, verdict in zip(listed[:3], shop.verdicts(), strict=False):
        judged = (verdict.name, verdict.state, verdict.reason, verdict.domain, verdict.samples)
        assert judged == outcome, "python scripts/build_primer.py"


@pytest.mark.parametrize("name", [f"taskbench/{name}" for name in builder.SHORT])
def test_a_short_list_is_what_the_code_judges(name):
    assert_shipped(builder.values(name))


@pytest.mark.proof
@pytest.mark.parametrize("name", builder.suites())
def test_every_list_is_what_the_code_judges(name):
    assert_shipped(builder.values(name))


@pytest.mark.parametrize("name", SOME)
def test_a_first_look_evaluates_nothing(name, tmp_path, monkeypatch, installed):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path))
    monkeypatch.setattr(engines.Engines, "_evaluate", lambda *_: pytest.fail("a function was evaluated"))
    monkeypatch.setattr(build, "whole_world", lambda *_: pytest.fail("a world was drawn"))
    builder.look(name)
    assert len(list(open_suite(name).definitions())) == len(open_suite(name).tasks)
