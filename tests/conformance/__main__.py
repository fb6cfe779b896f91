"""``python -m tests.conformance FOLDER``: run every case of a folder against its published table.

FOLDER holds case folders, each with ``case.toml`` and ``reference.npz`` (``docs/explanation/conformance.md``). The exit
code is 1 where a model does not give its table, 2 where there is nothing to run; a case without a model file is no
failure.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from nsdgen.study.compiled_model import CompiledModel

from .case import Case, load_case
from .compare import compare, measure
from .given import Given, case_folders, read_given
from .outcome import Outcome, as_table, compared, notes
from .peer import Peer, no_peer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and say by the exit code whether all agree."""
    options = _parser().parse_args(arguments)
    try:
        folders = chosen(options.folder, options.only)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    peer = no_peer if options.no_peer else Peer.find()
    outcomes = []
    for folder in folders:
        outcome = run_case(folder, peer, options.rounds, options.traceback)
        print(f"{outcome.slug}: {outcome.verdict} {outcome.trouble}".rstrip(), file=sys.stderr, flush=True)
        outcomes.append(outcome)
    print(as_table(outcomes), end="\n\n")
    print(notes(outcomes))
    if options.columns:
        print(compared(outcomes))
    return int(any(outcome.failed for outcome in outcomes))


def chosen(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """The case folders that match; raises FileNotFoundError where a pattern matches none."""
    found = case_folders(folder)
    for pattern in patterns:
        if not any(fnmatch(path.name, pattern) for path in found):
            raise FileNotFoundError(f"no case of {folder} is called {pattern}")
    return [path for path in found if any(fnmatch(path.name, pattern) for pattern in patterns)]


def run_case(folder: Path, peer: Peer, rounds: int, with_traceback: bool) -> Outcome:
    """One case; whatever is raised on the way is its failure, so that the others are run, too."""
    try:
        case = load_case(folder.name)
        given = read_given(folder, case.table if case else "data")
        if case is None:
            return Outcome(given.slug, len(given.columns))
        compiled = case.model.compile()
        comparison = compare(given, case, compiled)
        without = compare(given, case, case.exact.compile()) if case.exact else None
        if not comparison.passed:
            return Outcome(given.slug, len(given.columns), comparison, rule=case.rule)
        speed = measure(given, case, compiled, rounds)
        return Outcome(
            given.slug,
            len(given.columns),
            comparison,
            speed,
            case.rule,
            without=without,
            peer=time_of(peer, given, case, compiled, rounds),
        )
    except Exception as error:
        if with_traceback:
            traceback.print_exc()
        return Outcome(folder.name, 0, trouble=f"{type(error).__name__}: {first_line(error)}")


def time_of(peer: Peer, given: Given, case: Case, compiled: CompiledModel, rounds: int) -> float | None:
    """The peer's time; what goes wrong there is said, and no failure of the case."""
    try:
        return peer.seconds_per_step(given, case, compiled, rounds)
    except Exception as error:
        print(f"{given.slug}: no time of the peer: {type(error).__name__}: {first_line(error)}", file=sys.stderr)
        return None


def first_line(error: Exception) -> str:
    """What an error says, on one line."""
    return (str(error).splitlines() or [""])[0]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="a folder of case folders")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="SLUG", help="these cases; * stands for any text")
    parser.add_argument("--rounds", type=int, default=5, help="runs of which the fastest counts (5)")
    parser.add_argument("--no-peer", action="store_true", help="do not time Siconos, even where it is installed")
    parser.add_argument("--columns", action="store_true", help="list the columns that were compared")
    parser.add_argument("--traceback", action="store_true", help="show where a case failed")
    return parser


if __name__ == "__main__":
    sys.exit(main())
