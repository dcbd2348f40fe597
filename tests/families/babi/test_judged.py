"""Every split, judged from its text and supports by a program that shares no code with the generator."""

import pytest

from families.babi.segments import judged, verdict
from taskloom.core import open_suite

SPLITS = {
    "mix-t12": "test", "mix-t7": "test", "mix-t2": "test", "diverse-t12": "train", "diverse-t7": "train",
    "diverse-t2": "train", "concat-t12": "train", "inject-t12": "train", "inoculate-t12": "train",
    "rephrase-t12": "test", "custom": "train",
}  # fmt: skip


def faults(name, split, count, seed, **options):
    """What the judge objects to among the first rows of a split, with the inputs."""
    suite = open_suite(f"babi/{name}", seed=seed, options=options)
    rows = suite.rows(split)
    code = "prose" if options.get("prose") else options.get("language", "en")
    found = []
    for _, row in zip(range(count), rows, strict=False):
        fault = judged(row.instance, code)
        if fault:
            found.append((fault, row.instance.input, row.instance.targets.canonical(), row.instance.details))
    return found


@pytest.mark.parametrize(("name", "split"), SPLITS.items())
def test_nothing_contradicts_itself_and_every_support_is_minimal(name, split):
    assert faults(name, split, 120, 5) == []


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13])
def test_the_original_tasks_keep_the_physics(number):
    assert faults(f"task-{number}", "train", 100, 5) == []


@pytest.mark.parametrize("code", ["de", "es"])
def test_the_physics_hold_in_every_language(code):
    assert faults("mix-t12", "test", 150, 5, language=code) == []


@pytest.mark.parametrize(("name", "split"), [("mix-t12", "test"), ("diverse-t7", "train"), ("custom", "train")])
def test_prose_tells_no_less_and_no_more(name, split):
    assert faults(name, split, 150, 5, prose=1.0) == []


@pytest.mark.proof
@pytest.mark.parametrize(("name", "split"), SPLITS.items())
def test_two_thousand_items_of_every_split(name, split):
    assert faults(name, split, 2_000, 17) == []


STORY = ["Fred journeyed to the kitchen.", "Fred is no longer in the bathroom."]


def test_the_judge_sees_what_words_presuppose():
    asked = ("yes-no", "Fred", "bathroom")
    assert verdict(STORY, asked, "no", [2]) == "contradictory"
    assert verdict([STORY[1]], asked, "no", [1]) == ""
    assert verdict(["Fred moved to the park.", "Fred went to the park."], asked, "no", [2]) == "contradictory"


def test_the_judge_sees_wrong_answers_and_supports():
    story = ["Mary is either in the hallway or the park.", "Mary took the milk.", "Mary went back to the hallway."]
    before = ("where-was-object", "milk", "hallway")
    assert verdict(story, before, "park", [1, 2, 3]) == ""  # who goes to the hallway was not there
    assert verdict(story, before, "office", [1, 2, 3]) == "wrong"
    assert verdict(story, before, "park", [2, 3]) == "unsupported"
    assert verdict([*story, "Mary is in the park."], ("where-person", "Mary"), "park", [1, 4]) == "non-minimal"


MILK = [
    "Daniel put down the milk.",
    "Bill and Daniel journeyed to the hallway.",
    "Jeff is either in the hallway or the park.",
    "Jeff took the milk.",
    "Jeff gave the milk to John.",
]


def test_the_reader_follows_what_words_presuppose():
    """The milk cannot be in the hallway: Daniel, who put it down, went there only afterwards."""
    from taskloom.families.babi.files import FileQuestion, FileStory, read_story
    from taskloom.families.babi.kinds import NO
    from taskloom.families.babi.parse import Parser
    from taskloom.families.babi.reader import Reader
    from taskloom.families.babi.support import canonical_support, lines

    story = FileStory(("Daniel grabbed the milk.", *MILK), (FileQuestion(6, "Is John in the hallway?", "", ()),))
    read = read_story(story, Parser())
    reader = Reader.of(read.sentences, len(read.names.persons), len(read.names.objects))
    (question,) = read.questions
    assert reader.answer(question) == NO
    assert lines(canonical_support(reader, question)) == (1, 2, 4, 5)
    assert verdict(story.statements, ("yes-no", "John", "hallway"), "no", [2, 3, 5, 6]) == ""
