"""Robots that Python packages ship, read from their URDF files, beside Pinocchio: the same numbers, and in what time.

``python benchmarks/robots.py`` reads the robots of ``example-robot-data`` and prints for each the processor seconds
from the file to operators (read, derive and emit, interpret) and the largest difference from Pinocchio, relative to the
largest entry, of forward kinematics, M, F and its derivatives, inverse dynamics and its derivatives (those of M are in
them) over ten random states. ``--compiled`` compiles the operators that every mechanism has, without a scheme, and
prints the times of M, F and its derivatives besides, with ``--casadi`` beside CasADi's generated C
(``robots_casadi.py``). ``--loaded`` prints the seconds from the file to a model that steps, ``--motion`` makes a motion
of one second without contact. It needs ``pip install pin example-robot-data``, and casadi; none is a dependency.
``--write`` computes again what ``tests/robots`` compares with, from the files of ``tests/data/robots``.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from kernel_calls import Arrays, described, pointer_to, spent, timing_loop
from nsdgen.runtime._binding import KernelTable

import nsdgen as nsd
from nsdgen.build.kernel_source import KernelSource
from nsdgen.build.kernels import make_kernels
from nsdgen.derive.operators import operator_module
from nsdgen.emit.module import emit_module
from nsdgen.runtime.callable_operators import operators_of_instance

DATA = Path(__file__).resolve().parents[1] / "tests" / "data" / "robots"
STATES = 10
FRAME = "tip"  # a link of the robot of tests/data
QUANTITIES = ("M", "F", "F_q", "F_v", "centres", "rotations", "tau", "tau_q", "tau_v", "centre_of_mass", "momentum")
QUANTITIES += ("frame_place", "frame_drift", "frame_jacobian")
ROBOTS = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}
# What these files hold beside URDF; none of it is about masses and joints.
WITHOUT = (
    "gazebo",
    "transmission",
    "contact",
    "self_filter",
    "ros2_control",
    "collision_checking",
    "joint/@dont_collapse",
    "dynamics/@D",
    "dynamics/@K",
    "dynamics/@mu_coulomb",
    "dynamics/@mu_viscous",
    "limit/@command_effort",
    "limit/@current",
    "limit/@gear_velocity",
)


def joint_names(robot: Any) -> list[str]:
    """The joints in the order of the mechanism's coordinates."""
    return [attachment.joint.name for attachment in robot.mechanism.attachments]


def places(pin_model: Any, names: list[str]) -> list[int]:
    """The places of joints in Pinocchio's velocities."""
    return [pin_model.joints[pin_model.getJointId(name)].idx_v for name in names]


def configuration(pin_model: Any, names: list[str], q: np.ndarray) -> np.ndarray:
    """Pinocchio's q; continuous joints are cosine and sine there."""
    found = np.zeros(pin_model.nq)
    for name, angle in zip(names, q, strict=True):
        joint = pin_model.joints[pin_model.getJointId(name)]
        found[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(angle), np.sin(angle)) if joint.nq == 2 else (angle,)
    return found


def reference(path: Path, names: list[str], q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
    """The quantities by Pinocchio at states (k, n), inverse dynamics at a = v + 1."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(path))
    data, own = model.createData(), places(model, names)
    found: dict[str, list[np.ndarray]] = {key: [] for key in QUANTITIES}
    for q_k, v_k in zip(q, v, strict=True):
        pin_q, pin_v = configuration(model, names, q_k), np.zeros(model.nv)
        pin_v[own] = v_k
        M = np.triu(pin.crba(model, data, pin_q))
        found["M"].append((M + np.triu(M, 1).T)[np.ix_(own, own)])
        found["F"].append(-pin.nonLinearEffects(model, data, pin_q, pin_v)[own])
        of_q, of_v, _ = pin.computeRNEADerivatives(model, data, pin_q, pin_v, np.zeros(model.nv))
        found["F_q"].append(-of_q[np.ix_(own, own)])
        found["F_v"].append(-of_v[np.ix_(own, own)])
        a = np.zeros(model.nv)
        a[own] = v_k + 1
        of_q, of_v, _ = pin.computeRNEADerivatives(model, data, pin_q, pin_v, a)
        found["tau"].append(pin.rnea(model, data, pin_q, pin_v, a)[own])
        found["tau_q"].append(of_q[np.ix_(own, own)])
        found["tau_v"].append(of_v[np.ix_(own, own)])
        pin.forwardKinematics(model, data, pin_q, pin_v, np.zeros(model.nv))
        found["centre_of_mass"].append(pin.centerOfMass(model, data, pin_q))
        found["momentum"].append(pin.computeCentroidalMomentum(model, data, pin_q, pin_v).vector)
        pin.forwardKinematics(model, data, pin_q, pin_v, np.zeros(model.nv))
        ids = [model.getJointId(name) for name in names]
        found["centres"].append(np.array([data.oMi[i].act(model.inertias[i].lever) for i in ids]))
        found["rotations"].append(np.array([data.oMi[i].rotation for i in ids]))
        if not model.existFrame(FRAME):
            continue
        frame, axes = model.getFrameId(FRAME, pin.FrameType.BODY), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pin.updateFramePlacements(model, data)
        found["frame_place"].append(data.oMf[frame].translation.copy())
        found["frame_drift"].append(pin.getFrameClassicalAcceleration(model, data, frame, axes).vector)
        found["frame_jacobian"].append(pin.computeFrameJacobian(model, data, pin_q, frame, axes)[:, own])
    return {key: np.array(values) for key, values in found.items() if values}


def operators(robot: Any, compiled: Any, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
    """The same of a compiled model."""
    group = compiled[robot.mechanism.name]
    values = {name: getattr(group, name) for name in ("mass", "force", "force_q", "force_v")}
    given = {"t": np.zeros((len(q), 1)), "q": q, "v": v, "a": v + 1}
    M, F, F_q, F_v = (op(*(given[name] for name, _ in op.arguments)) for op in values.values())
    more = {key: op(*(given[name] for name, _ in op.arguments)) for key, op in asked_for(group).items()}
    bodies = [body.name for body in robot.mechanism.bodies]
    own = [bodies.index(robot.description.joints[name].child) for name in joint_names(robot)]
    poses_ = group.poses(q)[:, own]
    w, x, y, z = np.moveaxis(poses_[..., 3:], -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    rotations = np.moveaxis(np.array(rows), (0, 1), (-2, -1))
    return {
        "M": M,
        "F": F,
        "F_q": F_q,
        "F_v": F_v,
        "centres": poses_[..., :3],
        "rotations": rotations,
        **more,
    }


def asked_for(group: Any) -> dict[str, Any]:
    """The operators beyond those that every mechanism has, by the names of quantities."""
    names = {
        "tau": "inverse_dynamics",
        "tau_q": "inverse_dynamics_q",
        "tau_v": "inverse_dynamics_v",
        "centre_of_mass": "centre_of_mass",
        "momentum": "momentum",
        "frame_drift": f"{FRAME}_drift",
        "frame_jacobian": f"{FRAME}_jacobian",
    }
    known = dict(group.items())
    return {key: known[name] for key, name in names.items() if name in known}


def differences(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> dict[str, float]:
    """The largest difference of each quantity, relative to its largest entry at the same state."""
    return {
        key: max(
            float(np.abs(a - b).max() / max(np.abs(b).max(), np.finfo(float).tiny))
            for a, b in zip(found[key], expected[key], strict=True)
        )
        for key in found
    }


def states(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Random coordinates and velocities, the same every time."""
    rng = np.random.default_rng(27)
    return rng.uniform(-3, 3, (STATES, n)), rng.uniform(-2, 2, (STATES, n))


def motion_differences(path: Path, robot: Any, compiled: Any) -> tuple[float, float]:
    """Of a fall of one second from rest at q = 0.3, beside SciPy's integrator over Pinocchio's accelerations.

    The second is what the integrator makes itself of q + 1e-13: where hands of some grams whirl, motions part fast.
    """
    import pinocchio as pin
    from scipy.integrate import solve_ivp

    names, model = joint_names(robot), pin.buildModelFromUrdf(str(path))
    data, own, n = model.createData(), places(model, names), len(names)

    def rate(_: float, s: np.ndarray) -> np.ndarray:
        pin_v = np.zeros(model.nv)
        pin_v[own] = s[n:]
        a = pin.aba(model, data, configuration(model, names, s[:n]), pin_v, np.zeros(model.nv))
        return np.concatenate([s[n:], a[own]])

    start = np.concatenate([np.full(n, 0.3), np.zeros(n)])
    expected, beside = (
        solve_ivp(rate, (0, 1), start + d, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1] for d in (0, 1e-13)
    )
    run = compiled.run(record=[f"{robot.mechanism.name}.*"])
    columns = [f"{robot.mechanism.name}.{name}" for group in robot.mechanism.describe_names() for name in group]
    found = np.array([run[c][-1] for c in columns])
    off, parted = (float(np.abs(x - expected).max() / np.abs(expected).max()) for x in (found, beside))
    return off, parted


def looped(loop: Any, module: Path, name: str, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> Callable[[], object]:
    """What calls the kernel of an operator at every state, in C."""
    kernel = pointer_to(loop, module, name)
    facts = described(kernel)
    given = {"t": t, "q": q, "v": v}
    names = [facts.inputs[i].name.decode() for i in range(facts.n_in)]
    ins = [Arrays([given[key][k].copy() for key in names]) for k in range(len(q))]
    outs = [Arrays([np.zeros(max(1, facts.out[i].nnz)) for i in range(facts.n_out)]) for _ in q]
    pointers = [(ctypes.c_void_p * len(q))(*(ctypes.addressof(a.pointers) for a in side)) for side in (ins, outs)]

    def call() -> object:
        loop.time_instances(ctypes.c_void_p(kernel), *pointers, len(q), ctypes.c_long(1))
        return ins, outs

    return call


def times(path: Path, robot: Any, compiled: Any, module: Path, casadi: bool) -> dict[str, tuple[float, ...]]:
    """Microseconds of one evaluation, own, Pinocchio's, CasADi's: the least of rounds in turns, one state a call.

    Own kernels and CasADi's are called by a loop in C over 1000 states, Pinocchio from Python; of its times what a call
    costs that computes nothing (``pin.updateGlobalPlacements``) is taken off.
    """
    import pinocchio as pin

    names, model = joint_names(robot), pin.buildModelFromUrdf(str(path))
    data, group, count = model.createData(), compiled[robot.mechanism.name], 1000
    rng = np.random.default_rng(27)
    q, v = rng.uniform(-3, 3, (count, len(names))), rng.uniform(-2, 2, (count, len(names)))
    pin_q = [configuration(model, names, one) for one in q]
    pin_v = [np.zeros(model.nv) for _ in v]
    for one, values in zip(pin_v, v, strict=True):
        one[places(model, names)] = values
    rest, t = np.zeros(model.nv), np.zeros((count, 1))

    def nothing() -> object:
        return [pin.updateGlobalPlacements(model, data) for _ in range(count)]

    with tempfile.TemporaryDirectory() as folder:
        loop = timing_loop(Path(folder))
    called = {name: looped(loop, module, name, t, q, v) for name in ("mass", "force", "force_q", "force_v")}
    pairs = {
        "M": (called["mass"], lambda: [pin.crba(model, data, a) for a in pin_q]),
        "F": (
            called["force"],
            lambda: [pin.nonLinearEffects(model, data, a, b) for a, b in zip(pin_q, pin_v, strict=True)],
        ),
        "F_q, F_v": (
            lambda: (called["force_q"](), called["force_v"]()),
            lambda: [pin.computeRNEADerivatives(model, data, a, b, rest) for a, b in zip(pin_q, pin_v, strict=True)],
        ),
    }
    third: dict[str, Any] = {}
    if casadi:
        from robots_casadi import Contestant

        with tempfile.TemporaryDirectory() as folder:
            peer = Contestant(model, names, q, v, Path(folder))
        off = peer.differences({
            "M": group.mass(q[:1])[0],
            "F": group.force(t[:1], q[:1], v[:1])[0],
            "F_q": group.force_q(t[:1], q[:1], v[:1])[0],
            "F_v": group.force_v(t[:1], q[:1], v[:1])[0],
        })  # fmt: skip
        print(f"CasADi: {peer.instructions} instructions, {peer.seconds:.1f} s, off by {off:.0e}", flush=True)
        third = {"M": peer.calls["M"], "F": peer.calls["F"], "F_q, F_v": peer.calls["slopes"]}
    found: dict[str, list[list[float]]] = {name: [[], [], [], []] for name in pairs}
    for _ in range(7):
        for name, (own, other) in pairs.items():
            for k, call in enumerate((own, other, nothing, *([third[name]] if third else []))):
                began = time.thread_time()
                call()
                found[name][k].append((time.thread_time() - began) / count * 1e6)
    return {name: (min(a), min(b) - min(c), *([min(d)] if d else [])) for name, (a, b, c, d) in found.items()}


def model_of(robot: Any) -> nsd.Model:
    """A robot that falls without what acts on its joints."""
    start = {joint.freedom().coordinate: 0.3 for joint in robot.joints.values()}
    return nsd.Model(
        "robot", robot.systems, [], scheme=nsd.EventDriven(rtol=1e-12, atol=1e-13), step=0.1, end=1, initial=start
    )


def operators_alone(robot: Any) -> tuple[dict[str, Any], Path]:
    """The operators of the mechanism as compiled kernels, without a scheme, and their module."""
    description = model_of(robot).description

    def wanted(cls: Any) -> list[Any]:
        return [o for o in cls.operators() if o.name != "kinetic_energy"]

    text = emit_module(operator_module(description, wanted)).text
    kernels = make_kernels(KernelSource(description.name, "_kernels", text), interpret=False)
    assert kernels.shared_object is not None
    table = KernelTable(kernels.module)
    groups = {s.name: operators_of_instance(s.name, table, s.cls, tuple, []) for s in description.systems}
    return groups, kernels.shared_object


def loaded(name: str, path: Path) -> None:
    """Processor seconds from the file to a model that steps, its kernels interpreted, under Moreau-Jean."""
    took = []
    for options in ({}, {"force_at": "explicit"}):
        began = spent()
        robot = nsd.read_urdf(path, without=WITHOUT, meshes=False)
        scheme = nsd.MoreauJean(gradient_at="predicted", **options)
        nsd.Model("robot", robot.systems, [], scheme=scheme, step=1e-3, end=1).compile(interpret=True)
        took.append(spent() - began)
    print(f"{name:16} to interpreted kernels {took[0]:.1f} s, with explicit forces {took[1]:.1f} s", flush=True)


def compare(name: str, path: Path, options: argparse.Namespace) -> None:
    """One line of the table."""
    clock = [spent()]
    robot = nsd.read_urdf(
        path, without=WITHOUT, meshes=False, operators=() if options.compiled else ("inverse_dynamics",)
    )
    clock.append(spent())
    module: Path | None = None
    if options.compiled and not options.motion:
        compiled, module = operators_alone(robot)
    else:
        compiled = model_of(robot).compile(interpret=not options.compiled)
    clock.append(spent())
    names = joint_names(robot)
    q, v = states(len(names))
    expected = reference(path, names, q, v)
    worst = differences(operators(robot, compiled, q, v), expected)
    if options.motion:
        worst["motion"], worst["of q + 1e-13"] = motion_differences(path, robot, compiled)
    took = [b - a for a, b in pairwise(clock)]
    if module is not None:
        each = times(path, robot, compiled, module, options.casadi)
        beside = [f"{key} {' : '.join(f'{x:.2f}' for x in values)} us" for key, values in each.items()]
        print(f"{name:16} own : Pinocchio{' : CasADi' if options.casadi else ''}  {'  '.join(beside)}")
    print(
        f"{name:16} {len(names):3} joints  read {took[0]:5.2f} s  to operators {took[1]:6.2f} s  "
        + "  ".join(f"{key} {value:.0e}" for key, value in worst.items()),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=list(ROBOTS), help=", ".join(ROBOTS))
    parser.add_argument("--compiled", action="store_true", help="compile kernels; they are interpreted otherwise")
    parser.add_argument("--casadi", action="store_true", help="also CasADi's generated C beside compiled kernels")
    parser.add_argument("--loaded", action="store_true", help="seconds from the file to a model that steps, alone")
    parser.add_argument("--motion", action="store_true", help="also one second of motion")
    parser.add_argument("--write", action="store_true", help="write the tables of tests/data/robots")
    parser.add_argument("--packages", help="a folder of site-packages that has Pinocchio and the robots")
    options = parser.parse_args()
    if options.packages:
        sys.path.append(options.packages)
        sys.path += map(str, Path(options.packages).glob("cmeel.prefix/lib/python*/site-packages"))
    try:
        import pinocchio  # noqa: F401
    except ImportError as error:
        print(f"nothing to compare with: {error}; pip install pin example-robot-data, or --packages FOLDER")
        return
    if options.write:
        for path in sorted(DATA.glob("*.urdf")):
            robot = nsd.read_urdf(path)
            names = joint_names(robot)
            q, v = states(len(names))
            found = reference(path, names, q, v)
            np.savez_compressed(path.with_suffix(".npz"), names=names, q=q, v=v, **found)
        return
    folder = next(
        (
            Path(p) / "cmeel.prefix/share/example-robot-data/robots"
            for p in sys.path
            if (Path(p) / "cmeel.prefix/share/example-robot-data/robots").is_dir()
        ),
        None,
    )
    if folder is None:
        print("no robots to read: pip install example-robot-data")
        return
    for name in options.robots:
        if options.loaded:
            loaded(name, folder / ROBOTS[name])
            continue
        compare(name, folder / ROBOTS[name], options)


if __name__ == "__main__":
    main()
