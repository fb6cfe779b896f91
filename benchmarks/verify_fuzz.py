"""A differential fuzzer of `nsdgen verify`: random claims that are true or false by construction.

    python benchmarks/verify_fuzz.py [--claims N] [--seconds S] [--seed N] [--state FILE] [--only NUMBER]

A true claim compares a random expression with an equal rewriting of it, a false one with a copy in which one thing
was changed; whether the change shows is checked with `sympy` numbers at random points, not by `verify`. Some claims
go through LaTeX. Counted are false proofs and false refutations; there must be none; false claims that are only
`consistent` are shown as `not seen`. A claim is its seed and its number: `--only` shows one again. With `--state` a
run that was stopped goes on where it was. Claims are made and decided in a process of their own; one that outruns its
limits is counted as `outrun`, and there must be none either.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import sympy as sp

from nsdgen.verify import Claim, Latex, decide
from nsdgen.verify.limits import Exceeded, limited, processor_time_of, with_memory_limit

SYMBOLS = sp.symbols("x y z", real=True)
NAMES = {s.name: s for s in SYMBOLS}
_POINTS = 24
_BUDGET = 5.0  # seconds of processor time for each claim
_MAKING = 10.0  # and for making it: some rewritings of SymPy do not end
_OUTRUN = 3 * _BUDGET + _MAKING + 5.0
_EVERY = 100  # claims between two lines of progress


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
    """Whether two expressions certainly differ at a random point or one of simple numbers, where the kinks are.

    None where they could be evaluated at none.
    """
    seen = None
    own = sorted(a.free_symbols | b.free_symbols, key=str)
    simple = [dict(zip(own, map(sp.Integer, values), strict=True)) for values in product((-1, 0, 1), repeat=len(own))]
    drawn = [{s: rng.choice([sp.Rational(rng.randint(-400, 400), 97), sp.Integer(rng.randint(-2, 2))])
              for s in SYMBOLS} for _ in range(_POINTS)]
    for point in (*drawn, *simple):
        try:
            d = sp.N((a - b).xreplace(point), 30)
        except (TypeError, ValueError):  # a condition on a number that is not real
            continue
        if not d.is_number or d.atoms(sp.Function, sp.Symbol) or d.has(sp.nan, sp.zoo, sp.oo):
            continue
        if abs(d) > sp.Float("1e-15"):
            return True
        seen = False
    return seen


def made(number: int, seed: int) -> tuple[str, Any, Any, Any]:
    """What is true of a random claim ("true", "false", "unknown"), its left side, its right side and its hand side."""
    rng = Random(seed * 10**7 + number)
    left = expression(rng, rng.choice((1, 2, 2, 3)))
    equal = rng.random() < 0.5
    right = rewritten(left, rng) if equal else changed(left, rng)
    unseen = "true" if equal else "unknown"  # a change may show only where no point was
    truth = {True: "false", False: unseen, None: "unknown"}[differ(left, right, rng)]
    hand: Any = right
    if rng.random() < 0.25 and not right.has(sp.Piecewise, sp.Heaviside, sp.sign, sp.Max, sp.Min):
        hand = Latex(sp.latex(right), NAMES)
    return truth, left, right, hand


def one_claim(number: int, seed: int) -> tuple[str, str, str, str]:
    """What is true of a random claim, the verdict, and both sides as texts."""
    try:
        with limited(_MAKING):
            truth, left, right, hand = made(number, seed)
    except (Exceeded, ArithmeticError, AttributeError, RecursionError, TypeError, ValueError):  # of SymPy
        return "not made", "", "", ""
    found = decide(Claim(str(number), left, hand), budget=_BUDGET, repairs=False)
    return truth, found.verdict, str(left), str(right)


def is_wrong(truth: str, verdict: str) -> bool:
    """Whether a verdict contradicts the truth, or whether there is none."""
    return ((truth == "false" and verdict.startswith("proved")) or (truth == "true" and verdict == "refuted")
            or truth == "outrun")


def _serve(connection: Any, seed: int) -> None:
    with_memory_limit()
    while (number := connection.recv()) is not None:
        connection.send(one_claim(number, seed))


def answers(first: int, last: int, seed: int) -> Iterator[tuple[int, tuple[str, str, str, str]]]:
    """The numbers of claims and what came of them; the process that decides is replaced where it outruns its limits."""
    context = multiprocessing.get_context("fork")
    child, ours = None, None
    for number in range(first, last):
        if child is None or ours is None:
            ours, theirs = context.Pipe()
            child = context.Process(target=_serve, args=(theirs, seed), daemon=True)
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
        if answer[0] == "outrun" or (number + 1) % 2000 == 0:  # a new process now and then: caches of SymPy grow
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
            print(f"{number + 1} of {options.claims} claims, {len(wrong)} to look at, "
                  f"{(number + 1 - first) / spent:.1f} claims/s", file=sys.stderr, flush=True)
        if last:
            break
    for kind, count in sorted(counts.items()):
        print(f"{kind:24} {count}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
