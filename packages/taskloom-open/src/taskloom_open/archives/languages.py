"""Languages of the open collection: ISO 639 name, CLDR locale, code of the Declaration."""

from __future__ import annotations

from typing import NamedTuple


class SourceLanguage(NamedTuple):
    """One language under its names."""

    name: str
    locale: str
    udhr: str


_TABLE = """
English en eng; Afrikaans af afr; Albanian sq als; Amharic am amh; Arabic ar arb; Armenian hy hye;
Azerbaijani az azj_latn; Basque eu eus; Belarusian be bel; Bengali bn ben; Bosnian bs bos_latn; Bulgarian bg bul;
Burmese my mya; Catalan ca cat; Chinese zh cmn_hans; Croatian hr hrv; Czech cs ces; Danish da dan; Dutch nl nld;
Esperanto eo epo; Estonian et est; Faroese fo fao; Finnish fi fin; French fr fra; Galician gl glg; Georgian ka kat;
German de deu_1996; Modern_Greek el ell_monotonic; Gujarati gu guj; Hausa ha hau_3; Hebrew he heb; Hindi hi hin;
Hungarian hu hun; Icelandic is isl; Igbo ig ibo; Indonesian id ind; Irish ga gle; Italian it ita; Japanese ja jpn;
Kannada kn kan; Kazakh kk kaz; Khmer km khm; Kirghiz ky kir; Korean ko kor; Lao lo lao; Latvian lv lav;
Lithuanian lt lit; Luxembourgish lb ltz; Macedonian mk mkd; Malayalam ml mal; Maltese mt mlt; Marathi mr mar;
Mongolian mn khk; Nepali ne nep; Norwegian_Bokmål nb nob; Norwegian_Nynorsk nn nno; Panjabi pa pan; Persian fa pes_1;
Polish pl pol; Portuguese pt por_PT; Romanian ro ron_2006; Russian ru rus; Scottish_Gaelic gd gla; Serbian sr srp_cyrl;
Sinhala si sin; Slovak sk slk; Slovenian sl slv; Somali so som; Spanish es spa; Swahili sw swh; Swedish sv swe;
Tamil ta tam; Telugu te tel; Thai th tha; Turkish tr tur; Ukrainian uk ukr; Urdu ur urd; Uzbek uz uzn_latn;
Vietnamese vi vie; Welsh cy cym; Xhosa xh xho; Yoruba yo yor; Zulu zu zul
"""

LANGUAGES: dict[str, SourceLanguage] = {
    fields[0].replace("_", " "): SourceLanguage(fields[0].replace("_", " "), fields[1], fields[2])
    for fields in (entry.split() for entry in _TABLE.split(";"))
}
"""By name, English first."""

_BY_LOCALE = {language.locale: language.name for language in LANGUAGES.values()}


def by_locale(locale: str) -> str | None:
    """The language of a locale ("pt-BR" is Portuguese, "zh-Hans" Chinese); None where it is not one of ours."""
    return _BY_LOCALE.get(locale) or (_BY_LOCALE.get(locale[:2]) if locale in ("zh-Hans", "zh-CN") else None)
