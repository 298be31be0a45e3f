"""pprof: gzipped protobuf with every measure, evidence labels and comments, for `go tool pprof`.

Specification: https://github.com/google/pprof/blob/main/proto/profile.proto (see profile.proto here).
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import IO, Any

from tracelode.errors import ExportError
from tracelode.model.measure import outward
from tracelode.model.profile import Profile, Sample, Stack
from tracelode.model.words import printable

LABELLED = 50_000
"""Most samples that all keep the labels of their own operation."""
LARGEST = 3
"""How many samples of each stack keep them above that."""
SHARED_LABELS = frozenset({"session", "pprof::base"})
"""Labels that samples keep when they are summed."""

# Level 4 takes half the time of 6 and gives 2 % more bytes (27,765 samples, 3.4 MB).
_LEVEL = 4
_GZIP = 31  # zlib's window bits that ask for a gzip frame; its header has no time and no name
_SAMPLE = b"\x12"  # field 2 of Profile, length-delimited
_LABEL = b"\x1a"  # field 3 of Sample, length-delimited
_KEY = b"\x08"  # field 1 of Label, varint
_STR = b"\x10"  # field 2 of Label, varint
_LOW = [bytes((i | 0x80,)) for i in range(0x80)]


class PprofExporter:
    """Writes a profile for pprof: the first measure is the default, cost is in nanodollars.

    Samples carry the labels of the profile's detail (session, operation, origin, ...), so that
    `-tagfocus` leads back to the evidence; without detail there is one sample per stack. Above
    50,000 samples the three largest of each stack keep their labels and the rest are summed per
    stack and session.
    """

    name = "pprof"
    suffixes = (".pb.gz",)
    binary = True

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        """Write a gzipped profile.proto; no clock and no order of dicts or samples shows in it.

        Args:
            profile: what to write.
            stream: an open binary stream.

        Raises:
            ExportError: a value needs more than 64 bits, or the detail does not sum to the totals.
        """
        stream.write(zlib.compress(_serialized(profile), _LEVEL, wbits=_GZIP))


def _serialized(profile: Profile) -> bytes:
    samples = _samples(profile)
    columns = list(zip(*[sample.totals for sample in samples], strict=True)) or [()] * len(profile.measures)
    carried = [outward(unit, column) for unit, column in zip(profile.units, columns, strict=True)]
    strings = _Strings()
    head = _head(profile, list(zip(profile.measures, [unit for unit, _ in carried], strict=True)), strings)
    rows = zip(*[values for _, values in carried], strict=True)
    # Serialized messages concatenate to their merge, so the samples need not pass through the
    # runtime one object at a time.
    return b"".join([*_wire(profile, samples, rows, strings), head, strings.serialized()])


def _samples(profile: Profile) -> list[Sample]:
    """The samples to write, in an order that does not depend on the order they came in."""
    if not profile.samples:
        return [Sample(stack, profile.totals[stack]) for stack in sorted(profile.totals)]
    sums = tuple(map(sum, zip(*[s.totals for s in profile.samples], strict=True)))
    if sums != tuple(profile.total(i) for i in range(len(profile.measures))):
        raise ExportError("the samples of the profile do not sum to its totals; fold it again")
    groups: dict[Stack, list[Sample]] = defaultdict(list)
    for sample in profile.samples:
        groups[sample.stack].append(sample)
    order = attrgetter("labels", "totals")
    if len(profile.samples) <= LABELLED:
        return [sample for stack in sorted(groups) for sample in sorted(groups[stack], key=order)]
    return [sample for stack in sorted(groups) for sample in _largest(sorted(groups[stack], key=order))]


def _largest(samples: list[Sample]) -> list[Sample]:
    """The largest samples of one stack as they are, then the rest summed per session."""
    ranked = sorted(samples, key=lambda sample: -sample.totals[0])
    sums: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for sample in ranked[LARGEST:]:
        labels = tuple(pair for pair in sample.labels if pair[0] in SHARED_LABELS)
        row = sums.setdefault(labels, [0] * len(sample.totals))
        for i, value in enumerate(sample.totals):
            row[i] += value
    stack = samples[0].stack
    return ranked[:LARGEST] + [Sample(stack, tuple(sums[key]), key) for key in sorted(sums)]


class _Strings:
    """The string table: a string gets its place when it is first needed."""

    def __init__(self) -> None:
        self.tails: dict[str, bytes] = {}
        """Every string, in the order of places, and how a label value names it."""
        self.places: dict[str, int] = {}
        self.varints = [bytes((i,)) for i in range(0x80)]
        self.place("")

    def place(self, text: str) -> int:
        """Place of a string that is no label value, or not yet."""
        if text not in self.places:
            self.places[text] = len(self.tails)
            self.add(text)
        return self.places[text]

    def add(self, text: str) -> bytes:
        """A new string: its label value."""
        n = len(self.tails)
        if n == len(self.varints):
            # The next 128 varints differ in their first byte and go on like the one for n / 128.
            rest = self.varints[n >> 7]
            self.varints += [low + rest for low in _LOW]
        tail = self.tails[text] = _STR + self.varints[n]
        return tail

    def serialized(self) -> bytes:
        from tracelode.exports import profile_pb2 as schema

        return bytes(schema.Profile(string_table=list(map(printable, self.tails))).SerializeToString())


def _head(profile: Profile, types: Sequence[tuple[str, str]], strings: _Strings) -> bytes:
    """Everything but the samples and the string table, serialized."""
    from tracelode.exports import profile_pb2 as schema

    names, place = _functions(profile), strings.place
    message: Any = schema.Profile(
        sample_type=[schema.ValueType(type=place(measure), unit=place(unit)) for measure, unit in types],
        default_sample_type=place(types[0][0]),
        # Every operation is counted: one sample per operation, whatever the measures.
        period_type=schema.ValueType(type=place("operations"), unit=place("count")),
        period=1,
        comment=[place(comment) for comment in profile.comments],
        # One mapping with functions, or pprof looks for a binary to read symbols from.
        mapping=[schema.Mapping(id=1, filename=place("tracelode"), has_functions=True)],
        location=[
            schema.Location(id=i, mapping_id=1, line=[schema.Line(function_id=i)]) for i in names.values()
        ],
        # Without a system name: pprof would take one that equals the name for a C++ symbol and cut
        # "<...>" and "(...)" out of it.
        function=[schema.Function(id=i, name=place(name)) for name, i in names.items()],
    )
    return bytes(message.SerializeToString(deterministic=True))


def _functions(profile: Profile) -> dict[str, int]:
    """Id of every frame's function and location."""
    names = sorted(set(chain.from_iterable(profile.totals)))
    return {name: i for i, name in enumerate(names, 1)}


def _wire(
    profile: Profile,
    samples: Iterable[Sample],
    rows: Iterable[tuple[int, ...]],
    strings: _Strings,
) -> Iterator[bytes]:
    """Serialized samples: location ids are made once per stack, label values once per string."""
    from tracelode.exports import profile_pb2 as schema

    ids, make = _functions(profile), schema.Sample
    stacks = {
        stack: make(location_id=[ids[frame] for frame in reversed(stack)]).SerializeToString()
        for stack in profile.totals
    }
    keys = sorted({key for sample in samples for key, _ in sample.labels})
    heads = {key: _label_heads(strings.place(key)) for key in keys}
    tails, add = strings.tails, strings.add
    for sample, values in zip(samples, rows, strict=True):
        try:
            body = stacks[sample.stack] + make(value=values).SerializeToString()
        except ValueError:
            raise ExportError("pprof holds integers of 64 bits; a value of the profile is larger") from None
        for key, text in sample.labels:
            if text:  # a label without a value says nothing
                tail = tails.get(text) or add(text)
                body += heads[key][len(tail)] + tail
        yield _SAMPLE + _varint(len(body)) + body


def _label_heads(key: int) -> list[bytes]:
    """What stands before the value of a label with this key, by the value's serialized size."""
    body = _KEY + _varint(key)
    return [_LABEL + _varint(len(body) + size) + body for size in range(12)]


def _varint(n: int) -> bytes:
    """An unsigned integer, seven bits a byte, low bits first, the high bit set in all but the last."""
    return bytes((n,)) if n < 0x80 else bytes((n & 0x7F | 0x80,)) + _varint(n >> 7)
