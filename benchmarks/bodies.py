"""Microseconds of processor time per step of bodies with contacts and joints, beside Siconos and MuJoCo.

    python benchmarks/bodies.py [--rounds 5] [--steps 2000] [--no-peer] [--json FILE]

A box that slides on four corners with friction and comes to rest on them, two hinged bodies, an arm of six hinged
bodies, a humanoid that stands: the same bodies, the same number of active contacts and joints, steps of 1 ms, all from
the same start and the same number of steps.
Siconos (``apt install python3-siconos``, Moreau-Jean, joints as equations between bodies) and
MuJoCo (``pip install mujoco``) are left out where they are absent, which is said. Before a ratio is shown, Siconos must
end where nsdgen's Moreau-Jean ends, and MuJoCo must have as many contacts or joints; its contacts are soft, its joints
coordinates, and it looks for its contacts. The contestants take turns; medians with the fastest and slowest round.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from contestants import Case, Peer, PeerMissing
from humanoid import humanoid, mujoco_humanoid
from scale import Run, Speed, time_in_turns
from tables import table_text

import nsdgen as nsd

GRAVITY, STEP = 9.81, 1e-3
AGREEMENT = 1e-4  # m: both are of first order, and see joints and gyroscopic torques at other instants of a step
SCHEMES = {"Moreau-Jean": nsd.MoreauJean(gradient_at="predicted"), "Rattle": nsd.Rattle()}
SCHEMES |= {
    f"Moreau-Jean, {at}": nsd.MoreauJean(gradient_at="predicted", force_at=at, rotation="exponential")
    for at in ("linear", "damped", "explicit")
}
BOX = {
    "a": 0.2,
    "b": 0.1,
    "c": 0.05,
    "m": 1.0,
    "I1": 0.01,
    "I2": 0.02,
    "I3": 0.02,
    "g": GRAVITY,
    "mu": 0.5,
    "speed": 0.5,
}
LINK = {"m": 1.0, "I1": 0.084, "I2": 0.084, "I3": 0.01, "g": GRAVITY, "rate": 0.5}
HEADINGS = ("model", "scheme", "nsdgen", "Siconos", "Siconos/nsdgen", "MuJoCo", "MuJoCo/nsdgen")


def sliding_box(scheme: nsd.schemes.scheme.Scheme) -> nsd.Model:
    """A box on four corners with friction."""
    p = BOX
    box = nsd.RigidBody("box", p["m"], sp.diag(p["I1"], p["I2"], p["I3"])).apply_force([0, 0, -p["m"] * p["g"]])
    corners = box.points(4, [[i * p["a"], j * p["b"], -p["c"]] for i in (-1, 1) for j in (-1, 1)])
    floor = nsd.contacts_between(corners, nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0, p["mu"]))
    return nsd.Model(
        "box",
        [box],
        floor,
        scheme=scheme,
        step=STEP,
        end=20,
        initial={box.position: [0, 0, p["c"]], box.velocity: [p["speed"], 0, 0]},
    )


def arm(scheme: nsd.schemes.scheme.Scheme, count: int) -> nsd.Model:
    """Bodies of length 1 that hang on each other by hinges, axes in turn along y and x."""
    p = LINK
    bodies = [
        nsd.RigidBody(f"link {i}", p["m"], sp.diag(p["I1"], p["I2"], p["I3"])).apply_force([0, 0, -p["m"] * p["g"]])
        for i in range(count)
    ]
    hinges, initial = [], {bodies[0].angular_velocity: [0, p["rate"], 0]}
    for i, body in enumerate(bodies):
        axis = [1, 0, 0] if i % 2 else [0, 1, 0]
        above = nsd.Marker(axis=axis) if i == 0 else nsd.Marker(bodies[i - 1], [0, 0, -0.5], axis=axis)
        hinges.append(nsd.Revolute(f"hinge {i}", nsd.Marker(body, [0, 0, 0.5], axis=axis), above))
        initial[body.position] = [0, 0, -0.5 - i]
    return nsd.Model("arm", bodies, hinges, scheme=scheme, step=STEP, end=5, initial=initial)


def arm_in_joints(scheme: nsd.schemes.scheme.Scheme, count: int, friction: float) -> nsd.Model:
    """The same arm in joint coordinates, as MuJoCo has it, with dry friction in its hinges where it is not 0."""
    p = LINK
    inertia = sp.diag(p["I1"], p["I2"], p["I3"])
    bodies = [nsd.RigidBody(f"link {i}", p["m"], inertia).apply_force([0, 0, -p["m"] * p["g"]]) for i in range(count)]
    hinges = []
    for i, body in enumerate(bodies):
        axis = [1, 0, 0] if i % 2 else [0, 1, 0]
        above = nsd.Marker(bodies[i - 1], [0, 0, -0.5], axis=axis) if i else nsd.Marker(axis=axis)
        hinges.append(nsd.Revolute(f"hinge {i}", nsd.Marker(body, [0, 0, 0.5], axis=axis), above))
    rubbing = [hinge.friction(friction) for hinge in hinges if friction]
    start = {hinges[0].rate: p["rate"]}
    return nsd.Model("arm", [nsd.Mechanism("tree", hinges)], rubbing, scheme=scheme, step=STEP, end=5, initial=start)


def mujoco_box() -> str:
    """The box as MuJoCo's own text: its four lower corners touch the plane."""
    p = BOX
    return (
        f'<geom type="plane" size="9 9 1" friction="{p["mu"]}"/><body pos="0 0 {p["c"]}"><freejoint/>'
        f'<inertial pos="0 0 0" mass="{p["m"]}" diaginertia="{p["I1"]} {p["I2"]} {p["I3"]}"/>'
        f'<geom type="box" size="{p["a"]} {p["b"]} {p["c"]}" friction="{p["mu"]}"/></body>'
    )


def mujoco_arm(count: int, friction: float = 0.0) -> str:
    """The arm as MuJoCo's own text: a tree of hinges, nothing touches."""
    p, text = LINK, ""
    loss = f' frictionloss="{friction}"' if friction else ""
    for i in reversed(range(count)):
        text = (
            f'<body pos="0 0 {-1 if i else 0}"><joint type="hinge" axis="{"1 0 0" if i % 2 else "0 1 0"}"{loss}/>'
            f'<inertial pos="0 0 -0.5" mass="{p["m"]}" diaginertia="{p["I1"]} {p["I2"]} {p["I3"]}"/>{text}</body>'
        )
    return text


@dataclass(frozen=True)
class Bodies:
    """One model in three hands; ``last`` is the body whose position is compared, ``active`` its contacts or joints.

    Where ``script`` is empty there is nothing of Siconos to compare with: its bodies have absolute coordinates.
    """

    name: str
    build: Callable[[nsd.schemes.scheme.Scheme], nsd.Model]
    last: str
    script: str
    parameters: dict[str, float]
    text: Callable[[], str]
    active: int
    speed: float  # of MuJoCo's first coordinate at the start, m/s or 1/s
    schemes: tuple[str, ...] = tuple(SCHEMES)


CASES = (
    Bodies("four friction contacts", sliding_box, "box", "sliding_box", BOX, mujoco_box, 4, BOX["speed"]),
    Bodies(
        "hinge pair",
        lambda s: arm(s, 2),
        "link 1",
        "hinged_arm",
        {**LINK, "count": 2},
        lambda: mujoco_arm(2),
        2,
        LINK["rate"],
    ),
    Bodies(
        "six-joint arm",
        lambda s: arm(s, 6),
        "link 5",
        "hinged_arm",
        {**LINK, "count": 6},
        lambda: mujoco_arm(6),
        6,
        LINK["rate"],
    ),
    *(
        Bodies(
            f"six-joint arm, joint coordinates{', friction' if friction else ''}",
            lambda s, friction=friction: arm_in_joints(s, 6, friction),
            "",
            "",
            {},
            lambda friction=friction: mujoco_arm(6, friction),
            6,
            LINK["rate"],
        )
        for friction in (0.0, 0.05)
    ),
    Bodies(
        "humanoid, 30 velocities, four contacts",
        humanoid,
        "",
        "",
        {},
        mujoco_humanoid,
        4,
        0.0,
        ("Moreau-Jean, explicit",),  # others take minutes to compile
    ),
)


@dataclass(frozen=True)
class Result:
    """µs per step of one model under one scheme of nsdgen, and of its peers."""

    model: str
    scheme: str
    speeds: dict[str, Speed]
    failures: tuple[str, ...]

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        own = self.speeds["nsdgen"].median
        beside = [
            cell
            for name in ("Siconos", "MuJoCo")
            for speed in (self.speeds.get(name),)
            for cell in (("-", "-") if speed is None or self.failures else (str(speed), f"{speed.median / own:.1f}"))
        ]
        return (self.model, self.scheme, str(self.speeds["nsdgen"]), *beside)


class Own:
    """nsdgen's run from the start; ``position`` is where the body was at its end."""

    def __init__(self, case: Bodies, scheme: nsd.schemes.scheme.Scheme) -> None:
        self.compiled, self.last = case.build(scheme).compile(), case.last
        self.position = np.zeros(3)

    def __call__(self, steps: int) -> float:
        began = time.thread_time()
        trajectory = self.compiled.run(end=steps * STEP, every=steps)
        seconds = time.thread_time() - began
        if self.last:
            self.position = np.asarray(trajectory[f"{self.last}.position"])[-1]
        return seconds


def mujoco_run(case: Bodies) -> tuple[Run, Callable[[], int]] | None:
    """MuJoCo's run from the start, and how many contacts or joints were active at its end; None where it is absent."""
    try:
        import mujoco
    except ImportError:
        return None
    model: Any = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" gravity="0 0 -{GRAVITY}"/><worldbody>{case.text()}</worldbody></mujoco>'
    )
    data: Any = mujoco.MjData(model)

    def run(steps: int) -> float:
        mujoco.mj_resetData(model, data)
        data.qvel[0] = case.speed
        began = time.thread_time()
        mujoco.mj_step(model, data, steps)
        return time.thread_time() - began

    return run, lambda: int(data.ncon or model.njnt)


def measure(case: Bodies, rounds: int, steps: int, with_siconos: bool) -> list[Result]:
    """The model under each scheme, its peers once."""
    own = {name: Own(case, SCHEMES[name]) for name in case.schemes}
    runs: dict[str, Run] = dict(own)
    failures: list[str] = []
    other = mujoco_run(case)
    if other is not None:
        runs["MuJoCo"] = other[0]
    with tempfile.TemporaryDirectory() as folder:
        peer = (
            Peer(Case(case.script, "", (), (), ()), case.parameters, STEP, Path(folder))
            if with_siconos and case.script
            else None
        )
        if peer is not None:
            runs["Siconos"] = lambda n: peer.time(n)[0]
        for run in own.values():  # what a first run does once
            run(steps)
        speeds = time_in_turns(runs, dict.fromkeys(runs, steps), rounds)
        if peer is not None:
            off = float(np.abs(np.array(peer.time(steps)[1]) - own["Moreau-Jean"].position).max())
            if not off < AGREEMENT:
                failures.append(f"{case.name}: Siconos ends {off:.1e} m from nsdgen")
            peer.close()
    if other is not None and other[1]() != case.active:
        failures.append(f"{case.name}: MuJoCo has {other[1]()} active contacts or joints, not {case.active}")
    peers = {name: speed for name, speed in speeds.items() if name not in own}
    return [Result(case.name, name, {"nsdgen": speeds[name], **peers}, tuple(failures)) for name in own]


def main() -> int:
    """Measure and print; 1 where a peer did something else."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--no-peer", action="store_true", help="leave Siconos out")
    parser.add_argument("--only", default="", help="models whose name holds this")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    results: list[Result] = []
    with_siconos = not given.no_peer
    for case in (case for case in CASES if given.only in case.name):
        try:
            results += measure(case, given.rounds, given.steps, with_siconos)
        except PeerMissing as missing:
            print(missing)
            with_siconos = False
            results += measure(case, given.rounds, given.steps, False)
    if not any("MuJoCo" in r.speeds for r in results):
        print("no MuJoCo: pip install mujoco")
    print(table_text([HEADINGS, *(r.cells() for r in results)]))
    if given.json:
        given.json.write_text(json.dumps([asdict(r) for r in results], indent=1))
    wrong = list(dict.fromkeys(failure for r in results for failure in r.failures))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
