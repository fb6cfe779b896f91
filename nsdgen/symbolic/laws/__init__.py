"""Nonsmooth laws: rows of rates and multipliers, and the cone or natural map they live in."""
