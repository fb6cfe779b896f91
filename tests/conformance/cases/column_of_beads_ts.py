"""Ten beads fall onto the floor and onto each other."""

import nsdgen as nsd

from ..beads import column

case = column("column_of_beads", nsd.MoreauJean())
