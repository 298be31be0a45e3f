r"""Which commands take a secret, and where? Data only: rows of table.py.

A row: name, kind, commands with their subcommands (regular expressions; a blank stands for one or two), and
`where`: a regular expression over the arguments whose matches end where a secret begins. By kind: "command"
searches all arguments for it; "place" tries it at the first argument only; "spoken" does so too, but people
also write of the command in sentences (`run vault login to go on`), so what stands there must look like a
secret, or end a line that begins with the command.
"""

from __future__ import annotations

import re
from typing import Final

_TO = r"(?:[ \t]+|=)"
_OPTIONS = r"[ \t]*(?:-\S+[ \t]+)*"
# `-pX` of a command with words behind single dashes (`-port`) is taken from a capital or digit on only.
_P = rf"(?<!\S)-p(?:{_TO}|(?=[^\s=a-z-]))"
_LOGIN_P = rf"(?<!\S)-[pP](?:{_TO}(?![0-9]{{1,5}}(?:\s|\Z))|(?!ass|ath|ort|rof|rompt|w[ ])(?=[^\s=-]))"
_USER = r"[\"']?[^\s\"':|;&]{0,64}:"
_CURL_USER = rf"(?<!\S)(?:-[A-Za-z#]*[uU][ \t]*|--(?:proxy-)?user{_TO}){_USER}|(?<!\S)--oauth2-bearer{_TO}"
_NET_USE = r"(?<!\S)\\\\\S+[ \t]+(?=[^\s/*]\S*[ \t]+/)|(?<!\S)/user:\S+[ \t]+(?=[^\s/*])"
_SLASHED = (
    r"(?:(?<=plus )|(?<!\S)(?:userid=|target[ \t]+)?)[\"']?[A-Za-z][\w$#]{0,29}/"
    r"(?=[^\s/@\"']+(?:@|[\"']|\Z))"
)
# All that is put into a store of secrets is secret, whatever its name.
_STORED = (
    rf"(?<!\S)(?:-[bv]|--(?:body|value|data|plaintext|secret-value)){_TO}"
    r"|(?<!\S)(?:--from-literal[ \t=])?[\"']?[A-Za-z_][A-Za-z0-9_.-]{0,80}="
)
_REMOTE_KEYS = (
    r"(?<!\S)(?:pass|password|secret_access_key|sas_token|account_key|connection_string|client_secret|token)"
    r"[ \t]+"
)
_SETTING = r"(?<!\S)[A-Za-z0-9_./:-]*(?:token|password|secret|api[_-]?key|_auth)[ \t]+(?=[^\s=-])"
_PACKAGES = (
    r"(?:(?:-\S+|set)[ \t]+)*(?:pypi-token\.\S+|[a-z]+-(?:oauth|token)\.\S+|http-basic\.\S+[ \t]+\S+|"
    r"\S+[ \t]+(?=[\w.-]+:[^\s/])[\w.-]+:)[ \t]*"
)

_ROWS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    # a password behind an option
    ("password", "command", ("mysqladmin",), r"(?<!\S)(?:-p(?=\S)|(?:new-?)?password[ \t]+)"),
    ("password", "command", ("mysql[a-z_-]{0,12}", "mariadb[a-z_-]{0,12}"), r"(?<!\S)-p(?=\S)"),
    ("password", "command", ("redis-cli", "redis-benchmark"), r"(?<!\S)(?:-a|AUTH|auth)[ \t]+"),
    ("password", "command", ("twine upload", "(?:poetry|uv|flit|maturin) publish"), rf"(?<!\S)-[pt]{_TO}"),
    ("password", "command", ("(?:hatch|pdm|vsce|ovsx) publish",), rf"(?<!\S)-[aPp]{_TO}"),
    (
        "password",
        "command",
        (
            *("cqlsh", "cypher-shell", "mongo[a-z]{0,8}", "hydra", "medusa", "nxc", "netexec"),
            *("crackmapexec", "smbmap", "evil-winrm", "rdesktop", "ncftp[a-z]{0,5}", "rabbitmqadmin"),
            *("couchbase-cli", "psexec", "steghide", "veracrypt", "altool", "unlock-keychain"),
            *("create-keychain", "racadm", "oras", "useradd", "usermod"),
        ),
        _P,
    ),
    ("password", "command", ("sqlcmd", "bcp", "isql", "osql", "tsql"), r"(?<!\S)-P[ \t]*(?=\S)"),
    ("password", "command", ("mosquitto_(?:pub|sub|rr)", "ipmitool"), rf"(?<!\S)-P{_TO}"),
    ("password", "command", ("snmp[a-z]{3,8}",), rf"(?<!\S)-[AX]{_TO}"),
    ("password", "command", ("ldappasswd",), r"(?<!\S)-[saw][ \t]*(?=\S)"),
    ("password", "command", ("ldap[a-z]{3,8}",), r"(?<!\S)-w[ \t]*(?=\S)"),
    ("password", "command", ("(?:un)?zip", "security import"), r"(?<!\S)-P[ \t]+"),
    ("password", "command", ("7z[azr]? [a-z]{1,2}", "rar [a-z]{1,2}"), r"(?<!\S)-h?p(?=[^\s-])"),
    ("password", "command", ("ssh-keygen",), r"(?<!\S)-[NP](?:[ \t]+|(?=[\"']))"),
    ("password", "command", ("openssl (?:enc|aes|des)[a-z0-9-]{0,16}",), r"(?<!\S)-[kK][ \t]+"),
    ("password", "command", ("nmcli",), r"(?<!\S)(?:password|[a-z0-9.-]+\.psk)[ \t]+"),
    (
        "password",
        "command",
        ("add-generic-password", "add-internet-password", "set-key-partition-list"),
        r"(?<!\S)-[wk][ \t]+",
    ),
    ("password", "command", ("[wx]?freerdp[a-z0-9]{0,3}",), r"(?<!\S)/p:"),
    ("password", "command", ("net user",), r"(?<=user )[\w.-]+[ \t]+(?=[^\s/*]\S*[ \t]+/)"),
    ("password", "command", ("net use",), _NET_USE),
    ("password", "command", ("sqlplus", "expdp", "impdp", "sqlldr", "rman"), _SLASHED),
    ("password", "command", ("caddy hash-password",), rf"(?<!\S)--plaintext{_TO}"),
    # behind a user name
    ("password", "command", ("curl",), _CURL_USER),
    ("password", "command", ("lftp",), r"(?<!\S)-u[ \t]*[\"']?[^\s,\"']{1,64},"),
    # a token or key behind an option or a setting's name
    ("secret", "command", ("nuget push",), rf"(?<!\S)-k{_TO}"),
    ("secret", "command", ("doctl auth init", "glab auth login", "vercel", "codecov"), rf"(?<!\S)-t{_TO}"),
    ("secret", "command", ("netlify",), rf"(?<!\S)--auth{_TO}"),
    ("secret", "command", ("gitlab-runner register",), rf"(?<!\S)-r{_TO}"),
    ("secret", "command", ("dvc remote modify", "rclone config"), _REMOTE_KEYS),
    ("secret", "command", ("(?:git|npm|pnpm|yarn|pip|gcloud|conda|dotnet) config",), _SETTING),
    # what is put into a store of secrets
    (
        "secret",
        "command",
        (
            "secrets? (?:set|put|add|create|update|edit|import)",
            "(?:create|add) secret",
            "(?:vault|bao) kv (?:put|patch)",
        ),
        _STORED,
    ),
    ("secret", "command", ("secretsmanager",), rf"(?<!\S)--secret-string{_TO}"),
    ("secret", "command", ("ssm put-parameter",), rf"(?<!\S)--value{_TO}"),
    ("secret", "place", ("pulumi config set",), r"(?=.*--secret)(?:-\S+[ \t]+)*\S+[ \t]+"),
    ("secret", "place", ("glab variable (?:set|create)",), r"[A-Z0-9_]+[ \t]+(?:-v[ \t]+)?"),
    # at a fixed place
    ("password", "place", ("ConvertTo-SecureString",), r"(?:-String[ \t]+)?(?=[^\s-])"),
    ("password", "place", ("mkpasswd",), r"(?:-[mSR][ \t]+[^\s-]\S*[ \t]+|-\S+[ \t]+)*(?=[^\s-])"),
    (
        "password",
        "place",
        ("openssl passwd",),
        r"(?:-salt[ \t]+[^\s-]\S*[ \t]+|-(?!stdin|in)\S+[ \t]+)*(?=[^\s-])",
    ),
    ("password", "place", ("htpasswd", "mosquitto_passwd"), r"(?=-\S*b)(?:-\S+[ \t]+)+(?:\S+[ \t]+){1,2}"),
    (
        "password",
        "place",
        ("add_user", "change_password", "authenticate_user", "wpa_passphrase", "bw login", "cf auth"),
        r"(?:[\"'][^\"'\n]+[\"']|[^\s()=]+)[ \t]+(?=[^\s=-])",
    ),
    ("secret", "place", ("(?:poetry|composer|bundle) config",), _PACKAGES),
    ("secret", "place", ("mc alias set", "mc config host add"), r"\S+[ \t]+\S+[ \t]+\S+[ \t]+"),
    (
        "secret",
        "spoken",
        (
            *("(?:vault|bao|cargo|wandb) login", "ngrok (?:config add-)?authtoken", "snyk auth"),
            *("bw unlock", "nuget set[Aa]pi[Kk]ey", "ansible-vault encrypt_string", "rclone obscure"),
            *("vault operator unseal", "set-initial-password", "reset-admin-password", "requirepass"),
            *("masterauth", "rootpw"),
        ),
        rf"{_OPTIONS}(?:token=)?",
    ),
)

# What of a regular expression is no text that every match holds.
_LOOSE = re.compile(r"\(\?:[^()]*\)\??|\[[^\]]*\](?:\{[^}]*\}|\?)?|.\?| ")


# Looked for because of other rows as well: a keyword that is known already costs nothing.
_SHARED = ("auth", "secret", "login", "config", "sql")


def _keyword(command: str) -> str:
    """A text that every match of a command holds: one that is looked for anyway, or the longest."""
    texts = [text.lower() for text in _LOOSE.split(command)]
    shared = (word for word in _SHARED if any(word in text for text in texts))
    return next(shared, max(texts, key=len))


def _row(
    name: str, kind: str, commands: tuple[str, ...], where: str
) -> tuple[str, str, str, tuple[str, ...], str]:
    trigger = "|".join(commands).replace(" ", "[ ]{1,2}")
    return name, kind, f"(?:{trigger})[ ]", tuple(sorted({_keyword(command) for command in commands})), where


COMMANDS: Final = (
    *(_row(*columns) for columns in _ROWS),
    ("password", "command", "[ ]login[ ]", ("login",), _LOGIN_P),
)
"""Name, kind, trigger, keywords, where; last `... login ... -p X`, whatever the command."""
