"""Do the laws hold for any text: engines agree, redaction settles, previews equal the cut whole?"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from redact import kinds, lookalikes
from redact.samples import ADDRESSES, HOMES, KEPT, SECRETS, TOKENS
from tracelode.redact import fast, plain, window
from tracelode.redact.marks import encode
from tracelode.redact.scan import PASSES, walk
from tracelode.redact.span import LIMIT
from tracelode.redact.window import cut

BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
BODY = "MIIE" + "aB3/" * 15 + "\n"
PIECES = st.one_of(
    st.sampled_from([token for _, token in TOKENS]),
    st.sampled_from([*SECRETS, *KEPT]),
    st.sampled_from(
        [text for texts in (*kinds.CAUGHT.values(), *lookalikes.KEPT.values()) for text in texts]
    ),
    st.sampled_from([text for text, _ in (*ADDRESSES, *HOMES)]),
    st.sampled_from(
        [
            *("password", "PASSWORD", "DB_PASS", "api_key", "apiKey", "token", "auth_token", "secret", "pwd"),
            *("--password", "--token", "Cookie", "Authorization", "Bearer", "Basic", "-u", "ghp_", "sk-"),
            *("hunter2", "correcthorse", "$X", "${X}", "None", "str", "user_password", "eyJ", "AKIA"),
            *("-home-alice-src", "/home/alice", "/root", "C:\\Users\\al", "://", "user:", "@host.io/"),
            *("alice@example.com", "[secret:password]", "[email]", "~", "-----BEGIN", "-----END"),
            *(
                "password: |\n",
                "token: >-\n  ",
                "\n  ",
                "\n|---|---|\n",
                "| password |",
                "| x | token |\n",
                "|",
            ),
            *(
                "<<EOF\n",
                "EOF\n",
                "<<< ",
                "chpasswd ",
                " -p ",
                "docker login ",
                " \\\n  ",
                "echo ",
                "vault login ",
            ),
            *(
                "the password is ",
                "API key for x is ",
                "name: DB_PASSWORD\n",
                "value: ",
                '"name": "TOKEN", ',
                "**",
            ),
        ]
    ),
    st.sampled_from([f"{BEGIN}\n", END, BODY]),
    st.sampled_from(
        [*"=:'\"`\\\n\r\t ;,&|(){}<>[]@/-._%+é→😀\x00\x1b…", '": "', '\\"', " = ", "\\n", "\r\n"]
    ),
    st.text(max_size=12),
    st.text(alphabet="abzAZ019_-./", max_size=40),
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)
NAMES = ("alice", "john.doe", "müller")


@settings(max_examples=600, deadline=None)
@given(TEXTS)
@example("mysql -u root -ppw /mnt/c/Users/zeyJabcdefghijklmnop.abc8Q~" + "a" * 34)
@example("<password>c" + TOKENS[0][1] * 3 + "</password>")
@example("/home/alice" + TOKENS[0][1])
@example("/root[secret:x]")
@example(f"{BEGIN}\nopenssl rsa -passin pass:swordfish{END}{BODY}export PGPASSWORD=swordfish psql{END}")
@example("/home/alice/home/bob")
def test_engines_agree_and_redaction_settles(text: str) -> None:
    redacted = fast.redact_text(text)
    assert plain.redact_text(text) == redacted
    assert fast.redact_text(redacted) == redacted


@settings(max_examples=150, deadline=None)
@given(TEXTS)
@example("/srv/alice" + TOKENS[0][1])
@example("-home-alicex -home-john-doe")
def test_engines_agree_with_told_names(text: str) -> None:
    redacted = fast.redact_text(text, NAMES)
    assert plain.redact_text(text, NAMES) == redacted
    assert fast.redact_text(redacted, NAMES) == redacted


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_cuts_are_ordered_whole_and_within_lines(text: str) -> None:
    data = encode(text)
    last = 0
    for found in walk(data, fast.engine(())(data)):
        if found.text is None:
            continue
        assert last <= found.start < found.stop <= len(data)
        assert found.stop - found.start <= LIMIT
        data[found.start : found.stop].decode()
        if found.text != b"[secret:private-key]":
            assert b"\n" not in data[found.start : found.stop]
        last = found.stop


@settings(max_examples=250, deadline=None)
@given(st.lists(TEXTS.filter(lambda text: "PRIVATE KEY" not in text), max_size=6))
def test_lines_see_each_other_only_where_a_mark_says_so(texts: list[str]) -> None:
    lines = "\n".join(texts).split("\n")
    data = encode("\n".join(lines))
    for found in walk(data, fast.engine(())(data)):
        for other in found.more:
            assert found.start <= other.start < other.stop <= len(data)
            assert b"\n" not in data[other.start : other.stop]
            assume(b"\n" not in data[found.start : other.start])
    assert fast.redact_text("\n".join(lines)) == "\n".join(fast.redact_text(line) for line in lines)


FILLERS = st.sampled_from(["word ", "x", "ab/", "é→ ", "def f(x): return x\n", 'a="b", ', "\n"])


@st.composite
def long_texts(draw: st.DrawFn) -> str:
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        parts += [draw(TEXTS), draw(FILLERS) * draw(st.integers(0, 400))]
    return "".join([*parts, draw(TEXTS)])


@settings(max_examples=250, deadline=None)
@given(
    text=long_texts(),
    head=st.sampled_from([0, 1, 20, 300, 1_000]),
    tail=st.sampled_from([0, 1, 20, 300, 1_000]),
    reach=st.sampled_from([0, 60, 4_096]),
    slack=st.sampled_from([0, 128]),
)
def test_preview_is_the_cut_whole(text: str, head: int, tail: int, reach: int, slack: int) -> None:
    redactor = fast.Redactor()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "_WHOLE", 0)
        patch.setattr(window, "_FEED_REACH", reach)
        patch.setattr(window, "_SLACK", slack)
        whole = redactor.text(text)
        assert redactor.preview(text, head, tail) == cut(whole, head, tail, len(text))
        assert redactor.start(text, head) == whole[:head]


@pytest.mark.parametrize("filler", ["x", "word ", "ab/", "line of code\n", "é "])
@pytest.mark.parametrize("end", ["", "password=", "token=ghp_", "[", "alice@example.com", "\n", TOKENS[6][1]])
def test_windows_are_used_and_exact_on_large_texts(filler: str, end: str) -> None:
    near = PASSES * (LIMIT + 200)
    text = "see " + TOKENS[0][1] + " " + filler * near + end + filler * 400 + end
    bind = fast.engine(())
    whole = fast.redact_text(text)
    begin, close = window.first(text, 1_000, bind), window.last(text, 500, bind)
    assert begin is not None
    assert whole.startswith(begin[0])
    assert close is None or whole.endswith(close[0])
    assert close is not None or end
    assert fast.Redactor().preview(text, 1_000, 500) == cut(whole, 1_000, 500, len(text))


MARKS = (
    "password: |\n",
    "| user | password |\n|---|---|\n",
    "chpasswd <<EOF\n",
    "docker login \\\n",
    "- name: DB_PASSWORD\n",
)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(
    "row", ["  sw0rdfish42\n", "| al | sw0rdfish42 |\n", " -p sw0rdfish42 \\\n", "  value: sw0rdfish42\n"]
)
def test_marks_above_the_window_are_seen(mark: str, row: str) -> None:
    """The end of a text begins below a mark that tells of secrets in it."""
    redactor = fast.Redactor()
    for rows in (1, 2, 30, 200):
        for tail in (0, 40, 400, 900, 2_000):
            text = "x = y\n" * 2_000 + mark + row * rows + "x = y\n" * (tail // 6)
            whole = redactor.text(text)
            assert redactor.preview(text, 300, 500) == cut(whole, 300, 500, len(text))
            assert redactor.preview(text[12_000:] + text, 300, 500) == cut(
                redactor.text(text[12_000:] + text), 300, 500, 2 * len(text) - 12_000
            )


def test_a_private_key_far_ahead_of_the_window_is_seen() -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + ("aB3/" * 16 + "\n") * 200 + "-----END PRIVATE KEY-----"
    for before, after in ((0, 0), (10, 300), (20_000, 100), (100, 20_000)):
        text = "a b\n" * before + key + "\n" + "c d\n" * after
        redactor = fast.Redactor()
        assert redactor.preview(text, 1_000, 1_000) == cut(redactor.text(text), 1_000, 1_000, len(text))
        assert "aB3/" not in redactor.preview(text, 1_000, 1_000)


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "token:",
            'token="',
            "cookie: ",
            "bearer+",
            "-----BEGIN PRIVATE KEY-----\n",
            "://a:",
            "a@a.",
            "a@a.a",
        ),
        *("authorization:bearer%20https://", 'password="\\"', "-home-a", "/home/a", 'password "', "[email]"),
        *("echo a |", "mysql a ", "<password>", "--password ", "password is ", "\\\\wsl$\\", "token: a = "),
        *(
            "| password ",
            "|password|\n|--|\n",
            "|password|a\\n|--|\\n",
            "password: |\n  a\n",
            "password: |\\n a\\n",
        ),
        *(
            'name="password" ',
            "name: PASSWORD\n",
            "password for a b ",
            "API key is ",
            "vault login ",
            " login -p ",
        ),
        *(
            "docker login \\\n",
            "curl -u a:",
            "echo a | sudo -S ",
            "chpasswd <<A\n",
            "chpasswd <<<",
            "xsk-proj-a1",
        ),
        *(
            "secret set a=b ",
            "secret set 'a",
            "://a@",
            "eyJ",
            "xeyJ.eyJ",
            "sk-aA1",
            "pass: a\n",
            "my token: a",
        ),
    ],
)
@pytest.mark.parametrize("engine", [fast.redact_text, plain.redact_text], ids=["fast", "plain"])
def test_work_grows_with_the_length_only(unit: str, engine: Callable[[str], str]) -> None:
    """Text made to trigger at every place costs at most 50 us a character."""
    text = unit * (20_000 // len(unit))
    begin = time.process_time()
    engine(text)
    assert time.process_time() - begin < 50e-6 * len(text)
