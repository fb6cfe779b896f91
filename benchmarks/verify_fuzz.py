"""A differential fuzzer of `nsdgen verify`: random claims that are true or false by construction.

    python benchmarks/verify_fuzz.py [--claims N] [--seed N] [--json FILE]

A true claim compares a random expression with an equal rewriting of it, a false one with a copy in which one thing
was changed; whether the change shows is checked with `sympy` numbers at random points, not by `verify`. Some claims
go through LaTeX. Counted are false proofs and false refutations; there must be none.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import sympy as sp

from nsdgen.verify import Claim, Latex, decide

SYMBOLS = sp.symbols("x y z", real=True)
NAMES = {s.name: s for s in SYMBOLS}
_POINTS = 24


def expression(rng: Random, depth: int) -> sp.Expr:
    """A random expression of elementary functions, absolute values, signs and case distinctions."""
    if depth == 0:
        return rng.choice([*SYMBOLS, *SYMBOLS, sp.Integer(rng.randint(-3, 4)), sp.Rational(rng.randint(1, 5), 3)])
    a, b = (expression(rng, depth - 1 - (rng.random() < 0.3 and depth > 1)) for _ in range(2))
    makers: tuple[Callable[[], sp.Expr], ...] = (
        lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / (b**2 + 1), lambda: a**2, lambda: sp.sin(a),
        lambda: sp.cos(b), lambda: sp.sqrt(a**2 + 1), lambda: sp.Abs(a), lambda: sp.Max(a, b), lambda: sp.sign(b) * a,
        lambda: sp.Piecewise((a, b > 0), (b, True)), lambda: sp.Piecewise((a, (a > 0) | (b > 1)), (-b, True)),
        lambda: sp.exp(a / 4), lambda: sp.Heaviside(a, 0) * b, lambda: sp.atan(a), lambda: sp.Min(a, 1))
    return rng.choice(makers)()


def rewritten(e: sp.Expr, rng: Random) -> sp.Expr:
    """The same function written in another way."""
    one = rng.choice(SYMBOLS)
    ways: tuple[Callable[[], sp.Expr], ...] = (
        lambda: sp.expand(e), lambda: sp.factor(e), lambda: sp.together(e), lambda: e + one - sp.expand(one),
        lambda: e * (sp.sin(one)**2 + sp.cos(one)**2), lambda: (e * (one**2 + 1)) / (one**2 + 1),
        lambda: e.replace(sp.Abs, lambda a: sp.sqrt(a**2)), lambda: e.rewrite(sp.Piecewise),
        lambda: e.replace(sp.Max, lambda *a: -sp.Min(*(-v for v in a))), lambda: sp.expand_trig(e),
        lambda: sp.Piecewise((e, one > 0), (e, True), evaluate=False))
    return rng.choice(ways)()


def changed(e: sp.Expr, rng: Random) -> sp.Expr:
    """A copy in which one node was changed."""
    nodes = [n for n in sp.preorder_traversal(e) if isinstance(n, sp.Expr)]
    node = rng.choice(nodes)
    other = rng.choice([-node, node + 1, 2 * node, node * rng.choice(SYMBOLS), sp.S.Zero, rng.choice(SYMBOLS),
                        node + sp.Rational(1, 1000)])
    return e.xreplace({node: other})


def differ(a: sp.Expr, b: sp.Expr, rng: Random) -> bool | None:
    """Whether two expressions certainly differ at a random point; None where none of them could be evaluated."""
    seen = None
    for _ in range(_POINTS):
        point = {s: rng.choice([sp.Rational(rng.randint(-400, 400), 97), sp.Integer(rng.randint(-2, 2))])
                 for s in SYMBOLS}
        try:
            d = sp.N((a - b).xreplace(point), 30)
        except (TypeError, ValueError):  # a condition on a number that is not real
            continue
        if not d.is_Number or d.has(sp.nan, sp.zoo, sp.oo):
            continue
        if abs(d) > sp.Float("1e-15"):
            return True
        seen = False
    return seen


def one_claim(number: int, seed: int) -> tuple[str, str, Any, Any]:
    """What is true of a random claim ("true", "false"), the verdict, and both sides."""
    rng = Random(seed * 10**7 + number)
    left = expression(rng, rng.choice((1, 2, 2, 3)))
    right = rewritten(left, rng) if rng.random() < 0.5 else changed(left, rng)
    truth = differ(left, right, rng)
    hand: Any = right
    if rng.random() < 0.25 and not right.has(sp.Piecewise, sp.Heaviside, sp.sign, sp.Max, sp.Min):
        hand = Latex(sp.latex(right), NAMES)
    found = decide(Claim(str(number), left, hand), budget=5.0, repairs=False)
    return {True: "false", False: "true", None: "unknown"}[truth], found.verdict, left, right


def main() -> int:
    """Run the claims, print counts and every wrong verdict; the exit code is 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many seconds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    wrong = []
    start = time.monotonic()
    for number in range(options.claims):
        if time.monotonic() - start > options.seconds:
            break
        truth, verdict, left, right = one_claim(number, options.seed)
        counts[truth, verdict] += 1
        if (truth == "false" and verdict.startswith("proved")) or (truth == "true" and verdict == "refuted"):
            wrong.append((number, truth, verdict, str(left), str(right)))
            print(*wrong[-1], sep="\n    ", flush=True)
    for (truth, verdict), count in sorted(counts.items()):
        print(f"{truth:8} {verdict:14} {count}")
    print(f"{sum(counts.values())} claims, {len(wrong)} to look at, {time.monotonic() - start:.0f} s")
    if options.json:
        options.json.write_text(json.dumps({"counts": {" ".join(k): v for k, v in sorted(counts.items())},
                                            "wrong": wrong}, indent=1) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
