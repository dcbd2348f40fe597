"""Pages as files: every link leads somewhere, nothing of a server is in them, and secret seeds stay secret."""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import unquote

import pytest

from taskloom.cli.main import main
from taskloom.run.runner import RunSettings, launch
from taskloom.studies.findings import Findings, StudyResult, write_study
from toy import FAMILY

SECRET = (1 << 48) + 4711


@pytest.fixture(scope="module")
def site(shelf, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    assert main(["serve", str(shelf), "--export", str(folder)]) == 0
    return folder


def pages(site):
    return {path.name: path.read_text() for path in site.glob("*.html")}


def test_every_link_leads_to_a_file_and_a_place_in_it(shelf, site):
    found = pages(site)
    for name, text in found.items():
        for target in re.findall(r'\shref="([^"]*)"', text):
            file, _, rest = unescape(target).partition("#")
            page = found[file.removeprefix("./") or name]
            anchor = rest.partition("?")[0]
            assert not anchor or f'id="{anchor}"' in page, (name, target)
        assert not re.search(r'(?:src|action)="/', text) and "?token=" not in unquote(text), name
        assert str(shelf) not in text, name
        assert "Content-Security-Policy" in text


def test_regions_of_a_page_have_names_of_their_own(site):
    """Runs of one suite that were asked different questions stand in two tables."""
    for name, text in pages(site).items():
        regions = re.findall(r'role="region" aria-label="([^"]*)"', text)
        assert len(regions) == len(set(regions)), name


def test_the_site_has_the_runs_their_samples_and_pairs_beside_the_best(site):
    kinds = [re.sub(r"\d.*", "", name) for name in sorted(pages(site))]
    assert kinds == ["index.html", "pair-", *["run-"] * 4, *["samples-"] * 4]
    rows = json.loads((site / "api" / "runs.json").read_text())["runs"]
    assert {row["run"] for row in rows} == {"runs/oracle", "runs/constant", "runs/flaky", "runs/other-seed"}
    assert all(row["proof"]["records"] and row["proof"]["seed"] for row in rows)
    assert all("canary" in text for name, text in pages(site).items() if name.startswith(("run-", "samples-")))


def test_writing_it_again_changes_nothing_and_runs_that_are_gone_go(shelf, site, tmp_path):
    before = pages(site)
    assert main(["serve", str(shelf), "--export", str(site)]) == 0
    assert pages(site) == before
    launch(FAMILY.open("all", 1, {"test": 4}), tmp_path / "one", RunSettings(model="mock/oracle"))
    assert main(["serve", str(tmp_path), "--export", str(tmp_path / "out")]) == 0
    (tmp_path / "out" / "run-009-mine.html").write_text("mine")
    assert main(["serve", str(shelf), "--export", str(tmp_path / "out")]) == 0
    assert not (tmp_path / "out" / "run-001-one.html").exists() and (tmp_path / "out" / "run-009-mine.html").exists()


def test_a_secret_seed_is_promised_by_its_hash_and_proved_when_it_is_revealed(tmp_path, capsys):
    runs, site = tmp_path / "runs", tmp_path / "site"
    command = ["run", "babi/mix-t2", "--seed", str(SECRET), "-T", "train=20", "-T", "dev=5", "-T", "test=12"]
    assert main([*command, "--model", "mock/majority", "-o", str(runs / "secret")]) == 0
    assert main(["serve", str(runs), "--export", str(site)]) == 0
    everything = "".join(path.read_text() for path in site.rglob("*") if path.is_file())
    assert str(SECRET) not in everything and "secret seed" in everything and not list(site.glob("run-*"))
    (promised,) = json.loads((site / "api" / "runs.json").read_text())["runs"]
    assert main(["serve", str(runs), "--export", str(site), "--reveal"]) == 0
    path = site / "api" / "runs.json"
    (shown,) = json.loads(path.read_text())["runs"]
    assert shown["seed"] == SECRET and shown["proof"] == promised["proof"] and list(site.glob("samples-*"))
    assert main(["check", str(site)]) == 0
    path.write_text(path.read_text().replace(str(SECRET), str(SECRET + 1)))
    capsys.readouterr()
    assert main(["check", str(site)]) == 1
    assert "not the one that was promised" in capsys.readouterr().out


def test_a_seed_called_secret_is_new_each_time_and_large(tmp_path, capsys):
    seeds = set()
    for name in ("a", "b"):
        small = ["-T", "train=5", "-T", "dev=5", "-T", "test=5"]
        assert main(["generate", "babi/task-1", "--seed", "secret", *small, "-o", str(tmp_path / name)]) == 0
        seeds.add(json.loads((tmp_path / name / "manifest.json").read_text())["seed"])
    assert len(seeds) == 2 and min(seeds) >= 1 << 48
    capsys.readouterr()
    assert main(["generate", "babi/task-1", "--seed", "x", "-o", str(tmp_path / "c")]) == 2
    assert "--seed takes a whole number, or secret, not 'x'" in capsys.readouterr().err


def test_reveal_needs_export_and_an_empty_folder_has_nothing_to_show(tmp_path, capsys):
    assert main(["serve", str(tmp_path), "--reveal"]) == 2
    assert main(["serve", str(tmp_path), "--export", str(tmp_path / "site")]) == 2
    assert "there is no run to show" in capsys.readouterr().err


def test_a_study_has_a_page_in_the_application_and_among_the_files(tmp_path, client_of):
    result = StudyResult(
        study="toy <study>", question="does it hold?", findings=Findings(sentences=["It <b>holds</b>."])
    )
    write_study(result, tmp_path / "studies" / "toy", {})
    client = client_of(tmp_path)
    assert "/study?name=studies%2Ftoy" in client.ask("/runs").text
    page = client.ask("/study", {"name": "studies/toy"})
    assert page.status == 200 and "It &lt;b&gt;holds&lt;/b&gt;." in page.text
    assert client.ask("/study", {"name": "studies/other"}).status == 404
    assert main(["serve", str(tmp_path), "--export", str(tmp_path / "site")]) == 0
    assert "It &lt;b&gt;" in (tmp_path / "site" / "study-001-studies-toy.html").read_text()
