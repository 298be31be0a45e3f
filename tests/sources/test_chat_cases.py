"""Does the chat source read every shape of message lists, and count the agent's work alone?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tracelode.sources.chat import Chat
from tracelode.workspace import Workspace
from written import added, every, lines

Record = dict[str, Any]


def ask(name: str, ident: str | None = "call_1", **arguments: Any) -> Record:
    """A tool call as the OpenAI API writes it."""
    return {
        "id": ident,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }


def talk(*calls: Record, answer: str = "42", **result: Any) -> list[Record]:
    """A prompt, a call, its result and an answer."""
    ident = calls[0]["id"] if calls else None
    return [
        {"role": "user", "content": "how many?"},
        {"role": "assistant", "content": None, "tool_calls": list(calls)},
        {"role": "tool", "tool_call_id": ident, "content": answer, **result},
        {"role": "assistant", "content": "so many"},
    ]


def shape(workspace: Workspace) -> list[tuple[str, str, str, str]]:
    """(actor, kind, name, status) of all operations."""
    return [(o.actor, o.kind, o.name, o.status) for o in every(workspace)]


PLAIN = [
    ("human", "prompt", "prompt", "ok"),
    ("agent", "model", "unknown model", "ok"),
    ("agent", "tool", "count", "unknown"),
    ("agent", "model", "unknown model", "ok"),
]


@pytest.mark.parametrize(
    "form", ["array", "object", "lines", "message a line", "array of arrays", "indented"]
)
def test_the_same_talk_in_every_frame(tmp_path: Path, form: str) -> None:
    messages = talk(ask("count", what="eggs"))
    content: bytes = {
        "array": json.dumps(messages).encode(),
        "object": json.dumps({"messages": messages}).encode(),
        "lines": lines([{"messages": messages}, messages]),
        "message a line": lines(messages),
        "array of arrays": json.dumps([messages]).encode(),
        "indented": json.dumps({"messages": messages}, indent=2).encode(),
    }[form]
    workspace, report = added(tmp_path, {"a.json": content})
    assert report.skipped == []
    expected = PLAIN * (2 if form == "lines" else 1)
    assert shape(workspace) == expected
    assert workspace.totals().calls == len(expected) // 2


def test_equal_runs_of_one_file_are_runs_of_their_own_and_a_copy_of_the_file_is_none(tmp_path: Path) -> None:
    twice = lines([talk(ask("count")), talk(ask("count"))])
    workspace, _ = added(tmp_path, {"a.jsonl": twice, "copy/of/b.jsonl": twice})
    assert (workspace.totals().sessions, workspace.totals().calls) == (2, 4)


def test_a_file_that_grew_replaces_what_was_read_of_it(tmp_path: Path) -> None:
    added(tmp_path, {"a.json": talk(ask("count"))})
    longer = [*talk(ask("count")), {"role": "user", "content": "more"}, {"role": "assistant", "content": "1"}]
    workspace, _ = added(tmp_path, {"a.json": longer})
    assert (workspace.totals().sessions, workspace.totals().calls) == (1, 3)


def test_results_find_their_call_by_id_whatever_the_order(tmp_path: Path) -> None:
    messages = [
        {"role": "assistant", "tool_calls": [ask("one", "a"), ask("two", "b"), ask("one", "a")]},
        {"role": "tool", "tool_call_id": "b", "content": "of b"},
        {"role": "tool", "tool_call_id": "a", "content": "of the second a", "is_error": True},
        {"role": "tool", "tool_call_id": "a", "content": "of the first a", "is_error": False},
        {"role": "tool", "tool_call_id": "ghost", "content": "of none"},
    ]
    workspace, report = added(tmp_path, {"a.json": messages})
    tools = [(o.name, o.output, o.status) for o in every(workspace) if o.kind == "tool"]
    assert tools == [
        ("one", "of the first a", "ok"),
        ("two", "of b", "unknown"),
        ("one", "of the second a", "error"),
    ]
    assert [(s.reason, s.count) for s in report.skipped] == [("tool result without a call", 1)]


def test_results_without_ids_go_to_the_oldest_open_call_of_the_name(tmp_path: Path) -> None:
    messages = [
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": "seen"},
    ]
    workspace, report = added(tmp_path, {"a.json": messages})
    assert report.skipped == []
    assert [(o.name, o.output) for o in every(workspace) if o.kind == "tool"] == [("look", "seen")]


def test_tokens_only_where_told_and_disjoint(tmp_path: Path) -> None:
    openai = {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 600},
        "completion_tokens_details": {"reasoning_tokens": 30},
    }
    anthropic = {
        "input_tokens": 5,
        "output_tokens": 7,
        "cache_read_input_tokens": 11,
        "cache_creation_input_tokens": 13,
    }
    untold = {"role": "assistant", "content": "x"}
    messages = [untold, {**untold, "usage": openai}, {**untold, "usage": anthropic}]
    workspace, _ = added(tmp_path, {"a.json": messages})
    assert workspace.totals().tokens == {
        "input_fresh": 405,
        "cache_read": 611,
        "cache_write_5m": 13,
        "cache_write_1h": 0,
        "output": 77,
        "reasoning": 30,
    }
    first = next(o for o in every(workspace) if o.kind == "model")
    assert not any(name.startswith("tokens") for name in first.measures)


def test_damage_costs_itself_alone(tmp_path: Path) -> None:
    good = json.dumps(talk(ask("count"))).encode()
    content = b"\n".join([good, b'{"messages": [{"role"', b'{"x": NaN}', b"[1, 2]", b"7", good[:-5], b""])
    workspace, report = added(tmp_path, {"a.jsonl": content})
    assert workspace.totals().calls == 2
    found = {s.reason: (s.line, s.count) for s in report.skipped}
    assert found == {
        "not valid JSON": (2, 2),
        "object without messages": (3, 1),
        "number that is none left out": (3, 1),
        "element that is no conversation": (4, 2),
        "value that is no conversation": (5, 1),
    }


def test_logged_requests_repeat_the_history_and_are_no_conversations(tmp_path: Path) -> None:
    messages = talk(ask("count"))
    log = [{"messages": messages[:n], "response": {"usage": {}}} for n in (1, 3)]
    workspace, report = added(tmp_path, {"a.json": [{"messages": messages}, *log]})
    assert workspace.totals().calls == 2
    assert [(s.reason, s.count) for s in report.skipped] == [
        ("request to a model, which holds the history again", 2)
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": 7},
        {"role": "assistant", "content": "x", "tool_calls": "none"},
        {"role": "assistant", "content": "x", "tool_calls": [None, {"function": 3}, {"function": {}}]},
        {"role": "assistant", "content": [None, {"type": 5}, "words"]},
        {"role": "assistant", "content": "x", "usage": {"prompt_tokens": "many", "completion_tokens": -4}},
        {"role": "assistant", "content": "x", "timestamp": {"at": 1}, "cost": "free", "model": 3},
        {"role": "tool", "content": {"a": [1]}, "tool_call_id": 5, "tool_call": 6, "error": []},
        {"role": "user", "content": [{"type": "tool_result", "content": 4, "is_error": "yes"}]},
    ],
)
def test_wrong_types_do_not_stop_the_reading(tmp_path: Path, message: Record) -> None:
    messages = [{"role": "user", "content": "go"}, message, {"role": "assistant", "content": "done"}]
    workspace, _ = added(tmp_path, {"a.json": messages})
    assert every(workspace)[-1].output == "done"


@pytest.mark.parametrize(
    "head",
    [
        b'{"messages": []}',
        b'{"messages": [{"role": "user", "content": "x"}], "max_tokens": 9}',
        b'{"messages": [{"role": "user", "content": "x"}], "response": {"choices": []}}',
        b'{"role": "admin"}',
        b'[{"name": "x", "role": "admin"}]',
        b'{"type": "message", "role": "user", "content": []}',
        b'{"messages": [{"id": "1", "type": "user", "content": "x"}], "sessionId": "s"}',
        b'{"trajectory": [], "messages": [{"role": "user", "content": "x"}]}',
        b'[{"role": "user", "content": 1}, {"role": "user", "content": "```mswea_bash_command\\nls\\n```"}]',
    ],
)
def test_what_only_looks_like_a_chat_is_left_alone(head: bytes) -> None:
    assert Chat().sniff(head) < 0.5
