"""What of a checkpoint is a program or native code, for the limited child: chat templates and tokenizers."""

from __future__ import annotations

from typing import Any

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
