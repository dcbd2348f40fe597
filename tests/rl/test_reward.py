"""Rewards are what runs score, whatever a policy says, at a price a trainer does not notice."""

from __future__ import annotations

import pickle
from itertools import islice

import pytest

from taskloom import Score, Scorer, Suite, UserError, open_suite, register, run_suite
from taskloom.core import AnyOf, Boolean, Instruction, Items, Product, Structure, Task
from taskloom.core.targets import CheckedAnswers
from taskloom.hosts.table import judge_record
from taskloom.rl import Reward, reward
from taskloom.rl.columns import facet_columns, pack_targets, unpack_targets
from taskloom.rl.reward import chat_text, completion_text

SUITES = ("babi/mix-t7", "taskbench/father(mother)", "seti/task2-trivial", "zest/fictional", "superni/embedded")
READINGS = ("strict", "lenient", "shaped")


def columns(name: str, count: int = 60) -> tuple[Suite, dict]:
    suite = open_suite(name)
    rows = list(islice(suite.rows(suite.default_split()), count))
    data = {
        "prompts": [row.instance.input for row in rows],
        "task": [row.task for row in rows],
        "targets": [pack_targets(row.instance.targets) for row in rows],
        "answer": [row.instance.targets.canonical() for row in rows],
    }
    return suite, data


@pytest.mark.parametrize("name", SUITES)
def test_the_right_answer_earns_everything(name):
    suite, data = columns(name)
    for reading in READINGS:
        assert reward(suite, reading)(completions=data["answer"], **data) == [1.0] * len(data["task"])


@pytest.mark.parametrize("name", ["babi/task-1", "taskbench/father(mother)", "seti/task2-trivial"])
def test_a_reward_is_the_score_of_a_run(name, tmp_path):
    suite = open_suite(name)
    suite = suite.only_task(next(suite.rows(suite.default_split())).task).take(50)
    spoilt = {"fail": 0.0, "truncate": 0.0, "stall": 0.0, "empty": 0.2, "rubbish": 0.2}
    run = run_suite(suite, model="mock/flaky", folder=tmp_path, model_options=spoilt)
    rows = {(row.task, row.instance.id): row for row in suite.rows(run.plan.split)}
    columns = {
        "prompts": [record.prompt for record in run.records],
        "completions": [record.raw for record in run.records],
        "task": [record.task for record in run.records],
        "targets": [pack_targets(rows[record.key].instance.targets) for record in run.records],
    }
    strict = reward(suite, "strict")(**columns)
    assert strict == [record.strict.score for record in run.records]
    assert reward(suite, "lenient")(**columns) == [record.lenient.score for record in run.records]
    assert 0 < sum(strict) < len(strict)


HOSTILE = {
    "ten megabytes": "la " * 3_500_000,
    "one word": "x" * 10_000_000,
    "blanks": " " * 1_000_000 + "\n" * 1_000_000,
    "nul": "\x00" * 100_000 + "yes\x00",
    "surrogates": "\ud800\udc00\udfff" * 1_000_000,
    "nested lists": "[" * 200_000,
    "nested objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "closing thoughts": "</think>" * 200_000 + "yes",
    "opening thoughts": "<think>" * 200_000,
    "both": "<think></think>" * 100_000,
    "boxes": r"\boxed{" * 50_000,
    "quotes": '"' * 200_000,
    "markers": "answer: " * 50_000,
    "commas": "a," * 200_000,
    "bars and stars": "**|__`" * 50_000,
    "brackets": "(" * 100_000 + ")" * 100_000,
    "emoji": "\U0001f600" * 300_000,
    "digits": "1" * 200_000 + "e" * 10,
    "empty": "",
}


@pytest.mark.timeout(300)  # looking through the text again for each of its parts would take hours
@pytest.mark.parametrize("name", SUITES[::2])
def test_hostile_completions_come_to_an_end(name):
    suite, data = columns(name, 1)
    # A shaped reward reads both ways, so that the others have to be tried alone only once.
    for reading in READINGS if name == SUITES[0] else ("shaped",):
        score = reward(suite, reading)
        for what, text in HOSTILE.items():
            (value,) = score(completions=[text], **data)
            assert value is not None and 0 <= value <= 1, (what, reading)


FLOODS = {
    "sentences of nothing": ". " * 5_000_000,
    "openers": "so " * 33_000,
    "turns": "no wait " * 12_500,
    "lines": "/1\n" * 33_000 + "- ",
    "headings": "\r\n#\u2603x" * 20_000,
    "pairs of brackets": "(" * 50_000 + ")" * 50_000,
}
"""Texts that once took a reader minutes, because something was looked through again for each of its parts."""


@pytest.mark.timeout(300)  # looking through the text again for each of its parts would take hours
@pytest.mark.parametrize("name", ["babi/task-8", "seti/task2-trivial"])
def test_floods_are_read_in_linear_time(name):
    suite, data = columns(name, 1)
    score = reward(suite, "lenient")
    for what, text in FLOODS.items():
        assert score(completions=[text], **data) == [0.0], what


@pytest.mark.timeout(300)  # looking through the text again for each of its parts would take hours
@pytest.mark.parametrize("reading", ["strict", "lenient"])
def test_hostile_completions_through_the_rows_of_hosts(reading):
    """Inspect, lm-eval and verifiers judge their rows with this function."""
    suite, data = columns("babi/task-1", 1)
    record = {"targets": data["targets"][0], "prompt": data["prompts"][0], "input": ""}
    (task,) = suite.tasks.values()
    for what, text in HOSTILE.items():
        assert 0 <= judge_record(task, record, text, reading).score <= 1, what


def test_a_scorer_that_raises_costs_one_reward_and_says_so(own_registries):
    class Fragile(Scorer, frozen=True):
        name = "fragile"

        def score(self, answer, targets, task):
            if "!" in answer:
                raise RuntimeError("no exclamation marks")
            return Score(1.0)

    register("scorer.fragile", Fragile())
    task = Task("t", Instruction("d"), scorer="fragile")
    given = reward(Suite("own/s", {}, 1, {"t": task}, {"test": 0}, lambda split: iter(()), {}, "pairs"), "strict")
    packed = pack_targets(AnyOf(("x",)))
    with pytest.warns(UserWarning, match="no reward: scorer 'fragile' raised RuntimeError: no exclamation marks"):
        assert given(prompts=["", ""], completions=["x", "x!"], targets=[packed, packed]) == [1.0, None]


def test_messages_are_read_like_texts():
    suite, data = columns("babi/task-1", 5)
    chats = [[{"role": "assistant", "content": text}] for text in data["answer"]]
    prompts = [[{"role": "system", "content": "?"}, {"role": "user", "content": text}] for text in data["prompts"]]
    assert reward(suite)(**{**data, "prompts": prompts}, completions=chats) == [1.0] * 5
    assert completion_text([{"content": [{"type": "text", "text": "a"}, {"text": "b"}]}]) == "ab"
    odd = (None, 3, [], [None], [{"content": 4}], {"content": "x"})
    assert [completion_text(one) for one in odd] == ["", "", "", "", "", "x"]
    assert chat_text([{"role": "user", "content": "hi"}]) == "[user]\nhi"


def test_a_reward_pickles_and_gives_the_same():
    suite, data = columns("seti/task2-trivial", 20)
    said = data["answer"][1:] + data["answer"][:1]
    for one in (suite, suite.take(20)):
        first = reward(one, "shaped")
        again = pickle.loads(pickle.dumps(first))
        assert again(completions=said, **data) == first(completions=said, **data)
        assert again.__name__ == "taskloom_shaped"
    assert len(pickle.dumps(reward(suite))) < 500


def test_shaped_rewards_climb():
    items = Task("t", Instruction("List them."), kind="items", scorer="items")
    right = pack_targets(Items((("apple", "milk", "football"),)))
    said = ["nothing", "apple", "apple, milk", "apple, milk, football"]
    values = Reward({"t": items}, "shaped")(completions=said, targets=[right] * 4)
    assert values == sorted(values)
    assert values[0] == 0 and values[-1] == 1 and 0 < values[1] < values[2] <= 0.8
    text = Task("t", Instruction("Where?"), scorer="exact")
    assert Reward({"t": text}, "shaped")(completions=["**The garden.**"], answer=["garden"]) == [0.9]
    label = Task("t", Instruction("Yes or no?"), kind="label", scorer="label", labels=("yes", "no"))
    assert Reward({"t": label}, "shaped")(completions=["no"], answer=["yes"]) == [0.0]


def test_the_caller_learns_what_is_missing():
    suite, _ = columns("superni/embedded", 3)
    with pytest.raises(UserError, match="needs a column with the right answers"):
        reward(suite)(completions=["x"])
    with pytest.raises(UserError, match="names the task"):
        reward(suite)(completions=["x"], answer=["x"])
    with pytest.raises(UserError, match="unknown task"):
        reward(suite)(completions=["x"], answer=["x"], task=["nope"])
    with pytest.raises(UserError, match="unknown reading"):
        reward(suite, "kind")


@pytest.mark.parametrize(
    "targets",
    [
        AnyOf(("a", "b")),
        CheckedAnswers(("a",), "{}"),
        Boolean(False, ("sí", "no")),
        Items(((), ("x", "y")), True, "; ", "n/a"),
        Product((("a", "b"), ("c",)), "|"),
        Structure(("[]", '{"a":1}')),
    ],
)
def test_targets_survive_columns(targets):
    assert unpack_targets(pack_targets(targets)) == targets


def test_plain_texts_are_answers_and_nonsense_is_refused():
    assert unpack_targets("garden") == AnyOf(("garden",))
    assert unpack_targets('{"type":"bool","value":true}') == Boolean(True)
    assert unpack_targets('{"type":"apple"}') == AnyOf(('{"type":"apple"}',))
    with pytest.raises(UserError, match="does not write"):
        unpack_targets({"kind": "new", "answers": []})
    names = facet_columns(["answer", "depth", "task"])
    assert names == {"answer": "facet_answer", "depth": "depth", "task": "facet_task"}
