"""A ball bounces, event by event, until just before its impacts accumulate."""

from ..event_balls import BOTH, event_ball

case = event_ball(
    "bouncing_ball_ed",
    0.9,
    BOTH,
    tolerance=1e-10,
    rule=(
        "the times of impact are those of the closed form to 5e-14 s; those of the table are off by up to 4.7e-12 s, "
        "which its integrator's roots add up to, and its velocities by 9.81 m/s^2 times that"
    ),
)
