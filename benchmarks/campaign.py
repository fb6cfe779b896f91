"""Random one-step problems by the thousand: solved by whom, refused why, and never a wrong answer.

    python benchmarks/campaign.py [--problems 10000] [--type friction] [--seed 0] [--output FILE]

Problem k of a type is the same for a seed, whatever else runs. Every answer is judged by
``extended_residual.py``, in extended precision and natural units; above WRONG it counts as
wrong. Most problems have a solution by construction, so that a refusal is known to be one too many;
``without solution`` must be refused. One problem in EVERY is solved again after a change that
leaves it the same problem:

    units     matrix, offset and z in other units (powers of two)
    order     rows or contacts shuffled
    frames    tangents of contacts turned (and mirrored)
    merged    two independent problems in one matrix

Each must be solved again, to the same w where that is known to be unique; merging contacts must not
change w at all, unique or not. Exit status 1 on wrong answers, on w that changed though it must
not, and on solved impossible ones.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from extended_residual import violation
from random_problems import TYPES, Contact, RandomProblem, Rng, Vector, rescaled

WRONG = 1e-7  # ten times the tolerance of the solvers, for measures differ
SAME = 1e-6  # of the largest terms: two answers w are one
EVERY = 5


@dataclass
class Tally:
    """What became of the problems of one type."""

    name: str
    solved: int = 0
    solvers: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    too_many: list[int] = field(default_factory=list)
    wrong: list[tuple[int, float, str]] = field(default_factory=list)
    worst: float = 0.0
    changed: Counter[str] = field(default_factory=Counter)
    lost: list[tuple[int, str]] = field(default_factory=list)
    moved: list[tuple[int, str]] = field(default_factory=list)
    other: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0
    slowest: float = 0.0

    @property
    def faults(self) -> int:
        """Wrong answers, and those that a change moved though it must not."""
        return len(self.wrong) + len(self.moved)


# -- one problem ---------------------------------------------------------------------------------


def generator(name: str, seed: int, number: int) -> Rng:
    """The random numbers of one problem."""
    return np.random.default_rng([seed, zlib.crc32(name.encode()), number])


def attempt(problem: RandomProblem, tally: Tally, number: int) -> Vector | None:
    """z in the units of the problem, or None; everything is counted."""
    from nsdgen.errors import NsdgenError

    started = perf_counter()
    try:
        solution = problem.solve()
    except NsdgenError as error:
        solution, reason = None, str(getattr(error, "reason", "") or type(error).__name__)
    seconds = perf_counter() - started
    tally.seconds += seconds
    tally.slowest = max(tally.slowest, seconds)
    if solution is None:
        tally.refused[reason] += 1
        if problem.known is not None:
            tally.too_many.append(number)
        return None
    tally.solvers[solution.solver] += 1
    tally.solved += 1
    judge(problem, solution.z, tally, number, solution.solver)
    return np.asarray(solution.z)


def judge(problem: RandomProblem, z: Vector, tally: Tally, number: int, label: str) -> None:
    """Count z as wrong where it is."""
    off = violation(problem, z)
    tally.worst = max(tally.worst, off)
    if not off <= WRONG:
        tally.wrong.append((number, off, label))


# -- changes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A changed problem; ``back`` gives z of the problem before from its z. ``exact``: w stays in any case."""

    name: str
    problem: RandomProblem
    back: Callable[[Vector], Vector]
    exact: bool


def in_units(rng: Rng, problem: RandomProblem) -> Change:
    """M and q in units of their own."""
    row, column = np.exp2(rng.integers(-20, 21, 2)).astype(float)
    n = len(problem.q)
    changed = rescaled(problem, np.full(n, row), np.full(n, column))
    return Change("units", changed, lambda z: z * column, False)


def in_order(rng: Rng, problem: RandomProblem) -> Change:
    """Rows shuffled; contacts as a whole."""
    n = len(problem.q)
    groups = [contact.rows for contact in problem.contacts]
    taken = np.concatenate(groups) if groups else np.zeros(0, dtype=int)
    groups += [np.array([i]) for i in np.setdiff1d(np.arange(n), taken)]
    order = np.concatenate([groups[k] for k in rng.permutation(len(groups))])
    place = np.argsort(order)
    contacts = [replace(contact, rows=place[contact.rows]) for contact in problem.contacts]
    changed = replace(
        problem, M=problem.M[np.ix_(order, order)], q=problem.q[order], lower=problem.lower[order],
        upper=problem.upper[order], contacts=tuple(sorted(contacts, key=lambda contact: int(contact.rows[0]))),
        known=None if problem.known is None else problem.known[order], row_unit=problem.row_unit[order],
        column_unit=problem.column_unit[order],
    )  # fmt: skip
    return Change("order", changed, lambda z: z[place], False)


def in_frames(rng: Rng, problem: RandomProblem) -> Change:
    """Tangents turned by any angle, or mirrored."""
    n = len(problem.q)
    turn = np.eye(n)
    for contact in problem.contacts:
        for first in range(1, len(contact.rows), 2):
            rows = contact.rows[first : first + 2]
            turn[np.ix_(rows, rows)] = np.linalg.qr(rng.normal(size=(len(rows), len(rows))))[0]
    # Contacts share one unit among their rows, so that turning and units commute.
    known = None if problem.known is None else turn @ problem.known
    changed = replace(problem, M=turn @ problem.M @ turn.T, q=turn @ problem.q, known=known)
    return Change("frames", changed, lambda z: turn.T @ z, False)


def merged(rng: Rng, problem: RandomProblem, other: RandomProblem) -> Change:
    """Both in one matrix, ``other`` last; other units do not matter to contacts."""
    n, m = len(problem.q), len(other.q)
    M = np.zeros((n + m, n + m))
    M[:n, :n], M[n:, n:] = problem.M, other.M
    shifted = tuple(Contact(contact.rows + n, contact.mu, contact.mu_rolling) for contact in other.contacts)
    both = problem.known is not None and other.known is not None
    changed = replace(
        problem, M=M, contacts=problem.contacts + shifted,
        known=np.concatenate([problem.known, other.known]) if both else None,
        **{
            key: np.concatenate([getattr(problem, key), getattr(other, key)])
            for key in ("q", "lower", "upper", "row_unit", "column_unit")
        },
    )  # fmt: skip
    return Change("merged", changed, lambda z: z[:n], problem.kind == "friction")


def changes(rng: Rng, problem: RandomProblem, other: RandomProblem) -> list[Change]:
    """All changes that make sense for the problem."""
    result = [in_units(rng, problem), in_order(rng, problem)]
    if problem.contacts:
        result.append(in_frames(rng, problem))
    if [len(contact.rows) for contact in other.contacts[:1]] == [len(contact.rows) for contact in problem.contacts[:1]]:
        result.append(merged(rng, problem, other))
    return result


def compare(problem: RandomProblem, z: Vector, change: Change, tally: Tally, number: int) -> None:
    """Solve the changed problem and hold its answer against z."""
    from nsdgen.errors import NsdgenError

    tally.changed[change.name] += 1
    try:
        again = np.asarray(change.problem.solve().z)
    except NsdgenError:
        tally.lost.append((number, change.name))
        return
    judge(change.problem, again, tally, number, change.name)
    M, q, natural = problem.natural(z)
    one, two = M @ natural + q, M @ problem.natural(change.back(again))[2] + q
    terms = np.abs(M) @ np.abs(natural) + np.abs(q)
    # What is merged is solved to the rounding of the whole.
    other = change.problem.natural(again)
    largest = max(terms.max(initial=0.0), (np.abs(other[0]) @ np.abs(other[2]) + np.abs(other[1])).max(initial=0.0))
    if np.abs(one - two).max(initial=0.0) > SAME * largest:
        if change.exact or problem.motion:
            tally.moved.append((number, change.name))
        else:
            tally.other.append((number, change.name))


# -- one type ------------------------------------------------------------------------------------


def run(name: str, problems: int, seed: int) -> Tally:
    """Solve ``problems`` problems of one type, and every EVERYth one again after each change."""
    tally = Tally(name)
    for number in range(problems):
        rng = generator(name, seed, number)
        problem = TYPES[name](rng)
        z = attempt(problem, tally, number)
        if z is None or number % EVERY:
            continue
        other = TYPES[name](rng)
        mate = Tally(name)
        if attempt(other, mate, number) is None:
            other = problem
        for change in changes(rng, problem, other):
            compare(problem, z, change, tally, number)
    return tally


def lines(tally: Tally, problems: int) -> list[str]:
    """The report of one type."""
    shares = ", ".join(f"{who} {100.0 * k / max(tally.solved, 1):.2f} %" for who, k in tally.solvers.most_common())
    reasons = ", ".join(f"{why} {k}" for why, k in tally.refused.most_common())
    result = [
        f"{tally.name}: {tally.solved} of {problems} solved ({shares or '-'})",
        f"    refused {tally.refused.total()} ({reasons or '-'}), {len(tally.too_many)} of them known to be solvable; "
        f"wrong {len(tally.wrong)}; largest residual {tally.worst:.1e}; "
        f"{1e3 * tally.seconds / problems:.2f} ms a problem, slowest {1e3 * tally.slowest:.0f} ms",
        f"    changed and solved again {tally.changed.total()} "
        f"({', '.join(f'{how} {k}' for how, k in tally.changed.items())}): refused then {len(tally.lost)}, "
        f"another w where it must not change {len(tally.moved)}, another one of several answers {len(tally.other)}",
    ]
    named = (
        ("refused though solvable", tally.too_many), ("wrong", tally.wrong), ("refused after a change", tally.lost),
        ("another w", tally.moved),
    )  # fmt: skip
    for label, cases in named:
        if cases:
            result.append(f"    {label}: {', '.join(map(str, cases[:8]))}{' …' if len(cases) > 8 else ''}")
    return result


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Random one-step problems: solved, refused, wrong.")
    parser.add_argument("--problems", type=int, default=10_000, help="problems of each type (default 10000)")
    parser.add_argument("--type", default="", help="only types whose name contains this")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report here too, as it grows")
    options = parser.parse_args(argv)
    options.types = [name for name in TYPES if options.type in name]
    if not options.types:
        parser.error(f"no type contains {options.type!r}: choose from {', '.join(TYPES)}")
    return options


def main() -> int:
    """Run, print, and say by the exit status whether nothing was wrong or lost."""
    options = arguments()
    texts: list[str] = []

    def say(text: str) -> None:
        print(text, flush=True)
        texts.append(text)
        if options.output:
            options.output.write_text("\n".join(texts) + "\n", encoding="utf-8")

    tallies: list[Any] = []
    for name in options.types:
        tally = run(name, options.problems, options.seed)
        tallies.append(tally)
        say("\n".join(lines(tally, options.problems)))
    total = options.problems * len(tallies)
    impossible = sum(tally.solved for tally in tallies if "without solution" in tally.name)
    refused_then, moved = sum(len(t.lost) for t in tallies), sum(len(t.moved) for t in tallies)
    say(
        f"all: {sum(t.solved for t in tallies)} of {total} solved, "
        f"{sum(len(t.too_many) for t in tallies)} refused though solvable, "
        f"{sum(len(t.wrong) for t in tallies)} wrong, {impossible} solved that have no solution; "
        f"{sum(t.changed.total() for t in tallies)} changed problems, "
        f"{refused_then} refused then, {moved} with another w"
    )
    return 1 if impossible or any(tally.faults for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
