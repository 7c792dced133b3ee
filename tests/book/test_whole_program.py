"""Each whole program is short, learns with the functions at its head, and says what its page prints."""

import importlib
import re
from types import ModuleType

import pytest

from autograder.places import ROOT
from book.contents import PROGRAM, all_chapters, page_file

FILES = {path.stem.removeprefix("whole_"): path for path in sorted((ROOT / "examples").glob("whole_*.py"))}
MOST_LINES = 100
SMALLER = 4  # times: the batches of a short run, which has as many steps
SHORT = {  # what a run of seconds is given, which prints two losses
    "bahdanau": {"epochs": 0.33 / SMALLER, "sentences": ["il m' a entarté"]},
    "luong": {"epochs": 0.33 / SMALLER, "sentences": ["il m' a entarté"]},
    "language_model": {"file": "text", "steps": 101, "start": "the cat"},
    "long_context": {"steps": 101, "length": 100},
    "pooling": {"epochs": 1.1 / SMALLER},
    "self_attention": {"epochs": 0.33 / SMALLER, "sentences": ["il m' a entarté"]},
    "structured": {"epochs": 0.82 / SMALLER},
}
SAYS = {  # and what it says at the end
    "language_model": "nats a letter\n.*the cat sat on the mat\nthe cat",
    "long_context": "\nthe last 60, the first 4 .* nats a word",
    "pooling": r"\nil \([\d.]+\) m' .* → \w+ → \w+\n",
    "self_attention": r"\nil \([^)]+ [\d.]+\) m' .* → \w+",
    "structured": r"\n( +\d+){18}\n( +\d+){18}\n( +\d+){18}\n( +\d+){18}\n$",
}
PRINTED = re.compile(r"^It ends with\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d*\.\d+")
PLACE = re.compile(r" \(\S+ \d*\.\d+\)")


def program(name: str) -> ModuleType:
    return importlib.import_module(f"examples.whole_{name}")


def test_every_chapter_that_trains_has_one():
    assert set(FILES) == {name for name in all_chapters() if (ROOT / "solutions" / name / "results").is_dir()}


@pytest.mark.parametrize("name", FILES)
def test_a_page_shows_a_short_program_as_it_is_and_the_lesson_links_it(name):
    page, lesson, list_of_all = (page_file(of).read_text("utf-8") for of in (name + PROGRAM, name, "whole_program"))
    assert f"```{{literalinclude}} ../../examples/{FILES[name].name}\n" in page
    assert len(FILES[name].read_text("utf-8").splitlines()) <= MOST_LINES
    assert "(lesson.md" in page
    assert lesson.count("(program.md)") == 1
    assert f"(../{name}/program.md)" in list_of_all


@pytest.mark.parametrize("name", FILES)
def test_a_program_learns_with_the_functions_at_its_head(name, capsys, monkeypatch, tmp_path):
    called, module = set(), program(name)

    def seen(function, taught):
        return lambda *given, **named: (called.add(function), taught(*given, **named))[1]

    at_its_head = {
        key: each for key, each in vars(module).items() if getattr(each, "__module__", "")[:9] == "solutions"
    }
    for function, taught in at_its_head.items():
        monkeypatch.setattr(module, function, seen(function, taught))
    (tmp_path / "text").write_text("the cat sat on the mat\n" * 200, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    [size] = {"SENTENCES", "BATCH", "ROWS"} & set(vars(module))
    monkeypatch.setattr(module, size, getattr(module, size) // SMALLER)
    module.main(**SHORT.get(name, {"epochs": 0.33 / SMALLER}))
    said = capsys.readouterr().out
    first, *_, last = (float(loss) for loss in re.findall(r"loss (\d+\.\d+)", said))
    assert last < 0.8 * first
    assert re.search(SAYS.get(name, r"\nil m' a entarté → \w+"), said, re.DOTALL)
    assert called == set(at_its_head)
    assert called


ELSEWHERE = {"structured": ("then he →", "then she →")}  # what another processor's model says, and the page's


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_after_its_training_a_program_says_what_its_page_prints(name, capsys):
    """The same words; numbers, and where each word looks, move with a machine's arithmetic."""
    printed = PRINTED.search(page_file(name + PROGRAM).read_text("utf-8"))
    assert printed, "It ends with, and a block ```text"
    program(name).main()
    lines, out = printed[1].splitlines(), capsys.readouterr().out.splitlines()
    if name == "language_model":  # what it writes is drawn: another draw, in other lines, on another machine
        lines, out = ([line for line in each if "nats" in line] for each in (lines, out))
    for line, said in zip(lines, out[-len(lines) :], strict=True):
        looks = PLACE.search(line)
        line, said = (PLACE.sub("", each) for each in (line, said.replace(*ELSEWHERE.get(name, ("", "")))))
        if "[…]" in line:  # the long sentence, whose last words depend on the machine, too
            line, said = (each.partition("→")[0] for each in (line, said))
        if re.fullmatch(r"[ \d]+", line):  # a row of weights in hundredths
            assert list(map(int, said.split())) == pytest.approx(list(map(int, line.split())), abs=5)
            continue
        wanted = "(.*)".join(map(re.escape, NUMBER.sub("#", line).split("[…]")))
        assert re.fullmatch(wanted, NUMBER.sub("#", said)), f"{said}\nprinted as\n{line}"
        if not looks:
            numbers = [[float(number) for number in NUMBER.findall(text)] for text in (line, said)]
            assert numbers[0] == pytest.approx(numbers[1], rel=0.1, abs=0.1)
