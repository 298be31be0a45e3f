"""Is what is private by its name or its checksum told apart from what only looks so?"""

from __future__ import annotations

import pytest

from tracelode.redact.private import private, unsaid


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("card", "4111111111111111"),
        ("n", "5500 0000 0000 0004"),
        ("note", "charge 378282246310005 today"),
        ("to", "DE89370400440532013000"),
        ("text", "send it to GB82 WEST 1234 5698 7654 32"),
        ("ssn", "078-05-1120"),
        ("body", "SSN 078-05-1120 on file"),
        ("payment.cvv", "123"),
        ("securityCode", "9021"),
        ("pin", "4711"),
        ("sig", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        ("X-Signature", "c2lnbmF0dXJlIG9mIDEy"),
        ("auth_token", "Zk3jf83hfk2jf8sk2"),
        ("dbpw", "correct horse battery"),
        ("user.passPhrase", "blue moon"),
        ("iban", "DE00 1234 5678"),
    ],
)
def test_private(name: str, value: str) -> None:
    assert private(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("card", "gold"),
        ("card_id", "card_9961"),
        ("order", "4111111111111112"),
        ("number", "0000000000000000"),
        ("phone", "+49 30 901820 11"),
        ("sha256", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        ("boarding_pass", "yes"),
        ("signature", "none"),
        ("date", "2027-03-02"),
        ("pin", "red"),
        ("city", "DUBLIN"),
        ("", ""),
    ],
)
def test_not_private(name: str, value: str) -> None:
    assert not private(name, value)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Look it up, password is swordfish, and write.", "Look it up, password, and write."),
        ("The passphrase: correct horse battery staple. Then go", "The passphrase. Then go"),
        ("my PIN 4711\nbook it", "my PIN\nbook it"),
        ("Use token Zk3jf8 and book", "Use token and book"),
        ("card number 4111 1111 1111 1111, cvv 123", "card number, cvv"),
        ("Find order ORD-1 and mail it.", "Find order ORD-1 and mail it."),
    ],
)
def test_what_is_said_after_a_word_for_a_secret_is_left_out(text: str, left: str) -> None:
    assert unsaid(text) == left
