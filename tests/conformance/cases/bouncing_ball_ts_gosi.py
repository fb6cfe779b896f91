"""The ball with friction in space; the two directions in which it could slide stay at rest."""

import nsdgen as nsd

from ..balls import ball, phi, y, z

law = nsd.NewtonImpactFriction(restitution=0.9, friction=0.6, tangential_restitution=0.9)
case = ball(
    "bouncing_ball_ts_gosi",
    nsd.Contact("floor", gap=z, tangent=[y, phi], law=law),
    nsd.MoreauJean(),
    impulse="impulse[0]",
)
