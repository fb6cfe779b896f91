"""The follower from event to event: what ``nsdgen study`` takes."""

import sys
from pathlib import Path

import nsdgen as nsd

sys.path.insert(0, str(Path(__file__).resolve().parent))
from runs import translated

model = translated(nsd.EventDriven(), "cam_follower_events")
