"""One boundary for what comes from outside: nothing but four modules of `core` turns bytes into data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "taskloom"
OPEN = ROOT / "packages" / "taskloom-open" / "src"
BOUNDARY = [SOURCE / "core" / name for name in ("csv_table.py", "decode.py", "markup.py", "yaml12.py")]

ALWAYS = {
    "json.loads", "json.load", "json.JSONDecoder", "msgspec.json.decode", "msgspec.json.Decoder", "msgspec.toml.decode",
    "msgspec.yaml.decode", "yaml.load", "yaml.safe_load", "yaml.compose", "yaml.parse", "tomllib.load", "tomllib.loads",
    "csv.reader", "csv.DictReader", "csv.writer", "csv.DictWriter",
    "ElementTree.parse", "ElementTree.iterparse", "ElementTree.fromstring",
    "expat.ParserCreate",
}  # fmt: skip
"""Text of a form that the boundary knows goes through it, with its limits on size, depth and digits."""

UNLESS_FENCED = {
    "msgspec.msgpack.decode", "zlib.decompress", "gzip.open", "gzip.decompress", "bz2.open", "bz2.decompress",
    "lzma.open", "lzma.decompress", "zipfile.ZipFile", "tarfile.open", "pq.ParquetFile", "pq.read_table", "load_file",
    "safe_open", "torch.load", "np.load",
}  # fmt: skip
"""Forms with readers of their own: inside `with decoding(…)`, which turns their failures into sentences."""

PART_OF_TASKLOOM = "text or data that comes with Taskloom itself"
OWN_VALUE = "a value that this process has just encoded"
SEALED = "lines and rows of our own, decoded after their checksum has been compared"
PINNED = "an archive whose SHA-256 is compared with the pinned one before it is opened"
ANSWER = "looks for JSON inside running text; bounded by the number of starts"
MANY = "bytes that the boundary has read; instances are decoded when they are drawn, and failures name the file"

INSTALLED = "the source of an installed package, looked through for names"

ALLOWED = {
    "cli/new.py": PART_OF_TASKLOOM,
    "core/registry.py": PART_OF_TASKLOOM,
    "families/gym/family.py": INSTALLED,
    "run/columns.py": SEALED,
    "rl/columns.py": SEALED,
    "encode/gpt2.py": PART_OF_TASKLOOM,
    "families/superni/embedded/suite.py": PART_OF_TASKLOOM,
    "families/superni/embedded/words.py": PART_OF_TASKLOOM,
    "families/superni/tracks.py": PART_OF_TASKLOOM,
    "taskloom_open/kit.py": PART_OF_TASKLOOM,
    "families/taskbench/published.py": PART_OF_TASKLOOM,
    "models/tiny/vocabulary.py": PART_OF_TASKLOOM,
    "report/html.py": PART_OF_TASKLOOM,
    "core/confine.py": OWN_VALUE,
    "models/api.py": OWN_VALUE,
    "protocol/formats.py": OWN_VALUE,
    "core/targets.py": OWN_VALUE,
    "families/babi/worlds.py": OWN_VALUE,
    "studies/sweep.py": OWN_VALUE,
    "run/plan.py": OWN_VALUE,
    "store/write.py": OWN_VALUE,
    "store/seal.py": OWN_VALUE,
    "studies/frontier/search.py": OWN_VALUE,
    "ask/cache.py": SEALED,
    "run/check.py": OWN_VALUE,
    "run/frames.py": SEALED,
    "run/layout.py": SEALED,
    "run/sealed.py": SEALED,
    "studies/frontier/static.py": SEALED,
    "run/log.py": SEALED,
    "run/record.py": SEALED,
    "store/bundle.py": SEALED,
    "store/derived.py": SEALED,
    "store/rows.py": SEALED,
    "taskloom_open/archives/archive.py": PINNED,
    "taskloom_open/archives/extractors/": PINNED,
    "score/read/frames.py": PART_OF_TASKLOOM,
    "score/read/lenient.py": PART_OF_TASKLOOM,
    "score/kinds.py": PART_OF_TASKLOOM,
    "score/read/values.py": ANSWER,
    "score/read/text.py": ANSWER,
    "families/superni/collection.py": MANY,
}
"""Files (or folders) that may decode on their own, and why."""


def _calls(tree: ast.AST, fenced: bool = False) -> Iterator[tuple[ast.Call, bool]]:
    """Every call with whether it stands inside `with decoding(…)`."""
    for node in ast.iter_child_nodes(tree):
        inside = fenced
        if isinstance(node, ast.With):
            inside |= any("decoding(" in ast.unparse(item.context_expr) for item in node.items)
        if isinstance(node, ast.Call):
            yield node, inside
        yield from _calls(node, inside)


def decoders(text: str) -> list[str]:
    """Calls of a source text that decode behind the boundary's back."""
    found = []
    for call, fenced in _calls(ast.parse(text)):
        name = ast.unparse(call.func)
        # `path.read_bytes()` decodes; `read_bytes(path)` is the boundary's own.
        last = name.rpartition(".")[2] if "." in name else ""
        if name in ALWAYS or last in ("read_text", "read_bytes") or (name in UNLESS_FENCED and not fenced):
            found.append(f"line {call.lineno}: {name}")
    return found


def _home(place: str) -> Path:
    return OPEN if place.startswith("taskloom_open/") else SOURCE


def _reason(path: Path) -> str:
    name = path.relative_to(OPEN if path.is_relative_to(OPEN) else SOURCE).as_posix()
    return next(
        (why for place, why in ALLOWED.items() if name == place or name.startswith(place.rstrip("/") + "/")), ""
    )


def test_only_the_boundary_decodes():
    wrong = [
        f"{path.relative_to(ROOT)}: {call}"
        for path in sorted([*SOURCE.rglob("*.py"), *OPEN.rglob("*.py")])
        if path not in BOUNDARY and not _reason(path)
        for call in decoders(path.read_text(encoding="utf-8"))
    ]
    assert wrong == [], "use taskloom.core.decode"


@pytest.mark.parametrize("place", ALLOWED)
def test_no_exception_is_left_over(place):
    path = _home(place) / place
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    assert any(decoders(file.read_text(encoding="utf-8")) for file in files)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("json.loads(text)", True),
        ("Path(x).read_text('utf-8')", True),
        ("(folder / 'a').read_bytes()", True),
        ("read_bytes(path)", False),
        ("load_file(path)", True),
        ("with decoding(path):\n    load_file(path)", False),
        ("with decoding(path):\n    json.loads(path)", True),
    ],
)
def test_the_search_finds_what_it_looks_for(text, found):
    assert bool(decoders(text)) == found
