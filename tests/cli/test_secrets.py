"""No secret reaches a file or the terminal: planted in odd positions, searched for in everything that is written."""

from __future__ import annotations

import json
import sys
import threading
import uuid
from base64 import b32encode, b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pyarrow
import pytest
from pyarrow import parquet

from taskloom.cli.keys import find_recipe
from taskloom.cli.main import main
from taskloom.core import options_of, secrets
from taskloom.core.catalog import ADAPTATIONS, ENCODINGS, FAMILIES, MODELS, STUDIES
from taskloom.core.model import open_model
from taskloom.core.secrets import is_secret, is_secret_name, public, public_command, public_options, scrub
from taskloom.run.session import RunSettings

ENCODINGS_OF_KEYS = {
    "spaced": " ".join,
    "split": lambda key: f'{key[:17]}" + "{key[17:]}',
    "over two lines": lambda key: f"{key[:20]}\n{key[20:]}",
    "hex": lambda key: key.encode().hex(),
    "hex with colons": lambda key: key.encode().hex(":").upper(),
    "base 64": lambda key: b64encode(key.encode()).decode(),
    "base 64 in JSON": lambda key: b64encode(
        json.dumps({"headers": {"Authorization": f"Bearer {key}"}}).encode()
    ).decode(),
    "base 64 twice": lambda key: b64encode(b64encode(f"x:{key}".encode())).decode(),
    "base 32": lambda key: b32encode(key.encode()).decode(),
    "percent": lambda key: "".join(f"%{sign:02X}" for sign in key.encode()),
    "unicode escapes": lambda key: "".join(f"\\u{sign:04x}" for sign in key.encode()),
    "entities": lambda key: "".join(f"&#{sign};" for sign in key.encode()),
}
"""How servers, proxies and error pages repeat what they were sent."""


class _Echo(BaseHTTPRequestHandler):
    """Answers with the headers and the body it was sent, plainly and mangled, or refuses with them."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        heard = json.dumps(
            {**dict(self.headers), "path": self.path, "body": {k: body[k] for k in body if k != "messages"}}
        )
        if "other" not in self.headers.get("Authorization", ""):
            heard += " ".join(mangle(self.server.secret) for mangle in ENCODINGS_OF_KEYS.values())
        failing = "fail" in self.server.mode and "a" in str(body)
        answer = {"error": {"message": f"{'x ' * 140}{heard} {heard}"}} if failing else {
            "choices": [{"message": {"role": "assistant", "content": heard, "reasoning": heard}}],
        }  # fmt: skip
        content = json.dumps(answer).encode()
        self.send_response(400 if failing else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


@contextmanager
def echoing(mode: str, secret: str):
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Echo)
    server.mode, server.secret = mode, secret
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def secret(monkeypatch) -> str:
    """A key that no other test has, since a key once seen is recognised anywhere for the life of a process."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    secrets.learn_environment.cache_clear()
    return f"sk-{uuid.uuid4().hex}"


RUN = ["run", "babi/task-1", "-T", "train=2", "-T", "test=2", "--model", "api/m"]
SWEEP = ["sweep", "babi/task-1", "-T", "train=2", "-T", "test=2", "--model", "api/m", "--jobs", "1"]
PROBE = ["probe", "babi/mix-t2", "--model", "api/m", "-P", "budget=6", "-P", "phases=[quick]"]
STUDY = ["study", "concur", "--scale", "smoke", "--model", "api/m", "--model", "mock/majority", "-T", "limit=2", "-T"]
LEARNER = "learners={'*': {adapt: none}, api/m: {adapt: none, model_options: {patience: 0, "
POSITIONS = {
    "plain": [*RUN, "-M", "api_key=§"],
    "joined": [*RUN, "-M=api_key=§"],
    "glued": [*RUN, "-Mapi_key=§"],
    "blank": [*RUN, "-M", "api_key =§"],
    "blanks": [*RUN, "-M", " api_key = §"],
    "kebab": [*RUN, "-M", "api-key=§"],
    "quoted": [*RUN, "-M", "api_key='§'"],
    "extra": [*RUN, "-M", "extra.api_key=§"],
    "extra mapping": [*RUN, "-M", "extra={user: me, api_key: §}"],
    "extra deep": [*RUN, "-M", "extra={auth: {password: §}}"],
    "extra header": [*RUN, "-M", "extra={headers: {X-Api-Key: §, Authorization: Bearer §}}"],
    "extra token": [*RUN, "-M", "extra.access_token=§"],
    "extra named by its service": [*RUN, "-M", "extra.openai_key=§", "-M", "extra.github_token=§"],
    "extra camel": [*RUN, "-M", "extra={openaiApiKey: §, accessKeyId: §}"],
    "extra header objects": [*RUN, "-M", "extra={headers: [{name: Authorization, value: Bearer §}]}"],
    "extra header pairs": [*RUN, "-M", "extra={headers: [[Authorization, Bearer §]]}"],
    "extra of another name": [*RUN, "-M", "extra={user: §, metadata: [{id: §}]}"],
    "address": [*RUN, "-M", "base_url=http://me:§@HOST"],
    "address user": [*RUN, "-M", "base_url=http://§@HOST"],
    "address path": [*RUN, "-M", "base_url=http://HOST/§"],
    "environment": [*RUN],
    "sweep": [*SWEEP, "-M", "api_key=§"],
    "grid": [*SWEEP, "--grid=model.api_key=[§]"],
    "grid of two": [*SWEEP, "-G", "model.api_key=[§, other]"],
    "grid short": [*SWEEP, "-Gmodel.api_key=[§]"],
    "sweep extra": [*SWEEP, "-M", "extra.api_key=§"],
    "sweep address": [*SWEEP, "-M", "base_url=http://me:§@HOST"],
    "sweep address path": [*SWEEP, "-M", "base_url=http://HOST/§"],
    "probe": [*PROBE, "-M", "api_key=§"],
    "probe extra": [*PROBE, "-M", "extra={auth: {password: §}}"],
    "probe address": [*PROBE, "-M", "base_url=http://me:§@HOST"],
    "study": [*STUDY, LEARNER + "base_url: 'http://HOST', api_key: §}}}"],
    "study extra": [*STUDY, LEARNER + "base_url: 'http://HOST', extra: {user: me, access_token: §}}}}"],
    "study address": [*STUDY, LEARNER + "base_url: 'http://me:§@HOST'}}}"],
    "study environment": [*STUDY, LEARNER + "base_url: 'http://HOST'}}}"],
    "model": [*RUN[:-1], "api/§"],
    "model query": [*RUN[:-1], "api/m?api_key=§"],
    "misspelt": [*RUN, "-M", "api_kee=1", "-M", "api_key=§"],
    "no equals": [*RUN, "-M", "api_key:§"],
    "wrong kind": [*RUN, "-M", "api_key=[§]"],
    "proxy in the environment": [*RUN],
    "secure proxy in the environment": [*RUN],
    "another key in the environment": [*RUN],
    "password in the environment": [*RUN],
    "token in the environment": [*SWEEP],
    "folder": [*RUN, "-o", "OUT/§"],
    "folder joined": [*RUN, "--output=OUT/§-run"],
    "folder of a sweep": [*SWEEP, "-o", "OUT/§"],
    "folder of a bundle": ["generate", "babi/task-1", "-T", "train=2", "-o", "OUT/§"],
    "folder of a probe": [*PROBE, "-o", "OUT/§"],
    "suite": ["run", "babi/§", "--model", "api/m"],
    "recipe key": ["show", "babi/task-1", "-T", "§=3"],
    "recipe value": ["show", "babi/task-1", "-T", "train=§"],
    "extra list": [*RUN, "-M", "extra={tokens: [{token: §}]}"],
    "extra session": [*RUN, "-M", "extra={session_token: §}"],
    "extra cookie": [*RUN, "-M", "extra={headers: {Cookie: sid=§}}"],
    "extra signature": [*RUN, "-M", "extra={sig: §}"],
    "sweep header": [*SWEEP, "-M", "extra={headers: {X-Api-Key: §}}"],
    "probe address path": [*PROBE, "-M", "base_url=http://HOST/§"],
    "unknown option": [*RUN, "--api-key", "§"],
    "unknown verb": ["rnu", "--api-key=§"],
    "generation": [*RUN, "-G", "api_key=§"],
}
VARIABLES = {
    "environment": "OPENAI_API_KEY", "study environment": "OPENAI_API_KEY",
    "another key in the environment": "MY_SERVICE_API_KEY", "password in the environment": "DB_PASSWORD",
    "token in the environment": "HF_TOKEN",
}  # fmt: skip


def unpacked(path: Path) -> bytes:
    """The bytes of a file, and every value in it where it packs its columns."""
    packed = path.read_bytes()
    if path.suffix != ".parquet":
        return packed
    table = parquet.read_table(path)
    values = [str(value) for column in table.columns for value in column.to_pylist()]
    return b"\n".join([packed, *(value.encode("utf-8", "replace") for value in values)])


def test_packed_columns_are_looked_into(tmp_path):
    word = "a-key-in-a-column-0815"
    parquet.write_table(pyarrow.table({"raw": [word] * 500}), tmp_path / "a.parquet", compression="zstd")
    parquet.write_table(pyarrow.table({"raw": [b"\x01" + word.encode()]}), tmp_path / "b.parquet")
    assert all(word.encode() in unpacked(path) for path in tmp_path.iterdir())


def test_there_are_sixty_positions_and_twelve_encodings():
    assert len(POSITIONS) >= 60 and len(ENCODINGS_OF_KEYS) >= 12


# A server that refuses says what it heard through one and the same path, wherever the key stood.
@pytest.mark.parametrize(
    ("position", "mode"),
    [
        (position, "echo") if at % 2 == 0 or at >= 40 else pytest.param(position, "echo", marks=pytest.mark.proof)
        for at, position in enumerate(POSITIONS)
    ]
    # A sweep starts a process, which says what it failed of as a run does.
    + [
        (position, "fail")
        if at % 4 == 0 and POSITIONS[position][0] != "sweep"
        else pytest.param(position, "fail", marks=pytest.mark.proof)
        for at, position in enumerate(POSITIONS)
    ],
)
def test_nothing_that_is_written_or_printed_holds_a_key(position, mode, secret, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    with echoing(mode, secret) as host:
        place = str(tmp_path / "named")
        words = [word.replace("§", secret).replace("HOST", host).replace("OUT", place) for word in POSITIONS[position]]
        if position in VARIABLES:
            monkeypatch.setenv(VARIABLES[position], secret)
        if "proxy" in position:
            monkeypatch.setenv(
                "HTTPS_PROXY" if "secure" in position else "HTTP_PROXY", f"http://me:{secret}@127.0.0.1:9"
            )
            monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        asks = words[0] in ("run", "sweep", "probe", "study")
        if "base_url" not in str(words) and asks:
            words += ["-M", f"base_url=http://{host}"]
        if asks:
            words += ["--runs", str(tmp_path / "out")] if words[0] == "study" else ["-M", "patience=0"]
        if place not in str(words) and words[0] != "show":
            words += ["-o", str(tmp_path / "out")]
        monkeypatch.setattr(sys, "argv", ["taskloom", *words])
        code = main(words)
    if code != 2 and (tmp_path / "out").exists():
        main(["report", str(tmp_path / "out"), "-o", str(tmp_path / "report.html")])
        main(["check", str(tmp_path / "out")])
    printed = "".join(capfd.readouterr())
    forms = {mangle(secret) for mangle in ENCODINGS_OF_KEYS.values()}
    forms |= {form.replace("\n", "\\n") for form in forms} | {json.dumps(form)[1:-1] for form in forms}
    forms |= {secret, quote(f"me:{secret}"), b64encode(f"me:{secret}".encode()).decode(), secret[:20], secret[-20:]}
    written = {path: unpacked(path) for path in tmp_path.rglob("*") if path.is_file()}
    wrong = ("misspelt", "no equals", "wrong kind", "unknown", "generation", "suite", "recipe", "model", "folder")
    expected = not position.startswith(wrong)
    assert expected == any(path.name == "manifest-000001.json" for path in written), printed
    if words[0] == "study" and mode == "echo":
        assert (tmp_path / "out" / "study.json") in written, printed
    assert not [path for path in tmp_path.rglob("*") if secret[:12] in str(path.relative_to(tmp_path))]
    for form in forms:
        assert form not in printed
        assert not [str(path) for path, data in written.items() if form.encode() in data]


def test_the_command_still_says_what_was_done():
    words = ["taskloom", "run", "x", "-M=api_key=K", "-M", "length_key=max_tokens", "--grid=model.api_key=[K]"]
    assert public_command(words) == (
        "taskloom run x '-M=api_key=[api_key]' -M length_key=max_tokens '--grid=model.api_key=[api_key]'"
    )


def test_a_job_with_another_key_is_the_same_job():
    one, two = ({"api_key": key, "extra": {"token": key, "n": 1}} for key in ("aaaaaaa1", "bbbbbbb2"))
    assert public_options(one) == public_options(two) == {"extra": {"n": 1}}


def test_references_stand_at_any_depth():
    assert public({"a": [{"password": "x"}], "b": "https://u:p@h/q"}) == {
        "a": [{"password": "[password]"}],
        "b": "https://[credentials]@h/q",
    }


def test_what_a_notebook_or_a_traceback_shows_of_options_holds_no_key(secret):
    options = {"api_key": secret, "extra": {"headers": [["Authorization", f"Bearer {secret}"]]}}
    model = open_model("api/m", {**options, "base_url": "http://127.0.0.1:1/v1"})
    settings = RunSettings(model="api/m", model_options=options)
    for shown in (repr(model.options), repr(settings), f"{settings}"):
        assert secret not in shown
        assert "[api_key]" in shown


def test_the_value_decides_where_a_name_may_be_anything():
    assert is_secret("openai_key", uuid.uuid4().hex)
    for name, value in {
        "length_key": "max_completion_tokens",
        "pad_token": "<pad>",
        "cache_key": "run 12 of July",
    }.items():
        assert not is_secret(name, value)


def test_a_bare_key_is_known_by_the_header_it_came_in(secret):
    open_model(
        "api/m", {"base_url": "http://127.0.0.1:1/v1", "extra": {"headers": {"Authorization": f"Bearer {secret}"}}}
    )
    assert secret not in scrub(f"you sent {secret}")


def test_a_dummy_key_does_not_eat_ordinary_words():
    public_command(["taskloom", "-M", "api_key=test"])
    assert scrub("a test of the egg") == "a test of the egg"
    assert "test" not in scrub("Authorization: Bearer test")


def test_only_keys_are_taken_for_keys():
    """No option but the key of a server has a name that would be hidden."""
    names = [
        *("generation", "pretrain", *ADAPTATIONS, *STUDIES, *ENCODINGS),
        *(f"{f}/{s}" for f in ("babi", "taskbench", "seti", "zest", "superni") for s in FAMILIES.get(f).suites()),
        *(f"{provider}/{model}" for provider in MODELS for model in MODELS.get(provider).names()),
    ]
    found = {
        option.name for name in names for option in options_of(find_recipe(name)[1]) if is_secret_name(option.name)
    }
    assert found == {"api_key"}
    assert not any(map(is_secret_name, ("max_tokens", "length_key", "tokens", "pad_token", "author", "keys", "pass_k")))
