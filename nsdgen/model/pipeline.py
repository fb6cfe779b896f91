"""The stages of nsdgen in order; the one module that may import all of them.

============  ==========================================  =================================
stage         input                                       output
============  ==========================================  =================================
symbolic      systems, relations, laws, parameters        ``ModelDescription``
schemes       a class of the description                  ``DiscreteSystem``, ``DiscreteRelation``
derive        description and schemes                     ``KernelModule``, ``ModelRecord``
emit          kernel records                              ``ModuleText`` (Cython)
build         text                                        extension module in the cache, or
                                                          (``interpret``) programs of the machine
runtime       extension module, record, values            ``Recording``
study         recording                                   ``Trajectory``, plots, files
============  ==========================================  =================================
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nsdgen.base.collecting import seldom_collecting
from nsdgen.build.beside import Builder
from nsdgen.build.flags import BuildOptions
from nsdgen.build.kernel_source import KernelSource
from nsdgen.build.kernels import make_kernels
from nsdgen.build.loader import load_module
from nsdgen.errors import of_model
from nsdgen.record.model_record import ModelRecord

if TYPE_CHECKING:
    from nsdgen.derive.derive import Derivation, RunDefaults
    from nsdgen.schemes.scheme import Scheme
    from nsdgen.study.compiled_model import CompiledModel
    from nsdgen.symbolic.description.model_description import ModelDescription


@dataclass(frozen=True)
class Timings:
    """Seconds each stage took, in order."""

    seconds: dict[str, float] = field(default_factory=dict)

    def measure(self, stage: str, work: Callable[[], Any]) -> Any:
        """The result of ``work``, its time noted under ``stage``."""
        began = time.perf_counter()
        result = work()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - began
        return result


@dataclass(frozen=True)
class Emitted:
    """A model as text and record, ready to be compiled anywhere."""

    text: str
    record: ModelRecord


class Described(Protocol):
    """What the pipeline needs of a model: the description and, besides, what is no part of its mathematics."""

    name: str

    @property
    def description(self) -> ModelDescription:
        """The model over fresh symbols."""

    @property
    def schemes(self) -> Sequence[Scheme]:
        """One scheme for each system, in order."""

    @property
    def defaults(self) -> RunDefaults:
        """What a run uses unless told otherwise."""


def derive_model(model: Described, timings: Timings | None = None) -> Derivation:
    """symbolic, schemes and derive: the :class:`~nsdgen.derive.derive.Derivation` of a model."""
    from nsdgen.derive.derive import derive

    clock = timings or Timings()
    with of_model(model.name), seldom_collecting():
        description = clock.measure("describe", lambda: model.description)
        derivation: Derivation = clock.measure("derive", lambda: derive(description, model.schemes, model.defaults))
    return derivation


def emit_model(model: Described, timings: Timings | None = None, *, derivation: Derivation | None = None) -> Emitted:
    """Everything up to the text of the kernels and the record that goes with it; derived here unless it was before."""
    from nsdgen.emit.module import emit_module

    clock = timings or Timings()
    derivation = derivation or derive_model(model, clock)
    with of_model(model.name), seldom_collecting():
        emitted = clock.measure("emit", lambda: emit_module(derivation.module, derivation.units, derivation.record))
    return Emitted(emitted.text, dataclasses.replace(derivation.record, kernel_hash=emitted.hash))


def build_model(
    emitted: Emitted,
    timings: Timings | None = None,
    *,
    native: bool = False,
    interpret: bool | None = None,
    beside: Builder | None = None,
) -> tuple[CompiledModel, Path | None]:
    """Compile (or find in the cache) and load; the compiled model and its shared object.

    ``interpret`` and ``beside`` as for :func:`~nsdgen.build.kernels.make_kernels`: interpreted kernels have no
    shared object.
    """
    from nsdgen.study.compiled_model import CompiledModel

    clock = timings or Timings()
    source = KernelSource(emitted.record.name, "_kernels", emitted.text)
    options = BuildOptions(native=native)
    with seldom_collecting():  # interpreted kernels are read from their text
        kernels = clock.measure(
            "build", lambda: make_kernels(source, interpret=interpret, beside=beside, options=options)
        )
    compiled = clock.measure(
        "load", lambda: CompiledModel(emitted.record, kernels.module, emitted.text, kernels.underway)
    )
    return compiled, kernels.shared_object


def operator_kernels(description: ModelDescription, wanted: Callable[[Any], Sequence[Any]]) -> Any:
    """The operators that are ``wanted`` of every class of a description, as interpreted kernels, without a scheme."""
    from nsdgen.derive.operators import operator_module
    from nsdgen.emit.module import emit_module

    text = emit_module(operator_module(description, wanted)).text
    return make_kernels(KernelSource(description.name, "_kernels", text), interpret=True).module


def open_cached(record_text: str, path: Path) -> CompiledModel:
    """A compiled model from what the manifest cache remembers: no SymPy, no compiler."""
    from nsdgen.study.compiled_model import CompiledModel

    return CompiledModel(ModelRecord.from_json(record_text), load_module(path))
