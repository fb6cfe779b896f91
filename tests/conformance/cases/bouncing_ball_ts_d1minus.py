"""The ball by the half-explicit scheme: impulses at impacts, forces at rest."""

import nsdgen as nsd

from ..balls import ball, z

contact = nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(0.9))
case = ball(
    "bouncing_ball_ts_d1minus",
    contact,
    nsd.D1Minus(rest="bounces"),
    step=5e-4,
    more={"p(2)[0]": "force_left", "lambda(2)[0]": "force_left"},
    rule="hops shorter than a step go on (rest='bounces')",
)
