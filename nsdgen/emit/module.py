"""Kernel records to the text of a Cython module.

Input: :class:`~nsdgen.derive.kernel.KernelModule`. Output: :class:`ModuleText`. The same
records give the same bytes: no dates, no tool versions, no iteration over sets. Nothing a
user typed reaches the text unless it went through :mod:`nsdgen.base.names`.
"""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import sympy as sp

from nsdgen import abi
from nsdgen.abi import KernelRole
from nsdgen.base.memory import Memory
from nsdgen.base.names import c_string, comment, mangle
from nsdgen.base.pieces import header
from nsdgen.base.version import VERSION
from nsdgen.derive.kernel import Kernel, KernelClass, KernelModule, Output, facts
from nsdgen.emit.array_calls import with_calls
from nsdgen.emit.blocks import in_blocks
from nsdgen.emit.identifiers import identifiers
from nsdgen.emit.lane_text import lanes_context
from nsdgen.emit.loops import roll
from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.steps import steps_context
from nsdgen.emit.table import make_table, wrapped
from nsdgen.emit.templates import environment, template_source
from nsdgen.emit.text import CYTHON, C, render
from nsdgen.emit.translate import HELPERS, Translator
from nsdgen.emit.tree import ArrayEntry, Call, Do, Integer, KernelBody, calls
from nsdgen.errors import EmissionError
from nsdgen.record.fused_record import graph_digest
from nsdgen.record.model_record import ModelRecord
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols

_TEMPLATE = "module.pyx.j2"
_STEPS = "steps.pyx.j2"
_LANES = "lanes.c.j2"
_PARTS = ("stage", "test")  # each written twice: branches where it is one run, masks where it is lanes
_OF_BOTH = ("own_matrix.j2", "one_step_matrix.j2")
_SPELLING = {"end": "", "lanes": "", "zero": "0"}  # of what is of both
_SPELLING_IN_LANES = {"end": ";", "lanes": "lanes_", "zero": "(nsd_mask){0}"}
_TEMPLATES = (
    *(_TEMPLATE, _STEPS, *(f"{part}.pyx.j2" for part in _PARTS)),
    *(_LANES, *(f"{part}_lanes.c.j2" for part in _PARTS), *_OF_BOTH),
)
_HEADERS = {"box": "boxed", "newton": "newton", "graph": "graph"}  # headers of steps that need more than all do
_PLACE_OF_HASH = "0123456789abcdef"
_LONG = 150  # statements, loads included: Cython takes 1 ms for each, so longer kernels are written in C
_VERY_LONG = 3000  # operations: from here on blocks make a kernel run faster as well, below slower
_INLINE = 60  # operations: where a call costs as much as what it does
_BODY = 1  # kernels are functions at the top level: their bodies are one level deep
_UNITS = 88  # characters: with indent and comment mark a line stays within text.WIDTH
_OF_BOUNDS = (KernelRole.BOUNDS, KernelRole.OPERATOR)  # whose values may be infinite
_CODE: Memory[dict[str, Any]] = Memory(1024)  # kernels of about twenty models: one that differs a little shares most
_DECLARED = 90  # characters: with its indent a line stays within text.WIDTH


@dataclass(frozen=True)
class ModuleText:
    """An emitted module: its text and the hash of its content (the text with the hash's place held open).

    Where the module makes steps, what these take from the record follows (:mod:`nsdgen.record.fused_record`).
    """

    text: str
    hash: str


def emit_module(
    module: KernelModule, units: Mapping[sp.Symbol, str] | None = None, record: ModelRecord | None = None
) -> ModuleText:
    """The Cython text of a module; ``units`` maps symbols of kernels to unit labels.

    With its ``record`` a small model gets a function that makes its steps (:mod:`nsdgen.emit.steps`).

    Raises ``EmissionError`` naming kernel and entry where an expression has no code.
    """
    template = environment().get_template(_TEMPLATE)
    free_symbols = FreeSymbols()
    classes: list[dict[str, Any]] = []
    kernels: list[dict[str, Any]] = []
    for number, cls in enumerate(module.classes):
        prefix = f"{mangle(cls.name)}_{cls.kind.name.lower()}{number}"
        entries = [_kernel(module.name, cls, prefix, k, units or {}, free_symbols) for k in cls.kernels]
        classes.append({"kernels": entries, "comment": comment(cls.name), "word": cls.kind.name.lower()})
        kernels += entries
    numbered = {(c, k): entry for c, cls in enumerate(classes) for k, entry in enumerate(cls["kernels"])}
    steps = None if record is None else steps_context(module, record, numbered)
    lanes = None if steps is None else lanes_context(steps, kernels)
    for entry in kernels:
        entry["inline"] = steps is not None and entry["function"] in steps["used"] and entry["operations"] <= _INLINE
    text = template.render(
        model=comment(module.name),
        model_string=c_string(module.name),
        hash=_PLACE_OF_HASH,
        template_hash=_template_hash(),
        abi=abi,
        version=VERSION,
        header=header("nsdgen_abi.h"),
        mathematics=_mathematics(kernels),
        kernels_in_blocks=any(k["blocks"] for k in kernels),
        early_mathematics=any(k["long"] for k in kernels),  # what is written in C needs it before
        classes=classes,
        count=len(kernels),
        table=make_table(module),
        functions=wrapped([k["function"] for k in kernels], _DECLARED),
        **_steps(module.name, steps),
        **_lanes(module.name, steps, lanes),
    )
    content_hash = _digest(text)
    if steps is not None and record is not None:
        content_hash += f"-{graph_digest(record)}"
    return ModuleText(text.replace(_PLACE_OF_HASH, content_hash), content_hash)


@cache
def _template_hash() -> str:
    return _digest("".join(map(template_source, _TEMPLATES)))


def _steps(model: str, context: dict[str, Any] | None) -> dict[str, Any]:
    """The function that makes the steps, its name, the rows of its one-step problem and the headers it needs."""
    if context is None:
        return {"steps": ""}
    function = f"{mangle(model)}_steps"
    text = environment().get_template(_STEPS).render(model=comment(model), function=function, **_SPELLING, **context)
    headers = ["nsdgen_step.h", *(f"nsdgen_{kind}.h" for kind, has in _HEADERS.items() if context[has])]
    return {
        "steps": text.rstrip(),
        "steps_function": function,
        "rows": context["rows"],
        **{has: context[has] for has in _HEADERS.values()},
        "step_header": "\n\n".join(map(header, headers)),
    }


def _lanes(model: str, steps: dict[str, Any] | None, context: dict[str, Any] | None) -> dict[str, Any]:
    """The same for several members at once, and the headers that this needs."""
    if steps is None or context is None:
        return {"lanes": ""}
    function = f"{mangle(model)}_lanes"
    given = {"model": comment(model), "function": function, **_SPELLING_IN_LANES, **steps, **context}
    text = environment().get_template(_LANES).render(given)
    kinds = [f"nsdgen_{kind}_lanes.h" for kind, has in _HEADERS.items() if steps[has]]
    headers = ["nsdgen_lanes.h", "nsdgen_row_lanes.h", *kinds]
    return {"lanes": text.rstrip(), "lanes_function": function, "lanes_header": "\n\n".join(map(header, headers))}


def _mathematics(kernels: Sequence[dict[str, Any]]) -> str:
    """The headers whose functions kernels call."""
    called = {name for k in kernels for name in k["calls"] if name.startswith("nsd_")}
    matrix = called - set(HELPERS)
    headers = [name for name, needed in (("nsdgen_math.h", called - matrix), ("nsdgen_matrix.h", matrix)) if needed]
    return "\n\n".join(map(header, headers))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _kernel(
    model: str, cls: KernelClass, prefix: str, kernel: Kernel, units: Mapping[sp.Symbol, str], free_symbols: FreeSymbols
) -> dict[str, Any]:
    """What the template needs of one kernel: strings that are safe where it puts them."""
    names = identifiers(kernel.inputs)
    used = {s for out in kernel.outputs for _, _, e in out.entries for s in free_symbols(e)}
    completions: list[dict[str, Any]] = [
        {"function": out.completed_by.function, "size": out.completed_by.size, "out": i, "count": len(out.entries)}
        for i, out in enumerate(kernel.outputs)
        if out.completed_by is not None
    ]
    ends = [Do(Call(c["function"], (Integer(c["size"]), ArrayEntry("out", (Integer(c["out"]),))))) for c in completions]
    called = with_calls(kernel)
    if called is None:
        read = Translator([e for out in kernel.outputs for _, _, e in out.entries], names)
        code = _CODE(_told_apart(kernel, read), lambda: _written(cls, kernel, names, used, read))
    else:
        code = _in_c(called)
    return {
        "function": f"{prefix}_{mangle(kernel.name)}",
        "title": comment(f"{model} / {cls.name}: {kernel.name}"),
        "formula": comment(kernel.formula) or comment(kernel.name),
        "units": wrapped(
            [
                f"{names[s]} [{comment(units[s])}]"
                for a in kernel.inputs
                for s in a.symbols
                if s in used and units.get(s)
            ],
            _UNITS,
        ),
        "facts": [_fact(out) for out in kernel.outputs],
        "inputs": ", ".join(comment(f"{a.name}[{len(a.symbols)}]") for a in kernel.inputs) or "nothing",
        "names": names,
        "kernel": kernel,
        **code,
        "completions": completions,
        "body": [*code["body"], *(line for end in ends for line in C.lines(end, _BODY))],
        "calls": code["calls"] | calls(ends),
    }


def _told_apart(kernel: Kernel, read: Translator) -> Hashable:
    """All that the code of a kernel depends on: its arrays, whether it may say infinity, what is computed."""
    outputs = [
        (out.name, out.rows, out.cols, out.completed_by is None, tuple((i, j) for i, j, _ in out.entries))
        for out in kernel.outputs
    ]
    return kernel.inputs, tuple(outputs), kernel.role in _OF_BOUNDS, read.content


def _written(
    cls: KernelClass, kernel: Kernel, names: Mapping[sp.Symbol, str], used: set[sp.Symbol], read: Translator
) -> dict[str, Any]:
    """The code of a kernel that calls no function over arrays: as loops where these are shorter."""
    rolled = roll(kernel, names, read)
    return _spelt(cls, kernel, names, used, read) if rolled is None else _in_c(rolled)


def _in_c(body: KernelBody) -> dict[str, Any]:
    """The code of a kernel whose body loads what it needs."""
    return {
        "operations": body.operations,
        "loads": [],
        "declarations": _declarations(body.temporaries, True),
        "lowered": None,
        "body": render(body, _BODY, C),
        "long": True,
        "blocks": False,
        "calls": calls(body.statements),
    }


def _spelt(
    cls: KernelClass, kernel: Kernel, names: Mapping[sp.Symbol, str], used: set[sp.Symbol], read: Translator
) -> dict[str, Any]:
    """The code of a kernel whose operations are written out, one by one."""
    infinite = {sp.oo: "INFINITY", -sp.oo: "-INFINITY"} if kernel.role in _OF_BOUNDS else {}
    completed = any(out.completed_by is not None for out in kernel.outputs)
    try:
        body = lower(_places(kernel.outputs), {**names, **infinite}, reserved=frozenset({"in_", "out"}), like=read)
    except EmissionError as error:
        error.where = f"{cls.kind.name.lower()} {cls.name!r}, {error.where or kernel.name}"
        raise
    long = len(used) + len(body.statements) > _LONG or completed  # what C offers is called from C
    very_long = long and body.operations > _VERY_LONG
    written, array, places = in_blocks(body, set(names.values())) if very_long else (body, "", {})
    language = replace(C, names={**C.names, **places}) if long else CYTHON
    return {
        "operations": body.operations,
        "loads": [
            {
                "group": comment(array.name),
                "entries": [(names[s], i, j) for j, s in enumerate(array.symbols) if s in used],
            }
            for i, array in enumerate(kernel.inputs)
            if used.intersection(array.symbols)
        ],
        "declarations": [*([f"double {array};"] if array else []), *_declarations(written.temporaries, long)],
        "lowered": body,
        "body": render(written, _BODY, language),
        "long": long,
        "blocks": bool(array),
        "calls": calls(body.statements),
    }


def _places(outputs: Sequence[Output]) -> list[StoredValue]:
    return [
        StoredValue(
            ArrayEntry("out", (Integer(i), Integer(k))),
            e,
            f"{out.name} {out.rows}x{out.cols}" if out.cols > 1 else out.name,
            f"{out.name} ({row}, {col})",
        )
        for i, out in enumerate(outputs)
        for k, (row, col, e) in enumerate(out.entries)
    ]


def _fact(out: Output) -> str:
    shape = f"{out.name} {out.rows}x{out.cols}"
    if not out.dense:
        shape += f", {len(out.entries)} nonzeros" if out.entries else ", zero"
    return comment("; ".join([shape, *out.properties(), f"depends: {facts(out.depends)}"]))


def _declarations(temporaries: Sequence[str], in_c: bool) -> list[str]:
    """`cdef double a, b, ...` lines of a readable length, or C's."""
    return [
        f"double {line};" if in_c else f"cdef double {line}"
        for line in wrapped(temporaries, _DECLARED - len("cdef double "))
    ]
