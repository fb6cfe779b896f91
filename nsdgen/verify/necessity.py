"""Which assumptions a proof needs: each is dropped in turn, and what is needed is shown by a point."""

from collections.abc import Callable, Sequence
from typing import Any

from nsdgen.verify.assumption import Assumption
from nsdgen.verify.assumptions import IndexRange, Invertible
from nsdgen.verify.outcome import Outcome, joined
from nsdgen.verify.quantities import Hidden, substituted
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.statement import Fails
from nsdgen.verify.verdict import Counterexample, Verdict

Judges = Callable[[Sequence[Any], Setting, Deadline], list[Outcome]]
"""The outcomes of statements under a smaller setting."""


def counterexample_of(outcomes: Sequence[Outcome], without: str = "") -> Counterexample | None:
    """The first counterexample with the fewest digits."""
    found = [
        (sum(len(v) + (v != "0") for _, v in d.point), k, d)
        for k, o in enumerate(outcomes)
        for d in o.entries
        if d.status == "refuted" and (d.point or d.values != ("", ""))
    ]
    if not found:
        return None
    _, k, d = min(found, key=lambda f: f[:2])
    return Counterexample(d.point, *d.values, d.row, d.column, k + 1, without)


def necessary(
    verdict: Verdict,
    statements: Sequence[Any],
    setting: Setting,
    outcomes: Sequence[Outcome],
    deadline: Deadline,
    judged: Judges,
) -> Verdict:
    """The verdict of a proof with the assumptions it needs; those it does not need are left out.

    What symbols say of themselves is dropped first, all of it at once where that is possible.
    """
    if hidden := [a for a in setting.assumptions if isinstance(a, Hidden)]:
        said, smaller = _without(hidden, statements, setting)
        if joined(judged(said, smaller, deadline.share(0.4))).status == "proved":
            statements, setting = said, smaller
    needed: list[Counterexample] = []
    unsure: list[str] = []
    index = 0
    while index < len(setting.assumptions):
        dropped = setting.assumptions[index]
        index += 1
        if isinstance(dropped, IndexRange):
            continue
        said, smaller = _without([dropped], statements, setting)
        without = judged(said, smaller, deadline.share(0.3))
        status = joined(without).status
        if status == "refuted" and (shown := counterexample_of(without, dropped.text)) is not None:
            needed.append(shown)
        elif status == "proved" and not isinstance(dropped, Invertible):
            statements, setting, index = said, smaller, index - 1
        elif not isinstance(dropped, Invertible):
            unsure.append(dropped.text)
    if needed:
        verdict = verdict.but(verdict="proved under", counterexample=needed[0], necessity=tuple(needed))
    if unsure:
        told = f"not shown to be necessary: {', '.join(unsure)}"
        verdict = verdict.but(reason="; ".join(filter(None, (verdict.reason, told))))
    failures = [o for s, o in zip(statements, outcomes, strict=True) if isinstance(s, Fails) and o.entries]
    if failures and verdict.counterexample is None:
        d = failures[0].entries[0]
        verdict = verdict.but(counterexample=Counterexample(d.point, *d.values, d.row, d.column))
    return verdict.but(assumptions=setting.texts)


def _without(
    dropped: Sequence[Assumption], statements: Sequence[Any], setting: Setting
) -> tuple[Sequence[Any], Setting]:
    """The statements and the setting without some assumptions; what symbols say of themselves is in all of them."""
    change = {a.symbol: a.plain for a in dropped if isinstance(a, Hidden)}
    kept = tuple(a for a in setting.assumptions if a not in dropped)
    if change:
        statements, kept = substituted(tuple(statements), change), substituted(kept, change)
    return statements, Setting(kept, setting.seed)
