"""A ball that hits the floor at t = 0 bounces, event by event, and comes to rest."""

from ..event_balls import BOTH, event_ball

case = event_ball(
    "bouncing_ball_ed_initial_impact",
    0.9,
    BOTH,
    height=0.0,
    rate=-1.0,
    unmatched=168,
    tolerance=2e-9,
    rule=(
        "impacts end at the limit of their sequence, which is that of the closed form to 1e-13 s; "
        "the last 84 events of the table are behind the last one that is computed, and its times drift to 1.4e-6 s"
    ),
)
