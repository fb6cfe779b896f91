"""What holds in a model, as numbers: gaps, rates and their gradients, over all positions q and velocities v at once.

q' = T(q) v. Rows of positions are g(t, q) = 0 of joints and other constraints, rows of velocities those and H v + b = 0
of constraints of velocities alone; stops are the gaps of contacts, g(t, q) >= 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg

from nsdgen.analysis.operator_functions import InstanceOperators, Tabulate, Wanted, operators_of_description
from nsdgen.symbolic.description.model_description import ModelDescription
from nsdgen.symbolic.families.system_class import Operator, SystemClass
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.relations.relation_class import RelationClass

_OF_SYSTEMS = ("mass", "twist_map")
_OF_RELATIONS = ("gap", "gap_t", "gap_twist", "sliding_t", "sliding_twist")


class Rows(NamedTuple):
    """Values (m,), their gradients in v (m, n), and the number of the relation behind each row."""

    values: np.ndarray
    gradients: np.ndarray
    owners: np.ndarray

    def of(self, first: int, end: int) -> Rows:
        """Those of the relations ``first`` to ``end``."""
        chosen = (self.owners >= first) & (self.owners < end)
        return Rows(self.values[chosen], self.gradients[chosen], self.owners[chosen])


def stacked(rows: list[Rows], n: int) -> Rows:
    """Rows below each other, ``n`` velocities wide."""
    if not rows:
        return Rows(np.zeros(0), np.zeros((0, n)), np.zeros(0, dtype=int))
    return Rows(*(np.concatenate(parts) for parts in zip(*rows, strict=True)))


@dataclass(frozen=True)
class _SystemPlace:
    """Of a system that moves: its number, its class, and where its q and v lie among those of all."""

    number: int
    cls: SystemClass
    q: slice
    v: slice


class ConstrainedMotion:
    """The systems of a description that have positions and velocities, and what holds of them at the time ``t``."""

    def __init__(
        self,
        description: ModelDescription,
        tabulate: Tabulate,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
        wanted: Wanted | None = None,
    ) -> None:
        self.description, self.t = description, t
        self.operators: InstanceOperators = operators_of_description(
            description, wanted or moving_operators, tabulate, parameters
        )
        self.places: dict[int, _SystemPlace] = {}
        n_q = n_v = 0
        for i, system in enumerate(description.systems):
            cls = description.system_classes[system.cls]
            q, v = len(cls.group("q")), len(cls.group("v"))
            if q or v:
                self.places[i] = _SystemPlace(i, cls, slice(n_q, n_q + q), slice(n_v, n_v + v))
                n_q, n_v = n_q + q, n_v + v
        self.n_q, self.n_v = n_q, n_v
        blocks = {b.relation for b in description.blocks}
        classes = [(i, description.relation_classes[r.cls]) for i, r in enumerate(description.relations)]
        moving = [(i, c) for i, c in classes if "gap" in c.terms and i not in blocks]
        self._held = [(i, c) for i, c in moving if not c.law.unilateral]
        self._stops = [(i, c) for i, c in moving if c.law.unilateral]

    def initial(self) -> tuple[np.ndarray, np.ndarray]:
        """q and v that the description starts with."""
        return self.gathered([s.initial for s in self.description.systems])

    def gathered(self, states: Sequence[Sequence[float]]) -> tuple[np.ndarray, np.ndarray]:
        """q and v of the states of all systems."""
        q, v = np.zeros(self.n_q), np.zeros(self.n_v)
        for place in self.places.values():
            count = place.q.stop - place.q.start
            q[place.q], v[place.v] = states[place.number][:count], states[place.number][count:]
        return q, v

    def twist_map(self, q: np.ndarray) -> np.ndarray:
        """T(q), n_q x n_v."""
        found = np.zeros((self.n_q, self.n_v))
        for p in self.places.values():
            group, own = self.operators.systems[p.number], q[p.q]
            shape = len(own), p.v.stop - p.v.start
            found[p.q, p.v] = (
                self.operators.value(group, "twist_map", {"q": own}, shape) if "twist_map" in group else np.eye(*shape)
            )
        return found

    def mass(self, q: np.ndarray) -> np.ndarray:
        """M(t, q), n_v x n_v."""
        found = np.zeros((self.n_v, self.n_v))
        for p in self.places.values():
            n = p.v.stop - p.v.start
            at = {"t": np.array([self.t]), "q": q[p.q], "v": np.zeros(n)}  # no mass depends on velocities
            found[p.v, p.v] = self.operators.value(self.operators.systems[p.number], "mass", at, (n, n))
        return found

    def weight(self, q: np.ndarray) -> np.ndarray:
        """L with L L^T = M, of which a share of 1e-12 is added where M is singular: what lengths are measured by."""
        mass = self.mass(q)
        mean = np.trace(mass) / max(self.n_v, 1)
        least = np.where(np.diagonal(mass) > 0, 1e-12 * np.diagonal(mass), 1e-12 * mean or 1.0)
        found: np.ndarray = scipy.linalg.cholesky(mass + np.diag(least), lower=True)
        return found

    def moved(self, q: np.ndarray, change: np.ndarray) -> np.ndarray:
        """q + T(q) change, of norm 1 where that is asked for."""
        found: np.ndarray = q + self.twist_map(q) @ change
        for p in self.places.values():
            for group in p.cls.configuration.unit_norm:
                entries = p.q.start + np.array(group)
                found[entries] /= np.linalg.norm(found[entries])
        return found

    def between(self, q: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The change that carries q towards the other configuration, the shorter way round."""
        there = other.copy()
        for p in self.places.values():
            for group in p.cls.configuration.unit_norm:
                entries = p.q.start + np.array(group)
                there[entries] *= np.copysign(1.0, q[entries] @ other[entries])
        found: np.ndarray = np.linalg.lstsq(self.twist_map(q), there - q, rcond=None)[0]
        return found

    def positions(self, q: np.ndarray) -> Rows:
        """g(t, q) of all constraints, and dg/dq T."""
        return stacked([self._gap(i, cls, q) for i, cls in self._held], self.n_v)

    def stops(self, q: np.ndarray) -> Rows:
        """g(t, q) of all contacts, and dg/dq T."""
        return stacked([self._gap(i, cls, q) for i, cls in self._stops], self.n_v)

    def velocities(self, q: np.ndarray) -> Rows:
        """The rates at v = 0 and H: dg/dt of constraints of positions, b of those of velocities."""
        found = []
        for i, cls in self._held:
            found.append(self._rows(i, cls, q, "gap_t", "gap_twist", cls.terms["gap"].rows))
            if isinstance(cls.law, Equality):  # the sliding rates of other laws rub, and may be anything
                found.append(self._rows(i, cls, q, "sliding_t", "sliding_twist", cls.terms["sliding"].rows))
        return stacked(found, self.n_v)

    def _gap(self, relation: int, cls: RelationClass, q: np.ndarray) -> Rows:
        return self._rows(relation, cls, q, "gap", "gap_twist", cls.terms["gap"].rows)

    def _rows(self, relation: int, cls: RelationClass, q: np.ndarray, name: str, gradient: str, count: int) -> Rows:
        group = self.operators.relations[relation]
        own = [self.places[i] for i in self.description.relations[relation].participants]
        many = len(own) > 1
        at = {"t": np.array([self.t]), **{f"q_{k + 1}" if many else "q": q[p.q] for k, p in enumerate(own)}}
        gradients = np.zeros((count, self.n_v))
        if count:
            for k, p in enumerate(own):
                shape = count, p.v.stop - p.v.start
                gradients[:, p.v] += self.operators.value(group, f"{gradient}_{k + 1}" if many else gradient, at, shape)
        return Rows(self.operators.value(group, name, at, (count,)), gradients, np.full(count, relation))


def moving_operators(cls: SystemClass | RelationClass) -> list[Operator]:
    """What positions, velocities and constraints are told by."""
    if isinstance(cls, SystemClass):
        return [o for o in cls.operators() if o.name in _OF_SYSTEMS]
    if "gap" not in cls.terms:
        return []
    return [o for o in cls.operators() if o.name.rstrip("_0123456789") in _OF_RELATIONS]
