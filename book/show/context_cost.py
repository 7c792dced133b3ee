"""What a context costs: a bar for the cache of each published model; a slider moves it (book/_static/context.js).

Python draws the figure at `TOKENS`, for paper and for readers without scripts. The script computes the same from the
coefficients in the rows: bytes = full · tokens + local · min(window, tokens).
"""

import re
from collections.abc import Collection, Sequence
from html import escape
from math import floor

from IPython.display import HTML

from book.show.todays_models import Model, models

TOKENS = 1 << 17
LONG = 1 << 20  # tokens: more than any window
GIB = 1 << 30
TOP = 160 * GIB  # where the linear scale ends; a longer bar goes on beyond it
CARDS = (24, 80, 141)  # GB, of 10⁹ bytes: memories of a single card
TICKS = (0, 50, 100, 150)  # GiB
UNITS = ("KiB", "MiB", "GiB", "TiB")
EIGHT = (  # one or two for each way to keep less
    *("Command R v01", "Command R 08-2024", "Llama 3.1 405B", "DeepSeek-V3", "Gemma 3 27B", "Mistral 7B v0.1"),
    *("Qwen3-Next 80B-A3B", "Kimi Linear 48B-A3B"),
)
NUMBER = re.compile(r"(\d[\d,]*)([KM]?)")
KINDS = {  # class: its short name, and what it says
    "each": ("all heads", "a key and a value for each head"),
    "groups": ("groups", "groups of heads share a key and a value"),
    "one": ("one head", "all heads share a key and a value"),
    "latent": ("latent", "one latent vector in place of keys and values"),
    "window": ("window", "layers with a window"),
    "state": ("state", "layers with a state, or without attention"),
    "chosen": ("chosen few", "an index chooses what is read"),
}
GLYPHS = {  # in a box of 16 × 12
    "each": '<path d="M1 1v10M5 1v10M9 1v10M13 1v10"/>',
    "groups": '<path d="M4 1v10M11 1v10"/>',
    "one": '<path d="M8 1v10"/>',
    "latent": '<path d="M2 6h12"/>',
    "window": '<path d="M6 1H4v10h2M10 1h2v10h-2"/>',
    "state": '<path class="solid" d="M4 2h8v8H4z"/>',
    "chosen": '<path class="solid" d="M1 5h2v2H1zM7 5h2v2H7zM13 5h2v2h-2z"/>',
}


def coefficients(model: Model) -> tuple[int, int, int]:
    """Return the bytes of a token in layers that keep all of them, those in layers with a window, and the window."""
    full = model.bytes(LONG + 1) - model.bytes(LONG)
    return full, model.bytes(1) - full, model.window


def longest(model: Model) -> int:
    """Return the longest context that the source names, in tokens."""
    numbers = NUMBER.findall(model.context)
    return max(int(digits.replace(",", "")) * {"": 1, "K": 1 << 10, "M": 1 << 20}[unit] for digits, unit in numbers)


def kinds(model: Model) -> list[str]:
    """Return the model's ways to keep its cache small, as names of KINDS."""
    shared = "each" if model.kv_heads == model.heads else "one" if model.kv_heads == 1 else "groups"
    more = {"window": model.window, "state": model.uncached, "chosen": model.index}
    return ["latent" if model.latent else shared, *(name for name, is_so in more.items() if is_so)]


def rounded(number: float, digits: int) -> str:
    """Return a number with so many digits behind the point, halves upwards, as the script has it."""
    return f"{floor(number * 10**digits + 0.5) / 10**digits:,.{digits}f}"


def amount(count: int) -> str:
    """Return bytes in the largest unit of which there is one: two digits, or three."""
    power = max(0, min(len(UNITS) - 1, (count.bit_length() - 1) // 10 - 1))
    number = count / (1 << 10 * (power + 1))
    return f"{rounded(number, 1 if number < 10 else 0)} {UNITS[power]}"


def part(count: int) -> float:
    """Return the end of a bar of so many bytes on the linear scale, in per cent."""
    return 100 * min(1, count / TOP)


def context_figure(names: Collection[str] = (), tokens: int = TOKENS) -> HTML:
    """Return the figure for the named models, by default for all, as it stands at so many tokens."""
    chosen = [model for model in models() if not names or model.name in names]
    rows = "".join(row(model, tokens) for model in sorted(chosen, key=lambda model: -model.bytes(tokens)))
    cards = "".join(f'<span style="left: {part(card * 10**9):.2f}%">{card} GB</span>' for card in CARDS)
    ticks = "".join(f'<span style="left: {part(tick * GIB):.2f}%">{tick} GiB</span>' for tick in TICKS)
    lines = "; ".join(f"--card{place}: {part(card * 10**9):.2f}%" for place, card in enumerate(CARDS))
    kinds_used = dict.fromkeys(kind for kind in KINDS for model in chosen if kind in kinds(model))
    meant = "".join(f"<span>{glyph(kind)} {KINDS[kind][1]}</span>" for kind in kinds_used)
    data = f'data-tokens="{tokens}" data-top="{TOP}" data-cards="{" ".join(map(str, CARDS))}"'
    return HTML(
        f'<div class="moved context" {data} style="{lines}"><div class="settings"></div>'
        f'<p role="status">{in_words(chosen, tokens)}</p>'
        '<p class="legend bars"><span><i class="solid"></i> keys and values</span>'
        '<span><i class="own"></i> the longest text that the model is made for</span>'
        '<span><i class="beyond"></i> beyond that</span></p>'
        f'<div class="axis" aria-hidden="true"><b>one card has</b><div class="scale cards">{cards}</div></div>'
        f'<ul>{rows}</ul><div class="axis" aria-hidden="true"><div class="scale ticks">{ticks}</div></div>'
        f'<p class="legend">{meant}</p></div>'
    )


def row(model: Model, tokens: int) -> str:
    """Return the row of a model: its name with a link to where its sizes were read, its kinds, bar and bytes."""
    full, local, window = coefficients(model)
    own, count, end = longest(model), model.bytes(tokens), part(model.bytes(longest(model)))
    (source,) = [each for each in model.sources if "layers" in each.cells.split()][:1]
    solid = part(model.bytes(min(tokens, own)))
    over = " over" if count > TOP else ""
    marks = "".join(f"<span>{glyph(kind)}<em>{KINDS[kind][0]}</em></span>" for kind in kinds(model))
    return (
        f'<li class="{"past" if tokens > own else "within"}{over}" data-full="{full}" data-local="{local}" '
        f'data-window="{window}" data-longest="{own}">'
        f'<a href="{escape(source.url)}" title="{escape(source.place)}">{escape(model.name)}</a>'
        f'<span class="kinds">{marks}</span>'
        f'<span class="bar" aria-hidden="true"><i class="solid" style="width: {solid:.2f}%"></i>'
        f'<i class="beyond" style="left: {solid:.2f}%; width: {part(count) - solid:.2f}%"></i>'
        f'<i class="own" style="left: {end:.2f}%"></i></span><b>{amount(count)}</b></li>'
    )


def glyph(kind: str) -> str:
    """Return the small picture of a kind; what it means stands beside it."""
    return f'<svg class="{kind}" viewBox="0 0 16 12" role="img" aria-label="{KINDS[kind][1]}">{GLYPHS[kind]}</svg>'


def in_words(chosen: Sequence[Model], tokens: int) -> str:
    """Return the message of the bars in words, as the script has it."""
    caches = sorted((model.bytes(tokens), model.name) for model in chosen)
    least, most = caches[0], caches[-1]
    fits = ", ".join(f"{sum(count <= card * 10**9 for count, _ in caches)} fit one of {card} GB" for card in CARDS)
    made = sum(longest(model) >= tokens for model in chosen)
    return (
        f"A text of {tokens:,} tokens takes {amount(least[0])} ({escape(least[1])}) to {amount(most[0])} "
        f"({escape(most[1])}). Of these {len(chosen)} caches, {fits.replace('one', 'a card', 1)}; the "
        f"models' weights come on top. Models made for so long a text: {made}."
    )
