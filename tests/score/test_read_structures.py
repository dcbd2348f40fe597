"""JSON among prose, and structures as Python writes them."""

from __future__ import annotations

from taskloom.score.read.structures import decode_json


def test_a_structure_in_single_quotes_is_taken_out_of_its_sentence():
    found = decode_json("It is {'name': 'Ann', 'age': 3,}, I think.")
    assert found is not None
    assert found.value == {"name": "Ann", "age": 3}
    assert (found.before, found.after) == ("It is ", ", I think.")
    assert decode_json("It is {'name': open('x')}.") is None
    assert decode_json("nothing of the kind") is None
