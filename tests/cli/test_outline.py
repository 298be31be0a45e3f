"""show: segments as headings with what they took, and what people said."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from cli import fake
from tracelode.cli.outline_text import Outline
from tracelode.cli.table import Column, Flex, Layout
from tracelode.cli.text import width
from tracelode.model.segment import Segment, Segmentation

SAID = "Find out why the total is wrong, and write a test that fails before you change anything"


def said(store: fake.FakeWorkspace, **more: object) -> None:
    """A session of a prompt, a failing tool, an interrupt and a tool in another stage."""
    prompt = {
        "kind": "prompt",
        "name": "prompt",
        "arguments": SAID,
        "ended": fake.START,
        "fields": {"human": "prompt", "tool": "", "frame": "(prompt)"},
    }
    operations = [
        fake.operation("s", 0, **{**prompt, **more}),
        fake.operation("s", 1, status="nonzero", measures={"time.tool": 3_000_000}),
        fake.operation("s", 2, status="interrupted", measures={"time.tool": 1_000_000, "time.blocked": 5}),
        fake.operation("s", 3, fields={"stage": "test code", "path": "a.py"}, measures={"cost": 5 * 10**12}),
    ]
    for item in operations[:1]:
        item.measures.clear()
    store.store["s"] = (fake.session("s", operations), operations)


def test_a_heading_sums_what_lies_below_it(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    said(empty)
    lines = run("show", "s")[1].splitlines()
    assert "time     tool 4 s | blocked 5 µs" in lines
    assert "people   1 prompt, 1 interrupt" in lines
    heads = [line for line in lines if line.startswith("  ") and " op" in line]
    assert [" ".join(line.split()) for line in heads] == [
        "14:13:20 edit code 2 failed 200 $0.002 4 s 3 ops",
        "14:13:23 test code 100 $5.00 1 op",
    ]


def test_what_was_said_takes_the_empty_columns(
    run: fake.Run, empty: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(empty)
    for cells in (40, 60, 80, 200):
        monkeypatch.setenv("COLUMNS", str(cells))
        (line,) = [x for x in run("show", "s")[1].splitlines() if "prompt: " in x]
        assert width(line) <= cells
        assert line.endswith(" :1")
        text = line.partition("prompt: ")[2].rpartition(" :1")[0].rstrip()
        assert SAID.startswith(text.rstrip("…"))
    (line,) = [x for x in run("show", "s", "--outline")[1].splitlines() if "prompt: " in x]
    assert SAID in line


def test_an_outline_has_no_operations_but_what_people_did(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    said(empty)
    table = run("show", "s", "--outline")[1].partition("\n\n")[2].splitlines()[1:]
    assert [line.split()[0] for line in table if not line.startswith("  ")] == ["0", "2"]
    assert len([line for line in table if " op" in line]) == 2


def test_a_prompt_without_a_preview_is_named(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    said(empty, arguments=None)
    assert any(line.split()[2:] == ["prompt", ":1"] for line in run("show", "s")[1].splitlines())


def test_tokens_that_nothing_tells_are_unknown(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    operations = [fake.operation("s", 0)]
    operations[0].measures.clear()
    empty.store["s"] = (fake.session("s", operations), operations)
    assert "own      1 operation, 0 calls, tokens unknown, cost unknown" in run("show", "s")[1].splitlines()


def test_controls_in_what_was_said_do_not_reach_the_screen(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    said(empty, arguments="a\x1b[2J\nb")
    assert "prompt: a␛[2J b" in run("show", "s")[1]


def test_segments_nest_and_one_that_says_nothing_new_is_left_out() -> None:
    operations = [fake.operation("s", i, fields={"stage": "inner" if i > 1 else "stored"}) for i in range(4)]
    pieces = (
        Segment(0, 2, 0, "old"),
        Segment(2, 4, 0, "outer"),
        Segment(0, 2, 1, "old"),
        Segment(2, 3, 1, "inner"),
        Segment(3, 4, 1, "inner"),
    )
    outline = Outline(Segmentation("s", "x", "1", pieces), operations, "UTC")
    found = []
    for item in operations:
        rows = outline.rows(item.index, 0)
        found += [(item.index, cell.text, cell.depth) for row in rows if isinstance(cell := row[2], Flex)]
        assert outline.depth == (1 if item.index < 2 else 2)
    # the innermost is called as its operations are filed, the others as they were cut
    assert found == [(0, "stored", 0), (2, "outer", 0), (2, "inner", 1), (3, "inner", 1)]


def test_inherited_operations_are_counted_in_no_heading(run: fake.Run, small: fake.FakeWorkspace) -> None:
    out = run("show", "bbbb3333")[1]
    (head,) = [line for line in out.splitlines() if line.endswith("2 ops")]
    assert " 100 " in head


def test_a_sub_agent_is_laid_out_below_what_started_it(run: fake.Run, small: fake.FakeWorkspace) -> None:
    lines = run("show", "aaaa1111", "--nested")[1].splitlines()
    place = next(i for i, line in enumerate(lines) if "↳ agent-1" in line)
    assert lines[place + 1].split()[1:3] == ["edit", "code"]
    indents = [line.index(word) for line, word in zip(lines[place:], ("↳", "edit", "Read"), strict=False)]
    assert indents == sorted(set(indents))


def test_what_a_sub_agent_inherits_is_told_once(run: fake.Run, small: fake.FakeWorkspace) -> None:
    root, operations = small.store["aaaa1111-x"]
    first, inner = small.store["aaaa1111-x/agent-1"]
    spawn = msgspec.structs.replace(operations[3], id="5" * 16, fields={**operations[3].fields, "spawns": ""})
    operations.append(msgspec.structs.replace(spawn, index=4))
    second = msgspec.structs.replace(first, key="aaaa1111-x/agent-2", parent_operation=spawn.id)
    # both begin with copies of the calls that started them
    for item, own in ((first, inner), (second, [fake.operation(second.key, 9, name="Grep")])):
        copies = [msgspec.structs.replace(o, inherited=True) for o in operations]
        small.store[item.key] = (item, [*copies, *(msgspec.structs.replace(o, index=5 + i)
                                                   for i, o in enumerate(own))])  # fmt: skip
    out = run("show", root.key, "--nested")[1]
    assert (out.count("↳ agent-1"), out.count("↳ agent-2")) == (1, 1)
    assert out.count("(5 inherited operations)") == 2
    assert out.count("Task") == 2
    assert (out.count(" Read "), out.count(" Grep ")) == (2, 1)


def test_a_cell_that_spills_does_not_widen_its_column() -> None:
    columns = [Column("a"), Column("n", right=True), Column("z")]
    long = Flex("word " * 12, spill=True)
    rows = [["short", "1", "end"], [long, "", "end"], [replace(long), "2", "end"]]
    lines = ["".join(text for text, _ in line) for line in Layout(columns, rows, 30).lines()]
    assert lines[0].index("z") == lines[1].index("end") == lines[2].index("end") == lines[3].index("end")
    assert len(lines[2].partition(" end")[0].rstrip()) > len(lines[3].partition("2")[0].rstrip())


def test_json_has_the_segments_of_no_empty_session(run: fake.Run, small: fake.FakeWorkspace) -> None:
    item, operations = small.store["bbbb2222-y"]
    small.store["bbbb2222-y"] = (msgspec.structs.replace(item, operations=0), [])
    assert operations
    assert run("show", "bbbb2222", "--json")[0] == 0
    assert run("show", "bbbb2222", "--outline")[0] == 0
