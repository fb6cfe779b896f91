"""A ball that hits the floor at t = 0 bounces, event by event, and comes to rest."""

from ..event_balls import BOTH, event_ball

case = event_ball(
    "bouncing_ball_ed_initial_impact",
    0.9,
    BOTH,
    height=0.0,
    rate=-1.0,
    unmatched=120,
    tolerance=2e-9,
    rule=(
        "the times of impact are those of the closed form to 1.3e-12 s; those of the table drift from it, to 6.8e-7 s "
        "where impacts accumulate: 60 of its last events before rest, with velocities below 2e-4 m/s, differ"
    ),
)
