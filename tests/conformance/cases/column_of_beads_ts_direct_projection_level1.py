"""Ten beads, lifted back where active contacts overlap."""

import nsdgen as nsd

from ..beads import column

thresholds = {"activation_gap": 1e-7, "deactivation_gap": 1e-7}  # m, those of the program that made the table
projected = nsd.MoreauJean(activation="hysteresis", projection=nsd.Projection(metric="identity"), **thresholds)
case = column(
    "column_of_beads_projected",
    projected,
    rule="contacts stay active until they separate (activation='hysteresis', thresholds of 1e-7 m), the projection is "
    "the nearest in coordinates (metric='identity')",
)
