"""XML from outside: elements in order, and whatever would grow, reach out or never end is refused."""

from __future__ import annotations

import gzip

import pytest

from taskloom.core import UserError
from taskloom.core.markup import read_elements

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><x y="&b;">&b;</x>'


def write(tmp_path, data: bytes | str, name: str = "file.xml"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_elements_come_in_order_with_their_attributes(tmp_path):
    text = '<a><b n="1"/>text<c n="&lt;"><b n="é"/></c></a>'
    wanted = [("a", {}), ("b", {"n": "1"}), ("c", {"n": "<"}), ("b", {"n": "é"})]
    assert list(read_elements(write(tmp_path, text))) == wanted
    assert list(read_elements(write(tmp_path, gzip.compress(text.encode()), "file.xml.gz"))) == wanted
    assert list(read_elements(write(tmp_path, text.encode("utf-16")))) == wanted


@pytest.mark.parametrize(
    "data",
    [
        BOMB,
        f"<!--{' ' * 200_000}-->{BOMB}",
        f'<?xml version="1.0" encoding="UTF-16"?>{BOMB}'.encode("utf-16"),
        '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&f;</x>',
        '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x">%p;]><x/>',
    ],
    ids=["grows", "after a long comment", "in another encoding", "a file", "an address"],
)
def test_entities_are_refused_wherever_they_are_declared(tmp_path, data):
    with pytest.raises(UserError, match=r"file\.xml: the file declares its own entities"):
        list(read_elements(write(tmp_path, data)))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("<a>\n<b>\n</a>", r"file\.xml:3: the file is not well-formed XML: mismatched tag"),
        ("", "no element found"),
        ('<?xml version="1.0" encoding="UT-99"?><a/>', "names an encoding that cannot be read"),
        ('<?xml version="1.0" encoding="utf-7"?><a/>', "encoding"),
        (b"\xff\xfe\x00", "not well-formed"),
        ("<a>" * 101 + "</a>" * 101, "nested deeper than 100"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, data, words):
    with pytest.raises(UserError, match=words):
        list(read_elements(write(tmp_path, data)))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"gone\.xml"):
        list(read_elements(tmp_path / "gone.xml"))


@pytest.mark.parametrize(("before", "seen"), [(1024 * 1024, ["a", "b"]), (1024 * 1024 - 4, [])])
def test_a_file_is_read_in_pieces_of_a_megabyte(tmp_path, before, seen):
    """What begins in a piece is known before the next one is looked at, however broken that is."""
    start = f"<a><!--{' ' * (before - 13)}--><b>"
    assert len(start) == before
    found = []
    with pytest.raises(UserError, match="mismatched tag"):
        found += [found.append(name) for name, _ in read_elements(write(tmp_path, f"{start}</c>"))]
    assert found == seen


def test_a_hundred_levels_are_read(tmp_path):
    found = list(read_elements(write(tmp_path, "<a>" * 100 + "</a>" * 100)))
    assert len(found) == 100
    beside = "<a>" + "<b></b>" * 300 + "</a>"
    assert len(list(read_elements(write(tmp_path, beside)))) == 301
    deep = "<a>" + "<b></b>" * 60 + "<c>" * 100
    with pytest.raises(UserError, match="nested deeper than 100"):
        list(read_elements(write(tmp_path, deep)))
