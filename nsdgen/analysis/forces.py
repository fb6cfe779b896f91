"""Forces and their derivatives as numbers, over all velocities: what equilibria and linearisations are made of.

M(q) a = F(t, q, v) + sum of reactions + H(q)^T lambda,   u = H(q) v + dg/dt = 0 for rows in play
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from nsdgen.analysis.constrained_motion import ConstrainedMotion, moving_operators
from nsdgen.analysis.linear_operators import is_dry, linear_operators
from nsdgen.analysis.operator_functions import Group, Named, Tabulate
from nsdgen.errors import ModelError
from nsdgen.symbolic.description.model_description import ModelDescription, RelationInstance, SystemInstance
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.families.mechanical import beside_motion
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.relations.relation_class import RelationClass

_MOVES = 1e-9
"""Of the largest velocity, or of 1: a rate beyond it slides."""


@dataclass(frozen=True)
class ColumnDerivatives:
    """A column of values (m,), and its derivatives by positions (m, n), velocities (m, n) and parameters (m, k).

    ``terms`` are the sums of the sizes of what values are made of.
    """

    values: np.ndarray
    terms: np.ndarray
    by_q: np.ndarray
    by_v: np.ndarray
    by_p: np.ndarray


@dataclass(frozen=True)
class InPlay:
    """Rows of a relation that hold: of its gap, which fix positions, and of its sliding rates, by friction where it
    ``rubs``. ``slips`` says of every disk of friction whether it slides: its rates are free, its force is the law's."""

    relation: int
    gap: bool
    sliding: bool
    rubs: bool = False
    slips: tuple[bool, ...] = ()


class Forces(ConstrainedMotion):
    """The motion of a description with its forces; ``inputs`` are parameters that derivatives are taken by.

    Raises ``ModelError`` for what a linearisation does not know: systems without velocities, blocks, laws by output.
    """

    def __init__(
        self,
        description: ModelDescription,
        tabulate: Tabulate,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
        inputs: Sequence[sp.Symbol] = (),
    ) -> None:
        description = _with_velocities(description)
        _check(description)
        super().__init__(description, tabulate, t, parameters, lambda c: [*moving_operators(c), *linear_operators(c)])
        self.inputs = tuple(inputs)
        self.classes = [description.relation_classes[r.cls] for r in description.relations]
        self._dry = [i for i, cls in enumerate(self.classes) if is_dry(cls)]
        self._disks = {r.cls: _disks(cls, r.name) for cls, r in zip(self.classes, description.relations, strict=True)}
        changed = parameters or {}
        self._values = {s: sp.Float(changed.get(s.name, p.value)) for s, p in description.parameters.items()}

    def balance(
        self,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        reactions: Mapping[int, np.ndarray],
        rows: Sequence[InPlay] = (),
    ) -> ColumnDerivatives:
        """M a - F - what force elements do - H^T lambda, ``reactions`` lambda by relation, ``rows`` those in play.

        Where rows slip, friction is what the law says, and so are its derivatives.
        """
        slipping = {row.relation: row.slips for row in rows}
        total = self.nothing(self.n_v)
        for p in self.places.values():
            group, system = self.operators.systems[p.number], self.description.systems[p.number]
            own = {"t": np.array([self.t]), "q_1": q[p.q], "v_1": v[p.v], "a": a[p.v]}
            self._add(total, 1.0, p.v, "balance", group, own, [p.v], self._chain(system, p.cls.parameters))
        for i, relation in enumerate(self.description.relations):
            cls, lam = self.classes[i], reactions.get(i)
            if i in self._dry and lam is None:
                lam = self._rubbed(i, q, v)
            if cls.height and lam is None:
                continue
            at = self._at(relation, q, v, lam, slipping.get(i, ()))
            slices = [self.places[j].v for j in relation.participants]
            for m, own_rows in enumerate(slices):
                chain = self._chain(relation, cls.parameters)
                self._add(total, -1.0, own_rows, f"reaction_{m + 1}", self.operators.relations[i], at, slices, chain)
        return total

    def pushes(
        self,
        q: np.ndarray,
        v: np.ndarray,
        rows: Sequence[InPlay],
        gradients: np.ndarray,
        reactions: Mapping[int, np.ndarray],
    ) -> np.ndarray:
        """How the multipliers of rows in play push velocities: their ``gradients`` H, with friction where they slip."""
        found, first = gradients.copy(), 0
        for row in rows:
            chosen = self.chosen(row)
            own = slice(first, first + len(chosen))
            first = own.stop
            if not any(row.slips):
                continue
            relation, count = self.description.relations[row.relation], self.classes[row.relation].height
            at = self._at(relation, q, v, reactions[row.relation], row.slips)
            found[own] = 0.0
            for m, j in enumerate(relation.participants):
                place = self.places[j].v
                shape = place.stop - place.start, count
                name = f"reaction_{m + 1}_lambda"
                found[own, place] += self._value(row.relation, name, at, shape)[:, chosen].T
        return found

    def rates(self, q: np.ndarray, v: np.ndarray, rows: Sequence[InPlay]) -> tuple[ColumnDerivatives, np.ndarray]:
        """u of the rows in play, and du/dt; the derivatives by velocities are H."""
        found, changes = [], []
        for row in rows:
            cls = self.classes[row.relation]
            chosen = self.chosen(row)
            values = self.shown(row.relation, q, v, "rate", cls.height)
            at = self._at(self.description.relations[row.relation], q, v, np.zeros(cls.height))
            changes.append(self._value(row.relation, "rate_t", at, (cls.height,))[chosen])
            found.append(
                ColumnDerivatives(
                    *(part[chosen] for part in (values.values, values.terms, values.by_q, values.by_v, values.by_p))
                )
            )
        if not found:
            return self.nothing(0), np.zeros(0)
        parts = [[getattr(f, name) for f in found] for name in ("values", "terms", "by_q", "by_v", "by_p")]
        return ColumnDerivatives(*map(np.concatenate, parts)), np.concatenate(changes)

    def gap_by_inputs(self, relation: int, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """dg/dp of the rows of a relation that fix positions."""
        instance, cls = self.description.relations[relation], self.classes[relation]
        at, shape = self._at(instance, q, v, np.zeros(cls.height)), (self.gap_rows(relation), len(cls.parameters))
        found: np.ndarray = self._value(relation, "gap_p", at, shape) @ self._chain(instance, cls.parameters)
        return found

    def shown(self, relation: int, q: np.ndarray, v: np.ndarray, name: str, count: int) -> ColumnDerivatives:
        """Values of a relation, ``"rate"`` or the ``"shown"`` ones that are recorded, with their derivatives."""
        instance, cls = self.description.relations[relation], self.classes[relation]
        total = self.nothing(count)
        at = self._at(instance, q, v, np.zeros(cls.height))
        slices = [self.places[j].v for j in instance.participants]
        chain, group = self._chain(instance, cls.parameters), self.operators.relations[relation]
        self._add(total, 1.0, slice(0, count), name, group, at, slices, chain)
        return total

    def chosen(self, row: InPlay) -> np.ndarray:
        """The numbers of the rows in play among those of the relation."""
        cls = self.classes[row.relation]
        first = self.gap_rows(row.relation)
        found = np.concatenate([np.arange(first * row.gap), np.arange(first, cls.height if row.sliding else first)])
        disks = self._disks[self.description.relations[row.relation].cls]
        loose = [i for disk, slips in zip(disks, row.slips, strict=False) if slips for i in disk]
        chosen: np.ndarray = found[~np.isin(found, loose)]
        return chosen

    def slipping(self, row: InPlay, q: np.ndarray, v: np.ndarray) -> InPlay:
        """The same row, with what of its friction slides; one that is stuck is as it was."""
        if not row.rubs:
            return row
        rate = self.shown(row.relation, q, v, "rate", self.classes[row.relation].height).values
        moves = np.abs(rate) > _MOVES * max(1.0, np.abs(v).max(initial=0.0))
        disks = self._disks[self.description.relations[row.relation].cls]
        slips = tuple(bool(moves[list(disk)].any()) for disk in disks)
        return replace(row, slips=slips) if any(slips) else row

    def gap_rows(self, relation: int) -> int:
        """How many rows of a relation fix positions; they come first."""
        terms = self.classes[relation].terms
        return int(terms["gap"].rows) if "gap" in terms else 0

    def stuck(self, q: np.ndarray, v: np.ndarray) -> list[InPlay]:
        """Dry friction whose rates are 0."""
        rows = [InPlay(i, False, True) for i in self._dry]
        return [row for row in rows if not self._rubbed(row.relation, q, v).any()]

    def bounds(self, relation: int, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The least and the largest force of dry friction; None of other relations."""
        if relation not in self._dry:
            return None
        count = self.classes[relation].height
        at = self._at(self.description.relations[relation], q, v, np.zeros(count))
        lower, upper = (self._value(relation, name, at, (count,)) for name in ("lower", "upper"))
        return lower, upper

    def _rubbed(self, relation: int, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The force of dry friction that slides, 0 where it is at rest; raises ``ModelError`` for both in one."""
        rate = self.shown(relation, q, v, "rate", self.classes[relation].height).values
        moves = np.abs(rate) > _MOVES * max(1.0, np.abs(v).max(initial=0.0))
        if not moves.any():
            return np.zeros(len(rate))
        if not moves.all():
            raise _refused(
                self.description.relations[relation].name,
                "some of its rows slide and some are at rest",
                "write each of them as a relation of its own",
            )
        lower, upper = self.bounds(relation, q, v) or (rate, rate)
        return np.where(rate > 0, lower, upper)

    def name_of(self, system: int) -> str:
        """The name of a system."""
        return self.description.systems[system].name

    def moved_by(self, velocity: int) -> str:
        """The name of the system that a velocity belongs to."""
        return self.name_of(next(p.number for p in self.places.values() if p.v.start <= velocity < p.v.stop))

    def held(self) -> list[InPlay]:
        """Constraints that always hold."""
        return [self.in_play(i) for i, _ in self._held]

    def in_play(self, relation: int) -> InPlay:
        """All rows of a relation."""
        cls = self.classes[relation]
        return InPlay(relation, True, True, bool(cls.terms["sliding"].rows) and not isinstance(cls.law, Equality))

    def nothing(self, rows: int) -> ColumnDerivatives:
        """So many values that are zero, and depend on nothing."""
        n, k = self.n_v, len(self.inputs)
        return ColumnDerivatives(
            np.zeros(rows), np.zeros(rows), np.zeros((rows, n)), np.zeros((rows, n)), np.zeros((rows, k))
        )

    def friction(self, relation: int, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """mu N and the force of friction of each surface that rubs; nothing where none does."""
        count = len(self._disks[self.description.relations[relation].cls])
        at = self._at(self.description.relations[relation], q, v, lam)
        bound, force = (self._value(relation, name, at, (count,)) for name in ("bound", "rubbing"))
        return bound, force

    def bracket(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """K with x' = w + K x for small changes T x of positions and w of velocities along a motion with v."""
        T, found = self.twist_map(q), np.zeros((self.n_v, self.n_v))
        for p in self.places.values():
            group = self.operators.systems[p.number]
            if "moved_q" not in group:
                continue
            own, n = T[p.q, p.v], p.v.stop - p.v.start
            shape = (len(own), len(own))
            along = self.operators.value(group, "moved_q", {"q_1": q[p.q], "v_1": v[p.v]}, shape) @ own
            each = [
                self.operators.value(group, "moved_q", {"q_1": q[p.q], "v_1": unit}, shape) @ (own @ v[p.v])
                for unit in np.eye(n)
            ]
            found[p.v, p.v] = np.linalg.lstsq(own, along - np.column_stack(each), rcond=None)[0]
        return found

    def _at(
        self,
        relation: RelationInstance,
        q: np.ndarray,
        v: np.ndarray,
        lam: np.ndarray | None,
        slips: Sequence[bool] = (),
    ) -> Named:
        own = [self.places[j] for j in relation.participants]
        at = {"t": np.array([self.t]), "lambda": np.zeros(0) if lam is None else lam}
        at["slips"] = np.array(slips or (False,) * len(self._disks[relation.cls]), dtype=float)
        return (
            at | {f"q_{k + 1}": q[p.q] for k, p in enumerate(own)} | {f"v_{k + 1}": v[p.v] for k, p in enumerate(own)}
        )

    def _value(self, relation: int, name: str, at: Named, shape: tuple[int, ...]) -> np.ndarray:
        return self.operators.value(self.operators.relations[relation], name, at, shape)

    def _add(
        self,
        total: ColumnDerivatives,
        sign: float,
        rows: slice,
        name: str,
        group: Group,
        at: Named,
        slices: Sequence[slice],
        chain: np.ndarray,
    ) -> None:
        n = rows.stop - rows.start
        values = self.operators.value(group, name, at, (n,))
        total.values[rows] += sign * values
        total.terms[rows] += np.abs(values)
        for k, columns in enumerate(slices):
            shape = n, columns.stop - columns.start
            total.by_q[rows, columns] += sign * self.operators.value(group, f"{name}_q_{k + 1}", at, shape)
            total.by_v[rows, columns] += sign * self.operators.value(group, f"{name}_v_{k + 1}", at, shape)
        if chain.size:
            total.by_p[rows] += sign * self.operators.value(group, f"{name}_p", at, (n, len(chain))) @ chain

    def _chain(self, instance: SystemInstance | RelationInstance, parameters: Sequence[sp.Symbol]) -> np.ndarray:
        """d(arguments of an instance) / d(inputs)."""
        found = np.zeros((len(parameters), len(self.inputs)))
        for i, argument in enumerate(instance.arguments):
            value = as_expression(argument.value)
            for j, symbol in enumerate(self.inputs):
                if symbol in value.free_symbols:
                    found[i, j] = float(value.diff(symbol).xreplace(self._values))
        return found


def _disks(cls: RelationClass, name: str) -> tuple[tuple[int, ...], ...]:
    """The rows of every disk of friction of a class; raises ``ModelError`` for a law that does not say them."""
    if "gap" not in cls.terms:
        return ()
    found = cls.law.disks(sp.Matrix(sp.symbols(f"l:{cls.height}")))
    if found is None:
        raise _refused(
            name,
            f"its law {type(cls.law).__name__} does not say what friction its rows bear",
            "give the law disks(multiplier)",
        )
    return tuple(disk.rows for disk in found)


def _with_velocities(description: ModelDescription) -> ModelDescription:
    """The same with first-order systems as velocities that move no coordinate."""

    def moving(cls: SystemClass) -> SystemClass:
        return beside_motion(cls) if cls.roles == ("x",) else cls

    relations = tuple(
        replace(cls, participants=tuple(replace(p, system=moving(p.system)) for p in cls.participants))
        if any(p.system.roles == ("x",) for p in cls.participants)
        else cls
        for cls in description.relation_classes
    )
    return replace(
        description, system_classes=tuple(map(moving, description.system_classes)), relation_classes=relations
    )


def _check(description: ModelDescription) -> None:
    """Refuse what is no motion under forces."""
    if description.blocks:
        block = description.relations[description.blocks[0].relation]
        raise _refused(
            block.name, "a block acts at instants", "leave it out: linearise the plant, and close the loop after"
        )
    for system in description.systems:
        cls = description.system_classes[system.cls]
        if not cls.group("v") or "force" not in cls.terms:
            raise _refused(
                system.name,
                "it has neither velocities nor states with rates",
                "leave out what relations alone determine",
            )
    for relation in description.relations:
        found: RelationClass = description.relation_classes[relation.cls]
        if "gap" not in found.terms and found.height and not found.own_step and not is_dry(found):
            raise _refused(
                relation.name,
                "its law joins outputs and forces, which have no derivative at rest",
                "leave it out, or write the force as a nsd.ForceElement",
            )


def _refused(name: str, problem: str, fix: str) -> ModelError:
    return ModelError(f"cannot be linearised: {problem}", where=repr(name), fix=fix)
