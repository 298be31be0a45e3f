"""What is known of an intent once it was compiled? Verdict, proof, and what it would spare."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.model.evidence import Edge, Evidence
from tracelode.model.intent import Intent
from tracelode.model.verification import Verification
from tracelode.model.workflow import Verdict, Workflow


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What runs were read from, and what could not be."""

    sessions: int = 0
    """Sessions looked at; logs of effects below tool calls are none."""
    effects: int = 0
    """Sessions that hold effects only: they are told with the calls that caused them."""
    empty: int = 0
    """Sessions without a tool call."""
    runs: int = 0
    """Sessions with one tool call or more."""
    calls: int = 0
    """Their calls."""
    gone: int = 0
    """Calls whose whole texts are no longer there: their values are unknown."""
    large: int = 0
    """Calls whose output is too large to be looked into: no value of it is known to come from there."""
    sources: dict[str, str] = {}
    """Files that could not be read again, and why."""
    troubles: tuple[tuple[str, int, str], ...] = ()
    """(file, line, why): declarations that could not be used."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The intents of a store."""

    intents: tuple[Intent, ...]
    """By size."""
    outcomes: dict[str, tuple[int, int, int]]
    """Intent id to runs that succeeded, failed, and of which nobody said."""
    alone: int
    """Runs that are of no intent."""
    forks: int = 0
    """Runs that share calls with a longer one by inheritance, left aside."""
    reading: Reading
    """What was read."""


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with what it is made of."""

    value: float | int | None
    """None where it is not known."""
    numerator: int | None = None
    """None where there is none."""
    denominator: int | None = None
    """None where there is none."""
    unit: str = "share"
    """What is counted."""
    n: int = 0
    """Runs it rests on."""
    reason: str | None = None
    """Why it is not known."""


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """A tool whose calls a workflow leaves out although they repeat no other call."""

    tool: str
    """Its name."""
    server: str = ""
    """Its server."""
    kind: str
    """dead_output or exploratory."""
    calls: int
    """Calls that are left out."""
    runs: int
    """Runs that have them."""
    of: int
    """All runs."""
    named: bool = False
    """That it only looks is known by its name alone."""
    doubtful: bool = False
    """So, and nearly all runs have it."""


class Compiled(msgspec.Struct, frozen=True, kw_only=True):
    """One intent, compiled or refused."""

    intent: Intent
    """Which."""
    verdict: Verdict
    """Workflow, or refusal."""
    verification: Verification
    """What leaving runs out found."""
    edges: tuple[Edge, ...] = ()
    """Of all kinds, with those of refused steps."""
    evidence: tuple[Evidence, ...] = ()
    """By run, call and argument."""
    sessions: tuple[str, ...] = ()
    """Keys of the runs it was learned from."""
    failed: int = 0
    """Runs that failed: what they show speaks against."""
    aside: int = 0
    """Runs of unknown outcome that were left aside."""
    forks: int = 0
    """Runs that share calls with a longer one by inheritance: one happening counts once."""
    copies: int = 0
    """Runs that say word for word what another one does."""
    calls: int = 0
    """Calls of the runs it was learned from."""
    dropped: dict[str, int] = {}
    """Class of a call that is no step to how many there were: retry, poll, exploratory, ..."""
    left: tuple[Left, ...] = ()
    """Of these, the tools whose calls were no repeats."""
    bound: int = 0
    """Of the calls, those that the workflow made by itself where their run was left out of the learning."""
    removable: int = 0
    """Those, and the calls that it makes no more."""
    measures: dict[str, int] = {}
    """What all calls of the runs cost, with their share of the model calls that asked for them."""
    metrics: dict[str, Metric] = {}
    """By name."""
    orders: int = 0
    """Other orders that the edges allow and that were tried, over all runs."""
    broken: int = 0
    """Of these, orders in which a value was not there or was another one."""
    reading: Reading = msgspec.field(default_factory=Reading)
    """What was read for it."""
    files: dict[str, bytes] = {}
    """Artefacts: relative file name to content."""
    unmade: dict[str, str] = {}
    """Name of an artefact that could not be made to why."""

    @property
    def workflow(self) -> Workflow | None:
        """The workflow, None where it was refused."""
        return self.verdict if isinstance(self.verdict, Workflow) else None

    @property
    def whole(self) -> bool:
        """Was all of it compiled?"""
        return isinstance(self.verdict, Workflow) and not self.verdict.partial


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What became of trying a workflow."""

    workflow: Workflow
    """Which."""
    problems: tuple[str, ...] = ()
    """What does not hold together: closed sentences."""
    compiled: Compiled | None = None
    """The same runs compiled again; None where the store does not have them."""
    same: bool | None = None
    """Did compiling again give the same workflow? None where it was not done."""
    differs: tuple[str, ...] = ()
    """What is not the same: closed phrases with steps and fields."""
    reason: str = ""
    """Why it was not compiled again."""

    @property
    def holds(self) -> bool:
        """Does nothing speak against it?"""
        one = self.compiled
        return (
            not self.problems
            and self.same is not False
            and (
                one is None
                or (
                    not one.broken
                    and not one.verification.wrong_writes
                    and not one.verification.leaks
                    and not one.verification.problems
                )
            )
        )


class Beat(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a running workflow, begun or ended."""

    tool: str
    """Tool."""
    state: str
    """begun, done, failed or unsure."""
    microseconds: int = 0
    """How long it took; 0 at its beginning."""
    why: str = ""
    """Closed words where it failed."""


class OpenRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a workflow that has not ended: it waits, or its process died, or it is under way."""

    run: str
    """Run id."""
    mode: str
    """act or shadow."""
    status: str
    """open: its process died, or is at work. escalated: it waits for an answer."""
    started: int
    """UTC microseconds."""
    step: str = ""
    """Slot at which it waits, "" where it does not."""
    code: str = ""
    """Why it waits: one of workflow.ESCALATIONS, or approval_required or decision_required."""
    wrote: tuple[str, ...] = ()
    """Slots of writes that were made."""
    doubt: tuple[str, ...] = ()
    """Slots of writes that may have been made, or not."""


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """What a workflow is run with, as its user names it."""

    tools: tuple[str, ...] = ()
    """Each [NAME=]mcp:COMMAND, https://..., MODULE:FUNCTION,..., openapi:FILE@URL or shell:FILE."""
    engine: str = "embedded"
    """embedded or dbos."""
    journal: str = ""
    """Where the run is noted: a file, or the engine's address."""
    shadow: bool = False
    """Only tell the writes."""
    writes: str = "ask"
    """ask, proven, or steps that may write, joined by commas."""
    restored: bool = False
    """Run although it was demoted."""
    again: bool = False
    """Run although an earlier run of the same inputs wrote and has not ended."""
    resume: str = ""
    """Run to go on with."""
    calls: int = 1_000
    """Tool calls at most."""
    seconds: float = 3_600.0
    """Seconds at most."""
    timeout: float = 120.0
    """Seconds one call may take."""


Given = dict[str, Any]
"""Inputs: name to JSON value."""
