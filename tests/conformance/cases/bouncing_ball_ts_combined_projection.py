"""The ball, brought onto the floor from both sides in every step that ends with its contact closed."""

import nsdgen as nsd

from ..balls import ball, z

held = nsd.MoreauJean(projection=nsd.Projection(method="combined", contacts="held", metric="identity", tolerance=1e-10))
case = ball(
    "bouncing_ball_ts_combined_projection",
    nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(0.9)),
    held,
    more={"p(0)[0]": "position_impulse", "lambda(0)[0]": "position_impulse"},
    tolerance=2e-10,
    rule="steps are made again with what is closed at their end, and contacts held at zero (method='combined', "
    "contacts='held'); the table leaves gaps below 1e-10",
)
