"""Do intervals, studies and comparisons of sets say what they may, and refuse what they must?"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import tracelode
from plan.arms import write
from plan.traces import measured, steps
from tracelode.errors import QueryError, SourceError, UsageError
from tracelode.model.plan_study import Study
from tracelode.model.planning import SessionPlan
from tracelode.plan.metrics.pooled import report
from tracelode.plan.study.contrast import adjust, contrast, positions
from tracelode.plan.study.design import load
from tracelode.plan.study.since import since
from tracelode.plan.study.units import units
from tracelode.workspace.planning import measure_files
from tracelode.workspace.studying import study_files


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arms")
    write(folder)
    return folder


def many(text: str, tasks: int, each: int = 1) -> list[SessionPlan]:
    """Sessions of one trace, `each` of every task."""
    found = []
    for number in range(tasks * each):
        rows = [{**row, "session_id": f"s{number}", "event_id": f"{number}-{row['event_id']}",
                 "task_id": f"t{number % tasks}"} for row in steps(text)]  # fmt: skip
        found.append(measured(rows))
    return found


def test_pooled_is_of_sums_and_mean_of_sessions() -> None:
    whole = [msgspec.structs.replace(one, session_id=f"w{i}")
             for i, one in enumerate(many("plan A; start A; ok A", 3))]  # fmt: skip
    sessions = [*many("plan A; plan B; start A; ok A", 4), *whole]
    by_name = {row.name: row for row in report(sessions, cluster="session").pooled}
    coverage = by_name["coverage"]
    assert coverage.pooled == pytest.approx((4 * 1 + 3) / (4 * 2 + 3))
    assert coverage.mean == pytest.approx((4 * 0.5 + 3) / 7)
    assert coverage.pooled_interval is not None
    assert coverage.pooled_interval[0] <= coverage.pooled <= coverage.pooled_interval[1]


def test_few_clusters_are_only_described() -> None:
    found = report(many("plan A; plan B; start A; ok A", 4, each=10))
    assert (found.cluster, found.clusters, found.resamples) == ("task", 4, 0)
    assert all(row.pooled_interval is row.mean_interval is None for row in found.pooled)
    assert next(row.pooled for row in found.pooled if row.name == "coverage") == 0.5


def test_the_cluster_is_what_every_session_tells() -> None:
    sessions = many("plan A; start A; ok A", 6)
    assert report(sessions).cluster == "task"
    lone = measured(steps("plan A; start A; ok A"))
    assert report([*sessions, lone]).cluster == "session"
    assert report([*sessions, lone], cluster="task").clusters == 7
    with pytest.raises(UsageError, match="task, project, session"):
        report(sessions, cluster="moon")


def test_missing_values_are_counted_with_their_reason() -> None:
    rows = report([*many("plan A; start A; ok A", 5), *many("complete goal", 2)], cluster="session").pooled
    coverage = next(row for row in rows if row.name == "coverage")
    assert (coverage.sessions, sum(coverage.missing.values())) == (5, 2)
    assert all("no plan node" in reason for reason in coverage.missing)


def test_a_planted_difference_is_found_and_the_rest_is_not(arms: Path) -> None:
    found = study_files(arms / "study.yaml")
    assert found.sound
    rows = {(c.family, c.metric): c for c in found.contrasts}
    back = rows["all", "rollback_rate"]
    assert back.paired
    assert back.clusters == (16, 16)
    assert back.exact
    assert back.adjusted is not None
    assert back.adjusted < 0.05
    assert back.interval is not None
    assert back.interval[1] < 0
    still = rows["all", "coverage"]
    assert (still.net, still.adjusted) == (0.0, 1.0)
    place = next(p for p in found.positions if p.family == "all")
    assert place.adjusted is not None
    assert place.adjusted < 0.05
    assert place.before[1] > place.after[1]


def test_groups_are_those_of_plan_metrics(arms: Path) -> None:
    found = study_files(arms / "study.yaml")
    pooled = {row.name: row for row in measure_files([arms / "plain"], cluster="task").pooled}
    for group in found.groups:
        if (group.family, group.arm) == ("all", "plain"):
            assert group.pooled == pytest.approx(pooled[group.metric].pooled)
            other = pooled[group.metric].pooled_interval
            assert (group.pooled_interval is None) == (other is None)
            if group.pooled_interval is not None and other is not None:
                # the same clusters in another order, and so other draws
                assert list(group.pooled_interval) == pytest.approx(list(other), abs=0.02, rel=0.05)


def changed(arms: Path, old: str, new: str) -> Path:
    path = arms / "changed.yaml"
    path.write_text((arms / "study.yaml").read_text().replace(old, new))
    return path


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("metrics: 1\n", "", "metrics is missing"),
        ("family: domain", "family: magic", ":13: the family of a task is one of"),
        ("repeats: 2", "repeat: 2", r"unknown key 'repeat'; repeats\?"),
        ("repeats: 2", "repeats: many", "repeats is no whole number"),
        ("arms:\n", "arms: [\n", "not YAML"),
        ("rules: {files: rules,", "rules: {files: rules, where: {a: b},", ":5: arm rules names files, or"),
        ("  plain: {files: plain}\n", "", ":3: a study compares two arms"),
        ("tasks:\n", "tasks:\n  score credit: {family: domain}\n", "score credit stands twice"),
        ("rules: {files: rules,", "rules: {since: 12 o'clock,", "since is no day or moment"),
    ],
)
def test_mistakes_of_a_study_are_named_with_their_line(arms: Path, old: str, new: str, says: str) -> None:
    assert old in (arms / "study.yaml").read_text()
    with pytest.raises(UsageError, match=says):
        load(changed(arms, old, new))


def test_several_mistakes_are_named_at_once(arms: Path) -> None:
    path = changed(arms, "repeats: 2\nalso: [unplanned, corrective]", "repeat: 2\nalso: {}")
    with pytest.raises(UsageError, match=r"repeat.*; .*also is no list"):
        load(path)


def test_aliases_do_not_explode(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 8)}]" for i in range(1, 9)]
    path = tmp_path / "study.yaml"
    path.write_text("\n".join(lines))
    with pytest.raises(UsageError, match="too large"):
        load(path)


def told(found: Study) -> str:
    return "; ".join(problem.message for problem in found.problems)


def test_a_design_that_fails_tells_no_difference(arms: Path) -> None:
    missing = changed(arms, "  score credit: {family: domain}\n", "  score debit: {family: domain}\n")
    found = study_files(missing)
    assert not found.sound
    assert not found.groups
    assert not found.contrasts
    assert "arm plain has no run of score debit" in told(found)
    shown = study_files(missing, describe=True)
    assert shown.groups
    assert not shown.contrasts
    assert shown.arms[0].left_out == {"of a task that is not in the study": 2}


def test_families_and_their_tasks_are_counted(arms: Path) -> None:
    assert "all tasks are of one family" in told(study_files(changed(arms, "domain", "procedure")))
    few = changed(arms, "{family: procedure}", "{family: explore}")
    few.write_text(
        few.read_text().replace("import orders: {family: explore}", "import orders: {family: procedure}")
    )
    assert "1 task of family procedure; 5 are needed" in told(study_files(few))


def test_one_session_cannot_be_in_two_arms(arms: Path) -> None:
    assert "32 sessions in several arms" in told(study_files(changed(arms, "files: rules", "files: plain")))


def test_repeats_and_seeds_are_checked(arms: Path) -> None:
    found = study_files(changed(arms, "repeats: 2", "repeats: 3\nseeds: [1, 2, 3]"))
    assert found.sound
    assert "arm plain has not 3 runs of" in told(found)
    assert "no run tells its seed" in told(found)


def test_a_study_of_other_definitions_is_refused(arms: Path) -> None:
    with pytest.raises(QueryError, match="metrics of version 7"):
        study_files(changed(arms, "metrics: 1", "metrics: 7"))


def kept(arms: Path, folder: Path, **more: object) -> Path:
    from tracelode.cli.shapes_plan import report as shape

    path = folder / "before.json"
    path.write_text(json.dumps({**shape(measure_files([arms / "plain"])), **more}))
    return path


def test_a_kept_answer_is_as_good_as_the_sessions(arms: Path, tmp_path: Path) -> None:
    now = measure_files([arms / "rules"])
    found = since(now, kept(arms, tmp_path))
    direct = contrast(units(measure_files([arms / "plain"]).sessions), units(now.sessions), "rollback_rate")
    row = next(c for c in found.contrasts if c.metric == "rollback_rate")
    assert row.paired
    assert (row.before, row.after, row.interval, row.p) == (
        direct.before,
        direct.after,
        direct.interval,
        direct.p,
    )
    assert row.adjusted is not None
    assert row.p is not None
    assert row.adjusted >= row.p
    assert found.positions is not None


def test_a_kept_answer_of_other_definitions_is_refused(arms: Path, tmp_path: Path) -> None:
    now = measure_files([arms / "rules"])
    with pytest.raises(QueryError, match="metrics of version 2"):
        since(now, kept(arms, tmp_path, metrics_version=2))
    with pytest.raises(SourceError, match="no answer of plan metrics"):
        since(now, arms / "study.yaml")
    with pytest.raises(QueryError, match="both sets hold"):
        since(measure_files([arms / "plain"]), kept(arms, tmp_path))
    with pytest.raises(UsageError, match="unknown metric"):
        since(now, kept(arms, tmp_path), ["luck"])


def test_sets_without_common_tasks_are_dealt() -> None:
    base = units(many("plan A; plan B; start A; ok A", 8))
    other = [u for u in units(many("plan A; plan B; start A; ok A; start B; ok B", 16))
             if u.cluster not in {b.cluster for b in base}]  # fmt: skip
    row = contrast(base, other, "coverage")
    assert not row.paired
    assert row.clusters == (8, 8)
    assert (row.before, row.after) == (0.5, 1.0)
    assert row.p is not None
    assert row.p < 0.01
    few = contrast(base[:3], other, "coverage")
    assert few.p is None
    assert few.reason == "fewer than 5 clusters: descriptive only"


def test_families_are_adjusted_apart_from_the_whole() -> None:
    base, other = units(many("plan A; plan B; start A; ok A", 6)), units(many("plan A; start A; ok A", 6))
    rows = [contrast(base, other, "coverage", family=f) for f in ("all", "explore", "domain")]
    tested, _ = adjust(rows, [positions(base, other)])
    assert [row.p for row in tested] == [0.03125] * 3
    assert [row.adjusted for row in tested] == [0.03125] * 3


def test_arms_of_the_store_are_as_good_as_files(tmp_path: Path) -> None:
    study = write(tmp_path, runs=1)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(tmp_path / "plain")
    workspace.add(tmp_path / "rules")
    keys = [session.key for session in workspace.sessions()]
    lines = [f"  {arm}: {{sessions: [{', '.join(k for k in keys if k.startswith(arm))}]}}\n"
             for arm in ("plain", "rules")]  # fmt: skip
    text = study.read_text()
    start, stop = text.index("  plain:"), text.index("tasks:")
    (tmp_path / "stored.yaml").write_text(text[:start] + "".join(lines) + text[stop:])
    found, files = workspace.plan_study(tmp_path / "stored.yaml"), study_files(study)
    assert found.sound
    assert found.contrasts == files.contrasts
    assert found.positions == files.positions
    with pytest.raises(UsageError, match="names sessions of the store"):
        study_files(tmp_path / "stored.yaml")
