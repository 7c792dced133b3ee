"""The two questions in words: answers that earn all points, and what to look for when grading."""

from autograder.checks import Written

PAYS = """\
(a) Full: position t takes 128 · t multiplications for its scores and as many for the sum of values, together about
128 · T² = 2.2 · 10¹² for T = 131,072. Window: a position looks at 4,096 positions, itself included, so
2 · 128 · 4,096 · T = 1.4 · 10¹¹, a sixteenth. State: a position takes 128 · 128 to write and as many to read, so
2 · 128² · T = 4.3 · 10⁹, a 512th.

(b) Full: 2 · 32 · 32 · 128 · 131,072 · 2 bytes = 64 GiB. Window: 4,096 of 131,072 tokens, a 32nd: 2 GiB. State:
32 · 32 · (128 · 128 + 128) · 2 bytes = 32 MiB (33.8 million bytes), whatever the length. A token adds 256 numbers to a
head's cache, and the state has 16,512: from 65 tokens on the state is smaller.

(c) Full: four times the multiplications, twice the cache, twice the time of a step. Window and state: twice the
multiplications for the whole text; what is kept, and the time of a step, stay. Tiles change neither the multiplications
nor the cache: they save the T × T scores while a text is read."""

FORGETS = """\
(a) Sᵀ k_j = (k_j · k_j) v_j + Σ (k_i · k_j) v_i, the sum over all other pairs. It is v_j for any values if k_j has
length 1 and is orthogonal to all other keys. There are at most d such keys in d dimensions. With more pairs, some key
is a combination of the others, and what it reads is the same combination of what they read: it cannot be chosen. (Or by
counting: n pairs have n · d numbers in their values, the state d · d; from n = d + 1 on they do not fit.)

(b) What the key reads so far is taken away before the new value is written. So a key that comes again *replaces* its
value, where the sum would return old and new together; with β = 1 and length 1 the newest pair is exact. Keys that are
orthogonal to it are left as they are; others change a little with each step. The limit of d independent pairs stays:
the rule decides better what is forgotten, but something is.

(c) Chapter 1's encoder also hands on a number of features that does not grow with the sentence, and long sentences
suffer. The state is larger, d × d in each head, and it is asked by a query: what is read depends on who asks. Attention
keeps every position instead, and forgets nothing; it pays with a cache, and a time for each step, that grow with the
text. (Models that mix layers of both kinds keep some of each.)"""

WRITTEN = {
    "who_pays": Written(
        points=3,
        text=PAYS,
        rubric={
            "(a) full: about 128 · T² = 2.2 · 10¹²": 0.5,
            "(a) window 1.4 · 10¹¹, state 4.3 · 10⁹ (within a factor of 2)": 0.5,
            "(b) 64 GiB, 2 GiB, 32 MiB": 0.5,
            "(b) the state is smaller from 65 tokens on": 0.5,
            "(c) full: time × 4, cache and step × 2; window and state: time × 2, the others stay": 0.5,
            "(c) tiles save the scores, not multiplications or cache": 0.5,
        },
    ),
    "what_a_state_forgets": Written(
        points=3,
        text=FORGETS,
        rubric={
            "(a) v_j times k_j · k_j, and the others by k_i · k_j": 0.5,
            "(a) at most d orthogonal keys, or counting numbers": 0.5,
            "(b) a key that comes again replaces its value": 0.5,
            "(b) still at most d independent pairs": 0.5,
            "(c) both have a fixed size, whatever the length": 0.5,
            "(c) attention keeps all positions, and pays with memory and time": 0.5,
        },
    ),
}
