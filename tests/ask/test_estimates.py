"""What asking costs before it is asked, how a limit is kept, and what is said of both (see `tests/approved.py`)."""

from __future__ import annotations

import logging
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest

from approved import approved, plain
from taskloom.ask.spending import MEASURED, Meter, Spending, estimate_cost, priced, spending, spending_now
from taskloom.core import Instance, Instruction, Task, UserError, any_of, open_suite
from taskloom.core.encoding import Message, Prompt, make_encoding
from taskloom.core.model import Generation, Output, Price, Request

PRICES = {
    "none": None,
    "plain": Price(input=3.0, output=15.0),
    "of a table": Price(input=0.5, output=2.0, beside=40, thinking=100, dated="2026-01-01", written=0.75),
}
TASK = Task("t", Instruction("Say."))


def model(price, length=None):
    return SimpleNamespace(
        price=price, tokenizer=None, length=lambda prompt: length, identity=SimpleNamespace(name="m")
    )


def request(text, *turns):
    return Request(Prompt(text, tuple(Message("user", turn) for turn in turns)), TASK, Instance("1", text, any_of("x")))


def test_every_estimate():
    suite = open_suite("babi/task-1", seed=1, options={"test": 1_100, "train": 3})
    encoding, rows, said = make_encoding("plain", {}), list(suite.rows("test")), []
    for name, price in PRICES.items():
        for number in (priced(100, 12.6, 3.4, 64, price), priced(0, 1.0, 1.0, 8, price)):
            said += [name, plain(number), number.sentence()]
        for count, more in ((3, {}), (3, {"samples": 4, "total": 50}), (len(rows), {}), (len(rows), {"total": 9})):
            for length in (None, 17):
                asked = islice(rows, count)
                found = estimate_cost(
                    model(price, length), encoding, Generation(max_tokens=9), suite.tasks, asked, **more
                )
                said.append(plain([name, count, more, length, found]))
    empty = estimate_cost(model(PRICES["plain"]), encoding, Generation(max_tokens=9), suite.tasks, [])
    said.append(plain(empty))
    approved(Path(__file__).with_name("estimates.txt"), "\n".join(said) + "\n")


def test_a_limit_sets_aside_the_most_that_answers_can_cost():
    said = []
    for name in ("plain", "of a table"):
        kept, asked = Spending(0.006), [request("é" * 50, *("hm",) * (n % 3)) for n in range(60)]
        for number, one in enumerate(asked):
            granted = kept.reserve(model(PRICES[name]), one, Generation(max_tokens=20))
            said.append(plain([name, number, granted]))
            if number % 2 and granted:
                state = ("failed", "answered")[number % 4 == 1]
                cost = None if number % 3 else 0.0001
                kept.settle(one, SimpleNamespace(state=state, cost=cost, prompt_tokens=30 if number % 5 else None))
            said[-1] += plain([kept.spent, kept.answers])
        said.append(str(kept.refused()))
    kept = Spending(10.0)
    for _ in range(MEASURED + 2):  # from then on, a prompt is taken to be as dense as the densest
        one = request("a" * 100)
        kept.reserve(model(PRICES["plain"]), one, Generation(max_tokens=1))
        kept.settle(one, SimpleNamespace(state="answered", cost=0.0, prompt_tokens=33))
    tight = [most for most in (0.0001, 0.00017, 0.0002, 0.0003, 0.0005) if _grants(kept, most)]
    said.append(plain([tight, kept.spent]))
    with pytest.raises(UserError, match="the price of m is not known") as raised:
        kept.reserve(model(None), asked[0], Generation())
    said.append(str(raised.value))
    approved(Path(__file__).with_name("limits.txt"), "\n".join(said) + "\n")


def _grants(kept, most):
    kept.most = most
    one = request("a" * 100)
    granted = kept.reserve(model(PRICES["plain"]), one, Generation(max_tokens=1))
    kept.settle(one, SimpleNamespace(state="failed", cost=None, prompt_tokens=None))
    return granted


def test_a_limit_holds_within_its_block():
    assert spending_now() is None
    with spending(2.5):
        assert spending_now().most == 2.5
        with spending(None):
            assert spending_now() is None
        assert spending_now().most == 2.5
    assert spending_now() is None
    for wrong in (0, -1, float("inf"), float("nan")):
        with pytest.raises(UserError, match="a limit is above 0"), spending(wrong):
            pass


@pytest.mark.parametrize(("total", "told"), [(200, 1), (None, 0)])
def test_what_all_answers_will_cost_is_said_once_after_fifty(total, told, caplog):
    meter = Meter(total)
    with caplog.at_level(logging.WARNING, "taskloom.ask"):
        for number in range(MEASURED + 5):
            meter.add([Output("x", cost=0.01), Output("y", cost=None)])
            assert len(caplog.messages) == (told if number >= MEASURED - 1 else 0)
    assert caplog.messages == ["50 answers cost $0.5000: all 200 will cost about $2.0000"][:told]
