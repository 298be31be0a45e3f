"""Does each rule fire at the event it should, not before, and not after?"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plan.article import rows as article
from plan.traces import events, row, steps
from tracelode.errors import SourceError
from tracelode.model.alerting import Alert, AlertReport
from tracelode.plan.alerts import prefix
from tracelode.plan.alerts.fleet import Average, Part, band, pooled
from tracelode.plan.alerts.live import Live, step_of
from tracelode.plan.alerts.replay import replay
from tracelode.plan.alerts.rules import default_text, rules_of
from tracelode.plan.life import Story
from tracelode.plan.metrics import measure
from tracelode.plan.sequence import ordered

CALL = {"payload": {"tool": "Bash", "input_summary": "ls"}}


def asked(rules: str, *sessions: Iterable[dict[str, Any]]) -> AlertReport:
    """Replay sessions of rows; each gets a key of its own, and an hour of its own."""
    given = {}
    for number, listed in enumerate(sessions):
        key = f"s{number:03}"
        moved = [
            {**one, "session_id": key, "event_id": f"{key}-{one['event_id']}",
             "timestamp": f"2026-{number // 28 + 1:02}-{number % 28 + 1:02}{one['timestamp'][10:]}"}
            for one in listed
        ]  # fmt: skip
        given[key] = [step_of(e) for e in ordered(events(moved))]
    return replay(rules_of(rules, "rules.yaml"), given)


def one(rule: str, *sessions: Iterable[dict[str, Any]]) -> list[Alert]:
    """Alerts of a single rule given as flow YAML without its braces."""
    return list(asked(f"rules: [{{{rule}}}]", *sessions).alerts)


def default(name: str, *sessions: Iterable[dict[str, Any]]) -> list[Alert]:
    """Alerts of one built-in rule."""
    return [a for a in asked(default_text(), *sessions).alerts if a.rule == name]


def test_ten_rules_are_built_in() -> None:
    assert len({r.name for r in rules_of(default_text())}) == 10


def test_the_article_s_return_is_told_at_its_event() -> None:
    (alert,) = one("name: a, metric: rollback_rate, condition: '> 0.25', min_volume: 3", article())
    assert (alert.event_id, alert.place, alert.value) == ("s000-e12", 12, pytest.approx(1 / 3))
    assert (alert.left_events, alert.left_time, alert.ended) == (9, 9 * 60_000_000, "succeeded")
    assert alert.events == ("s000-e12",)
    assert alert.text == "name: a; metric: rollback_rate; condition: > 0.25; min_volume: 3"


def _returns(count: int) -> list[dict[str, Any]]:
    first = "; ".join(f"plan N{n}; start N{n}; ok N{n}" for n in range(count))
    again = "; ".join(f"start N{n}; ok N{n}" for n in range(4))
    return steps(f"{first}; {again}; complete goal")


def test_rollback_rate_waits_for_eight_starts() -> None:
    # 5 starts, then returns: 1/6, 2/7, 3/8: above a quarter from the second on, told at the eighth start
    (alert,) = default("rollback-rate", _returns(5))
    assert (alert.numerator, alert.denominator) == (3, 8)
    assert alert.place == 15 + 5


def test_a_node_started_four_times() -> None:
    text = "plan A; plan B; " + "; ".join(["start A; ok A"] * 5) + "; start B; ok B"
    (alert,) = default("node-restarted", steps(text))
    assert (alert.node_id, alert.value, alert.place) == ("A", 3, 2 + 7)


def _worked(*parts: str) -> list[dict[str, Any]]:
    """Steps; "call X" is a start of node X that names a tool, "done X" an end that does."""
    listed = []
    for place, part in enumerate(parts):
        if part.startswith("call "):
            listed.append(row(place, "execute", part[5:], "running", **CALL))
        elif part.startswith("done "):
            listed.append(row(place, "execute", part[5:], "succeeded", **CALL))
        else:
            usual = row(place, "", "", "")
            listed.append(steps(part)[0] | {key: usual[key] for key in ("event_id", "timestamp")})
    return listed


def test_fifteen_calls_without_a_plan() -> None:
    listed = _worked(*["call loose"] * 16)
    (alert,) = default("no-plan", listed)
    assert (alert.place, alert.value) == (15, 15)
    assert not default("no-plan", _worked(*["call loose"] * 14, "plan A", *["call A"] * 20))


def test_work_outside_of_every_node() -> None:
    listed = _worked("plan A", *["done A"] * 12, *["done loose"] * 19)
    (alert,) = default("work-outside-plan", listed)
    # 19 of 31 is the first share above .6 with at least 30 calls
    assert (alert.numerator, alert.denominator, alert.place) == (19, 31, 32)


def test_three_completions_without_work() -> None:
    empty = [part for n in range(4) for part in (f"start N{n}", f"ok N{n}")]
    (alert,) = default("completed-without-work", _worked("plan W", "call W", *empty))
    assert (alert.place, alert.value, alert.severity) == (2 + 6, 3, "error")
    assert not default("completed-without-work", _worked("plan W", *empty))


def test_a_node_runs_longer_than_any_before() -> None:
    short = [part for n in range(20) for part in (f"plan N{n}", f"start N{n}", f"ok N{n}")]
    listed = _worked(*short, "plan L", "start L", *["review L"] * 35)
    (alert,) = default("node-runs-long", listed)
    assert alert.node_id == "L"
    assert alert.value == 31 * 60
    assert not default("node-runs-long", _worked(*short[:30], "plan L", "start L", *["review L"] * 35))


def _stop(place: int, decision: str) -> dict[str, Any]:
    return row(place, "review", "A", "updated", actor="human", payload={"decision": decision})


def test_two_stops_within_ten_events() -> None:
    quiet = [row(n, "review", "A", "updated") for n in range(40)]
    near = [*quiet[:20], _stop(20, "interrupt"), *quiet[21:28], _stop(28, "deny_tool"), *quiet[29:]]
    (alert,) = default("people-step-in", near)
    assert (alert.place, alert.events) == (29, ("s000-e020", "s000-e028"))
    far = [*quiet[:20], _stop(20, "interrupt"), *quiet[21:30], _stop(30, "deny_tool"), *quiet[31:]]
    assert not default("people-step-in", far)
    agent = [{**r, "actor": "agent"} if r["payload"] else r for r in near]
    assert not default("people-step-in", agent)


def _reviewed(human: int, of: int = 40) -> list[dict[str, Any]]:
    listed = steps("plan A; " + "; ".join(["review A"] * (of - 1)))
    return [{**r, "actor": "human" if 0 < n <= human else "agent"} for n, r in enumerate(listed)]


def test_a_band_in_both_directions() -> None:
    usual = [_reviewed(10 + n % 3) for n in range(25)]
    assert not default("human-rate-band", *usual)
    for odd in (0, 30):
        (alert,) = default("human-rate-band", *usual, _reviewed(odd))
        assert alert.numerator == odd
        assert alert.limits is not None
        assert not alert.limits[0] <= odd / 40 <= alert.limits[1]


def test_capture_that_broke() -> None:
    fine = [steps("plan A; start A; ok A")] * 12
    blind = [steps("start A; ok A")] * 4
    (alert,) = default("capture-broken", *fine, *blind)
    # 4 of 16 is the first share above a fifth
    assert (alert.numerator, alert.denominator, alert.session_id) == (4, 16, "s015")


def test_drift_of_the_fleet() -> None:
    rng = random.Random(5)
    stable = [_reviewed(rng.choice((9, 10, 11))) for _ in range(40)]
    shifted = [_reviewed(rng.choice((12, 13))) for _ in range(10)]
    assert not [a for a in default("drift", *stable) if a.metric == "human_rate"]
    found = [a for a in default("drift", *stable, *shifted) if a.metric == "human_rate"]
    assert found[0].session_id in {f"s{n:03}" for n in range(40, 45)}


def test_weights_correct_a_share() -> None:
    sampled = {"event_type": "complete", "payload": {"sampling": {"rate": 0.1, "weight": 10.0}}}
    good = [
        *steps("plan A; ok A"),
        row(2, "complete", "goal", "succeeded", payload=sampled["payload"]),
    ]
    kept = steps("start A")
    rule = "name: a, scope: fleet, metric: sessions_without_plan, condition: '> 0', min_volume: 3"
    (alert,) = one(rule, good, good, kept)
    assert alert.value == pytest.approx(1 / 21)


# windows, lasting, cooldown, task --------------------------------------------------------------------


def test_a_window_of_time() -> None:
    listed = [
        _stop(n, "interrupt") if n in (5, 16, 20) else row(n, "review", "A", "updated") for n in range(30)
    ]
    (alert,) = one("name: a, metric: human_stops, condition: '>= 2', window: 10 min", listed)
    assert alert.place == 21


def test_for_and_cooldown() -> None:
    listed = steps("; ".join(["start A; bad A"] * 10))
    base = "name: a, metric: failed_attempts, condition: '>= 2', window: 4 events"
    # 2 of 4 hold all the time from the fourth event on
    (alert,) = one(base, listed)
    assert alert.place == 4
    (alert,) = one(f"{base}, for: 3 events", listed)
    assert alert.place == 7
    (alert,) = one(f"{base}, for: 2 min", listed)
    assert alert.place == 6
    wave = "start A; bad A; start A; bad A; " + "review A; " * 5
    listed = steps((wave * 4).rstrip("; "))
    assert [a.place for a in one(base, listed)] == [4, 13, 22, 31]
    assert [a.place for a in one(f"{base}, cooldown: 10 events", listed)] == [4, 22]


def test_a_task_joins_its_sessions() -> None:
    half = [{**r, "task_id": "t"} for r in steps("start A; bad A; start A; bad A")]
    rule = "name: a, scope: task, metric: failed_attempts, condition: '>= 3'"
    (alert,) = one(rule, half, half)
    assert (alert.subject, alert.session_id, alert.place) == ("t", "s001", 2)
    assert not one(rule, steps("start A; bad A; start A; bad A"), half)
    rate = "name: a, scope: task, metric: rollback_rate, condition: '>= 0.4'"
    back = [{**r, "task_id": "t"} for r in steps("plan A; start A; ok A; start A; ok A")]
    plain = [{**r, "task_id": "t"} for r in steps("plan A; start A; ok A")]
    assert [a.value for a in one(rate, back, plain)] == [0.5]
    assert not one(
        "name: a, scope: task, metric: rollback_rate, condition: '> 0.4', min_volume: 3", back, plain
    )


# against the whole measure ---------------------------------------------------------------------------

_VERBS = ("start", "ok", "bad", "plan", "reopen", "human review")
_WORDS = st.lists(st.sampled_from([f"{v} {n}" for v in _VERBS for n in "ABC"]), min_size=1, max_size=40)
_CALLS = ("call A", "call B", "call x", "done A", "done x", "start A", "ok A", "start B", "ok B", "plan A",
          "call unbound", "done unbound", "start unbound")  # fmt: skip


@given(_WORDS, st.sampled_from(["rollback_rate", "human_rate", "deviation", "completion"]))
@settings(max_examples=60, deadline=None)
def test_it_fires_where_the_measure_of_what_had_happened_says_so(words: list[str], metric: str) -> None:
    listed = events(steps("; ".join(words)))
    wanted = None
    for count in range(1, len(listed) + 1):
        told = {m.name: m for m in measure(listed[:count]).metrics}[metric]
        if told.value is not None and told.value > 0.3 and (told.denominator or 0) >= 2:
            wanted = count
            break
    found = one(f"name: a, metric: {metric}, condition: '> 30 %', min_volume: 2", steps("; ".join(words)))
    assert (found[0].place if found else None) == wanted


def test_rare_looks_tell_the_same_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "; ".join(f"plan N{n}; start N{n}; ok N{n}" for n in range(60)) + "; " + "; ".join(
        f"start N{n}; ok N{n}" for n in range(40)
    )  # fmt: skip
    rule = "name: a, metric: rollback_rate, condition: '> 0.25', min_volume: 8"
    (exact,) = one(rule, steps(text))
    monkeypatch.setattr(prefix, "EXACT", 20)
    monkeypatch.setattr(prefix, "STRIDE", 0.1)
    (rare,) = one(rule, steps(text))
    assert (rare.place, rare.event_id, rare.value) == (exact.place, exact.event_id, exact.value)


@given(st.lists(st.sampled_from(_CALLS), min_size=1, max_size=40))
@settings(max_examples=80, deadline=None)
def test_restarts_are_what_the_measure_calls_repeated(words: list[str]) -> None:
    listed = events(_worked(*words))
    live, restarts = Live(), 0
    for event in listed:
        restarts += sum(mark.top for mark in live.take(step_of(event)) if mark.metric == "restarts")
    assert restarts == sum(len(node.tries) - 1 for node in Story(listed).nodes.values() if node.tries)


def test_a_node_that_starts_again_while_it_runs() -> None:
    """The first attempt ends where the next one begins: what comes after the second is outside."""
    listed = events(_worked("plan A", "call A", "call A", "ok A", "call x", "call y"))
    tries = Story(listed).nodes["A"].tries
    assert [(t.place, t.stopped, t.end is None) for t in tries] == [(1, 2, True), (2, 3, False)]
    told = {m.name: m for m in measure(listed).metrics}
    # y runs while x does, x while nothing does
    assert (told["work_in_plan"].numerator, told["work_in_plan"].denominator) == (3, 4)
    (alert,) = one("name: a, metric: restarts, condition: '> 0'", _worked("plan A", "start A", "start A"))
    assert alert.place == 3


@given(st.lists(st.sampled_from(_CALLS), min_size=1, max_size=40))
@settings(max_examples=80, deadline=None)
def test_work_outside_is_what_the_measure_calls_so(words: list[str]) -> None:
    listed = events(_worked(*words))
    live, top, bottom = Live(), 0, 0
    for count, event in enumerate(listed, 1):
        for mark in live.take(step_of(event)):
            if mark.metric == "work_outside_plan":
                top, bottom = top + mark.top, bottom + mark.bottom
        told = {m.name: m for m in measure(listed[:count]).metrics}["work_in_plan"]
        if told.value is not None:
            assert bottom == told.denominator
            assert top == bottom - (told.numerator or 0)


# statistics ------------------------------------------------------------------------------------------


def test_a_band_holds_what_it_says() -> None:
    from scipy.stats import betabinom

    rng = random.Random(1)

    def session() -> Part:
        rate = rng.betavariate(4, 16)
        return Part(sum(rng.random() < rate for _ in range(40)), 40)

    inside = of = 0
    for _ in range(40):
        low, high = band([session() for _ in range(50)], 40, 0.9)
        for _ in range(20):
            inside, of = inside + (low <= session().top <= high), of + 1
    assert 0.86 < inside / of < 0.96
    low, high = band([session() for _ in range(2000)], 40, 0.99)
    assert abs(low - betabinom.ppf(0.005, 40, 4, 16)) <= 1
    assert abs(high - betabinom.ppf(0.995, 40, 4, 16)) <= 1


def test_an_average_rarely_leaves_its_limits_by_chance() -> None:
    rng = random.Random(2)
    average = Average(0.2, 3, 200)
    told = [average.take(rng.gauss(0, 1)) for _ in range(2200)]
    outside = sum(1 for one in told if one is not None and not one[1][0] <= one[0] <= one[1][1])
    assert outside < 20
    assert pooled([Part(0, 0)]) is None


# files of rules --------------------------------------------------------------------------------------


def _rule(*lines: str) -> str:
    """A file of one rule with sound lines where none are given."""
    keys = {line.split(":")[0] for line in lines}
    usual = [("name", "a"), ("metric", "restarts"), ("condition", "'> 1'")]
    rest = [f"{key}: {value}" for key, value in usual if key not in keys]
    return "rules:\n- " + "\n  ".join([*lines, *rest])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1: the file holds no rules"),
        ("rules: 3", "1: rules is a list"),
        ("rules: [\n - {", "no YAML"),
        (_rule("condition: '> __import__(1)'"), "2: condition cannot be read"),
        (_rule("metric: restart"), "2: unknown metric 'restart'; did you mean restarts"),
        (_rule("name: a", "metrc: restarts"), "3: unknown key 'metrc'; did you mean metric?"),
        (_rule() + _rule()[6:], "5: the name a is taken by the rule of line 2"),
        (_rule("name: a", "window: last 3 sessions"), "3: window of a session is in events or time"),
        (_rule("metric: deviation", "window: 3 events"), "3: only what is counted"),
        (_rule("metric: human_rate", "condition: outside band 99 %"), "3: a band or an ewma is of the fleet"),
        (_rule("metric: human_rate", "condition: '> p95'"), "3: a quantile of its own history"),
        (_rule("name: a", "name: b"), "3: name comes twice"),
        (_rule("severity: fatal"), "2: severity is one of"),
        ("rules:\n- !!python/object/apply:os.system [ls]", "2: a rule is a mapping"),
    ],
)
def test_mistakes_are_told_with_their_line(text: str, said: str) -> None:
    with pytest.raises(SourceError) as caught:
        rules_of(text, "rules.yaml")
    assert said in str(caught.value)
    assert caught.value.line is not None


def test_all_mistakes_at_once() -> None:
    with pytest.raises(SourceError, match=r"(?s)rules.yaml:2: .*line 3: .*line 4: "):
        rules_of(
            "rules:\n- {name: '!', metric: restarts, condition: '> 1'}\n- {name: b}\n- 7\n", "rules.yaml"
        )
