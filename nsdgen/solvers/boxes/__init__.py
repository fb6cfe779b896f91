"""Equality, complementarity and box rows as one box problem: what is tried, sparse iterations, twice the digits."""
