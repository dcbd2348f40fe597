"""A conversation with a server: requests go in one by one, answers come out as they arrive.

The network lives in a thread with an event loop of its own, so it works inside a running loop (a
notebook) too. Requests are drawn from the caller's iterable in the caller's thread, a little ahead of
what is under way: memory stays bounded, and no place at the server stays empty.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from queue import Empty, SimpleQueue
from typing import Any

from taskloom.models.client import Client, Job
from taskloom.models.wires import Reply, Wire

__all__ = ["converse"]

_AHEAD = 2
"""Requests prepared per place at the server; enough that none is empty while an answer is written down."""


def converse(
    client: Client, path: str, bodies: Iterable[Mapping[str, Any]], wire: Wire
) -> Iterator[list[tuple[int, Reply]]]:
    """Replies with the places of their requests, in groups: whatever has arrived since the last look.

    Raises:
        UserError: As `Client.send_all`. What arrived before it is given first.
    """
    talk = _Conversation(client, path, wire)
    try:
        waiting = 0
        for index, body in enumerate(bodies):
            talk.put((index, body))
            waiting += 1
            while group := talk.take(block=waiting >= _AHEAD * client.places):
                waiting -= len(group)
                yield group
        talk.put(None)
        while waiting:
            group = talk.take(block=True)
            waiting -= len(group)
            yield group
    finally:
        talk.stop()


class _Conversation:
    def __init__(self, client: Client, path: str, wire: Wire) -> None:
        self._client, self._path, self._wire = client, path, wire
        self._arrived: SimpleQueue[tuple[int, Reply] | BaseException] = SimpleQueue()
        self._error: BaseException | None = None
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._task: asyncio.Task[None]
        self._jobs: asyncio.Queue[Job | None]
        # A daemon, so that Ctrl-C ends the program without waiting for slow answers; what came is logged.
        threading.Thread(target=self._work, daemon=True).start()
        self._ready.wait()

    def _work(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:  # noqa: BLE001 - handed on to the caller by `take`
            self._arrived.put(error)

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._jobs = asyncio.Queue()
        self._task = asyncio.current_task()  # type: ignore[assignment]
        self._ready.set()
        await self._client.send_all(
            self._path, self._queued(), self._wire, lambda index, reply: self._arrived.put((index, reply))
        )

    async def _queued(self) -> AsyncIterator[Job]:
        while (job := await self._jobs.get()) is not None:
            yield job

    def put(self, job: Job | None) -> None:
        """Hand over a request; None says that it was the last."""
        try:
            self._loop.call_soon_threadsafe(self._jobs.put_nowait, job)
        except RuntimeError:
            return  # the loop has ended; `take` says why

    def take(self, *, block: bool) -> list[tuple[int, Reply]]:
        """What has arrived; with `block` at least one reply, or the error that ended the conversation."""
        group: list[tuple[int, Reply]] = []
        while True:
            if self._error is not None:
                if group:
                    return group
                raise self._error
            try:
                item = self._arrived.get(block=block and not group)
            except Empty:
                return group
            if isinstance(item, BaseException):
                self._error = item
            else:
                group.append(item)

    def stop(self) -> None:
        """Give up what is under way, where there is something."""
        try:
            self._loop.call_soon_threadsafe(self._task.cancel)
        except RuntimeError:
            return  # it has ended by itself
