"""Options whose defaults come from the environment."""

from __future__ import annotations

import argparse

import pytest

from taskloom.cli.options import Argument, add_arguments
from taskloom.core import UserError


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser, [Argument(["--dry-run"], "look only", kind="flag")])
    return parser.parse_args([])


@pytest.mark.parametrize(
    ("value", "meant"),
    [("1", True), ("true", True), ("YES", True), ("0", False), ("false", False), ("No", False), ("", False)],
)
def test_a_switch_can_be_set_and_unset_by_its_variable(monkeypatch, value, meant):
    monkeypatch.setenv("TASKLOOM_DRY_RUN", value)
    assert parsed().dry_run is meant


def test_a_switch_that_is_neither_yes_nor_no_is_refused(monkeypatch):
    monkeypatch.setenv("TASKLOOM_DRY_RUN", "perhaps")
    with pytest.raises(UserError, match="'perhaps' is neither yes nor no"):
        parsed()
