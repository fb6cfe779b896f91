"""What a scheme returns: the expressions of one step, stage by stage (design, section 3).

A scheme is a symbolic transformation. For a class of systems it gives, per stage, the
unknown w, the residual R(w; s) and the advance s -> s+; for a class of relations the
output y(w, lambda; s, m), the reactions rho_i(w, lambda; s, m), the memory m+ and the
activation. Everything else (Jacobians, code, the stepper) is generic.

Symbols are nsdgen's own (``unknown/..``, ``state/..``); a relation between several
systems renames those of each participant.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Self

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.schemes.program import Cut
from nsdgen.symbolic.expressions.entry import of_participant, own_symbol
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.relation_class import RelationClass

STEP = own_symbol("run", "h")
T_K = own_symbol("time", "t_k")
T_NEXT = own_symbol("time", "t_next")
MODE = own_symbol("mode", "mode")
"""The relation's mode before an activation is evaluated: 0 out of play, 1 in play, 2 ..."""


@dataclass(frozen=True)
class Labels:
    """Column names and units of a group of recorded values."""

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


Assignments = tuple[tuple[sp.Symbol, sp.Expr], ...]


@dataclass(frozen=True)
class Completion:
    """A C function ``function(size, values)`` that turns what a kernel stored into what the array then holds.

    For values that no expression says well, as the exponential of a matrix (``include/nsdgen_matrix.h``).
    """

    function: str
    size: int


@dataclass(frozen=True)
class SystemStage:
    """One stage for one class of systems.

    ``start`` gives w0 from the state; ``advance`` the new state. Frozen symbols are
    arguments that never enter a Jacobian: ``freeze_step`` fills them once per step (or per run, where it reads neither
    time nor state), and ``completed_by`` makes of what it stored what the symbols stand for,
    ``freeze_start`` at the start of the step and ``freeze_iteration`` before each later
    Newton iteration (from w and their own last values). ``view`` gives the values, at
    the end of the step and inside this stage, of the class's own symbols. ``frozen_view``, where
    it differs, is for relations whose reactions would couple the unknowns of several systems:
    there the configuration is that of the last iterate. What is frozen for it alone is left out
    of systems that have no such relation; so are ``offered``, symbols of ``freeze_step`` that relations alone read.
    An unknown may be any symbol: one of the class, or
    ``own_symbol("unknown", ...)``. ``observed`` is recorded besides the state, a function of the
    *advanced* state (its last values are not at hand), the unknown and t_next. ``vectors`` lists rows of the residual
    that are components of one vector.
    """

    unknown: tuple[sp.Symbol, ...]
    residual: sp.Matrix
    start: sp.Matrix
    advance: sp.Matrix
    view: Mapping[sp.Symbol, sp.Expr]
    freeze_step: Assignments = ()
    completed_by: Completion | None = None
    freeze_start: Assignments = ()
    freeze_iteration: Assignments = ()
    approximate_iteration_matrix: sp.Matrix | None = None
    frozen_view: Mapping[sp.Symbol, sp.Expr] | None = None
    observed: sp.Matrix | None = None
    observed_labels: Labels = Labels()
    formulas: Mapping[str, str] = field(default_factory=dict)
    vectors: tuple[tuple[int, ...], ...] = ()
    offered: tuple[sp.Symbol, ...] = ()

    def with_offered(self, places: Set[int]) -> Self:
        """This stage, of what it freezes for relations alone only that at these places of ``offered``."""
        left_out = {symbol for place, symbol in enumerate(self.offered) if place not in places}
        return replace(
            self,
            freeze_step=tuple((s, e) for s, e in self.freeze_step if s not in left_out),
            offered=tuple(s for s in self.offered if s not in left_out),
        )

    def without_needless_freezing(self) -> Self:
        """This stage, what it freezes at each iteration left out where nothing in it needs that."""
        frozen = {symbol for symbol, _ in self.freeze_start}
        if not frozen or frozen & _symbols_in(self.residual, self.advance, self.start, self.observed):
            return self
        return replace(self, freeze_start=(), freeze_iteration=(), frozen_view=None)


def _symbols_in(*parts: sp.Matrix | sp.Expr | None) -> frozenset[sp.Symbol]:
    """All symbols of these expressions, and of the entries of these matrices."""
    symbols = FreeSymbols()
    return frozenset(
        s
        for part in parts
        if part is not None
        for e in (part if isinstance(part, sp.MatrixBase) else (part,))
        for s in symbols(e)
    )


@dataclass(frozen=True)
class DiscreteSystem:
    """A class of systems under a scheme; ``at_state`` gives the class's symbols in terms of the state.

    The carried state may have any length. ``initial`` is its value at t_0, a function of what the user
    gives (``initial_symbols``), parameters, run values and t_0, which :data:`T_K` and :data:`T_NEXT` both are then.
    ``groups`` names parts of the state as the scheme does; ``unit_norm`` lists groups of initial values that must
    form a vector of norm 1. ``algebraic`` lists the equations of each combination without a derivative,
    ``mass_rank`` the rank that the mass is to have at the start.
    """

    cls: SystemClass
    state: tuple[sp.Symbol, ...]
    labels: Labels
    initial_symbols: tuple[sp.Symbol, ...]
    initial: sp.Matrix
    at_state: Mapping[sp.Symbol, sp.Expr]
    stages: tuple[SystemStage | None, ...]
    unit_norm: tuple[tuple[int, ...], ...] = ()
    groups: Mapping[str, tuple[sp.Symbol, ...]] = field(default_factory=dict)
    cuts: tuple[Cut, ...] = ()
    algebraic: tuple[tuple[int, ...], ...] = ()
    mass_rank: int | None = None


@dataclass(frozen=True)
class RelationStage:
    """One stage for one class of relations.

    ``remember`` is m+ of the part of the memory that this stage owns, and ``observed`` what is recorded
    besides, both functions of the *advanced* state, the multiplier and the memory at t_next. At t_0 every
    stage fills its part: by ``initial_memory`` what that names, all else by ``remember`` with the multiplier
    at t_0; where several stages own an entry the last one decides. ``activation`` is the mode
    (:data:`MODE` is the last one), a function of memory and state at t_k, ``None`` keeps the
    mode; ``entry`` is the mode that
    a relation out of play takes after a pass of a repeated group, at the state and memory that the pass left.
    ``violation`` is what a repeated group drives below its tolerance. ``least`` is what the rows of the output are
    compared with besides their own terms, when Newton's method asks whether they are small. ``bounds`` are what
    the cones need besides, block after block (:class:`nsdgen.abi.Cone`); they may depend on anything
    but unknowns, multipliers and what is frozen at each iteration. The last rows that are ``copies`` repeat others.
    """

    multiplier: tuple[sp.Symbol, ...]
    multiplier_labels: Labels
    output: sp.Matrix
    reactions: tuple[sp.Matrix, ...]
    cones: tuple[tuple[Cone, int], ...]
    remember: Assignments = ()
    initial_memory: Assignments | None = None
    observed: sp.Matrix | None = None
    observed_labels: Labels = Labels()
    activation: sp.Expr | None = None
    entry: sp.Expr | None = None
    violation: sp.Expr | None = None
    least: sp.Matrix | None = None
    held: bool = False
    copies: int = 0
    bounds: sp.Matrix | None = None
    formulas: Mapping[str, str] = field(default_factory=dict)

    def free_symbols(self) -> frozenset[sp.Symbol]:
        """All symbols that occur in the expressions of this stage."""
        remembered = (e for part in (self.remember, self.initial_memory or ()) for _, e in part)
        return _symbols_in(
            self.output,
            *self.reactions,
            *remembered,
            self.observed,
            self.activation,
            self.entry,
            self.violation,
            self.least,
            self.bounds,
        )


@dataclass(frozen=True)
class DiscreteRelation:
    """A class of relations under a scheme.

    ``always_active`` relations are in play whatever their mode. ``gap`` is the index in the
    memory of a value that must not be negative when a run starts; the first ``zero_rows``
    values of the memory must be zero then. ``places`` are entries of the memory that say on which piece of its law
    each row moves, and their highest values (:meth:`RelationStep.places`), ``slips`` such as are rates at which impacts
    rub, and those of their largest values. ``observed`` are values of an instant, functions of the carried state there,
    of time and of ``reads``, which others record.
    """

    cls: RelationClass
    memory: tuple[sp.Symbol, ...]
    labels: Labels
    stages: tuple[RelationStage | None, ...]
    always_active: bool = True
    gap: int | None = None
    zero_rows: int = 0
    cuts: tuple[Cut, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    slips: tuple[tuple[int, int], ...] = ()
    observed: sp.Matrix | None = None
    reads: tuple[sp.Symbol, ...] = ()


@dataclass(frozen=True)
class SchemeOption:
    """A numeric option of a scheme: its symbol in kernels, default and range."""

    name: str
    symbol: sp.Symbol
    value: float
    min: float
    max: float


def participant_scheme(scheme: DiscreteSystem, position: int, count: int) -> DiscreteSystem:
    """The scheme of one participant of a relation, symbols numbered where there are several."""
    if count == 1:
        return scheme
    own: set[sp.Symbol] = set(scheme.state) | set(scheme.cls.functions)
    for stage in scheme.stages:
        if stage is not None:
            frozen = (*stage.freeze_step, *stage.freeze_start, *stage.freeze_iteration)
            own |= set(stage.unknown) | {symbol for symbol, _ in frozen}
    to = {s: of_participant(s, position) for s in own}
    return DiscreteSystem(
        cls=scheme.cls,
        state=tuple(to[s] for s in scheme.state),
        labels=scheme.labels,
        initial_symbols=scheme.initial_symbols,
        initial=scheme.initial,
        at_state={to[a]: b.xreplace(to) for a, b in scheme.at_state.items()},
        groups={name: tuple(to[s] for s in group) for name, group in scheme.groups.items()},
        stages=tuple(None if s is None else _renamed(s, to) for s in scheme.stages),
    )


def _renamed(stage: SystemStage, to: Mapping[sp.Symbol, sp.Symbol]) -> SystemStage:
    def frozen(assignments: Assignments) -> Assignments:
        return tuple((to[s], e.xreplace(to)) for s, e in assignments)

    return SystemStage(
        unknown=tuple(to[s] for s in stage.unknown),
        residual=stage.residual.xreplace(to),
        start=stage.start.xreplace(to),
        advance=stage.advance.xreplace(to),
        view={to[s]: e.xreplace(to) for s, e in stage.view.items()},
        freeze_step=frozen(stage.freeze_step),
        freeze_start=frozen(stage.freeze_start),
        freeze_iteration=frozen(stage.freeze_iteration),
        offered=tuple(to[s] for s in stage.offered),
        frozen_view=None
        if stage.frozen_view is None
        else {to[s]: e.xreplace(to) for s, e in stage.frozen_view.items()},
    )
