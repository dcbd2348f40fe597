"""`litellm/NAME`: whatever LiteLLM can reach, for providers that have no record of ours. It is an extra."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

from taskloom.core.errors import missing_extra
from taskloom.core.secrets import scrub
from taskloom.models.api import APIEndpoint, APIModel, APIOptions
from taskloom.models.provider import ProviderRecord
from taskloom.models.wires import CHAT
from taskloom.models.wires.wire import MalformedReplyError, Reply, read_answer

_ANYWHERE = "http://127.0.0.1:9/v1"
"""LiteLLM knows the address; nothing of ours is ever sent here."""


class LiteLLMModel(APIModel):
    """A model behind LiteLLM's one function, asked in threads; retries and rejected fields are LiteLLM's.

    Args:
        name: PROVIDER/MODEL, as LiteLLM names it.
        options: As for servers; `base_url` and `api_key` are handed on where they are given.
    """

    abilities: ClassVar[frozenset[str]] = frozenset({"generate"})

    def __init__(self, name: str, options: APIOptions) -> None:
        # Without this it fetches a table of prices from the network as it is imported.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        try:
            import litellm
        except ImportError:
            raise missing_extra("litellm", "litellm", f"litellm/{name}") from None
        self._litellm: Any = litellm
        super().__init__(name, options, APIEndpoint(name="litellm", title="", url=_ANYWHERE, needs_key=False))

    def _replies(self, bodies: Iterator[dict[str, Any]]) -> Iterator[list[tuple[int, Reply]]]:
        waiting: deque[Future[Reply]] = deque()
        number = 0
        with ThreadPoolExecutor(self.options.concurrency) as threads:
            for body in bodies:
                waiting.append(threads.submit(self._asked, body))
                while len(waiting) >= 2 * self.options.concurrency:
                    yield [(number, waiting.popleft().result())]
                    number += 1
            while waiting:
                yield [(number, waiting.popleft().result())]
                number += 1

    def _asked(self, body: dict[str, Any]) -> Reply:
        options = self.options
        where = {"api_base": options.base_url or None, "api_key": options.api_key or None}
        try:
            answer = self._litellm.completion(
                **body, **{key: value for key, value in where.items() if value}, timeout=options.timeout,
                num_retries=options.malformed, drop_params=True,
            )  # fmt: skip
            reply = read_answer(json.dumps(answer.model_dump(), default=str).encode(), CHAT)
        except MalformedReplyError as error:
            return Reply(state="failed", error=str(error))
        except Exception as error:  # noqa: BLE001 - a library with a hundred providers may raise anything
            return Reply(state="failed", error=scrub(f"{type(error).__name__}: {error}")[:300])
        return reply


PROVIDER = ProviderRecord(
    "litellm",
    {"PROVIDER/MODEL": "a model through LiteLLM (pip install 'taskloom[litellm]')"},
    APIOptions(),
    LiteLLMModel,
    trains=False,
)
