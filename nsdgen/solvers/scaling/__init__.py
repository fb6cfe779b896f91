"""Units in which the entries of a problem are near 1: what is a solution does not depend on units."""
