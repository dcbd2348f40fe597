"""What may be written down of a model's options: everything but keys and passwords."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

__all__ = ["public_address", "public_argument", "public_options"]

_HIDDEN = "…"


def public_address(url: str) -> str:
    """An address without the name, password and query it may carry."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return _HIDDEN
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _is(name: str, option: str) -> bool:
    """Whether a name ends in an option, as in `api-key`, `-Mapi_key` and `model.api_key`."""
    return name.replace("-", "_").endswith(option)


def public_argument(argument: str) -> str:
    """A word of a command line as it may stand in a log."""
    name, equals, value = argument.partition("=")
    if equals and _is(name, "api_key"):
        return f"{name}={_HIDDEN}"
    return f"{name}={public_address(value)}" if equals and _is(name, "base_url") else argument


def public_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a model without its key: a job with another key is the same job."""
    return {
        name: public_address(str(value)) if _is(name, "base_url") else value
        for name, value in options.items()
        if not _is(name, "api_key")
    }
