"""The rules of a diagnosis at the counts and lengths where each begins to speak."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from taskloom.core import any_of
from taskloom.core.metric import Estimate
from taskloom.studies import prompt_notes as diagnosis
from taskloom.studies.prompt_notes import (
    both_readings,
    command_to_try,
    contains_target,
    cut_answers,
    diagnose,
    echoed_prompts,
    equal_answers,
    hidden_targets,
    learned_too_little,
    other_language,
    other_reading,
    quoted_answer,
    readings_differ,
    readings_part,
    repeats_prompt,
)


def record(raw="", target="cave", score=0.0, **more):
    plain = {"state": "scored", "answer": raw, "prompt": "", "task": "t", "headline": "strict", "lenient": None}
    plain |= {"strict": SimpleNamespace(score=score)}
    targets = any_of(target) if isinstance(target, str) else any_of(list(target))
    return SimpleNamespace(raw=raw, targets=targets, score=score, **{**plain, **more})


def run(records=(), labels=(), protocol=(), adaptation="none", command="", max_tokens=None):
    generation = {} if max_tokens is None else {"max_tokens": max_tokens}
    plan = SimpleNamespace(
        protocol=dict(protocol), adaptation={"name": adaptation}, command=command, generation=generation
    )
    return SimpleNamespace(
        records=list(records), tasks={"t": SimpleNamespace(labels=labels)}, plan=plan, folder="/a b/run"
    )


def test_a_diagnosis_needs_five_answers(monkeypatch):
    monkeypatch.setattr(diagnosis, "RULES", (equal_answers,))
    same = [record("barn", target=f"t{number}") for number in range(5)]
    assert diagnose(run(same))[0].startswith("All 5 answers are 'barn'")
    assert diagnose(run(same[:4])) == []
    assert diagnose(run([*same[:4], record("barn", state="errored")])) == [], "failures are no answers"


def test_three_sentences_at_most_the_most_telling_first(monkeypatch):
    monkeypatch.setattr(diagnosis, "RULES", (lambda run, records: "ab", lambda run, records: "cd"))
    assert diagnose(run([record()] * 5)) == ["a", "b", "c"]


@pytest.mark.parametrize(("count", "step"), [(19, 1), (20, 2), (29, 2), (30, 3)])
def test_of_a_long_run_one_record_in_several_is_read(count, step, monkeypatch):
    monkeypatch.setattr(diagnosis, "LOOKED_AT", 10)
    seen = []
    monkeypatch.setattr(diagnosis, "RULES", (lambda run, records: seen.append(len(records)) or ["said"],))
    words = "said" if step == 1 else f"Of one record in {step}: said"
    assert diagnose(run([record()] * count)) == [words]
    assert seen == [-(-count // step)]


def of_readings(strict, lenient, headline="strict", twice=(True,)):
    import numpy as np

    estimates = {"strict": strict, "lenient": lenient}
    return SimpleNamespace(
        columns=SimpleNamespace(
            column=lambda name: SimpleNamespace(to_numpy=lambda: np.array(twice)),
            codes=lambda name: ([1, 0, 0, 0], ["strict" if headline == "lenient" else "lenient", headline]),
        ),
        group=lambda name, headline: SimpleNamespace(estimate=estimates[headline] if name == headline else None),
        records=[record(headline=headline), *[record(headline="strict" if headline == "lenient" else "lenient")] * 3],
        plan=run().plan,
        folder="/a b/run",
    )


LOW, HIGH = Estimate(0.4, 0.3, 0.5, 9), Estimate(0.6, 0.5, 0.7, 9)


@pytest.mark.parametrize(
    ("strict", "lenient", "headline", "told"),
    [
        (LOW, HIGH, "strict", True), (LOW, HIGH, "lenient", True), (LOW, Estimate(0.5, 0.4, 0.6, 9), "strict", False),
        (LOW, Estimate(0.51, 0.4, 0.6, 9), "strict", True), (Estimate(0.3, 0.1, 0.5, 9), LOW, "strict", False),
        (Estimate(0.3, 0.1, 0.5, 9), LOW, "lenient", False), (Estimate(0.29, 0.1, 0.5, 9), LOW, "lenient", True),
        (Estimate(0.4, None, 0.5, 9), HIGH, "strict", False), (Estimate(0.4, 0.3, None, 9), HIGH, "strict", False),
    ],
)  # fmt: skip
def test_readings_are_told_where_one_leaves_the_interval_of_the_other(strict, lenient, headline, told):
    words = f"strict {strict.value:.3f}, lenient {lenient.value:.3f}; the headline is {headline}"
    assert readings_part(of_readings(strict, lenient, headline)) == (words if told else "")
    assert both_readings(of_readings(strict, lenient)) == {"strict": strict, "lenient": lenient}
    assert readings_part(of_readings(strict, lenient, headline, twice=(False, False))) == ""


@pytest.mark.parametrize(("headline", "other"), [("strict", "lenient"), ("lenient", "strict")])
def test_the_other_reading_is_offered(headline, other):
    one = of_readings(LOW, HIGH, headline)
    for each in one.records:
        each.lenient = SimpleNamespace(score=1.0)
    (said,) = other_reading(one, one.records)
    assert said.startswith(f"The readings differ (strict 0.400, lenient 0.600; the headline is {headline}): 4 of 4 ")
    assert said.endswith(f"Try: taskloom score '/a b/run' --reader {other}")
    assert list(other_reading(of_readings(LOW, LOW), one.records)) == []


@pytest.mark.parametrize(
    ("strict", "lenient", "differs"),
    [(0.0, 0.51, True), (0.0, 0.5, False), (None, 1.0, True), (0.0, None, False), (0.6, 1.0, False), (1.0, 0.0, False)],
)
def test_an_answer_that_is_right_in_other_words(strict, lenient, differs):
    one = record(strict=SimpleNamespace(score=strict), lenient=SimpleNamespace(score=lenient))
    assert readings_differ(one) == differs


@pytest.mark.parametrize(
    ("inside", "wrong", "labels", "told"),
    [
        (5, 5, (), True),
        (4, 4, (), False),
        (5, 29, (), True),
        (5, 30, (), False),
        (6, 30, (), True),
        (9, 9, ("a",), False),
    ],
)
def test_targets_inside_wrong_answers(inside, wrong, labels, told):
    records = [record("in the cave", score=0.4)] * inside + [record("barn", score=0.0)] * (wrong - inside)
    records += [record("in the cave", score=0.5)] * 50 + [record("in the cave", score=None)] * 50
    said = list(hidden_targets(run(labels=labels), records))
    assert bool(said) == told
    if told:
        assert said[0].startswith(f"The target occurs in {inside} of {wrong} wrong answers")
        assert said[0].endswith("Try the same command with --protocol chat and another -o.")


def test_no_wrong_answers_hide_nothing():
    assert list(hidden_targets(run(), [record("cave", score=1.0)] * 9)) == []


@pytest.mark.parametrize(
    ("raw", "target", "inside"),
    [
        ("It is the Cave.", "cave", True), ("It is a cavern.", "cave", False), ("", "cave", False),
        ("the 7 th", "7", False),
        ("east of the wing", "east wing", False), ("the east, wing", "east wing", True),
        ("x" * 1_996 + " cave", "cave", False), ("x" * 1_995 + " cave", "cave", True),
        ("last", [*(f"w{number}x" for number in range(49)), "last"], True),
        ("last", [*(f"w{number}x" for number in range(50)), "last"], False),
    ],
)  # fmt: skip
def test_whether_an_answer_holds_the_target_in_whole_words(raw, target, inside):
    assert contains_target(record(raw, target)) == inside


@pytest.mark.parametrize(
    ("most", "rest", "labels", "targets", "words"),
    [
        (20, 0, (), 2, "All 20 answers are 'barn'. Try the same command with --protocol base and another -o."),
        (20, 0, (), 1, None), (19, 1, ("a",), 2, "One label dominates: 19 of 20 answers are 'barn'."),
        (18, 2, ("a",), 2, None), (19, 1, (), 2, None), (19, 1, ("a",), 1, None),
    ],
)  # fmt: skip
def test_answers_that_are_all_the_same(most, rest, labels, targets, words):
    answers = [" barn "] * most + ["cave"] * rest
    records = [record(answer, target=f"t{place % targets}") for place, answer in enumerate(answers)]
    assert list(equal_answers(run(labels=labels), records)) == ([] if words is None else [words])


def test_no_answer_at_all_is_an_answer_too():
    records = [record(target=f"t{place}", answer=None) for place in range(6)]
    said = list(equal_answers(run(protocol={"name": "base"}), records))
    assert said == ["All 6 answers are ''."], "and no command where it was asked so already"


@pytest.mark.parametrize(("cut", "told"), [(2, False), (3, True)])
@pytest.mark.parametrize(("limit", "next_limit"), [(None, 256), (10, 40)])
def test_answers_that_are_cut_off(cut, told, limit, next_limit):
    records = [record(state="truncated")] * cut + [record()] * (20 - cut)
    said = list(cut_answers(run(max_tokens=limit), records))
    expected = f"{cut} of 20 answers are cut off. Try the same command with --max-tokens {next_limit} and another -o."
    assert said == ([expected] if told else [])


def test_answers_that_repeat_the_prompt():
    story = "the quick brown fox jumps over the lazy dog again"
    echo = record(story, prompt=f"Read this:\n{story}\nAnswer:")
    assert len(list(echoed_prompts(run(), [echo] * 2 + [record()] * 8))) == 0
    (said,) = echoed_prompts(run(), [echo] * 3 + [record()] * 7)
    assert said.startswith("3 of 10 answers repeat the prompt") and said.endswith("--protocol base and another -o.")


@pytest.mark.parametrize(
    ("said", "shown", "repeats"),
    [
        ("x" * 40, "x" * 40, True), ("x" * 39, "x" * 39, False), ("a b " * 20, "a  b\n" * 20, True),
        ("x" * 120 + "y", "x" * 130, True), ("x" * 119 + "y", "x" * 130, False),
        ("x" * 40, "x" * 40 + "z" * 7_960, True), ("x" * 40, "x" * 40 + "z" * 7_961, False),
        ("x" * 40, "y" * 99, False),
    ],
)  # fmt: skip
def test_what_counts_as_an_echo(said, shown, repeats):
    assert repeats_prompt(record(said, prompt=shown)) == repeats


@pytest.mark.parametrize(("other", "told"), [(2, False), (3, True)])
def test_answers_in_another_language(other, told, monkeypatch):
    monkeypatch.setattr(diagnosis, "speaks_otherwise", lambda one: one.raw == "otro")
    said = list(other_language(run(), [record("otro")] * other + [record("same")] * (10 - other)))
    assert said == ([f"{other} of 10 answers are in another language than the prompt."] if told else [])


@pytest.mark.parametrize(
    ("protocol", "adaptation", "words"),
    [
        ("chat", "none", "Try the same command with --protocol base and another -o."),
        ("base", "none", ""), ("fitted", "none", "It needs more training: no other prompt will help it."),
        ("fitted", None, "It needs more training: no other prompt will help it."),
        ("fitted", "finetune", "Try the same command with -A epochs=N and another -o."),
    ],
)  # fmt: skip
def test_what_helps_a_model_that_says_one_thing(protocol, adaptation, words):
    assert learned_too_little(run(protocol={"name": protocol}, adaptation=adaptation)) == words


@pytest.mark.parametrize(
    ("given", "option", "said"),
    [
        ({}, "--protocol", True), ({"protocol": {"name": "base"}}, "--protocol", False),
        ({"command": "taskloom run x --protocol base"}, "--protocol", False),
        ({"command": "taskloom run x --protocol chat"}, "--protocol", True),
        ({"protocol": {"name": "fitted"}}, "--protocol", False), ({"protocol": {"name": "fitted"}}, "-A", True),
        ({"protocol": {"reason": "it reads the row itself"}}, "-A", False),
        ({"protocol": {"reason": "somebody said that it reads the row"}}, "-A", True),
    ],
)  # fmt: skip
def test_a_command_is_offered_where_it_is_another_one(given, option, said):
    words = f"Try the same command with {option} base and another -o."
    assert command_to_try(run(**given), option, "base") == (words if said else "")


@pytest.mark.parametrize(("length", "shown"), [(40, "x" * 40), (41, "x" * 39 + "…")])
def test_long_answers_are_quoted_in_part(length, shown):
    assert quoted_answer("x" * length) == repr(shown)


def test_the_first_wrong_answer_says_whether_there_are_labels():
    records = [record("in the cave", score=0.0, task=name) for name in "tuuuuu"]
    tasks = {"t": SimpleNamespace(labels=()), "u": SimpleNamespace(labels=("a",))}
    one = run()
    one.tasks = tasks
    assert len(list(hidden_targets(one, records))) == 1
    one.tasks = {"t": tasks["u"], "u": tasks["t"]}
    assert list(hidden_targets(one, records)) == []
