"""The size of the source, room by room, and of a few ways through it.

    python scripts/lines.py                  rooms as they are
    python scripts/lines.py --base v0.1.0    beside an earlier commit
    python scripts/lines.py --names          what repeats or is long: class names, functions, constants
    python scripts/lines.py --walks          modules entered when a suite is opened, run and reported

Lines are those of Python files and stubs, blank ones and comments included; statements are counted by `ast`, so that
dense code does not look small. Lines of data are those of the text files beside the code. A family and a package
beside the core count as rooms of their own.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TEXT = {".toml", ".json", ".tsv", ".csv", ".txt", ".html", ".css", ".js", ".jsonl", ".md"}
LONG_FUNCTION = 60


class Size(NamedTuple):
    """How much there is of something."""

    files: int = 0
    lines: int = 0
    statements: int = 0
    data: int = 0

    def plus(self, other: Size) -> Size:
        return Size(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class Module(NamedTuple):
    """A Python file with its tree."""

    path: Path
    tree: ast.Module
    lines: int


def sources(root: Path) -> list[Path]:
    """The folders of source: the core, and packages that live beside it."""
    return [root / "src", *sorted(root.glob("packages/*/src"))]


def room_of(path: Path, root: Path) -> str:
    """`run`, `families/babi`, `packages/taskloom-open`; modules at the top are the room `.`."""
    parts = path.relative_to(root).parts
    if parts[0] == "packages":
        return "/".join(parts[:2])
    inner = parts[2:-1] if parts[1] == "taskloom" else parts[1:-1]
    return "/".join(inner[:2] if inner[:1] == ("families",) else inner[:1]) or "."


def modules(root: Path) -> list[Module]:
    found = []
    for folder in sources(root):
        for path in sorted(path for path in folder.rglob("*.py*") if path.suffix in (".py", ".pyi")):
            text = path.read_text(encoding="utf-8")
            found.append(Module(path, ast.parse(text), text.count("\n")))
    return found


def rooms(root: Path) -> dict[str, Size]:
    """The size of every room."""
    sizes: dict[str, Size] = defaultdict(Size)
    for module in modules(root):
        statements = sum(isinstance(node, ast.stmt) for node in ast.walk(module.tree))
        room = room_of(module.path, root)
        sizes[room] = sizes[room].plus(Size(1, module.lines, statements))
    for folder in sources(root):
        for path in folder.rglob("*"):
            if path.suffix in TEXT and path.is_file():
                room = room_of(path, root)
                sizes[room] = sizes[room].plus(Size(data=path.read_bytes().count(b"\n")))
    return dict(sizes)


def _at(commit: str, folder: Path) -> Path:
    """The source of a commit, unpacked into a folder."""
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def _table(rows: list[list[Any]]) -> None:
    texts = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in texts) for column in range(len(texts[0]))]
    texts.insert(1, ["-" * width for width in widths])
    for row in texts:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        print(f"| {' | '.join(cells)} |")


def _is_package(room: str) -> bool:
    return room.startswith("packages/")


def show_rooms(base: str | None) -> None:
    now, before = rooms(ROOT), {}
    if base:
        with tempfile.TemporaryDirectory() as folder:
            before = rooms(_at(base, Path(folder)))
    names = sorted({*now, *before}, key=lambda room: (_is_package(room), room))
    sums = {"all of src": [room for room in names if not _is_package(room)], "with packages": names}
    heads = ["room", "files", "lines", "statements", "lines of data"]
    both = [f"{head} {when}" for head in heads[1:] for when in ("then", "now")]
    rows: list[list[Any]] = [["room", *both] if base else heads]
    for title, parts in [*((name, [name]) for name in names), *sums.items()]:
        new, old = (_sum(sizes, parts) for sizes in (now, before))
        rows.append([title, *(cell for pair in zip(old, new, strict=True) for cell in pair)] if base else [title, *new])
    _table(rows)


def _sum(sizes: dict[str, Size], parts: list[str]) -> Size:
    total = Size()
    for part in parts:
        total = total.plus(sizes.get(part, Size()))
    return total


def _is_number(node: ast.expr | None) -> bool:
    """Whether an expression is a number, or a tuple of numbers."""
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(_is_number, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool)


def show_names() -> None:
    """Class names that occur twice, functions that do not fit a screen, numbers at the top of modules."""
    classes: dict[str, list[str]] = defaultdict(list)
    functions: list[list[Any]] = []
    constants: Counter[str] = Counter()
    for module in modules(ROOT):
        place = str(module.path.relative_to(ROOT)).removeprefix("src/taskloom/")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(place)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno:
                length = node.end_lineno - node.lineno + 1
                functions += [[f"{place}:{node.lineno} {node.name}", length]] if length > LONG_FUNCTION else []
        for node in module.tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and _is_number(node.value):
                constants[room_of(module.path, ROOT)] += 1
    twice = {name: places for name, places in sorted(classes.items()) if len(places) > 1}
    print(f"{len(twice)} class names occur more than once, of {len(classes)}")
    for name, places in twice.items():
        print(f"  {name}: {', '.join(places)}")
    print(f"{len(functions)} functions of more than {LONG_FUNCTION} lines")
    for name, length in sorted(functions, key=lambda row: -row[1]):
        print(f"  {length:4d} {name}")
    print(f"{constants.total()} numeric constants at the top of modules")
    _table([["room", "constants"], *([room, count] for room, count in constants.most_common())])


class Walk:
    """Counts what of the package is entered while it is open: modules, functions, calls from one to another."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str, int]] = set()
        self.calls: set[tuple[str, str]] = set()

    def _note(self, frame: Any, *_: Any) -> None:
        """Called where a function begins; as it returns nothing, the function's lines are not traced."""
        code = frame.f_code
        # Bodies of modules and classes count too: what has to be imported is part of the way.
        if "/src/taskloom" not in code.co_filename:
            return
        self.functions.add((code.co_filename, code.co_qualname, code.co_firstlineno))
        caller = frame.f_back.f_code.co_filename if frame.f_back else ""
        if "/src/taskloom" in caller and caller != code.co_filename:
            self.calls.add((caller, code.co_filename))

    def __enter__(self) -> Walk:
        import threading

        threading.settrace(self._note)
        sys.settrace(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        import threading

        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]

    def row(self, title: str) -> list[Any]:
        files = sorted({name for name, *_ in self.functions})
        lines = sum(Path(name).read_bytes().count(b"\n") for name in files)
        return [title, len(files), len(self.functions), lines, len(self.calls)]

    def rooms(self) -> str:
        """Modules by room, most first."""
        files = {Path(name) for name, *_ in self.functions}
        counts = Counter(room_of(path, ROOT) for path in files if path.is_relative_to(ROOT))
        return ", ".join(f"{room} {count}" for room, count in counts.most_common())


def show_walks(suite: str) -> None:
    """Open a suite, draw rows, run a mock model on it, write its report: each step in the process of the last."""
    import taskloom

    walks = {}
    with tempfile.TemporaryDirectory() as folder:
        with Walk() as walks[f"open {suite}"]:
            opened = taskloom.open_suite(suite)
        with Walk() as walks["20 rows"]:
            list(opened[next(iter(opened.splits))][:20])
        with Walk() as walks["run mock/majority"]:
            run = taskloom.run_suite(opened, model="mock/majority", folder=Path(folder) / "run", limit=20)
        with Walk() as walks["its report"]:
            taskloom.build_report([run], Path(folder) / "report.html")
    heads = ["step", "modules", "functions", "lines of the modules", "calls between modules"]
    _table([heads, *(walk.row(title) for title, walk in walks.items())])
    for title, walk in walks.items():
        print(f"{title}: {walk.rooms()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", help="a commit to compare with")
    parser.add_argument("--names", action="store_true", help="class names, long functions, constants")
    parser.add_argument("--walks", action="store_true", help="modules entered by opening, running, reporting")
    parser.add_argument("--suite", default="babi/mix-t12", help="the suite of the walks (%(default)s)")
    chosen = parser.parse_args()
    if chosen.names:
        show_names()
    elif chosen.walks:
        show_walks(chosen.suite)
    else:
        show_rooms(chosen.base)


if __name__ == "__main__":
    main()
