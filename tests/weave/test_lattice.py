"""Cells of woven tasks, the named suites, long inputs, and the judge that reads prompts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import msgspec
import pytest
from benchmarks.weave_judge import judge

import taskloom
from taskloom import AnyOf, Row, UserError
from taskloom.cli.probe import describe
from taskloom.core import open_suite
from taskloom.core.catalog import lattice_of
from taskloom.core.instance import input_hash
from taskloom.encode.gpt2 import gpt2
from taskloom.run.session import RunSettings
from taskloom.studies.frontier.claims import Frontier
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings


def parts(text: str) -> set[str]:
    lattice = lattice_of(taskloom.weave(text))
    cell = next(cell for cell in lattice.cells if cell.question == text)
    return {part.question for part in lattice.parts(cell)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("babi/task-1", set()),
        ("upper(babi/task-1)", {"babi/task-1", "upper(given(babi/task-1))"}),
        ("upper(given(babi/task-1))", set()),
        ("upper(reverse(babi/task-1))", {"reverse(babi/task-1)", "upper(reverse(given(babi/task-1)))"}),
        (
            "upper(reverse(given(babi/task-1)))",
            {"reverse(given(babi/task-1))", "upper(given(reverse(babi/task-1)))"},
        ),
        (
            "both(babi/task-1,superni/extract_price)",
            {"babi/task-1", "superni/extract_price", "both(given(babi/task-1),given(superni/extract_price))"},
        ),
        (
            "count(seti/task1-trivial,entailment,of=5)",
            {"seti/task1-trivial", "count(given(seti/task1-trivial),entailment,of=5)"},
        ),
    ],
)
def test_parts_are_tasks_and_operators_on_given_answers(text, expected) -> None:
    if "(" in text:
        assert parts(text) == expected
    else:
        lattice = lattice_of(taskloom.weave("upper(babi/task-1)"))
        assert lattice.parts(next(cell for cell in lattice.cells if cell.question == text)) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "repeat(double(superni/extract_price),times=3)",
            {"double(superni/extract_price)", "repeat(double(given(superni/extract_price)),times=3)"},
        ),
        ("relabel(seti/task1-trivial)", {"seti/task1-trivial"}),
        ("paraphrased(babi/task-1)", {"babi/task-1"}),
    ],
)
def test_every_part_can_be_drawn(text, expected) -> None:
    assert parts(text) == expected
    lattice = lattice_of(taskloom.weave(text))
    assert all(len(list(islice(lattice.stream(cell, 0), 3))) == 3 for cell in lattice.cells)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("upper(babi/task-1)", "capitals of where-person"),
        ("upper(given(babi/task-1))", "capitals"),
        ("upper(reverse(babi/task-2))", "capitals of where-object written backwards"),
        ("both(babi/task-1,superni/extract_price)", "two answers at once (where-person; extract_price)"),
        ("canbe(superni/odd_one_out,adjective)", "whether odd_one_out can be an adjective"),
        ("repeat(double(superni/extract_price),times=3)", "3 times doubling extract_price"),
    ],
)
def test_a_claim_calls_a_cell_by_its_operators_and_tasks(text, title) -> None:
    lattice = lattice_of(taskloom.weave(text if "given" not in text else "upper(babi/task-1)"))
    assert {cell.question: lattice.title(cell) for cell in lattice.cells}[text] == title


def test_the_wording_of_a_claim(tmp_path: Path) -> None:
    def answer(prompt: str) -> str:
        asked = prompt.rpartition("\n\n")[2]
        told = re.search(r"Place: (\w+)", asked)
        place = told[1] if told else _last_place(asked)
        return place.upper() if told else place

    def _last_place(story: str) -> str:
        *lines, question = story.strip().split("\n")
        who = question.removeprefix("Where is ").rstrip("?")
        return next(line.rstrip(".").split()[-1] for line in reversed(lines) if line.startswith(who))

    suite = taskloom.weave("upper(babi/task-1)")
    settings = RunSettings(model=answer, protocol="chat", cache=False, reader="lenient")
    search = SearchSettings(budget=300)
    found = probe_model(suite, tmp_path / "probe", settings, search)
    (said,) = found.sentences()
    assert said.startswith("solves where-person (1.00) and capitals (1.00), fails capitals of where-person (0.00 [")


def test_the_terminal_says_where_items_run_out() -> None:
    reason = "weave/custom: upper(few) has 11 items apart from the splits"
    settings = SearchSettings().describe()
    found = Frontier(suite="weave/custom", model="m", settings=settings, undrawable={"upper(few)": reason, "few": ""})
    said = describe(found)
    assert "2 combinations could not be drawn to the end" in said and reason in said and "other reasons" in said


def test_streams_are_fresh_and_keyed_by_their_seed() -> None:
    suite = taskloom.weave("reverse(superni/longest_word)")
    lattice = lattice_of(suite)
    asked = {input_hash(row.instance.input) for split in suite.splits for row in suite.rows(split)}
    for cell in lattice.cells:
        first, again, other = (list(islice(lattice.stream(cell, seed), 12)) for seed in (3, 3, 4))
        assert first == again != other
        assert asked.isdisjoint(input_hash(row.instance.input) for row in first)
        assert lattice.cell_of(suite.tasks[first[0].task], first[0].instance) == cell


def test_a_pair_shares_its_item() -> None:
    lattice = lattice_of(taskloom.weave("upper(babi/task-1)"))
    cells = {cell.question: cell for cell in lattice.cells}
    whole = cells["upper(babi/task-1)"]
    for seed in range(5):
        pair = lattice.pair(whole, cells["babi/task-1"], seed)
        assert pair.minimal and pair.without.instance.input == pair.whole.instance.input
        assert pair.without.instance.targets.canonical().upper() == pair.whole.instance.targets.canonical()
        assert not lattice.pair(whole, cells["upper(given(babi/task-1))"], seed).minimal


def test_a_given_answer_is_of_the_vocabulary_of_the_whole() -> None:
    lattice = lattice_of(taskloom.weave("upper(babi/task-1)"))
    cells = {cell.question: cell for cell in lattice.cells}
    whole, given = (
        {row.instance.targets.canonical() for row in islice(lattice.stream(cells[text], 0), 60)}
        for text in ("upper(babi/task-1)", "upper(given(babi/task-1))")
    )
    assert whole == given


def test_the_atlas_has_a_core_and_a_whole() -> None:
    core, whole = (open_suite("weave/atlas", options={"whole": size}) for size in (False, True))
    assert 50 <= len(core.tasks) <= 70 and 200 <= len(whole.tasks) <= 260
    assert len(lattice_of(core).cells) == len(core.tasks)
    families = {name.partition("/")[0] for name in whole.tasks if "(" not in name}
    assert families == {"babi", "seti", "superni", "taskbench", "zest"}


def test_systematic_splits_train_on_the_parts() -> None:
    trivial, other = (open_suite(f"weave/systematic-{name}") for name in ("trivial", "nontrivial"))
    trained, tested = ({row.task for row in trivial.rows(split)} for split in ("train", "test"))
    untrained = {row.task for row in other.rows("test")}
    assert tested < trained and untrained.isdisjoint(trained)
    for text in untrained:
        operator, _, task = text.removesuffix(")").partition("(")
        assert {task, f"{operator}(given({task}))"} <= trained


@pytest.mark.parametrize("tokens", [1_000, 16_000])
def test_long_inputs_have_the_length_that_was_asked_for(tokens) -> None:
    plain, hidden = (
        next(open_suite("weave/long", options={"tasks": ["qa1"], "lengths": [size], "test": 1}).rows("test"))
        for size in ("0", f"{tokens // 1000}k")
    )
    assert abs(len(gpt2().encode(hidden.instance.input)) - tokens) <= tokens / 100
    lines = hidden.instance.input.split("\n")
    own = plain.instance.input.split("\n")
    assert [line for line in lines if line in own] == own
    assert lines[-1] == own[-1]


@pytest.mark.parametrize("kind", ["byte-level", "word pieces"])
def test_lengths_are_counted_by_a_tokenizer_of_ones_own(kind, tmp_path: Path) -> None:
    """A line break is a token for one of them, and nothing for the other."""
    tokenizers = pytest.importorskip("tokenizers")
    lines = [row.instance.input for row in islice(open_suite("zest/fictional").rows("train"), 60)]
    own = tokenizers.ByteLevelBPETokenizer() if kind == "byte-level" else tokenizers.BertWordPieceTokenizer()
    own.train_from_iterator(lines, vocab_size=1_500, show_progress=False)
    own.save(str(tmp_path / "tokenizer.json"))
    options = {"tasks": ["qa1"], "lengths": ["4k"], "test": 3, "tokenizer": str(tmp_path)}
    for row in open_suite("weave/long", options=options).rows("test"):
        assert abs(len(own.encode(row.instance.input, add_special_tokens=False).ids) - 4_000) <= 40


def test_books_are_the_background_and_depth_is_kept(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text(
        " ".join(f"Chapter {number} tells of a very old windmill and of its patient keeper." for number in range(400))
    )
    options = {"tasks": ["qa1"], "lengths": ["2k"], "test": 3, "background": str(tmp_path), "depth": "0.4-0.6"}
    suite = open_suite("weave/long", options=options)
    for row in suite.rows("test"):
        lines = row.instance.input.split("\n")
        own = [place for place, line in enumerate(lines[:-1]) if "windmill" not in line]
        assert own and all(0.35 < place / len(lines) < 0.65 for place in own)
    with pytest.raises(UserError, match="no books"):
        next(open_suite("weave/long", options={**options, "background": str(tmp_path / "none")}).rows("test"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("within(babi/task-1,tokens=many)", "a length is a number of tokens"),
        ("within(babi/task-1,depth=2)", "a depth is a share"),
        ("noise(babi/task-1,rate=5)", "a rate is a share"),
        ("relabel(superni/name_the_kind)", "says when each of its labels is right"),
        ("relabel(taskbench/is-noun)", "says when each of its labels is right"),
    ],
)
def test_transforms_refuse_what_they_cannot_do(text, said) -> None:
    with pytest.raises(UserError, match=said):
        taskloom.weave(text)


def test_the_judge_agrees_and_would_notice() -> None:
    texts = (
        "upper(reverse(babi/task-2))", "json(which(babi/task-6,no))", "same(babi/task-1,babi/task-2)",
        "if(babi/task-6,then=superni/extract_price,else=superni/longest_word)", "sort(superni/extract_price)",
        "noise(babi/task-1)", "repeat(double(superni/extract_price),times=3)", "parity(superni/count_vowels)",
    )  # fmt: skip
    suite = taskloom.weave(*texts, options={"train": 0, "dev": 0, "test": 12})
    judged, wrong = judge(suite, 12)
    assert judged.total() == 12 * len(texts) and wrong == []

    def spoilt(row: Row) -> Row:
        return Row(row.task, msgspec.structs.replace(row.instance, targets=AnyOf(("spoilt",))))

    rows = {"test": [spoilt(row) for row in suite.rows("test", task=texts[0])]}
    broken = replace(suite, tasks={texts[0]: suite.tasks[texts[0]]}, draw=lambda split: iter(rows[split]))
    assert len(judge(broken, 12)[1]) == 12
