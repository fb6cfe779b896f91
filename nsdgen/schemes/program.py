"""The stage program of a step: which stages there are, how they are solved, which repeat or are skipped, its cuts.

A scheme lists its stages in the order in which they run. A group of them may repeat until a predicate over all its
relations holds (:class:`Repeat`), a stage may be skipped, and one that runs once, at t_0, makes what the first step
starts from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import sympy as sp
from sympy.logic.boolalg import Boolean

from nsdgen.base.checks import MOST_COUNTED, check_choices, choice, finite_number, whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError


@named_arguments
@dataclass(frozen=True)
class Newton:
    """When Newton's method stops and what happens when it does not.

    ``tolerance`` is relative: every row of the residual and of the law's natural map is
    divided by the magnitude of its own terms. ``measure="dynamics"`` tests the residual
    only. ``measure="absolute"`` tests, in its own unit, the Euclidean norm of the residual of each system, the
    reactions being those of the iteration: what it froze is not taken anew. Laws are not looked at, so
    that gradients may be those of the last iterate but one; any tolerance above 0 will do.
    ``fixed_iterations`` makes exactly that many iterations without a test (an affine
    stage needs, and makes, one).
    ``on_limit="keep"`` accepts the last iterate of the full steps at ``max_iterations`` (the column ``kept``
    in the trajectory shows it). ``line_search="on_failure"`` retries a step that did not
    converge with backtracking on the largest scaled row; fixed iterations never do.
    """

    tolerance: float = 1e-11
    max_iterations: int = 50
    measure: str = choice("all", "dynamics", "absolute")
    fixed_iterations: int | None = None
    on_limit: str = choice("raise", "keep")
    line_search: str = choice("on_failure", "never")

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", finite_number(self.tolerance, where="Newton, tolerance"))
        absolute = self.measure == "absolute"
        if not 0 < self.tolerance < (inf if absolute else 1):
            raise ParameterError(
                f"Newton tolerance {self.tolerance} lies outside (0, {'oo' if absolute else 1})",
                fix="give it in the unit of the residual"
                if absolute
                else "it is relative to the terms of each row; 1e-11 is the default",
            )
        for name in ("max_iterations", "fixed_iterations"):
            if (count := getattr(self, name)) is not None or name == "max_iterations":
                object.__setattr__(self, name, whole_number(count, 1, MOST_COUNTED, where=f"Newton, {name}"))
        check_choices(self, "Newton")


@dataclass(frozen=True)
class StageOptions:
    """What the stepper must know of a stage besides its kernels.

    ``activation_at`` is ``"step"`` (once, at the start of the stage) or ``"iteration"`` (again
    before every Newton iteration and after the last one; there it only adds relations).
    ``at="rate"`` makes the scheme an event-driven one: what the stage calls the new state is the rate of the state,
    ds/dt, which is integrated between events; stages ``at="event"`` run, in order, wherever a quantity that is cut
    falls through zero, and before the first step. There are no stages of steps then.
    ``at="start"`` runs the stage once, at t_0, before the first instant is recorded; a multiplier there that has
    the name of a multiplier of a step is that multiplier at t_0. Relations whose multipliers a run is given at t_0
    are not solved there.

    A stage is skipped, and its multipliers are zero, where ``skip_if`` holds (a condition on run values and the ends
    of the step), or, with ``without_relations="skip"``, where no relation is in play, with ``"skip_constraints"`` also
    where only such are as always are in play; what it would remember and observe stays then. Relations whose mode is
    ``Play.AT_REST`` are in play beside others, and count as none here. ``unique`` refuses multipliers that are not
    determined.
    """

    name: str
    newton: Newton
    activation_at: str = choice("step", "iteration")
    at: str = choice("step", "start", "rate", "event")
    skip_if: sp.Basic | None = None
    without_relations: str = choice("run", "skip", "skip_constraints")
    unique: bool = False

    def __post_init__(self) -> None:
        check_choices(self, f"stage {self.name!r}")
        if not isinstance(self.newton, Newton):
            raise ParameterError(
                f"newton is {self.newton!r}",
                where=f"stage {self.name!r}",
                fix="hand self.newton of the scheme on, or give a Newton(...)",
            )
        condition = isinstance(self.skip_if, bool | Boolean) and not isinstance(self.skip_if, sp.Symbol)
        if self.skip_if is not None and not condition:
            raise ParameterError(
                f"skip_if={self.skip_if!r} is no condition",
                where=f"stage {self.name!r}",
                fix="give a condition such as sympy.Eq(step.options.theta, 0) or STEP > 1",
            )


@dataclass(frozen=True)
class Repeat:
    """A group of stages that runs again until all its relations are satisfied.

    It is done when, after a pass, the largest ``violation`` of relations in play is at most ``tolerance`` (``None``:
    not asked for) and no relation enters (:attr:`RelationStage.entry`); relations that entered stay in play in the
    passes that follow. ``minimum=0`` asks before the first pass, too; then multipliers start from zero. After
    ``maximum`` passes ``on_limit`` raises or keeps what is there. A pass goes on from the state the last one left, or,
    with ``from_start``, begins again from state and memory at the start of the group.
    """

    stages: tuple[StageOptions, ...]
    tolerance: float | None = None
    maximum: int = 20
    minimum: int = 1
    on_limit: str = "raise"
    from_start: bool = False

    def __post_init__(self) -> None:
        if self.tolerance is not None:
            limit = finite_number(self.tolerance, where="repetition, tolerance")
            object.__setattr__(self, "tolerance", limit)
        object.__setattr__(self, "maximum", whole_number(self.maximum, 1, MOST_COUNTED, where="repetition, maximum"))
        if (
            (self.tolerance is not None and self.tolerance <= 0)
            or self.minimum not in (0, 1)
            or self.on_limit not in ("raise", "keep")
        ):
            raise ParameterError(
                f"unusable repetition: tolerance={self.tolerance}, maximum={self.maximum}, "
                f"minimum={self.minimum}, on_limit={self.on_limit!r}",
                fix="tolerance > 0, minimum 0 or 1, on_limit 'raise' or 'keep'",
            )
        if not isinstance(self.stages, tuple) or not all(isinstance(s, StageOptions) for s in self.stages):
            raise ParameterError(
                f"a repeated group of {self.stages!r}",
                fix="give a tuple of StageOptions: Repeat((StageOptions(...),), ...)",
            )
        if not self.stages or any(stage.at != "step" for stage in self.stages):
            raise ParameterError("a repeated group needs stages, all of the step", fix="list stages with at='step'")


@dataclass(frozen=True)
class Cut:
    """A quantity whose zero ends a step early: a function of state and memory at the end of the step.

    Where it changes its sign over a step, in the ``direction`` given ("both", "rising", "falling"), the step is made
    again with a shorter h, so that it ends at the zero: the first instant, to rounding, at which the sign has changed.
    That instant is recorded; the run goes on from it to the grid. A quantity that is zero where a step starts is not
    looked at in that step.

    Under a scheme that goes from event to event, one that is not ``recorded`` changes what the motion is made of and
    nothing else: its stages run, and no instant is recorded.
    """

    name: str
    value: sp.Expr
    direction: str = choice("both", "rising", "falling")
    recorded: bool = True

    def __post_init__(self) -> None:
        check_choices(self, f"cut {self.name!r}")
        if not self.recorded and self.direction != "falling":
            raise ParameterError(
                "a cut that is not recorded has to fall", where=f"cut {self.name!r}", fix="use direction='falling'"
            )


def check_stages(stages: Any, where: str) -> None:
    """Raise ``ParameterError`` unless ``stages`` is a tuple of stages and groups, each stage with a name of its own."""
    if callable(stages):
        raise ParameterError("stages is a method", where=where, fix="make it a property: write @property above stages")
    if not isinstance(stages, tuple):
        raise ParameterError(
            f"stages is a {type(stages).__name__}, not a tuple",
            where=where,
            fix="give a tuple: (StageOptions(name, self.newton),)",
        )
    wrong = [item for item in stages if not isinstance(item, StageOptions | Repeat)]
    if wrong or not stages:
        raise ParameterError(
            f"stages holds {wrong[0]!r}" if wrong else "there are no stages",
            where=where,
            fix="list StageOptions(name, self.newton) or Repeat((...), ...)",
        )
    names = [stage.name for stage in flat(stages)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ParameterError(f"two stages are called {twice[0]!r}", where=where, fix="give each stage its own name")


def flat(stages: Sequence[StageOptions | Repeat]) -> tuple[StageOptions, ...]:
    """The stages of a program in order, groups taken apart."""
    return tuple(s for item in stages for s in (item.stages if isinstance(item, Repeat) else (item,)))
