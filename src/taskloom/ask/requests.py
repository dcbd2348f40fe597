"""Prompting and asking: one length rule, known answers first, and whatever a model does wrong becomes data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from taskloom.ask.cache import ResponseCache
from taskloom.ask.spending import spending_now
from taskloom.core import Row, Task, UserError
from taskloom.core.display import printable
from taskloom.core.encoding import Encoding, Prompt
from taskloom.core.model import Generation, Model, Output, Request
from taskloom.models.likelihood import Weights, outputs

_READY = 64
"""Known answers are handed on at least this often, so that a run of nothing else stays small in memory."""

Sink = Callable[[list[tuple[int, Request, Output]]], None]


def make_request(task: Task, row: Row, encoding: Encoding, model: Model) -> Request:
    """The request of one row."""
    return Request(encoding.encode(task, row.instance, tokenizer=model.tokenizer), task, row.instance)


def too_long(model: Model, prompt: Prompt, generation: Generation) -> str | None:
    """Why a prompt cannot be asked, counted as the model will read it; None where it can (or nobody knows)."""
    window = model.limits.window
    length = None if window is None else model.length(prompt)
    if window is None or length is None:
        return None
    room = 0 if model.limits.apart else generation.max_tokens
    if length + room <= window:
        return None
    if not room:
        return f"the prompt has {length} tokens, but the model's window is {window}: use fewer examples"
    return (
        f"the prompt has {length} tokens and the answer may have {generation.max_tokens}, "
        f"but the model's window is {window}: use fewer examples or a shorter --max-tokens"
    )


def ask(
    model: Model,
    requests: Iterable[tuple[int, Request]],
    generation: Generation,
    sink: Sink,
    *,
    known: ResponseCache | None = None,
    weights: Weights | None = None,
) -> None:
    """Ask every request and hand each answer on as soon as it is there.

    Requests are drawn only as the model takes them, so there may be any number. Failures are outputs, not exceptions:
    a prompt that is too long, a model that raises or gives no answer. A `UserError` ends the work.

    Args:
        model: Who is asked.
        requests: A number of the caller's and a request each.
        generation: How text is generated.
        sink: Called with groups of (number, request, output), in order of arrival.
        known: Where answers may be found without asking.
        weights: How answers are found (written or chosen by likelihood) and weighed; None lets the model write.
    """
    weights = weights or Weights()
    queue = _Queue(model, requests, generation, sink, known)
    while not queue.empty:
        try:
            for group in outputs(model, queue.unanswered(), generation, weights):
                queue.answer(group)
            problem = "the model gave no output"
        except UserError:
            raise
        except Exception as error:  # noqa: BLE001
            # A bad answer is data: the record keeps the words, and the next requests are asked.
            problem = f"{type(error).__name__}: {error}"
        if queue.broken is not None:
            raise queue.broken from None
        queue.fail(problem)


class _Queue:
    """Requests on their way: drawn one by one, known answers handed on at once, the rest waiting for the model."""

    def __init__(
        self,
        model: Model,
        requests: Iterable[tuple[int, Request]],
        generation: Generation,
        sink: Sink,
        known: ResponseCache | None,
    ) -> None:
        self._model = model
        self._requests = iter(requests)
        self._generation = generation
        self._sink = sink
        self._known = known
        self._waiting: dict[int, tuple[int, Request]] = {}
        self._ready: list[tuple[int, Request, Output]] = []
        self._drawn = 0
        self._spending = spending_now()
        self._next: list[tuple[int, Request]] = []
        self.empty = False
        self.broken: Exception | None = None

    def unanswered(self) -> Iterator[Request]:
        """What has to be asked; answers that are there already go to the sink on the way."""
        while True:
            try:
                number, request = self._next.pop() if self._next else next(self._requests)
            except StopIteration:
                break
            except Exception as error:
                # The caller's own fault (an encoding that raises, say) is not the model's.
                self.broken = error
                raise
            if problem := too_long(self._model, request.prompt, self._generation):
                self._ready.append((number, request, Output("", "failed", problem)))
            elif self._known is not None and (found := self._known.get(request)) is not None:
                self._ready.append((number, request, found))
            elif self._spending is not None and not self._spending.reserve(self._model, request, self._generation):
                self._pause(number, request)
                return
            else:
                self._waiting[self._drawn] = (number, request)
                self._drawn += 1
                yield request
            if len(self._ready) >= _READY:
                self._hand_on()
        self.empty = True
        self._hand_on()

    def _pause(self, number: int, request: Request) -> None:
        """Wait with a request that could exceed the limit of costs until those under way have cost what they cost.

        Raises:
            UserError: None is under way, so that the limit is reached.
        """
        self._hand_on()
        if not self._waiting and self._spending is not None:
            self.broken = self._spending.refused()
            raise self.broken
        self._next.append((number, request))

    def _hand_on(self) -> None:
        if self._ready:
            ready, self._ready = self._ready, []
            self._sink(ready)

    def answer(self, group: list[tuple[int, Output]]) -> None:
        """Take a group of outputs in."""
        answered = [(*self._waiting.pop(place), _cleaned(output)) for place, output in group]
        self._settle(answered)
        if self._known is not None:
            self._known.put([(request, output) for _, request, output in answered])
        self._sink(answered)

    def _settle(self, answered: list[tuple[int, Request, Output]]) -> None:
        if self._spending is not None:
            for _, request, output in answered:
                self._spending.settle(request, output)

    def fail(self, problem: str) -> None:
        """Whatever the model has taken and not answered has failed; a model that takes nothing fails them all."""
        if not self._drawn and not self.empty:
            for request in self.unanswered():
                del request
        if self._waiting:
            failed = [(number, request, Output("", "failed", problem)) for number, request in self._waiting.values()]
            self._waiting.clear()
            self._settle(failed)
            self._sink(failed)
        self._drawn = 0  # the next stream counts places from 0 again


def _cleaned(output: Output) -> Output:
    """The output with text any file can hold."""
    if output.text.isascii() and output.raw.isascii() and output.reasoning.isascii():
        return output
    texts = {name: printable(getattr(output, name)) for name in ("text", "raw", "reasoning")}
    return msgspec.structs.replace(output, **texts)
