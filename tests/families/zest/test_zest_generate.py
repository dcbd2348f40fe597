"""What generated tasks promise: sizes, shares, splits, determinism, evidence, good prose."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import islice

import pytest
from msgspec.structs import replace

from taskloom.core import Instance, Suite, UserError, open_suite
from taskloom.core.catalog import FAMILIES, SCORERS
from taskloom.core.instance import content_hash
from taskloom.families.zest.domain import DOMAINS, load_domain
from taskloom.families.zest.generate import Generator
from taskloom.families.zest.naming import alike, name_at, name_count
from taskloom.families.zest.score.file import first_word_format

SMALL = {"train": 60, "dev": 20, "test": 60, "passages": 8, "surplus": 0}


@cache
def drawn(name: str = "zest/fictional", seed: int = 3) -> tuple[Suite, dict[str, list[tuple[str, Instance]]]]:
    suite = open_suite(name, seed=seed, options=SMALL)
    return suite, {split: list(suite.draw(split)) for split in suite.splits}


def test_default_sizes_are_the_published_ones() -> None:
    suite = open_suite("zest/fictional", seed=0)
    assert len(suite.tasks) == 1_251
    assert dict(suite.splits) == {"train": 10_766, "dev": 2_280, "test": 11_980}


@pytest.mark.parametrize("show", ["both", "passage", "question"])
def test_definitions_are_those_of_the_instructions_and_need_no_passages(show, monkeypatch) -> None:
    options = {**SMALL, "show": show}
    said = {
        n: task.instruction.definition
        for n, task in open_suite("zest/fictional", seed=3, options=options).tasks.items()
    }
    monkeypatch.setattr(Generator, "task", lambda *_: pytest.fail("a task was made"))
    assert dict(open_suite("zest/fictional", seed=3, options=options).definitions()) == said


@pytest.mark.slow
def test_shares_follow_the_recipe() -> None:
    suite = open_suite("zest/fictional", seed=0)
    every = list(suite.rows("train"))
    assert len(every) == 10_766
    kinds = Counter(instance.facets["answer"] for _, instance in every)
    assert kinds["na"] / len(every) == pytest.approx(0.62, abs=0.02)
    assert kinds["yes"] / (kinds["yes"] + kinds["no"]) == pytest.approx(0.5, abs=0.04)
    formats = Counter(suite.tasks[task].facets["format"] for task in suite.tasks)
    assert formats["classification"] / len(suite.tasks) == pytest.approx(0.45, abs=0.03)
    words = [instance.facets["words"] for _, instance in every]
    assert sum(words) / len(words) == pytest.approx(124, abs=6)
    asked = [task.instruction.definition.split(": ", 1)[1] for task in suite.tasks.values()]
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize(("na", "classification"), [(0.3, 0.2), (0.8, 0.6)])
def test_other_shares_can_be_asked_for(na: float, classification: float) -> None:
    options = {**SMALL, "na": na, "classification": classification, "train": 100}
    suite = open_suite("zest/fictional", seed=1, options=options)
    kinds = Counter(instance.facets["answer"] for _, instance in suite.rows("train"))
    # Every task draws its own share, so the mean of a hundred has a standard error of about 0.025.
    assert kinds["na"] / kinds.total() == pytest.approx(na, abs=0.06)
    formats = Counter(suite.tasks[task].facets["format"] for task in {row.task for row in suite.rows("train")})
    assert formats["classification"] / formats.total() == pytest.approx(classification, abs=0.08)


def test_derived_tasks_follow_their_base_and_no_attribute_is_in_two_splits() -> None:
    suite, rows = drawn()
    attributes: dict[str, set[tuple[str, str]]] = {}
    for split, members in rows.items():
        names = {task for task, _ in members}
        for name in names:
            facets = suite.tasks[name].facets
            assert set(facets["derives_from"]) <= names
            assert facets["consistent_with"] is None or facets["consistent_with"] in names
            assert bool(facets["derives_from"]) == (facets["generalisation"] != "base")
            attributes.setdefault(split, set()).update((facets["domain"], a) for a in facets["attributes"])
    for one, other in (("train", "dev"), ("train", "test"), ("dev", "test")):
        assert not attributes[one] & attributes[other]
        passages = [{instance.parts["passage"] for _, instance in rows[split]} for split in (one, other)]
        assert not passages[0] & passages[1]


def test_held_out_domains_are_never_trained_on() -> None:
    suite, rows = drawn("zest/fictional-heldout-domains")
    domains = {split: {suite.tasks[task].facets["domain"] for task, _ in members} for split, members in rows.items()}
    assert domains["test"] <= {"mountains", "museums", "rulers"}
    assert not domains["test"] & (domains["train"] | domains["dev"])


def test_paraphrases_and_turned_flips_read_the_passages_of_their_base() -> None:
    suite, rows = drawn()
    texts: dict[str, list[str]] = {}
    answers: dict[str, list[str]] = {}
    for task, instance in rows["test"]:
        texts.setdefault(task, []).append(instance.parts["passage"])
        answers.setdefault(task, []).append(instance.targets.canonical())
    turned = 0
    for name, read in texts.items():
        facets = suite.tasks[name].facets
        base = facets["consistent_with"]
        if facets["generalisation"] == "paraphrase":
            assert read == texts[base] and answers[name] == answers[base]
        if facets["generalisation"] == "flip" and read == texts[base]:
            turned += 1
            swapped = {"yes": "no", "no": "yes", "n/a": "n/a"}
            assert answers[name] == [swapped[answer] for answer in answers[base]]
    assert turned > 1


def test_answers_are_words_of_the_passage_with_evidence() -> None:
    suite, rows = drawn()
    for task, instance in (row for split in rows.values() for row in split):
        kind = instance.facets["answer"]
        if suite.tasks[task].facets["format"] == "extraction" and kind == "value" and not instance.facets["implied"]:
            for span in instance.targets.canonical().split("|"):
                assert span.lower() in instance.parts["passage"].lower(), (task, span)
        if kind != "na":
            assert instance.details["evidence"], task
            sentences = re.split(r"(?<=\.) (?=[A-ZÀ-Þ0-9])", instance.parts["passage"])
            assert max(instance.details["evidence"]) < len(sentences)


def test_evidence_never_just_repeats_the_question() -> None:
    """No statement holds five words of a question about it in a row, whatever values are put in."""
    for name in DOMAINS:
        domain = load_domain(name)
        for attribute in domain.attributes.values():
            said = [*attribute.say, *attribute.yes, *attribute.no]
            asked = [*attribute.ask, *attribute.test, attribute.flip, attribute.flip_test, attribute.claim]
            runs = {run for text in asked for run in _runs(text.format(this="it", t="X", at="an X"))}
            for statement in said:
                shared = runs & _runs(statement.replace("{S}", "it"))
                assert not shared, (name, statement, shared)


def _runs(text: str, length: int = 5) -> set[tuple[str, ...]]:
    words = re.findall(r"[\w'{}]+", text.lower())
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def test_the_published_evaluator_knows_the_first_word_of_every_question() -> None:
    for name in DOMAINS:
        for attribute in load_domain(name).attributes.values():
            asked = "classification" if attribute.kind == "flag" else "extraction"
            for question in filter(None, (*attribute.ask, attribute.flip)):
                assert first_word_format(question) == asked, (name, question)
            for question in filter(None, (*attribute.test, attribute.flip_test)):
                assert first_word_format(question) == "classification", (name, question)


def test_passages_repeat_no_connective_and_leave_one_of_three_out() -> None:
    _, rows = drawn()
    for _, instance in (row for split in rows.values() for row in split):
        passage = instance.parts["passage"]
        added = re.findall(r"(?:In addition|What is more|Besides|Moreover), ", passage)
        assert len(added) == len(set(added)), passage
        for once in (
            r"as is well known",
            r"most \w+ of th",
            r"plaque in|on a plaque in|plaque honours",
            r"letters? (?:sign|by)",
        ):
            assert len(re.findall(once, passage, re.IGNORECASE)) <= 1, passage
        listed = re.search(r"([^.]+)\. [^.]+ all of these except", passage)
        assert listed is None or ", " in listed[1], passage


def test_prose_is_clean() -> None:
    _, rows = drawn()
    for _, instance in (row for split in rows.values() for row in split):
        passage, question = instance.parts["passage"], instance.parts["question"]
        assert not re.search(r"[{}]|  | [,.;]|\.\.|,,|\ba [aeiou]\w+ (?:was|as)\b", passage), passage
        assert passage.endswith(".") and question.endswith("?")
        assert all(s[0].isupper() or s[0].isdigit() for s in re.split(r"(?<=\.) ", passage)), passage
        assert first_word_format(question) is not None, question
        assert 60 <= instance.facets["words"] <= 220


def test_structure_answers_are_rows_with_the_announced_keys() -> None:
    suite, rows = drawn()
    seen = 0
    for task, instance in rows["train"]:
        if suite.tasks[task].kind == "json" and instance.facets["answer"] == "value":
            seen += 1
            (table,) = instance.targets.values()
            for row in table:
                assert all(f'"{key}"' in suite.tasks[task].instruction.definition for key in row)
    assert seen > 5


def test_examples_are_in_no_split_and_score_as_they_should() -> None:
    suite, rows = drawn()
    inputs = {instance.input for split in rows.values() for _, instance in split}
    first = {task: instance for split in rows.values() for task, instance in split}
    for name, task in suite.tasks.items():
        assert len(task.instruction.positive) == 2 and len(task.instruction.negative) == 2
        for example in (*task.instruction.positive, *task.instruction.negative):
            assert example.input not in inputs and example.explanation
        scorer = SCORERS.get(task.scorer)
        target = first[name].targets
        assert scorer.score(target.canonical(), target, task).value == 1.0
        assert task.instruction.positive[1].output == "n/a" == task.instruction.negative[0].output


def test_solved_passages_are_a_pool_of_their_own() -> None:
    suite, rows = drawn("zest/fictional-fewshot")
    assert suite.pool == "solved"
    assert Counter(task for task, _ in rows["solved"]) == Counter(dict.fromkeys(suite.tasks, 4))
    pool = {instance.parts["passage"] for _, instance in rows["solved"]}
    assert not pool & {instance.parts["passage"] for split in ("train", "dev", "test") for _, instance in rows[split]}


@pytest.mark.parametrize(("suite", "hidden"), [("zest/question-only", "passage"), ("zest/passage-only", "question")])
def test_ablations_withhold_one_part(suite: str, hidden: str) -> None:
    _, whole = drawn()
    ablated, rows = drawn(suite)
    for (task, full), (same, part) in zip(whole["test"], rows["test"], strict=True):
        assert task == same and full.targets == part.targets
        assert hidden not in part.parts and full.parts[hidden] not in part.input
    assert ablated.apart == "tasks"


def test_neighbouring_seeds_share_no_passage() -> None:
    first = {instance.parts["passage"] for _, instance in drawn(seed=3)[1]["test"]}
    second = {instance.parts["passage"] for _, instance in drawn(seed=4)[1]["test"]}
    assert not first & second


def test_drawing_again_or_in_part_gives_the_same_rows() -> None:
    suite, rows = drawn()
    again = list(islice(suite.draw("dev"), 40))
    assert content_hash(again) == content_hash(rows["dev"][:40])


def test_more_tasks_than_there_are_questions_is_a_plain_error() -> None:
    with pytest.raises(UserError, match="tasks can be made for"):
        open_suite("zest/fictional", options={"dev": 5_000})


@pytest.mark.parametrize("options", [
    {"na": 2}, {"domains": ["moons"]}, {"passages": 0}, {"facts": [9, 3]}, {"heldout": list(DOMAINS)},
    {"shares.base": 0.9}, {"wrods": 3},
])  # fmt: skip
def test_bad_recipes_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(UserError):
        open_suite("zest/fictional", options=options)


def test_every_listed_suite_has_a_recipe() -> None:
    family = FAMILIES.get("zest")
    for name in family.suites():
        assert family.spec(name).recipe is not None
    with pytest.raises(UserError, match="unknown suite"):
        family.spec("fictionnal")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_small_splits_take_domains_and_forms_evenly(seed: int) -> None:
    suite = open_suite("zest/fictional", seed=seed, options={"train": 60, "dev": 20, "test": 60, "passages": 1})
    for split in ("train", "test"):
        tasks = [suite.tasks[name] for name in {row.task for row in suite.rows(split)}]
        domains = Counter(str(task.facets["domain"]) for task in tasks)
        assert len(domains) == 10 and max(domains.values()) - min(domains.values()) <= 2
        forms = {str(task.facets["form"]) for task in tasks}
        assert forms & {"and", "or", "but-not"} and forms >= {"with", "record"}


def test_no_other_entity_has_a_name_that_could_be_taken_for_this_one() -> None:
    """Daglaug I, an ally at the next court, in a passage about Daglaug II."""
    rulers = load_domain("rulers")
    first = name_at(rulers, 0)
    others = [name_at(rulers, number) for number in range(0, name_count(rulers), name_count(rulers) // 4_000)]
    given = first.name.split()[0]
    assert {other.name for other in others if alike(first, other)} == {
        other.name for other in others if other.name.split()[0] == given
    }
    assert alike(first, replace(first, name=f"{given} IV"))
