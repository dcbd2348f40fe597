"""What a log holds by place, and the order and the counts in which it is closed."""

from __future__ import annotations

import random

from taskloom.core import any_of
from taskloom.run.record import RecordIndex, supporting_marks


def test_places_against_a_plain_dictionary():
    draw, places, known = random.Random(1), RecordIndex(), {}
    for _ in range(3_000):
        place, state = (
            draw.choice([draw.randrange(3_000), 10**9 + draw.randrange(50)]),
            draw.choice(["scored", "errored"]),
        )
        row = f"{draw.getrandbits(64):016x}{place:016x}"
        places.put(place, state, row)
        known[place] = (state, row)
    assert list(places) == sorted(known) and len(places) == len(known)
    for state in ("scored", "truncated", "errored"):
        assert places.count(state) == sum(held == state for held, _ in known.values())
    for place, (state, row) in known.items():
        assert places.state(place) == state
        assert places.same_row(place, row) and places.same_row(place, row[:16]), "half of a hash is enough"
        assert not places.same_row(place, "f" + row[1:] if row[0] != "f" else "0" + row[1:])
    assert places.state(5_000_000) is None and places.state(10**9 + 60) is None
    places.put(7, "scored", "")
    assert places.same_row(7, "")


def test_which_stretches_of_a_prompt_an_answer_needs():
    from taskloom.core import Instance

    story = "one\ntwo\nthree"
    held = Instance("i", story, any_of("a"), details={"support": [1, 3]})
    prompt = f"Read: one\n{story}\nAnswer:"
    assert [prompt[start:end] for start, end in supporting_marks(held, prompt)] == ["one", "three"]
    assert supporting_marks(held, prompt)[0][0] == prompt.rfind(story)
    assert supporting_marks(held, "other words") == ()
    assert supporting_marks(Instance("i", story, any_of("a")), prompt) == ()


def test_places_are_kept_in_pages():
    places = RecordIndex()
    assert list(places) == [] and len(places) == 0 and places.state(0) is None
    for place in (0, 1_023, 1_024, 2_047, 2_048):
        places.put(place, "scored", "ff" * 16)
    assert list(places) == [0, 1_023, 1_024, 2_047, 2_048] and sorted(places._pages) == [0, 1, 2]
    assert places.state(1_022) is None and places.state(1_025) is None
    places.put(0, "errored", "ee" * 16)
    assert (places.count("scored"), places.count("errored"), places.count("truncated"), len(places)) == (4, 1, 0, 5)
    assert not places.same_row(0, "ff" * 16) and places.same_row(0, "ee" * 16) and places.same_row(1_023, "ff" * 16)
    assert places.same_row(1_023, "ff" * 8 + "00" * 8), "half of a hash"
