"""What an adaptation does by itself."""

from __future__ import annotations

from typing import ClassVar

from taskloom.core.adaptation import Adaptation
from taskloom.core.instance import content_hash


class Idle(Adaptation, frozen=True, kw_only=True):
    name: ClassVar[str] = "idle"

    size: int = 3

    def adapt(self, model, suite, encoding, directory, *, seed, progress=None):
        return model


def test_most_adaptations_change_no_prompt_and_refuse_nothing():
    encoding = object()
    assert Idle().wrap(encoding, None, 0) is encoding
    assert Idle().check(None, None) is None and Idle().check_asked(None, "test") is None


def test_the_hash_covers_name_and_options():
    assert Idle().describe() == {"name": "idle", "size": 3}
    assert Idle().hash() == content_hash({"name": "idle", "size": 3}) != Idle(size=4).hash()
