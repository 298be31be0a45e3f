r"""Which marks tell that a secret follows? One table, data only, for both redaction engines.

A row's `trigger` is a regular expression over UTF-8 bytes that RE2 (Latin-1 mode) and the standard
library read alike: no look-around, no back-references, no `\b`, `\s`, `\w`, `^`, `$` (the two engines
differ there or pay for them), no flags. A trigger is at most TRIGGER_MAX bytes long and
never holds a line feed. What comes before and after it is judged by code both engines share (scan.py).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

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


_DASH = "[A-Za-z0-9_-]"
_DOT = "[A-Za-z0-9_.=-]"
_B64 = "[A-Za-z0-9_+/=-]"

# kind "token": a letter or digit right before means something else (`task-...` is no `sk-...`).
# kind "loose": so distinctive that what stands before does not matter.
_TOKENS: tuple[tuple[str, str, str, tuple[str, ...], str], ...] = (
    ("anthropic", "loose", "sk-ant-[A-Za-z0-9_-]{10}", ("sk-ant-",), _DASH),
    (
        "openai",
        "token",
        "sk-(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{16}",
        ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-service-", "sk-none-"),
        _DASH,
    ),
    ("openrouter", "token", "sk-or-v[0-9]-[0-9a-f]{32}", ("sk-or-v",), _DASH),
    ("langfuse", "token", "sk-lf-[0-9a-f-]{32}", ("sk-lf-",), _DASH),
    ("openai", "token", "sk-[A-Za-z0-9]{20}", ("sk-",), _DASH),
    ("aws", "token", "A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}", ("akia", "asia", "abia", "acca"), "[A-Za-z0-9_]"),
    ("github", "loose", "gh[pousr]_[A-Za-z0-9]{30}", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _DASH),
    ("github", "loose", "github_pat_[A-Za-z0-9_]{22}", ("github_pat_",), _DASH),
    (
        "gitlab",
        "loose",
        "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[A-Za-z0-9_-]{16}",
        tuple(
            f"gl{k}-" for k in ("pat", "dt", "rt", "cbt", "ptt", "ft", "imt", "agent", "soat", "oas", "ffct")
        ),
        _DOT,
    ),
    ("gitlab", "token", "GR1348941[A-Za-z0-9_-]{18}", ("gr1348941",), _DASH),
    ("slack", "loose", "xox[a-z][.-][A-Za-z0-9-]{10}", ("xox",), "[A-Za-z0-9_.-]"),
    ("slack", "loose", "xapp-[0-9]-[A-Za-z0-9-]{10}", ("xapp-",), _DASH),
    (
        "webhook",
        "loose",
        "(hooks[.]slack(?:-gov)?[.]com/(?:services|workflows|triggers)/)[A-Za-z0-9/_-]{16}",
        ("hooks.slack",),
        "[A-Za-z0-9/_-]",
    ),
    (
        "webhook",
        "loose",
        "(discord(?:app)?[.]com/api/(?:v[0-9]{1,2}/)?webhooks/)[0-9]{8,20}/[A-Za-z0-9_-]{24}",
        ("/webhooks/",),
        _DASH,
    ),
    (
        "webhook",
        "loose",
        "([.]webhook[.]office[.]com/webhookb2/)[A-Za-z0-9@-]{16}",
        (".webhook.office.com",),
        "[A-Za-z0-9/@_-]",
    ),
    (
        "webhook",
        "loose",
        "(hooks[.]zapier[.]com/hooks/catch/)[0-9]{4}",
        ("hooks.zapier.com",),
        "[A-Za-z0-9/_-]",
    ),
    ("google", "token", "AIza[A-Za-z0-9_-]{30}", ("aiza",), _DASH),
    ("google", "token", "ya29[.][A-Za-z0-9_-]{20}", ("ya29.",), _DOT),
    ("google", "token", "GOCSPX-[A-Za-z0-9_-]{20}", ("gocspx-",), _DASH),
    ("google", "token", "1//0[A-Za-z0-9_-]{30}", ("1//0",), _DASH),
    ("stripe", "token", "[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10}", ("k_live_", "k_test_", "k_prod_"), _DASH),
    ("stripe", "token", "whsec_[A-Za-z0-9+/]{20}", ("whsec_",), _B64),
    ("npm", "token", "npm_[A-Za-z0-9]{30}", ("npm_",), _DASH),
    ("pypi", "token", "pypi-A[A-Za-z0-9_-]{30}", ("pypi-a",), _DASH),
    ("hugging-face", "token", "hf_[A-Za-z0-9]{30}", ("hf_",), _DASH),
    ("hugging-face", "token", "api_org_[A-Za-z0-9]{30}", ("api_org_",), _DASH),
    ("sendgrid", "token", "SG[.][A-Za-z0-9_-]{16,30}[.][A-Za-z0-9_-]{16}", ("sg.",), _DOT),
    ("brevo", "token", "xkeysib-[0-9a-f]{32}", ("xkeysib-",), _DASH),
    ("twilio", "token", "SK[0-9a-f]{32}", ("sk",), "[A-Za-z0-9_]"),
    ("mailgun", "token", "key-[0-9a-f]{32}", ("key-",), _DASH),
    ("telegram", "before", ":AA[A-Za-z0-9_-]{32}", (":aa",), _DASH),
    ("azure", "before", "[0-9]Q~[A-Za-z0-9_.~-]{30}", ("q~",), "[A-Za-z0-9_.~-]"),
    ("terraform", "before", "[.]atlasv1[.][A-Za-z0-9_=-]{30}", (".atlasv1.",), _DOT),
    ("jwt", "token", "eyJ[A-Za-z0-9_-]{14}", ("eyj",), _DOT),
    ("age", "loose", "AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40}", ("age-secret-key-",), "[A-Za-z0-9_]"),
    ("onepassword", "token", "ops_eyJ[A-Za-z0-9+/]{40}", ("ops_eyj",), _B64),
    ("onepassword", "token", "A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}-[A-Z0-9-]{11}", ("a3-",), _DASH),
    ("databricks", "token", "dapi[0-9a-f]{32}", ("dapi",), _DASH),
    ("digitalocean", "loose", "do[opr]_v1_[0-9a-f]{40}", ("_v1_",), _DASH),
    ("groq", "token", "gsk_[A-Za-z0-9]{40}", ("gsk_",), _DASH),
    ("xai", "token", "xai-[A-Za-z0-9]{40}", ("xai-",), _DASH),
    ("replicate", "token", "r8_[A-Za-z0-9]{30}", ("r8_",), _DASH),
    ("perplexity", "token", "pplx-[A-Za-z0-9]{30}", ("pplx-",), _DASH),
    ("nvidia", "token", "nvapi-[A-Za-z0-9_-]{40}", ("nvapi-",), _DASH),
    ("cerebras", "token", "csk-[A-Za-z0-9]{30}", ("csk-",), _DASH),
    ("together", "token", "tgp_v1_[A-Za-z0-9_-]{30}", ("tgp_v1_",), _DASH),
    ("fireworks", "token", "fw_[A-Za-z0-9]{20}", ("fw_",), _DASH),
    ("elevenlabs", "token", "sk_[0-9a-f]{40}", ("sk_",), _DASH),
    ("langsmith", "token", "lsv2_(?:pt|sk)_[0-9a-f]{32}", ("lsv2_",), _DASH),
    ("pinecone", "token", "pcsk_[A-Za-z0-9_]{30}", ("pcsk_",), _DASH),
    ("tavily", "token", "tvly-[A-Za-z0-9_-]{20}", ("tvly-",), _DASH),
    ("firecrawl", "token", "fc-[0-9a-f]{32}", ("fc-",), _DASH),
    ("jina", "token", "jina_[A-Za-z0-9_-]{32}", ("jina_",), _DASH),
    ("linear", "token", "lin_(?:api|oauth|wh)_[A-Za-z0-9]{30}", ("lin_",), _DASH),
    ("notion", "token", "ntn_[A-Za-z0-9]{40}", ("ntn_",), _DASH),
    ("notion", "token", "secret_[A-Za-z0-9]{43}", ("secret_",), _DASH),
    ("airtable", "token", "pat[A-Za-z0-9]{14}[.][0-9a-f]{40}", ("pat",), _DASH),
    (
        "atlassian",
        "token",
        "AT(?:ATT|CTT|STT|BB)[A-Za-z0-9_=-]{20}",
        ("atatt", "atctt", "atstt", "atbb"),
        _DOT,
    ),
    ("figma", "token", "fig[dru]_[A-Za-z0-9_-]{30}", ("figd_", "figr_", "figu_"), _DASH),
    ("shopify", "token", "shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}", ("shp",), _DASH),
    ("square", "token", "sq0[a-z]{3}-[A-Za-z0-9_-]{20}", ("sq0",), _DASH),
    ("facebook", "token", "EAA[A-Za-z0-9]{60}", ("eaa",), "[A-Za-z0-9_]"),
    ("supabase", "token", "sb(?:p_[0-9a-f]{40}|_secret_[A-Za-z0-9_-]{20})", ("sbp_", "sb_secret_"), _DASH),
    ("planetscale", "token", "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30}", ("pscale_",), _DOT),
    ("vercel", "token", "vc[pkira]_[A-Za-z0-9]{24}", ("vcp_", "vck_", "vci_", "vcr_", "vca_"), _DASH),
    ("netlify", "token", "nf[pouc]_[A-Za-z0-9]{30}", ("nfp_", "nfo_", "nfu_", "nfc_"), _DASH),
    ("fly", "token", "(FlyV1[ ])?f(?:m[12]|o1)_[A-Za-z0-9_+/=-]{30}", ("fm1_", "fm2_", "fo1_"), _B64),
    ("heroku", "token", "HRKU-[A-Za-z0-9_-]{30}", ("hrku-",), _DASH),
    ("vault", "token", "hv[sbr][.][A-Za-z0-9_-]{20}", ("hvs.", "hvb.", "hvr."), _DASH),
    ("doppler", "token", "dp[.](?:pt|st|ct|sa|scim|audit)[.][A-Za-z0-9._-]{30}", ("dp.",), _DOT),
    ("grafana", "token", "gl(?:c_[A-Za-z0-9+/]{30}|sa_[A-Za-z0-9]{30})", ("glc_", "glsa_"), _B64),
    (
        "new-relic",
        "token",
        "NR(?:AK|JS|II|RA|AA)-[A-Za-z0-9_-]{19}",
        ("nrak-", "nrjs-", "nrii-", "nrra-", "nraa-"),
        _DASH,
    ),
    ("sentry", "token", "sntry[su]_[A-Za-z0-9+/=_-]{30}", ("sntry",), _B64),
    ("posthog", "token", "phx_[A-Za-z0-9_]{30}", ("phx_",), _DASH),
    ("postman", "token", "PMAK-[0-9a-f]{24}", ("pmak-",), _DASH),
    ("docker", "token", "dckr_(?:pat|oat)_[A-Za-z0-9_-]{20}", ("dckr_",), _DASH),
    ("rubygems", "token", "rubygems_[0-9a-f]{40}", ("rubygems_",), _DASH),
    ("crates", "token", "cio[A-Za-z0-9]{32}", ("cio",), "[A-Za-z0-9_]"),
    ("nuget", "token", "oy2[a-z0-9]{43}", ("oy2",), "[A-Za-z0-9_]"),
    ("artifactory", "token", "AKCp[A-Za-z0-9]{60}", ("akcp",), "[A-Za-z0-9_]"),
    ("buildkite", "token", "bk(?:ua|ct|at|pt)_[0-9a-f]{30}", ("bkua_", "bkct_", "bkat_", "bkpt_"), _DASH),
    ("circleci", "token", "CCIP(?:AT|RJ)_[A-Za-z0-9]{10}", ("ccip",), _DASH),
    ("pulumi", "token", "pul-[0-9a-f]{40}", ("pul-",), _DASH),
    ("sonar", "token", "sq[pua]_[0-9a-f]{40}", ("sqp_", "squ_", "sqa_"), _DASH),
    ("alibaba", "token", "LTAI[A-Za-z0-9]{16}", ("ltai",), "[A-Za-z0-9_]"),
    ("tencent", "token", "AKID[A-Za-z0-9]{32}", ("akid",), "[A-Za-z0-9_]"),
    ("tailscale", "token", "tskey-[a-z]{3,10}-[A-Za-z0-9]{8}", ("tskey-",), _DASH),
    ("contentful", "token", "CFPAT-[A-Za-z0-9_-]{40}", ("cfpat-",), _DASH),
    ("plaid", "token", "access-(?:sandbox|development|production)-[0-9a-f-]{30}", ("access-",), _DASH),
    ("resend", "token", "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20}", ("re_",), _DASH),
    ("sandbox", "token", "e2b_[0-9a-f]{40}", ("e2b_",), _DASH),
    ("mapbox", "token", "sk[.]eyJ[A-Za-z0-9_-]{20}", ("sk.eyj",), _DOT),
    ("dropbox", "token", "sl[.](?:u[.])?[A-Za-z0-9_-]{60}", ("sl.",), _DOT),
)


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
# Grouped by first letter: the standard library tries every branch at every place.
_WORD = (
    "(?:p(?:ass(?:words?|wort|wd|phrase|code)?|wd?|rivate[_-]?key(?:[_-]?id)?)|"
    "s(?:ecret(?:[_-]?(?:access[_-]?)?key)?|"
    "(?:ign(?:ing|ature)|sh|ervice[_-]?role|hared[_-]?access|ubscription|ession)[_-]?key)|"
    "a(?:ccess|pi|pp|uth|ccount|dmin)[_-]?key|c(?:redentials?|lient[_-]?key(?:[_-]?data)?)|token|_auth|"
    "kennwort|(?:encrypt|encryption|master|license|deploy|hmac|jwt)[_-]?key)"
)
_SUFFIX = (
    "(?:[_-]?[0-9]{1,3}|"
    "[_-](?:base|confirmation|confirm|prod|production|dev|staging|test|value|raw|text|plain))?"
)
_FLAG_WORD = f"(?:{_PASSWORD}|(?:client-|app-)?secret(?:-(?:access-)?key)?|{_NAMED_KEY}|token|pass|pw)"

_PARAMETER = "sig|signature|key|auth|x-(?:amz|goog)-(?:signature|credential|security-token)"

_WORDS = ("pass", "pwd", "kennwort", "secret", "key", "credential", "token", "_auth", "pw")
_LOCAL = r"[A-Za-z0-9_%+.\x80-\xbf-]"
_LABEL = r"[A-Za-z0-9\x80-\xff]"
_SLASH = r"(?:\\{0,4}/|%2[Ff]|\\u002[Ff])"
_BACK = r"(?:\\{1,8}|/|%5[Cc])"
_NAME = r"[A-Za-z0-9_\x80-\xff]"
_SLUG = "(?:[A-Za-z]-)?-(?:(?:mnt-)?[a-z]-)?(?:home|Users)-"
_PIPED = (
    "(?:sudo[ ]{1,2}(?:-[A-Za-z]{1,3}[ ]{1,2}){0,2}-[A-Za-z]{0,3}S|(?:sudo[ ]{1,2})?chpasswd|"
    "[^|\n]{1,60}--?p(?:assword)?-?stdin)"
)

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
        f"(<[A-Za-z0-9_.:-]{{0,30}}(?:{_any_case(f'{_PASSWORD}|secret|{_NAMED_KEY}|token')}))>",
        _WORDS,
    ),
    Row(
        "password",
        "flag",
        f"(--?[A-Za-z-]{{0,24}}{_any_case(_FLAG_WORD)}[ \t]{{1,4}})",
        ("pass", "pwd", "secret", "key", "token", "pw"),
    ),
    Row("password", "value", f"({_any_case(_WORD + _SUFFIX)}){_QUOTE}?\\]?{_GAP}{_SIGN}{_GAP}", _WORDS),
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
        f"((?:{_any_case('password|passwd|passphrase|passcode|identified by')})[ ](?:(?:is|was|as)[ ])?)"
        "[\"'`A-Za-z0-9]",
        ("password", "passwd", "passphrase", "passcode", "identified"),
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
    Row("password", "word", "(sshpass[ \t]{1,4}-p[ \t]{0,4})", ("sshpass",)),
    Row(
        "password",
        "word",
        "((?:mysql|mariadb)[a-z]{0,8}[ ](?:[^\n|;& ]{1,40}[ ]{1,2}){0,8}-p)[^ \r\n\t]",
        ("mysql", "mariadb"),
    ),
    Row("password", "word", "(redis-cli[ ](?:[^\n|;& ]{1,40}[ ]{1,2}){0,4}-a[ ]{1,2})", ("redis-cli",)),
    Row(
        "password", "word", "(docker[ ]{1,2}login[ ](?:[^\n|;& ]{1,40}[ ]{1,2}){0,4}-p[ ]{1,2})", ("docker",)
    ),
    Row("password", "word", "((?:un)?zip[ ](?:-[A-Za-z]{1,3}[ ]{1,2}){0,3}-P[ ]{1,2})", ("zip",)),
    Row("password", "word", "(7z[azr]?[ ][a-z][ ](?:-[A-Za-z=0-9]{1,8}[ ]{1,2}){0,3}-p)[^ \r\n\t]", ("7z",)),
    Row("password", "word", "([ ]-(?:pass|passin|passout)[ ]{1,2}pass:)", ("pass:",)),
    Row("password", "word", "((?:sudo|su)[ ][^\n|;&<]{1,80}<<<[ ]{0,2})", ("<<<",)),
    Row(
        "password",
        "piped",
        f"((?:echo|printf)[ ]{{1,2}}(?:-[neE]{{1,3}}[ ]{{1,2}})?)[^|\n]{{1,100}}[|][ \t]{{0,4}}{_PIPED}",
        ("echo", "printf"),
    ),
    Row(
        "password",
        "login",
        "([ ](?:-u|--user|--proxy-user)[ =]?[\"']?[A-Za-z0-9_.@%+-]{1,64}:)",
        ("-u", "--proxy-user"),
    ),
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
