"""What does one simple command do? Its verb, its lexicon word and its file, special cases first."""

from __future__ import annotations

import re
from typing import NamedTuple

from tracelode.signals.lexicon import Lexicon, Subcommand
from tracelode.signals.split import Part


class Call(NamedTuple):
    """A simple command, classified."""

    verb: str
    """Closed verb."""
    word: str | None = None
    """First word as the lexicon spells it, None if it is not there."""
    path: str = ""
    """The file or folder it is about, "" if none is in sight."""
    script: bool = False
    """True where an interpreter runs a program text."""
    snippet: str = ""
    """Inline program text."""
    hint: str = ""
    """Verb that the name of the program suggests, "" for none."""


_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VERSION = re.compile(r"[-.]?\d[\d.]*$")
_CLI = re.compile(r"-cli\d*$")
_NAME = re.compile(r"[A-Za-z_$@./~][\w./~+@%:{}$()-]*$")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
_SCRIPT = re.compile(r"\.(?:py|sh|bash|zsh|js|mjs|cjs|ts|tsx|rb|pl|ps1|R|r|jl|php|lua|bat|cmd)$")
_BUNDLE = re.compile(r"-\w+$")
_IN_PLACE = re.compile(r"-[a-zA-Z0-9]*i")
_GENERIC = frozenset({"note", "explore", "check", "manage", "search", "stop", "wait", "clean"})


def tokens(name: str) -> list[str]:
    """Words of a name: split at capitals and non-letters, lower case.

    Args:
        name: a tool, script or target name.

    Returns:
        Its words in order.

    Example:
        >>> tokens("runUnitTests:ci")
        ['run', 'unit', 'tests', 'ci']
    """
    return [word.lower() for word in _CAMEL.findall(name)]


def known_word(word: str, lexicon: Lexicon) -> str | None:
    """A first word as the lexicon spells it: without folder, version and suffix.

    Args:
        word: as it stands in the command.
        lexicon: the words.

    Returns:
        The lexicon's spelling, None for an unknown word.

    Example:
        >>> from tracelode.signals.lexicon import load
        >>> known_word("/usr/bin/python3.11", load()), known_word("./report", load())
        ('python', None)
    """
    commands = lexicon.commands
    folder, slash, name = word.replace("\\", "/").rpartition("/")
    name = name.removesuffix(".exe").removesuffix(".cmd")
    if "@" in name[1:]:
        name = name[: name.index("@", 1)]
    base = _VERSION.sub("", name)
    for candidate in (base, name, _CLI.sub("", name), name.lower()):
        verb = commands.get(candidate)
        if verb is not None:
            # a program in some folder that bears a common name is not that command
            if slash and not folder.endswith("bin") and verb in _GENERIC:
                return None
            return candidate
    return None


def classify(part: Part, lexicon: Lexicon) -> Call:
    """The verb of one simple command.

    Args:
        part: a command without wrappers.
        lexicon: the words.

    Returns:
        What it does; verb "note" where it does nothing of interest.

    Source:
        naming rules, step 1: special cases in their order, then first words.
    """
    if not part.words:
        return Call("create", path=part.target) if part.target else Call("note")
    word = known_word(part.words[0], lexicon)
    if _asks_version(part.words, word, lexicon):
        return Call("check", word)
    if word is None:
        return _unknown(part, lexicon)
    words = lexicon.words
    table = lexicon.subcommands.get(word)
    if word in words["runners"] and table is None:
        return _runner(part, word, lexicon)
    if word in words["interpreters"]:
        return _interpreter(part, word, lexicon)
    special = _SPECIAL.get(word)
    found = special(part, word, lexicon) if special is not None else None
    if found is not None:
        return found
    if table is not None:
        verb = subcommand_verb(part.words[1:], table)
        path = _path(part, word, lexicon) if verb == "create" else ""
        return Call(verb, word, path)
    verb = lexicon.commands[word]
    if verb == "note" and part.target and word in ("echo", "printf"):
        verb = "create"
    written = part.target if verb in ("create", "note") else ""
    return Call(verb, word, written or _path(part, word, lexicon))


def subcommand_verb(words: tuple[str, ...], table: Subcommand) -> str:
    """The verb that the words after a first word choose.

    Args:
        words: everything after the first word.
        table: the subcommands of that word.

    Returns:
        A closed verb.

    Example:
        >>> from tracelode.signals.lexicon import load
        >>> git = load().subcommands["git"]
        >>> [subcommand_verb(tuple(line.split()), git) for line in ("-C x branch -a", "branch new")]
        ['review', 'sync']
    """
    if words and words[0] in table.verbs and words[0].startswith("-"):
        return table.verbs[words[0]]
    rest = [word for word in operands(words, table.values)[table.skip :] if word not in table.through]
    if not rest:
        return table.default
    sub = rest[0]
    after = words[words.index(sub) + 1 :]
    joined = f"{sub}.{after[0]}" if after else ""
    if joined in table.verbs:
        return table.verbs[joined]
    if sub in table.flags and (not table.look.isdisjoint(after) or all(w.startswith("-") for w in after)):
        return table.default
    return table.verbs.get(sub, table.default)


def operands(words: tuple[str, ...], values: frozenset[str]) -> list[str]:
    """The words that are neither options nor values of options.

    Args:
        words: arguments of a command.
        values: options followed by a value.

    Returns:
        Operands up to "--".
    """
    found, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word == "--":
            break
        elif word.startswith("-") and len(word) > 1:
            skip = word in values
        else:
            found.append(word)
    return found


def _asks_version(words: tuple[str, ...], word: str | None, lexicon: Lexicon) -> bool:
    if len(words) == 2 and words[1] in lexicon.words["version_only"]:
        verb = lexicon.commands.get(word or "", "run")
        return verb == "run" if words[1] == "-v" else verb not in ("explore", "note", "review")
    return len(words) > 1 and not lexicon.words["version_flags"].isdisjoint(words)


def _best(candidates: list[str], lexicon: Lexicon) -> str:
    return max(candidates, key=lambda verb: lexicon.verbs[verb].priority, default="")


def _stem(path: str, lexicon: Lexicon) -> tuple[str, str]:
    """(verb of a script by its name or "run", verb that its words suggest or "")."""
    words = tokens(path.rpartition("/")[2].partition(".")[0])
    verb = _best([lexicon.stems[word] for word in words if word in lexicon.stems], lexicon)
    said = [lexicon.says[word] for word in words if word in lexicon.says]
    settled = [verb for verb in said if verb in lexicon.words["settles"]]
    return verb or "run", settled[0] if settled else ""


def _file(path: str, after: tuple[str, ...], word: str | None, lexicon: Lexicon, script: bool) -> Call:
    table = lexicon.subcommands.get(path.rpartition("/")[2])
    if table is not None:
        return Call(subcommand_verb(after, table), word, path, script)
    verb, hint = _stem(path, lexicon)
    return Call(verb, word, path, script, hint=hint)


def _unknown(part: Part, lexicon: Lexicon) -> Call:
    first = part.words[0]
    if not _NAME.match(first):
        return Call("note")
    if "/" in first or _SCRIPT.search(first):
        return _file(first, part.words[1:], None, lexicon, bool(_SCRIPT.search(first)))
    return Call("run", hint=_stem(first, lexicon)[1])


def _runner(part: Part, word: str, lexicon: Lexicon) -> Call:
    words = lexicon.words
    rest = [
        w
        for w in operands(part.words[1:], words["runner_values"])
        if w not in words["runner_skip"] and not w.isdigit() and w[:1] not in ("@", "+", "") and "=" not in w
    ]
    if rest[:1] == ["workspace"]:  # followed by the name of the workspace
        del rest[:2]
    own = lexicon.commands.get(word, "run")
    if not rest:
        return Call("install" if word in words["bare_install"] else own, word)
    if word in words["many_targets"]:
        hits = [verb for verb in (_script(target, word, lexicon) for target in rest) if verb]
        return Call(_best(hits, lexicon) or own, word)
    first = rest[0]
    if "/" in first or _SCRIPT.search(first):
        return _file(first, tuple(rest[1:]), word, lexicon, True)
    return Call(_script(first, word, lexicon) or own, word, hint=_stem(first, lexicon)[1])


def _script(target: str, word: str, lexicon: Lexicon) -> str:
    lowered = target.lower()
    if lowered.endswith("config") and word == "make":
        return "build"
    verbs = lexicon.scripts
    if lowered in verbs:
        found = verbs[lowered]
    else:
        found = next((verbs[token] for token in tokens(target) if token in verbs), "")
    if found == "install" and word in lexicon.words["install_builds"]:
        return "build"
    return found


def _interpreter(part: Part, word: str, lexicon: Lexicon) -> Call:
    words = lexicon.words
    arguments = part.words[1:]
    skip = False
    for place, argument in enumerate(arguments):
        after = arguments[place + 1 :]
        if skip:
            skip = False
        elif argument == "-m" and word in ("python", "pypy") and after:
            return _module(part, after, word, lexicon)
        elif argument == "--test":
            return Call("test", word, script=True)
        elif word in ("perl", "ruby") and _IN_PLACE.match(argument):
            return Call("edit", word, after[-1] if len(after) > 1 else "")
        elif argument in words["inline"]:
            return Call("run", word, script=True, snippet=after[0] if after else part.body)
        elif argument == "-":
            break
        elif argument.startswith("-"):
            skip = argument in words["values"]
        else:
            return _file(argument, after, word, lexicon, True)
    return Call("run", word, script=True, snippet=part.body)


def _module(part: Part, words: tuple[str, ...], word: str, lexicon: Lexicon) -> Call:
    name, base = words[0], words[0].partition(".")[0]
    for module in (name, base):
        if module in lexicon.modules:
            return Call(lexicon.modules[module], word, script=True)
    if base in lexicon.commands:
        return classify(part._replace(words=(base, *words[1:])), lexicon)
    verb, hint = _stem(name.rpartition(".")[2], lexicon)
    return Call(verb, word, script=True, hint=hint)


def _curl(part: Part, word: str, lexicon: Lexicon) -> Call | None:
    local = any(host in argument for argument in part.words for host in lexicon.words["local"])
    to_file = not local and "/dev/null" not in part.words
    if word == "wget":
        printed = {"--spider", "-O-", "-qO-", "-qO", "-O"}.intersection(part.words)
        shown = printed and ("-" in part.words or not printed <= {"-O", "-qO"})
        return Call("download" if to_file and not shown else "request", word)
    if not to_file:
        return Call("request", word)
    for argument in part.words[1:]:
        short = argument.startswith("-") and not argument.startswith("--")
        if argument in ("--output", "--remote-name") or (short and re.search(r"[oO]$", argument)):
            return Call("download", word)
    return Call("request", word)


def _sed(part: Part, word: str, lexicon: Lexicon) -> Call | None:
    for argument in part.words[1:]:
        if argument.startswith("--in-place") or (argument[:2] != "--" and _IN_PLACE.match(argument)):
            return Call("edit", word, _path(part, word, lexicon))
    return None


def _cat(part: Part, word: str, lexicon: Lexicon) -> Call | None:
    return Call("create", word, part.target) if part.target else None


def _tail(part: Part, word: str, lexicon: Lexicon) -> Call | None:
    follows = {"-f", "-F", "--follow", "-fn"}.intersection(part.words)
    return Call("wait", word) if follows else None


def _tar(part: Part, word: str, lexicon: Lexicon) -> Call | None:
    bundles = (w for i, w in enumerate(part.words[1:]) if i == 0 or _BUNDLE.match(w))
    options = "".join(w for w in bundles if not w.startswith("--"))
    if "--extract" in part.words or "x" in options:
        return None
    if "--create" in part.words or "c" in options:
        return Call("create", word, _path(part, word, lexicon))
    return Call("inspect", word) if "t" in options or "--list" in part.words else None


def _find(part: Part, word: str, lexicon: Lexicon) -> Call | None:
    if "-delete" in part.words:
        return Call("clean", word)
    for flag in ("-exec", "-execdir", "-ok"):
        if flag in part.words:
            inner = classify(part._replace(words=part.words[part.words.index(flag) + 1 :]), lexicon)
            if lexicon.verbs[inner.verb].priority > lexicon.verbs["search"].priority:
                return Call(inner.verb, word)
    return None


_SPECIAL = {
    "curl": _curl,
    "wget": _curl,
    "sed": _sed,
    "cat": _cat,
    "tail": _tail,
    "tar": _tar,
    "bsdtar": _tar,
    "find": _find,
}


def _path(part: Part, word: str, lexicon: Lexicon) -> str:
    """The first operand that looks like a path; of sed the last."""
    words = lexicon.words
    rest = [w for w in part.words[1:] if w and w[0] != "-" and not w.isdigit() and len(w) < 300]
    if word in words["patterned"]:
        rest = rest[1:]
    paths = [w for w in rest if _looks_like_path(w, word in words["pathed"], lexicon)]
    if not paths:
        return ""
    return paths[-1] if word == "sed" else paths[0]


def _looks_like_path(text: str, bare: bool, lexicon: Lexicon) -> bool:
    if "://" in text or "\n" in text or text.startswith(("$()", "{", "|")) or text in (".", "..", "*"):
        return False
    return bare or "/" in text or bool(_EXTENSION.search(text)) or text in lexicon.words["file_names"]
