"""Command lines read in two steps: a recipe's fields are options, so its name is needed before the rest is parsed."""

from dataclasses import fields, is_dataclass
from typing import Any


def differences(first: Any, second: Any, prefix: str = "") -> list[str]:
    """Return the fields in which two recipes differ, as name=value."""
    found = []
    for item in fields(first):
        a, b = getattr(first, item.name), getattr(second, item.name)
        if is_dataclass(a):
            found += differences(a, b, f"{item.name}.")
        elif a != b:
            found.append(f"{prefix}{item.name}={b}")
    return found


def peek(argv: list[str], option: str) -> str | None:
    """Return the value of one option before the whole line is read: the recipe's fields are options themselves."""
    for position, word in enumerate(argv):
        if word == option and position + 1 < len(argv):
            return argv[position + 1]
        if word.startswith(option + "="):
            return word.split("=", 1)[1]
    return None


FLAGS = ("weights", "unknown")  # options of `translate` that take no value


def split_arguments(argv: list[str]) -> tuple[list[str], list[str]]:
    """Part the options from the sentences, which may stand anywhere."""
    options, sentences, position = [], [], 0
    while position < len(argv):
        word = argv[position]
        if word.startswith("-"):
            options.append(word)
            takes_value = (
                "=" not in word
                and word not in ("--help", "-h")
                and word.removeprefix("--no-") not in FLAGS
                and word[2:] not in FLAGS
            )
            if takes_value and position + 1 < len(argv):
                position += 1
                options.append(argv[position])
        else:
            sentences.append(word)
        position += 1
    return options, sentences
