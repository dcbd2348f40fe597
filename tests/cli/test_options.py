"""Options whose defaults come from the environment."""

from __future__ import annotations

import argparse

import pytest

from taskloom.cli.options import add_option
from taskloom.core import UserError


def parsed(**settings) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_option(parser, "--dry-run", help="look only", **settings)
    return parser.parse_args([])


@pytest.mark.parametrize(
    ("value", "meant"),
    [("1", True), ("true", True), ("YES", True), ("0", False), ("false", False), ("No", False), ("", False)],
)
def test_a_switch_can_be_set_and_unset_by_its_variable(monkeypatch, value, meant):
    monkeypatch.setenv("TASKLOOM_DRY_RUN", value)
    assert parsed(action="store_true").dry_run is meant


def test_a_switch_that_is_neither_yes_nor_no_is_refused(monkeypatch):
    monkeypatch.setenv("TASKLOOM_DRY_RUN", "perhaps")
    with pytest.raises(UserError, match="'perhaps' is neither yes nor no"):
        parsed(action="store_true")
