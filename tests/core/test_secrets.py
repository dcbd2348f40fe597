"""Secrets by name, by place and by spelling; ordinary words stay."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.core import secrets
from taskloom.core.secrets import (
    is_secret,
    is_secret_name,
    learn,
    learn_options,
    learn_words,
    public,
    public_address,
    public_command,
    public_options,
    public_repr,
    scrub,
)


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(secrets, "known_secrets", {})


def test_without_secrets_texts_stay_as_they_are():
    assert scrub("a token of esteem, password: none") == "a token of esteem, password: none"
    assert scrub("see https://me:hunter22@host/x and ftp://a@b") == (
        "see https://[credentials]@host/x and ftp://[credentials]@b"
    )


def test_every_spelling_of_a_secret():
    learn('k"9/ä-zz1', "api-key")
    for text in ('k"9/ä-zz1', 'K"9/Ä-ZZ1', 'k"9\\/ä-zz1', 'k\\"9/\\u00e4-zz1', 'k\\"9/ä-zz1', "k%229%2F%C3%A4-zz1",
                 "k&quot;9/ä-zz1", "ayI5L8OkLXp6MQ"):  # fmt: skip
        assert scrub(f"<{text}>") == "<[api_key]>", text


@pytest.mark.parametrize(
    ("value", "everywhere"),
    [("abcde1", True), ("abcd1", False), ("abcdefghijk", False), ("abcdefghijkl", True), ("twelve chars", True)],
)
def test_short_values_and_plain_words_only_beside_their_name(value, everywhere):
    learn(value, "token")
    assert scrub(f"it says {value} here") == (f"it says {'[token]' if everywhere else value} here")
    assert scrub(f'token: "{value}"') == 'token: "[token]"'
    assert scrub(f"Bearer {value}") == "Bearer [token]"


def test_longer_secrets_first_and_blank_ones_never():
    learn("abcdef12", "one")
    learn("abcdef1234", "two")
    learn("   ", "three")
    assert scrub("abcdef1234 abcdef12") == "[two] [one]"
    assert scrub("   ") == "   "


def test_secrets_of_a_command_line():
    learn_words(
        ["run", "-M", "api_key=sk-12345678", "--api-key", "sk-abcdefgh", "-Mtoken=tk-99999999", "--seed", "77777777"]
    )
    assert scrub("sk-12345678 sk-abcdefgh tk-99999999 77777777") == "[api_key] [api_key] [token] 77777777"
    learn_words(["--api-key=sk-zzzzzzzz", "plain-word1"])
    assert scrub("sk-zzzzzzzz plain-word1") == "[api_key] plain-word1"
    learn_words(["https://u:pw-5555555@host/?api_key=qq-4444444&page=33333333"])
    assert scrub("pw-5555555 qq-4444444 33333333") == "[password] [api_key] 33333333"


def test_secrets_of_options_at_any_depth():
    learn_options(
        {"extra": {"password": "pw-1234567", "size": "99999999"}, "list": [{"token": "tk-1234567"}],
         "auth": {"a": ["au-1234567"], "flag": True}, "url": "http://name:pa-1234567@h"}
    )  # fmt: skip
    found = scrub("pw-1234567 tk-1234567 au-1234567 pa-1234567 99999999 True")
    assert found == "[password] [token] [auth] [password] 99999999 True"


def test_names_and_addresses():
    for name in ("api-key", "extra.password", "X-Api-Key", "hf_token", "token", "Authorization", "key", "Set-Cookie"):
        assert is_secret_name(name), name
    for name in ("max_tokens", "keys", "monkey", "author", "tokenizer", "passages"):
        assert not is_secret_name(name), name
    assert public_address("https://me:pw@host:80/v1?key=x#y") == "https://host:80/v1"
    assert public_address("host/v1") == "host/v1"
    assert public_address("http://[bad") == "[address]"


def test_a_key_in_the_path_of_an_endpoint():
    key = "q7hX2mP9aL0zT4vB8c"
    learn_words(
        ["run", "-M", f"base_url=http://host/{key}/v1", "-T", "source=https://data.org/f3a9c1e07b5d2468ac/x.gz"]
    )
    assert key not in scrub(f"POST /{key}/v1") and "f3a9c1e07b5d2468ac" in scrub(
        "https://data.org/f3a9c1e07b5d2468ac/x"
    )
    one, two = public_address(f"http://host/{key}/v1"), public_address("http://host/Q8hX2mP9aL0zT4vB8d/v1")
    assert one.startswith("http://host/[path_") and one.endswith("]/v1") and key not in one
    assert one != two, "two services"
    assert public_address("http://host/openai/deployments/gpt-4o-mini-2024/v1").endswith("gpt-4o-mini-2024/v1")


def test_what_may_be_written_down():
    learn("sk-12345678", "api_key")
    assert public({"a": ["sk-12345678", 3, ("x",)], "api_key": "other", "token": ""}) == {
        "a": ["[api_key]", 3, ["x"]], "api_key": "[api_key]", "token": "",
    }  # fmt: skip
    assert public_options({"api_key": "x", "base_url": "http://u:p@h/v1?k=1", "deep": {"token": "x", "n": 1}}) == {
        "base_url": "http://h/v1", "deep": {"n": 1},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("abcdefgh12345678", True), ("abcdefgh1234567", False), ("abcdefghijklmnop", False),
        ("1234567812345678", False), ("abcdefgh 12345678", False), ("aaaaaaaaaaabcde1", False),
        ("aaaaaaaaaabcdef12", True), ("abcdef1aaaaaaaaaa", False),
    ],
)  # fmt: skip
def test_names_that_may_hold_a_secret_do_so_where_the_value_looks_random(value, secret):
    """Sixteen signs at least, letters and digits, eight different ones, no blank."""
    assert is_secret("cache_key", value) == secret
    assert not is_secret("title", value)
    assert is_secret("password", value)
    assert not is_secret("cache_key", 3)


def test_headers_pairs_and_shapes_among_options():
    learn_options(
        {"headers": [{"name": "Authorization", "value": "Bearer hd-1234567"}, ["X-Api-Key", "pr-1234567"]],
         "extra": ("password", "tp-1234567", "xx-1234567"), "note": "uses sk-abcdefghij0123456789 here",
         "other": {"name": 7, "value": "yy-1234567"}}
    )  # fmt: skip
    said = scrub("hd-1234567 pr-1234567 tp-1234567 xx-1234567 sk-abcdefghij0123456789 yy-1234567")
    assert said == "[authorization] [x_api_key] tp-1234567 xx-1234567 [secret] yy-1234567"


def test_a_command_line_as_it_may_stand_in_a_log():
    words = ["run", "babi/task-1", "--api-key", "sk-11112222", "-M", "token=tk-33334444", "-M", "name=a b",
             "--password=pw-5555666", "--seed", "7", "again tk-33334444"]  # fmt: skip
    assert public_command(words) == (
        "run babi/task-1 --api-key '[api_key]' -M 'token=[token]' -M 'name=a b' '--password=[password]' --seed 7 "
        "'again [token]'"
    )


def test_structs_are_shown_without_their_secrets():
    class Options(msgspec.Struct):
        api_key: str
        size: int
        extra: dict[str, str]

    shown = public_repr(Options("sk-99998888", 3, {"token": "x", "plain": "y"}))
    assert shown == "Options(api_key='[api_key]', size=3, extra={'token': '[token]', 'plain': 'y'})"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--password", "abc", "abc"], "--password '[password]' abc"),
        (["password", "abc"], "password abc"),
        (["-password", "abc"], "-password abc"),
        (["--seed", "abc"], "--seed abc"),
        (["--note=my_secret", "babi/task-1"], "--note=my_secret babi/task-1"),
        (["--note=my_password", "word"], "--note=my_password word"),
        (["-Mpassword=abc"], "'-Mpassword=[password]'"),
        (["-M", "a.password=abc"], "-M 'a.password=[password]'"),
        (["-M", '{"password": "abc"}'], "-M '{\"password\": [password]'"),
        (["x=1", "y:2"], "x=1 y:2"),
        (["-M=password=abc"], "'-M=password=[password]'"),
        ([], ""),
    ],
)
def test_words_of_a_command_line_are_hidden_by_their_names(words, shown):
    assert public_command(words) == shown


def test_the_word_after_an_assignment_is_no_secret():
    learn_words(
        ["--note=my_secret", "babi/task-1", "--api-key=K", "plain-word1", "--token", "tk-1234567", "next-word1"]
    )
    assert scrub("babi/task-1 plain-word1 tk-1234567 next-word1") == "babi/task-1 plain-word1 [token] next-word1"


def test_what_is_learned_with_a_scheme_is_known_without_it():
    learn("Bearer hd-12345 basic x", "")
    assert set(secrets.known_secrets.values()) == {"secret"}
    assert set(secrets.known_secrets) == {"Bearer hd-12345 basic x", "hd-12345 basic x"}
    learn("  sk-12345678 ", "first")
    learn("sk-12345678", "second")
    assert secrets.known_secrets["sk-12345678"] == "first"


def test_a_secret_learned_later_is_known_too():
    learn("sk-12345678", "one")
    assert scrub("sk-12345678 tk-12345678") == "[one] tk-12345678"
    learn("tk-12345678", "two")
    assert scrub("sk-12345678 tk-12345678") == "[one] [two]"


def test_values_of_every_kind_are_learned():
    learn_options(
        {"password": 12345678, "token": None, "auth": True, "api_key": ["ak-1234567", {"deep": "dp-1234567"}],
         "pairs": [3, "th-1234567"], "more": ["max_tokens", "fo-1234567"], "list": [["Authorization", "fi-1234567"]]}
    )  # fmt: skip
    assert set(secrets.known_secrets) == {"12345678", "ak-1234567", "dp-1234567", "fi-1234567"}
    learn_options({"name": "Authorization", "other": "si-1234567"})
    assert "si-1234567" not in secrets.known_secrets
    learn_options({"header": "X-Api-Key", "value": "se-1234567"})
    learn_options({"key": "Cookie", "value": "ei-1234567"})
    assert secrets.known_secrets["se-1234567"] == "x_api_key" and secrets.known_secrets["ei-1234567"] == "cookie"


def test_keys_in_addresses():
    key, uuid = "q7hX2mP9aL0zT4vB8c", "550e8400-e29b-41d4-a716-446655440000"
    assert public_address(f"http://{key}/v1") == f"http://{key}/v1", "a host is no key"
    assert public_address(f"http://host/v1/{uuid}/x") != f"http://host/v1/{uuid}/x"
    assert public_address(f"{key}/{key}x") == f"{key}/{key}x", "no address"
    shown = public_address(f"http://host/v1/a-{key}?{key}y#z")
    assert len(shown) == len("http://host/v1/[path_01234567]") and f"{key}y" not in secrets.known_secrets
    learn_options({"base_url": f"http://host/{key}1/v1", "link": f"http://host/{key}2/v1"})
    assert f"{key}1" in secrets.known_secrets and f"{key}2" not in secrets.known_secrets
    learn_options({"endpoint": "http://host/%71" + key[1:] + "3"})
    assert f"{key}3" in secrets.known_secrets and "%71" + key[1:] + "3" in secrets.known_secrets


def test_credentials_of_addresses_in_both_spellings():
    learn_options({"url": "https://me:p%40ss-12345@host/x?token=tk-1234567&page=12345678", "note": "no address"})
    assert set(secrets.known_secrets) == {
        "me:p%40ss-12345",
        "me:p@ss-12345",
        "p%40ss-12345",
        "p@ss-12345",
        "tk-1234567",
    }
    learn_options({"url": "ftp://name-only-1@host"})
    assert secrets.known_secrets["name-only-1"] == "credentials"


def test_the_longest_value_beside_a_name_is_hidden():
    for value, name in (("a1", "one"), ("a1.b", "two"), ("a", "three")):
        learn(value, name)
    assert scrub("token a1.b, Password=a1; secret: 'a'") == "token [two], Password=[one]; secret: '[three]'"
    assert scrub("token a1x, a1.b") == "token a1x, a1.b"


def test_what_is_public_of_plain_data():
    learn("sk-12345678", "api_key")
    assert public(["a sk-12345678", 3, None, {"x": "sk-12345678"}]) == ["a [api_key]", 3, None, {"x": "[api_key]"}]
    assert public_options({"a": ["sk-12345678"], "b": {"base-url": "http://u:p@h/v1?k=1"}, "cache_key": "short"}) == {
        "a": ["[api_key]"], "b": {"base-url": "http://h/v1"}, "cache_key": "short",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "sk-abcdefghij0123456789", "ghp_" + "a1" * 15, "hf_" + "a1" * 15, "xoxb-1234567890", "AKIA" + "A1" * 8,
        "AIza" + "a" * 35, "eyJhbGciOiJ.eyJzdWIiOiI.abc",
    ],
)  # fmt: skip
def test_keys_of_well_known_services_are_known_by_their_looks(text):
    learn_options({"note": f"(see {text}!)"})
    assert scrub(f"<{text}>") == "<[secret]>"
    secrets.known_secrets.clear()
    learn_words(["run", f"note={text}"])
    assert text in secrets.known_secrets
