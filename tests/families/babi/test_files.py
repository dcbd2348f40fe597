"""Files of others: bAbI text in both spacings, the kit's configuration and JSONL, SQuAD-style JSON."""

import json

import pytest

from taskloom.core import UserError, open_suite
from taskloom.families.babi.files import read_babi, read_story, write_babi, write_rows
from taskloom.families.babi.kinds import WHERE_P
from taskloom.families.babi.kit import read_config, write_jsonl
from taskloom.families.babi.parse import Parser
from taskloom.families.babi.reader import Reader


@pytest.fixture(scope="module")
def mixed():
    suite = open_suite("babi/mix-t12", seed=5, options={"dev": 0, "test": 60})
    return list(suite.rows("test"))


@pytest.mark.parametrize("blank", [False, True])
def test_babi_text_round_trip(tmp_path, mixed, blank):
    path, again = tmp_path / "one.txt", tmp_path / "two.txt"
    assert write_rows(mixed, path, blank_before_tab=blank) == 60
    assert (" \t" in path.read_text()) == blank
    stories = list(read_babi(path))
    write_babi(stories, again, blank_before_tab=blank)
    assert again.read_bytes() == path.read_bytes()
    for row, story in zip(mixed, stories, strict=True):
        assert "\n".join(story.statements) == row.instance.parts["story"]
        (asked,) = story.questions
        assert [line + 1 for line in asked.support] == row.instance.details["support"]


def test_what_we_write_we_can_read_with_the_same_answers(tmp_path, mixed):
    path = tmp_path / "one.txt"
    write_rows(mixed, path)
    from taskloom.families.babi.files import agreement

    for counts in agreement(path).values():
        assert counts.agreed == counts.asked
        assert set(counts.supports) == {"equal"}


def test_questions_of_one_growing_story_share_it(tmp_path):
    suite = open_suite("babi/task-2", seed=1, options={"train": 10, "dev": 0, "test": 0})
    path = tmp_path / "two.txt"
    assert write_rows(suite.rows("train"), path) == 10
    assert [len(story.questions) for story in read_babi(path)] == [5, 5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ann went.\n", ":1: a line must begin with its number"),
        ("1 Ann went to the park.\n2 Where is Ann?\t\t1\n", ":2: a question needs an answer"),
        ("1 Ann went to the park.\n2 Where is Ann?\tpark\t7\n", ":2: the supporting lines '7'"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, message):
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        list(read_babi(path))


def test_crlf_and_blank_lines(tmp_path):
    path = tmp_path / "windows.txt"
    path.write_bytes(b"1 Ann went to the park.\r\n2 Where is Ann? \tpark\t1\r\n\r\n1 Ben went to the park.\r\n")
    one, two = read_babi(path)
    assert one.questions[0].answer == "park"
    assert one.questions[0].support == (0,)
    assert two.questions == ()


def test_jsonl_of_the_kit(tmp_path, mixed):
    path = tmp_path / "dev.jsonl"
    assert write_jsonl(mixed, path, seed=5) == 60
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert len({record["id"] for record in records}) == 60
    for record, row in zip(records, mixed, strict=True):
        story, question = record["input"].split(" $question$ ")
        assert story == row.instance.parts["story"].replace("\n", " ")
        assert question == row.instance.parts["question"]
        assert record["supporting_facts"] == row.instance.details["support"]
        assert (record["answerKey"], record["prefix"], record["question"]["stem"]) == (-1, "answer:", record["input"])


def test_jsonl_has_the_keys_of_the_reference(reference, tmp_path, mixed):
    write_jsonl(mixed, tmp_path / "dev.jsonl")
    with (reference / "babi" / "dyna" / "mix_T12" / "dev.jsonl").open() as lines:
        theirs = json.loads(next(lines))
    ours = json.loads((tmp_path / "dev.jsonl").read_text().splitlines()[0])
    assert list(ours) == list(theirs)


CONFIG = {
    "name": "small",
    "only_dev": True,
    "tasks": [
        {
            "story_params": {
                "name": "give_wp",
                "samples": 20,
                "actions": ["move", "grab", "drop", "give"],
                "actions_distribution": [1, 1, 1, 1],
                "actions_before_question": 12,
                "n_questions": 1,
                "question_probability": 1,
                "questions": ["where_person"],
            },
            "game_variables": {"persons": ["Ann", "Ben", "Cy", "Dee", "Eve"], "locations": ["hut", "barn", "mill"]},
            "filter_config": [
                {"num_supp_fact_range": [2, 2], "max_pass": 10, "max_len": 20, "required_supp_fact_types": ["give"]},
                {"num_supp_fact_range": [4, 4], "max_pass": 10, "max_stories_per_sig": 3},
            ],
        }
    ],
}


def test_configuration_of_the_kit(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    suite = open_suite("babi/custom", options={"config": str(path)})
    assert suite.splits == {"dev": 20}
    rows = list(suite.rows("dev"))
    assert {row.instance.facets["support_size"] for row in rows} == {2, 4}
    assert all("give" in row.instance.facets["composition"] for row in rows if row.instance.facets["support_size"] == 2)
    assert all(row.instance.facets["length"] == 12 for row in rows)
    assert any("Dee" in row.instance.input for row in rows)
    assert any("mill" in row.instance.input for row in rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tasks": [{"story_params": {"actions": ["fly"]}}]}, "unknown action 'fly'"),
        ({"tasks": [{"story_params": {"questions": ["why"]}}]}, "unknown question type 'why'"),
        ({"tusks": []}, "tusks"),
    ],
)
def test_bad_configurations_are_named(tmp_path, change, message):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**CONFIG, **change}))
    with pytest.raises(UserError, match=message):
        read_config(path)


def test_impossible_filters_of_a_configuration_are_left_out_and_noted(tmp_path):
    config = json.loads(json.dumps(CONFIG))
    config["tasks"][0]["story_params"]["actions"] = ["move", "grab", "drop"]
    config["tasks"][0]["filter_config"] = [{"num_supp_fact_range": [2, 2]}, {"num_supp_fact_range": [3, 3]}]
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    suite = open_suite("babi/custom", options={"config": str(path)})
    assert "support of 2" in suite.notes["left out because nothing can meet them"][0]
    assert {row.instance.facets["support_size"] for row in suite.rows("dev")} == {3}


@pytest.mark.parametrize("name", ["mix_T7", "mix_T12", "diverse_T7", "diverse_T12"])
def test_the_shipped_configurations_are_read_unchanged(reference, name):
    path = reference / "babi" / "dyna" / "configs" / f"{name}.json"
    suite = open_suite("babi/custom", options={"config": str(path), "scale": 0.01})
    for split, size in suite.splits.items():
        assert sum(1 for _ in suite.rows(split)) == size


def test_original_files_instead_of_generated_ones(reference):
    folder = reference / "babi" / "v11"
    suite = open_suite("babi/concat-t2", options={"files": str(folder), "train": 200, "dev": 20, "test": 20, "mix": 0})
    rows = list(suite.rows("train"))
    assert len(rows) == 200
    assert {row.task for row in rows} == {"task-2", "task-11"}
    with pytest.raises(UserError, match="no file qa2"):
        list(open_suite("babi/concat-t2", options={"files": "nowhere"}).rows("train"))


def test_lua_forms_are_read():
    parser = Parser()
    from taskloom.families.babi.files import FileQuestion, FileStory

    lines = (
        "Ann got the milk.",
        "Ann gave Ben the milk.",
        "Ben let go of the milk there.",
        "Cy is either in the park or in the hall.",
    )
    read = read_story(FileStory(lines, (FileQuestion(4, "Who received the milk last?", "Ben", (1,)),)), parser)
    reader = Reader.of(read.sentences, 3, 1)
    assert list(read.names.persons)[reader.answer(read.questions[0])] == "Ben"
    assert reader.person_places(read.names.persons["Cy"]).bit_count() == 2
    assert parser.question("Where is Ann?", read.names).kind == WHERE_P
