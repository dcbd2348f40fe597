"""A kind of answer of one's own: dates."""

from datetime import datetime

from taskloom import AnyOf, Kind


def parse(text, task):
    try:
        return datetime.strptime(text.strip(" ."), "%d %B %Y" if " " in text else "%Y-%m-%d").date().isoformat()
    except ValueError:
        return None


DATE = Kind(
    name="date", instruct="Answer with a date, as YYYY-MM-DD.", parse=parse, targets=(AnyOf,),
    schema={"type": "string", "format": "date"}, samples={"2 May 1999": "1999-05-02", "soon": None},
)  # fmt: skip
