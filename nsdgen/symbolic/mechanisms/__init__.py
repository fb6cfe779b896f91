"""Mechanisms in joint coordinates: trees of bodies, with mass matrix and forces by recursion."""
