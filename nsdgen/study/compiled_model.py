"""Compiled models: run them, read their operators. No SymPy anywhere below this line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsdgen.base.checks import shown
from nsdgen.base.html_table import table
from nsdgen.base.suggest import named_arguments, named_arguments_beside
from nsdgen.base.version import VERSION
from nsdgen.errors import CompileError, CompilerMissing, ModelError, ModuleMismatch, NsdgenError, StepError
from nsdgen.record.columns import Columns, listed
from nsdgen.record.model_record import ModelRecord
from nsdgen.runtime.simulation import prepare, simulate, taken
from nsdgen.runtime.values import run_values
from nsdgen.study.operators_by_name import OperatorsByName
from nsdgen.study.progress import NoProgress, progress_bar
from nsdgen.study.run_ensemble import ensemble
from nsdgen.study.trajectory import Trajectory

if TYPE_CHECKING:
    from nsdgen.build.beside import Builder, Underway


class CompiledModel:
    """A model as compiled code: ``run``, and one operator group per system and relation.

    ``compiled.<instance>.<operator>(...)`` evaluates a derived quantity (``compiled["corner 1"]``
    where the name is no identifier). ``record`` holds names, defaults and the graph; ``capsule``
    the table of kernels for callers from C (``include/nsdgen_abi.h``); ``interpreted`` says that kernels run in the
    register machine. ``underway`` is the build of kernels that are interpreted meanwhile: a run goes on with them
    as soon as they are there.
    """

    def __init__(self, record: ModelRecord, extension: Any, text: str = "", underway: Underway | None = None) -> None:
        self.record = record
        self.text = text
        self.underway = underway
        self.drawing: Any = None  # what runs look like, where somebody knows
        self._hold(extension)
        if self.table.hash != record.kernel_hash:
            raise ModuleMismatch(
                f"the kernels have hash {self.table.hash}, the record expects {record.kernel_hash}",
                model=record.name,
                fix="compile the model again",
            )
        self._steps = 0  # of ensembles so far: parts of a sweep count together
        self._groups = OperatorsByName(self)

    def _hold(self, extension: Any) -> None:
        """Take the kernels of a module; new steppers are bound to them."""
        from nsdgen.runtime._binding import KernelTable

        self.table = KernelTable(extension)
        self.capsule = extension.__nsdgen__
        self.interpreted = getattr(extension, "interpreted", False)
        self._steppers: list[Any] = []  # that runs have left, for the next ones

    def _caught_up(self) -> bool:
        """Whether the compiled kernels are there: they take over from interpreted ones, in runs at work as well."""
        underway = self.underway
        if underway is not None and (extension := underway.arrived()) is not None:
            self.table.owner.take_over(extension)
            self._hold(extension)
            self.underway = None
        return self.underway is None

    def finish(self) -> None:
        """Wait for kernels that are underway, if any are, and take them.

        Where there will be none, says why as :func:`nsdgen.build.kernels.make_kernels` does; interpreted ones stay.
        """
        if (underway := self.underway) is not None and not self._caught_up():
            underway.finish()
            if not self._caught_up():
                self.underway = None

    def say_failure(self) -> None:
        """Warn where kernels were underway and will not come: runs go on with interpreted ones."""
        from nsdgen.build.failure import say_interpreted

        if (underway := self.underway) is not None and underway.ended and not self._caught_up():
            try:
                self.finish()
            except CompileError as refused:
                self.underway = None
                say_interpreted(refused)

    @property
    def name(self) -> str:
        """The name of the model, as its record has it."""
        return self.record.name

    @property
    def fused(self) -> bool:
        """Whether the model has a function of its own that makes its steps."""
        fused: bool = self.table.has_steps
        return fused

    @property
    def parameters(self) -> dict[str, float]:
        """Default parameter values by name."""
        return {p.name: p.value for p in self.record.parameters}

    @named_arguments_beside("nsd.Model", "scheme", "near", "allow_penetration")
    def run(
        self,
        *,
        end: float | None = None,
        step: float | None = None,
        start: float | None = None,
        parameters: Mapping[Any, float] | None = None,
        initial: Mapping[str, Any] | None = None,
        options: Mapping[str, float] | None = None,
        progress: bool | NoProgress = False,
        every: int = 1,
        record: Sequence[str] | None = None,
        restart: Any = None,
        generic: bool = False,
        computed: Mapping[str, Any] | None = None,
    ) -> Trajectory:
        """Run and return the trajectory; all arguments override the model's defaults.

        ``options`` are those of the scheme (theta, gamma, ...). ``every`` keeps each so many-th step and
        the last; ``record`` lists what is kept of a step: names of instances, quantities or columns,
        in which ``*`` stands for any text (``["bead 3", "z", "touch *.impulse"]``). ``restart=(trajectory, row)`` goes
        on from a recorded row, ``restart=trajectory`` from the last one: time, state, memory and multipliers are those
        of the row, parameters and options those of this run. ``generic`` makes all steps with the general stepper,
        also where the model has a function of its own: the numbers are the same. ``computed`` gives the functions of
        blocks that Python computes (``computed_by`` of :class:`nsd.Sampled`) by block. Raises ``ParameterError`` for
        unusable values and a ``StepError`` with ``.trajectory`` where a step fails; an
        interrupt (``KeyboardInterrupt``) carries one, too.
        """
        compiled, row, clocks = self._caught_up(), None, None
        if restart is not None:
            from nsdgen.study.restart import restart_row

            others, h = {"start": start, "initial": initial}, self.record.step if step is None else step
            start, row, clocks = restart_row(self.record, self.table, restart, others, h)
        values = run_values(
            self.record,
            self.table,
            parameters=parameters,
            initial=initial,
            options=options,
            step=step,
            end=end,
            start=start,
            row=row,
            clocks=clocks,
        )
        bar = progress
        if not isinstance(bar, NoProgress):
            bar = progress_bar(bar, values.end - values.start, self.name)
        try:
            recording = simulate(
                self.record,
                self.table,
                values,
                lambda done, total, now: bar.update(now - values.start),
                every=every,
                columns=record,
                generic=generic,
                left=self._steppers,
                computed=computed or {},
                compiled=None if compiled else self._caught_up,
            )
        except (StepError, KeyboardInterrupt) as error:
            if (reached := getattr(error, "recording", None)) is not None:
                error.trajectory = self._trajectory(values, reached, every)  # type: ignore[union-attr]
            raise
        finally:
            bar.close()
        return self._trajectory(values, recording, every)

    def _trajectory(self, values: Any, recording: Any, every: int) -> Trajectory:
        kept = recording.columns
        told: Any = partial(_attributes, self.record, values, recording.moved, every)  # when somebody asks
        columns = kept if type(kept) is Columns else _some_columns(kept)
        return Trajectory(self.record.name, recording.time, recording.table, columns, told, self)

    @named_arguments
    def at_start(
        self,
        *,
        start: float | None = None,
        step: float | None = None,
        parameters: Mapping[Any, float] | None = None,
        initial: Mapping[str, Any] | None = None,
        options: Mapping[str, float] | None = None,
    ) -> dict[str, float]:
        """What a run with these values records at t_0, by column; no step is made. Raises as :meth:`run`."""
        values = run_values(
            self.record,
            self.table,
            parameters=parameters,
            initial=initial,
            options=options,
            step=step,
            start=start,
            end=None if start is None else start + self.record.end - self.record.start,
        )
        compiled = self._caught_up()
        stepper = prepare(self.record, self.table, values, taken(self._steppers))
        if stepper.reusable and compiled:  # one of interpreted kernels is not kept
            self._steppers.append(stepper)
        return {c.name: float(v) for c, v in zip(stepper.layout.columns, stepper.current(), strict=True)}

    ensemble = ensemble

    @cached_property
    def _in_lanes(self) -> Any:
        """The kernels compiled for this processor, several members of an ensemble at once; the ordinary ones where
        there is no compiler, or the model has no such function for its steps."""
        from nsdgen.build.compile import compile_source
        from nsdgen.build.flags import BuildOptions
        from nsdgen.build.kernel_source import KernelSource
        from nsdgen.build.loader import load_module
        from nsdgen.runtime._binding import KernelTable

        if not (self.fused and "NSDGEN_LANES" in self.text):
            return self.table
        try:
            path = compile_source(
                KernelSource(self.name, "_kernels", self.text), options=BuildOptions(native=True, lanes=True)
            )
        except (CompilerMissing, CompileError):  # as on a compiler without vectors: the numbers are the same
            return self.table
        return KernelTable(load_module(path))

    def __getitem__(self, name: str) -> Any:
        if name not in self._groups:
            raise NsdgenError(
                f"no system or relation is called {name!r}",
                model=self.name,
                fix=f"it has {listed(map(repr, self._groups))}",
            )
        return self._groups[name]

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy elsewhere: text and record, compiled there or found in the cache by the text's key."""
        if not self.text:
            raise NsdgenError(
                "a model opened without its text cannot be copied to another process",
                model=self.name,
                fix="compile the model in this process: model.compile()",
            )
        interpret = (self.interpreted and self.underway is None) or None
        return reopened, (self.text, self.record.to_json(), interpret)

    def __getattr__(self, key: str) -> Any:
        from nsdgen.base.names import mangle

        groups = self.__dict__.get("_groups", {})
        name = key if key in groups else next((n for n in groups if mangle(n) == key), None)
        if name is not None:
            return groups[name]
        raise AttributeError(
            f"{self.__dict__.get('record') and self.record.name!r} has no {key!r}; it has {listed(groups)}"
        )

    def __dir__(self) -> list[str]:
        from nsdgen.base.names import mangle

        return [*super().__dir__(), *(mangle(n) for n in self._groups)]

    def _repr_html_(self) -> str:
        values = [(p.name, f"{p.value:.9g}", p.unit) for p in self.record.parameters]
        return f"<div>{escape(repr(self).strip('<>'))}{table(values)}</div>"

    def __repr__(self) -> str:
        return f"<compiled model {self.name!r}: {listed(self._groups)}>"


def compiled_of(model: Any) -> CompiledModel:
    """A model, compiled if need be, or a package of one; raises ``ModelError`` for anything else."""
    compiled = model.compile() if hasattr(model, "compile") else model
    if not hasattr(compiled, "record"):
        raise ModelError(
            f"{shown(model)} is no model", where="model", fix="give a nsd.Model, what its compile() gives, or a package"
        )
    return compiled  # type: ignore[no-any-return]


def open_package(folder: Path | str, *, interpret: bool | None = None) -> CompiledModel:
    """The model of a package folder written by ``nsdgen compile``; builds its kernels if need be.

    ``interpret`` as for :meth:`Model.compile`. Raises ``NotTrusted`` where others may write in it, ``ModuleMismatch``
    where it cannot be used.
    """
    from nsdgen.base.pieces import whole
    from nsdgen.build.kernel_source import KernelSource
    from nsdgen.build.kernels import make_kernels
    from nsdgen.build.loader import load_module
    from nsdgen.build.ownership import check_place
    from nsdgen.build.toolchain import extension_suffix

    root = Path(folder)
    built = root / f"_kernels{extension_suffix()}"
    parts = root / "model.json", root / "_kernels.pyx"
    check_place(
        root,
        (*parts, built, *root.glob("*.pxi"), *root.glob("*.h")),
        what=f"the package {root}",
        fix="copy it into a folder that only you may write, or take the others' rights: chmod go-w",
    )
    try:
        record_text, kernels = (part.read_text(encoding="utf-8") for part in parts)
        text = whole(kernels, lambda name: (root / name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ModuleMismatch(
            f"the package {str(root)!r} cannot be read: {error}", fix="write it again with nsdgen compile -o DIR"
        ) from error
    record = ModelRecord.from_json(record_text)
    if built.exists() and not interpret:
        return CompiledModel(record, load_module(built), text)
    source = KernelSource(record.name, "_kernels", text)
    return CompiledModel(record, make_kernels(source, interpret=interpret).module, text)


def reopened(
    text: str, record_text: str, interpret: bool | None = None, *, beside: Builder | None = None
) -> CompiledModel:
    """The model of a text and its record: what a pickled one holds; its kernels are found in the cache, or built.

    ``beside`` as for :func:`nsdgen.build.kernels.make_kernels`.
    """
    from nsdgen.build.kernel_source import KernelSource
    from nsdgen.build.kernels import make_kernels

    record = ModelRecord.from_json(record_text)
    source = KernelSource(record.name, "_kernels", text)
    kernels = make_kernels(source, interpret=interpret, beside=beside)
    return CompiledModel(record, kernels.module, text, kernels.underway)


_some_columns = lru_cache(maxsize=32)(Columns)
"""Those that a run was told to keep: runs that follow each other keep the same, as a rule."""


def _attributes(
    record: ModelRecord, values: Any, moved: Mapping[str, tuple[float, float]], every: int
) -> dict[str, Any]:
    """How a run was made."""
    from nsdgen.record.step_record import cut_names

    options = [
        {"scheme": s.name, **{o.name: v for o, v in zip(s.options, row, strict=True)}}
        for s, row in zip(record.schemes, values.options, strict=True)
    ]
    attributes = {
        "nsdgen": VERSION,
        "scheme": options,
        "step": values.step,
        "start": values.start,
        "end": values.end,
        "parameters": values.parameters,
        "kernel_hash": record.kernel_hash,
    }
    if cuts := cut_names(record):
        attributes["cuts"] = cuts
    if values.clocks is not None:
        attributes["clocks"] = values.clocks[0]
    if every > 1:
        attributes["every"] = int(every)
    if record.starts_consistently:
        attributes["consistent_initial"] = {name: list(pair) for name, pair in moved.items()}
    return attributes
