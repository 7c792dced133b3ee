"""The verbs of the phrasebook: their forms in both languages and what they go with."""

from dataclasses import dataclass


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


# french | english | kinds of subject | kinds of object | flags | links.  Flags: stative (no passé composé, no
# progressive), passive (may stand with `on`), etre (its auxiliary), swap (the English subject is the French
# complement), refl (se), with (the object is a place, with its own preposition), often (drawn more often).
VERBS = """
entarter | hit ~ with a pie | person | person | passive often often often |
manger | eat | person animal | dish food | passive |
boire | drink | person animal | drink | passive |
préparer | prepare | person | dish food drink | passive |
acheter | buy | person | dish food drink text clothes vehicle device object instrument | passive |
vendre | sell | person | text clothes vehicle device object instrument building | passive |
lire | read | person | text | passive often |
écrire | write | person | text | passive |
voir | see | person animal | person animal vehicle building | passive often |
regarder | look at ~ | person animal | person animal vehicle object building | passive often |
écouter | listen to ~ | person | person | |
chercher | look for ~ | person animal | person animal object clothes text | passive often |
attendre | wait for ~ | person | person vehicle | often |
trouver | find | person animal | person animal object clothes text | passive |
abandonner | give up | person | plan | |
ranger | put ~ away | person | clothes object text | passive |
allumer | turn ~ on | person | device | passive |
éteindre | turn ~ off | person | device | passive |
rappeler | call ~ back | person | person | |
raccompagner | walk ~ home | person | person | |
réveiller | wake ~ up | person | person animal | |
jeter | throw ~ away | person | object text clothes dish | passive |
ramasser | pick ~ up | person | object clothes text | passive |
renverser | knock ~ over | person animal | object | |
essayer | try ~ on | person | clothes | |
ouvrir | open | person | door | passive often |
fermer | close | person | door | passive often |
laver | wash | person | clothes vehicle door | passive |
nettoyer | clean | person | vehicle building door | passive |
réparer | repair | person | vehicle device instrument door | passive |
casser | break | person | object device door instrument | passive |
perdre | lose | person | object clothes text | |
cacher | hide | person | object text clothes | passive |
porter | wear | person | clothes | |
voler | steal | person | object vehicle text instrument | passive |
conduire | drive | person | vehicle | |
construire | build | person | building vehicle | passive |
détruire | destroy | person | building | passive |
visiter | visit | person | building | passive |
peindre | paint | person | door building | passive |
dessiner | draw | person | person animal building | passive |
photographier | take a picture of ~ | person | person animal building | |
suivre | follow | person animal | person animal | passive |
aider | help | person | person | |
embrasser | kiss | person | person | |
remercier | thank | person | person | |
gifler | slap | person | person | |
punir | punish | person | person | passive |
inviter | invite | person | person | passive |
rencontrer | meet | person | person | |
accompagner | go with ~ | person | person | |
gronder | tell ~ off | person | person | |
soigner | take care of ~ | person | person animal | |
poursuivre | chase | person animal | person animal | passive |
mordre | bite | animal | person animal | |
nourrir | feed | person | animal | passive |
comprendre | understand | person | idea text | stative |
expliquer | explain | person | idea plan | passive |
oublier | forget | person | idea tale object clothes | |
apprendre | learn | person | idea text | |
répéter | repeat | person | idea | |
aimer | love | person | person animal dish food drink text idea | stative often |
détester | hate | person | person animal dish food drink | stative often |
connaître | know | person | person idea building | stative |
admirer | admire | person | person text building | stative |
craindre | fear | person | person animal | stative |
chanter | sing | person | | |
danser | dance | person | | |
dormir | sleep | person animal | | |
courir | run | person animal | | |
nager | swim | person animal | | |
rire | laugh | person | | |
sourire | smile | person | | |
pleurer | cry | person | | |
travailler | work | person | | |
crier | shout | person | | |
voyager | travel | person | | |
jouer | play | person animal | | |
mentir | lie | person | | |
éternuer | sneeze | person animal | | |
tomber | fall | person animal | | etre |
arriver | arrive | person | | etre |
partir | leave | person animal | | etre |
sortir | go out | person animal | | etre |
rentrer | come home | person animal | | etre |
aller à ~ | go to ~ | person | goal | etre with often | 0-0 1-1
téléphoner à ~ | call | person | person | dative |
répondre à ~ | answer | person | person | dative |
obéir à ~ | obey | person animal | person | dative |
parler à ~ | talk to ~ | person | person | dative | 0-0 1-1
ressembler à ~ | look like ~ | person | person | dative stative |
sourire à ~ | smile at ~ | person | person | dative | 0-0 1-1
jouer de ~ | play | person | instrument | de |
avoir besoin de ~ | need | person | person object clothes vehicle | stative de |
avoir peur de ~ | be afraid of ~ | person animal | person animal | stative de | 0-0 1-1 2-2
rire de ~ | laugh at ~ | person | person | de | 0-0 1-1
rêver de ~ | dream of ~ | person | person animal outside | de | 0-0 1-1
donner un coup de pied à ~ | kick | person | person animal | dative |
donner ~ à @ | give @ ~ | person | object text clothes dish | give often | 0-0
montrer ~ à @ | show @ ~ | person | object text clothes building | give | 0-0
envoyer ~ à @ | send @ ~ | person | text object | give | 0-0
prêter ~ à @ | lend @ ~ | person | object vehicle text clothes instrument | give | 0-0
offrir ~ à @ | offer @ ~ | person | object clothes drink dish | give | 0-0
raconter ~ à @ | tell @ ~ | person | tale | give | 0-0
avoir faim | be hungry | person animal | | stative | 0-0 1-1
avoir soif | be thirsty | person animal | | stative | 0-0 1-1
avoir sommeil | be sleepy | person | | stative | 0-0 1-1
avoir raison | be right | person | | stative | 0-0 1-1
avoir tort | be wrong | person | | stative | 0-0 1-1
avoir froid | be cold | person animal | | stative | 0-0 1-1
faire la vaisselle | do the dishes | person | | | 0-0 1-1 2-2
faire la cuisine | cook | person | | |
faire la queue | stand in line | person | | |
faire une promenade | take a walk | person | | | 0-0 1-1 2-2
faire un cauchemar | have a nightmare | person | | | 0-0 1-1 2-2
se lever | get up | person | | refl |
se coucher | go to bed | person | | refl |
se laver | have a wash | person | | refl |
se promener | go for a walk | person | | refl |
se dépêcher | hurry | person | | refl |
s' endormir | fall asleep | person animal | | refl |
se cacher | hide | person animal | | refl |
se souvenir de ~ | remember | person | person idea | refl stative de |
se moquer de ~ | make fun of ~ | person | person | refl de | 0-0 1-1 2-2
s' ennuyer | be bored | person | | refl stative | 0-1 1-0
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
comprendre comprends comprend comprennent compren compris|apprendre apprends apprend apprennent appren appris
connaître connais connaît connaissent connaiss connu|craindre crains craint craignent craign craint
dormir dors dort dorment dorm dormi|endormir endors endort endorment endorm endormi|courir cours court courent cour couru
rire ris rit rient ri ri|sourire souris sourit sourient souri souri|mentir mens ment mentent ment menti
partir pars part partent part parti|sortir sors sort sortent sort sorti
répondre réponds répond répondent répond répondu|souvenir souviens souvient souviennent souven souvenu
plaire plais plaît plaisent plais plu|appartenir appartiens appartient appartiennent apparten appartenu
acheter achète achète achètent achet acheté|jeter jette jette jettent jet jeté|lever lève lève lèvent lev levé
rappeler rappelle rappelle rappellent rappel rappelé|promener promène promène promènent promen promené
répéter répète répète répètent répét répété|nettoyer nettoie nettoie nettoient nettoy nettoyé
essayer essaie essaie essaient essay essayé|ennuyer ennuie ennuie ennuient ennuy ennuyé
envoyer envoie envoie envoient envoy envoyé|vouloir veux veut veulent voul voulu|pouvoir peux peut peuvent pouv pu
devoir dois doit doivent dev dû|savoir sais sait savent sav su|dire dis dit disent dis dit|croire crois croit croient croy cru
"""
# nous and vous stand with compound tenses and modal verbs only
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
lend lent lent|stand stood stood|learn learned learned|slap slapped slapped slapping|say said said|think thought thought
"""

FRENCH_PARTS = {row.split()[0]: row.split()[1:] for row in FRENCH_IRREGULAR.strip().replace("\n", "|").split("|")}
ENGLISH_PARTS = {row.split()[0]: row.split()[1:] for row in ENGLISH_IRREGULAR.strip().replace("\n", "|").split("|")}


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
