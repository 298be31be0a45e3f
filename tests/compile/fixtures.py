"""How are runs written as text in tests, and read back? The fixtures of the compiler's passes.

A fixture is a file tests/compile/fixtures/PASS/NAME.txt: the input, a line ---, what must come out. An input
holds runs; a line that starts with # is a remark, and `# key: value` before the first run is an option:

    # tool: {"name": "cancel", "hints": {"destructiveHint": true}}
    run a (success):
    user: Cancel my booking "B-17"
    find(name="Jo", limit=3) -> {"id": "B-17"}
    | weather(city="Rome") -> "sunny"
    shop/cancel(id="B-17") !timeout -> gave up
    cancel(id="B-17") -> missing
    cancel("not an object") -> done
    effect: file:src/a.py
    assistant: Done.

`| ` before a call says that it was issued side by side with the one before; `server/tool` names the server;
`!class` is the error class; `missing` is a result that was not recorded, nothing after `->` is null; what is
no JSON is text. `effect:` names a resource that the call before it was seen to change. `\\n` inside a text
without quotes is a line end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tracelode.compile.work import Declared, Work
from tracelode.model.intent import Intent
from tracelode.model.run import Call, Run, ToolSpec, Turn

FOLDER = Path(__file__).with_name("fixtures")
_RUN = re.compile(r"run ([^\s(:]+)\s*(?:\((success|failure)\))?:\Z")
_TURN = re.compile(r"(user|assistant|system): ?(.*)\Z")
_OPTION = re.compile(r"# ([a-z_]+): (.*)\Z")
_HEAD = re.compile(r"(\| )?(?:([\w.-]+)/)?([\w.:-]+)\(")
_NAME = re.compile(r"\s*([\w.-]+|\"(?:[^\"\\]|\\.)*\")=")
_TAIL = re.compile(r"(?:\s+!([\w-]*))?(?:\s+->(?: (.*)|\s*))?\Z")
_JSON = json.JSONDecoder()


@dataclass(frozen=True)
class Case:
    """One fixture."""

    name: str
    """File name without ending."""
    runs: tuple[Run, ...]
    """What its input says."""
    expected: str
    """Text after ---, without white space at its ends."""
    options: tuple[tuple[str, str], ...] = ()
    """(key, value) of its first remarks, in order; a key may come several times."""

    def option(self, key: str, default: str = "") -> str:
        """The last value of an option.

        Args:
            key: its name.
            default: what counts where it is not given.
        """
        return dict(self.options).get(key, default)

    def declared(self) -> Declared:
        """What its `# tool:` options declare."""
        specs = [msgspec.json.decode(value, type=ToolSpec) for key, value in self.options if key == "tool"]
        return Declared(tools={spec.name: spec for spec in specs})

    def work(self) -> Work:
        """Its runs as one intent; failed ones as negative evidence."""
        return work(self.runs, declared=self.declared())


def cases(name: str) -> list[Any]:
    """The fixtures of a pass, as parameters of one test.

    Args:
        name: of the pass: the folder below fixtures/.

    Returns:
        One pytest parameter for each file; fails where there is none.
    """
    files = sorted((FOLDER / name).glob("*.txt"))
    assert files, f"no fixture in {FOLDER / name}"
    return [pytest.param(case(path), id=path.stem) for path in files]


def case(path: Path) -> Case:
    """Read one fixture.

    Args:
        path: of the file.
    """
    given, found, expected = path.read_text().partition("\n---\n")
    assert found, f"{path.name} has no line ---"
    options = []
    for line in given.splitlines():
        if not line.startswith("#"):
            break
        option = _OPTION.match(line)
        if option is not None:
            options.append((option[1], option[2]))
    return Case(path.stem, runs(given), expected.strip(), tuple(options))


def runs(text: str) -> tuple[Run, ...]:
    """Runs from their text form.

    Args:
        text: as the module says.

    Returns:
        Runs in the order of the text.

    Raises:
        AssertionError: a line is none of the known ones.
    """
    found: list[tuple[str, str | None, list[str]]] = []
    for line in text.splitlines():
        head = _RUN.match(line.strip())
        if head is not None:
            found.append((head[1], head[2], []))
        elif line.strip() and not line.lstrip().startswith("#"):
            assert found, f"a line before the first run: {line}"
            found[-1][2].append(line.strip())
    return tuple(_run(key, outcome, lines) for key, outcome, lines in found)


def run(text: str) -> Run:
    """The only run of a text; the line `run NAME:` may be left out.

    Args:
        text: as the module says.
    """
    body = text.strip()
    (only,) = runs(body if body.startswith("run ") else f"run r:\n{body}")
    return only


def work(given: Sequence[Run], **fields: Any) -> Work:
    """Runs as the work of one intent.

    Args:
        given: runs; those that failed become negative evidence.
        fields: further fields of Work.
    """
    intent = Intent(id="i_00000000", name="test", runs=tuple(sorted(r.key for r in given)))
    good = tuple(r for r in given if r.outcome != "failure")
    bad = tuple(r for r in given if r.outcome == "failure")
    return Work(intent=intent, runs=good, failed=bad, **fields)


def calls(given: Iterable[str]) -> tuple[Call, ...]:
    """Calls from their lines.

    Args:
        given: one line for each.
    """
    return run("\n".join(given)).calls


def _run(key: str, outcome: str | None, lines: Sequence[str]) -> Run:
    found: list[Call] = []
    turns: list[Turn] = []
    effects: dict[int, tuple[str, ...]] = {}
    for line in lines:
        turn = _TURN.match(line)
        if turn is not None:
            turns.append(Turn(turn[1], turn[2].replace("\\n", "\n"), len(found)))  # type: ignore[arg-type]
        elif line.startswith("effect: "):
            place = len(found) - 1
            effects[place] = (*effects.get(place, ()), line[8:].strip())
        else:
            found.append(_call(line, len(found), found[-1].group if found else -1))
    return Run(key=key, calls=tuple(found), turns=tuple(turns), outcome=outcome, effects=effects)


def _call(line: str, index: int, group: int) -> Call:
    head = _HEAD.match(line)
    assert head is not None, f"no call: {line}"
    arguments, at = _arguments(line, head.end())
    tail = _TAIL.match(line, at)
    assert tail is not None, f"what follows the arguments is not understood: {line}"
    shown = tail[2]
    return Call(
        index=index,
        name=head[3],
        server=head[2] or "",
        arguments=arguments,
        output=None if shown in (None, "missing") else value(shown),
        missing=shown == "missing",
        error=(tail[1] or "error") if tail[1] is not None else "",
        group=group if head[1] else group + 1,
    )


def _arguments(line: str, at: int) -> tuple[Any, int]:
    given: dict[str, Any] = {}
    while True:
        while line[at : at + 1] in (" ", ","):
            at += 1
        if line[at : at + 1] == ")":
            return given, at + 1
        name = _NAME.match(line, at)
        if name is None:  # arguments that are no object
            whole, at = _JSON.raw_decode(line, at)
            assert line[at : at + 1] == ")", f"no argument: {line}"
            assert not given, f"no argument: {line}"
            return whole, at + 1
        key = json.loads(name[1]) if name[1].startswith('"') else name[1]
        given[key], at = _JSON.raw_decode(line, name.end())


def value(text: str) -> Any:
    """A value from its text: JSON, or else the text itself.

    Args:
        text: one line.
    """
    try:
        return json.loads(text)
    except ValueError:
        return text.replace("\\n", "\n")


def shown(tree: Any) -> str:
    """A value as one line of JSON, keys in their order.

    Args:
        tree: JSON value.
    """
    return json.dumps(tree, ensure_ascii=False)
