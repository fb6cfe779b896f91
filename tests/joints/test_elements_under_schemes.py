"""Every element on every freedom of every joint, under every scheme that moves bodies: right, or refused by name.

Two bodies hang together by one joint, free in space or the second one being the ground. Their inertias are spherical
and the joint lies on a line through both centres, so that a freedom alone moves as one degree does,
J s'' = force, J = I_r |d omega / ds'|^2 + m_r |dv / ds'|^2 with the reduced inertia and mass: closed forms for all
elements. ``python -m tests.joints.test_elements_under_schemes`` prints the tables of ``PAGE``.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import nsdgen as nsd
from nsdgen.errors import ModelError
from nsdgen.schemes.scheme import Scheme
from nsdgen.study.compiled_model import CompiledModel
from nsdgen.symbolic.relations.relation import Relation

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "joints_under_schemes.md"
H, END = 2e-3, 1.6
MASS, INERTIA = {"a": 2.0, "b": 3.0}, {"a": 0.3, "b": 0.5}
TURN = {True: Rotation.identity(), False: Rotation.from_rotvec([0.3, -0.5, 0.2])}
"""How bodies are turned at the start: beside the ground not at all, as a pair somehow."""
AXES = np.eye(3)[[2, 0, 1]]
"""e1, e2, e3 of the markers, in the bodies."""
LEAD, RACK, MU, RADIUS, LOAD = 6.0, 0.4, 0.25, 0.1, 8.0
PITCH = LEAD / (2 * np.pi)
t = nsd.time

SCHEMES: Mapping[str, Scheme] = {
    "MoreauJean": nsd.MoreauJean(),
    "Rattle": nsd.Rattle(),
    "Variational": nsd.Variational(),
    "EventDriven": nsd.EventDriven(),
    "GeneralisedAlpha": nsd.GeneralisedAlpha(),
    "D1Minus": nsd.D1Minus(),
    "SchatzmanPaoli": nsd.SchatzmanPaoli(),
}
PAIRS = ("MoreauJean", "Rattle")
MOVING = ("MoreauJean", "Rattle", "Variational", "EventDriven", "GeneralisedAlpha")


@dataclass(frozen=True)
class Freedom:
    """Which motion a freedom is: directions of the relative rates of turning and sliding, per unit of its rate.

    ``load`` is the direction of the force that presses the bearing. Of a coupler: of each body by itself.
    """

    turn: np.ndarray = field(default_factory=lambda: np.zeros(3))
    slide: np.ndarray = field(default_factory=lambda: np.zeros(3))
    load: int = 0

    @property
    def is_angle(self) -> bool:
        """Whether the freedom itself is one: a screw does both."""
        return bool(self.turn @ self.turn == 1)


@dataclass(frozen=True)
class Kind:
    """A joint, made of two markers and perhaps a bearing; the centre of the first may be ``along`` the axis."""

    make: Callable[..., nsd.Joint]
    freedoms: Mapping[str, Freedom]
    along: float = 0.0
    couples: str = ""


E1, E2, E3 = AXES
SCREW = {"angle": Freedom(E3, PITCH * E3, load=2), "displacement": Freedom(E3 / PITCH, E3, load=2)}
KINDS: Mapping[str, Kind] = {
    "Revolute": Kind(nsd.Revolute, {"angle": Freedom(turn=E3)}, 0.2),
    "Prismatic": Kind(nsd.Prismatic, {"displacement": Freedom(slide=E3)}),
    "Cylindrical": Kind(nsd.Cylindrical, {"angle": Freedom(turn=E3), "displacement": Freedom(slide=E3)}),
    "Planar": Kind(
        nsd.Planar, {"x": Freedom(slide=E1, load=2), "y": Freedom(slide=E2, load=2), "angle": Freedom(turn=E3, load=2)}
    ),
    "Universal": Kind(nsd.Universal, {"first": Freedom(turn=E3), "second": Freedom(turn=E1)}),
    "Screw": Kind(lambda n, i, j, b=None: nsd.Screw(n, i, j, LEAD, b), SCREW, 0.2),
    "Coupler, gears": Kind(nsd.Revolute, {"angle": Freedom(turn=E3)}, couples="gears"),
    "Coupler, rack": Kind(nsd.Revolute, {"angle": Freedom(turn=E3)}, couples="rack"),
}
"""The joints with freedoms; those without are refused by every element."""

WITHOUT: Mapping[str, Callable[..., nsd.Joint]] = {
    "Spherical": nsd.Spherical,
    "Fixed": nsd.Fixed,
    "Distance": lambda n, i, j, b=None: nsd.Distance(n, i, j, 1),
}


def element(joint: nsd.Joint, name: str, of: str | None = None) -> list[Relation]:
    """An element whose coefficients are parameters, so that one model tries them all."""
    s = {n: sp.Symbol(f"{n}_{of}") for n in ("k", "c", "level", "F", "lower", "upper")}
    return {
        "limits": lambda: joint.limits(s["lower"], s["upper"], nsd.NewtonImpact(0.5), of=of),
        "spring": lambda: [joint.spring(s["k"], s["c"], 0.3, of=of)],
        "friction": lambda: [joint.friction(s["level"], of=of)],
        "motor(force)": lambda: [joint.motor(force=s["F"] * sp.cos(t), of=of)],
        "motor(speed)": lambda: [joint.motor(speed=0.6 * sp.sin(2 * t), of=of)],
        "motor(position)": lambda: [joint.motor(position=4 * t**2, of=of)],
    }[name]()


ELEMENTS = ("limits", "spring", "friction", "motor(force)", "motor(speed)", "motor(position)")
TOGETHER = ELEMENTS[:4]
"""Those that do nothing where their coefficients are zero: on one joint, all of them."""


class Assembly:
    """Two bodies, or one and the ground, with a joint; ``name`` begins the names of all."""

    def __init__(self, name: str, kind: str, ground: bool, bearing: nsd.Bearing | None = None, load: int = 0) -> None:
        self.name, self.kind, how = name, KINDS[kind], KINDS[kind]
        self.ground = ground or bool(how.couples)
        self.bodies = {
            n: nsd.RigidBody(f"{name} {n}", MASS[n], INERTIA[n] * sp.eye(3))
            for n in ("a", "b")
            if n == "a" or how.couples or not ground
        }
        cross = E1 if kind == "Universal" else E3  # the axis of the second
        i = self._marker("a", E3, how.along)
        j = self._marker(None if self.ground else "b", cross, 0.0)
        extra = (bearing,) if bearing else ()
        self.joint = how.make(f"{name} j", i, j, *extra)
        self.relations: list[Relation] = [self.joint]
        if bearing and self.ground:
            self.bodies["a"].apply_force(list(LOAD * AXES[load]))
        elif bearing:  # at one place, also when they slide apart: two forces along two lines would turn the pair
            own = LOAD * AXES[load] @ np.array(self._axes(cross)).T
            self.relations.append(nsd.Wrench(f"{name} load", i, j, force=own.tolist()))
        if how.couples:
            other = (nsd.Revolute if how.couples == "gears" else nsd.Prismatic)(
                f"{name} other", self._marker("b", E3, 0.0), self._marker(None, E3, 0.0)
            )
            terms = [(self.joint, 2), (other, 3)] if how.couples == "gears" else [(self.joint, 1), (other, -1 / RACK)]
            self.relations += [other, nsd.Coupler(f"{name} coupler", terms)]

    def _marker(self, body: str | None, axis: np.ndarray, along: float) -> nsd.Marker:
        at = [int(c) * sp.nsimplify(along) for c in E3]
        e1, _, e3 = self._axes(axis)
        return nsd.Marker(self.bodies.get(body), at, e3.astype(int).tolist(), e1.astype(int).tolist())

    def _axes(self, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """e1, e2, e3 of a marker with this axis, in the body."""
        first = E3 if axis is E1 else E1
        return first, np.cross(axis, first), axis

    def shares(self, freedom: Freedom) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Turning and sliding of each body for a unit rate, in the frame of the bodies; without momentum."""
        if self.kind.couples:
            other = (-2 / 3 * E3, np.zeros(3)) if self.kind.couples == "gears" else (np.zeros(3), RACK * E3)
            return {"a": (freedom.turn, freedom.slide), "b": other}
        if self.ground:
            return {"a": (freedom.turn, freedom.slide)}
        first, second = (w["b"] / (w["a"] + w["b"]) for w in (INERTIA, MASS))
        return {
            "a": (first * freedom.turn, second * freedom.slide),
            "b": ((first - 1) * freedom.turn, (second - 1) * freedom.slide),
        }

    def inertia(self, freedom: Freedom) -> float:
        """J, twice the kinetic energy at a unit rate."""
        return float(sum(INERTIA[n] * w @ w + MASS[n] * v @ v for n, (w, v) in self.shares(freedom).items()))

    def started(self, freedom: Freedom, rate: float) -> dict[str, list[float]]:
        """Initial velocities for a rate of one freedom."""
        found = {}
        for n, (w, v) in self.shares(freedom).items():
            found[f"{self.name} {n}.angular_velocity"] = (rate * w).tolist()
            found[f"{self.name} {n}.velocity"] = (rate * TURN[self.ground].apply(v)).tolist()
        return found

    def places(self) -> dict[sp.Expr, list[float]]:
        """Initial positions and attitudes: the markers are one."""
        found: dict[sp.Expr, list[float]] = {}
        for n, body in self.bodies.items():
            off = self.kind.along if n == "a" else 0.0
            found |= {
                body.position: (-off * TURN[self.ground].apply(E3)).tolist(),
                body.quaternion: np.roll(TURN[self.ground].as_quat(), 1).tolist(),
            }
        return found

    def motion(self, run: nsd.Trajectory, freedom: Freedom) -> tuple[np.ndarray, np.ndarray]:
        """Coordinate and rate of a freedom from what is recorded of the bodies, by kinematics of its own."""
        turns = {n: Rotation.from_quat(np.roll(run[f"{self.name} {n}.quaternion"], -1, axis=1)) for n in self.bodies}
        x = {n: run[f"{self.name} {n}.position"] for n in self.bodies}
        v = {n: run[f"{self.name} {n}.velocity"] for n in self.bodies}
        w = {n: turns[n].apply(np.array(run[f"{self.name} {n}.angular_velocity"])) for n in self.bodies}
        if self.ground:
            turns["b"], zero = Rotation.identity(len(run.time)), np.zeros_like(x["a"])
            x["b"], v["b"], w["b"] = zero, zero, zero
        if freedom.is_angle:
            relative = (turns["b"].inv() * turns["a"]).as_quat()
            angle = np.unwrap(2 * np.arctan2(relative[:, :3] @ freedom.turn, relative[:, 3]))
            return angle, turns["b"].inv().apply(w["a"] - w["b"]) @ freedom.turn
        along = turns["b"].apply(freedom.slide)
        place = ((x["a"] - x["b"]) * along).sum(axis=1)
        return place - place[0], ((v["a"] - v["b"]) * along).sum(axis=1)


@dataclass(frozen=True)
class Bench:
    """All elements on one joint: each freedom with what may be switched off, with each motor, and with a bearing."""

    kind: str
    scheme: str
    compiled: CompiledModel
    parts: Mapping[str, Assembly]


@cache
def taken(scheme: str, name: str) -> bool:
    """Whether a scheme takes an element; where it does not, it says so by its name."""
    made = Assembly("one", "Prismatic", True, nsd.Bearing(MU) if name == "bearing" else None)
    acting = element(made.joint, name) if name != "bearing" else []
    try:
        model(scheme, [made], acting).derive()
    except ModelError as error:
        refused = str(error)
    else:
        return True
    assert scheme in refused and "To mend it" in refused, refused
    return False


def model(scheme: str, parts: list[Assembly], acting: list[Relation]) -> nsd.Model:
    relations = [r for part in parts for r in part.relations] + acting
    symbols = {
        f"{n}_{of}"
        for of in (None, *(f for kind in KINDS.values() for f in kind.freedoms))
        for n in ("k", "c", "level", "F", "lower", "upper")
    }
    held = {
        s.name
        for r in relations
        for e in [*r.entries, *(s.value for s in r.law.slots), *r.law.bounds(1)]
        for s in sp.sympify(e).free_symbols
    }
    values = {"lower": -3.0, "upper": 3.0}
    return nsd.Model(
        "bench",
        [b for part in parts for b in part.bodies.values()],
        relations,
        scheme=SCHEMES[scheme],
        step=H,
        end=END,
        parameters={sp.Symbol(n): values.get(n.split("_")[0], 0.0) for n in sorted(symbols & held)},
        initial={k: v for part in parts for k, v in part.places().items()},
    )


def bench(kind: str, scheme: str, ground: bool) -> Bench:
    parts, acting = dict[str, Assembly](), list[Relation]()
    for of, freedom in KINDS[kind].freedoms.items():
        parts[of] = Assembly(of, kind, ground)
        for name in TOGETHER:
            acting += element(parts[of].joint, name, of) if taken(scheme, name) else []
        for name in ELEMENTS[4:]:
            parts[f"{name} {of}"] = Assembly(f"{name} {of}", kind, ground)
            acting += element(parts[f"{name} {of}"].joint, name, of)
        if taken(scheme, "bearing"):
            parts["bearing"] = Assembly("bearing", kind, ground, nsd.Bearing(MU, RADIUS), freedom.load)
    return Bench(kind, scheme, model(scheme, list(parts.values()), acting).compile(interpret=True), parts)


CASES = [
    (kind, scheme, ground)
    for kind, how in KINDS.items()
    for scheme in MOVING
    for ground in (True, False)
    if ground or (not how.couples and scheme in PAIRS)
]
DEFAULT = {("Prismatic", "Rattle", True)}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            case,
            id=f"{case[0]}-{case[1]}-{'ground' if case[2] else 'pair'}",
            marks=() if case in DEFAULT else pytest.mark.slow,
        )
        for case in CASES
    ],
)
def cell(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """One bench at a time, for all its tests: it holds hundreds of interpreted kernels, of which a process has 4096."""
    yield bench(*request.param)
    gc.collect()


ORDER = {"MoreauJean": (1, 2), "Rattle": (2,)}
"""The powers of h in the error of a pair under load."""
SLACK = {"MoreauJean": 2e-5, "Rattle": 2e-5, "Variational": 2e-5, "EventDriven": 1e-8, "GeneralisedAlpha": 2e-5}
"""h^2 / 12 times third derivatives below 20, over 1.6 s; of event-driven runs the tolerance of the integrator."""


def test_an_element_acts_as_its_law_says(cell: Bench) -> None:
    kind, scheme, slack = cell.kind, cell.scheme, SLACK[cell.scheme]
    for of, freedom in KINDS[kind].freedoms.items():
        part = cell.parts[of]
        J = part.inertia(freedom)

        def moved(
            rate: float,
            part: Assembly = part,
            freedom: Freedom = freedom,
            of: str = of,
            step: float = H,
            **values: float,
        ) -> tuple[nsd.Trajectory, np.ndarray, np.ndarray]:
            run = cell.compiled.run(
                parameters={f"{n}_{of}": v for n, v in values.items()}, initial=part.started(freedom, rate), step=step
            )
            return run, *part.motion(run, freedom)

        run, s, u = moved(0.5, k=9 * J)
        np.testing.assert_allclose(s, 0.3 - 0.3 * np.cos(3 * run.time) + 0.5 / 3 * np.sin(3 * run.time), atol=slack)
        run, s, u = moved(0.5, c=2 * J)
        np.testing.assert_allclose(u, 0.5 * np.exp(-2 * run.time), atol=slack)
        run, s, u = moved(0.0, F=J)
        np.testing.assert_allclose(u, np.sin(run.time), atol=slack)
        run, s, u = moved(0.5, level=0.6 * J)
        if scheme == "Variational" and freedom.turn.any():
            # Along chords in R^4 a moment does 1 - (h u)^2 / 16 of its work, which leaves h^2 (u_0^3 - u^3) / 48.
            np.testing.assert_allclose(u, np.maximum(0.5 - 0.6 * run.time, 0), atol=H**2 * 0.5**3 / 48 + 1e-10)
            u = limit(lambda h: moved(0.5, step=h, level=0.6 * J)[2], (2,))  # noqa: B023  called at once
        brake = 5e-3 if scheme == "GeneralisedAlpha" else 1e-8  # which averages a force that jumps
        np.testing.assert_allclose(u, np.maximum(0.5 - 0.6 * run.time, 0), atol=brake)
        if taken(scheme, "limits"):
            run, s, u = moved(0.5, lower=-0.05, upper=0.2)
            assert s.min() > -0.05 - 0.5 * H and s.max() < 0.2 + 0.5 * H
            for at, rate in ((0.2, 0.5), (0.9, -0.25), (1.55, 0.125)):
                assert u[np.searchsorted(run.time, at)] == pytest.approx(rate, abs=1e-8)


def limit(course: Callable[[float], np.ndarray], powers: tuple[int, ...]) -> np.ndarray:
    """What a course tends to with h, at the instants of H: one power of h after the other is taken out (Richardson)."""
    rows = [course(H / 2**k)[:: 2**k] for k in range(len(powers) + 1)]
    for p in powers:
        rows = [(2**p * fine - coarse) / (2**p - 1) for coarse, fine in pairwise(rows)]
    return rows[0]


def test_a_motor_moves_as_it_is_told_and_says_what_it_takes(cell: Bench) -> None:
    kind, scheme = cell.kind, cell.scheme
    run = cell.compiled.run()
    for of, freedom in KINDS[kind].freedoms.items():
        part = cell.parts[f"motor(speed) {of}"]
        J = part.inertia(freedom)
        s, u = part.motion(run, freedom)
        np.testing.assert_allclose(u, 0.6 * np.sin(2 * run.time), atol=1e-9)
        np.testing.assert_allclose(s, 0.3 * (1 - np.cos(2 * run.time)), atol=SLACK[scheme])
        middle, push = given(run, f"{part.joint.name} {of + ' ' if len(KINDS[kind].freedoms) > 1 else ''}motor")
        np.testing.assert_allclose(push, J * 1.2 * np.cos(2 * middle), atol=2e-5 * J + 1e-8)
        part = cell.parts[f"motor(position) {of}"]
        s, u = part.motion(run, freedom)
        # constraints of velocities alone: a step turns by 2 atan(h w / 2), not h w
        drift = H**2 / 12 * 8**3 * END**4 / 4 if scheme == "MoreauJean" else 1e-8
        np.testing.assert_allclose(s, 4 * run.time**2, atol=drift)
        np.testing.assert_allclose(u, 8 * run.time, atol=1e-8)
        _, push = given(run, f"{part.joint.name} {of + ' ' if len(KINDS[kind].freedoms) > 1 else ''}motor")
        np.testing.assert_allclose(push, J * 8, atol=1e-6)


def given(run: nsd.Trajectory, name: str) -> tuple[np.ndarray, np.ndarray]:
    """What a motor gave, as a force: mean over the steps, in their middle, or at instants."""
    if f"{name}.impulse" in run and not np.any([c.name == f"{name}.force" for c in run.columns]):
        return run.time[1:] - H / 2, run[f"{name}.impulse"][1:] / H
    return run.time, run[f"{name}.force"]


def test_a_bearing_rubs_under_its_load(cell: Bench) -> None:
    kind = cell.kind
    if not taken(cell.scheme, "bearing"):
        return
    part = cell.parts["bearing"]
    for of, freedom in KINDS[kind].freedoms.items():
        J = part.inertia(freedom)
        start = 0.5
        run = cell.compiled.run(initial=part.started(freedom, start))
        _, u = part.motion(run, freedom)
        if not part.ground and freedom.slide.any() and freedom.slide @ AXES[freedom.load] == 0:
            # The load acts within a step and the joint at its end, so that what slides apart is turned a little.
            np.testing.assert_allclose(u, np.maximum(start - MU * LOAD / J * run.time, 0), atol=H / 64)

            def turned(h, part=part, freedom=freedom, start=start):
                return part.motion(cell.compiled.run(initial=part.started(freedom, start), step=h), freedom)[1]

            u = limit(turned, ORDER[cell.scheme])
        if kind == "Screw":
            np.testing.assert_allclose(u, start + thread(part, of == "angle") * run.time, atol=1e-8)
        else:
            slowing = MU * LOAD * (RADIUS if freedom.is_angle else 1) / J
            np.testing.assert_allclose(u, np.maximum(start - slowing * run.time, 0), atol=1e-8)


def thread(part: Assembly, angle: bool) -> float:
    """The acceleration of a nut that goes along its thread with the load, against N n + mu N t."""
    mass, inertia = (part.inertia(Freedom(**{what: E3})) for what in ("slide", "turn"))
    along = np.hypot(RADIUS, PITCH)
    lift, turn = (RADIUS + MU * PITCH) / along, RADIUS * (MU * RADIUS - PITCH) / along
    force = -LOAD / (lift - mass * PITCH * turn / inertia)
    return (LOAD + force * lift) / mass / (PITCH if angle else 1)


def test_columns_are_forces_or_moments(cell: Bench) -> None:
    """N and m along a length, N m and rad about an angle."""
    kind = cell.kind
    units = {c.name: c.unit for c in cell.compiled.run(end=2 * H).columns}
    several = len(KINDS[kind].freedoms) > 1
    for of, freedom in KINDS[kind].freedoms.items():
        force, way = ("N m", "rad") if freedom.is_angle else ("N", "m")
        for name, unit in units.items():
            owner, _, what = name.rpartition(".")
            if (
                not owner.endswith(
                    tuple(
                        f"j {of + ' ' if several else ''}{e}"
                        for e in ("spring", "friction", "motor", "lower limit", "upper limit")
                    )
                )
                or f"({of})" in owner
            ):
                continue
            stem = what.split("[")[0]
            if stem in ("force", "force_end") and what != "output":
                assert unit == force, name
            elif "impulse" in stem or stem in ("impact", "settling"):
                assert unit == f"{force} s", name
            elif stem in ("gap", "gap_rate", "rate"):
                assert unit == (way if stem == "gap" else f"{way}/s"), name


@pytest.mark.parametrize("kind", WITHOUT)
@pytest.mark.parametrize("name", ELEMENTS)
def test_joints_without_freedoms_say_what_to_do(kind: str, name: str) -> None:
    joint = WITHOUT[kind]("j", nsd.Marker(nsd.RigidBody("a", 1, sp.eye(3))), nsd.Marker())
    with pytest.raises(ModelError, match="leaves 0 freedoms") as caught:
        element(joint, name)
    assert "nsd.Contact" in caught.value.fix and "bearing=" in caught.value.fix


def tables() -> tuple[str, str]:
    """Which joint has which freedoms for elements; which scheme takes which element."""
    joints = ["| joint | elements act on | bearing |", "|---|---|---|"]
    joints += [
        f"| `{kind}` | {', '.join(f'`{f}`' for f in how.freedoms)} | yes |"
        for kind, how in KINDS.items()
        if not how.couples
    ]
    schemes = ["| element | " + " | ".join(f"`{s}`" for s in SCHEMES) + " |", "|---" * (len(SCHEMES) + 1) + "|"]
    schemes += [
        f"| {name} | " + " | ".join("yes" if taken(s, name) else "–" for s in SCHEMES) + " |"
        for name in (*ELEMENTS, "bearing")
    ]
    return "\n".join(joints), "\n".join(schemes)


@pytest.mark.slow
def test_the_page_has_these_tables() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(table in page for table in tables())


if __name__ == "__main__":
    print(*tables(), sep="\n\n")
