"""Counts of verdicts, in all and per family of claims, and what the reports in text say alike."""

from collections import Counter
from collections.abc import Iterable, Sequence

from nsdgen.base.counted import counted
from nsdgen.verify.verdict import VERDICTS, Verdict


def counts(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many there are of each verdict that occurs, in the order of ``VERDICTS``."""
    found = Counter(v.verdict for v in verdicts)
    return {name: found[name] for name in VERDICTS if found[name]}


def families(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """The verdicts of each family, in the order they appear.

    The family of a claim is its id up to the last ``/``, else up to the first ``-``, else the whole id.
    """
    found: dict[str, list[Verdict]] = {}
    for v in verdicts:
        found.setdefault(v.id.rpartition("/")[0] or v.id.partition("-")[0], []).append(v)
    return found


def summary(verdicts: Sequence[Verdict], seconds: float | None = None) -> str:
    """One line: ``12 claims: 9 proved, 1 consistent, 2 refuted in 3.2 s``."""
    parts = ", ".join(f"{n} {name}" for name, n in counts(verdicts).items())
    number = counted(len(verdicts), "claim")
    return f"{number}: {parts or 'nothing to decide'}" + (f" in {seconds:.1f} s" if seconds is not None else "")


def cut_to(text: str, most: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else text[: most - 3] + "..."
