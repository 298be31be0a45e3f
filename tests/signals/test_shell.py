"""Does a shell line get its verb: one row per word of the lexicon, and the cases that were wrong once."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signals.tables import commands
from tracelode.signals.lexicon import load
from tracelode.signals.shell import command_verb, first_word, parts
from tracelode.signals.split import MAX_LENGTH, split

ROWS = commands()
LEXICON = load()


@pytest.mark.parametrize(("verb", "command"), ROWS, ids=[command for _, command in ROWS])
def test_a_command_has_its_verb(verb: str, command: str) -> None:
    assert command_verb(command) == verb


def test_every_first_word_of_the_lexicon_has_a_row() -> None:
    assert set(LEXICON.commands) - {first_word(command) for _, command in ROWS} == set()


def test_every_verb_that_a_shell_can_give_has_rows() -> None:
    given = {verb for verb, _ in ROWS}
    assert {*LEXICON.commands.values(), *LEXICON.scripts.values(), *LEXICON.stems.values()} <= given
    assert {verb for table in LEXICON.subcommands.values() for verb in table.verbs.values()} <= given


SUBCOMMANDS = [
    (word, sub, verb)
    for word, table in LEXICON.subcommands.items()
    for sub, verb in table.verbs.items()
    if sub != "exec"  # a wrapper: the command inside counts
]


@pytest.mark.parametrize(("word", "sub", "verb"), SUBCOMMANDS, ids=[f"{w} {s}" for w, s, _ in SUBCOMMANDS])
def test_no_subcommand_is_a_dead_entry(word: str, sub: str, verb: str) -> None:
    name = "python " + word if word in ("setup.py", "manage.py") else word
    between = ["unit"] * (0 if sub.startswith("-") else LEXICON.subcommands[word].skip)
    command = " ".join([name, *between, *sub.split("."), "one"])
    flags = LEXICON.words["version_flags"] | LEXICON.words["version_only"]
    assert command_verb(command) == ("check" if sub in flags else verb)


@pytest.mark.parametrize(("word", "verb"), sorted(LEXICON.scripts.items()))
def test_no_script_word_is_a_dead_entry(word: str, verb: str) -> None:
    asks = word in LEXICON.words["version_only"]
    assert command_verb(f"npm run {word}") == verb
    assert command_verb(f"just {word}") == ("check" if asks else verb)


@pytest.mark.parametrize(("word", "verb"), sorted(LEXICON.stems.items()))
def test_no_word_of_a_script_name_is_a_dead_entry(word: str, verb: str) -> None:
    assert command_verb(f"python tools_{word}.py --all") == verb
    assert command_verb(f"cd a && ./{word}.sh") == verb


@pytest.mark.parametrize(("module", "verb"), sorted(LEXICON.modules.items()))
def test_no_module_is_a_dead_entry(module: str, verb: str) -> None:
    assert command_verb(f"python3 -m {module} a") == verb


@pytest.mark.parametrize(("words", "rule"), sorted(LEXICON.wrappers.items()), ids=sorted(LEXICON.wrappers))
def test_a_wrapper_is_taken_off(words: str, rule: object) -> None:
    wrapper = LEXICON.wrappers[words]
    options = [part for value in sorted(wrapper.values)[:1] for part in (value, "7")]
    command = " ".join([*words.split("."), *options, *["web"] * wrapper.skip, "pytest", "-q"])
    assert parts(command)[0].words == ("pytest", "-q")
    assert first_word(command) == "pytest"


SPECIAL = [
    # order: asking for a version or help comes before everything else
    ("git commit --help", "check"),
    ("cargo test --version", "check"),
    ("sort -V names.txt", "explore"),
    # git by its subcommand, options before it skipped
    ("git -C sub -c user.name=a commit -m x", "commit"),
    ("git branch -a", "review"),
    ("git branch --contains abc", "review"),
    ("git branch topic", "sync"),
    ("git frobnicate", "review"),
    # runners by the script word
    ("npm --prefix web run build", "build"),
    ("npm run frob", "run"),
    ("make CC=clang", "build"),
    ("make clean all", "build"),
    # an interpreter by the name of its file
    ("python -W ignore src/test_app.py", "test"),
    ("node --require ./x.js server.js", "serve"),
    # curl by host, then by output
    ("curl -O http://127.0.0.1:80/a", "request"),
    ("curl -fsSL https://example.org -o a", "download"),
    # writing by redirection
    ("echo a >> notes.txt", "create"),
    ("echo a > /dev/null", "note"),
    ("echo a >&2", "note"),
    ("cat a 2>/dev/null", "explore"),
]


@pytest.mark.parametrize(("command", "verb"), SPECIAL, ids=[c for c, _ in SPECIAL])
def test_special_cases_in_their_order(command: str, verb: str) -> None:
    assert command_verb(command) == verb


HEREDOCS = [
    ("cat <<'EOF' > src/app.py\nimport os\nos.system('git push')\nEOF", "create"),
    ("cat > src/app.py << EOF\nit's; git push\nEOF\npytest -q", "test"),
    ("cat <<EOF\nplain text\nEOF", "explore"),
    ('git commit -m "$(cat <<\'EOF\'\ndon\'t stop; git push "now"\nEOF\n)"', "commit"),
    ("python3 - <<'PY'\nimport pytest  # git commit\nPY", "run"),
    ("bash <<'EOF'\ncd app\npytest -q\nEOF", "test"),
    ("cat <<-END > a.txt\n\tgit push\n\tEND\nls", "create"),
    ("cat <<'EOF' > a.py\ngit push # cut off before its en", "create"),
    ("cat <<A > a.txt; cat <<B > b.txt\ngit push\nA\ngit push\nB\nmake", "build"),
    ("sqlite3 a.db <<SQL\nselect 1;\nSQL", "query"),
    ('python -c "print(1 << N)\nx = 2"', "run"),
    ("cat <<< 'git push'", "explore"),
    ("echo $((1 << 3)); ls", "explore"),
]


@pytest.mark.parametrize(("command", "verb"), HEREDOCS, ids=range(len(HEREDOCS)))
def test_here_documents_are_text(command: str, verb: str) -> None:
    assert command_verb(command) == verb


QUOTES = [
    ("echo 'a && git push'", "note"),
    ('echo "a; git push"', "note"),
    (r"echo a \&\& git push", "note"),
    ("echo a # git push", "note"),
    ("ls # don't\ngit status", "review"),
    ("git log --grep='a|b'", "review"),
    ('grep "make test" README.md', "search"),
    ("echo 'unclosed && git push", "note"),
    ("X=$(git describe) make", "build"),
    ("V=$(git describe --tags)", "review"),
    ("V=`git describe`; echo $V", "review"),
    ('echo "$(git status)"', "review"),
    ('echo "$(echo "a; b")"; ls', "explore"),
    ("diff <(ls a) <(ls b)", "compare"),
    ("arr=(git push); ls", "explore"),
    ("(cd app && make)", "build"),
    ("{ cd app; make; }", "build"),
    ("[run] pytest -q", "test"),
    ("bash -c 'cd app && pytest'", "test"),
    ("bash -lc \"bash -c 'git push'\"", "push"),
    ("sh -c ls", "explore"),
    ("ls 2>&1 | tee a.txt", "explore"),
    ("cat <<EOF | sudo tee /etc/a.conf\na\nEOF", "create"),
    ("for f in *.py; do ruff check $f; done", "lint"),
    ("if [ -f a ]; then make; else ls; fi", "build"),
    ("while read l; do echo $l; done < a.txt", "note"),
]


@pytest.mark.parametrize(("command", "verb"), QUOTES, ids=[c for c, _ in QUOTES])
def test_quotes_comments_and_groups(command: str, verb: str) -> None:
    assert command_verb(command) == verb


PIPES = [
    ("pip list | grep requests", "check", "pip"),
    ("ps aux | awk '{print $2}'", "check", "ps"),
    ("cat a.py | grep def", "search", "grep"),
    ("ls src | wc -l", "explore", "ls"),
    ("find . -name '*.py' | xargs grep main", "search", "find"),
    ("ls | xargs grep main", "search", "grep"),
    ("ls *.tmp | xargs -n 1 rm", "clean", "rm"),
    ("pytest -q 2>&1 | tail -5", "test", "pytest"),
    ("pytest -q | tee log.txt", "test", "pytest"),
    ("gh api repos/a/b | jq .name", "inspectpr", "gh"),
    ("curl -s localhost:80/a | python3 -m json.tool", "request", "curl"),
    ("echo x | ./mystery", "run", None),
    ("git status && git log && ls", "review", "git"),
    ("cd app && npm test && git commit -am x", "commit", "git"),
    ("cd app", "explore", "cd"),
    ("cd app && ls", "explore", "ls"),
]


@pytest.mark.parametrize(("command", "verb", "word"), PIPES, ids=[row[0] for row in PIPES])
def test_the_part_that_names_a_compound_line(command: str, verb: str, word: str | None) -> None:
    assert (command_verb(command), first_word(command)) == (verb, word)


WORDS = [
    ("/usr/bin/python3.11 a.py", "python"),
    ("./node_modules/.bin/jest", "jest"),
    (".venv/bin/pytest -q", "pytest"),
    ("gcc-12 a.c", "gcc"),
    ("pip3 install a", "pip"),
    ("npx prettier@3.1 .", "prettier"),
    ("npx @biomejs/biome check .", "biome"),
    ("markdownlint-cli2 a.md", "markdownlint"),
    (r"C:\Python\bin\python.exe a.py", "python"),
    (r".\gradlew.bat test", None),
    ("./ls", None),
    ("./date", None),
    ("frobnicate", None),
    ("!!!", None),
    ("", None),
]


@pytest.mark.parametrize(("command", "word"), WORDS, ids=[c for c, _ in WORDS])
def test_first_words_are_spelled_as_in_the_lexicon(command: str, word: str | None) -> None:
    assert first_word(command) == word


def test_parts_drop_wrappers_and_follow_shells() -> None:
    line = "A=1 B=2 sudo -u app env C=3 timeout -k 5 30 nice -n 5 pytest -q; bash -lc 'git push'"
    assert [part.words for part in parts(line)] == [("pytest", "-q"), ("git", "push")]


def test_redirections_are_no_words() -> None:
    (part,) = split("cmd a 2>/dev/null >out.txt <in.txt &>both.txt")
    assert part.words == ("cmd", "a")
    assert part.target == "both.txt"


def test_background_is_seen() -> None:
    assert [part.background for part in split("./a & ./b")] == [True, False]


def test_endless_nesting_ends() -> None:
    for text in ("$(" * 2_000, "`" * 1_999, '"$(' * 1_500, "bash -c '" * 400, "(" * 4_000, "<<A " * 1_000):
        command_verb(text)


SHELLISH = st.text(alphabet="abg itus'\"`$(){}<>|&;\\\n#=EOF-/.", max_size=200)


@given(SHELLISH)
@example("cat <<'")
@example("a\\")
@example('"$(')
def test_no_text_breaks_the_splitter(text: str) -> None:
    for part in split(text):
        assert isinstance(part.words, tuple)
    assert command_verb(text) in LEXICON.verbs
    word = first_word(text)
    assert word is None or word in LEXICON.commands


@given(st.text(max_size=60))
def test_any_text_is_a_command(text: str) -> None:
    assert command_verb(text) in LEXICON.verbs


@given(st.sampled_from([command for _, command in ROWS]), st.integers(0, 60))
def test_a_command_that_was_cut_off_still_has_a_verb(command: str, length: int) -> None:
    assert command_verb(command[:length]) in LEXICON.verbs


def test_only_the_head_of_a_long_line_is_read() -> None:
    assert command_verb("echo " + "a" * MAX_LENGTH + "; git push") == "note"
