"""Schemes: how a step is stated, and the time discretisations that nsdgen brings."""
