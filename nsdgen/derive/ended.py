"""Kernels that are called after the step: their state is the one at its end, and is named so."""

import re
from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from nsdgen.abi import KernelRole, Quantity, Role
from nsdgen.derive.kernel import Input, Kernel, make_kernel, make_output
from nsdgen.schemes.program import Cut
from nsdgen.schemes.stages import T_K, T_NEXT
from nsdgen.symbolic.expressions.nodes_of import replaced


def ended(symbol: sp.Symbol) -> sp.Symbol:
    """The symbol of a state at the end of the step, where it is not the one before: ``z_next`` for ``z_k``."""
    return sp.Symbol(re.sub(r"_k(?=(_\d+)?$)", "_next", symbol.name), real=True)


def after_the_step(kernel: Kernel) -> Kernel:
    """The kernel with the names of the new state, which it is called with."""
    to = {s: ended(s) for a in kernel.inputs if a.role == Role.STATE for s in a.symbols}
    inputs = tuple(replace(a, symbols=tuple(to.get(s, s) for s in a.symbols)) for a in kernel.inputs)
    outputs = tuple(
        replace(
            out,
            entries=tuple(
                (i, j, new)
                for (i, j, _), new in zip(
                    out.entries, replaced(sp.Matrix([e for *_, e in out.entries]), to), strict=True
                )
            ),
        )
        for out in kernel.outputs
    )
    return replace(kernel, inputs=inputs, outputs=outputs)


def cut_kernel(
    cuts: Sequence[Cut], carried: Sequence[Input], parameters: Sequence[sp.Symbol], run: Sequence[sp.Symbol]
) -> Kernel:
    """The quantities whose zeros end a step early, from what is carried over it."""
    inputs = [
        *carried,
        Input("time", Role.TIME, (T_K, T_NEXT)),
        Input("run", Role.RUN, tuple(run)),
        Input("parameters", Role.PARAMETERS, tuple(parameters)),
    ]
    values = make_output("cut", Quantity.CUT, sp.Matrix([c.value for c in cuts]))
    return after_the_step(
        make_kernel(
            "cut",
            KernelRole.CUT,
            -1,
            inputs,
            [values],
            "zero where a step ends early: " + ", ".join(c.name for c in cuts),
        )
    )
