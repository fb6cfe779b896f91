"""The step of a class of relations, as a scheme states it.

The participants are shown once, already renamed; instants hold what their symbols stand for somewhere in the step.
The scheme states output, reactions, memory and activation; cones, bounds and labels come from law and class.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from nsdgen.abi import Cone, bound_count
from nsdgen.base.names import numbered
from nsdgen.schemes.participant_step import ParticipantStep
from nsdgen.schemes.stages import T_K, T_NEXT, DiscreteRelation, DiscreteSystem, Labels, RelationStage, SchemeOption
from nsdgen.schemes.stated_columns import numbered_symbols, stated_count, stated_expression
from nsdgen.schemes.stated_step import StageParts, StatedStep, suffixed
from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.entry import label_of, own_symbol
from nsdgen.symbolic.expressions.nodes_of import replaced, replacing
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.relations.relation_class import RelationClass


@dataclass
class _StatedRelationStage(StageParts):
    """What was stated of one stage."""

    number: int = 0
    multiplier: tuple[sp.Symbol, ...] = ()
    own: tuple[sp.Symbol, ...] = ()  # those of the law among them, at the end
    labels: Labels = field(default_factory=Labels)
    remember: dict[str, sp.Matrix] = field(default_factory=dict)


@dataclass
class _StatedRelation:
    """What was stated of the relation as a whole."""

    nonnegative: str = ""
    zero: str = ""
    places: tuple[str, tuple[int, ...]] = ("", ())
    slips: tuple[str, tuple[int, ...], str] = ("", (), "")


class RelationStep(StatedStep[RelationClass, _StatedRelationStage]):
    """One stage of the step of a class of relations; ``stage(name)`` goes to another one.

    ``options.theta`` is the symbol of a numeric option; ``gives_back`` says whether a law under the scheme, this one's
    or another's, has a phase of expansion, in which all relations hold. Raises ``ModelError`` for a class without the
    terms that are asked for, ``DerivationError`` for a step that is not stated completely.
    """

    _kind, _carries = "relation", "memory"

    def __init__(
        self,
        cls: RelationClass,
        scheme: str,
        options: Sequence[SchemeOption],
        stages: Sequence[str],
        participants: Sequence[DiscreteSystem],
    ) -> None:
        stated = {name: _StatedRelationStage(name, number=i) for i, name in enumerate(stages)}
        super().__init__(cls, scheme, options, stated)
        self.law, self.gives_back = cls.law.in_steps(), cls.gives_back
        self._common = _StatedRelation()
        self._schemes = tuple(participants)
        if cls.memory:
            names = [label_of(s) for s in cls.memory]
            self.memory("remembered", len(names), list(cls.memory.values()), names, names)

    # -- what class and participants give -----------------------------------------------------

    @property
    def name(self) -> str:
        """The name of this stage."""
        return self._now.name

    @property
    def participants(self) -> tuple[ParticipantStep, ...]:
        """The participants in this stage, in order."""
        return tuple(
            ParticipantStep(p, s, self._now.number, self._where)
            for p, s in zip(self.cls.participants, self._schemes, strict=True)
        )

    def has(self, *terms: str) -> bool:
        """Whether the class has all of these terms."""
        return all(name in self.cls.terms for name in terms)

    def term(self, name: str, at: Mapping[sp.Symbol, sp.Expr]) -> sp.Matrix:
        """A term of the class (``gap``, ``sliding``, ``output``) at an instant."""
        if name not in self.cls.terms:
            raise self.refused(f"the scheme needs the term {name!r}, this relation has {', '.join(self.cls.terms)}")
        return replaced(self.cls.terms[name], at)

    def reactions(self, at: Mapping[sp.Symbol, sp.Expr]) -> tuple[sp.Matrix, ...]:
        """The class's own reaction g_i on each participant, at an instant."""
        return tuple(replaced(g, at) for g in self.cls.reactions)

    def rate(self, at: Mapping[sp.Symbol, sp.Expr]) -> sp.Matrix:
        """u = H v + dh/dt and the sliding rates, at an instant."""
        return replaced(self.cls.rate, at)

    def gradients(self, at: Mapping[sp.Symbol, sp.Expr]) -> tuple[sp.Matrix, ...]:
        """H_i, the derivatives of the rates with respect to the velocities of each participant, at an instant."""
        moved = replacing(at)  # once: gradients of both participants are made of the same normals
        return tuple(self.cls.gradient(p).applyfunc(moved) for p in self.cls.participants)

    def acceleration(self, at: Mapping[sp.Symbol, sp.Expr], rates: Sequence[sp.Matrix]) -> sp.Matrix:
        """du/dt = H v' + (du/dq) q' + du/dt of the rates u at an instant; ``rates`` are the v' of each participant."""
        total = replaced(sp.Matrix(self.cls.rate_change), at)
        for H, rate in zip(self.gradients(at), rates, strict=True):
            total += product(H, rate)
        return total

    # -- instants -------------------------------------------------------------------------

    @property
    def end(self) -> Instant:
        """The end of the step within this stage: what the unknowns make of the participants, t_k+1."""
        return {NOW: T_NEXT, **{s: e for p in self.participants for s, e in p.stage.view.items()}}

    @property
    def frozen_end(self) -> Instant:
        """The end of the step as far as systems freeze it, so that reactions do not couple their unknowns."""
        return {
            NOW: T_NEXT,
            **{s: e for p in self.participants for s, e in (p.stage.frozen_view or p.stage.view).items()},
        }

    @property
    def last(self) -> Instant:
        """The carried state, t_k."""
        return {NOW: T_K, **{s: e for p in self._schemes for s, e in p.at_state.items()}}

    @property
    def ended(self) -> Instant:
        """The carried state where it has been advanced already, t_k+1: for what is remembered and observed."""
        return {**self.last, NOW: T_NEXT}

    def at(self, time: sp.Expr, **groups: Sequence[Sequence[sp.Expr]]) -> Instant:
        """The instant with these values of groups, one for each participant: ``at(T_K, q=[q_1, q_2])``."""
        found: Instant = {NOW: time}
        for role, values in groups.items():
            if not isinstance(values, Sequence) or len(values) != len(self._schemes):
                raise self._incomplete(
                    f"at({role}=...) is {values!r} for {len(self._schemes)} participants",
                    f"give a list with one column for each participant: at(time, {role}=[...])",
                )
            for p, own in zip(self.participants, values, strict=True):
                symbols = p.group(role)
                found.update(zip(symbols, self._column(own, f"at({role}=...)", len(symbols)), strict=True))
        return found

    # -- what the scheme states ---------------------------------------------------------------

    def multiplier(
        self, name: str = "", count: int = 0, units: Sequence[str] = (), names: Sequence[str] = ()
    ) -> sp.Matrix:
        """The multiplier of this stage: the class's own one, or ``count`` entries called ``name``.

        ``names`` are those of the columns, where they differ. Multipliers that the law needs besides are added.
        """
        if not name:
            symbols = self.cls.multipliers
            pairs = self.cls.labels[: len(symbols)]
            labels = Labels(tuple(n for n, _ in pairs), tuple(u for _, u in pairs))
        else:
            symbols = numbered_symbols("multiplier", name, stated_count(count, f"multiplier({name!r})", self._where))
            labels = self._labels(f"multiplier({name!r})", count, numbered(name, count), names, units)
        own = tuple(suffixed(n, name) for n in self.law.own_multipliers(len(symbols)))
        self._now.own = numbered_symbols("multiplier", "of_law", len(own)) if own else ()
        self._now.multiplier = (*symbols, *self._now.own)
        self._now.labels = Labels((*labels.names, *own), (*labels.units, *("" for _ in own)))
        return sp.Matrix(symbols)

    def memory(
        self,
        name: str,
        count: int = 1,
        units: Sequence[str] = (),
        names: Sequence[str] = (),
        symbols: Sequence[str] = (),
    ) -> sp.Matrix:
        """A group of remembered values; ``names`` are those of its columns, ``symbols`` those in emitted code."""
        if name not in self._groups.symbols:
            own = tuple(
                own_symbol("memory", s) for s in symbols or (numbered(name, len(names)) if names else ())
            ) or numbered_symbols("memory", name, stated_count(count, f"memory({name!r})", self._where))
            self._groups.symbols[name] = own
            self._groups.labels[name] = self._labels(
                f"memory({name!r})", len(own), numbered(name.removesuffix("_k"), len(own)), names, units
            )
        return sp.Matrix(self._groups.symbols[name])

    def output(self, rate: sp.Matrix, last_rate: sp.Matrix | None = None) -> None:
        """y(w, lambda; s, m): what the law makes of the output, or of the rate and the one before.

        Raises ``DerivationError`` where the law is about rates and there is none before.
        """
        law, count = type(self.law).__name__, len(self._now.multiplier)
        rows = count - len(self._now.own)
        u = self._column(rate, "the output")
        if last_rate is None and self.law.of_rates:
            raise self._incomplete(f"{law} joins a rate and the one before", "call output(rate, last_rate)")
        u_k = sp.zeros(*u.shape) if last_rate is None else self._column(last_rate, "the rate before", u.rows)
        y = self._column(self.law.rows(u, u_k), f"rows(...) of the law {law}", rows)
        imposed, cones = self.law.imposed(y, sp.Matrix(self._now.multiplier))
        self._now.parts["output"] = self._column(imposed, f"natural_map(...) of the law {law}", count)
        self._now.parts["cones"] = cones
        sizes = self.law.sizes(sp.Matrix(self._now.multiplier))
        if sizes:
            self._now.parts["least"] = self._column(list(sizes), f"sizes(...) of the law {law}", count)

    def impose(
        self, values: sp.Matrix, *cones: tuple[Cone, int], bounds: Any = (), held: bool = False, copies: int = 0
    ) -> None:
        """y of a stage that imposes something else than the law: these rows in these cones, with these bounds.

        Rows that are ``held`` are zero whatever the cones are, in a stage of rates: these bound what they share. The
        last ``copies`` rows repeat others for unknowns that follow from theirs: what they leave open is not counted.
        """
        rows = self._column(values, "what is imposed")
        pairs = all(isinstance(c, tuple) and len(c) == 2 and c[0] in list(Cone) for c in cones)
        if not pairs or sum(height for _, height in cones) != rows.rows:
            given = f"{sum(height for _, height in cones)} rows" if pairs else repr(cones)
            raise self._incomplete(
                f"impose(...) gives the cones {given} for {rows.rows}",
                f"give pairs (cone, rows): impose(values, (Cone.EQUALITY, {rows.rows}))",
            )
        wanted = sum(bound_count(c, height) for c, height in cones)
        if wanted != len(bounds):
            raise self._incomplete(
                f"impose(...) in {', '.join(Cone(c).name for c, _ in cones)} has {len(bounds)} bounds, not {wanted}",
                "give what the cones take, block after block: bounds=[mu]",
            )
        self._now.parts["output"], self._now.parts["cones"] = rows, cones
        self._now.parts["bounds"] = self._column(bounds, "impose(bounds=...)") if wanted else None
        self._now.parts.update(held=held and any(cone != Cone.EQUALITY for cone, _ in cones), copies=copies)

    def least(self, values: sp.Matrix) -> None:
        """What each row of y is compared with at least, besides its own terms: a size below which nothing matters.

        For rows all of whose terms may be zero, rounded, where redundant rows cannot all be met to rounding. What the
        law says of its rows (:meth:`Law.sizes`) is added where :meth:`output` was called before.
        """
        own = self._column(values, "least(...)", len(self._now.multiplier))
        law = self._now.parts.get("least")
        self._now.parts["least"] = own if law is None else own + law

    def bounds(self, at: Mapping[sp.Symbol, sp.Expr]) -> None:
        """The instant at which the law's bounds are taken; t_k+1 by default."""
        self._now.parts["bounds"] = self._bounds(at)

    def _bounds(self, at: Mapping[sp.Symbol, sp.Expr]) -> sp.Matrix | None:
        """Those of the class at an instant, then those of the law's own multipliers."""
        own = self.law.own_bounds(self.cls.height)
        found = self.cls.bounds.xreplace(at).col_join(sp.Matrix(len(own), 1, own))
        return found if found.rows else None

    def reaction(self, *values: sp.Matrix) -> None:
        """rho_i(w, lambda; s, m) on each participant."""
        if len(values) != len(self._schemes):
            raise self._incomplete(
                f"{len(values)} reactions on {len(self._schemes)} participants",
                "call reaction(rho_1, rho_2, ...), one for each participant: reaction(*values)",
            )
        self._now.parts["reactions"] = tuple(
            self._column(rho, f"the reaction on participant {i + 1}", p.unknown.rows)
            for i, (rho, p) in enumerate(zip(values, self.participants, strict=True))
        )

    def observe_own(self, name: str, at: Mapping[sp.Symbol, sp.Expr] | None = None) -> None:
        """Record a term of the class (``output``, ``force``) under its labels, at an instant, :attr:`ended` by default.

        Of an output whose bounds were rewritten it is the user's own y.
        """
        shown = "recorded" if name == "output" and self.has("recorded") else name
        labels = self.cls.labels[len(self.cls.multipliers) :]
        self.observe(self.term(shown, self.ended if at is None else at), [n for n, _ in labels], [u for _, u in labels])

    def react(self, multiplier: sp.Matrix, at: Mapping[sp.Symbol, sp.Expr]) -> None:
        """rho_i = H_i^T lambda on each participant, the gradients at an instant."""
        self.reaction(*(product(H.T, multiplier) for H in self.gradients(at)))

    def remember(self, **values: Any) -> None:
        """New values of groups of the memory, at the advanced state (:attr:`ended`), active or not.

        The stage that remembers a group owns it; at t_0 it fills the group in the same way, with the multipliers at
        t_0, unless :meth:`initial_memory` says otherwise.
        """
        self._now.remember.update(self._of_groups(values, "remember"))

    def initial_memory(self, **values: Any) -> None:
        """What groups of the memory are at t_0, at the initial state (:attr:`ended`), in place of what is remembered.

        Other groups that this stage remembers are filled in the same way as without it.
        """
        found = self._now.parts.get("initial_memory", {})
        self._now.parts["initial_memory"] = {**found, **self._of_groups(values, "initial_memory")}

    def activation(self, mode: sp.Expr) -> None:
        """The mode of a relation that is not always in play: 0 out of play."""
        self._now.parts["activation"] = stated_expression(mode, "activation(...)", self._where)

    def entry(self, mode: sp.Expr) -> None:
        """The mode that a relation out of play takes after a pass of a repeated group: 0 stays out."""
        self._now.parts["entry"] = stated_expression(mode, "entry(...)", self._where)

    def violation(self, value: sp.Expr) -> None:
        """What a repeated group drives below its tolerance."""
        self._now.parts["violation"] = stated_expression(value, "violation(...)", self._where)

    def at_start(self, nonnegative: str = "", zero: str = "") -> None:
        """The groups of the memory that must not be negative, or be zero, when a run starts."""
        for name in filter(None, (nonnegative, zero)):
            self._size(name)
        self._common.nonnegative, self._common.zero = nonnegative, zero

    def places(self, group: str, highest: Sequence[int]) -> None:
        """The entries of a group of the memory are places, 0 to these: the pieces of laws on which rows move.

        The cuts 2 k and 2 k + 1 are what is left of place k where it is odd, and where it is even: below zero a row
        does not move there. The motion that goes on is found among all places where one of these comes to zero; places
        -1, -3, ... are tried where no other motion goes on, and where events accumulate. ``highest`` is negative for
        quantities that go on through a change of places: an odd one is entered only where they came to an end. A memory
        whose highest is 0 has no cuts: it is 0 where a row is held, and tells otherwise which way it slides.
        """
        self._size(group)
        self._common.places = group, tuple(highest)

    def slips(self, group: str, rows: Sequence[int], size: str) -> None:
        """These entries of a group of the memory are rates at which impacts rub; the last of ``size`` is the largest.

        Impacts that accumulate have no limit past a zero of one.
        """
        self._size(group)
        self._common.slips = group, tuple(rows), size

    # -- the whole ----------------------------------------------------------------------------

    def finish(self) -> DiscreteRelation:
        """The step as a record; raises ``DerivationError`` for what is missing or unknown."""
        common, memory = self._common, self._groups.symbols
        if self.cls.memory:  # by the first stage that is run in every step: one that remembers or records already
            run = [s.name for s in self._stages.values() if s.remember or "observed" in s.parts]
            own = self.stage((run or [*self._stages])[0])
            own.remember(remembered=own.term("remembered", own.ended))
            nothing = dict.fromkeys(self.cls.memory, sp.S.Zero)
            own.initial_memory(remembered=own.term("remembered", {**own.ended, **nothing}))
        stages = tuple(self._finished(stage) for stage in self._stages.values())
        if not any(stages):
            raise self._incomplete("nothing is stated of it", "call multiplier(...), output(...) and reaction(...)")
        idle = [name for name in memory if not any(name in stage.remember for stage in self._stages.values())]
        if idle:
            raise self._incomplete(f"the memory {idle[0]!r} is never filled", f"call remember({idle[0]}=...)")
        places = {name: sum(map(len, list(memory.values())[:i])) for i, name in enumerate(memory)}
        first = next((s for s in stages if s is not None and s.multiplier), None)
        return DiscreteRelation(
            self.cls,
            self._groups.every_symbol(),
            self._groups.every_label(),
            stages,
            always_active=first is None or first.activation is None,
            gap=places[common.nonnegative] if common.nonnegative else None,
            zero_rows=len(memory[common.zero]) if common.zero else 0,
            cuts=tuple(self._cuts),
            places=tuple(
                (places[group] + k, value) for group, found in (common.places,) for k, value in enumerate(found)
            ),
            slips=tuple(
                (places[group] + k, places[size] + len(memory[size]) - 1)
                for group, rows, size in (common.slips,)
                for k in rows
            ),
        )

    def _finished(self, stage: _StatedRelationStage) -> RelationStage | None:
        parts = dict(stage.parts)
        if not parts and not stage.multiplier and not stage.remember:
            return None
        systems = [p.stages[stage.number] for p in self._schemes]
        if not any(systems):  # all sit it out: nothing to react on
            parts.setdefault("reactions", tuple(sp.zeros(0, 1) for _ in systems))
        if not stage.multiplier and "output" not in parts:  # it solves nothing
            parts = {"output": sp.zeros(0, 1), "cones": (), "bounds": None, **parts}
            parts.setdefault("reactions", tuple(sp.zeros(len(s.unknown) if s else 0, 1) for s in systems))
        elif not stage.multiplier or "output" not in parts or "reactions" not in parts:
            raise self._incomplete(
                f"stage {stage.name!r} needs multiplier, output and reaction",
                "call multiplier(...), output(...) and reaction(...)",
            )
        parts.setdefault("bounds", self._bounds({NOW: T_NEXT}))
        first = parts.pop("initial_memory", None)
        return RelationStage(
            multiplier=stage.multiplier,
            multiplier_labels=stage.labels,
            remember=self._groups.assigned(stage.remember),
            initial_memory=None if first is None else self._groups.assigned(first),
            **parts,
        )
