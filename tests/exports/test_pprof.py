"""Does the pprof file carry evidence, sum, stay small in time, and read in pprof itself?"""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import subprocess
import time
import tracemalloc
from pathlib import Path
from zlib import decompress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import ExportError
from tracelode.exports import pprof as module
from tracelode.exports import profile_pb2
from tracelode.exports.pprof import PprofExporter
from tracelode.model.profile import Profile, Sample, fold
from tracelode.testing import export_profiles

from . import readers

HERE = Path(module.__file__).parent


def written(profile: Profile) -> bytes:
    stream = io.BytesIO()
    PprofExporter().write(profile, stream)
    return stream.getvalue()


def detailed(samples: list[Sample], measures: tuple[str, ...] = ("cost", "tokens")) -> Profile:
    totals = fold([(sample.stack, sample.totals) for sample in samples], measures)
    return msgspec.structs.replace(totals, samples=tuple(samples))


def many(n: int, stacks: int, measures: tuple[str, ...] = ("cost", "tokens", "time.active")) -> Profile:
    """n samples with three labels each over a number of stacks, as a month of work has them."""
    rng = random.Random(7)
    names = [(f"intent {i % 9}", f"stage {i % 23}", f"tool-{i}") for i in range(stacks)]
    samples = []
    for i in range(n):
        values = (int(rng.lognormvariate(21, 1.5)), int(rng.lognormvariate(7, 1.5)), rng.randrange(10**8))
        labels = (
            ("session", f"session-{i // 150}"),
            ("operation", f"{rng.getrandbits(64):016x}"),
            ("origin", f"claude:projects/p{i // 1500}/{i // 150:032x}.jsonl:{i % 150 * 7 + 1}"),
        )
        samples.append(Sample(names[rng.randrange(stacks)], values[: len(measures)], labels))
    return detailed(samples, measures)


def test_the_runtime_reads_what_the_bytes_say() -> None:
    for profile in export_profiles().values():
        data = written(profile)
        message = profile_pb2.Profile.FromString(decompress(data, 31))
        ours = readers.pprof_file(data)
        assert list(message.string_table) == ours.strings
        assert [tuple(s.value) for s in message.sample] == [values for _, values, _ in ours.samples]
        labels = [
            tuple((message.string_table[x.key], message.string_table[x.str]) for x in s.label)
            for s in message.sample
        ]
        assert labels == [found for _, _, found in ours.samples]


def test_labels_lead_back_to_the_evidence() -> None:
    samples = [
        Sample(("fix", "Bash"), (1_500, 1), (("session", "a"), ("operation", "01"), ("origin", "x.jsonl:1"))),
        Sample(("fix", "Bash"), (1_500, 2), (("session", "b"), ("operation", "02"), ("origin", ""))),
        Sample(("fix", "Edit"), (1_500, 3)),
    ]
    found = readers.pprof_file(written(detailed(samples))).samples
    assert found == [
        (("fix", "Bash"), (2, 1), (("session", "a"), ("operation", "01"), ("origin", "x.jsonl:1"))),
        (("fix", "Bash"), (2, 2), (("session", "b"), ("operation", "02"))),
        (("fix", "Edit"), (1, 3), ()),
    ]


def test_above_the_limit_the_three_largest_of_a_stack_keep_their_labels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    samples = [
        Sample(("fix",), (i * 10_000, 1), (("session", f"s{i % 2}"), ("operation", f"{i:04x}")))
        for i in range(1, 21)
    ]
    monkeypatch.setattr(module, "LABELLED", 20)
    assert len(readers.pprof_file(written(detailed(samples))).samples) == 20
    monkeypatch.setattr(module, "LABELLED", 19)
    found = readers.pprof_file(written(detailed(samples))).samples
    assert [(values[0], dict(labels)) for _, values, labels in found] == [
        (200, {"session": "s0", "operation": "0014"}),
        (190, {"session": "s1", "operation": "0013"}),
        (180, {"session": "s0", "operation": "0012"}),
        (sum(range(20, 170, 20)), {"session": "s0"}),
        (sum(range(10, 180, 20)), {"session": "s1"}),
    ]
    assert sum(values[1] for _, values, _ in found) == 20


@given(st.lists(st.integers(-(10**13), 10**16), min_size=1, max_size=60))
def test_nanodollars_sum(picodollars: list[int]) -> None:
    samples = [Sample((f"s{i % 7}",), (value,)) for i, value in enumerate(picodollars)]
    found = readers.pprof(written(detailed(samples, ("cost",))))["cost"]
    assert abs(sum(found.values.values()) * 1_000 - sum(picodollars)) <= 500


def test_negative_values_survive() -> None:
    found = readers.pprof(
        written(fold([(("a",), (-7, -(2**63))), (("b",), (5, 2**63 - 1))], ("calls", "tokens")))
    )
    assert found["calls"].values == {("a",): -7, ("b",): 5}
    assert found["tokens"].values == {("a",): -(2**63), ("b",): 2**63 - 1}


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30])
def test_more_than_64_bits_is_refused(value: int) -> None:
    with pytest.raises(ExportError, match="64 bits"):
        written(fold([(("a",), (value,))], ("tokens",)))


def test_detail_that_does_not_sum_is_refused() -> None:
    profile = detailed([Sample(("a",), (1, 1))])
    broken = msgspec.structs.replace(profile, samples=(Sample(("a",), (1, 2)),))
    with pytest.raises(ExportError, match="do not sum"):
        written(broken)


def test_long_labels_and_deep_stacks_keep_their_lengths() -> None:
    deep = tuple(f"frame {i}" for i in range(20_000))
    samples = [
        Sample(deep, (i, i), tuple((f"key {k}", f"{i}-{k}" * 40) for k in range(200))) for i in range(3)
    ]
    found = readers.pprof_file(written(detailed(samples))).samples
    assert [stack for stack, _, _ in found] == [deep] * 3
    assert found[2][2] == samples[2].labels


def test_every_length_of_a_sample_is_right() -> None:
    samples = [Sample(("f",) * depth, (depth, 1)) for depth in range(1, 300)]
    assert [len(stack) for stack, _, _ in readers.pprof_file(written(detailed(samples))).samples] == [
        *range(1, 300)
    ]


def test_schema_and_generated_module_agree() -> None:
    text = re.sub("//.*", "", (HERE / "profile.proto").read_text())
    wanted = {
        (message, field, int(number))
        for message, body in re.findall(r"message (\w+) \{(.*?)\}", text, re.S)
        for field, number in re.findall(r"(\w+) = (\d+);", body)
    }
    found = {
        (message.name, field.name, field.number)
        for message in profile_pb2.DESCRIPTOR.message_types_by_name.values()
        for field in message.fields
    }
    assert wanted == found
    assert len(found) > 40


def test_generated_module_runs_on_any_runtime() -> None:
    source = (HERE / "profile_pb2.py").read_text()
    assert "runtime_version" not in source
    assert "ValidateProtobufRuntimeVersion" not in source


@pytest.mark.slow
def test_a_month_of_operations_in_a_quarter_second() -> None:
    profile = many(27_765, 1_500)
    written(profile)  # imports
    spent = []
    for _ in range(5):
        start = time.process_time()
        written(profile)
        spent.append(time.process_time() - start)
    # 0.17 s on the reference machine, bar 0.25 s; a third more for a busy one.
    assert min(spent) < 0.34
    tracemalloc.start()
    written(profile)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * 2**20


def pprof_tool(folder: Path, *words: str) -> str:
    run = subprocess.run(
        ["go", "tool", "pprof", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "PPROF_TMPDIR": str(folder)},
    )
    assert run.returncode == 0, run.stderr
    assert "binary" not in run.stderr, "pprof must not look for symbols"
    return run.stdout


needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="go is not on PATH")


@needs_go
@pytest.mark.parametrize("name", sorted(export_profiles()))
def test_pprof_reads_raw(name: str, tmp_path: Path) -> None:
    profile = export_profiles()[name]
    (tmp_path / "p.pb.gz").write_bytes(written(profile))
    raw = pprof_tool(tmp_path, "-raw", "p.pb.gz")
    ours = readers.pprof_file(written(profile))
    types = " ".join(f"{t}/{u}{'[dflt]' if t == ours.default else ''}" for t, u in ours.types)
    assert types in raw.splitlines()
    body = raw[raw.index("Samples:") : raw.index("Locations")]
    rows = re.findall(r"^ *(-?\d+(?: +-?\d+)*): [\d ]+$", body, re.M)
    # pprof drops samples without any value.
    valued = [values for _, values, _ in ours.samples if any(values)]
    assert [tuple(map(int, row.split())) for row in rows] == valued
    for key, value in {pair for _, _, labels in ours.samples for pair in labels}:
        assert f"{key}:[{value}]" in body


@needs_go
def test_pprof_top_diff_and_tagfocus(tmp_path: Path) -> None:
    profiles = export_profiles()
    (tmp_path / "new.pb.gz").write_bytes(written(profiles["ordinary"]))
    doubled = {stack: tuple(2 * v for v in values) for stack, values in profiles["ordinary"].totals.items()}
    older = msgspec.structs.replace(profiles["ordinary"], totals=doubled)
    (tmp_path / "old.pb.gz").write_bytes(written(older))
    (tmp_path / "detail.pb.gz").write_bytes(written(profiles["detail"]))

    top = pprof_tool(tmp_path, "-top", "new.pb.gz")
    assert "Type: cost" in top
    assert "of 5274500000nanodollars total" in top
    assert re.search(r"^ *2310000000nanodollars .* Bash:pytest$", top, re.M)
    assert re.search(r" 462000000nanodollars .* \(answer\)$", top, re.M), "brackets are no C++ arguments"
    assert "465s" in pprof_tool(tmp_path, "-top", "-unit=s", "-sample_index=time.active", "new.pb.gz")
    assert "segmenter phase 1" in pprof_tool(tmp_path, "-comments", "new.pb.gz")

    diff = pprof_tool(tmp_path, "-top", "-sample_index=tokens", "-diff_base=old.pb.gz", "new.pb.gz")
    assert re.search(r"^ *-4100000tokens .* Bash:pytest$", diff, re.M)

    one = pprof_tool(
        tmp_path, "-top", "-sample_index=tokens", "-tagfocus=operation=a00000000000000a", "detail.pb.gz"
    )
    assert "accounting for 10tokens" in one
