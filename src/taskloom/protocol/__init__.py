"""Protocols: how a kind of model is asked fairly. Each names an encoding, an answer format, readers and generation.

In: what a suite asks for and what a model can do.
Out: an encoding, an answer format, readers and generation settings.
"""

from taskloom.protocol.base import PROTOCOLS, Choice, Protocol, choose, protocol_named
from taskloom.protocol.formats import answer_format
from taskloom.protocol.instruct import InstructedEncoding
from taskloom.protocol.wordings import wordings

__all__ = [
    "PROTOCOLS",
    "Choice",
    "InstructedEncoding",
    "Protocol",
    "answer_format",
    "choose",
    "protocol_named",
    "wordings",
]
