"""The form in a browser: keys work, answers survive closing it, and hostile text is only text."""

from __future__ import annotations

from taskloom.report.judge import form_page
from taskloom.studies.judgement.forms import COMPARE, Form, Item, Question, Text

_HOSTILE = '</script><img src=x onerror="document.title=1">'


def _form():
    question = Question("better", f"Which? {_HOSTILE}", COMPARE)
    texts = (Text("Definition", "Copy."), Text("Input", _HOSTILE), Text("Answer A", "a"), Text("Answer B", _HOSTILE))
    return Form("f0", "compare", "Which is better?", tuple(Item(f"i{n}", texts, (question,)) for n in range(3)))


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
        "JSON.parse(localStorage.getItem('taskloom-form-f0')).answers.i0.better",
        "document.querySelectorAll('[data-texts] img').length",
    )
    assert seen.harmless
    assert seen.values == ["1 of 3, 0 answered", 0, "2 of 3, 1 answered", 0, COMPARE[1], COMPARE[1], 0]
