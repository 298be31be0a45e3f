"""Does a forecast pass where there is a signal, fail where there is none, and know the beginning alone?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from claude import Transcript, used
from plan.arms import sessions as arms
from plan.traces import events
from tracelode.errors import SourceError, UsageError
from tracelode.model.forecast import Start
from tracelode.model.operation import Operation
from tracelode.plan.forecast.protocol import forecast, keep, trial
from tracelode.plan.forecast.start import Facts, Moment, moment, of_events, of_operations
from tracelode.plan.forecast.using import stability, using
from tracelode.plan.forecast.validate import dealt, task_of, threshold, validate
from tracelode.workspace import Workspace
from tracelode.workspace.forecasting import Foreseen, read_model, write_model
from workspaces import stored


def starts(n: int, signal: float, seed: int = 0, tasks: int = 25) -> list[Start | str]:
    """Beginnings of which one number tells how they end, more or less."""
    chance = np.random.default_rng(seed)
    found: list[Start | str] = []
    for i in range(n):
        row = chance.normal(size=6)
        came = bool(chance.random() < 1 / (1 + np.exp(-signal * row[0])))
        found.append(Start(
            session=f"s{i}", task=f"t{i % tasks}", project=f"p{i % 8}", who="a",
            features={f"f{j}": float(x) for j, x in enumerate(row)}, calls=10, rest=20, failure=came,
            correction=came, corrected=7 if came else None, rework=float(came) + 0.1 * float(row[1]),
        ))  # fmt: skip
    return found


def shuffled(rows: Sequence[Start | str], seed: int) -> list[Start | str]:
    """The same beginnings with endings dealt anew."""
    held = [row for row in rows if isinstance(row, Start)]
    order = np.random.default_rng(seed).permutation(len(held))
    return [msgspec.structs.replace(row, failure=held[j].failure) for row, j in zip(held, order, strict=True)]


def test_a_planted_signal_passes() -> None:
    found = trial(starts(200, 1.5), "failure", "10")
    assert (found.skill, found.reason) == (True, "")
    assert [one.by for one in found.grouped] == ["task", "project"]
    assert found.random is not None
    assert next(iter(found.weights)) == "f0"
    alarms = found.grouped[0].alarms
    assert alarms is not None
    assert alarms.false_rate < 0.1
    assert alarms.precision is not None
    assert alarms.precision > 0.6


def test_shuffled_labels_are_refused() -> None:
    """AUROC of labels dealt anew lies around .5, and its bounds hold .5; the same rows passed before."""
    rows = starts(200, 1.5)
    passed, held, middle = 0, 0, 0.0
    for seed in range(12):
        found = trial(shuffled(rows, seed), "failure", "10")
        passed += found.skill
        one = found.grouped[0]
        assert one.auroc is not None
        assert one.auroc_interval is not None
        held += one.auroc_interval[0] <= 0.5 <= one.auroc_interval[1]
        middle += one.auroc / 12
    assert passed == 0
    assert held >= 9
    assert middle == pytest.approx(0.5, abs=0.05)


def test_deals_are_as_high_as_luck() -> None:
    """Where labels were dealt, the share of other deals that do as well is anything from 0 to 1."""
    rows, shares = starts(120, 1.5), []
    for seed in range(20):
        mixed = [r for r in shuffled(rows, seed) if isinstance(r, Start)]
        task = task_of(mixed, [float(bool(r.failure)) for r in mixed], shares=False)
        shares.append(dealt(task, [r.task for r in mixed], times=19))
    known = [p for p in shares if p is not None]
    assert len(known) == 20
    assert 0.35 < sum(known) / 20 < 0.65
    assert sum(p <= 0.05 for p in known) <= 3
    held = [r for r in rows if isinstance(r, Start)]
    true = task_of(held, [float(bool(r.failure)) for r in held], shares=False)
    assert dealt(true, [r.task for r in held], times=19) == 0.05


def test_what_only_tells_the_task_is_no_skill() -> None:
    """Tasks that always fail, and a feature that names them: it leaks, unless they are held back."""
    rows = []
    for i in range(200):
        task = i % 20
        tells = {f"f{j}": float(j == task) for j in range(20)}
        rows.append(Start(
            session=f"s{i}", task=f"t{task}", project="", who="a", features=tells, calls=10, rest=20,
            failure=task % 2 == 0, correction=False, corrected=None, rework=None,
        ))  # fmt: skip
    found = trial(rows, "failure", "10")
    assert not found.skill
    assert found.random is not None
    assert found.random.auroc is not None
    assert found.grouped[0].auroc is not None
    assert found.random.auroc > 0.9
    assert found.grouped[0].auroc < 0.6


def test_high_rework_is_what_the_training_fold_calls_high() -> None:
    rows = starts(120, 2.0)
    task = task_of([r for r in rows if isinstance(r, Start)], [0.0] * 119 + [1000.0], shares=True)
    inside = np.ones(120, dtype=bool)
    inside[-1] = False
    assert task.flags(inside)[-1]
    assert not task.flags(inside)[:-1].any()
    assert trial(rows, "rework", "10").positives == 30


def test_small_sets_and_unknown_groups_are_refused() -> None:
    assert trial(starts(15, 3.0), "failure", "10").reason == "fewer than 10 sessions of either kind"
    lost = [msgspec.structs.replace(r, task="", project="") for r in starts(80, 3.0) if isinstance(r, Start)]
    assert "nothing can be held back" in trial(lost, "failure", "10").reason
    found = trial(["shorter than that"] * 3, "failure", "10")
    assert (found.reason, found.excluded) == ("no session counts", {"shorter than that": 3})


def test_more_trials_ask_for_more() -> None:
    found = forecast({"5": starts(60, 1.0), "10": starts(60, 1.0)}, labels=["failure", "correction"])
    assert {trial.level for trial in found.trials} == {1 - 0.05 / 4}


def test_a_threshold_keeps_to_its_budget_on_groups_not_fitted_on() -> None:
    rows = [r for r in starts(300, 1.0) if isinstance(r, Start)]
    task = task_of(rows, [float(bool(r.failure)) for r in rows], shares=False)
    flags = task.values > 0.5
    groups = [r.task for r in rows]
    tight, loose = (threshold(task.table, flags, groups, "logistic", b) for b in (0.01, 0.2))
    assert tight > loose
    assert threshold(task.table, np.zeros(300, dtype=bool), groups, "logistic", 0.0001) > 0


def test_boosting_is_an_extra() -> None:
    pytest.importorskip("lightgbm")
    rows = [r for r in starts(200, 2.0) if isinstance(r, Start)]
    task = task_of(rows, [float(bool(r.failure)) for r in rows], shares=False)
    found = validate(task, [r.task for r in rows], "task", kind="boosting")
    assert found.auroc is not None
    assert found.auroc > 0.7


def test_a_model_is_kept_only_where_it_holds(tmp_path: Path) -> None:
    rows = starts(200, 2.0)
    good = Foreseen(forecast({"10": rows}, labels=["failure"]), {"10": rows})
    path = tmp_path / "model.json"
    kept = write_model(good, path)
    assert kept is not None
    assert read_model(path) == kept
    later = starts(100, 2.0, seed=9)
    found = using(kept, later)
    ends = {row.session: row for row in later if isinstance(row, Start)}
    warned = [ends[risk.session].failure for risk in found.rows if risk.warned]
    assert warned
    assert sum(bool(w) for w in warned) / len(warned) > 0.6
    assert max(found.drift.values()) < 0.25
    moved = [msgspec.structs.replace(r, features={k: v + 5 for k, v in r.features.items()})
             for r in later if isinstance(r, Start)]  # fmt: skip
    assert stability(kept, "f0", moved) > 1
    none = Foreseen(forecast({"10": shuffled(rows, 1)}, labels=["failure"]), {"10": rows})
    assert write_model(none, tmp_path / "none.json") is None
    assert not (tmp_path / "none.json").exists()
    path.write_text(path.read_text().replace('"metrics_version": 1', '"metrics_version": 5'))
    with pytest.raises(SourceError, match="version 5"):
        read_model(path)
    path.write_text("{}")
    with pytest.raises(SourceError, match="not a forecast model"):
        read_model(path)


def test_a_boosted_model_is_read_again(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    rows = starts(200, 3.0)
    found = trial(rows, "failure", "10", kind="boosting")
    assert found.skill
    kept = keep(rows, found)
    assert msgspec.json.decode(msgspec.json.encode(kept), type=type(kept)) == kept
    chances = [risk.chance for risk in using(kept, rows).rows]
    assert len(set(chances)) > 5


# beginnings ---------------------------------------------------------------------------------------


TODOS = [
    {"content": text, "status": "pending", "activeForm": text} for text in ("Read it", "Change it", "Test it")
]


def transcript(key: str, late: str) -> Transcript:
    """A session whose rest differs, and whose first ten calls do not."""
    t = Transcript(key)
    t.user("make the parser faster")
    t.assistant("I plan.", tools=[("TodoWrite", {"todos": TODOS})], usage=used())
    t.advance(2).result(t.calls[0], "Todos have been modified")
    for call in range(16):
        first = call < 10
        tool, given = (("Read", {"file_path": f"/src/{call}.py"}), ("Bash", {"command": "pytest -q"}))[
            call % 2
        ]
        if not first and late == "edits":
            tool, given = (
                "Edit",
                {"file_path": "/src/a.py", "old_string": f"line {call}", "new_string": f"line {call + 1}"},
            )
        t.assistant("Next.", tools=[(tool, given)], usage=used())
        failed = not first and late == "fails"
        t.advance(3).result(t.calls[-1], "boom" if failed else "ok", is_error=failed)
    if late == "stopped":
        t.user("[Request interrupted by user]")
        t.user("no, not like that")
    t.assistant("Done.", usage=used())
    return t


def held(workspace: Workspace, key: str) -> Sequence[Operation]:
    found: Sequence[Operation] = workspace._ask().operations(key)
    return found


def test_later_events_do_not_change_features(tmp_path: Path) -> None:
    keys = [f"5a3c0000-0000-4000-8000-00000000000{i}" for i in range(4)]
    words = ("", "edits", "fails", "stopped")
    workspace = stored(tmp_path, *(transcript(key, late) for key, late in zip(keys, words, strict=True)))
    found = [of_operations(held(workspace, key), Facts(key), [Moment("10", 10, 0)])["10"] for key in keys]
    made = [one for one in found if isinstance(one, Start)]
    assert len(made) == 4
    assert all(one.features == made[0].features for one in made)
    assert made[0].features["has plan"] == 1.0
    assert [one.correction for one in made] == [False, False, False, True]
    assert made[1].rework is not None
    assert made[1].rework > 0
    assert made[0].rework is None


def test_operations_behind_the_beginning_may_be_anything(tmp_path: Path) -> None:
    """Whatever is put behind the tenth call, even at an earlier moment, features stay as they are."""
    key = "5a3c0000-0000-4000-8000-000000000009"
    workspace = stored(tmp_path, transcript(key, "edits"))
    own = list(held(workspace, key))
    calls = [i for i, o in enumerate(own) if o.kind in ("tool", "subagent", "gui")]
    base = of_operations(own, Facts(key), [Moment("10", 10, 0)])["10"]
    assert isinstance(base, Start)
    chance = np.random.default_rng(0)
    for _ in range(20):
        rest = own[calls[9] + 1 :]
        odd = [
            msgspec.structs.replace(
                o, status=str(chance.choice(["ok", "error", "denied", "interrupted"])),
                name=str(chance.choice([o.name, "Write", "mcp__x__drop"])), arguments="changed",
                fields={**o.fields, "verb": str(chance.choice(["edit", "test", "search"]))},
                started=None if o.started is None else o.started - int(chance.integers(0, 10**9)),
            )
            for o in rest
        ]  # fmt: skip
        found = of_operations([*own[: calls[9] + 1], *odd], Facts(key), [Moment("10", 10, 0)])["10"]
        assert isinstance(found, Start)
        assert found.features == base.features


def test_what_had_not_ended_has_no_result_yet(tmp_path: Path) -> None:
    key = "5a3c0000-0000-4000-8000-000000000008"
    own = list(held(stored(tmp_path, transcript(key, "")), key))
    calls = [i for i, o in enumerate(own) if o.kind == "tool"]
    slow = own[calls[3]]
    last = own[calls[9]]
    assert last.ended is not None
    late = [msgspec.structs.replace(o, status="error", ended=last.ended + 1) if o is slow else o for o in own]
    soon = [msgspec.structs.replace(o, status="error", ended=last.ended - 1) if o is slow else o for o in own]
    rows = [of_operations(ops, Facts(key), [Moment("10", 10, 0)])["10"] for ops in (late, soon)]
    assert isinstance(rows[0], Start)
    assert isinstance(rows[1], Start)
    assert (rows[0].features["failed calls"], rows[1].features["failed calls"]) == (0.0, 0.1)


def test_beginnings_of_event_files_know_no_later_event() -> None:
    one = next(session for _, session in arms())
    rows = events(one.rows)
    base = of_events(rows, Facts("s"), [Moment("5", 5, 0), Moment("12m", 0, 12 * 60_000_000)])
    for name, start in base.items():
        assert isinstance(start, Start), name
        stop = next(i for i, e in enumerate(rows) if e is rows[-1])
        other = [*rows[: stop - 1], msgspec.structs.replace(rows[-2], payload={"tool": "Write"}), rows[-1]]
        again = of_events(other, Facts("s"), [Moment("5", 5, 0), Moment("12m", 0, 12 * 60_000_000)])[name]
        assert isinstance(again, Start)
        assert again.features == start.features


def test_short_sessions_are_counted() -> None:
    one = next(session for _, session in arms())
    found = of_events(events(one.rows), Facts("s"), [Moment("500", 500, 0)])
    assert found == {"500": "shorter than that"}


@pytest.mark.parametrize("word", ["0", "-3", "x", "10x", "0m", "99999"])
def test_moments_that_are_none(word: str) -> None:
    with pytest.raises(UsageError, match="a number of tool calls or a time"):
        moment(word)
