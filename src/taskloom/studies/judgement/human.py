"""Human evaluation beside the automatic score, run by run: Figure 3 of Super-NaturalInstructions from judge files."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import ClassVar

import msgspec

from taskloom.core import Recipe, UserError
from taskloom.core.decode import read_json
from taskloom.core.metric import Estimate
from taskloom.core.study import Study, Table, Value
from taskloom.figures import Figure, ScatterPlot, ScatterPoint
from taskloom.score.stats import mean_estimate
from taskloom.store.ownership import write_ours
from taskloom.studies.analysis.correlation import pearson
from taskloom.studies.findings import estimate_cells
from taskloom.studies.judgement.forms import FormKey
from taskloom.studies.judgement.read import RaterAnswer, credit, preference, read_answers, read_key
from taskloom.studies.published import printed

_FILE = "human.json"


class HumanRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `superni/human`.

    Attributes:
        form: The key of a form that compares answers of several runs (`taskloom judge make RUN RUN … -o form.html`).
        answers: Files of raters' answers.
    """

    form: str = ""
    answers: tuple[str, ...] = ()


class JudgedRun(msgspec.Struct, frozen=True):
    """A run as people and as the automatic metric see it, on the same answers."""

    run: str
    judged: Estimate
    automatic: Estimate


def judged_runs(answers: Sequence[RaterAnswer], key: FormKey) -> list[JudgedRun]:
    """Every run of a form: how often its answers are at least as good as the reference, and its automatic score.

    Answers that equal the reference were not shown to raters: they are as good as it, and have the full score.
    """
    found = []
    for run in dict.fromkeys(item.run for item in key.items.values()):
        own = [(one.item, one) for one in answers if key.items[one.item].run == run]
        good = [(item, preference(one, key.items[item]) != "reference") for item, one in own]
        seen = {item: key.items[item].score or 0.0 for item, _ in own}
        same = key.same.get(run, 0)
        found.append(JudgedRun(run, credit(good, same), mean_estimate([*seen.values(), *[1.0] * same])))
    return found


class HumanEvaluation(Study[HumanRecipe]):
    """One point for each run, and how closely people follow the automatic score."""

    summary: ClassVar[str] = (
        "Super-NI, Figure 3: people's judgement beside ROUGE-L, from judge files (-T key= -T answers=[])"
    )
    needs: ClassVar[str] = "a form over several runs (taskloom judge make) and the answers of raters"
    recipe: ClassVar[Recipe] = HumanRecipe()

    def run(self, recipe: HumanRecipe, seed: int, out: Path | None) -> list[Table]:
        if not recipe.form or not recipe.answers:
            hint = "-T form=form.key.json -T 'answers=[answers-1.jsonl]'; taskloom judge make RUN RUN writes a form"
            raise UserError("no key or no answers given", where="study superni/human", hint=hint)
        key = read_key(Path(recipe.form).expanduser())
        if key.kind != "compare":
            raise UserError("this form compares no answers", where=recipe.form, hint="taskloom judge make RUN RUN")
        found = judged_runs(read_answers([Path(path).expanduser() for path in recipe.answers], key), key)
        if out is not None:
            write_ours(out / _FILE, msgspec.json.encode(found))
        return [_runs(found), _agreement(found)]

    def figures(self, out: Path) -> Sequence[Figure]:
        found = read_json(out / _FILE, type=list[JudgedRun])
        points = tuple(
            ScatterPoint(
                one.run, one.automatic.value, one.judged.value, one.judged.n,
                x_interval=(one.automatic.low, one.automatic.high), y_interval=(one.judged.low, one.judged.high),
            )
            for one in found
        )  # fmt: skip
        caption = "One point for each run, on the answers that were judged; crosses: 95 % intervals over answers."
        plot = ScatterPlot(
            title="People and the automatic score", points=points, caption=caption,
            x_name="automatic score", y_name="at least as good as the reference",
        )  # fmt: skip
        return (plot,)


def _runs(found: Sequence[JudgedRun]) -> Table:
    rows = tuple(
        (one.run, *estimate_cells(one.judged)[:3], *estimate_cells(one.automatic)[:3], one.judged.n) for one in found
    )
    columns = ("run", "at least as good", "low", "high", "automatic score", "low ", "high ", "answers")
    note = "Every answer counts once, however many judged it; 95 % intervals over answers. Ties count as good."
    return Table("Judged and scored", columns, rows, note)


def _agreement(found: Sequence[JudgedRun]) -> Table:
    one = pearson([run.automatic.value for run in found], [run.judged.value for run in found])
    paper = printed("superni", "figures").lookup("value", what="Pearson, human judgement and ROUGE-L")
    row: tuple[Value, ...] = (
        "Pearson's r", None if isnan(one.value) else one.value, one.low, one.high, one.n, paper,
    )  # fmt: skip
    note = "Every run counts once; the interval is over runs, and that of fewer than four says nothing."
    columns = ("coefficient", "value", "low", "high", "runs", "published")
    return Table("How closely people follow the score", columns, (row,), note)


HUMAN = HumanEvaluation()
