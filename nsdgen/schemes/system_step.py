"""The step of a class of systems, as a scheme states it.

A scheme names instants, unknowns, the residual, the advance; labels of columns, given values, the default initial
state and what relations see are filled in from the class. Groups of variables are called by their role (q, v, x); the
state ``q_k`` is the group q at the start of the step and is recorded under the names of the class.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from nsdgen.base.names import numbered
from nsdgen.errors import DerivationError
from nsdgen.schemes.stages import T_NEXT, Assignments, Completion, DiscreteSystem, Labels, SchemeOption, SystemStage
from nsdgen.schemes.stated_columns import numbered_symbols, stated_count, stated_pairs
from nsdgen.schemes.stated_step import StageParts, StatedStep, suffixed
from nsdgen.symbolic.expressions.entry import label_of, own_symbol
from nsdgen.symbolic.expressions.nodes import taken_at
from nsdgen.symbolic.expressions.nodes_of import replaced
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.system_class import SystemClass, Variables

Instant = dict[sp.Symbol, sp.Expr]
"""What the symbols of a class (or of a relation's participants), and NOW, stand for somewhere in the step."""


def blend(weight: sp.Expr, later: Instant, earlier: Instant) -> Instant:
    """weight * later + (1 - weight) * earlier, entry by entry, time included.

    Raises ``DerivationError`` where the two do not say the same groups.
    """
    if later.keys() != earlier.keys():
        missing = sorted(label_of(s) for s in later.keys() ^ earlier.keys())
        raise DerivationError(
            f"{missing[0]} stands for something in one instant only",
            where="blend",
            fix="give both instants the same groups: at(T_NEXT, x=x) and at(T_K, x=x_k)",
        )
    return {s: weight * e + (1 - weight) * earlier[s] for s, e in later.items()}


@dataclass
class _StatedSystemStage(StageParts):
    """What was stated of one stage."""

    unknown: list[sp.Symbol] = field(default_factory=list)
    known_as: dict[str, tuple[sp.Symbol, ...]] = field(default_factory=dict)
    advance: dict[str, sp.Matrix] = field(default_factory=dict)
    vectors: tuple[tuple[int, ...], ...] = ()


@dataclass
class _StatedSystem:
    """What was stated of the system as a whole."""

    initial: dict[str, sp.Matrix] = field(default_factory=dict)
    at_state: dict[str, sp.Matrix] = field(default_factory=dict)
    algebraic: tuple[tuple[int, ...], ...] = ()
    mass_rank: int | None = None


class SystemStep(StatedStep[SystemClass, _StatedSystemStage]):
    """One stage of the step of a class; ``stage(name)`` goes to another stage of the same step.

    ``options.theta`` is the symbol of a numeric option. Raises ``ModelError`` for a class without the groups or
    terms that are asked for, ``DerivationError`` for a step that is not stated completely.
    """

    _kind, _carries = "system", "state"

    def __init__(self, cls: SystemClass, scheme: str, options: Sequence[SchemeOption], stages: Sequence[str]) -> None:
        super().__init__(cls, scheme, options, {name: _StatedSystemStage(name) for name in stages})
        self._common = _StatedSystem()

    # -- what the class gives ------------------------------------------------------------

    def group(self, role: str) -> tuple[sp.Symbol, ...]:
        """The class's own symbols of a group; raises ``ModelError`` where it has none."""
        if role not in self.cls.roles:
            raise self.refused(f"the scheme is for systems with {role}, this one has {', '.join(self.cls.roles)}")
        return self.cls.group(role)

    def check_mechanical(self, fix: str = "") -> None:
        """Raise ``ModelError`` for a class without the forces of motion."""
        if "force" not in self.cls.terms:
            for_others = "use nsd.ThetaGamma for first-order systems, or beside_motion=True beside mechanical ones"
            raise self.refused("; ".join(filter(None, (for_others, fix))))

    def given(self, role: str) -> sp.Matrix:
        """The initial values of a group, as the user gives them."""
        symbols = [own_symbol("initial", label_of(s)) for s in self.group(role)]
        return sp.Matrix(len(symbols), 1, symbols)

    def term(self, name: str, at: Mapping[sp.Symbol, sp.Expr], dated: str = "") -> sp.Matrix:
        """A term of the class at an instant; what ``nsd.let`` named in it is called ``name_dated`` there."""
        if name not in self.cls.terms:
            raise self.refused(f"the scheme needs the term {name!r}, this system has {', '.join(self.cls.terms)}")
        values = self.cls.terms[name].values
        return taken_at(values, at, dated) if dated else replaced(values, at)

    def inertia(self, at: Mapping[sp.Symbol, sp.Expr], accelerations: sp.Matrix) -> sp.Matrix:
        """M a at an instant whose configuration is unknown: what is linear in a has derivatives as short as itself."""
        if self.cls.inertia_forces is None:
            return self.term("mass", at) * accelerations
        symbols, values = self.cls.inertia_forces
        return replaced(values, {**at, **dict(zip(symbols, accelerations, strict=True))})

    def at(self, time: sp.Expr, **groups: Sequence[sp.Expr]) -> Instant:
        """The instant with these values of groups: ``s.at(T_NEXT, q=q, v=v)``."""
        return {NOW: time, **self._replaced(groups, "at")}

    # -- what the scheme states of the system ----------------------------------------------

    def state(self, name: str, like: str = "", count: int = 0, units: Sequence[str] = ()) -> sp.Matrix:
        """A group of entries of the carried state.

        ``x_k``, ``q_last``: shaped and named like the group before the underscore; the state ``<role>_k`` is recorded
        under the names of the class itself. With ``like`` shaped like that group, recorded as ``<column>_<name>``.
        Otherwise ``count`` entries called ``name``. Raises ``DerivationError`` where none of these is said.
        """
        if name not in self._groups.symbols:
            group = self._like(name, like, count)
            if group is None:
                symbols = numbered_symbols("state", name, count)
                labels = self._labels(f"state({name!r})", len(symbols), numbered(name, len(symbols)), (), units)
            else:
                suffix = name if like else name.rpartition("_")[2]
                symbols = tuple(own_symbol("state", f"{label_of(s)}_{suffix}") for s in group.symbols)
                columns = group.names if suffix == "k" else tuple(suffixed(n, suffix) for n in group.names)
                labels = self._labels(f"state({name!r})", len(symbols), columns, (), units, group.units)
            self._groups.symbols[name], self._groups.labels[name] = symbols, labels
        symbols = self._groups.symbols[name]
        return sp.Matrix(len(symbols), 1, symbols)

    def initial(self, **states: Any) -> None:
        """The initial values of groups of the state, from :meth:`given`, parameters, run values and T_K (t_0)."""
        self._common.initial.update(self._of_groups(states, "initial"))

    def at_state(self, **groups: Any) -> None:
        """What groups of the class are in terms of the carried state, where that is not the state ``<role>_k``."""
        self._common.at_state.update(
            {role: self._of_group(role, values, "at_state") for role, values in groups.items()}
        )

    def algebraic(self, equations: Sequence[Sequence[int]], rank: int | None = None) -> None:
        """The equations of each combination that has no derivative, and the rank of the mass.

        At the start of a run they are to determine the unknowns without a derivative (index 1), and the mass
        is to have this rank (``None``: any).
        """
        self._common.algebraic, self._common.mass_rank = tuple(tuple(e) for e in equations), rank

    # -- what the scheme states of a stage ---------------------------------------------------

    def unknown(self, name: str, like: str = "", count: int = 0) -> sp.Matrix:
        """Unknowns of this stage: a group of the class (``"v"``), some like one (``like``), or ``count`` new ones."""
        if name in self._now.known_as:
            raise self._incomplete(
                f"stage {self._now.name!r} states the unknown {name!r} twice",
                "keep what unknown(...) gives, and call it once",
            )
        symbols = self.cls.group(name)
        if not symbols:
            group = self._like(name, like, count)
            symbols = (
                numbered_symbols("unknown", name, count)
                if group is None
                else tuple(own_symbol("unknown", f"{label_of(s)}_{name}") for s in group.symbols)
            )
        space, rows = self.cls.configuration, range(len(self._now.unknown), len(self._now.unknown) + len(symbols))
        self._now.vectors += tuple(tuple(rows[i] for i in vector) for vector in space.vectors(like or name))
        self._now.unknown += symbols
        self._now.known_as[name] = symbols
        return sp.Matrix(len(symbols), 1, symbols)

    def unknown_states(self) -> sp.Matrix:
        """First-order states of a motion as unknowns of this stage, by the class's own symbols; maybe none."""
        v, count = self.cls.group("v"), self.cls.configuration.states
        states = v[len(v) - count :]
        self._now.unknown += states
        return sp.Matrix(count, 1, states)

    def residual(self, values: sp.Matrix) -> None:
        """R(w; s), as many rows as unknowns."""
        self._now.parts["residual"] = self._column(values, "the residual")

    def start(self, values: Any) -> None:
        """w_0 from the state; by default the state ``<role>_k`` of every unknown group."""
        self._now.parts["start"] = self._column(values, "the start", len(self._now.unknown))

    def advance(self, **states: Any) -> None:
        """New values of groups of the state; those that are not named stay, and every one is named in some stage."""
        self._now.advance.update(self._of_groups(states, "advance"))

    def view(self, **groups: Any) -> None:
        """What relations see of groups at the end of the step, a function of unknowns and state.

        By default the unknowns that are groups of the class, and of other groups what this stage advances them to.
        """
        self._now.parts["view"] = self._replaced(groups, "view")

    def frozen_view(self, **groups: Any) -> None:
        """What relations see instead where their reactions would couple the unknowns of several systems."""
        self._now.parts["frozen_view"] = self._replaced(groups, "frozen_view")

    def freeze_step(self, assignments: Assignments, completed_by: Completion | None = None) -> None:
        """Symbols that are evaluated once per step and never differentiated."""
        self._now.parts["freeze_step"] = stated_pairs(assignments, "freeze_step(...)", self._where)
        self._now.parts["completed_by"] = completed_by

    def offer(self, assignments: Assignments) -> None:
        """Symbols for relations alone, evaluated once per step; each is left out where no relation reads it."""
        pairs = stated_pairs(assignments, "offer(...)", self._where)
        self._now.parts["freeze_step"] = (*self._now.parts.get("freeze_step", ()), *pairs)
        self._now.parts["offered"] = tuple(symbol for symbol, _ in pairs)

    def freeze_iteration(self, start: Assignments, after: Assignments) -> None:
        """Symbols that are evaluated at the start of the step and after each Newton iteration."""
        first, later = (stated_pairs(pairs, "freeze_iteration(...)", self._where) for pairs in (start, after))
        if [s for s, _ in first] != [s for s, _ in later]:
            raise self._incomplete(
                f"freeze_iteration(...) assigns {len(first)} symbols first and {len(later)} later",
                "assign the same symbols in both, in the same order",
            )
        self._now.parts["freeze_start"], self._now.parts["freeze_iteration"] = first, later

    def iteration_matrix(self, values: sp.Matrix) -> None:
        """A matrix that replaces dR/dw in Newton's method; R stays exact."""
        if not isinstance(values, sp.MatrixBase):
            raise self._incomplete(f"iteration_matrix(...) is a {type(values).__name__}", "give a SymPy matrix")
        self._now.parts["approximate_iteration_matrix"] = values

    @property
    def ended(self) -> Instant:
        """The carried state where it has been advanced already, t_k+1: for what is observed."""
        return {NOW: T_NEXT, **self._at_state()}

    # -- the whole ------------------------------------------------------------------------

    def finish(self) -> DiscreteSystem:
        """The step as a record; raises ``DerivationError`` for what is missing or unknown."""
        common, cls, groups = self._common, self.cls, self._groups
        now = self._at_state()
        self._record_terms()
        stages = tuple(self._finished(stage, now) for stage in self._stages.values())
        still = [name for name in groups.symbols if not any(name in stage.advance for stage in self._stages.values())]
        if still:
            raise self._incomplete(
                f"the state {still[0]!r} is never advanced", f"call advance({still[0]}=...), with itself where it stays"
            )
        initial = sp.Matrix([e for name in groups.symbols for e in self._initial_of(name)])
        given = tuple(e for role in cls.roles for e in self.given(role))
        return DiscreteSystem(
            cls,
            groups.every_symbol(),
            groups.every_label(),
            given,
            initial,
            now,
            stages,
            unit_norm=cls.configuration.unit_norm,
            groups=dict(groups.symbols),
            cuts=tuple(self._cuts),
            algebraic=common.algebraic,
            mass_rank=common.mass_rank,
        )

    def _record_terms(self) -> None:
        """What the class wants recorded, behind what the scheme observes in its first stage."""
        parts, labels = next(iter(self._stages.values())).parts, self.cls.recorded
        if not labels:
            return
        values = [self.term(name, self.ended) for name in labels]
        before = parts.get("observed_labels", Labels())
        pairs = [pair for of_term in labels.values() for pair in of_term]
        parts["observed"] = sp.Matrix.vstack(parts.get("observed", sp.zeros(0, 1)), *values)
        parts["observed_labels"] = Labels(
            (*before.names, *(name for name, _ in pairs)), (*before.units, *(unit for _, unit in pairs))
        )

    def _at_state(self) -> Instant:
        cls, carried = self.cls, self._groups.symbols
        at_state = {
            **{role: sp.Matrix(carried[f"{role}_k"]) for role in cls.roles if f"{role}_k" in carried},
            **self._common.at_state,
        }
        return {s: e for role, values in at_state.items() for s, e in zip(cls.group(role), values, strict=True)}

    def _initial_of(self, name: str) -> sp.Matrix:
        """The initial values of a group of the state: as stated, or as given, normalised."""
        if name in self._common.initial:
            return self._common.initial[name]
        role = name.removesuffix("_k")
        if role not in self.cls.roles or role == name:
            raise self._incomplete(f"the state {name!r} has no initial value", f"call initial({name}=...)")
        given = list(self.given(role))
        return sp.Matrix(self.cls.configuration.normalised(given) if role == "q" else given)

    def _finished(self, stage: _StatedSystemStage, now: Mapping[sp.Symbol, sp.Expr]) -> SystemStage | None:
        if not (stage.unknown or stage.parts or stage.advance):
            return None
        parts = {"residual": sp.zeros(0, 1), **stage.parts} if not stage.unknown else dict(stage.parts)
        if "residual" not in parts:
            raise self._incomplete(f"stage {stage.name!r} has unknowns but no residual", "call residual(...)")
        if parts["residual"].rows != len(stage.unknown):
            raise self._incomplete(
                f"stage {stage.name!r} has {len(stage.unknown)} unknowns and {parts['residual'].rows} rows of R",
                "give one row for each unknown",
            )
        start = parts.pop("start", None)
        advanced = dict(self._groups.assigned(stage.advance))
        view = {s: e.xreplace(advanced) for s, e in now.items()}
        view.update({s: s for name in stage.known_as for s in self.cls.group(name)})
        view.update(parts.pop("view", {}))
        frozen = parts.pop("frozen_view", None)
        matrix = parts.get("approximate_iteration_matrix")
        if matrix is not None and matrix.shape != (n := len(stage.unknown), n):
            raise self._incomplete(
                f"iteration_matrix(...) is {matrix.rows}x{matrix.cols}, expected {n}x{n}",
                "give a row for each row of R, a column for each unknown",
            )
        return SystemStage(
            unknown=tuple(stage.unknown),
            residual=parts.pop("residual"),
            start=self._start(stage) if start is None else start,
            advance=sp.Matrix(
                [e for name, symbols in self._groups.symbols.items() for e in stage.advance.get(name, symbols)]
            ),
            view=view,
            frozen_view=None if frozen is None else {**view, **frozen},
            vectors=stage.vectors,
            **parts,
        )

    def _replaced(self, groups: Mapping[str, Any], call: str) -> Instant:
        """Symbols of groups and what they stand for; raises ``DerivationError`` for other numbers of entries."""
        return {
            s: e
            for role, values in groups.items()
            for s, e in zip(self.group(role), self._of_group(role, values, call), strict=True)
        }

    def _of_group(self, role: str, values: Any, call: str) -> sp.Matrix:
        return self._column(values, f"{call}({role}=...)", len(self.group(role)))

    def _start(self, stage: _StatedSystemStage) -> sp.Matrix:
        missing = [name for name in stage.known_as if f"{name}_k" not in self._groups.symbols]
        if missing:
            raise self._incomplete(f"stage {stage.name!r} does not say where {missing[0]!r} starts", "call start(...)")
        starts = [s for name in stage.known_as for s in self._groups.symbols[f"{name}_k"]]
        return sp.Matrix(len(starts), 1, starts)

    def _like(self, name: str, like: str, count: int) -> Variables | None:
        """The group that something is shaped like; ``None`` for ``count`` entries."""
        if count:
            stated_count(count, repr(name), self._where)
        role = like or name.rpartition("_")[0]
        group = next((group for group in self.cls.variables if group.role == role), None)
        if group is None and (like or count < 1):
            raise self._incomplete(
                f"{name!r}: there is no group {role or name!r}, only {', '.join(self.cls.roles)}",
                "call it after a group (x_k, q_last), or give like=... or count=...",
            )
        return group
