"""Shards merge into the run that was never divided; a signature covers what cannot be made again."""

from __future__ import annotations

import shutil

import msgspec
import pytest

from records import chain
from taskloom import UserError, load_run, open_suite
from taskloom.cli.main import main
from taskloom.run.check import check_run
from taskloom.run.log import RunLog, read_records
from taskloom.run.plan import load_plan, load_tasks, save_plan
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.run.shards import merge_runs, shard_of

_OPTIONS = {"fail": 0.0, "rubbish": 0.3, "truncate": 0.1, "stall": 0.0, "empty": 0.1}


def asked(folder, **more):
    settings = RunSettings(model="mock/flaky", model_options=_OPTIONS, cache=False, limit=7, **more)
    launch(open_suite("babi/mix-t7", options={"test": 30}), folder, settings)
    return folder


@pytest.mark.parametrize(("n", "samples"), [(1, 1), (2, 1), (3, 2), (5, 1)])
def test_merged_shards_are_the_run_that_was_never_divided(tmp_path, n, samples):
    drawn = {"generation": {"temperature": 1.0}, "samples": samples} if samples > 1 else {}
    whole = asked(tmp_path / "whole", **drawn)
    shards = [asked(tmp_path / f"shard-{i}", shard=f"{i}/{n}", **drawn) for i in range(1, n + 1)]
    for shard in shards:
        assert list(check_run(shard)) == []
    seal = merge_runs(shards[::-1], tmp_path / "merged")
    assert seal.chain == chain(whole) and list(read_records(tmp_path / "merged")) == list(read_records(whole))
    assert load_plan(tmp_path / "merged").hash() == load_plan(whole).hash()
    assert list(check_run(tmp_path / "merged")) == []
    assert merge_runs(shards, tmp_path / "merged") == seal, "the same command changes nothing"


def test_what_is_not_all_shards_of_one_plan_is_refused(tmp_path):
    one, two = (asked(tmp_path / f"{i}", shard=f"{i}/2") for i in (1, 2))
    whole, other = asked(tmp_path / "whole"), asked(tmp_path / "other", shard="2/2", run_seed=5)
    for shards, why in (
        ([one], "not all are here"), ([one, one], "this is shard 1/2, and so is"), ([one, whole], "not a shard"),
        ([one, other], "another plan"), ([one, two, two], "not all are here"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=why):
            merge_runs(shards, tmp_path / "merged")
    assert not (tmp_path / "merged").exists()
    next(two.glob("manifest-*.json")).unlink()
    with pytest.raises(UserError, match="not finished"):
        merge_runs([one, two], tmp_path / "merged")


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/2", "1/2/3"])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(UserError, match="a shard is i/n"):
        shard_of(text)
    assert shard_of("") is None and shard_of("2/8") == (1, 8)


def test_a_missing_row_of_a_shard_is_found(tmp_path):
    shard = asked(tmp_path / "shard", shard="2/3")
    target = tmp_path / "edited"
    target.mkdir()
    save_plan(load_plan(shard), list(load_tasks(shard).values()), target)
    with RunLog(target) as log:
        log.append([record for record in read_records(shard) if record.index != 4])
        log.finish()
    assert "missing" in {finding.code for finding in check_run(target)}


def keys(folder):
    cryptography = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    from cryptography.hazmat.primitives import serialization as form

    key = cryptography.Ed25519PrivateKey.generate()
    (folder / "key.pem").write_bytes(
        key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    )
    (folder / "key.pub").write_bytes(
        key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    )
    return str(folder / "key.pem"), str(folder / "key.pub")


def test_a_signature_covers_what_cannot_be_made_again(tmp_path, capsys):
    private, public = keys(tmp_path)
    run = tmp_path / "run"
    command = f"run babi/task-1 --model mock/oracle --limit 6 --sign {private} -o {run}".split()
    assert main(command) == 0 and main(["check", str(run), "--signed-by", public]) == 0
    assert "signed by" in capsys.readouterr().out
    (tmp_path / "others").mkdir()
    _, theirs = keys(tmp_path / "others")
    assert main(["check", str(run), "--signed-by", theirs]) == 1
    assert "signed by another key" in capsys.readouterr().out
    # Words of the model that nobody could tell from others, sealed again: only the signature tells.
    edited = tmp_path / "edited"
    edited.mkdir()
    save_plan(load_plan(run), list(load_tasks(run).values()), edited)
    with RunLog(edited) as log:
        log.append([msgspec.structs.replace(one, tokens={"cost": 0.0}) for one in read_records(run)])
        log.finish()
    assert main(["check", str(edited)]) == 0 and main(["check", str(edited), "--signed-by", public]) == 1
    assert "not signed" in capsys.readouterr().out
    shutil.copy(run / "manifest-000001.sig", edited)
    assert main(["check", str(edited)]) == 1
    assert "does not fit" in capsys.readouterr().out
    (tmp_path / "no.pem").write_text("none")
    assert main([*command[:-4], "--sign", str(tmp_path / "no.pem"), "-o", str(tmp_path / "new")]) == 2
    assert "no private ed25519 key" in capsys.readouterr().err and not (tmp_path / "new").exists()


def test_results_name_what_they_were_computed_from(tmp_path):
    from taskloom.run.results import write_results

    run = load_run(asked(tmp_path / "run"))
    assert write_results(run)["proof"] == {
        "plan": run.plan.hash(), "rows": run.plan.identity, "records": chain(run.folder),
        "taskloom": run.plan.environment["taskloom"],
    }  # fmt: skip
