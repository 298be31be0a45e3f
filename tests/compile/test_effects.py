"""What does each step change, and is order kept wherever one writes what another touches?"""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest

from compile import fixtures
from tracelode.compile.effects import Knowledge, effects, spellings
from tracelode.compile.resources import Touch, meeting
from tracelode.compile.work import Alignment, Declared, Slot, Variant, Work
from tracelode.model.run import Call, Run, ToolSpec
from tracelode.model.workflow import Effect
from tracelode.signals.effects import CLASSES, strongest, tool_class


def aligned(work: Work) -> Work:
    """The k-th call of a tool is a slot; slots in the order in which they are first seen."""
    slots: dict[str, Slot] = {}
    of = []
    for run in work.runs:
        counts: dict[str, int] = {}
        names = []
        for call in run.calls:
            counts[call.name] = counts.get(call.name, 0) + 1
            name = f"{call.name}#{counts[call.name]}"
            slots.setdefault(name, Slot(name, call.name, call.server))
            names.append(name)
        of.append(tuple(names))
    variant = Variant(frozenset(slots), tuple(range(len(of))))
    return replace(work, alignment=Alignment(tuple(slots.values()), tuple(of), (variant,)))


def shown(work: Work) -> str:
    rows = [f"{slot} {effect.effect} {effect.basis}" for slot, effect in work.effects.items()]
    rows += [f"{e.before} < {e.after} {e.resource} {e.basis}" for e in work.edges]
    return "\n".join(rows)


@pytest.mark.parametrize("case", fixtures.cases("effects"))
def test_fixtures(case: fixtures.Case) -> None:
    given = json.loads(case.option("effect", "{}"))
    configured = {name: msgspec.convert(value, Effect) for name, value in given.items()}
    work = replace(case.work(), declared=replace(case.declared(), effects=configured))
    assert shown(effects(aligned(work))) == case.expected


def test_edges_are_numbered_after_those_that_were_there_and_say_how_often() -> None:
    runs = fixtures.runs(
        "run a:\ns/add_a() -> 1\ns/add_b() -> 1\nrun b:\ns/add_a() -> 1\ns/add_b() -> 1\n"
        "run c:\ns/add_b() -> 1"
    )
    first = effects(aligned(fixtures.work(runs)))
    (edge,) = first.edges
    assert (edge.id, edge.kind, edge.support, edge.runs, edge.hard) == ("e1", "effect_hard", 2, 2, True)
    again = effects(replace(aligned(fixtures.work(runs)), edges=first.edges))
    assert [e.id for e in again.edges] == ["e1", "e2"]


def test_without_alignment_nothing_is_done() -> None:
    work = fixtures.work(fixtures.runs("run a:\nadd() -> 1"))
    assert effects(work) is work


def call(name: str, server: str = "", **arguments: object) -> Call:
    return Call(index=0, name=name, server=server, arguments=arguments)


def observed(count: int, name: str = "frob", changes: tuple[int, ...] = (), vary: bool = True) -> Run:
    calls = tuple(
        Call(index=n, name=name, server="s", arguments={"x": n if vary else 0}, output=1)
        for n in range(count)
    )
    return Run(key="r", calls=calls, effects=dict.fromkeys(changes, ("state:x",)), observed=True)


@pytest.mark.parametrize(
    ("run", "effect", "basis"),
    [
        (observed(3), "read", "observed"),
        (observed(2), "unknown", "default"),
        (observed(5, vary=False), "unknown", "default"),
        (observed(5, changes=(4,)), "unknown", "observed"),
        (observed(5, "get_frob", changes=(0,)), "unknown", "observed"),
        (observed(5, "delete_frob"), "destructive", "lexicon"),
        (msgspec.structs.replace(observed(5), observed=False), "unknown", "default"),
    ],
)
def test_what_was_observed(run: Run, effect: str, basis: str) -> None:
    found = Knowledge([run]).of(run.calls[0])
    assert (found.effect, found.basis) == (effect, basis)


def test_a_host_that_was_reached_was_not_changed() -> None:
    run = observed(4, "get_page")
    run = msgspec.structs.replace(run, effects={0: ("host:example.org",)})
    assert Knowledge([run]).of(run.calls[0]).effect == "read"


def test_a_failed_call_shows_nothing() -> None:
    run = observed(5)
    calls = tuple(msgspec.structs.replace(c, error="error") for c in run.calls)
    assert Knowledge([msgspec.structs.replace(run, calls=calls)]).of(calls[0]).effect == "unknown"


def test_the_most_exact_name_is_configured() -> None:
    read, write = Effect(effect="read", basis="x"), Effect(effect="append", basis="x")
    known = Knowledge([], Declared(effects={"cancel": read, "shop/cancel": write}))
    assert known.of(call("cancel", "shop")).effect == "append"
    assert known.of(call("cancel", "desk")).effect == "read"
    assert known.of(call("cancel", "desk")).basis == "configured"
    assert spellings("shop", "cancel") == ("mcp__shop__cancel", "shop/cancel", "cancel")


def test_hints_of_a_run_and_of_a_file_count_alike() -> None:
    spec = ToolSpec(name="mcp__shop__show", hints={"destructiveHint": True})
    run = Run(key="r", calls=(call("show", "shop"),), tools=(spec,))
    assert Knowledge([run]).of(run.calls[0]).effect == "destructive"
    assert Knowledge([], Declared(tools={"mcp__shop__show": spec})).of(run.calls[0]).effect == "destructive"


@pytest.mark.parametrize(
    ("one", "other", "met"),
    [
        ("a.py", "b.py", None),
        ("src", "src/a.py", "file:src"),
        ("src/a.py", "src", "file:src/a.py"),
        ("src/a", "src/ab", None),
        ("a.py", "/home/x/a.py", "file:a.py"),
        ("a.py", "src/a.py", "file:a.py"),
        ("A.py", "a.py", "file:A.py"),
        ("../a.py", "b.py", "file:../a.py"),
        (".", "b.py", "file:."),
        ("/x/a.py", "/y/a.py", None),
        ("src\\a.py", "src/a.py", "file:src\\a.py"),
    ],
)
def test_paths_that_may_be_one(one: str, other: str, met: str | None) -> None:
    assert meeting([Touch("file", (one,))], [Touch("file", (other,))]) == met


def test_other_families_meet_where_both_take_paths() -> None:
    file, server = Touch("file", ("a",), local=True), Touch("fs", local=True)
    assert meeting([file], [server]) == "file"
    assert meeting([file], [Touch("mail")]) is None
    assert meeting([Touch("a", seen=("host:x",))], [Touch("b", seen=("host:x",))]) == "host:x"


@pytest.mark.parametrize(
    ("tool", "command", "found"),
    [
        ("getUser", "", "read"),
        ("list_delete", "", "destructive"),
        ("list_users", "", "read"),
        ("email_mark_as_read", "", "idempotent_write"),
        ("get_or_create_user", "", "append"),
        ("ordersCancel", "", "destructive"),
        ("checkIn", "", "append"),
        ("check_status", "", "read"),
        ("posting_get_login_status", "", "read"),
        ("frobnicate", "", ""),
        ("mcp__mail__send", "", "external_send"),
        ("WebFetch", "", "read"),
        ("Task", "", "unknown"),
        ("Bash", "ls -l | wc -l", "read"),
        ("Bash", "ls > out.txt", "idempotent_write"),
        ("Bash", "ls 2> /dev/null", "read"),
        ("Bash", "cd src", "idempotent_write"),
        ("Bash", "cat a && rm b", "destructive"),
        ("Bash", "git push", "external_send"),
        ("Bash", "./frob.sh", "unknown"),
        ("Bash", "", "unknown"),
    ],
)
def test_words_tell_classes(tool: str, command: str, found: str) -> None:
    assert tool_class(tool, command) == found


def test_the_strongest_class_counts() -> None:
    assert strongest(CLASSES) == "unknown"
    assert strongest(["read", "append"]) == "append"
    assert strongest([]) == ""


def asked(name: str, server: str = "", says: str = "refused", **arguments: object) -> Run:
    """A run in which a person was asked about its only call."""
    return Run(key="p", calls=(call(name, server, **arguments),), decisions={0: says})


@pytest.mark.parametrize("says", ["refused", "allowed"])
def test_what_people_were_asked_about_keeps_its_class(says: str) -> None:
    """That somebody was asked says that a yes is wanted, and nothing of what a call changes."""
    known = Knowledge([asked("list_accounts", "bank", says), asked("frobnicate", "bank", says)])
    effect = known.of(call("list_accounts", "bank"))
    assert (effect.effect, effect.basis, effect.writes) == ("read", "lexicon", False)
    assert (effect.refused, effect.allowed) == ((1, 0) if says == "refused" else (0, 1))
    assert known.of(call("frobnicate", "bank")).effect == "unknown"
    other = known.of(call("list_branches", "bank"))
    assert (other.effect, other.refused, other.allowed) == ("read", 0, 0)


def test_a_refused_write_keeps_its_class_and_says_so() -> None:
    effect = Knowledge([asked("delete_file"), asked("delete_file")]).of(call("delete_file"))
    plain = Knowledge([]).of(call("delete_file"))
    assert (effect.effect, effect.basis, effect.refused) == (plain.effect, plain.basis, 2)


def test_of_a_shell_a_refusal_is_about_its_verb() -> None:
    known = Knowledge([asked("Bash", command="ls secrets")])
    listed = known.of(call("Bash", command="ls src"))
    assert (listed.effect, listed.refused) == ("read", 1)
    assert known.of(call("Bash", command="pytest -q")).refused == 0


def test_a_configured_reader_stays_one_but_is_asked_for() -> None:
    declared = Declared(effects={"list_accounts": Effect(effect="read", basis="configured")})
    effect = Knowledge([asked("list_accounts")], declared).of(call("list_accounts"))
    assert (effect.effect, effect.basis, effect.refused) == ("read", "configured", 1)
