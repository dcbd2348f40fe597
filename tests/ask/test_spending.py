"""Money: a limit that is kept, estimates before and after the first answers, prices by table."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from servers import serving
from taskloom.ask import spending
from taskloom.cli.main import main
from taskloom.core import UserError, open_suite
from taskloom.core.model import open_model
from taskloom.models.prices import cost_of, price_of
from taskloom.models.wires.wire import Usage
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings

PRICES = {"price_in": 3.0, "price_out": 15.0}


def answering(handler, body, count):
    """Charges for 100 + count prompt tokens and 5 answer tokens."""
    handler.send({
        "choices": [{"message": {"content": "kitchen"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100 + count, "completion_tokens": 5, "total_tokens": 105 + count},
    })  # fmt: skip


def run(folder, url, most, **more):
    settings = RunSettings(
        model="api/x", model_options={"base_url": url, **PRICES}, cache=False, limit=80, generation={"max_tokens": 16}
    )
    with spending(most):
        return launch(open_suite("babi/task-1"), folder, settings, **more)


def test_a_limit_is_kept_and_the_same_command_goes_on(tmp_path):
    with serving(answering) as server:
        with pytest.raises(UserError, match="limit of .0.01 is reached") as caught:
            run(tmp_path / "run", server.url, 0.01)
        assert "--max-cost" in str(caught.value)
        asked = server.count
        charged = sum(Fraction(3 * (100 + n) + 15 * 5, 10**6) for n in range(1, asked + 1))
        # The limit is kept, and used: what is left would not pay for one more question at its longest.
        assert Fraction(7, 1000) < charged <= Fraction(1, 100)
        with pytest.raises(UserError, match="limit"):
            run(tmp_path / "run", server.url, 0.01)
        assert server.count == asked, "what was spent before counts"
        assert run(tmp_path / "run", server.url, 1.0).scored == 80
        assert server.count == 80
    costs = [record.tokens["cost"] for record in load_run(tmp_path / "run").records]
    assert sum(map(Fraction, costs)) == pytest.approx(
        float(sum(Fraction(3 * (100 + n) + 75, 10**6) for n in range(1, 81)))
    )


def test_without_a_price_a_limit_is_refused(tmp_path):
    with serving(answering) as server, spending(1.0), pytest.raises(UserError, match="price of api/x is not known"):
        settings = RunSettings(model="api/x", model_options={"base_url": server.url}, cache=False)
        launch(open_suite("babi/task-1"), tmp_path / "run", settings)
    with pytest.raises(UserError, match="above 0"), spending(-1.0):
        pass


def test_the_estimate_is_corrected_after_fifty_answers(tmp_path, caplog):
    with serving(answering) as server:
        run(tmp_path / "run", server.url, None)
    said = [record.getMessage() for record in caplog.records if "will cost" in record.getMessage()]
    assert len(said) == 1 and "all 80 will cost about $0.03" in said[0]


@pytest.mark.parametrize("verb", ["run", "probe"])
def test_a_dry_run_says_what_it_will_cost_and_asks_nothing(verb, tmp_path, capsys):
    command = [verb, "babi/mix-t2", "--model", "anthropic/claude-haiku-4-5", "-M", "api_key=abcdefgh1234", "--dry-run"]
    size = ["--limit", "10"] if verb == "run" else ["--budget", "300"]
    assert main([*command, *size, "--max-tokens", "100", "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    questions = 10 * len(open_suite("babi/mix-t2").tasks) if verb == "run" else 300
    assert f"{questions:,} questions" in said and f"{100 * questions:,} answer tokens" in said
    assert "prices of 2026-07-05" in said and not (tmp_path / "out").exists()
    most = float(said.rpartition("to $")[2].partition(",")[0])
    prompt = int(said.partition("about ")[2].partition(" ")[0].replace(",", ""))
    assert most == pytest.approx((prompt * 1 + 100 * questions * 5) / 1e6, abs=1e-4)


def test_a_study_says_what_it_will_cost(capsys):
    model = ["--model", "openai/gpt-4o-mini"]
    assert main(["study", "babi/in-and-out", "--scale", "smoke", "--dry-run", "--json"]) == 0
    assert "dollars" not in json.loads(capsys.readouterr().out)["columns"]
    assert main(["study", "babi/in-and-out", "--scale", "smoke", *model, "--dry-run", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["columns"][-1] == "dollars" and table["rows"][-1][-1] > 0


def test_prices_are_those_of_the_model_and_its_snapshots(tmp_path):
    assert price_of("openai", "gpt-4o-mini-2024-07-18") == price_of("openai", "gpt-4o-mini")
    assert price_of("openai", "gpt-4o-mini") != price_of("openai", "gpt-4o")
    assert price_of("openai", "gpt-5-mini-pro") is None and price_of("together", "gpt-4o") is None
    table = tmp_path / "prices.toml"
    table.write_text(
        '[[price]]\nprovider = "api"\nmodel = "x"\ninput = 0.1\noutput = 0.7\ncached = 0.01\ndated = 2026-11-01\n'
    )
    model = open_model("api/x", {"base_url": "http://127.0.0.1:9/v1", "prices": str(table)})
    assert model.price is not None and (model.price.input, model.price.dated) == (0.1, "2026-11-01")
    table.with_name("bad.toml").write_text('[[price]]\nprovider = "api"\n')
    with pytest.raises(UserError, match="model"):
        price_of("api", "x", str(table.with_name("bad.toml")))


@pytest.mark.parametrize(
    ("usage", "batch", "exact"),
    [
        (Usage(1_000, 7), False, Fraction("1") * 1_000 + Fraction("5") * 7),
        (Usage(1_000, 7, cached=900), False, Fraction("1") * 100 + Fraction("0.1") * 900 + Fraction("5") * 7),
        (Usage(1_000, 7, cached=600, written=300), False, Fraction("1") * 100 + 60 + Fraction("1.25") * 300 + 35),
        (Usage(1_000, 7, reasoning=5), True, (Fraction("1") * 1_000 + 35) / 2),
        (Usage(123_457, 98_761), False, Fraction(123_457 + 5 * 98_761)),
    ],
)
def test_costs_are_exact(usage, batch, exact):
    price = price_of("anthropic", "claude-haiku-4-5")
    assert price is not None and cost_of(price, usage, batch=batch) == float(exact / 10**6)
    assert cost_of(price, Usage(10, None)) is None
