"""The form in a browser: keys work, answers survive closing it, and hostile text is only text."""

from __future__ import annotations

from taskloom.report.judge import form_page
from taskloom.studies.judgement.forms import COMPARE, RATINGS, Form, FormItem, Question, Text

_HOSTILE = '</script><img src=x onerror="document.title=1">'


def _form():
    question = Question("better", f"Which? {_HOSTILE}", COMPARE)
    texts = (Text("Definition", "Copy."), Text("Input", _HOSTILE), Text("Answer A", "a"), Text("Answer B", _HOSTILE))
    return Form("f0", "compare", "Which is better?", tuple(FormItem(f"i{n}", texts, (question,)) for n in range(3)))


def test_the_page_holds_text_as_text():
    text = form_page(_form())
    assert "<img" not in text
    assert "https://" not in text
    assert "i2" in text


def test_keys_answer_and_turn(browser, tmp_path):
    path = tmp_path / "form.html"
    path.write_text(form_page(_form()), encoding="utf-8")
    seen = browser.open(
        path,
        "document.querySelector('[data-progress]').textContent",
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '2', bubbles: true})) && 0",
        "document.querySelector('[data-progress]').textContent",
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true})) && 0",
        "document.querySelector('[data-questions] [aria-pressed=true]').dataset.choice",
        "JSON.parse(localStorage.getItem('taskloom-form-f0-form.html')).answers.i0.better",
        "document.querySelectorAll('[data-texts] img').length",
    )
    assert seen.harmless
    assert seen.values == ["1 of 3, 0 answered", 0, "2 of 3, 1 answered", 0, COMPARE[1], COMPARE[1], 0]


def _key(key, target="document.body"):
    return f"{target}.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}})) && 0"


_PROGRESS = "document.querySelector('[data-progress]').textContent"


def test_digits_answer_one_question_after_the_other(browser, tmp_path):
    """Three questions have twelve choices, and there are nine digits."""
    aspects = ("definition", "positive", "negative")
    questions = (
        *(Question(name, f"How good? {name}", RATINGS[::-1]) for name in aspects),
        Question("remarks", "More?"),
    )
    form = Form("f1", "instructions", "How good?", (FormItem("i0", (Text("Definition", "Copy."),), questions),))
    path = tmp_path / "rate.html"
    path.write_text(form_page(form), encoding="utf-8")
    kept = "JSON.stringify(JSON.parse(localStorage.getItem('taskloom-form-f1-rate.html')).answers.i0)"
    seen = browser.open(
        path, _PROGRESS, _key("1"), _key("2"), _PROGRESS, _key("4"), _PROGRESS, kept, _key("ArrowUp"), _key("3"), kept
    )
    assert seen.harmless
    first, again = (seen.values[place] for place in (6, 9))
    assert seen.values[0] == seen.values[3] == "1 of 1, 0 answered"
    assert seen.values[5] == "1 of 1, all answered: save them"
    assert first == '{"definition":"pretty good","positive":"okay","negative":"confusing"}'
    assert again == '{"definition":"pretty good","positive":"weak","negative":"confusing"}'


def test_what_nobody_has_written_is_not_answered(browser, tmp_path):
    question = Question("answer", "Your answer")
    items = tuple(FormItem(f"i{n}", (Text("Input", "1 + 1"),), (question,)) for n in range(2))
    path = tmp_path / "ask.html"
    path.write_text(form_page(Form("f2", "answer", "What?", items)), encoding="utf-8")
    area = "document.querySelector('[data-questions] textarea')"
    write = f"({area}.value = '2', {area}.dispatchEvent(new Event('input', {{bubbles: true}}))) && 0"
    turn = f"{area}.dispatchEvent(new KeyboardEvent('keydown', {{key: 'Enter', ctrlKey: true, bubbles: true}})) && 0"
    seen = browser.open(path, _PROGRESS, write, _PROGRESS, turn, _PROGRESS, f"{area}.value")
    assert seen.values[0::2] == ["1 of 2, 0 answered", "1 of 2, 1 answered", "2 of 2, 1 answered"]
    assert seen.values[-1] == ""
