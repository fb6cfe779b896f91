"""Integrals: the fundamental theorem of calculus, where its conditions hold.

left(u) = integral from a to u follows from left' = integrand and left(a) = 0 only if left is continuous between a
and u, which a certificate shows as well: no part has a pole or jumps there.
"""

from collections.abc import Callable
from typing import Any

import sympy as sp

from nsdgen.verify.certificate.making import proofs_of
from nsdgen.verify.outcome import Outcome, joined
from nsdgen.verify.premises import paired
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import build
from nsdgen.verify.statement import IntegralEqual

_THEOREM = "fundamental theorem of calculus"


def judge_integral(
    s: IntegralEqual, equate: Callable[[Any, Any], Outcome], setting: Setting, deadline: Deadline
) -> Outcome:
    """The outcome; ``equate`` decides equalities."""
    left, integrand = paired(build(s.left), build(s.integrand), "the left side is {}, the integrand {}")
    if s.variable != s.upper and (integrand.has(s.upper) or s.lower.has(s.upper)):
        reason = f"the integrand or the lower bound depends on the upper bound {s.upper}: "
        reason += "give it another name there, and state the identity in both"
        return Outcome("undecided", "none", reason)
    if proofs := proofs_of(s, setting, deadline.share(0.6)):
        return Outcome("proved", f"certificate, {_THEOREM}", left=left, right=integrand, proofs=proofs)
    rate = equate(sp.diff(left, s.upper), integrand.subs(s.variable, s.upper))
    start = equate(left.subs(s.upper, s.lower), sp.S.Zero)
    found = joined([rate, start])
    if found.status in ("proved", "consistent"):
        reason = f"the derivatives agree, but {left} may jump or have a pole between {s.lower} and {s.upper}: "
        reason += "state on which side of it the bounds lie"
        return found.but(status="undecided", entries=(), reason=reason)
    return found.but(method=f"{found.method}, {_THEOREM}")
