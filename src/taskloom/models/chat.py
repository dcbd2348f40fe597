"""Chat templates and thinking aloud."""

from __future__ import annotations

import re
from typing import Any

from taskloom.core import UserError
from taskloom.core.confine import confined
from taskloom.core.encoding import Prompt

__all__ = ["render_chat", "split_thinking"]

_RENDER = "taskloom.models.foreign:render_template"

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_MARK = re.compile(r"</?think(?:ing)?>")
_OPENED_ELSEWHERE = re.compile(r"\A(?:(?!<think(?:ing)?>).)*?</think(?:ing)?>", re.DOTALL)


def render_chat(prompt: Prompt, tokenizer: Any, name: str) -> str:
    """The prompt as one text through the tokenizer's chat template, ready for the answer.

    Raises:
        UserError: There is no template, or it refuses these messages (say, a system turn).
    """
    messages = [{"role": message.role, "content": message.content} for message in prompt.messages]
    messages = messages or [{"role": "user", "content": prompt.text}]
    if not getattr(tokenizer, "chat_template", None):
        raise UserError(f"{name} has no chat template", hint="-M chat=never sends the plain text")
    special = {key: text for key, text in tokenizer.special_tokens_map.items() if isinstance(text, str)}
    what = f"the chat template of {name}"
    roles = ", ".join(message["role"] for message in messages)
    template = tokenizer.get_chat_template()
    try:
        return str(confined(_RENDER, template, messages, special, where=name, what=what, seconds=1, megabytes=256))
    except UserError as error:
        reason = error.message.removeprefix(f"{what} ")
        raise UserError(f"{what} rejects the turns {roles}: {reason}", hint="-M chat=never sends plain text") from None


def split_thinking(text: str) -> tuple[str, str, str]:
    """The answer without `<think>` blocks, the raw text where that is different (else ""), and what was thought.

    A block that never closes swallows the rest: a model cut off while thinking has not answered. A
    closing mark without an opening one belongs to templates that open the block in the prompt.
    """
    if "<think" not in text and "</think" not in text:
        return text, "", ""
    thoughts: list[str] = []

    def move(found: re.Match[str]) -> str:
        thoughts.append(_MARK.sub("", found[0]).strip())
        return ""

    answer = _THOUGHT.sub(move, _OPENED_ELSEWHERE.sub(move, text)).strip()
    return answer, text, "\n".join(filter(None, thoughts))
