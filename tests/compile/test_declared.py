"""What is read of skills, tool schemas and a user's effects, and what is said of files that are broken?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tracelode.compile.normalise.declared import LARGEST, declared
from tracelode.compile.work import Declared


def read(
    folder: Path, **files: str | dict[str, Any] | list[Any]
) -> tuple[Declared, list[tuple[str, int, str]]]:
    """Write files (a__b is a/b, the last _ a dot) and read the folder."""
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path = path.with_name(".".join(path.name.rsplit("_", 1)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    found, troubles = declared([folder])
    return found, [(Path(t.path).name, t.line, t.reason) for t in troubles]


def test_skills(tmp_path: Path) -> None:
    skill = (
        "---\nname: book-room\ndescription: |\n  Books a room\n  of the office.\ntools: Read\n---\n# Steps\n"
    )
    found, troubles = read(tmp_path, rooms__SKILL_md=skill, deep__er__SKILL_md="---\ndescription: x\n---\n")
    assert found.skills == {"book-room": "Books a room of the office.", "er": "x"}
    assert troubles == [("SKILL.md", 1, "the skill has no name: it goes by its folder's")]


def test_tools_as_mcp_openai_and_anthropic_list_them(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"day": {"type": "string"}}}
    mcp = {"name": "cancel", "inputSchema": schema, "annotations": {"destructiveHint": True, "title": "x"}}
    found, troubles = read(
        tmp_path,
        a_json={"serverInfo": {"name": "rooms"}, "result": {"tools": [mcp]}},
        b_json=[
            {"type": "function", "function": {"name": "find", "description": "Looks.", "parameters": schema}}
        ],
        c_yaml="- name: list\n  input_schema: {type: object}\n",
    )
    assert not troubles
    assert found.tools["cancel"].server == "rooms"
    assert found.tools["cancel"].hints == {"destructiveHint": True}
    assert found.tools["find"].parameters == schema
    assert found.tools["find"].description == "Looks."
    assert found.tools["list"].parameters == {"type": "object"}


def test_openapi(tmp_path: Path) -> None:
    api = """
openapi: 3.1.0
info: {title: Rooms, version: "1"}
paths:
  /rooms/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}}
    get: {operationId: getRoom, summary: One room.}
    delete: {}
  /rooms:
    post:
      operationId: addRoom
      requestBody:
        content:
          text/plain: {}
          application/json: {schema: {$ref: '#/components/schemas/Room'}}
components:
  schemas:
    Room:
      required: [name]
      properties: {name: {type: string}, kind: {$ref: '#/components/x~1y'}}
  x/y: {enum: [small, large]}
"""
    found, troubles = read(tmp_path, api_yaml=api)
    assert not troubles
    assert sorted(found.tools) == ["addRoom", "delete_rooms_id", "getRoom"]
    assert found.tools["getRoom"].hints == {"readOnlyHint": True}
    assert found.tools["getRoom"].parameters["properties"] == {"id": {"type": "integer"}}
    assert found.tools["delete_rooms_id"].hints["destructiveHint"] is True
    assert found.tools["addRoom"].parameters == {
        "type": "object",
        "properties": {"name": {"type": "string"}, "kind": {"enum": ["small", "large"]}},
        "required": ["name"],
    }


def test_references_in_a_circle_end(tmp_path: Path) -> None:
    api = {
        "paths": {"/a": {"post": {"requestBody": {"$ref": "#/components/a"}}}},
        "components": {"a": {"$ref": "#/components/b"}, "b": {"$ref": "#/components/a"}},
    }
    found, troubles = read(tmp_path, api_json=api)
    assert found.tools["post_a"].parameters["properties"] == {}
    assert not troubles


EFFECTS = """
[effects]
find = "read"
[effects."rooms/cancel"]
effect = "destructive"
resource = ["room.id"]
family = "rooms"
idempotent = true
"""


def test_effects_of_the_user(tmp_path: Path) -> None:
    found, troubles = read(tmp_path, effects_toml=EFFECTS, more_yaml="effects:\n  send: external_send\n")
    assert not troubles
    assert found.effects["find"].effect == "read"
    cancel = found.effects["rooms/cancel"]
    assert (cancel.effect, cancel.resource, cancel.family, cancel.idempotent) == (
        "destructive",
        ("room.id",),
        "rooms",
        True,
    )
    assert {e.basis for e in found.effects.values()} == {"configured"}
    assert found.effects["send"].effect == "external_send"


@pytest.mark.parametrize(
    ("name", "content", "line", "words"),
    [
        ("a_toml", "x = 1\ny = = 2\n", 2, "TOML"),
        ("a_yaml", "a: 1\nb: [1,\n", 3, "YAML"),
        ("a_yaml", "a: !!python/object/apply:os.getcwd []\n", 1, "YAML"),
        ("a_json", "{", 0, "JSON"),
        ("a_json", "[" * 100_000, 0, "JSON"),
        ("a_json", "3", 0, "no form that is known"),
        ("a_json", '{"tools": [{"description": "x"}]}', 0, "tool 1 of the list has no name"),
        ("a_json", '{"paths": {"/a": {"get": 1, "post": {}}, "/b": 2}}', 0, "operation that is no object"),
        ("a_toml", '[effects]\nx = "reads"\n', 0, "effects.x: effect must be one of read,"),
        ("a_toml", '[effects.x]\neffect = "read"\nresource = 1\n', 0, "effects.x: resource must be"),
        ("a_toml", '[effects.x]\neffect = "read"\ncolour = 1\n', 0, "effects.x: a class, or a table of"),
        ("a_toml", "[effects]\n[tools]\n", 0, "beside effects"),
        ("s__SKILL_md", "# no block\n", 1, "begins with a block"),
        ("s__SKILL_md", "---\nname: [a\ndescription: b\n---\n", 3, "YAML"),
        ("s__SKILL_md", "---\n- a\n---\n", 2, "keys with values"),
    ],
)
def test_broken_files_are_located(tmp_path: Path, name: str, content: str, line: int, words: str) -> None:
    _, troubles = read(tmp_path, **{name: content}, good_toml='[effects]\nok = "read"\n')
    assert troubles
    assert troubles[0][1] == line
    assert words in troubles[0][2]


def test_a_bomb_of_links_is_refused(tmp_path: Path) -> None:
    rows = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    found, troubles = read(tmp_path, bomb_yaml="\n".join(rows))
    assert found == Declared(tools={}, effects={}, skills={})
    assert [reason for _, _, reason in troubles] == [
        "no YAML that can be read: broken, or too large once its links are followed"
    ]


def test_unreadable_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xff\xfe\x00")
    _, troubles = declared([tmp_path, tmp_path / "none.toml"])
    assert [(Path(t.path).name, t.reason) for t in troubles] == [
        ("a.json", "not UTF-8 text"),
        ("none.toml", "cannot be read: it is not there"),
    ]


def test_of_two_tools_of_one_name_the_first_counts(tmp_path: Path) -> None:
    found, troubles = read(tmp_path, a_json=[{"name": "x", "description": "one"}], b_json=[{"name": "x"}])
    assert found.tools["x"].description == "one"
    assert troubles == [("b.json", 0, "a second, other tool x: the first counts")]


def test_secrets_in_descriptions_are_replaced(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "aB3dE6gH" * 12
    found, _ = read(tmp_path, a_json=[{"name": "x", "description": f"uses {key}"}])
    assert key not in found.tools["x"].description


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device that never ends")
def test_a_device_is_not_read() -> None:
    _, troubles = declared([Path("/dev/zero")])
    assert [t.reason for t in troubles] == ["cannot be read: it is no regular file"]


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(LARGEST + 1)
    _, troubles = declared([tmp_path / "a.json"])
    assert "it is above" in troubles[0].reason
