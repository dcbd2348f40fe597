"""What stays the same in every wording of an instruction."""

from __future__ import annotations

import pytest

from taskloom.core import open_suite
from taskloom.protocol import PROTOCOLS
from taskloom.protocol.wordings import MOST_WORDINGS


@pytest.mark.parametrize("name", ["zest/fictional", "babi/task-1", "superni/embedded"])
def test_the_form_that_readers_know_is_the_same_in_every_wording(name):
    suite = open_suite(name)
    row = next(iter(suite.draw("test")))
    for seed in range(12):
        prompt = PROTOCOLS["chat"].make(MOST_WORDINGS, seed).encode(suite.tasks[row.task], row.instance)
        assert "End with a line of the form: Answer: …" in prompt.text
