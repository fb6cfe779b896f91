"""Structures of bodies in the plane: hyperstatic, jammed, self-locking, with paradoxes, with masses far apart."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.sparse import diags_array

from attacks.bodies import GROUND, Scene, gravity, problem
from attacks.problem import Attack, Family, Rng, Vector, frictional, moving


def _coefficients(rng: Rng, count: int) -> np.ndarray:
    """One for all, or each its own."""
    return np.full(count, rng.uniform(0.0, 1.5)) if rng.random() < 0.5 else rng.uniform(0.0, 1.5, count)


def arch(rng: Rng, large: bool) -> Attack:
    """Voussoirs of a half circle, two contacts a joint, thick enough to stand or not."""
    return problem(rng, *arch_parts(rng, large))


def arch_parts(rng: Rng, large: bool) -> tuple[Scene, Vector, Vector]:
    """The bodies of an arch, their free velocities and the coefficients of its contacts."""
    count = int(rng.integers(15, 121)) if large else int(rng.integers(1, 13))
    inner, outer = 1.0, 1.0 + 10 ** rng.uniform(-2, 0)
    scene, angles = Scene(), np.linspace(0, np.pi, count + 1)
    middle, radius = (angles[1:] + angles[:-1]) / 2, (inner + outer) / 2
    weight = (outer**2 - inner**2) * np.pi / (2 * count)
    for angle in middle:
        scene.body(radius * np.cos(angle), radius * np.sin(angle), weight, weight * (outer - inner) ** 2 / 6)
    for k, angle in enumerate(angles):
        before, after = (k - 1 if k else GROUND), (k if k < count else GROUND)
        for r in (inner, outer):
            scene.touch(after, before, (r * np.cos(angle), r * np.sin(angle)), (-np.sin(angle), np.cos(angle)))
    v = gravity(scene)
    if rng.random() < 0.3:
        v[0::3] += rng.normal() * 1e-2  # an earthquake
    return scene, v, _coefficients(rng, len(scene.contacts))


def card_house(rng: Rng, large: bool) -> Attack:
    """Leaning pairs of thin cards, a level card across each two, storey on storey."""
    storeys = int(rng.integers(4, 11)) if large else int(rng.integers(1, 4))
    lean, weight = rng.uniform(0.05, 0.7), 10 ** rng.uniform(-6, -1)
    reach, height = np.sin(lean), np.cos(lean)
    scene, floor = Scene(), [GROUND] * storeys
    for storey in range(storeys):
        bottom, top, tents = storey * height, (storey + 1) * height, []
        for k, support in enumerate(floor):
            x = (2 * k + storey) * reach
            left = scene.body(x + reach / 2, (bottom + top) / 2, weight, weight / 12)
            right = scene.body(x + 1.5 * reach, (bottom + top) / 2, weight, weight / 12)
            scene.touch(left, support, (x, bottom), (0, 1))
            scene.touch(right, support, (x + 2 * reach, bottom), (0, 1))
            scene.touch(left, right, (x + reach, top), (-1, 0))
            tents.append((left, right, x + reach))
        floor = []
        for one, other in pairwise(tents):
            card = scene.body((one[2] + other[2]) / 2, top, weight, weight * reach**2 / 3)
            for left, right, x in (one, other):
                scene.touch(card, left, (x, top), (0, 1))
                scene.touch(card, right, (x, top), (0, 1))
            floor.append(card)
    return problem(rng, scene, gravity(scene), _coefficients(rng, len(scene.contacts)))


def jammed_chain(rng: Rng, large: bool) -> Attack:
    """Discs that just fill a channel in zigzag, held at both ends, pressed and turned at random."""
    count = int(rng.integers(30, 201)) if large else int(rng.integers(1, 11))
    tilt = rng.uniform(0.0, 0.6) if rng.random() < 0.8 else 0.0
    step, rise = 2 * np.cos(tilt), 2 * np.sin(tilt)
    scene = Scene()
    for k in range(count):
        scene.body(k * step, (k % 2) * rise, mass := 10 ** rng.uniform(-1, 1), mass / 2)
    scene.touch(0, GROUND, (-1, 0), (1, 0))
    scene.touch(count - 1, GROUND, ((count - 1) * step + 1, ((count - 1) % 2) * rise), (-1, 0))
    for k, (x, y) in enumerate(scene.centres):
        scene.touch(k, GROUND, (x, y - 1) if k % 2 == 0 else (x, y + 1), (0, 1) if k % 2 == 0 else (0, -1))
        if k:
            before = scene.centres[k - 1]
            scene.touch(k, k - 1, ((x + before[0]) / 2, (y + before[1]) / 2), (x - before[0], y - before[1]))
    v = rng.normal(size=3 * count) * (10 ** rng.uniform(-8, 2))
    return problem(rng, scene, v, _coefficients(rng, len(scene.contacts)))


def wedges(rng: Rng, large: bool) -> Attack:
    """Wedges driven into grooves of an angle that friction can hold, one upon the other."""
    count = int(rng.integers(20, 101)) if large else int(rng.integers(1, 9))
    scene = Scene()
    half = 10 ** rng.uniform(-5, 0)
    for k in range(count):
        body = scene.body(0.0, 1.0 * k, 10 ** rng.uniform(-2, 2), 1.0)
        for side in (-1.0, 1.0):
            normal = (-side * np.cos(half), np.sin(half))
            for y in (0.0, 0.5):
                scene.touch(body, GROUND, (side * (0.2 + y * np.tan(half)), k + y - 0.25), normal)
        if k:
            scene.touch(body, k - 1, (0.0, k - 0.5), (0.0, 1.0))
    v = gravity(scene, 1.0) + rng.normal(size=3 * count) * (rng.random() < 0.5)
    return problem(rng, scene, v, _coefficients(rng, len(scene.contacts)))


def rods(rng: Rng, large: bool) -> Attack:
    """Painlevé's rods sliding on the ground and on each other, with friction that couples past the paradox."""
    count = int(rng.integers(20, 101)) if large else int(rng.integers(1, 6))
    scene = Scene()
    for k in range(count):
        angle, inertia = rng.uniform(0.2, 1.5), 10 ** rng.uniform(-3, 0)
        body = scene.body(float(k), 0.0, 1.0, inertia)
        tip = (k - np.cos(angle), -np.sin(angle))
        scene.touch(body, GROUND, tip, (0.0, 1.0))
        if k and rng.random() < 0.7:
            scene.touch(body, k - 1, (k - 0.5, rng.uniform(-0.5, 0.5)), (rng.normal(), 1.0))
    v = rng.normal(size=3 * count)
    v[1::3] -= 1.0
    return problem(rng, scene, v, rng.uniform(0.3, 5.0, len(scene.contacts)))


def stack(rng: Rng, large: bool) -> Attack:
    """Blocks with two contacts each and masses over up to 24 orders of magnitude, alternating or at random."""
    count = int(rng.integers(20, 151)) if large else int(rng.integers(1, 13))
    span = rng.uniform(2, 12)
    scene = Scene()
    for k in range(count):
        size = 10 ** (span * (k % 2) if rng.random() < 0.5 else rng.uniform(-span, span))
        body = scene.body(0.0, k + 0.5, size, size / 6)
        for x in (-0.5, 0.5):
            scene.touch(body, body - 1, (x, float(k)), (0.0, 1.0))
    return problem(rng, scene, gravity(scene), _coefficients(rng, len(scene.contacts)))


def jaws(rng: Rng, large: bool) -> Attack:
    """Two jaws that close on bodies between them: no velocities satisfy that."""
    count = int(rng.integers(20, 101)) if large else int(rng.integers(1, 9))
    scene = Scene()
    for k in range(count):
        scene.body(2.0 * k, 0.0, 10 ** rng.uniform(-2, 2), 1.0)
        scene.touch(k, k - 1, (2.0 * k - 1, 0.0), (1.0, 0.0))
    scene.touch(count - 1, GROUND, (2.0 * count - 1, 0.0), (-1.0, 0.0))
    mass, H, mu = scene.mass(), scene.directions(), _coefficients(rng, len(scene.contacts))
    b = np.zeros(H.shape[1])
    b[0], b[-2] = -(10 ** rng.uniform(-3, 1)), -(10 ** rng.uniform(-3, 1))
    v = gravity(scene)
    if rng.random() < 0.5:
        return moving(diags_array(mass).tocsc(), mass * v, H, b, mu, 2, False)
    W = (H.T @ diags_array(1.0 / mass) @ H).tocsr()
    return frictional(W if large else W.toarray(), H.T @ v + b, mu, 2, False)


FAMILIES: dict[str, Family] = {
    "masonry arches": arch, "card houses": card_house, "jammed chains": jammed_chain, "wedges": wedges,
    "Painlevé rods": rods, "mass ratios": stack, "closing jaws": jaws,
}  # fmt: skip
