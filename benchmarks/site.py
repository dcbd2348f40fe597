"""The documentation site as a reader meets it: `make docs`, then `python -m benchmarks.site`.

Fifty questions are typed into the site's own search, which must name a page that answers among the first three, and
axe looks at every page, in light and dark, on a desktop and a phone.
Needs Chromium and the packages of the extra `dev`.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from urllib.parse import quote

SITE = Path(__file__).resolve().parent.parent / "out" / "docs"
QUESTIONS = {
    "api key": "models",
    "ask an OpenAI model": "models tutorials/ask-an-api-model howto",
    "local checkpoint": "models",
    "GGUF": "models",
    "vllm server": "models",
    "fine-tune": "adaptation",
    "lora": "adaptation",
    "compare two runs": "runs reports tutorials/compare-in-ci howto",
    "fail CI": "tutorials/compare-in-ci integrations howto runs",
    "confidence interval": "statistics",
    "which combinations fail": "frontier tutorials/find-and-cure-a-gap",
    "cure": "frontier tutorials/find-and-cure-a-gap reference/lists-and-tools",
    "write my own task": "tutorials/write-a-probed-task howto tasks tutorial extend",
    "own operator": "extend taskbench",
    "own family": "howto extend plugins",
    "plug-in entry point": "plugins",
    "unparsed answers": "scoring protocols footguns runs",
    "how answers are read": "scoring protocols",
    "chain of thought": "protocols models",
    "resume an interrupted run": "runs howto footguns tutorial",
    "cost of a run": "models runs",
    "ray cluster": "adaptation models tutorials/run-on-a-cluster",
    "lm-eval": "integrations",
    "Inspect": "integrations",
    "reinforcement learning": "rl",
    "wikidata": "knowledge",
    "German stories": "babi",
    "reproduce a table of the paper": "studies tutorials/reproduce-a-figure",
    "contamination seed": "suites bundles footguns tutorial",
    "cite": "index README cite",
    "install": "install",
    "jupyter notebook": "app",
    "rank models leaderboard": "app",
    "secret seed": "app",
    "system prompt": "protocols models encodings",
    "few-shot examples": "adaptation protocols encodings",
    "random baseline": "models statistics",
    "export to Hugging Face datasets": "integrations bundles",
    "docker container": "install",
    "windows": "stability",
    "python version": "stability install",
    "human raters": "app scoring studies superni",
    "pronouns": "babi frontier",
    "ROUGE": "scoring superni",
    "task competence": "zest",
    "minimal pair": "frontier app tutorials/find-and-cure-a-gap",
    "paraphrase wording": "zest protocols footguns",
    "offline": "install",
    "SQL query": "runs",
    "temperature": "models protocols",
}  # fmt: skip
"""What people look for, and the pages that answer it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", nargs="?", type=Path, default=SITE)
    parser.add_argument("--only", choices=["search", "axe"], help="half of it")
    given = parser.parse_args()
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    missed, findings = [], []
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        for question, pages in QUESTIONS.items() if given.only != "axe" else ():
            page.goto(f"file://{given.site}/search.html?q={quote(question)}")
            page.wait_for_function(
                "document.querySelector('.search-summary')?.textContent.match(/found|did not match/)"
            )
            page.wait_for_timeout(150)
            links = page.eval_on_selector_all("ul.search > li > a:first-child", "all => all.map(a => a.href)")
            found = [link.partition(f"{given.site}/")[2].partition(".html")[0] for link in links[:3]]
            if not set(found) & set(pages.split()):
                missed.append(f"{question}: {', '.join(found) or 'nothing'}")
        sizes = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
        for scheme, size in product(("light", "dark"), sizes) if given.only != "search" else ():
            shown = browser.new_page(color_scheme=scheme, viewport=sizes[size])
            for path in sorted(given.site.rglob("*.html")):
                shown.goto(path.as_uri())
                for violation in Axe().run(shown).response["violations"]:
                    findings.append(
                        f"{scheme} {size} {path.relative_to(given.site)}: {violation['id']} ({len(violation['nodes'])})"
                    )
        browser.close()
    print(f"{len(QUESTIONS) - len(missed)} of {len(QUESTIONS)} questions answered in the first three results")
    print(*missed, *findings, sep="\n")
    return int(bool(missed or findings))


if __name__ == "__main__":
    sys.exit(main())
