"""Expressions as a graph: what SymPy states, computed on shared operations."""
