"""Equilibria: configurations in which nothing accelerates, with the contacts that carry load in play.

Newton's method for M a - F - reactions - H^T lambda = 0 at rest and g = 0. A contact in play keeps its gap at 0 and
pushes; one that would pull is let go, one that would be broken is taken in. What rubs sticks where its surfaces do not
move upon each other; whether it can is looked at in the end. Where they do (a belt that runs, a body that slides
steadily) its friction is the law's: mu N against the motion.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg

from nsdgen.analysis.forces import Forces, InPlay
from nsdgen.analysis.least_motion import RANK
from nsdgen.errors import ParameterError

_NEAR = 1e-2
"""Of the size of the model, or in metres: contacts that near are tried first."""

_ITERATIONS = 60
"""Newton's method takes about five steps, and more where these are shortened."""

_FARTHEST = 0.3
"""Of a coordinate, or of 1: as far as a step goes."""

_SETTLED = 1e-13
"""Of the size of the forces: what a last step may change of loads whose friction depends on them."""

_BALANCED = 1e-9
"""Of the size of the forces: what may be left of their sum."""


@dataclass(frozen=True)
class Load:
    """What holds a state: rows in play, their multipliers by relation, and accelerations.

    ``size`` is that of the forces which act, or would where all coordinates were off by 1 m or 1 rad: what sums of
    forces that vanish are compared with.
    """

    rows: tuple[InPlay, ...]
    reactions: Mapping[int, np.ndarray]
    accelerations: np.ndarray
    size: float


def load_of(forces: Forces, q: np.ndarray, v: np.ndarray, contacts: Sequence[int]) -> Load:
    """The multipliers of constraints and of these contacts at a state; of several that do the same the least.

    Raises ``ParameterError`` where friction would not hold.
    """
    rows = _rows(forces, q, v, contacts)
    load = _solved(forces, q, v, rows)
    smooth = [
        row
        for row in rows
        if row.rubs and not forces.friction(row.relation, q, v, load.reactions[row.relation])[0].any()
    ]
    if smooth:
        rows = [InPlay(row.relation, row.gap, False) if row in smooth else row for row in rows]
        load = _solved(forces, q, v, rows)
    for row in rows:
        if row.rubs and row not in smooth:
            _check_friction(forces, q, v, row, load)
        _check_bounds(forces, q, v, row, load)
    return load


def _check_bounds(forces: Forces, q: np.ndarray, v: np.ndarray, row: InPlay, load: Load) -> None:
    """Refuse dry friction that would have to be more than it can."""
    bounds, needed = forces.bounds(row.relation, q, v), load.reactions[row.relation]
    room = _BALANCED * load.size
    if bounds is not None and ((needed < bounds[0] - room) | (needed > bounds[1] + room)).any():
        worst = int(np.maximum(bounds[0] - needed, needed - bounds[1]).argmax())
        raise ParameterError(
            f"it needs {needed[worst]:.6g} of friction and has {bounds[0][worst]:.6g} to {bounds[1][worst]:.6g}",
            where=f"relation {forces.description.relations[row.relation].name!r}",
            fix="give a state in which it sticks, or near= one in which it is balanced",
        )


def _check_friction(forces: Forces, q: np.ndarray, v: np.ndarray, row: InPlay, load: Load) -> None:
    """Refuse what sticks and would have to be held by more than mu N."""
    name = forces.description.relations[row.relation].name
    bound, needed = forces.friction(row.relation, q, v, load.reactions[row.relation])
    too_much = (needed > bound * (1 + _BALANCED)) & ~np.array(row.slips or (False,) * len(bound), dtype=bool)
    if too_much.any():
        worst = int(np.argmax(np.where(too_much, needed - bound, -np.inf)))
        raise ParameterError(
            f"it needs {needed[worst]:.6g} of friction and has {bound[worst]:.6g}",
            where=f"relation {name!r}",
            fix="give a state in which it sticks, or near= one in which it is balanced",
        )


def _rows(forces: Forces, q: np.ndarray, v: np.ndarray, contacts: Sequence[int]) -> list[InPlay]:
    """Constraints, what is stuck, and these contacts, with what of their friction slides."""
    rows = [*forces.held(), *forces.stuck(q, v), *(forces.in_play(i) for i in contacts)]
    return [forces.slipping(row, q, v) for row in rows]


def _solved(forces: Forces, q: np.ndarray, v: np.ndarray, rows: Sequence[InPlay]) -> Load:
    """The load of rows in play, with the friction of what slips: M a - G^T lambda = -R, H a = -(du/dq T v + du/dt).

    G is H and, where rows slip, what of their friction comes with their load: one step of Newton's method where it is
    in proportion to that, some in bearings. Raises ``ParameterError`` where none is found.
    """
    load = _without_slip(forces, q, v, rows)
    if not any(any(row.slips) for row in rows):
        return load
    L, J, length, b, by_v = _held(forces, q, v, rows)
    found, still = {i: lam.copy() for i, lam in load.reactions.items()}, np.zeros(forces.n_v)
    for _ in range(_ITERATIONS):
        left = forces.balance(q, v, still, found, rows).values
        pull = scipy.linalg.solve_triangular(L, -left, lower=True)
        G = forces.pushes(q, v, rows, by_v, found)
        G = scipy.linalg.solve_triangular(L, G.T, lower=True).T / length[:, np.newaxis]
        y = np.linalg.lstsq(J @ G.T, b - J @ pull, rcond=RANK)[0]
        if not np.isfinite(y).all():
            break
        at = 0
        for row in rows:
            chosen = forces.chosen(row)
            own = slice(at, at + len(chosen))
            found[row.relation][chosen] += y[own] / length[own]
            at = own.stop
        if np.linalg.norm(y) <= _SETTLED * load.size:
            a = scipy.linalg.solve_triangular(L, pull + G.T @ y, lower=True, trans=1)
            return replace(load, reactions=found, accelerations=a)
    slipping = next(row for row in rows if any(row.slips))
    raise ParameterError(
        "loads and friction of what slides do not settle, each asks for more of the other",
        where=f"relation {forces.description.relations[slipping.relation].name!r}",
        fix="look at its coefficient of friction: a surface that jams itself has no steady load",
    )


def _held(forces: Forces, q: np.ndarray, v: np.ndarray, rows: Sequence[InPlay]) -> tuple[np.ndarray, ...]:
    """L with M = L L^T, J = H L^-T in rows of length 1, the lengths, what J a is to be, and H."""
    rates, change = forces.rates(q, v, rows)
    L = forces.weight(q)
    J = scipy.linalg.solve_triangular(L, rates.by_v.T, lower=True).T
    length = np.maximum(np.linalg.norm(J, axis=1), 1e-300)
    return L, J / length[:, np.newaxis], length, -(rates.by_q @ v + change) / length, rates.by_v


def _without_slip(forces: Forces, q: np.ndarray, v: np.ndarray, rows: Sequence[InPlay]) -> Load:
    """M a - H^T lambda = -R, H a = -(du/dq T v + du/dt), of what slips its load alone."""
    L, J, length, b, _ = _held(forces, q, v, rows)
    free = forces.balance(q, v, np.zeros(forces.n_v), {})
    pull = scipy.linalg.solve_triangular(L, -free.values, lower=True)
    # J (pull + J^T y) = b, L^T a = pull + J^T y
    y = np.linalg.lstsq(J @ J.T, b - J @ pull, rcond=RANK)[0] if len(J) else np.zeros(0)
    found, at = {}, 0
    for row in rows:
        chosen = forces.chosen(row)
        found[row.relation] = np.zeros(forces.classes[row.relation].height)
        found[row.relation][chosen] = (y / length)[at : at + len(chosen)]
        at += len(chosen)
    a = scipy.linalg.solve_triangular(L, pull + J.T @ y, lower=True, trans=1)
    size = scipy.linalg.solve_triangular(L, free.terms + np.abs(free.by_q).sum(axis=1), lower=True)
    return Load(tuple(rows), found, a, float(np.linalg.norm(size) + np.linalg.norm(y)))


def closed_contacts(forces: Forces, q: np.ndarray, share: float = RANK) -> list[int]:
    """The contacts with gaps below a share of the size of the model, or of 1."""
    stops = forces.stops(q)
    return [int(i) for i in stops.owners[stops.values < share * _size(q)]]


def _size(q: np.ndarray) -> float:
    return max(1.0, float(np.abs(q).max(initial=0.0)))


def equilibrium(forces: Forces, q: np.ndarray) -> tuple[np.ndarray, Load]:
    """The equilibrium that Newton's method finds from a configuration.

    Raises ``ParameterError`` where forces cannot be balanced near it, and for contacts whose friction would not hold.
    """
    contacts = closed_contacts(forces, q, _NEAR)
    still = np.zeros(forces.n_v)
    for _ in range(4 + 4 * len(forces.stops(q).owners)):
        q = _balanced(forces, q, contacts)
        gaps = dict(zip(forces.stops(q).owners.tolist(), forces.stops(q).values, strict=True))
        widest = max(contacts, key=lambda i: float(gaps[i]), default=None)
        if widest is not None and gaps[widest] > RANK * _size(
            q
        ):  # those that exclude each other are met on the average
            contacts.remove(widest)
            continue
        load = load_of(forces, q, still, contacts)
        pulls = {i: float(load.reactions[i][0]) for i in contacts}
        broken = [i for i in closed_contacts(forces, q, -RANK) if i not in contacts]
        if pulls and min(pulls.values()) < -_BALANCED * load.size:
            contacts.remove(min(pulls, key=lambda i: pulls[i]))
        elif broken:
            contacts.append(broken[0])
        else:
            _check_rows(forces, q)
            return q, load
    raise ParameterError(
        "contacts take turns, and no set of them balances forces",
        where="equilibrium",
        fix="begin nearer: near={body.position: [...]}",
    )


def _check_rows(forces: Forces, q: np.ndarray) -> None:
    """Refuse constraints and contacts that exclude each other: they were met on the average."""
    held, stops = forces.positions(q), forces.stops(q)
    off, owners = np.append(np.abs(held.values), -stops.values), np.append(held.owners, stops.owners)
    if off.max(initial=0.0) > RANK * _size(q):
        raise ParameterError(
            f"no configuration near it meets all constraints and contacts: one is off by {off.max():.3g}",
            where=f"relation {forces.description.relations[int(owners[off.argmax()])].name!r}",
            fix="begin nearer: near={body.position: [...]}",
        )


def _balanced(forces: Forces, q: np.ndarray, contacts: Sequence[int]) -> np.ndarray:
    """A configuration in which these contacts are closed and nothing accelerates."""
    still = np.zeros(forces.n_v)
    rows = _rows(forces, q, still, contacts)
    for _ in range(_ITERATIONS):
        load = _solved(forces, q, still, rows)
        at = forces.balance(q, still, still, load.reactions, rows)
        L = forces.weight(q)
        H = forces.rates(q, still, rows)[0].by_v
        J, G = (
            scipy.linalg.solve_triangular(L, part.T, lower=True).T
            for part in (H, forces.pushes(q, still, rows, H, load.reactions))
        )
        length = np.maximum(np.linalg.norm(J, axis=1), 1e-300)[:, np.newaxis]
        J, G = J / length, G / length
        gaps = _gaps(forces, q, rows, L)
        stiff = scipy.linalg.solve_triangular(L, scipy.linalg.solve_triangular(L, at.by_q, lower=True).T, lower=True).T
        left = scipy.linalg.solve_triangular(L, at.values, lower=True)
        n, m = forces.n_v, len(J)
        matrix = np.block([[stiff, -G.T], [J, np.zeros((m, m))]])
        scale = np.abs(stiff).max(initial=0.0) or 1.0
        matrix[:n, :n] /= scale
        z = np.linalg.lstsq(matrix, -np.concatenate([left / scale, gaps]), rcond=RANK * 1e-3)[0][:n]
        change = scipy.linalg.solve_triangular(L, z, lower=True, trans=1)
        shift = np.abs(forces.twist_map(q) @ change) / np.maximum(1.0, np.abs(q))
        if shift.max(initial=0.0) < 1e-13 or (
            np.linalg.norm(left) <= 1e-14 * load.size and np.abs(gaps).max(initial=0.0) < 1e-14
        ):
            break
        q = forces.moved(q, change * min(1.0, _FARTHEST / max(float(shift.max()), 1e-300)))
    load = _solved(forces, q, still, rows)
    left = scipy.linalg.solve_triangular(
        forces.weight(q), forces.balance(q, still, still, load.reactions, rows).values, lower=True
    )
    if np.linalg.norm(left) > _BALANCED * load.size:
        name = forces.moved_by(int(np.abs(left).argmax()))
        raise ParameterError(
            f"no equilibrium was found: nothing balances what acts on {name!r}",
            where="equilibrium",
            fix="begin nearer to one, with the contacts that carry it closed",
        )
    return q


def _gaps(forces: Forces, q: np.ndarray, rows: Sequence[InPlay], L: np.ndarray) -> np.ndarray:
    """Gaps of the rows in play by the length of their gradients; 0 for rates, which are at rest."""
    every: dict[int, np.ndarray] = {}
    for found in (forces.positions(q), forces.stops(q)):
        J = scipy.linalg.solve_triangular(L, found.gradients.T, lower=True).T
        values = found.values / np.maximum(np.linalg.norm(J, axis=1), 1e-300)
        every |= {int(i): values[found.owners == i] for i in np.unique(found.owners)}
    parts = []
    for row in rows:
        own = np.zeros(forces.classes[row.relation].height)
        own[: forces.gap_rows(row.relation)] = every.get(row.relation, 0.0)
        parts.append(own[forces.chosen(row)])
    return np.concatenate(parts) if parts else np.zeros(0)
