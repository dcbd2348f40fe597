"""Items and rewards over real HTTP, from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest

from taskloom import open_suite
from taskloom.core import UserError
from taskloom.rl.serve import RewardServer

SOURCE = Path(__file__).resolve().parents[2] / "src"


def asked(server, path, **body):
    return getattr(server, path)(json.dumps(body).encode())


@pytest.fixture(scope="module")
def suite():
    return open_suite("babi/mix-t2", seed=3)


def test_items_carry_what_scoring_needs(suite):
    server = RewardServer(suite, "strict")
    items = asked(server, "items", n=6)["items"]
    assert len({item["id"] for item in items}) == 6
    assert all(item["messages"] and item["prompt"] for item in items)
    right = [{**item, "completion": item["answer"]} for item in items]
    wrong = [{**item, "completion": "no idea"} for item in items]
    assert asked(server, "score", items=right)["rewards"] == [1.0] * 6
    assert asked(server, "score", items=wrong)["rewards"] == [0.0] * 6


def test_a_combination_can_be_asked_for_again_and_again(suite):
    server = RewardServer(suite)
    cell = server.describe()["cells"][0]
    first = asked(server, "items", n=4, cell=cell)["items"]
    assert asked(server, "items", n=2, cell=cell, start=2)["items"] == first[2:]
    assert {item["cell"] for item in first} == {cell}


def test_a_curriculum_moves_to_where_the_policy_fails_half_of_the_time(suite):
    server = RewardServer(suite, "strict", curriculum=True)
    cells = server.describe()["cells"]
    mastered = set(cells[: len(cells) // 2])
    for _ in range(30):
        items = asked(server, "items", n=10)["items"]
        said = [{**item, "completion": item["answer"] if item["cell"] in mastered else "no"} for item in items]
        asked(server, "score", items=said)
    rates = server.describe()["rates"]
    assert min(rates[cell] for cell in mastered) > max(rates[cell] for cell in cells if cell not in mastered)


BAD = [
    ("items", {"n": 0}, "1 to"),
    ("items", {"n": 2, "start": 5}, "one combination"),
    ("items", {"n": 1, "cell": "nonsense: nothing+else"}, "nonsense"),
    ("items", {"count": 3}, "count"),
    ("score", {"items": [{"task": "none", "targets": "x", "completion": "y"}]}, "no task"),
    ("score", {"items": "x"}, "items"),
]


@pytest.mark.parametrize(("path", "body", "said"), BAD)
def test_a_wrong_request_is_a_sentence(suite, path, body, said):
    with pytest.raises(UserError, match=said):
        asked(RewardServer(suite), path, **body)


def test_the_command_serves_and_prints_one_address(tmp_path):
    command = [sys.executable, "-m", "taskloom", "rl", "serve", "babi/task-1", "--reading", "strict"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path)
    try:
        address = urlsplit(process.stdout.readline().strip())
        [token] = parse_qs(address.query)["token"]
        base = f"http://{address.netloc}"

        def post(path, body, **headers):
            given = {"Content-Type": "application/json", "Authorization": f"Bearer {token}", **headers}
            with urlopen(Request(base + path, json.dumps(body).encode(), given)) as answer:
                return json.load(answer)

        [item] = post("/items", {"n": 1})["items"]
        assert post("/score", {"items": [{**item, "completion": item["answer"]}]}) == {"rewards": [1.0]}
        for path, body, headers, status in (
            ("/items", {"n": 1}, {"Authorization": "Bearer wrong"}, 401),
            ("/items", {"n": 1}, {"Host": "evil.example"}, 421),
            ("/nowhere", {}, {}, 400),
        ):
            with pytest.raises(HTTPError) as caught:
                post(path, body, **headers)
            assert caught.value.code == status
    finally:
        process.terminate()
        process.wait()
