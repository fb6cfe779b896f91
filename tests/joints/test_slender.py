"""Slender bars: bodies without inertia about an axis, on as many hinges as need be and on more, and free.

The truth is an ordinary differential equation in joint coordinates, which knows nothing of the axis of a bar; numbers
of open multipliers are those of the exact rows by NumPy's rank.
"""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import nsdgen as nsd
from nsdgen.errors import NsdgenError

G, LENGTH, MOMENT = 9.81, 1.0, 1 / 12
FRAME, SPIN, TILT = 0.5, 3.0, 1.0  # of a frame that carries a bar: its inertia; how fast it turns, and the bar's angle
SCHEMES = [nsd.MoreauJean(), nsd.Rattle(), nsd.Variational(), nsd.GeneralisedAlpha(), nsd.EventDriven()]
CROOKED = np.array([1, 2, 2]) / 3
named = pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)


def slender(axis):
    """The inertia of a bar along this axis of the body."""
    return sp.Matrix(MOMENT * (np.eye(3) - np.outer(axis, axis)))


def chain(scheme, bars, hinges, step, steps, lengths=None):
    """Bars end to end, level at first, with hinges along y between them."""
    lengths = [LENGTH] * bars if lengths is None else lengths
    made = [
        nsd.RigidBody(f"bar{k}", 1, slender([1, 0, 0]) * l**2).apply_force([0, 0, -G]) for k, l in enumerate(lengths)
    ]
    joints, ends, y = [], np.cumsum([0, *lengths]), [0, 1, 0]
    for k, bar in enumerate(made):
        for j in range(hinges):
            before = (
                nsd.Marker(made[k - 1], [lengths[k - 1] / 2, 0.2 * j, 0], y)
                if k
                else nsd.Marker(None, [0, 0.2 * j, 0], y)
            )
            joints.append(nsd.Revolute(f"hinge{k}{j}", nsd.Marker(bar, [-lengths[k] / 2, 0.2 * j, 0], y), before))
    start = {bar.position: [ends[k] + lengths[k] / 2, 0, 0] for k, bar in enumerate(made)}
    return nsd.Model("chain", made, joints, scheme=scheme, step=step, end=steps * step, initial=start)


@cache
def falling(scheme, hinges):
    """The chain of three, on so many hinges each, derived once for all that let it fall."""
    return chain(scheme, 3, hinges, 1e-3, 5).compile(interpret=True)


def open_multipliers(bars, hinges):
    """Rows of the hinges of a level chain less their rank: two ends meet in a point, and turn about y alone."""
    rows = []
    for k in range(bars):
        for j in range(hinges):
            points, turns = np.zeros((3, 6 * bars)), np.zeros((3, 6 * bars))
            for bar, x, sign in ((k, -0.5, 1), (k - 1, 0.5, -1)):
                if bar >= 0:
                    arm = np.cross(np.eye(3), [x, 0.2 * j, 0])  # rows e: e . (omega x r) = (r x e) . omega
                    points[:, 6 * bar : 6 * bar + 3] += sign * np.eye(3)
                    points[:, 6 * bar + 3 : 6 * bar + 6] -= sign * arm
                    turns[:, 6 * bar + 3 : 6 * bar + 6] += sign * np.eye(3)
            rows += [points, turns[[0, 2]]]
    rows = np.vstack(rows)
    return len(rows) - np.linalg.matrix_rank(rows)


@pytest.mark.few(2)  # a square of slender bars falls under every scheme
@pytest.mark.parametrize("step", [1e-2, 1e-3])
@named
def test_a_chain_on_two_hinges_each(scheme, step):
    """The motion on one hinge each, and all that is open is counted, in every step."""
    several, one = (falling(scheme, hinges).run(step=step, end=5 * step) for hinges in (2, 1))
    assert set(several["rank_deficiency"][1:]) == {open_multipliers(3, 2)} == {15}
    assert set(one["rank_deficiency"]) == {0}
    assert several["bar2.position"] == pytest.approx(one["bar2.position"], abs=1e-10)
    assert several["newton_iterations"].max() < (500 if scheme.name == "EventDriven" else 12)


@pytest.mark.few(2)
@pytest.mark.parametrize("which", range(2))
@pytest.mark.parametrize("scheme", [nsd.GeneralisedAlpha(), nsd.MoreauJean()], ids=lambda scheme: scheme.name)
def test_one_hinge_twice(scheme, which):
    """The last bar's axis, which one joint held, left a pivot of rounding: what is said twice was refused."""
    one = chain(scheme, 3, 1, 1e-3, 5)
    hinge = one.relations[which]
    joints = [*one.relations, nsd.Revolute("again", hinge.first, hinge.second)]
    again = nsd.Model("again", one.systems, joints, scheme=scheme, step=1e-3, end=5e-3, initial=one.initial)
    one, again = falling(scheme, 1).run(), again.compile(interpret=True).run()
    assert set(again["rank_deficiency"][1:]) == {5}
    assert again["bar2.position"] == pytest.approx(one["bar2.position"], abs=1e-10)


def test_bars_of_several_lengths():
    """They share kernels, of which what is lent to each is an argument: their energy stays, but for the step."""
    lengths = [1.0, 0.5, 2.0, 0.25, 1.5]
    run = chain(nsd.Rattle(), 5, 1, 1e-3, 20, lengths).compile(interpret=True).run()
    energy = sum(
        (run[f"bar{k}.velocity"] ** 2).sum(1) / 2
        + MOMENT / 2 * l**2 * (run[f"bar{k}.angular_velocity"][:, 1:] ** 2).sum(1)
        + G * run[f"bar{k}.position"][:, 2]
        for k, l in enumerate(lengths)
    )
    assert run["bar4.position"][-1, 2] < -1e-3
    assert np.abs(energy).max() < 1e-6


def carried(scheme, hinges, step, end, axis=(1, 0, 0), symbols=False):
    """A frame turns about the vertical and carries a bar on hinges; the bar turns about its axis with it."""
    along = np.array([np.sin(TILT), 0, -np.cos(TILT)])  # in space
    y = np.array([0, 1, 0])
    side = np.cross([0, 0, 1] if axis[0] < 1 else [0, -1, 0], axis)
    side = side / np.linalg.norm(side) if axis[0] < 1 else np.array([0, 1, 0])
    body = np.column_stack([axis, side, np.cross(axis, side)])  # the bar, its hinges and the third in the body
    turned = np.column_stack([along, y, np.cross(along, y)]) @ body.T
    J = sp.Symbol("J", positive=True)
    frame = nsd.RigidBody("frame", 1, FRAME * sp.eye(3))
    bar = nsd.RigidBody("bar", 1, sp.diag(0, J, J) if symbols else slender(axis)).apply_force([0, 0, -G])
    joints = [nsd.Revolute("shaft", nsd.Marker(None, [0, 0, 0], [0, 0, 1]), nsd.Marker(frame, [0, 0, 0], [0, 0, 1]))]
    for j in range(hinges):
        place = body @ [-LENGTH / 2, 0.2 * j, 0]
        held = nsd.Marker(bar, list(place), list(body @ [0, 1, 0]))
        joints.append(nsd.Revolute(f"hinge{j}", nsd.Marker(frame, [0, 0.2 * j, 0], [0, 1, 0]), held))
    omega, centre = np.array([0, 0, SPIN]), LENGTH / 2 * along
    start = {
        frame.position: [0, 0, 0],
        frame.angular_velocity: list(omega),
        bar.position: list(centre),
        bar.quaternion: list(np.roll(Rotation.from_matrix(turned).as_quat(), 1)),
        bar.velocity: list(np.cross(omega, centre)),
        bar.angular_velocity: list(turned.T @ omega),
    }
    values = {J: MOMENT} if symbols else {}
    return nsd.Model(
        "carried", [frame, bar], joints, scheme=scheme, step=step, end=end, initial=start, parameters=values
    )


def centres(times, frame=FRAME):
    """Where the bar is: I phi' = p, A theta'' = A phi'^2 sin cos - m g L/2 sin, with I = frame + A sin^2."""
    A = MOMENT + LENGTH**2 / 4
    p = (frame + A * np.sin(TILT) ** 2) * SPIN

    def rates(_, state):
        theta, rate, _ = state
        turns = p / (frame + A * np.sin(theta) ** 2)
        return rate, np.sin(theta) * (turns**2 * np.cos(theta) - G * LENGTH / 2 / A), turns

    y = solve_ivp(rates, (0, times[-1]), [TILT, 0, 0], rtol=1e-12, atol=1e-13, t_eval=times, method="DOP853").y
    return LENGTH / 2 * np.array([np.sin(y[0]) * np.cos(y[2]), np.sin(y[0]) * np.sin(y[2]), -np.cos(y[0])]).T


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("scheme", "hinges", "axis"),
    # Rows of rates that repeat each other come apart with MoreauJean's positions, whatever the inertia.
    [(s, 1, [1, 0, 0]) for s in SCHEMES] + [(s, 2, CROOKED) for s in SCHEMES[1:]],
    ids=[f"{s.name} {n}" for n in ("one", "two, askew") for s in SCHEMES[n != "one" :]],
)
def test_a_bar_in_space_moves_as_its_joint_coordinates(scheme, hinges, axis):
    """The axis turns in space, where an inertia about it would be felt: what is lent to Newton's matrix is not."""
    exact = scheme.name == "EventDriven"
    off, compiled = [], carried(scheme, hinges, 0.02, 0.3, axis).compile(interpret=True)
    for step in (0.02,) if exact else (0.02, 0.01):
        run = compiled.run(step=step)
        off.append(np.abs(run["bar.position"] - centres(run.time)).max())
        assert set(run["rank_deficiency"][1:]) == {5 * (hinges - 1)}
    assert off[-1] < (1e-9 if exact else 5e-3)
    assert exact or off[1] < (0.6 if scheme.name == "MoreauJean" else 0.3) * off[0]


def test_moments_that_are_symbols():
    """A zero on the diagonal says it where the other moments are parameters."""
    runs = [
        carried(nsd.Rattle(), 2, 0.01, 0.1, symbols=symbols).compile(interpret=True).run() for symbols in (True, False)
    ]
    assert runs[0]["bar.position"] == pytest.approx(runs[1]["bar.position"], abs=1e-12)


@named
def test_a_bar_that_may_turn_about_itself(scheme):
    """It does so for ever, and moves as a spherical pendulum does, of which that is no part."""
    bar = nsd.RigidBody("bar", 1, slender([1, 0, 0])).apply_force([0, 0, -G])
    ball = nsd.Spherical("ball", nsd.Marker(None, [0, 0, 0]), nsd.Marker(bar, [-LENGTH / 2, 0, 0]))
    along = np.array([np.sin(TILT), 0, -np.cos(TILT)])
    turned = np.column_stack([along, [0, 1, 0], np.cross(along, [0, 1, 0])])
    omega = turned.T @ [0, 0, SPIN]
    start = {
        bar.position: list(LENGTH / 2 * along),
        bar.quaternion: list(np.roll(Rotation.from_matrix(turned).as_quat(), 1)),
        bar.velocity: list(np.cross(turned @ omega, LENGTH / 2 * along)),
        bar.angular_velocity: list(omega),
    }
    model = nsd.Model("pendulum", [bar], [ball], scheme=scheme, step=2e-3, end=0.2, initial=start)
    compiled = model.compile(interpret=True)
    for about_itself in (0.0, 5.0):
        run = compiled.run(initial={"bar.angular_velocity": [about_itself, *omega[1:]]})
        assert run["bar.angular_velocity"][:, 0] == pytest.approx(about_itself, abs=1e-9)
        off = np.abs(run["bar.position"] - centres(run.time, frame=0.0)).max()
        assert off < {"EventDriven": 1e-9, "MoreauJean": 1e-2}.get(scheme.name, 1e-4)


@named
def test_a_moment_about_a_free_axis_without_inertia_is_refused(scheme):
    """No motion obeys it; the refusal names the body and what is not determined."""
    bar = nsd.RigidBody("bar", 1, slender([1, 0, 0])).apply_moment([1, 0, 0])
    model = nsd.Model("forced", [bar], [], scheme=scheme, step=1e-2, end=0.1, initial={bar.position: [0, 0, 0]})
    with pytest.raises(NsdgenError, match="'bar'"):
        model.compile(interpret=True).run()


@pytest.mark.parametrize("scheme", [nsd.MoreauJean(theta=0.5), nsd.Rattle(), nsd.EventDriven()], ids=lambda s: s.name)
def test_a_moment_about_an_axis_with_little_inertia_turns_it(scheme):
    """5e-5 of the largest: lent an inertia a thousand times as large, Newton's method did not converge."""
    needle = nsd.RigidBody("needle", mass=1, inertia=sp.diag(5e-5, 1, 1))
    needle.apply_moment([1e-5, 0, 0])
    initial = {needle.position: [0, 0, 0], needle.angular_velocity: [0.3, 0.1, 0.2]}
    run = nsd.Model("needle", [needle], scheme=scheme, step=0.01, end=1, initial=initial).compile(interpret=True).run()
    assert run["needle.angular_velocity"][-1, 0] == pytest.approx(0.5, abs=1e-9)  # the others have equal moments


@named
def test_a_shaft_turns_a_light_wheel(scheme):
    """One joint holds its axis: lent an inertia, it took 50 iterations or did not converge."""
    x, shaft = [1, 0, 0], nsd.RigidBody("shaft", 1, sp.diag(0, 1, 1)).apply_moment([1e-3, 0, 0])
    wheel = nsd.RigidBody("wheel", 0.1, sp.diag(1e-3, 1e-3, 1e-3))
    joints = [
        nsd.Revolute("bearing", nsd.Marker(None, [0, 0, 0], x), nsd.Marker(shaft, [0, 0, 0], x)),
        nsd.Fixed("weld", nsd.Marker(shaft, [0.5, 0, 0], x), nsd.Marker(wheel, [0, 0, 0], x)),
    ]
    initial = {shaft.position: [0, 0, 0], wheel.position: [0.5, 0, 0]}
    model = nsd.Model("shaft", [shaft, wheel], joints, scheme=scheme, step=0.01, end=1, initial=initial)
    run = model.compile(interpret=True).run()
    assert run["wheel.angular_velocity"][-1, 0] == pytest.approx(1, abs=1e-5)  # t, the rates of Variational are means


def test_joints_of_other_models_do_not_count():
    """What else was made with a body, and is still there, changed the matrix of a model without it."""
    x, shaft = [1, 0, 0], nsd.RigidBody("shaft", 1, sp.diag(0, 1, 1))

    def text():
        weld = nsd.Fixed("weld", nsd.Marker(None, [0, 0, 0], x), nsd.Marker(shaft, [0, 0, 0], x))
        model = nsd.Model(
            "held", [shaft], [weld], scheme=nsd.Rattle(), step=0.01, end=1, initial={shaft.position: [0, 0, 0]}
        )
        return weld, model.compile(interpret=True).text

    first, second = text(), text()
    assert first[1] == second[1]


@named
def test_a_four_bar_of_slender_bars(scheme):
    """A square that falls over: each hinge sees the axes of two bars, and three rows are said twice."""
    y, turn = [0, 1, 0], np.sqrt(0.5)
    up, level, down = bars = [nsd.RigidBody(n, 1, slender([1, 0, 0])).apply_force([0, 0, -G]) for n in "abc"]
    ends = [(None, [0, 0, 0]), *((bar, [side, 0, 0]) for bar in bars for side in (-0.5, 0.5)), (None, [1, 0, 0])]
    markers = [nsd.Marker(body, at, y) for body, at in ends]
    joints = [nsd.Revolute(f"hinge{k}", *markers[2 * k : 2 * k + 2]) for k in range(4)]
    initial = {up.position: [0, 0, 0.5], level.position: [0.5, 0, 1], down.position: [1, 0, 0.5],
               up.quaternion: [turn, 0, -turn, 0], down.quaternion: [turn, 0, turn, 0],
               up.velocity: [0.5, 0, 0], level.velocity: [1, 0, 0], down.velocity: [0.5, 0, 0],
               up.angular_velocity: y, down.angular_velocity: y}  # fmt: skip
    model = nsd.Model("square", bars, joints, scheme=scheme, step=1e-3, end=0.5, initial=initial)
    run = model.compile(interpret=True).run()

    def rates(t, state):  # of two bars about their ends, and one that keeps level
        return state[1], (G / 2 + G + G / 2) * np.sin(state[0]) / (2 / 3 + 1)

    angle = solve_ivp(rates, (0, run.time[-1]), [0, 1], rtol=1e-12, atol=1e-12, method="DOP853").y[0, -1]
    close = {"EventDriven": 1e-9, "MoreauJean": 2e-2}.get(scheme.name, 1e-4)
    assert run["b.position"][-1] == pytest.approx([0.5 + np.sin(angle), 0, np.cos(angle)], abs=close)
    assert (run["rank_deficiency"][1:] == 3).mean() > 0.9
