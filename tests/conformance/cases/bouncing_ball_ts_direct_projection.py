"""The ball, lifted back onto the floor in every step in which its contact is active."""

import nsdgen as nsd

from ..balls import ball, z

case = ball("bouncing_ball_ts_direct_projection", nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(0.9)),
            nsd.MoreauJean(projection=nsd.Projection(metric="identity")), tolerance=1e-12)
