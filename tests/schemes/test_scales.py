"""No threshold of a scheme knows metres or seconds: a model of other lengths and times runs as its image."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y, angle = dynamicsymbols("x y angle")
m, g, L = sp.symbols("m g L", positive=True)
SCALES = [(length, time) for length in (1, 1e-9, 1e9) for time in (1, 1e-9, 1e9)]
WITH_CONTACTS = {
    "MoreauJean": nsd.MoreauJean(),
    "hysteresis": nsd.MoreauJean(activation="hysteresis"),
    "Rattle": nsd.Rattle(),
    "GeneralisedAlpha": nsd.GeneralisedAlpha(),
    "Variational": nsd.Variational(),
    "D1Minus": nsd.D1Minus(),
    "velocity": nsd.D1Minus(level="velocity"),
    "bounces": nsd.D1Minus(rest="bounces"),
}
BODIES = ["MoreauJean", "Rattle", "Variational"]


def thrown():
    """A block that bounces, slides and comes to rest."""
    block = nsd.LagrangianSystem("block", [x, y], kinetic=m * (x.diff() ** 2 + y.diff() ** 2) / 2, potential=m * g * y)
    floor = nsd.Contact("floor", gap=y, tangent=x, law=nsd.NewtonImpactFriction(0.5, 0.3))
    return [block], [floor], {x: 0, y: 0.3, x.diff(): 1}


def brick_on_corners():
    """A brick on two corners that tilts under a push and settles."""
    brick = nsd.LagrangianSystem(
        "brick",
        [x, y, angle],
        kinetic=m * (x.diff() ** 2 + y.diff() ** 2 + L**2 * angle.diff() ** 2 / 6) / 2,
        potential=m * g * y,
        forces=[0, 0, m * g * L * sp.cos(sp.sqrt(g / L) * nsd.time) / 3],
    )
    corners = [
        nsd.Contact(
            f"corner {n}",
            gap=y + s * L / 2 * sp.sin(angle) - L / 2 * sp.cos(angle),
            tangent=x + s * L / 2 * sp.cos(angle) + L / 2 * sp.sin(angle),
            law=nsd.NewtonImpactFriction(0, 0.3),
        )
        for n, s in enumerate((-1, 1))
    ]
    return [brick], corners, {x: 0, y: 0.5, angle: 0}


def hinged():
    """A body on a pin that swings against a floor."""
    arm = nsd.RigidBody("arm", mass=m, inertia=sp.diag(1, 1, 1) * m * L**2 / 12).apply_force([0, 0, -m * g])
    pin = nsd.Revolute("pin", nsd.Marker(arm, [-L / 2, 0, 0], axis=[0, 1, 0]), nsd.Marker(axis=[0, 1, 0]))
    tip = nsd.Plane("floor", [0, 0, 1], -L / 4)
    law = nsd.NewtonImpactFriction(0, 0.3)
    return [arm], [pin, *nsd.contacts_between(arm.points(1, [[L / 2, 0, 0]]), tip, law)], {arm.position: [0.5, 0, 0]}


CASES = [(d, s) for d in (thrown, brick_on_corners) for s in WITH_CONTACTS] + [(hinged, s) for s in BODIES]


@pytest.mark.parametrize(("described", "scheme"), CASES)
@pytest.mark.few(4)
def test_lengths_and_times(described, scheme):
    systems, relations, initial = described()
    has_length = described is not thrown
    compiled = nsd.Model(
        described.__name__,
        systems,
        relations,
        scheme=WITH_CONTACTS[scheme],
        step=5e-3,
        end=2,
        parameters={m: 1, g: 10, **({L: 1} if has_length else {})},
        initial=initial,
    ).compile(interpret=True)
    places = ["position"] if described is hinged else ["x", "y"]
    starts = {thrown: {"y": 0.3}, brick_on_corners: {"y": 0.5}, hinged: {"position": np.array([0.5, 0, 0])}}[described]
    reference = None
    for length, time in SCALES:
        found = compiled.run(
            step=5e-3 * time,
            end=2 * time,
            parameters={"g": 10 * length / time**2, **({"L": length} if has_length else {})},
            initial={n: v * length for n, v in starts.items()} | ({} if has_length else {"x_dot": length / time}),
        )
        rows = np.column_stack([found[n] / length for n in places])
        reference = rows if reference is None else reference
        assert abs(rows - reference).max() < 1e-7, (length, time)


def unit(state, length, time):
    """Of an initial value."""
    return length / (time if isinstance(state, sp.Derivative) else 1) if state is not angle else 1


def swung():
    """A body on a pin, without a floor."""
    bodies, relations, initial = hinged()
    return bodies, relations[:1], initial


def bounced():
    """A block that bounces without friction and comes to rest."""
    block = nsd.LagrangianSystem("block", [x, y], kinetic=m * (x.diff() ** 2 + y.diff() ** 2) / 2, potential=m * g * y)
    return [block], [nsd.Contact("floor", gap=y, law=nsd.NewtonImpact(0.5))], {x: 0, y: 0.3, x.diff(): 1}


def rubbed():
    """A block on a spring that rubs on the floor: it turns round, and stays where friction holds it."""
    block = nsd.LagrangianSystem(
        "block", [x, y], kinetic=m * (x.diff() ** 2 + y.diff() ** 2) / 2, potential=m * g * (y + 3 * x**2 / L / 2)
    )
    return [block], [nsd.Contact("floor", gap=y, tangent=x, law=nsd.NewtonImpactFriction(0.5, 0.3))], {x: 1, y: 0}


OTHERS = [
    pytest.param(swung, "GeneralisedAlpha", marks=pytest.mark.slow),
    pytest.param(swung, "EventDriven", marks=pytest.mark.slow),
    (bounced, "SchatzmanPaoli"),
    (bounced, "EventDriven"),
    (thrown, "EventDriven"),
    (rubbed, "EventDriven"),
    (hinged, "EventDriven"),
    *((rubbed, name) for name in ("MoreauJean", "Rattle", "D1Minus", "Variational", "GeneralisedAlpha")),
]


some_and_all = pytest.mark.parametrize(
    "scales", [[SCALES[k] for k in (0, 5, 7)], pytest.param(SCALES, marks=pytest.mark.slow)], ids=["some", "all"]
)


@some_and_all
@pytest.mark.parametrize(("described", "scheme"), OTHERS)
@pytest.mark.few(3)
def test_lengths_and_times_of_schemes_for_few(described, scheme, scales):
    reference = None
    has_length = described not in (bounced, thrown)
    for length, time in scales:
        systems, relations, initial = described()
        found = nsd.Model(
            described.__name__,
            systems,
            relations,
            scheme=getattr(nsd, scheme)(),
            step=5e-3 * time,
            end=2 * time,
            parameters={m: 1, g: 10 * length / time**2, **({L: length} if has_length else {})},
            initial={k: (np.array(v) * unit(k, length, time)).tolist() for k, v in initial.items()},
        )
        run = found.compile(interpret=True).run()
        grid = np.searchsorted(run.time, 5e-3 * time * (np.arange(400) + 0.5))
        rows = np.column_stack(
            [run[n][grid] / length for n in (["position"] if described in (swung, hinged) else ["x", "y"])]
        )
        reference = rows if reference is None else reference
        assert abs(rows - reference).max() < 1e-7, (length, time)


@pytest.mark.parametrize("scales", [SCALES[0], SCALES[3], SCALES[5], SCALES[8]])
def test_an_impact_at_the_start_is_an_event_in_any_unit(scales):
    """A ball that is thrown at the floor it lies on bounces at once; one that lies there does not."""
    length, time = scales
    ball = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2, potential=g * y)
    floor = nsd.Contact("floor", gap=y, law=nsd.NewtonImpact(0.5))
    for speed, events in ((-1, 1), (0, 0)):
        run = nsd.Model(
            "thrown_down",
            [ball],
            [floor],
            scheme=nsd.EventDriven(),
            step=1e-2 * time,
            end=5e-2 * time,
            parameters={g: 10 * length / time**2},
            initial={y: 0, y.diff(): speed * length / time},
        ).run()
        assert len(run.events) == events
        if speed:
            assert run["y_dot"][0] * time / length == -1 and run["y_dot"][1] * time / length == pytest.approx(0.5)


v, i = dynamicsymbols("v i")
R, C, amplitude, omega = sp.symbols("R C amplitude omega", positive=True)


def rectified():
    """An oscillator that four diodes load: v in the unit of a length, times in that of times."""
    lam = nsd.multipliers("lam", 4)
    oscillator = nsd.FirstOrderSystem("oscillator", [v, i], [-i / C, v / C])
    output = [(lam[0] + lam[1]) / R - lam[2], (lam[0] + lam[1]) / R - lam[3], lam[0] - v, lam[1] + v]
    law, reaction = nsd.Complementarity(), {oscillator: [(lam[3] - lam[2]) / C, 0]}
    bridge = nsd.FirstOrderRelation("bridge", multipliers=lam, output=output, reaction=reaction, law=law)
    return [oscillator], [bridge], lambda size, time: {"C": time, "R": 3.0}, {v: 1, i: 0}


def switched():
    """A relay against a force that carries it through and back."""
    (lam,) = nsd.multipliers("lam", 1)
    state = nsd.FirstOrderSystem("state", [v], [-v / C + amplitude * sp.cos(omega * nsd.time)])
    relay = nsd.FirstOrderRelation("relay", multipliers=[lam], output=[v], reaction={state: [R * lam]}, law=nsd.Relay())
    return (
        [state], [relay],
        lambda size, time: {"C": time, "R": size / time, "amplitude": 2 * size / time, "omega": 3 / time}, {v: 1},
    )  # fmt: skip


@some_and_all
@pytest.mark.parametrize("described", [rectified, switched])
@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(0.5, 1), nsd.ThetaGamma(1, 1), nsd.EventDriven()], ids=str)
@pytest.mark.few(2)
def test_sizes_and_times_of_first_order(described, scheme, scales):
    reference = None
    for size, time in scales:
        systems, relations, parameters, initial = described()
        values = parameters(size, time)
        model = nsd.Model(
            described.__name__, systems, relations, scheme=scheme, step=1e-2 * time, end=4 * time,
            parameters={s: values[s.name] for s in (R, C, amplitude, omega) if s.name in values},
            initial={k: value * size for k, value in initial.items()},
        )  # fmt: skip
        run = model.compile(interpret=True).run()
        grid = np.searchsorted(run.time, 1e-2 * time * (np.arange(400) + 0.5))
        rows = np.column_stack([run[str(k.func)][grid] / size for k in initial])
        reference = rows if reference is None else reference
        assert abs(rows - reference).max() < 1e-7, (size, time)


def test_states_of_other_sizes_beside_each_other_are_as_exact():
    """Oscillators of 1e9 and 1e-9 in one run, and something that stands still by forces that cancel."""
    a, b, c, d = dynamicsymbols("a b c d")
    big, small = nsd.FirstOrderSystem("big", [a, b], [b, -a]), nsd.FirstOrderSystem("small", [c, d], [d, -c])
    still = nsd.LagrangianSystem("still", [x], kinetic=x.diff() ** 2 / 2, potential=(1 + x) ** 2 / 2 - (x + 1))
    initial = {a: 1e9, b: 0, c: 1e-9, d: 0, x: 0}
    model = nsd.Model("sizes", [big, small, still], scheme=nsd.EventDriven(), step=1, end=30, initial=initial)
    run = model.compile(interpret=True).run()
    for name, size in (("a", 1e9), ("c", 1e-9)):
        np.testing.assert_allclose(run[name] / size, np.cos(run.time), rtol=0, atol=1e-8)
    assert abs(run["x"]).max() < 1e-14


def test_what_starts_by_its_eleventh_derivative():
    """x' = t^10: nothing of it is to be seen where it starts, and its error is not asked to be small beside that."""
    system = nsd.FirstOrderSystem("slow", [v], [nsd.time**10])
    run = nsd.Model("slow", [system], scheme=nsd.EventDriven(), step=0.1, end=1, initial={v: 0}).run()
    np.testing.assert_allclose(run["v"], run.time**11 / 11, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("start", [1e-300, 1e-310, 1e-318])
def test_what_decays_below_the_least_number_with_all_digits_goes_on(start):
    """Its tolerance was zero there, and no step short enough."""
    plant = nsd.FirstOrderSystem("plant", [x], [-x])
    model = nsd.Model("faint", [plant], scheme=nsd.EventDriven(), step=0.5, end=5, initial={x: start})
    assert model.run()["x"][-1] == pytest.approx(start * np.exp(-5), rel=1e-8, abs=1e-318)


BEHIND = {
    "gain": (lambda i, v: 1000 * i, 1e-9),
    "cubic": (lambda i, v: i - v**3, 1e-12),
    "square": (lambda i, v: i**2, 1e-24),
}


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("law", [nsd.Relay(1), nsd.Equality(), nsd.Complementarity()], ids=str)
def test_what_rests_behind_a_state_that_is_held_rests(behind, law):
    """A state held at zero moves by rounding: what integrates it is rounding, too, and no step was short enough."""
    a, b, c = dynamicsymbols("a b c")
    (lam,) = nsd.multipliers("lam", 1)
    rate, most = BEHIND[behind]
    plant = nsd.FirstOrderSystem("plant", [a, b, c], [sp.sin(1.1 * nsd.time) / 3 - 0.5, rate(a, b), b - c])
    row = nsd.FirstOrderRelation("row", [lam], [a], {plant: [0.9 * lam, 0, 0]}, law)
    model = nsd.Model("held", [plant], [row], scheme=nsd.EventDriven(), step=0.1, end=5, initial={a: 0, b: 0, c: 0})
    run = model.compile(interpret=True).run()
    assert run.time[-1] == 5 and abs(run["b"]).max() < most and abs(run["c"]).max() < most


@pytest.mark.parametrize("power", [1, 2])
def test_friction_that_does_not_slide_yet_heats_nothing(power):
    """The heat of a block that a brake holds from the start on: then the brake gives way, and power comes to be."""
    heat, lam = dynamicsymbols("heat"), nsd.multipliers("lam", 1)[0]
    block = nsd.LagrangianSystem("block", [x], kinetic=x.diff() ** 2 / 2, forces=[nsd.time])
    store = nsd.FirstOrderSystem("store", [heat], [0])
    reactions = {block: [0.9 * lam], store: [x.diff() ** power]}
    brake = nsd.OutputRelation("brake", [lam], [x.diff()], reactions, nsd.Relay(1))
    model = nsd.Model(
        "heated", [block, store], [brake], scheme=nsd.EventDriven(), step=0.1, end=2, initial={x: 0, heat: 0}
    )
    run = model.compile(interpret=True).run()
    slid = 1.1**3 / 6 if power == 1 else 1.1**5 / 20  # of (t - 0.9)^2 / 2 and its square
    assert run["heat"][-1] == pytest.approx(slid, rel=1e-8)
