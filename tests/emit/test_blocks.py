"""Very long kernels in blocks: the same operations, and an array that no name of the model hides."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.abi import ClassKind, KernelRole, Quantity, Role
from nsdgen.derive.kernel import Input, KernelClass, KernelModule, make_kernel, make_output
from nsdgen.emit.blocks import in_blocks
from nsdgen.emit.module import emit_module
from nsdgen.emit.text import C as IN_C
from nsdgen.emit.text import render
from nsdgen.emit.tree import KernelBody
from nsdgen.interpret.statements import statements

LINES = """
x0 = a + b
x1 = x0*c
speed = x1 - x0
if x1 > speed:
    x2 = x0*x0
    x3 = x2 - speed
    x4 = x3*x1
else:
    x2 = x1/3.0
    x3 = sin(x2)
    x4 = x0
out[0][0] = x4 + x2
x5 = x3 - x10
out[0][1] = x5*x5
"""
BODY = KernelBody(
    statements([f"    {line}" for line in LINES.strip().splitlines()], 1, in_c=False),
    ("x0", "x1", "speed", "x2", "x3", "x4", "x5"),
    14,
)


def test_names_that_several_blocks_use_are_places_of_an_array(monkeypatch):
    monkeypatch.setattr("nsdgen.emit.blocks._BLOCK", 3)
    body, array, places = in_blocks(BODY, {"a", "b", "c", "x10", "kept"})
    assert array == "kept_2[5]"  # x0 to x4: x5 is used in one block, x10 is the model's, speed has a name of its own
    assert body.temporaries == ("speed", "x5")
    lines = render(body, 0, replace(IN_C, names=places))
    assert lines[:6] == [
        "kept_2[0] = a + b;",
        "kept_2[1] = kept_2[0]*c;",
        "speed = kept_2[1] - kept_2[0];",
        "NSD_IN_MEMORY(kept_2);",
        "if (kept_2[1] > speed) {",
        "    kept_2[2] = kept_2[0]*kept_2[0];",
    ]
    assert sum("NSD_IN_MEMORY" in line for line in lines) == 4  # within the arms as well
    short = KernelBody(BODY.statements[:2], ("x0", "x1"), 2)
    assert in_blocks(short, set()) == (short, "", {})


def emitted(length: int) -> str:
    x = sp.symbols("x0:3", real=True)
    terms = [sp.sin(k * x[k % 3] + x[0]) for k in range(2, length)]
    sums = [sum(a * b for a, b in zip(terms, terms[j:], strict=False)) for j in (1, 2, 3)]
    kernel = make_kernel(
        "many",
        KernelRole.OPERATOR,
        0,
        [Input("x", Role.OPERAND, x)],
        [make_output("many", Quantity.OPERATOR, sp.Matrix(sums))],
    )
    return emit_module(KernelModule("m", (KernelClass("c", ClassKind.SYSTEM, 0, (kernel,)),))).text


@pytest.mark.slow
def test_only_very_long_kernels_are_in_blocks():
    assert "kept[" not in emitted(200)
    long = emitted(500)
    assert "    double kept[" in long
    assert "    NSD_IN_MEMORY(kept);\n" in long


@pytest.mark.usefixtures("nothing_remembered")
@pytest.mark.parametrize("name", ["cam_follower", pytest.param("diode_bridge", marks=pytest.mark.slow)])
def test_runs_are_those_of_kernels_in_one_piece(compiled, example, monkeypatch, name):
    whole = compiled(name)  # of the session, so before anything is set otherwise
    assert "NSD_IN_MEMORY(kept);" not in whole.text
    monkeypatch.setattr("nsdgen.emit.module._LONG", 0)
    monkeypatch.setattr("nsdgen.emit.module._VERY_LONG", 0)
    monkeypatch.setattr("nsdgen.emit.blocks._BLOCK", 2)
    end = whole.record.start + 300 * whole.record.step
    expected = whole.run(end=end, generic=True).table
    for interpret in (False, True):
        model = copy.copy(example(name).model).compile(interpret=interpret)
        assert "NSD_IN_MEMORY(kept);" in model.text
        assert np.array_equal(model.run(end=end, generic=True).table, expected)


@pytest.mark.usefixtures("nothing_remembered")
def test_a_kernel_that_computes_nothing_is_no_statement_in_c(monkeypatch):
    """dg/dx of a reaction that is constant; ``pass`` stood there, which neither compilers nor the interpreter take."""
    monkeypatch.setattr("nsdgen.emit.module._LONG", -1)
    x, [lam] = dynamicsymbols("x"), nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("system", [x], [-x])
    relation = nsd.FirstOrderRelation("relation", [lam], [x], {system: [lam]}, nsd.Complementarity())
    model = nsd.Model("constant", [system], [relation], scheme=nsd.ThetaGamma(), step=0.1, end=0.1, initial={x: 1})
    run = model.compile(interpret=True).run(generic=True)
    assert run["system.x"][-1] == pytest.approx(0.95 / 1.05)  # theta = 1/2
