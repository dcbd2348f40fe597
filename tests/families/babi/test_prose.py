"""Stories in freer forms: many shapes, the same events, read by the same reader, in every language."""

import re

import pytest

from taskloom.core import UserError, open_suite
from taskloom.families.babi.files import FileStory, read_story
from taskloom.families.babi.parse import Parser
from taskloom.families.babi.vocabulary import LANGUAGES, language


def stories(code, share, count=70, name="mix-t12"):
    options = {"language": code, "test": count, "prose": share}
    rows = open_suite(f"babi/{name}", seed=11, options=options).rows("test")
    return [(tuple(row.instance.parts["story"].split("\n")), row.instance) for row in rows]


@pytest.mark.parametrize("code", LANGUAGES)
def test_freer_forms_tell_the_same_events(code):
    parser = Parser(language(code).vocabulary)
    for (plain, one), (prose, two) in zip(stories(code, 0.0), stories(code, 1.0), strict=True):
        events, told = (read_story(FileStory(lines, ()), parser) for lines in (plain, prose))
        assert prose != plain
        assert [event._replace(pronoun=False) for event in told.sentences] == [
            event._replace(pronoun=False) for event in events.sentences
        ]
        assert (one.targets, one.facets["support_size"]) == (two.targets, two.facets["support_size"])


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_thousand_sentences_have_hundreds_of_shapes(code):
    words = language(code).vocabulary
    forms = {text for noun in (*words.objects, *words.places) for text in words.every_form(noun)}
    names = re.compile("|".join(sorted({*words.persons, *forms}, key=len, reverse=True)))
    shapes = {
        share: {names.sub("_", line) for line in [line for lines, _ in stories(code, share) for line in lines][:1000]}
        for share in (0.0, 0.5, 1.0)
    }
    assert len(shapes[1.0]) > 400
    assert len(shapes[0.0]) < len(shapes[0.5]) < len(shapes[1.0])


def test_supports_name_the_sentences_of_the_text():
    """What two sentences tell takes both; what one sentence tells of two events takes one."""
    sizes = {instance.facets["support_size"] - len(instance.details["support"]) for _, instance in stories("en", 1.0)}
    assert min(sizes) < 0 < max(sizes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"prose": 2}, "prose: must be at most 1, not 2"),
        ({"prose": 1, "ask": "inside"}, "prose cannot be combined with ask: inside or also"),
        ({"prose": 1, "vocabulary": {"templates": {"move": "{person} ran to the {place} and {verb}."}}}, "has its own"),
    ],
)
def test_what_prose_is_refused_for(options, said):
    with pytest.raises(UserError, match=said):
        list(open_suite("babi/custom", options=options).rows("train"))


def test_languages_have_names():
    german = open_suite("babi/mix-t12", seed=3, options={"language": "German", "test": 3})
    assert [*german.rows("test")] == [
        *open_suite("babi/mix-t12", seed=3, options={"language": "de", "test": 3}).rows("test")
    ]
    assert open_suite("babi/space", options={"language": "german", "train": 1}).recipe["language"] == "de"
    with pytest.raises(UserError, match="klingon"):
        open_suite("babi/task-1", options={"language": "klingon"})
