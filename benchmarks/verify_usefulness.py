"""How many true claims of mechanics `nsdgen verify` proves, and how long it takes.

    python benchmarks/verify_usefulness.py [--count N] [--seed N]

Two hundred claims in ten families, each with its own random numbers: Jacobians, kinetic energies, rotations, skew
matrices, quaternions, screws, contact gradients, matrices of all sizes, half-explicit steps and series. All are true by
construction. Printed are what is proved, with a certificate or without, and the processor time in seconds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import sympy as sp

from nsdgen.verify import (
    Claim,
    Equation,
    Inequality,
    Invertible,
    Latex,
    PositiveDefinite,
    Rotation,
    Symmetric,
    UnitQuaternion,
    cross,
    decide,
    derivative,
    gradient,
    matrix,
    quaternion,
    quaternion_product,
    rotate,
    rotation_matrix,
    skew,
    vector,
)
from nsdgen.verify.verdict import PROVED

X, Y, Z, T = sp.symbols("x y z t", real=True)
M, L, G = sp.symbols("m l g", positive=True)
N = sp.Symbol("N", integer=True, positive=True)
A, B, S, R = (sp.MatrixSymbol(name, N, N) for name in "ABSR")
U, V = (sp.MatrixSymbol(name, N, 1) for name in "uv")


def number(rng: Random) -> sp.Rational:
    """A simple number that is not zero."""
    return sp.Rational(rng.choice((-1, 1)) * rng.randint(1, 9), rng.randint(1, 5))


def smooth(rng: Random) -> sp.Expr:
    """A random smooth function of three coordinates."""
    a, b, c = (number(rng) for _ in range(3))
    p, q = rng.sample((X, Y, Z), 2)
    return (
        rng.choice((sp.sin(a * p + q), sp.exp(a * p) * q, p**2 * sp.cos(q), sp.sqrt(p**2 + q**2 + 1))) * b + c * p * q
    )


def jacobians(rng: Random) -> tuple[Any, ...]:
    e = sp.Matrix([smooth(rng) for _ in range(2)])
    return derivative(e, [X, Y, Z]), e.jacobian([X, Y, Z]).applyfunc(sp.expand)


def energies(rng: Random) -> tuple[Any, ...]:
    a, b = number(rng), number(rng)
    q, p = vector("q", 2), vector("v", 2)
    place = sp.Matrix([a * L * sp.sin(q[0]) + L * sp.sin(q[1]), -a * L * sp.cos(q[0]) - L * sp.cos(q[1])])
    velocity = place.jacobian(list(q)) * p
    hand = M * L**2 * (a**2 * p[0] ** 2 + p[1] ** 2 + 2 * a * p[0] * p[1] * sp.cos(q[0] - q[1])) / 2 + b
    return M * velocity.dot(velocity) / 2 + b, hand


def rotations(rng: Random) -> tuple[Any, ...]:
    r, a, b = matrix("R", 3, 3), vector("a"), vector("b")
    k = number(rng)
    return rng.choice(
        (
            (k * cross(r * a, r * b), k * r * cross(a, b), [Rotation(r)]),
            (k * skew(r * a), k * r * skew(a) * r.T, [Rotation(r)]),
            (k * (r * a).dot(r * b), k * a.dot(b), [Rotation(r)]),
        )
    )


def skews(rng: Random) -> tuple[Any, ...]:
    a, b, k = vector("a"), vector("b"), number(rng)
    return rng.choice(
        (
            (skew(a) * skew(b) * k, k * (b * a.T - a.dot(b) * sp.eye(3))),
            (skew(cross(a, k * b)), k * (b * a.T - a * b.T)),
            (skew(a) ** 3 * k, -k * a.dot(a) * skew(a)),
            (cross(a, cross(b, a)) * k, k * (a.dot(a) * b - a.dot(b) * a)),
        )
    )


def quaternions(rng: Random) -> tuple[Any, ...]:
    p, q, a, k = quaternion("p"), quaternion("q"), vector("a"), number(rng)
    return rng.choice(
        (
            (rotation_matrix(quaternion_product(p, q)), rotation_matrix(p) * rotation_matrix(q)),
            (k * rotation_matrix(p) * a, k * rotate(p, a)),
            (rotation_matrix(p).T * rotation_matrix(p) * k, k * sp.eye(3), [UnitQuaternion(p)]),
            (rotation_matrix(p).det() * k, k * sp.S.One, [UnitQuaternion(p)]),
        )
    )


def screws(rng: Random) -> tuple[Any, ...]:
    w, v, a, k = vector("w"), vector("v"), vector("a"), number(rng)

    def ad(w: Any, v: Any) -> sp.Matrix:
        return sp.Matrix.vstack(sp.Matrix.hstack(skew(w), sp.zeros(3, 3)), sp.Matrix.hstack(skew(v), skew(w)))

    twist, other = sp.Matrix([*w, *v]), sp.Matrix([*a, *(k * e for e in a)])
    return ad(w, v) * other, -(ad(a, k * a) * twist)


def contacts(rng: Random) -> tuple[Any, ...]:
    a, b = number(rng), number(rng)
    gap = sp.sqrt((X - a) ** 2 + (Y - b) ** 2) - L
    return gradient(gap, [X, Y]), sp.Matrix([X - a, Y - b]) / (gap + L)


def matrices(rng: Random) -> tuple[Any, ...]:
    k = number(rng)
    return rng.choice(
        (
            ((A * B).T * k, k * B.T * A.T),
            ((A * B).I * k, k * B.I * A.I, [Invertible(A), Invertible(B)]),
            ((U.T * S * V) * k, k * V.T * S * U, [Symmetric(S)]),
            (R * (A + k * B) * R.T, R * A * R.T + k * R * B * R.T, [Rotation(R)]),
            ((sp.Identity(N) + k * A) * (sp.Identity(N) - k * A), sp.Identity(N) - k**2 * A * A),
        )
    )


def steps(rng: Random) -> tuple[Any, ...]:
    h, theta, k = sp.Symbol("h", positive=True), number(rng), number(rng)
    d, e = sp.Symbol("d", real=True), sp.Symbol("e", real=True)
    return rng.choice(
        (
            ((1 - theta * h) * X + theta * h * X, X),
            (X, Y, [Equation(M * (X - Y), h * k * (d - e)), Equation(d, e)]),
            (X**2 - Y**2, (X - Y) * (X + Y) + k * 0, []),
            (M * (X - Y) * (X + Y) / 2, M * X**2 / 2 - M * Y**2 / 2),
        )
    )


def texts(rng: Random) -> tuple[Any, ...]:
    symbols = {"m": M, "l": L, "g": G, "x": X, r"\dot x": Y}
    n = rng.randint(2, 9)
    return rng.choice(
        (
            (Latex(rf"\frac{{1}}{{{n}}} m \dot x^2 + m g x", symbols), M * Y**2 / n + M * G * X),
            (Latex(rf"{n} \sin(x) \cos(x)", symbols), sp.Rational(n, 2) * sp.sin(2 * X)),
        )
    )


FAMILIES: tuple[Callable[[Random], tuple[Any, ...]], ...] = (
    jacobians,
    energies,
    rotations,
    skews,
    quaternions,
    screws,
    contacts,
    matrices,
    steps,
    texts,
)


def claims(count: int, seed: int) -> list[Claim]:
    """So many true claims, the families in turn; one in twenty is a sign instead of an equality."""
    made = []
    for k in range(count):
        rng, family = Random(f"{seed} {k}"), FAMILIES[k % len(FAMILIES)]
        if k % 20 == 19:
            a, c = matrix("a", 2, 2, symmetric=True), abs(number(rng))
            sign = Inequality(c * a[0, 0] * a[1, 1], ">", c * a[0, 1] ** 2)
            made.append(Claim(f"signs-{k}", statements=[sign], assumptions=[PositiveDefinite(a)]))
        else:
            made.append(Claim(f"{family.__name__}-{k}", *family(rng)))
    return made


def main() -> None:
    """Decide the claims and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    verdicts, seconds = Counter[str](), []
    for claim in claims(options.count, options.seed):
        start = time.process_time()
        found = decide(claim)
        seconds.append(time.process_time() - start)
        verdicts[found.verdict] += 1
        if found.verdict not in PROVED:
            print(f"{claim.id}: {found.verdict}: {found.reason}")
    proved = sum(verdicts[kind] for kind in PROVED)
    print(f"{proved} of {options.count} proved, {dict(verdicts)}")
    print(f"median {statistics.median(seconds):.2f} s, largest {max(seconds):.1f} s of processor time")


if __name__ == "__main__":
    main()
