"""Does what is private stay out of all that is written for a workflow?"""

from __future__ import annotations

from pathlib import Path

import pytest

from compile.chats import store, talk
from tracelode.compile.request import against
from tracelode.model.workflow import Workflow


def _made(folder: Path, field: str, value: str, request: str) -> tuple[list[str], str]:
    """(codes of refusals, all that was written) of runs that pass one private constant."""
    talks = []
    for n in range(6):
        order, ref = f"ORD-{4711 + 977 * n}", f"ref-{3141 + 59 * n}x"
        calls = [
            ("lookup_order", {"order": order}, {"order": order, "ref": ref}),
            ("add_note", {"ref": ref, field: value}, {"status": "ok"}),
        ]
        talks.append(talk(f"{n:02}", request.format(order), calls))
    workspace = store(folder, talks)
    (found,) = workspace.compile(emit=[n for n in workspace.artefacts() if n != "pytest"])
    files = workspace.save(found, folder / "out")
    return [r.code for r in found.verdict.refusals], "".join(f.read_bytes().decode("latin-1") for f in files)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("card", "4111111111111111"),
        ("to", "DE89370400440532013000"),
        ("ssn", "078-05-1120"),
        ("sig", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        ("dbpw", "correct horse battery"),
    ],
)
def test_private_constants_are_refused_and_written_nowhere(tmp_path: Path, field: str, value: str) -> None:
    codes, text = _made(tmp_path, field, value, "Look up order {} and write a note on it.")
    assert "R8" in codes
    assert value not in text


def test_a_password_in_every_request_is_written_nowhere(tmp_path: Path) -> None:
    asked = "Look up order {}, password is swordfish, and write a note on it."
    codes, text = _made(tmp_path, "kind", "plain", asked)
    assert not codes
    assert "lookup_order" in text
    assert "swordfish" not in text


@pytest.fixture(scope="module")
def addressed(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """Learned from requests whose addresses were redacted on import."""
    talks = []
    for n in range(6):
        ticket, person = f"TK-{3141 + 977 * n}", f"{'abcdef'[n]}gent@desk.example"
        ref = f"ref-{3141 + 59 * n}x"
        calls = [
            ("find_ticket", {"ticket": ticket}, {"ref": ref, "state": "open"}),
            ("assign_ticket", {"ref": ref, "agent": person}, {"status": "done", "receipt": f"R-{71 * n}"}),
            ("add_note", {"ref": ref, "text": f"R-{71 * n}"}, {"status": "ok"}),
        ]
        talks.append(talk(f"{n:02}", f"Assign ticket {ticket} to {person} and close the window.", calls))
    (found,) = store(tmp_path_factory.mktemp("addressed"), talks).compile()
    assert isinstance(found.workflow, Workflow)
    return found.workflow


def test_a_mark_of_the_redactor_is_no_word_that_requests_say(addressed: Workflow) -> None:
    said = {*addressed.asks, *addressed.says, *addressed.words}
    assert "window" in said
    assert not said & {"email", "[", "]"}


def test_a_request_with_an_address_is_read_where_the_address_is_given(addressed: Workflow) -> None:
    request = "Assign ticket TK-77 to zoe@desk.example and close the window."
    assert against(addressed, request, ("zoe@desk.example",)) == ()
    assert against(addressed, request) != ()


def test_what_only_a_mark_said_speaks_against_a_request(addressed: Workflow) -> None:
    request = "Assign ticket TK-77 to zoe@desk.example and email and close the window."
    assert [w for w in against(addressed, request, ("zoe@desk.example",)) if "email" in w]
