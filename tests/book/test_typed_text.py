"""What readers type into the live figures, and what addresses hold that no figure wrote."""

import json
from pathlib import Path

import numpy as np
import pytest

from lab.corpora.phrasebook import surface
from tests.book.test_live_figures import begun, opened, words
from tests.book.test_live_models import figures

FACE = "\N{THINKING FACE}"
TYPED = [
    *("Il m’a entarté.", "il m'a entarte\u0301 !", "l‘homme", "lʼhomme dort", "«bien»", "il dort; elle parle"),
    *("il dort , puis", "« Il dit: “bien” ! »", "'il dort'", "C'est ''bien''…", "(grand-mère)", "", " ' , . ' "),
    *("ÉTÉ E\u0301TE\u0301", f"{FACE} </s> <pad>"),
]


def test_the_page_cuts_french_as_the_command_line_does() -> None:
    context, rng = figures(), np.random.default_rng(1)
    letters = [*"aeE’'‘ʼ ,.!?;:…\"“”„«»‹›()\n", "e\u0301", "é", " ", " "]
    for text in [*TYPED, *("".join(rng.choice(letters, size)) for size in rng.integers(1, 40, 300))]:
        given = json.loads(str(context.eval(f"JSON.stringify(live.wordsOf({json.dumps(text)}))")))
        assert given == surface.tokenise(text).split(), text
    assert surface.tokenise("«L‘homme», qu’il m'a entarte\u0301; lʼété…") == "l' homme , qu' il m' a entarté l' été"


def test_a_word_much_longer_than_all_known_ones_has_no_near_one() -> None:
    context = figures()
    near = f"JSON.stringify(live.near('{{}}', {json.dumps(['parle', 'parler', 'dort', 'mer'])}))"
    assert json.loads(str(context.eval(near.format("parlent"))))[:2] == ["parle", "parler"]
    assert json.loads(str(context.eval(near.format("parlerrrr")))) != []
    assert json.loads(str(context.eval(near.format("parlerrrrr")))) == []


def test_a_long_word_is_cut_between_characters() -> None:
    context = figures()
    for word in (FACE * 40, "a" + FACE * 40, "a" * 40, "a" * 29 + FACE * 2):
        assert json.loads(str(context.eval(f"JSON.stringify(live.cut({json.dumps(word)}))"))) == f"{word[:30]}…"
    for word in ("mer", FACE * 30, "a" * 30):
        assert context.eval(f"live.cut({json.dumps(word)})") == word


@pytest.mark.browser
@pytest.mark.parametrize(
    ("typed", "note"),
    [
        ("", "Words that it knows"),
        ("<script>alert(1)</script>", "Of yours it knows 0"),
        ("zzz qqq", "does not know qqq (and 1 more)"),
        ("zzz qqq xxx", "Of yours it knows 0"),
        ("il " * 60, "first 30 of your 60"),
        ("</s> il parle", "does not know </s>"),
        ("<pad>", "does not know <pad>"),
        (FACE * 21, FACE * 21 + ": it reads <unk> there, and guesses."),
        ("a" + FACE * 40, "a" + FACE * 29 + "…: it reads <unk> there, and guesses."),
        ("x" * 100_000, "x" * 30 + "…: it reads <unk> there, and guesses."),
    ],
)
def test_odd_input_is_answered(browser, tmp_path: Path, typed: str, note: str) -> None:
    for tab in opened(browser, tmp_path, "bahdanau"):
        field = begun(tab)
        assert field.get_attribute("maxlength") == "1000"
        field.fill("il parle")
        said = words(tab)
        field.fill(typed)
        assert note in tab.locator(".live-notes").inner_text()
        if "does not know" in note:
            assert "reads <unk> there" in tab.locator(".live-notes").inner_text()
            assert tab.locator(".live-arcs text").first.text_content() == "<unk>"
        if not typed:
            assert field.get_attribute("placeholder") == "il parle"
            assert words(tab) == said != [], "what was read last stays"
            field.press_sequentially("z")
            assert words(tab) == said, "one letter is no word yet"


@pytest.mark.browser
def test_letters_are_read_alike_however_their_accents_were_typed(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, "bahdanau"):
        for typed in ("il m' a entart\u00e9", "IL M’A ENTARTE\u0301"):
            begun(tab).fill(typed)
            assert "not" not in tab.locator(".live-notes").inner_text()
            assert tab.locator(".live-arcs text").nth(3).text_content() == "entart\u00e9"


@pytest.mark.browser
@pytest.mark.parametrize("given", ["model=length", "model=99", "model=-1", "model=.5", "row=1.5", "row=x", "mute=.5"])
def test_an_address_that_no_figure_wrote_begins_as_the_figure_does(browser, tmp_path: Path, given: str) -> None:
    for tab in opened(browser, tmp_path, "structured", kind="classifier", state=f"#live=classifier&{given}"):
        tab.wait_for_selector(".live-words button")
        assert "The model says" in tab.locator(".live-status").inner_text()
