"""Worlds of many bodies: shapes, their search, and runs in which contacts appear and vanish."""
