"""Reading collections: quirks, damage, laziness, the cache."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from taskloom.core import UserError, open_suite
from taskloom.families.superni.collection import Collection, open_collection, read_header


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))


def task(number: int, **changes: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "Contributors": ["Ada"],
        "Source": [f"source{number}"],
        "URL": ["https://example.org"],
        "Categories": ["Translation"],
        "Reasoning": [],
        "Definition": ["Say the word again, and nothing but the word."],
        "Input_language": ["English"],
        "Output_language": ["English"],
        "Instruction_language": ["English"],
        "Domains": ["News"],
        "Positive Examples": [{"input": "go", "output": "go", "explanation": "The same."}],
        "Negative Examples": [{"input": "go", "output": "no", "explanation": "Another."}],
        "Instances": [
            {"id": f"task{number}-{index:032x}", "input": f"word {index}", "output": [f"word {index}"]}
            for index in range(150)
        ],
        "Instance License": ["MIT"],
    }
    return data | changes


def write(folder: Path, name: str, data: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(data, indent=4, ensure_ascii=False), "utf-8")
    return path


def test_quirks_load(tmp_path: Path) -> None:
    odd = "a\x00b\u2028c\u0085d\ufeff"
    folder = tmp_path / "tasks"
    write(folder, "task349_squad2.0_answer", task(349, URL=[float("nan")]))
    write(folder, "task184_one", task(184, Definition="One string.", Domains=None))
    write(folder, "task184_two", task(184, Instances=[{"output": ["", "", "x"], "input": odd, "id": "task184-1"}]))
    write(folder, "task7_many", task(7, Instances=[{"id": "i", "input": " ", "output": [str(n) for n in range(1580)]}]))
    short = task(8, Definition=["First.", "Second."])
    del short["Negative Examples"], short["URL"], short["Reasoning"]
    write(folder, "task8_short", short)
    (folder / "README.md").write_text("not a task")
    (folder / "task9_bom.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(task(9)).encode())
    collection = Collection(tmp_path)
    assert sorted(collection.headers) == [
        "task184_one", "task184_two", "task349_squad2.0_answer", "task7_many", "task8_short", "task9_bom",
    ]  # fmt: skip
    assert not collection.damaged
    assert collection.header("task349_squad2.0_answer").url == ()
    assert collection.header("task184_one").definition == "One string."
    assert collection.header("task8_short").definition == "First."
    assert collection.header("task8_short").negative == ()
    (record,) = collection.instances("task184_two")
    assert (record.input, record.outputs()) == (odd, ("", "", "x"))
    assert len(collection.instances("task7_many")[0].outputs()) == 1580


def test_nan_anywhere_is_repaired_without_touching_texts(tmp_path: Path) -> None:
    instances = [{"id": str(n), "input": "a NaN, b", "output": ["NaN"], "extra": float("nan")} for n in range(40)]
    path = write(tmp_path, "task1_nan", task(1, URL=[float("nan"), float("-inf")], Instances=instances))
    collection = Collection(tmp_path)
    assert [record.input for record in collection.instances("task1_nan")] == ["a NaN, b"] * 40
    assert read_header(path)[0].url == ()


def test_published_quirks_and_sample(reference: Path) -> None:
    sample = reference / "superni" / "sample"
    for folder, count in ((sample, 324), (sample / "quirks", 11)):
        collection = Collection(folder)
        assert len(collection) == count
        assert not collection.damaged
        for name, records in ((name, collection.instances(name)) for name in collection.headers):
            expected = json.loads(collection.path(name).read_text("utf-8"))
            assert [(r.id, r.input, list(r.outputs())) for r in records] == [
                (i["id"], i["input"], i["output"]) for i in expected["Instances"]
            ]


BROKEN: dict[str, tuple[Any, str]] = {
    "no_definition": ({key: value for key, value in task(1).items() if key != "Definition"}, "Definition"),
    "no_instances": ({key: value for key, value in task(1).items() if key != "Instances"}, "Instances"),
    "wrong_list": (task(1, Categories=7), "Categories"),
    "wrong_example": (task(1, **{"Positive Examples": [{"input": "x"}]}), "Positive Examples[0].output"),
    "wrong_type": (task(1, **{"Negative Examples": [{"input": 3, "output": "x"}]}), "Negative Examples[0].input"),
    "not_an_object": ([1, 2], ""),
}


def test_a_damaged_file_is_named_and_the_rest_loads(tmp_path: Path) -> None:
    good = write(tmp_path, "task2_good", task(2))
    for name, (data, _) in BROKEN.items():
        write(tmp_path, f"task1_{name}", data)
    (tmp_path / "task1_cut.json").write_bytes(good.read_bytes()[:900])
    (tmp_path / "task1_deep.json").write_text('{"Definition": ["x"], "Instances": ' + "[" * 100_000)
    (tmp_path / "task1_empty.json").write_text("")
    (tmp_path / "task1_bytes.json").write_bytes(b'{"Definition": ["\xff\xfe"], "Instances": []}')
    collection = Collection(tmp_path)
    assert list(collection.headers) == ["task2_good"]
    for name, (_, key) in BROKEN.items():
        with pytest.raises(UserError) as caught:
            collection.header(f"task1_{name}")
        assert str(tmp_path / f"task1_{name}.json") in (caught.value.where or "")
        assert key in (caught.value.where or "")
    assert len(collection.instances("task2_good")) == 150


def test_a_wrong_instance_is_named_when_it_is_read(tmp_path: Path) -> None:
    instances = task(1)["Instances"]
    instances[3] = {"id": "x", "input": ["no text"], "output": ["y"]}
    instances[4] = {"id": "x", "input": "x", "output": []}
    write(tmp_path, "task1_x", task(1, Instances=instances))
    collection = Collection(tmp_path)
    assert len(collection.instances("task1_x", range(3))) == 3
    with pytest.raises(UserError, match=r"Instances\[3\]\.input"):
        collection.instances("task1_x")
    with pytest.raises(UserError, match=r"Instances\[4\]\.output"):
        collection.instances("task1_x", [4])


@pytest.mark.parametrize("seed", range(60))
def test_fuzzed_files_raise_nothing_but_user_errors(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(json.dumps(task(1)).encode())
    for _ in range(rng.randint(1, 12)):
        place = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            del data[place : place + rng.randint(1, 200)]
        elif kind == 1:
            data[place : place + 1] = rng.randbytes(rng.randint(1, 6))
        elif kind == 2:
            data[place:place] = rng.choice([b"{", b"]", b"NaN", b'"', b"[" * 3000, b"null", b",,", b"\\u00"])
        else:
            data[place : place + 4] = rng.choice([b"3.14", b"true", b'""', b"{}"])
    write(tmp_path, "task2_good", task(2))
    (tmp_path / "task1_fuzzed.json").write_bytes(bytes(data))
    collection = Collection(tmp_path)
    assert "task2_good" in collection.headers
    try:
        collection.instances("task1_fuzzed")
    except UserError as error:
        assert "task1_fuzzed.json" in str(error.where)


def _kept(folder: Path) -> list[Path]:
    return [path for path in (folder / "cache" / "superni").rglob("*") if path.is_file()]


def test_the_index_is_kept_and_renewed_when_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tasks"
    write(folder, "task1_a", task(1))
    write(folder, "task2_b", task(2))
    Collection(tmp_path)
    read: list[str] = []

    def spy(path: Path) -> Any:
        read.append(path.stem)
        return read_header(path)

    monkeypatch.setattr("taskloom.families.superni.collection.read_header", spy)
    assert len(Collection(tmp_path)) == 2
    assert read == []
    write(folder, "task2_b", task(2, Categories=["Summarization"]))
    write(folder, "task3_c", task(3))
    (folder / "task1_a.json").unlink()
    again = Collection(tmp_path)
    assert sorted(read) == ["task2_b", "task3_c"]
    assert sorted(again.headers) == ["task2_b", "task3_c"]
    assert again.header("task2_b").category == "Summarization"
    for kept in _kept(tmp_path):
        kept.write_bytes(b"rubbish")
    assert len(Collection(tmp_path)) == 2


def test_a_flipped_bit_of_the_index_is_not_read_as_another_header(tmp_path: Path) -> None:
    write(tmp_path / "tasks", "task1_a", task(1))
    wanted = Collection(tmp_path).header("task1_a")
    (kept,) = _kept(tmp_path)
    whole = kept.read_bytes()
    for at in range(0, len(whole), 7):
        kept.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert Collection(tmp_path).header("task1_a") == wanted


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "file" / "inside"))
    write(tmp_path / "tasks", "task1_a", task(1))
    assert len(Collection(tmp_path)) == 1


def test_one_task_is_read_without_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        write(tmp_path, f"task{number}_x", task(number))
    collection = Collection(tmp_path)
    for number in range(4):
        os.truncate(tmp_path / f"task{number}_x.json", 10)
    assert len(collection.instances("task4_x")) == 150


def test_maps_and_lists(tmp_path: Path) -> None:
    write(tmp_path / "tasks", "task1_a", task(1, Domains=["Reviews -> Movies", "News", "Odd"]))
    (tmp_path / "doc").mkdir()
    (tmp_path / "doc/domains_map.json").write_text('{"Reviews -> Movies": ["Reviews", "Movies"], "News": "News"}')
    (tmp_path / "splits/default").mkdir(parents=True)
    (tmp_path / "splits/default/test_tasks.txt").write_text("task9_gone\ntask1_a\n")
    collection = Collection(tmp_path)
    assert collection.domains("task1_a") == ("Reviews", "Movies", "News", "Odd")
    assert collection.split_names("default", "test") == ["task9_gone", "task1_a"]
    assert collection.split_names("xlingual", "test") is None
    (tmp_path / "doc/domains_map.json").write_text("[]")
    with pytest.raises(UserError, match="domains_map"):
        Collection(tmp_path).domains("task1_a")


def test_a_missing_path_says_how_to_get_the_collection(tmp_path: Path) -> None:
    for path in ("", str(tmp_path / "nowhere")):
        with pytest.raises(UserError, match="natural-instructions"):
            open_collection(path)
    with pytest.raises(UserError, match="natural-instructions"):
        open_suite("superni/test-en")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="no task files"):
        open_collection(str(tmp_path / "empty"))
