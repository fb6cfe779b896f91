"""A differential fuzzer of `nsdgen verify`: random claims that are true or false by construction.

    python benchmarks/verify_fuzz.py [--claims N] [--seconds S] [--seed N] [--state FILE] [--only NUMBER]

A true claim compares a random expression with an equal rewriting of it, a false one with a copy in which one thing
was changed; whether the change shows is checked with floating point numbers at random points and confirmed with
`sympy` numbers, not by `verify`. A claim is an equality (some of matrices, some as `Zero`, some through LaTeX), one on
a half space, one about a derivative, an integral or what follows from an equation, or an inequality. Most are small.
Counted are false proofs and false refutations; there must be none; false claims that are only `consistent` are shown
as `not seen`. A claim is its seed and its number: `--only` shows one again. With `--state` a run that was stopped goes
on where it was. Claims are made and decided in a process of their own; one that outruns its limits is counted as
`outrun`, and there must be none either.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import math
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import sympy as sp

from nsdgen.verify import Claim, Equal, Implies, Inequality, IntegralEqual, Latex, Positive, Zero, decide
from nsdgen.verify.limits import Exceeded, limited, processor_time_of, with_memory_limit

SYMBOLS = X, Y, Z = sp.symbols("x y z", real=True)
T = sp.Symbol("t", real=True)
NAMES = {s.name: s for s in SYMBOLS}
_DEPTHS = (1,) * 66 + (2,) * 26 + (3,) * 7 + (4,)
_WAYS = 4
_POINTS = 24
_BUDGET = 0.8  # seconds of processor time for each claim
_MAKING = 3.0  # and for making it: some rewritings of SymPy do not end
_OUTRUN = 3 * _BUDGET + _MAKING + 5.0
_RECYCLED = 500  # claims after which a new process takes over: caches of SymPy grow
_WARM = 20
_EVERY = 100  # claims between two lines of progress

# ---- expressions


def expression(rng: Random, depth: int, smooth: bool = False) -> sp.Expr:
    """A random expression of elementary functions and, unless ``smooth``, of what has kinks, jumps and cases."""
    if depth == 0:
        return rng.choice([*SYMBOLS, *SYMBOLS, sp.Integer(rng.randint(-3, 4)), sp.Rational(rng.randint(1, 5), 3)])
    a, b = (expression(rng, depth - 1 - (rng.random() < 0.3 and depth > 1), smooth) for _ in range(2))
    makers: tuple[Callable[[], sp.Expr], ...] = (
        lambda: a + b,
        lambda: a - b,
        lambda: a * b,
        lambda: a / (b**2 + 1),
        lambda: a**2,
        lambda: sp.sin(a),
        lambda: sp.cos(b),
        lambda: sp.sqrt(a**2 + 1),
        lambda: sp.exp(a / 4),
        lambda: sp.atan(a),
        lambda: a**3 - b,
        lambda: sp.log(a**2 + 1),
        lambda: sp.tanh(b),
    )
    broken: tuple[Callable[[], sp.Expr], ...] = (
        lambda: sp.Abs(a),
        lambda: sp.Max(a, b),
        lambda: sp.sign(b) * a,
        lambda: sp.Min(a, 1),
        lambda: sp.Piecewise((a, b > 0), (b, True)),
        lambda: sp.Piecewise((a, (a > 0) | (b > 1)), (-b, True)),
        lambda: sp.Piecewise((b, (a >= 0) & (b < 2)), (a, sp.Ne(a, b)), (1, True)),
        lambda: sp.Heaviside(a, 0) * b,
        lambda: a / b,
        lambda: sp.floor(a),
        lambda: sp.tan(a),
        lambda: sp.sqrt(a),
    )
    return rng.choice(makers if smooth else makers + broken)()


def rewritten(e: sp.Expr, rng: Random) -> sp.Expr:
    """The same function written in another way."""
    one = rng.choice(SYMBOLS)
    ways: tuple[Callable[[], sp.Expr], ...] = (
        lambda: sp.expand(e),
        lambda: sp.factor(e),
        lambda: sp.together(e),
        lambda: e + one - sp.expand(one),
        lambda: e * (sp.sin(one) ** 2 + sp.cos(one) ** 2),
        lambda: (e * (one**2 + 1)) / (one**2 + 1),
        lambda: e.replace(sp.Abs, lambda a: sp.sqrt(a**2)),
        lambda: e.rewrite(sp.Piecewise),
        lambda: e.replace(sp.Max, lambda *a: -sp.Min(*(-v for v in a))),
        lambda: sp.expand_trig(e),
        lambda: sp.Piecewise((e, one > 0), (e, True), evaluate=False),
        lambda: sp.collect(sp.expand(e), one),
        lambda: e.replace(sp.tanh, lambda a: 1 - 2 / (sp.exp(2 * a) + 1)),
        lambda: e.replace(sp.floor, lambda a: -sp.ceiling(-a)),
        lambda: sp.Max(e, e - one**2),
        lambda: e.replace(sp.tan, lambda a: sp.sin(a) / sp.cos(a)),
    )
    return rng.choice(ways)()


def changed(e: sp.Expr, rng: Random) -> sp.Expr:
    """A copy in which one node was changed."""
    nodes = [n for n in sp.preorder_traversal(e) if isinstance(n, sp.Expr)]
    node = rng.choice(nodes)
    other = rng.choice(
        [
            -node,
            node + 1,
            2 * node,
            node * rng.choice(SYMBOLS),
            sp.S.Zero,
            rng.choice(SYMBOLS),
            node + sp.Rational(1, 1000),
        ]
    )
    return e.xreplace({node: other})


# ---- what is true, by numbers


_FLOATS: dict[type, Callable[..., Any]] = {
    sp.Add: lambda *a: math.fsum(a),
    sp.Mul: lambda *a: math.prod(a),
    sp.sin: math.sin,
    sp.cos: math.cos,
    sp.tan: math.tan,
    sp.exp: math.exp,
    sp.log: math.log,
    sp.atan: math.atan,
    sp.tanh: math.tanh,
    sp.cosh: math.cosh,
    sp.sinh: math.sinh,
    sp.Abs: abs,
    sp.sign: lambda a: (a > 0) - (a < 0),
    sp.Max: max,
    sp.Min: min,
    sp.floor: math.floor,
    sp.ceiling: math.ceil,
    sp.StrictGreaterThan: lambda a, b: a > b,
    sp.GreaterThan: lambda a, b: a >= b,
    sp.StrictLessThan: lambda a, b: a < b,
    sp.LessThan: lambda a, b: a <= b,
    sp.Eq: lambda a, b: a == b,
    sp.Ne: lambda a, b: a != b,
    sp.And: lambda *a: all(a),
    sp.Or: lambda *a: any(a),
    sp.Not: lambda a: not a,
    sp.ITE: lambda c, a, b: a if c else b,
    sp.Heaviside: lambda a, at_zero: at_zero if a == 0 else float(a > 0),
}


def floating(e: Any, point: dict[sp.Symbol, float]) -> Any:
    """The value in floating point. Raises ``ArithmeticError``, ``ValueError`` or ``KeyError`` where there is none."""
    if isinstance(e, sp.Symbol):
        return point[e]
    if isinstance(e, sp.Pow):
        base, exponent = floating(e.base, point), floating(e.exp, point)
        if base < 0 and not e.exp.is_integer:
            raise ValueError("no real power")
        return base ** (int(e.exp) if e.exp.is_Integer else exponent)
    if isinstance(e, sp.Piecewise):
        return floating(next(value for value, condition in e.args if floating(condition, point)), point)
    if not e.args:
        return bool(e) if e in (sp.true, sp.false) else float(e)
    return _FLOATS[e.func](*(floating(a, point) for a in e.args))


def points(rng: Random) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """Random points, and those of simple numbers, where the kinks are."""
    yield from (
        {s: rng.choice([sp.Rational(rng.randint(-400, 400), 97), sp.Integer(rng.randint(-2, 2))]) for s in SYMBOLS}
        for _ in range(_POINTS)
    )
    yield from (dict(zip(SYMBOLS, map(sp.Integer, values), strict=True)) for values in product((-1, 0, 1), repeat=3))


def exceeds(d: sp.Expr, point: dict[sp.Symbol, sp.Expr], above: bool) -> bool | None:
    """Whether a difference is certainly not 0 (``above``: greater than 0) at a point; None where it has no value."""
    try:
        number = sp.N(d.xreplace(point), 30)
    except (TypeError, ValueError):  # a condition on a number that is not real
        return None
    if not number.is_number or number.atoms(sp.Function, sp.Symbol) or not number.is_real:
        return None
    return bool((number if above else abs(number)) > sp.Float("1e-15"))


def differ(
    a: sp.Expr,
    b: sp.Expr,
    rng: Random,
    *,
    above: bool = False,
    admitted: Callable[[dict[sp.Symbol, sp.Expr]], bool] = lambda point: True,
) -> bool | None:
    """Whether two expressions certainly differ at an admitted point (``above``: whether a > b there).

    Floating point numbers find the point. None where they could be evaluated at none.
    """
    seen = None
    for point in points(rng):
        if not admitted(point):
            continue
        numbers = {s: float(v) for s, v in point.items()}
        try:
            left, right = floating(a, numbers), floating(b, numbers)
        except (ArithmeticError, TypeError, ValueError, StopIteration):
            continue
        seen = False if seen is None else seen
        far = left - right if above else abs(left - right)
        if far > 1e-9 * (1 + abs(left)) and exceeds(a - b, point, above):
            return True
    return seen


# ---- claims


@dataclass(frozen=True)
class Made:
    """A claim, what is true of it ("true", "false", "unknown"), and both sides."""

    claim: Claim
    truth: str
    left: Any
    right: Any


def _pair(rng: Random, smooth: bool = False) -> tuple[sp.Expr, sp.Expr, bool]:
    left = expression(rng, rng.choice(_DEPTHS), smooth)
    equal = rng.random() < 0.5
    return left, _other(left, equal, rng), equal


def _other(e: sp.Expr, equal: bool, rng: Random) -> sp.Expr:
    """Rewritten or changed; another way is tried where the one that was drawn leaves everything as it is."""
    found = e
    for _ in range(_WAYS):
        if found == e:
            found = rewritten(e, rng) if equal else changed(e, rng)
    return found


def _label(differs: bool | None, equal: bool) -> str:
    """What numbers and the construction say; a change may show only where no point was."""
    return {True: "false", False: "true" if equal else "unknown", None: "unknown"}[differs]


def equality(rng: Random, name: str) -> Made:
    """Two expressions, the second one in some claims through LaTeX, in some in a matrix, in some taken to zero."""
    left, right, equal = _pair(rng)
    truth = _label(differ(left, right, rng), equal)
    way = rng.random()
    if way < 0.25 and not right.has(sp.Piecewise, sp.Heaviside, sp.sign, sp.Max, sp.Min, sp.floor, sp.ceiling):
        return Made(Claim(name, left, Latex(sp.latex(right), NAMES)), truth, left, right)
    if way < 0.32:
        return Made(Claim(name, statements=[Zero(left - right)]), truth, left, right)
    if way < 0.42:
        other = expression(rng, 1)
        a, b = (sp.Matrix([[X, side], [other, 0]]) for side in (left, right))
        return Made(Claim(name, a, b), truth, a, b)
    return Made(Claim(name, left, right), truth, left, right)


def on_half_space(rng: Random, name: str) -> Made:
    """An equality where x > 0, with rewritings that need it."""
    left, right, equal = _pair(rng)
    if equal:
        right = right.replace(sp.Abs, lambda a: a if a == X else sp.Abs(a)).subs(sp.sign(X), 1)
    truth = _label(differ(left, right, rng, admitted=lambda p: p[X] > 0), equal)
    return Made(Claim(name, left, right, Positive(X)), truth, left, right)


def inequality(rng: Random, name: str) -> Made:
    """left <= right, the right side larger by a square, or changed."""
    left, right, equal = _pair(rng)
    right = right + expression(rng, 1) ** 2 if rng.random() < 0.7 else right
    truth = _label(differ(left, right, rng, above=True), equal)
    return Made(Claim(name, statements=[Inequality(left, "<=", right)]), truth, left, right)


def derivative(rng: Random, name: str) -> Made:
    """A derivative that SymPy has not carried out yet, and one written by hand."""
    of = expression(rng, rng.choice((1, 1, 2, 2, 3)), smooth=True)
    done = sp.diff(of, X)
    equal = rng.random() < 0.5
    right = _other(done, equal, rng)
    return Made(Claim(name, sp.Derivative(of, X), right), _label(differ(done, right, rng), equal), of, right)


def integral(rng: Random, name: str) -> Made:
    """The integral of a derivative from 0 to x."""
    antiderivative = expression(rng, rng.choice((1, 1, 2, 2, 3)), smooth=True)
    left, equal = antiderivative - antiderivative.subs(X, 0), rng.random() < 0.5
    slope = sp.diff(antiderivative, X)
    integrand = _other(slope, equal, rng)
    truth = _label(differ(slope, integrand, rng), equal)
    return Made(Claim(name, statements=[IntegralEqual(left, integrand.subs(X, T), T, 0, X)]), truth, left, integrand)


def implication(rng: Random, name: str) -> Made:
    """An equality on the graph y = g(x)."""
    left, right, equal = _pair(rng)
    graph = expression(rng, 1, smooth=True).subs({Y: Z})
    on = {Y: graph}
    truth = _label(differ(left.xreplace(on), right.xreplace(on), rng), equal)
    if truth == "false" and not equal:
        right = right.xreplace(on) if rng.random() < 0.3 else right
    return Made(Claim(name, statements=[Implies(Equal(Y, graph), Equal(left, right))]), truth, left, right)


_KINDS = (
    (equality,) * 60 + (on_half_space,) * 15 + (derivative,) * 15 + (inequality,) * 5 + (implication,) * 4 + (integral,)
)  # the last ones are the dear ones


def made(number: int, seed: int) -> Made:
    """The claim of a number."""
    rng = Random(seed * 10**7 + number)
    return rng.choice(_KINDS)(rng, str(number))


def one_claim(number: int, seed: int) -> tuple[str, str, str, str]:
    """What is true of a random claim, the verdict, and both sides as texts."""
    try:
        with limited(_MAKING):
            one = made(number, seed)
    except (Exceeded, ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):  # of SymPy
        return "not made", "", "", ""
    found = decide(one.claim, budget=_BUDGET, repairs=False)
    return one.truth, found.verdict, str(one.left), str(one.right)


def is_wrong(truth: str, verdict: str) -> bool:
    """Whether a verdict contradicts the truth, or whether there is none."""
    return (
        (truth == "false" and verdict.startswith("proved"))
        or (truth == "true" and verdict == "refuted")
        or truth == "outrun"
    )


def _serve(connection: Any, theirs: Any, seed: int) -> None:
    """The child: decide the claims whose numbers come, until nothing comes or nobody is there any more."""
    theirs.close()
    with_memory_limit()
    gc.set_threshold(50_000, 20, 50)
    with contextlib.suppress(EOFError):
        while (number := connection.recv()) is not None:
            connection.send(one_claim(number, seed))


def answers(first: int, last: int, seed: int) -> Iterator[tuple[int, tuple[str, str, str, str]]]:
    """The numbers of claims and what came of them; the process that decides is replaced where it outruns its limits."""
    for number in range(first, first + _WARM):  # what is imported and cached here need not be in every process
        one_claim(number, seed)
    gc.freeze()
    context = multiprocessing.get_context("fork")
    child, ours = None, None
    for number in range(first, last):
        if child is None or ours is None:
            ours, theirs = context.Pipe()
            child = context.Process(target=_serve, args=(theirs, ours, seed), daemon=True)
            child.start()
            theirs.close()
        since = processor_time_of(child.pid or 0)
        ours.send(number)
        answer = ("outrun", "", "", "")
        try:
            while not (ready := ours.poll(1.0)) and processor_time_of(child.pid or 0) - since < _OUTRUN:
                pass
            if ready:
                answer = ours.recv()
        except (EOFError, OSError):
            pass
        if answer[0] == "outrun" or (number + 1) % _RECYCLED == 0:
            child.kill()
            child.join()
            child = None
        yield number, answer
    if child is not None and ours is not None:
        ours.send(None)
        child.join()


def main() -> int:
    """Run the claims, print counts and every wrong verdict; the exit code is 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many seconds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path, help="where counts are kept; a run goes on from there")
    parser.add_argument("--only", type=int, help="decide this claim alone and show it")
    options = parser.parse_args()
    if options.only is not None:
        print(*one_claim(options.only, options.seed), sep="\n")
        return 0
    state = {"seed": options.seed, "next": 0, "counts": {}, "wrong": []}
    if options.state and options.state.exists():
        state = json.loads(options.state.read_text(encoding="utf-8"))
        if state["seed"] != options.seed:
            parser.error(f"{options.state} is of seed {state['seed']}")
    counts, wrong = Counter(state["counts"]), state["wrong"]
    start, first = time.monotonic(), state["next"]
    for number, (truth, verdict, left, right) in answers(first, options.claims, options.seed):
        counts[f"{truth} {verdict}"] += 1
        if is_wrong(truth, verdict):
            wrong.append((number, truth, verdict, left, right))
            print(*wrong[-1], sep="\n    ", flush=True)
        elif (truth, verdict) == ("false", "consistent"):  # not wrong, but a change that no point of `verify` showed
            print(number, "not seen:", left, right, sep="\n    ", flush=True)
        spent = time.monotonic() - start
        last = number + 1 == options.claims or spent > options.seconds
        if last or (number + 1) % _EVERY == 0:
            state = {"seed": options.seed, "next": number + 1, "counts": dict(sorted(counts.items())), "wrong": wrong}
            if options.state:
                options.state.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
            print(
                f"{number + 1} of {options.claims} claims, {len(wrong)} to look at, "
                f"{(number + 1 - first) / spent:.1f} claims/s",
                file=sys.stderr,
                flush=True,
            )
        if last:
            break
    for kind, count in sorted(counts.items()):
        print(f"{kind:24} {count}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
