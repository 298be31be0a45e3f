"""Does a tool's name say that the tool only looks? Not where another word of it may name a change.

A name that begins like a look may end in a change: scan_and_quarantine, list_item_for_sale, get_approval. So
a reading verb is believed only where every other word is harmless: no verb of change in any form, no name of
a change that could be what is asked for, no second half of another verb, nothing that the look itself hands
out or uses up: get_next_job, get_taxi, validate_ticket. In doubt nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tracelode.signals.lexicon import Lexicon


def only_looks(words: Sequence[str], lexicon: Lexicon) -> bool:
    """Is a reading verb all that a name says?

    Args:
        words: of the name, lower case, in order.
        lexicon: the words.

    Returns:
        False where any other word leaves it open.
    """
    place = next((n for n, word in enumerate(words) if _reads(words, n, lexicon)), None)
    if place is None:
        return False
    before, after = words[:place], words[place + 1 :]
    if _uses_up(words, place, lexicon):
        return False
    return _prefix(before, words[place], after, lexicon) and _rest(words, place, lexicon)


def _uses_up(words: Sequence[str], place: int, lexicon: Lexicon) -> bool:
    """May the look hand something out or use it up, so that the next one tells another thing?"""
    lists, verb, after = lexicon.words, words[place], words[place + 1 :]
    if any(_named(words, n, lists["effect_once"]) for n in range(len(words))):
        return not (verb in lists["effect_lists"] and bool(after) and plural(after[-1]))
    if verb in lists["effect_redeems"] and any(
        _named(after, n, lists["effect_redeemed"]) for n in range(len(after))
    ):
        return not _described(after, 0, lexicon)
    # what is given stands last, or before what says which: "get_taxi", "get_visa_for_country"
    return verb in lists["effect_obtains"] and any(
        _named(after, n, lists["effect_given"]) and _last(after, n, lexicon) for n in range(len(after))
    )


def _named(words: Sequence[str], place: int, among: frozenset[str]) -> bool:
    """Does a word stand in a list, alone or as the end of a pair?"""
    return words[place] in among or (place > 0 and f"{words[place - 1]}.{words[place]}" in among)


def _last(words: Sequence[str], place: int, lexicon: Lexicon) -> bool:
    following = words[place + 1] if place + 1 < len(words) else ""
    small = following in lexicon.words["effect_small"] or following in lexicon.words["effect_particles"]
    return not following or small or (place + 2 == len(words) and following.isdigit())


def _reads(words: Sequence[str], place: int, lexicon: Lexicon) -> bool:
    pair = lexicon.effects.get(f"{words[place]}.{words[place + 1]}") if place + 1 < len(words) else None
    if (pair or lexicon.effects.get(words[place])) != "read":
        return False
    # "count_get", "filter_list": what names a thing is the verb only where no reading verb follows
    return words[place] not in lexicon.words["effect_nouns"] or not any(
        lexicon.effects.get(word) == "read" for word in words[place + 1 :]
    )


def _prefix(before: Sequence[str], verb: str, after: Sequence[str], lexicon: Lexicon) -> bool:
    """Do the words before the verb only say whose tool it is?"""
    lists = lexicon.words
    known = lists["effect_things"] | lists["effect_acts"] | lists["effect_nouns"]
    for word in before:
        if word in lists["effect_small"] or (word not in known and changing(word, lexicon) == "verb"):
            return False
    if not before or all(plural(word) for word in before):
        return True
    # "github_list_issues" looks; "nuke_list" and "flip_display" may not
    return verb not in lists["effect_named"] or (bool(after) and plural(after[-1]))


def _rest(words: Sequence[str], place: int, lexicon: Lexicon) -> bool:
    """Are the words after the verb harmless?"""
    lists, verb = lexicon.words, words[place]
    after = list(words[place + 1 :])
    if f"{verb}.{after[0]}" in lexicon.effects if after else False:
        after = after[1:]  # "look_up", "convert_currency"
    elif after and after[0] in lists["effect_particles"]:
        return False
    if after and (after[-1] in lists["effect_particles"] or _asked_done(verb, after[-1], lexicon)):
        return False
    if verb in lists["effect_plural"] and not _many(after, lexicon) and (after or verb != "list"):
        return False
    return all(_harmless(after, n, verb, lexicon) for n in range(len(after)))


def _asked_done(verb: str, last: str, lexicon: Lexicon) -> bool:
    """Does a name ask for something to be done, with a verb that may be unknown: get_vaccinated?"""
    done = len(last) > 4 and last.endswith("ed") and not last.endswith("eed")
    return done and verb in lexicon.words["effect_asks"]


def _many(after: Sequence[str], lexicon: Lexicon) -> bool:
    heads = lexicon.words["effect_heads"]
    return any(plural(word) or word in heads or word == "all" for word in after)


def _harmless(after: Sequence[str], place: int, verb: str, lexicon: Lexicon) -> bool:
    lists, word = lexicon.words, after[place]
    following = after[place + 1] if place + 1 < len(after) else ""
    if word in lists["effect_joints"]:
        return lexicon.effects.get(following) == "read" or _record(following, lexicon)
    if plural(word) or word in lists["effect_things"] or word in lists["effect_heads"]:
        return True
    if word in lists["effect_acts"] or (word.endswith("ing") and changing(word, lexicon)):
        return _described(after, place, lexicon)
    kind = changing(word, lexicon)
    if kind == "done":
        # "get_scheduled_payments", "view_messages_sent"; but "get_paid" and "get_approved_by"
        if not following:
            return verb not in lists["effect_asks"]
        plain = following not in lists["effect_small"] and not changing(following, lexicon)
        return plain or _described(after, place, lexicon)
    return not kind


def _described(after: Sequence[str], place: int, lexicon: Lexicon) -> bool:
    """Is a change only named to say which record is meant: approval status, payment methods?"""
    for word in after[place + 1 :]:
        if _record(word, lexicon):
            return True
        small = word in lexicon.words["effect_small"] or word in lexicon.words["effect_particles"]
        if small or (word not in lexicon.words["effect_acts"] and changing(word, lexicon)):
            return False
    return False


def _record(word: str, lexicon: Lexicon) -> bool:
    return plural(word) or word in lexicon.words["effect_heads"]


def plural(word: str) -> bool:
    """Does a word look like the name of several things?

    Args:
        word: lower case.
    """
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def changing(word: str, lexicon: Lexicon) -> str:
    """Is a word a verb of change?

    Args:
        word: lower case.
        lexicon: the words.

    Returns:
        "verb" for its base form, "done" for another one, "" for no such word.
    """
    verbs = _verbs(lexicon)
    if lexicon.effects.get(word) == "read":
        return ""
    if word in lexicon.words["effect_bent"]:
        return "verb" if word in verbs else "done"
    for start in ("", "re", "un", "de", "dis", "pre", "auto"):
        if word.startswith(start):
            bare = word[len(start) :]
            if bare in verbs:
                return "verb"
            if any(base in verbs for base in _bases(bare)):
                return "done"
    return ""


@cache
def _verbs(lexicon: Lexicon) -> frozenset[str]:
    named = (word for word, found in lexicon.effects.items() if found != "read" and "." not in word)
    return lexicon.words["effect_changes"].union(named)


def _bases(word: str) -> tuple[str, ...]:
    """What a word in -ed or -ing may be a form of."""
    for ending in ("ied", "ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: -len(ending)]
            if ending == "ied":
                return (f"{stem}y",)
            return (stem, f"{stem}e", stem[:-1]) if stem[-1:] == stem[-2:-1] else (stem, f"{stem}e")
    return ()
