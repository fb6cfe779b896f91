"""Derivatives of the forces of joints by recursion: those of the equations of Newton and Euler, term by term."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.graph.computed import computed, stated
from nsdgen.symbolic.graph.derivative import jacobian
from nsdgen.symbolic.graph.running_error import evaluate
from nsdgen.symbolic.mechanisms.recursion import forces
from nsdgen.symbolic.mechanisms.slopes import ConstantForce, fewest, force_slopes

INERTIA = sp.Matrix([[0.2, 0.01, 0.02], [0.01, 0.3, 0.03], [0.02, 0.03, 0.25]])
g, mass = sp.symbols("g mass", positive=True)


def mechanism(far: float) -> nsd.Mechanism:
    """A cart on a rail with two limbs, one of them with a slider and a nut on a screw; a limb of its own beside it."""
    names = ("cart", "thigh", "shin", "slider", "nut", "arm", "alone", "after")
    pulls = ([0, 0, -g * mass], [1, 2, 3], [0, 0, -9.81], [0, g, 0], [3, 0, 1], [0, 0, 0], [0, 0, -1], [1, 0, 0])
    bodies = {
        name: nsd.RigidBody(name, mass if name == "cart" else 1.5, INERTIA).apply_force(pull)
        for name, pull in zip(names, pulls, strict=True)
    }
    one = {"axis": [0.3, 0.4, 0.5]}
    rows = [
        (nsd.Prismatic, "cart", None, {"axis": [1, 2, 0]}),
        (nsd.Revolute, "thigh", "cart", {"axis": [0, 1, 0]}),
        (nsd.Revolute, "shin", "thigh", one),
        (nsd.Prismatic, "slider", "shin", {"axis": [0, 1, 1]}),
        (nsd.Screw, "nut", "slider", one),
        (nsd.Universal, "arm", "cart", {"axis": [1, 0, 0]}),
        (nsd.Revolute, "alone", None, {"axis": [0, 0, 1]}),
        (nsd.Cylindrical, "after", "alone", one),
    ]
    joints = []
    for kind, name, above, axis in rows:
        there = nsd.Marker(bodies[above], [0.1, 0.2, 0.5], **axis) if above else nsd.Marker(at=[far, far, 0], **axis)
        more = {"lead": 0.3} if kind is nsd.Screw else {}
        joints.append(kind(f"to {name}", nsd.Marker(bodies[name], [0.05, 0, -0.4], **axis), there, **more))
    return nsd.Mechanism("m", joints)


@pytest.mark.parametrize("far", [0.0, pytest.param(1e6, marks=pytest.mark.slow)])
def test_slopes_of_a_tree(far: float) -> None:
    """The same entries as by differentiation, to rounding; also a thousand kilometres away."""
    own = mechanism(far)
    tree = own._tree(Scope.of([g, mass], model="m"))
    frames, moving, links = tree.links.frames, tree.moving, tree.links.links
    v = [column.rate.leaf for frame in frames for column in frame.columns]
    q = [s for s in own.functions.values() if s not in set(v)]
    known = Scope.of([g, mass], model="m").parameters
    loads = [
        ConstantForce(
            links[b.name].frame, stated(list(b.applied[0].xreplace(known))), stated(list(links[b.name].centre))
        )
        for b in own.bodies
    ]
    acting = own._acting(tree, {**known, **tree.functions, **own.functions})
    values = forces(frames, moving, acting)
    draw = np.random.default_rng(5)
    at = dict(zip([*q, *v, *known.values()], map(float, draw.uniform(0.5, 2, 2 * len(q) + 2)), strict=True))
    for entries, wrt in zip(force_slopes(frames, loads), (q, v), strict=True):
        rows = jacobian(values, wrt)
        wanted = np.zeros((len(values), len(wrt)))
        found = np.zeros_like(wanted)
        for i, row in enumerate(rows):
            for j, e in row.items():
                wanted[i, j] = float(evaluate(computed(e), at))
        for place, e in entries.items():
            found[place] = -float(evaluate(computed(e), at))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-13 * np.abs(wanted).max())
        best = fewest(values, wrt, entries)
        assert best is entries or set(best) == {(i, j) for i, row in enumerate(rows) for j in row}
