"""Whatever is cached, resumed or compared is keyed by an identity that covers the rows."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Instance, Instruction, Recipe, Row, Suite, Task, UniformBlocks, UserError, open_suite
from taskloom.core.family import files_hash, recipe_identity
from toy import FAMILY


def small(texts: list[str], answer: str = "a") -> Suite:
    task = Task("t", Instruction("Say a."))
    rows = [Row("t", Instance(str(place), text, AnyOf((answer,)))) for place, text in enumerate(texts)]
    return Suite("own/suite", {}, 0, {"t": task}, {"test": len(rows)}, lambda split: iter(rows))


@given(st.lists(st.text(max_size=8), min_size=1, max_size=4), st.lists(st.text(max_size=8), min_size=1, max_size=4))
def test_suites_with_other_rows_have_other_identities(first, second):
    assert (small(first).identity == small(second).identity) == (first == second)
    assert small(first).identity != small(first, "b").identity


def test_a_generated_suite_is_told_by_recipe_and_seed_without_drawing():
    suite = FAMILY.open("all", 1)
    broken = replace(suite, draw=lambda split: 1 / 0)
    assert suite.identity == FAMILY.open("all", 1).identity
    assert len({suite.identity, FAMILY.open("all", 2).identity, FAMILY.open("all", 1, {"test": 5}).identity}) == 3
    with pytest.raises(ZeroDivisionError):
        _ = broken.identity  # other rows never keep the identity of the suite they came from


def test_a_derived_suite_has_an_identity_of_its_own():
    suite = FAMILY.open("all", 1)
    one, other = suite.only_task("add"), suite.only_task("even")
    assert len({suite.identity, one.identity, other.identity}) == 3
    assert one.identity == FAMILY.open("all", 1).only_task("add").identity


def test_files_count_by_their_bytes_not_by_their_place(tmp_path):
    for name, text in (("a", "one"), ("b", "one"), ("c", "two")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rows.json").write_text(text)
    assert files_hash(str(tmp_path / "a")) == files_hash(str(tmp_path / "b"))
    assert files_hash(str(tmp_path / "a")) != files_hash(str(tmp_path / "c"))


def test_an_endless_suite_must_say_what_decides_its_rows():
    row = Row("t", Instance("1", "x", AnyOf(("a",))))
    suite = replace(small(["x"]), splits={"test": None}, draw=lambda split: UniformBlocks(lambda n: iter([row]), None))
    with pytest.raises(UserError, match="endless"):
        _ = suite.identity
    assert suite.identified("mine", 1).identity != suite.identified("mine", 2).identity


def test_a_bundle_is_identified_by_its_rows(tmp_path):
    from taskloom.store.write import write_bundle

    write_bundle(FAMILY.open("all", 1), tmp_path / "one")
    write_bundle(FAMILY.open("all", 2), tmp_path / "two")
    assert open_suite(tmp_path / "one").identity != open_suite(str(tmp_path / "two")).identity


def test_several_files_count_with_their_names_and_in_their_order(tmp_path):
    for name, text in (("a", "one"), ("b", "two")):
        (tmp_path / name).write_text(text)
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    found = [
        files_hash(given) for given in (first, second, [first, second], [second, first], {"x": first}, {"y": first})
    ]
    assert len(set(found)) == 6
    (tmp_path / "c").write_text("one")
    other = str(tmp_path / "c")
    assert files_hash(other) == files_hash(first) and files_hash([other, second]) == files_hash([first, second])
    assert files_hash({"x": other}) == files_hash({"x": first})
    assert files_hash("http://host/rows") != files_hash("http://host/others"), "an address counts as it is written"


class Read(Recipe, frozen=True, kw_only=True):
    file_keys: ClassVar[tuple[str, ...]] = ("path", "more")

    path: str = ""
    more: list[str] = []
    name: str = ""


def test_a_path_in_a_recipe_counts_by_what_it_leads_to(tmp_path):
    for name, text in (("a", "one"), ("b", "one"), ("c", "two")):
        (tmp_path / name).write_text(text)
    a, b, c = (str(tmp_path / name) for name in "abc")

    def of(**settings) -> str:
        return recipe_identity("own/s", "1", Read(**settings), 0)

    assert of(path=a) == of(path=b) != of(path=c) and of(more=[a, c]) == of(more=[b, c]) != of(more=[c, a])
    assert of(name=a) != of(name=b), "no key of a file"
    assert len({of(), of(path=a), of(more=[a]), of(name="x")}) == 4
    assert of() == recipe_identity("own/s", "1", Read(), 0) == "46634d52aa0f2d77e99cb0cd53ea0970"
    others = [("own/t", "1", 0), ("own/s", "2", 0), ("own/s", "1", 1)]
    assert len({recipe_identity(name, version, Read(), seed) for name, version, seed in others} | {of()}) == 4


def test_hashes_of_files_have_sixteen_bytes(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_text("one")
    assert files_hash(str(tmp_path / "in" / "a")) == blake2b(b"one", digest_size=16).hexdigest()
    listed = f"a\0{blake2b(b'one', digest_size=16).hexdigest()}\n"
    assert files_hash(str(tmp_path / "in")) == blake2b(listed.encode(), digest_size=16).hexdigest()


def test_files_that_cannot_be_read_are_named(tmp_path, monkeypatch):
    def refuse(*given):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a").write_text("one")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UserError, match="cannot be read: Permission denied") as raised:
        files_hash(str(tmp_path / "a"))
    assert raised.value.where == str(tmp_path / "a")
