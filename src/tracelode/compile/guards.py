"""Which words of a request turn, bound or widen what it asks: not, if, wait, the first, two, also, check?

A program that reads a request by rules does not understand such a word. It counts only where the requests
that a workflow was learned from said it in the same way; everywhere else it speaks against a run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from tracelode.compile.opposites import VERBS, stem

_TURNS = frozenset((
    "not", "never", "no", "none", "nothing", "nobody", "nowhere", "neither", "nor", "without", "instead",
    "rather", "except", "excluding", "unless", "whether", "if", "until", "till", "unlike", "provided",
    "assuming", "suppose", "supposing", "otherwise", "once", "whenever", "wherever", "ever", "hardly",
    "barely", "nope", "nah", "cannot", "cant", "dont", "doesnt", "didnt", "wont", "wouldnt", "shouldnt",
    "couldnt", "mustnt", "neednt", "isnt", "arent", "wasnt", "werent", "havent", "hasnt", "hadnt", "undo",
    "undone", "wait", "stop", "halt", "abort", "cease", "decline", "declined", "refuse", "refused",
    "reject", "deny", "avoid", "skip", "ignore", "disregard", "forget", "nevermind", "withhold", "refrain",
    "abstain", "prevent", "forbid", "prohibit", "oppose", "object", "revert", "rollback", "reverse",
    "rescind", "retract", "withdraw", "postpone", "delay", "defer", "hesitate", "pretend", "simulate",
    "hypothetically", "imagine", "mistake", "mistaken", "mistakenly", "wrong", "wrongly", "sorry", "oops",
    "actually", "but", "however", "although", "though", "anymore", "already", "yet", "maybe", "perhaps",
    "possibly", "might", "unsure", "false", "fake", "lest", "against", "unnecessary", "opposite",
    "contrary", "minus", "apart", "aside", "besides", "barring", "sans",
))  # fmt: skip
"""Words that deny, condition, call off or doubt what stands beside them."""
_CALLED_OFF = re.compile(
    r"\b(?:leave (?:it|that|this|them|things|everything)|hold (?:off|on|it|up)|dry[ -]?run|"
    r"(?:test|trial) run|chang\w+ (?:my|our|her|his|their|your) minds?|second thoughts?|back out|"
    r"call\w* (?:it |that |this )?off|"
    r"scratch (?:that|it)|drop (?:it|that)|i said|(?:too|as) late|let it be|kidding|other than|as if|what if|"
    r"keep (?:it|that|them)|do nothing|only after|in case|as long as|so that)\b"
)  # fmt: skip
"""The same in several words."""
_PICKS = frozenset((
    "most", "least", "best", "worst", "first", "last", "second", "third", "fourth", "fifth", "next",
    "previous", "final", "prior", "former", "latter", "other", "others", "another", "any", "anything",
    "anyone", "all", "every", "everything", "everyone", "each", "both", "either", "random", "arbitrary",
    "top", "bottom", "different", "same", "else", "remaining", "only", "just", "merely", "again", "twice",
    "thrice", "double", "triple", "half", "quarter", "partly", "partial", "partially", "entire", "entirely",
    "more", "less", "fewer", "extra", "additional", "additionally", "also", "likewise", "similarly", "plus",
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "couple", "few", "several",
    "many", "multiple", "dozen", "various", "cheaper", "dearer", "earlier", "later", "sooner", "faster",
    "slower", "larger", "bigger", "smaller", "higher", "lower", "longer", "shorter", "older", "newer",
    "better", "worse", "nearer", "closer", "tomorrow", "yesterday", "afterwards", "meanwhile",
))  # fmt: skip
"""Words that pick, count, or ask for more."""
_ENDS_IN_EST = frozenset((
    "request", "test", "rest", "guest", "interest", "west", "northwest", "southwest", "suggest", "invest",
    "forest", "harvest", "protest", "honest", "arrest", "chest", "contest", "nest", "pest", "vest", "zest",
    "quest", "crest", "manifest", "digest", "modest", "jest", "attest", "ingest", "tempest", "inquest",
    "pytest", "budapest", "everest", "bucharest", "brest",
))  # fmt: skip
"""Words that end as the highest degree does, and are none."""
_CHANGES = frozenset((
    "refund", "charge", "pay", "bill", "invoice", "transfer", "wire", "donate", "change", "modify",
    "update", "edit", "alter", "amend", "adjust", "correct", "rename", "replace", "swap", "switch",
    "exchange", "split", "merge", "reset", "restore", "overwrite", "clear", "wipe", "erase", "purge",
    "destroy", "notify", "email", "mail", "text", "message", "tell", "inform", "warn", "alert", "escalate",
    "forward", "reply", "answer", "return", "redo", "repeat", "retry", "rebook", "reorder", "reschedule",
    "renew", "extend", "upgrade", "downgrade", "discount", "credit", "waive", "apply", "assign", "tag",
    "label", "flag", "mark", "rate", "review", "sign", "submit", "print", "download", "export", "import",
    "deploy", "run", "execute", "restart", "reboot", "suspend", "terminate", "ban", "report", "log",
    "record", "note", "check", "verify", "validate", "inspect", "look", "estimate", "preview", "draft",
    "test", "ask", "wonder", "explain", "describe", "compare", "consider", "discuss", "summarise",
    "summarize", "list", "count", "show", "hold", "ship", "deliver", "drop", "keep", "put", "set", "turn",
    "shut",
))  # fmt: skip
"""Verbs that ask for something else to be done, or only for a look, besides those that have an opposite."""
_ASKING = re.compile(
    r"(?:did|do|does|was|were|is|are|am|has|have|had|should|shall|may|must|why|how|what|when|where|which|who|whose)\b"
)
_POLITE = re.compile(
    r"(?:please,? |hi,? |hello,? |hey,? )*(?:can|could|would|will) (?:you|we|i|somebody|someone)\b"
)
_SENTENCE = re.compile(r"[.!?;\n]+\s*|\Z")
_HARMLESS = re.compile(r"(?:\bwould|'d) (?:also )?(?:like|love)\b|\bin order to\b|\bplease note\b")
_TOKEN = re.compile(r"[a-z]+")
_LEAST = 2
"""Requests that must have said such a word in the same way."""


def heard(text: str) -> dict[str, str]:
    """The words of a text that turn, pick or widen.

    Args:
        text: a request.

    Returns:
        Each as it is remembered (with the word behind it, where it turns that) to how it is shown.
    """
    plain = _HARMLESS.sub(" ", text.lower().replace("’", "'"))
    return _turning(plain) | widened(plain)


def turning(text: str) -> dict[str, str]:
    """Only the words that deny, condition, call off, doubt or ask; see heard().

    Args:
        text: a request.
    """
    return _turning(_HARMLESS.sub(" ", text.lower().replace("’", "'")))


def widened(text: str) -> dict[str, str]:
    """Only the words that pick, count, or ask for something else as well; see heard().

    Args:
        text: a request.
    """
    found: dict[str, str] = {}
    for word in _TOKEN.findall(_HARMLESS.sub(" ", text.lower().replace("’", "'"))):
        high = word.endswith("est") and len(word) > 4 and word not in _ENDS_IN_EST
        if high or word in _PICKS:
            found[word] = word
        elif verb := stem(word, _CHANGES) or stem(word, VERBS):
            found[verb] = verb
    return found


def _turning(plain: str) -> dict[str, str]:
    found = {phrase[0]: phrase[0] for phrase in _CALLED_OFF.finditer(plain)}
    words = _TOKEN.findall(plain.replace("n't", " not "))
    for word, after in pairwise([*words, ""]):
        if word in _TURNS:
            found[f"{word} {after}".strip()] = word
    begin = 0
    for end in _SENTENCE.finditer(plain):
        sentence = plain[begin : end.start()].strip(" \"'*-")
        begin = end.end()
        asking = _ASKING.match(sentence)
        if asking:
            found[f"? {asking[0]}"] = f"{asking[0]} ...?"
        elif "?" in end[0] and not _POLITE.match(sentence):
            found["?"] = "?"
    return found


def learned(requests: Sequence[str]) -> Iterable[str]:
    """What requests say of such words, as heard() remembers it.

    Args:
        requests: of the runs that a workflow is learned from.

    Returns:
        What two of them say or more (one, where there is one).
    """
    counts = Counter(key for request in requests for key in heard(request))
    return [key for key, count in counts.items() if count >= min(_LEAST, len(requests))]
