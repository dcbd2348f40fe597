"""Reading text: named patterns of reasoning, conventions, and the classes of disagreement with data of others."""

import pytest

from taskloom.core import UserError
from taskloom.families.babi.files import FileQuestion, FileStory, agreement, read_story
from taskloom.families.babi.kinds import GRAB, MOVE, WHERE_WAS, Question, Sentence
from taskloom.families.babi.parse import Names, Parser
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.support import all_supports, canonical_support, lines

PARSER = Parser()


def read(story: str, question: str):
    """(answer as text or number, all supports, counted from 1)."""
    statements = tuple(line.strip() for line in story.strip().splitlines())
    parsed = FileStory(statements, (FileQuestion(len(statements), question, "?", ()),))
    got = read_story(parsed, PARSER)
    reader = Reader.of(got.sentences, len(got.names.persons), len(got.names.objects))
    asked = got.questions[0]
    answer = reader.answer(asked)
    supports = [tuple(line + 1 for line in lines(mask)) for mask in all_supports(reader, asked)]
    if question.startswith("Where") and answer is not None:
        return list(got.names.places)[answer], supports
    if question.startswith("Is "):
        return ("no", "yes", "maybe")[answer], supports
    if question.startswith("Who") and answer is not None:
        return list(got.names.persons)[answer], supports
    return answer, supports


@pytest.mark.parametrize(
    ("story", "question", "answer", "supports"),
    [
        pytest.param(
            """Ann is either in the park or the school.
            Ben is either in the school or the office.
            Ann took the milk.
            Ann dropped the milk.
            Ben got the milk.""",
            "Where is Ben?",
            "school",
            [(1, 2, 4, 5)],
            id="double disjunction over two indefinites",
        ),
        pytest.param(
            """Ann is either in the park or the school.
            Ben is not in the park.
            Ann took the milk.
            Ann handed the milk to Ben.""",
            "Is Ben in the school?",
            "yes",
            [(1, 2, 4)],
            id="disjunction and negation",
        ),
        pytest.param(
            """Ann took the milk.
            Ann gave the milk to Ben.
            Cy moved to the park.
            Ben passed the milk to Cy.""",
            "Where is Ann?",
            "park",
            [(2, 3, 4)],
            id="co-location backwards through two gifts",
        ),
        pytest.param(
            """Ann went to the park.
            Ann took the milk.
            Ann dropped the milk.
            Ben grabbed the milk.""",
            "Where is Ben?",
            "park",
            [(1, 3, 4)],
            id="co-location forwards through drop and grab",
        ),
        pytest.param(
            """Ann took the milk.
            Ann dropped the milk.
            Ben grabbed the milk.
            Ben dropped the milk.
            Cy went to the park.
            Cy got the milk.""",
            "Where is Ann?",
            "park",
            [(2, 3, 4, 5, 6)],
            id="backwards through two drops",
        ),
        pytest.param(
            """Ann went to the park.
            Afterwards she went to the school.""",
            "Where is Ann?",
            "school",
            [(1, 2)],
            id="a pronoun needs its antecedent",
        ),
        pytest.param(
            """Ann went to the park.
            Ann took the milk.
            Then she went to the school.""",
            "Where was the milk before the school?",
            "park",
            [(1, 2, 3)],
            id="where-was with a pronoun",
        ),
        pytest.param(
            """Ann is in the park.
            Ann is either in the school or the office.
            Ann is not in the school.""",
            "Is Ann in the office?",
            "maybe",
            [(3,)],
            id="a place statement replaces older ones",
        ),
        pytest.param(
            """Ann took the milk.
            Ann gave the milk to Ben.
            Ben gave the milk to Cy.""",
            "Who gave the milk to Ben?",
            "Ann",
            [(2,)],
            id="an older gift answers the question",
        ),
    ],
)
def test_patterns(story, question, answer, supports):
    assert read(story, question) == (answer, supports)


def test_several_minimal_supports_and_the_canonical_one():
    answer, supports = read(
        """Ann went to the park.
        Ben went to the park.
        Cy took the milk.
        Cy gave the milk to Ann.
        Ann gave the milk to Cy.
        Cy gave the milk to Ben.""",
        "Where is Cy?",
    )
    assert answer == "park"
    assert supports == [(1, 4), (1, 5), (2, 6)]  # as small, but the first is known first


def test_before_is_unanswered_where_a_later_visit_is_possible():
    story = """Ann went to the park.
        Ann took the milk.
        Ann went to the school.
        Ann is either in the school or the office."""
    assert read(story, "Where was the milk before the school?") == ("park", [(1, 2, 3)])
    again = story.replace("either in the school or the office", "not in the school")
    assert (
        read(again + "\nAnn is either in the school or the office.", "Where was the milk before the school?")[0] is None
    )


def test_places_are_an_open_set():
    assert read("Ann is not in the park.\nBen is in the school.", "Where is Ann?") == (None, [])


def test_counting_and_listing_need_every_change_of_the_hands():
    story = """Ann took the milk.
        Ann dropped the milk.
        Ben took the apple.
        Ben gave the apple to Ann."""
    assert read(story, "How many objects is Ann carrying?") == (1, [(1, 2, 4)])
    assert read(story, "What is Ben carrying?") == ((), [(3, 4)])
    assert read(story, "How many objects is Zoe carrying?") == (0, [()])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ann danced to the park.", "not a sentence of the story world"),
        ("Then they went to the park.", "no two people act together"),
    ],
)
def test_unreadable_sentences_are_named(text, message):
    first = PARSER.sentence("Ann went to the park.", names := Names(), None)
    with pytest.raises(UserError, match=message):
        PARSER.sentence(text, names, first)


def test_what_two_people_do_is_no_single_persons_deed():
    first = PARSER.sentence("Ann and Ben went to the park.", names := Names(), None)
    with pytest.raises(UserError, match="no two people act together"):
        PARSER.sentence("Then they took the milk.", names, first)


def test_contradictions_are_noticed():
    story = FileStory(
        ("Ann is in the park.", "Ben is in the school.", "Ann took the milk.", "Ann gave the milk to Ben."), ()
    )
    got = read_story(story, PARSER)
    assert Reader.of(got.sentences, 2, 1).conflicts == [3]


# -- classes of disagreement with data of others --------------------------------------------------------


def compare(tmp_path, story, question, answer, support):
    """The agreement of one question written as a file."""
    rows = [f"{n} {line.strip()}" for n, line in enumerate(story.strip().splitlines(), 1)]
    rows.append(f"{len(rows) + 1} {question}\t{answer}\t{support}")
    path = tmp_path / "one.txt"
    path.write_text("\n".join(rows) + "\n")
    (counts,) = agreement(path).values()
    return counts


DISAGREEMENTS = {
    "open-arrival": (
        """Ann went to the park.
        Ann took the milk.
        Ann went to the school.
        Ann is not in the park.
        Ann is either in the school or the office.""",
        "Where was the milk before the school?",
        "park",
        "1 2 3",
    ),
    "same-place-twice": ("Ann is either in the park or the park.", "Is Ann in the park?", "maybe", "1"),
    "older-give": (
        """Ann took the milk.
        Ann gave the milk to Ben.
        Ann took the apple.
        Ann gave the apple to Ben.""",
        "What did Ann give to Ben?",
        "milk",
        "2",
    ),
}

SUPPORTS = {
    "missing-antecedent": (
        """Ann went to the park.
        Then she went to the school.""",
        "Where is Ann?",
        "school",
        "2",
    ),
    "missing-link": (
        """Ann went to the park.
        Ann took the milk.
        Ann dropped the milk.
        Ben took the milk.
        Ben dropped the milk.""",
        "Where is Ben?",
        "park",
        "1 3 5",
    ),
    "later-release": (
        """Ann took the milk.
        Ann went to the park.
        Ann went to the school.
        Ann went to the office.
        Ann dropped the milk.""",
        "Where was the milk before the school?",
        "park",
        "2 3 5",
    ),
    "older-visit": (
        """Ann took the milk.
        Ann went to the park.
        Ann went to the school.
        Ann went to the park.
        Ann went to the school.""",
        "Where was the milk before the school?",
        "park",
        "1 2 3",
    ),
    "more": (
        """Ann went to the park.
        Ann took the milk.
        Ann dropped the milk.""",
        "Where is the milk?",
        "park",
        "1 2 3",
    ),
    "another": (
        """Ann went to the park.
        Ben went to the park.
        Ann took the milk.
        Ann gave the milk to Cy.
        Cy gave the milk to Ben.""",
        "Where is Cy?",
        "park",
        "2 5",
    ),
}


@pytest.mark.parametrize("name", DISAGREEMENTS)
def test_each_disagreement_in_answers_has_a_name(tmp_path, name):
    counts = compare(tmp_path, *DISAGREEMENTS[name])
    assert (counts.agreed, dict(counts.answers)) == (0, {name: 1})


@pytest.mark.parametrize("name", SUPPORTS)
def test_each_disagreement_in_supports_has_a_name(tmp_path, name):
    counts = compare(tmp_path, *SUPPORTS[name])
    assert (counts.agreed, dict(counts.supports)) == (1, {name: 1})


# -- the reference data, where it is at hand ------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13])
def test_original_data_is_answered_from_the_text_alone(reference, number):
    for path in sorted((reference / "babi" / "v11").glob(f"qa{number}_*.txt")):
        for counts in agreement(path).values():
            assert counts.answered == counts.asked
            assert counts.agreed + counts.answers["same-place-twice"] + counts.answers["older-give"] == counts.asked
            assert counts.agreed >= 0.98 * counts.asked


@pytest.mark.parametrize("name", ["mix_T7", "mix_T12"])
def test_agreement_with_the_kit(reference, name):
    found = agreement(reference / "babi" / "dyna" / name / "valid.txt")
    assert sum(counts.asked for counts in found.values()) > 1000
    for counts in found.values():
        assert counts.agreed + counts.answers["open-arrival"] == counts.asked
        known = {"equal", "another", "more", "missing-antecedent", "missing-link", "older-visit", "later-release"}
        assert set(counts.supports) <= known


def test_canonical_support_of_the_unanswerable_is_none():
    reader = Reader(1, 1)
    names = Names()
    PARSER.sentence("Ann took the milk.", names, None)
    assert canonical_support(reader, PARSER.question("Where is Ann?", names)) is None


def test_an_object_that_changes_hands_in_one_place_has_not_arrived_there():
    """Where Ann was is unknown, but the apple only came from the kitchen to the garden: the question can be asked."""
    kitchen, garden = 0, 1
    story = [Sentence(GRAB, 0, 0), Sentence(MOVE, 0, kitchen), Sentence(MOVE, 0, garden)]
    reader = Reader.of(story, 1, 1)
    assert reader.answer(Question(WHERE_WAS, 0, garden)) == kitchen
    assert reader.came_once(0, garden)
    again = Reader.of([Sentence(MOVE, 0, 2), *story[:1], Sentence(MOVE, 0, garden), *story[1:]], 1, 1)
    assert not again.came_once(0, garden)  # it has come there from elsewhere before
