"""How do findings look to code scanners? SARIF 2.1.0."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from tracelode import __version__
from tracelode.model.planning import PlanCheck, PlanFinding
from tracelode.plan.checks.codes import CODES

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def sarif(found: PlanCheck) -> dict[str, Any]:
    """A log of one run.

    Args:
        found: a check.

    Returns:
        A JSON-ready object.

    Source:
        SARIF 2.1.0, sections 3.13, 3.19, 3.27.
    """
    used = sorted({f.code for f in found.findings})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "tracelode plan check",
                        "version": __version__,
                        "rules": [_rule(code) for code in used],
                    }
                },
                "results": [_result(f, used) for f in found.findings],
                "columnKind": "utf16CodeUnits",
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    kind = CODES[code]
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in kind.name.split()),
        "shortDescription": {"text": kind.name},
        "help": {"text": kind.fix},
        "defaultConfiguration": {"level": _LEVELS[kind.severity]},
        "properties": {"ref": kind.ref},
    }


def _result(one: PlanFinding, used: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": one.code,
        "ruleIndex": used.index(one.code),
        "level": _LEVELS[one.severity],
        "message": {"text": f"{one.message} ({one.count:,}); {one.fix}"},
        "properties": {
            "session_id": one.session_id,
            "count": one.count,
            "share": one.share,
            "examples": list(one.examples),
        },
    }
    if one.path:
        place: dict[str, Any] = {"artifactLocation": {"uri": quote(one.path.replace("\\", "/"))}}
        if one.line:
            place["region"] = {"startLine": one.line}
        result["locations"] = [{"physicalLocation": place}]
    return result
