"""The published names of task types, domains and languages.

Types are those of the collection's task list; domains are its `doc/domains_map.json`, each with the broader one that
the paper counts; languages are ISO 639 names as the collection spells them.
"""

from __future__ import annotations

_TYPES = """
    Answer Verification; Answerability Classification; Cause Effect Classification; Code to Text; Coherence
    Classification; Commonsense Classification; Coreference Resolution; Data to Text; Dialogue Act Recognition;
    Dialogue Generation; Dialogue State Tracking; Discourse Connective Identification; Discourse Relation
    Classification; Entity Generation; Entity Relation Classification; Ethics Classification; Explanation; Fact
    Verification; Fill in The Blank; Gender Classification; Grammar Error Correction; Grammar Error Detection;
    Information Extraction; Intent Identification; Irony Detection; Keyword Tagging; Language Identification;
    Linguistic Probing; Mathematics; Misc.; Named Entity Recognition; Negotiation Strategy Detection; Number
    Conversion; Overlap Extraction; Paper Review; Paraphrasing; Poem Generation; Pos Tagging; Preposition
    Prediction; Program Execution; Punctuation Error Detection; Question Answering; Question Decomposition; Question
    Generation; Question Rewriting; Question Understanding; Section Classification; Sentence Composition; Sentence
    Compression; Sentence Expansion; Sentence Ordering; Sentence Perturbation; Sentiment Analysis; Spam
    Classification; Speaker Identification; Speaker Relation Classification; Spelling Error Detection; Stance
    Detection; Stereotype Detection; Story Composition; Style Transfer; Summarization; Text Categorization; Text
    Completion; Text Matching; Text Quality Evaluation; Text Simplification; Text to Code; Textual Entailment; Title
    Generation; Toxic Language Detection; Translation; Word Analogy; Word Relation Classification; Word Semantics;
    Wrong Candidate Generation
"""

TYPES: frozenset[str] = frozenset(" ".join(name.split()) for name in _TYPES.split(";"))

_BROAD = """
Science: Accounting; Anthropology; Astronomy; Biology; Biology -> Anatomy; Biology -> Bioinformatics;
  Biology -> Clinical Knowledge; Biology -> Human Biology; Biology -> Virology; Chemistry; Computer Science;
  Computer Science -> Computer Security; Computer Science -> Machine Learning; Conference; Econometrics; Economics;
  Economics -> Macroeconomics; Economics -> Microeconomics; Electrical Engineering; Geography; Linguistics; Management;
  Medical Genetics; Medicine; Natural Science; Nutrition; Philosophy; Physics; Psychology
Nature: Animals
Art and Culture: Art; Pop Culture
Books: Books
Ethics: Business Ethics; Moral Scenarios
Captions: Captions -> Image Captions; Image Caption
Transcriptions: Captions -> Video Captions; TED Talks
Code: Code; Code -> Language -> SQL; Code -> Repo -> Stack Overflow; SQL
Miscellaneous: Commonsense; Commonsense -> Concepts and Relations;
  Commonsense -> Concepts and Relations -> Physical Commonsense;
  Commonsense -> Concepts and Relations -> Social Commonsense;
  Commonsense -> Concepts and Relations -> Spatial Commonsense; Commonsense -> Stories; English Exams; Game;
  Game -> Card Game; Global Facts; Human Sexuality; Literature; Marketing; Miscellaneous; Professions; Public Relations;
  World Religions
Countries: Countries
Web: Debatepedia; Web
Dialogue: Dialogue
Fiction: Fiction
Reviews: Food; Reviews; Reviews -> Books; Reviews -> Electronics and Grocery; Reviews -> Food; Reviews -> Movies;
  Reviews -> Music; Reviews -> Restaurants; Reviews -> TripAdvisor
Logic: Formal Fallacy; Formal logic; Logic -> Formal logic; Logic -> Propositional Logic
Government and Politics: Government and Politics; Security: National Security; US Foreign Policy
Healthcare: Healthcare
History: History; History -> 9/11 Reports; History -> European History; Prehistory
Law: International Law; Jurisprudence; Justice; Law
Knowledge Base: Knowledge Base; Knowledge Base -> Freebase; Knowledge Base -> Wikidata
Mathematics: Mathematics; Statistics
Movies: Movies
Narrative: Narrative; Narrative -> Everyday Events; Personal Narratives
School Science Textbooks: Natural Science -> School Science Textbooks; School Science Textbooks
News: News
Public Places: Public Places; Public Places -> Restaurants
Scientific Research Papers: Scientific Research Papers
Social Media: Social Media; Social Media -> Reddit; Social Media -> Text Message; Social Media -> Twitter
Sociology: Sociology
Sports: Sports; Sports -> NFL
Stereotypes: Stereotypes
Story: Story
Wikipedia: Wikipedia
"""


def _domains() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in _BROAD.replace("\n  ", " ").strip().split("\n"):
        broad, _, members = entry.partition(": ")
        found |= {" ".join(name.split()): broad for name in members.split(";")}
    return found


DOMAINS: dict[str, str] = _domains()
"""Domain as written in task files -> the broader one that is counted."""

_LANGUAGES = """
    Abkhazian; Afar; Afrikaans; Akan; Albanian; Amharic; Arabic; Aragonese; Armenian; Assamese; Asturian; Avaric;
    Avestan; Aymara; Azerbaijani; Bambara; Bashkir; Basque; Belarusian; Bengali; Bislama; Bosnian; Breton;
    Bulgarian; Burmese; Catalan; Cebuano; Central Khmer; Central Kurdish; Chamorro; Chechen; Chichewa; Chinese;
    Church Slavic; Chuvash; Cornish; Corsican; Cree; Croatian; Czech; Danish; Dhivehi; Dutch; Dzongkha; English;
    Esperanto; Estonian; Ewe; Faroese; Fijian; Filipino; Finnish; French; Friulian; Fulah; Galician; Ganda;
    Georgian; German; Guarani; Gujarati; Haitian; Hausa; Hawaiian; Hebrew; Herero; Hindi; Hiri Motu; Hmong;
    Hungarian; Icelandic; Ido; Igbo; Iloko; Indonesian; Interlingua; Interlingue; Inuktitut; Inupiaq; Irish;
    Italian; Japanese; Javanese; Kalaallisut; Kannada; Kanuri; Kashmiri; Kazakh; Khmer; Kikuyu; Kinyarwanda;
    Kirghiz; Komi; Kongo; Korean; Kuanyama; Kurdish; Lao; Latin; Latvian; Ligurian; Limburgan; Lingala; Lithuanian;
    Lower Sorbian; Luba-Katanga; Luxembourgish; Macedonian; Malagasy; Malay; Malayalam; Maltese; Manx; Maori;
    Mapudungun; Marathi; Marshallese; Modern Greek; Mongolian; Nauru; Navajo; Ndonga; Nepali; North Ndebele;
    Northern Sami; Norwegian; Norwegian Bokmål; Norwegian Nynorsk; Occitan; Ojibwa; Oriya; Oromo; Ossetian; Pali;
    Panjabi; Persian; Polish; Portuguese; Pushto; Quechua; Romanian; Romansh; Rundi; Russian; Samoan; Sango;
    Sanskrit; Sardinian; Scots; Scottish Gaelic; Serbian; Shona; Sichuan Yi; Sicilian; Sindhi; Sinhala; Slovak;
    Slovenian; Somali; South Ndebele; Southern Sotho; Spanish; Sundanese; Swahili; Swati; Swedish; Tagalog;
    Tahitian; Tajik; Tamil; Tatar; Telugu; Thai; Tibetan; Tigrinya; Tok Pisin; Tonga; Tsonga; Tswana; Turkish;
    Turkmen; Twi; Uighur; Ukrainian; Upper Sorbian; Urdu; Uzbek; Venda; Venetian; Vietnamese; Volapük; Walloon;
    Welsh; Western Frisian; Wolof; Xhosa; Yiddish; Yoruba; Yue Chinese; Zhuang; Zulu
"""

LANGUAGES: frozenset[str] = frozenset(" ".join(name.split()) for name in _LANGUAGES.split(";"))


def language_name(name: str) -> str:
    """An ISO 639 name without its remark: "Malay (macrolanguage)" is Malay, "Modern Greek (1453-)" Modern Greek."""
    return name.partition(" (")[0].removesuffix(" languages").strip()


def broad_domain(name: str) -> str:
    """The broader domain that the paper counts, the name itself where it is not known."""
    return DOMAINS.get(name, name)
