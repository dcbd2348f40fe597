"""The registries: what goes in by name, and what families offer to a search."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from taskloom.core import UserError
from taskloom.core.catalog import FAMILIES, READERS, REGISTRIES, lattice_of, probed_suite, register
from taskloom.core.registry import room_records
from toy import FAMILY


def test_a_part_is_registered_under_its_kind(own_registries):
    register("reader.mine.own", 3)
    assert READERS.get("mine.own") == 3


def test_rooms_list_their_own_records(tmp_path):
    for room, text in {
        "score": '[scorer]\n"a/b" = "deep.er:A"',
        "families/own": '[scorer]\nc = "x:C"\n[family]\nown = "y:F"',
    }.items():
        (tmp_path / room).mkdir(parents=True)
        (tmp_path / room / "records.toml").write_text(text)
    assert room_records(tmp_path) == {
        "scorer": {"a/b": "taskloom.score.deep.er:A", "c": "taskloom.families.own.x:C"},
        "family": {"own": "taskloom.families.own.y:F"},
    }
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "records.toml").write_text('[scorer]\nc = "z:C"')
    with pytest.raises(ValueError, match="scorer 'c' is registered by another room"):
        room_records(tmp_path)


def test_every_record_is_of_a_known_kind_and_can_be_loaded():
    for kind, records in room_records().items():
        for name in records:
            assert REGISTRIES[kind].get(name) is not None and REGISTRIES[kind].origin(name) == "taskloom"


@pytest.mark.parametrize("name", ["thing.x", "reader", "reader.", ""])
def test_what_cannot_be_registered(name):
    with pytest.raises(UserError, match="unknown kind|a name of its own is missing"):
        register(name, 1)


def test_the_suite_that_stands_for_a_family(own_registries):
    FAMILIES.register("toy", FAMILY)
    probed = {name: FAMILIES.get(name).probed for name in FAMILIES}
    assert any(probed.values())
    for name, suite in probed.items():
        assert probed_suite(name) == (f"{name}/{suite}" if suite else name)
    assert probed_suite("babi/task-1") == "babi/task-1" and probed_suite("toy") == "toy"


def test_the_lattice_of_a_suite_is_its_familys(own_registries):
    with pytest.raises(UserError, match="no task of toy/all names skills"):
        lattice_of(FAMILY.open("all"))
    FAMILIES.register("toy", FAMILY)
    with pytest.raises(UserError, match="toy/all has no lattice of combinations to search"):
        lattice_of(FAMILY.open("all"))
    with pytest.MonkeyPatch.context() as patch:
        own = SimpleNamespace(glossary={})
        patch.setattr(type(FAMILY), "lattice", lambda family, suite: own)
        assert lattice_of(FAMILY.open("all")) is own
