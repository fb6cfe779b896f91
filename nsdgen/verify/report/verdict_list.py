"""The verdicts of a run as a list to compare later runs with: a line for each claim and for each of its readings.

A line holds the id, the verdict and the digest of what was claimed, two spaces or more between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nsdgen.errors import ParameterError
from nsdgen.verify.verdict import VERDICTS, Verdict


@dataclass(frozen=True)
class ListedVerdict:
    """What a run found of one claim or reading; ``formula`` is the digest of a claim, "" of a reading."""

    id: str
    verdict: str
    formula: str = ""


def found(verdicts: Sequence[Verdict]) -> list[ListedVerdict]:
    """What was found, each claim before its readings."""
    return [ListedVerdict(v.id, v.verdict, v.formula) for verdict in verdicts for v in (verdict, *verdict.readings)]


def as_list(verdicts: Sequence[Verdict]) -> str:
    """The text of the file: columns of equal width, no times, so that equal verdicts give equal bytes."""
    lines = found(verdicts)
    id_width, verdict_width = (max((len(getattr(f, key)) for f in lines), default=0) for key in ("id", "verdict"))
    return "".join(f"{f.id:{id_width}}  {f.verdict:{verdict_width}}  {f.formula}".rstrip() + "\n" for f in lines)


def read_list(path: Path) -> list[ListedVerdict]:
    """What a file says was found; raises ``ParameterError`` where it cannot be read as such."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(
            f"the verdicts {str(path)!r} cannot be read: {error}", fix="give a file that nsdgen verify --verdicts wrote"
        ) from error
    if not lines:
        raise ParameterError(
            f"the file {str(path)!r} holds no verdicts", fix="give a file that nsdgen verify --verdicts wrote"
        )
    return [_line(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1)]


def _line(line: str, where: str) -> ListedVerdict:
    id, verdict, formula, *rest = [*re.split(" {2,}", line.rstrip()), "", ""]
    if verdict not in VERDICTS or any(rest):
        raise ParameterError(
            f"no verdict stands in {line[:80]!r}",
            where=where,
            fix="a line holds an id, a verdict and a digest, two spaces between them",
        )
    return ListedVerdict(id, verdict, formula)


def differences(now: Sequence[ListedVerdict], before: Sequence[ListedVerdict]) -> list[str]:
    """A sentence for each claim or reading whose verdict or formula changed, or that only one side has."""
    earlier, ids = {f.id: f for f in before}, {f.id for f in now}
    said = [
        f"{f.id}: {f.verdict}, expected {earlier[f.id].verdict}"
        for f in now
        if f.id in earlier and earlier[f.id].verdict != f.verdict
    ]
    said += [
        f"{f.id}: another formula than the one that was expected"
        for f in now
        if f.id in earlier and earlier[f.id].formula not in ("", f.formula)
    ]
    said += [f"{f.id}: {f.verdict}, and nothing was expected" for f in now if f.id not in earlier]
    return said + [f"{f.id}: expected {f.verdict}, and not decided" for f in before if f.id not in ids]
