"""Models behind one interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.core.lazy import lazy_names

if TYPE_CHECKING:
    from taskloom.models.api import APIModel as APIModel
    from taskloom.models.hf import HFModel as HFModel
    from taskloom.models.mock import MockModel as MockModel
    from taskloom.models.outputs import read_outputs as read_outputs
    from taskloom.models.outputs import write_outputs as write_outputs
    from taskloom.models.tiny import build_tiny as build_tiny

_MODULES = {
    "api": "APIModel",
    "hf": "HFModel",
    "mock": "MockModel",
    "outputs": "read_outputs write_outputs",
    "tiny": "build_tiny",
}
if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)
