"""Attacks on the solvers: problems known to be hard, in families, and what became of each.

    python benchmarks/attack.py [--problems 5100] [--large 20] [--family NAME] [--seed 0] [--output FILE]

Problem k of a family is the same for a seed, whatever else runs. Each is solved by a public function in a
process of its own making (``attacks/worker.py``), which is killed after LIMIT seconds, and judged by
``judge.py``, law by law in extended precision. In the table:

    wrong    judged to be off by more than WRONG; or solved though it has no solution
    false    "infeasible" or "inconsistent" where a solution exists: a proof of what is not so
    raw      an exception that is no error of nsdgen, or a process that died
    hang     no end within LIMIT seconds
    known    refused for another reason though a solution is known to exist

Exit status 1 where one of the first four is not zero.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from attacks.worker import FAMILIES, Outcome, Worker, tried

LIMIT = 60.0
WRONG = 1e-7
PROOFS = ("infeasible", "inconsistent")
NAMED = 6
# Of --problems, for families that take long: structures of bodies, and refusals, which come after everything was tried.
SHARE = {"mass ratios": 0.02, "closing jaws": 0.1, "no solution, far units": 0.1, "card houses": 0.2}
SHARE |= dict.fromkeys(("masonry arches", "jammed chains", "wedges", "Painlevé rods", "redundant equalities"), 0.5)


@dataclass
class Tally:
    """What became of the problems of one family; ``faults`` and ``known`` name them."""

    name: str
    problems: int = 0
    solved: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    worst: float = 0.0
    seconds: list[float] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """All that must not be."""
        return len(self.wrong) + len(self.false) + len(self.raw) + len(self.hangs)

    def add(self, number: int, outcome: Outcome) -> None:
        """Count one outcome."""
        self.problems += 1
        self.seconds.append(outcome.seconds)
        if outcome.raw:
            self.raw.append(f"{number} ({outcome.raw})")
        elif outcome.hang:
            self.hangs.append(str(number))
        elif outcome.reason:
            self.refused[outcome.reason] += 1
            if outcome.solvable:
                (self.false if outcome.reason in PROOFS else self.known).append(f"{number} ({outcome.reason})")
        else:
            self.solved += 1
            self.worst = max(self.worst, outcome.off)
            if outcome.solvable is False or not outcome.off <= WRONG:
                self.wrong.append(f"{number} ({outcome.off:.1e}, {outcome.law}, {outcome.solver})")

    def row(self) -> str:
        """One line of the table."""
        reasons = ", ".join(f"{why} {count}" for why, count in self.refused.most_common()) or "-"
        times = sorted(self.seconds) or [0.0]
        return (
            f"| {self.name} | {self.problems} | {self.solved} | {reasons} | {len(self.known)} | {len(self.wrong)} | "
            f"{len(self.false)} | {len(self.raw)} | {len(self.hangs)} | {self.worst:.0e} | "
            f"{1e6 * median(times):.0f} | {1e3 * times[-1]:.0f} |"
        )

    def cases(self) -> list[str]:
        """The problems to look at."""
        kinds = {"wrong": self.wrong, "false proofs": self.false, "raw": self.raw, "hangs": self.hangs,
                 "refused though solvable": self.known}  # fmt: skip
        return [
            f"{self.name}: {kind}: {', '.join(cases[:NAMED])}{' …' if len(cases) > NAMED else ''}"
            for kind, cases in kinds.items() if cases
        ]  # fmt: skip


HEAD = (
    "| family | problems | solved | refused | of them known | wrong | false | raw | hang | worst | µs median "
    "| ms slowest |\n"
    "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|"
)


def campaign(
    names: Iterable[str], problems: int, seed: int, large: bool = False,
    attempt: Callable[[str, int, int, bool], Outcome] = tried,
) -> Iterator[Tally]:  # fmt: skip
    """``problems`` problems of each family, by default in this process and without a limit of time."""
    for name in names:
        tally = Tally(name + (", large" if large else ""))
        for number in range(problems if large else math.ceil(problems * SHARE.get(name, 1.0))):
            tally.add(number, attempt(name, seed, number, large))
        yield tally


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Families of hard problems: solved, refused, wrong.")
    parser.add_argument("--problems", type=int, default=5100, help="small ones a family (default 5100), costly: fewer")
    parser.add_argument("--large", type=int, default=20, help="large problems of each family (default 20)")
    parser.add_argument("--family", default="", help="only families whose name contains this")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report here too, as it grows")
    options = parser.parse_args(argv)
    options.names = [name for name in FAMILIES if options.family in name]
    if not options.names:
        parser.error(f"no family contains {options.family!r}: choose from {', '.join(FAMILIES)}")
    return options


def main() -> int:
    """Run, print, and say by the exit status whether there were faults."""
    options = arguments()
    tallies: list[Tally] = []

    def report(text: str) -> None:
        print(text, flush=True)
        if options.output:
            with options.output.open("a", encoding="utf-8") as file:
                file.write(text + "\n")

    report(HEAD)
    with Worker(LIMIT) as worker:
        for problems, large in ((options.problems, False), (options.large, True)):
            for tally in campaign(options.names, problems, options.seed, large, worker.attempt):
                if problems:
                    report(tally.row())
                tallies.append(tally)
    for tally in tallies:
        for line in tally.cases():
            report(line)
    report(
        f"all: {sum(t.problems for t in tallies)} problems, {sum(t.solved for t in tallies)} solved, "
        f"{sum(t.refused.total() for t in tallies)} refused, {sum(len(t.known) for t in tallies)} of them solvable; "
        f"wrong {sum(len(t.wrong) for t in tallies)}, false proofs {sum(len(t.false) for t in tallies)}, "
        f"raw {sum(len(t.raw) for t in tallies)}, hangs {sum(len(t.hangs) for t in tallies)}"
    )
    return 1 if any(tally.faults for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
