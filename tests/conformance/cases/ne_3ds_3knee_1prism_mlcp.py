"""Three beams on ball joints and a guide fall onto a floor; one iteration in every step."""

import nsdgen as nsd

from ..beams import three_beams
from ..supplied import iterated, rule_of

scheme = nsd.MoreauJean(theta=1, rotation="exponential", **iterated(5e-4))
case = three_beams("ne_3ds_3knee_1prism", scheme, scheme, rule=rule_of(5e-4))
