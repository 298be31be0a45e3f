"""Which events of Copilot CLI are known and have no operation of their own?"""

from __future__ import annotations

_FAMILIES: dict[str, tuple[str, ...]] = {
    "session": (
        "resume", "info", "warning", "model_change", "mode_changed", "remote_steerable_changed",
        "schedule_created", "schedule_cancelled", "schedule_rearmed", "autopilot_objective_changed",
        "session_limits_changed", "permissions_changed", "plan_changed", "todos_changed",
        "workspace_file_changed", "handoff", "truncation", "usage_checkpoint", "context_changed",
        "context_cleared", "compaction_start", "task_complete", "title_changed", "idle", "usage_info",
        "snapshot_rewind", "binary_asset", "shutdown", "custom_agents_updated", "background_tasks_changed",
        "skills_loaded", "tools_updated", "mcp_servers_loaded", "mcp_server_status_changed",
        "extensions_loaded",
    ),
    "assistant": (
        "turn_start", "turn_end", "intent", "reasoning", "message_start", "message_delta",
        "reasoning_delta", "idle",
    ),
    "hook": ("start", "end", "progress"),
    "system": ("message", "notification"),
    "subagent": ("completed", "failed", "configured", "selected", "deselected"),
    "skill": ("invoked",),
    "tool": ("user_requested", "execution_partial_result", "execution_progress"),
    "tool_search": ("activated",),
    "permission": ("requested",),
    "user_input": ("requested", "completed"),
    "elicitation": ("requested", "completed"),
    "command": ("queued", "execute", "completed"),
    "exit_plan_mode": ("requested", "completed"),
    "pending_messages": ("modified",),
}  # fmt: skip

QUIET = frozenset(f"{family}.{word}" for family, words in _FAMILIES.items() for word in words)
"""Known event types without an operation of their own; they are moments on the timeline."""
