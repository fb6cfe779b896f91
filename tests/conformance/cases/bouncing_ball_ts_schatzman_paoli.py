"""The ball by a two-step scheme on positions."""

import nsdgen as nsd

from ..balls import ball, z

contact = nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(0.9))
case = ball(
    "bouncing_ball_ts_schatzman_paoli",
    contact,
    nsd.SchatzmanPaoli(start="first_order"),
    more={"p(0)[0]": "impulse", "lambda(0)[0]": "impulse"},
    until=6.5,
    tolerance=1e-9,
    rule="the first step loses half of its fall (start='first_order'); to 6.5 s, where impacts accumulate",
)
