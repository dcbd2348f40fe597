"""Codes of languages."""

from __future__ import annotations

from types import MappingProxyType

ISO_639 = MappingProxyType(
    {
        "ar": "arb", "bg": "bul", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng",
        "es": "spa", "et": "est", "eu": "eus", "fa": "fas", "fi": "fin", "fr": "fra", "gl": "glg", "he": "heb",
        "hr": "hrv", "id": "ind", "is": "isl", "it": "ita", "iw": "heb", "ja": "jpn", "ko": "kor", "lt": "lit",
        "ms": "zsm", "nb": "nob", "nl": "nld", "nn": "nno", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus",
        "sk": "slk", "sl": "slv", "sq": "als", "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr", "zh": "cmn",
    }
)  # fmt: skip
"""Short language codes, as WN-LMF writes them, with those of OMW's tab files."""
