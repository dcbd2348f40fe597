"""The same fact asked in two ways: yes-no and where-person (Table 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import ClassVar

from taskloom.core.study import Table, Value
from taskloom.studies.babi.common import PAPER, StoryStudyRecipe, ask_arm, at_scale, train_arm
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.scores import expected, measure

_FORMS = ("yes-no", "where-person")
_PUBLISHED = 446
"""The twins that the paper asked."""
_WORDS = {True: "correct", False: "incorrect"}


def confusion(frame: Frame) -> Counter[tuple[str, str]]:
    """How often twins are answered right: (yes-no, where-person). Twins share an id within a seed."""
    right: dict[tuple[object, str], dict[str, bool]] = {}
    for one in frame:
        right.setdefault((one.seeds, one.record.id), {})[one.record.task] = one.score >= 1
    both = [twins for twins in right.values() if len(twins) == 2]
    return Counter((_WORDS[twins["yes-no"]], _WORDS[twins["where-person"]]) for twins in both)


class Rephrase(Experiment):
    """Trained on diverse(T12), asked every yes-no question of mix(T12) whose answer is yes, and its twin."""

    name: ClassVar[str] = "babi/rephrase"
    summary: ClassVar[str] = "does a model know that 'Is X in L? yes' and 'Where is X? L' are the same (Table 10)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": StoryStudyRecipe(models=("tiny/entnet",), groups=("t12",), **at_scale("smoke")),
        "tiny": StoryStudyRecipe(models=("tiny/entnet",), groups=("t12",), **at_scale("tiny")),
        "paper": StoryStudyRecipe(models=("hf/google-t5/t5-base",), groups=("t12",), **at_scale("paper")),
    }

    def grid(self, recipe: StoryStudyRecipe, seed: int) -> Iterator[Arm]:
        for model, group, data in product(recipe.models, recipe.groups, recipe.replicates(seed)):
            base = train_arm(recipe, "diverse", group, model, data, {"asked": "own"})
            yield ask_arm(recipe, base, "rephrase", group, asked="rephrase")

    def analyse(self, frame: Frame, recipe: StoryStudyRecipe) -> Findings:
        table = printed("dyna-babi", "table-10")
        rows: list[tuple[Value, ...]] = []
        for (model,), part in frame.by("model").items():
            counts = confusion(part)
            total = sum(counts.values())
            for first, second, paper in table.rows:
                count = counts[str(first), str(second)]
                share = count / total if total else None
                rows.append((model, first, second, count, share, paper, int(str(paper)) / _PUBLISHED))
        columns = ("model", "yes-no", "where-person", "questions", "share", "published", "published share")
        note = f"How many twins, over all seeds; every twin counts once. Published: T5 in {PAPER}, {table.where}."
        printed_right = {
            form: sum(int(str(row[2])) for row in table.rows if row[place] == "correct") / _PUBLISHED
            for place, form in enumerate(_FORMS)
        }
        drawn = measure(frame, "model", "task", published=lambda key: printed_right.get(key["task"]))
        return Findings(
            tables=[
                Table("Twins answered right", columns, tuple(rows), note),
                measure(frame, "model", "task").table("Accuracy by form", columns={"task": "form"}),
            ],
            figures=[
                drawn.intervals("Two forms of one question", "{model}, {task}", caption="Diamonds: the paper's T5.")
            ],
            checks=expected(
                frame, "{model} does better asked 'Where is X?' than asked 'Is X in L?'", "model",
                more={"task": "where-person"}, less={"task": "yes-no"}, source="Table 10",
            ),
        )  # fmt: skip


REPHRASE = Rephrase()
