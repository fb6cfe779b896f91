"""Instants of events, and the schemes that find them or step over them."""

from __future__ import annotations

import numpy as np

import nsdgen as nsd

SCHEMES = {"events": nsd.EventDriven, "steps": nsd.ThetaGamma, "exponentials": nsd.ZeroOrderHold}


def times(run: nsd.Trajectory, name: str) -> np.ndarray:
    """Of the events of one name."""
    return np.array([event.time for event in run.events if event.name == name])
