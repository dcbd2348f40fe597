"""The words in which people talk about answers. Words of doubt and of denial are not among them."""

from __future__ import annotations

__all__ = ["ALONE", "FRAME", "LINKS", "NOUNS", "SUBJECTS", "TAILS", "TALK"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOUNS = _words(
    """answer answers output outputs result results response responses solution conclusion verdict choice pick option
    label prediction outcome reply respuesta etiqueta resultado solución conclusión opción salida"""
)
SUBJECTS = NOUNS | _words(
    """i i'm i've i'd i'll we we're we've we'd my our it it's that that's this you you're your here here's what what's
    everything all mi nuestra esto eso aquí lo te"""
)
LINKS = _words(
    """is are was were be been equals get gets got have has gives give gave say says said call with on as to for choose
    chose pick picked conclude believe think guess write wrote read reads it's that's here's what's that at reach
    es son sería ser queda con por elijo diría creo pienso que"""
)
TAILS = _words(
    "is are was would should must has appears seems that's it's which as es sería parece it i i'm i'd that this so"
)
FRAME = (
    SUBJECTS
    | LINKS
    | NOUNS
    | _words(
        """a an the these those its there's there am do does did done had having will would shall should can must need
        needs needed gone goes go going come comes came down boils put puts putting make makes made take takes taken
        taking tell tells told see sees seen look looks looking looked reading re thought thinking reckon suppose
        concluded decide decided settle settled select selected determine determined find finds found follow follows
        following followed mean means meant work works worked working check checked checking double compare compared
        comparing consider considered considering review reviewed reviewing analyse analyze analysed analyzed analysing
        analyzing understand understood know ask asks asked asking request requested want wanted answered answering
        respond return returned provide provided provides offer present show shows shown writing written state stated
        states final correct correctly right proper best only single simple short long quick brief direct directly
        complete full bottom line question questions task tasks problem input inputs text passage story information
        instruction instructions definition context above below now then so thus therefore hence well okay ok sure
        certainly absolutely definitely clearly obviously simply just indeed really actually basically finally first
        next last ultimately eventually in of from by about after into through out up over anything something else
        more again once twice step steps care carefully careful closely please thanks thank sorry apologies apologize
        apologise apology confusion delay mistake earlier previous previously hope hopes helps help helped helpful
        happy glad let let's feel free any other further assistance great good nice day luck cheers welcome hello hi
        because since and when where which who how why if whatever me us detail details explanation explained explain
        reason reasons reasoning rationale justification note confident confidence certain certainty high according
        based given judging together end way thing things bit time moment mind straightforward easy clear dear friend
        much very too each every part parts point required requested format form entry entries row rows json case
        hands done ready wise summary sum fact facts data evidence source piece pieces puzzle sense appears appear seems
        seem appropriate suitable sensible money bet end ended ends stop period user users query responding regards kind
        kindly sincerely yours assistant reads options choices possibilities possible material supplied provided
        obvious plain put say back message sir madam team keep keeping wait waiting
        waited know object small exactly words
        quite pretty ps ans tl dr haha hahaha lol lmao tbh tbf imo imho fwiw ngl btw omg welp yup yeah duh xd fyi np
        basically dude bro mate
        yo sí usted correcto muy saludos cordiales opciones elegir
        la el los las un una correcta final pregunta entonces tanto claro tienes espero ayude gracias según texto dado
        dada información tarea entrada sigue siguiente de del en para y se ha he está estoy seguro segura bien vale
        """
    )
)
ALONE = _words(
    """sure certainly absolutely okay ok alright well thanks hello hi hey gladly done understood sorry apologies great
    cheers claro vale bueno hola gracias final reasoning explanation answer result output response solution hmm hm
    ah oh ans best regards sincerely yours respuesta resultado salida"""
)

TALK = FRAME | _words(
    """
    remain remains remained stay stays survive survives win wins prevail prevails hold holds emerge emerges standing
    add one ones réponse bonne est voici die der das richtige antwort lautet ist resposta risposta corretta é è closer
    able acceptable accepted accurate accurately across actual ado ai almost already altogether always analysis
    anyone anything apparent apparently applied applies apply applying approach arrive arrived arriving asked
    assessment await awesome basis bear began begin begins belongs block bold bot box brief briefly bring brings
    brought calculation calculations closing column commit committing computation concerning concisely conclude
    concluding confirm confirmed confirming confirms consistent content contents cool core count deduce deduced
    deduction deliver delivers derive derived description desired during ending ends enter entered entirely entry
    essence evaluation even everyone everything evident evidently exactly examination excellent exclusive expected
    explicitly extremely fairly fantastic field fields figure figured figures figuring final finally finding
    findings fine fit fits fitting fun gets getting gist glance grounds hard head heart here human identified
    identify identifying implied implies imply indicate indicated indicates infer inference inferred inferring
    inspection instructed interesting interpretation interpretations item items judgement judgment key keys kindly
    land landed landing language later lead leading leads leave leaves leaving led like likely list lists lock
    locked logic logical logically longer looking lovely main match matched matches matching material meets merely
    method mine model moment myself name names natural neat needed nicely notation notice noticed number numbers
    nutshell obvious only onto opinion opt opted opting ours ourselves over overall pass passes patience patient per
    perfect person phrase plain plainly point pointed pointing points possible precisely presumably pretty primary
    probably procedure process produce produced produces prompt quickly quite quote quoted real recap recognise
    recognised recognize recognized reflection regarding regards relation report reported reporting reports
    requested requirement requirements reread rereading respect respectively returns review rule rules ruling run
    running safest satisfies scan sentence sentences settle settling short shortly sole someone soon sought sources
    spelling spot spotted stand stands start started starts stick sticking still straight straightforwardly string
    strongest submit submitted submitting suggest suggested suggests suits summed summing super support supported
    supporting supports surely system tag tags take takeaway tally term terms there thinking thorough thoughts
    through today told top total totally tricky tried tries true truly try trying turn turned turning turns
    unambiguously under understanding undoubtedly unique unmistakably unquestionably upon upshot use used uses using
    valid value values verdict version via view vote votes voting walk walking wanted went while within wonderful
    word words worth wrap wrapping yield yielded yields yours yourself
    """
)
"""More of them, for texts in which the answer has been found already and cannot be taken for talk."""
