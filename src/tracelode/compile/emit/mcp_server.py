"""How is a workflow offered as a tool? A small MCP server that runs it through tracelode's executor."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.compile.emit.file import workflow_file
from tracelode.compile.emit.given import Files, Given, input_schema, workflow_of
from tracelode.compile.emit.names import slug
from tracelode.compile.emit.skill import description
from tracelode.model.workflow import Workflow

_DESTRUCTIVE = ("destructive", "external_send", "unknown")

_SERVER = '''\
"""Offers a compiled workflow as one MCP tool; needs tracelode, mcp (2 or later) and workflow.json beside it.

    python server.py tools.json [--journal FILE] [--approved STEP] [--trust-caller]

tools.json tells where the workflow's own tools are, as MCP servers:
{"servers": [{"name": ..., "command": [...]}, {"name": ..., "url": ...}]}. A write is
made only where its step was approved on the command line, or after a yes of a person: in a terminal, with the
command that the answer tells. Whoever calls is taken for a model, whose word approves no write, unless
--trust-caller says to believe it on what a person said.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from tracelode.compile.execute.embedded import EmbeddedEngine
from tracelode.compile.files import load
from tracelode.errors import Repeated, TracelodeError
from tracelode.model.execution import Outcome, Policy, Reply
from tracelode.providers.tools_mcp import McpServer, McpTools

SOON = 600
"""Seconds in which the same call is taken for a repeated one, as a client makes it that lost the answer."""
HERE = Path(__file__).resolve().parent
TOOL: dict[str, Any] = json.loads(r"""
@TOOL@
""")


class Offered:
    """The workflow and the tools that it calls."""

    def __init__(self, servers: Any, journal: str, approved: list[str], trusting: bool) -> None:
        self.workflow = load(HERE / "workflow.json")
        self.servers = msgspec.convert(servers, list[McpServer])
        self.toolbox = McpTools(self.servers)
        self.engine, self.journal = EmbeddedEngine(), journal
        self.policy, self.trusting = Policy(approved=tuple(approved)), trusting
        self.asked: dict[str, str] = {}
        """Run to the kind of question that it stands at."""
        self.writes = any(step.effect.writes for step in self.workflow.steps)
        self.begun: dict[str, str] = {}
        """Run to its arguments."""
        self.ended: dict[str, tuple[float, str]] = {}
        """Arguments to when a run of theirs that may have written ended, and its id."""
        self.lock = asyncio.Lock()

    async def call(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Start a run, or answer the question that one stands at."""
        given = dict(arguments)
        resume, answer = given.pop("_resume", ""), given.pop("_answer", None)
        again, same = given.pop("_again", False) is True, json.dumps(given, sort_keys=True)
        kind = self.asked.get(resume, "")
        if answer is not None and (why := _unfit(kind, answer)):
            return {"error": why, "run": resume, **(self._how(resume) if kind == "approval" else {})}, True
        async with self.lock:
            at, before = self.ended.get(same, (0.0, ""))
            if not resume and not again and before and time.monotonic() - at < SOON:
                told = f"a run of these arguments ended {time.monotonic() - at:.0f} seconds ago: {before}; "
                told += "say _again to write once more"
                return {"error": told, "run": before}, True
            try:
                if resume:
                    outcome = await self.engine.resume(
                        self.workflow,
                        self.toolbox,
                        place=self.journal,
                        run=resume,
                        reply=None if answer is None else self._reply(answer),
                        secrets=given,
                        policy=self.policy,
                    )
                else:
                    outcome = await self.engine.start(
                        self.workflow, self.toolbox, given, place=self.journal, policy=self.policy
                    )
            except Repeated as error:
                return {"error": str(error), "run": error.run, **self._how(error.run)}, True
            except (TracelodeError, msgspec.MsgspecError, TypeError, ValueError) as error:
                approves = "approves no write" in str(error)
                # this server was started anew since the question, and does not know its kind
                why = _unfit("approval", answer) if approves else ""
                told = {"error": why or str(error), **({"run": resume} if resume else {})}
                return {**told, **(self._how(resume) if approves else {})}, True
        self.asked.pop(outcome.run, None)
        if not resume:
            self.begun[outcome.run] = same
        if self.writes and outcome.status in ("done", "handed_over"):
            self.ended[self.begun.pop(outcome.run, same)] = time.monotonic(), outcome.run
        told = _told(outcome)
        if outcome.question is not None:
            self.asked[outcome.run] = outcome.question.kind
            if outcome.question.kind == "approval" or (outcome.escalation and outcome.escalation.writes):
                told.update(self._how(outcome.run))
        return told, outcome.status == "stopped"

    def _how(self, run: str) -> dict[str, Any]:
        """How a person answers, in words for whoever shows this to one."""
        words = ["tracelode", "run", str(HERE / "workflow.json"), "--journal", self.journal, "--resume", run]
        for one in self.servers:
            reached = one.url or f"mcp:{shlex.join(one.command)}"
            words += ["--tools", f"{one.name}={reached}"]
            for header, variable in one.headers.items():
                words += ["--header", f"{header}={variable}"]
            for variable in one.environment:
                words += ["--pass-env", variable]
        told = "A person decides: show this, and let one run the command in a terminal; it asks and goes on."
        if self.trusting:
            told += ' Or call again with _resume and {"yes": true, "person": true} once a person said yes.'
        return {"how": told, "command": shlex.join(words)}

    def _reply(self, answer: dict[str, Any]) -> Reply:
        fields = {k: answer[k] for k in ("choice", "text", "value", "yes", "action") if k in answer}
        person = self.trusting and answer.get("person") is True
        return msgspec.convert({**fields, "by": "person" if person else "model"}, Reply)


WANTED = {
    "choose": "choice", "generate": "text", "value": "value", "approval": "yes", "escalation": "action"
}


def _unfit(kind: str, answer: Any) -> str:
    """Why an answer is none to the question that a run stands at, "" where it is one."""
    if not isinstance(answer, dict):
        return "_answer is an object: choice, text, value, yes or action"
    wanted = WANTED.get(kind, "")
    if not wanted or wanted in answer:
        return ""
    other = ", ".join(sorted(set(answer) & set(WANTED.values()))) or "nothing that is asked"
    more = "; it is a write, and only a person says yes or no to it" if kind == "approval" else ""
    return f"the question is of the kind {kind} and takes {wanted}{more}: the answer has {other}"


def _told(outcome: Outcome) -> dict[str, Any]:
    told = msgspec.to_builtins(outcome)
    return {"run": outcome.run, "status": outcome.status,
            **{k: told[k] for k in ("outputs", "skipped", "question", "escalation") if told.get(k)}}


async def serve(offered: Offered) -> None:
    """Answer over standard input and output until they end."""

    async def tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(TOOL)])

    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name != TOOL["name"]:
            told, wrong = {"error": "there is no such tool"}, True
        else:
            told, wrong = await offered.call(dict(params.arguments or {}))
        content = [types.TextContent(type="text", text=json.dumps(told))]
        return types.CallToolResult(content=content, structured_content=told, is_error=wrong)

    server = Server("tracelode", on_list_tools=tools, on_call_tool=call)
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await offered.toolbox.close()


def main() -> int:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(description="Offer a compiled workflow as an MCP tool.")
    parser.add_argument("tools", help="file that tells where the workflow's own tools are")
    parser.add_argument("--journal", default=str(HERE / "runs.sqlite"), help="file of the runs")
    more = parser.add_argument
    more("--approved", action="append", default=[], help="step whose write needs no further yes")
    more("--trust-caller", action="store_true", help="believe the caller that a person said yes")
    given = parser.parse_args()
    try:
        servers = json.loads(Path(given.tools).read_text(encoding="utf-8"))["servers"]
        offered = Offered(servers, given.journal, given.approved, given.trust_caller)
    except (OSError, ValueError, KeyError, TypeError, TracelodeError) as error:
        print(f"cannot start: {error}", file=sys.stderr)
        return 1
    asyncio.run(serve(offered))
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''


def mcp(given: Given) -> Files:
    """server.py with workflow.json: the workflow as one MCP tool.

    Args:
        given: a workflow, or a work whose verdict is one.

    Raises:
        WorkflowError: refused.

    Source:
        Model Context Protocol, tools: annotations are hints, and say the worst that any step may do.
    """
    workflow = workflow_of(given)
    # raw text between three quotes: in JSON no three quotes stand side by side
    told = msgspec.json.format(msgspec.json.encode(tool(workflow)), indent=1).decode()
    safe = "".join(c if c.isascii() else _escaped(c) for c in told)
    server = _SERVER.replace("@TOOL@", safe)
    return {"mcp/server.py": server.encode(), "mcp/workflow.json": workflow_file(given)["workflow.json"]}


def _escaped(sign: str) -> str:
    import json

    return json.dumps(sign)[1:-1]


def tool(workflow: Workflow) -> dict[str, Any]:
    """What the tool says of itself.

    Args:
        workflow: any.

    Returns:
        An MCP Tool: name, description, schema of its arguments and annotations.
    """
    schema = input_schema(workflow)
    schema["properties"] = {
        **schema["properties"],
        "_resume": {"type": "string", "description": "Run id: go on with a run that asked something."},
        "_again": {
            "type": "boolean",
            "description": "Write once more what a run of the same arguments wrote a short time ago.",
        },
        "_answer": {
            "type": "object",
            "description": "What is said to its question: choice, text, value, yes or action, as its "
            "kind wants. Only a person approves a write: the answer tells the command with which one does. "
            "person is true only if one did, and counts only where the server trusts its caller.",
        },
    }
    # whoever goes on with a run gives its id and no inputs
    schema["anyOf"] = [{"required": schema.pop("required")}, {"required": ["_resume"]}]
    return {
        "name": slug(workflow.name, "_"),
        "title": workflow.name,
        "description": description(workflow),
        "inputSchema": schema,
        "annotations": hints(workflow),
    }


def hints(workflow: Workflow) -> dict[str, Any]:
    """Honest hints: what the whole may do, where a step is not known the worst.

    Args:
        workflow: any.
    """
    effects = [s.effect for s in workflow.steps]
    writes = [e for e in effects if e.writes]
    return {
        "title": workflow.name,
        "readOnlyHint": not writes,
        "destructiveHint": any(e.effect in _DESTRUCTIVE for e in writes),
        "idempotentHint": all(e.idempotent or e.effect == "idempotent_write" for e in writes),
        # its own tools belong to others, whom we do not know
        "openWorldHint": True,
    }
