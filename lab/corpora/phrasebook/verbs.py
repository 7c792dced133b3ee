"""The verbs of the phrasebook: their forms in both languages and what they go with."""

from dataclasses import dataclass
from typing import no_type_check


@no_type_check
@dataclass(frozen=True)
class Verb:
    """A French verb phrase and its English; `~` is the object's place, `@` the indirect object's.

    `subject` and `object` are the kinds of noun that fit; `pairs` links the words of the two phrases (the marks not
    counted), all with all unless the table says otherwise.
    """

    french: tuple[str, ...]
    english: tuple[str, ...]
    subject: tuple[str, ...]
    object: tuple[str, ...]
    flags: frozenset[str]
    pairs: tuple[tuple[int, int], ...]

    @property
    def lemma(self) -> str:
        return self.french[0]

    @property
    def je_differs(self) -> bool:
        """Whether the present has a form of its own for je, avoir apart."""
        parts = french_parts(self.lemma)
        return parts[0] != parts[1] and self.lemma != "avoir"


# french | english | kinds of subject | kinds of object | flags | links.  The flags: stative (no passé composé, no
# progressive), passive (may stand with `on`), etre (its auxiliary), swap (the English subject is the French
# complement), refl (se), dative and de and with (the preposition of its object), give (two objects), the (its object
# has the article), instant (no imperfect), unwilled (no modal verb), manner, purpose and nowhere (which adjuncts it
# takes), often (drawn more often).
VERBS = """
entarter | hit ~ with a pie | person | person | passive often often often instant |
manger | eat | person animal | dish food | passive often manner |
boire | drink | person animal | drink | passive often manner |
préparer | prepare | person | dish food drink | passive manner |
acheter | buy | person | dish food drink text clothes vehicle device object instrument | passive nowhere |
vendre | sell | person | text clothes vehicle device object instrument building | passive nowhere |
lire | read | person | text | passive often manner |
écrire | write | person | text | passive manner |
voir | see | person animal | person animal vehicle building | passive often unwilled |
regarder | look at ~ | person animal | person animal vehicle object building | often |
écouter | listen to ~ | person | person | |
chercher | look for ~ | person animal | person animal object clothes text | often |
attendre | wait for ~ | person | person | often |
trouver | find | person animal | person animal object clothes text | passive instant unwilled |
abandonner | give ~ up | person | plan | instant nowhere |
ranger | put ~ away | person | clothes object text | passive manner |
allumer | turn ~ on | person | device | passive |
éteindre | turn ~ off | person | device | passive |
rappeler | call ~ back | person | person | nowhere |
raccompagner | walk ~ home | person | person | nowhere |
réveiller | wake ~ up | person | person animal | manner |
jeter | throw ~ away | person | object text clothes dish | passive instant |
ramasser | pick ~ up | person | object clothes text | passive manner |
renverser | knock ~ over | person animal | object | unwilled instant |
essayer | try ~ on | person | clothes | |
ouvrir | open | person | door | passive often manner |
fermer | close | person | door | passive often manner |
laver | wash | person | clothes vehicle door | passive manner |
nettoyer | clean | person | vehicle building door | passive manner |
réparer | repair | person | vehicle device instrument door | passive manner |
casser | break | person | object device door instrument | passive unwilled instant |
perdre | lose | person | object clothes text | unwilled instant nowhere |
cacher | hide | person | object text clothes | passive manner |
porter | wear | person | clothes | nowhere |
voler | steal | person | object vehicle text instrument | passive instant |
conduire | drive | person | vehicle | manner nowhere |
construire | build | person | building vehicle | passive nowhere |
détruire | destroy | person | building | passive nowhere |
visiter | visit | person | building | passive nowhere |
peindre | paint | person | door building | passive |
dessiner | draw | person | person animal building | |
photographier | take a picture of ~ | person | person animal building | |
suivre | follow | person animal | person animal | passive manner nowhere |
aider | help | person | person | nowhere |
embrasser | kiss | person | person | manner |
remercier | thank | person | person | instant |
gifler | slap | person | person | instant |
punir | punish | person | person | passive nowhere |
inviter | invite | person | person | passive instant |
rencontrer | meet | person | person | unwilled instant |
accompagner | go with ~ | person | person | nowhere |
gronder | tell ~ off | person | person | |
soigner | take care of ~ | person | person animal | |
poursuivre | chase | person animal | person animal | passive nowhere |
mordre | bite | animal | person animal | unwilled instant |
nourrir | feed | person | animal | passive nowhere |
comprendre | understand | person | idea text | stative nowhere |
expliquer | explain | person | idea plan | passive |
oublier | forget | person | idea tale object clothes | unwilled instant nowhere |
étudier | study | person | idea text | nowhere |
répéter | repeat | person | idea | nowhere |
aimer | love | person | person animal dish food drink text idea | stative often |
détester | hate | person | person animal dish food drink | stative often |
connaître | know | person | person idea building | stative |
admirer | admire | person | person text building | stative |
craindre | fear | person | person animal | stative |
chanter | sing | person | | manner |
danser | dance | person | | manner |
dormir | sleep | person animal | | |
courir | run | person animal | | manner |
nager | swim | person animal | | manner nowhere |
rire | laugh | person | | |
sourire | smile | person | | |
pleurer | cry | person | | |
travailler | work | person | | manner |
crier | shout | person | | |
voyager | travel | person | | nowhere |
jouer | play | person animal | | |
mentir | lie | person | | nowhere |
éternuer | sneeze | person animal | | unwilled instant |
tomber | fall | person animal | | etre unwilled instant |
arriver | arrive | person | | etre unwilled instant |
partir | leave | person animal | | etre purpose |
sortir | go out | person animal | | etre purpose |
rentrer | come home | person animal | | etre purpose |
aller à ~ | go to ~ | person | goal | etre with often purpose | 0-0 1-1
téléphoner à ~ | call | person | person | dative nowhere |
répondre à ~ | answer | person | person | dative manner |
obéir à ~ | obey | person animal | person | dative nowhere |
parler à ~ | talk to ~ | person | person | dative manner | 0-0 1-1
ressembler à ~ | look like ~ | person | person | dative stative |
sourire à ~ | smile at ~ | person | person | dative | 0-0 1-1
jouer de ~ | play | person | instrument | de the |
avoir besoin de ~ | need | person | person object clothes vehicle | stative de nowhere |
avoir peur de ~ | be afraid of ~ | person animal | person animal | stative de | 0-0 1-1 2-2
rire de ~ | laugh at ~ | person | person | de nowhere | 0-0 1-1
rêver de ~ | dream of ~ | person | person animal outside | de nowhere | 0-0 1-1
donner un coup de pied à ~ | kick | person | person animal | dative instant |
donner ~ à @ | give @ ~ | person | object text clothes dish | give often instant | 0-0
montrer ~ à @ | show @ ~ | person | object text clothes building | give | 0-0
envoyer ~ à @ | send @ ~ | person | text object | give nowhere | 0-0
prêter ~ à @ | lend @ ~ | person | object vehicle text clothes instrument | give instant nowhere | 0-0
offrir ~ à @ | offer @ ~ | person | object clothes drink dish | give instant | 0-0
raconter ~ à @ | tell @ ~ | person | tale | give | 0-0
avoir faim | be hungry | person animal | | stative | 0-0 1-1
avoir soif | be thirsty | person animal | | stative | 0-0 1-1
avoir sommeil | be sleepy | person | | stative | 0-0 1-1
avoir raison | be right | person | | stative | 0-0 1-1
avoir tort | be wrong | person | | stative | 0-0 1-1
avoir froid | be cold | person animal | | stative | 0-0 1-1
faire la vaisselle | do the dishes | person | | | 0-0 1-1 2-2
faire la cuisine | cook | person | | |
faire la queue | stand in line | person | | nowhere |
faire une promenade | take a walk | person | | nowhere | 0-0 1-1 2-2
faire un cauchemar | have a nightmare | person | | unwilled nowhere | 0-0 1-1 2-2
se lever | get up | person | | refl manner purpose nowhere |
se coucher | go to bed | person | | refl nowhere |
se laver | have a wash | person | | refl |
se promener | go for a walk | person | | refl |
se dépêcher | hurry | person | | refl purpose nowhere |
s' endormir | fall asleep | person animal | | refl unwilled |
se cacher | hide | person animal | | refl |
se souvenir de ~ | remember | person | person idea | refl stative de |
se moquer de ~ | make fun of ~ | person | person | refl de nowhere | 0-0 0-1 1-2
s' ennuyer | be bored | person | | refl stative |
manquer à ~ | miss | person | person | swap stative |
plaire à ~ | like | text building idea clothes object | person | swap stative |
appartenir à ~ | own | vehicle building animal instrument | person | swap stative |
"""

# infinitive, je, il, ils, stem of the imperfect, past participle
FRENCH_IRREGULAR = """
être suis est sont ét été|avoir ai a ont av eu|aller vais va vont all allé|faire fais fait font fais fait
venir viens vient viennent ven venu|boire bois boit boivent buv bu|vendre vends vend vendent vend vendu
lire lis lit lisent lis lu|écrire écris écrit écrivent écriv écrit|voir vois voit voient voy vu
attendre attends attend attendent attend attendu|éteindre éteins éteint éteignent éteign éteint
ouvrir ouvre ouvre ouvrent ouvr ouvert|perdre perds perd perdent perd perdu|offrir offre offre offrent offr offert
conduire conduis conduit conduisent conduis conduit|construire construis construit construisent construis construit
détruire détruis détruit détruisent détruis détruit|peindre peins peint peignent peign peint
suivre suis suit suivent suiv suivi|poursuivre poursuis poursuit poursuivent poursuiv poursuivi
punir punis punit punissent puniss puni|nourrir nourris nourrit nourrissent nourriss nourri
obéir obéis obéit obéissent obéiss obéi|mordre mords mord mordent mord mordu
comprendre comprends comprend comprennent compren compris
connaître connais connaît connaissent connaiss connu|craindre crains craint craignent craign craint
dormir dors dort dorment dorm dormi|endormir endors endort endorment endorm endormi
courir cours court courent cour couru
rire ris rit rient ri ri|sourire souris sourit sourient souri souri|mentir mens ment mentent ment menti
partir pars part partent part parti|sortir sors sort sortent sort sorti
répondre réponds répond répondent répond répondu|souvenir souviens souvient souviennent souven souvenu
plaire plais plaît plaisent plais plu|appartenir appartiens appartient appartiennent apparten appartenu
acheter achète achète achètent achet acheté|jeter jette jette jettent jet jeté|lever lève lève lèvent lev levé
rappeler rappelle rappelle rappellent rappel rappelé|promener promène promène promènent promen promené
répéter répète répète répètent répét répété|nettoyer nettoie nettoie nettoient nettoy nettoyé
essayer essaie essaie essaient essay essayé|ennuyer ennuie ennuie ennuient ennuy ennuyé
envoyer envoie envoie envoient envoy envoyé|vouloir veux veut veulent voul voulu|pouvoir peux peut peuvent pouv pu
devoir dois doit doivent dev dû|savoir sais sait savent sav su
dire dis dit disent dis dit|croire crois croit croient croy cru
"""
# nous and vous stand with compound tenses and modal verbs only, je also with presents like il's
FRENCH_PLURAL_PERSONS = {
    "être": ("sommes", "êtes"), "avoir": ("avons", "avez"), "aller": ("allons", "allez"), "venir": ("venons", "venez"),
    "vouloir": ("voulons", "voulez"), "pouvoir": ("pouvons", "pouvez"), "devoir": ("devons", "devez"),
}  # fmt: skip

# base, past, participle, and the form in -ing where its spelling is not plain
ENGLISH_IRREGULAR = """
be was been being|have had had|do did done|hit hit hit hitting|eat ate eaten|drink drank drunk|buy bought bought
sell sold sold|read read read|write wrote written|see saw seen|find found found|give gave given|put put put putting
wake woke woken|throw threw thrown|break broke broken|lose lost lost|hide hid hidden|wear wore worn|steal stole stolen
drive drove driven|build built built|draw drew drawn|take took taken|meet met met|go went gone|tell told told
bite bit bitten|feed fed fed|understand understood understood|forget forgot forgotten forgetting
know knew known|sing sang sung|sleep slept slept|run ran run running|swim swam swum swimming|lie lied lied lying
fall fell fallen|leave left left|come came come|get got got getting|make made made|show showed shown|send sent sent
lend lent lent|stand stood stood|learn learned learned|slap slapped slapped slapping
travel travelled travelled travelling
say said said|think thought thought
"""


def parts(table: str) -> dict[str, list[str]]:
    """Return the other forms of each verb of a table, by its first form."""
    return {row.split()[0]: row.split()[1:] for row in table.strip().replace("\n", "|").split("|")}


FRENCH_PARTS = parts(FRENCH_IRREGULAR)
ENGLISH_PARTS = parts(ENGLISH_IRREGULAR)


def french_parts(infinitive: str) -> list[str]:
    """Return je, il, ils of the present, the stem of the imperfect and the participle; an unlisted verb ends in -er."""
    if infinitive in FRENCH_PARTS:
        return FRENCH_PARTS[infinitive]
    stem = infinitive[:-2]
    soft = {"g": "ge", "c": "ç"}.get(stem[-1], stem[-1])
    return [stem + "e", stem + "e", stem + "ent", stem[:-1] + soft, stem + "é"]


def french_finite(infinitive: str, tense: str, person: int) -> str:
    """Return the present or imperfect for person 0 je, 1 il, 2 nous, 3 vous, 4 ils."""
    parts = french_parts(infinitive)
    if tense == "imperfect":
        return parts[3] + ("ais", "ait", "", "", "aient")[person]
    if person in (2, 3):
        return FRENCH_PLURAL_PERSONS[infinitive][person - 2]
    return parts[{0: 0, 1: 1, 4: 2}[person]]


def agree(participle: str, gender: str, plural: bool) -> str:
    """Return the participle with its endings."""
    word = participle + "e" * (gender == "f")
    return word + "s" * (plural and not word.endswith("s"))


def english_form(base: str, form: str) -> str:
    """Return a form of an English verb: base, third, past, participle or ing."""
    if form == "base":
        return base
    sibilant = base.endswith(("s", "sh", "ch", "x", "o"))
    falling = base.endswith("y") and base[-2] not in "aeiou"
    if form == "third":
        return "has" if base == "have" else base[:-1] + "ies" if falling else base + ("es" if sibilant else "s")
    parts = ENGLISH_PARTS.get(base, [])
    if form == "ing":
        return (
            parts[2] if len(parts) > 2 else base[:-1] + "ing" if base[-1] == "e" and base[-2] != "e" else base + "ing"
        )
    regular = base + "d" if base.endswith("e") else base[:-1] + "ied" if falling else base + "ed"
    return parts[form == "participle"] if parts else regular


def read_verb(line: str) -> Verb:
    """Return the verb that one line of the table describes."""
    french, english, subject, objects, flags, links = (part.strip() for part in (line + "|").split("|")[:6])
    source, target = tuple(french.split()), tuple(english.split())
    if objects and "~" not in source:
        source += ("~",)
    if objects and "~" not in target:
        target += ("~",)
    if source[0] in ("se", "s'"):
        source = source[1:]
    plain = [[word for word in words if word not in "~@"] for words in (source, target)]
    pairs = [(i, j) for i in range(len(plain[0])) for j in range(len(plain[1]))]
    if links:
        pairs = [(int(link[0]), int(link[2])) for link in links.split()]
    return Verb(source, target, tuple(subject.split()), tuple(objects.split()), frozenset(flags.split()), tuple(pairs))


ALL_VERBS = tuple(read_verb(line) for line in VERBS.strip().splitlines() for _ in range(1 + line.count(" often")))
