"""What a check printed, as HTML: criteria as a list, code as code, and sentences as paragraphs."""

import html
import re
from itertools import groupby

CRITERION = re.compile(r" {1,3}([✓✗]) (.*)")
CODE = re.compile(r" {4}")


def verdict_html(text: str) -> str:
    """Return a check's text as HTML, every character of it escaped."""
    made = []
    for kind, lines in groupby(text.splitlines(), _kind):
        if kind == "criterion":
            made.append(f"<ul>{''.join(_item(line) for line in lines)}</ul>")
        elif kind == "code":
            made.append(f"<pre>{html.escape(chr(10).join(line[4:] for line in lines))}</pre>")
        else:
            made += [f"<p>{html.escape(line.strip())}</p>" for line in lines if line.strip()]
    return f'<div class="verdict">{"".join(made)}</div>' if made else ""


def _kind(line: str) -> str:
    if CRITERION.match(line):
        return "criterion"
    return "code" if CODE.match(line) and line.strip() else "sentence"


def _item(line: str) -> str:
    sign, text = CRITERION.fullmatch(line).groups()  # pyright: ignore[reportOptionalMemberAccess] — _kind has matched it
    kind = "all-points" if sign == "✓" else "no-points"
    return f'<li class="{kind}"><span class="sign">{sign}</span> {html.escape(text)}</li>'
