"""Secrets in disguise are found, and other texts are left alone, whatever they look like, in little time."""

from __future__ import annotations

import base64
import codecs
import random
import time

import pytest

from taskloom.core import secrets

KEY = "sk-proj-9f3Kx27QmZt5Lw8Rb1Vd6Yh0"
RAW = KEY.encode()
DISGUISES = {
    "upper case": KEY.upper(), "backwards": KEY[::-1], "turned by thirteen": codecs.encode(KEY, "rot13"),
    "half of it": KEY[:16], "in fours": " ".join(KEY[at : at + 4] for at in range(0, len(KEY), 4)),
    "zero width": "\u200b".join(KEY), "as bytes": " ".join(f"0x{sign:02x}" for sign in RAW),
    "octal": "".join(f"\\{sign:03o}" for sign in RAW), "quoted-printable": "".join(f"={sign:02X}" for sign in RAW),
    "percent twice": "".join(f"%25{sign:02X}" for sign in RAW), "entities": "".join(f"&#x{sign:x};" for sign in RAW),
    "url base 64": base64.urlsafe_b64encode(b"??>" + RAW).decode(), "one in": base64.b64encode(b"x" + RAW).decode(),
    "two in": base64.b64encode(b"xy" + RAW).decode(), "mail": base64.encodebytes(b"hello " * 12 + RAW).decode(),
    "UTF-16": base64.b64encode(KEY.encode("utf-16-le")).decode(), "hex of base 64": base64.b64encode(RAW).hex(),
}  # fmt: skip


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(secrets, "known_secrets", {})
    secrets.learn(KEY, "api_key")


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguised_key_is_replaced(name):
    said = secrets.scrub(f'{{"error": "no such key {DISGUISES[name]} here", "code": 401}}')
    assert DISGUISES[name] not in said and "[api_key]" in said
    assert said.startswith('{"error": "no such key ') and said.endswith('here", "code": 401}')


def test_other_texts_are_left_alone():
    draw = random.Random(4)
    texts = ["Mary went to the kitchen; the project is at 9f3k.", "%41%42 &#65; \\u0041 =20", "a" * 50_000, "sk-proj-"]
    texts += [draw.randbytes(60).hex(), base64.b64encode(draw.randbytes(600)).decode(), "0x" * 900, "%25" * 900]
    for text in texts:
        assert secrets.scrub(text) == text


def test_passphrases_are_found_as_a_whole_and_their_words_are_not():
    secrets.learn("correct horse battery staple", "password")
    assert secrets.scrub("a correct horse") == "a correct horse"
    assert "battery" not in secrets.scrub("correct_horse_battery_staple")
    assert "YmF0dGVye" not in secrets.scrub(base64.b64encode(b"correct horse battery staple").decode())


@pytest.mark.parametrize("text", ["a" * 100_000, "ab -" * 25_000, ("x" * 76 + "\n") * 1_300, "&amp;" * 20_000 + "#"])
def test_long_texts_take_little_time(text):
    started = time.process_time()
    secrets.scrub(text)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "words",
    [["-o", f"runs/{KEY}"], [f"--output=runs/{KEY}"], ["--title", f"Report of {KEY}"], [f"runs/{KEY[3:]}"], ["x", KEY]],
)
def test_a_key_in_a_name_is_refused(words):
    with pytest.raises(Exception, match="a key must not stand in a name") as raised:
        secrets.refuse_in_names(["run", *words])
    assert KEY not in str(raised.value)
    secrets.refuse_in_names(["run", "-M", f"api_key={KEY}", "-M", f"base_url=http://me:{KEY}@host/v1", "-o", "runs/x"])
