"""Shell completion: scripts that the shell accepts, and that know every command."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cli import fake
from tracelode.cli.app import COMMANDS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_know_every_command(shell: str, run: fake.Run) -> None:
    code, out, err = run("completion", shell)
    assert (code, err) == (0, "")
    for _, name, _, _ in COMMANDS:
        assert name in out
    assert "--nodefraction" in out
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=out, text=True, check=True, capture_output=True)


def test_bash_completes(run: fake.Run, tmp_path: Path) -> None:
    script = tmp_path / "c.bash"
    script.write_text(run("completion", "bash")[1])
    ask = (
        f"source {script}; COMP_WORDS=(tracelode top --mea); COMP_CWORD=2; _tracelode; echo ${{COMPREPLY[@]}}"
    )
    answer = subprocess.run(["bash", "-c", ask], text=True, check=True, capture_output=True)
    assert answer.stdout.split() == ["--measure"]


def test_install(run: fake.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    code, out, err = run("completion", "fish", "--install")
    assert (code, out) == (0, "")
    (place,) = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert str(place).replace(str(tmp_path), "~") in err


def test_an_unknown_shell_is_asked_for(run: fake.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from cyclopts.completion import detect

    def fail(*_: object) -> str:
        raise detect.ShellDetectionError("x")

    monkeypatch.setattr(detect, "detect_shell", fail)
    monkeypatch.setattr("cyclopts.completion.detect_shell", fail)
    code, _, err = run("completion")
    assert code == 2
    assert "tracelode completion bash" in err
