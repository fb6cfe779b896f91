"""Bodies on feet with friction: how many multipliers are open, beside linear programmes over all of one motion."""

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import linprog
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y, a = dynamicsymbols("x y a")
HEIGHT, INERTIA, WEIGHT, STEP = 0.1, 0.02, 10.0, 1e-3
MOVES = 1e-6  # m/s: a motion of these bodies that is none of rounding
SCHEMES = [
    nsd.MoreauJean(),
    nsd.Rattle(),
    nsd.Variational(),
    nsd.D1Minus(),
    nsd.GeneralisedAlpha(),
    nsd.EventDriven(),
]


def drawn(seed):
    """Where one to four feet are, their coefficients, the speed at first, and a pull."""
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 5)
    feet = np.sort(rng.choice([-0.2, -0.1, 0.0, 0.1, 0.2], count, replace=False))
    speed, pull = [(0, 0), (1, 0), (0, rng.choice([0.5, 2.0, 10.0]))][rng.integers(3)]
    return feet, rng.choice([0.0, 0.2, 0.4], count), speed, float(pull)


def stands(feet, friction, speed, pull, scheme):
    """The count of a second step; by feet whether they touch, their forces and rates (feet, 2), normal first."""
    kinetic = (x.diff() ** 2 + y.diff() ** 2 + INERTIA * a.diff() ** 2) / 2
    body = nsd.LagrangianSystem("body", [x, y, a], kinetic=kinetic, potential=WEIGHT * y, forces=[pull, 0, 0])
    contacts = []
    for i, (at, mu) in enumerate(zip(feet.tolist(), friction.tolist(), strict=True)):
        gap, along = y + at * sp.sin(a) - HEIGHT * sp.cos(a), x + at * sp.cos(a) + HEIGHT * sp.sin(a)
        law = nsd.NewtonImpactFriction(0, mu) if mu else nsd.NewtonImpact(0)
        contacts.append(nsd.Contact(f"foot{i}", gap, law, tangent=along if mu else None))
    start = {x: 0, y: HEIGHT, a: 0, x.diff(): speed, y.diff(): 0, a.diff(): 0}
    model = nsd.Model("body", [body], contacts, scheme=scheme, step=STEP, end=2 * STEP, initial=start)
    run = model.compile(interpret=True).run()
    force = {nsd.D1Minus: "force_right", nsd.EventDriven: "force"}.get(type(scheme), "impulse")
    if isinstance(scheme, nsd.Rattle | nsd.Variational):
        force = next(n for n in run.names if n.startswith("foot0.impulse")).removeprefix("foot0.").partition("[")[0]
    loads, rates, touches = np.zeros((len(feet), 2)), np.zeros((len(feet), 2)), []
    for i, mu in enumerate(friction):
        loads[i, 0] = run[f"foot{i}.{force}[0]" if mu else f"foot{i}.{force}"][-1]
        loads[i, 1] = run[f"foot{i}.{force}[1]"][-1] if mu else 0.0
        rates[i] = run[f"foot{i}.gap_rate"][-1], run[f"foot{i}.sliding_rate"][-1] if mu else 0.0
        touches.append(run[f"foot{i}.gap"][-1] < 1e-9)
    return run["rank_deficiency"][-1], touches, loads, rates


def open_ones(feet, friction, touches, loads, rates):
    """The dimension of all forces that leave the accelerations of loaded rows as they are, each in its law's set."""
    rows = np.array([[[0, 1, at / INERTIA**0.5], [1, 0, HEIGHT / INERTIA**0.5]] for at in feet]).reshape(-1, 3)
    W, unit, n = rows @ rows.T, np.eye(2 * len(feet)), 2 * len(feet)
    equal, most = [], []
    for i, mu in enumerate(friction):
        normal, along = unit[2 * i], unit[2 * i + 1]
        if not touches[i] or abs(rates[i, 0]) > MOVES:
            equal += [normal, along]
            continue
        most.append(-normal)
        slides = mu == 0 or abs(rates[i, 1]) > MOVES
        equal += [W[2 * i], along + mu * np.sign(rates[i, 1]) * normal if slides else W[2 * i + 1]]
        most += [] if slides else [along - mu * normal, -along - mu * normal]
    found = loads.ravel() / max(abs(loads).max(), 1e-300)
    equal, most = np.array(equal).reshape(-1, n), np.array(most).reshape(-1, n)
    held = []
    for row in most:
        end = linprog(row, most, np.full(len(most), 1e-9), equal, equal @ found, bounds=(-1e3, 1e3), method="highs")
        assert end.status == 0
        held += [row] if -end.fun < 1e-6 else []
    return n - np.linalg.matrix_rank(np.array([*equal, *held]), tol=1e-9)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: type(s).__name__)
@pytest.mark.few(6)
def test_feet(seed, scheme):
    """Steps said less where the share of a load turns the motion: feet of several coefficients."""
    for case in (drawn([seed, i]) for i in range(2)):
        count, *found = stands(*case, scheme)
        assert count == open_ones(*case[:2], *found), case


@pytest.mark.parametrize(
    ("feet", "friction", "pull", "count"),
    [([-0.2, 0.0, 0.1, 0.2], [0.2, 0.4, 0.2, 0.2], 2.0, 5), ([-0.2, -0.1, 0.0, 0.2], [0.2, 0.4, 0.4, 0.0], 10.0, 2)],
    ids=["at the bounds of all", "slides on"],
)
def test_feet_that_bear_nothing_count_from_event_to_event(feet, friction, pull, count):
    """3 and 1 were said: friction at its bound counted as lost, and what follows its load as if it was held."""
    case = np.array(feet), np.array(friction), 0, pull
    found, *motion = stands(*case, nsd.EventDriven())
    assert found == count == open_ones(*case[:2], *motion)
