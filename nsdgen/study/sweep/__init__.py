"""Sweeps: a model over many parameters, initial values, options and steps, as one labelled table."""
