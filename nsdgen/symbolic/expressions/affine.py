"""Whether expressions are affine in some symbols, jumps and branches included."""

from collections.abc import Callable, Iterable, Sequence, Set

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols, below
from nsdgen.symbolic.graph.computed import Computed


def is_affine(values: Iterable[sp.Expr], derivatives: Iterable[sp.Expr], symbols: Sequence[sp.Symbol]) -> bool:
    """Whether values are affine in the symbols: constant derivatives, and no jump that a symbol decides.

    ``floor(x)`` and a branch on x have constant derivatives away from their jumps and are not affine.
    """
    free_symbols = FreeSymbols()
    wanted = frozenset(symbols)
    if any(wanted & free_symbols(e) for e in derivatives):
        return False

    def moving(e: sp.Basic) -> bool:
        return not wanted.isdisjoint(free_symbols(e))

    def parts(e: sp.Basic) -> list[sp.Basic]:
        return [] if isinstance(e, Computed) else list(filter(moving, e.args))

    return not any(_jumps(e, wanted, moving) for e in below(filter(moving, values), parts))


def _jumps(e: sp.Basic, wanted: Set[sp.Symbol], moving: Callable[[sp.Basic], bool]) -> bool:
    """Whether what moves decides a jump of a node."""
    if isinstance(e, Computed):
        return e.jumps_with(wanted)
    return isinstance(e, Floor | Sign | Modulo) or (isinstance(e, Branch) and any(map(moving, e.conditions)))
