"""Ten beads, lifted back where active contacts overlap."""

import nsdgen as nsd

from ..beads import column

projected = nsd.MoreauJean(activation="hysteresis", projection=nsd.Projection(metric="identity"))
case = column(
    "column_of_beads_projected",
    projected,
    rule="contacts stay active until they separate (activation='hysteresis'), the projection is "
    "the nearest in coordinates (metric='identity')",
)
