"""The verdicts of a run for later ones and for other programs: as a list, as JSON.

The list has a line for each claim and for each of its readings. It holds the id, the verdict and the digest of what
was claimed ("" of a reading), two spaces or more between them; here it is an item of a dictionary, the id with the
other two.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from nsdgen.errors import ParameterError
from nsdgen.verify.verdict import VERDICTS, Verdict

Listed: TypeAlias = dict[str, tuple[str, str]]

_FIX = "give a file that nsdgen verify --verdicts wrote"


def found(verdicts: Sequence[Verdict]) -> Listed:
    """What was found, each claim before its readings."""
    return {v.id: (v.verdict, v.formula) for verdict in verdicts for v in (verdict, *verdict.readings)}


def as_list(verdicts: Sequence[Verdict]) -> str:
    """The text of the file: columns of equal width, no times, so that equal verdicts give equal bytes."""
    lines = [(id, *said) for id, said in found(verdicts).items()]
    width = [max((len(line[k]) for line in lines), default=0) for k in (0, 1)]
    return "".join(f"{id:{width[0]}}  {verdict:{width[1]}}  {digest}".rstrip() + "\n" for id, verdict, digest in lines)


def as_json(verdicts: Sequence[Verdict]) -> str:
    """All that is known of each claim as JSON, one record a claim in their order; without times, too."""
    return json.dumps([v.to_dict() for v in verdicts], indent=1, ensure_ascii=False) + "\n"


def read_list(path: Path) -> Listed:
    """What a file says was found; raises ``ParameterError`` where it cannot be read as such."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(f"the verdicts {str(path)!r} cannot be read: {error}", fix=_FIX) from error
    read: Listed = {}
    for number, line in enumerate(lines or [""], start=1):
        id, verdict, formula, *rest = [*re.split(" {2,}", line.rstrip()), "", ""]
        if verdict not in VERDICTS or any(rest):
            raise ParameterError(f"no verdict stands in {line[:80]!r}", where=f"{path}, line {number}", fix=_FIX)
        read[id] = verdict, formula
    return read


def differences(now: Mapping[str, tuple[str, str]], before: Mapping[str, tuple[str, str]]) -> list[str]:
    """A sentence for each claim or reading whose verdict or formula changed, or that only one side has."""
    both = [(id, *now[id], *before[id]) for id in now if id in before]
    return [
        *(f"{id}: {verdict}, expected {expected}" for id, verdict, _, expected, _ in both if verdict != expected),
        *(f"{id}: another formula than the one that was expected" for id, _, f, _, g in both if g not in ("", f)),
        *(f"{id}: {verdict}, and nothing was expected" for id, (verdict, _) in now.items() if id not in before),
        *(f"{id}: expected {verdict}, and not decided" for id, (verdict, _) in before.items() if id not in now),
    ]
