"""The ball, lifted back onto the floor in every step in which its contact is active."""

import nsdgen as nsd

from ..balls import ball, z

projected = nsd.MoreauJean(activation="hysteresis", projection=nsd.Projection(metric="identity"))
case = ball(
    "bouncing_ball_ts_direct_projection",
    nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(0.9)),
    projected,
    more={"p(0)[0]": "position_impulse", "lambda(0)[0]": "position_impulse"},
    rule="the contact stays active until it separates (activation='hysteresis')",
)
