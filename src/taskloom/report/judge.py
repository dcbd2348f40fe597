"""The page of a form: self-contained, offline, for keyboard and thumb."""

from __future__ import annotations

import msgspec

from taskloom.report.html import GENERATOR, data_block, page, part
from taskloom.studies.judgement.forms import RatingForm

__all__ = ["LEADS", "form_page"]

LEADS = {
    "compare": "Read the task and its input, then say which of two answers is better. Their order is random.",
    "answer": "Read the task, and answer its inputs as it tells you to.",
    "read": "Read what a model said, and copy the answer that it settles on. The right answers are not shown.",
    "instructions": "Read each instruction as if you had to do the task, and say how well it tells you to.",
}


def form_page(form: RatingForm) -> str:
    """The page that a rater fills in. It holds no word on whose answers they are."""
    body = part("judge_form", data_block(msgspec.to_builtins(form)))
    footer = f"{GENERATOR}, form {form.id}, {len(form.items):,} items"
    return page(form.title, LEADS[form.kind], body, footer, ("state.js", "judge.js"), styles=("judge.css",))
