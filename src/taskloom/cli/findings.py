"""Findings in the formats of others: JSON lines, annotations of GitHub Actions, SARIF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from taskloom.core import Finding

_GITHUB = {"error": "error", "warning": "warning", "note": "notice"}


def to_json(finding: Finding) -> str:
    """One line of JSON."""
    return msgspec.json.encode(finding).decode()


def to_github(finding: Finding) -> str:
    """A workflow command: the annotation appears at the file in the pull request."""
    title = _escaped(f"{finding.code}: {finding.key}" if finding.key else finding.code, inside=True)
    message = f"{finding.message}. {finding.fix}" if finding.fix else finding.message
    return f"::{_GITHUB[finding.level]} file={_escaped(finding.file, inside=True)},title={title}::{_escaped(message)}"


def _escaped(text: str, *, inside: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if inside else text


def to_sarif(findings: Sequence[Finding]) -> str:
    """A SARIF 2.1.0 log, as code-scanning services read it."""
    from taskloom import __version__

    rules = sorted({finding.code or "finding" for finding in findings})
    log: dict[str, Any] = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "taskloom check",
                        "version": __version__,
                        "rules": [{"id": rule} for rule in rules],
                    }
                },
                "results": [_result(finding) for finding in findings],
            }
        ],
    }
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode()


def _result(finding: Finding) -> dict[str, Any]:
    text = f"{finding.message}. {finding.fix}" if finding.fix else finding.message
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": finding.file.replace("\\", "/")}}}
    if finding.key:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.key}]
    return {
        "ruleId": finding.code or "finding",
        "level": finding.level,
        "message": {"text": text},
        "locations": [location],
    }
