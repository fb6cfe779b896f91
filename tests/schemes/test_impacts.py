"""Laws of impacts alone: Poisson's phases and energies traced along the impulse, in chains and a rocking block."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.solvers import solve_multiple_impact

R = 0.1


def chain(masses, law, speed=1.0, gap=0.05, step=1e-3, end=0.2):
    """Balls on a line, all but the first at rest and touching; the first comes from the left."""
    places = [2 * R * i - (gap if i == 0 else 0) for i in range(len(masses))]
    coordinates = dynamicsymbols(f"x:{len(masses)}")
    balls = [
        nsd.LagrangianSystem(f"ball {i}", [x], kinetic=m * x.diff() ** 2 / 2)
        for i, (x, m) in enumerate(zip(coordinates, masses, strict=True))
    ]
    laws = law if isinstance(law, list) else [law] * (len(masses) - 1)
    touches = [
        nsd.Contact(f"touch {i}", gap=b - a - 2 * R, law=of)
        for i, (a, b, of) in enumerate(zip(coordinates, coordinates[1:], laws, strict=False))
    ]
    initial = dict(zip(coordinates, places, strict=True)) | {coordinates[0].diff(): speed}
    model = nsd.Model(
        "chain", balls, touches, scheme=nsd.D1Minus(), step=step, end=end, initial=initial, allow_penetration=True
    )
    run = model.run()
    return np.array([run[f"ball {i}.x{i}_dot"][-1] for i in range(len(masses))])


def springs(masses, speed, stiffness, exponent):
    """The same chain as springs in motion, without restitution loss: another integrator, another form."""
    n = len(masses)

    def slope(_, y):
        force = stiffness * np.maximum(y[: n - 1], 0) ** exponent
        return np.concatenate([y[n - 1 : -1] - y[n:], np.diff(np.concatenate([[0], -force, [0]])) / -masses * -1])

    start = np.zeros(2 * n - 1)
    start[n - 1] = speed
    found = solve_ivp(slope, [0, 400], start, method="DOP853", rtol=1e-12, atol=1e-14)
    assert (found.y[: n - 1, -1] < 0).all()
    return found.y[n - 1 :, -1]


@pytest.mark.parametrize("exponent", [1.0, 1.5])
@pytest.mark.parametrize("masses", [[1, 1], [1, 1, 1], [2, 1, 3], [1, 1, 1, 1, 1]])
@pytest.mark.few(3)
def test_a_chain_is_that_of_springs(masses, exponent):
    masses, stiffness = np.array(masses, dtype=float), 1.0 + np.arange(len(masses) - 1)
    found = chain(masses, [nsd.MultipleImpact(1, k, exponent) for k in stiffness])
    assert np.abs(found - springs(masses, 1.0, stiffness, exponent)).max() < 1e-8


def test_two_balls_separate_with_the_energetic_coefficient():
    """One contact: e^2 of the energy is e of the speed."""
    found = chain([1.0, 3.0], nsd.MultipleImpact(0.6))
    assert np.abs(found - [(1 - 3 * 0.6) / 4, (1 + 0.6) / 4]).max() < 1e-10


def test_newtons_cradle_under_three_laws():
    """Three equal balls: laws of rates and of impulses move two of them, springs almost only the last."""
    newton = chain([1, 1, 1], nsd.NewtonImpact(1))
    poisson = chain([1, 1, 1], nsd.PoissonImpact(1))
    traced = chain([1, 1, 1], nsd.MultipleImpact(1))
    # Plastic phase: all at 1/3, impulses 2/3 and 1/3. Expansion gives both back.
    assert np.abs(poisson - [-1 / 3, 2 / 3, 2 / 3]).max() < 1e-12
    # u = -e u_k on the first contact, 0 on the second: v = (-1/3, 2/3, 2/3).
    assert np.abs(newton - [-1 / 3, 2 / 3, 2 / 3]).max() < 1e-12
    assert traced[2] > 0.99 and abs(traced[0] + 0.0710) < 1e-4  # springs of Hertz
    for found in (newton, poisson, traced):
        assert found.sum() == pytest.approx(1) and (found**2).sum() == pytest.approx(1)


def test_poisson_gives_back_what_passed_through_a_contact_at_rest():
    """A ball falls, without restitution, onto one that lies on the ground: the ground was compressed, too."""
    x, y = dynamicsymbols("x y")

    def speeds(law):
        balls = [nsd.LagrangianSystem(n, [c], kinetic=c.diff() ** 2 / 2) for n, c in (("low", x), ("high", y))]
        contacts = [nsd.Contact("ground", gap=x, law=law(0.8)), nsd.Contact("touch", gap=y - x - 1, law=law(0))]
        run = nsd.Model(
            "m", balls, contacts, scheme=nsd.D1Minus(), step=1e-3, end=0.01, initial={x: 0, y: 1.0005, y.diff(): -1}
        ).run()
        return run["low.x_dot"][-1], run["high.y_dot"][-1]

    # Compression stops both, impulses 1 and 1; expansion gives 0.8 of the ground's back, to both masses.
    assert speeds(nsd.PoissonImpact) == pytest.approx((0.4, 0.4))
    assert speeds(nsd.NewtonImpact) == pytest.approx((0, 0))


@pytest.mark.parametrize("e", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.few(2)
def test_poisson_is_newton_for_a_single_contact(e):
    assert np.abs(chain([1, 2], nsd.PoissonImpact(e)) - chain([1, 2], nsd.NewtonImpact(e))).max() < 1e-13


@pytest.mark.parametrize("e", [0.5, *(pytest.param(e, marks=pytest.mark.slow) for e in (0.0, 1.0))])
def test_poisson_never_adds_energy(e):
    rng = np.random.default_rng(3)
    for _ in range(4):
        masses = rng.uniform(0.2, 5, 4)
        found = chain(masses, nsd.PoissonImpact(e))
        assert (masses * found**2).sum() <= masses[0] * (1 + 1e-12)
        assert (np.diff(found) > -1e-12).all() and (masses * found).sum() == pytest.approx(masses[0])


def test_traced_impacts_never_add_energy():
    rng = np.random.default_rng(5)
    for _ in range(40):
        n = rng.integers(1, 7)
        H = rng.normal(size=(n, n + 2))
        A, u = H @ H.T, H @ rng.normal(size=n + 2)
        e, stiffness, eta = rng.uniform(0.05, 1, n), 10.0 ** rng.uniform(-2, 2, n), rng.choice([1.0, 1.5, 3.0], n)
        found = solve_multiple_impact(A, u, e, stiffness, eta)
        change = found.z @ (u + found.w) / 2  # of the kinetic energy
        kinetic = u @ np.linalg.solve(A, u) / 2
        assert change <= 1e-9 * kinetic and (found.z >= 0).all() and found.w.min() > -1e-9 * np.abs(u).max()
        if e.min() == 1:
            assert change == pytest.approx(0, abs=1e-9 * kinetic)


def test_energy_is_conserved_where_nothing_is_lost():
    rng = np.random.default_rng(6)
    for _ in range(20):
        H = rng.normal(size=(4, 6))
        A, u = H @ H.T, H @ rng.normal(size=6)
        found = solve_multiple_impact(A, u, 1.0, 10.0 ** rng.uniform(-2, 2, 4))
        assert abs(found.z @ (u + found.w)) < 1e-9 * (u @ np.linalg.solve(A, u))


def test_constraints_hold_during_an_impact():
    """Two balls joined by a rod are one ball of both masses."""
    H = np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    A = H @ np.diag([1, 1 / 2, 1 / 3]) @ H.T
    found = solve_multiple_impact(A, [-1.0, 0.0], 0.7, is_equality=[False, True])
    assert found.w == pytest.approx([0.7, 0.0], abs=1e-10)
    assert found.z[0] == pytest.approx(1.7 * 5 / 6) and found.z[1] == pytest.approx(1.7 * 5 / 6 * 3 / 5)


def test_a_rocking_block_under_the_traced_law():
    """A block on two corners that hits with one: the other stays down, rates of both corners are not negative."""
    y, a = dynamicsymbols("y a")
    half, high, m = 0.5, 2.0, 1.0
    inertia = m * (half**2 + high**2) / 3
    block = nsd.LagrangianSystem(
        "block", [y, a], kinetic=(m * y.diff() ** 2 + inertia * a.diff() ** 2) / 2, potential=9.81 * m * y
    )
    corners = [
        nsd.Contact(n, gap=y + side * half * sp.sin(a) - high / 2 * (sp.cos(a) - 1), law=nsd.MultipleImpact(0.6))
        for n, side in (("left", -1), ("right", 1))
    ]
    run = nsd.Model(
        "rocking",
        [block],
        corners,
        scheme=nsd.D1Minus(),
        step=1e-4,
        end=2,
        initial={y: 0.0, a: 0.0, y.diff(): 0.25, a.diff(): 0.5},
        allow_penetration=True,
    ).run()
    energy = m * run["y_dot"] ** 2 / 2 + inertia * run["a_dot"] ** 2 / 2 + 9.81 * m * run["y"]
    assert np.diff(energy).max() < 1e-5 * energy[0] and energy[-1] < 0.2 * energy[0]
    assert (run["left.impulse"] > 0).sum() >= 2 and (run["right.impulse"] > 0).sum() >= 2


@pytest.mark.parametrize(
    ("scheme", "law"),
    [
        (nsd.MoreauJean(), nsd.PoissonImpact(0.5)),
        (nsd.MoreauJean(), nsd.MultipleImpact(0.5)),
        (nsd.SchatzmanPaoli(), nsd.PoissonImpact(0.5)),
        (nsd.SchatzmanPaoli(), nsd.MultipleImpact(0.5)),
        (nsd.Rattle(), nsd.PoissonImpact(0.5)),
    ],
)
def test_schemes_without_impacts_of_their_own_refuse_them(scheme, law):
    x = dynamicsymbols("x")
    ball = nsd.LagrangianSystem("ball", [x], kinetic=x.diff() ** 2 / 2)
    model = nsd.Model("m", [ball], [nsd.Contact("c", gap=x, law=law)], scheme=scheme, step=0.1, end=1, initial={x: 1})
    with pytest.raises(nsd.errors.ModelError, match="D1Minus"):
        model.run()


def test_all_contacts_take_part_in_a_traced_impact():
    with pytest.raises(nsd.errors.ModelError, match="another law than that of 'touch 0'"):
        chain([1, 1, 1], [nsd.MultipleImpact(1), nsd.NewtonImpact(1)])


@pytest.mark.parametrize("bad", [{"restitution": 0.0}, {"restitution": 1.1}, {"stiffness": 0.0}, {"exponent": 0.5}])
def test_data_that_are_none(bad):
    with pytest.raises(nsd.errors.ParameterError, match="lies outside"):
        solve_multiple_impact([[1.0]], [-1.0], **bad)
    with pytest.raises(nsd.errors.ModelError, match="lies outside"):
        nsd.MultipleImpact(**bad)


def test_redundant_equalities_are_named():
    with pytest.raises(nsd.errors.SolverError, match="redundant"):
        solve_multiple_impact(np.ones((3, 3)), [-1.0, 0, 0], is_equality=[False, True, True])
