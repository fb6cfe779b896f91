"""Code of kernels is remembered by what it depends on: whatever differs in one thing has the text it has alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

import nsdgen.emit.module as emission
from nsdgen.abi import ClassKind, KernelRole, Quantity, Role
from nsdgen.base.memory import Memory
from nsdgen.derive.kernel import Input, Kernel, KernelClass, KernelModule, make_kernel, make_output
from nsdgen.emit.module import emit_module
from nsdgen.errors import EmissionError
from nsdgen.schemes.stages import Completion
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, let
from nsdgen.symbolic.graph.computed import computed
from nsdgen.symbolic.graph.sympy_graph import Importer

A, B, C = sp.symbols("a b c", real=True)


def kernel(*values, symbols=(A, B, C), array="parameters", output="state", role=KernelRole.START, shape=None) -> Kernel:
    made = make_output(output, Quantity.STATE, sp.Matrix(*(shape or (len(values), 1)), values))
    return make_kernel("start", role, 0, [Input(array, Role.PARAMETERS, symbols)], [made], "s")


def several(kernel: Kernel, count: int) -> Kernel:
    """The kernel with as many arrays of the same values."""
    return replace(kernel, outputs=kernel.outputs * count)


LONG = [A * sp.sin(B * k) + C / (k + 1) for k in range(200)]
PLAIN = kernel(A * B + C, A - C)
PAIRS = {
    "the operation": (PLAIN, kernel(A * B - C, A - C)),
    "the operand": (PLAIN, kernel(A * C + C, A - C)),
    "the order of values": (PLAIN, kernel(A - C, A * B + C)),
    "how often a value is asked for": (PLAIN, kernel(A * B + C, A * B + C)),
    "a part that is a value, too": (kernel(A * B + C, A * B), kernel(A * B + C, C)),
    "a value more": (PLAIN, kernel(A * B + C, A - C, A)),
    "a number": (kernel(2 * A), kernel(3 * A)),
    "an integer and a double": (kernel(A**2), kernel(A**2.0)),
    "a fraction and its double": (kernel(A + sp.Rational(1, 3)), kernel(A + 1 / 3)),
    "doubles that differ in the last bit": (kernel(0.1 * A), kernel(0.10000000000000002 * A)),
    "the sign of a number": (kernel(A + 1), kernel(A - 1)),
    "the function": (kernel(sp.sin(A)), kernel(sp.cos(A))),
    "which arguments": (kernel(sp.atan2(A, B)), kernel(sp.atan2(B, A))),
    "a floor beside": (kernel(A + B + C), kernel(A + B + C, Floor(A + B + C))),
    "a modulo beside": (kernel(A * B * C), kernel(A * B * C, Modulo(A * B * C, B))),
    "a comparison": (kernel(Branch(A, B > 0, C, True)), kernel(Branch(A, B >= 0, C, True))),
    "a name of a value": (kernel(let("speed", A * B) ** 2), kernel(let("rate", A * B) ** 2)),
    "a name or none": (kernel(let("speed", A * B) ** 2), kernel((A * B) ** 2)),
    "the name of a symbol": (PLAIN, kernel(A * sp.Symbol("d") + C, A - C, symbols=(A, sp.Symbol("d"), C))),
    "the places of symbols": (PLAIN, kernel(A * B + C, A - C, symbols=(B, A, C))),
    "a symbol that nothing reads": (PLAIN, kernel(A * B + C, A - C, symbols=(A, B, C, sp.Symbol("d")))),
    "an unread symbol called like a temporary": (
        kernel((A + B) ** 2),
        kernel((A + B) ** 2, symbols=(A, B, C, sp.Symbol("x0"))),
    ),
    "the name of the array read": (PLAIN, kernel(A * B + C, A - C, array="given")),
    "the name of the array written": (PLAIN, kernel(A * B + C, A - C, output="unknown")),
    "its shape": (kernel(A, B, C, A * B, shape=(2, 2)), kernel(A, B, C, A * B, shape=(4, 1))),
    "its shape alone": (kernel(A, 0, 0, 0, B, 0, shape=(2, 3)), kernel(A, 0, 0, B, 0, 0, shape=(3, 2))),
    "the places of entries": (kernel(A, 0, 0, B, shape=(2, 2)), kernel(0, A, B, 0, shape=(2, 2))),
    "the number of arrays": (PLAIN, several(PLAIN, 2)),
    "the name of the second array": (
        several(PLAIN, 2),
        replace(PLAIN, outputs=(PLAIN.outputs[0], replace(PLAIN.outputs[0], name="unknown"))),
    ),
    "what completes an array": (
        PLAIN,
        replace(PLAIN, outputs=(replace(PLAIN.outputs[0], completed_by=Completion("nsd_hold", 2)),)),
    ),
    "which size it completes": tuple(
        replace(PLAIN, outputs=(replace(PLAIN.outputs[0], completed_by=Completion("nsd_hold", n)),)) for n in (2, 3)
    ),
    "a long one": (kernel(*LONG), kernel(*LONG[:-1], A)),
    "a graph and its operations": (kernel(A * B * (A + B)), kernel(computed(Importer()([A * B * (A + B)])[0]))),
}


def text(kernel: Kernel) -> str:
    return emit_module(KernelModule("m", (KernelClass("c", ClassKind.SYSTEM, 1, (kernel,)),))).text


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_each_of_a_pair_has_its_own_text(monkeypatch, pair):
    def alone(kernel: Kernel) -> str:
        monkeypatch.setattr(emission, "_CODE", Memory(9))
        return text(kernel)

    own = [alone(k) for k in pair]
    assert alone(pair[0]) == text(pair[0]) == own[0]
    assert text(pair[1]) == own[1]
    assert alone(pair[1]) == own[1]
    assert text(pair[0]) == own[0]


def test_bounds_may_be_infinite_and_no_other_values():
    infinite = [kernel(A, sp.oo, role=role) for role in (KernelRole.BOUNDS, KernelRole.OPERATOR)]
    for bounds in infinite:
        assert "INFINITY" in text(bounds)
    with pytest.raises(EmissionError):
        text(kernel(A, sp.oo))
