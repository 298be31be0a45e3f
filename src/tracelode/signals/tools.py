"""Which verb has a tool call, and under which frame does a view show it?"""

from __future__ import annotations

from functools import lru_cache

from tracelode.signals.command import tokens
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.shell import first_word, reading
from tracelode.signals.text import text_verb


def is_shell(tool: str, lexicon: Lexicon | None = None) -> bool:
    """Does a tool take a shell command?

    Args:
        tool: tool name as the source names it.
        lexicon: the words; None for the built-in ones.

    Returns:
        True for the shell tools of the lexicon, any case.
    """
    return tool.lower() in (lexicon or load()).words["tools"]


def tool_frame(tool: str, command: str = "", lexicon: Lexicon | None = None) -> str:
    """The frame of a tool call in a view.

    Args:
        tool: tool name as the source names it.
        command: shell command, "" for other tools.
        lexicon: the words; None for the built-in ones.

    Returns:
        Bash:<word> for a shell command whose word is in the lexicon, else Bash; mcp:<server>.<tool>; else
        the tool's name.

    Source:
        accounting rules, frames and names.

    Example:
        >>> tool_frame("Bash", "cd x && git log"), tool_frame("mcp__files__read_page"), tool_frame("Read")
        ('Bash:git', 'mcp:files.read_page', 'Read')
    """
    if is_shell(tool, lexicon):
        word = first_word(command, lexicon) if command else None
        return f"Bash:{word}" if word else "Bash"
    if tool.startswith("mcp__"):
        server, _, name = tool[5:].partition("__")
        return f"mcp:{server}.{name}" if name else f"mcp:{server}"
    return tool


def operation_verb(
    tool: str,
    command: str = "",
    description: str = "",
    path: str = "",
    background: bool | str = False,
    narration: str = "",
    lexicon: Lexicon | None = None,
) -> str:
    """The closed verb of one tool call.

    Args:
        tool: tool name as the source names it.
        command: shell command, or the subcommand of an editor tool; "" for none.
        description: the agent's words about the call; only an ambiguous call asks them.
        path: file the call touches; "" for none.
        background: true where the call was sent to the background ("1" counts, "" and "0" do not).
        narration: text before the call; asked after the description.
        lexicon: the words; None for the built-in ones.

    Returns:
        A closed verb.

    Source:
        naming rules, step 1.

    Example:
        >>> operation_verb("Bash", "python3 solve.py", "Validate the solver"), operation_verb("Grep")
        ('verify', 'search')
    """
    lexicon = lexicon or load()
    snippet = hint = ""
    if is_shell(tool, lexicon):
        call = reading(command, lexicon) if command else None
        verb = call.verb if call else "run"
        if call:
            snippet, hint = call.snippet, call.hint
        if verb == "run" and background not in (False, "", "0"):
            return "serve"
    else:
        verb = _tool_verb(tool, lexicon)
        if verb == "edit" and command in ("view", "create"):  # editors with one tool for all
            verb = "explore" if command == "view" else "create"
        elif tool.startswith("mcp__") and not path:
            verb = _OUTSIDE.get(verb, verb)
    if verb not in lexicon.words["ambiguous"]:
        return verb
    return _settled(description, narration, hint, snippet, lexicon) or verb


_OUTSIDE = {"explore": "query", "search": "query", "edit": "use", "create": "use"}
"""An MCP tool without a path reads or writes something that is no file."""


def _settled(description: str, narration: str, hint: str, snippet: str, lexicon: Lexicon) -> str | None:
    settles = lexicon.words["settles"]
    for text in (description, narration):
        verb = text_verb(text, lexicon) if text else None
        if verb == "test":  # words about trying a program are no test run
            return "verify"
        if verb in settles:
            return verb
        if verb is not None:  # the words name a verb that settles nothing: less certain words do not either
            break
    if hint:
        return "verify" if hint == "test" else hint
    return lexicon.snippets.first(snippet) if snippet else None


@lru_cache(maxsize=1_024)
def _tool_verb(tool: str, lexicon: Lexicon) -> str:
    found = lexicon.tools.get(tool.lower())
    if found is not None:
        return found
    name = tool[5:].partition("__")[2] or tool[5:] if tool.startswith("mcp__") else tool
    if name.lower() in lexicon.tools:
        return lexicon.tools[name.lower()]
    words = [word for word in tokens(name) if word != "browser"]  # says where, not what
    for wanted, verb in lexicon.tool_words:
        if any(word == wanted or (len(wanted) > 3 and word.startswith(wanted)) for word in words):
            return verb
    return "use"
