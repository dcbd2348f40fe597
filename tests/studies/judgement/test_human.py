"""Figure 3 of Super-NaturalInstructions from simulated raters whose preferences are known."""

from __future__ import annotations

import random

import msgspec
import pytest

from taskloom.core import UserError, resolve
from taskloom.core.catalog import STUDIES
from taskloom.studies.judgement.forms import COMPARE, FormKey, ItemKey
from taskloom.studies.judgement.read import RaterAnswer

QUALITY = {"weak": 0.2, "fair": 0.4, "good": 0.6, "best": 0.8}
"""How often people find an answer of a run at least as good as the reference."""


def _judged(follows, n=300, same=20):
    """A form over four runs, and two raters who prefer answers as often as the quality of the run says."""
    drawn = random.Random(3)
    items, answers = {}, []
    for run, quality in QUALITY.items():
        for place in range(n):
            name, first = f"{run}-{place}", drawn.random() < 0.5
            score = quality if follows else 1 - quality
            items[name] = ItemKey(f"task-{place % 10}", str(place), run, first, score, COMPARE)
            good = drawn.random() < quality
            for rater in ("one", "two"):
                said = COMPARE[1] if good and drawn.random() < 0.3 else COMPARE[0 if good == first else 2]
                answers.append(RaterAnswer("form", rater, name, "better", said))
    return FormKey("form", "compare", items, None, dict.fromkeys(QUALITY, same)), answers


def _study(tmp_path, follows, **more):
    key, answers = _judged(follows, **more)
    (tmp_path / "form.key.json").write_bytes(msgspec.json.encode(key))
    lines = b"".join(msgspec.json.encode(answer) + b"\n" for answer in answers)
    (tmp_path / "answers.jsonl").write_bytes(lines)
    study = STUDIES.get("superni/human")
    given = {"form": str(tmp_path / "form.key.json"), "answers": [str(tmp_path / "answers.jsonl")]}
    tables = study.run(resolve(study.recipe, given, where="test"), 0, tmp_path)
    return tables, study.figures(tmp_path)


@pytest.mark.parametrize(("follows", "sign"), [(True, 1), (False, -1)])
def test_what_raters_prefer_and_how_it_follows_the_score_is_found_again(tmp_path, follows, sign):
    (runs, agreement), (figure,) = _study(tmp_path, follows)
    for name, share, low, high, automatic, _, _, n in runs.rows:
        # Twenty answers of each run equal the reference: nobody is shown them, and they are as good as it.
        true = (300 * QUALITY[name] + 20) / 320
        assert low <= true <= high
        assert low < share < high
        scored = QUALITY[name] if follows else 1 - QUALITY[name]
        assert automatic == pytest.approx((300 * scored + 20) / 320)
        assert n == 320
    (row,) = agreement.rows
    assert row[1] * sign > 0.95
    assert row[4:] == (4, 0.998)
    assert [point.name for point in figure.points] == list(QUALITY)


def test_a_form_and_answers_are_asked_for(tmp_path):
    study = STUDIES.get("superni/human")
    with pytest.raises(UserError, match="no key or no answers"):
        study.run(study.recipe, 0, None)
