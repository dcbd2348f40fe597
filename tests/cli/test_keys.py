"""Everything that can be set can be looked up."""

from __future__ import annotations

import json

import pytest

from taskloom.cli.keys import find_recipe
from taskloom.cli.main import main
from taskloom.core import UserError, options_of, resolve
from taskloom.core.catalog import ADAPTATIONS, ENCODINGS, FAMILIES, MODELS, STUDIES
from taskloom.core.model import Generation

OWN = ("babi", "taskbench", "seti", "zest", "superni")
NAMES = [
    *("generation", "pretrain", *ADAPTATIONS, *STUDIES, *ENCODINGS),
    *(f"{family}/{suite}" for family in OWN for suite in FAMILIES.get(family).suites()),
    *(f"{provider}/{model}" for provider in MODELS for model in MODELS.get(provider).names()),
]


def test_every_option_says_what_it_does():
    silent = {(name, option.name) for name in NAMES for option in options_of(find_recipe(name)[1]) if not option.about}
    assert not silent


@pytest.mark.parametrize(
    ("name", "letter", "key"),
    [
        ("lora", "-A", "rank"),
        ("lora", "-A", "learning_rate"),  # inherited
        ("tiny/stm", "-M", "slots"),
        ("packaged/minilm", "-M", "labels"),
        ("superni/def", "-E", "positive"),
        ("superni/embedded", "-T", "oracle_instances"),
        ("seti/task1-trivial", "-T", "dev"),  # one of several keys that share an entry
        ("taskbench/memorise", "-T", "pairs"),
    ],
)
def test_options_are_found_by_the_name_of_their_owner(name, letter, key):
    found, recipe = find_recipe(name)
    assert (found, key in {option.name for option in options_of(recipe)}) == (letter, True)


def test_choices_are_listed():
    (schedule,) = (option for option in options_of(find_recipe("finetune")[1]) if option.name == "schedule")
    assert (schedule.default, schedule.choices) == ("constant", ("constant", "linear", "cosine"))


@pytest.mark.parametrize("name", ["finetun", "babi/task-91", "tiny/t5-2m", "reading/loud", "nothing/at/all"])
def test_an_unknown_owner_is_refused(name):
    with pytest.raises(UserError):
        find_recipe(name)


def test_the_hint_at_an_unknown_key_is_a_command_that_works(capsys):
    with pytest.raises(UserError) as error:
        resolve(find_recipe("lora")[1], {"rnak": 3}, where="adaptation lora")
    assert "'rank'" in str(error.value)
    command = str(error.value.hint).splitlines()[-1].split()
    assert command[0] == "taskloom"
    assert main(command[1:]) == 0
    assert "-A rank=8\n" in capsys.readouterr().out


def test_nothing_to_set_is_said_too(capsys):
    assert main(["list", "options", "reading/na"]) == 0
    assert capsys.readouterr().out == "reading/na has no options\n"
    assert main(["list", "options"]) == 2


def test_every_option_of_generation_can_be_set_by_a_run(tmp_path, capsys):
    """`list options generation` once named keys that no option of `run` could set."""
    assert main(["list", "options", "generation"]) == 0
    keys = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("-D ")]
    assert {key.partition("=")[0] for key in keys} == set(Generation.__struct_fields__)
    words = ["run", "babi/task-1", "--model", "mock/oracle", "--limit", "1", "-o", str(tmp_path)]
    assert main([*words, "-D", "top_p=0.5", "-D", "temperature=1", "-D", 'stop=["."]', "-D", "seed=9"]) == 0
    generation = json.loads((tmp_path / "run.json").read_text())["generation"]
    assert (generation["top_p"], generation["temperature"], generation["stop"]) == (0.5, 1.0, ["."])
    assert generation["seed"] == 9
