"""What can be said of a model before, and beside, its runs: relative degrees, index sets, the one-step matrix.

Reads descriptions and compiled models; nothing of the pipeline reads it.
"""
