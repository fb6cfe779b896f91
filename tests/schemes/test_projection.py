"""The projection of positions onto constraints: minimise (q - q*)^T G (q - q*) / 2 on the linearised constraint."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.abi import Cone
from nsdgen.errors import ParameterError
from nsdgen.schemes.stages import T_NEXT, DiscreteRelation, DiscreteSystem
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.relations.relation_class import Participant

from ..derive.truth import evaluate
from . import words

x, y, u, w = sp.symbols("x y u w", real=True)
X_K, Y_K, U_K, W_K = (own_symbol("state", f"{s}_k") for s in "xyuw")
M = sp.Function("M")
ARM = words.mechanical("arm", (x, y), (u, w), [[M(NOW, x), x], [x, 1]], [0, 0])


def stages(law: Law, gap: sp.Expr, **options: str) -> tuple[DiscreteSystem, DiscreteRelation]:
    scheme = nsd.MoreauJean(projection=nsd.Projection(**options))
    relation = words.gap("c", [Participant(ARM, {})], law, [gap])
    system = scheme.discretise(ARM)
    return system, scheme.discretise_relation(relation, [system])


@pytest.mark.parametrize(
    ("metric", "G"), [("identity", sp.eye(2)), ("mass", sp.Matrix([[M(T_NEXT, X_K), X_K], [X_K, 1]]))]
)
def test_the_residual_in_both_metrics(metric: str, G: sp.Matrix) -> None:
    """R = G (q - q*), G the identity or the mass matrix at q*; velocities are left alone."""
    stage = stages(nsd.Equality(), x - y, metric=metric)[0].stages[1]
    assert (stage.residual - G * sp.Matrix([x - X_K, y - Y_K])).expand() == sp.zeros(2, 1)
    assert stage.unknown == (x, y)
    assert list(stage.start) == [X_K, Y_K]
    assert list(stage.advance) == [x, y, U_K, W_K]


def test_the_constraint_is_linearised_at_the_last_position() -> None:
    """y = h(t, q*) + H(q*) (q - q*), rho = H(q*)^T lambda."""
    stage = stages(nsd.Equality(), x**2 * y - NOW)[1].stages[1]
    H = sp.Matrix([[2 * X_K * Y_K, X_K**2]])
    expected = X_K**2 * Y_K - T_NEXT + (H * sp.Matrix([x - X_K, y - Y_K]))[0]
    assert sp.expand(stage.output[0] - expected) == 0
    assert stage.reactions == (H.T * stage.multiplier[0],)
    assert stage.cones == ((Cone.EQUALITY, 1),)


@pytest.mark.parametrize("gap", [-2.0, 0.0, 3.0])
def test_what_counts_as_violation(gap: float) -> None:
    """|h| of an equality, the overlap max(-h, 0) of a contact, at the projected position."""
    for law, expected in ((nsd.Equality(), abs(gap)), (nsd.Complementarity(), max(-gap, 0))):
        stage = stages(law, x - NOW)[1].stages[1]
        assert evaluate(stage.violation, {X_K: gap + 0.5, T_NEXT: 0.5}) == expected


def test_the_remembered_rate_is_kept() -> None:
    """The velocity stage remembers (gap, rate); projecting changes the gap only."""
    _, relation = stages(nsd.Complementarity(), x - NOW)
    assert relation.stages[1].remember == ((relation.memory[0], X_K - T_NEXT),)


def test_relations_in_play() -> None:
    """Those of the velocity stage, or all contacts."""
    assert stages(nsd.Complementarity(), x)[1].stages[1].activation is None
    assert stages(nsd.Complementarity(), x, level="all")[1].stages[1].activation == 1
    assert stages(nsd.Equality(), x, level="all")[1].stages[1].activation is None


def test_the_stage_repeats_until_the_violation_is_small() -> None:
    repeat = nsd.MoreauJean(projection=nsd.Projection(tolerance=1e-5, max_iterations=7, on_limit="keep")).stages[1]
    assert [stage.name for stage in repeat.stages] == ["projection"]
    assert (repeat.tolerance, repeat.maximum, repeat.on_limit) == (1e-5, 7, "keep")


@pytest.mark.parametrize("wrong", [{"metric": "taxicab"}, {"level": "some"}])
def test_unknown_choices_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match=f"{next(iter(wrong.values()))}"):
        nsd.Projection(**wrong)


@pytest.mark.parametrize("wrong", [{"tolerance": 0.0}, {"max_iterations": 0}, {"on_limit": "shrug"}])
def test_unusable_repetitions_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="repetition"):
        nsd.MoreauJean(projection=nsd.Projection(**wrong)).stages  # noqa: B018


G = sp.Symbol("G", positive=True)
HUNG = {"step": 5e-3, "end": 1.0, "parameters": {G: 9.81}}


def rod(name: str = "rod") -> nsd.RigidBody:
    return nsd.RigidBody(name, 2, sp.diag(0.1, 0.3, 0.2)).apply_force([0, 0, -2 * G])


@pytest.mark.parametrize("metric", ["mass", "identity"])
@pytest.mark.parametrize("velocities", [False, True])
@pytest.mark.few(2)
def test_bodies_stay_on_their_pin_and_quaternions_at_norm_1(metric: str, velocities: bool) -> None:
    """A pin drifts by 6e-3 m in a second without, by less than the tolerance with projection."""
    body = rod()
    pin = nsd.Bilateral("pin", body.point([0.5, 0, 0]).position)
    start = {body.position: [-0.5, 0, 0], body.angular_velocity: [3, 0, 1], body.velocity: [0, -0.5, 0]}
    drifts, ends = {}, {}
    for name, projection in (("none", None), ("projected", nsd.Projection(metric=metric, velocities=velocities))):
        scheme = nsd.MoreauJean(projection=projection)
        run = nsd.Model("hung", [body], [pin], scheme=scheme, initial=start, **HUNG).run()
        drifts[name], ends[name] = abs(run["pin.gap"]).max(), run
    assert drifts["none"] > 1e-5 and drifts["projected"] < 1e-8
    run = ends["projected"]
    np.testing.assert_allclose(np.linalg.norm(run["rod.quaternion"], axis=1), 1, atol=1e-14)
    rate = abs(run["pin.gap_rate"]).max()
    assert rate < (1e-12 if velocities else 1e-1)


@pytest.mark.parametrize("drive", ["constraint", "clutch"])
def test_a_projection_of_velocities_leaves_none_that_others_hold(drive: str) -> None:
    """A bob on a rod is driven at x' = 1/2: where the rod's projection moves v it had moved x' by 4e-3 m/s."""
    x, y, lam = dynamicsymbols("x y lam")
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y)
    rate = x.diff() - sp.Rational(1, 2)
    driven = {
        "constraint": nsd.VelocityConstraint("drive", rate),
        "clutch": nsd.OutputRelation("drive", [lam], [rate], {bob: [lam, 0]}, nsd.Equality()),
    }[drive]
    bar = nsd.Bilateral("bar", (x**2 + y**2 - 1) / 2)
    scheme = nsd.MoreauJean(gradient_at="predicted", projection=nsd.Projection(velocities=True))
    start = {x: 0, y: -1, x.diff(): 0.5, y.diff(): 0}
    run = nsd.Model(
        "m", [bob], [bar, driven], scheme=scheme, step=0.05, end=1, parameters={G: 9.81}, initial=start
    ).run()
    assert abs(run["x_dot"] - 0.5).max() < 1e-14 and abs(run["bar.gap_rate"]).max() < 1e-14
    assert abs(run["x"] * run["x_dot"] + run["y"] * run["y_dot"]).max() < 1e-14


@pytest.mark.parametrize(
    "newton",
    [nsd.Newton(), nsd.Newton(5e-3, measure="absolute"), nsd.Newton(fixed_iterations=1)],
    ids=["default", "absolute", "fixed"],
)
def test_combined_projection_lets_contacts_enter_within_the_step(newton: nsd.Newton) -> None:
    """A rod on a pin swings against a wall: no overlap is ever recorded, and the pin holds.

    However coarse the velocities are: the projection is solved to its own tolerance.
    """
    body = rod()
    tip = body.point([-0.5, 0, 0])
    pin = nsd.Bilateral("pin", body.point([0.5, 0, 0]).position)
    wall = nsd.Contact("wall", tip.position[2] + 0.6, nsd.NewtonImpact(0.5))
    scheme = nsd.MoreauJean(projection=nsd.Projection(method="combined", tolerance=1e-9), newton=newton)
    run = nsd.Model("struck", [body], [pin, wall], scheme=scheme, initial={body.position: [-0.5, 0, 0]}, **HUNG).run()
    assert run["wall.impulse"].max() > 0.5
    assert run["wall.gap"].min() > -1e-9 and abs(run["pin.gap"]).max() < 1e-9
    first = int(np.flatnonzero(run["wall.impulse"])[0])
    np.testing.assert_allclose(run["wall.gap_rate"][first], -0.5 * run["wall.gap_rate"][first - 1], rtol=2e-2)


def test_held_contacts_are_brought_to_a_gap_of_zero_from_both_sides() -> None:
    """0.9 of the rate is left after the impact, and the ball would be above the floor at the end of that step."""
    z = sp.Function("z")(nsd.time)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=9.81 * z)
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(0.9))
    scheme = nsd.MoreauJean(projection=nsd.Projection(method="combined", contacts="held", tolerance=1e-10))
    run = nsd.Model("held", [ball], [floor], scheme=scheme, step=5e-3, end=1, initial={z: 0.5}).run()
    struck = run["floor.impulse"] > 0
    assert struck.any() and abs(run["floor.gap"][struck]).max() < 1e-10


@pytest.mark.parametrize("activation", ["predicted", "hysteresis", "iterated"])
@pytest.mark.parametrize("level", ["active", "all"])
def test_whatever_was_struck_is_held(activation: str, level: str) -> None:
    """With every rule of activation: where there is an impulse the gap is zero within the tolerance at once."""
    z = sp.Function("z")(nsd.time)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=9.81 * z)
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(0.9))
    scheme = nsd.MoreauJean(
        activation=activation, projection=nsd.Projection(contacts="held", tolerance=1e-10, level=level)
    )
    run = nsd.Model("held", [ball], [floor], scheme=scheme, step=5e-3, end=1, initial={z: 0.5}).run()
    struck = run["floor.impulse"] > 0
    assert struck.any() and abs(run["floor.gap"][struck]).max() < 1e-10


@pytest.mark.parametrize(
    "options", [{"activation": "iterated"}, {"activation": "hysteresis"}, {"activation_gamma": 1.0}], ids=str
)
def test_what_a_combined_projection_decides_by_itself_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="would change nothing"):
        nsd.MoreauJean(projection=nsd.Projection(method="combined"), **options)


@pytest.mark.parametrize(
    "options",
    [{"velocities": True}, {"contacts": "held"}, {"method": "combined"}, {"velocities": True, "contacts": "held"}],
    ids=str,
)
def test_every_contact_is_lifted_but_open_ones_are_left_alone(options: dict[str, object]) -> None:
    """One ball bounces, the other is still in the air: neither is stopped or drawn to the floor.

    At 0.6 s: 0.8 sqrt(2 g) s - g s^2 / 2 with s = 0.6 - sqrt(2 / g) after the impact, which is placed to within a step.
    """
    a, b = (sp.Function(name)(nsd.time) for name in "ab")
    balls = nsd.LagrangianSystem("balls", [a, b], kinetic=(a.diff() ** 2 + b.diff() ** 2) / 2, potential=9.81 * (a + b))
    floors = [nsd.Contact(f"floor {q.func}", q, nsd.NewtonImpact(0.8)) for q in (a, b)]
    scheme = nsd.MoreauJean(projection=nsd.Projection(level="all", **options))
    run = nsd.Model("lifted", [balls], floors, scheme=scheme, step=2e-4, end=0.6, initial={a: 1, b: 2}).run()
    flown = 0.6 - np.sqrt(2 / 9.81)
    assert abs(run["a"][-1] - (0.8 * np.sqrt(2 * 9.81) * flown - 9.81 * flown**2 / 2)) < 2e-4 * 1.8 * np.sqrt(2 * 9.81)
    assert abs(run["b"][-1] - (2 - 9.81 * 0.6**2 / 2)) < 1e-12
    assert run["floor a.gap"].min() > -1e-8


def combined_in_numpy(steps: int, h: float, e: float, enters: str) -> np.ndarray:
    """Three beads above a floor by the published passes, metric identity, contacts held; every set tried in turn."""
    H = np.eye(3) - np.eye(3, k=-1)
    q, v, rows = np.array([0.5, 0.7, 1.2]), np.zeros(3), []
    for _ in range(steps):
        active, entering = np.zeros(3, dtype=bool), np.ones(3, dtype=bool)
        while entering.any():
            free, before = v - h * 9.81, H @ v
            for chosen in itertools.product([False, True], repeat=int(active.sum())):
                rubs = np.flatnonzero(active)[list(chosen)]
                push = np.zeros(3)
                push[rubs] = np.linalg.solve((H @ H.T)[np.ix_(rubs, rubs)], -(H @ free + e * before)[rubs])
                w = free + H.T @ push
                if (push >= 0).all() and (H @ w + e * before)[active].min(initial=0) >= -1e-12:
                    break
            moved = q + h * (w + v) / 2
            held = H[active]
            end = moved - held.T @ np.linalg.solve(held @ held.T, held @ moved) if active.any() else moved
            entering = (H @ (moved if enters == "moved" else end) <= 0) & ~active
            active |= entering
        q, v = end, w
        rows.append([*q, *v])
    return np.array(rows)


@pytest.mark.parametrize("enters", ["projected", "moved"])
def test_beads_under_combined_projection_are_those_of_its_passes(enters: str) -> None:
    beads = [sp.Function(f"q{i}")(nsd.time) for i in range(3)]
    column = nsd.LagrangianSystem(
        "beads", beads, kinetic=sum(q.diff() ** 2 for q in beads) / 2, potential=9.81 * sum(beads)
    )
    gaps = [beads[0], beads[1] - beads[0], beads[2] - beads[1]]
    contacts = [nsd.Contact(f"c{i}", gap, nsd.NewtonImpact(0.6)) for i, gap in enumerate(gaps)]
    scheme = nsd.MoreauJean(
        projection=nsd.Projection(method="combined", contacts="held", metric="identity", tolerance=1e-12, enters=enters)
    )
    initial = dict(zip(beads, [0.5, 0.7, 1.2], strict=True))
    run = nsd.Model("beads", [column], contacts, scheme=scheme, step=5e-3, end=2, initial=initial).run()
    found = np.column_stack([run[f"q{i}{dot}"] for dot in ("", "_dot") for i in range(3)])[1:]
    assert (run["c1.impulse"] > 0).sum() > 3
    assert abs(found - combined_in_numpy(400, 5e-3, 0.6, enters)).max() < 1e-9


def one_step(gaps: dict[str, Any], **options: str) -> nsd.Trajectory:
    """A mass at 0 that moves along z by one step of 10 ms; ``gaps``: gap, restitution and speed."""
    z = sp.Function("z")(nsd.time)
    mass = nsd.LagrangianSystem("mass", [z], kinetic=z.diff() ** 2 / 2)
    contacts = [nsd.Contact(n, z + off, nsd.NewtonImpact(e)) for n, (off, e) in gaps["at"].items()]
    scheme = nsd.MoreauJean(projection=nsd.Projection(method="combined", **options))
    initial = {z: 0, z.diff(): gaps["speed"]}
    return nsd.Model("one", [mass], contacts, scheme=scheme, step=1e-2, end=1e-2, initial=initial).run()


@pytest.mark.parametrize(("begins", "end"), [("open", 0.01), ("closed", 0.0)])
def test_contacts_that_are_closed_when_a_step_begins(begins: str, end: float) -> None:
    """What leaves is held back where it is in play from the first pass."""
    run = one_step({"at": {"floor": (0, 0.5)}, "speed": 1.0}, begins=begins, contacts="held")
    assert run["z"][-1] == pytest.approx(end, abs=1e-12) and run["z_dot"][-1] == 1.0


@pytest.mark.parametrize(("enters", "speed"), [("projected", 0.0), ("moved", 0.5)])
def test_what_a_projection_lifts_again_enters_where_gaps_are_looked_at_before_it(enters: str, speed: float) -> None:
    """The soft floor at 0 ends a pass at -5 mm and is lifted; the hard one at -1 mm enters, or never knows."""
    run = one_step(
        {"at": {"soft": (0, 0.0), "hard": (sp.Rational(1, 1000), 0.5)}, "speed": -1.0}, enters=enters, begins="closed"
    )
    assert run["z_dot"][-1] == pytest.approx(speed, abs=1e-12)
    assert run["z"][-1] == pytest.approx(0, abs=1e-8)


def test_rules_of_entry_are_for_a_combined_projection() -> None:
    for wrong in ({"enters": "moved"}, {"begins": "closed"}):
        with pytest.raises(ParameterError, match="is for method='combined'"):
            nsd.Projection(**wrong)
    with pytest.raises(ParameterError, match="coordinates='all' has no mass"):
        nsd.Projection(coordinates="all")


def test_all_seven_coordinates_take_the_rotation_as_a_quadratic_form() -> None:
    """dh/dq of a pin is [I, d(R(p) g)/dp] with R(p) homogeneous of degree two; q is the nearest, then normalised."""
    body, arm, at = rod(), [0.3, -0.2, 0.5], np.array([0.1, 0.2, 0.3, 0.5, -0.1, 0.7, 0.5])
    pin = nsd.Bilateral("pin", body.point(arm).position)
    scheme = nsd.MoreauJean(projection=nsd.Projection(coordinates="all", metric="identity"))
    initial = {body.position: [-0.3, 0.2, -0.5]}
    model = nsd.Model("hung", [body], [pin], scheme=scheme, initial=initial, **HUNG)
    description = model.description
    system = scheme.discretise(description.system_classes[0])
    relation = scheme.discretise_relation(description.relation_classes[0], [system])
    stage = relation.stages[1]

    def turned(p: np.ndarray) -> np.ndarray:
        w, v = p[0], p[1:]
        return (w**2 - v @ v) * np.array(arm) + 2 * (v @ arm) * v + 2 * w * np.cross(v, arm)

    h = 1e-5  # differences of quadratic functions are exact
    slopes = np.array([(turned(at[3:] + h * e) - turned(at[3:] - h * e)) / (2 * h) for e in np.eye(4)]).T
    values = dict(zip(system.groups["q_k"], at, strict=True))
    push = dict(zip(stage.multiplier, [0.4, -1.0, 0.7], strict=True))
    found = [float(evaluate(e, {**values, **push})) for e in stage.reactions[0]]
    np.testing.assert_allclose(found, np.hstack([np.eye(3), slopes]).T @ [0.4, -1.0, 0.7], atol=1e-9)
    run = model.run()
    assert abs(run["pin.gap"]).max() < 1e-8
    np.testing.assert_allclose(np.linalg.norm(run["rod.quaternion"], axis=1), 1, atol=1e-14)


# By steps: x, z and the quaternion's w and y of a beam on a ball joint; gaps of up to 1.3e-8 m are left.
PUBLISHED = {
    5: (0.3520803303904773, -0.3550203256472765, 0.9230819773779021, 0.3846032540685297),
    20: (0.3326145027120967, -0.3733196747360517, 0.9124771292405369, 0.4091277167498540),
    33: (0.2963133103599264, -0.4027386416456060, 0.8923638918477699, 0.4513166122870970),
    999: (0.2884944926237465, -0.4083759488089886, 0.8879721277382558, 0.4598972715291915),
}


def test_a_published_beam_whose_projection_is_in_seven_coordinates() -> None:
    """NE_1DS_1Knee_MLCP_MoreauJeanCombinedProjection of Siconos: Newton's method stops where forces balance to 1e-6."""
    beam = nsd.RigidBody("beam", mass=1, inertia=sp.diag(0.1, 1, 1)).apply_force([0, 0, -9.81])
    joint = nsd.Bilateral("joint", list(beam.point([-0.5, 0, 0]).position))
    scheme = nsd.MoreauJean(
        theta=1,
        rotation="exponential",
        gradient_at="iterate",
        newton=nsd.Newton(tolerance=1e-6, measure="absolute"),
        projection=nsd.Projection(method="combined", coordinates="all", metric="identity", max_iterations=1000),
    )
    start = {
        beam.position: [0.5 / np.sqrt(2), 0, -0.5 / np.sqrt(2)],
        beam.quaternion: nsd.from_axis_angle([0, 1, 0], np.pi / 4),
    }
    run = nsd.Model("beam", [beam], [joint], scheme=scheme, step=0.01, end=9.99, initial=start).run()
    found = np.column_stack([run["position"][:, [0, 2]], run["quaternion"][:, [0, 2]]])
    assert max(abs(found[step] - row).max() for step, row in PUBLISHED.items()) < 2e-8


# Heights and rates of ten beads by steps of 5e-4 s, from the lowest on.
BEADS = {
    1296: (
        (1.866394213659542e-01, 4.010564396115976e-01, 6.149021265115798e-01, 8.288019741545140e-01, 1.042115534017704)
        + (1.255239743474270, 1.466492566827667, 1.675655398714264, 1.883847943400961, 2.090412944287868),
        (-7.289603440373162e-01, -5.832387033246774e-01, -4.278247566734534e-01, -2.626938562606433e-01)
        + (-8.350074498755228e-02, 9.224163495498836e-02, 2.817330622858192e-01, 4.756092114752542e-01)
        + (6.732010869802942e-01, 8.849753091385906e-01),
    ),
    2037: (
        (
            1.049946380153612e-01,
            3.056269207133820e-01,
            5.071338434653411e-01,
            7.080225370895421e-01,
            9.108369482925204e-01,
        )
        + (1.110991570246302, 1.319841624092848, 1.520861405254430, 1.725190283496437, 1.929590553107283),
        (4.791538700380718e-01, 2.256699110530224e-01, -6.171134096365649e-01, -2.616359599560565e-01)
        + (1.253739055828594e-01, -1.016721654583349e-01, -4.713598740263638e-01, -6.344740939367233e-02)
        + (3.042739585160383e-02, -2.071101074441855e-01),
    ),
}


def test_published_beads_that_are_projected_in_a_combined_step() -> None:
    """ColumnOfBeadsTS-CombinedProjection of Siconos: what moved onto another enters before it is projected.

    All rest at the end of the table, where its tolerance of 1e-8 m has left gaps of up to 5.2e-9 m.
    """
    z = dynamicsymbols("z")
    bead = nsd.LagrangianSystem("bead", [z], kinetic=z.diff() ** 2 / 2, potential=9.81 * z)
    beads = bead.copies(10, initial={z: 1 + 0.25 * np.arange(10)})
    low, high = (beads[i].coordinate(z) for i in (0, 1))
    touch = nsd.Contact("touch", high - low - 0.2, nsd.NewtonImpact(0.9))
    contacts = [
        nsd.Contact("floor", low - 0.1, nsd.NewtonImpact(0.9)),
        touch.copies([(i, i + 1) for i in range(9)], like=(beads[0], beads[1])),
    ]
    rule = nsd.Projection(method="combined", contacts="held", metric="identity", enters="moved", tolerance=1e-8)
    run = nsd.Model("beads", [beads], contacts, scheme=nsd.MoreauJean(projection=rule), step=5e-4, end=2).run()
    heights = np.column_stack([run[f"bead {i}.z"] for i in range(10)])
    rates = np.column_stack([run[f"bead {i}.z_dot"] for i in range(10)])
    for step, (z_there, v_there) in BEADS.items():
        np.testing.assert_allclose(heights[step], z_there, rtol=0, atol=1e-12)
        np.testing.assert_allclose(rates[step], v_there, rtol=0, atol=1e-12)
    np.testing.assert_allclose(heights[-1], 0.1 + 0.2 * np.arange(10), rtol=0, atol=6e-9)
    np.testing.assert_allclose(rates[-1], 0, atol=1e-14)
