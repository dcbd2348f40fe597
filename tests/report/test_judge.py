"""The form in a browser: keys work, answers survive closing it, and hostile text is only text."""

from __future__ import annotations

import msgspec
import pytest

from taskloom import load_run, open_suite, run_suite
from taskloom.cli.main import main
from taskloom.report.studies import form_page
from taskloom.studies.judgement.forms import COMPARE, RATINGS, FormItem, RatedText, RatingForm, RatingQuestion

_HOSTILE = '</script><img src=x onerror="document.title=1">'


def _form():
    question = RatingQuestion("better", f"Which? {_HOSTILE}", COMPARE)
    texts = (
        RatedText("Definition", "Copy."),
        RatedText("Input", _HOSTILE),
        RatedText("Answer A", "a"),
        RatedText("Answer B", _HOSTILE),
    )
    return RatingForm(
        "f0", "compare", "Which is better?", tuple(FormItem(f"i{n}", texts, (question,)) for n in range(3))
    )


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
        *(RatingQuestion(name, f"How good? {name}", RATINGS[::-1]) for name in aspects),
        RatingQuestion("remarks", "More?"),
    )
    form = RatingForm(
        "f1", "instructions", "How good?", (FormItem("i0", (RatedText("Definition", "Copy."),), questions),)
    )
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
    question = RatingQuestion("answer", "Your answer")
    items = tuple(FormItem(f"i{n}", (RatedText("Input", "1 + 1"),), (question,)) for n in range(2))
    path = tmp_path / "ask.html"
    path.write_text(form_page(RatingForm("f2", "answer", "What?", items)), encoding="utf-8")
    area = "document.querySelector('[data-questions] textarea')"
    write = f"({area}.value = '2', {area}.dispatchEvent(new Event('input', {{bubbles: true}}))) && 0"
    turn = f"{area}.dispatchEvent(new KeyboardEvent('keydown', {{key: 'Enter', ctrlKey: true, bubbles: true}})) && 0"
    seen = browser.open(path, _PROGRESS, write, _PROGRESS, turn, _PROGRESS, f"{area}.value")
    assert seen.values[0::2] == ["1 of 2, 0 answered", "1 of 2, 1 answered", "2 of 2, 1 answered"]
    assert seen.values[-1] == ""


_FILLED = """(async () => {
  const saved = [];
  URL.createObjectURL = (blob) => { saved.push(blob); return "blob:x"; };
  HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
  const find = (name) => document.querySelector(name);
  const save = () => find("[data-save-answers]").click();
  save();
  const nameless = saved.length;
  const rater = find("[name=rater]");
  rater.value = " Ann B. ";
  rater.dispatchEvent(new Event("input", { bubbles: true }));
  const count = JSON.parse(find("[data-judge] script").textContent).items.length;
  for (let turn = 0; turn < count; turn++) {
    // Single questions turn the page themselves; going to the place by name works for every form.
    while (!find("[data-progress]").textContent.startsWith(turn + 1 + " of")) find("[data-next]").click();
    for (let place = 0; place < document.querySelectorAll("[data-questions] fieldset").length; place++) {
      const block = document.querySelectorAll("[data-questions] fieldset")[place];
      const area = block.querySelector("textarea");
      if (area) { area.value = "ünicode\\n" + turn; area.dispatchEvent(new Event("input", { bubbles: true })); }
      else block.querySelectorAll("button")[turn % block.querySelectorAll("button").length].click();
      if (!find("[data-progress]").textContent.startsWith(turn + 1 + " of")) break;
    }
  }
  const progress = find("[data-progress]").textContent;
  save();
  const texts = await Promise.all(saved.filter((one) => one instanceof Blob).map((blob) => blob.text()));
  return { nameless, count, progress, texts, names: saved.filter((one) => typeof one === "string") };
})()"""


@pytest.mark.parametrize("kind", ["compare", "instructions", "answer"])
def test_what_the_button_saves_is_what_is_read(browser, tmp_path, capsys, kind):
    """Each form as the command makes it, filled in and saved by clicks, and read by the command."""
    suite = open_suite("superni/embedded", options={"instances": 2, "languages": ["English"], "tasks": 3})
    run_suite(suite, model="mock/copy-demo", folder=tmp_path / "run", limit=1)
    page = tmp_path / "form.html"
    make = ["judge", "make", str(tmp_path / "run"), "--form", kind, "--tasks", "5", "--raters", "1", "-o", str(page)]
    assert main(make) == 0
    seen = browser.open(page, _FILLED)
    assert seen.harmless, seen
    (found,) = seen.values
    assert found["nameless"] == 0, "nothing is saved before somebody is named"
    assert found["progress"].endswith("all answered: save them")
    (text,), (name,) = found["texts"], found["names"]
    assert name.startswith("answers-") and name.endswith("-Ann-B-.jsonl")
    (tmp_path / name).write_text(text, encoding="utf-8")
    capsys.readouterr()
    people = ["--name", "ann", "-o", str(tmp_path / "ann")] if kind == "answer" else []
    assert main(["judge", "read", str(tmp_path / "form.key.json"), str(tmp_path / name), *people]) == 0
    assert ("human/ann" if people else "Ann B.") in capsys.readouterr().out
    lines = [msgspec.json.decode(line) for line in text.splitlines()]
    assert {line["rater"] for line in lines} == {"Ann B."}
    assert len({line["item"] for line in lines}) == found["count"]
    if kind == "answer":
        assert {record.answer for record in load_run(tmp_path / "ann").records} >= {lines[0]["answer"]}
