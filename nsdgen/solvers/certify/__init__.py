"""What is a solution, how far off it is, why there is none: from the data and the answer alone."""
