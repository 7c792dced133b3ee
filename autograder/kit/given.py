"""Functions of earlier notebooks: the student's own, else those that the teacher has given out with the kit."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.kit.shown.lines import fitting

FOLDER = Path(__file__).parents[2] / "given"  # `python -m autograder release --given NAME` fills it


@dataclass(frozen=True)
class Missing:
    """Stands where a function of an earlier notebook is missing; a call of it says what to do."""

    advice: str

    def __call__(self, *arguments: object, **named: object) -> None:
        raise NameError(self.advice)  # no NotImplementedError: the function that calls it may be written


def own_or_given(name: str, namespace: dict) -> Callable:
    """Return a function of an earlier notebook: `own_or_given("NAME.FUNCTION", globals())`.

    The student's own, where the notebook has a function of that name, else the one of the kit's folder `given`. Where
    there is neither, one sentence says what to do, and what is returned raises NameError with it when it is called.
    """
    chapter, _, function = name.partition(".")
    own = namespace.get(function)
    if callable(own) and not isinstance(own, Missing):
        return own
    if (FOLDER / f"{chapter}.py").is_file():
        importlib.invalidate_caches()  # the kit may have been unpacked anew since the notebook was started
        if given := getattr(importlib.import_module(f"{FOLDER.name}.{chapter}"), function, None):
            return given
    missing = Missing(
        f"{function} is not here yet: copy yours from the notebook {chapter}.ipynb into the cell with "
        f'own_or_given("{name}", …) and run that cell, or wait until your teacher gives one out with a newer kit.'
    )
    print(fitting(missing.advice))
    return missing
