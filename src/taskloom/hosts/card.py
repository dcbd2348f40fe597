"""The card of an exported data set: what it is, what it is made of, under which licences, and how to make it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from taskloom.core import Suite, UserError
from taskloom.core.catalog import FAMILIES
from taskloom.core.display import clipped
from taskloom.core.yaml12 import encode_yaml
from taskloom.report.html import canary

if TYPE_CHECKING:
    from taskloom.hosts.hf import HFManifest

_OWN = ("sentences and worlds drawn by Taskloom's grammars", "Apache-2.0")
_LEXICON = [
    ("English words and relations: WordNet 3.0, Princeton University", "WordNet 3.0 licence"),
    ("Spanish words: MultiWordNet and the Multilingual Central Repository", "CC BY-SA 4.0"),
    ("sentiment scores: SentiWordNet 3.0", "CC BY-SA 4.0"),
    ("order of common words: wordfreq", "CC BY-SA 4.0"),
]
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


def command_of(suite: Suite, manifest: HFManifest) -> str:
    """The command that writes the same folder again; for a suite that was made in Python, what can be said."""
    origin = suite.origin
    if origin is None:
        return f"# made in Python from {suite.name}, seed {suite.seed}"
    words = ["taskloom", "export", "hf", origin.name]
    words += [] if origin.seed is None else ["--seed", str(origin.seed)]
    words += [word for key, value in origin.options.items() for word in ("-T", f"{key}={value}")]
    words += [word for name in manifest.splits for word in ("--split", name)]
    words += [] if manifest.limit is None else ["--rows", str(manifest.limit)]
    return shlex.join([*words, "--protocol", manifest.protocol, "-o", "DIR"])


def dataset_card(suite: Suite, manifest: HFManifest, preview: Sequence[Mapping[str, Any]]) -> str:
    """README.md: front matter that `load_dataset` reads, and a datasheet that people do."""
    licences = licences_of(suite)
    shared_alike = any("BY-SA" in licence for _, licence in licences)
    files = {file.removeprefix("data/").removesuffix(".parquet"): file for file in manifest.splits.values()}
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
                "data_files": [{"split": split, "path": file} for split, file in files.items()],
            }
        ],
    }
    recipe = encode_yaml({"suite": manifest.suite, "seed": manifest.seed, "recipe": manifest.recipe})
    return filled(
        "card.md", front=encode_yaml(head), suite=suite, manifest=manifest, about=_about(suite),
        apart=_APART[suite.apart], tasks=list(suite.tasks.values()), most=_MOST, preview=list(map(_shown, preview)),
        command=command_of(suite, manifest), recipe=recipe.rstrip().split("\n"), licences=licences,
        canary=canary(manifest.identity),
    )  # fmt: skip


def filled(template: str, **values: Any) -> str:
    """A template of this folder with its values: Markdown or YAML, so nothing is escaped as in HTML."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("taskloom.hosts", ""), autoescape=False, trim_blocks=True, lstrip_blocks=False,  # noqa: S701 - not HTML
        keep_trailing_newline=True,
    )  # fmt: skip
    return environment.get_template(template).render(**values)


def _about(suite: Suite) -> str:
    try:
        family = FAMILIES.get(suite.family)
        title = family.spec(suite.name.partition("/")[2]).title
    except UserError:
        return "A suite of user-defined tasks."
    return f"{title[:1].upper()}{title[1:]}. After: {family.citation}"


def _shown(record: Mapping[str, Any]) -> tuple[str, str, list[str]]:
    """Task, answer and prompt of a row; the lines are indented, because no text inside can end an indented block."""
    prompt = record["prompt"]
    text = prompt if isinstance(prompt, str) else "\n\n".join(f"[{m['role']}]\n{m['content']}" for m in prompt)
    return record["task"], clipped(record["answer"], 200).replace("`", " "), text[:3_000].split("\n")


def _languages(suite: Suite) -> list[str]:
    text = {str(task.facets.get("language") or "English") for task in list(suite.tasks.values())[:500]}
    spanish = any("Spanish" in one or one == "spa" for one in text) or suite.family == "taskbench"
    return ["en", "es"] if spanish else ["en"]


def _size(rows: int) -> str:
    for bound, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")):
        if rows < bound:
            return name
    return "n>1M"


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
    return encode_yaml(head, width=80)
