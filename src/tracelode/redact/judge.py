"""Is the value behind a key such as `password` a secret, or code, a type, a placeholder, prose?

Standard library only. Everything here is a pure function of the few characters it is given.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from tracelode.redact.late import late
from tracelode.redact.words import ACCOUNTS, NO_PASSWORD, STEPS, words

_BENIGN: Final = words(
    # types and literals
    "str string text bytes byte int integer number float double bool boolean any object none null nil "
    "undefined true false void never unknown char varchar optional option dict map list array set type enum "
    "secretstr uuid date datetime function func fn self this new "
    # the words themselves
    "password passwords passwd pwd pass passphrase passcode pw token tokens secret secrets key keys apikey "
    "api_key api-key credential credentials auth authorization cookie cookies bearer basic value values "
    # placeholders
    "redacted masked hidden removed omitted placeholder changeme_here example sample dummy todo tbd n/a na "
    "required empty blank default missing invalid valid incorrect correct wrong expired failed error ok "
    "yes no on off set unset enabled disabled input output prompt file stdin env environment flag argument "
    "option parameter field fields name length count id url path hash hashed hint reset "
    # code that happens to be one word
    "data result results response request req res arg args argv kwargs params opts options config settings "
    "line item node body payload session user users username await return yield not range async match lambda "
    "raise write read "
    # prose
    "the a an is are was were be been must should can could cannot will would may might it its this that "
    "these those and or if then else when while for from in into of to at by with without as than so but has "
    "have had do does did there here how what which who why your our my their we you he she they i only also "
    "use used using uses see enter type provide provided please never always both same different via per "
    "authentication manager protection protected policy requirements strength check field reset"
)

_WEAK_BEFORE_TOKEN: Final = words(
    "pad eos bos unk mask sep cls next prev previous page cur current last first stop start end special sub "
    "new old image text audio video input output prompt max min num per each any cancel cancellation "
    "continuation sync lex parse string comment operator keyword completion total the draft sampled"
)
_STRONG_BEFORE_TOKEN: Final = words(
    "auth access api bot refresh session bearer secret personal deploy github gitlab gh gl npm pypi hf "
    "slack csrf xsrf jwt user admin client service oauth vault ci private security account telegram discord "
    "notion linear jira sentry registry publish upload web app master root login"
)
_PASSWORDS: Final = (
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "pwd",
)
_CODE_ROOTS: Final = words(
    "self this cls config cfg conf settings os process env environ args opts options request req user ctx "
    "context data params props event body creds credentials secrets account session state store app module "
    "window document localstorage import client db database auth form values row item result response res "
    "input kwargs var vars local module each local record model obj o u c"
)
_SENSITIVE: Final = late(r"pass|pwd|secret|token|credential|api[_-]?key|_key|Key$|auth|cookie", re.I)
_LABEL: Final = late(
    r"\b(?:enter|your|must|requir|forgot|reset|invalid|incorrect|wrong|missing|confirm|character|please|match"
    r"|show|hide|change|new|current|old|repeat|choose|the|is|for|not)",
    re.I,
)
_IDENTIFIER: Final = late(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_DOTTED: Final = late(r"[A-Za-z_][A-Za-z0-9_]*[?!]?(?:(?:\.|->|::|\?\.)[A-Za-z_][A-Za-z0-9_]*[?!]?)+\Z")
_VARIABLE: Final = late(
    r"(?:\$[A-Za-z_][A-Za-z0-9_:.]*|\$[0-9@*#?]|%[A-Za-z_][A-Za-z0-9_]*%|(?:%[-+0-9.]*[a-z][:/@ ]?){1,4}"
    r"|%\([a-z_]+\)s|:[A-Za-z_]+|\?|\$|@[A-Z_]+@|\$env:[A-Za-z_]+|\[[A-Za-z _-]+\]|https?://.*|.{0,12}(?:\.\.\.|…))\Z"
)
_TYPE: Final = late(r"(?:[A-Z][a-z]+[0-9]{0,2}Array|[ui](?:8|16|32|64|128)|u?int[0-9]{1,2}|[A-Za-z_]+!)\Z")
_FILLER: Final = late(r"(?:[*xX.•_#?:-]{2,}|\*+|\.{2,}|[0-9]|-)\Z")
_PATH: Final = late(r"(?:~|\.{1,2})?/[A-Za-z0-9_.~/+ -]+\Z|[A-Za-z]:[\\/]|(?:\.{1,2}|~)\Z|/\Z")
_FILE: Final = late(
    r"[A-Za-z0-9_./-]+\.(?:py|js|ts|tsx|jsx|json|ya?ml|toml|txt|md|pem|key|crt|env|go|rs|java|rb|sh|cfg|ini|html)\Z"
)
_PLACEHOLDER: Final = late(
    r"(?:your|my|the|some|insert|replace|put|paste|enter|add|use|an?)?[-_ ]*"
    r"(?:own|actual|real|new|secret|super)?"
    r"[-_ ]*(?:api|access|auth|bot|client|github|openai|anthropic)?[-_ ]*"
    r"(?:password|passwd|token|secret|key|credentials?)[-_ ]*(?:here|goes[-_ ]here|value|placeholder)?\Z",
    re.I,
)
_DIGIT: Final = late(r"[0-9]")
_LETTER: Final = late(r"[A-Za-z]")
_SPLIT: Final = late(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


_TECHNICAL: Final = late(
    r"v?[0-9]+(?:[.][0-9]+)+[a-z0-9.-]{0,12}|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]+[-+]?(?:char|letter|digit|symbol|word|"
    r"bit|byte|day|hour|minute|second|month|year|week|time)[a-z]*|[0-9]+[-+]?[a-z]{1,3}|(?:sha|md|rsa|aes|hs|rs|es|ps|ed"
    r"|x|p|utf|int|uint|float|base|argon|ip|ipv|http|tls|ssl|oauth|uuid|guid|crc|blake|pbkdf|hmac|varchar|char|nvarchar|"
    r"binary|unicode|iso|rfc|ascii|level|step|type|option|field|line|item|part|group|page|case|test|phase|stage|column|"
    r"col|row|key|token|user|example|sample|string|text|value|section|figure|table|id|idx|arg|param|var|sprint|week|day|"
    r"chapter)[-_]?v?[0-9]+(?:[-_.][0-9a-z]+)*|(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)",
    re.I,
)


def technical(value: str) -> bool:
    """Is a word of letters and digits a term: `sha256`, `v1.2`, `8-character`, `field2`, `MAX_SIZE_2`?

    Args:
        value: one word.

    Returns:
        True if so.
    """
    return bool(_TECHNICAL.fullmatch(value))


def mixed(value: str, least: int = 8) -> bool:
    """Does a value look drawn rather than written: digits and letters, no blanks?

    Args:
        value: the text.
        least: shortest length that counts, characters.

    Returns:
        True if so.
    """
    return (
        len(value) >= least
        and " " not in value
        and bool(_DIGIT.search(value))
        and bool(_LETTER.search(value))
    )


@lru_cache(maxsize=4_096)
def strength(key: str, quoted: bool = False, assigned: bool = True) -> int:
    """How much does a key say that its value is secret?

    Args:
        key: the whole key, with what precedes the telling word: `DB_PASSWORD`, `eos_token`.
        quoted: whether the value stands in quotes.
        assigned: whether the sign is an equals sign.

    Returns:
        2 any value that is no code or placeholder, 1 only drawn-looking values, 0 never.
    """
    words = [word.lower() for word in _SPLIT.split(key) if word]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _SUFFIXES):
        words.pop()
    if not words:
        return 0
    last, before = words[-1].rstrip("0123456789") or words[-1], words[-2] if len(words) > 1 else ""
    environment = key.upper() == key
    if last.endswith(("pass", "pw")):
        return _pass(key, last, before, quoted, environment and assigned)
    if last.endswith((*_PASSWORDS, "secret")):
        return 2
    if last.endswith("token"):
        before = before or last[: -len("token")]
        if before in _WEAK_BEFORE_TOKEN:
            return 0
        return 2 if before in _STRONG_BEFORE_TOKEN or environment else 1
    if last in ("credential", "credentials", "auth", "data"):
        return 1
    return 2


_SUFFIXES: Final = words("base confirmation confirm prod production dev staging test value raw text plain")


def _pass(key: str, last: str, before: str, quoted: bool, exported: bool) -> int:
    """Strength of `DB_PASS`, `ansible_ssh_pass`, `SSHPASS`, `smtp_pw` and of `pass` alone."""
    environment = key.upper() == key
    if last not in ("pass", "pw"):
        owner = last.removesuffix("pass").removesuffix("pw")
        if owner in ACCOUNTS:
            return 2
        return int(exported and last.endswith("pass") and last not in NO_PASSWORD)
    if not before:
        # `PASS: test_x` is a test report, `PASS=x`, `"pass": "x"` and `pass: x7y8z9` are not.
        return 2 if quoted or exported else int(last == "pw" or key == "pass")
    if environment or before in ACCOUNTS:
        return 2
    return 0 if before in STEPS else 1


def _code(key: str, value: str, after: str, shell: bool) -> bool:
    """Is an unquoted value an expression of a program?"""
    name = bool(_IDENTIFIER.match(value))
    dotted = bool(_DOTTED.match(value))
    if name and not shell and key.endswith("pass") and value.endswith("pass"):
        return True
    if (name or dotted) and after and after in "([<{":
        return True
    if value.endswith(")") or "=>" in value or (after == ">" and value[0] == "$" and value[-1] == "-"):
        return True
    if value.isdigit() and len(value) < 5 and key.lower().endswith("token"):
        return True
    if dotted:
        head, *_, tail = re.split(r"\.|->|::", value)
        return head.strip("?!").lower() in _CODE_ROOTS or bool(_SENSITIVE.search(tail)) or not shell
    if not name:
        return False
    if not shell and key.lower().endswith(("key", "key_id")) and not mixed(value):
        return True  # keys are drawn, never words
    # user_password, dbPassword are names; mypassword and Password1 may be passwords.
    snake = "_" in value.strip("_")
    camel = value[0].islower() and any(c.isupper() for c in value)
    return bool(_SENSITIVE.search(value)) and (snake or camel) and not _DIGIT.search(value)


def benign(value: str) -> bool:
    """Is a value a type, a placeholder, a variable, a plain word of prose?

    Args:
        value: without quotes.

    Returns:
        True if it holds no secret, whatever the key.
    """
    bare = value.strip()
    if _VARIABLE.match(bare):
        return True
    bare = bare.rstrip(".,:!?")
    if not bare or bare.lower() in _BENIGN:
        return True
    if bare[0] in "<{" or (bare[0] == "$" and bare[1:2] in ("{", "(")) or bare.startswith(("{{", "%{", "[[")):
        return True
    if (
        _VARIABLE.match(bare)
        or _TYPE.match(bare)
        or _FILLER.match(bare)
        or _PATH.match(bare)
        or _FILE.match(bare)
    ):
        return True
    return bool(_PLACEHOLDER.match(bare))


_REPORT: Final = late(r"test|spec|case|[/%]|::|\A[0-9.]+[a-z]{1,4}\Z", re.I)
"""Values of `pass:` in the report of a test run."""


def secret(key: str, value: str, quoted: bool, after: str, assigned: bool = True) -> bool:
    """Is the value of an assignment a secret?

    Args:
        key: the whole key as written.
        value: what follows the sign, without quotes.
        quoted: whether it stood in quotes.
        after: the one character behind it, "" at the end of the text.
        assigned: whether the sign is an equals sign.

    Returns:
        True if it must not be stored.
    """
    power = strength(key, quoted, assigned)
    if benign(value) or (power == 0 and not mixed(value, 20)):
        return False
    least = 6 if key.lower().endswith(("pass", "pw")) else 8
    if key == "pass" and power == 1 and _REPORT.search(value):
        return False
    drawn = mixed(value, least) or (len(value) >= 20 and " " not in value and not _IDENTIFIER.match(value))
    # Variables of the environment, headers and options are written for a shell, not for a compiler.
    shell = key.upper() == key or "-" in key
    if quoted:
        if " " in value and not shell and _LABEL.search(value) and _SENSITIVE.search(value):
            return False
        return drawn or (power == 2)
    if _code(key, value, after, shell):
        return False
    return drawn or (power == 2 and (len(value) >= 3 or shell))


def secret_key(key: str) -> bool:
    """Is the value under a key of a decoded object replaced whole?

    Args:
        key: the key: `apiKey`, `Authorization`, `max_tokens`.

    Returns:
        True for keys whose value is a secret by their name.
    """
    words = [word.lower() for word in _SPLIT.split(key) if word]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _SUFFIXES):
        words.pop()
    joined = "".join(words)
    if len(words) > 1 and words[-1] == "token" and words[-2] in _WEAK_BEFORE_TOKEN:
        return False
    if words and words[-1].endswith(("pass", "pw")):
        return strength(key, True) == 2
    return joined.endswith(_KEY_ENDS) or joined in ("auth", "pin")


_KEY_ENDS: Final = (
    *_PASSWORDS,
    "secret",
    "secretkey",
    "secretaccesskey",
    "token",
    "apikey",
    "appkey",
    "accesskey",
    "authkey",
    "accountkey",
    "privatekey",
    "privatekeyid",
    "encryptionkey",
    "signingkey",
    "masterkey",
    "subscriptionkey",
    "sshkey",
    "sessionkey",
    "authorization",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "connectionstring",
    "clientkeydata",
)


_KINDS: Final = (
    ("api-key", late(r"api[ _-]?key\Z", re.I)),
    ("private-key", late(r"private[ _-]?key|client[ _-]?key[_-]?data", re.I)),
    ("authorization", late(r"authorization", re.I)),
    ("cookie", late(r"cookies?\Z", re.I)),
    ("token", late(r"token", re.I)),
    ("secret", late(r"secret", re.I)),
    ("key", late(r"key", re.I)),
    ("credential", late(r"credential|auth|connection", re.I)),
)


def kind(key: str) -> str:
    """Under which closed name does the value of a key go?

    Args:
        key: a key that tells of a secret.

    Returns:
        Letters and hyphens.
    """
    return next((name for name, pattern in _KINDS if pattern.search(key)), "password")
