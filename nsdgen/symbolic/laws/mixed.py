"""A law for each row of a relation."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.names import numbered
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.laws.characteristic import Characteristic
from nsdgen.symbolic.laws.law import Law, Slot


@named_arguments
@dataclass(frozen=True)
class Mixed(Law):
    """One law for each row of a relation: ``Mixed([Equality()] * 5 + [Box(-1, 1)] * 4)``."""

    not_for_contacts = ("a contact has one law, Mixed joins several", "write one contact or constraint for each law")

    parts: Sequence[Law] = ()

    def __post_init__(self) -> None:
        if isinstance(self.parts, Law):  # one alone is a list of one
            object.__setattr__(self, "parts", (self.parts,))
        wrong = [p for p in self.parts if not isinstance(p, Law) or p.of_rates or p.polytope is not None]
        if wrong or not self.parts:
            what = (type(wrong[0]).__name__ if isinstance(wrong[0], Law) else repr(wrong[0])) if wrong else "nothing"
            raise ModelError(
                f"{what} cannot be mixed",
                where="law Mixed",
                fix="list nsd.Equality(), nsd.Complementarity(), nsd.Box(...) or laws of your own that "
                "are not about rates, one for each row; a law of several rows wants a relation of its "
                "own",
            )
        object.__setattr__(self, "parts", tuple(self.parts))

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """A block of one row for each law; raises ``ModelError`` where these are not as many as ``rows``."""
        self.check_count(rows)
        return tuple(block for part in self.parts for block in part.cones(1))

    def check_count(self, rows: int) -> None:
        """Raise ``ModelError`` where there are not as many laws as ``rows``."""
        if len(self.parts) != rows:
            raise ModelError(
                f"{len(self.parts)} laws for {rows} rows",
                where="law Mixed",
                fix="give one law for each row of the output",
            )

    def rows(self, rate: sp.Matrix, last_rate: sp.Matrix) -> sp.Matrix:
        """The row of each law, over the numbered slots."""
        return sp.Matrix(
            [
                e
                for i, part in enumerate(self.parts)
                for e in sp.Matrix(part.rows(rate[i : i + 1, :], last_rate[i : i + 1, :])).xreplace(self._number(i))
            ]
        )

    def imposed(self, rows: sp.Matrix, multiplier: sp.Matrix) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        """What each law imposes on its row, over the numbered slots; as many rows as laws."""
        self.check_count(rows.rows)
        own = list(multiplier[rows.rows :, :])
        first: list[sp.Expr] = []
        more: list[sp.Expr] = []
        cones: list[tuple[Cone, int]] = []
        of_own: list[tuple[Cone, int]] = []
        for i, part in enumerate(self.parts):
            count = len(part.own_multipliers(1))
            value, blocks = part.imposed(rows[i : i + 1, :], sp.Matrix([multiplier[i], *own[:count]]))
            value, own = sp.Matrix(value).xreplace(self._number(i)), own[count:]
            first.append(value[0])
            more += value[1:]
            cones.append(blocks[0])
            of_own += blocks[1:]
        return sp.Matrix([*first, *more]), (*cones, *of_own)

    def in_steps(self) -> Law:
        """Each law as steps impose it."""
        return dataclasses.replace(self, parts=[part.in_steps() for part in self.parts])

    def own_multipliers(self, rows: int) -> tuple[str, ...]:
        """Those of each law, numbered on."""
        return numbered("piece", sum(len(part.own_multipliers(1)) for part in self.parts))

    def own_bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """Those of each law."""
        return tuple(bound for part in self.parts for bound in part.own_bounds(1))

    def characteristics(self, rows: int, bounds: Sequence[sp.Expr]) -> tuple[Characteristic | None, ...]:
        """The curve of each law, over the numbered slots."""
        self.check_count(rows)
        found: list[Characteristic | None] = []
        given = list(bounds)
        for i, part in enumerate(self.parts):
            count = len(part.bounds(1))
            (curve,) = part.characteristics(1, given[:count])
            given = given[count:]
            found.append(None if curve is None else curve.replaced(self._number(i)))
        return tuple(found)

    def _number(self, row: int) -> dict[sp.Symbol, sp.Symbol]:
        """The symbols of the slots of a row, and what they are called here."""
        return {s.symbol: _numbered(s.symbol, row) for s in self.parts[row].slots}

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of all laws, row after row, their symbols numbered by the row."""
        return tuple(
            Slot(_numbered(s.symbol, i), s.value, s.min, s.max, s.unit)
            for i, part in enumerate(self.parts)
            for s in part.slots
        )

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """The bounds of all laws, row after row, over the numbered slots."""
        return tuple(e.xreplace(self._number(i)) for i, part in enumerate(self.parts) for e in part.bounds(1))

    def each(self, rows: int) -> Sequence[Law]:
        """The laws as they were listed."""
        return self.parts

    def boxes(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr] | None]:
        """Those of each law."""
        return [part.boxes(1)[0] for part in self.parts]

    def impulses(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr]] | None:
        """Those of each law; not known where one of them is not."""
        found = [part.impulses(1) for part in self.parts]
        return None if None in found else [pair for pairs in found if pairs for pair in pairs]


def _numbered(symbol: sp.Symbol, row: int) -> sp.Symbol:
    return sp.Symbol(f"{symbol.name}_{row}", real=True)
