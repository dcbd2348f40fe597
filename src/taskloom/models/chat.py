"""Chat templates, tokenizers and thinking aloud.

Templates are programs and tokenizers native code of somebody else's, so both are tried in a limited child.
"""

from __future__ import annotations

import re
from typing import Any

from taskloom.core import UserError
from taskloom.core.confine import confined
from taskloom.core.encoding import Prompt

_RENDER = "taskloom.models.chat:render_template"

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


TRIED = (
    "Mary went to the kitchen. Where is Mary?\n",
    "a" * 4_000 + "!",
    " " * 4_000 + "x",
    "0123456789" * 300,
    "aA1 .,-" * 500,
    "é ß 漢字 \U0001f600\u0301" * 300,
    "\n\t\r" * 1_000,
    "<|x|>[INST]</s>" * 200,
)
"""Texts on which a pattern that backtracks shows what it costs."""


def prepare() -> None:
    """Import what the functions need, before their limits hold."""
    import transformers.models.auto.tokenization_auto
    import transformers.utils.chat_template_utils  # noqa: F401


def render_template(template: str, messages: list[dict[str, str]], special: dict[str, Any]) -> str:
    """A conversation through a chat template, ready for the answer, as `apply_chat_template` renders it."""
    from transformers.utils.chat_template_utils import render_jinja_template

    texts, _ = render_jinja_template([messages], chat_template=template, add_generation_prompt=True, **special)
    return str(texts[0])


def try_tokenizer(source: str, keywords: dict[str, Any]) -> int:
    """Open a tokenizer and encode texts that are hard on patterns; the number of tokens.

    What it says in so many words (a missing file, say) is left to the caller, who opens it again and finds out the
    same. A panic of native code is no `Exception`, and passes.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False, **keywords)
        return sum(len(tokenizer(text)["input_ids"]) for text in TRIED)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001
        return 0
