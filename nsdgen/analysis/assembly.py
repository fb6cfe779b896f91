"""Assembly: a start in which all joints and constraints hold, nearest to approximate positions and velocities.

Positions are found by :mod:`nsdgen.analysis.least_motion`; velocities then solve min |v - v_near| in the mass with

    H(q) v + dg/dt = 0

for constraints, and what is held of rates. The same search is inverse kinematics: what is held may be the position of
a point or a marker, or the axis of one.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg
import sympy as sp

from nsdgen.analysis.constrained_motion import ConstrainedMotion, Rows, stacked
from nsdgen.analysis.dependent_rows import Redundant, dependent_rows, freedoms, redundant, singular_rows
from nsdgen.analysis.least_motion import RANK, least_motion, scaled
from nsdgen.analysis.operator_functions import Tabulate
from nsdgen.analysis.states import columns_of, states_given
from nsdgen.errors import ModelWarning, ParameterError, naming_model
from nsdgen.symbolic.description.describe import describe
from nsdgen.symbolic.description.starts import GivenStart, label_of_key, start_of
from nsdgen.symbolic.families.copies import prototype_of
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.relations.gap_class import GapClass
from nsdgen.symbolic.relations.relation import Place, Relation
from nsdgen.symbolic.relations.sliding import sliding_rates

_ROUNDING = 1e-15
"""Of the fastest velocity: a motion in a plane stays there exactly, and not to the last digit only."""

_AGREES = 1e-9
"""Of the largest rate, or of 1: velocities that rates agree with."""


@dataclass(frozen=True)
class Assembly:
    """A start that was found: ``values`` by column, for ``run(initial=...)``, and what constraints say there.

    ``freedoms`` counts velocities that the constraints of the model leave free, those of motors and of what was held
    for the search not among them. ``redundant`` are rows that say nothing new, relation by relation; ``singular`` names
    relations that do so in this configuration and not beside it: there a mechanism may go on in several ways, and
    forces are not determined. ``states`` are all initial values, system by system; ``functions`` are those that were
    searched for, by function of time.
    """

    model: str
    values: Mapping[str, float]
    freedoms: int
    redundant: tuple[Redundant, ...]
    singular: tuple[str, ...]
    states: tuple[tuple[float, ...], ...] = field(repr=False)
    functions: Mapping[Any, Any] = field(repr=False)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The report, line by line."""
        return [
            f"{self.model}: {self.freedoms} degree{'s' * (self.freedoms != 1)} of freedom",
            *(f"redundant: {item}" for item in self.redundant),
            *([f"singular configuration: {', '.join(map(repr, self.singular))}"] if self.singular else []),
        ]


class Assembler:
    """Searches for starts of one model in which ``keys``, expressions of the user, have values that are given later.

    Raises ``ModelError`` for keys that are no functions of positions or, linearly, of velocities.
    """

    def __init__(
        self,
        name: str,
        systems: Sequence[Any],
        relations: Sequence[Any],
        parameters: Mapping[Any, Any],
        start: GivenStart,
        t: float,
        values: Mapping[str, float],
        tabulate: Tabulate,
    ) -> None:
        self.name, self.start = name, start
        self._keys = list(start.conditions)
        attitudes = {tuple(body.quaternion) for item in systems for body in getattr(item, "bodies", ())}
        self._turned = [isinstance(key, sp.MatrixBase) and tuple(key) in attitudes for key in self._keys]
        self._labels = [label_of_key(key, relations) for key in self._keys]
        held = [_Condition(f"initial value {n}", key, self._labels[n]) for n, key in enumerate(self._keys)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # of a configuration that is only looked at
            description = describe(name, systems, [*relations, *held], parameters, {**start.guess, **start.others})
        self.description = description
        self.motion = ConstrainedMotion(description, tabulate, t, values)
        self._own = len(description.relations) - len(held)
        self._members = [member for item in systems for member in _members(item)]
        used = {member for item in systems for member in getattr(item, "named", [item])}
        numbered = [(i, member) for i, member in enumerate(self._members) if member in used]
        self._slots = {f: (i, j) for i, member in numbered for j, f in enumerate(member.functions)}

    def found(self, start: GivenStart, states: Sequence[Sequence[float]] | None = None) -> Assembly:
        """The start nearest to ``states`` in which what ``start`` holds has its values.

        Without states those of ``start`` itself. Raises ``ParameterError`` naming what cannot hold together.
        """
        motion = self.motion
        base = [list(s.initial) for s in self.description.systems] if states is None else [list(row) for row in states]
        for f, value in (start.guess if states is None else {**start.near, **start.held}).items():
            i, j = self._slots[f]
            base[i][j] = value
        q, v = motion.gathered(base)
        targets = {self._own + n: np.array(start.conditions[key], dtype=float) for n, key in enumerate(self._keys)}
        fixed = [(self._slots[f], value) for f, value in start.held.items()]

        def held(q: np.ndarray) -> Rows:
            return stacked([self._aimed(motion.positions(q), targets), self._fixed(q, fixed)], motion.n_v)

        self._check_values(held(q))
        found = least_motion(motion, held, q)
        if not found.holds:
            raise self._contradiction(found.rows, "positions")
        v = self._velocities(found.q, v, targets, fixed)
        for place in motion.places.values():
            base[place.number] = [*found.q[place.q], *v[place.v]]
        return self._report(found.q, base)

    def _aimed(self, rows: Rows, targets: Mapping[int, np.ndarray]) -> Rows:
        """Rows with what conditions are to be taken off; angles the shorter way round, of p and -p what is nearer."""
        values = rows.values.copy()
        for owner, target in targets.items():
            own = rows.owners == owner
            if own.any():
                flips = self._turned[owner - self._own] and values[own] @ target < 0
                values[own] -= -target if flips else target
                if isinstance(self._keys[owner - self._own], sp.atan2):
                    values[own] = np.arctan2(np.sin(values[own]), np.cos(values[own]))
        return Rows(values, rows.gradients, rows.owners)

    def _fixed(self, q: np.ndarray, fixed: Sequence[tuple[tuple[int, int], float]]) -> Rows:
        """Coordinates that are given, as rows; they count as the relation -1 - system."""
        motion, T = self.motion, self.motion.twist_map(q)
        rows = []
        for (i, j), value in fixed:
            place = motion.places.get(i)
            if place is not None and j < place.q.stop - place.q.start:
                k = place.q.start + j
                rows.append(Rows(q[k : k + 1] - value, T[k : k + 1], np.array([-1 - i])))
        return stacked(rows, motion.n_v)

    def _velocities(
        self,
        q: np.ndarray,
        near: np.ndarray,
        targets: Mapping[int, np.ndarray],
        fixed: Sequence[tuple[tuple[int, int], float]],
    ) -> np.ndarray:
        motion = self.motion
        rates = motion.velocities(q)
        of_positions = np.isin(rates.owners, motion.positions(q).owners) & (rates.owners >= self._own)
        rates = self._aimed(Rows(*(part[~of_positions] for part in rates)), targets)
        rows = [rates]
        for (i, j), value in fixed:
            place = motion.places.get(i)
            if place is not None and j >= (count := place.q.stop - place.q.start):
                gradient = np.zeros((1, motion.n_v))
                gradient[0, place.v.start + j - count] = 1.0
                rows.append(Rows(np.array([-value]), gradient, np.array([-1 - i])))
        every = stacked(rows, motion.n_v)
        L = motion.weight(q)
        v = near
        for _ in range(2):  # once more for what rounding left
            missing, J = scaled(Rows(every.values + every.gradients @ v, every.gradients, every.owners), L)
            z = np.linalg.lstsq(J, missing, rcond=RANK)[0]
            v = v - scipy.linalg.solve_triangular(L, z, lower=True, trans=1)
        v = np.where((v != near) & (np.abs(v) < _ROUNDING * np.abs(v).max(initial=0.0)), 0.0, v)
        left = every.values + every.gradients @ v
        if np.abs(left).max(initial=0.0) > _AGREES * max(1.0, np.abs(v).max(initial=0.0)):
            raise self._contradiction(Rows(left, every.gradients, every.owners), "velocities")
        return v

    def _report(self, q: np.ndarray, states: list[list[float]]) -> Assembly:
        rows, owners = dependent_rows(self.motion, q, self._own)
        names = [r.name for r in self.description.relations]
        singular = singular_rows(self.motion, q, self._own, rows)
        return Assembly(
            self.name,
            columns_of(self.description, states),
            freedoms(self.motion, rows),
            tuple(r for r in redundant(self.motion, rows, owners)),
            tuple(dict.fromkeys(names[owners[i]] for i in singular)),
            tuple(map(tuple, states)),
            self._functions(states),
        )

    def _functions(self, states: Sequence[Sequence[float]]) -> dict[Any, float]:
        """Values by function of time; of copies those that differ from what they were described with."""
        found = {f: states[i][j] for f, (i, j) in self._slots.items()}
        for member, system, row in zip(self._members, self.description.systems, states, strict=True):
            if tuple(row) != system.initial:
                found |= zip(member.functions, row, strict=True)
        return found

    def _name_of(self, owner: int) -> str:
        if owner < 0:
            return f"what is given of {self.description.systems[-1 - owner].name!r}"
        if owner >= self._own:
            return f"what is given of {self._labels[owner - self._own]}"
        return f"{self.description.relations[owner].name!r}"

    def _check_values(self, rows: Rows) -> None:
        """Refuse a start where what is to hold has no value, as an angle whose axis lies along the hinge."""
        bad = [int(o) for o in rows.owners[~np.isfinite(rows.values) | ~np.isfinite(rows.gradients).all(axis=1)]]
        if bad:
            raise ParameterError(
                f"{self._name_of(bad[0])} has no value where the search begins",
                where="initial",
                fix="give approximate positions: near={body.position: [...], body.quaternion: [...]}",
            )

    def _contradiction(self, rows: Rows, of: str) -> ParameterError:
        left = np.abs(rows.values)
        names = list(dict.fromkeys(self._name_of(int(o)) for o in rows.owners[left > 1e-3 * left.max()]))
        return ParameterError(
            f"no {of} were found in which these hold together: {', '.join(names)}; {left.max():.3g} is left",
            where="initial",
            fix="hold less of them, or begin nearer: near={body.position: [...], body.quaternion: [...]}",
        )


@naming_model
def assembled(
    model: Any, initial: Mapping[Any, Any] | None, near: Any, parameters: Mapping[Any, float], tabulate: Tabulate
) -> Assembly:
    """:meth:`nsdgen.Model.assemble`, whose arguments these are."""
    states: Sequence[Sequence[float]] | None = None
    guess = near if isinstance(near, Mapping) else None
    if near is None and initial is None:
        guess = model.near
    elif guess is None:
        states = states_given(model, near, "assemble, near")
    start = start_of(model.systems, model.initial if initial is None else initial, guess, model.name)
    values = {str(getattr(s, "name", s)): float(x) for s, x in parameters.items()}
    search = model.kept(
        "assembler",
        (tuple(start.conditions), frozenset(start.guess), values),
        lambda: Assembler(
            model.name, model.systems, model.relations, model.parameters, start, model.start, values, tabulate
        ),
    )
    found: Assembly = search.found(start, states)
    return found


def _members(item: Any) -> Iterable[Any]:
    """The systems of an entry of the model's list."""
    return [item] if item is prototype_of(item) else item


class _Condition(Relation):
    """An expression of the user that is to have a value: a function of positions, or of velocities, linear in them."""

    law = Equality()

    def __init__(self, name: str, key: Any, label: str) -> None:
        self.name, self.label = name, label
        self._values = list(key) if isinstance(key, sp.MatrixBase) else [key]

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """The expressions."""
        return self._values

    def describe(self, place: Place) -> GapClass:
        """Gaps, or rates where one of the entries holds a velocity."""
        where = f"initial value of {self.label}"
        place = Place(where, place.symbols, place.systems, place.participants)
        values = place.entered(sp.Matrix(self._values), "value")
        velocities = {s for p in place.participants for s in p.group("v")}
        none = sp.zeros(0, 1)
        if velocities.isdisjoint(values.free_symbols):
            return GapClass(self.name, (), place.participants, self.law, {"gap": values, "sliding": none})
        rates = sliding_rates(sp.Matrix(self._values), none, place, "rate")
        return GapClass(self.name, (), place.participants, self.law, {"gap": none, "sliding": rates})
