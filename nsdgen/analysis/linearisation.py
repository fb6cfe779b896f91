"""Linear equations of motion at a state: A, B, C, D, natural frequencies and modes.

Small changes T x of positions and w of velocities obey x' = w + K x and M w' + R_q x + R_v w + R_p p = H^T mu, where R
is what M a - F - reactions - H^T lambda leaves at the state and its multipliers. Rows in play are eliminated: x = Z_q y
with the gaps that stay 0, w = Z u + N x with all rates that do. The derivatives are those of the kernels, exact.

At rest in an equilibrium A is that of the motion. Along a steady motion it is where what A is made of does not change
with the motion: in joint coordinates, with wheels and shafts that turn, and as long as bodies do not turn that are
described by quaternions. Where it changes it is refused.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import scipy.linalg
import sympy as sp

from nsdgen.analysis.equilibrium import Load, closed_contacts, equilibrium, load_of
from nsdgen.analysis.forces import Forces, InPlay
from nsdgen.analysis.least_motion import RANK
from nsdgen.analysis.linear_model import Equilibrium, Linearisation
from nsdgen.analysis.operator_functions import Tabulate
from nsdgen.analysis.states import columns_of, states_given
from nsdgen.errors import ModelWarning, ParameterError, naming_model
from nsdgen.symbolic.description.describe import describe
from nsdgen.symbolic.families.copies import count_of, prototype_of
from nsdgen.symbolic.relations.along import Observed

_STEADY = 1e-7
"""Of the size of the forces: what a state that does not accelerate may leave of their sum."""

_HOLDS = 1e-7
"""Of the largest coordinate or velocity, or of 1: what constraints may be off."""

_LATER = 0.01
"""What the fastest velocity moves until A is looked at again [rad, m]: a change shows, and constraints still hold."""

_CHANGES = 1e-4
"""Of the largest entry of A: what rounding and that small motion leave of one that is constant."""

_OUTPUTS = "outputs of the linearisation"
"""The relation that they are entered by."""


@naming_model
def equilibrium_of(model: Any, near: Any, parameters: Mapping[Any, float], tabulate: Tabulate) -> Equilibrium:
    """:meth:`nsdgen.Model.equilibrium`, whose arguments these are."""
    forces = _forces(model, (), {}, parameters, tabulate)
    q, load = equilibrium(forces, forces.gathered(states_given(model, near, "equilibrium, near"))[0])
    description = forces.description
    states = [list(s.initial) for s in description.systems]
    for p in forces.places.values():
        states[p.number] = [*q[p.q], *np.zeros(p.v.stop - p.v.start)]
    names = [r.name for r in description.relations]
    rows = {f"{names[i]}[{k}]": float(x) for i, lam in load.reactions.items() for k, x in enumerate(lam)}
    return Equilibrium(
        model.name, columns_of(description, states), _contacts(forces, load), rows, tuple(map(tuple, states))
    )


@naming_model
def linearised(
    model: Any,
    inputs: Sequence[sp.Symbol],
    outputs: Mapping[str, Any],
    at: Any,
    parameters: Mapping[Any, float],
    tabulate: Tabulate,
) -> Linearisation:
    """:meth:`nsdgen.Model.linearise`, whose arguments these are."""
    forces = _forces(model, inputs, outputs, parameters, tabulate)
    symbols = [s.name for s in forces.inputs]
    q, v = forces.gathered(states_given(model, at, "linearise, at"))
    load = load_of(forces, q, v, closed_contacts(forces, q))
    _check_state(forces, q, v, load)
    balance = forces.balance(q, v, load.accelerations, load.reactions, load.rows)
    rates, _ = forces.rates(q, v, load.rows)
    shifts = [forces.gap_by_inputs(row.relation, q, v) for row in load.rows if row.gap]
    moves = np.abs(np.vstack([rates.by_p, *shifts])).max(axis=0, initial=0.0)
    if moves.any():
        raise ParameterError(
            f"{symbols[int(moves.argmax())]} moves a constraint, and is no force",
            where="linearise, inputs",
            fix="give parameters that forces depend on: joint.motor(force=u)",
        )
    motion = _motion(forces, q, v, load)
    _check_steady(forces, q, v, motion)
    A, free, Z, N, chosen, fast = motion.A, motion.free, motion.Z, motion.N, motion.chosen, motion.fast
    B = np.vstack([np.zeros((len(chosen), len(symbols))), -np.linalg.solve(motion.inertia, motion.Y.T @ balance.by_p)])
    last = len(forces.description.relations) - 1
    y = forces.shown(last, q, v, "shown", len(outputs)) if outputs else forces.nothing(0)
    C = np.hstack([(y.by_q + y.by_v @ N) @ free, y.by_v @ Z])
    positions, columns = _columns(forces)
    shapes = np.hstack([forces.twist_map(q) @ free, np.zeros((forces.n_q, len(fast)))])
    names = _names_of_changes(forces, q)
    return Linearisation(
        A,
        B,
        C,
        y.by_p,
        (*(names[i] for i in chosen), *(columns[i] for i in fast)),
        tuple(symbols),
        tuple(outputs),
        _contacts(forces, load),
        positions,
        shapes,
    )


def _forces(
    model: Any,
    inputs: Sequence[sp.Symbol],
    outputs: Mapping[str, Any],
    parameters: Mapping[Any, float],
    tabulate: Tabulate,
) -> Forces:
    """The forces of a model with these inputs and outputs, kept for other states."""
    for given, wanted, what in ((inputs, (list, tuple), "a list"), (outputs, Mapping, "a mapping of names")):
        if not isinstance(given, wanted):  # type: ignore[arg-type]
            raise ParameterError(
                f"{given!r} is not {what}", where="linearise", fix="write linearise([torque], {'angle': hinge.angle})"
            )
    key = list(map(str, inputs)), dict(outputs), dict(parameters)
    made: Forces = model.kept("forces", key, lambda: _made(model, inputs, outputs, parameters, tabulate))
    return made


def _made(
    model: Any,
    inputs: Sequence[sp.Symbol],
    outputs: Mapping[str, Any],
    parameters: Mapping[Any, float],
    tabulate: Tabulate,
) -> Forces:
    """The forces of a model; outputs are the last relation."""
    own = model.description
    names = [str(getattr(s, "name", s)) for s in inputs]
    known = {s.name: s for s in own.parameters}
    if missing := [name for name in names if name not in known]:
        raise ParameterError(
            f"{missing[0]!r} is no parameter of the model",
            where="linearise, inputs",
            fix=f"its parameters are {', '.join(known) or 'none'}; an input is one: joint.motor(force=u)",
        )
    description = own
    if outputs:
        first = accumulate((count_of(item) for item in model.systems), initial=0)
        start = {
            f: x
            for item, k in zip(model.systems, first, strict=False)
            if item is prototype_of(item)
            for f, x in zip(item.functions, own.systems[k].initial, strict=True)
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # said when the model was made
            relations = [*model.relations, Observed(_OUTPUTS, outputs)]
            description = describe(model.name, model.systems, relations, model.parameters, start)
    changed = {str(getattr(s, "name", s)): float(x) for s, x in parameters.items()}
    symbols = [next(s for s in description.parameters if s.name == name) for name in names]
    return Forces(description, tabulate, model.start, changed, symbols)


def _check_state(forces: Forces, q: np.ndarray, v: np.ndarray, load: Load) -> None:
    """Refuse a state in which constraints do not hold, or that accelerates."""
    rates = forces.rates(q, v, load.rows)[0].values
    off = max(np.abs(forces.positions(q).values).max(initial=0.0), np.abs(rates).max(initial=0.0))
    if off > _HOLDS * max(1.0, np.abs(q).max(initial=0.0), np.abs(v).max(initial=0.0)):
        raise ParameterError(
            f"constraints are violated by {off:.3g} there",
            where="linearise",
            fix="start from model.assemble(...) or model.equilibrium(...)",
        )
    stops = forces.stops(q)
    if len(stops.values) and stops.values.min() < -_HOLDS * max(1.0, np.abs(q).max(initial=0.0)):
        broken = forces.description.relations[int(stops.owners[stops.values.argmin()])].name
        raise ParameterError(
            f"{broken!r} is penetrated by {-stops.values.min():.3g} there",
            where="linearise",
            fix="start from model.assemble(...) or model.equilibrium(...)",
        )
    pushed = forces.weight(q).T @ load.accelerations
    if np.linalg.norm(pushed) > _STEADY * load.size:
        worst = int(np.abs(pushed).argmax())
        raise ParameterError(
            f"{forces.moved_by(worst)!r} accelerates there, by {load.accelerations[worst]:.3g}",
            where="linearise",
            fix="find a state at rest, model.linearise(at=model.equilibrium()), or give one that moves steadily",
        )


@dataclass(frozen=True)
class _LinearMotion:
    """A, what it is made of, and the numbers of the positions and velocities that are its states.

    Velocities are Z u + N x; rows in play push along what ``Y`` does not see, Z itself where nothing slips.
    """

    A: np.ndarray
    free: np.ndarray
    Z: np.ndarray
    Y: np.ndarray
    N: np.ndarray
    inertia: np.ndarray
    chosen: list[int]
    fast: list[int]


def _motion(forces: Forces, q: np.ndarray, v: np.ndarray, load: Load) -> _LinearMotion:
    """The linear equations at a state, rows in play eliminated."""
    balance = forces.balance(q, v, load.accelerations, load.reactions, load.rows)
    rates, _ = forces.rates(q, v, load.rows)
    gaps = forces.rates(q, v, [InPlay(r.relation, r.gap, False) for r in load.rows])[0].by_v
    M, H, K, L = forces.mass(q), rates.by_v, forces.bracket(q, v), forces.weight(q)
    free, chosen = _null_basis(gaps, L)
    still = np.abs(forces.twist_map(q)).sum(axis=0) == 0  # currents and pressures: they move no coordinate
    free = free[:, [not still[i] for i in chosen]]
    chosen = [i for i in chosen if not still[i]]
    Z, fast = _null_basis(H, L)
    N = -np.linalg.lstsq(H, rates.by_q, rcond=None)[0] if len(H) else np.zeros_like(M)
    N -= Z @ N[fast]
    moved = N + K
    Y = Z
    if any(any(row.slips) for row in load.rows):
        Y, _ = _null_basis(forces.pushes(q, v, load.rows, H, load.reactions), L)
    inertia = Y.T @ M @ Z
    _check_pushes(forces, load, inertia)
    upon_x = -Y.T @ (balance.by_q + balance.by_v @ N + M @ N @ moved) @ free
    upon_u = -Y.T @ (balance.by_v + M @ N) @ Z
    A = np.block([
        [(moved @ free)[chosen], Z[chosen]],
        [np.linalg.solve(inertia, upon_x), np.linalg.solve(inertia, upon_u)],
    ])  # fmt: skip
    return _LinearMotion(A, free, Z, Y, N, inertia, chosen, fast)


def _check_pushes(forces: Forces, load: Load, inertia: np.ndarray) -> None:
    """Refuse contacts in play that pull, and friction that leaves motions without an inertia."""
    for row in load.rows:
        name = forces.description.relations[row.relation].name
        if forces.classes[row.relation].law.unilateral and load.reactions[row.relation][0] < -_STEADY * load.size:
            raise ParameterError(
                f"it would have to pull, by {-load.reactions[row.relation][0]:.6g}, and opens",
                where=f"relation {name!r}",
                fix="give a state in which it is open, or one in which it carries load",
            )
        rows, columns = inertia.shape
        if any(row.slips) and (rows != columns or (rows and np.linalg.cond(inertia) > 1 / RANK)):
            raise ParameterError(
                "its friction and its load are not determined by the motion: they feed each other",
                where=f"relation {name!r}",
                fix="look at its coefficient of friction, or leave out contacts that do the same as others",
            )


def _check_steady(forces: Forces, q: np.ndarray, v: np.ndarray, motion: _LinearMotion) -> None:
    """Refuse a motion along which A changes: a hundredth of a turn later it is compared."""
    if not v.any():
        return
    later = q + forces.twist_map(q) @ v * (_LATER / np.abs(v).max())
    load = load_of(forces, later, v, closed_contacts(forces, later))
    there = _motion(forces, later, v, load)
    same = there.chosen == motion.chosen and there.fast == motion.fast
    if not same or np.abs(there.A - motion.A).max() > _CHANGES * np.abs(motion.A).max():
        raise ParameterError(
            "the linear equations change along this motion, and no constant A describes it",
            where="linearise",
            fix="describe what turns by joint coordinates (nsd.Mechanism, nsd.Revolute), or linearise at rest",
        )


def _null_basis(rows: np.ndarray, L: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """What rows leave free, as a basis in which some of the velocities are themselves; and which."""
    J = scipy.linalg.solve_triangular(L, rows.T, lower=True).T
    J = J / np.maximum(np.linalg.norm(J, axis=1), 1e-300)[:, np.newaxis]
    free = scipy.linalg.null_space(J, rcond=RANK) if len(J) else np.eye(len(L))
    basis = scipy.linalg.solve_triangular(L, free, lower=True, trans=1)
    count = basis.shape[1]
    if not count:
        return basis, []
    order = scipy.linalg.qr((basis / np.linalg.norm(basis, axis=0)).T, mode="r", pivoting=True)[-1]
    chosen = sorted(int(i) for i in order[:count])
    return np.linalg.solve(basis[chosen].T, basis.T).T, chosen


def _contacts(forces: Forces, load: Load) -> tuple[str, ...]:
    names = [r.name for r in forces.description.relations]
    return tuple(names[row.relation] for row in load.rows if forces.classes[row.relation].law.unilateral)


def _columns(forces: Forces) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of positions, and of velocities."""
    q, v = [], []
    for p in forces.places.values():
        labels = [
            f"{forces.description.systems[p.number].name}.{n}" for n in forces.description.initial_names[p.number]
        ]
        count = p.q.stop - p.q.start
        q += labels[:count]
        v += labels[count:]
    return tuple(q), tuple(v)


def _names_of_changes(forces: Forces, q: np.ndarray) -> list[str]:
    """What the change that a velocity makes is called: the coordinate that it changes, or its velocity's integral."""
    T, (positions, velocities) = forces.twist_map(q), _columns(forces)
    found = []
    for k, name in enumerate(velocities):
        (moved,) = np.nonzero(T[:, k])
        alone = len(moved) == 1 and T[moved[0], k] == 1.0
        found.append(positions[moved[0]] if alone else f"integral of {name}")
    return found
