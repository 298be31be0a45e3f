"""What does a YAML file hold, and on which line does each part stand? Plain data only, bounded."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracelode.errors import UsageError

MOST = 20_000
"""Nodes of a file: aliases that name each other could make any number of them."""
Path = tuple[str | int, ...]
"""Keys and places from the top."""


class Located(NamedTuple):
    """A file's content."""

    value: Any
    """Mappings, lists, texts, numbers, flags and None."""
    lines: dict[Path, int]
    """Where each part begins, 1-based; of a mapping's entry the line of its key."""
    doubled: list[Path]
    """Keys that a mapping has twice."""

    def line(self, path: Path) -> int:
        """The line of a part, or of the nearest part around it that is there."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read(text: str, name: str) -> Located:
    """Read a YAML text.

    Args:
        text: the file's text.
        name: the file, for messages.

    Returns:
        Its content with lines.

    Raises:
        UsageError: it is no YAML, too large, or names a type of its own.
    """
    import yaml

    loader = yaml.SafeLoader(text)
    found = Located(None, {}, [])
    count = 0

    def build(node: Any, path: Path) -> Any:
        nonlocal count
        count += 1
        if count > MOST or len(path) > 20:
            raise UsageError(f"{name}:{node.start_mark.line + 1}: too large or too deep for such a file")
        found.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            return [build(item, (*path, i)) for i, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            made: dict[Any, Any] = {}
            for key, item in node.value:
                word = str(loader.construct_object(key)) if isinstance(key, yaml.ScalarNode) else "?"
                if word in made:
                    found.doubled.append((*path, word))
                found.lines[(*path, word)] = key.start_mark.line + 1
                made[word] = build(item, (*path, word))
            return made
        return loader.construct_object(node)

    try:
        top = loader.get_single_node()
        value = None if top is None else build(top, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f":{mark.line + 1}" if mark is not None else ""
        raise UsageError(f"{name}{place}: not YAML that can be read") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UsageError(f"{name}: not YAML that can be read") from None
    finally:
        loader.dispose()
    return found._replace(value=value)
