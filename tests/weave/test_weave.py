"""Expressions over tasks: values, types, errors with a place, disjoint splits, forms, and records of one's own."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import msgspec
import pytest

import taskloom
from taskloom import AnyOf, Items, Product, UserError
from taskloom.cli.main import main
from taskloom.core import open_suite
from taskloom.core.catalog import FAMILIES, SCORERS
from taskloom.core.definition import SENTENCES
from taskloom.core.kind import KINDS
from taskloom.weave.draw import Loom
from taskloom.weave.family import template_lists
from taskloom.weave.records import Value, value_of
from taskloom.weave.suite import wording_patterns

LANES = ("train", "dev", "test")


def rows(text: str, split: str = "test", count: int = 10) -> list[taskloom.Row]:
    return list(islice(taskloom.weave(text).rows(split), count))


# -- values ------------------------------------------------------------------------------------------------


def test_spellings_of_one_answer_and_two_answers() -> None:
    one = value_of(AnyOf(("one", "1")), several=False)
    two = value_of(AnyOf(("hot", "warm")), several=True)
    assert one.answers == (("one", "1"),)
    assert two.answers == (("hot",), ("warm",))
    assert one.image(str.upper, "form") == Value((("ONE", "1"),))
    assert one.image(lambda text: text[0], "string") is None, "'o' or '1': ambiguous"
    assert two.image(lambda text: text[0], "string") == Value((("h",), ("w",)))
    assert one.matches("1") is True and two.matches("hot") is None and two.matches("cold") is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("upper(babi/task-1)", lambda row: row.instance.targets.canonical().isupper()),
        ("double(superni/count_vowels)", lambda row: int(row.instance.targets.canonical()) % 2 == 0),
        ("which(seti/task1-trivial,entailment,of=3)", lambda row: isinstance(row.instance.targets, Items)),
        ("both(babi/task-1,superni/extract_price)", lambda row: isinstance(row.instance.targets, Product)),
        ("json(babi/task-1)", lambda row: row.instance.targets.canonical().startswith('{"place": ')),
    ],
)
def test_answers_have_the_shape_of_their_operator(text, said) -> None:
    assert all(map(said, rows(text)))


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("spanish(babi/task-1)", {"kitchen": "cocina", "garden": "jardín", "office": "oficina"}),
        ("plural(babi/task-2)", {"hallway": "hallways", "office": "offices"}),
        ("kind(superni/odd_one_out)", {"hammer": "tool", "whale": "animal"}),
        ("canbe(superni/odd_one_out,verb)", {"train": "true", "piano": "false"}),
    ],
)
def test_lexical_operators_know_one_meaning_of_each_word(text, known) -> None:
    suite = taskloom.weave(text, options={"train": 0, "dev": 0, "test": 400})
    steps = {tuple(row.instance.details["steps"]) for row in suite.rows("test")}
    assert dict(steps).items() >= known.items()
    assert suite.tasks[text].facets["not_asked"] == 0


def test_another_wording_leaves_items_and_answers_alone() -> None:
    texts = ("paraphrased(seti/task1-trivial)", "translated(seti/task1-trivial)", "seti/task1-trivial")
    suite = taskloom.weave(*texts, options={"train": 0, "dev": 0, "test": 20})
    drawn = [[(row.instance.input, row.instance.targets) for row in suite.rows("test", task=text)] for text in texts]
    assert drawn[0] == drawn[1] == drawn[2]
    definitions = dict(suite.definitions())
    assert len(set(definitions.values())) == 3
    spanish = suite.tasks[texts[1]]
    assert spanish.facets["instruction_language"] == "Spanish"
    assert [one.explanation.split(":")[0] for one in spanish.instruction.positive] == ["Paso a paso"] * 2


def test_every_known_wording_is_of_a_definition() -> None:
    """A family that says things otherwise must not leave a wording behind that nothing uses."""
    loom = Loom()
    names = {f"babi/task-{number}" for number in range(1, 21)}.union(*template_lists().atoms.values())
    outlines = [loom.atom(name).outline for name in [*names, "taskbench/is-adjective", "zest/bridges.arches.13"]]
    said = [text for outline in outlines for whole in (outline.whole, outline.used) for text in SENTENCES.split(whole)]
    unused = [pattern.pattern for pattern, *_ in wording_patterns() if not any(map(pattern.fullmatch, said))]
    assert unused == []


def test_operators_are_functions_of_tasks() -> None:
    @taskloom.task(definition="Write the word backwards.", right=[("ab", "ba", "b comes first.")])
    def backwards(rng):
        word = "".join(rng.choices("abcdefgh", k=6))
        return word, word[::-1]

    weave = taskloom.weave
    branch = weave.if_("babi/task-6", then=backwards, else_=weave.upper("babi/task-1"))
    suite = weave(weave.upper(backwards), branch, weave.plus("superni/extract_price", number=7))
    assert list(suite.tasks) == [
        "upper(backwards)", "if(babi/task-6,then=backwards,else=upper(babi/task-1))",
        "plus(superni/extract_price,number=7)",
    ]  # fmt: skip
    assert all(row.instance.targets.canonical().isupper() for row in suite.rows("test", task="upper(backwards)"))
    with pytest.raises(AttributeError, match="did you mean 'upper'"):
        weave.uper  # noqa: B018
    other = taskloom.task(definition="Say it.", name="backwards", right=[("a", "a", "a.")])(lambda rng: ("a", "a"))
    with pytest.raises(UserError, match="two tasks are called 'backwards'"):
        weave.both(backwards, other)


def test_an_ambiguous_item_is_not_asked_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    sort, plain = (
        taskloom.weave(text).tasks[text] for text in ("sort(superni/count_vowels)", "double(superni/count_vowels)")
    )
    assert sort.facets["not_asked"] > 0.2, "cases with equally many vowels have no order"
    assert plain.facets["not_asked"] == 0
    assert main(["check", "weave/sort(superni/count_vowels)"]) == 0
    assert capsys.readouterr().out.count("of its items are not asked") == 1


@pytest.mark.parametrize("text", ["double(babi/task-7)", "count(seti/task1-trivial,entailment,of=3)"])
def test_fewer_than_five_answers_are_refused(text) -> None:
    with pytest.raises(UserError, match="different answers"):
        rows(text)


# -- expressions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("uper(babi/task-1)", 1, "did you mean 'upper'"),
        ("upper(babi/task-1", 18, "expected ',' or ')'"),
        ("upper(superni/count_vowels)", 7, "takes a task that gives a word or a text"),
        ("upper(babi/tusk-1)", 7, "did you mean 'babi/task-1'"),
        ("upper(superni/count_vowel)", 7, "did you mean 'count_vowels'"),
        ("count(seti/task1-trivial,entailmnt)", 26, "did you mean 'entailment'"),
        ("count(seti/task1-trivial)", 1, "needs a value for 'answer'"),
        ("count(seti/task1-trivial,entailment,fo=3)", 37, "did you mean 'of'"),
        ("count(seti/task1-trivial,entailment,of=many)", 40, "is a whole number"),
        ("map(babi/task-1,of=99)", 20, "from 2 to 12"),
        ("both(babi/task-1)", 1, "needs a task for 'second'"),
        ("map(map(babi/task-1),of=2)", 5, "gives several answers"),
        ("same(count(babi/task-6,yes),same(babi/task-1,babi/task-2))", 29, "divides its input into parts"),
        ("repeat(babi/task-7,times=2)", 8, "takes an operator on an answer"),
    ],
)
def test_errors_have_a_place_and_the_nearest_name(text, place, said) -> None:
    with pytest.raises(UserError) as caught:
        taskloom.weave(text)
    assert f"(at character {place})" in caught.value.message, caught.value.message
    assert said in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("upper(superni/quitar_vocales)", "in Spanish"),
        ("map(zest/museums.record.ticket-languages)", "gives a JSON value"),
        ("map(babi/task-8)", "gives a list"),
        ("same(seti/task1-trivial,babi/task-6)", "of different kinds"),
        ("same(babi/task-1,superni/extract_price)", "of different kinds"),
        ("upper(translated(babi/task-1))", "in Spanish, and operators speak English"),
        ("translated(zest/bridges.material)", "no other words are known for"),
        ("canbe(babi/task-1,nown)", "did you mean 'noun'"),
    ],
)
def test_what_cannot_be_put_into_one_instruction_is_refused(text, said) -> None:
    with pytest.raises(UserError, match=said):
        taskloom.weave(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("json(superni/to_24_hours)", "Write them on a 24-hour clock as HH:MM"),
        ("double(superni/words_to_number)", "in English words. Find out which number it is. Then double the number."),
        ("parity(within(superni/fill_sequence_gap))", "Find the missing number. It lies exactly in the middle"),
        ("within(both(babi/task-1,babi/task-2))", "\nThe lines of the input stand"),
        (
            "which(superni/split_camel_case,a b)",
            "Do not write this down. Answer with the numbers of the cases whose phrase is 'a b',",
        ),
        ("noise(noise(babi/task-1))", "the place only. The marks ~ ^ # * in the input mean nothing."),
        ("upper(zest/bridges.length)", "Keep the answer to as few words as will do"),
        ("howmany(zest/festivals.food)", "Then count the answers."),
        ("spanish(babi/task-1)", "Find the place, then translate it into Spanish."),
        ("canbe(superni/odd_one_out,adjective)", "decide whether the word can be an adjective in any of its meanings."),
        ("rename(superni/facing_direction)", "The answer is the direction at the end: north"),
        ("rename(superni/earlier_date)", "Find out which of them is earlier: first or second."),
        ("upper(seti/task1-trivial)", "Then write the answer in capital letters. Write nothing else."),
        ("given(both(babi/task-1,babi/task-2))", "a note with answers."),
        ("repeat(rest(babi/task-1))", "leave out its first letter, twice in a row."),
    ],
)
def test_an_instruction_says_all_that_the_answer_needs(text, said) -> None:
    assert said in dict(taskloom.weave(text).definitions())[text]


def test_a_part_that_is_used_is_not_written() -> None:
    text = "upper(if(babi/task-6,then=babi/task-1,else=superni/longest_word))"
    definition = dict(taskloom.weave(text).definitions())[text]
    assert definition.endswith("\nThen write the answer in capital letters. Write nothing else.")
    assert "name of the place only" not in definition and "\n " not in definition


def test_the_written_form_reads_back() -> None:
    text = "unless( babi/task-6 , then = upper(babi/task-1), else=reverse(superni/longest_word), answer=no)"
    (name,) = taskloom.weave(text).tasks
    assert name == "unless(babi/task-6,then=upper(babi/task-1),else=reverse(superni/longest_word),answer=no)"
    assert list(taskloom.weave(name).tasks) == [name]


# -- suites ------------------------------------------------------------------------------------------------


def test_a_task_that_is_not_in_the_suite_of_every_seed() -> None:
    seed = 81
    assert "bridges.material" not in open_suite("zest/fictional", seed=seed).tasks
    suite = taskloom.weave("upper(zest/bridges.material)", seed=seed, options={"train": 0, "dev": 0, "test": 5})
    assert len(list(suite.rows("test"))) == 5


def test_splits_share_no_input_of_any_part() -> None:
    suite = taskloom.weave("both(babi/task-1,superni/longest_word)", "reverse(taskbench/antonyms)")
    parts = {split: {part for row in suite.rows(split) for part in row.instance.input.split("\n\n")} for split in LANES}
    parts = {split: {text.partition(":")[2].strip() or text for text in found} for split, found in parts.items()}
    assert all(parts[one].isdisjoint(parts[other]) for one in LANES for other in LANES if one < other)


def test_an_item_depends_on_nothing_before_it() -> None:
    sizes = {"test": 1_500, "train": 0, "dev": 0}
    suite, again = (taskloom.weave("reverse(superni/longest_word)", options=sizes) for _ in range(2))
    drawn = list(suite.rows("test"))
    assert len({row.instance.input for row in drawn}) == 1_500
    assert again["test"][1_203] == drawn[1_203]
    assert taskloom.weave("reverse(superni/longest_word)", seed=1).identity != suite.identity


def test_two_jobs_write_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = []
    for jobs in ("1", "2"):
        folder = tmp_path / jobs
        sizes = ["-T", "test=1200", "-T", "train=5", "-T", "dev=0"]
        assert main(["generate", "weave/double(superni/extract_price)", "-o", str(folder), "--jobs", jobs, *sizes]) == 0
        content.append(capsys.readouterr().out.rpartition("content ")[2])
    assert content[0] == content[1]


def test_one_task_asks_for_one_thing() -> None:
    """A worked example never stands in a split, and its output scores 1."""
    suite = taskloom.weave("if(seti/task1-trivial,then=babi/task-1,else=superni/longest_word)")
    (task,) = suite.tasks.values()
    shown = {example.input for example in task.instruction.positive}
    assert len(shown) == 2
    assert shown.isdisjoint(row.instance.input for split in LANES for row in suite.rows(split))


# -- forms and slots ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wrong_form", "wrong_content"),
    [
        ("upper(babi/task-1)", str.lower, lambda _: "NOWHERE"),
        ("quote(babi/task-1)", lambda said: said.strip('"'), lambda _: '"nowhere"'),
        ("json(babi/task-1)", lambda said: said.split('"')[3], lambda _: '{"place": "nowhere"}'),
    ],
)
def test_content_and_form_are_graded_apart(text, wrong_form, wrong_content) -> None:
    (task,) = taskloom.weave(text).tasks.values()
    targets = rows(text)[0].instance.targets
    scorer, right = SCORERS.get(task.scorer), targets.canonical()
    assert scorer.score(right, targets, task).value == 1
    for answer, details in (
        (wrong_form(right), {"content": 1.0, "form": 0.0}),
        (wrong_content(right), {"content": 0.0, "form": 1.0}),
    ):
        score = scorer.score(answer, targets, task)
        assert (score.value, score.details) == (0.0, details)


def test_slots_are_scored_one_by_one() -> None:
    (task,) = taskloom.weave("both(babi/task-1,superni/extract_price)").tasks.values()
    targets = Product((("kitchen",), ("233",)), separator="; ")
    scorer = SCORERS.get(task.scorer)
    assert scorer.score("kitchen; 233", targets, task).value == 1
    assert scorer.score("Part A: kitchen\nPart B: 233", targets, task).value == 1
    half = scorer.score("kitchen; 234", targets, task)
    assert (half.value, half.details) == (0.0, {"slots": [1.0, 0.0], "share": 0.5})
    assert scorer.score("kitchen; 233; 5", targets, task).value == 0


@pytest.mark.parametrize("name", ["capitals", "quoted", "json-object", "slots"])
def test_kinds_read_their_own_samples(name) -> None:
    kind = KINDS.get(name)
    task = taskloom.Task("t", taskloom.Instruction("Do it."), kind=name)
    assert {text: kind.parse(text, task) for text in kind.samples} == kind.samples


# -- everything of one's own -------------------------------------------------------------------------------

OWN = """
from taskloom import register
from taskloom.weave.records import AnswerOperator

register("operator.weave.shout", AnswerOperator(
    name="weave.shout", about="the answer, shouted", takes=("word",), nature="form",
    act=lambda text: text + "!", example=("hall", "hall!"),
    outline=lambda inner: inner.after("put an exclamation mark after {it}", form="Answer with both."),
))
"""


def test_an_operator_from_a_file(tmp_path: Path, own_registries: None, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "shout.py"
    file.write_text(OWN)
    assert main(["show", "weave/shout(babi/task-1)", "--with", str(file), "--n", "1"]) == 0
    said = capsys.readouterr().out
    assert "Find the place, then put an exclamation mark after it." in said
    assert said.count("!") >= 1


def test_a_record_is_proved_by_its_example() -> None:
    from taskloom.weave.records import AnswerOperator

    with pytest.raises(UserError, match="for its example"):
        AnswerOperator(
            name="weave.wrong",
            about="wrong",
            nature="form",
            act=str.lower,
            example=("Hall", "HALL"),
            outline=lambda inner: inner,
        )


def test_a_task_of_ones_own() -> None:
    @taskloom.task(definition="Write the word backwards.", right=[("ab", "ba", "b comes first.")])
    def backwards(rng):
        word = "".join(rng.choices("abcdefgh", k=6))
        return word, word[::-1]

    suite = taskloom.weave("upper(mine)", mine=backwards)
    for row in islice(suite.rows("test"), 5):
        assert row.instance.targets.canonical() == row.instance.input[::-1].upper()
    assert len(suite.identity) == 32


def test_the_oracle_is_right_in_both_readings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [
        "upper(babi/task-1)", "json(superni/extract_price)", "quote(babi/task-2)", "map(superni/longest_word,3)",
        "which(seti/task1-trivial,entailment)", "sort(superni/extract_price)", "first(babi/task-6,no)",
        "same(babi/task-1,babi/task-2)", "upper(given(babi/task-1))",
    ]  # fmt: skip
    suite = taskloom.weave(*texts, options={"test": 4})
    from taskloom.ask import judge_answer

    for row in suite.rows("test"):
        task = suite.tasks[row.task]
        said = row.instance.targets.canonical()
        for reader in ("whole", "lenient"):
            for text in (said, f"Answer: {said}") if reader == "lenient" else (said,):
                found = judge_answer(task, row.instance, text, reader=reader)
                assert found.score == 1, (row.task, reader, text, found)


def test_a_long_expression_is_no_path() -> None:
    text = "weave/" + "both(" + "upper(babi/task-1)," * 20
    with pytest.raises(UserError, match="at character"):
        open_suite(text)


@pytest.mark.parametrize("family", ["babi", "seti", "superni", "taskbench", "zest"])
def test_the_fields_of_a_definition_are_the_definition(family) -> None:
    names = {
        "babi": [f"babi/task-{number}" for number in range(1, 21)],
        "seti": ["seti/task1-trivial", "seti/negation"],
        "superni": ["superni/embedded"],
        "taskbench": ["taskbench/antonyms[eng]", "taskbench/is{POS=noun}[eng]"],
        "zest": ["zest/fictional"],
    }[family]
    for suite in map(open_suite, names):
        for name, definition in islice(suite.definitions(), 120):
            task = suite.tasks[name]
            fields = task.instruction.fields
            assert str(fields) == definition, name
            if task.facets.get("instruction_language", "English") == "English":
                assert fields.noun, name
                # Told to be written in the form alone, so that the answer can be used without writing it.
                assert task.kind in ("text", "number") or not re.search(r"(^|[.] )Answer", fields.text("task")), name


def test_a_definition_of_ones_own_in_fields() -> None:
    said = {"task": "You are given a word.", "form": "Write its letters backwards.", "used": "Turn it round.",
            "noun": "mirrored word"}  # fmt: skip

    @taskloom.task(definition=said, right=[("ab", "ba", "b comes first.")])
    def backwards(rng):
        word = "".join(rng.choices("abcdefgh", k=6))
        return word, word[::-1]

    suite = taskloom.weave("upper(mine)", "mine", mine=backwards)
    told = dict(suite.definitions())
    assert told["mine"] == "You are given a word. Write its letters backwards."
    assert told["upper(mine)"].startswith(
        "You are given a word. Turn it round. Then write the mirrored word in capital"
    )
    with pytest.raises(UserError, match="did you mean 'notes'"):
        taskloom.task(definition={"task": "Do it.", "note": "Mind."}, name="own")(lambda rng: "a")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Write nothing else.", "Write {noun} only.", "a gap that was not filled"),
        ("five cases", "four cases", "not as many cases"),
        ("Find the place", "find the place", "begins with a small letter"),
        ("a short", "a a. short", "a sentence that begins"),
        ("entailment", "so", "no word of the label"),
        ("a note", "an note", "the wrong article"),
    ],
)
def test_check_notices_a_spoilt_instruction(old, new, said) -> None:
    texts = ("upper(babi/task-1)", "which(seti/task1-trivial,entailment,of=5)", "noise(seti/task1-trivial)")
    suite = taskloom.weave(*texts, "given(babi/task-1)", options={"train": 0, "dev": 0, "test": 2})
    rows = list(suite.rows("test"))
    family = FAMILIES.get("weave")
    assert list(family.audit(suite, "test", rows)) == []

    def spoilt(task: taskloom.Task) -> taskloom.Task:
        definition = task.instruction.definition.replace(old, new)
        return msgspec.structs.replace(
            task, instruction=msgspec.structs.replace(task.instruction, definition=definition)
        )

    broken = replace(suite, tasks={name: spoilt(suite.tasks[name]) for name in suite.tasks})
    found = list(family.audit(broken, "test", rows))
    assert found and all(said in finding.message for finding in found)


def test_check_of_an_expression(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "weave/both(babi/task-1,superni/extract_price)"]) == 0
    assert "rows drawn and proved" in capsys.readouterr().out
