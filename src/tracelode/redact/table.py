r"""Which marks tell that a secret follows? One table, data only, for both redaction engines.

A row's `trigger` is a regular expression over UTF-8 bytes that RE2 (Latin-1 mode) and the standard
library read alike: no look-around, no back-references, no `\b`, `\s`, `\w`, `^`, `$` (the two engines
differ there or pay for them), no flags. A trigger is at most TRIGGER_MAX bytes long and
never holds a line feed. What comes before and after it is judged by code both engines share (scan.py).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tracelode.redact.commands import COMMANDS
from tracelode.redact.makes import TOKENS as _TOKENS

TRIGGER_MAX: Final = 400
"""Longest match of any trigger, bytes."""

PEM_WORD: Final = "PRIVATE KEY"
"""Every mark of a secret that may span lines holds this text."""


class Row(NamedTuple):
    """One kind of mark."""

    name: str
    """Closed name put into the replacement, letters and hyphens."""
    kind: str
    """How the secret's extent is read: a key of scan.READERS."""
    trigger: str
    """Regular expression that decides that the row applies; group 1, if any, is kept as it is."""
    keywords: tuple[str, ...]
    """Lower-case literals; every match holds at least one of them."""
    tail: str = "[A-Za-z0-9_]"
    """Characters that still belong to a token after the trigger; always holds letters, digits, _."""
    where: str = ""
    """Of a command: regular expression over its arguments, read by the standard library alone; a secret
    begins where a match ends."""


def _any_case(words: str) -> str:
    """The words in any case, letter by letter: the standard library skips fast on classes only."""
    return re.sub("[a-z]", lambda letter: f"[{letter[0].upper()}{letter[0]}]", words)


_QUOTE = r"(?:\\{0,7}[\"'`]|&quot;|&#34;|&#39;)"
_GAP = "[ \t]{0,4}"
# `: str = `, `: Optional[str] = `: blanks around the = keep base64 padding from being read as one.
_TYPED = (
    r":[ \t]{0,2}[A-Za-z_][A-Za-z0-9_.]{0,24}(?:\[[A-Za-z0-9_., |]{0,24}\])?(?:[ ]?[|][ ]?[A-Za-z]{1,9})?"
    r"[ \t]{1,4}="
)
_SIGN = rf"(?:{_TYPED}|=>|[:?]=|[:=]|%3[Dd])"

_PASSWORD = "passwords?|passwd|passphrase|passcode|pwd"
_NAMED_KEY = (
    "(?:access|api|app|auth|account|private|encryption|encrypt|signing|signature|master|license|client|ssh|"
    "deploy|admin|service[_-]?role|shared[_-]?access|subscription|session|hmac|jwt)[_-]?key"
)
# By first letter: the standard library skips fast to patterns whose every branch begins with a plain letter.
_WORDS_BY_LETTER: tuple[tuple[str, str], ...] = (
    ("p", "(?:ass(?:words?|wort|wd|phrase|code)?|wd?|rivate[ ._-]?key(?:[_-]?id)?)"),
    ("s", "ecret(?:[ ._-]?(?:access[ ._-]?)?key)?"),
    ("s", "(?:ign(?:ing|ature)|sh|ervice[_-]?role|hared[_-]?access|ubscription|ession)[ ._-]?key"),
    ("a", "(?:ccess|pi|pp|uth|ccount|dmin)[ ._-]?key"),
    ("c", "(?:redentials?|lient[ ._-]?key(?:[_-]?data)?)"),
    ("t", "oken"),
    ("_", "auth"),
    ("k", "ennwort"),
    ("e", "ncrypt(?:ion)?[ ._-]?key"),
    ("m", "aster[ ._-]?key"),
    ("l", "icense[ ._-]?key"),
    ("d", "eploy[ ._-]?key"),
    ("h", "mac[ ._-]?key"),
    ("j", "wt[ ._-]?key"),
)


def _either_case(words: tuple[tuple[str, str], ...]) -> str:
    """One branch for each case of a first letter."""
    branches = (f"{first}{_any_case(rest)}" for letter, rest in words for first in {letter.upper(), letter})
    return f"(?:{'|'.join(sorted(branches))})"


_SUFFIX = (
    "(?:[_-]?[0-9]{1,3}|"
    "[_-](?:base|confirmation|confirm|prod|production|dev|staging|test|value|raw|text|plain))?"
)
_KEY = f"{_either_case(_WORDS_BY_LETTER)}{_any_case(_SUFFIX)}"
_FLAG_WORD = f"(?:{_PASSWORD}|(?:client-|app-)?secret(?:-(?:access-)?key)?|{_NAMED_KEY}|token|pass|pw)"

# Markdown: `**Token**: x`, `**Token:** x`, `__Token__: **x**`.
_BOLD = "(?:[*]{1,3}|__)?"
_KEYS_SAID: tuple[tuple[str, str], ...] = (
    ("s", "(?:ecret(?:[ _-](?:access[ _-])?key)?|(?:igning|ervice|ession)[ _-]key)"),
    ("t", "oken"),
    ("a", "(?:pi|ccess|uth|pp|dmin|ctivation|ccount)[ _-]?key"),
    ("c", "(?:redentials?|lient[ _-]key)"),
    ("p", "rivate[ _-]key"),
    ("e", "ncryption[ _-]key"),
    ("m", "aster[ _-]key"),
    ("l", "icen(?:c|s)e[ _-]key"),
    ("d", "eploy[ _-]key"),
)
_PASSWORDS_SAID: tuple[tuple[str, str], ...] = (
    ("p", "(?:ass(?:word|wort|wd|phrase|code)|wd)"),
    ("k", "ennwort"),
    ("i", "dentified by"),
)

_PARAMETER = "sig|signature|key|auth|x-(?:amz|goog)-(?:signature|credential|security-token)"

_WORDS = ("pass", "pwd", "kennwort", "secret", "key", "credential", "token", "_auth", "pw")
_LOCAL = r"[A-Za-z0-9_%+.\x80-\xbf-]"
_LABEL = r"[A-Za-z0-9\x80-\xff]"
_SLASH = r"(?:\\{0,4}/|%2[Ff]|\\u002[Ff])"
_BACK = r"(?:\\{1,8}|/|%5[Cc])"
_NAME = r"[A-Za-z0-9_\x80-\xff]"
_SLUG = "(?:[A-Za-z]-)?-(?:(?:mnt-)?[a-z]-)?(?:home|Users)-"
_CONTEXT: tuple[Row, ...] = (
    Row("kept", "marker", r"\[(?:secret:[a-z-]{1,20}|email)\]", ("[secret:", "[email]")),
    Row("private-key", "pem", "-----BEGIN[ ][A-Z0-9 ]{0,30}PRIVATE KEY", ("private key",)),
    Row("private-key", "pem", "----[ ]BEGIN[ ][A-Z0-9 ]{0,30}PRIVATE KEY", ("private key",)),
    Row("private-key", "pem-end", "-----END[ ][A-Z0-9 ]{0,30}PRIVATE KEY", ("private key",)),
    Row(
        "authorization",
        "authorization",
        f"({_any_case('authorization')}{_QUOTE}?\\]?{_GAP}[:=]{_GAP})",
        ("authorization",),
    ),
    Row(
        "authorization",
        "scheme",
        f"((?:{_any_case('bearer|basic')})(?:[ ]{{1,2}}|%20|[+]))[A-Za-z0-9._~+/=-]{{8}}",
        ("bearer", "basic"),
    ),
    Row("cookie", "cookie", f"({_any_case('cookie')}{_QUOTE}?{_GAP}[:=]{_GAP})", ("cookie",)),
    Row("cookie", "cookie", "(--cookie[ =]|[ ]-b[ ])", ("--cookie", " -b ")),
    Row(
        "password",
        "xml",
        f"(<[A-Za-z0-9_.:-]{{0,30}}(?:{_any_case(f'{_PASSWORD}|secret|{_NAMED_KEY}|token|pass')}))>",
        _WORDS,
    ),
    Row(
        "password",
        "flag",
        f"(-[A-Za-z]{{0,12}}{_any_case(_FLAG_WORD)}[ \t]{{1,4}})",
        ("pass", "pwd", "secret", "key", "token", "pw"),
    ),
    Row(
        "password",
        "value",
        f"({_KEY})(?:{_BOLD}{_QUOTE}?{_BOLD}\\]?{_GAP}(?:{_SIGN}[*]{{0,3}}{_GAP}[*]{{0,3}}|[|])|"
        f"(?:\\\\{{0,7}}[\"']|&quot;)[ \t,/>}}]|</[Nn]ame>)",
        _WORDS,
    ),
    Row("password", "cell", f"[|][ \t]{{0,4}}[*_`\"']{{0,2}}{_KEY}", _WORDS),
    Row(
        "password",
        "titled",
        "[Nn]ame:[ ]{1,4}[\"']?[A-Z0-9_]{0,40}"
        "(?:PASS(?:WORD|WD|PHRASE)?|PWD|PW|SECRET|TOKEN|KEY|CREDENTIALS?)",
        ("name: ",),
    ),
    Row("credential", "value", f"({_any_case('auth')}){_QUOTE}{_GAP}:{_GAP}", ("auth",)),
    Row(
        "password",
        "call",
        f"({_any_case('(?:password|passwd|passphrase)')})\\([ ]{{0,2}}[\"']",
        ("password", "passwd", "passphrase"),
    ),
    Row(
        "password",
        "said",
        f"({_either_case(_PASSWORDS_SAID)}[ ])[\"'`A-Za-z0-9!#@+=~_-]",
        ("password", "passwort", "passwd", "passphrase", "passcode", "pwd", "kennwort", "identified"),
    ),
    Row(
        "secret",
        "said",
        f"({_either_case(_KEYS_SAID)}[ ])(?:is|was|has|are|for|to|of|on|set to)[ :]",
        ("key ", "token ", "secret ", "credential"),
    ),
    Row(
        "password",
        "netrc",
        "(login[ \t]{1,4}[^ \t\r\n]{1,64}[ \t]{1,4}password[ \t]{1,4})",
        ("login",),
    ),
    Row(
        "secret",
        "word",
        "((?:(?:setx|ENV)[ ]{1,3}[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASS|SECRET|TOKEN|KEY)|"
        "aws_secret_access_key|aws_session_token|_authToken)[ ]{1,3})",
        ("setx", "env", "aws_se", "_authtoken"),
    ),
    Row("password", "word", "([ ]-(?:pass|passin|passout)[ ]{1,2}pass:)", ("pass:",)),
    Row("password", "word", f"([ ]/{_any_case('(?:pass|password|pwd)')}[:=])", ("/pass", "/pwd")),
    Row(
        "password",
        "word",
        "(sshpass[ \t]{1,4}(?:-[vV]{1,2}[ \t]{1,4}|-P[ ][^ \n]{1,40}[ ])?-p[ \t]{0,4})",
        ("sshpass",),
    ),
    Row("password", "fed", "(<<<[ ]{0,2})", ("<<<",)),
    Row("password", "here", "<<[~-]?[ ]?[\"'\\\\]{0,2}[A-Za-z_]{2,20}[\"']?", ("<<",)),
    Row(
        "password",
        "piped",
        "((?:echo|printf)[ ]{1,2}(?:-[neE]{1,3}[ ]{1,2})?)[^|\n]{1,120}[|]",
        ("echo", "printf"),
    ),
    Row(
        "password",
        "login",
        "([ ](?:-[uaA]|--(?:user|auth|proxy-user|(?:src-|dest-)?creds))[ =]?[\"']?"
        "[A-Za-z0-9_.@%+\\\\${}-]{0,64}:|"
        "[ ]-U[ ]?[\"']?[A-Za-z0-9_.\\\\/@-]{1,64}%)",
        ("-u", "-a", "--user", "--auth", "--proxy-user", "-creds"),
    ),
    *(Row(*columns[:4], where=columns[4]) for columns in COMMANDS),
    Row(
        "signature",
        "param",
        f"([?&;](?:amp;)?(?:{_any_case(_PARAMETER)})=)[A-Za-z0-9%]",
        ("sig", "key=", "auth=", "-credential=", "-token="),
    ),
    Row("url", "url", "(://)[^ \t\r\n/@:\"'`<>(){}?#\\\\\\[\\]]{0,128}[:@]", ("://",)),
    Row(
        "email", "email", f"{_LOCAL}(?:@|%40){_LABEL}[A-Za-z0-9\\x80-\\xff-]{{0,62}}[.]{_LABEL}", ("@", "%40")
    ),
    Row(
        "home",
        "windows",
        f"[A-Za-z](?::|%3[Aa]){_BACK}(?:{_any_case('users|documents and settings')}){_BACK}{_NAME}",
        ("users", "documents and settings"),
    ),
    Row(
        "home",
        "home",
        f"(?:{_BACK}{{1,2}}wsl(?:[$]|[.]localhost){_BACK}[A-Za-z0-9_.-]{{1,40}}{_BACK})home{_BACK}{_NAME}",
        ("wsl",),
    ),
    Row(
        "home",
        "home",
        f"{_SLASH}(?:(?:mnt|cygdrive){_SLASH})?[a-z]{_SLASH}{_any_case('users')}{_SLASH}{_NAME}",
        ("users",),
    ),
    Row(
        "home",
        "home",
        f"(?:{_SLASH}(?:var|usr|export|nfs|net|data|mnt|private|host|hostfs|rootfs|System{_SLASH}Volumes{_SLASH}Data))?"
        f"{_SLASH}(?:home|Users){_SLASH}{_NAME}",
        ("home", "users"),
    ),
    Row("home", "root", f"{_SLASH}root", ("root",)),
    Row("home", "slug", f"{_SLUG}[A-Za-z0-9_]", ("-home-", "-users-")),
    Row("home", "slug", "-root-[A-Za-z0-9_]", ("-root-",)),
)

ROWS: Final[tuple[Row, ...]] = (
    *_CONTEXT[:4],
    *(Row(*columns) for columns in _TOKENS),
    *_CONTEXT[4:],
)
"""All rows; the leftmost match wins, among matches at one place the earliest row."""


def table(names: tuple[str, ...]) -> tuple[Row, ...]:
    """All rows, with those for home names told from outside.

    Args:
        names: n user names as UTF-8 bytes read as Latin-1, longest first; matched exactly.

    Returns:
        Rows in order of precedence: a name behind a home slug goes before the rule that guesses where
        a slugged name ends, a name as a folder near the root and a name inside a slug come last.
    """
    if not names:
        return ROWS
    folders = "|".join(re.escape(name) for name in names)
    slugs = sorted(
        {re.sub("[^A-Za-z0-9_\x80-\xff]", "-", name) for name in names}, key=lambda slug: (-len(slug), slug)
    )
    slugged = "|".join(slugs)
    # Bytes know lower case of ASCII letters only, as the texts they are looked up in.
    lower = {text.encode("latin-1").lower().decode("latin-1") for text in (*names, *slugs)}
    words = tuple(sorted(lower))
    return (
        Row("home", "slug", f"{_SLUG}(?:{slugged})", words),
        *ROWS,
        Row("home", "named", f"(?:{_SLASH}[A-Za-z0-9_.-]{{1,40}}){{0,2}}{_SLASH}(?:{folders})", words),
        Row("home", "named-slug", f"-(?:{slugged})", words),
    )
