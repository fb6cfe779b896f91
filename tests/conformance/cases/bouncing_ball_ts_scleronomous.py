"""A ball above an inclined floor."""

import nsdgen as nsd

from ..balls import ball, y, z

case = ball(
    "bouncing_ball_ts_scleronomous",
    nsd.Contact("floor", gap=z + y / 10, law=nsd.NewtonImpact(0.9)),
    nsd.MoreauJean(activation_gamma=1.5),
    gravity=10,
    step=0.025,
    more={"q[1]": "y", "v[1]": "y_dot"},
    rule="the gap is predicted over one step and a half (activation_gamma=1.5)",
)
