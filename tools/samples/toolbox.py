"""How does one tool call look in a transcript? Its input, what the model sees, and the structured twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samples.session import Session

REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)
INTERRUPTED = "[Request interrupted by user for tool use]"
PLAN_TOOLS = frozenset({"TaskCreate", "TaskUpdate", "EnterPlanMode", "ExitPlanMode"})


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool call and its result."""

    name: str
    """Tool name."""
    input: dict[str, Any]
    """Arguments."""
    shown: str | list[dict[str, Any]] = ""
    """What the model sees."""
    twin: Any = None
    """The structured twin of the result."""
    seconds: float = 0.1
    """From call to result."""
    error: bool | None = None
    """The result's flag; None where the product writes none."""
    bulk: int = 0
    """Tokens of output beyond what the sample shows."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Further fields of the result's record."""
    steer: tuple[float, str] | None = None
    """Seconds into the call and what the user types then, for the model to read after the result."""
    work: Callable[[Session], str] | None = None
    """A sub-agent's scenario; gives its report."""
    model: str = ""
    """Model of the sub-agent."""

    @property
    def status(self) -> str:
        """How the call ends."""
        if "toolDenialKind" in self.extra:
            return "denied"
        if self.shown == INTERRUPTED:
            return "interrupted"
        return "nonzero" if self.error else "ok"

    @property
    def kind(self) -> str:
        """Kind of operation the call counts as."""
        if self.name in PLAN_TOOLS:
            return "plan"
        return "subagent" if self.name == "Agent" else "tool"


def bash(
    command: str, about: str, out: str = "", seconds: float = 0.8, *, code: int = 0, bulk: int = 0
) -> Tool:
    """A shell command; code is its exit code."""
    given = {"command": command, "description": about}
    if code:
        text = f"Exit code {code}\n{out}" if out else f"Exit code {code}"
        return Tool(
            name="Bash",
            input=given,
            shown=text,
            twin=f"Error: {text}",
            seconds=seconds,
            error=True,
            bulk=bulk,
        )
    twin = {"stdout": out, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    return Tool(name="Bash", input=given, shown=out, twin=twin, seconds=seconds, error=False, bulk=bulk)


def read(path: str, text: str, *, start: int = 1, total: int = 0, bulk: int = 0) -> Tool:
    """A file read; with a total it has more lines than the sample shows, and bulk is what they weigh."""
    lines = text.split("\n")
    given: dict[str, Any] = {"file_path": path}
    if start > 1:
        given |= {"offset": start, "limit": len(lines)}
    numbered = [f"{start + i}\t{line}" for i, line in enumerate(lines)]
    if total and start == 1:
        numbered.append(f"... [{total - len(lines)} more lines, cut from this sample] ...")
    file = {"filePath": path, "content": text, "numLines": total or len(lines), "startLine": start}
    twin = {"type": "text", "file": file | {"totalLines": total or len(lines)}}
    return Tool(name="Read", input=given, shown="\n".join(numbered), twin=twin, seconds=0.06, bulk=bulk)


def edit(path: str, old: str, new: str, *, line: int = 1) -> Tool:
    """A replacement in a file, at a line."""
    before, after = old.split("\n"), new.split("\n")
    patch: dict[str, Any] = {
        "oldStart": line,
        "oldLines": len(before),
        "newStart": line,
        "newLines": len(after),
    }
    patch |= {"lines": [f"-{x}" for x in before] + [f"+{x}" for x in after]}
    twin: dict[str, Any] = {"filePath": path, "oldString": old, "newString": new, "originalFile": None}
    twin |= {"structuredPatch": [patch], "userModified": False, "replaceAll": False}
    given = {"replace_all": False, "file_path": path, "old_string": old, "new_string": new}
    shown = f"The file {path} has been updated successfully."
    return Tool(name="Edit", input=given, shown=shown, twin=twin, seconds=0.09)


def write(path: str, content: str) -> Tool:
    """A new file."""
    twin: dict[str, Any] = {"type": "create", "filePath": path, "content": content, "structuredPatch": []}
    twin |= {"originalFile": None, "userModified": False}
    shown = f"File created successfully at: {path}"
    given = {"file_path": path, "content": content}
    return Tool(name="Write", input=given, shown=shown, twin=twin, seconds=0.08)


def grep(pattern: str, path: str, lines: str, *, bulk: int = 0) -> Tool:
    """A search that shows matching lines; empty for no match."""
    twin = {"mode": "content", "numFiles": 0, "filenames": [], "content": lines}
    twin["numLines"] = lines.count("\n") + 1 if lines else 0
    given = {"pattern": pattern, "path": path, "output_mode": "content", "-n": True}
    shown = lines or "No matches found"
    return Tool(name="Grep", input=given, shown=shown, twin=twin, seconds=0.12, bulk=bulk)


def glob(pattern: str, files: list[str]) -> Tool:
    """A search for file names."""
    twin = {"filenames": files, "durationMs": 14, "numFiles": len(files), "truncated": False}
    return Tool(name="Glob", input={"pattern": pattern}, shown="\n".join(files), twin=twin, seconds=0.05)


def search_web(query: str, links: list[tuple[str, str]], answer: str, seconds: float, bulk: int = 0) -> Tool:
    """A web search with its links and the digest that comes back."""
    found = [{"title": title, "url": url} for title, url in links]
    twin: dict[str, Any] = {
        "query": query,
        "results": [{"tool_use_id": "srvtoolu_01demo", "content": found}, answer],
    }
    twin["durationSeconds"] = seconds
    listed = "\n".join(f"{title} {url}" for title, url in links)
    shown = f'Web search results for query: "{query}"\n\n{listed}\n\n{answer}'
    return Tool(
        name="WebSearch", input={"query": query}, shown=shown, twin=twin, seconds=seconds + 0.1, bulk=bulk
    )


def query(sql: str, rows: str, seconds: float, bulk: int = 0) -> Tool:
    """A query through the postgres MCP server."""
    blocks = [{"type": "text", "text": rows}]
    given = {"sql": sql}
    name = "mcp__postgres__query"
    return Tool(name=name, input=given, shown=blocks, twin=blocks, seconds=seconds, bulk=bulk)


def task_new(number: int, subject: str, about: str, active: str) -> Tool:
    """A new item of the to-do plan."""
    given = {"subject": subject, "description": about, "activeForm": active}
    shown = f"Task #{number} created successfully: {subject}"
    twin = {"task": {"id": str(number), "subject": subject}}
    return Tool(name="TaskCreate", input=given, shown=shown, twin=twin, seconds=0.01)


def task_move(number: int, before: str, after: str) -> Tool:
    """A change of an item's status."""
    twin: dict[str, Any] = {"success": True, "taskId": str(number), "updatedFields": ["status"]}
    twin["statusChange"] = {"from": before, "to": after}
    given = {"taskId": str(number), "status": after}
    shown = f"Updated task #{number} status"
    return Tool(name="TaskUpdate", input=given, shown=shown, twin=twin, seconds=0.01)


def plan_approved(plan: str, file: str, seconds: float) -> Tool:
    """A plan put before the user, who approves it after some time."""
    shown = (
        "User has approved your plan. You can now start coding. Start with updating your todo list if "
        f"applicable\n\nYour plan has been saved to: {file}\nYou can refer back to it if needed during "
        f"implementation.\n\n## Approved Plan:\n{plan}"
    )
    twin = {"plan": plan, "isAgent": False, "filePath": file}
    given = {"plan": plan, "planFilePath": file}
    return Tool(name="ExitPlanMode", input=given, shown=shown, twin=twin, seconds=seconds)


def denied(tool: Tool, said: str, seconds: float) -> Tool:
    """The same call, refused by the user with a word of advice."""
    text = REJECTED + said
    extra = {"toolDenialKind": "user-rejected"}
    return replace(tool, shown=text, twin=f"Error: {text}", seconds=seconds, error=True, extra=extra)


def interrupted(tool: Tool, seconds: float) -> Tool:
    """The same call, stopped by the user while it ran."""
    return replace(tool, shown=INTERRUPTED, twin=f"Error: {INTERRUPTED}", seconds=seconds, error=True)


def steered(tool: Tool, at: float, text: str) -> Tool:
    """The same call, during which the user types a message."""
    return replace(tool, steer=(at, text))


def agent(about: str, prompt: str, kind: str, model: str, work: Callable[[Session], str]) -> Tool:
    """A sub-agent: its scenario runs on a transcript of its own and gives the report."""
    given = {"description": about, "prompt": prompt, "subagent_type": kind}
    return Tool(name="Agent", input=given, work=work, model=model)
