"""Files of the Dyna-bAbI kit: reads its configurations unchanged, writes its per-question JSONL."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from taskloom.core import Row, UserError, ensure_known
from taskloom.core.decode import decode_json, read_bytes
from taskloom.families.babi.concepts import CellSpec, Concepts, question_kinds
from taskloom.families.babi.kinds import CONSTRUCTS, EVENTS
from taskloom.families.babi.vocabulary import DYNA, Vocabulary

_NAMES = {
    "where_person": "where-person",
    "where_object": "where-object",
    "where_was_object": "where-was-object",
    "giving": "give",
    "yes_no": "yes-no",
    "list": "list",
    "counting": "counting",
}
_ACTIONS = (*EVENTS, *CONSTRUCTS)
_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 1.0, 1.0)


class _Filter(msgspec.Struct, forbid_unknown_fields=True):
    valid_q_types: tuple[str, ...] = ("all",)
    num_supp_fact_range: tuple[int, int] = (0, 10_000)
    required_supp_fact_types: tuple[str, ...] = ()
    max_len: float = float("inf")
    max_pass: float = float("inf")
    max_fail: float = 20_000
    max_stories_per_sig: float = float("inf")
    always_pass_q_types: tuple[str, ...] = ()
    min_paths: float = 0
    max_paths: float = float("inf")
    filter_each_q: bool = True


class _Story(msgspec.Struct, forbid_unknown_fields=True):
    samples: int = 11_000
    seed: int = -1
    name: str = "name"
    n_questions: int = 5
    question_probability: float = 0.5
    actions_before_question: int = 2
    max_actions: int = 0
    questions: tuple[str, ...] = tuple(_NAMES)
    questions_distribution: tuple[float, ...] = ()
    actions: tuple[str, ...] = _ACTIONS
    actions_distribution: tuple[float, ...] = ()
    coref: tuple[str, ...] = ("move", "grab", "drop")
    coref_distribution: tuple[float, ...] = ()
    move: tuple[str, ...] = DYNA.move
    grab: tuple[str, ...] = DYNA.grab
    drop: tuple[str, ...] = DYNA.drop
    give: tuple[str, ...] = DYNA.give
    negate: tuple[str, ...] = (*DYNA.negate, *DYNA.left)
    negate_distribution: tuple[float, float] = (0.5, 0.5)
    coreference_prefixes: tuple[str, ...] = DYNA.openers
    entity_coreference_map: dict[str, list[str]] = {}
    exhaustive: bool = False
    extra_exh_yes_no: bool = False


class _Game(msgspec.Struct, forbid_unknown_fields=True):
    persons: tuple[str, ...] = tuple(DYNA.persons)
    objects: tuple[str, ...] = DYNA.objects
    locations: tuple[str, ...] = DYNA.places
    can_grab: Any = None
    can_move_to: Any = None


class _Task(msgspec.Struct, forbid_unknown_fields=True):
    story_params: _Story
    game_variables: _Game | None = None
    filter_config: list[_Filter] | _Filter | None = None
    sw_config: dict[str, Any] = {}


class _Config(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    tasks: list[_Task]
    out_dir: str = "default"
    write_tt: bool = False
    write_dec: bool = False
    no_write: bool = False
    only_dev: bool = False
    combine_files: bool = False
    save_separate: bool = True
    just_combine: bool = False
    use_new_engine: bool = False


class KitSuite(NamedTuple):
    """What a configuration asks for.

    Attributes:
        cells: One per sub-task and filter, in the sub-task's words; shares are numbers of questions.
        splits: Split names with their sizes.
        notes: Settings that have no meaning here, with the reason.
    """

    cells: list[CellSpec]
    splits: dict[str, int]
    notes: list[str]


def read_config(path: str | Path) -> KitSuite:
    """Read a configuration of the kit.

    Raises:
        UserError: No such file, not JSON, an unknown field or value; with file and key.
    """
    where = str(path)
    config = decode_json(read_bytes(path), where=path, type=_Config, what="the configuration of the kit")
    if not config.tasks:
        raise UserError("there are no tasks, so there is nothing to generate", where=f"{where}: tasks")
    cells: list[CellSpec] = []
    notes: list[str] = []
    for index, task in enumerate(config.tasks):
        cells += _cells(task, f"{where}: tasks[{index}]", notes)
    total = round(fsum(cell.share for cell in cells))
    splits = {"dev": total} if config.only_dev else {"train": total, "dev": total // 10, "test": total // 10}
    return KitSuite(cells, splits, notes)


def _vocabulary(task: _Task, where: str) -> Vocabulary:
    story, game = task.story_params, task.game_variables or _Game()
    pronouns = {**DYNA.persons, **{name: forms[0] for name, forms in story.entity_coreference_map.items() if forms}}
    try:
        return Vocabulary(
            persons={name: pronouns.get(name, "he") for name in game.persons},
            objects=game.objects,
            places=game.locations,
            move=story.move,
            grab=story.grab,
            drop=story.drop,
            give=story.give,
            negate=tuple(word for word in story.negate if word not in DYNA.left) or DYNA.negate,
            left=tuple(word for word in story.negate if word in DYNA.left),
            openers=story.coreference_prefixes,
        )
    except ValueError as error:
        raise UserError(str(error), where=where) from None


def _concepts(story: _Story, where: str) -> Concepts:
    for action in story.actions:
        ensure_known("action", action, _ACTIONS, where=where)
    given = story.actions_distribution or (_WEIGHTS if story.actions == _ACTIONS else (1.0,) * len(story.actions))
    if len(given) < len(story.actions):
        raise UserError(f"{len(story.actions)} actions but {len(given)} weights", where=where)
    weights = {action: weight for action, weight in zip(story.actions, given, strict=False) if weight > 0}
    coref = story.coref_distribution or (1.0,) * len(story.coref)
    denied, affirmed = story.negate_distribution
    return Concepts(weights, dict(zip(story.coref, coref, strict=False)), affirmed / (denied + affirmed))


def _cells(task: _Task, where: str, notes: list[str]) -> list[CellSpec]:
    story = task.story_params
    concepts, words = _concepts(story, where), _vocabulary(task, where)
    filters = task.filter_config or [_Filter()]
    if isinstance(filters, _Filter):
        filters = [filters]
    if len(story.questions_distribution) > len(story.questions):
        notes.append(f"{where}: surplus questions_distribution weights are ignored; they would leak question types")
    if any(each.always_pass_q_types for each in filters):
        notes.append(f"{where}: always_pass_q_types is ignored; every question is tested")
    if not 0 < story.question_probability <= 1:
        raise UserError(
            f"question_probability is {story.question_probability}; it must be between 0 and 1", where=where
        )
    if story.exhaustive:
        notes.append(f"{where}: exhaustive is ignored; a story carries n_questions questions")
    passes = [min(each.max_pass, story.samples) for each in filters]
    whole = sum(passes) or 1
    cells = []
    for each, share in zip(filters, passes, strict=True):
        before = max(story.actions_before_question, 1)
        inside = story.n_questions > 1
        length = int(min(each.max_len, max(before, 2)))
        # Questions inside a story: it goes on until all are asked, or it is as long as the filter allows.
        longest = int(min(each.max_len, 4 * before * story.n_questions)) if inside else length
        cells.append(
            CellSpec(
                story.name.replace("_", "-"),
                concepts,
                _asked(story, each, where),
                each.num_supp_fact_range,
                (min(length, longest), longest),
                tuple("coref" if name == "co_ref" else name for name in each.required_supp_fact_types),
                (int(each.min_paths), int(min(each.max_paths, 1_000_000))),
                None if each.max_stories_per_sig == float("inf") else int(each.max_stories_per_sig),
                max(1, story.n_questions),
                gap=before if inside else 0,
                chance=min(1.0, story.question_probability) if inside else 1.0,
                share=min(story.samples, whole) * share / whole,
                words=words,
            )
        )
    return cells


def _asked(story: _Story, each: _Filter, where: str) -> tuple[int, ...]:
    for name in (*story.questions, *(kind for kind in each.valid_q_types if kind != "all")):
        ensure_known("question type", name, _NAMES, where=where)
    names = [name for name in story.questions if "all" in each.valid_q_types or name in each.valid_q_types]
    if not names:
        raise UserError(
            f"the filter accepts {', '.join(each.valid_q_types)}, but only {', '.join(story.questions)} are asked",
            where=where,
        )
    return tuple(kind for name in names for kind in question_kinds(_NAMES[name]))


def write_jsonl(rows: Iterable[Row], path: str | Path, *, seed: int = 0) -> int:
    """Write questions as the kit's per-question JSONL.

    Args:
        rows: What to write; rows without a story and a question are refused.
        path: The file.
        seed: The suite's seed, stored with each question.

    Returns:
        How many questions were written.
    """
    count = 0
    with Path(path).open("wb") as out:
        for row in rows:
            instance = row.instance
            story = instance.parts["story"].split("\n")
            text = f"{' '.join(story)} $question$ {instance.parts['question']}"
            record = {
                "id": f"{row.task}_{instance.id}_{len(story) + 1}",
                "task": row.task,
                "seed": seed,
                "q_sub_id": len(story) + 1,
                "input": text,
                "output": instance.targets.canonical(),
                "answerKey": -1,
                "prefix": "answer:",
                "question": {"stem": text},
                "supporting_facts": instance.details["support"],
                "chosen_q": True,
            }
            out.write(msgspec.json.encode(record) + b"\n")
            count += 1
    return count
