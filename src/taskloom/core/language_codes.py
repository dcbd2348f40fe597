"""Codes of languages, and what to call them."""

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

LANGUAGES = MappingProxyType(
    {
        "eng": "English", "spa": "Spanish", "als": "Albanian", "arb": "Arabic", "bul": "Bulgarian", "cat": "Catalan",
        "ces": "Czech", "cmn": "Chinese", "dan": "Danish", "deu": "German", "ell": "Greek", "est": "Estonian",
        "eus": "Basque", "fas": "Persian", "fin": "Finnish", "fra": "French", "glg": "Galician", "heb": "Hebrew",
        "hrv": "Croatian", "ind": "Indonesian", "isl": "Icelandic", "ita": "Italian", "jpn": "Japanese",
        "kor": "Korean", "lit": "Lithuanian", "nld": "Dutch", "nno": "Norwegian Nynorsk", "nob": "Norwegian Bokmål",
        "pol": "Polish", "por": "Portuguese", "ron": "Romanian", "rus": "Russian", "slk": "Slovak", "slv": "Slovenian",
        "swe": "Swedish", "tha": "Thai", "tur": "Turkish", "ukr": "Ukrainian", "zsm": "Malay",
    }
)  # fmt: skip
"""What to call languages. English and Spanish are embedded; any other comes with its wordnet, under any code."""


def short_code(name: str) -> str:
    """The two-letter code of a language that is given by a code or its English name; else what is given."""
    wanted = name.casefold()
    for short, code in ISO_639.items():
        if wanted in (short, code, LANGUAGES[code].casefold()):
            return short
    return name
