"""Checks the identities of certificates: ``python identity.py RECORDS.json``, with the standard library alone.

Every entry of a certificate says numerator = sum of cofactor * generator; polynomials are lists of terms
[coefficient, {name: power}]. The generators vanish by assumption or are axioms. That numerators and generators are
those of the formulas is what ``checker.py`` checks.
"""

import json
import sys
from fractions import Fraction
from typing import Any


def add(total: dict[Any, Fraction], p: Any, q: Any) -> None:
    """Add the product of two polynomials to {((name, power), ...): coefficient}."""
    for x, a in p:
        for y, b in q:
            powers = tuple(sorted((n, a.get(n, 0) + b.get(n, 0)) for n in {*a, *b}))
            total[powers] = total.get(powers, Fraction(0)) + Fraction(x) * Fraction(y)


def is_identity(certificate: dict[str, Any]) -> bool:
    """Whether all entries are identities."""
    for entry in certificate["entries"]:
        total: dict[Any, Fraction] = {}
        add(total, entry["numerator"], [["-1", {}]])
        for key, cofactor in entry["cofactors"]:
            add(total, cofactor, certificate["generators"][str(key)])
        if any(total.values()):
            return False
    return True


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [r for record in json.load(file) for r in (record, *record.get("readings", ()))]
    found = [(r["id"], is_identity(c)) for r in records for c in r.get("certificate", ())]
    print(f"{len(found)} certificates, no identities: {[name for name, right in found if not right]}")
    sys.exit(not all(right for _, right in found))
