"""Several servers used as one, and servers that do not take every field."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from servers import echo, said, serving, texts
from taskloom.core import UserError
from taskloom.core.model import Generation, open_model
from taskloom.models.backlog import Address, Attempt, Backlog

pytestmark = pytest.mark.usefixtures("quick_client")


def questions(ask, count):
    return [ask(f"q{index}") for index in range(count)]


def opened(*servers, **options):
    return open_model("api/x", {"base_url": [server.url for server in servers], **options})


def test_every_address_is_used_and_every_question_answered_once(ask):
    with serving(echo) as one, serving(echo) as two:
        outputs = opened(one, two, concurrency=2, twice="never").generate(questions(ask, 40), Generation())
    assert texts(outputs) == [f"echo q{index}" for index in range(40)]
    assert one.count and two.count and one.count + two.count == 40


def test_the_last_requests_go_to_whoever_will_answer_them_first():
    """Held by two slow servers, a request is still asked at a fast one, and never at a slow one instead."""
    fast, slow, slower = addresses = [Address(f"http://127.0.0.1:{port}/v1", 8) for port in (1, 2, 3)]
    for address, seconds in zip(addresses, (0.1, 5.0, 20.0), strict=True):
        address.pace.succeeded(seconds)

    async def last_request(*holders):
        backlog, now = Backlog(addresses, twice=True), time.monotonic()
        backlog.scouted()
        backlog.add(Attempt(0, {}))
        attempt = await backlog.take(holders[0])
        attempt.held_by += [(holder, asyncio.current_task(), now) for holder in holders]
        backlog.close()
        found = [backlog._next(address) for address in addresses]
        return [address for address, copy in zip(addresses, found, strict=True) if copy is attempt]

    assert asyncio.run(last_request(slower)) == [fast, slow]
    assert asyncio.run(last_request(slower, slow)) == [fast]
    assert asyncio.run(last_request(fast)) == []


def test_a_fast_server_carries_more(ask):
    busy = threading.Event()

    def slow(handler, body, count):
        busy.wait(30)  # until the fast one has answered most
        echo(handler, body, count)

    def fast(handler, body, count):
        if count == 30:
            busy.set()
        echo(handler, body, count)

    with serving(slow) as one, serving(fast) as two:
        outputs = opened(one, two, concurrency=2, twice="never").generate(questions(ask, 40), Generation())
    assert texts(outputs) == [f"echo q{index}" for index in range(40)]
    assert two.count >= 30


def test_the_last_questions_are_asked_twice_and_answered_once(ask):
    released = threading.Event()

    def stuck(handler, body, count):
        released.wait(60)
        handler.send(said("too late"))

    with serving(stuck) as one, serving(echo) as two:
        outputs = opened(one, two, concurrency=2).generate(questions(ask, 12), Generation())
        released.set()
    assert texts(outputs) == [f"echo q{index}" for index in range(12)]
    assert two.count == 12 and 1 <= one.count <= 2


def test_a_server_that_dies_leaves_its_questions_to_the_others(ask):
    with serving(echo) as two:
        with serving(echo) as one:
            pass
        outputs = opened(one, two, concurrency=2, twice="never").generate(questions(ask, 30), Generation())
    assert texts(outputs) == [f"echo q{index}" for index in range(30)]
    assert two.count == 30


def test_a_request_to_wait_pauses_one_address_only(ask):
    began = time.monotonic()

    def waits(handler, body, count):
        handler.send({"error": {"message": "slow down"}}, 429, Retry_After="40")

    with serving(waits) as one, serving(echo) as two:
        outputs = opened(one, two, concurrency=2).generate(questions(ask, 20), Generation())
    assert texts(outputs) == [f"echo q{index}" for index in range(20)]
    assert one.count <= 4  # what was under way, and nothing more while it rests
    assert time.monotonic() - began < 40


def test_addresses_are_a_list_without_doubles(ask):
    with pytest.raises(UserError, match="stands twice"):
        open_model("api/x", {"base_url": ["http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/"]})
    one, two = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"
    identities = [open_model("api/x", {"base_url": urls}).identity for urls in ([one, two], [two, one], [one])]
    assert identities[0] == identities[1] != identities[2]


REJECTED = {
    "temperature": "Unsupported parameter: 'temperature' is not supported with this model.",
    "seed": "Extra inputs are not permitted: seed",
    "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
}


@pytest.mark.parametrize("field", REJECTED)
def test_a_rejected_field_costs_one_request_not_every_one(ask, field):
    def answer(handler, body, count):
        if field in body:
            handler.send({"error": {"message": REJECTED[field]}}, 400)
        else:
            echo(handler, body, count)

    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url, "concurrency": 16})
        outputs = model.generate(questions(ask, 300), Generation(max_tokens=7))
        again = model.generate(questions(ask, 5), Generation())
    assert texts(outputs) == [f"echo q{index}" for index in range(300)]
    assert texts(again) == [f"echo q{index}" for index in range(5)]
    assert server.count <= 300 + 5 + 2
    if field == "max_tokens":
        assert server.seen[-6][1]["max_completion_tokens"] == 7


def test_a_wrong_value_is_not_taken_for_a_rejected_field(ask):
    def answer(handler, body, count):
        handler.send({"error": {"message": "temperature must be at most 2"}}, 400)

    with serving(answer) as server:
        [output] = open_model("api/x", {"base_url": server.url}).generate(questions(ask, 1), Generation())
    assert output.state == "failed" and "at most 2" in output.error and server.count == 1
