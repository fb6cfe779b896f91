"""The figures in the pages: ``python docs/figures/page_figures.py [NAME ...]`` measures them and writes them there.

A figure stands in a page between ``<!-- NAME -->`` and ``<!-- / -->``. Without names all but times are measured
again, in half a minute; times are those of the machine that last measured them. ``tests/docs/test_figures.py``
compares.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import sympy as sp
from scipy.sparse import diags_array
from scipy.spatial.transform import Rotation
from sympy.physics.mechanics import dynamicsymbols

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

import nsdgen as nsd  # noqa: E402
from examples import heavy_top  # noqa: E402

PAGES = FOLDER.parent
MARKED = re.compile(r"(<!-- (\S+) -->)(.*?)(<!-- / -->)", re.DOTALL)
x, y = dynamicsymbols("x y")
Figures = dict[str, str]


def scientific(value: float, digits: int = 1) -> str:
    """``4.6e-4``."""
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def percent(value: float, digits: int = 0) -> str:
    return f"{100 * value:.{digits}f} %"


def oscillators() -> Figures:
    """Energy of x'' = -4 x after 20 s, h = 10 ms, beside what it was."""
    figures = {}
    for theta in (0.4, 0.5, 0.6, 1.0):
        mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, potential=2 * x**2)
        scheme = nsd.MoreauJean(theta=theta)
        run = nsd.Model("spring", [mass], scheme=scheme, step=1e-2, end=20, initial={x: 1}).run()
        energy = run["x_dot"] ** 2 / 2 + 2 * run["x"] ** 2
        kept = energy / energy[0]
        figures[f"energy_theta_{theta}"] = scientific(abs(kept - 1).max(), 0) if theta == 0.5 else percent(kept[-1])
    return figures


def rubber_bar() -> Figures:
    """By Green's strain, energy of degree four, from the origin to a mass."""
    strain = (x**2 + y**2 - 1) / 2
    figures = {}
    for at in ("ends", "mean", "theta"):
        mass = nsd.LagrangianSystem(
            "mass", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=50 * strain**2 + 9.81 * y
        )
        scheme = nsd.MoreauJean(force_at=at, newton=nsd.Newton(1e-13))
        start = {x: 1.2, y: 0, y.diff(): 2}
        run = nsd.Model("bar", [mass], scheme=scheme, step=0.02, end=40, initial=start).run()
        q, v = np.array([run["x"], run["y"]]), np.array([run["x_dot"], run["y_dot"]])
        energy = (v**2).sum(0) / 2 + 50 * (((q**2).sum(0) - 1) / 2) ** 2 + 9.81 * q[1]
        moved = abs(energy / energy[0] - 1).max()
        figures[f"rubber_bar_{at}"] = scientific(moved, 0) if at == "mean" else percent(moved, 1)
    return figures


def free_body(scheme: nsd.Scheme, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Energy, and angular momentum in space, of a body of moments 1, 2, 3 that turns by (1, 2, 3) rad/s."""
    body = nsd.RigidBody("body", 1, sp.diag(1, 2, 3))
    start = {body.position: [0, 0, 0], body.angular_velocity: [1, 2, 3]}
    run = nsd.Model("free", [body], scheme=scheme, step=1e-2, end=end, initial=start).run()
    turning = run["body.angular_velocity"]
    turned = Rotation.from_quat(run["body.quaternion"], scalar_first=True)
    return (turning**2 @ [1, 2, 3]) / 2, turned.apply(turning * [1, 2, 3])


def rotations() -> Figures:
    """What each rule of Moreau-Jean makes of the energy of a free body; what Variational makes of its momentum."""
    worst = 0.0
    for rule in ("nearly_implicit", "semi_implicit", "predicted", "theta", "exponential"):
        energy, _ = free_body(nsd.MoreauJean(rotation=rule), 20)
        worst = max(worst, abs(energy / energy[0] - 1).max())
    _, momentum = free_body(nsd.Variational(newton=nsd.Newton(tolerance=1e-14)), 5)
    return {
        "free_body_energy": scientific(worst, 0),
        "free_body_momentum": scientific(abs(momentum - momentum[0]).max(), 0),
    }


def rod_pendulum() -> Figures:
    """A bob on a rod in x and y, after 1 s: its error under Rattle, the drift of its rod under Moreau-Jean."""
    angle = dynamicsymbols("angle")
    swing = nsd.LagrangianSystem("swing", [angle], kinetic=angle.diff() ** 2 / 2, potential=-9.81 * sp.cos(angle))
    start = np.arctan2(0.6, 0.8)
    scheme = nsd.EventDriven(rtol=1e-13, atol=1e-14)
    exact = nsd.Model("exact", [swing], scheme=scheme, step=0.1, end=1, initial={angle: start}).run()["angle"][-1]
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    rod = nsd.Bilateral("rod", x**2 + y**2 - 1)
    figures = {}
    for name, scheme in (("error", nsd.Rattle()), ("drift", nsd.MoreauJean())):
        model = nsd.Model("rod", [bob], [rod], scheme=scheme, step=1e-2, end=1, initial={x: 0.6, y: -0.8}).compile()
        for h in (0.01, 0.005, 0.0025):
            run = model.run(step=h)
            off = abs(run["x"][-1] - np.sin(exact)) if name == "error" else abs(run["x"] ** 2 + run["y"] ** 2 - 1).max()
            figures[f"rod_{name}_{1000 * h:g}"] = scientific(off)
    return figures


def tops() -> Figures:
    """The heavy top of the examples after 2 s, h = 1 ms, beside Rattle with a twentieth of the step."""
    exact = heavy_top.spinning(nsd.Rattle()).run(step=5e-5, end=2)["top.position"][-1]
    figures = {}
    for name, scheme in (("Rattle", nsd.Rattle()), ("MoreauJean", nsd.MoreauJean())):
        run = heavy_top.spinning(scheme).run(end=2)
        turning = run["top.angular_velocity"] ** 2 @ heavy_top.INERTIA
        height = heavy_top.GRAVITY * run["top.position"][:, 2]
        energy = heavy_top.MASS * ((run["top.velocity"] ** 2).sum(1) / 2 + height) + turning / 2
        off, lost = np.linalg.norm(run["top.position"][-1] - exact), abs(energy[-1] / energy[0] - 1)
        figures[f"top_position_{name}"] = scientific(off) if name == "Rattle" else f"{off:.2f}"
        figures[f"top_energy_{name}"] = scientific(lost) if name == "Rattle" else percent(lost)
    return figures


def lifted_ball() -> Figures:
    """A ball dropped from 1 m, h = 1 ms: how far below the floor it comes, what projection adds to its energy."""
    figures = {}
    for level in ("active", "all"):
        ball = nsd.LagrangianSystem("ball", [x], kinetic=x.diff() ** 2 / 2, potential=9.81 * x)
        floor = nsd.Contact("floor", x, nsd.NewtonImpact(1))
        scheme = nsd.MoreauJean(projection=nsd.Projection(level=level))
        run = nsd.Model("ball", [ball], [floor], scheme=scheme, step=1e-3, end=5, initial={x: 1}).run()
        energy = run["x_dot"] ** 2 / 2 + 9.81 * run["x"]
        figures[f"projected_energy_{level}"] = percent(energy.max() / energy[0] - 1, 1)
        if level == "active":
            figures["projected_depth"] = f"{-1e3 * run['x'].min():.0f} mm"
    return figures


def rows_of_balls() -> Figures:
    """Three equal balls, the first hits at speed 1, e = 1."""
    figures = {}
    places = dynamicsymbols("b:3")
    for name, law in (
        ("newton", nsd.NewtonImpact(1)),
        ("linear", nsd.MultipleImpact(1, exponent=1)),
        ("spheres", nsd.MultipleImpact(1)),
    ):
        line = [nsd.LagrangianSystem(f"ball {i}", [b], kinetic=b.diff() ** 2 / 2) for i, b in enumerate(places)]
        links = [nsd.Contact(f"link {i}", places[i + 1] - places[i], law) for i in range(2)]
        start = {places[0]: -0.1, places[1]: 0, places[2]: 0, places[0].diff(): 1}
        run = nsd.Model("row", line, links, scheme=nsd.D1Minus(), step=1e-3, end=0.2, initial=start).run()
        speeds = ", ".join(f"{run[f'b{i}_dot'][-1]:.3f}" for i in range(3)).replace("-", "−")
        figures[f"row_{name}"] = speeds
    return figures


def spent() -> float:
    """Processor time of this process and of those that it waited for [s]."""
    return sum(os.times()[:4])


@contextmanager
def empty_cache() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, NSDGEN_CACHE=folder):
        yield


def finite_elements() -> Figures:
    """Bars with M, C and K from SciPy and a contact at one end, from an empty cache; a minute."""
    lines = ["", "| elements | describe | derive, emit, compile | a step |", "|---:|---:|---:|---:|"]
    for n in (125, 250, 500, 1000):
        begun = spent()
        stiff = n * diags_array([-np.ones(n - 1), np.r_[2 * np.ones(n - 1), 1], -np.ones(n - 1)], offsets=[-1, 0, 1])
        mass = diags_array([np.ones(n - 1), np.r_[4 * np.ones(n - 1), 2], np.ones(n - 1)], offsets=[-1, 0, 1]) / (6 * n)
        bar = nsd.LinearMechanicalSystem("bar", mass, stiff, 1e-4 * stiff, coordinates=[f"u{i}" for i in range(n)])
        stop = nsd.Contact("stop", sp.Rational(1, 100) - bar.coordinate(f"u{n - 1}"), nsd.NewtonImpact(0))
        start = {bar.v: np.linspace(0, 1, n).tolist()}
        model = nsd.Model("bar", [bar], [stop], scheme=nsd.MoreauJean(), step=1e-4, end=1, initial=start)
        described = spent()
        with empty_cache():
            compiled = model.compile(interpret=False)
            made = spent()
            runs = []
            for _ in range(6):
                started = time.process_time()
                compiled.run(every=10_000)
                runs.append((time.process_time() - started) / 10_000)
            times = f"{described - begun:.1f} s | {made - described:.1f} s"
            lines.append(f"| {n} | {times} | {1e6 * min(runs):.1f} µs |")
    return {"finite_elements": "\n".join([*lines, ""])}


def full_matrices() -> Figures:
    """A linear system whose A is full: derived, compiled from an empty cache and run; half a minute."""
    figures = {}
    for n in (20, 50):
        begun = spent()
        A = np.random.default_rng(1).normal(size=(n, n)) / n - np.eye(n)
        system = nsd.LinearSystem("full", A.tolist(), states=[f"s{i}" for i in range(n)])
        model = nsd.Model("full", [system], scheme=nsd.ThetaGamma(), step=1e-2, end=1)
        with empty_cache():
            model.compile(interpret=False).run()
        figures[f"full_matrix_{n}"] = f"{spent() - begun:.0f} s"
    return figures


MEASURED: tuple[Callable[[], Figures], ...] = (
    oscillators,
    rubber_bar,
    rotations,
    rod_pendulum,
    tops,
    lifted_ball,
    rows_of_balls,
)
TIMES: tuple[Callable[[], Figures], ...] = (finite_elements, full_matrices)


def pages() -> dict[Path, str]:
    """The pages that have figures."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(PAGES.rglob("*.md"))}
    return {path: text for path, text in texts.items() if MARKED.search(text)}


def main(names: list[str]) -> None:
    wanted = [f for f in (*MEASURED, *TIMES) if f.__name__ in names] if names else MEASURED
    figures = {name: text for measure in wanted for name, text in measure().items()}
    for path, text in pages().items():
        new = MARKED.sub(lambda m: m[1] + figures.get(m[2], m[3]) + m[4], text)
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"{path.relative_to(PAGES)} has other figures")


if __name__ == "__main__":
    main(sys.argv[1:])
