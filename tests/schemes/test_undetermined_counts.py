"""How many multipliers of a step are open, beside linear programmes over the set of all that give its motion."""

import numpy as np
import pytest
from scipy.optimize import linprog
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .test_shares import RATES, STEP, WEIGHT, x, y

MU = {"rough": 0.3, "smooth": 0.1}
BRAKES = {"brake": (x, 2.0), "weak brake": (x, 1.0), "lift brake": (y, 2.0), "strong lift brake": (y, 10.0)}
KINDS = [*MU, "floor", "lock", *BRAKES]


def made_of(kind, name, block):
    if kind in MU:
        return nsd.Contact(name, y, nsd.NewtonImpactFriction(0, MU[kind]), tangent=x)
    if kind == "floor":
        return nsd.Contact(name, y, nsd.NewtonImpact(0))
    if kind == "lock":
        return nsd.VelocityConstraint(name, x.diff())
    (lam,), (along, level) = nsd.multipliers(name, 1), BRAKES[kind]
    acts = [lam if q == along else 0 for q in (x, y)]
    return nsd.OutputRelation(name, lam, [RATES[along]], {block: acts}, nsd.Relay(level))


def all_forces(kinds, slides):
    """What acts along x and along y, and rows (values, bound): values . forces <= bound, equal for the last list.

    ``slides`` is the direction in which it does, 0 at rest. It stays on the ground.
    """
    widths = [2 if kind in MU else 1 for kind in kinds]
    n = sum(widths)
    along, up, most, equal = np.zeros(n), np.zeros(n), [], []
    for kind, i in zip(kinds, np.cumsum([0, *widths[:-1]]), strict=True):
        e = np.eye(n)[i]
        if kind in MU or kind == "floor":
            up[i] = 1
            most.append((-e, 0.0))
        if kind in MU:
            f = np.eye(n)[i + 1]
            along[i + 1] = 1
            equal += [(f + slides * MU[kind] * e, 0.0)] if slides else []
            most += [] if slides else [(s * f - MU[kind] * e, 0.0) for s in (1, -1)]
        if kind == "lock":
            along[i] = 1
        if kind in BRAKES:
            q, level = BRAKES[kind]
            (along if q == x else up)[i] = 1
            fixed = slides and q == x
            equal += [(e, -slides * level)] if fixed else []
            most += [] if fixed else [(s * e, level) for s in (1, -1)]
    return along, up, most, equal


def open_ones(kinds, pull, weight):
    """The dimension of the set of all forces of the one motion from rest; None where there are several, or none."""
    found = []
    for slides in (0,) if "lock" in kinds else (-1, 0, 1):
        along, up, most, equal = all_forces(kinds, slides)
        equal = [*equal, (up, weight), *([] if slides else [(along, -pull)])]
        if slides:
            most = [*most, (-slides * along, slides * pull - 1e-6)]

        def extreme(values, most=most, equal=equal):
            A, b = (np.array([row[i] for row in most]) if most else None for i in (0, 1))
            C, c = (np.array([row[i] for row in equal]) for i in (0, 1))
            return linprog(values, A, b, C, c, bounds=(None, None), method="highs")

        if extreme(0 * up).status != 0:
            continue
        ends = [extreme(sign * along) for sign in (1, -1)]
        if slides and (any(end.status for end in ends) or ends[0].fun + ends[1].fun < -1e-6):
            return None
        reached = [extreme(values) for values, _ in most]
        held = [row for row, end in zip(most, reached, strict=True) if end.status == 0 and row[1] - end.fun < 1e-7]
        rows = np.array([values for values, _ in [*equal, *held]])
        found.append(len(up) - np.linalg.matrix_rank(rows, tol=1e-9))
    return found[0] if len(found) == 1 else None


def drawn(seed):
    rng = np.random.default_rng(seed)
    kinds = [KINDS[i] for i in rng.integers(0, len(KINDS), rng.integers(1, 5))]
    if not any(kind in MU or kind == "floor" for kind in kinds):
        kinds.append("floor")
    return kinds, float(rng.choice([0, 1, 2, 2.5, 3, 4, 5])), float(rng.choice([0, 2, WEIGHT, WEIGHT, 12, 20]))


def counted(kinds, pull, weight, scheme):
    kinetic = sum(rate**2 for rate in RATES.values()) / 2
    block = nsd.LagrangianSystem("block", [x, y], kinetic=kinetic, potential=weight * y, forces=[pull, 0])
    relations = [made_of(kind, f"r{i}", block) for i, kind in enumerate(kinds)]
    start = {x: 0, y: 0, x.diff(): 0, y.diff(): 0}
    model = nsd.Model("block", [block], relations, scheme=scheme, step=STEP, end=2 * STEP, initial=start)
    return model.compile(interpret=True).run()["rank_deficiency"][1:]


CASES = [  # a weak count was wrong in each
    (["brake", "weak brake", "brake", "floor"], 5.0, 10.0, 0),  # all they bear
    (["brake", "rough", "smooth", "floor"], 2.5, 0.0, 0),  # nothing presses
    (["floor", "floor"], 0.0, 0.0, 0),
    (["floor", "lift brake"], 0.0, 0.0, 1),
]


@pytest.mark.parametrize(("kinds", "pull", "weight", "count"), CASES)
@pytest.mark.parametrize("scheme", [nsd.MoreauJean(), nsd.Rattle()], ids=["MoreauJean", "Rattle"])
def test_bounds_close_what_nothing_opens(kinds, pull, weight, count, scheme):
    assert open_ones(kinds, pull, weight) == count
    assert (counted(kinds, pull, weight, scheme) == count).all()


EVENTS = [  # the first three were refused for a rank that brakes do not lose, the others counted what bounds close
    (["strong lift brake", "strong lift brake", "brake", "floor"], 2.0, 12.0, 2),
    (["brake", "rough", "lift brake", "brake"], 1.0, 12.0, 3),
    (["lock", "strong lift brake", "lock", "floor"], 0.0, 10.0, 2),
    (["lock", "rough", "rough"], 1.0, 0.0, 0),
    (["lift brake", "lift brake", "floor"], 4.0, 20.0, 2),  # both at their bounds: rounding had closed one
    (
        ["lift brake", "strong lift brake", "floor"],
        3.0,
        0.0,
        2,
    ),  # the floor bears nothing: it did not count in these two
    (["floor", "strong lift brake", "weak brake"], 5.0, 0.0, 1),
]


@pytest.mark.parametrize(("kinds", "pull", "weight", "count"), EVENTS)
def test_from_event_to_event(kinds, pull, weight, count):
    assert open_ones(kinds, pull, weight) == count
    assert (counted(kinds, pull, weight, nsd.EventDriven()) == count).all()


@pytest.mark.parametrize("seed", range(4))
def test_shifts_and_jumps_count_nothing(seed):
    """Their multipliers have the gradients of the rates: those of dependent constraints counted two or three times."""
    rng = np.random.default_rng(seed)
    q = dynamicsymbols("q:3")
    H = rng.integers(-1, 2, (5, 3)).astype(float)
    places, rates = H[:3] @ q, H[3:] @ [s.diff() for s in q]
    block = nsd.LagrangianSystem("block", [*q, y], kinetic=sum(s.diff() ** 2 for s in (*q, y)), potential=WEIGHT * y)
    relations = [nsd.Bilateral("joint", list(places)), nsd.VelocityConstraint("wheel", list(rates))]
    relations += [nsd.Contact(name, y, nsd.NewtonImpact(0)) for name in ("left", "right")]
    start = {**dict.fromkeys((*q, y), 0), **{s.diff(): 0 for s in (*q, y)}}
    scheme = nsd.GeneralisedAlpha()
    model = nsd.Model("block", [block], relations, scheme=scheme, step=STEP, end=2 * STEP, initial=start)
    count = 5 - np.linalg.matrix_rank(H) + 1
    assert (model.compile(interpret=True).run()["rank_deficiency"][1:] == count).all()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "scheme",
    [nsd.MoreauJean(), nsd.Variational(), nsd.D1Minus(), nsd.EventDriven(), nsd.GeneralisedAlpha()],
    ids=lambda s: type(s).__name__,
)
@pytest.mark.few(10)
def test_drawn_loads(seed, scheme):
    """Three models for each seed."""
    for case in (drawn([seed, i]) for i in range(3)):
        count = open_ones(*case)
        assert count is None or (counted(*case, scheme) == count).all(), case
