"""Rows of several cones beside friction, as nodes of the graph of a step."""
