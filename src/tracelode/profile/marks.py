"""Are marks sound, what do they cut, and which of their names mean the same?

Marks come from people, agents and models: nothing about them is taken for granted, and no message repeats a
text of theirs that is no plain word.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby, pairwise

from tracelode.errors import MarksError
from tracelode.model.annotation import Annotation, Mark
from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.mark_verbs import known, nearest
from tracelode.profile.name.grammar import MAX_LENGTH
from tracelode.signals.lexicon import load

DEEPEST = 4
"""Names in a path."""
MOST_WORDS = 3
"""Words in a name."""
MOST_MARKS = 5_000
"""Marks of a session."""
LEAST_ID = 6
"""Characters of an id that stand for it, where they begin no other."""

_KEYS = frozenset({"start_operation_id", "path"})
_PLAIN = re.compile(r"[a-z]+(?: [a-z]+)*")
_LONGEST_WORD = 20
_MANY = 12
_VOWEL = re.compile("[aeiouy]")
_HEX = re.compile("[a-f]{8,}")


def read_marks(data: object, operations: Sequence[Operation], *, place: str) -> list[Mark]:
    """The marks of one session, if nothing is wrong with them.

    Args:
        data: decoded JSON: a list of {"start_operation_id", "path"}, or an object with one under "marks".
        operations: the n operations of the session in order.
        place: where the data is from, for messages.

    Returns:
        Marks in order with whole ids; one that repeats the path before it says nothing and is left out.

    Raises:
        MarksError: anything is wrong; it tells all of it.
    """
    problems: list[tuple[str, str]] = []
    if isinstance(data, dict):
        if set(data) != {"marks"}:
            raise MarksError([(place, 'an object of marks has one key, "marks"')])
        data = data["marks"]
    if not isinstance(data, list):
        raise MarksError([(place, "marks are a list")])
    if not operations:
        raise MarksError([(place, "the session has no operation to mark")])
    if len(data) > MOST_MARKS:
        raise MarksError([(place, f"{len(data):,} marks; a session takes at most {MOST_MARKS:,}")])
    if not data:
        raise MarksError([(place, "no mark; the first one stands at the first operation")])
    found = _Ids([operation.id for operation in operations])
    marks: list[Mark] = []
    last = -1
    for number, row in enumerate(data):
        where = f"{place}: marks[{number}]"
        mark, at = _mark(row, found, where, problems)
        if at is not None:
            _order(at, last, number, where, problems)
            last = max(last, at)
        if mark is not None and not (marks and marks[-1].path == mark.path):
            marks.append(mark)
    if problems:
        raise MarksError(problems)
    return marks


def name_problem(name: object) -> str | None:
    """What is wrong with the name of a mark?

    Args:
        name: anything.

    Returns:
        The reason, which repeats no more than one plain word of it; None if it is well formed.

    Example:
        >>> name_problem("scaffold web page"), name_problem("bulid site")[-33:]
        (None, 'ne; near it: build, rebuild, bind')
        >>> name_problem("../x")
        'a name has small letters a to z and single blanks only: no digits, paths, signs'
    """
    if not isinstance(name, str):
        return "a name is a text"
    if not name:
        return "a name is empty"
    if len(name) > MAX_LENGTH:
        return f"a name has {len(name):,} characters; at most {MAX_LENGTH}"
    if _PLAIN.fullmatch(name) is None:
        return "a name has small letters a to z and single blanks only: no digits, paths, signs"
    words = name.split(" ")
    if len(words) > MOST_WORDS:
        return f"a name has {len(words)} words; at most {MOST_WORDS}"
    if any(len(word) > _LONGEST_WORD or _HEX.fullmatch(word) or _unspoken(word) for word in words):
        return "a name holds what reads as an id and not as a word"
    if words[0] not in known():
        near = ", ".join(nearest(words[0]))
        return f"a name begins with a known verb, as in run tests; {words[0]!r} is none; near it: {near}"
    return None


def to_segments(annotation: Annotation, operations: Sequence[Operation]) -> list[Segment] | None:
    """The segments that an annotation cuts a session into.

    Args:
        annotation: marks of a session that had k operations.
        operations: its n operations now, n >= k where it only grew.

    Returns:
        Nested segments of every level over [0, k), sorted by (level, start); where a path is not as deep as
        others, its segments below it have no name. None where the session is another one than was looked at.

    Raises:
        ModelError: the marks were not checked before they were kept.
    """
    k = annotation.operations
    if not 0 < k <= len(operations) or operations[k - 1].id != annotation.last or not annotation.marks:
        return None
    places = {operation.id: place for place, operation in enumerate(operations[:k])}
    starts = [places.get(mark.start_operation_id, -1) for mark in annotation.marks]
    # sorted and different: records may have changed their order since
    if starts[0] != 0 or any(a >= b for a, b in pairwise(starts)):
        return None
    paths = [mark.path for mark in annotation.marks]
    segments: list[Segment] = []
    for level in range(max(map(len, paths))):
        # a path is told from its neighbour down to this level; without a name below it, it ends
        keys = [(path + ("",) * (level + 1))[: level + 1] for path in paths]
        cuts = [starts[i] for i in range(len(keys)) if not i or keys[i] != keys[i - 1]]
        names = [key[level] for key, _ in groupby(keys)]
        stops = [*cuts[1:], k]
        segments += [Segment(a, b, level, name) for a, b, name in zip(cuts, stops, names, strict=True)]
    Segmentation(annotation.session, "annotations", "1", tuple(segments)).check(k)
    return segments


def near_duplicates(names: Iterable[str]) -> list[tuple[str, str, str]]:
    """Names that may mean the same.

    Args:
        names: well-formed names.

    Returns:
        (name, other name, why) of each pair, sorted; a pair has one reason, the strongest. O(n log n).
    """
    known = sorted(set(names))
    says = load().says
    found: dict[tuple[str, str], str] = {}

    def note(groups: Mapping[str, Collection[str]], why: str) -> None:
        for group in groups.values():
            first, *rest = sorted(group)
            # of very many that are all alike each stands beside the first
            pairs = combinations([first, *rest], 2) if len(rest) < _MANY else ((first, b) for b in rest)
            for a, b in pairs:
                found.setdefault((a, b), why)

    note(_by(known, lambda name: [" ".join(map(_stem, name.split()))]), "same words but for their endings")
    note(_by(known, lambda name: [" ".join(sorted(map(_stem, name.split())))]), "same words in another order")
    note(_by(known, lambda name: [_meaning(name, says)]), "verbs of one meaning")
    note(_by(known, _spellings), "spelled almost alike")
    return sorted((a, b, why) for (a, b), why in found.items())


# parts ------------------------------------------------------------------------------------------


class _Ids:
    """Where the operation lies that an id, or enough of its beginning, names."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = ids
        self._places = {name: place for place, name in enumerate(ids)}
        self._sorted = sorted(self._places)

    def __getitem__(self, place: int) -> str:
        return self._ids[place]

    def find(self, text: str) -> int | None:
        """Its place; None for none, -1 for several."""
        if text in self._places:
            return self._places[text]
        at = bisect_left(self._sorted, text)
        near = [name for name in self._sorted[at : at + 2] if name.startswith(text)]
        if len(text) < LEAST_ID or not near:
            return None
        return self._places[near[0]] if len(near) == 1 else -1


def _mark(
    row: object, ids: _Ids, where: str, problems: list[tuple[str, str]]
) -> tuple[Mark | None, int | None]:
    """The mark that a row of data is, and its place; what is wrong with it goes to the problems."""
    if not isinstance(row, dict):
        problems.append((where, "a mark is an object"))
        return None, None
    before = len(problems)
    if extra := len(set(row) - _KEYS):
        problems.append(
            (
                where,
                f"{extra} unknown {'key' if extra == 1 else 'keys'}; a mark has start_operation_id and path",
            )
        )
    problems += [(where, f"{key} is missing") for key in sorted(_KEYS - set(row), reverse=True)]
    place: int | None = None
    if "start_operation_id" in row:
        given = row["start_operation_id"]
        place = ids.find(given) if isinstance(given, str) else None
        if not isinstance(given, str):
            problems.append((f"{where}.start_operation_id", "an id is a text"))
        elif place is None:
            problems.append((f"{where}.start_operation_id", "no operation of the session has this id"))
        elif place < 0:
            place = None
            problems.append((f"{where}.start_operation_id", "several operations begin with it; write more"))
    path = _path(row["path"], f"{where}.path", problems) if "path" in row else ()
    if len(problems) > before or place is None:
        return None, place
    return Mark(ids[place], path), place


def _path(given: object, where: str, problems: list[tuple[str, str]]) -> tuple[str, ...]:
    if not isinstance(given, list):
        problems.append((where, "a path is a list of names"))
        return ()
    if not given:
        problems.append((where, "a path has at least one name"))
    if len(given) > DEEPEST:
        problems.append((where, f"a path has {len(given):,} names; at most {DEEPEST}"))
        return ()
    for number, name in enumerate(given):
        reason = name_problem(name)
        if reason is not None:
            problems.append((f"{where}[{number}]", reason))
    return tuple(name for name in given if isinstance(name, str))


def _order(at: int, last: int, number: int, where: str, problems: list[tuple[str, str]]) -> None:
    if last < 0 and number == 0 and at > 0:
        problems.append((where, f"the first mark stands at operation #{at}: those before it lie under none"))
    elif at == last:
        problems.append((where, f"operation #{at} has a mark already"))
    elif at < last:
        problems.append((where, f"operation #{at} comes before that of a mark ahead, #{last}"))


def _unspoken(word: str) -> bool:
    return len(word) >= 5 and _VOWEL.search(word) is None


def _by(names: Iterable[str], keys: Callable[[str], Iterable[str]]) -> dict[str, set[str]]:
    """Names by what they have in common."""
    found: dict[str, set[str]] = {}
    for name in names:
        for key in keys(name):
            found.setdefault(key, set()).add(name)
    return found


def _stem(word: str) -> str:
    """A word without the ending of a plural, a past or a going on."""
    for ending, put in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + put
    for ending in ("ing", "ed", "s"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and not word.endswith("ss"):
            word = stem[:-1] if ending != "s" and stem[-1:] == stem[-2:-1] else stem
            break
    return word.removesuffix("e") if len(word) > 3 else word


def _meaning(name: str, says: Mapping[str, str]) -> str:
    verb, _, rest = name.partition(" ")
    return " ".join([says.get(verb, verb), *map(_stem, rest.split())])


def _spellings(name: str) -> Iterator[str]:
    """The name, and the name without each of its letters: names one letter apart share one of them."""
    yield name
    if len(name) > 5:
        yield from {name[:place] + name[place + 1 :] for place in range(len(name))}
