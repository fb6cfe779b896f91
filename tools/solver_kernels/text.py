"""The text of the functions inside the compiled solvers: one ``.pxd`` of inline functions per group.

The files are committed in ``nsdgen/solvers/generated/``, so that building nsdgen never runs
nsdgen; ``make generated`` writes them again, and a test compares.
"""

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import sympy as sp

from nsdgen.derive.kernel import Input, Kernel, Output
from nsdgen.emit.identifiers import identifiers
from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.templates import environment
from nsdgen.emit.text import render
from nsdgen.emit.tree import (
    ArrayEntry,
    Assign,
    If,
    Integer,
    KernelBody,
    Name,
    Statement,
    blocks,
    expressions,
    flat,
    read_names,
)
from nsdgen.errors import EmissionError
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from tools.solver_kernels.statements import solver_kernels

_HERE = Path(__file__).resolve()
FOLDER = _HERE.parents[2] / "nsdgen" / "solvers" / "generated"

_TEMPLATE = _HERE.with_name("solver_kernels.pxd.j2")
_TITLES = {
    "alart_curnier": "The Alart-Curnier function of one contact and its derivatives, branch by branch.",
    "slip_equations": "Directions in which a 3-D contact slides: the equation, its quartic, its derivative.",
}
_WIDTH = 96  # characters: four less than text.WIDTH, for the indent


def emit_solver_kernels() -> dict[str, str]:
    """File name -> text. The same bytes for every hash seed and supported version of SymPy."""
    template = environment().from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return {
        f"{group}.pxd": template.render(title=_TITLES[group], kernels=[_function(kernel) for kernel in kernels])
        for group, kernels in solver_kernels().items()
    }


def _function(kernel: Kernel) -> dict[str, Any]:
    """What the template needs of one function."""
    names = _names(kernel)
    reserved = frozenset([array.name for array in kernel.inputs] + [out.name for out in kernel.outputs])
    body = store_in_arms(lower(_places(kernel.outputs), names, reserved=reserved))
    free_symbols = FreeSymbols()
    used = {s for out in kernel.outputs for _, _, e in out.entries for s in free_symbols(e)}
    return {
        "name": kernel.name,
        "formula": textwrap.wrap(kernel.formula, _WIDTH),
        "operations": body.operations,
        "inputs": [_input(array) for array in kernel.inputs],
        "outputs": [_output(array) for array in kernel.outputs],
        "loads": [
            f"cdef double {names[s]} = {array.name}[{i}]"
            for array in kernel.inputs
            if len(array.symbols) > 1
            for i, s in enumerate(array.symbols)
            if s in used
        ],
        "declarations": [
            f"cdef double {line.rstrip(',')}" for line in textwrap.wrap(", ".join(body.temporaries), _WIDTH)
        ],
        "body": render(body, 1),
    }


def _names(kernel: Kernel) -> dict[sp.Symbol, str]:
    """How each symbol is called: an array of one symbol is a plain number, called as the array."""
    names = identifiers(kernel.inputs)
    names.update({array.symbols[0]: array.name for array in kernel.inputs if len(array.symbols) == 1})
    arrays = [array.name for array in kernel.inputs if len(array.symbols) > 1] + [out.name for out in kernel.outputs]
    twice = [name for name, times in Counter([*arrays, *names.values()]).items() if times > 1]
    if twice:
        raise EmissionError(f"{twice[0]} names two things", where=f"function {kernel.name}", fix="rename one of them")
    return names


def _places(outputs: Sequence[Output]) -> list[StoredValue]:
    """Every entry of every output, structural zeros too."""
    places = []
    for out in outputs:
        entries: Mapping[tuple[int, int], sp.Expr] = {(i, j): e for i, j, e in out.entries}
        for i in range(out.rows):
            for j in range(out.cols):
                places.append(
                    StoredValue(ArrayEntry(out.name, (Integer(i * out.cols + j),)), entries.get((i, j), sp.S.Zero))
                )
    return places


def _input(array: Input) -> dict[str, str]:
    if len(array.symbols) == 1:
        return {"comment": array.name, "declaration": f"double {array.name}"}
    return {"comment": f"{array.name}[{len(array.symbols)}]", "declaration": f"const double* {array.name}"}


def _output(array: Output) -> dict[str, str]:
    shape = f"{array.rows}x{array.cols}" if array.cols > 1 else str(array.rows)
    return {"comment": f"{array.name}[{shape}]", "declaration": f"double* {array.name}"}


# -- results of branches go where they belong ---------------------------------------------------


def store_in_arms(body: KernelBody) -> KernelBody:
    """The same body, where arms assign to an output directly what is stored there and used nowhere else.

    Outputs are never read, so it does not matter when they are written.
    """
    statements = body.statements
    while targets := _targets(statements):
        statements = _moved(statements, targets)
    left = {s.target.text for s in flat(statements) if isinstance(s, Assign) and isinstance(s.target, Name)}
    return replace(body, statements=statements, temporaries=tuple(n for n in body.temporaries if n in left))


def _targets(statements: Sequence[Statement]) -> dict[Name, ArrayEntry]:
    """Temporaries that arms assign and that do nothing but go to one output, and this output."""
    found = list(flat(statements))
    assigned = {s.target for outer in found for block in blocks(outer) for s in block if isinstance(s, Assign)}
    uses = Counter(name for s in found for name in read_names(*expressions(s)))
    places: dict[Name, list[ArrayEntry]] = {}
    for s in found:
        if isinstance(s, Assign) and isinstance(s.target, ArrayEntry) and isinstance(s.value, Name):
            places.setdefault(s.value, []).append(s.target)
    return {
        name: where[0]
        for name, where in places.items()
        if name in assigned and len(set(where)) == 1 and uses[name.text] == len(where)
    }


def _moved(statements: Sequence[Statement], targets: Mapping[Name, ArrayEntry]) -> tuple[Statement, ...]:
    moved: list[Statement] = []
    for s in statements:
        if isinstance(s, If):
            moved.append(
                replace(s, arms=tuple(replace(arm, statements=_moved(arm.statements, targets)) for arm in s.arms))
            )
        elif isinstance(s, Assign) and isinstance(s.target, Name):
            moved.append(replace(s, target=targets.get(s.target, s.target)))
        elif not (isinstance(s, Assign) and s.value in targets):
            moved.append(s)
    return tuple(moved)


if __name__ == "__main__":
    for file, text in emit_solver_kernels().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
