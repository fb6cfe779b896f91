"""Kernels evaluated by two tables of one text, and by a program made of single lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from nsdgen.interpret._machine import ARITIES, OPERATIONS, capsule
from nsdgen.runtime._binding import KernelTable

from nsdgen import abi
from nsdgen.emit.table_text import ModuleTable
from nsdgen.interpret.assembler import assemble
from nsdgen.interpret.interpreted_module import InterpretedModule
from nsdgen.interpret.statements import statements


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether all values are equal to the bit; one not-a-number is like another."""
    return bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))


def evaluate(table: KernelTable, kernel: object, inputs: Sequence[np.ndarray], n: int) -> list[np.ndarray]:
    """The outputs of a kernel at n points."""
    outputs = [np.full(n * max(out.nnz, 1), 7.0) for out in kernel.outputs]
    table.call_many(
        kernel, n, list(inputs), [a.size for a in kernel.inputs], outputs, [out.nnz for out in kernel.outputs]
    )
    return outputs


@pytest.fixture(scope="session")
def differing() -> Callable[..., list[str]]:
    """``differing(compiled, interpreted)``: names of kernels that differ."""
    return kernels_that_differ


def kernels_that_differ(one: KernelTable, other: KernelTable, points: int = 20, seed: int = 14) -> list[str]:
    """The kernels that do not give the same bits at random points, small, near one and large."""
    assert one.classes == other.classes and (one.name, one.hash) == (other.name, other.hash)
    rng, found = np.random.default_rng(seed), []
    for cls in one.classes:
        for kernel in cls.kernels:
            for scale in (1e-3, 1.0, 50.0):
                inputs = [scale * rng.normal(size=points * max(a.size, 1)) for a in kernel.inputs]
                values = zip(*(evaluate(table, kernel, inputs, points) for table in (one, other)), strict=True)
                if not all(same_bits(a, b) for a, b in values):
                    found.append(f"{cls.name}: {kernel.name}")
                    break
    return found


def program_of(
    lines: Sequence[str], inputs: Sequence[int], outputs: Sequence[int], *, in_c: bool = False
) -> KernelTable:
    """A table of one kernel with this body and arrays of these sizes."""
    table = ModuleTable(
        (abi.MAJOR, abi.MINOR),
        b"m",
        b"h",
        (),
        tuple((b"a%d" % i, 11, n) for i, n in enumerate(inputs)),
        tuple((b"y%d" % i, 0, n, 1, n) for i, n in enumerate(outputs)),
        ((b"k", 0, -1, len(inputs), len(outputs), 0, 0),),
        ((b"c", 0, 1, 0),),
    )
    body = statements([f"    {line}" for line in lines], 1, in_c=in_c)
    return KernelTable(InterpretedModule(capsule(table, [assemble(body, table.sizes(0), OPERATIONS, ARITIES)])))


@pytest.fixture(scope="session")
def values_of() -> Callable[..., np.ndarray]:
    """``values_of(lines, [inputs], size)``: the output of a body of lines."""

    def values(
        lines: Sequence[str], inputs: Sequence[Sequence[float]], size: int = 1, *, in_c: bool = False
    ) -> np.ndarray:
        table = program_of(lines, [len(a) for a in inputs], [size], in_c=in_c)
        return evaluate(table, table.classes[0].kernels[0], [np.array(a, dtype=float) for a in inputs], 1)[0]

    return values


@pytest.fixture(scope="session")
def small_table() -> Callable[[], KernelTable]:
    """``small_table()``: another table of one interpreted kernel."""
    return lambda: program_of(["out[0][0] = in_[0][0]"], [1], [1])
