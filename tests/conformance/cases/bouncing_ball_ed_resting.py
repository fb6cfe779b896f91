"""A ball falls onto the floor and stays there, event by event."""

from ..event_balls import event_ball

case = event_ball("bouncing_ball_ed_resting", 0.0, {"p(1)[0]": "impulse", "p(2)[0]": "force"})
