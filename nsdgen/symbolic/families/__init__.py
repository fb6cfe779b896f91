"""Families of systems: what a system is, the class it gives, and those that nsdgen brings."""
