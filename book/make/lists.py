"""Lists of the chapters in README.md, TEACHING.md and on the cover, and the tree of folders, written where they stand.

`python -m book.make.lists` writes each between its marks, `<!-- made: NAME -->` and `<!-- end -->`; a test fails where
one is not what chapters.toml, the notebooks' tables and layout.toml say.
"""

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # run as a script
from book.contents import all_chapters, further, page_file, pages  # noqa: E402
from book.make.pieces import deck  # noqa: E402
from book.notebook_parts import parts  # noqa: E402
from lab.files import atomic_write  # noqa: E402

PLACES = (
    "README.md",
    "CONTRIBUTING.md",
    "TEACHING.md",
    "book/index.md",
    "book/pages/start.md",
    "book/teachers/discussion.md",
    "book/teachers/slides_in_class.md",
)
CLOSED = {"benchmarks", "examples", "lab", "tests"}  # folders of which the tree shows no inside
BLOCK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def core_parts(name: str, root: Path = ROOT) -> dict[int, int]:
    """Return the minutes of a notebook's graded parts without a star, by number."""
    return {part.number: part.minutes for part in parts(name, root) if not part.is_bonus}


def cards() -> Iterator[str]:
    """Yield the cover's cards: title, picture, question and minutes of each chapter."""
    for name, about in all_chapters().items():
        yield from (f"1. []({name}/lesson.md){{card}}`{name}`", "", f"   {about['question']}", "")
        yield from (f"   *{about['reading']} min to read, {sum(core_parts(name).values())} in the notebook*", "")


def road() -> Iterator[str]:
    """Yield a line on the exercises of each chapter, and its further pages, for the page on how to start."""
    for name, about in all_chapters().items():
        more = "".join(f" *Then* [](../{page_file(page).relative_to(ROOT / 'book')})." for page in further(name))
        yield f"1. [](../{name}/lesson.md): {about['write']}.{more}"


def papers() -> Iterator[str]:
    """Yield the rows of README's table."""
    yield from ("| chapter | paper |", "|---|---|")
    yield from (f"| {_linked(name)} | {about['paper']} |" for name, about in all_chapters().items())


def speed() -> Iterator[str]:
    """Yield the rows of what people wait for, as `make bench` measured it: the newest table, beside it older ones."""
    tables = json.loads((ROOT / "benchmarks" / "speed.json").read_text("utf-8"))
    *others, here = tables
    elsewhere = {other: {row["what"]: row for row in tables[other]["rows"]} for other in others}
    yield f"| | {here} | beside it | aim | | {''.join(f'{other} | ' for other in others)}".rstrip()
    yield f"|---|--:|--:|---|---|{'--:|' * len(others)}"
    for row in tables[here]["rows"]:
        cells = [row["what"], row["ours"], row["beside"], row["aim"], "reached" if row["is_reached"] else "**missed**"]
        cells += [_figure(elsewhere[other].get(row["what"])) for other in others]
        yield f"| {' | '.join(cells)} |"
    yield ""
    made = (f"{kind} at {table['commit'][:8]}" for kind, table in reversed(tables.items()))
    how = f"`{tables[here]['command']} --rounds {tables[here]['rounds']}`, {tables[here]['device']}"
    yield f"Processors by vendor, family and model: {', '.join(made)}; {how}."
    share = tables[here]["share_of_products"]
    most = f"{share:.0%} of nn.Transformer's step in fp32 are matrix products, which both make"
    yield f"{most}: {1 / share:.1f} times as fast is the most."


def _figure(row: dict[str, Any] | None) -> str:
    """Return the figure that a row's aim is about, in bold where it was missed."""
    if row is None:
        return "–"
    figure = row["aim"].partition(", asked")[0] if "asked" in row["aim"] else row["ours"]
    return figure if row["is_reached"] else f"**{figure}**"


def needs() -> Iterator[str]:
    """Yield the rows of the table of what a chapter needs."""
    yield from ("| chapter | read before | earlier functions | reading | core |", "|---|---|---|--:|--:|")
    for name, about in all_chapters().items():
        minutes = sum(core_parts(name).values())
        yield f"| {_linked(name)} | {about['after']} | {about['functions']} | {about['reading']} | {minutes} |"


def weeks() -> Iterator[str]:
    """Yield the rows of the plan week by week."""
    yield from ("| week | chapter | reading | class | home | goal of the class |", "|--:|---|--:|---|---|---|")
    number = 0
    for name, about in all_chapters().items():
        for first, week in enumerate(about["weeks"]):
            number += 1
            reading = "" if first else f"{about['reading']} "
            head = f"| {number} | {_linked(name)} | {reading}|"
            yield f"{head} {week['class']} | {_cell(week['home'])}| {week['goal']} |"


def six() -> Iterator[str]:
    """Yield the rows of the plan of six weeks."""
    yield from ("| week | chapter | reading | class | home |", "|--:|---|--:|---|---|")
    for name, about in all_chapters().items():
        for first, week in enumerate(about.get("six", [])):
            reading = "" if first else f"{about['reading']} "
            yield f"| {week['week']} | {_linked(name)} | {reading}| {week['class']} | {week['home']} |"


def _cell(text: str) -> str:
    return f"{text} " if text else ""


def _linked(name: str) -> str:
    """Return a chapter's name with a link to its lesson, for a file in the repository's root."""
    return f"[`{name}`](book/{name}/lesson.md)"


def discussion() -> Iterator[str]:
    """Yield the sections of the page for discussion."""
    for name, about in all_chapters().items():
        head = f"## {{Chapters}}`{name}`. {about['title']}"
        yield from (head, "", f"```{{include}} ../{name}/discussion.md", "```", "")


def decks() -> Iterator[str]:
    """Yield the rows of the table of decks: what each begins with, its slides and minutes, its source."""
    yield from ("| of the chapter | begins with | slides | minutes | source |", "|---|---|--:|--:|---|")
    for name in all_chapters():
        claims, minutes = deck(name)
        source = f"{{download}}`{name}/slides.md <../{name}/slides.md>`"
        yield f"| [](../{name}/lesson.md) | *{claims[0]}* | {len(claims)} | {sum(minutes)} | {source} |"


def layout() -> dict[str, str]:
    """Return the folders of the repository with a comment each: NAME stands for a chapter."""
    return tomllib.loads((ROOT / "book" / "make" / "layout.toml").read_text("utf-8"))


def folder_with_name(folder: str) -> str:
    """Return a folder's path with NAME in place of a chapter's name."""
    return "/".join("NAME" if part in all_chapters() else part for part in folder.split("/"))


def is_in_tree(folder: str) -> bool:
    """Return whether the tree shows a folder: none that is hidden, and inside CLOSED none."""
    first, _, rest = folder.partition("/")
    return not folder.startswith(".") and not (rest and first in CLOSED) and "/" not in rest


def tree() -> Iterator[str]:
    """Yield the tree of folders, one comment each."""
    width = max(len(_branch(path)) for path in layout()) + 2
    yield "```"
    yield from (f"{_branch(path):{width}}{comment}" for path, comment in layout().items())
    yield "```"


def _branch(path: str) -> str:
    return "  " * path.count("/") + path.rpartition("/")[2] + "/"


MADE: dict[str, Callable[[], Iterator[str]]] = {
    each.__name__: each for each in (cards, road, papers, speed, needs, weeks, six, discussion, decks, tree)
}


def written(text: str) -> str:
    """Return a text with each list in it as it has to be; raise LookupError for a mark that names none."""

    def made(block: re.Match[str]) -> str:
        if block[2] not in MADE:
            raise LookupError(f"<!-- made: {block[2]} -->: expected one of {', '.join(MADE)}")
        return block[1] + "\n".join(MADE[block[2]]()) + "\n" + block[3]

    return BLOCK.sub(made, text)


def main() -> None:
    """Write the lists of all places, and say which have changed."""
    pages()  # raises where the list of contents cannot be read
    for place in PLACES:
        before = (ROOT / place).read_text("utf-8")
        if (after := written(before)) != before:
            atomic_write(ROOT / place, after.encode())
            print(f"{place}: its lists are new")


if __name__ == "__main__":
    main()
