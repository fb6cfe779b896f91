"""The kernels of a class of relations under a scheme."""

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from nsdgen.abi import ClassKind, Flag, KernelRole, Quantity, Role
from nsdgen.derive.check_cones import check_cones
from nsdgen.derive.ended import after_the_step, cut_kernel
from nsdgen.derive.kernel import Input, Kernel, KernelClass, Output, make_kernel, make_output
from nsdgen.derive.operators import operator_kernels
from nsdgen.derive.systems import frozen_symbols
from nsdgen.errors import DerivationError
from nsdgen.schemes.stages import MODE, T_K, T_NEXT, Assignments, DiscreteRelation, DiscreteSystem, RelationStage
from nsdgen.symbolic.expressions.affine import is_affine
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.graph.computed import shared
from nsdgen.symbolic.graph.term_sizes import magnitude


def derive_relation(
    scheme: DiscreteRelation, participants: Sequence[DiscreteSystem], places: Sequence[int], run: Sequence[sp.Symbol]
) -> KernelClass:
    """All kernels of a relation class; ``participants`` hold the (renamed) symbols it sees.

    ``places`` are the numbers in the model of the stages of the scheme.
    """
    kernels: list[Kernel] = []
    for number, stage in enumerate(scheme.stages):
        if stage is not None:
            kernels += _stage(scheme, stage, number, places[number], participants, run)
    if scheme.cuts:
        carried = [*_states(participants), Input("memory", Role.MEMORY, scheme.memory)]
        kernels.append(cut_kernel(scheme.cuts, carried, scheme.cls.parameters, run))
    if scheme.observed is not None:
        inputs = [
            *_states(participants),
            Input("reads", Role.MULTIPLIER, scheme.reads),
            Input("time", Role.TIME, (T_K, T_NEXT)),
            Input("run", Role.RUN, tuple(run)),
            Input("parameters", Role.PARAMETERS, scheme.cls.parameters),
        ]
        values = [make_output("observed", Quantity.OBSERVED, scheme.observed)]
        kernels.append(
            after_the_step(
                make_kernel("observe", KernelRole.OBSERVE, -1, inputs, values, "what is observed of an instant")
            )
        )
    kernels += operator_kernels(scheme.cls)
    return KernelClass(scheme.cls.name, ClassKind.RELATION, len(participants), tuple(kernels))


def _states(participants: Sequence[DiscreteSystem]) -> list[Input]:
    """The carried states of the systems that a relation sees."""
    many = len(participants) > 1
    return [Input(f"state_{i + 1}" if many else "state", Role.STATE, p.state, i) for i, p in enumerate(participants)]


def _inputs(
    scheme: DiscreteRelation,
    stage: RelationStage,
    number: int,
    participants: Sequence[DiscreteSystem],
    run: Sequence[sp.Symbol],
) -> list[Input]:
    arrays: list[Input] = []
    for i, p in enumerate(participants):
        system_stage = p.stages[number]
        suffix = "" if len(participants) == 1 else f"_{i + 1}"
        per_step, per_iteration = frozen_symbols(system_stage) if system_stage else ((), ())
        arrays += [
            Input(f"unknown{suffix}", Role.UNKNOWN, _unknown(p, number), i),
            Input(f"state{suffix}", Role.STATE, p.state, i),
            Input(f"frozen_step{suffix}", Role.FROZEN_STEP, per_step, i),
            Input(f"frozen_iteration{suffix}", Role.FROZEN_ITERATION, per_iteration, i),
        ]
    return [
        *arrays,
        Input("multiplier", Role.MULTIPLIER, stage.multiplier),
        Input("memory", Role.MEMORY, scheme.memory),
        Input("mode", Role.MODE, (MODE,)),
        Input("time", Role.TIME, (T_K, T_NEXT)),
        Input("run", Role.RUN, tuple(run)),
        Input("parameters", Role.PARAMETERS, scheme.cls.parameters),
    ]


def _unknown(participant: DiscreteSystem, number: int) -> tuple[sp.Symbol, ...]:
    """The unknowns of a participant in a stage; none where it sits the stage out."""
    stage = participant.stages[number]
    return () if stage is None else stage.unknown


def _check_participants(
    scheme: DiscreteRelation, stage: RelationStage, number: int, participants: Sequence[DiscreteSystem]
) -> None:
    """Raise ``DerivationError`` where rows are to be solved in a stage that some participants sit out, not all."""
    absent = [p.cls.name for p in participants if p.stages[number] is None]
    if absent and stage.multiplier and len(absent) < len(participants):
        raise DerivationError(
            f"it has multipliers in stage {number + 1} of its scheme, system {absent[0]!r} sits that out",
            where=f"relation class {scheme.cls.name!r}",
            fix="give the system that stage, too",
        )


def _stage(
    scheme: DiscreteRelation,
    stage: RelationStage,
    number: int,
    place: int,
    participants: Sequence[DiscreteSystem],
    run: Sequence[sp.Symbol],
) -> list[Kernel]:
    _check_participants(scheme, stage, number, participants)
    inputs = _inputs(scheme, stage, number, participants, run)
    suffix = "" if number == 0 else f"_{number + 1}"
    formula = stage.formulas.get

    def kernel(name: str, role: KernelRole, outputs: list[Output], text: str) -> Kernel:
        return make_kernel(name + suffix, role, place, inputs, outputs, text)

    output, *reactions = shared(stage.output, *stage.reactions)
    stage = replace(stage, output=output, reactions=tuple(reactions))
    derivatives = _derivatives(stage, number, participants)
    values = _values(stage, _affine(stage, derivatives, number, participants))
    kernels = [
        kernel(
            "evaluate", KernelRole.EVALUATE, values + _scales(stage, participants, number), formula("output", "y, rho")
        ),
        kernel(
            "linearize", KernelRole.LINEARIZE, values + derivatives, formula("output", "y, rho") + "; their derivatives"
        ),
    ]
    observed = [_memory(scheme, stage.remember)] if stage.remember else []
    if stage.observed is not None:
        observed.append(make_output("observed", Quantity.OBSERVED, stage.observed))
    if observed:
        kernels.append(after_the_step(kernel("observe", KernelRole.OBSERVE, observed, formula("observe", "m+"))))
    if stage.initial_memory is not None:
        kernels.append(
            kernel(
                "initial_memory",
                KernelRole.INITIAL_MEMORY,
                [_memory(scheme, stage.initial_memory)],
                formula("initial_memory", "m_0"),
            )
        )
    if stage.activation is not None:
        mode = make_output("mode", Quantity.MODE, sp.Matrix([stage.activation]))
        kernels.append(kernel("activation", KernelRole.ACTIVATION, [mode], formula("activation", "mode")))
    if stage.entry is not None:
        mode = make_output("mode", Quantity.MODE, sp.Matrix([stage.entry]))
        kernels.append(after_the_step(kernel("entry", KernelRole.ENTRY, [mode], formula("entry", "mode"))))
    if stage.violation is not None:
        left = make_output("violation", Quantity.VIOLATION, sp.Matrix([stage.violation]))
        kernels.append(kernel("violation", KernelRole.VIOLATION, [left], "violation of the constraint"))
    check_cones(stage, where=f"relation class {scheme.cls.name!r}")
    if stage.bounds is not None and stage.bounds.rows:
        limits = make_output("bounds", Quantity.BOUNDS, stage.bounds)
        bounds = kernel("bounds", KernelRole.BOUNDS, [limits], formula("bounds", "bounds"))
        kernels.append(_fixed_in_step(scheme, bounds))
    return kernels


def _memory(scheme: DiscreteRelation, values: Assignments) -> Output:
    """The part of the memory that is assigned; raises ``DerivationError`` for what is none of it."""
    place = {symbol: i for i, symbol in enumerate(scheme.memory)}
    strangers = [symbol.name for symbol, _ in values if symbol not in place]
    if strangers or len({symbol for symbol, _ in values}) != len(values):
        raise DerivationError(
            f"remembers {strangers[0]}, which is not in its memory" if strangers else "remembers one value twice",
            where=f"relation class {scheme.cls.name!r}",
            fix="assign entries of DiscreteRelation.memory, each once",
        )
    entries = sorted(((place[symbol], 0, as_expression(e)) for symbol, e in values), key=lambda entry: entry[0])
    return Output("memory", Quantity.MEMORY, len(scheme.memory), 1, tuple(entries))


def _fixed_in_step(scheme: DiscreteRelation, kernel: Kernel) -> Kernel:
    """The kernel, whose values must not change within a step; raises ``DerivationError`` naming what would."""
    depends = kernel.outputs[0].depends
    moving = [r for r in (Role.UNKNOWN, Role.MULTIPLIER, Role.FROZEN_ITERATION) if depends >> r & 1]
    if moving:
        named = [
            s.name
            for a in kernel.inputs
            if a.role in moving
            for s in a.symbols
            if any(e.has(s) for _, _, e in kernel.outputs[0].entries)
        ]
        raise DerivationError(
            f"the bounds depend on {', '.join(named)}",
            where=f"relation class {scheme.cls.name!r}",
            fix="bounds are fixed within a step: take values of its start (states, memory), or write "
            "the law as complementarity rows",
        )
    return kernel


def _affine(
    stage: RelationStage, derivatives: Sequence[Output], number: int, participants: Sequence[DiscreteSystem]
) -> bool:
    """Whether output and reactions are affine in all unknowns and multipliers."""
    unknowns = [s for p in participants for s in _unknown(p, number)]
    values = [*stage.output, *(e for rho in stage.reactions for e in rho)]
    return is_affine(values, [e for out in derivatives for _, _, e in out.entries], [*unknowns, *stage.multiplier])


def _values(stage: RelationStage, affine: bool) -> list[Output]:
    flag = Flag.AFFINE if affine else 0
    outputs = [make_output("output", Quantity.OUTPUT, stage.output, flags=flag)]
    without = dict.fromkeys(stage.multiplier, sp.S.Zero)
    for i, rho in enumerate(stage.reactions):
        vanishes = all(e.xreplace(without) == 0 for e in rho)
        outputs.append(
            make_output(
                _label("reaction", stage, i),
                Quantity.REACTION,
                rho,
                participant=i,
                flags=flag | (Flag.VANISHES if vanishes else 0),
            )
        )
    return outputs


def _scales(stage: RelationStage, participants: Sequence[DiscreteSystem], number: int) -> list[Output]:
    """How large the terms of y are, and those of each participant's rho, however much of them cancels."""
    least = sp.zeros(len(stage.output), 1) if stage.least is None else stage.least
    return [
        make_output("output_scale", Quantity.OUTPUT_SCALE, magnitude(stage.output) + least),
        *(
            make_output(
                _label("reaction_scale", stage, i),
                Quantity.REACTION_SCALE,
                magnitude(rho, () if (own := participants[i].stages[number]) is None else own.vectors),
                participant=i,
            )
            for i, rho in enumerate(stage.reactions)
        ),
    ]


def _derivatives(stage: RelationStage, number: int, participants: Sequence[DiscreteSystem]) -> list[Output]:
    """y_lambda, and per participant y_w, rho_lambda and the blocks of rho_w that are not zero."""
    outputs = [make_output("output_lambda", Quantity.OUTPUT_LAMBDA, jacobian(stage.output, stage.multiplier))]
    unknowns = [_unknown(p, number) for p in participants]
    for i, w in enumerate(unknowns):
        outputs.append(
            make_output(_label("output_x", stage, i), Quantity.OUTPUT_X, jacobian(stage.output, w), participant=i)
        )
        outputs.append(
            make_output(
                _label("reaction_lambda", stage, i),
                Quantity.REACTION_LAMBDA,
                jacobian(stage.reactions[i], stage.multiplier),
                participant=i,
            )
        )
    for i, rho in enumerate(stage.reactions):
        for j, w in enumerate(unknowns):
            block = jacobian(rho, w)
            if any(e != 0 for e in block.todok().values()):
                name = _label("reaction_x", stage, i) + ("" if len(unknowns) == 1 else f"_{j + 1}")
                outputs.append(make_output(name, Quantity.REACTION_X, block, participant=i, participant2=j))
    return outputs


def _label(name: str, stage: RelationStage, i: int) -> str:
    return name if len(stage.reactions) == 1 else f"{name}_{i + 1}"
