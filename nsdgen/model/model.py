"""The facade a user meets: a model, what is derived from it, and its runs."""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsdgen.base.checks import times_of_run
from nsdgen.base.collecting import seldom_collecting
from nsdgen.base.operator_group import OperatorGroup
from nsdgen.base.suggest import known_attributes, named_arguments
from nsdgen.build.beside import UNATTENDED
from nsdgen.derive.derive import RunDefaults
from nsdgen.errors import ModelError
from nsdgen.model.arguments import by_column, check_schemes, checked_blocks, flat, listed, mapping, members_of, placed
from nsdgen.model.drawing import Drawing
from nsdgen.model.pipeline import Emitted, build_model, derive_model, emit_model, operator_kernels
from nsdgen.schemes.scheme import Scheme
from nsdgen.symbolic.description.describe import describe
from nsdgen.symbolic.description.snapshot import Snapshot
from nsdgen.symbolic.description.starts import asks_for_search
from nsdgen.symbolic.drawing.sketch import Sketch
from nsdgen.symbolic.families.copies import count_of
from nsdgen.symbolic.relations.along import observed_outputs
from nsdgen.symbolic.relations.stop import stops_of

if TYPE_CHECKING:
    from nsdgen.analysis.analysis import Analysis
    from nsdgen.analysis.assembly import Assembly
    from nsdgen.analysis.linearisation import Equilibrium, Linearisation
    from nsdgen.analysis.step_problem import OneStepProblem
    from nsdgen.derive.derive import Derivation
    from nsdgen.derive.derived_operators import SymbolicOperator
    from nsdgen.study.compiled_model import CompiledModel
    from nsdgen.study.ensemble import Ensemble
    from nsdgen.study.trajectory import Trajectory
    from nsdgen.symbolic.description.model_description import ModelDescription


@known_attributes
@named_arguments
class Model:
    """A nonsmooth dynamical system with a scheme and the defaults of a run.

    ``scheme`` is one scheme, or ``{system: scheme}`` where systems differ. ``step``, ``start``
    and ``end`` are in seconds; ``parameters`` maps symbols to numbers or ``nsd.Parameter``;
    ``blocks`` are :class:`nsd.Sampled` controllers in the order in which they act; a run ends where ``stop_when`` (an
    expression, a :class:`nsd.StopWhen`, or a list of them) changes its sign; ``outputs`` maps names to expressions, or
    :class:`nsd.OutputColumn` with their units, recorded as ``outputs.name``; ``sketch`` is what animations show besides
    bodies (:class:`nsd.Sketch`);
    ``initial`` maps coordinates, their ``.diff()``, states, or a body's vectors to numbers. Where it holds expressions
    besides (the angle or rate of a joint, the position of a marker), or ``near`` is given, the start is searched for
    (:meth:`assemble`): what ``initial`` gives holds exactly, ``near`` maps coordinates and velocities to approximate
    values, and joints and constraints hold.
    Whatever a run may change (values, initial state, step, end, scheme options) changes
    without compiling again. Raises ``ModelError`` or ``ParameterError`` here for what can be
    checked without deriving anything.
    """

    def __init__(
        self,
        name: str,
        systems: Sequence[Any],
        relations: Sequence[Any] = (),
        *,
        scheme: Scheme | Mapping[Any, Scheme],
        step: float,
        end: float,
        start: float = 0.0,
        parameters: Mapping[Any, Any] | None = None,
        initial: Mapping[Any, Any] | None = None,
        near: Mapping[Any, Any] | None = None,
        allow_penetration: bool = False,
        blocks: Sequence[Any] = (),
        stop_when: Any = None,
        outputs: Mapping[str, Any] | None = None,
        sketch: Sketch | None = None,
    ) -> None:
        self.name = name
        stated = listed(systems, name, "systems")
        self.systems = [member for s in stated for member in members_of(s)]
        self.blocks = checked_blocks(listed(blocks, name, "blocks"), name)
        own = flat(listed(relations, name, "relations"))
        brought = [r for s in stated for r in getattr(s, "brings", ()) if all(r is not other for other in own)]
        self.relations = [*brought, *own, *self.blocks, *stops_of(stop_when, name)]
        self.relations += observed_outputs(outputs, name)
        self.scheme = (
            {member: of for s, of in scheme.items() for member in members_of(s)}
            if isinstance(scheme, Mapping)
            else scheme
        )
        self.parameters = mapping(parameters, name, "parameters")
        self.initial, self.near = placed(stated, self.systems, initial, near, self.parameters, name)
        self.step, self.start, self.end = times_of_run(step, start, end, model=name)
        self.allow_penetration = allow_penetration
        self.sketch = sketch
        check_schemes(self.scheme, self.systems, name)
        self._forget()
        self.description  # noqa: B018  refuses what cannot be described

    def _forget(self) -> None:
        """Know nothing that was made from the model, each with a snapshot of what it was made from."""
        self._described: tuple[Snapshot, ModelDescription] | None = None
        self._derived: tuple[Snapshot, Derivation] | None = None
        self._compiled: tuple[Snapshot, CompiledModel] | None = None
        self._kept: dict[str, tuple[Snapshot, Any, Any]] = {}

    @property
    def description(self) -> ModelDescription:
        """The model over fresh symbols; described again where systems, relations or values were changed."""
        if self._described is None or not self._described[0].holds(*self._mathematics()):
            with seldom_collecting():
                found = describe(self.name, self.systems, self.relations, self.parameters, self._start())
            self._described = (Snapshot(*self._mathematics()), found)  # describing may name copies
        return self._described[1]

    def _mathematics(self) -> tuple[Any, ...]:
        """All that the description is made from: objects, then values."""
        return [*self.systems, *self.relations], self.name, self.parameters, self.initial, self.near

    def _start(self) -> Mapping[Any, Any]:
        """Initial values of functions of time: those given, or those found."""
        if self.near is None and not asks_for_search(self.systems, self.initial):
            return self.initial
        return self.assemble().functions

    def assemble(
        self,
        initial: Mapping[Any, Any] | None = None,
        near: Mapping[Any, Any] | Assembly | Equilibrium | None = None,
        *,
        parameters: Mapping[Any, float] | None = None,
    ) -> Assembly:
        """The start nearest to ``near`` in which constraints hold, stops are kept and ``initial`` has its values.

        Both default to the model's own; where only ``initial`` is given the search begins at the model's start, as for
        inverse kinematics: ``model.assemble({hand.position: [0.4, 0, 0.2]})``. ``near`` may be what was found before.
        Distances are those of the mass matrix; velocities are the nearest that agree with all rates. The result has the
        degrees of freedom, what is redundant and whether the configuration is singular. Searches for other values of
        the same keys are fast. Raises ``ParameterError`` naming what cannot hold together.
        """
        from nsdgen.analysis.assembly import assembled

        given = None if initial is None else mapping(initial, self.name, "initial")
        return assembled(self, given, near, parameters or {}, operator_kernels)

    def equilibrium(self, near: Any = None, *, parameters: Mapping[Any, float] | None = None) -> Equilibrium:
        """The state at rest that Newton's method finds from the model's start, or ``near`` (as ``at`` of
        :meth:`linearise`), with contacts in play.

        Whether it is stable :meth:`linearise` says. Raises ``ParameterError`` where nothing balances forces nearby, or
        friction would not hold, ``ModelError`` for what has no derivative.
        """
        from nsdgen.analysis.linearisation import equilibrium_of

        return equilibrium_of(self, near, parameters or {}, operator_kernels)

    def linearise(
        self,
        inputs: Sequence[Any] = (),
        outputs: Mapping[str, Any] | None = None,
        *,
        at: Any = None,
        parameters: Mapping[Any, float] | None = None,
    ) -> Linearisation:
        """A, B, C, D, frequencies and modes at an equilibrium or a steady motion: the model's start, or ``at``.

        ``at`` is a start or equilibrium that was found, or values by column: ``{"swing.angle": 0.3}``.
        ``inputs`` are parameters that forces depend on, ``outputs`` expressions by name. Constraints and contacts in
        play are eliminated. Raises ``ParameterError`` for a state that accelerates or violates constraints and for
        contacts that slip, ``ModelError`` for what has no derivative.
        """
        from nsdgen.analysis.linearisation import linearised

        return linearised(self, inputs, outputs or {}, at, parameters or {}, operator_kernels)

    def kept(self, kind: str, key: Any, make: Callable[[], Any]) -> Any:
        """What was made last of this kind, if it was with the same key and the model has not changed since."""
        known = self._kept.get(kind)
        if known is None or known[1] != key or not known[0].holds(*self._mathematics()):
            known = self._kept[kind] = Snapshot(*self._mathematics()), key, make()
        return known[2]

    @property
    def schemes(self) -> list[Scheme]:
        """The scheme of every system and of every copy of one, in order."""
        counts = list(map(count_of, self.systems))
        if isinstance(self.scheme, Scheme):
            return [self.scheme] * sum(counts)
        return [self.scheme[s] for s, count in zip(self.systems, counts, strict=True) for _ in range(count)]

    @property
    def defaults(self) -> RunDefaults:
        """Step, end, start and the tolerance of overlaps, as the derivation wants them."""
        return RunDefaults(self.step, self.end, self.start, self.allow_penetration)

    def derive(self) -> Derivation:
        """The kernel records and the model record (:class:`~nsdgen.derive.derive.Derivation`), derived once."""
        if self._derived is None or not self._derived[0].holds(*self._everything()):
            found = derive_model(self)
            self._derived = (Snapshot(*self._everything()), found)
        return self._derived[1]

    @property
    def drawing(self) -> Drawing:
        """What is drawn of its runs."""
        return Drawing(self.systems, self.relations, list(self.parameters), self.sketch)

    def compile(self, folder: str | Path | None = None, *, interpret: bool | None = None) -> CompiledModel:
        """The compiled model, from the cache where possible; ``folder`` also writes a package there.

        ``interpret=True`` compiles nothing: kernels run in a register machine, which gives the same bits and takes two
        to five times as long for an evaluation; runs of this model then use it until it is changed. By default kernels
        are interpreted where they cannot be compiled, and a ``KernelsInterpreted`` warning says so; with
        ``interpret=False`` that is a ``CompilerMissing`` error.
        """
        emitted = emit_model(self, derivation=self.derive())
        compiled, shared_object = self._build(emitted, interpret=interpret)
        if folder is not None:
            from nsdgen.emit.package import write_package

            write_package(Path(folder), emitted.record, emitted.text, shared_object)
        return compiled

    def _build(self, emitted: Emitted, **how: Any) -> tuple[CompiledModel, Path | None]:
        """Kernels of an emitted text, for the runs of this model until it is changed; see :func:`build_model`."""
        compiled, shared_object = build_model(emitted, **how)
        compiled.drawing = self.drawing
        self._compiled = (Snapshot(*self._everything()), compiled)
        return compiled, shared_object

    def _everything(self) -> tuple[Any, ...]:
        """All that a compiled model is made from: objects, then values."""
        return *self._mathematics(), self.scheme, self.step, self.end, self.start, self.allow_penetration

    @named_arguments
    def run(self, *, initial: Mapping[Any, Any] | None = None, **options: Any) -> Trajectory:
        """Run, and compile if need be; options as for :meth:`CompiledModel.run`.

        Keys of ``initial`` may be those of the model (coordinates, their ``.diff()``, a body's
        vectors) or names of columns. What was changed about the model since the last run (forces, relations,
        values, the scheme) counts; a model that was not is not described again. A run does not wait for the compiler:
        kernels that are not in the cache are interpreted until another process has compiled them, with the same bits;
        where they cannot be compiled, a ``KernelsInterpreted`` warning says so once.
        """
        functions = {b.name: b.computed_by for b in self.blocks if b.clock.computed}
        if functions:
            options.setdefault("computed", functions)
        compiled = self._at_once()
        trajectory = compiled.run(initial=self._by_column(initial), **options)
        if compiled.underway is not None:
            compiled.say_failure()
        return trajectory

    @named_arguments
    def ensemble(self, *, initial: Mapping[Any, Any] | None = None, **options: Any) -> Ensemble:
        """Compile if need be and run many members; options as for :meth:`CompiledModel.ensemble`."""
        return self._up_to_date().ensemble(initial=self._by_column(initial), **options)

    def _at_once(self) -> CompiledModel:
        """A model to run of what this one is now; its kernels may be interpreted until they are compiled."""
        known = self._compiled
        if known is not None and known[0].holds(*self._everything()):
            return known[1]
        return self._build(emit_model(self, derivation=self.derive()), beside=UNATTENDED)[0]

    def _up_to_date(self) -> CompiledModel:
        """The compiled model of what the model is now."""
        known = self._compiled
        if known is None or not known[0].holds(*self._everything()):
            return self.compile()
        known[1].finish()
        return known[1]

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process a model is what it compiles to, as text and record; see ``CompiledModel``."""
        return self._up_to_date().__reduce__()

    def __copy__(self) -> Model:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        made = memo[id(self)] = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._forget()
        made.__dict__.update(copy.deepcopy(made.__dict__, memo))
        return made

    def _by_column(self, initial: Mapping[Any, Any] | None) -> dict[Any, Any] | None:
        """Initial values by the names of columns; expressions among the keys are met by a search for a start."""
        if initial is None:
            return None
        initial = mapping(initial, self.name, "initial")
        if asks_for_search(self.systems, initial):
            return dict(self.assemble(initial).values)
        return by_column(self, initial)

    def starting_consistently(self) -> Model:
        """This model with ``initial_state="consistent"`` in those of its schemes that have it.

        Raises ``ModelError`` where none has.
        """
        asked = {
            scheme: dataclasses.replace(scheme, initial_state="consistent")  # type: ignore[call-arg]
            for scheme in self.schemes
            if hasattr(scheme, "initial_state")
        }
        if not asked:
            raise ModelError(
                "no scheme of it makes initial states consistent",
                model=self.name,
                where="scheme",
                fix="use nsd.ThetaGamma for first-order systems",
            )
        other = copy.copy(self)
        other.scheme = (
            asked[self.scheme]
            if isinstance(self.scheme, Scheme)
            else {system: asked.get(scheme, scheme) for system, scheme in self.scheme.items()}
        )
        return other

    def consistent_initial(self, *, initial: Mapping[Any, Any] | None = None, **options: Any) -> dict[str, float]:
        """The initial state that satisfies algebraic equations and laws at t_0, by column: for ``run(initial=...)``.

        M x is that of the given state. ``initial``, ``parameters``, ``start`` and ``options`` as for :meth:`run`. What
        is compiled is :meth:`starting_consistently`; raises ``ModelError`` where no scheme can.
        """
        compiled = self.starting_consistently()._at_once()
        values = compiled.at_start(initial=self._by_column(initial), **options)
        names = [
            f"{s.name}.{n}"
            for s in compiled.record.systems
            for n in s.initial_names or compiled.record.system_classes[s.cls].state_names
        ]
        return {name: values[name] for name in names if name in values}

    @property
    def analysis(self) -> Analysis:
        """Relative degrees, index sets, the one-step matrix over steps of a run, and what does not fit the scheme."""
        from nsdgen.analysis.analysis import analyse

        return analyse(self.description, self.compile())

    def one_step(
        self, time: float, *, initial: Mapping[Any, Any] | None = None, **values: Any
    ) -> tuple[OneStepProblem, ...]:
        """The one-step problem of each stage in the step that ends at, or next after, a time [s] of the model's run.

        ``initial``, ``parameters``, ``options``, ``step``, ``start`` and ``end`` as for :meth:`run`. Raises
        ``ParameterError`` for a time outside the run and for steps that may be cut, ``StepError`` where one fails.
        """
        from nsdgen.analysis.step_problem import one_step_problems

        return one_step_problems(self.compile(), time, initial=self._by_column(initial), **values)

    def report(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write a page with equations, what is derived and a run; see `nsdgen.model.report.write_report`."""
        from nsdgen.model.report.write_report import write_report

        write_report(self, path, **options)

    def __getitem__(self, instance: str) -> OperatorGroup[SymbolicOperator]:
        """The derived operators of a system or relation as expressions: ``model["ball"].force``."""
        from nsdgen.derive.derived_operators import operators_of

        return operators_of(self.description, self.derive(), instance)

    def __repr__(self) -> str:
        description = self.description
        return f"<model {self.name!r}: {len(description.systems)} systems, {len(description.relations)} relations>"

    def _repr_html_(self) -> str:
        from nsdgen.symbolic.description.stated_equations import stated_equations

        style = "<style>.nsdgen mtd { padding: 0.4em 0.3em; } .nsdgen math { margin: 0.5em 0; }</style>"
        return (
            f'<div class="nsdgen">{style}<strong>{escape(self.name)}</strong>{stated_equations(self.description)}</div>'
        )
