"""Does a secret ever reach a name? A password of letters, a key and a user's name, wherever text stands."""

from __future__ import annotations

import pytest

from signals.build import call, raw, session
from tracelode.model.operation import Operation
from tracelode.profile.label import label
from tracelode.profile.name.declared import declared
from tracelode.profile.name.intent import intent
from tracelode.profile.segment.phase import PhaseSegmenter
from tracelode.signals.lexicon import load
from tracelode.signals.tools import tool_frame

PASSWORD = "correcthorse"
KEY = "sk-proj-Zq83hTnMw1"
USER = "annabellemuster"
SECRETS = (PASSWORD, KEY, USER)


def sessions() -> list[tuple[list[Operation], str]]:
    """Twelve sessions with the secrets in prompts, commands, descriptions, paths, outputs and plan items."""
    found = []
    for n in range(12):
        secret = SECRETS[n % 3]
        operations = session(
            raw("prompt", arguments=f"deploy {secret}"),
            f"Read /home/{USER}/{secret}.py",
            f"Write /Users/{USER}/{secret}/{secret}.md",
            f"Edit C:\\Users\\{USER}\\{secret}\\a.py",
            f"Grep docs/{secret}",
            [call(f"$ {secret} --token {secret}", "error", f"{secret}: command not found")],
            [call(f"$ export PASSWORD={secret}; echo {secret} > {secret}.txt")],
            [call(f"$ cat <<{PASSWORD}\n{secret}\n{PASSWORD}")],
            [call("$ ./run", description=f"{secret} the {secret}")],
            [call(f"$ npm run {secret}"), call(f"$ python {secret}.py", "error", f"KeyError: {secret}")],
            [call(f"$ python -m {secret}.{secret}")],
            [call(f"$ bash -c '{secret} {secret}'")],
            [call(f"mcp__{secret}__{secret}")],
            [call(secret)],
            [call(f"TodoWrite {secret}")],
            raw("note", output=secret),
        )
        found.append((operations, f"{secret} fix the {secret} of {USER}"))
    return found


def test_no_secret_reaches_a_stage_or_an_intent() -> None:
    names: set[str] = set()
    for operations, prompt in sessions():
        segmentation, stages = label(operations, PhaseSegmenter())[:2]
        names |= {*stages, *(segment.name for segment in segmentation.segments), intent(operations, prompt)}
        names |= {value for o in operations if (value := declared(f"Create {PASSWORD} for {USER}", [o]))}
    assert len(names) > 3
    text = " ".join(names).lower()
    assert not [secret for secret in SECRETS if secret.lower() in text]


def test_no_secret_reaches_a_closed_field() -> None:
    lexicon = load()
    for operations, _ in sessions():
        for operation in operations:
            fields = operation.fields
            assert fields.get("verb", "use") in lexicon.verbs
            assert fields.get("path_role", "code") in (*lexicon.role_names, "files")
            assert fields.get("error", "timeout") in lexicon.error_classes


@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_reaches_the_frame_of_a_shell(secret: str) -> None:
    for command in (f"{secret} a", f"./{secret}", f"sudo {secret}", f"A={secret} ./b", f"bash -c {secret}"):
        assert tool_frame("Bash", command) == "Bash"
