"""Quantities: symbols of one name are one quantity, with what all who write it agree on.

SymPy keeps assumptions inside symbols. Here they become part of the question: where one name is written with
different assumptions, the truth's count (or, without a truth, those that all spellings share); an assumption that
stays is one of the verdict, shown and tested for need like any other (``Hidden``). Complex quantities become two
real ones, imaginary ones one, those that do not commute square matrices of any size.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import sympy as sp
from sympy.matrices.expressions import MatrixExpr
from sympy.matrices.expressions.matexpr import MatrixElement

from nsdgen.errors import NsdgenError
from nsdgen.verify.assumptions import Assumption
from nsdgen.verify.claim import Reading
from nsdgen.verify.shapes import IllTyped, build
from nsdgen.verify.statement import Equal

_KINDS = {"prime": "a prime number", "composite": "a composite number", "even": "an even integer"}
_KINDS |= {"odd": "an odd integer", "integer": "an integer", "noninteger": "no integer", "rational": "rational"}
_KINDS |= {"irrational": "irrational", "algebraic": "algebraic", "transcendental": "transcendental"}
FACTS = ("positive", "negative", "nonnegative", "nonpositive", "nonzero", *_KINDS, "zero")
_SIGNS = {"positive": "> 0", "negative": "< 0", "nonnegative": ">= 0", "nonpositive": "<= 0", "nonzero": "!= 0"}


@dataclass(frozen=True)
class Hidden(Assumption):
    """What a symbol says of itself: a sign, or that it is an integer."""

    symbol: sp.Symbol

    @property
    def text(self) -> str:  # type: ignore[override]
        """``x > 0``, ``k is an integer``."""
        known = _known(self.symbol)
        sign = next((f"{self.symbol.name} {text}" for fact, text in _SIGNS.items() if fact in known), "")
        kind = next((f"{self.symbol.name} is {text}" for fact, text in _KINDS.items() if fact in known), "")
        return " and ".join(filter(None, (kind, sign)))

    @property
    def plain(self) -> sp.Symbol:
        """The same quantity without what is said."""
        return sp.Symbol(self.symbol.name, real=True)


@dataclass(frozen=True)
class Unified:
    """A reading with one symbol per quantity, what its symbols say of themselves, and notes for the verdict."""

    reading: Reading
    hidden: tuple[Hidden, ...]
    notes: tuple[str, ...]


def unified(reading: Reading, hand: str) -> Unified:
    """The reading with one symbol for each name. ``hand`` names the side of an equality that is no truth."""
    reading = with_entries(reading)
    given = [*expressions(reading.statements), *expressions(reading.assumptions)]
    everything, sizes = _by_name(given), _sizes(given)
    truths = _by_name(_truths(reading.statements, hand))
    change: dict[Any, Any] = {}
    notes, hidden = [], []
    for name, spelled in sorted(everything.items()):
        counted = truths.get(name) or spelled
        chosen, note = _chosen(name, counted, spelled, everything)
        notes += [note] if note else []
        change |= {s: chosen for s in spelled if s != chosen}
        if isinstance(chosen, sp.Symbol) and _known(chosen) and name not in sizes:
            hidden.append(Hidden(chosen))
        elif chosen == 0:
            notes.append(f"{name} = 0, as its symbol says")
    return Unified(substituted(reading, change) if change else reading, tuple(hidden), tuple(notes))


def with_entries(reading: Reading, of_all: bool = False) -> Reading:
    """The reading with a matrix of symbols for each matrix of known size, or for those of which an entry is written.

    What is assumed of the matrix is then said of its entries. Their names, ``W[0, 0]``, are nobody else's.
    """
    given = [*expressions(reading.statements), *expressions(reading.assumptions)]
    meant = {m for g in given for m in g.atoms(sp.MatrixSymbol)}
    written = sorted(meant if of_all else {e.parent for g in given for e in g.atoms(MatrixElement)}, key=str)
    sized = [m for m in written if isinstance(m, sp.MatrixSymbol) and all(isinstance(d, sp.Integer) for d in m.shape)]
    taken = _by_name(given)

    def entry(m: sp.MatrixSymbol, i: int, j: int) -> sp.Symbol:
        return sp.Symbol(unlike(f"{m.name}[{i}, {j}]", taken), real=True)

    change = {m: sp.ImmutableMatrix(*m.shape, lambda i, j, m=m: entry(m, i, j)) for m in sized}
    return substituted(reading, change) if change else reading


def _sizes(given: Iterable[Any]) -> set[str]:
    """Names of sizes of matrices: whole positive numbers by their place, and no assumption."""
    return {s.name for e in given for m in e.atoms(sp.MatrixSymbol) for d in m.shape for s in d.free_symbols}


def _known(s: sp.Symbol) -> list[str]:
    return [f for f in FACTS if s.assumptions0.get(f)]


def unlike(name: str, taken: Container[str]) -> str:
    """A name that is made up here, with primes as long as somebody has given it to something else."""
    while name in taken:
        name += "'"
    return name


def _chosen(
    name: str, counted: Sequence[sp.Symbol], spelled: Sequence[sp.Symbol], taken: Container[str]
) -> tuple[Any, str]:
    """What a name stands for, and a note where that is not what everybody writes."""
    real, imaginary = (sp.Symbol(unlike(f"{part}({name})", taken), real=True) for part in ("re", "im"))
    if any(s.is_commutative is False for s in spelled):
        return sp.MatrixSymbol(name, *[sp.Symbol(unlike("n_", taken), integer=True, positive=True)] * 2), (
            f"{name} does not commute: it is read as a square matrix"
        )
    if any(s.is_zero for s in counted):
        return sp.S.Zero, ""
    if all(s.is_imaginary for s in counted):
        return sp.I * imaginary, f"{name} is imaginary"
    if all(_complex(s) for s in counted):
        return real + sp.I * imaginary, f"{name} is complex"
    shared = [f for f in FACTS if all(s.assumptions0.get(f) for s in counted if not _complex(s))]
    if len(spelled) == 1 or (not shared and not any(map(_known, spelled)) and not any(map(_complex, spelled))):
        return spelled[0], ""
    chosen = sp.Symbol(name, real=True, **dict.fromkeys(shared, True))
    if more := sorted({f for s in spelled for f in _known(s)} - set(_known(chosen))):
        return chosen, f"{name} is written with different assumptions; not used: {', '.join(more)}"
    differ = any(set(_known(s)) != set(shared) for s in spelled)
    return chosen, f"{name} is written with different assumptions: it is one quantity" if differ else ""


def _complex(s: sp.Symbol) -> bool:
    """Whether a symbol says that it may be a complex number; one that says nothing is real."""
    if s.is_extended_real:
        return False
    return bool(s.is_complex or s.is_extended_real is False)


# ---- records


def digest(claim: Any) -> str:
    """Sixteen hexadecimal digits that depend on all formulas of a claim, their order and its assumptions.

    Empty where a side is made by a function that fails: the verdict says so.
    """
    try:
        texts = [str(e) for r in claim.readings for e in (*expressions(r.statements), *expressions(r.assumptions))]
    except Exception:
        return ""
    kinds = [type(s).__name__ + str(getattr(s, "relation", "")) for r in claim.readings for s in r.statements]
    kinds += [side.label for side in claim.code]
    return sha256("\n".join((*kinds, *texts)).encode()).hexdigest()[:16]


def expressions(record: Any) -> Iterator[Any]:
    """All expressions in a record; what cannot be built is left out."""
    if record is None or isinstance(record, str | bool | int | float) or getattr(record, "hand_side", "") == "code":
        return
    if isinstance(record, sp.Basic | sp.MatrixBase):
        yield record
    elif isinstance(record, tuple | list):
        for r in record:
            yield from expressions(r)
    elif hasattr(record, "__dataclass_fields__") and not callable(record):
        for name in record.__dataclass_fields__:
            yield from expressions(getattr(record, name))
    elif callable(record):
        try:
            yield build(record)
        except (IllTyped, NsdgenError, ValueError, TypeError):
            return


def _truths(statements: Iterable[Any], hand: str) -> list[Any]:
    """The sides of equalities that are not hand-written; nothing where a statement is of another kind."""
    found: list[Any] = []
    for s in statements:
        if not isinstance(s, Equal):
            return []
        found += expressions(s.sides[:-1] if (s.hand or hand) == "right" else s.sides[1:])
    return found


def _by_name(given: Iterable[Any]) -> dict[str, list[sp.Symbol]]:
    found: dict[str, dict[sp.Symbol, None]] = {}
    for e in given:
        for s in sorted(e.atoms(sp.Symbol), key=lambda s: (s.name, str(s.assumptions0))):
            if not isinstance(s, sp.Dummy):
                found.setdefault(s.name, {})[s] = None
    return {name: list(symbols) for name, symbols in found.items()}


def substituted(record: Any, values: Mapping[Any, Any]) -> Any:
    """A record with a substitution carried out in all expressions it holds."""
    if isinstance(record, sp.MatrixBase):
        return sp.ImmutableMatrix(record.applyfunc(lambda e: e.xreplace(values)))
    if isinstance(record, sp.Basic):
        return record.xreplace(values).doit(deep=True) if isinstance(record, MatrixExpr) else record.xreplace(values)
    if isinstance(record, tuple | list):
        return type(record)(substituted(r, values) for r in record)
    of_fields = hasattr(record, "__dataclass_fields__")
    if getattr(record, "hand_side", "") == "text" or (callable(record) and not of_fields):
        return lambda: substituted(record(), values)
    if of_fields:
        copy = object.__new__(type(record))
        for name in record.__dataclass_fields__:
            value = getattr(record, name)
            if name != "text" or not isinstance(getattr(type(record), "text", None), property):
                object.__setattr__(copy, name, value if isinstance(value, str) else substituted(value, values))
        return copy
    return record
