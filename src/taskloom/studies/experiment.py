"""A study that runs models: a grid of runs at three scales, an analysis of their records, and what can be concluded."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from taskloom.core import UserError, resolve, unknown_name
from taskloom.core.catalog import STUDIES
from taskloom.core.execute import execute_file
from taskloom.core.secrets import public
from taskloom.core.study import Study, Table, Value
from taskloom.studies.engines import JobEngine
from taskloom.studies.findings import Check, Findings, StudyResult, conclusions, left_out, write_study
from taskloom.studies.frame import Expectation, Frame, guessers, load_frame
from taskloom.studies.grid import SCALES, Arm, GridRecipe, InProcess, RunStore, Scale, cuts
from taskloom.studies.papers import PrintedTable, paper_of, scales_of


class Experiment(Study[GridRecipe]):
    """A study over runs. One file each: settings, `grid`, `analyse`."""

    name: ClassVar[str]
    """As `taskloom study` calls it."""

    paper: ClassVar[str] = ""
    """Whose tables and figures it repeats."""

    by_heart: ClassVar[bool] = False
    """Whether it is about what was trained on, so that guessing at other questions says nothing against a model."""

    expects: ClassVar[tuple[Expectation, ...]] = ()
    """What the paper leads us to expect."""

    scales: ClassVar[Mapping[Scale, GridRecipe]]
    """Its settings at each scale; those of `tiny` are its defaults."""

    declared: ClassVar[dict[str, str]] = {
        "name": 'name = "duel"',
        **Study.declared,
        "scales": 'scales = {"smoke": SMOKE, "tiny": TINY, "paper": PAPER}, each a GridRecipe',
    }

    def __init_subclass__(cls, study: str = "", settings: type[GridRecipe] = GridRecipe, **more: Any) -> None:
        """`study` names a record of `settings/`: the question, the paper, and the settings at each scale."""
        super().__init_subclass__(**more)
        if study:
            paper = paper_of(study)
            cls.name, cls.summary, cls.paper = study, paper.studies[study].question, paper.citation
            cls.scales, cls.expects = scales_of(study, settings), paper.studies[study].expects
        if "scales" in vars(cls) and "recipe" not in vars(cls) and "tiny" in cls.scales:
            cls.recipe = cls.scales["tiny"]

    @abstractmethod
    def grid(self, recipe: Any, seed: int) -> Iterable[Arm]:
        """The runs it needs. `seed` is the first data seed; replicates count up from it."""

    def prepare(self, recipe: Any) -> None:
        """Make once what the runs need and no run makes, such as a pretrained checkpoint. Nothing by default."""

    @abstractmethod
    def analyse(self, frame: Frame, recipe: Any) -> Findings:
        """Tables, figures, checks and sentences from the records. Pure: the same frame gives the same findings."""

    def cited(self, table: PrintedTable, model: str = "") -> str:
        """The note about published numbers in a table of ours."""
        return f"Published: {model or 'the model of that kind'} in {self.paper}, {table.where}."

    def checks(self, frame: Frame, **computed: Value) -> list[Check]:
        """What became of `expects` in a frame; values that stand in braces there are given here."""
        return [check for one in self.expects for check in one.checks(frame, **computed)]

    def run(self, recipe: GridRecipe, seed: int, out: Path | None) -> list[Table]:
        """Carry out the study in this process, and write its folder where one is given."""
        result = run_study(self, recipe, seed=seed)
        if out is not None:
            write_study(result, out)
        return list(result.findings.tables)


def recipe_for(
    study: Experiment, scale: str, settings: Mapping[str, Any] | None = None, models: Iterable[str] = ()
) -> GridRecipe:
    """The settings of a study at a scale, with some of them replaced.

    Raises:
        UserError: No such scale, or a key that the study does not have.
    """
    if scale not in study.scales:
        raise unknown_name("scale", scale, SCALES, where=f"study {study.name}")
    given = dict(settings or {})
    if named := tuple(models):
        if "models" in given:
            raise UserError("--model and -T models are the same setting; give only one", where=f"study {study.name}")
        given["models"] = list(named)
        if "instead" in study.scales[scale].__struct_fields__:  # type: ignore[index]
            given.setdefault("instead", {})
    return resolve(study.scales[scale], given, where=f"study {study.name}")  # type: ignore[index]


def run_study(
    study: Experiment,
    recipe: GridRecipe,
    *,
    seed: int = 0,
    scale: str = "",
    shelf: RunStore | None = None,
    engine: JobEngine | None = None,
) -> StudyResult:
    """Do the runs that are not on the shelf, and analyse all of them.

    Args:
        study: The study.
        recipe: Its settings (`recipe_for`).
        seed: The first data seed.
        scale: What the settings are called, for the record.
        shelf: Where runs are kept and found.
        engine: What carries them out; this process by default.

    Raises:
        UserError: The grid is empty, or some runs failed (after everything else was done).
    """
    shelf, engine = shelf or RunStore(), engine or InProcess()
    looks = {recipe.seeds: 0.95} if not recipe.more else {recipe.seeds: 0.99, recipe.seeds + recipe.more: 0.96}
    counts: Counter[str] = Counter(found=0, done=0)
    for seeds, level in looks.items():
        at_hand = msgspec.structs.replace(recipe, seeds=seeds)
        arms, empty = shelf.possible(study.grid(at_hand, seed))
        if not arms:
            raise UserError("these settings leave nothing to run", where=f"study {study.name}")
        if not all(map(shelf.has, arms)):
            study.prepare(recipe)
        done, saved = counts["done"], counts["saved"]
        counts = shelf.fill(arms, engine)
        # What the first look has done is no work of others.
        counts = Counter(
            done=counts["done"] + done, found=counts["found"] - done, saved=saved if done else counts["saved"]
        )
        frame = load_frame(arms, shelf)
        found = study.analyse(frame, at_hand)
        checks = [check.at(level) for check in found.checks]
        if all(check.verdict != "cannot tell" for check in checks):
            break
    said = [*([] if study.by_heart else guessers(frame)), *found.sentences, *left_out(empty), *conclusions(checks)]
    if recipe.more:
        said.append(_LOOKS.format(seeds=seeds, most=recipe.seeds + recipe.more, level=100 * level))
    findings = msgspec.structs.replace(found, checks=checks, sentences=said)
    return StudyResult(
        study=study.name,
        question=study.summary,
        paper=study.paper,
        scale=scale,
        seed=seed,
        recipe=public(msgspec.to_builtins(recipe)),
        cut=cuts(recipe, study.scales["paper"]) if scale != "paper" else [],
        runs=sorted({shelf.place(arm).name for arm in arms}),
        findings=findings,
        **counts,
    )


_LOOKS = (
    "These are {seeds} of at most {most} seeds: after the first ones verdicts were looked at by intervals of 99 %, "
    "after all by those of 96 %, which together err as seldom as one look at 95 %; here, those of {level:.0f} % count."
)


def find_study(name: str) -> Study[Any]:
    """The study of that name, or the one that a Python file holds.

    Raises:
        UserError: No such study, or a file that cannot be run or does not hold exactly one.
    """
    if not name.endswith(".py"):
        return STUDIES.get(name)
    path = Path(name).expanduser()
    if not path.is_file():
        raise UserError("no such file", where=name, hint=f"taskloom new study {path.stem} writes one to start from")
    module = execute_file(path)
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, Study) and type(value).__module__ == module.__name__
    ]
    if len(own) != 1:
        raise UserError(
            f"the file contains {len(own)} studies; it must contain exactly one",
            where=name,
            hint="put STUDY = MyStudy() at its end",
        )
    return own[0]
