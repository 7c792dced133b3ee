"""What goes wrong in reading a padded batch and in choosing words."""

import torch
from torch import Tensor

from solutions.encoder_decoder.attention import greedy_decode, last_states


def _halves(outputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    units = outputs.shape[-1] // 2
    return outputs[..., :units], outputs[..., units:], torch.arange(len(outputs))


def last_position(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The forward half is read at the last position, `outputs[:, -1]`. In a short sentence that is padding: read it at
    the last real token, `lengths - 1`."""
    forward, backward, _ = _halves(outputs)
    return torch.cat([forward[:, -1], backward[:, 0]], dim=-1)


def everything_last(outputs: Tensor, lengths: Tensor) -> Tensor:
    """Both halves are read at the last position, `outputs[:, -1]`. There the forward half may be padding, and the
    backward half has seen one token only."""
    return outputs[:, -1]


def backward_at_end(outputs: Tensor, lengths: Tensor) -> Tensor:
    """Both halves are read at the last real token. The backward half runs from right to left: it has seen the whole
    sentence at token 0."""
    return outputs[torch.arange(len(outputs)), lengths - 1]


def backward_at_padding(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The backward half is read at the last position. It runs from right to left: its final state is at token 0."""
    forward, backward, rows = _halves(outputs)
    return torch.cat([forward[rows, lengths - 1], backward[:, -1]], dim=-1)


def everything_first(outputs: Tensor, lengths: Tensor) -> Tensor:
    """Both halves are read at token 0. The forward half has seen one token there: read it at the last real one."""
    return outputs[:, 0]


def halves_swapped(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The halves have changed places. The forward half comes first, then the backward half."""
    return last_states(outputs, lengths).roll(outputs.shape[-1] // 2, dims=-1)


def roles_swapped(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The halves are read at each other's positions. The forward half, features 0 to u - 1, is final at the last real
    token; the backward half at token 0."""
    forward, backward, rows = _halves(outputs)
    return torch.cat([forward[:, 0], backward[rows, lengths - 1]], dim=-1)


def one_too_far(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The forward half is read at position `lengths`, one too far. Positions count from 0: the last real token is at
    `lengths - 1`."""
    forward, backward, rows = _halves(outputs)
    return torch.cat([forward[rows, lengths], backward[:, 0]], dim=-1)


def one_too_early(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The forward half is read at position `lengths - 2`, one too early. The last real token is at `lengths - 1`."""
    forward, backward, rows = _halves(outputs)
    return torch.cat([forward[rows, lengths - 2], backward[:, 0]], dim=-1)


def longest_decides(outputs: Tensor, lengths: Tensor) -> Tensor:
    """All rows are read where the longest sentence ends. Each row has its own last real token."""
    return last_states(outputs, lengths.max().expand(len(lengths)))


def first_decides(outputs: Tensor, lengths: Tensor) -> Tensor:
    """All rows are read where the first sentence of the batch ends. Each row has its own last real token."""
    return last_states(outputs, lengths[:1].expand(len(lengths)))


def sorted_rows(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The rows come out sorted by length. They have to stay in the order of the batch."""
    order = lengths.argsort(descending=True)
    return last_states(outputs[order], lengths[order])


def added_halves(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The two halves are added up. They have to be put one after the other."""
    forward, backward, rows = _halves(outputs)
    return forward[rows, lengths - 1] + backward[:, 0]


def every_length_of_every_row(outputs: Tensor, lengths: Tensor) -> Tensor:
    """`outputs[:, lengths - 1]` gives each row the positions of all the others too, (B, B, 2u). Pair row and position:
    `outputs[torch.arange(B), lengths - 1]`. And the backward half is final at token 0."""
    return outputs[:, lengths - 1]


def mean_over_time(outputs: Tensor, lengths: Tensor) -> Tensor:
    """This is the mean over all positions, padding included. Read two single states: forward at the last real token,
    backward at token 0."""
    return outputs.mean(1)


def mean_of_sentence(outputs: Tensor, lengths: Tensor) -> Tensor:
    """This is the mean over the real tokens. Read two single states: forward at the last of them, backward at the
    first."""
    real = torch.arange(outputs.shape[1]) < lengths[:, None]
    return (outputs * real[..., None]).sum(1) / lengths[:, None]


def interleaved(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The features are taken as if both directions took turns. The first u are the forward half, the last u the
    backward half."""
    rows = torch.arange(len(outputs))
    return torch.cat([outputs[rows, lengths - 1, ::2], outputs[:, 0, 1::2]], dim=-1)


def forward_only(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The backward half is missing. Put it behind the forward half: 2u features come back."""
    forward, _, rows = _halves(outputs)
    return forward[rows, lengths - 1]


def halves_stacked(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The halves are stacked on an axis of their own, (B,2,u). Put them one after the other, (B,2u): torch.cat."""
    return torch.stack(last_states(outputs, lengths).chunk(2, dim=-1), dim=1)


STATES = (
    last_position,
    everything_last,
    backward_at_end,
    backward_at_padding,
    everything_first,
    halves_swapped,
    roles_swapped,
    one_too_far,
    one_too_early,
    longest_decides,
    first_decides,
    sorted_rows,
    added_halves,
    every_length_of_every_row,
    mean_over_time,
    mean_of_sentence,
    interleaved,
    forward_only,
    halves_stacked,
)


def _roll_out(step, batch_size: int, bos: int, words: int) -> Tensor:
    """Return the greedy words without an end."""
    prefix = torch.full((batch_size, 1), bos)
    for _ in range(words):
        prefix = torch.cat([prefix, step(prefix)[:, -1:].argmax(-1)], dim=1)
    return prefix[:, 1:]


def goes_on_after_eos(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """A row that has said eos goes on talking. From then on it says only pad."""
    length = greedy_decode(step, batch_size, bos, eos, pad, max_len).shape[1]
    return _roll_out(step, batch_size, bos, length)


def never_ends(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """Nothing happens at eos: every row talks for max_len tokens. A row that has said eos says only pad, and decoding
    stops when all rows have."""
    return _roll_out(step, batch_size, bos, max_len)


def forgets_max_len(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """max_len plays no part: decoding goes on until every row has said eos, which may never happen. At most max_len
    tokens are said."""
    return greedy_decode(step, batch_size, bos, eos, pad, max_len + 100)


def forgets_ended(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """A row that has ended says one pad and then talks again: `ended` is computed anew from the last word. Once ended,
    ended for good: `ended = ended | (word == eos)`."""
    prefix, ended = torch.full((batch_size, 1), bos), torch.zeros(batch_size, dtype=torch.bool)
    while prefix.shape[1] <= max_len and not ended.all():
        word = step(prefix)[:, -1].argmax(-1).masked_fill(ended, pad)
        prefix, ended = torch.cat([prefix, word[:, None]], dim=1), word == eos
    return prefix[:, 1:]


def first_row_decides(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """Decoding stops when the first row has ended. It stops when all rows have."""
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return words[:, : int((words[0] != pad).sum())]


def any_row_decides(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """Decoding stops as soon as one row has ended. It stops when all rows have."""
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return words[:, : int((words != pad).sum(1).min())]


def always_max_len(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """The result always has max_len columns. It ends where the longest row ends."""
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return torch.nn.functional.pad(words, (0, max_len - words.shape[1]), value=pad)


def keeps_bos(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """The result still begins with bos. bos is given to the model, not said by it."""
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return torch.cat([torch.full((batch_size, 1), bos), words], dim=1)


def drops_eos(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """eos is missing from the result. Each row keeps its eos, and pad comes after it."""
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return words.masked_fill(words == eos, pad)


def eos_for_pad(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """A row that has ended repeats eos. After the one eos it says only pad."""
    return greedy_decode(step, batch_size, bos, eos, eos, max_len)


def zero_for_pad(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """Rows that have ended are filled with 0. The number of the padding token is given: `pad`, and it need not be 0."""
    return greedy_decode(step, batch_size, bos, eos, 0, max_len)


def bos_counts(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """Decoding stops one token early. max_len counts the words that are said, bos is none of them."""
    return greedy_decode(step, batch_size, bos, eos, pad, max_len - 1)


def one_too_many(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """One token too many: at most max_len are said, and eos counts."""
    return greedy_decode(step, batch_size, bos, eos, pad, max_len + 1)


def forgets_prefix(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """The model is shown the last word only. It needs the whole prefix, bos included."""
    return greedy_decode(lambda prefix: step(prefix[:, -1:]), batch_size, bos, eos, pad, max_len)


def first_position(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """The next word is read from the logits at position 0. It stands at the last position, `[:, -1]`."""
    return greedy_decode(lambda prefix: step(prefix)[:, :1], batch_size, bos, eos, pad, max_len)


def first_row_for_all(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """Every row says what the first row says. Take the argmax of each row by itself."""
    return greedy_decode(step, batch_size, bos, eos, pad, max_len)[:1].repeat(batch_size, 1)


def least_probable(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """These are the least probable words. Take the argmax of the logits, not the argmin."""
    return greedy_decode(lambda prefix: -step(prefix), batch_size, bos, eos, pad, max_len)


def notices_late(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """A row says one more word after eos, and only then pad: the end is noticed one step late. Note which rows have
    ended right after their word was chosen."""
    prefix, ended = torch.full((batch_size, 1), bos), torch.zeros(batch_size, dtype=torch.bool)
    while prefix.shape[1] <= max_len and not ended.all():
        word = step(prefix)[:, -1].argmax(-1).masked_fill(ended, pad)
        ended = ended | (prefix[:, -1] == eos)
        prefix = torch.cat([prefix, word[:, None]], dim=1)
    return prefix[:, 1:]


def last_row_decides(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """Decoding stops when the last row has ended. It stops when all rows have."""
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return words[:, : int((words[-1] != pad).sum())]


def one_column_more(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """A column of pad stands at the end: all rows had ended before it. Look whether they have before the next step."""
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    done = words.shape[1] < max_len
    return torch.nn.functional.pad(words, (0, int(done)), value=pad)


def transposed(step, batch_size: int, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    """The result is (L,B). Rows are sentences: (B,L)."""
    return greedy_decode(step, batch_size, bos, eos, pad, max_len).T


GREEDY = (
    goes_on_after_eos,
    never_ends,
    forgets_max_len,
    forgets_ended,
    first_row_decides,
    any_row_decides,
    always_max_len,
    keeps_bos,
    drops_eos,
    eos_for_pad,
    zero_for_pad,
    bos_counts,
    one_too_many,
    forgets_prefix,
    first_position,
    first_row_for_all,
    least_probable,
    notices_late,
    last_row_decides,
    one_column_more,
    transposed,
)
