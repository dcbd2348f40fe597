"""Every reward, packed target and curriculum (see `tests/approved.py`)."""

from __future__ import annotations

import pickle
from itertools import islice
from pathlib import Path

import pytest

from approved import approved, plain
from taskloom import open_suite
from taskloom.core import AnyOf, Boolean, Instruction, Items, Product, Structure, Task, UserError
from taskloom.core.cells import Cell
from taskloom.core.targets import CheckedAnswers
from taskloom.rl import Curriculum, Reward, endless, mixed
from taskloom.rl.columns import RESERVED, facet_columns, pack_targets, unpack_targets
from taskloom.rl.curriculum import expected, frontier_weights

TARGETS = {
    "any": AnyOf(("hot tea", "tea")),
    "items": Items((("red", "green", "blue"), ("none",)), ordered=False),
    "ordered": Items((("1", "2", "3"),), ordered=True, separator=" | ", empty="nothing"),
    "product": Product((("a", "b"), ("c",)), " "),
    "structure": Structure(('{"a": 1, "b": [2, 3]}',)),
    "boolean": Boolean(True, ("yes", "no")),
    "checked": CheckedAnswers(("5",), "{}"),
}
KINDS = {"items": "items", "ordered": "items", "product": "sequence", "structure": "json", "boolean": "boolean"}
SAID = [
    "hot tea",
    "tea",
    "The answer is tea.",
    "not tea",
    "tea or coffee",
    "Tea.",
    "red, green, blue",
    "red, green",
    "red, pink",
    "blue, green, red, pink",
    "1 | 2 | 3",
    "1 | 3",
    "3 | 2 | 1",
    "a c",
    "b c",
    "a d",
    '{"a": 1, "b": [2, 3]}',
    '{"a": 1}',
    '{"a": 2, "b": [2, 3, 4]}',
    "yes",
    "no",
    "Yes, it is.",
    "",
    "none",
    "5",
    "I think it is 5.",
]


def test_every_reward():
    said = []
    for name, targets in TARGETS.items():
        kind = KINDS.get(name, "text")
        task = Task(name, Instruction("Say it."), kind=kind, **({"scorer": "items"} if kind == "items" else {}))
        packed = pack_targets(targets)
        assert unpack_targets(packed) == targets == unpack_targets(targets)
        said += [f"== {name}", plain(packed)]
        for reading in ("strict", "lenient", "shaped"):
            found = Reward({name: task}, reading)
            again = pickle.loads(pickle.dumps(found))
            values = found(completions=SAID, targets=[packed] * len(SAID))
            assert again(completions=SAID, targets=[packed] * len(SAID), task=[name] * len(SAID)) == values
            said += [f"{reading} {found!r}", plain(values)]
            chat = [[{"role": "assistant", "content": text}] for text in SAID]
            assert found(prompts=["?"] * len(SAID), completions=chat, targets=[packed] * len(SAID)) == values
    words = found.__class__({"any": Task("any", Instruction("Say it."))})
    said.append(plain(words(completions=SAID[:6], answer=["tea"] * 6)))
    for wrong in ({"completions": ["a"]}, {"completions": ["a"], "targets": [3]},
                  {"completions": ["a"], "targets": [{"kind": "odd", "answers": []}]},
                  {"completions": ["a"], "answer": ["a"], "task": ["no"]}):  # fmt: skip
        try:
            said.append(f"{wrong}: {plain(words(**wrong))}")
        except UserError as error:
            said.append(f"{wrong}: {error.message} ({error.hint})")
    said.append(plain([unpack_targets(text) for text in ("plain", '{"type":"any","answers":["x"]}', '{"type":"no"}')]))
    approved(Path(__file__).with_name("rewards.txt"), "\n".join(said) + "\n")


def test_a_facet_never_takes_the_name_of_another_column():
    assert facet_columns(["size", "input", "facet_input", "hash"]) == {
        "size": "size", "input": "facet_facet_input", "facet_input": "facet_input", "hash": "facet_hash",
    }  # fmt: skip
    assert set(facet_columns(RESERVED)) == RESERVED and not RESERVED & set(facet_columns(RESERVED).values())


def test_every_expectation():
    cells = [Cell("q", atoms) for atoms in (("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("a", "b", "c"))]

    def parts(cell):
        return [one for one in cells if len(one.atoms) == len(cell.atoms) - 1 and set(one.atoms) < set(cell.atoms)]

    said = []
    for counts in ({}, {cells[0]: (9.0, 10.0), cells[1]: (2.0, 10.0)}, {cells[3]: (0.0, 40.0), cells[0]: (40.0, 40.0)}):
        rates = expected(cells, parts, counts, 0.6)
        said.append(plain({str(cell): rate for cell, rate in rates.items()}))
        said.append(plain({str(cell): one for cell, one in frontier_weights(rates, 0.6, 0.15).items()}))
    assert set(frontier_weights(dict.fromkeys(cells, 1e9)).values()) == {1 / len(cells)}
    for settings in ({}, {"target": 0.8, "width": 0.05, "explore": 0.5, "memory": 2}):
        practice = Curriculum(open_suite("babi/mix-t2", seed=1), seed=3, **settings)
        teach = practice.reward("strict")
        for turn in range(3):
            rows = practice.draw(8)
            answers = [row.instance.targets.canonical() if place % 3 else "x" for place, row in enumerate(rows)]
            columns = {"task": [row.task for row in rows], "targets": [row.instance.targets for row in rows]}
            values = teach(completions=answers, cell=[row.instance.facets["cell"] for row in rows], **columns)
            said.append(plain([turn, [row.instance.facets["cell"] for row in rows], values]))
        practice.learn(rows[0].instance.facets["cell"], None)
        state = practice.state()
        said += [plain(state), plain(practice.mixture())]
        following = [row.instance.input for row in practice.draw(5)]
        again = Curriculum(open_suite("babi/mix-t2", seed=1), seed=3, **settings)
        again.restore(state)
        assert [row.instance.input for row in islice(again.rows(5), 5)] == following
    approved(Path(__file__).with_name("curricula.txt"), "\n".join(said) + "\n")


def test_every_stream():
    suite = open_suite("babi/task-1", seed=2, options={"train": 4, "dev": 2, "test": 2})
    said = [plain([row.instance.id, row.instance.input[-30:]]) for row in islice(endless(suite, "train", seed=5), 14)]
    values = sorted({row.instance.facets["support_size"] for row in islice(endless(suite), 30)}, key=str)
    facets = sorted(suite.facets)
    said.append(plain([facets, values]))
    rows = islice(mixed(open_suite("babi/mix-t2", seed=2), "support_size", {1: 3, 2: 1}, "dev", seed=4), 16)
    said += [plain([row.instance.id, row.instance.facets["support_size"]]) for row in rows]
    approved(Path(__file__).with_name("streams.txt"), "\n".join(said) + "\n")
    with pytest.raises(UserError, match="is fixed"):
        list(islice(endless(suite.take(3), "train"), 9))
