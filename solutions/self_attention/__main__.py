"""Train, evaluate or use the chapter's models: python -m solutions.self_attention train | evaluate | classify | sweep.

With `--corpus phrasebook` it is the translator, which `translate` uses; on every other corpus it is the classifier.
"""

import sys

from lab.cli import classification, common, translation
from solutions.self_attention.fast import SOLUTION
from solutions.self_attention.sweeps import SWEEPS, TRANSLATING
from solutions.self_attention.translator import TRANSLATOR


def main(argv: list[str] | None = None) -> None:
    """Run one command, of the model that its corpus or its experiment is of."""
    argv = sys.argv[1:] if argv is None else argv
    named = common.given(argv, "--corpus")[0] in TRANSLATOR.defaults
    if named or argv[:1] == ["translate"] or (argv[:1] == ["sweep"] and {*argv[1:2]} & {*TRANSLATING}):
        translation.main(TRANSLATOR, argv, sweeps=TRANSLATING)
    else:
        classification.main(SOLUTION, argv, sweeps=SWEEPS)


if __name__ == "__main__":
    main()
