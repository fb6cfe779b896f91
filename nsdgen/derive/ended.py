"""Kernels that are called after the step: their state is the one at its end, and is named so."""

from __future__ import annotations

import re
from dataclasses import replace

import sympy as sp

from nsdgen.abi import Role
from nsdgen.derive.kernel import Kernel

__all__ = ["after_the_step", "ended"]


def ended(symbol: sp.Symbol) -> sp.Symbol:
    """The symbol of a state at the end of the step, where it is not the one before: ``z_next`` for ``z_k``."""
    return sp.Symbol(re.sub(r"_k(?=(_\d+)?$)", "_next", symbol.name), real=True)


def after_the_step(kernel: Kernel) -> Kernel:
    """The kernel with the names of the new state, which it is called with."""
    to = {s: ended(s) for a in kernel.inputs if a.role == Role.STATE for s in a.symbols}
    inputs = tuple(replace(a, symbols=tuple(to.get(s, s) for s in a.symbols)) for a in kernel.inputs)
    outputs = tuple(replace(out, entries=tuple((i, j, e.xreplace(to)) for i, j, e in out.entries))
                    for out in kernel.outputs)
    return replace(kernel, inputs=inputs, outputs=outputs)
