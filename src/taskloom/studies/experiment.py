"""What papers print and say, as data: their numbers, and their studies' settings beside their words.

`published_numbers/NAME.json` has tables and figures with their citation. `settings/NAME.toml` has the settings that the
studies of a paper share at each scale, those of each study on top, and `words`: what the paper says about a setting,
where, what that amounts to here, and why ours differs where it does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from taskloom.core import UserError, ensure_known, resolve, unknown_name
from taskloom.core.catalog import STUDIES
from taskloom.core.decode import read_json, read_toml
from taskloom.core.execute import execute_file
from taskloom.core.folders import not_here
from taskloom.core.secrets import public
from taskloom.core.study import Study, Table, Value
from taskloom.studies.findings import Check, Findings, StudyResult, conclusions, left_out, write_study
from taskloom.studies.frame import Expectation, Frame, guessers, load_frame
from taskloom.studies.grid import SCALES, Arm, GridRecipe, InProcess, RunStore, Scale, cuts
from taskloom.studies.sweep import JobEngine

_HERE = Path(__file__).parent


class PrintedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table or figure as it is printed.

    Attributes:
        where: "Table 8".
        columns: The names of its columns.
        rows: Its rows; null where the paper leaves a cell blank.
        note: What to know about the numbers: units, misprints.
    """

    where: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        ensure_known("column", name, self.columns, where=self.where)
        return [row[self.columns.index(name)] for row in self.rows]

    def lookup(self, value: str, **keys: Value) -> Any:
        """The cell of a column in the first row whose other columns have these values; None where there is none."""
        places = {self.columns.index(name.replace("_", " ")): wanted for name, wanted in keys.items()}
        for row in self.rows:
            if all(row[place] == wanted for place, wanted in places.items()):
                return row[self.columns.index(value)]
        return None

    def pairs(self) -> list[tuple[Any, Any]]:
        """The rows of a table with two columns."""
        return [(first, second) for first, second in self.rows]

    def share(self, value: str, **keys: Value) -> float | None:
        """The same cell of a table in percent, as a share; None also where the table has no such column."""
        found = self.lookup(value, **keys) if value in self.columns else None
        return None if found is None else float(found) / 100

    def table(self, citation: str) -> Table:
        """The table as a study shows it."""
        return Table(f"{citation}, {self.where}, as printed", self.columns, self.rows, self.note)


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The printed numbers of one paper."""

    citation: str
    tables: dict[str, PrintedTable]


@cache
def paper(name: str) -> Paper:
    """A paper by the name of its file in `published_numbers/`."""
    known = {path.stem: path for path in (_HERE / "published_numbers").glob("*.json")}
    ensure_known("paper", name, known)
    return read_json(known[name], type=Paper)


def printed(name: str, table: str) -> PrintedTable:
    """A printed table: `printed("dyna-babi", "table-8")`."""
    tables = paper(name).tables
    ensure_known("printed table", table, tables, where=name)
    return tables[table]


class PaperWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a paper says about a setting.

    Attributes:
        studies: The studies that it holds for; empty for a training recipe.
        key: The setting: `models`, `learners.*.options.epochs`, or `training.NAME` for a recipe of `-A recipe=NAME`.
        paper: What the paper says, in our words or few of its own.
        where: The section, table or figure.
        value: What the words amount to as a setting; of a training recipe, by option.
        why: Why ours differs; empty where it does not.
    """

    studies: tuple[str, ...] = ()
    key: str
    paper: str
    where: str
    value: Any
    why: str = ""


class StudyRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A study: question, expectations, settings at each scale; `like` names another whose settings it has."""

    question: str
    expects: tuple[Expectation, ...] = ()
    like: str = ""
    smoke: dict[str, Any] = {}
    tiny: dict[str, Any] = {}
    paper: dict[str, Any] = {}


class PaperRecords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The studies of one paper."""

    citation: str
    studies: dict[str, StudyRecord]
    words: tuple[PaperWords, ...] = ()
    shared: dict[str, dict[str, Any]] = {}


@cache
def paper_records() -> dict[str, PaperRecords]:
    """The studies of every paper, by the name of its file."""
    return {path.stem: read_toml(path, type=PaperRecords) for path in sorted((_HERE / "settings").glob("*.toml"))}


def paper_of(study: str) -> PaperRecords:
    """The paper that a study repeats."""
    return next(paper for paper in paper_records().values() if study in paper.studies)


def scales_of(study: str, kind: type[GridRecipe]) -> dict[Scale, GridRecipe]:
    """The settings of a study at every scale."""
    paper = paper_of(study)
    record = paper.studies[paper.studies[study].like or study]

    def recipe(scale: Scale) -> GridRecipe:
        own = getattr(record, scale)
        shared = {key: value for key, value in paper.shared.get(scale, {}).items() if key in kind.__struct_fields__}
        learners = {**shared.get("learners", {}), **own.get("learners", {})}
        return msgspec.convert({**shared, **own, "learners": learners}, kind)

    return {scale: recipe(scale) for scale in SCALES}


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
    done = saved = 0
    for seeds, level in looks.items():
        at_hand = msgspec.structs.replace(recipe, seeds=seeds)
        arms, empty = shelf.possible(study.grid(at_hand, seed))
        if not arms:
            raise UserError("these settings leave nothing to run", where=f"study {study.name}")
        if not all(map(shelf.has, arms)):
            study.prepare(recipe)
        counts = shelf.fill(arms, engine)
        saved = saved if done else counts["saved"]
        done += counts["done"]
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
        # What the first look has done is no work of others.
        found=counts["found"] + counts["done"] - done,
        done=done,
        saved=saved,
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
        raise not_here(name, "file", f"taskloom new study {path.stem} writes one to start from")
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
