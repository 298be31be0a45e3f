"""Which earlier leaves explain an argument leaf, in one run? Echoes are seen through, repeats are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2

from tracelode.compile import transforms
from tracelode.compile.evidence.arithmetic import Operands, derived
from tracelode.compile.evidence.asked import Said
from tracelode.compile.evidence.search import Found, Memory, Pieces, explained, scan, way_of
from tracelode.compile.evidence.templates import Parts, parts_of
from tracelode.compile.evidence.wanted import Leaf, Wanted, wanted
from tracelode.compile.normalise.maps import Shape
from tracelode.compile.paths import Key, leaves, written
from tracelode.compile.transforms import Shared
from tracelode.compile.work import Label, Source, Traced, Work
from tracelode.model.run import Call, Run, ToolSpec, Tree

FEWEST = 3
"""Runs in which arithmetic must recur."""
SAME = 40
"""Equal leaves of one output that are looked at for one argument leaf."""
WINDOW = 60
"""Calls back to which texts are searched for pieces: it bounds the time of long runs."""
PIECES = 4
"""Places in texts of one output that are kept for one argument leaf."""


def trace(work: Work) -> tuple[tuple[Traced, ...], ...]:
    """Find the sources of every argument leaf.

    Args:
        work: runs, with labels where they were denoised.

    Returns:
        Per run: its leaves, by call and in the order of the arguments.
    """
    memory = Memory()
    shapes = shapes_of(work)
    found = []
    for n, run in enumerate(work.runs):
        labels = work.labels[n] if work.labels else ()
        found.append(_Tracer(run, labels, work.declared.tools, shapes, memory).trace())
    return _recurring(work, found)


def _recurring(work: Work, found: Sequence[tuple[Traced, ...]]) -> tuple[tuple[Traced, ...], ...]:
    """The same with arithmetic only where it recurs: in one run much is equal by chance."""
    seen: dict[tuple[object, ...], set[int]] = {}
    for n, (run, traced) in enumerate(zip(work.runs, found, strict=True)):
        for t in traced:
            for source in t.derived:
                seen.setdefault(_recurs(run, t, source), set()).add(n)
    return tuple(
        tuple(
            replace(t, derived=tuple(s for s in t.derived if len(seen[_recurs(run, t, s)]) >= FEWEST))
            if t.derived
            else t
            for t in traced
        )
        for run, traced in zip(work.runs, found, strict=True)
    )


def _recurs(run: Run, traced: Traced, source: Source) -> tuple[object, ...]:
    also = source.also
    other = (run.calls[also.call].name, also.gpath) if also is not None else ()
    consumer, producer = run.calls[traced.call].name, run.calls[source.call].name
    return consumer, traced.gpath, producer, source.gpath, source.transforms, other


def shapes_of(work: Work) -> dict[str, Shape]:
    """Where the maps are in the outputs of each tool.

    Args:
        work: runs.

    Returns:
        Tool name to its shape; the same for any order of the runs.
    """
    outputs: dict[str, list[Tree]] = {}
    for run in sorted(work.runs, key=lambda r: r.key):
        for call in run.calls:
            outputs.setdefault(call.name, []).append(call.output)
    return {name: Shape(many) for name, many in outputs.items()}


def classes(run: Run, labels: Sequence[Label]) -> list[int]:
    """The producer class of each call: the first call that told the same.

    Args:
        run: which.
        labels: one for each call, or none at all.

    Returns:
        Per call: index of the first call of its class.
    """
    found = list(range(len(run.calls)))
    by_name: dict[tuple[str, str], list[Call]] = {}
    for call in run.calls:
        label = labels[call.index] if labels else None
        if label is not None and label.kind == "redundant" and 0 <= label.of < call.index:
            found[call.index] = found[label.of]
            continue
        before = by_name.setdefault((call.server, call.name), [])
        for other in before:
            if other.arguments == call.arguments and other.output == call.output and not call.missing:
                found[call.index] = found[other.index]
                break
        before.append(call)
    return found


@dataclass
class _Output:
    """One call as a producer."""

    call: Call
    own: frozenset[Shared]
    """Keys of its own arguments: what it repeats of them is an echo."""
    found: Found
    pieces: Pieces | None = None


@dataclass
class _Tracer:
    run: Run
    labels: Sequence[Label]
    tools: Mapping[str, ToolSpec]
    shapes: Mapping[str, Shape]
    memory: Memory
    wanted: Wanted = field(init=False)
    outputs: list[_Output] = field(default_factory=list)

    def trace(self) -> tuple[Traced, ...]:
        self.wanted = wanted(self.run, self.labels, self.tools)
        self.operands = Operands(self.shapes, self.memory)
        self.classes = classes(self.run, self.labels)
        last = max((leaf.call for leaf in self.wanted.leaves), default=0)
        for call in self.run.calls[:last]:
            retry = bool(self.labels) and self.labels[call.index].kind == "retry"
            if call.missing or retry or self.classes[call.index] != call.index:
                continue
            own = frozenset(key for _, value in leaves(call.arguments) for key in self.memory.of(value))
            self.outputs.append(_Output(call, own, scan(call.output, self.wanted, self.memory)))
        total = sum(output.found.leaves for output in self.outputs)
        said = Said(self.run)
        return tuple(self._leaf(n, leaf, said, total) for n, leaf in enumerate(self.wanted.leaves))

    def _leaf(self, n: int, leaf: Leaf, said: Said, total: int) -> Traced:
        consumer = self.run.calls[leaf.call]
        sources: list[Source] = []
        echoes: list[int] = []
        equal = 0
        told = said.before(leaf.call).tell(leaf)
        for output in self.outputs:
            producer = output.call
            equal += len(output.found.hits.get(n, ()))
            if producer.index >= leaf.call or 0 <= producer.group == consumer.group:
                continue
            here = self._whole(n, leaf, output)
            if not here and leaf.call - producer.index <= WINDOW:
                here = self._pieces(leaf, output)
            if here and not output.own.isdisjoint(leaf.keys):
                echoes.append(producer.index)
            else:
                sources += here
        derivations: tuple[Source, ...] = ()
        if not sources and told is None and not echoes:
            sources = self._templates(leaf, consumer)
            if not sources and not leaf.enum and not leaf.default:
                derivations = derived(leaf, self._before(leaf, consumer), self.operands)
        share = (equal or 1) / (total + 1)
        return Traced(
            call=leaf.call,
            path=leaf.path,
            gpath=leaf.gpath,
            value=leaf.value,
            sources=tuple(sources),
            prompt=told,
            system=leaf.information and said.system.tell(leaf) is not None,
            enum=leaf.enum,
            default=leaf.default,
            echoes=tuple(echoes),
            information=leaf.information,
            earlier=self._earlier(n, leaf),
            derived=derivations,
            bits=round(-log2(share), 1) if share < 1 else 0.0,
        )

    def _before(self, leaf: Leaf, consumer: Call) -> list[Call]:
        """Calls whose results were known."""
        return [
            output.call
            for output in self.outputs
            if output.call.index < leaf.call and not 0 <= output.call.group == consumer.group
        ]

    def _earlier(self, n: int, leaf: Leaf) -> int:
        """First call before it that passes the same, -1 for none."""
        for key in leaf.keys:
            for place in self.wanted.by_key[key]:
                other = self.wanted.leaves[place]
                if place >= n or other.call >= leaf.call:
                    break
                if transforms.same(other.value, leaf.value):
                    return other.call
        return -1

    def _whole(self, n: int, leaf: Leaf, output: _Output) -> list[Source]:
        """Leaves that are the value: the first of each generalised path."""
        found: dict[str, Source] = {}
        for way, value in output.found.hits.get(n, ())[:SAME]:
            keys = way_of(way)
            path = self._path(output, keys)
            if path in found:
                continue
            how = explained(value, leaf.value)
            if how is not None:
                found[path] = Source(output.call.index, written(keys), path, how[0], how[1])
        return sorted(found.values(), key=lambda s: s.level)

    def _pieces(self, leaf: Leaf, output: _Output) -> list[Source]:
        """Pieces of texts that are the value."""
        if not leaf.needles or not output.found.texts:
            return []
        pieces = self._text(output)
        found: dict[str, Source] = {}
        for needle in leaf.needles:
            for number, text, start, stop in pieces.places(needle, PIECES):
                how = explained(text[start:stop], leaf.value)
                keys = output.found.place(number)
                path = self._path(output, keys)
                if how is not None and path not in found:
                    found[path] = Source(output.call.index, written(keys), path, "L3", how[1], (start, stop))
        return list(found.values())

    def _path(self, output: _Output, keys: tuple[Key, ...]) -> str:
        tool = output.call.name
        return self.memory.path(tool, self.shapes[tool], keys)

    def _text(self, output: _Output) -> Pieces:
        if output.pieces is None:
            output.pieces = Pieces(output.found.texts)
        return output.pieces

    def _templates(self, leaf: Leaf, consumer: Call) -> list[Source]:
        """Values with fixed text around them in the argument."""
        parts: Parts | None = parts_of(leaf)
        if parts is None:
            return []
        found: dict[tuple[int, str], Source] = {}
        for output in self.outputs:
            producer = output.call
            if not 0 < leaf.call - producer.index <= WINDOW or 0 <= producer.group == consumer.group:
                continue
            for number, text, span, inside in parts.within(self._text(output)):
                if transforms.keys(text[span[0] : span[1]] if span else text)[0] in output.own:
                    continue
                self._template(leaf, output, output.found.place(number), span, inside, found)
        longest = max((len(leaf.value) - len(s.prefix) - len(s.suffix) for s in found.values()), default=0)
        return [s for s in found.values() if len(leaf.value) - len(s.prefix) - len(s.suffix) == longest]

    def _template(
        self,
        leaf: Leaf,
        output: _Output,
        keys: tuple[Key, ...],
        span: tuple[int, int] | None,
        inside: tuple[int, int],
        found: dict[tuple[int, str], Source],
    ) -> None:
        path = self._path(output, keys)
        if (output.call.index, path) not in found:
            prefix, suffix = leaf.value[: inside[0]], leaf.value[inside[1] :]
            found[output.call.index, path] = Source(
                output.call.index, written(keys), path, "L4", (), span, prefix, suffix
            )
