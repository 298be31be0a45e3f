"""Is an emitted Arazzo document one, and is what Arazzo cannot say refused by name?"""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest

from compile.emitting import READ, arg, bookings
from tracelode.compile.emit import Extra, emit
from tracelode.errors import WorkflowError
from tracelode.model import binding as b
from tracelode.model import workflow as model
from tracelode.model.workflow import Check, Effect, Fresh, Guard, Input, Step, Wait, Workflow

_CRITERIA = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["condition"],
        "properties": {"condition": {"type": "string"}},
        "additionalProperties": False,
    },
}
_ACTIONS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name", "type"],
        "properties": {
            "name": {"type": "string"},
            "type": {"enum": ["end", "goto", "retry"]},
            "stepId": {"type": "string"},
            "retryAfter": {"type": "number", "minimum": 0},
            "retryLimit": {"type": "integer", "minimum": 0},
            "criteria": _CRITERIA,
        },
        "additionalProperties": False,
        "allOf": [
            {"if": {"properties": {"type": {"const": "goto"}}}, "then": {"required": ["stepId"]}},
            {"if": {"properties": {"type": {"const": "retry"}}}, "then": {"required": ["retryAfter"]}},
        ],
    },
}
SCHEMA = {
    "type": "object",
    "required": ["arazzo", "info", "sourceDescriptions", "workflows"],
    "additionalProperties": False,
    "properties": {
        "arazzo": {"pattern": r"^1\.0\.\d+$"},
        "info": {
            "type": "object",
            "required": ["title", "version"],
            "additionalProperties": False,
            "properties": {n: {"type": "string"} for n in ("title", "version", "summary", "description")},
        },
        "sourceDescriptions": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {
                "type": "object",
                "required": ["name", "url"],
                "additionalProperties": False,
                "properties": {
                    "name": {"pattern": r"^[A-Za-z0-9_\-]+$"},
                    "url": {"type": "string"},
                    "type": {"const": "openapi"},
                },
            },
        },
        "workflows": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["workflowId", "steps"],
                "additionalProperties": False,
                "properties": {
                    "workflowId": {"type": "string"},
                    "summary": {"type": "string"},
                    "inputs": {"type": "object"},
                    "steps": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["stepId"],
                            "additionalProperties": False,
                            "oneOf": [{"required": ["operationId"]}, {"required": ["operationPath"]}],
                            "properties": {
                                "stepId": {"pattern": r"^[A-Za-z0-9_\-]+$"},
                                "description": {"type": "string"},
                                "operationId": {"type": "string"},
                                "operationPath": {"type": "string"},
                                "parameters": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["name", "in", "value"],
                                        "additionalProperties": False,
                                        "properties": {
                                            "name": {"type": "string"},
                                            "in": {"enum": ["path", "query", "header", "cookie"]},
                                            "value": True,
                                        },
                                    },
                                },
                                "requestBody": {
                                    "type": "object",
                                    "additionalProperties": False,
                                    "properties": {"contentType": {"type": "string"}, "payload": True},
                                },
                                "successCriteria": _CRITERIA,
                                "onSuccess": _ACTIONS,
                                "onFailure": _ACTIONS,
                                "outputs": {
                                    "type": "object",
                                    "additionalProperties": False,
                                    "patternProperties": {r"^[a-zA-Z0-9.\-_]+$": {"type": "string"}},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What Arazzo 1.0.1 says of the objects that are written, told from its text."""

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Pet shop", "version": "1"},
    "paths": {
        "/pets": {
            "get": {
                "operationId": "findPets",
                "parameters": [{"$ref": "#/components/parameters/kind"}, {"name": "limit", "in": "query"}],
            }
        },
        "/pets/{id}": {
            "parameters": [{"name": "id", "in": "path"}],
            "get": {"parameters": [{"name": "lang", "in": "header"}]},
        },
        "/orders": {
            "post": {
                "operationId": "order",
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}
                },
            }
        },
    },
    "components": {
        "parameters": {"kind": {"name": "kind", "in": "query"}},
        "schemas": {
            "Order": {"type": "object", "properties": {"pet": {"type": "string"}, "note": {}, "lines": {}}}
        },
    },
}
EXTRA = Extra({"https://shop.example/openapi.json": DOCUMENT})

FIND = Step(
    slot="findPets#1",
    tool="findPets",
    arguments=(arg("kind", b.FromInput("kind")), arg("limit", b.Constant(3))),
    effect=READ,
    retries=2,
    checks=(Check("no_error", ""), Check("required", "pets[0].id")),
)
SHOW = Step(
    slot="get_pets_id#1",
    tool="get_pets_id",
    arguments=(arg("id", b.Selected("findPets#1", "pets", (b.At(0),), "id")), arg("lang", b.Constant("en"))),
    effect=READ,
    after=("findPets#1",),
    order=1,
    wait=Wait("status", ("free", "it's gone"), 1500, 4),
)
ORDER = Step(
    slot="order#1",
    tool="order",
    arguments=(
        arg("pet", b.Copy("get_pets_id#1", "id")),
        arg("note", b.Template(("for ", b.FromInput("kind"), " ", b.Copy("get_pets_id#1", "id")))),
        arg("lines[0].count", b.Constant(1)),
    ),
    effect=Effect("append", "declared"),
    after=("get_pets_id#1",),
    order=2,
    when=Guard((model.Test(b.Copy("get_pets_id#1", "price"), "le", b.FromInput("most")),), 3, 3),
    checks=(Check("equals", "state", "done", "success"),),
)


def pets(*steps: Step) -> Workflow:
    inputs = (Input(name="kind", type="string"), Input(name="most", type="number", required=False))
    return bookings(name="order pet", steps=steps, edges=(), inputs=inputs)


def written(workflow: Workflow, extra: Extra = EXTRA) -> Any:
    document = json.loads(emit(workflow, ["arazzo"], extra)["workflow.arazzo.json"])
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    jsonschema.Draft202012Validator.check_schema(document["workflows"][0]["inputs"])
    return document


def test_a_workflow_of_operations_is_an_arazzo_document() -> None:
    document = written(pets(FIND, SHOW, ORDER))
    assert document["sourceDescriptions"] == [
        {"name": "pet_shop", "url": "https://shop.example/openapi.json", "type": "openapi"}
    ]
    find, show, order = document["workflows"][0]["steps"]
    assert find["operationId"] == "findPets"
    assert find["parameters"] == [
        {"name": "kind", "in": "query", "value": "$inputs.kind"},
        {"name": "limit", "in": "query", "value": 3},
    ]
    assert find["outputs"] == {"pets_0_id": "$response.body#/pets/0/id"}
    assert {"condition": "$response.body#/pets/0/id != null"} in find["successCriteria"]
    assert find["onFailure"] == [{"name": "again", "type": "retry", "retryAfter": 1, "retryLimit": 2}]
    assert show["operationPath"] == "{$sourceDescriptions.pet_shop.url}#/paths/~1pets~1{id}/get"
    assert show["parameters"][0] == {
        "name": "id",
        "in": "path",
        "value": "$steps.findpets_1.outputs.pets_0_id",
    }
    assert show["parameters"][1]["in"] == "header"
    assert show["onFailure"] == [{"name": "wait", "type": "retry", "retryAfter": 1.5, "retryLimit": 3}]
    assert show["successCriteria"][-1] == {
        "condition": "$response.body#/status == 'free' || $response.body#/status == 'it''s gone'"
    }
    assert show["onSuccess"] == [
        {
            "name": "to_order_3",
            "type": "goto",
            "stepId": "order_3",
            "criteria": [{"condition": "$steps.get_pets_id_2.outputs.price <= $inputs.most"}],
        },
        {"name": "end", "type": "end"},
    ]
    assert order["requestBody"] == {
        "contentType": "application/json",
        "payload": {
            "pet": "$steps.get_pets_id_2.outputs.id",
            "note": "for {$inputs.kind} {$steps.get_pets_id_2.outputs.id}",
            "lines": [{"count": 1}],
        },
    }
    assert {"condition": "$response.body#/state == 'done'"} in order["successCriteria"]
    assert "order#1" in document["info"]["description"]


def test_what_runs_out_is_left_to_whoever_reads_the_document() -> None:
    limit = Fresh("get_pets_id#1", b.Copy("get_pets_id#1", "ttl"), "seconds")
    document = written(pets(FIND, SHOW, msgspec.structs.replace(ORDER, fresh=(limit,))))
    *others, order = document["workflows"][0]["steps"]
    assert order["description"].startswith("Nothing here checks whether what it copies still holds: ttl of ")
    assert not any("description" in one for one in others)


def test_steps_of_two_documents_name_their_own() -> None:
    other = {
        "openapi": "3.1.0",
        "info": {"title": "Other", "version": "1"},
        "paths": {"/x": {"get": {"operationId": "x"}}},
    }
    both = Extra({**EXTRA.documents, "other.json": other})
    step = Step(slot="x#1", tool="x", effect=READ, order=5)
    document = written(pets(FIND, step), both)
    assert [s["operationId"] for s in document["workflows"][0]["steps"]] == [
        "$sourceDescriptions.pet_shop.findPets",
        "$sourceDescriptions.other.x",
    ]
    assert {s["name"] for s in document["sourceDescriptions"]} == {"pet_shop", "other"}


def _with(binding: b.Binding, **more: Any) -> Step:
    return Step(slot="findPets#1", tool="findPets", arguments=(arg("kind", binding, **more),), effect=READ)


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ((Step(slot="a#1", tool="a", effect=READ),), "step a#1 is no operation of the OpenAPI documents"),
        (
            (_with(b.FromInput("kind", (b.Transform("lower"),))),),
            "argument kind of step findPets#1: Arazzo has no words for an input in another form",
        ),
        ((FIND, _with(b.Copy("findPets#1", "a[*].b"))), "Arazzo points at one place"),
        (
            (_with(b.Selected("findPets#1", "a", (b.Least("p"),), "b")),),
            "Arazzo has no words for a choice from a list",
        ),
        ((_with(b.Free()),), "Arazzo has no words for Free"),
        ((_with(b.Constant("$inputs.most")),), "a constant reads like an expression"),
        ((_with(b.Constant("x {$url}")),), "a constant reads like an expression"),
        (
            (_with(b.Constant(1), when=Guard((model.Test(b.FromInput("kind"), "present"),))),),
            "it is passed only sometimes",
        ),
        (
            (Step(slot="f#1", tool="findPets", arguments=(arg("size", b.Constant(1)),), effect=READ),),
            "the operation has no such parameter",
        ),
        (
            (Step(slot="f#1", tool="findPets", effect=READ, each=model.ForEach(b.FromInput("kind"), 2)),),
            "step f#1 is called for each element of a list",
        ),
        (
            (
                Step(
                    slot="f#1",
                    tool="findPets",
                    effect=READ,
                    when=Guard((model.Test(b.FromInput("kind"), "present"),)),
                ),
            ),
            "step f#1 is the first, and taken only sometimes",
        ),
        (
            (
                FIND,
                Step(
                    slot="f#1",
                    tool="findPets",
                    effect=READ,
                    order=2,
                    when=Guard((model.Test(b.FromInput("kind"), "contains", b.Constant("a")),)),
                ),
            ),
            "the guard of step f#1: Arazzo has no words for the comparison contains",
        ),
    ],
)
def test_what_arazzo_cannot_say_is_told(steps: Any, why: str) -> None:
    with pytest.raises(WorkflowError) as error:
        written(pets(*steps))
    assert "it cannot be told in Arazzo" in str(error.value)
    assert why in str(error.value)


def test_without_documents_every_step_is_told() -> None:
    with pytest.raises(WorkflowError, match=r"step findPets#1 is no operation.*step order#1 is no operation"):
        emit(pets(FIND, SHOW, ORDER), ["arazzo"])


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"paths": []},
        {"paths": {"/x": []}},
        {"paths": {"/x": {"get": {"operationId": 7, "parameters": [{"$ref": "#/x"}, 3]}}}},
        {"info": [], "paths": {"/x": {"get": []}}},
    ],
)
def test_broken_documents_have_no_operations(document: Any) -> None:
    with pytest.raises(WorkflowError, match="is no operation"):
        written(pets(FIND), Extra({"x": document}))
