"""Verdicts as JSON: a list with one record per claim, in the order of the claims.

Times are left out, so that equal verdicts give equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nsdgen.base.whole_file import replaced_file
from nsdgen.errors import ParameterError
from nsdgen.verify.verdict import Verdict


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
        raise ParameterError(
            f"the report {str(path)!r} cannot be written: {error.strerror}",
            fix="choose a file in a folder that exists and that you may write to",
        ) from error
