"""Verdicts as JSON: a list with one record per claim, in the order of the claims.

Times are left out, so that equal verdicts give equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nsdgen.errors import ParameterError
from nsdgen.verify.verdict import VERDICTS, Verdict
from nsdgen.whole_file import replaced_file

__all__ = ["as_json", "differences", "read_records", "write_records"]


def as_json(verdicts: Sequence[Verdict]) -> str:
    """The text of the file."""
    return json.dumps([_without_time(v.to_dict()) for v in verdicts], indent=1, ensure_ascii=False) + "\n"


def _without_time(record: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in record.items() if key != "seconds"}
    if kept.get("readings"):
        kept["readings"] = [_without_time(r) for r in kept["readings"]]
    return kept


def write_records(path: Path, verdicts: Sequence[Verdict]) -> None:
    """Write the records; raises ``ParameterError`` where the file cannot be written."""
    write_text(path, as_json(verdicts))


def write_text(path: Path, text: str) -> None:
    """Write a report; raises ``ParameterError`` where the file cannot be written."""
    try:
        with replaced_file(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise ParameterError(f"the report {str(path)!r} cannot be written: {error.strerror}",
                             fix="choose a file in a folder that exists and that you may write to") from error


def read_records(path: Path) -> list[Verdict]:
    """The verdicts of a file; raises ``ParameterError`` where it cannot be read as such."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        verdicts = [Verdict.from_dict(record) for record in data]
    except OSError as error:
        raise ParameterError(f"the records {str(path)!r} cannot be read: {error.strerror}",
                             fix="give a file that nsdgen verify --json wrote") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ParameterError(f"the file {str(path)!r} holds no verdicts: {error}",
                             fix="give a file that nsdgen verify --json wrote") from error
    if wrong := [v.verdict for v in verdicts if v.verdict not in VERDICTS]:
        raise ParameterError(f"the file {str(path)!r} holds the unknown verdict {wrong[0]!r}")
    return verdicts


def differences(found: Sequence[Verdict], expected: Sequence[Verdict]) -> list[str]:
    """One sentence per claim whose verdict or formula is not the expected one, or that only one side has."""
    before = {v.id: v for v in expected}
    said = [f"{v.id}: {v.verdict}, expected {before[v.id].verdict}" for v in found
            if v.id in before and before[v.id].verdict != v.verdict]
    said += [f"{v.id}: another formula than the one that was expected" for v in found
             if v.id in before and before[v.id].formula and before[v.id].formula != v.formula]
    said += [f"{v.id}: {v.verdict}, and nothing was expected" for v in found if v.id not in before]
    ids = {v.id for v in found}
    return said + [f"{v.id}: expected {v.verdict}, and not decided" for v in expected if v.id not in ids]
