"""The lenient reader on answers as people write them, and on what no careful person would credit."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.ask import judge_answer
from taskloom.core import Example, Instruction, Items, Structure, Task, any_of, open_suite
from taskloom.core.catalog import READERS, SCORERS
from taskloom.score.read import lenient as lenient_module

sys.path.insert(0, str(Path(__file__).parent))

from styles import ROUNDS, parts_of, say, whole

STYLES = [style for written in ROUNDS for style in written.styles]
HEDGES = [hedge for written in ROUNDS for hedge in written.hedges]
LENIENT = READERS.get("lenient")


def _task(kind, scorer, definition, examples, labels=()):
    return Task("t", Instruction(definition, tuple(Example(*example) for example in examples)), kind, scorer, labels)


WHERE = _task("text", "exact", "You are given a short story and asked where a person is at its end. Answer with the "
              "name of the place only.", [("Mary went to the garden.\nWhere is Mary?", "garden")])  # fmt: skip
YES_NO = _task("label", "label", "Answer 'yes', 'no' or 'maybe'.", [("Is Mary in the garden?", "yes")],
               ("yes", "no", "maybe"))  # fmt: skip
ENTAILS = _task("label", "label", "Answer 'entailment' or 'not-entailment'.", [("Premise: A", "entailment")],
                ("entailment", "not-entailment"))  # fmt: skip
COUNT = _task("number", "number", "Count the vowels. Answer in digits.", [("red boat", "3")])
HOW_MANY = _task("text", "exact", "Answer with the number as a word.", [("How many objects is Mary carrying?", "two")])
LIST = _task("items", "items", "Answer with the objects, or 'nothing'.", [("What is Mary carrying?", "apple, milk")])
SPAN = _task("text", "zest/fair", "Answer with words of the passage, or n/a if the passage does not say.",
             [("Question: How heavy is it?", "58 kilograms")])  # fmt: skip
TITLE = _task("text", "exact", "Write each word with a capital letter.", [("old hat", "Old Hat")])
SHAPE = _task("json", "structure", 'Answer with a JSON list of objects with the keys "a", "b", or n/a.', [])
ARTICLE = _task("label", "label", "Fill in a or an.", [("Emma lost _ egg.", "an")], ("a", "an"))
SENTENCE = _task("text", "exact", "Negate the sentence.", [("Ann runs home.", "Ann does not run home.")])

STORY = "Daniel journeyed to the office.\nSandra journeyed to the bedroom.\nWhere is Daniel?"
BEDROOM = "Mary went to the bathroom.\nIs Mary in the bedroom?"


def score(said: str, task: Task, right, prompt: str = "") -> float:
    reading = LENIENT.read(said, task, prompt)
    if isinstance(right, list):
        targets = Items((tuple(right),))
    else:
        targets = Structure((right,)) if task.kind == "json" and right != "n/a" else any_of(right)
    if reading.answer is None and not reading.said:
        assert reading.why
        return 0.0
    return LENIENT.grade(reading.answer or "", SCORERS.get(task.scorer), targets, task, reading.said).value


@pytest.mark.parametrize(
    "said",
    [
        "Office.", "the office", "**office**", "Daniel is in the office.", "He is in the office.", "OFFICE",
        "Daniel is currently in the office.", "Daniel went to the office, so he is in the office.", "In the office.",
        "Daniel is located in the office.", "At the office!", "office, because he journeyed there.", "`office`",
        "He's in the office.", "Daniel is at the office now.", "Based on the story, Daniel is in the office.",
        "According to the story, Daniel is in the **office**.", "«office»", "- office", "1. office", "# office",
        "Daniel journeyed to the office. Therefore, he is in the office.", "> office", "<answer>office</answer>",
        "Daniel journeyed to the office.\n\nSo Daniel is in the office.", "It's the office, not the bedroom.",
        "The final answer is: $\\boxed{\\text{office}}$. I hope it is correct.", '{"answer": "office"}', "A: office",
        "office\n\nExplanation: Daniel journeyed to the office.", "Answer - office", "[office]", "office 🙂",
        "Step 1: Daniel journeyed to the office.\nStep 2: nobody moved him.\nAnswer: office", "My answer: the office.",
        "Daniel is in the office because he journeyed there.", '```json\n{"answer": "office"}\n```',
        'The correct answer would be "office".', "That would be the office.", "Daniel's location is the office.",
        "office (he journeyed there)", "office — he journeyed there last.", "La respuesta es office.",
        "office\n\nDaniel journeyed to the office and did not leave it.", "Where is Daniel? Daniel is in the office.",
        "office\n\nQuestion: Where is Sandra?\nAnswer: bedroom", f"{STORY}\noffice",
        "lol easy, office", "tbh it's just office", "Pretty sure that's the office haha", "That one's office.",
        "Short answer: office\n\nLong answer: Sandra is in the bedroom.", "In other words, office.",
        "I don't see how it could be anything other than office.", "The answer's office, if I've read it correctly.",
        "Drumroll please… office!", "The answer, in short, is office.", "\\[\\text{Answer: } \\textbf{office}\\]",
        "I checked twice and got office both times.", '{"answer": {"value": "office"}}', "➡️ office",
        "<ans>office</ans>",
    ],
)  # fmt: skip
def test_a_place_in_ordinary_words(said):
    assert score(said, WHERE, "office", STORY) == 1.0


@pytest.mark.parametrize(
    "said",
    [
        "not the office", "the office or the garden", "office or garden", "It could be the office.",
        "maybe the office",
        "He is not in the office.", "Daniel isn't in the office.", "Anywhere but the office.",
        "office, garden, kitchen",
        "The answer is not office.", "neither the office nor the garden", STORY, STORY.rsplit("\n", 1)[0],
        "Daniel is in the garden.", "I don't know. Perhaps the office?", "the office / the garden",
        "He left the office.",
        "office\ngarden\nkitchen", "I would rule out the office.", "The garden, not the office.", "The office? No.",
        "Daniel was in the office before, but he is in the garden now.", "The answer could be office.", "",
        "\\boxed{office} \\boxed{garden}", "<think>Daniel journeyed to the office.",
        "Sandra travelled to the office.\nSandra travelled to the bedroom.",
        "My best guess is office, with bedroom a close second.", "I have to choose among bedroom, office.",
        "Nothing in the text supports office.", "office was the answer to the previous question, not to this one.",
        "Almost office, but not quite.", "The answer isn't clear, though office comes to mind.", "Fake answer: office",
        "I'll say bedroom. A friend of mine says office.", '"office", said no one ever.',
        "\\boxed{\\neg \\text{office}}",
        "office is what I said before, and I was wrong.", "bedroom beats office.",
        "All of these work: bedroom, office.",
    ],
)  # fmt: skip
def test_no_credit_where_a_careful_person_gives_none(said):
    assert score(said, WHERE, "office", STORY) == 0.0


@pytest.mark.parametrize("said", [
    "Sandra travelled to the office.", "Sandra is in the office.",
    "Sandra travelled to the kitchen. Sandra travelled to the office.",
])  # fmt: skip
def test_what_is_said_of_somebody_else_is_no_answer(said):
    story = "Sandra went to the garden. Daniel went to the office. Then he slept. "
    assert score(said, WHERE, "office", f"{story}\nWhere is Daniel?") == 0.0
    assert score(said.replace("Sandra", "Daniel"), WHERE, "office", f"{story}\nWhere is Daniel?") == 1.0
    # Who was asked about is the answer here, and not the one who was named.
    assert score("Sandra got the ball.", WHERE, "Sandra", f"{story}\nWho did Daniel give the ball to?") == 1.0


def test_a_talk_word_in_a_style_is_not_the_answer():
    assert score("Garden – that's the one.", HOW_MANY, "one") == 0.0
    assert score("It turns out to be one.", HOW_MANY, "one") == 1.0
    assert score("My response is as follows.\n\nnot-entailment", ENTAILS, "not-entailment") == 1.0


@pytest.mark.parametrize(
    "said",
    ["The evidence speaks against 40 tons.", "Everything points away from 40 tons.",
     "I have to choose among 7, 40 tons.",
     "1911 beats 40 tons."],
)  # fmt: skip
def test_words_of_a_denial_earn_no_part_marks(said):
    assert score(said, SPAN, "40 tons", "It weighs 40 tons.\nQuestion: How heavy is it?") == 0.0


@pytest.mark.parametrize(
    ("said", "task", "right"),
    [
        *[(said, YES_NO, "no") for said in (
            "No.", "no, Mary is in the bathroom.", "No, she is not.", "The answer is no.",
            "Mary is not in the bedroom.",
            "No. Mary went to the bathroom, so she is not in the bedroom.", "False", "The answer is 'no'.")],
        *[(said, YES_NO, "yes") for said in (
            "Yes, Mary is in the bedroom.", "Mary is in the bedroom.", "yes, she is", "I'd say yes.",
            "Yes, because Mary went to the bedroom and there is no other information.")],
        ("Maybe.", YES_NO, "maybe"), ("maybe, the story does not say", YES_NO, "maybe"),
        *[(said, ENTAILS, "not-entailment") for said in (
            "Not entailment.", "not entailed", "The hypothesis is not entailed by the premise.", "It does not follow.",
            "The premise does not entail the hypothesis.", "non-entailment", "The relation is not-entailment.")],
        *[(said, ENTAILS, "entailment") for said in (
            "Entailed.", "The hypothesis is entailed by the premise.", "This is an entailment.")],
        *[(said, COUNT, "9") for said in (
            "There are 9 vowels.", "nine", "The line has nine vowels in it.", "2 + 3 + 4 = 9", "**9** vowels",
            "9 (nine)", "a: 4, e: 3, o: 2, so the total is 9", "Total: 9")],
        ("one thousand two hundred and five", COUNT, "1205"), ("The sum is 1,205.", COUNT, "1205"),
        ("ochocientos ochenta y cinco", COUNT, "885"),
        *[(said, HOW_MANY, "two") for said in ("Two.", "Mary is carrying two objects.", "She is carrying two.")],
        *[(said, LIST, ["apple", "milk"]) for said in (
            "apple and milk", "the apple and the milk", "Mary is carrying the apple and the milk.", "- apple\n- milk",
            "1. apple\n2. milk", "She is carrying:\n- the apple\n- the milk", '["apple", "milk"]', "Apple; milk")],
        ("Mary is carrying nothing.", LIST, []),
        *[(said, SPAN, "n/a") for said in (
            "N/A.", "The passage does not say.", "It is not stated in the passage.", "n/a (the passage doesn't say)")],
        ("Here it is:\n```json\n[{'a': 1, 'b': 'x',}]\n```", SHAPE, '[{"a":1,"b":"x"}]'),
        ('The rows are [{"a": 1}, {"a": 2}], as asked.', SHAPE, '[{"a":1},{"a":2}]'),
        ("The answer is an.", ARTICLE, "an"), ("Ann does not run home", SENTENCE, "Ann does not run home."),
    ],
)  # fmt: skip
def test_other_kinds_of_answers(said, task, right):
    prompt = {
        id(YES_NO): BEDROOM,
        id(LIST): "What is Mary carrying?",
        id(HOW_MANY): "How many objects is Mary carrying?",
    }
    assert score(said, task, right, prompt.get(id(task), "")) == 1.0


@pytest.mark.parametrize(
    ("said", "task", "right"),
    [
        *[(said, YES_NO, "yes") for said in ("yes or no", "yes, no, maybe", "Yes and no.", "not yes", "Yes/No",
                                             "yes\nno", "It is hard to say yes.", "I can't say yes.", "Either yes")],
        *[(said, YES_NO, "no") for said in ("not no", "I have no idea.", "There is no way to know.", "no or yes")],
        *[(said, ENTAILS, "entailment") for said in ("not entailment", "It is not an entailment.", "No entailment.")],
        ("It is not not-entailment.", ENTAILS, "not-entailment"),
        *[(said, COUNT, "9") for said in ("8 or 9", "not 9", "between 8 and 9", "8, 9, 10", "9\n8")],
        *[(said, LIST, ["apple", "milk"]) for said in ("apple or milk", "apple, milk, football", "apple")],
        ("old hat", TITLE, "Old Hat"), ('[{"a": 1}] or [{"a": 2}]', SHAPE, '[{"a":1}]'),
        ('It is not [{"a": 1}].', SHAPE, '[{"a":1}]'), ('Is it [{"a": 1}]?', SHAPE, '[{"a":1}]'),
        ('[{"a": 1}]. No, wait, zebra.', SHAPE, '[{"a":1}]'),
        ('The answer is [{"a": 1}]. The answer is zebra.', SHAPE, '[{"a":1}]'), ("It is not n/a.", SPAN, "n/a"),
        ("Ann runs home.", SENTENCE, "x"),
    ],
)  # fmt: skip
def test_no_credit_for_other_kinds(said, task, right):
    assert score(said, task, right, BEDROOM.replace("bedroom", "garden")) == 0.0


def _sample(name, count):
    suite = open_suite(name, seed=3)
    rows = [(suite.tasks[row.task], row.instance) for row in suite[suite.default_split()][: 12 * count]]
    random.Random(0).shuffle(rows)
    return rows[:count]


@pytest.mark.parametrize("name", ["babi/task-1", "babi/task-8", "seti/task1-trivial", "superni/embedded"])
def test_styles_do_not_change_what_an_answer_is_worth(name):
    missed = {
        said: instance.targets.canonical()
        for task, instance in _sample(name, 4)
        for style in STYLES
        if judge_answer(task, instance, said := say(style, parts_of(instance), task, instance)).score != 1.0
    }
    # A few styles run the answer and something else into one, so that nobody could tell them apart in every task.
    assert len(missed) <= 0.002 * 4 * len(STYLES), missed


@pytest.mark.parametrize("name", ["babi/task-1", "babi/task-6", "seti/task1-trivial"])
def test_hedges_get_nothing(name):
    for task, instance in _sample(name, 4):
        right = parts_of(instance)
        wrong = next(label for label in (*task.labels, "pantry") if label != whole(right, task))
        for hedge in HEDGES:
            said = say(hedge, right, task, instance, wrong)
            assert judge_answer(task, instance, said).score == 0.0, said


@pytest.mark.parametrize("word", ["office", "the office", "Not", "maybe", "nothing", "answer", "or", "red box", "n/a",
                                  "not-entailment", "2"])  # fmt: skip
@pytest.mark.parametrize("frame", ["{}", "{}.", "**{}**", '"{}"', "The answer is {}.", "Answer: {}", "I think it's {}.",
                                   "Daniel is in {}.", "{} is where he is", "My answer: **{}**!"])  # fmt: skip
def test_reading_at_a_glance_changes_no_reading(word, frame, monkeypatch):
    said = frame.format(word)
    for task in (WHERE, YES_NO, ENTAILS, COUNT, LIST, SPAN, TITLE):
        quick = score(said, task, word, STORY)
        with monkeypatch.context() as patch:
            patch.setattr(lenient_module, "at_a_glance", lambda *_: None)
            patch.setattr(lenient_module, "plain_sentence", lambda *_: None)
            assert score(said, task, word, STORY) == quick


@given(st.text())
def test_nothing_a_model_says_breaks_it(text):
    for task in (WHERE, YES_NO, ENTAILS, COUNT, LIST, SPAN, SHAPE, ARTICLE, SENTENCE):
        reading = LENIENT.read(text, task, STORY)
        assert reading.answer is None or isinstance(reading.answer, str)


@pytest.mark.parametrize(
    "unit",
    [
        "<think>", "[", "{", "\\boxed{", "**", "The answer is ", "so, ", "not ", "\n", "- a\n", "office or ", "1 ",
        "one hundred ", "```", "(", "answer ",
    ],
)  # fmt: skip
def test_long_output_comes_to_an_end(unit):
    for task in (WHERE, YES_NO, COUNT, LIST, SHAPE):
        found = LENIENT.read(unit * (64_000 // len(unit)), task, STORY)
        assert found.answer is None or len(found.answer) <= 64_000
