"""``nsdgen verify``: the claims of a file or a package folder, decided and reported.

The exit code is 0 when everything holds as claimed and 4 when a claim is refuted or undecided; with
``--expect`` it is 0 when the verdicts are those of an earlier file, and 4 when one differs. With ``--plugin`` the
claims are made from the functions of a shared library and the derived operators of a model.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from nsdgen.base.whole_file import whole_file
from nsdgen.errors import ModelError, ParameterError

if TYPE_CHECKING:
    from nsdgen.verify.claim import Claim
    from nsdgen.verify.verdict import Verdict

_REFUTED = 4  # an exit code of its own: 1 to 3 are errors, usage and failed runs
_BUDGET, _JOBS = 30.0, 2  # seconds for a claim; processes: most machines have two cores to spare
_EVERY = 2.0  # seconds between two writings of what is decided so far


def execute(options: argparse.Namespace) -> int:
    """Decide the claims and print what was found."""
    from nsdgen.verify.campaign import decide_all
    from nsdgen.verify.report.tally import summary
    from nsdgen.verify.report.terminal_text import table
    from nsdgen.verify.report.verdict_list import as_json, as_list, differences, found, read_list

    expected = read_list(options.expect) if options.expect else None
    start = time.monotonic()
    with _claims(options) as (stated, unmatched):
        claims = _chosen(stated, options.ids)
        verdicts = decide_all(
            claims,
            options.jobs or _JOBS,
            options.budget or _BUDGET,
            seed=options.seed or 0,
            progress=_VerdictProgress(start, claims, options.json),
        )
        if sys.stderr.isatty():
            print(file=sys.stderr)
        if options.json:
            _write(options.json, as_json(verdicts))
        if options.verdicts:
            _write(options.verdicts, as_list(verdicts))
        if options.html:
            from nsdgen.verify.report.page import as_page

            _write(options.html, as_page(claims, verdicts, title=f"Verification of {options.claims.name}"))
        if options.markdown:
            from nsdgen.verify.report.markdown import as_markdown

            _write(options.markdown, as_markdown(verdicts, title=f"Verification of {options.claims.name}"))
    shown = [v for v in verdicts if options.only is None or v.verdict == options.only]
    if not options.quiet:
        print(
            table(shown, time.monotonic() - start)
            if options.only is None
            else f"{table(shown)}\nof all: {summary(verdicts, time.monotonic() - start)}"
        )
        if unmatched:
            print(f"{len(unmatched)} functions match no operator and were not decided: {', '.join(unmatched)}")
    if expected is not None:
        now = found(verdicts)
        differing = differences(now, {id: f for id, f in expected.items() if not options.ids or id in now})
        for line in differing:
            print(f"not as expected: {line}", file=sys.stderr)
        return _REFUTED if differing else 0
    if unmatched and options.every_function:
        return _REFUTED
    return 0 if all(_holds(v) and (v.certified or not options.certified) for v in verdicts) else _REFUTED


def _write(path: Path, report: str) -> None:
    with whole_file(path) as file:
        file.write(report.encode())


@contextmanager
def _claims(options: argparse.Namespace) -> Iterator[tuple[list[Claim], list[str]]]:
    """The claims of the file, or with ``--plugin`` those that its functions and a model amount to.

    With them the functions that match nothing.
    """
    from nsdgen.cli.load import executed, guarded, load_model
    from nsdgen.cli.target import parse_target

    target = parse_target(str(options.claims))
    if options.plugin is None:
        if options.header:
            raise ParameterError(
                "there is no plugin that a header could belong to",
                where="--header",
                fix="add --plugin LIB.so, and give a model file in the place of the claims",
            )
        path, what = target.path.resolve(), "the file of claims"
        with executed(path, what) as (module, _):
            with guarded(path, what):
                stated = _checked(module, str(path))
            yield stated, []
        return
    from nsdgen.verify.discovery.matching import discover

    model, _ = load_model(target.path, target.name)
    matches = discover(options.plugin, model, options.header or ())
    if not options.quiet:
        print(f"{options.plugin.name} exports {len(matches)} functions, model {model.name}:")
        print("\n".join(f"  {match.line()}" for match in matches), end="\n\n", flush=True)
    known = [match for match in matches if match.operator is not None]
    yield [m.claim(options.plugin, model.start) for m in known], [m.function for m in matches if m.operator is None]


def _holds(verdict: Verdict) -> bool:
    """Whether nothing speaks against a claim; of an ambiguous one, against no reading."""
    return all(map(_holds, verdict.readings)) if verdict.readings else verdict.ok


class _VerdictProgress:
    """What is known so far: records in their file, and a line on the terminal that is written over."""

    def __init__(self, start: float, claims: Sequence[Claim], records: Path | None) -> None:
        self.start, self.records = start, records
        self._order = {c.id: k for k, c in enumerate(claims)}
        self._found: list[Verdict] = []
        self._written = start

    def __call__(self, done: int, total: int, verdict: Verdict) -> None:
        self._found.append(verdict)
        if self.records is not None and time.monotonic() - self._written > _EVERY:
            from nsdgen.verify.report.verdict_list import as_json

            _write(self.records, as_json(sorted(self._found, key=lambda v: self._order.get(v.id, 0))))
            self._written = time.monotonic()
        if not sys.stderr.isatty():
            return
        elapsed = time.monotonic() - self.start
        rate = done / elapsed if elapsed else 0.0
        print(
            f"\r\x1b[K{done} of {total} claims  {rate:.1f} per second  {elapsed:.0f} s  {verdict.id}"[:100],
            end="",
            file=sys.stderr,
            flush=True,
        )


def _chosen(claims: Sequence[Claim], ids: Sequence[str]) -> list[Claim]:
    """The claims with these ids, or whose ids begin with one and a ``-`` or ``/``; all without ids."""
    if not ids:
        return list(claims)
    chosen = [c for c in claims if any(c.id == i or c.id.startswith((f"{i}-", f"{i}/")) for i in ids)]
    for wanted in ids:
        if not any(c.id == wanted or c.id.startswith((f"{wanted}-", f"{wanted}/")) for c in claims):
            near = ", ".join(c.id for c in claims[:8])
            raise ParameterError(f"there is no claim {wanted!r}", where="ids", fix=f"the file has {near}, ...")
    return chosen


def _checked(module: ModuleType, source: str) -> list[Any]:
    """The claims of a module. Raises ``ModelError`` where there are none, and where two have one id."""
    from nsdgen.verify.claim import Claim

    given = getattr(module, "claims", None)
    given = given() if callable(given) else given
    if not isinstance(given, Iterable):
        raise ModelError(
            "the file defines no claims",
            where=source,
            fix="define claims = [Claim(...), ...] or a function claims() that returns them",
        )
    found = list(given)
    if not found:
        raise ModelError(
            "the list of claims is empty",
            where=source,
            fix="state at least one claim: a run that decides nothing proves nothing",
        )
    for claim in found:
        if not isinstance(claim, Claim):
            raise ModelError(f"{claim!r} is no Claim", where=source, fix="use nsdgen.verify.Claim(id, left, right)")
    ids = [c.id for c in found]
    if doubled := [i for k, i in enumerate(ids) if i in ids[:k]]:
        raise ModelError(f"two claims are called {doubled[0]!r}", where=source, fix="give each its own id")
    return found
