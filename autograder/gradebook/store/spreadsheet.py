"""Tables for a spreadsheet: CSV in which no text is computed as a formula."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# A spreadsheet computes a cell that begins with one of these, in some also of another width, or with a true minus.
SIGNS = frozenset("=+-@＝＋－＠﹦﹢﹣﹫−")
# A cell may begin behind these: a spreadsheet of another country splits at semicolons or tabs, and ignores our quotes.
SEPARATORS = ";,|\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
# Characters that it drops or does not see before a sign: quotes, blanks, and those without a width.
UNSEEN = r"\s\"“”\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
BETWEEN = re.compile(rf"[{SEPARATORS}{UNSEEN}]+")


def text(written: str) -> str:
    """Return a text with an apostrophe wherever a spreadsheet would begin a formula."""
    whole = written.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")

    def guarded(between: re.Match[str]) -> str:
        begins = between.start() == 0 or any(sign in SEPARATORS for sign in between[0])
        return f"{between[0]}'" if begins and whole[between.end() : between.end() + 1] in SIGNS else between[0]

    return ("'" if whole[:1] in SIGNS else "") + BETWEEN.sub(guarded, whole)


def cell(value: Any) -> Any:
    """Return a value for a table: text is guarded, numbers stay numbers, None is an empty cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        return text(value)
    return "" if value is None else value


def table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return rows as CSV in UTF-8; keys that are no columns are left out."""
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, columns, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return written.getvalue().encode("utf-8")
