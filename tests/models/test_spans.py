"""Readers that point at their answer: where answers are, what they are worth, and that they can be learned."""

from __future__ import annotations

import math

import pytest

from taskloom.core import Instance, Instruction, Task, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request, open_model
from taskloom.models.local import Passage, occurrences, reading_parts

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")
STORY = "Mary went to the garden. Daniel took the milk. Mary is in the office."


def question(story=STORY, asked="Where is Mary?", answer="office", labels=()):
    task = Task("demo", Instruction(""), kind="label" if labels else "text", labels=tuple(labels))
    parts = {"story": story, "question": asked}
    return Request(Prompt(f"{story}\n{asked}"), task, Instance("1", f"{story}\n{asked}", any_of(answer), parts=parts))


READERS = {
    "tiny/bidaf": {"width": 16},
    "tiny/bert-1m": {"architecture": "reader"},
}


def opened(name):
    model = open_model(name, READERS[name])
    if name == "tiny/bidaf":
        model.build(f"{STORY} where is ?".lower().replace(".", " .").split())
    return model


def test_parts_and_labels():
    assert reading_parts(question().instance, question().task) == ("Where is Mary?", STORY)
    closed = question(asked="Is Mary in the office?", answer="yes", labels=("yes", "no"))
    assert reading_parts(closed.instance, closed.task)[1] == f"{STORY}\nyes no"
    plain = Instance("1", "first line\nWho?", any_of("x"))
    assert reading_parts(plain, question().task) == ("Who?", "first line")
    alone = Instance("1", "one text", any_of("x"), parts={"sentence": "one text"})
    assert reading_parts(alone, question().task) == ("", "one text")


def test_every_mention_counts_and_only_whole_words():
    words = [(0, 4), (5, 8), (9, 13), (14, 17)]
    passage = Passage("Mary mar mary red", (None, *words))
    assert occurrences(passage, "mary") == [(1, 1), (3, 3)]
    assert occurrences(passage, "Mary mar") == [(1, 2)]
    assert occurrences(passage, "ary") == [] == occurrences(passage, "nowhere") == occurrences(passage, "")


@pytest.mark.parametrize("name", READERS)
def test_answers_are_stretches_of_the_passage_and_probabilities_add_up(name):
    model = opened(name)
    requests = [question(), question(asked="Where is the milk?"), question(story="Mary is in the garden.")]
    together = model.generate(requests, Generation())
    alone = [model.generate([request], Generation())[0] for request in requests]
    assert [output.text for output in together] == [output.text for output in alone]
    assert all(
        output.text and output.text in request.instance.parts["story"]
        for output, request in zip(together, requests, strict=True)
    )
    encoded, [passage] = model.encode([requests[0]])
    with torch.no_grad():
        begins, ends = model.log_pointers(encoded, [passage])
    assert float(begins[0].exp().sum()) == pytest.approx(1, abs=1e-5)
    belief = model.weigh([requests[0]], [["Mary", "office", "kitchen"]])[0]
    by_hand = sum(math.exp(float(begins[0, first] + ends[0, last])) for first, last in occurrences(passage, "Mary"))
    assert len(occurrences(passage, "Mary")) == 2
    assert math.exp(belief.logprobs["Mary"]) == pytest.approx(by_hand, rel=1e-5)
    assert belief.logprobs["kitchen"] == -math.inf
    loss = model.losses([requests[0]], ["Mary"])
    assert float(loss.detach()[0]) == pytest.approx(-belief.logprobs["Mary"], rel=1e-4)


def test_bidaf_is_not_disturbed_by_padding_and_travels(tmp_path):
    model = opened("tiny/bidaf")
    requests = [question(), question(story=f"{STORY} {STORY} {STORY}")]
    with torch.no_grad():
        alone = model.log_pointers(*model.encode(requests[:1]))[0][0]
        company = model.log_pointers(*model.encode(requests))[0][0]
    torch.testing.assert_close(company[: len(alone)], alone, atol=1e-5, rtol=1e-4)
    model.save(tmp_path)
    again = open_model("tiny/bidaf", {"checkpoint": str(tmp_path)})
    assert again.weigh(requests, [["garden"]] * 2) == model.weigh(requests, [["garden"]] * 2)


def test_a_saved_reader_opens_as_one(tmp_path):
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    model = opened("tiny/bert-1m")
    model.save(tmp_path)
    again = open_model(f"hf/{tmp_path}")
    assert again.architecture == "reader"
    request = question()
    assert again.generate([request], Generation())[0].text == model.generate([request], Generation())[0].text
    plain, tokenizer = AutoModelForQuestionAnswering.from_pretrained(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    given = tokenizer("Where is Mary?", STORY, return_tensors="pt")
    with torch.no_grad():
        theirs = plain(**given)
        encoded, _ = again.encode([request])
        ours = again.pointers(encoded)
    torch.testing.assert_close(ours[0], theirs.start_logits, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(ours[1], theirs.end_logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_learns_and_leaves_out_what_it_cannot_point_at(name, tmp_path):
    from taskloom.adapt import make_adaptation
    from taskloom.adapt.lane import read_result
    from taskloom.core import Row, Suite
    from taskloom.core.encoding import make_encoding

    people, places = ("mary", "john", "sandra", "daniel"), ("garden", "office", "kitchen", "hall")

    def draw(split):
        for index in range(48 if split == "train" else 12):
            person, place = people[index % 4], places[(index // 4 + index) % 4]
            other = places[(index + 1) % 4]
            story = f"{people[(index + 1) % 4]} went to the {other}. {person} went to the {place}."
            answer = "nowhere" if split == "train" and index < 3 else place
            request = question(story, f"where is {person}?", answer)
            yield Row("demo", request.instance)

    suite = Suite("toy/places", {}, 0, {"demo": question().task}, {"train": 48, "test": 12}, draw)
    options = {
        "epochs": 25,
        "learning_rate": 0.01 if name == "tiny/bidaf" else 1e-3,
        "evaluate_epochs": 25,
        "holdout": 0,
    }
    adaptation = make_adaptation("finetune", {**options, "dev": "none", "keep": "last"})
    model = open_model(name, READERS[name])
    adapted = adaptation.adapt(model, suite, make_encoding("plain"), tmp_path, seed=0)
    result = read_result(tmp_path)
    assert result.dropped == {"without its answer in the passage": 3}
    assert result.final["test"] > 0.8
    assert adapted.architecture == "reader"
