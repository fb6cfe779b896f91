"""What can be said of a model before, and beside, its runs.

Relative degrees, index sets, the one-step matrix; starts that are searched for, equilibria, linear equations and modes.
Reads descriptions and compiled models; of the pipeline only the model itself, which starts from what was found, reads it.
"""
