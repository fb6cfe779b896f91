"""The certificate of a claim: a proof for each goal of its text, or None where one has none.

A proof that was found is one where the checker accepts it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nsdgen.verify.claim import Reading
from nsdgen.verify.quantities import Hidden
from nsdgen.verify.setting import Deadline, Setting

from .checker import holds as accepted
from .claim_text import part_of, single_statements
from .proving import Steps, proofs_of_part
from .texts import Inexpressible


def holds(certificate: dict[str, Any], reading: Any) -> bool:
    """Whether the checker accepts a certificate, and it states what the reading of a claim says."""
    try:
        stated = [part_of(*one) for one in single_statements(reading)]
    except Inexpressible:
        return False
    return bool(stated) and certificate["claim"] == _hash(stated) and accepted(certificate)


def _hash(stated: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class ProvedPart:
    """A single statement under assumptions with its text and the proofs of its goals, which the checker accepted."""

    statement: Any
    assumptions: tuple[Any, ...]
    part: dict[str, Any]
    proof: list[Steps]


def certified(reading: Any, deadline: Deadline, known: Sequence[ProvedPart] = ()) -> dict[str, Any] | None:
    """The certificate of a reading as it was typed, accepted by the checker part by part; None where none is found.

    ``known`` are parts that were proved before: they are not written and proved again.
    """
    parts = _proved_parts(reading, deadline, known)
    return _certificate(parts) if parts else None


def proofs_of(statement: Any, setting: Setting, deadline: Deadline) -> tuple[ProvedPart, ...]:
    """The parts of one statement under a setting, where all are proved; else none."""
    assumptions = tuple(a for a in setting.assumptions if not isinstance(a, Hidden))
    return _proved_parts(Reading("", statement, assumptions), deadline)


def _proved_parts(reading: Any, deadline: Deadline, known: Sequence[ProvedPart] = ()) -> tuple[ProvedPart, ...]:
    try:
        return tuple(_proved_part(*single, deadline, known) for single in single_statements(reading))
    except Exception:  # whatever stands in the way: there is no proof
        return ()


def _proved_part(
    statement: Any, assumptions: tuple[Any, ...], deadline: Deadline, known: Sequence[ProvedPart]
) -> ProvedPart:
    """The part of a single statement with its proof. Raises ``LookupError`` where none is found."""
    for k in known:
        if k.statement == statement and k.assumptions == assumptions:
            return k
    part = part_of(statement, assumptions)
    for k in known:
        if k.part == part:
            return k
    for proof in proofs_of_part(part, deadline):
        proved = ProvedPart(statement, assumptions, part, proof)
        if accepted(_certificate([proved])):
            return proved
    raise LookupError("no proof of this part is accepted")


def _certificate(parts: Sequence[ProvedPart]) -> dict[str, Any]:
    """What is stated, its hash, and its proofs, as they are read from a file."""
    stated = [p.part for p in parts]
    certificate = {"stated": stated, "claim": _hash(stated), "proofs": [p.proof for p in parts]}
    return dict(json.loads(json.dumps(certificate)))
