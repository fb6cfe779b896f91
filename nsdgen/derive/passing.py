"""On which arguments of instances nothing depends that a run keeps while they stay the same.

What a block holds changes at every instant: an input that enters b(t) only must not cost a new exponential of A, nor a
new factorisation of W.
"""

from collections.abc import Sequence

import sympy as sp

from nsdgen.abi import Quantity, Role
from nsdgen.derive.kernel import Kernel, KernelClass

_FROZEN = (Quantity.FROZEN_STEP,)
_KEPT = (
    *_FROZEN,
    Quantity.ITERATION_MATRIX,
    Quantity.OUTPUT_X,
    Quantity.OUTPUT_LAMBDA,
    Quantity.REACTION_X,
    Quantity.REACTION_LAMBDA,
    Quantity.BOUNDS,
)


def passing_arguments(
    classes: Sequence[KernelClass], slots: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int, bool], ...]:
    """(class, slot, all) of those of these (class, slot) on which no system freezes anything.

    ``all``: nothing else depends on them that is kept, derivatives and bounds.
    """
    found = []
    for number, slot in sorted(set(slots)):
        kernels = classes[number].kernels
        if not _read(kernels, slot, _FROZEN):
            found.append((number, slot, not _read(kernels, slot, _KEPT)))
    return tuple(found)


def _read(kernels: Sequence[Kernel], slot: int, quantities: Sequence[Quantity]) -> bool:
    """Whether an output of these quantities reads the argument in a slot."""
    return any(
        _symbol(kernel, slot) in entry.free_symbols
        for kernel in kernels
        for out in kernel.outputs
        if out.quantity in quantities
        for _, _, entry in out.entries
    )


def _symbol(kernel: Kernel, slot: int) -> sp.Symbol | None:
    """The symbol of a slot in a kernel."""
    of_class = next((a.symbols for a in kernel.inputs if a.role == Role.PARAMETERS), ())
    return of_class[slot] if slot < len(of_class) else None
