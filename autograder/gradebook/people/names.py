"""Names of people: are two spellings one person's? Stricter ways of comparing come before looser ones."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar


def exact_key(name: str) -> str:
    """Return a name as it is, in one normal form."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def marked_key(name: str) -> str:
    """Return a key that is equal for two ways of writing a name: letters, digits and their marks alone."""
    letters = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return "".join(each for each in letters if each.isalnum() or unicodedata.category(each)[0] == "M")


def name_key(name: str) -> str:
    """Return a key that is equal for two names that differ in marks, and may be two people's: Peña and Pena."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in letters if letter.isalnum())


# A looser one is tried only if a stricter one finds nobody.
KEYS: tuple[Callable[[str], str], ...] = (exact_key, marked_key, name_key)


Keys = list[set[str]]  # of all names of a person, for each of KEYS
Asked = TypeVar("Asked", bound=Hashable)


def keys_of(*names: str) -> Keys:
    """Return the keys of a person's names, for each way of comparing them, without empty ones."""
    return [{key(name) for name in names} - {""} for key in KEYS]


def paired(
    seekers: Mapping[Asked, tuple[Hashable, Keys]],
    people: Sequence[Keys],
    taken: Mapping[int, Hashable],
    alone_from: int = len(KEYS) - 1,
) -> dict[Asked, int]:
    """Return the place in `people` for each of `seekers`, by the strictest way of comparing that finds one.

    `seekers` have an owner beside their keys, and `taken` has the owners of some places: nobody else gets those. From
    the way of comparing `alone_from` on, a place that fits two of `seekers` goes to neither.
    """
    place_of: dict[Asked, int] = {}
    owners = dict(taken)
    for level in range(len(KEYS)):
        places: dict[str, list[int]] = defaultdict(list)
        for place, names in enumerate(people):
            for name in names[level]:
                places[name].append(place)
        means: dict[Asked, set[int]] = {}
        wanted: dict[int, set[Hashable]] = defaultdict(set)
        for each in seekers.keys() - place_of.keys():
            who, names = seekers[each]
            free = {at for name in names[level] for at in places.get(name, ()) if owners.get(at, who) == who}
            means[each] = free
            for place in free:
                wanted[place].add(who)
        is_alone = level >= alone_from
        new = {each: min(at) for each, at in means.items() if len(at) == 1}
        place_of |= {each: at for each, at in new.items() if not is_alone or len(wanted[at]) == 1}
        owners |= {at: seekers[each][0] for each, at in place_of.items()}
    return place_of
