"""The game of the chapter on additive attention: its frame before it is played, which is also what paper shows."""

from copy import deepcopy
from html import escape

import torch
from IPython.display import HTML
from jaxtyping import Float
from torch import Tensor

from book.live.export import figure
from lab.decode.decoding import Translator
from lab.kinds.pinned import pinned
from lab.kinds.translation import Trained
from lab.text.batches import collate
from solutions.bahdanau.model import SOLUTION

SHOWN = 4  # most probable words


def game(french: str, english: str) -> HTML:
    """Return the figure in which a reader sets the weights of the chapter's model: a sentence and its translation."""
    trained = pinned(SOLUTION)
    return figure("game", {"bahdanau": trained}, french, still(trained, french, english), truth=english)


def still(trained: Trained, french: str, english: str) -> str:
    """Return the first word's weights, all alike, what the model says to them, and both losses, as html."""
    source, words = [*french.split(), "</s>"], english.split()
    model = deepcopy(trained.model).eval()
    own = chances(model, trained, french, english)
    torch.nn.init.zeros_(model.get_parameter("v"))  # every score is 0
    alike = chances(model, trained, french, english)
    truth = torch.tensor(trained.target_text.encode(english))[:, None]
    losses = [-each.gather(1, truth).log().mean() for each in (alike, own)]
    bars = "".join(bar(word, 1 / len(source)) for word in source)
    top = [(escape(trained.target_text.decode([token]) or "</s>"), token) for token in alike[0].topk(SHOWN)[1].tolist()]
    says = "".join(row(word, 100 * float(alike[0, token])) for word, token in top)
    strip = "".join(f'<span lang="en">{escape(word)}<small>·</small></span>' for word in words)
    asked = f'<p class="live-ask">Word 1 of {len(words)}: where does <strong lang="en">{escape(words[0])}</strong>'
    return (
        f'<div class="live-words">{strip}</div>{asked} come from?'
        '<span class="live-drag"> Drag the bars, or move them with the arrow keys.</span></p>'
        f'<div class="live-beside"><div class="live-weights">{bars}</div><div class="live-next"><p>The model\'s next '
        f'word is <strong lang="en">{top[0][0]}</strong>:</p><ol class="live-bars">{says}</ol></div></div>'
        f'<p class="live-truth live-verdict">With all weights alike the loss is {shown(losses[0])} nats a word, '
        f"with the model's own {shown(losses[1])}.</p>"
    )


def row(word: str, percent: float) -> str:
    return f'<li style="--share: {percent:.1f}%"><span lang="en">{word}</span><span>{percent:.1f} %</span></li>'


def bar(word: str, share: float, lang: str = "fr") -> str:
    part = f'<div class="live-weight" style="--share: {100 * share:.0f}%"><span>{f"{share:.2f}".lstrip("0")}</span>'
    return f'{part}<i></i><b lang="{lang}">{escape(word)}</b></div>'


def shown(loss: Tensor) -> str:
    return f"{float(loss):.3f}".removeprefix("0")


@torch.no_grad()
def chances(model: Translator, trained: Trained, french: str, english: str) -> Float[Tensor, "target vocabulary"]:
    """Return the probability of every word at each place of the translation, the true words before it being read."""
    batch = collate([(trained.source_text.encode(french), trained.target_text.encode(english))])
    real = torch.ones_like(batch.inputs, dtype=torch.bool)
    return model(batch.source, batch.mask, batch.inputs, real)[:-1].softmax(dim=-1)
