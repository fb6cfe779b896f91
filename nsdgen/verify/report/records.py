"""Verdicts as JSON, a list with one record per claim in their order; and how every report is written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from nsdgen.base.whole_file import replaced_file
from nsdgen.errors import ParameterError
from nsdgen.verify.verdict import Verdict


def as_json(verdicts: Sequence[Verdict]) -> str:
    """The text of the file; times are left out, so that equal verdicts give equal bytes."""
    return json.dumps([v.to_dict() for v in verdicts], indent=1, ensure_ascii=False) + "\n"


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
