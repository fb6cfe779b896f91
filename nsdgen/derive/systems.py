"""The kernels of a class of systems under a scheme."""

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from nsdgen.abi import ClassKind, Flag, KernelRole, Quantity, Role
from nsdgen.derive.ended import after_the_step, cut_kernel
from nsdgen.derive.kernel import Input, Kernel, KernelClass, make_kernel, make_output
from nsdgen.derive.operators import operator_kernels
from nsdgen.schemes.stages import T_K, T_NEXT, Assignments, DiscreteSystem, SystemStage
from nsdgen.symbolic.expressions.affine import is_affine
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.graph.computed import shared
from nsdgen.symbolic.graph.term_sizes import magnitude


def derive_system(scheme: DiscreteSystem, places: Sequence[int], run: Sequence[sp.Symbol]) -> KernelClass:
    """All kernels of a system class: initial state, stages, operators.

    ``places`` are the numbers in the model of the stages of the scheme.
    """
    kernels = [_initial(scheme, run)] if list(scheme.initial) != list(scheme.initial_symbols) else []
    for number, stage in enumerate(scheme.stages):
        if stage is not None:
            kernels += _stage(scheme, stage, number, places[number], run)
    if scheme.cuts:
        kernels.append(cut_kernel(scheme.cuts, [Input("state", Role.STATE, scheme.state)], scheme.cls.parameters, run))
    kernels += operator_kernels(scheme.cls)
    return KernelClass(scheme.cls.name, ClassKind.SYSTEM, 1, tuple(kernels))


def frozen_symbols(stage: SystemStage) -> tuple[tuple[sp.Symbol, ...], tuple[sp.Symbol, ...]]:
    """The symbols frozen once per step and those frozen at each Newton iteration."""
    per_iteration = stage.freeze_start or stage.freeze_iteration
    return tuple(s for s, _ in stage.freeze_step), tuple(s for s, _ in per_iteration)


def _initial(scheme: DiscreteSystem, run: Sequence[sp.Symbol]) -> Kernel:
    inputs = [
        Input("initial", Role.INITIAL, scheme.initial_symbols),
        Input("time", Role.TIME, (T_K, T_NEXT)),
        Input("run", Role.RUN, tuple(run)),
        Input("parameters", Role.PARAMETERS, scheme.cls.parameters),
    ]
    return make_kernel(
        "initial",
        KernelRole.INITIAL,
        -1,
        inputs,
        [make_output("state", Quantity.STATE, scheme.initial)],
        "s_0 from the initial values",
    )


def _stage(
    scheme: DiscreteSystem, stage: SystemStage, number: int, place: int, run: Sequence[sp.Symbol]
) -> list[Kernel]:
    per_step, per_iteration = frozen_symbols(stage)
    inputs = [
        Input("unknown", Role.UNKNOWN, stage.unknown),
        Input("state", Role.STATE, scheme.state),
        Input("frozen_step", Role.FROZEN_STEP, per_step),
        Input("frozen_iteration", Role.FROZEN_ITERATION, per_iteration),
        Input("time", Role.TIME, (T_K, T_NEXT)),
        Input("run", Role.RUN, tuple(run)),
        Input("parameters", Role.PARAMETERS, scheme.cls.parameters),
    ]
    suffix = "" if number == 0 else f"_{number + 1}"
    formula = stage.formulas.get

    def kernel(
        name: str, role: KernelRole, outputs: list[tuple[str, Quantity, sp.MatrixBase]], text: str, flags: int = 0
    ) -> Kernel:
        made = [
            make_output(label, quantity, values, flags=flags if quantity == Quantity.RESIDUAL else 0)
            for label, quantity, values in outputs
        ]
        return make_kernel(name + suffix, role, place, inputs, made, text)

    (R,) = shared(stage.residual)
    matrix = stage.approximate_iteration_matrix
    exact = matrix is None
    if matrix is None:
        matrix = jacobian(R, stage.unknown)
    flags = Flag.AFFINE if exact and is_affine(R, matrix.todok().values(), stage.unknown) else 0
    residual = ("residual", Quantity.RESIDUAL, R)
    kernels = [
        kernel("start", KernelRole.START, [("unknown", Quantity.UNKNOWN, stage.start)], "w_0"),
        kernel(
            "residual",
            KernelRole.RESIDUAL,
            [residual, ("scale", Quantity.RESIDUAL_SCALE, magnitude(R, stage.vectors))],
            formula("residual", "R"),
        ),
        kernel(
            "linearize",
            KernelRole.LINEARIZE,
            [residual, ("iteration_matrix", Quantity.ITERATION_MATRIX, matrix)],
            formula("residual", "R") + "; W = dR/dw",
            flags,
        ),
        kernel("advance", KernelRole.ADVANCE, [("state", Quantity.STATE, stage.advance)], formula("advance", "s_k+1")),
    ]
    for label, role, quantity, assignments in _freezes(stage):
        if assignments:
            values = sp.Matrix([e for _, e in assignments])
            kernels.append(kernel(label, role, [("frozen", quantity, values)], formula(label, label)))
            if role == KernelRole.FREEZE_STEP and stage.completed_by is not None:
                (out,) = kernels[-1].outputs
                kernels[-1] = replace(kernels[-1], outputs=(replace(out, completed_by=stage.completed_by),))
    if stage.observed is not None:
        observe = kernel(
            "observe",
            KernelRole.OBSERVE,
            [("observed", Quantity.OBSERVED, stage.observed)],
            formula("observe", "recorded besides the state"),
        )
        kernels.append(after_the_step(observe))
    return kernels


def _freezes(stage: SystemStage) -> list[tuple[str, KernelRole, Quantity, Assignments]]:
    return [
        ("freeze_step", KernelRole.FREEZE_STEP, Quantity.FROZEN_STEP, stage.freeze_step),
        ("freeze_start", KernelRole.FREEZE_START, Quantity.FROZEN_ITERATION, stage.freeze_start),
        ("freeze_iteration", KernelRole.FREEZE_ITERATION, Quantity.FROZEN_ITERATION, stage.freeze_iteration),
    ]
