"""Which rows of constraints follow from others, whose they are, and whether they do so in this configuration only."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from nsdgen.analysis.constrained_motion import ConstrainedMotion
from nsdgen.analysis.least_motion import least_motion, scaled

_STEP = 1e-2
"""Of the size of the mechanism, and in radians: how far to look for places where constraints say more."""

_LOOKS = 3
"""Directions that are looked in: one would do but for those of measure zero."""

_DEPENDS = 1e-7
"""Of rows of length 1: what rows are apart that say the same in a configuration found to 1e-10."""


@dataclass(frozen=True)
class Redundant:
    """``rows`` rows of a relation say nothing that its others and the relations ``beside`` do not say already."""

    relation: str
    rows: int
    beside: tuple[str, ...]

    def __str__(self) -> str:
        count = "a row" if self.rows == 1 else f"{self.rows} rows"
        return f"{count} of {self.relation!r} beside {', '.join(map(repr, self.beside)) or 'its own others'}"


@dataclass(frozen=True)
class Dependence:
    """The rows that say something new, in order; of the others, on which of all rows they depend."""

    new: tuple[int, ...]
    others: dict[int, tuple[int, ...]]


def dependent_rows(motion: ConstrainedMotion, q: np.ndarray, end: int) -> tuple[Dependence, np.ndarray]:
    """Of the rates of the first ``end`` relations, row after row; and the relation of each row."""
    rows = motion.velocities(q).of(0, end)
    J = scaled(rows, motion.weight(q))[1]
    basis = np.zeros((0, J.shape[1]))
    new: list[int] = []
    others: dict[int, tuple[int, ...]] = {}
    for i, row in enumerate(J):
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)
        if (length := np.linalg.norm(rest)) > _DEPENDS:
            new.append(i)
            basis = np.vstack([basis, rest / length])
        else:
            share = np.linalg.lstsq(J[new].T, row, rcond=None)[0] if new else np.zeros(0)
            others[i] = tuple(j for j, s in zip(new, share, strict=True) if abs(s) > _DEPENDS)
    return Dependence(tuple(new), others), rows.owners


def freedoms(motion: ConstrainedMotion, found: Dependence) -> int:
    """Velocities that constraints leave free."""
    return motion.n_v - len(found.new)


def redundant(motion: ConstrainedMotion, found: Dependence, owners: np.ndarray) -> tuple[Redundant, ...]:
    """Relation by relation."""
    names = [r.name for r in motion.description.relations]
    rows: dict[int, list[int]] = {}
    for i in found.others:
        rows.setdefault(int(owners[i]), []).append(i)
    return tuple(
        Redundant(
            names[owner],
            len(which),
            tuple(dict.fromkeys(names[k] for i in which for j in found.others[i] if (k := int(owners[j])) != owner)),
        )
        for owner, which in rows.items()
    )


def singular_rows(motion: ConstrainedMotion, q: np.ndarray, end: int, found: Dependence) -> tuple[int, ...]:
    """The rows that depend on others here, and say something new a little further along a motion that is free.

    Configurations beside this one are searched for along random directions that the rates of constraints leave free.
    """
    L = motion.weight(q)
    J = scaled(motion.velocities(q).of(0, end), L)[1]
    free = scipy.linalg.null_space(J, rcond=_DEPENDS) if len(J) else np.zeros((motion.n_v, 0))
    if not free.shape[1] or not found.others:
        return ()
    size = max(1e-300, min(1.0, float(np.abs(q).max())))
    random = np.random.default_rng(0)
    for _ in range(_LOOKS):
        change = scipy.linalg.solve_triangular(L, free @ random.normal(size=free.shape[1]), lower=True, trans=1)
        shift = motion.twist_map(q) @ change
        there = least_motion(
            motion,
            lambda q: motion.positions(q).of(0, end),
            motion.moved(q, change * _STEP * size / np.abs(shift).max()),
        )
        if there.holds:
            beside, _ = dependent_rows(motion, there.q, end)
            if len(beside.new) > len(found.new):
                return tuple(i for i in found.others if i in beside.new)
    return ()
