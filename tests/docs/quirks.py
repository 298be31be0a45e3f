"""In which ways are files known to be counted wrong elsewhere, by source, and do tests say it is right here?

A row is (case, what goes wrong elsewhere, what happens here, beginnings of the names of its tests). Cases are
those of the acceptance list; a row without one is a quirk of the format. Claude Code's are in cases.py.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TypeAlias

from docs.cases import cases
from docs.markdown import rows, wrapped
from docs.pages import ROOT

Row: TypeAlias = tuple[str, str, str, tuple[str, ...]]

HEAD = ("case", "what goes wrong elsewhere", "here", "covered")

QUIRKS: dict[str, tuple[str, tuple[Row, ...]]] = {
    "acp": ("test_acp_cases", (
        ("", "Every piece of an answer is taken for an answer.", "One call up to the next result.",
         ("words_that_come", "an_answer_ends")),
        ("", "A session that is loaded again counts twice.", "Once.", ("a_history_that",)),
        ("", "Several plans of one session overwrite each other.", "Each is followed by its id.",
         ("plans_with_ids",)),
        ("", "A refused permission is a failed tool.", "It is denied, by a person.", ("a_permission",)),
    )),
    "aide": ("test_tree_cases", (
        ("", "A node whose parent is not the one before it is a rollback: seeds and drafts too.",
         "Only moves to an ancestor or another branch are.", ("aide_moves", "aide_seeds", "aide_a_return")),
        ("", "The node that a stage takes over counts in both stages.", "Once.", ("aide_the_root",)),
        ("", "A program that comes back word for word is seen by nobody.", "It is counted (D4).",
         ("aide_a_program",)),
        ("", "A node that never ran counts as failed.", "It is planned.", ("aide_a_node",)),
    )),
    "agentsight": ("test_effect_cases", (
        ("", "What it repeats of the agent's own file is counted again: tokens, tool calls, requests.",
         "Counted as left out; the agent's own file tells them.",
         ("agentsight_repeats", "agentsight_real_snapshot")),
        ("", "A process number that is used again joins two processes, or a child to a wrong parent.",
         "A parent is the one process that had the number when the child started.", ("agentsight_a_parent",)),
        ("", "Several sessions in one snapshot: all that happened is given to one of them.",
         "It is joined to a session only where the snapshot names exactly one.", ("agentsight_several",)),
    )),
    "agentsight-events": ("test_effect_cases", (
        ("", "The kernel's nanoseconds since the machine started are taken for a date.",
         "Without the collector's own time, moments are unknown.", ("agentsight_tracers",)),
        ("", "Answers of models count again, and so do the agent's own requests.",
         "Left out and counted; bytes and hosts of its traffic are kept.", ("agentsight_bytes",)),
    )),
    "atif": ("test_atif_cases", (
        ("D6", "Copied context counts again, and `final_metrics` that include it are believed.",
         "Copies count in the trajectory they come from; totals are counted anew.", ("d6_",)),
        ("", "Every agent step is taken for a call.",
         "Told calls, else steps with metrics, else all; steps of tools alone belong to the call before.",
         ("calls_are_told", "tools_in_steps")),
        ("", "Cached tokens are added to the prompt they are part of.", "Taken out of it.",
         ("cached_tokens",)),
        ("", "Sub-agents in the file or beside it are missed.", "Sessions of the family, at any depth.",
         ("sub_agents_",)),
        ("", "The gap between two steps is taken for a tool's time.", "It is unknown.",
         ("time_that_is_not",)),
    )),
    "chat": ("test_chat_*", (
        ("D7", "Tools of the simulated user count as the agent's.", "They are the human's.", ("d7_",)),
        ("D8", "Arguments are read in one of their two forms.", "As JSON text and as an object.", ("d8_",)),
        ("", "Logged requests are added up, each with the whole history again.", "Counted and left out.",
         ("logged_requests",)),
        ("", "Equal runs of one file are taken for one, a copy of a file for new runs.",
         "Runs of one file are runs of their own; a copy adds nothing.", ("equal_runs",)),
        ("", "A result is given to the call before it.",
         "By its id, else to the oldest open call of its name.",
         ("results_",)),
        ("", "Cached tokens and reasoning are added to the sums they are part of.", "Disjoint kinds.",
         ("tokens_only",)),
        ("", "Local times of tau2 are taken for UTC without a word.",
         "Set by the server's answer; without one read as UTC and counted.", ("tau2_clocks",)),
        ("", "The cost of a tau2 run is lost, or added to that of its messages.",
         "It counts where no message tells one.", ("tau2_cost",)),
    )),
    "claude-stream": ("test_claude_stream_cases", (
        ("A19", "Ids of other models repeat inside a run.",
         "A result belongs to the nearest open call of its id.", ("a19_", "the_weak_id")),
        ("", "The usage of a result is added to that of its calls.", "Only what the calls left out.",
         ("a_result_that", "a_sum_is_never")),
        ("", "Calls that tell zeros cost nothing.", "What they leave out of the run's totals counts once.",
         ("the_only_call", "what_several_calls", "output_that_was")),
        ("", "Totals of one process are added up, result by result.",
         "Differences; a new process of the session counts from zero.", ("totals_go_on", "a_new_process")),
        ("", "The transcript of the same run counts again.", "Both have the same ids: once.",
         ("a_transcript_and",)),
        ("", "Sub-agents' messages are taken for the run's.",
         "Sessions of their own, by the call that started them.",
         ("sub_agents_",)),
    )),
    "codex": ("test_codex_[cft]*s", (
        ("B1", "Token counts that repeat themselves are added again.", "Differences of the running total.",
         ("b1_",)),
        ("B2", "Only the last response is counted.", "All are.", ("b2_",)),
        ("B3", "What a fork or sub-agent copied is counted in both.", "Inherited.", ("b3_",)),
        ("B4", "Copies are known by their moments: slow copies count, quick work is lost.",
         "Known by turn, number or value.", ("b4_",)),
        ("B5", "A child that counts from zero is measured against its parent.", "Each thread's own counter.",
         ("b5_",)),
        ("B6", "A counter that begins anew loses what was before.", "Epochs are summed.", ("b6_",)),
        ("B7", "The last `session_meta`, or `session_id`, names the file; the parent is not found.",
         "The first one's `id`; the spawn names the parent.", ("b7_",)),
        ("B8", "Reasoning and cached tokens are added to the totals they are part of.", "Disjoint kinds.",
         ("b8_",)),
        ("B9", "Sub-agents look like sessions, or are missing.", "Nested by thread ids.", ("b9_",)),
        ("B10", "The model is unknown.", "Carried forward from `turn_context`.", ("b10_",)),
        ("B11", "Other grammars, archived and compressed files are missed.", "Told by content; all are read.",
         ("b11_",)),
        ("B12", "Every exit code but 0 is a failure; commands in the background have none.",
         "Seven statuses; polls are joined.", ("b12_",)),
    )),
    "codex-exec": ("test_codex_exec_cases", (
        ("B11", "This output is taken for a rollout, and `usage` for that of the turn.",
         "It counts since the start of the thread: a turn is the difference.", ("b11_",)),
        ("B12", "Every exit code but 0 is a failure; what goes on has none.",
         "`ok`, `nonzero`, `denied` or `running`, as the item says.",
         ("b12_", "a_command_that_never")),
        ("", "Item ids begin anew in every run, so runs of a thread are mixed up.",
         "Ids are made of thread, run and item; a copy of a run adds nothing.", ("runs_of_one_thread",)),
    )),
    "copilot-cli": ("test_copilot_cases", (
        ("A20", "The wait for a permission is taken for the tool's time.", "It is a person's.", ("a20_",)),
        ("D4", "Only the output of messages is counted, or the sums of all shutdowns are added.",
         "Sums are shared by the calls they are of; those that count from the beginning are not added twice.",
         ("d4_",)),
        ("", "A compaction costs nothing.", "It is a call with figures of its own.", ("a_compaction",)),
        ("", "Sub-agents' events in the same file are taken for the session's.",
         "A session of its own in the family.", ("a_sub_agent",)),
    )),
    "gemini-cli": ("test_gemini_cases", (
        ("D3", "Cached tokens count twice, thoughts not at all, and messages that are written again twice.",
         "Disjoint kinds; a message counts once, its last copy's tokens hold.", ("d3_",)),
        ("", "A chat that moved to the newer layout counts twice.", "Once.",
         ("a_chat_moved", "both_layouts")),
        ("", "What a rewind took back is lost.", "It counts as spent and is marked.", ("rewound_",)),
        ("", "A compressed history loses what was spent before.", "It stays.", ("a_compressed",)),
        ("", "A message that was cut off has cost nothing.", "The call is a lower bound.", ("a_denial",)),
    )),
    "opencode": ("test_opencode_cases", (
        ("D2", "Sub-agents are lost.", "An export with a parent belongs to its family.", ("d_a_child",)),
        ("", "Reasoning is counted twice, or not at all.", "The total tells whether the output holds it.",
         ("d_reasoning", "d_a_total")),
        ("", "Figures of steps and of their message are added up.", "A step is a call.", ("d_steps",)),
        ("", "Text that the program puts into a person's message is a prompt.", "It is not.",
         ("text_of_the",)),
    )),
    "inspect": ("test_inspect_cases", (
        ("", "Names in an archive lead out of it.", "Refused; nothing is unpacked to disk.", ("names_that",)),
        ("", "A small archive unpacks to any size.", "Bounded by what comes out, not by what is told.",
         ("a_member_that_grows", "members_that_lie", "the_sum_of", "absurd_counts")),
        ("", "Answers kept from earlier runs are taken for calls.", "Notes: nothing was asked.",
         ("answers_kept",)),
        ("", "Cached tokens are taken to be inside the input, or outside, with every provider.",
         "The total tells which.", ("what_is_part",)),
        ("", "Epochs of a sample are one session.", "One each.", ("epochs_",)),
        ("", "A model's time inside a tool counts for both.", "It stands in for the tool's.",
         ("a_model_inside",)),
        ("", "An evaluation that still runs is not read.", "Its journal tells what the header would.",
         ("an_evaluation",)),
    )),
    "langfuse": ("test_langfuse_cases", (
        ("C1", "Input already includes cached tokens, and they are added again: 130,213 becomes 260,421.",
         "Taken out where the record shows that they are in it.", ("c1_",)),
        ("C2", "Steps around generations repeat their tokens.", "The calls inside count.", ("c2_",)),
        ("C4", "Figures that cannot be are clamped, kinds of input left out.",
         "Kinds are added up; what is no count is left out and counted.", ("c4_",)),
        ("", "A session's traces in several files are sessions.", "One session.", ("traces_of_one",)),
        ("", "A stated cost is added to prices.", "Kept as reported, never priced.", ("money_is_kept",)),
    )),
    "langsmith": ("test_langsmith_cases", (
        ("C2", "Outer runs repeat the tokens of inner ones.", "The inner ones count.", ("c2_",)),
        ("", "A post and its patch are two runs, or the patch is lost.", "One call, also across files.",
         ("posts_and_patches",)),
        ("", "Details of usage are added to the sums they are part of.", "Disjoint kinds.",
         ("details_are", "cache_writes")),
        ("", "Usage is looked for in one place.", "Wherever writers put it.", ("usage_is_found",)),
        ("", "Traces of one thread are sessions.", "One session.", ("traces_of_one",)),
    )),
    "map": ("test_map_cases", (
        ("", "Equal records are taken for one, or a copy of a log counts again.",
         "All count once; a copy adds nothing.", ("equal_records",)),
        ("", "A log that grew is counted anew.", "Read on; an unchanged one not at all.", ("a_grown_log",)),
        ("", "A mapping that was put right leaves the old figures.", "Another mapping reads all anew.",
         ("another_mapping",)),
        ("", "A misspelt key is passed over.", "Refused by name before a line is read.",
         ("a_wrong_mapping",)),
    )),
    "mini-swe-agent": ("test_swe_cases", (
        ("", "The oldest files are taken for chats.", "Known by their code blocks.", ("mini_oldest",)),
        ("", "The cost of a 1.x run is lost, or counted at every call.", "Equal shares that say so.",
         ("mini_one_point",)),
        ("", "An answer without a command is no call.", "It was asked and answered: a call.",
         ("mini_answers",)),
        ("", "Messages of the Responses API are passed over.", "Read.", ("mini_messages",)),
        ("", "What a person stopped or refused is a failure.", "A person's denial or interrupt.",
         ("mini_a_person",)),
    )),
    "openhands": ("test_openhands_cases", (
        ("", "Every action is a call.", "Actions of one response are one call.", ("v0_actions",)),
        ("", "Messages of V0 without a response cost nothing.", "What the running sums grew by.",
         ("v0_messages",)),
        ("", "Times without a zone are taken for UTC.", "The first response tells the zone.",
         ("v0_the_zone",)),
        ("", "A list that grew is a new session, and files are put in order by name.",
         "The same session; in order by number.", ("v0_a_growing", "v0_one_event")),
        ("", "Events of V1 cost nothing.", "Their state tells the tokens, also in a later import.",
         ("v1_",)),
    )),
    "otel": ("test_otel_*", (
        ("C1", "Input already includes cached tokens, and they are added again: 17,903 becomes 35,720.",
         "Taken out of it, unless writer, total or the figures themselves show that they are not in it.",
         ("c1_",)),
        ("C2", "Agents and chains repeat the tokens of the calls inside them: 124 becomes 248.",
         "The innermost calls count. What an agent tells counts where no call inside it tells tokens. "
         "A call in a tool that a call started is another call.", ("c2_",)),
        ("C3", "A call is told by a span and by a log record, or by a metric.",
         "One counts, the span before the log: by the provider's id, by the span it was written in, or by "
         "the same figures within two seconds. Also across files and imports.", ("c3_",)),
        ("C4", "Counts without cache are exported as if with it, and the negative rest is clamped to 0.",
         "Nothing is clamped; the call is counted under its reason.", ("c4_",)),
        ("", "A trace in several files is several traces.", "One, whatever the order.", ("a_trace_split",)),
        ("", "What was sent twice counts twice.", "Once.", ("records_that_were", "a_span_told_twice")),
        ("", "Spans that are their own ancestors end the reading, or count again and again.", "Once each.",
         ("spans_that_are_their",)),
    )),
    "plan-events": ("test_plan_cases", (
        ("", "What is exported differs from what was read.", "The same, but for what the redactor took out.",
         ("plan_events_come_out", "plan_events_that_are_exported")),
        ("", "A copy of a file doubles the events.", "Once.", ("plan_events_again",)),
        ("", "Secrets in payloads, ids and keys reach the disk.", "They pass the redactor, everywhere.",
         ("plan_events_pass",)),
        ("", "Events of a type of its own are taken for plan events.", "Left out and counted.",
         ("plan_events_of_other",)),
    )),
    "recorded": ("test_effect_cases", (
        ("", "A process that lost its parent is given to the one that took it in.",
         "Its descent is unknown, and it belongs to no tool call.", ("recorded_a_parent",)),
        ("", "Bytes of a process are given to the files it had open.",
         "They stay with the process; files carry none.", ("recorded_bytes",)),
        ("", "A damaged recording is read in part without a word.", "What is left out is counted.",
         ("recorded_what_cannot",)),
    )),
    "strace": ("test_strace_cases", (
        ("", "Answers that come later, and data that looks like an answer, give wrong bytes.",
         "A call is joined to its answer by process; the answer is what comes last on the line.",
         ("strace_answers", "strace_sums")),
        ("", "A process number that is used again joins two processes.",
         "A process ends with its line, or where its number is given out again.", ("strace_a_number",)),
        ("", "Threads count as processes; children that show before their parent's answer are orphans.",
         "Threads belong to their process; a child is linked by the one open call, or waits for the answer.",
         ("strace_threads", "strace_a_thread", "strace_children", "strace_what_waits")),
        ("", "Without `-y` no file is known, and copies of descriptors lose theirs.",
         "Descriptors are followed through opens, copies and forks.",
         ("strace_raw_calls", "strace_without_names")),
        ("", "Times of day are taken for moments of today.", "Unknown, counted and said.",
         ("strace_moments",)),
        ("", "Files that were only looked for count as touched.",
         "Only what succeeded, and what was refused, which is `denied`.", ("strace_what_failed",)),
        ("", "Damage ends the reading, and a log of millions of files fills the memory.",
         "Counted and located; files beyond a bound are summed.",
         ("strace_damage", "strace_survives", "strace_texts", "more_files")),
    )),
    "swe-agent": ("test_swe_cases", (
        ("", "The sums of a run are counted at every call, or not at all.",
         "Shared by its calls, exact in sum.",
         ("swe_agent_sums",)),
        ("", "Calls are the turns that are written.", "As many as were counted, also without a turn.",
         ("swe_agent_calls",)),
        ("", "Replayed turns are calls.", "None was made.", ("swe_agent_replayed",)),
        ("", "All actions are tools, or all are shell commands.",
         "Its own commands are tools, the rest a shell's.",
         ("swe_agent_commands",)),
        ("", "The oldest files and demonstrations are not read.", "Both are.",
         ("swe_agent_oldest", "swe_agent_demonstrations")),
    )),
    "tracelode": ("test_tracelode_cases", (
        ("", "What comes back differs in its sums.", "The same to the letter, in every mode of the redactor.",
         ("the_demo", "every_redaction", "any_history")),
        ("", "A preview is cut again each time.", "Once.", ("long_texts",)),
        ("", "Whatever a file says becomes a closed word.", "Only what is one here too.", ("closed_words",)),
        ("", "A file of a later version is read as far as it goes.", "Left alone and counted.",
         ("a_later_version",)),
    )),
}  # fmt: skip
"""Source to (files of its tests, rows)."""


@cache
def _tests(pattern: str) -> dict[str, str]:
    """Names of the tests in some files, without their beginning, and the file of each."""
    return {
        node.name.removeprefix("test_"): path.name
        for path in sorted((ROOT / "tests" / "sources").glob(f"{pattern}.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def quirks(name: str) -> str:
    """The table of a source's cases and quirks; every one has a test."""
    if name not in QUIRKS:
        assert name == "claude-code"
        return rows(HEAD, cases())
    pattern, listed = QUIRKS[name]
    tests = _tests(pattern)
    table: list[tuple[str, str, str, str]] = []
    used: set[str] = set()
    for case, wrong, right, starts in listed:
        assert all(any(test.startswith(start) for test in tests) for start in starts), f"{name}: {wrong}"
        found = [test for test in tests if test.startswith(starts)]
        used.update(tests[test] for test in found)
        table.append((case, wrong, right, f"{len(found)} test{'s' if len(found) > 1 else ''}"))
    first = 0 if any(row[0] for row in table) else 1
    links = ", ".join(f"[{file}](../../tests/sources/{file})" for file in sorted(used))
    head = wrapped(f"Ways in which such files are known to be counted wrong. Tests of each are in {links}.")
    return f"{head}\n\n{rows(HEAD[first:], (row[first:] for row in table))}"
