"""Contacts, alone or beside rows of other cones, as nodes of the graph of a step: parts, units, attempts."""
