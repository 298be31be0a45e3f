"""How do several toolboxes become one?"""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.errors import ToolFailed
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.tools import Toolbox


class ToolsTogether:
    """Several toolboxes as one; a tool is found by its server and name.

    Args:
        boxes: the toolboxes; the first that offers a tool gets its calls.
    """

    def __init__(self, boxes: Sequence[Toolbox]) -> None:
        self._boxes = tuple(boxes)
        self._home: dict[tuple[str, str], Toolbox] = {}

    async def describe(self) -> list[ToolSpec]:
        """What all tools say of themselves; see Toolbox."""
        found: dict[tuple[str, str], ToolSpec] = {}
        home: dict[tuple[str, str], Toolbox] = {}
        for box in self._boxes:
            for spec in await box.describe():
                found.setdefault((spec.server, spec.name), spec)
                home.setdefault((spec.server, spec.name), box)
        self._home = home
        return [found[name] for name in sorted(found)]

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        """Call a tool once; see Toolbox."""
        if not self._home:
            await self.describe()
        box = self._home.get((server, name))
        if box is None and not server:
            offered = [
                box for (_, known), box in sorted(self._home.items(), key=lambda p: p[0]) if known == name
            ]
            box = offered[0] if len(offered) == 1 else None
        if box is None:
            raise ToolFailed(f"there is no tool {name!r}, or several servers offer it", kind="absent")
        return await box.call(name, arguments, key, server=server)

    async def close(self) -> None:
        """End all of them; see Toolbox."""
        for box in self._boxes:
            await box.close()
