"""Functions that nsdgen derived and emitted (``make generated``): do not edit."""
