"""Does an adapter keep its port's promises? Checks for ours and for strangers' adapters alike."""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from tracelode.ingest.draft import Builder, Thread
from tracelode.model.measure import TIME_KINDS, TOKEN_KINDS, outward
from tracelode.model.operation import FIELDS, KINDS, STATUSES
from tracelode.model.ports import Exporter, Line
from tracelode.model.profile import Profile, Sample, Stack, fold
from tracelode.model.words import encodable, printable
from tracelode.redact.fast import Redactor


class Reading(msgspec.Struct, frozen=True):
    """One measure as a reader of the format found it in a file."""

    unit: str
    """Unit the file names, or the stored one where it names none."""
    values: dict[Stack, int]
    """Value by stack, root to leaf; stacks of value 0 may be absent."""


def check_exporter(
    exporter: Exporter,
    read: Callable[[bytes], Mapping[str, Reading]],
    *,
    spell: Callable[[str], str] = encodable,
    whole: bool = True,
) -> None:
    """Write profiles of every awkward sort and read them back.

    Checks: name and suffixes; the stream stays open; the profile stays as it was; the same
    profile gives the same bytes, whatever the order of its dicts and samples; text formats are
    UTF-8 that cannot steer a terminal; every measure read back sums to the profile's total, every
    stack to its own.

    Args:
        exporter: the adapter.
        read: turns written bytes into readings by measure, without the adapter's help.
        spell: how the format spells a frame that it cannot hold as it is.
        whole: False where a format may sum small stacks; then only totals are compared.

    Raises:
        AssertionError: a promise is broken; the message names the profile and the promise.
    """
    _require(
        re.fullmatch(r"[a-z][a-z0-9_-]*", exporter.name) is not None, exporter.name, "name is a plain word"
    )
    _require(bool(exporter.suffixes), exporter.name, "there is a suffix")
    for suffix in exporter.suffixes:
        _require(suffix.startswith(".") and suffix == suffix.lower(), suffix, "suffix is like .json")
    longest_first = sorted(exporter.suffixes, key=len, reverse=True)
    _require(list(exporter.suffixes) == longest_first, exporter.name, "longest suffix comes first")
    for name, profile in export_profiles().items():
        before = repr(profile)
        data = _written(exporter, profile, name)
        _require(_written(exporter, profile, name) == data, name, "the same profile gives the same bytes")
        _require(_written(exporter, _shuffled(profile), name) == data, name, "order does not show")
        _require(repr(profile) == before, name, "the profile stays as it was")
        if not exporter.binary:
            text = data.decode("utf-8")
            _require(printable(text.replace("\n", "")) == text.replace("\n", ""), name, "text is printable")
        _compare(profile, read(data), name, spell, whole)


def export_profiles() -> dict[str, Profile]:
    """Profiles that an exporter must get right, by what is awkward about them."""
    frames = [
        ("fix bug", "diagnose error", "Bash:pytest"),
        ("fix bug", "edit code", "Edit"),
        ("fix bug", "edit code"),
        ("write docs", "edit code", "Edit"),
        ("write docs", "read code", "(answer)"),
    ]
    ordinary = fold(
        [
            (stack, (2_310_000_000_000 // n + n, 4_100_000 // n, n * 31_000_001))
            for n, stack in enumerate(frames, 1)
        ],
        ("cost", "tokens", "time.active"),
    )
    hostile = [
        ("a;b", "c\nd", 'say "hi"', "<script>&amp;</script>"),
        ("=1+1", "@sum", "'quoted'", "100%", "%3B", "a,b"),
        ("\x1b[31mred\x00", "\x9b2J", "tab\there", "cr\rlf"),
        ("\U0001f600 emoji", "e\u0301", "\u6f22\u5b57", "  spaces  "),
        ("\u05e9\u05dc\u05d5\u05dd", "\u202eevil", "\u2028line", "]]>", "\ufeffmark"),
        ("cut \ud83d", "", "x" * 3_000),
        ("\\", "\\n", "a\\;b", "{}", "$HOME", "a 12"),
        tuple(f"level {i}" for i in range(60)),
        ("same", "same", "same"),
    ]
    many = (*TOKEN_KINDS, *TIME_KINDS, "cost", "cost.fees", "calls", "operations", "bytes.output")
    return {
        "ordinary": msgspec.structs.replace(
            ordinary, fields=("intent", "stage", "tool"), comments=("segmenter phase 1", "lexicon 3")
        ),
        "empty": Profile(measures=("tokens", "cost"), totals={}),
        "one frame": fold([(("all of it",), (7,))], ("operations",)),
        "zeros": fold([(("a",), (0, 0)), (("a", "b"), (0, 1))], ("cost", "calls")),
        "hostile names": msgspec.structs.replace(
            fold([(stack, (1_499 + i, i)) for i, stack in enumerate(hostile)], ("cost", "tokens")),
            comments=("line\nbreak", "\x1b]0;title\x07", "<b>"),
        ),
        "huge integers": fold(
            [(("big",), (2**61 + 1, 2**53 + 1)), (("big", "bigger"), (2**60 + 333, 2**62 - 7))],
            ("cost", "tokens.cache_read"),
        ),
        "many measures": fold(
            [(stack, tuple(7**i % 10_007 + n for i in range(len(many)))) for n, stack in enumerate(frames)],
            many,
        ),
        "detail": _detailed(),
    }


def _detailed() -> Profile:
    """Samples with labels whose picodollars do not round one by one."""
    samples = [
        Sample(
            ("fix bug", "run tests", f"Bash:{'pytest' if i % 3 else 'make'}"),
            (1_500 + i % 7, i),
            (
                ("session", f"s{i % 4}"),
                ("operation", f"a{i:015x}"),
                ("origin", f"claude:a/{i % 4}.jsonl:{i + 1}"),
            ),
        )
        for i in range(60)
    ]
    totals = fold([(sample.stack, sample.totals) for sample in samples], ("cost", "tokens"))
    return msgspec.structs.replace(totals, samples=tuple(samples), fields=("intent", "stage", "tool"))


def _written(exporter: Exporter, profile: Profile, name: str) -> bytes:
    stream = io.BytesIO()
    exporter.write(profile, stream)
    _require(not stream.closed, name, "the stream stays open")
    return stream.getvalue()


def _shuffled(profile: Profile) -> Profile:
    totals = dict(reversed(profile.totals.items()))
    return msgspec.structs.replace(profile, totals=totals, samples=profile.samples[::-1])


def _compare(
    profile: Profile,
    readings: Mapping[str, Reading],
    name: str,
    spell: Callable[[str], str],
    whole: bool,
) -> None:
    _require(profile.measures[0] in readings, name, "the first measure is written")
    _require(set(readings) <= set(profile.measures), name, "no measure is made up")
    for measure, reading in readings.items():
        place = profile.place(measure)
        stored = profile.units[place]
        where = f"{name}, {measure}"
        unit, exact = (stored, 1) if reading.unit == stored else (outward(stored, [])[0], 1_000)
        _require(reading.unit == unit, where, f"the unit is {stored} or {unit}")
        total = profile.total(place) if exact == 1 else outward(stored, [profile.total(place)])[1][0]
        _require(sum(reading.values.values()) == total, where, "values sum to the profile's total")
        if whole:
            _same_stacks(profile, place, reading, exact, where, spell)


def _same_stacks(
    profile: Profile, place: int, reading: Reading, exact: int, where: str, spell: Callable[[str], str]
) -> None:
    """Every stack has its own value; rounded ones are off by less than one per sample."""
    wanted: Counter[Stack] = Counter()
    for stack, values in profile.totals.items():
        wanted[tuple(map(spell, stack))] += values[place]
    samples = Counter(tuple(map(spell, sample.stack)) for sample in profile.samples)
    for stack in set(chain(wanted, reading.values)):
        off = abs(reading.values.get(stack, 0) * exact - wanted[stack])
        room = exact * max(1, samples[stack]) if exact > 1 else 1
        _require(off < room, where, "every stack keeps its value")


def _require(holds: bool, where: str, promise: str) -> None:
    if not holds:
        raise AssertionError(f"{where}: broken promise: {promise}")


def check_source(source: Any, sample: Path, golden: Path, others: Iterable[Any] = ()) -> None:
    """Assert everything a source adapter promises, on one small sample and one golden.

    Args:
        source: the adapter.
        sample: a file of its format, written for the test.
        golden: JSON with the operations the sample must give; written anew when the variable
            TRACELODE_UPDATE_GOLDEN is set.
        others: adapters that must not take the sample for theirs.

    Raises:
        AssertionError: a promise is broken.
    """
    data = sample.read_bytes()
    certainty = source.sniff(data[:65536])
    assert certainty >= 0.5, "the adapter does not know its own sample"
    assert all(other.sniff(data[:65536]) < certainty for other in others), "another adapter is surer"
    for strange in (b"", b"\x00\xff" * 50, b"hello\n", b"{}\n", b"[]"):
        assert source.sniff(strange) < 0.5, "the adapter takes strange bytes for its format"
    whole = _read_in_pieces(source, data, ())
    nameless = _read_in_pieces(source, data, (), name="file")
    assert [o["kind"] for o in whole] == [o["kind"] for o in nameless], "the file name decides"
    lines = data.count(b"\n")
    cuts = 1 if source.layout.endswith("document") else lines
    for cut in range(1, cuts):
        assert _read_in_pieces(source, data, (cut,)) == whole, f"reading on after line {cut} differs"
    for operation in whole:
        assert operation["kind"] in KINDS
        assert operation["status"] in STATUSES
        assert 1 <= operation["line"] <= lines + 1
        unknown = [f for f in operation["fields"] if f not in FIELDS and "." not in f]
        assert not unknown, f"fields that are in no table: {unknown}"
        assert all(value >= 0 for value in operation["measures"].values())
    assert len({o["id"] for o in whole}) == len(whole), "ids repeat"
    text = msgspec.json.format(msgspec.json.encode(whole), indent=1).decode() + "\n"
    if os.environ.get("TRACELODE_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == text, f"differs from {golden.name}"


def _read_in_pieces(
    source: Any, data: bytes, cuts: tuple[int, ...], name: str = "sample.jsonl"
) -> list[dict[str, Any]]:
    """The sample's operations when reading stops after some lines and goes on from the saved state."""
    threads: dict[str, Thread] = {}
    state = source.fresh()
    builder = Builder(Redactor(), name, source.agent, threads)
    numbered = [Line(1, 0, data)] if source.layout.endswith("document") else _numbered(data)
    lines = [line for line in numbered if line.data.strip()]
    start = 0
    for cut in (*cuts, len(lines)):
        for item in source.read(lines[start:cut], state, name):
            builder.take(item)
        state = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=type(state))
        start = cut
    return [
        {
            "session": draft.session,
            "id": draft.id,
            "actor": draft.actor,
            "kind": draft.kind,
            "name": draft.name,
            "status": draft.status,
            "started": draft.started,
            "ended": draft.ended,
            "line": draft.origin.line,
            "fields": dict(sorted(draft.fields.items())),
            "measures": dict(sorted(draft.measures.items())),
            "arguments": draft.arguments,
            "output": draft.output,
        }
        for thread in threads.values()
        for draft in thread.drafts.values()
    ]


def _numbered(data: bytes) -> list[Line]:
    found, offset = [], 0
    for number, text in enumerate(data.split(b"\n"), 1):
        found.append(Line(number, offset, text))
        offset += len(text) + 1
    return found
