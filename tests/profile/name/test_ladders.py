"""What may a segment be called after, and which words never name anything?"""

from __future__ import annotations

import random
import re

import pytest

from signals.build import call, session
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.name.bans import APART, banned, people
from tracelode.profile.name.focus import item_objects, ladders, path_objects, segment_ladder
from tracelode.profile.name.grammar import well_formed
from tracelode.profile.name.objects import (
    Ladder,
    Words,
    admitted,
    focus_name,
    one,
    path_words,
    speaks,
    split_words,
)
from tracelode.signals.lexicon import load


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("HTTPServer_testColors2", ["http", "server", "test", "colors"]),
        ("a1b2c3d4-map", ["map"]),
        ("deadbeef", []),
        ("Straße-plan", ["plan"]),
        ("", []),
        ("x\ud800y price", ["x", "y", "price"]),
    ],
)
def test_words_are_cut_at_capitals_and_signs(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    "word",
    [
        *("ab", "xkcdz", "internationalise", "facade", "tests", "test"),
        *("create", "verify", "utils", "readme", "the", "token"),
    ],
)
def test_some_words_say_nothing(word: str) -> None:
    assert not speaks(word, load())


@pytest.mark.parametrize("word", ["parser", "cli", "colors", "themes", "gateway"])
def test_others_name_an_object(word: str) -> None:
    assert speaks(word, load())


@pytest.mark.parametrize(
    "path",
    [
        "/home/mara/shop/src/cart/price_table.py",
        "/Users/mara/shop/cart/price_table.py",
        r"C:\Users\mara\shop\cart\PriceTable.cs",
        "/c/Users/mara/shop/cart/price-table.ts",
        "/mnt/c/Users/mara/shop/cart/price-table.test.ts",
        "~/shop/cart/price-table",
        "/tmp/shop/cart/PriceTable.java",
        "-Users-mara-/shop/cart/price_table.py",
    ],
)
def test_a_home_folder_says_nothing(path: str) -> None:
    assert path_words(path) == Words(("price", "table"), ("cart", "shop"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("color", "colors"),
        ("query", "queries"),
        ("box", "boxes"),
        ("class", "classes"),
        ("price table", "price tables"),
    ],
)
def test_plural_and_singular_are_one(a: str, b: str) -> None:
    assert one(a) == one(b) == one(one(b))


def test_words_that_only_look_plural_stay() -> None:
    assert [one(word) for word in ("status", "analysis", "access", "bus", "ios")] == [
        "status",
        "analysis",
        "access",
        "bus",
        "ios",
    ]


def test_half_of_the_paths_must_have_a_word() -> None:
    paths = [
        path_words(p) for p in ("cart/price_table.py", "cart/price_rule.py", "cart/rate.py", "mail/letter.py")
    ]
    assert path_objects(paths) == ["price", "cart"]
    assert path_objects([path_words("a/price_table.py")]) == ["price table", "table", "price"]
    assert path_objects([]) == []


def test_a_plan_item_comes_before_the_paths() -> None:
    run = session("Edit shop/cart/rate.py", "Edit shop/cart/rate.py")
    assert segment_ladder("edit code", run) == Ladder("write", ("rate", "cart", "shop"))
    planned = segment_ladder("edit code", run, "Rewrite the voucher parser for staging")
    assert planned == Ladder("write", ("voucher parser", "parser", "rate", "cart", "shop"))


@pytest.mark.parametrize(
    ("item", "objects"),
    [
        ("Rewrite the price parser so that it stops early", ["price parser", "parser"]),
        ("Updating `x` in shop/cart.py", []),
        ("The gateway", []),
        ("Fix flaky login, then report", ["flaky login", "login"]),
        ("Implement OAuth redirect handler module", ["redirect handler", "handler"]),
        ("Add tests", []),
        ("", []),
        ("Prüfe den Parser", []),
    ],
)
def test_an_item_gives_its_last_nouns(item: str, objects: list[str]) -> None:
    assert item_objects(item) == objects


@pytest.mark.parametrize(
    "stage",
    [
        *(
            "install dependencies",
            "commit changes",
            "push changes",
            "review changes",
            "sync branch",
            "ask user",
        ),
        *("wait for process", "plan work", "delegate subtask", "check environment", "configure system"),
        *("open pull request", "answer user"),
    ],
)
def test_some_verbs_never_take_an_object(stage: str) -> None:
    assert segment_ladder(stage, session("Edit shop/rate.py")) is None


def test_a_word_of_the_stage_is_not_said_twice() -> None:
    run = session("Edit docs/timeout.py", "Edit docs/timeout.py")
    assert segment_ladder("diagnose timeout", run) is None


def test_what_was_edited_counts_where_something_was_edited() -> None:
    run = session("Read mail/letter.py", "Read mail/letter.py", "Read mail/letter.py", "Edit shop/rate.py")
    assert segment_ladder("edit code", run) == Ladder("write", ("rate", "shop"))
    assert segment_ladder("explore code", run) == Ladder("explore", ("letter", "mail"))
    shell = session([call("$ pytest tests/mail/test_letter.py")], "Read shop/rate.py")
    assert segment_ladder("test code", shell) == Ladder("test", ("letter", "mail"))


@pytest.mark.parametrize(
    ("stage", "verb"),
    [
        *(
            (name, "write")
            for name in ("edit code", "create code", "fix tests", "write and run", "develop code")
        ),
        *((name, "explore") for name in ("search code", "find files", "inspect binary", "explore and write")),
        *((name, "run") for name in ("run script", "try program", "verify result")),
        ("test code", "test"),
    ],
)
def test_few_verbs_stand_before_an_object(stage: str, verb: str) -> None:
    ladder = segment_ladder(stage, session("Edit shop/rate.py", "Edit shop/rate.py"))
    assert ladder == Ladder(verb, ("rate", "shop"))


@pytest.mark.parametrize("stage", ["do mixed work", "ship changes", "set up environment", "install and run"])
def test_a_mixture_of_many_things_has_no_object(stage: str) -> None:
    assert segment_ladder(stage, session("Edit shop/rate.py")) is None


def test_an_inner_segment_has_a_ladder_of_its_own() -> None:
    run = session("Edit shop/rate.py", "Edit mail/letter.py")
    pieces = (Segment(0, 4, 0, "edit code"), Segment(0, 2, 1, "edit code"), Segment(2, 4, 1, "edit code"))
    found = ladders(run, Segmentation("s", "x", "1", pieces), ["edit code"] * 4)
    first, second = Ladder("write", ("rate", "shop")), Ladder("write", ("letter", "mail"))
    assert found == [first, first, second, second]


def test_an_object_needs_two_families_in_any_order() -> None:
    seen = [
        ("colors", "a"),
        ("color", "b"),
        ("color", "c"),
        ("rate", "a"),
        ("rate", "a"),
        ("boxes", "a"),
        ("box", "b"),
    ]
    for seed in range(5):
        random.Random(seed).shuffle(seen)
        assert admitted(seen) == {"color": "color", "box": "box"}


def test_the_first_registered_rung_names_the_segment() -> None:
    ladder = Ladder("edit", ("price tables", "tables", "price"))
    assert focus_name(ladder, {}) is None
    assert focus_name(ladder, {"price": "price"}) == "edit price"
    assert focus_name(ladder, {"price": "price", "table": "table"}) == "edit table"
    assert focus_name(ladder, {"price table": "price table", "table": "table"}) == "edit price table"
    longest = Ladder("configure", ("abcdefghijklmn opqrstuvwxyzab", "rate"))
    assert focus_name(longest, {one(o): o for o in longest.objects}) == "configure rate"
    assert well_formed("edit price table")


@pytest.mark.parametrize("mark", ["password", "secret", "token", "api key", "API_KEY", "apiKey", "credential",
    "private key", "private_key", "passwd", "passphrase", "Tokens", "SECRETS"])  # fmt: skip
def test_what_stands_beside_a_secret_is_banned(mark: str) -> None:
    assert {"swordfish", "gateway"} <= banned(f"the gateway {mark} is swordfish")
    assert "lighthouse" not in banned(f"the lighthouse {' ' * 20}{mark}{' ' * 30} lighthouse")
    assert "gateway" not in banned(f"gateway{APART}{mark}")


@pytest.mark.parametrize("word", ["tokenizer", "Tokenize", "tokenization", "tokenise"])
def test_what_cuts_a_text_is_no_secret(word: str) -> None:
    assert banned(f"the {word} of the gateway") == set()
    assert "gateway" in banned(f"the token is the gateway {word}")


def test_a_word_that_reaches_in_is_banned_whole() -> None:
    before, after = banned(f"correcthorse{' ' * 15}token"), banned(f"token{' ' * 27}batterystaple")
    assert "correcthorse" in before
    assert "batterystaple" in after
    assert "correcthorse" not in banned(f"correcthorse{' ' * 17}token")


def test_an_escaped_line_feed_is_no_letter() -> None:
    assert "swordfish" in banned(r"{\"password\":\n\"swordfish\"}")


def test_an_endless_word_costs_no_time() -> None:
    assert banned("x" * 1_000_000 + "token" + "y" * 1_000_000) == set()


@pytest.mark.parametrize("text", [
    "Author: Imogen Quill <[email]>", "Co-authored-by: Imogen Quill <[email]>",
    "Signed-off-by: Imogen Quill <x", "git config user.name 'Imogen Quill'", '"user.name" = "Imogen Quill"',
])  # fmt: skip
def test_an_author_is_banned(text: str) -> None:
    assert {"imogen", "quill"} <= banned(text)


def test_accounts_that_name_nobody_cost_nothing() -> None:
    assert people(["runner", "git", "user", "noreply"]) == set()
    assert people(["imogen.quill", "Bo Peep", "Markus"]) == {"imogen", "quill", "peep", "markus"}


@pytest.mark.parametrize("word", sorted(load().words["focus_drop"] | load().words["focus_pass"]))
def test_no_word_of_the_lists_names_an_object(word: str) -> None:
    assert not speaks(word, load())
    assert path_words(f"a/{word}.py").stem == ()


@pytest.mark.parametrize("word", sorted(load().words["focus_cut"]))
def test_an_object_ends_before_a_cut(word: str) -> None:
    assert item_objects(f"Rewrite the parser {word} gateway") == ["parser"]


@pytest.mark.parametrize("word", sorted(load().words["focus_nobody"]))
def test_an_account_of_nobody_bans_nothing(word: str) -> None:
    assert people([word, word.title()]) == set()


@pytest.mark.parametrize("verb", sorted(load().words["focus_never"]))
def test_a_verb_that_takes_no_object(verb: str) -> None:
    assert segment_ladder(f"{verb} something", session("Edit shop/rate.py")) is None


def test_every_mark_of_a_secret_has_a_row() -> None:
    rows = ["password", "passwd", "passphrase", "secret", "token", "api_key", "credential", "private-key"]
    patterns = load().words["focus_secrets"]
    assert {p for p in patterns for row in rows if re.fullmatch(p, row)} == patterns
    for row in rows:
        assert "swordfish" in banned(f"{row}: swordfish")


def test_the_project_itself_says_nothing() -> None:
    line = session([call("$ cat /home/mara/shop/mail/letter.py")])
    assert segment_ladder("explore code", line, project="/home/mara/shop") == Ladder(
        "explore", ("letter", "mail")
    )
    assert segment_ladder("explore code", line) == Ladder("explore", ("letter", "mail", "shop"))
