"""Rows of several cones as one friction problem: caps, eliminated equality rows, embedded contacts."""
