"""Does a tool call get its verb, its frame and its effect?"""

from __future__ import annotations

import pytest

from tracelode.signals.effects import EFFECTS, effect
from tracelode.signals.lexicon import load
from tracelode.signals.text import text_verb
from tracelode.signals.tools import is_shell, operation_verb, tool_frame

LEXICON = load()

KNOWN = [
    ("Read", "explore"),
    ("LS", "explore"),
    ("NotebookRead", "explore"),
    ("Glob", "search"),
    ("Grep", "search"),
    ("Edit", "edit"),
    ("MultiEdit", "edit"),
    ("NotebookEdit", "edit"),
    ("apply_patch", "edit"),
    ("file_change", "edit"),
    ("Write", "create"),
    ("BashOutput", "wait"),
    ("TaskOutput", "wait"),
    ("Monitor", "wait"),
    ("KillShell", "stop"),
    ("TaskStop", "stop"),
    ("WebSearch", "research"),
    ("WebFetch", "research"),
    ("Task", "delegate"),
    ("Agent", "delegate"),
    ("SendMessage", "delegate"),
    ("spawn_agent", "delegate"),
    ("TodoWrite", "plan"),
    ("TaskCreate", "plan"),
    ("TaskUpdate", "plan"),
    ("update_plan", "plan"),
    ("ExitPlanMode", "plan"),
    ("AskUserQuestion", "ask"),
    ("Skill", "load"),
    ("ToolSearch", "load"),
    ("SlashCommand", "load"),
    ("think", "reason"),
    ("finish", "report"),
    ("submit", "report"),
    ("codebase_investigator", "delegate"),
    ("generalist", "delegate"),
    ("enter_plan_mode", "plan"),
    ("update_todo", "plan"),
    ("task_tracker", "plan"),
    ("report_intent", "note"),
    ("read_bash", "wait"),
    ("read_powershell", "wait"),
    ("stop_bash", "stop"),
    ("stop_powershell", "stop"),
    ("rg", "search"),
    ("mark_task_complete", "report"),
    ("store_memory", "manage"),
    ("python", "run"),
    ("ipython", "run"),
    ("bash_session", "run"),
    ("cli_help", "explore"),
    ("scroll_up", "explore"),
    ("scroll_down", "explore"),
    ("filemap", "explore"),
    ("decompile", "explore"),
    ("disassemble", "explore"),
]

OTHER = [
    ("run_tests", "test"),
    ("search_code_base", "search"),
    ("findSymbol", "search"),
    ("lookupUser", "search"),
    ("write_fix", "edit"),
    ("replace_lines", "edit"),
    ("create_branch", "create"),
    ("extract_method_code", "explore"),
    ("get_weather", "explore"),
    ("openTab", "explore"),
    ("executeQuery", "run"),
    ("analyze_failure", "analyze"),
    ("express_hypothesis", "analyze"),
    ("locateFault", "analyze"),
    ("browser_navigate", "navigate"),
    ("browser_click", "click"),
    ("browser_type", "type"),
    ("browser_scroll", "scroll"),
    ("take_screenshot", "view"),
    ("read_page", "view"),
    ("frobnicate", "use"),
    ("mcp__files__search_tree", "query"),
    ("mcp__tracker__get_issue", "query"),
    ("mcp__tracker__create_issue", "use"),
    ("mcp__pages__browser_click", "click"),
]


@pytest.mark.parametrize(("tool", "verb"), KNOWN + OTHER)
def test_a_tool_has_its_verb(tool: str, verb: str) -> None:
    assert operation_verb(tool) == verb


@pytest.mark.parametrize(("tool", "verb"), sorted(LEXICON.tools.items()))
def test_no_tool_of_the_lexicon_is_a_dead_entry(tool: str, verb: str) -> None:
    assert not is_shell(tool)
    assert operation_verb(tool) == operation_verb(tool.upper()) == verb
    assert operation_verb(f"mcp__x__{tool}", path="a.py") == verb


@pytest.mark.parametrize(("word", "verb"), LEXICON.tool_words)
def test_no_word_of_a_tool_name_is_a_dead_entry(word: str, verb: str) -> None:
    assert operation_verb(f"zz_{word}") == verb
    assert operation_verb(f"zz{word.capitalize()}") == verb


def test_an_mcp_tool_with_a_path_works_on_files() -> None:
    assert operation_verb("mcp__files__read_file", path="a.py") == "explore"


@pytest.mark.parametrize(
    "tool",
    ["Bash", "bash", "shell", "exec_command", "run_shell_command", "PowerShell", "command_execution"],
)
def test_shell_tools_are_known(tool: str) -> None:
    assert is_shell(tool)
    assert operation_verb(tool, "git push") == "push"


FRAMES = [
    ("Bash", "git status", "Bash:git"),
    ("Bash", "cd a && python3.12 b.py", "Bash:python"),
    ("shell", "ls", "Bash:ls"),
    ("Bash", "./secretproject --now", "Bash"),
    ("Bash", "", "Bash"),
    ("mcp__files__read_page", "", "mcp:files.read_page"),
    ("mcp__files__read__page", "", "mcp:files.read__page"),
    ("mcp__files", "", "mcp:files"),
    ("Read", "", "Read"),
]


@pytest.mark.parametrize(("tool", "command", "frame"), FRAMES)
def test_the_frame_of_a_tool(tool: str, command: str, frame: str) -> None:
    assert tool_frame(tool, command) == frame


AMBIGUOUS = [
    ("python3 solve.py", "Verify the result", "", "verify"),
    ("python3 solve.py", "Test the new parser", "", "verify"),
    ("python3 solve.py", "Run the solver", "I will verify it", "run"),
    ("python3 solve.py", "", "Let me convert the weights first", "convert"),
    ("python3 solve.py", "", "", "run"),
    ("test -f a && echo yes", "Check if a exists", "", "check"),
    ("python3 solve.py", "Start the worker", "", "serve"),
    ("python3 convert_weights.py", "", "", "convert"),
    ("python3 -c 'import a; assert a.x'", "", "", "verify"),
    ("python3 -c 'import requests; requests.get(u)'", "", "", "request"),
    ("python3 - <<'P'\nmodel.fit(x, y)\nP", "", "", "train"),
    ("python3 - <<'P'\nopen('a.txt', 'w')\nP", "", "", "create"),
    ("python3 -c 'import a; print(a.__version__)'", "", "", "check"),
    ("python3 -c 'import pandas; pandas.read_csv(p)'", "", "", "query"),
    # words never overrule a command that says enough by itself
    ("git push", "Verify the result", "", "push"),
    ("pytest -q", "Create a report", "", "test"),
]


@pytest.mark.parametrize(("command", "description", "narration", "verb"), AMBIGUOUS)
def test_words_settle_ambiguous_commands_only(
    command: str, description: str, narration: str, verb: str
) -> None:
    assert operation_verb("Bash", command, description, narration=narration) == verb


@pytest.mark.parametrize(("background", "verb"), [("1", "serve"), (True, "serve"), ("", "run"), ("0", "run")])
def test_a_program_in_the_background_is_a_service(background: bool | str, verb: str) -> None:
    assert operation_verb("Bash", "./worker", background=background) == verb


def test_one_editor_for_all() -> None:
    assert operation_verb("str_replace_editor", "view") == "explore"
    assert operation_verb("str_replace_editor", "create") == "create"
    assert operation_verb("str_replace_editor", "str_replace") == "edit"


SENTENCES = [
    ("Look for the config loader", "search"),
    ("Set up the database", "manage"),
    ("Make sure that nothing breaks", "verify"),
    ("Make sure to install the tools", "install"),
    ("Now I'm going to create the parser", "create"),
    ("Running the linter", "run"),
    ("Setting up the service", "manage"),
    ("Getting the logs", "explore"),
    ("Debugging the crash", "diagnose"),
    ("The build is slow", None),
    ("Recent commit messages", "commit"),
    ("the fix for a build", None),
    ("`create` nothing", None),
    ('say "create it" twice', None),
    ("src/create/main.py", None),
    ("https://create.example.org", None),
    ("one two three four five six seven eight nine ten create", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "verb"), SENTENCES)
def test_the_grammar_of_sentences(text: str, verb: str | None) -> None:
    assert text_verb(text) == verb


PAIRED = {first for first, _ in LEXICON.pairs}


@pytest.mark.parametrize(("word", "verb"), sorted(LEXICON.says.items()))
def test_no_word_of_a_sentence_is_a_dead_entry(word: str, verb: str) -> None:
    assert text_verb(f"{word} it all") == verb
    if not word.endswith("e") and "-" not in word:
        assert text_verb(f"We are {word}ing it") == verb


def test_every_verb_has_a_closed_effect() -> None:
    assert {verb.effect for verb in LEXICON.verbs.values()} == set(EFFECTS)


@pytest.mark.parametrize(
    ("tool", "command", "expected"),
    [
        ("Read", "", "read"),
        ("Bash", "git diff", "read"),
        ("Edit", "", "write"),
        ("Bash", "rm -rf build", "write"),
        ("Bash", "pytest", "execute"),
        ("Bash", "./unknown", "execute"),
        ("WebFetch", "", "network"),
        ("Bash", "pip install a", "network"),
        ("Bash", "kubectl apply -f a", "network"),
        ("TodoWrite", "", "none"),
        ("Bash", "echo a", "none"),
    ],
)
def test_effects(tool: str, command: str, expected: str) -> None:
    assert effect(tool, command) == expected
