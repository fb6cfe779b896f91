"""A ball bounces and comes to rest."""

import nsdgen as nsd

from ..balls import ball, z

case = ball("bouncing_ball_ts", nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(0.9)), nsd.MoreauJean())
