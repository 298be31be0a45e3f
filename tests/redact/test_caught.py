"""Is every kind of secret caught, wherever it stands?"""

from __future__ import annotations

import pytest

from redact.samples import ADDRESSES, BASIC, HOMES, KEPT, SECRETS, TOKENS, WORD, drawn
from tracelode.redact import fast, plain

ENGINES = [pytest.param(fast.redact_text, id="fast"), pytest.param(plain.redact_text, id="plain")]
PEM_BODY = [drawn(64, seed=i) for i in range(20)]


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize(("name", "token"), TOKENS, ids=[f"{n}-{i}" for i, (n, _) in enumerate(TOKENS)])
def test_tokens_of_known_makes(redact, name: str, token: str) -> None:
    kept = token[: token.rindex("hooks")] if "webhooks" in token else ""
    for before, after in (
        ("", ""),
        ("see ", "."),
        ('x = "', '"'),
        ("a\n", "\nb"),
        ("a\r\n", "\r\nb"),
        ('{"out": "a\\n', '\\nb"}'),
        ("é", "→"),
        ("(", ")"),
        ("%20", "%20"),
        ("\x1b[1m", "\x1b[0m"),
    ):
        redacted = redact(before + token + after)
        assert f"[secret:{name}]" in redacted, before
        assert token[-12:] not in redacted
        assert redacted.startswith(before)
        assert redacted.endswith(after)
        assert kept[:20] in redacted


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize("text", SECRETS)
def test_secrets_in_context(redact, text: str) -> None:
    for wrapped in (text, f"first\n{text}\nlast", f"first\r\n{text}\r\nlast", f"\t{text} "):
        redacted = redact(wrapped)
        assert WORD not in redacted
        assert BASIC not in redacted
        assert "[secret:" in redacted
        assert len(redacted) < len(wrapped) + 40


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize(("text", "expected"), [*ADDRESSES, *HOMES])
def test_addresses_and_homes(redact, text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize("text", KEPT)
def test_what_holds_no_secret_stays(redact, text: str) -> None:
    assert redact(text) == text
    assert redact(f"a\n  {text}\nb") == f"a\n  {text}\nb"


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize("kind", ["RSA ", "OPENSSH ", "EC ", "ENCRYPTED ", ""])
@pytest.mark.parametrize("feed", ["\n", "\r\n", "\\n", "\\\\n"])
def test_private_keys(redact, kind: str, feed: str) -> None:
    lines = [f"-----BEGIN {kind}PRIVATE KEY-----", *PEM_BODY, drawn(20), f"-----END {kind}PRIVATE KEY-----"]
    assert redact(f"a {feed.join(lines)} b") == "a [secret:private-key] b"
    cut = redact(f"a {feed.join(lines[:-2])}")
    assert cut == "a [secret:private-key]"
    tail = redact(f"{feed.join(lines[1:])} b")
    assert tail == "[secret:private-key] b"


@pytest.mark.parametrize("redact", ENGINES)
def test_private_key_in_other_dress(redact) -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    numbered = "\n".join(f"{i:>6}\t{line}" for i, line in enumerate([begin, *PEM_BODY, end], 1))
    quoted = "\n".join(f'  "{line}\\n" +' for line in [begin, *PEM_BODY, end])
    headed = "\n".join([begin, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,ABCD", "", *PEM_BODY])
    service = '{"type": "service_account", "private_key": "' + "\\n".join([begin, *PEM_BODY, end]) + '\\n"}'
    pgp = "\n".join(["-----BEGIN PGP PRIVATE KEY BLOCK-----", "", *PEM_BODY, "=abcd"])
    for text in (numbered, quoted, headed, service, pgp, f"key: |\n{begin}\n" + "\n".join(PEM_BODY)):
        redacted = redact(text)
        assert "[secret:private-key]" in redacted
        assert not any(line in redacted for line in PEM_BODY)


@pytest.mark.parametrize("redact", ENGINES)
def test_prose_behind_a_cut_off_key_stays(redact) -> None:
    text = "-----BEGIN PRIVATE KEY-----\n" + "\n".join(PEM_BODY) + "\n\nThen the build went on."
    assert redact(text) == "[secret:private-key]\n\nThen the build went on."


@pytest.mark.parametrize("redact", ENGINES)
def test_told_home_names(redact) -> None:
    names = ["alice", "john.doe", "müller"]
    for text, expected in (
        ("/srv/people/alice/src", "~/src"),
        ("/data/alice", "~"),
        ("-data-alice-src", "-data-~-src"),
        ("-Users-john-doe-src", "~-src"),
        ("/Users/john.doe/src", "~/src"),
        ("/srv/müller/x", "~/x"),
        ("/home/alicex/y", "~/y"),
        ("/srv/alicex/y", "/srv/alicex/y"),
        ("/a/b/c/d/alice/y", "/a/b/c/d/alice/y"),
        ("alice and malice", "alice and malice"),
        ("palice-x", "palice-x"),
    ):
        assert redact(text, names) == expected


@pytest.mark.parametrize("redact", ENGINES)
def test_odd_home_names_are_harmless(redact) -> None:
    text = "/srv/a.c/x /srv/abc/x /srv/a+(b/x"
    names = ["a.c", "a+(b", "", "x", "y\nz", "l" * 1_000]
    assert redact(text, names) == "~/x /srv/abc/x ~/x"


@pytest.mark.parametrize("redact", ENGINES)
def test_lone_surrogates_become_question_marks(redact) -> None:
    assert redact("a\ud800b") == "a?b"
    assert redact("a\udfff password=swordfish é") == "a? password=[secret:password] é"


@pytest.mark.parametrize("redact", ENGINES)
def test_long_secrets_and_long_clean_runs(redact) -> None:
    assert redact("token=ghp_" + "a1" * 3_000) == "token=[secret:token]"
    clean = "abcdEFGH0123+/" * 3_000
    assert redact(clean) == clean
    assert redact("a" * 50_000 + "@") == "a" * 50_000 + "@"
