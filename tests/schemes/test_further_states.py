"""Mechanical systems with first-order states: currents and pressures beside positions, under every scheme."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ModelWarning
from nsdgen.extend import Scheme

x, y, i, j, p, heat = dynamicsymbols("x y i j p heat")
SCHEMES = {
    "MoreauJean": nsd.MoreauJean(),
    "MoreauJean, projection": nsd.MoreauJean(projection=nsd.Projection(metric="identity")),
    "MoreauJean, combined": nsd.MoreauJean(projection=nsd.Projection(method="combined")),
    "MoreauJean, predicted": nsd.MoreauJean(gradient_at="predicted", mass_at="implicit"),
    "Rattle": nsd.Rattle(),
    "D1Minus": nsd.D1Minus(),
    "GeneralisedAlpha": nsd.GeneralisedAlpha(),
    "Variational": nsd.Variational(),
}
IMPACTS = {name: scheme for name, scheme in SCHEMES.items() if name != "GeneralisedAlpha"}
TWO_STEPS = {"ends": nsd.SchatzmanPaoli(), "backward": nsd.SchatzmanPaoli(velocity="backward")}


def coil(**more: object) -> nsd.LagrangianSystem:
    """A voice coil in a field that fades: the current drives it, its motion drives the current."""
    field = 2 * sp.exp(-(x**2))
    return nsd.LagrangianSystem(
        "coil",
        [x],
        kinetic=(1 + x**2 / 2) * x.diff() ** 2 / 2,
        potential=4 * x**2,
        forces=[field * i - x.diff() / 5],
        state=[i],
        rhs=[sp.cos(3 * nsd.time) - 2 * i - field * x.diff()],
        units=["m", "A"],
        **more,
    )


def coil_rates(t: float, s: np.ndarray) -> list[float]:
    q, v, current = s
    field = 2 * math.exp(-(q**2))
    inertial = q * v**2 / 2  # M' v^2 / 2
    return [
        v,
        (field * current - v / 5 - 8 * q - inertial) / (1 + q**2 / 2),
        math.cos(3 * t) - 2 * current - field * v,
    ]


@pytest.mark.parametrize("name", SCHEMES)
def test_states_have_the_order_of_velocities(name: str) -> None:
    """Errors of position, velocity and current after 2 s against an independent integrator: order 2."""
    truth = solve_ivp(coil_rates, [0, 2], [0.3, 0, 1], rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    model = nsd.Model("m", [coil()], scheme=SCHEMES[name], step=0.01, end=2, initial={x: 0.3, i: 1}).compile()
    errors = []
    for step in (0.01, 0.005, 0.0025):
        run = model.run(step=step)
        errors.append(np.abs(np.array([run[c][-1] for c in ("x", "x_dot", "i")]) - truth))
    assert np.all(errors[-1] < 2e-4)
    assert np.log2(np.linalg.norm(errors[0]) / np.linalg.norm(errors[-1])) / 2 == pytest.approx(2, abs=0.15)


@pytest.mark.parametrize("name", TWO_STEPS)
def test_states_have_the_order_of_positions_in_two_steps(name: str) -> None:
    """The velocity that is recorded belongs to t_k or to the middle of the step: there it has order 2, too."""
    lag = {"ends": 1, "backward": 0.5}[name]
    model = nsd.Model("m", [coil()], scheme=TWO_STEPS[name], step=0.01, end=2, initial={x: 0.3, i: 1}).compile()
    errors = []
    for step in (0.01, 0.005, 0.0025):
        at = [2 - lag * step, 2]
        truth = solve_ivp(coil_rates, [0, 2], [0.3, 0, 1], t_eval=at, rtol=1e-12, atol=1e-13, method="DOP853").y
        run, exact = model.run(step=step), [truth[0, 1], truth[1, 0], truth[2, 1]]
        errors.append(np.abs(np.array([run[c][-1] for c in ("x", "x_dot", "i")]) - exact))
    assert np.all(errors[-1] < 2e-4)
    assert np.log2(np.linalg.norm(errors[0]) / np.linalg.norm(errors[-1])) / 2 == pytest.approx(2, abs=0.15)


def test_event_driven_integration_is_as_accurate_as_its_tolerance() -> None:
    truth = solve_ivp(coil_rates, [0, 2], [0.3, 0, 1], rtol=3e-14, atol=1e-15, method="DOP853").y[:, -1]
    run = nsd.Model("m", [coil()], scheme=nsd.EventDriven(), step=0.01, end=2, initial={x: 0.3, i: 1}).run()
    assert np.array([run[c][-1] for c in ("x", "x_dot", "i")]) == pytest.approx(truth, abs=1e-9)
    assert [run.unit(name) for name in ("x", "x_dot", "i", "i_rate")] == ["m", "m/s", "A", "A/s"]


# A relief valve, y1'' = -1.25 y1' - (y1 + 10) + y3, y3' = 20 (q - y1 sqrt(y3)), y1 >= 0, v+ = -0.8 v- (Hos and
# Champneys, Physica D 241, 2012).
q = sp.Symbol("q", positive=True)


def valve(scheme: Scheme, **options: float) -> nsd.Model:
    disc = nsd.LagrangianSystem(
        "valve",
        [y],
        kinetic=y.diff() ** 2 / 2,
        potential=(y + 10) ** 2 / 2,
        forces=[p - 1.25 * y.diff()],
        state=[p],
        rhs=[20 * (q - y * sp.sqrt(p))],
    )
    seat = nsd.Contact("seat", y, nsd.NewtonImpact(0.8))
    return nsd.Model("valve", [disc], [seat], scheme=scheme, parameters={q: 1.0}, initial={y: 1, p: 10.5}, **options)


def valve_exact(end: float) -> tuple[list[float], np.ndarray]:
    """The times of impacts, and the state at the end, by an independent integrator and its events."""

    def rates(t: float, s: np.ndarray) -> list[float]:
        return [s[1], -1.25 * s[1] - (s[0] + 10) + s[2], 20 * (1 - s[0] * math.sqrt(s[2]))]

    def seat(t: float, s: np.ndarray) -> float:
        return s[0]

    seat.terminal, seat.direction = True, -1
    t, state, hits = 0.0, np.array([1, 0, 10.5]), []
    while t < end:
        found = solve_ivp(rates, [t, end], state, rtol=1e-13, atol=1e-14, method="DOP853", events=seat)
        t, state = found.t[-1], found.y[:, -1]
        if found.status == 1:
            hits.append(t)
            state = np.array([0, -0.8 * state[1], state[2]])
    return hits, state


def test_the_impacts_of_a_valve_from_event_to_event() -> None:
    hits, end = valve_exact(12.0)
    run = valve(nsd.EventDriven(), step=0.01, end=12.0).run()
    struck = [event.time for event in run.events if (event.name, event.kind) == ("seat", "closes")]
    assert len(hits) == 10 and struck == pytest.approx(hits, abs=1e-8)
    assert np.array([run[c][-1] for c in ("y", "y_dot", "p")]) == pytest.approx(end, abs=1e-7)


@pytest.mark.parametrize("name", IMPACTS)
def test_the_impacts_of_a_valve_by_steps(name: str) -> None:
    """Time-stepping comes to the same motion: half the step, half the error at least, over three halvings."""
    _, end = valve_exact(2.0)
    model = valve(IMPACTS[name], step=1e-3, end=2.0).compile()
    errors = []
    for step in (1e-3, 1.25e-4):
        run = model.run(step=step)
        errors.append(max(abs(np.array([run[c][-1] for c in ("y", "y_dot", "p")]) - end)))
    assert errors[0] < 0.1 and errors[1] < errors[0] / 4


@pytest.mark.parametrize("name", TWO_STEPS)
def test_the_impacts_of_a_valve_in_two_steps(name: str) -> None:
    """Errors of first order, bounded: where in a step it strikes is as chance has it."""
    _, end = valve_exact(2.0)
    model = valve(TWO_STEPS[name], step=1e-3, end=2.0).compile()
    for step in (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5):
        run = model.run(step=step)
        assert max(abs(np.array([run[c][-1] for c in ("y", "y_dot", "p")]) - end)) < 50 * step


@pytest.mark.parametrize("name", [*IMPACTS, *TWO_STEPS, "EventDriven"])
def test_impacts_leave_states_as_they_are(name: str) -> None:
    """A state without a rate is the same to the last bit after many impacts."""
    still = nsd.LagrangianSystem(
        "ball", [y], kinetic=y.diff() ** 2 / 2, potential=10 * y, forces=[i / 7], state=[i, p], rhs=[0, y.diff()]
    )
    floor = nsd.Contact("floor", y, nsd.NewtonImpact(0.5))
    scheme = {**IMPACTS, **TWO_STEPS}.get(name, nsd.EventDriven())
    start = {y: 1, i: 0.1, p: 1}
    run = nsd.Model("m", [still], [floor], scheme=scheme, step=1e-3, end=2.0, initial=start).run()
    assert set(run["i"]) == {0.1}
    if scheme not in (IMPACTS["MoreauJean, projection"], IMPACTS["MoreauJean, combined"]):  # they move positions
        assert abs(run["p"] - run["y"]).max() < 1e-9  # p' = y'


def test_friction_in_space_between_a_body_and_a_driven_slider() -> None:
    """A contact in a model with bodies, whose rows have three entries, acts on no state."""
    body = nsd.RigidBody("body", 1, sp.eye(3))
    cart = nsd.LagrangianSystem("cart", [x], kinetic=x.diff() ** 2, forces=[i], state=[i], rhs=[-i])
    floor = nsd.Contact(
        "deck", body.position[2], nsd.NewtonImpactFriction(0, 0.3),
        tangent=[body.velocity[0] - x.diff(), body.velocity[1]],
    )  # fmt: skip
    body.apply_force([0, 0, -10])
    start = {body.position: [0, 0, 0], x: 0, i: 0.5}
    run = nsd.Model("m", [body, cart], [floor], scheme=nsd.MoreauJean(), step=1e-3, end=1, initial=start).run()
    # They stick: three kilogrammes, 0.5 exp(-t) N.
    assert run["x_dot"][-1] == pytest.approx(0.5 * (1 - math.exp(-1)) / 3, abs=1e-6)
    assert run["body.velocity[0]"][-1] == pytest.approx(run["x_dot"][-1], abs=1e-9)
    assert run["i"][-1] == pytest.approx(0.5 * math.exp(-1), abs=1e-6)


@pytest.mark.parametrize(
    "scheme", [*IMPACTS.values(), *TWO_STEPS.values(), nsd.GeneralisedAlpha(), nsd.EventDriven()], ids=repr
)
def test_a_motor_comes_to_its_steady_state(scheme: Scheme) -> None:
    """U = R i + k w and k i = load + d w: w = (k U / R - load) / (d + k^2 / R)."""
    R, L, k, d, load, U = 2.0, 0.5, 0.6, 0.02, 0.4, 6.0
    motor = nsd.LagrangianSystem(
        "motor",
        [x],
        kinetic=0.05 * x.diff() ** 2 / 2,
        forces=[k * i - d * x.diff() - load],
        state=[i],
        rhs=[(U - R * i - k * x.diff()) / L],
    )
    run = nsd.Model("m", [motor], scheme=scheme, step=5e-3, end=8, initial={x: 0, i: 0}).run()
    speed = (k * U / R - load) / (d + k**2 / R)
    assert run["x_dot"][-1] == pytest.approx(speed, rel=1e-6)
    assert run["i"][-1] == pytest.approx((load + d * speed) / k, rel=1e-6)


@pytest.mark.parametrize(
    "scheme",
    [nsd.MoreauJean(), nsd.Rattle(), nsd.D1Minus(), nsd.Variational(), nsd.SchatzmanPaoli(), nsd.EventDriven()],
    ids=repr,
)
def test_a_relation_acts_on_a_state(scheme: Scheme) -> None:
    """A diode in the circuit of a motor: the current is cut where it would turn round, L i' = U - R i - k w + u."""
    u = nsd.multipliers("u", 1)[0]
    motor = nsd.LagrangianSystem(
        "motor",
        [x],
        kinetic=x.diff() ** 2 / 2,
        forces=[i],
        state=[i],
        rhs=[sp.cos(2 * nsd.time) - i - x.diff()],
    )
    diode = nsd.OutputRelation("diode", [u], [i], {motor: [0, u]}, nsd.Complementarity())
    run = nsd.Model("m", [motor], [diode], scheme=scheme, step=1e-3, end=3, initial={x: 0, i: 0}).run()

    def conducting(t: float, s: np.ndarray) -> list[float]:
        return [s[1], math.cos(2 * t) - s[1] - s[0]]

    def runs_out(t: float, s: np.ndarray) -> float:
        return s[1] + (1.0 if t < 1e-3 else 0.0)

    runs_out.terminal, runs_out.direction = True, -1
    found = solve_ivp(conducting, [0, 3], [0, 0], rtol=1e-12, atol=1e-13, events=runs_out, method="DOP853")
    w, blocked = found.y[0, -1], found.t[-1]
    assert blocked < 1.5
    again = next(t for t in np.arange(blocked + 1e-3, 3, 1e-4) if math.cos(2 * t) > w)
    held = (run.time > blocked + 2e-3) & (run.time < again - 2e-3)
    assert held.sum() > 100 and abs(run["i"][held]).max() < 1e-9
    assert run["x_dot"][held] == pytest.approx(w, abs=2e-3 if scheme.name != "EventDriven" else 1e-8)


@pytest.mark.parametrize("name", [*IMPACTS, *TWO_STEPS, "EventDriven"])
def test_the_work_of_friction_goes_into_heat(name: str) -> None:
    """A sled of 2 kg stops from 2 m/s by 3 N: 4 J of heat, the temperature rises by 1/5 of it."""
    (rub,) = nsd.multipliers("rub", 1)
    sled = nsd.LagrangianSystem("sled", [x], kinetic=x.diff() ** 2, state=[heat], rhs=[0])
    pad = nsd.OutputRelation("pad", [rub], [x.diff()], {sled: [rub, -rub * x.diff() / 5]}, nsd.Relay(3))
    scheme = {**IMPACTS, **TWO_STEPS}.get(name, nsd.EventDriven())
    model = nsd.Model(
        "m", [sled], [pad], scheme=scheme, step=0.01, end=2, initial={x: 0, x.diff(): 2, heat: 0}
    ).compile()
    for step in (0.01, 0.005, 0.0025):
        assert abs(model.run(step=step)["heat"][-1] - 4 / 5) < 1.3 * step


# Misuse


def refused(**words: object) -> None:
    arguments = {"kinetic": x.diff() ** 2 / 2, "state": [i], "rhs": [-i], **words}
    system = nsd.LagrangianSystem("m", [x], **arguments)
    nsd.Model("m", [system], scheme=nsd.MoreauJean(), step=1e-2, end=1, initial={x: 0, i: 0}).describe()


MISUSE = {
    "no rate": ({"rhs": None}, "the state 'i' has no rate"),
    "a rate too few": ({"state": [i, j]}, "2x1"),
    "rates of nothing": ({"state": ()}, "has rhs= without state="),
    "a coordinate": ({"state": [x]}, "'x' is a state and a coordinate or a velocity"),
    "its velocity": ({"state": [x.diff()]}, "is not a function of time"),
    "the name of a velocity": ({"state": dynamicsymbols("x_dot")}, "'x_dot' is a state and a coordinate or a velocity"),
    "twice": ({"state": [i, i], "rhs": [0, 0]}, "lists two functions of time called 'i'"),
    "a stranger": ({"rhs": [-j]}, "j"),
    "a rate of a rate": ({"rhs": [-i.diff()]}, "first derivatives"),
    "a force of a rate": ({"forces": [i.diff()]}, "first derivatives"),
    "kinetic energy": ({"kinetic": (1 + i**2) * x.diff() ** 2 / 2}, "the kinetic energy depends on the state 'i'"),
    "momentum": ({"kinetic": x.diff() ** 2 / 2 + i * x.diff()}, "the kinetic energy depends on the state 'i'"),
    "mass": ({"kinetic": None, "mass": [[1 + i**2]]}, "the mass depends on the state 'i'"),
    "units": ({"units": ["m"]}, "1 units for 2 values"),
}


@pytest.mark.parametrize("case", MISUSE)
def test_what_cannot_be_meant_is_refused(case: str) -> None:
    words, message = MISUSE[case]
    with pytest.raises(ModelError, match=message):
        refused(**words)


def test_a_state_without_an_initial_value_is_named() -> None:
    with pytest.raises(ModelError, match="no initial value for i"):
        nsd.Model("m", [coil()], scheme=nsd.MoreauJean(), step=1e-2, end=1, initial={x: 0})


RELATIONS = {
    "a gap": (lambda: nsd.Contact("r", x - i, nsd.NewtonImpact(0)), "the gap depends on states"),
    "a rate": (lambda: nsd.VelocityConstraint("r", x.diff() - i), "holds i, a first-order state"),
    "a tangent": (
        lambda: nsd.Contact("r", x, nsd.NewtonImpactFriction(0, 1), tangent=[x.diff() - i]),
        "holds i, a first-order state",
    ),
    "a direction": (lambda: nsd.ForceElement("r", i, 1), "holds i, a first-order state"),
    "friction": (lambda: nsd.RateForce("r", x.diff() + i, nsd.Relay(1)), "holds i, a first-order state"),
}


@pytest.mark.parametrize("case", RELATIONS)
def test_reactions_by_duality_act_on_no_state(case: str) -> None:
    relation, message = RELATIONS[case]
    with pytest.raises(ModelError, match=message):
        nsd.Model(
            "m", [coil()], [relation()], scheme=nsd.MoreauJean(), step=1e-2, end=1, initial={x: 0, i: 0}
        ).describe()


# Systems of different kinds that share quantities.

MOTION = {**SCHEMES, "SchatzmanPaoli": nsd.SchatzmanPaoli(), "EventDriven": nsd.EventDriven()}


@pytest.mark.parametrize("name", MOTION)
@pytest.mark.parametrize("linear", [False, True], ids=["first-order", "linear"])
@pytest.mark.few(4)
def test_a_circuit_a_drum_and_what_couples_them(name: str, linear: bool) -> None:
    """The coil as three objects, current, mass and coupling: the order and the limit are those of one system."""
    U, k, R, L = 12, sp.Rational(1, 2), 2, sp.Rational(1, 10)
    if linear:
        circuit: nsd.LinearSystem | nsd.FirstOrderSystem = nsd.LinearSystem(
            "circuit", [[-R]], E=[[L]], e=[U * sp.cos(nsd.time)], states=[i], beside_motion=True
        )
    else:
        circuit = nsd.FirstOrderSystem(
            "circuit", [i], [U * sp.cos(nsd.time) - R * i], mass=[[L]], units=["A"], beside_motion=True
        )
    drum = nsd.LagrangianSystem("drum", [x], kinetic=x.diff() ** 2 / 2, potential=x**4)
    motor = nsd.Coupling("motor", {circuit: [-k * x.diff()], drum: [k * i]}, units=["V", "N m"])
    scheme = MOTION[name]
    model = nsd.Model("m", [circuit, drum], [motor], scheme=scheme, step=0.01, end=1, initial={x: 0.5, i: 0}).compile()
    truth = solve_ivp(
        lambda t, s: [s[1], 0.5 * s[2] - 4 * s[0] ** 3, 10 * (12 * np.cos(t) - 2 * s[2] - 0.5 * s[1])],
        [0, 1],
        [0.5, 0, 0],
        rtol=1e-12,
        atol=1e-13,
        method="DOP853",
    ).y[:, -1]
    errors = []
    for step in (0.01, 0.005, 0.0025):
        run = model.run(step=step)
        recorded = np.array([run[c][-1] for c in ("x", "x_dot", "i")]) - truth
        errors.append(np.abs(recorded[[0, 2]] if name == "SchatzmanPaoli" else recorded).max())  # its x_dot is of t_k
    assert run["motor.force"][-1] == pytest.approx([-0.5 * run["x_dot"][-1], 0.5 * run["i"][-1]])
    if name == "EventDriven":
        assert max(errors) < 1e-9
    else:
        assert errors[-1] < 1e-3 and np.log2(errors[0] / errors[-1]) / 2 == pytest.approx(2, abs=0.2)


def test_a_circuit_turns_a_body() -> None:
    """A body on a hinge and a circuit: k i = d w, U = R i + k w."""
    body = nsd.RigidBody("body", 1, sp.eye(3) / 100)
    hinge = nsd.Revolute("hinge", nsd.Marker(body, axis=[0, 0, 1]), nsd.Marker(axis=[0, 0, 1]))
    circuit = nsd.FirstOrderSystem("circuit", [i], [100 * (6 - i)], beside_motion=True)
    spin = body.angular_velocity[2]
    motor = nsd.Coupling("motor", {circuit: [-50 * spin], body: [0, 0, 0, 0, 0, i / 2 - spin / 10]})
    start = {body.position: [0, 0, 0], i: 0}
    for scheme in (nsd.MoreauJean(), nsd.Rattle(), nsd.Variational(), nsd.GeneralisedAlpha(), nsd.EventDriven()):
        run = nsd.Model("m", [body, circuit], [hinge, motor], scheme=scheme, step=2.5e-3, end=2, initial=start).run()
        assert run["body.angular_velocity[2]"][-1] == pytest.approx(3 / 0.35, rel=1e-4)
        assert run["i"][-1] == pytest.approx(0.2 * 3 / 0.35, rel=1e-4)


@pytest.mark.parametrize("rhs_at", ["ends", "theta"])
def test_first_order_systems_are_coupled_by_terms(rhs_at: str) -> None:
    """Two cells that leak into each other, against the same four numbers in one system: to the last bit."""
    a, b = dynamicsymbols("a b")
    cells = [nsd.FirstOrderSystem(str(s.func), [s], [-s]) for s in (a, b)]
    leak = nsd.Coupling("leak", {cells[0]: [(b - a) ** 3], cells[1]: [(a - b) ** 3]})
    one = nsd.FirstOrderSystem("both", [a, b], [-a + (b - a) ** 3, -b + (a - b) ** 3])
    options = {"scheme": nsd.ThetaGamma(rhs_at=rhs_at), "step": 0.01, "end": 1, "initial": {a: 1, b: 0}}
    apart, together = nsd.Model("m", cells, [leak], **options).run(), nsd.Model("m", [one], **options).run()
    for name in ("a", "b"):
        assert apart[name] == pytest.approx(together[name], abs=1e-12)


def test_couplings_that_cannot_be_meant_are_refused() -> None:
    cell = nsd.FirstOrderSystem("cell", [i], [-i])
    with pytest.raises(ModelError, match="adds nothing"):
        nsd.Coupling("c", {cell: [0]})
    with pytest.raises(ModelError, match="reaction is not a mapping"):
        nsd.Coupling("c", [i])
    with pytest.raises(ModelError, match="2x1"):
        nsd.Coupling("c", {cell: [i, i]})
    singular = nsd.FirstOrderSystem("s", [i, j], [-i, j - i], mass=[[1, 0], [0, 0]])
    leak = nsd.Coupling("leak", {singular: [0, i]})
    with pytest.raises(ModelError, match="want a multiplier"):
        nsd.Model("m", [singular], [leak], scheme=nsd.ThetaGamma(), step=0.1, end=1, initial={i: 1, j: 1}).compile()


MASSES = {"depends on states": [[1 + i**2, 0], [0, 1]], "is singular": [[1, 0], [0, 0]]}


@pytest.mark.parametrize("why", MASSES)
def test_masses_beside_motion(why: str) -> None:
    system = nsd.FirstOrderSystem("s", [i, j], [-i, j - i], mass=MASSES[why], beside_motion=True)
    with pytest.raises(ModelError, match=why):
        nsd.Model("m", [system], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={i: 1, j: 1})


@pytest.mark.parametrize("name", [*SCHEMES, *TWO_STEPS])
def test_circuits_alone_are_stepped_with_order_two(name: str) -> None:
    """Two circuits beside motion, the mass of one grows in time, joined by a coupling, against an integrator."""
    circuits = [
        nsd.FirstOrderSystem(str(s.func), [s], [-s], [[m]], beside_motion=True) for s, m in ((i, 1 + nsd.time), (j, 2))
    ]
    joint = nsd.Coupling("joint", {circuits[0]: [(j - i) ** 3], circuits[1]: [(i - j) ** 3]})
    scheme, start = {**SCHEMES, **TWO_STEPS}[name], {i: 2, j: 0}
    model = nsd.Model("m", circuits, [joint], scheme=scheme, step=0.02, end=1, initial=start).compile()
    truth = solve_ivp(
        lambda t, s: [(-s[0] + (s[1] - s[0]) ** 3) / (1 + t), (-s[1] + (s[0] - s[1]) ** 3) / 2],
        [0, 1], [2, 0], rtol=1e-12, atol=1e-13, method="DOP853",
    ).y[:, -1]  # fmt: skip
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = model.run(step=step)
        errors.append(np.abs(np.array([run["i"][-1], run["j"][-1]]) - truth).max())
    assert errors[-1] < 1e-3 and np.log2(errors[0] / errors[-1]) / 2 == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize("mass", [1, 3])
@pytest.mark.parametrize("kind", ["mechanical", "beside motion", "first-order"])
@pytest.mark.few(2)
def test_switchings_of_every_kind_of_system_end_where_they_accumulate(kind: str, mass: int) -> None:
    """Fuller's problem, x'' in -Sgn(x + C x' |x'|): intervals shrink by one factor."""
    C, (lam,) = 0.4446, nsd.multipliers("lam", 1)
    if kind == "mechanical":
        speed, start = x.diff(), {x: 1}
        system = nsd.LagrangianSystem("s", [x], kinetic=mass * x.diff() ** 2 / 2)
        reaction = [mass * lam]
    else:
        speed, start = y, {x: 1, y: 0}
        system = nsd.FirstOrderSystem("s", [x, y], [y, 0], [[1, 0], [0, mass]], beside_motion=kind == "beside motion")
        reaction = [0, mass * lam]
    switch = nsd.OutputRelation("switch", [lam], [x + C * speed * sp.Abs(speed)], {system: reaction}, nsd.Relay(1))
    run = nsd.Model("m", [system], [switch], scheme=nsd.EventDriven(), step=0.01, end=6, initial=start).run()
    first, shrinks = 1 / math.sqrt(0.5 + C), math.sqrt((0.5 - C) / (0.5 + C))
    n = np.arange(len(run.events))
    exact = first * (1 + (1 + shrinks) * (1 - shrinks**n) / (1 - shrinks))
    assert len(n) > 12 and [event.time for event in run.events] == pytest.approx(exact, abs=1e-8)
    assert abs(run["x"][-1]) < 1e-10


STIFF = {"MoreauJean()": (nsd.MoreauJean(), 100), "Rattle()": (nsd.Rattle(), 100)}
STIFF |= {"Variational()": (nsd.Variational(), 100), "SchatzmanPaoli()": (nsd.SchatzmanPaoli(), 100)}
STIFF |= {"GeneralisedAlpha()": (nsd.GeneralisedAlpha(), 100), "D1Minus()": (nsd.D1Minus(), 1.99)}


@pytest.mark.parametrize("name", STIFF)
def test_the_steps_that_stiff_states_admit(name: str) -> None:
    """i' = - 1000 i with steps in units of 1 ms: bounded as documented, and D1-minus grows beyond 2."""
    scheme, most = STIFF[name]
    system = nsd.LagrangianSystem("s", [x], kinetic=x.diff() ** 2 / 2, forces=[i], state=[i], rhs=[-1000 * i])
    model = nsd.Model("m", [system], scheme=scheme, step=1e-3, end=1, initial={x: 0, i: 1}).compile()
    run = model.run(step=most * 1e-3, end=most * 0.2)
    assert abs(run["i"]).max() <= 1 + 1e-9 and abs(run["i"][-1]) < 1
    if name == "D1Minus()":
        assert model.run(step=2.01e-3, end=1)["i"][-1] > 10


def described(rhs: object, force: object, *relations: object, **options: object) -> None:
    system = nsd.LagrangianSystem("s", [x], kinetic=x.diff() ** 2 / 2, forces=[force], state=[i, p], rhs=rhs)
    nsd.Model(
        "m", [system], [r(system) for r in relations], scheme=nsd.MoreauJean(), step=0.1, end=1,
        initial={x: 0, i: 0, p: 0}, **options,
    )  # fmt: skip


def test_a_state_that_nothing_couples_with_the_motion_is_warned_of() -> None:
    with pytest.warns(ModelWarning, match="its motion and the state 'p' say nothing of each other"):
        described([-i, -p], i)
    with pytest.warns(ModelWarning, match="the state 'i'"):
        described([-i, x - p], 0)


@pytest.mark.parametrize(
    "words",
    [
        ([-i, x], i),  # an integral of the motion
        ([-p, 1 - p], i),  # a chain of states
        ([-i, -p], i, lambda s: nsd.ForceElement("r", x, p)),
        ([-i, -p], i, lambda s: nsd.Coupling("r", {s: [0, 0, x]})),
        ([-i, -p], i, lambda s: nsd.OutputRelation("r", nsd.multipliers("u", 1), [p], {s: [0, 0, 0]}, nsd.Relay(1))),
    ],
    ids=["integral", "chain", "force", "coupling", "output"],
)
def test_states_that_something_couples_are_not(words: tuple[object, ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        described(*words)
