"""What is attacked with: a one-step problem, what is known of it, and how an answer to it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from judge import Verdict, contacts, judge, judge_global
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

Vector = NDArray[np.float64]
Rng = np.random.Generator
MOST_DIGITS = 460  # binary: units of rows and columns between 1e-139 and 1e139


@dataclass(frozen=True)
class Attack:
    """A problem: ``solve()`` by a public function, ``verdict(solution)`` by the independent judge.

    ``solvable`` is True or False where that is known by construction or by a theorem, None where it is not.
    """

    rows: int
    solvable: bool | None
    solve: Callable[[], Any]
    verdict: Callable[[Any], Verdict]


Family = Callable[[Rng, bool], Attack]  # the random numbers of one problem, and whether it is to be a large one


def units(rng: Rng, size: int, digits: int = MOST_DIGITS) -> Vector:
    """Powers of two, so that changing units rounds nothing."""
    return np.exp2(rng.integers(-digits, digits + 1, size)).astype(float)


def in_units(M: Any, row: Vector, column: Vector) -> Any:
    """diag(row) M diag(column)."""
    if issparse(M):
        return csr_array(M.multiply(row[:, None]).multiply(column[None, :]))
    return M * row[:, None] * column


def bounded(
    M: Any, q: Vector, lower: ArrayLike, upper: ArrayLike, solvable: bool | None,
    row: Vector | None = None, column: Vector | None = None,
) -> Attack:  # fmt: skip
    """A complementarity, mixed or box problem, solved in the units ``row`` and ``column`` and judged in its own."""
    from nsdgen.solvers import solve_box, solve_lcp, solve_mlcp

    n = len(q)
    low, high = (np.array(np.broadcast_to(x, (n,)), dtype=float) for x in (lower, upper))
    rows, columns = (np.ones(n) if x is None else x for x in (row, column))
    matrix, load = (M, q) if row is None and column is None else (in_units(M, rows, columns), q * rows)
    free = np.isinf(low) & np.isinf(high)
    if not (np.isinf(high).all() and (free | (low == 0)).all()):
        solve = lambda: solve_box(matrix, load, low / columns, high / columns)  # noqa: E731
    elif free.any():
        solve = lambda: solve_mlcp(matrix, load, free)  # noqa: E731
    else:
        solve = lambda: solve_lcp(matrix, load)  # noqa: E731
    laws: list[Any] = [("box", np.arange(n), (low, high))]
    return Attack(n, solvable, solve, lambda found: judge(M, q, laws, found.z.astype(np.longdouble) * columns))


def complementary(M: Any, q: Vector, solvable: bool | None, row: Any = None, column: Any = None) -> Attack:
    """0 <= M z + q, 0 <= z, orthogonal."""
    return bounded(M, q, 0.0, np.inf, solvable, row, column)


def frictional(
    W: Any, q: Vector, mu: ArrayLike, dim: int, solvable: bool | None,
    unit: Vector | None = None, rolling: ArrayLike | None = None,
) -> Attack:  # fmt: skip
    """Contacts with ``dim`` rows each; ``unit`` (contacts,) are units of their reactions."""
    from nsdgen.solvers import solve_friction

    each = np.ones(len(q)) if unit is None else np.repeat(unit, dim)
    matrix, load = (W, q) if unit is None else (in_units(W, each, each), q * each)
    laws = contacts(mu, dim, len(q) // dim, rolling)
    return Attack(
        len(q), solvable, lambda: solve_friction(matrix, load, mu, dim, mu_rolling=rolling),
        lambda found: judge(W, q, laws, found.z.astype(np.longdouble) * each),
    )  # fmt: skip


def moving(
    M: Any, f: Vector, H: Any, b: Vector, mu: ArrayLike, dim: int, solvable: bool | None
) -> Attack:  # fmt: skip
    """The same in global variables, M v = H r + f, u = H^T v + b."""
    from nsdgen.solvers import solve_global_friction

    laws = contacts(mu, dim, len(b) // dim)
    return Attack(
        len(b), solvable, lambda: solve_global_friction(M, f, H, b, mu, dim),
        lambda found: judge_global(M, f, H, b, laws, found.v, found.z),
    )  # fmt: skip


def mixed(A: Any, b: Vector, laws: list[tuple[str, Any, Any]], solvable: bool | None) -> Attack:
    """Several cones in one system."""
    from nsdgen.solvers import solve_mixed

    return Attack(len(b), solvable, lambda: solve_mixed(A, b, laws), lambda found: judge(A, b, laws, found.z))


def signs(rng: Rng, n: int) -> tuple[Vector, Vector]:
    """(z, w) >= 0 with z w = 0, some rows with both zero."""
    case = rng.random(n)
    size = rng.exponential(size=n)
    return np.where(case < 0.45, size, 0.0), np.where(case > 0.55, size, 0.0)
