"""Copies of one model in other processes, asked as if they were one: on this machine, or on a Ray cluster.

Requests leave in blocks and answers come back as values, so workers need no disk of ours. A block belongs to one worker
until it is answered as a whole; if the worker dies, the block is asked again elsewhere and nothing of it was kept, so
no answer is lost and none is there twice. Everything else (known answers, scoring, the log) stays with the caller.
"""

from __future__ import annotations

import os
import platform
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from itertools import islice
from multiprocessing import get_context
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from taskloom import __version__
from taskloom.ask.requests import ask
from taskloom.core import Suite, UserError, open_suite
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Model, Output, Request, open_model
from taskloom.core.parallel import WorkEngine, connect, leave_with_parent, worker_environment
from taskloom.models.likelihood import RemoteModel, Weights

_opener: ContextVar[Callable[[str, Mapping[str, Any]], Model]] = ContextVar("opener", default=open_model)
"""How models that are only asked are opened: in this process, or as copies elsewhere."""

_AHEAD = 2
"""Blocks that a worker holds: one under way, one waiting, so that it never waits for us."""
_DEATHS = 3
"""How many workers may die over one block before its requests count as failed."""
_PATIENCE = 600.0
"""Seconds without any worker that is ready, or any answer from those that are not."""


def _version() -> str:
    return f"taskloom {__version__}, Python {platform.python_version()}"


_FACTS = ("identity", "limits", "nature", "abilities", "cacheable", "reproducible", "price")
"""What the caller has to know to stand for a model."""


class _Described(msgspec.Struct, frozen=True):
    """What a worker says about its model when it joins."""

    version: str
    worker: str
    facts: dict[str, Any]
    tokenizes: bool
    prepares: bool


class Asker:
    """One copy of the model, in the worker's process."""

    _model: Model

    def open(self, name: str, options: Mapping[str, Any], home: str) -> None:
        """Open the model. Relative paths are meant from where the caller stands, if the worker has that folder."""
        if Path(home).is_dir():
            os.chdir(home)
        self._model = open_model(name, options)

    def describe(self) -> _Described:
        """What the caller has to know."""
        model = self._model
        return _Described(
            version=_version(),
            worker=f"{socket.gethostname()}:{os.getpid()}",
            facts={name: getattr(model, name) for name in _FACTS},
            tokenizes=model.tokenizer is not None,
            prepares=type(model).prepare is not Model.prepare,
        )

    def form_for(self, ability: str) -> None:
        """Take the form of the model that has an ability."""
        self._model = self._model.form_for(ability)

    def prepare(self, name: str, seed: int | None, options: dict[str, Any]) -> None:
        """Look at the suite before a run."""
        self._model.prepare(open_suite(name, seed=seed, options=options))

    def ask_model(self, method: str, *arguments: Any) -> Any:
        """What a method of the model, or of its tokenizer (`tokenizer.encode`), returns."""
        return attrgetter(method)(self._model)(*arguments)

    def answer(
        self, requests: Sequence[Request], generation: Generation, weights: Weights, batch: int
    ) -> list[tuple[int, Output]]:
        """The answers to a block, each with what the model read where that is not the prompt as it stands."""
        model = self._model
        model.limits = msgspec.structs.replace(model.limits, batch=batch)
        found: list[tuple[int, Output]] = []

        def keep(group: list[tuple[int, Request, Output]]) -> None:
            for place, request, output in group:
                shown = output.shown or model.render(request.prompt)
                same = shown == request.prompt.text
                found.append((place, output if same else msgspec.structs.replace(output, shown=shown)))

        ask(model, enumerate(requests), generation, keep, weights=weights)
        return sorted(found, key=lambda each: each[0])


_here = Asker()
"""The asker of a worker process of this machine."""


def _serve(method: str, *arguments: Any) -> Any:
    return getattr(_here, method)(*arguments)


def _begin() -> None:
    """Ctrl-C is for the process that started the worker and ends it; a traceback of its own would help nobody."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leave_with_parent()


class LocalWorker:
    """A process of this machine with one thread, which carries out calls one after the other.

    Args:
        gpu: The GPU it may use; None for all.
    """

    died: tuple[type[BaseException], ...] = (BrokenProcessPool,)

    def __init__(self, gpu: str | None = None) -> None:
        self.gpu = gpu
        with worker_environment({} if gpu is None else {"CUDA_VISIBLE_DEVICES": gpu}):
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)
            self._process = self._pool.submit(os.getpid)  # it starts now, with these variables
        self._last: Future[Any] = self._process

    def call(self, work: Callable[..., Any] | str, *arguments: Any) -> Future[Any]:
        """Have a function of a module carried out, or a method of the asker."""
        given = (work, *arguments) if callable(work) else (_serve, work, *arguments)
        try:
            self._last = self._pool.submit(*given)
        except BrokenProcessPool as error:
            self._last = Future()
            self._last.set_exception(error)
        return self._last

    def stop(self) -> None:
        """End the process; what it is at is broken off."""
        if not self._last.done():
            with suppress(BrokenProcessPool, ProcessLookupError):
                os.kill(self._process.result(), signal.SIGKILL)
        self._pool.shutdown(cancel_futures=True)


class _RayWorker:
    """An actor of a Ray cluster."""

    def __init__(self, ray: Any, gpus: float) -> None:
        self._ray = ray
        self.died: tuple[type[BaseException], ...] = (ray.exceptions.RayActorError, ray.exceptions.RaySystemError)
        # Ray's own restarts would hide a death, and with it a block that has to be asked again.
        remote = ray.remote(num_cpus=1, num_gpus=gpus, max_restarts=0, scheduling_strategy="SPREAD")(Asker)
        self._actor = remote.remote()

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        """Have a method of the asker carried out."""
        future: Future[Any] = getattr(self._actor, method).remote(*arguments).future()
        return future

    def stop(self) -> None:
        """End the actor."""
        self._ray.kill(self._actor)


Worker: TypeAlias = "LocalWorker | _RayWorker"


def _problem(error: BaseException) -> BaseException:
    """What went wrong in a worker, without what Ray wraps around it."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else error


class _RequestBlock(msgspec.Struct, frozen=True):
    """Requests that one worker answers together."""

    first: int
    requests: list[Request]
    deaths: int = 0


class _RemoteTokenizer:
    """The tokenizer of the workers' model, for encodings that count tokens."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.encode: Callable[[str], list[int]] = partial(call, "ask_model", "tokenizer.encode")
        self.decode: Callable[[list[int]], str] = partial(call, "ask_model", "tokenizer.decode")


class Replicas(RemoteModel):
    """A model whose copies answer in other processes.

    Args:
        place: The model's name, its options, and the folder where the caller stands.
        start: Starts a worker, by its number.
        count: How many there are.
        stop: Called when the last one has ended.
    """

    def __init__(
        self,
        place: tuple[str, dict[str, Any], str],
        start: Callable[[int], Worker],
        count: int,
        stop: Callable[[], None] = lambda: None,
    ) -> None:
        self._start, self._stop = start, stop
        self._told: list[tuple[str, tuple[Any, ...]]] = [("open", place)]
        self._workers: dict[int, Worker] = {}
        self._starting: dict[Future[Any], tuple[int, list[Future[Any]]]] = {}
        self._ready: set[int] = set()
        self._false_starts = 0
        try:
            for number in range(count):
                self._employ(number)
            self._described = self._first_ready()
        except BaseException:
            self.close()
            raise
        self._take(self._described)

    def _take(self, described: _Described) -> None:
        for name, value in described.facts.items():
            setattr(self, name, value)
        self.tokenizer = _RemoteTokenizer(self._tell_one) if described.tokenizes else None

    def _employ(self, number: int) -> None:
        """Start a worker, and tell it what the others were told."""
        worker = self._workers[number] = self._start(number)
        told = [worker.call(method, *arguments) for method, arguments in self._told]
        self._starting[worker.call("describe")] = number, told

    def _first_ready(self) -> _Described:
        while True:
            done, _ = wait(self._starting, _PATIENCE, FIRST_COMPLETED)
            if not done:
                raise UserError(
                    f"no worker was ready after {_PATIENCE:g} s",
                    where="--engine",
                    hint="is there room for the model (--gpus, --replicas)? ray status shows what the cluster has",
                )
            for future in done:
                if (found := self._joined(future)) is not None:
                    return found

    def _joined(self, future: Future[Any]) -> _Described | None:
        """Take note of a worker that has opened its model; None for one that died and was replaced.

        Raises:
            UserError: It could not open the model, so the others cannot either, or it is of another version.
        """
        number, told = self._starting.pop(future)
        for each in (*told, future):
            if (error := each.exception()) is None:
                continue
            if isinstance(error, self._workers[number].died) and self._false_starts < _DEATHS:
                self._false_starts += 1
                self._workers[number].stop()
                self._employ(number)
                return None
            raise self._explained(_problem(error))
        self._false_starts = 0
        found: _Described = future.result()
        if found.version != _version():
            raise UserError(
                f"worker {found.worker} has {found.version}, this process {_version()}: their answers may differ",
                where="--engine",
                hint="install the same versions on every node",
            )
        self._ready.add(number)
        return found

    def _explained(self, problem: BaseException) -> BaseException:
        if isinstance(problem, UserError):
            return problem
        said = (str(problem).strip().splitlines() or [""])[0]
        return UserError(
            f"a worker could not open the model ({type(problem).__name__}: {said})",
            where="--engine",
            hint="does the model fit into the memory of a worker? fewer --replicas leave more room",
        )

    def _tell_all(self, method: str, *arguments: Any) -> None:
        """Have every worker, also later ones, do something before it is asked."""
        self._told.append((method, arguments))
        for number, worker in self._workers.items():
            error = worker.call(method, *arguments).exception() if number in self._ready else None
            if error is not None and not isinstance(error, worker.died):
                raise _problem(error)
        for number, told in self._starting.values():
            told.append(self._workers[number].call(method, *arguments))

    def _tell_one(self, method: str, *arguments: Any) -> Any:
        worker = self._workers[min(self._ready)]
        future = worker.call(method, *arguments)
        if (error := future.exception()) is not None:
            raise _problem(error)
        return future.result()

    def form_for(self, ability: str) -> Model:
        if ability == "train":
            raise UserError(
                "a model is adapted in one process, so its copies elsewhere cannot be trained",
                where="--engine, --replicas",
                hint="adapt it first, then ask: --model run/DIR --engine ray; study and sweep spread whole runs",
            )
        self._tell_all("form_for", ability)
        self._take(self._tell_one("describe"))
        return self

    def require(self, ability: str, purpose: str) -> None:
        self._tell_one("ask_model", "require", ability, purpose)

    def prepare(self, suite: Suite) -> None:
        if not self._described.prepares:
            return
        if suite.origin is None:
            raise UserError(
                "the suite was created in this process, so the workers cannot look at it",
                where=suite.name,
                hint="write it with taskloom generate, and run the bundle",
            )
        self._tell_all("prepare", *suite.origin)
        self._take(self._tell_one("describe"))

    def length(self, prompt: Prompt) -> int | None:
        """Unknown here: the workers refuse what is too long."""
        return None

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        found = dict(pair for group in self.stream(requests, generation) for pair in group)
        return [found[place] for place in range(len(requests))]

    def stream(self, requests: Iterable[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        yield from self.outputs(requests, generation, Weights())

    def outputs(
        self, requests: Iterable[Request], generation: Generation, weights: Weights
    ) -> Iterator[list[tuple[int, Output]]]:
        """Answers with the places of their requests, block by block as they come, found as `weights` says."""
        blocks = self._blocks(iter(requests), exact=weights != Weights())
        again: deque[_RequestBlock] = deque()
        under_way: dict[Future[Any], tuple[int, _RequestBlock]] = {}
        while True:
            held = [number for number, _ in under_way.values()]
            for number in sorted(self._ready, key=lambda each: (held.count(each), each)):
                while held.count(number) < _AHEAD and (block := again.popleft() if again else next(blocks, None)):
                    future = self._workers[number].call(
                        "answer", block.requests, generation, weights, self.limits.batch
                    )
                    under_way[future] = number, block
                    held.append(number)
            if not under_way and not again:
                return
            done, _ = wait([*under_way, *self._starting], None if under_way else _PATIENCE, FIRST_COMPLETED)
            if not done:
                raise UserError("all workers are gone and no new one came", where="--engine", hint="ray status")
            for future in done:
                if future in self._starting:
                    self._joined(future)
                elif future in under_way:
                    yield from self._collect(future, under_way, again)

    def _blocks(self, requests: Iterator[Request], *, exact: bool) -> Iterator[_RequestBlock]:
        """Requests in blocks of a batch; what is left at the end is spread evenly, where that cannot change a number.

        Log-probabilities depend on the batch in their last digits, so those are computed in the batches of one process.
        """
        first, batch, workers = 0, self.limits.batch, len(self._workers)
        while drawn := list(islice(requests, batch * (1 if exact else workers))):
            size = batch if exact else min(batch, -(-len(drawn) // workers))
            for start in range(0, len(drawn), size):
                yield _RequestBlock(first + start, drawn[start : start + size])
            first += len(drawn)

    def _collect(
        self, future: Future[Any], under_way: dict[Future[Any], tuple[int, _RequestBlock]], again: deque[_RequestBlock]
    ) -> Iterator[list[tuple[int, Output]]]:
        number, block = under_way.pop(future)
        worker, error = self._workers[number], future.exception()
        if error is None:
            yield [(block.first + place, output) for place, output in future.result()]
        elif not isinstance(error, worker.died):
            raise _problem(error)
        else:
            others = [other for other, (holder, _) in under_way.items() if holder == number]
            lost = sorted([block, *(under_way.pop(other)[1] for other in others)], key=lambda each: each.first)
            self._ready.discard(number)
            worker.stop()
            self._employ(number)
            lost[0] = msgspec.structs.replace(lost[0], deaths=lost[0].deaths + 1)  # the others had not been begun
            if lost[0].deaths == _DEATHS:
                given_up = lost.pop(0)
                why = f"{_DEATHS} workers died over a block with this request, perhaps for want of memory"
                yield [(given_up.first + place, Output("", "failed", why)) for place in range(len(given_up.requests))]
            again.extendleft(reversed(lost))

    def close(self) -> None:
        for worker in self._workers.values():
            worker.stop()
        self._workers.clear()
        self._starting.clear()
        self._ready.clear()
        self._stop()


def open_replicas(
    name: str,
    options: Mapping[str, Any] | None = None,
    *,
    engine: WorkEngine = "local",
    address: str | None = None,
    gpus: float = 0.0,
    replicas: int = 0,
) -> Replicas:
    """Open copies of a model that are asked as one.

    Args:
        name: The model, as `open_model` takes it. Every worker opens it for itself.
        options: Its options.
        engine: "local" processes, or actors of a "ray" cluster.
        address: The cluster's address; None for that of RAY_ADDRESS, else one is started here.
        gpus: GPUs of this machine to spread the processes over (local), or GPUs of each actor (ray).
        replicas: How many copies; 0 for one per GPU, or one per node of a cluster without GPUs.
    """
    place = (name, dict(options or {}), str(Path.cwd()))
    if replicas < 0 or gpus < 0:
        raise UserError("--replicas and --gpus are 0 or more", where="--replicas")
    if engine == "local":
        share = int(gpus)
        return Replicas(
            place, lambda number: LocalWorker(str(number % share) if share else None), replicas or share or 1
        )
    ray, ours = connect(address, replicas)
    if not replicas:
        found = ray.cluster_resources().get("GPU", 0) // gpus if gpus else sum(node["Alive"] for node in ray.nodes())
        replicas = max(1, int(found))
    return Replicas(place, lambda _: _RayWorker(ray, gpus), replicas, ray.shutdown if ours else lambda: None)


@contextmanager
def asking_elsewhere(**where: Any) -> Iterator[None]:
    """Within this, models that are asked and not trained are opened as copies; arguments as for `open_replicas`."""
    token = _opener.set(partial(open_replicas, **where))
    try:
        yield
    finally:
        _opener.reset(token)


def open_asked(name: str, options: Mapping[str, Any] | None = None) -> Model:
    """Open a model to ask it: in this process, unless `asking_elsewhere` says otherwise."""
    return _opener.get()(name, options or {})
