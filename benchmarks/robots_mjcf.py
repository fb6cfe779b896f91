"""MJCF files that Python packages ship, beside MuJoCo: the same places, M, F and accelerations.

``python benchmarks/robots_mjcf.py FILE ...`` reads each file (of gymnasium, dm_control, ...) here and with MuJoCo and
prints the largest difference, relative to the largest entry, of M, of -F (``qfrc_bias``), of places and rotations of
bodies, and of accelerations under springs, damping and actuators (``qacc_smooth``), over five random states. MuJoCo's
file as it is, without its contacts, limits and dry friction. It needs ``pip install mujoco``, which is no dependency.
``--write`` computes again what ``tests/robots`` compares with.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import nsdgen as nsd

DATA = Path(__file__).resolve().parents[1] / "tests" / "data" / "robots"
STATES = 5
# What these files hold beside what is read; none of it acts on joints.
WITHOUT = ("sensor", "custom", "keyframe", "tendon", "flag/@constraint")


def rotation(p: np.ndarray) -> np.ndarray:
    """Of a unit quaternion, scalar first."""
    w, v = p[0], p[1:]
    k = cross_matrix(v)
    return np.eye(3) + 2 * w * k + 2 * k @ k


def cross_matrix(v: np.ndarray) -> np.ndarray:
    """v x."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def random_states(model: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """qpos and qvel of MuJoCo, the same every time."""
    rng, found = np.random.default_rng(27), []
    for _ in range(STATES):
        qpos = np.array(model.qpos0)
        for kind, at in zip(model.jnt_type, model.jnt_qposadr, strict=True):
            if kind in (2, 3):
                qpos[at] += rng.uniform(-1, 1)
                continue
            first = at + (3 if kind == 0 else 0)
            qpos[at:first] += rng.uniform(-1, 1, first - at)
            p = rng.normal(size=4)
            qpos[first : first + 4] = p / np.linalg.norm(p)
        found.append((qpos, rng.uniform(-1, 1, model.nv)))
    return found


def joint_addresses(model: Any, robot: Any) -> list[tuple[int, int, int, Any]]:
    """Of each attachment: kind of MuJoCo's joint, its places in qpos and qvel, the body that moves freely or None."""
    found = []
    names = {joint.name: (body, k) for body, joints in joints_by_body(model, robot).items() for k, joint in joints}
    for attachment in robot.mechanism.attachments:
        if attachment.joint is None:
            j, body = model.body(attachment.body.name).jntadr[0], attachment.body
        else:
            number, k = names[attachment.joint.name]
            j, body = model.body_jntadr[number] + k, None
        found.append((model.jnt_type[j], model.jnt_qposadr[j], model.jnt_dofadr[j], body))
    return found


def joints_by_body(model: Any, robot: Any) -> dict[int, list[tuple[int, Any]]]:
    """The joints read here by MuJoCo's number of their body: both list bodies as they stand in the file."""
    found: dict[int, list[tuple[int, Any]]] = {}
    for joint in robot.description.joints.values():
        if joint.kind != "fixed":
            number = found.setdefault(body_number(model, joint.child), [])
            number.append((len(number), joint))
    return found


def body_number(model: Any, link: str) -> int:
    """MuJoCo's number of a link, or of the body that a link before its last joint belongs to."""
    for name in (link, link.rpartition(" ")[0]):
        for number in range(model.nbody):
            if name == (model.body(number).name or f"body {number}"):
                return number
    raise LookupError(link)


def mapped(
    model: Any, robot: Any, qpos: np.ndarray, qvel: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """q, v = T qvel, T, and T' qvel of a mechanism; free bodies have MuJoCo's velocity at the frame's origin."""
    q, rows, rates = [], [], []
    for kind, at, dof, body in joint_addresses(model, robot):
        size = 6 if kind == 0 else 3 if kind == 1 else 1
        own, rate = np.zeros((size, model.nv)), np.zeros(size)
        own[:, dof : dof + size] = np.eye(size)
        place = qpos[at : at + (7 if kind == 0 else 4 if kind == 1 else 1)].copy()
        if kind == 0:
            R, c, w = rotation(place[3:]), -robot_centre(robot, body), qvel[dof + 3 : dof + 6]
            place[:3] -= R @ c
            own[:3, dof + 3 : dof + 6] = R @ cross_matrix(c)
            rate[:3] = -R @ np.cross(w, np.cross(w, c))
        q.append(place)
        rows.append(own)
        rates.append(rate)
    T = np.vstack(rows)
    return np.concatenate(q), T @ qvel, T, np.concatenate(rates)


def robot_centre(robot: Any, body: Any) -> np.ndarray:
    """The centre of mass of a body in the frame of its link."""
    return -np.array(robot.marker(body.name).at, dtype=float).ravel()


def reference(path: Path, robot: Any) -> dict[str, np.ndarray]:
    """Of MuJoCo, at its states, in the coordinates of the mechanism."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    bodies = [body_number(model, b.name) for b in posed(robot)]
    found: dict[str, list[Any]] = {key: [] for key in ("q", "v", "T", "drift", "M", "F", "centres", "rotations", "a")}
    for qpos, qvel in random_states(model):
        data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, 0.7
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        for row, unit in zip(M, np.eye(model.nv), strict=True):
            mujoco.mj_mulM(model, data, row, unit)
        q, v, T, drift = mapped(model, robot, qpos, qvel)
        masses = [model.body_mass[model.body_weldid == b] for b in bodies]
        centres = [data.xipos[model.body_weldid == b] for b in bodies]
        values = {
            "q": q,
            "v": v,
            "T": T,
            "drift": drift,
            "M": M,
            "F": -data.qfrc_bias,
            "centres": [m @ x / m.sum() for m, x in zip(masses, centres, strict=True)],
            "rotations": data.xmat[bodies].reshape(-1, 3, 3),
            "a": T @ data.qacc_smooth + drift,
        }
        for key, value in values.items():
            found[key].append(np.array(value))
    return {key: np.array(values) for key, values in found.items()}


def posed(robot: Any) -> list[Any]:
    """The bodies that have a mass."""
    return [body for body in robot.mechanism.bodies if body.mass != 0]


def differences(robot: Any, compiled: Any, expected: dict[str, np.ndarray]) -> dict[str, float]:
    """The largest of each quantity, relative to its largest entry at the same state."""
    group, worst = compiled[robot.mechanism.name], dict[str, float]()
    for k, (q, v, T) in enumerate(zip(expected["q"], expected["v"], expected["T"], strict=True)):
        given = {"t": 0.0, "q": q, "v": v}

        def value(name: str, given: dict[str, Any] = given) -> np.ndarray:
            operator = getattr(group, name)
            found: np.ndarray = operator(*(given[argument] for argument, _ in operator.arguments))
            return found

        poses = value("poses")[[robot.mechanism.bodies.index(body) for body in posed(robot)]]
        found = {
            "M": T.T @ value("mass") @ T,
            "F": T.T @ (value("force") - value("mass") @ expected["drift"][k]),
            "centres": np.array([p[:3] for p in poses]).reshape(-1, 3),
            "rotations": np.array([rotation(p[3:]) for p in poses]).reshape(-1, 3, 3),
            "a": accelerations(robot, compiled, q, v),
        }
        for key, computed in found.items():
            exact = expected[key][k]
            if exact.size:
                off = float(np.abs(computed - exact).max() / max(np.abs(exact).max(), np.finfo(float).tiny))
                worst[key] = max(worst.get(key, 0.0), off)
    return worst


def accelerations(robot: Any, compiled: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """v' under springs and motors whose inputs are 0.7."""
    of_q, of_v = robot.mechanism.describe_names()
    name = robot.mechanism.name
    columns = [f"{name}.{c}" for c in (*of_q, *of_v)]
    row = compiled.at_start(
        initial=dict(zip(columns, [*q, *v], strict=True)), parameters=dict.fromkeys(robot.controls, 0.7)
    )
    return np.array([row[f"{name}.{c}_rate"] for c in of_v])


def model_of(robot: Any) -> nsd.Model:
    """A robot under its springs and motors."""
    return nsd.Model(
        "robot",
        robot.systems,
        [*robot.springs, *robot.motors],
        scheme=nsd.EventDriven(),
        step=0.1,
        end=1,
        initial=robot.initial,
        parameters=robot.parameters,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true", help="write the tables of tests/data/robots")
    parser.add_argument("--packages", help="a folder of site-packages that has MuJoCo")
    options = parser.parse_args()
    if options.packages:
        sys.path.append(options.packages)
    try:
        import mujoco  # noqa: F401
    except ImportError as error:
        print(f"nothing to compare with: {error}; pip install mujoco, or --packages FOLDER")
        return
    warnings.simplefilter("ignore")  # joints of equations, which are no part of the comparison
    for path in sorted(DATA.glob("*.xml")) if options.write else options.files:
        began = time.perf_counter()
        robot = nsd.read_mjcf(path, without=WITHOUT, meshes=False)
        if options.write:
            np.savez_compressed(path.with_suffix(".npz"), **reference(path, robot))
            continue
        compiled = model_of(robot).compile(interpret=True)
        took = time.perf_counter() - began
        worst = differences(robot, compiled, reference(path, robot))
        print(
            f"{path.stem:26} {robot.mechanism.equations:3} velocities  from file to operators {took:6.2f} s  "
            + "  ".join(f"{key} {value:.0e}" for key, value in worst.items()),
            flush=True,
        )


if __name__ == "__main__":
    main()
