"""What became of the published tasks, and how large their domains are: Tables 4, 6, 7 and 8 and Appendix A.2."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from taskloom.core import Recipe
from taskloom.core.study import Study, Table, Value
from taskloom.families.taskbench.family import workshop
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.families.taskbench.workshop import Verdict
from taskloom.store.ownership import write_ours
from taskloom.studies.published import printed


class StatusRecipe(TaskBenchRecipe, frozen=True, kw_only=True):
    """A suite's recipe, and which part of the list to look at.

    Attributes:
        part: The suite of listed tasks: 500, lexical, factual-closed …
        labels: The paper's labels, or the clean ones.
    """

    part: str = "500"
    labels: Literal["faithful", "clean"] = "faithful"


class Status(Study[StatusRecipe]):
    """Judges every listed task and counts the domains of the lexical atoms."""

    summary: ClassVar[str] = "what became of each of the published tasks, with domain sizes (Tables 4, 6, 7, 8)"
    recipe: ClassVar[Recipe] = StatusRecipe()

    def run(self, recipe: StatusRecipe, seed: int, out: Path | None) -> list[Table]:
        shop = workshop(recipe.part, recipe, seed)
        verdict = shop.everything()
        engine = shop.materials.lexical
        words: list[tuple[Value, ...]] = [
            (f"input words, {language}", len(engine.vocabulary[str(language)]), count)
            for language, count in printed("taskbench", "words").rows
        ]
        domains: list[tuple[Value, ...]] = [
            (name, engine.relation(parse(str(name)))[1], count) for name, count in printed("taskbench", "domains").rows
        ]
        tables = [
            _summary(verdict),
            Table(
                "Input words and domains of the lexical atoms",
                ("atom", "inputs here", "inputs in the paper's setting"),
                (*words, *domains),
                "With -T resources=DIR, a folder that holds WordNet 3.0, the Spanish wordnet, Brown and CESS-ESP, "
                "the two columns are equal.",
            ),
            Table(
                "Every task of the list",
                ("task", "table", "state", "reason", "domain", "samples"),
                tuple((one.name, one.entry.table, one.state, one.reason, one.domain, one.samples) for one in verdict),
            ),
        ]
        if out is not None:
            write_ours(out / "status.json", msgspec.json.format(msgspec.json.encode(tables), indent=1))
        return tables


def _summary(verdict: list[Verdict]) -> Table:
    """States by table, and the listed tasks in all."""
    states = sorted({one.state for one in verdict}, key=lambda state: (state != "built", state))
    found: dict[str, Counter[str]] = {}
    for one in verdict:
        found.setdefault(one.entry.table or "your own", Counter())[one.state] += 1
    rows: list[tuple[Value, ...]] = [
        (table, sum(counts.values()), *(counts[state] for state in states)) for table, counts in found.items()
    ]
    total = sum((counts for counts in found.values()), Counter[str]())
    rows.append(("all", sum(total.values()), *(total[state] for state in states)))
    return Table("What became of the listed tasks", ("table", "listed", *states), tuple(rows))


STATUS = Status()
