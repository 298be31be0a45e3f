"""Which names do writers of GenAI telemetry use for the same thing? Tables, most specific name first."""

from __future__ import annotations

AGENT = "otel"

SESSIONS = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
    "conversation.id",
)
"""Attributes that name a session."""

INPUT = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
    "ai.usage.tokens",
    "gen_ai.aggregated_usage.input_tokens",
)
OUTPUT = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
    "gen_ai.aggregated_usage.output_tokens",
)
CACHE_READ = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.input_tokens.cached",
    "gen_ai.usage.input_cached_tokens",
    "gen_ai.usage.cached_input_tokens",
    "gen_ai.usage.cache_read_tokens",
    "gen_ai.usage.cached_tokens",
    "gen_ai.usage.details.cache_read_tokens",
    "gen_ai.usage.details.cache_read_input_tokens",
    "gen_ai.usage.details.cached_tokens",
    "llm.token_count.prompt_details.cache_read",
    "llm.usage.cache_read_input_tokens",
    "ai.usage.cachedInputTokens",
    "gen_ai.aggregated_usage.cache_read.input_tokens",
)
CACHE_WRITE = (
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.input_tokens.cache_write",
    "gen_ai.usage.cache_write_tokens",
    "gen_ai.usage.details.cache_write_tokens",
    "gen_ai.usage.details.cache_creation_input_tokens",
    "llm.token_count.prompt_details.cache_write",
    "llm.usage.cache_creation_input_tokens",
    "gen_ai.aggregated_usage.cache_creation.input_tokens",
)
REASONING = (
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.output_tokens.reasoning",
    "gen_ai.usage.reasoning_output_tokens",
    "gen_ai.usage.reasoning_tokens",
    "gen_ai.usage.details.reasoning_tokens",
    "llm.token_count.completion_details.reasoning",
    "llm.usage.reasoning_tokens",
    "ai.usage.reasoningTokens",
    "codex.usage.reasoning_output_tokens",
)
TOTAL = (
    "gen_ai.usage.total_tokens",
    "llm.usage.total_tokens",
    "llm.token_count.total",
    "ai.usage.totalTokens",
    "codex.usage.total_tokens",
)
COST = ("gen_ai.usage.cost", "gen_ai.usage.total_cost", "llm.cost.total", "operation.cost", "cost_usd")

MODEL = (
    "gen_ai.response.model",
    "gen_ai.request.model",
    "llm.model_name",
    "llm.response.model",
    "llm.request.model",
    "embedding.model_name",
    "ai.response.model",
    "ai.model.id",
    "langfuse.observation.model.name",
    "model",
    "model_name",
)
TIER = ("openai.response.service_tier", "gen_ai.openai.response.service_tier", "gen_ai.response.service_tier")
RESPONSE = ("gen_ai.response.id", "ai.response.id", "llm.response.id")
AGENT_NAME = ("gen_ai.agent.name", "agent.name", "agent_name", "traceloop.entity.name", "subagent_type")
TOOL_NAME = (
    "gen_ai.tool.name",
    "tool.name",
    "ai.toolCall.name",
    "tool_name",
    "function_name",
    "traceloop.entity.name",
    "mcp.tool.name",
)
TOOL_ID = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool_use_id", "call_id")
TOOL_INPUT = (
    "gen_ai.tool.call.arguments",
    "ai.toolCall.args",
    "tool_arguments",
    "tool.parameters",
    "tool_input",
    "input.value",
    "traceloop.entity.input",
    "langfuse.observation.input",
    "input",
)
TOOL_OUTPUT = (
    "gen_ai.tool.call.result",
    "ai.toolCall.result",
    "tool_response",
    "output.value",
    "traceloop.entity.output",
    "langfuse.observation.output",
    "output",
)
EXIT_CODES = ("process.exit.code", "process.exit_code", "exit_code", "tool.exit_code")
FOLDERS = ("process.working_directory", "cwd")

OPERATIONS = {
    "chat": "llm",
    "generate_content": "llm",
    "text_completion": "llm",
    "embeddings": "llm",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "create_agent": "chain",
    "invoke_workflow": "chain",
    "plan": "chain",
    "retrieval": "retrieval",
}
"""gen_ai.operation.name to what a span is."""
OPENINFERENCE = {
    "LLM": "llm",
    "EMBEDDING": "llm",
    "TOOL": "tool",
    "AGENT": "agent",
    "CHAIN": "chain",
    "PROMPT": "chain",
    "RETRIEVER": "retrieval",
    "RERANKER": "retrieval",
    "GUARDRAIL": "check",
    "EVALUATOR": "check",
}
"""openinference.span.kind to what a span is."""
LANGFUSE = {
    "generation": "llm",
    "embedding": "llm",
    "tool": "tool",
    "agent": "agent",
    "chain": "chain",
    "retriever": "retrieval",
    "guardrail": "check",
    "evaluator": "check",
}
"""langfuse.observation.type to what a span is."""
TRACELOOP = {"workflow": "chain", "task": "chain", "agent": "agent", "tool": "tool"}
"""traceloop.span.kind to what a span is."""
CLAUDE_CODE = {
    "claude_code.interaction": "agent",
    "claude_code.llm_request": "llm",
    "claude_code.tool": "tool",
    "claude_code.tool.execution": "part",
    "claude_code.tool.blocked_on_user": "wait",
    "claude_code.hook": "check",
}
"""Names of Claude Code's spans to what they are."""
AI_SDK = {
    "ai.toolCall": "tool",
    "ai.generateText": "chain",
    "ai.streamText": "chain",
    "ai.generateObject": "chain",
    "ai.streamObject": "chain",
    "ai.embed": "chain",
    "ai.embedMany": "chain",
}
"""ai.operationId of the Vercel AI SDK to what a span is; .doGenerate, .doStream and .doEmbed are calls."""

PRODUCTS = {
    "claude-code": "claude-code",
    "claude_code": "claude-code",
    "codex_cli_rs": "codex",
    "codex_exec": "codex",
    "codex-cli": "codex",
    "codex": "codex",
    "gemini-cli": "gemini-cli",
    "qwen-code": "qwen-code",
}
"""service.name of agents that also keep a history of their own under the same session ids."""

EVENTS = frozenset(
    {
        "claude_code.api_error",
        "claude_code.api_refusal",
        "claude_code.api_request",
        "claude_code.compaction",
        "claude_code.tool_decision",
        "claude_code.tool_result",
        "claude_code.user_prompt",
        "codex.api_request",
        "codex.sse_event",
        "codex.tool_decision",
        "codex.tool_result",
        "codex.user_prompt",
        "gen_ai.client.inference.operation.details",
    }
)
"""Events that are operations, or tell something of one."""
QUIET = frozenset(
    {
        "claude_code.api_request_body",
        "claude_code.api_response_body",
        "claude_code.api_retries_exhausted",
        "claude_code.at_mention",
        "claude_code.auth",
        "claude_code.feedback_survey",
        "claude_code.hook_execution_complete",
        "claude_code.hook_execution_start",
        "claude_code.hook_registered",
        "claude_code.internal_error",
        "claude_code.mcp_server_connection",
        "claude_code.permission_mode_changed",
        "claude_code.plugin_installed",
        "claude_code.plugin_loaded",
        "claude_code.skill_activated",
        "codex.auth_recovery",
        "codex.conversation_starts",
        "codex.sandbox_outcome",
        "codex.turn_ttft",
        "codex.websocket_connect",
        "codex.websocket_event",
        "codex.websocket_request",
        "gen_ai.evaluation.result",
    }
)
"""Events that are known and are no operations."""
MESSAGES = frozenset(
    {
        "gen_ai.assistant.message",
        "gen_ai.choice",
        "gen_ai.system.message",
        "gen_ai.tool.message",
        "gen_ai.user.message",
    }
)
"""Events of conventions up to 1.36 that hold the messages of a call."""
HIDDEN = frozenset({"<redacted>", "[redacted]"})
"""What writers put where they were told to keep a text to themselves."""
