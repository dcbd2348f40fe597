"""The lenient reader: answers in known forms are read, in many languages; nothing else is credited."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.ask import judge_answer, read_answer
from taskloom.core import AnyOf, Example, Instance, Instruction, Items, Structure, Task, any_of, open_suite
from taskloom.core.catalog import READERS, SCORERS

sys.path.insert(0, str(Path(__file__).parent))

from styles import ROUNDS, parts_of, say, whole

LENIENT = READERS.get("lenient")


def _task(kind, scorer, definition, examples, labels=()):
    return Task("t", Instruction(definition, tuple(Example(*example) for example in examples)), kind, scorer, labels)


STORY = "Daniel journeyed to the office.\nSandra journeyed to the bedroom.\nWhere is Daniel?"
WHERE = _task("text", "exact", "Say where the person is.", [("Mary went to the garden.\nWhere is Mary?", "garden")])
YES_NO = _task("label", "label", "Answer 'yes', 'no' or 'maybe'.", [("Is Mary in the garden?", "yes")],
               ("yes", "no", "maybe"))  # fmt: skip
ENTAILS = _task("label", "label", "Answer 'entailment' or 'not-entailment'.", [("Premise: A", "entailment")],
                ("entailment", "not-entailment"))  # fmt: skip
COUNT = _task("number", "number", "Count the vowels.", [("red boat", "3")])
LIST = _task("items", "items", "Answer with the objects, or 'nothing'.", [("What is Mary carrying?", "apple, milk")])
SPAN = _task("text", "zest/fair", "Answer with words of the passage, or n/a if the passage does not say.",
             [("Question: How heavy is it?", "58 kilograms")])  # fmt: skip
TITLE = _task("text", "exact", "Write each word with a capital letter.", [("old hat", "Old Hat")])
SHAPE = _task("json", "structure", 'Answer with a JSON list of objects with the keys "a", "b", or n/a.', [])
SENTENCE = _task("text", "exact", "Negate the sentence.", [("Ann runs home.", "Ann does not run home.")])


def score(said, task, right, prompt=""):
    targets = Items((tuple(right),)) if isinstance(right, list) else any_of(right)
    targets = Structure((right,)) if task.kind == "json" and right != "n/a" else targets
    return judge_answer(task, Instance("1", prompt, targets), said).score


BEFORE = ("", "It might be the bedroom, or the garden. I really cannot say.\n", "The answer is bedroom.\n\n",
          "Answer: bedroom\n", "Not office!\n", "<think>bedroom?</think>\n", "- bedroom\n- garden\n\n")  # fmt: skip
ASKED = ("Answer: {}", "**Answer:** {}", "Answer: **{}**", "answer: {}.", "Final answer: {}", "ANSWER: {}\n```",
         "Respuesta: {}", "Antwort: {}", "Réponse : {}", "答案：{}", "Ответ: {}")  # fmt: skip


PASSAGE = "Passage: The bridge is built of grey sandstone and was opened in 1890.\nQuestion: What is it built of?"


@pytest.mark.parametrize("said", ["Odpověď není sandstone", "sandstone scheidet aus", "Candidates: basalt, sandstone"])
def test_unknown_words_beside_an_answer_take_its_part_marks(said):
    assert score(said, SPAN, "grey sandstone", PASSAGE) == 0.0
    assert 0.0 < score("grey sandstone was opened", SPAN, "grey sandstone", PASSAGE) < 1.0


ZOO = "The zoo has a lion, a brown bear, a tiger and a wolf.\nWhich of them are brown?"
WHICH = _task("items", "zest/fair", "Answer with words of the passage.", [("Which?", "a cat | a dog")])


@pytest.mark.parametrize("listed", ["brown bear", "tiger, brown bear, wolf"])
@pytest.mark.parametrize(
    "said",
    [
        "Answer: lion\n\nNote that {} would only be right if it were dark.", "Answer: lion\n\nThe {} is not one.",
        "lion\n\nNote that {} would be right at night.", "- lion\n- tiger\n\nNot: {}", "Not these:\n- {}\n- wolf",
        "Answer: lion\n\nExcluded:\n- {}", "Answer: lion\n\nAlternative:\n{}", "lion\nor\n{}", "lion\n{} (excluded)",
        "1. lion\n2. not {}", "lion\ntiger\nIt is not {}", "The answer is lion.\nThe {} does not count.",
        "{}\n\nThese do not count.", "{}\nlion\n\nAll of these are wrong", "Answer: lion | not {}", "Answer: never {}",
        '["lion", "not {}"]', '{{"answer": ["lion", "not {}"]}}', "Answer: lion unless {}", "Answer: {} or lion",
        "Answer: lion\n\nThe zoo has a {}",
    ],
)  # fmt: skip
def test_a_list_earns_part_marks_only_where_every_piece_is_known(said, listed):
    assert score(said.format(listed), WHICH, listed.split(", "), ZOO) == 0.0


@pytest.mark.parametrize("said", ["brown bear\nlion", "Answer: brown bear, lion", '["brown bear", "lion"]',
                                  "Answer:\n\n- brown bear\n- lion"])  # fmt: skip
def test_a_list_that_is_right_in_part_earns_part_marks(said):
    assert 0.0 < score(said, WHICH, ["brown bear"], ZOO) < 1.0


def test_a_word_of_doubt_that_the_right_answer_has_takes_no_part_marks():
    passage = "It is neither red nor grey sandstone.\nWhat is it?"
    assert 0.0 < score("Answer: neither red sandstone", SPAN, "neither red nor grey sandstone", passage) < 1.0


def test_what_is_crossed_out_is_no_answer():
    assert score("sandstone ✗", SPAN, "sandstone", PASSAGE) == 0.0
    assert score("milk ✗", LIST, ["milk"]) == 0.0


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("form", ASKED)
def test_a_marked_last_line_counts_whatever_was_said_before(form, before):
    assert score(before + form.format("office"), WHERE, "office", STORY) == 1.0
    assert score(before + form.format("bedroom"), WHERE, "office", STORY) == 0.0
    assert score(before + form.format("not-entailment"), ENTAILS, "not-entailment") == 1.0


@pytest.mark.parametrize(
    ("said", "task", "right"),
    [
        ("Office", WHERE, "office"), ("**the office**", WHERE, "office"), ("Daniel is in the office.", WHERE, "office"),
        ("Based on the story, Daniel is in the office.", WHERE, "office"), ("It's in the office.", WHERE, "office"),
        ("Sure! The answer is: office. I hope this helps!", WHERE, "office"), ("Answer:\n\noffice", WHERE, "office"),
        ("I think it's the office.", WHERE, "office"), ("Answer\n------\noffice", WHERE, "office"),
        ("\\boxed{office}", WHERE, "office"), ("So it is $\\boxed{\\text{office}}$.", WHERE, "office"),
        ("<answer>office</answer>", WHERE, "office"), ("<response><answer>office</answer></response>", WHERE, "office"),
        ('{"answer": "office", "reasoning": "he went there"}', WHERE, "office"), ("```\noffice\n```", WHERE, "office"),
        ("office, because he went there", WHERE, "office"), ("Office is the answer.", WHERE, "office"),
        ("office\n\nExplanation: Daniel could not be found in the bedroom.", WHERE, "office"),
        ("<|channel|>analysis<|message|>bedroom<|end|><|channel|>final<|message|>office", WHERE, "office"),
        ("Daniel journeyed to the office. So the answer is office.", WHERE, "office"),
        ("👉 office ✅", WHERE, "office"),
        ("答えはofficeです。", WHERE, "office"), ("정답은 office입니다.", WHERE, "office"),
        ("Svaret är office.", WHERE, "office"), ("答案是office。", WHERE, "office"),
        ("YES!", YES_NO, "yes"), ("No, Daniel is in the bedroom.", YES_NO, "no"), ("The label is no.", YES_NO, "no"),
        ("not entailment", ENTAILS, "not-entailment"), ("It is entailment.", ENTAILS, "entailment"),
        ("seven", COUNT, "7"), ("There are 7.", COUNT, "7"), ("#### 7", COUNT, "7"), ('{"answer": 7}', COUNT, "7"),
        ("- apple\n- milk", LIST, ["apple", "milk"]), ("Answer:\n1. apple\n2. milk", LIST, ["apple", "milk"]),
        ('["apple", "milk"]', LIST, ["apple", "milk"]), ("apple and milk", LIST, ["apple", "milk"]),
        ("Here is the list:\n\n* apple\n* milk\n\nLet me know if you need more.", LIST, ["apple", "milk"]),
        ("The passage does not say.", SPAN, "n/a"), ("40 tons.", SPAN, "40 tons"), ("N/A", SPAN, "n/a"),
        ('```json\n[{"a": 3, "b": "y"}]\n```', SHAPE, '[{"a":3,"b":"y"}]'), ("n/a", SHAPE, "n/a"),
        ("Here is the result:\n[{'a': 3, 'b': 'y'}]", SHAPE, '[{"a":3,"b":"y"}]'),
        ("Bo does not sing.", SENTENCE, "Bo does not sing."), ("Red Boat", TITLE, "Red Boat"),
    ],
)  # fmt: skip
def test_known_forms_are_read(said, task, right):
    assert score(said, task, right, STORY) == 1.0


@pytest.mark.parametrize(
    "said",
    [
        "Putting this together, it is the office.", "The answer you want is office.", "So it comes out as office.",
        "Everything points to the office.", "Following the instructions, I get office.", "That leaves office, I think.",
        "In my view the right answer is the office.", "What remains is office.", "office is what the text says.",
        "After going through the text, I'd say office.", "Judging from the text, office.", "office fits best.",
        "office. Daniel journeyed there, and Sandra journeyed to the bedroom.",
    ],
)  # fmt: skip
def test_known_words_that_end_in_a_giving_word_give_the_answer(said):
    assert score(said, WHERE, "office", STORY) == 1.0


@pytest.mark.parametrize(
    "said",
    [
        "The last thing mentioned is office.", "The answer to leave out is office.", "The word after it is office.",
        "Reading too fast, I get office.", "He says the answer is office.", "bedroom. Wrong answer: office.",
        "The answer is bedroom. The office fits too.", "My second choice is office.",
        "The answer used to be office.", "Make sure it is office.",
        "Daniel went to the office. He left it for the bedroom.",
    ],
)  # fmt: skip
def test_what_another_thing_is_gives_no_answer(said):
    assert score(said, WHERE, "office", STORY) == 0.0


def test_a_no_that_only_takes_back_is_no_answer():
    assert score("It is no. Wait, no.", YES_NO, "no") == 0.0
    assert score("It is yes. Wait, no.", YES_NO, "no") == 1.0


@pytest.mark.parametrize(
    ("said", "task", "right"),
    [
        ("bedroom. Não, enganei-me: office.", WHERE, "office"), ("bedroom. Nie, pomyłka, office.", WHERE, "office"),
        ("bedroom (edit: office)", WHERE, "office"), ("bedroom. My answer was wrong: office.", WHERE, "office"),
        ("The answer is zebra. Wait, no. It's Bo does not sing.", SENTENCE, "Bo does not sing."),
        ('The answer is zebra. Wait, no. It is [{"a": 3, "b": "y"}].', SHAPE, '[{"a":3,"b":"y"}]'),
        ("It is yes. Sorry, it is n/a.", SPAN, "n/a"), ("The answer is 5. Let me know if you need more.", COUNT, "5"),
    ],
)  # fmt: skip
def test_corrections_are_read_in_every_kind(said, task, right):
    assert score(said, task, right, "The n/a is asked: what is it?") == 1.0


@pytest.mark.parametrize("said", ["Wrong answer: {}", "La risposta è zebra, non {}.", "答案不是{}。"])
def test_a_denial_before_json_is_no_credit(said):
    assert score(said.format('[{"a": 3, "b": "y"}]'), SHAPE, '[{"a":3,"b":"y"}]') == 0.0


@pytest.mark.parametrize("beside", ["reason", "Reason", "justification", "supporting_evidence", "why", "Begründung"])
def test_json_may_have_reasons_beside_the_answer(beside):
    said = '{{"answer": "{}", "{}": "the bedroom is where Sandra is"}}'
    assert score(said.format("office", beside), WHERE, "office", STORY) == 1.0
    assert score(said.format("bedroom", beside), WHERE, "office", STORY) == 0.0


@pytest.mark.parametrize("beside", ["alternative", "second_answer", "label", "not", "rejected", "wrong answer", "note"])
def test_json_may_have_no_second_answer_beside_the_first(beside):
    for first, second in (("office", "bedroom"), ("bedroom", "office")):
        said = f'{{"answer": "{first}", "{beside}": "{second}"}}'
        assert score(said, WHERE, "office", STORY) == 0.0


DENIALS = (
    "It is not {}.", "The answer is not {}.", "Not {}", "La risposta non è {}.", "A resposta não é {}.", "Ответ не {}.",
    "La réponse n'est pas {}.", "Svaret är inte {}.", "Cevap {} değil.", "Die Antwort ist nicht {}.", "答案不是{}。",
    "答えは{}ではありません。", "정답은 {}이 아닙니다.", "Vastaus ei ole {}.", "Odpowiedź to nie {}.",
    "Odpověď není {}.",
    # Languages without a table.
    "Válasz: nem {}.", "Răspunsul nu este {}.", "Svarið er ekki {}.", "Vastus ei ole {}.", "Atsakymas nėra {}.",
    "जवाब {} नहीं है।", "الجواب ليس {}.", "Η απάντηση δεν είναι {}.", "Câu trả lời không phải là {}.", "Jibu si {}.",
    "{}?", "Is it {}?", "❌ {}", "~~{}~~", "~~{}~~ garden", "{} (wrong)", "{} is wrong.", "anything but {}",
    "Answer: not {}", "{} or garden", "garden or {}", "Either {} or garden.", "{} / garden", "{}\ngarden", "Maybe {}",
    "Perhaps it is {}.", "The answer is {}. The answer is garden.", "Answer 1: {}\nAnswer 2: garden",
    "{}. No, wait, garden.", '{{"answer": "{}", "alternative": "garden"}}', '{{"answer": ["{}", "garden"]}}',
    "It could be {}.", "{} 50 %, garden 50 %", "If Ann is right, it is {}.", "The answer would never be {}.",
    "{} was the answer of my friend, who is mistaken.", "<think>The answer is {}.", "I'm sorry, but I can't say {}.",
    "<answer>{}</answer><answer>garden</answer>",
)  # fmt: skip


@pytest.mark.parametrize("said", DENIALS)
def test_what_denies_doubts_or_offers_two_is_not_credited(said):
    assert score(said.format("office"), WHERE, "office", STORY) == 0.0
    assert score(said.format("entailment"), ENTAILS, "entailment") == 0.0
    assert score(said.format("7"), COUNT, "7") == 0.0


@pytest.mark.parametrize(
    "said",
    [
        "The answer is {w}. Wait, let me double check. The answer is {a}.", "{w}. No, wait, {a}.",
        "Answer: {w}\nAnswer: {a}", "{w}... actually, {a}.", "{w}. Wait, no. It's {a}.",
        "I first thought it was {w}, but it is {a}.", "The answer is {w}. Sorry, I meant {a}.",
        "{w}\n\nCorrection: {a}",
        "<answer>{w}</answer> Wait. <answer>{a}</answer>", "\\boxed{{{w}}} Hmm, no: \\boxed{{{a}}}",
        "{w}. Wait, actually it's {a}.", "答案是{w}。等等，{a}。",
        "La respuesta es {w}. No, espera, {a}.", "Die Antwort ist {w}. Moment, {a}.",
        # Nothing between a turn and the last word is weighed.
        "{w}\n\nWait, the dog was elsewhere.\n\n{a}", "{w}. Hold on, I skipped a line; the answer is {a}.",
        "{w}. Eigentlich {a}.", "{w}. Eigentlich ist es {a}.", "{w}. Anzi {a}.", "{w}，其实是{a}。", "{w}. Hayır, {a}.",
        "{w}. Wait, is that so? No, {a}.",
    ],
)  # fmt: skip
def test_the_last_word_counts(said):
    for task, right, wrong in ((WHERE, "office", "bedroom"), (ENTAILS, "entailment", "not-entailment")):
        assert score(said.format(a=right, w=wrong), task, right, STORY) == 1.0
        assert score(said.format(a=wrong, w=right), task, right, STORY) == 0.0


def test_an_answer_to_a_question_of_its_own_is_no_last_word():
    asked = Task("t", Instruction("Is it so?"), "boolean", labels=("yes", "no"))
    assert read_answer(asked, "No. Wait, is that right? Yes.").answer is None
    assert read_answer(asked, "No. Wait, yes.").answer == "yes"


def test_a_later_structure_replaces_an_earlier_one():
    right, wrong = '[{"a": "1", "b": "2"}]', '[{"a": "3", "b": "4"}]'
    for said in ("{w}\n\nWait, that is wrong:\n\n{a}", "Answer: {w}\nSorry, I meant {a}", "{w} {a}"):
        assert score(said.format(a=right, w=wrong), SHAPE, right) == float(said != "{w} {a}")
        assert score(said.format(a=wrong, w=right), SHAPE, right) == 0.0
    assert score(f"Answer: {right}.", SHAPE, right) == 1.0


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "empty"), (" \n ", "empty"), ("<think>so", "still thinking"), ("I'm sorry, but I cannot help.", "refusal"),
        ("I don't know where he is.", "refusal"), ("I hope this helps!", "no answer"), ("office?", "asked back"),
        ("The answer is office. The answer is garden.", "two answers"),
        ("Answer: office\n\nOr not.", "no known form"),
    ],
)  # fmt: skip
def test_what_is_unparsed_says_why(said, why):
    reading = read_answer(WHERE, said, prompt=STORY)
    assert reading.answer is None
    assert reading.why == why
    assert reading.unfinished is (why == "still thinking")


def test_the_prompt_repeated_is_no_answer():
    for said in (STORY, f"Say where the person is.\n\n{STORY}", STORY.replace("\n", " ")):
        assert score(said, WHERE, "office", STORY) == 0.0
        assert score(said, WHERE, "Daniel", STORY) == 0.0


def test_case_and_articles_count_where_the_task_is_about_them():
    assert score("red boat", TITLE, "Red Boat") == 0.0
    article = _task("text", "exact", "Add the article.", [("egg", "an egg")])
    assert score("egg", article, "an egg") == 0.0
    assert score("The answer is an egg.", article, "an egg") == 1.0


def test_parts_are_marked_where_the_answer_stands_alone():
    assert 0.0 < score("Answer: 40 small tons", SPAN, "40 tons") < 1.0
    assert score("It is not 40 tons.", SPAN, "40 tons") == 0.0


@pytest.mark.parametrize(
    "suite", ["babi/mix-t12", "seti/task1-trivial", "superni/embedded", "taskbench/500", "zest/fictional"]
)
def test_no_hedge_and_no_wrong_answer_of_the_list_is_credited(suite):
    opened = open_suite(suite, seed=0)
    rows = [row for row, _ in zip(opened.draw(opened.default_split()), range(400), strict=False)]
    random = Random(suite)
    styles = [one for each in ROUNDS for one in each.styles]
    hedges = [one for each in ROUNDS for one in each.hedges]
    for row in random.sample(rows, 12):
        task, instance = opened.tasks[row.task], row.instance
        if task.kind in ("items", "json"):
            continue
        right = parts_of(instance)
        wrong = next((label for label in task.labels if label != whole(right, task)), "zebra")
        for template in random.sample(hedges, 20):
            said = say(template, right, task, instance, wrong)
            strict = judge_answer(task, instance, said, reader="strict").score
            assert judge_answer(task, instance, said).score <= strict, said
        for template in random.sample(styles, 20):
            said = say(template, [wrong], task, instance)
            assert judge_answer(task, instance, said).score <= judge_answer(task, instance, wrong).score, said


@given(st.text(max_size=300))
def test_nothing_a_model_says_breaks_it(text):
    for task in (WHERE, YES_NO, COUNT, LIST, SHAPE, SENTENCE):
        first = LENIENT.read(text, task, STORY)
        assert first == LENIENT.read(text, task, STORY)
        assert 0.0 <= LENIENT.grade(first, SCORERS.get(task.scorer), AnyOf(("x",)), task).value <= 1.0


@pytest.mark.parametrize(
    "unit",
    ["{", "[", "wait, ", "Answer: x\n", "\\boxed{", "<answer>", "*", "<think>", "a. ", "```\n", "-\n", "<|"],
)
def test_long_outputs_are_looked_at_from_their_end(unit):
    text = unit * (1_000_000 // len(unit))
    assert LENIENT.read(text, WHERE, STORY) == LENIENT.read(text, WHERE, STORY)
    assert LENIENT.read(f"{text}</think>\nAnswer: office", WHERE, STORY).answer == "office"


def test_it_says_which_version_and_which_frames():
    described = LENIENT.describe()
    assert (described["name"], described["version"]) == ("lenient", "3")
    assert len(described["frames"]) == 12


def test_only_the_beginning_of_a_line_is_a_bullet():
    assert score("Answer:\nwell - known path\nmilk", LIST, ["well - known path", "milk"]) == 1


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("The answer is garden. Hmm, hold on. Having slept on it, the answer is office.", "office"),
        ("Garden. Hold on, I will change that: the answer is office.", "office"),
        ("It is really no garden; the right answer is office.", "office"),
        ("The answer is garden. Upon closer inspection, the answer is office.", "office"),
        ("The answer depends. If it rains, the answer is garden; if it does not, the answer is office.", None),
        ("The answer is garden. The answer is office.", None),
        ("The answer is garden. However, office cannot be ruled out.", None),
        ("I was told that the answer is office, but I do not believe it.", None),
        ("If it rained, the answer is office.", None),
    ],
)
def test_what_was_taken_back_is_replaced_by_the_next_sentence_that_gives_the_answer(said, answer):
    where = Task("t", Instruction("Say where the person is.", (Example("Where is Mary?", "garden"),)))
    assert READERS.get("lenient").read(said, where, "Where is Ann?").answer == answer


CHECKED = Task("t", Instruction("Say where the person is.", (Example("Where is Mary?", "garden"),)))


@pytest.mark.parametrize(
    "said",
    [
        "{w}. Reading the last sentence once more, it's {a}.",
        "{w}. The text, read again carefully, says so: it is {a}.",
        "I'd say {w} at first glance, but looking more carefully it's {a}.", "{w}. I misread the last line, {a}.",
        "My first idea was {w}, but that was too quick. It's {a}.", "{w}. That does not fit the text. It is {a}.",
        "Zuerst dachte ich {w}, aber bei genauerem Hinsehen ist es {a}.", "{w}. Non, je me suis trompé : c'est {a}.",
        "Al principio pensé que era {w}, pero al releer el texto la respuesta es {a}.", "{w}. Aspetta, no: {a}.",
        "Сначала я подумал, что {w}, но, перечитав, вижу: правильный ответ — {a}.",
        "我先想到{w}，但仔细看后，答案是{a}。",
        "Is it {w}? No. It's {a}.", "Ist es {w}? Nein. Es ist {a}.", "{w} ? Non, la réponse est {a}.", "~~{w}~~ {a}",
        "Не {w}, как я сначала думал, а {a}.", "Ответ: {w}. Я подумал ещё. Ответ: {a}.",
        "The answer is {w}. No, I got two of them confused. The answer is {a}.",
    ],
)  # fmt: skip
def test_talk_about_checking_takes_back_in_any_order_of_known_words(said):
    assert score(said.format(a="office", w="bedroom"), CHECKED, "office", STORY) == 1.0
    assert score(said.format(a="bedroom", w="office"), CHECKED, "office", STORY) == 0.0


@pytest.mark.parametrize(
    "said",
    [
        "The wrong one is {a}.", "The wrong answer: {a}", "Wrong: {a}", "bedroom. Wrong: {a}", "Falsche Antwort: {a}",
        "El error es {a}.", "Ошибка — это {a}.", "错误答案：{a}", "bedroom. Reading it differently, it is {a}.",
        "bedroom. They read it so that it is {a}.", "bedroom. Had I read it again, it is {a}.", "Se rileggo, è {a}.",
        "bedroom. If I read it again, it is {a}.", "It is not, in fact, {a}.", "Looking again, it is not {a}.",
        "{a}. I was wrong.", "I was wrong to say {a}.", "bedroom, but maybe {a}.", "anything but the {a}",
        "Is it {a}? No.",
        "bedroom. One more: {a}", "Were it not for the last sentence, the answer would be {a}.",
    ],
)  # fmt: skip
def test_known_words_never_make_a_denial_or_a_condition_an_answer(said):
    assert score(said.format(a="office"), CHECKED, "office", STORY) == 0.0


def test_words_of_the_answers_that_were_shown_are_no_talk():
    task = Task("t", Instruction("Is it so?"), "boolean", labels=("true", "false"))
    assert read_answer(task, "true, sorry, false.").answer == "false"
    opposite = _task("text", "exact", "Say the opposite.", [("right", "wrong")])
    assert read_answer(opposite, "right. Wait, wrong.").answer == "wrong"


@pytest.mark.parametrize("said", ["The answer is -5.", "6. Wait, -5.", "It is -5.", "The answer is 6. No, −5."])
def test_a_sign_before_a_digit_is_no_dash(said):
    assert read_answer(COUNT, said).answer == "-5"


def test_turns_in_turns_are_read_once():
    assert LENIENT.read("but wait, " * 100 + "office", WHERE, STORY).answer == "office"


@pytest.mark.parametrize("said", [
    "The options are entailment and not-entailment. The better fit is not-entailment.",
    "All'inizio pensavo fosse entailment, ma rileggendo bene il testo è not-entailment.",
    "Primeiro achei que fosse entailment, mas o correto é not-entailment.",
])  # fmt: skip
def test_a_hyphen_inside_a_label_ends_no_clause(said):
    assert score(said, ENTAILS, "not-entailment") == 1.0
    assert score(said, ENTAILS, "entailment") == 0.0


@pytest.mark.parametrize(
    "said",
    [
        "Here's the answer you asked for: {}", "La solución es {}.", "Hier ist die Lösung: {}", "Ecco la risposta: {}",
        "Je choisis {}.", "Jag väljer {}.", "Ik kies {}.", "Я выбираю {}.", "As requested, here is the answer:\n{}",
    ],
)  # fmt: skip
def test_a_heading_of_known_words_marks_an_answer_in_any_language(said):
    assert score(said.format("office"), WHERE, "office", STORY) == 1.0
    assert score(said.format("bedroom"), WHERE, "office", STORY) == 0.0


@pytest.mark.parametrize(
    "said",
    ["Here's the answer to avoid: {}", "The answer I had before: {}", "La respuesta no es {}.", "Je ne choisis pas {}.",
     "Here's the question you asked: {}", "Is this the answer: {}", "Ist das die Antwort: {}",
     "If it isn't bedroom, it's {}.", "It isn't {}, it's not.",
     "He wants this answer: {}", "You gave this answer: {}", "An answer that is not right: {}", "Ik kies niet {}."],
)  # fmt: skip
def test_a_heading_that_denies_or_is_of_other_people_marks_none(said):
    assert score(said.format("office"), WHERE, "office", STORY) == 0.0


@pytest.mark.parametrize(
    "said",
    ["One might think it is {w}. It isn't. It is {a}.", "{w}\n\nWait. That's not it.\n\n{a}",
     "Answer: {w}. Revised answer: {a}.", "Niet {w} maar {a}.", "Non pas {w} mais {a}.",
     "It isn't {w}, it's {a}.", "Nicht {w}, es ist {a}.", "No es {w}, es {a}.", "Inte {w}, det är {a}.",
     "The answer seems to be {w}. After verifying, however, it turns out to be {a}."],
)  # fmt: skip
def test_the_last_word_counts_behind_a_short_denial_a_later_mark_or_a_contrast(said):
    assert score(said.format(w="bedroom", a="office"), WHERE, "office", STORY) == 1.0
    assert score(said.format(w="office", a="bedroom"), WHERE, "office", STORY) == 0.0


@pytest.mark.parametrize(
    "said",
    ["Daniel was somewhere else at noon, so the answer is {a}.", "The train left early, so it's {a}.",
     "Since Daniel journeyed there, the answer is {a}.", "Reading the story, the last line counts: it is {a}.",
     "The answer is {a}, not {w}.", "{a} seems right to me.", "{a}. I double-checked the text.",
     "The last paragraph surprised me.\n\n{a}", "I wanted to say {w}, but {a}.", "The answer is clear: {a}.",
     "Daniel was at home. Therefore Daniel is in the {a}.", "Ik denk dat het {a} is.", "Alltså är svaret {a}."],
)  # fmt: skip
def test_what_stands_before_a_statement_may_be_anything(said):
    assert score(said.format(w="bedroom", a="office"), WHERE, "office", STORY) == 1.0
    assert score(said.format(w="office", a="bedroom"), WHERE, "office", STORY) == 0.0


@pytest.mark.parametrize(
    "said",
    ["If Daniel journeyed there, the answer is {}.", "Perhaps he left, so it's {}.", "Otherwise, it is {}.",
     "Si la primera frase es cierta, es {}; si no, bedroom.", "Non so se è {}.", "Om texten stämmer är det {}.",
     "Which one is wrong?\n\n{}", "These are not the place.\n\n{}", "{} makes no sense.", "{} is one option.",
     "{}. I was too quick.", "I can't tell whether it's bedroom or {}.", "bedroom, not {}", "The question is about {}.",
     "Looking for {}.", "One answer is {}.", "It is bedroom. An example of an answer: {}", "Were he here, it's {}."],
)  # fmt: skip
def test_a_condition_a_guess_or_a_question_before_it_makes_it_no_statement(said):
    assert score(said.format("office"), WHERE, "office", STORY) == 0.0


def test_a_label_may_end_a_sentence_in_words_of_the_task():
    assert score("The relation in this pair is entailment.", ENTAILS, "entailment") == 1.0
    assert score("The relation in this pair is not entailment.", ENTAILS, "entailment") == 0.0
    for listed in ("Options: no, yes", "no, yes", "Of no, of yes", "O no o yes", "Answer with one of: no, yes"):
        assert score(listed, YES_NO, "yes") == 0.0


def test_words_of_talk_may_be_the_answer_on_the_asked_line():
    idiom = _task("text", "exact", "Say the idiom.", [("What?", "far out")])
    assert score("I am sure.\nAnswer: sure enough", idiom, "sure enough") == 1.0
    assert score("I am sure.\nAnswer: not enough", idiom, "enough") == 0.0


def test_talk_behind_the_answer_on_the_asked_line_is_no_part_of_it():
    assert score("Final answer: office. Let me know if you need anything else!", WHERE, "office", STORY) == 1.0
    assert score("Final answer: office. That is wrong.", WHERE, "office", STORY) == 0.0
    assert score("Answer: yes, which is false.", YES_NO, "yes") == 0.0


@pytest.mark.parametrize("said", ["The answer is {a} and {w}.", "O {a} o {w}.", "Het is {a} of {w}.", "{a}, {w}",
                                  "I want to change my answer from {a} to {w}."])  # fmt: skip
def test_a_word_of_the_question_beside_an_answer_may_be_another_answer(said):
    why = _task("text", "exact", "Say why.", [("Why did Bill go to the park?", "bored")])
    story = "Bill is thirsty.\nBill went to the kitchen.\nWhy did Bill go to the kitchen?"
    assert score(said.format(a="thirsty", w="kitchen"), why, "thirsty", story) == 0.0


def test_small_words_of_long_example_answers_may_still_be_talk():
    names = _task("text", "exact", "Say the name.", [("Who?", "the Fire of the Year")])
    assert score("The requested name is for you: the answer is Flood.", names, "Flood") == 1.0
    assert score("Tracing through the input gives us Flood.", names, "Flood") == 1.0


@pytest.mark.parametrize("unit", ["x\n", "A. ", "a, ", ". Answer: a", "- a\n", "the answer "])
@pytest.mark.parametrize("task", [WHERE, LIST, SHAPE, SENTENCE])
def test_a_million_characters_take_no_more_steps_than_a_hundred_thousand(unit, task):
    def steps(size):
        count = 0

        def step(*_):
            nonlocal count
            count += 1

        sys.setprofile(step)
        try:
            LENIENT.read(unit * (size // len(unit)), task, STORY)
        finally:
            sys.setprofile(None)
        return count

    steps(1_000)
    assert steps(1_000_000) <= min(1.2 * steps(100_000), 150_000)
