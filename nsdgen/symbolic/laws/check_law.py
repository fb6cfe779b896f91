"""Whether a law keeps its word: slots, rows, cone with bounds or natural map, tried on symbols of their own.

Schemes and the derivation build on what a law states; what it states wrongly is its own mistake, and is said here.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from nsdgen.abi import Cone, block_height, bound_count
from nsdgen.base.of_symbols import way_to_write
from nsdgen.errors import ModelError, at_place
from nsdgen.symbolic.expressions.entry import column, label_of, own_symbol
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.laws.mixed import Mixed

_TAKES = {
    Cone.BOX: "lower and upper bound of each row",
    Cone.COULOMB_2D: "the friction coefficient",
    Cone.COULOMB_3D: "the friction coefficient",
    Cone.ROLLING: "friction and rolling friction coefficient",
    Cone.TRACED: "restitution, stiffness and exponent of each row",
}


def check_law(law: Law, rows: int, where: str) -> None:
    """Raise ``ModelError``, naming the law, where it does not fit a relation of so many rows."""
    try:
        hash(law)
    except TypeError:  # a field that is a list
        verified: Callable[[Law, int], None] = _verify
    else:
        verified = _verified
    with at_place(where):
        verified(law, rows)


def _verify(law: Law, rows: int) -> None:
    """The checks of :func:`check_law`, each made once for equal laws."""
    where, name = f"law {type(law).__name__}", type(law).__name__
    if isinstance(law, Mixed):
        law.check_count(rows)
        for i, part in enumerate(law.parts):
            check_law(part, 1, f"row {i} of Mixed")
        return
    check_counts(law, where)
    _check_slots(law, where)
    rate, last, multiplier = (
        sp.Matrix([own_symbol(kind, f"{kind}{i}") for i in range(rows)]) for kind in ("rate", "last_rate", "multiplier")
    )
    own = {s.symbol for s in law.slots}
    y = _stated(lambda: law.rows(rate, last), f"rows(...) of the law {name}", rows, where)
    _check_symbols(y, own | set(rate) | set(last), "rows(...)", "the rates it is given", where)
    _check_own_multipliers(law, y, rows, where)
    _check_expansion(law, rate, rows, where)
    found = _called(lambda: law.natural_map(y, multiplier), "natural_map(...)", where)
    if found is not None:
        natural = _stated(lambda: found, f"natural_map(...) of the law {name}", rows, where)
        _check_symbols(
            natural,
            own | set(rate) | set(last) | set(multiplier),
            "natural_map(...)",
            "the rows and multipliers it is given",
            where,
        )
        if not natural.free_symbols & {*rate, *last, *multiplier}:
            raise ModelError(
                "natural_map(...) reads neither rows nor multipliers",
                where=where,
                fix="give a function of both, whose zeros are the law's solutions",
            )
        _check_bounds(law, (), rows, where)
        return
    _check_bounds(law, _cones(law, rows, where), rows, where)


_verified = lru_cache(maxsize=1024)(_verify)


def check_counts(law: Law, where: str) -> None:
    """Raise ``ModelError`` where ``tangents`` and ``rolling`` of the law are no numbers of rows."""
    if not isinstance(law.tangents, tuple) or not all(isinstance(n, int) for n in law.tangents):
        raise ModelError(
            f"tangents is {law.tangents!r}, not a tuple of numbers",
            where=where,
            fix="list the numbers of tangential rates it takes: (1, 2)",
        )
    if isinstance(law.rolling, bool) or not isinstance(law.rolling, int) or law.rolling < 0:
        raise ModelError(f"rolling is {law.rolling!r}", where=where, fix="give the number of rolling rates: 0 or 2")


def _check_slots(law: Law, where: str) -> None:
    """Slots are a tuple of coefficients, each with a symbol of its own."""
    slots = law.slots
    if callable(slots):
        raise ModelError("slots is a method", where=where, fix="make it a property: write @property above slots")
    if not isinstance(slots, tuple):
        raise ModelError(
            f"slots is a {type(slots).__name__}, not a tuple",
            where=where,
            fix="give (coefficient(...), ...), with a comma after a single one",
        )
    for slot in slots:
        symbol = getattr(slot, "symbol", None)
        if not isinstance(symbol, sp.Symbol):
            raise ModelError(f"slots holds {slot!r}", where=where, fix="make each by coefficient(law, name, value)")
        if "/" not in symbol.name:
            raise ModelError(
                f"slots holds the symbol {symbol}, which a user's may equal",
                where=where,
                fix="make slots by coefficient(law, name, value), and use slot.symbol in expressions",
            )
    names = [s.symbol for s in slots]
    for symbol in names:
        if names.count(symbol) > 1:
            raise ModelError(f"two slots are called {label_of(symbol)!r}", where=where, fix="give each its own name")


def _check_own_multipliers(law: Law, y: sp.Matrix, rows: int, where: str) -> None:
    """A law with multipliers of its own imposes as many rows and cones as there are multipliers in all."""
    names = _called(lambda: law.own_multipliers(rows), f"own_multipliers({rows})", where)
    if not isinstance(names, tuple) or not all(isinstance(n, str) for n in names):
        raise ModelError(f"own_multipliers({rows}) gives {names!r}", where=where, fix="give a tuple of names")
    if not names:
        return
    count = rows + len(names)
    multiplier = sp.Matrix([own_symbol("multiplier", f"multiplier{i}") for i in range(count)])
    values, blocks = _called(lambda: law.imposed(y, multiplier), "imposed(...)", where)
    if len(values) != count or sum(height for _, height in blocks) != count:
        raise ModelError(
            f"imposed(...) gives {len(values)} rows in cones of {sum(h for _, h in blocks)} for {count} multipliers",
            where=where,
            fix="give a row in a cone for each multiplier, its own included",
        )


def _check_expansion(law: Law, rate: sp.Matrix, rows: int, where: str) -> None:
    """A law that gives impulses back states its phase of expansion: as many rows and cones as it solves for."""
    if law.expansion is None:
        return
    names = _called(lambda: law.expansion_multipliers(rows), f"expansion_multipliers({rows})", where)
    if not isinstance(names, tuple) or not all(isinstance(n, str) for n in names):
        raise ModelError(f"expansion_multipliers({rows}) gives {names!r}", where=where, fix="give a tuple of names")
    more, stored = (
        sp.Matrix([own_symbol(kind, f"{kind}{i}") for i in range(count)])
        for kind, count in (("expansion", len(names)), ("compression", rows))
    )
    found = _called(lambda: law.expanded(rate, more, stored), "expanded(...)", where)
    if not isinstance(found, tuple) or len(found) != 4:
        raise ModelError(
            f"expanded(...) gives {found!r}",
            where=where,
            fix="give four things: rows, their cones, the impulse and the bounds",
        )
    values, blocks, impulse, bounds = found
    height = sum(count for _, count in blocks)
    if not len(values) == height == len(names):
        raise ModelError(
            f"expanded(...) gives {len(values)} rows in cones of {height} for {len(names)} multipliers",
            where=where,
            fix="give a row in a cone for each name of expansion_multipliers(rows)",
        )
    if len(impulse) != rows:
        raise ModelError(
            f"expanded(...) gives an impulse of {len(impulse)} entries, expected {rows}",
            where=where,
            fix=f"give {rows}, one for each row of the relation",
        )
    wanted = sum(bound_count(cone, count) for cone, count in blocks)
    if len(bounds) != wanted:
        raise ModelError(
            f"expanded(...) gives {len(bounds)} bounds, its cones take {wanted}",
            where=where,
            fix="give what the cones take, block after block, () where they take none",
        )


def _cones(law: Law, rows: int, where: str) -> tuple[tuple[Cone, int], ...]:
    """The cones of the law, which exist and have as many rows as it."""
    blocks, what = _called(lambda: law.cones(rows), f"cones({rows})", where), f"cones({rows})"
    if not isinstance(blocks, tuple) or not all(isinstance(b, tuple) and len(b) == 2 for b in blocks):
        raise ModelError(
            f"{what} gives {blocks!r}",
            where=where,
            fix=f"give a tuple of pairs (cone, number of rows): ((Cone.BOX, {rows}),)",
        )
    for cone, height in blocks:
        if cone not in list(Cone):
            raise ModelError(
                f"there is no cone {cone!r}",
                where=where,
                fix="cone = Cone.NAME, with NAME one of " + ", ".join(c.name for c in Cone),
            )
        wanted = block_height(cone, height)
        if height != wanted:
            raise ModelError(
                f"the cone {Cone(cone).name} has {height} rows",
                where=where,
                fix=f"it takes {wanted}: use a relation with so many rows, or another cone",
            )
    if sum(height for _, height in blocks) != rows:
        raise ModelError(
            f"{what} has {sum(height for _, height in blocks)} rows, the relation has {rows}",
            where=where,
            fix="give every row a cone, block after block",
        )
    return blocks


def _check_bounds(law: Law, blocks: Sequence[tuple[Cone, int]], rows: int, where: str) -> None:
    """As many bounds as the cones take, and none for a natural map."""
    bounds, what = _called(lambda: law.bounds(rows), f"bounds({rows})", where), f"bounds({rows})"
    if not isinstance(bounds, tuple | list):
        raise ModelError(
            f"{what} gives {bounds!r}, not a tuple",
            where=where,
            fix="give a tuple of expressions over the slots, () where the cone takes none",
        )
    wanted = sum(bound_count(cone, height) for cone, height in blocks)
    if len(bounds) != wanted:
        names = " and ".join(dict.fromkeys(Cone(c).name for c, _ in blocks)) or "a natural map"
        takes = "; ".join(f"{Cone(c).name}: {_TAKES[c]}" for c in dict.fromkeys(c for c, _ in blocks) if c in _TAKES)
        raise ModelError(
            f"{names} takes {wanted} bounds, {what} gives {len(bounds)}",
            where=where,
            fix=f"give bounds(rows) {takes or 'no entries'}",
        )


def _called(statement: Callable[[], Any], what: str, where: str) -> Any:
    """What a method of the law gives; raises ``ModelError`` where it fails on what every law is given."""
    try:
        return statement()
    except (TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(
            f"{what} fails: {type(error).__name__}: {error}",
            where=where,
            fix=way_to_write(error) or "it is called with columns of as many rows as the relation has",
        ) from error


def _stated(statement: Callable[[], Any], what: str, rows: int, where: str) -> sp.Matrix:
    """A column of so many rows that the law gives."""
    given = _called(statement, what, where)
    try:
        found = column(given, where=where)
    except ModelError as error:
        raise ModelError(
            f"{what} gives {given!r}, not a column of expressions",
            where=where,
            fix=f"return a column or list of {rows}",
        ) from error
    if found.rows != rows:
        raise ModelError(
            f"{what} has {found.rows} entries, expected {rows}",
            where=where,
            fix=f"give {rows}, one for each row of the relation",
        )
    return found


def _check_symbols(values: sp.Matrix, known: set[sp.Basic], what: str, given: str, where: str) -> None:
    """Refuse symbols that are neither given nor slots."""
    strange = sorted((s for s in values.free_symbols if s not in known), key=str)
    if strange:
        raise ModelError(
            f"{what} holds {strange[0]}, which is none of its slots",
            where=where,
            fix=f"write it over {given} and the symbols of slots: coefficient(..., {label_of(strange[0])!r}, ...)",
        )
