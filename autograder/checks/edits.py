"""Known mistakes as edits of the reference, which stand in mistakes/FUNCTION.txt."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from textwrap import dedent
from types import CodeType
from typing import Any

from autograder.checks import trees
from autograder.checks.faults import CheckFault
from autograder.checks.trees import Definition, reached
from autograder.definition import folder_of
from autograder.places import ROOT

EDIT = re.compile(r"(?:in (?P<scope>\w+): )?(?P<every>every )?(?P<old>.*?) =>(?P<new>.*)", re.DOTALL)
START, RETURN, RIGHT = "start", "return", "right"


@dataclass(frozen=True, eq=False)
class Edit:
    """`old => new` within a function and all that it calls, or in one of these alone (`in NAME: old => new`).

    It has to hit one place; with `every`, each of several. `start => …` puts statements before all others, `return =>
    …` changes all that the function returns. `_` in `new` is what there was, `right` the function without the edit.
    """

    home: Callable
    text: str
    where: str  # "FILE: NAME", for its author

    @cached_property
    def parts(self) -> dict[str, str]:
        match = EDIT.fullmatch(self.text)
        if not match:
            raise self.fault("expected `old => new`")
        old, new = match["old"].strip(), dedent(match["new"]).strip()
        return {"scope": match["scope"] or "", "every": match["every"] or "", "old": old, "new": new}

    def fault(self, what: str) -> CheckFault:
        return CheckFault(f"{self.where}: `{self.text.strip()}`: {what}")

    def parsed(self, source: str) -> Any:
        """Return a fragment as an expression or as a list of statements."""
        if not source:
            return []
        try:
            return ast.parse(f"({source}\n)", mode="eval").body
        except SyntaxError:
            try:
                return ast.parse(source).body
            except SyntaxError as error:
                raise self.fault(f"`{source}` is no whole expression or statement: {error.msg}") from None

    @cached_property
    def needs_right(self) -> bool:
        return RIGHT in re.findall(r"\w+", self.parts["new"])

    @cached_property
    def places(self) -> list[Definition]:
        """Return the definitions in which the edit looks for its old text."""
        scope, all_ = self.parts["scope"], reached(self.home)
        places = [each for each in all_ if not scope or each.name == scope]
        if not places:
            raise self.fault(f"{scope} is not called by {self.home.__name__}: {', '.join(each.name for each in all_)}")
        return places[:1] if self.parts["old"] in (START, RETURN) else places

    @cached_property
    def fragments(self) -> tuple[Any, Any]:
        """Return old and new, both expressions or both statements."""
        old, new = self.parsed(self.parts["old"]), self.parsed(self.parts["new"])
        if isinstance(old, list) == isinstance(new, list):
            return old, new
        if isinstance(old, list):
            return old, [ast.Expr(new)]
        return [ast.Expr(old)], new

    def apply(self, tree: Any, hits: list) -> Any:
        """Return the tree of a definition with the edit made in it; note the places hit."""
        if self.parts["old"] == START:
            new = self.parsed(self.parts["new"])
            hits.append(tree)
            return _with_body(tree, [*(new if isinstance(new, list) else [ast.Expr(new)]), *tree.body])
        if self.parts["old"] == RETURN:
            count: list = []
            body = trees.returns(tree.body, self.parsed(self.parts["new"]), count)
            hits += count[:1]
            return _with_body(tree, body)
        return trees.replaced(tree, *self.fragments, hits)


def _with_body(tree: Any, body: list) -> Any:
    fields = {name: body if name == "body" else value for name, value in ast.iter_fields(tree)}
    return ast.copy_location(type(tree)(**fields), tree)


class Mistake:
    """A reference with edits: it is called like the reference, has its own name, and its docstring is the hint."""

    def __init__(
        self, name: str, hint: str, reference: Callable, edits: Sequence[Edit], otherwise: Sequence[Edit] = ()
    ) -> None:
        self.__name__, self.__doc__ = name, hint
        self.reference, self.edits = reference, tuple(edits)
        self.otherwise = tuple(otherwise)  # the edits in another order, where they do not fit in theirs

    def __call__(self, *arguments: Any) -> Any:
        return self.made(*arguments)

    @cached_property
    def made(self) -> Callable:
        """Return the edited function; raise CheckFault where an edit finds nothing, too much, or changes nothing."""
        try:
            return self._made(self.edits)
        except CheckFault:
            if not self.otherwise:
                raise
            return self._made(self.otherwise)

    def _made(self, edits: Sequence[Edit]) -> Callable:
        made: dict[Definition, tuple[Edit, ...]] = {}
        for edit in edits:
            hits = {each: _edited(each, (*made.get(each, ()), edit))[1] for each in edit.places}
            _demand_hits(edit, sum(hits.values()))
            made |= {each: (*made.get(each, ()), edit) for each, count in hits.items() if count}
        return trees.run(self.reference, {each: _code(each, edits) for each, edits in made.items()}, self._right())

    def _right(self) -> dict[str, Callable]:
        """Return {"right": the edit's function, with the other edits that do not use it}; {} if no edit uses it."""
        users = [edit for edit in self.edits if edit.needs_right]
        if not users:
            return {}
        others = [edit for edit in self.edits if not edit.needs_right]
        home = users[0].places[0].value
        inside = {each.value for each in reached(home)}
        kept = [edit for edit in others if any(each.value in inside for each in edit.places)]
        return {RIGHT: Mistake(self.__name__, "", home, kept).made if kept else home}


@lru_cache(maxsize=4096)
def _edited(definition: Definition, edits: tuple[Edit, ...]) -> tuple[Any, int]:
    """Return the tree of a definition with edits made in it, and the number of places that the last one hit."""
    *before, last = edits
    tree = _edited(definition, tuple(before))[0] if before else definition.node
    hits: list = []
    edited = last.apply(tree, hits)
    if hits and trees.is_same(tree, edited):
        raise last.fault("changes nothing")
    return edited, len(hits)


@lru_cache(maxsize=4096)
def _code(definition: Definition, edits: tuple[Edit, ...]) -> CodeType:
    return trees.compiled(definition, _edited(definition, edits)[0])


def _demand_hits(edit: Edit, hits: int) -> None:
    if not hits:
        places = ", ".join(each.name for each in edit.places)
        raise edit.fault(f"`{edit.parts['old']}` is not in the source of {places}")
    if hits > 1 and not edit.parts["every"]:
        raise edit.fault(
            f"`{edit.parts['old']}` stands there {hits} times: write more of it, `in FUNCTION: old => new`, or "
            "`every old => new`"
        )


def target(mistake: Callable) -> Callable:
    """Return the function of a mistake; an edit that does not fit raises CheckFault here, and not when it is called."""
    return mistake.made if isinstance(mistake, Mistake) else mistake


def pairs(mistakes: Sequence[Callable]) -> list[tuple[int, int]]:
    """Return the places of each two mistakes that are edits."""
    return list(combinations([i for i, mistake in enumerate(mistakes) if isinstance(mistake, Mistake)], 2))


@cache
def union(one: Mistake, two: Mistake) -> Mistake:
    """Return both mistakes at once; they may not fit."""
    edits, otherwise = (*one.edits, *two.edits), (*two.edits, *one.edits)
    return Mistake(f"{one.__name__} {two.__name__}", "", one.reference, edits, otherwise)


def known(reference: Callable, name: str = "", folder: Path | None = None) -> tuple[Mistake, ...]:
    """Return the known mistakes of a reference: those in mistakes/NAME.txt of its chapter, NAME its own by default.

    Another folder has files of the same form.
    """
    entries = _entries(folder or _folder(reference), name or reference.__name__)
    return tuple(_mistake(reference, entry) for entry in entries)


def in_file(reference: Callable, name: str = "") -> tuple[Mistake, ...]:
    """Return the mistakes of `known`, none where the chapter has no such file."""
    path = _folder(reference) / f"{name or reference.__name__}.txt"
    return known(reference, name) if path.is_file() else ()


def _folder(reference: Callable) -> Path:
    return folder_of(reference, "mistakes")


@dataclass(frozen=True)
class Entry:
    """A paragraph of a file: a mistake's name, its hint, and its edits as they are written."""

    file: Path
    name: str
    hint: str
    edits: tuple[str, ...]
    home: str = ""  # the function to edit, where that is not the file's own

    @property
    def where(self) -> str:
        return f"{self.file.relative_to(ROOT)}: {self.name}"


def _mistake(reference: Callable, entry: Entry) -> Mistake:
    home = reference
    if entry.home:  # a file may also hold mistakes of several functions, under another name
        home = next((each.value for each in reached(reference) if each.name == entry.home), reference)
    return Mistake(entry.name, entry.hint, reference, [Edit(home, text, entry.where) for text in entry.edits])


@cache
def _entries(folder: Path, function: str) -> tuple[Entry, ...]:
    """Return the paragraphs of a file in their order, with those of other files that it names (`also`)."""
    path = folder / f"{function}.txt"
    if not path.is_file():
        raise CheckFault(f"there is no file {path.relative_to(ROOT)}")
    entries: dict[str, Entry] = {}
    for head, edits in _paragraphs(path.read_text("utf-8")):
        name, _, text = head.partition(":")
        if name.startswith("also "):
            new = _also(path, name.removeprefix("also "), text)
        else:
            twin = entries.get(name.partition("__")[0])
            new = [Entry(path, name, text.strip() or (twin.hint if twin else ""), edits)]
        for each in new:
            if each.name in entries or not each.hint or not each.edits:
                what = "stands there twice" if each.name in entries else "expected `name: hint`, and edits below it"
                raise CheckFault(f"{each.where}: {what}")
            entries[each.name] = each
    return tuple(entries.values())


def _also(path: Path, other: str, names: str) -> Iterator[Entry]:
    """Yield the mistakes of these names of another function, of this chapter or of CHAPTER.FUNCTION."""
    *chapter, source = other.split(".")
    folder = path.parents[2] / chapter[0] / path.parent.name if chapter else path.parent
    entries = {each.name: each for each in _entries(folder, source)}
    for name in names.replace(",", " ").split():
        if name not in entries:
            raise CheckFault(f"{path.relative_to(ROOT)}: {other} has no mistake {name}")
        entry = entries[name]
        yield Entry(entry.file, name, entry.hint, entry.edits, entry.home or source)


def _paragraphs(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield heads with the edits below them: two spaces continue a head, four begin an edit, more continue that."""
    head, edits = "", []
    for line in [*text.splitlines(), "end:"]:
        depth = len(line) - len(line.lstrip())
        if not line.strip() or line.startswith("#"):
            continue
        if depth == 0:
            if head:
                yield head, tuple(edits)
            head, edits = line, []
        elif depth == 2:
            head += f" {line.strip()}"
        elif depth == 4:
            edits.append(line.strip())
        else:
            edits[-1] += f"\n{line}"
