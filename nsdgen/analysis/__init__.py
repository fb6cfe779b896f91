"""What can be said of a model before, and beside, its runs.

Relative degrees, index sets, the one-step matrix; starts that are searched for, equilibria, linear equations and modes.
Reads descriptions and compiled models; of the pipeline nothing reads it but the model, which starts where it says.
"""
