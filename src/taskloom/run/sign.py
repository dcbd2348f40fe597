"""Signatures: who vouches for a run. An ed25519 key signs the newest manifest, which lists the hash of every file.

It covers what `check` cannot make again: the model's words, failures and name, usage, and how many rows were asked.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError, missing_extra
from taskloom.core.decode import read_bytes, read_json
from taskloom.run.sealed import seal_names
from taskloom.store.atomic import write_atomically

_MAKE = "openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub"


class _Signature(msgspec.Struct, frozen=True):
    key: str
    signature: str


def load_key(path: Path, *, private: bool) -> Any:
    """An ed25519 key from a PEM file.

    Raises:
        UserError: The file holds no such key, or cryptography is not installed.
    """
    if find_spec("cryptography") is None:
        raise missing_extra("cryptography", "sign", "a signature")
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

    data = read_bytes(path)
    try:
        key = load_pem_private_key(data, None) if private else load_pem_public_key(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey if private else Ed25519PublicKey):
        kind = "private" if private else "public"
        raise UserError(f"this file holds no {kind} ed25519 key without a password", where=str(path), hint=_MAKE)
    return key


def _raw(public: Any) -> str:
    return str(public.public_bytes_raw().hex())


def _paths(folder: Path) -> tuple[Path, Path]:
    names = seal_names(folder)
    if not names:
        raise UserError("a run is signed when it is finished", where=str(folder))
    manifest = folder / names[-1]
    return manifest, manifest.with_suffix(".sig")


def sign_run(folder: Path, key: Any) -> None:
    """Put a signature beside the newest manifest of a run."""
    manifest, path = _paths(folder)
    made = _Signature(_raw(key.public_key()), key.sign(read_bytes(manifest)).hex())
    write_atomically(path, msgspec.json.encode(made) + b"\n")


def check_signature(folder: Path, key: Any = None) -> str:
    """The key that signed a run, in hexadecimal; empty where none did and none was asked for.

    Args:
        folder: The run.
        key: The public key that must have signed it.

    Raises:
        UserError: The signature does not fit, or is missing or another's where a key was named.
    """
    manifest, path = _paths(folder)
    if not path.is_file():
        if key is not None:
            raise UserError("the run is not signed", where=str(folder))
        return ""
    if find_spec("cryptography") is None:
        raise missing_extra("cryptography", "sign", "a signature")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    found = read_json(path, type=_Signature)
    if key is not None and _raw(key) != found.key:
        raise UserError("the run is signed by another key", where=str(path))
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(found.key))
        public.verify(bytes.fromhex(found.signature), read_bytes(manifest))
    except (InvalidSignature, ValueError):
        raise UserError("the signature does not fit the manifest", where=str(path)) from None
    return found.key
