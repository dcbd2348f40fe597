"""The command line as a person meets it, in this process (so that the toy family can be registered)."""

from __future__ import annotations

import json
import re

import pytest

import toy
from taskloom.cli.main import VERBS, main
from taskloom.core.catalog import FAMILIES


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch, own_registries):
    FAMILIES.register("toy", toy.FAMILY)
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def taskloom(capsys):
    def call(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_help_and_version(taskloom):
    code, out, _ = taskloom("--help")
    assert code == 0
    assert all(verb in out for verb in VERBS)
    assert taskloom("--version")[0] == 0
    assert taskloom()[0] == 2


@pytest.mark.parametrize("verb", list(VERBS))
def test_every_verb_has_help_with_examples(taskloom, capsys, verb):
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    out = capsys.readouterr().out
    assert stop.value.code == 0
    assert "examples:" in out
    assert f"usage: taskloom {verb} " in out
    longest = max(len(re.findall("^  -", part, re.MULTILINE)) for part in out.split("\n\n"))
    assert longest <= 18, "more are too many for one list without headings"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("shwo", "toy/all"), "unknown command 'shwo'; did you mean 'show'"),
        (("show", "tpy/all"), "did you mean 'toy"),
        (("show", "toy/al"), "did you mean 'toy/all'"),
        (("show", "toy"), "names a family, not a suite"),
        (("show", "toy/all/evn"), "unknown task 'evn'; did you mean 'even'"),
        (("show", "toy/all", "--split", "tets"), "did you mean 'test'"),
        (("show", "toy/all", "--encodign", "plain"), "unknown option --encodign; did you mean --encoding"),
        (("show", "toy/all", "-T", "tset=3"), "toy/all: unknown key 'tset'; did you mean 'test'"),
        (("show", "toy/all", "-T", "test=many"), "toy/all: test"),
        (("show", "toy/all", "-T", "top=1"), "top must be 2 or more, not 1"),
        (("run", "toy/all", "--model", "mock/orcle", "-o", "r"), "did you mean 'mock/oracle'"),
        (("run", "toy/all", "--model", "moc/oracle", "-o", "r"), "did you mean 'mock/oracle'"),
        (("run", "toy/all", "--mdoel", "mock/oracle", "-o", "r"), "did you mean --model"),
        (("run", "toy/all", "-o", "r"), "--model"),
        (("run", "toy/all", "--model", "mock/oracle", "-o", "r", "--limit", "x"), "--limit"),
        (("list", "famlies"), "did you mean 'families'"),
        (("list", "suites", "toy/zzz"), "unknown suite 'toy/zzz'"),
        (("check", "nowhere"), "no such file or folder"),
        (("score", "nowhere"), "no run here"),
        (("report", "."), "no run here"),
        (("study", "toy/none"), "unknown study"),
    ],
)
def test_mistakes_get_a_sentence_and_exit_code_two(taskloom, words, said):
    code, out, err = taskloom(*words)
    assert code == 2
    assert err.startswith("error: ")
    assert said in err
    assert "Traceback" not in err
    assert out == ""


def test_list(taskloom):
    assert "toy" in taskloom("list")[1]
    assert "toy/all" in taskloom("list", "suites", "toy")[1]
    assert "even" in taskloom("list", "tasks", "toy/all")[1]
    assert "mock/oracle" in taskloom("list", "models", "mock/*")[1]
    assert "union(f, g): f(x) or g(x)" in taskloom("list", "operators", "union")[1]
    assert "however special" in taskloom("list", "atoms", "hyponyms")[1]
    assert "answers like '7'" in taskloom("list", "kinds", "number")[1]
    names = [row["name"] for row in json.loads(taskloom("list", "scorers", "--json")[1])]
    assert {"exact", "label", "items"} <= set(names)
    for what in ("encodings", "readers", "metrics", "adaptations"):
        assert taskloom("list", what)[0] == 0


def test_show_prints_what_a_model_sees(taskloom):
    code, out, _ = taskloom("show", "toy/all/add", "--n", "1", "--encoding", "superni")
    assert code == 0
    assert "Definition: Add the numbers. Say the sum in digits.\n\n" in out
    assert "Now complete the following example -\nInput: add: " in out
    first = json.loads(taskloom("show", "toy/all", "--n", "1", "--json")[1])
    assert first["prompt"]["text"]
    assert taskloom("show", "toy/all", "--num-fewshot", "2", "--n", "1")[0] == 0


def test_a_shown_recipe_is_a_recipe_file(taskloom, tmp_path):
    recipe = taskloom("show", "toy/all", "-T", "test=7", "--seed", "3", "--recipe")[1]
    (tmp_path / "mine.yaml").write_text(recipe)
    assert taskloom("check", "mine.yaml")[0] == 0
    assert taskloom("generate", "mine.yaml", "-o", "bundle")[0] == 0
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text())
    assert (manifest["seed"], manifest["splits"]["test"]["rows"]) == (3, 7)
    assert taskloom("generate", "mine.yaml", "-o", "other", "-T", "test=5", "--seed", "4", "--json")[0] == 0
    manifest = json.loads((tmp_path / "other" / "manifest.json").read_text())
    assert (manifest["seed"], manifest["splits"]["test"]["rows"]) == (4, 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("suite: toy/all\nrecipe:\n  train: 3\n  tset: 4\n", "bad.yaml:4"),
        ("suite: toy/all\nrecipe:\n  test: many\n", "bad.yaml:3"),
        ("suite: toy/all\nseeed: 4\n", "bad.yaml:2: unknown key 'seeed'; did you mean 'seed'"),
        ("suite: toy/all\nseed: four\n", "bad.yaml:2: the seed is a whole number"),
        ("seed: 4\n", "bad.yaml: the key suite is missing"),
        ("suite: [\n", "bad.yaml:2: not YAML"),
        ("- a\n", "bad.yaml: a recipe file is a mapping"),
        ("suite: toy/all\nrecipe: 3\n", "bad.yaml:2: recipe is a mapping"),
        ("suite: !!python/object/apply:os.system [ls]\n", "bad.yaml:1: the YAML cannot be read: tags"),
    ],
)
def test_bad_recipes_name_file_and_line(taskloom, tmp_path, text, said):
    (tmp_path / "bad.yaml").write_text(text)
    code, _, err = taskloom("generate", "bad.yaml", "-o", "out")
    assert code == 2
    assert said in err
    code, out, _ = taskloom("check", "bad.yaml")
    assert code == 1
    assert "bad.yaml" in out


def test_generate_check_and_run_a_bundle(taskloom, tmp_path):
    assert taskloom("generate", "toy/all", "-o", "bundle")[0] == 0
    assert "nothing wrong" in taskloom("check", "bundle")[1]
    assert taskloom("run", "bundle", "--model", "mock/oracle", "-o", "run")[0] == 0
    assert "fixed" in taskloom("run", "bundle", "--seed", "3", "--model", "mock/oracle", "-o", "run2")[2]
    data = next((tmp_path / "bundle").glob("data-*/test.parquet"))
    whole = bytearray(data.read_bytes())
    whole[len(whole) // 2] ^= 1
    data.write_bytes(bytes(whole))
    code, out, _ = taskloom("check", "bundle")
    assert code == 1
    assert "its bytes have changed since they were written" in out


def test_run_score_report(taskloom, tmp_path):
    code, out, _ = taskloom("run", "toy/all", "--model", "mock/flaky", "-M", "fail=0.4", "-o", "runs/flaky")
    assert code == 1, "some instances failed"
    assert "| overall" in out
    assert taskloom("run", "toy/all", "--model", "mock/oracle", "-o", "runs/oracle", "--json")[0] == 0
    code, out, _ = taskloom("score", "runs/oracle", "--scorer", "normalised", "--scorer", "exact")
    assert code == 0
    assert out.count("mock/oracle on toy/all") == 2
    code, out, _ = taskloom("report", "runs", "-o", "page.html", "--heatmap", "task,size", "--facet", "digits")
    assert code == 0
    assert out.strip() == str(tmp_path / "page.html")
    code, _, err = taskloom("report", "runs", "-o", "page.html", "--facet", "digist")
    assert code == 2
    assert "did you mean 'digits'" in err


def test_both_spellings_and_environment_variables(taskloom, monkeypatch):
    assert taskloom("run", "toy/all", "--model=mock/oracle", "--num_fewshot=1", "--batch_size", "3", "-o", "a")[0] == 0
    monkeypatch.setenv("TASKLOOM_MODEL", "mock/majority")
    monkeypatch.setenv("TASKLOOM_LIMIT", "2")
    code, out, _ = taskloom("run", "toy/all", "-o", "b", "--json")
    assert code == 0
    result = json.loads(out)
    assert (result["model"], result["overall"]["n"]) == ("mock/majority", 10)
    monkeypatch.setenv("TASKLOOM_LIMIT", "few")
    assert "TASKLOOM_LIMIT" in taskloom("run", "toy/all", "-o", "c")[2]


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (("babi-text", "babi/task-1", "-T", "train=20", "-T", "dev=5", "-T", "test=5"), 3),
        (("squad", "babi/task-1", "-T", "test=5", "--split", "test"), 1),
        (("babi-kit", "babi/task-1", "-T", "test=5", "--split", "test"), 1),
        (("seti-json", "seti/task2-trivial", "-T", "test=20", "--split", "test"), 1),
        (("superni", "toy/all"), 5),
    ],
)
def test_export(taskloom, tmp_path, words, files):
    code, out, err = taskloom("export", *words, "-o", "out")
    assert (code, err) == (0, "")
    assert "out" in out
    written = [path for path in (tmp_path / "out").rglob("*") if path.suffix in (".txt", ".json", ".jsonl")]
    assert len(written) >= files
    assert all(path.stat().st_size for path in written if path.parent.name != "default"), "split lists may be empty"


def test_export_refuses_what_does_not_fit(taskloom):
    assert "so the SQuAD format cannot be used" in taskloom("export", "squad", "toy/all", "-o", "x")[2]
    assert "which babi/… has and toy/all has not" in taskloom("export", "babi-kit", "toy/all", "-o", "x")[2]
    assert "did you mean 'squad'" in taskloom("export", "sqad", "toy/all", "-o", "x")[2]


def test_a_run_continues_with_the_same_command(taskloom):
    words = ("run", "toy/all", "--model", "mock/oracle", "-o", "run")
    taskloom(*words)
    assert "(20 from before" in taskloom(*words)[1]
    code, _, err = taskloom(*words, "--limit", "1")
    assert code == 2
    assert "another run (limit None, not 1)" in err


def test_stopping_with_control_c_says_how_to_go_on(taskloom, monkeypatch):
    from taskloom.cli import list as verb

    monkeypatch.setattr(verb, "_rows", _interrupted)
    code, _, err = taskloom("list")
    assert code == 130
    assert "the same command continues" in err


def _interrupted(*_: object) -> dict[str, str]:
    raise KeyboardInterrupt
