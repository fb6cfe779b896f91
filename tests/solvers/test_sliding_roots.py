"""All roots of the quartic of one contact: against a scan of directions, and the solver's own solution among them."""

import numpy as np
import pytest

from nsdgen.errors import ParameterError
from nsdgen.solvers import sliding_roots, solve_friction


def directions(W: np.ndarray, q: np.ndarray, mu: float) -> np.ndarray:
    """Angles at which the tangential velocity crosses the line of friction, by a scan and bisection."""

    def off(angle: np.ndarray) -> np.ndarray:
        e = np.array([np.ones_like(angle), mu * np.cos(angle), mu * np.sin(angle)])
        across = W[0] @ e  # times the velocity: no poles
        w = W @ (-q[0] * e) + q[:, None] * across
        return np.cos(angle) * w[2] - np.sin(angle) * w[1]

    grid = np.linspace(-np.pi, np.pi, 20001)
    low = np.flatnonzero(np.diff(np.sign(off(grid))))
    a, b = grid[low], grid[low + 1]
    for _ in range(60):
        m = (a + b) / 2
        left = np.sign(off(m)) == np.sign(off(a))
        a, b = np.where(left, m, a), np.where(left, b, m)
    return np.sort(a)


@pytest.mark.parametrize("seed", range(40))
def test_the_real_roots_are_the_directions_of_a_scan(seed: int) -> None:
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(3, 3))
    W, q, mu = factor @ factor.T + rng.normal(size=(3, 3)) * (seed % 2), rng.normal(size=3), rng.uniform(0.1, 2)
    roots = sliding_roots(W, q, mu)
    assert len(roots) == 4
    found = np.sort([r.angle.real for r in roots if r.angle.imag == 0])
    np.testing.assert_allclose(found, directions(W, q, mu), atol=1e-8)
    for r in roots:
        if r.angle.imag == 0:
            np.testing.assert_allclose(r.w[1:] @ [np.sin(r.angle.real), -np.cos(r.angle.real)], 0, atol=1e-7)
            np.testing.assert_allclose((W @ r.z + q)[1:], r.w[1:], atol=1e-12)


def test_a_sliding_solution_is_among_them() -> None:
    rng, slid = np.random.default_rng(0), 0
    for _ in range(200):
        factor = rng.normal(size=(3, 3))
        W, q = factor @ factor.T, rng.normal(size=3)
        solved = solve_friction(W, q, [0.3], 3).z
        if not np.isclose(np.hypot(*solved[1:]), 0.3 * solved[0]) or solved[0] == 0:
            continue  # it takes off or sticks
        slides = [r.z for r in sliding_roots(W, q, 0.3) if r.slides]
        assert min(abs(z - solved).max() for z in slides) < 1e-6 * abs(solved).max()
        slid += 1
    assert slid > 30


def test_a_disc_that_is_pushed_slides_against_its_velocity() -> None:
    """W diagonal and isotropic: forwards and backwards, one of which opposes; without a push every direction is one."""
    roots = sliding_roots(np.diag([1.0, 2.0, 2.0]), [-1.0, 3.0, 4.0], 0.5)
    real = [r for r in roots if r.angle.imag == 0]
    (slides,) = (r for r in real if r.slides)
    np.testing.assert_allclose(slides.z, [1, -0.3, -0.4], atol=1e-14)
    np.testing.assert_allclose(slides.w, [0, 2.4, 3.2], atol=1e-14)
    assert len(real) == 2 and sliding_roots(np.eye(3), [-1.0, 0, 0], 0.5) == ()


@pytest.mark.parametrize("mu", [0.0, -1.0, np.inf, np.nan, "much", [1.0]])
def test_a_coefficient_that_is_none_is_refused(mu: object) -> None:
    with pytest.raises(ParameterError, match="mu"):
        sliding_roots(np.eye(3), np.ones(3), mu)


@pytest.mark.parametrize(("load", "mobility"), [(-1060, 0), (-600, -600), (600, 600), (1000, 0), (0, 1000), (-600, 0)])
def test_roots_do_not_depend_on_units(load: int, mobility: int) -> None:
    rng = np.random.default_rng(3)
    factor = rng.normal(size=(3, 3))
    W, q = factor @ factor.T, np.round(rng.normal(size=3), 1)
    near, far = sliding_roots(W, q, 0.5), sliding_roots(np.ldexp(W, mobility), np.ldexp(q, load), 0.5)
    assert len(near) == len(far) == 4
    rough = 1e-12 if load > -1000 else 1e-3  # few digits are left of such loads
    for a, b in zip(near, far, strict=True):
        np.testing.assert_allclose([b.angle, *np.ldexp(b.z, mobility - load)], [a.angle, *a.z], rtol=rough)
        assert a.slides == b.slides


def test_a_limit_of_friction_that_is_far_from_one_has_roots() -> None:
    W, q = np.array([[1.0, 0.2, 0.1], [0.2, 2.0, 0.3], [0.1, 0.3, 1.5]]), np.array([-1.0, 2.0, 1.0])
    near, far = (np.sort([r.angle for r in sliding_roots(W, q, mu)]) for mu in (1e12, 1e308))
    np.testing.assert_allclose(far, near, atol=1e-9)
