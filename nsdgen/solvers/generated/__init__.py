"""Functions that nsdgen derived and emitted (``python -m nsdgen.emit.solver_text``): do not edit."""
