"""What do skills, tool schemas and the user say beforehand? Priors: they name, refuse and add order, no more.

Read are SKILL.md files, lists of tools as MCP servers and model APIs have them (JSON or YAML), OpenAPI
descriptions, and the user's own effects: a file with a table `effects`, in TOML, YAML or JSON:

    [effects]
    find_room = "read"
    [effects.cancel_booking]
    effect = "destructive"
    resource = ["booking_id"]
    family = "bookings"
    idempotent = true
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from tracelode.compile.normalise import openapi
from tracelode.compile.normalise.plain import plain
from tracelode.compile.work import Declared
from tracelode.files import bounded, why
from tracelode.model.run import ToolSpec
from tracelode.model.workflow import Effect, EffectClass
from tracelode.redact.fast import redact_text
from tracelode.signals.effects import CLASSES

LARGEST = 10_000_000
"""Bytes of a file that is read."""
DEEPEST = 6
"""Folders below the one given in which skills are looked for."""
SUFFIXES = (".json", ".yaml", ".yml", ".toml")
_SKILL = "SKILL.md"
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_KEYS = {"effect", "resource", "family", "idempotent"}


class Trouble(msgspec.Struct, frozen=True):
    """Something that could not be used."""

    path: str
    """File."""
    line: int
    """1-based line, 0 where the format tells none."""
    reason: str
    """Closed words, with names of the file's own keys."""


class _Reader:
    def __init__(self) -> None:
        self.tools: dict[str, ToolSpec] = {}
        self.effects: dict[str, Effect] = {}
        self.skills: dict[str, str] = {}
        self.troubles: list[Trouble] = []
        self.path = Path()

    def complain(self, reason: str, line: int = 0) -> None:
        self.troubles.append(Trouble(str(self.path), line, reason))

    def file(self, path: Path) -> None:
        self.path = path
        try:
            text = bounded(path, LARGEST).decode("utf-8-sig")
        except UnicodeDecodeError:
            self.complain("not UTF-8 text")
            return
        except OSError as error:
            self.complain(f"cannot be read: {why(error)}")
            return
        if path.name == _SKILL:
            self.skill(text)
        elif (tree := self.tree(text, path.suffix.lower())) is not None:
            self.take(tree)

    def tree(self, text: str, suffix: str) -> Any:
        if suffix == ".toml":
            try:
                return tomllib.loads(text)
            except tomllib.TOMLDecodeError as error:
                self.complain("no valid TOML", _line(str(error)))
                return None
        if suffix == ".json":
            try:
                return plain(msgspec.json.decode(text))
            except (ValueError, RecursionError):
                self.complain("no valid JSON, or nested too deep")
                return None
        return self.yaml(text, 0)

    def yaml(self, text: str, above: int) -> Any:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            return plain(yaml.load(text, Loader=loader))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self.complain("no valid YAML", above + mark.line + 1 if mark else 0)
        except (yaml.YAMLError, ValueError, RecursionError):
            self.complain("no YAML that can be read: broken, or too large once its links are followed")
        return None

    def skill(self, text: str) -> None:
        lines = text.split("\n")
        end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
        if lines[0].rstrip() != "---" or not end:
            self.complain("a skill begins with a block between two lines of ---", 1)
            return
        head = self.yaml("\n".join(lines[1:end]), 1)
        if head is None:
            return
        if not isinstance(head, dict):
            self.complain("the block of a skill holds keys with values", 2)
            return
        name, about = head.get("name"), head.get("description")
        if not isinstance(name, str) or not name.strip():
            self.complain("the skill has no name: it goes by its folder's", 1)
            name = self.path.parent.name
        if not isinstance(about, str):
            self.complain("the skill has no description", 1)
            about = ""
        if name.strip() in self.skills:
            self.complain("a second skill of the same name: the first counts", 1)
        else:
            self.skills[name.strip()] = redact_text(" ".join(about.split()))

    def take(self, tree: Any) -> None:
        """What a decoded file declares, by its form."""
        if isinstance(tree, dict) and isinstance(tree.get("effects"), dict):
            extra = sorted(set(tree) - {"effects"})
            if extra:
                self.complain(f"beside effects a file may hold nothing else: {', '.join(extra)[:200]}")
            for name, given in tree["effects"].items():
                self.effect(str(name), given)
            return
        if isinstance(tree, dict) and isinstance(tree.get("paths"), dict):
            for spec in openapi.operations(tree, self.complain):
                self.add(spec)
            return
        server, listed = _listed(tree)
        if listed is None:
            self.complain("no form that is known: tools, OpenAPI paths, or effects")
            return
        for place, given in enumerate(listed, 1):
            tool = _tool(given, server)
            if tool is None:
                self.complain(f"tool {place} of the list has no name")
            else:
                self.add(tool)

    def add(self, spec: ToolSpec) -> None:
        if spec.name in self.tools:
            if self.tools[spec.name] != spec:
                self.complain(f"a second, other tool {spec.name[:100]}: the first counts")
            return
        self.tools[spec.name] = spec

    def effect(self, name: str, given: Any) -> None:
        given = {"effect": given} if isinstance(given, str) else given
        if not isinstance(given, dict) or set(given) - _KEYS:
            self.complain(f"effects.{name}: a class, or a table of {', '.join(sorted(_KEYS))}")
            return
        kind = given.get("effect")
        if kind not in CLASSES:
            self.complain(f"effects.{name}: effect must be one of {', '.join(CLASSES)}")
            return
        resource = given.get("resource", ())
        resource = [resource] if isinstance(resource, str) else resource
        family, idempotent = given.get("family", ""), given.get("idempotent", False)
        if not isinstance(resource, list | tuple) or not all(isinstance(p, str) for p in resource):
            self.complain(f"effects.{name}: resource must be a list of argument paths")
        elif not isinstance(family, str) or not isinstance(idempotent, bool):
            self.complain(f"effects.{name}: family must be text, idempotent true or false")
        elif name in self.effects:
            self.complain(f"effects.{name}: configured before; the first counts")
        else:
            self.effects[name] = Effect(
                effect=cast(EffectClass, kind),
                basis="configured",
                resource=tuple(resource),
                family=family,
                idempotent=idempotent,
            )


def declared(paths: Iterable[Path]) -> tuple[Declared, list[Trouble]]:
    """Read what is declared.

    Args:
        paths: files, and folders: of a folder every SKILL.md below it, and its own JSON, YAML and TOML files.

    Returns:
        (what they say, what could not be used and where); of two that say different things of one tool the
        first counts. Never raises for the content of a file.

    Source:
        compiler rules, S0b.
    """
    reader = _Reader()
    for path in paths:
        if path.is_dir():
            for found in _files(path):
                reader.file(found)
        else:
            reader.file(path)
    return (
        Declared(
            tools=dict(sorted(reader.tools.items())),
            effects=dict(sorted(reader.effects.items())),
            skills=dict(sorted(reader.skills.items())),
        ),
        reader.troubles,
    )


def _files(folder: Path) -> Iterator[Path]:
    for here, inside, names in os.walk(folder):
        inside.sort()
        if len(Path(here).relative_to(folder).parts) >= DEEPEST:
            inside.clear()
        for name in sorted(names):
            if name == _SKILL or (Path(here) == folder and name.lower().endswith(SUFFIXES)):
                yield Path(here) / name


def _line(told: str) -> int:
    """The line that the message of the TOML reader names."""
    _, _, rest = told.rpartition("at line ")
    digits = rest.partition(",")[0]
    return int(digits) if digits.isdigit() else 0


def _listed(tree: Any) -> tuple[str, list[Any] | None]:
    """The server and the list of tools in a decoded file."""
    server = ""
    for _ in range(3):
        if isinstance(tree, list):
            return server, tree
        if not isinstance(tree, dict):
            break
        about = tree.get("serverInfo")
        if isinstance(about, dict) and isinstance(about.get("name"), str):
            server = about["name"]
        tree = tree.get("tools", tree.get("result", tree.get("functions")))
    return server, None


def _tool(given: Any, server: str) -> ToolSpec | None:
    """A tool of a list, in the words of MCP, OpenAI or Anthropic."""
    if isinstance(given, dict) and isinstance(given.get("function"), dict):
        given = given["function"]
    if not isinstance(given, dict) or not isinstance(given.get("name"), str) or not given["name"]:
        return None
    schema: dict[str, Any] = {}
    for key in ("parameters", "input_schema", "inputSchema"):
        if isinstance(given.get(key), dict):
            schema = given[key]
    about, notes = given.get("description"), given.get("annotations")
    return ToolSpec(
        name=given["name"],
        server=server,
        description=redact_text(about) if isinstance(about, str) else "",
        parameters=schema,
        hints=hints(notes if isinstance(notes, dict) else {}),
    )


def hints(notes: Mapping[str, Any]) -> dict[str, bool]:
    """The hints among a tool's annotations.

    Args:
        notes: as declared.

    Returns:
        Those of the four known names that are true or false.
    """
    return {name: notes[name] for name in _HINTS if isinstance(notes.get(name), bool)}
