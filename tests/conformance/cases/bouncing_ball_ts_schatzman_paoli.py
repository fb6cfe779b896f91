"""The ball by the two-step scheme on positions that is written, outside the library, in tests/extend."""

import nsdgen as nsd

from ...extend.schatzman_paoli import SchatzmanPaoli
from ..balls import ball, z

contact = nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(0.9))
case = ball("bouncing_ball_ts_schatzman_paoli", contact, SchatzmanPaoli(), until=6.5, tolerance=1e-9,
            more={"p(0)[0]": "impulse", "lambda(0)[0]": "impulse"},
            rule="a user's scheme (tests/extend); to 6.5 s, where impacts accumulate and rounding decides")
