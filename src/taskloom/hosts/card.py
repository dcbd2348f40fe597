"""The card of an exported data set: what it is, what it is made of, under which licences, and how to make it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import yaml

from taskloom.core import Suite, UserError
from taskloom.core.catalog import FAMILIES
from taskloom.core.display import clipped

if TYPE_CHECKING:
    from taskloom.hosts.hf import HFManifest

__all__ = ["command_of", "dataset_card", "eval_yaml", "licences_of"]

_OWN = ("sentences and worlds drawn by Taskloom's grammars", "Apache-2.0")
_LEXICON = [
    ("English words and relations: WordNet 3.0, Princeton University", "WordNet 3.0 licence"),
    ("Spanish words: MultiWordNet and the Multilingual Central Repository", "CC BY-SA 4.0"),
    ("sentiment scores: SentiWordNet 3.0", "CC BY-SA 4.0"),
    ("order of common words: wordfreq", "CC BY-SA 4.0"),
]
_VULGAR = """
> **Vulgar words.** This suite keeps the labels that the paper's functions give. They include words that WordNet
> and other lists mark as vulgar or as slurs. `-T vulgar=false` leaves them out, `-T labels=clean` takes labels
> without them.
"""
_APART = {"inputs": "an input", "pairs": "a (task, input) pair", "tasks": "a task"}
_MOST = 30


def licences_of(suite: Suite) -> list[tuple[str, str]]:
    """What the texts of a suite come from, each with its licence."""
    rows: list[tuple[str, str]] = []
    if suite.family == "taskbench":
        rows += _LEXICON
    named = {
        (str(task.facets.get("source") or task.name), str(task.facets["licence"]))
        for task in suite.tasks.values()
        if task.facets.get("licence")
    }
    rows += sorted(named)
    return [*rows, _OWN] if suite.family in ("babi", "taskbench", "seti", "zest", "superni") and not named else rows


def command_of(suite: Suite, manifest: HFManifest, folder: str = "DIR") -> str:
    """The command that writes the same folder again; for a suite that was made in Python, what can be said."""
    origin = suite.origin
    if origin is None:
        return f"# made in Python from {suite.name}, seed {suite.seed}"
    words = ["taskloom", "export", "hf", origin.name]
    words += [] if origin.seed is None else ["--seed", str(origin.seed)]
    words += [word for key, value in origin.options.items() for word in ("-T", f"{key}={value}")]
    words += [word for name in manifest.splits for word in ("--split", name)]
    words += [] if manifest.limit is None else ["--limit", str(manifest.limit)]
    return shlex.join([*words, "--protocol", manifest.protocol, "-o", folder])


def dataset_card(suite: Suite, manifest: HFManifest, preview: Sequence[Mapping[str, Any]]) -> str:
    """README.md: front matter that `load_dataset` reads, and a datasheet that people do."""
    licences = licences_of(suite)
    shared_alike = any("BY-SA" in licence for _, licence in licences)
    head = {
        "pretty_name": f"Taskloom {suite.name}, seed {suite.seed}",
        "license": "cc-by-sa-4.0" if shared_alike else "apache-2.0" if licences == [_OWN] else "other",
        "language": _languages(suite),
        "tags": ["taskloom", "synthetic", "compositional-generalisation", suite.family],
        "size_categories": [_size(sum(manifest.rows.values()))],
        "configs": [
            {
                "config_name": "default",
                "default": True,
                "data_files": [
                    {"split": file.removeprefix("data/").removesuffix(".parquet"), "path": file}
                    for file in manifest.splits.values()
                ],
            }
        ],
    }
    front = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=100)
    parts = [f"---\n{front}---\n\n# {suite.name}, seed {suite.seed}\n", _vulgar(suite), _motivation(suite)]
    parts += [_composition(suite, manifest), _preview(preview), _process(suite, manifest), _uses(), _rights(licences)]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def _vulgar(suite: Suite) -> str:
    recipe = suite.recipe
    vulgar = suite.family == "taskbench" and recipe.get("labels") == "faithful" and recipe.get("vulgar", True)
    return _VULGAR if vulgar else ""


def _languages(suite: Suite) -> list[str]:
    text = {str(task.facets.get("language") or "English") for task in list(suite.tasks.values())[:500]}
    spanish = any("Spanish" in one or one == "spa" for one in text) or suite.family == "taskbench"
    return ["en", "es"] if spanish else ["en"]


def _size(rows: int) -> str:
    for bound, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")):
        if rows < bound:
            return name
    return "n>1M"


def _motivation(suite: Suite) -> str:
    try:
        family = FAMILIES.get(suite.family)
        title = family.spec(suite.name.partition("/")[2]).title
        about = f"{title[:1].upper()}{title[1:]}. After: {family.citation}"
    except UserError:
        about = "A suite of tasks of somebody's own."
    return f"""
## Motivation

{about}

Generated by Taskloom from a recipe and a seed: every answer follows from what a reader is shown, every row says
what it is made of, and another seed gives a fresh set when this one has leaked.
"""


def _composition(suite: Suite, manifest: HFManifest) -> str:
    splits = "\n".join(f"| `{name}` | {rows:,} | `{manifest.sha256[name]}` |" for name, rows in manifest.rows.items())
    tasks = list(suite.tasks.values())
    listed = "\n".join(f"| `{task.name}` | {task.kind} | {task.scorer} |" for task in tasks[:_MOST])
    more = f"\n\n… and {len(tasks) - _MOST:,} more in `taskloom/tasks.jsonl`." if len(tasks) > _MOST else ""
    facets = ", ".join(f"`{name}`" for name in suite.facets) or "none"
    shown = "chat messages" if manifest.protocol == "chat" else "text"
    return f"""
## Composition

| split | rows | SHA-256 of the file |
| --- | --- | --- |
{splits}

No two splits share {_APART[suite.apart]}.

Columns: `id`, `task`, `prompt` ({shown}, protocol `{manifest.protocol}`), `answer` (the canonical one), `targets`
(every acceptable answer, typed), `input`, `parts` and `details` (JSON), `hash`, and one column per facet: {facets}.

| task | answers | scored by |
| --- | --- | --- |
{listed}{more}
"""


def _preview(records: Sequence[Mapping[str, Any]]) -> str:
    blocks = []
    for record in records:
        prompt = record["prompt"]
        text = prompt if isinstance(prompt, str) else "\n\n".join(f"[{m['role']}]\n{m['content']}" for m in prompt)
        # Indented, because no text inside can end an indented block.
        shown = "\n".join(f"    {line}" for line in text[:3_000].split("\n"))
        blocks.append(f"`{record['task']}`, answer: `{clipped(record['answer'], 200).replace('`', ' ')}`\n\n{shown}")
    return "## Preview\n\n" + "\n\n".join(blocks)


def _process(suite: Suite, manifest: HFManifest) -> str:
    recipe = yaml.safe_dump(
        {"suite": manifest.suite, "seed": manifest.seed, "recipe": manifest.recipe},
        sort_keys=False, allow_unicode=True, width=100,
    )  # fmt: skip
    shown = "\n".join(f"    {line}" for line in recipe.rstrip().split("\n"))
    return f"""
## Process

Written by Taskloom {manifest.taskloom}; no text was collected from people. The same command gives the same rows:

    {command_of(suite, manifest)}

Identity of the suite: `{manifest.identity}`. Recipe:

{shown}
"""


def _uses() -> str:
    return """
## Uses

Meant for measuring and training generalisation over controlled combinations; not a measure of knowledge of the
world. Scores are exact only with Taskloom's readers and scorers:

    import taskloom
    suite = taskloom.open_suite("DIR")          # this folder, as the suite it was
    taskloom.rl.reward(suite)                   # a reward function with the same scores
"""


def _rights(licences: Sequence[tuple[str, str]]) -> str:
    rows = "\n".join(f"| {source} | {licence} |" for source, licence in licences) or "| see the source of the suite | |"
    return f"## Licences\n\n| source | licence |\n| --- | --- |\n{rows}\n"


def eval_yaml(suite: Suite, manifest: HFManifest, *, chat: bool) -> str:
    """`eval.yaml`, by which Inspect runs a data set of the Hub without any package, with a plain scorer of its own."""
    name = "test" if "test" in manifest.splits else list(manifest.splits)[-1]
    file = manifest.splits[name].removeprefix("data/").removesuffix(".parquet")
    task = {
        "id": suite.name.replace("/", "_"),
        "config": "default",
        "split": file,
        "field_spec": {"input": "input" if chat else "prompt", "target": "answer", "id": "id"},
        "solvers": [{"name": "generate"}],
        "scorers": [{"name": "exact"}],
    }
    head = {"name": f"Taskloom {suite.name}", "description": f"{suite.name}, seed {suite.seed}", "tasks": [task]}
    return yaml.safe_dump(head, sort_keys=False, allow_unicode=True)
