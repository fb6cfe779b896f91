"""The name of every symbol inside a kernel: the user's where there is one."""

from collections.abc import Sequence

import sympy as sp

from nsdgen.base.names import mangle
from nsdgen.derive.kernel import Input

_TAKEN = frozenset({"in_", "out", "carried", "active"})  # arguments of emitted functions


def identifiers(inputs: Sequence[Input]) -> dict[sp.Symbol, str]:
    """Identifiers for all symbols of a kernel's inputs, unique and in a stable order.

    Users' symbols (without ``/``) choose first; nsdgen's own take their label, or the
    label with its kind where a user has it already (a parameter h makes the step h_run).
    """
    symbols = [s for array in inputs for s in array.symbols]
    names: dict[sp.Symbol, str] = {}
    used = set(_TAKEN)
    for symbol in sorted(symbols, key=lambda s: "/" in s.name):  # stable: keeps slot order otherwise
        kind, _, label = symbol.name.rpartition("/")
        wanted = mangle(label)
        if wanted in used and kind:
            wanted = mangle(f"{label}_{kind}")
        number = 2
        unique = wanted
        while unique in used:
            unique = f"{wanted}_{number}"
            number += 1
        names[symbol] = unique
        used.add(unique)
    return names
