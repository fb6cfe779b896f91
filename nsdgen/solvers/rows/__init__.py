"""Equality, complementarity and box rows: dense pivoting and active sets, sparse iterations."""
