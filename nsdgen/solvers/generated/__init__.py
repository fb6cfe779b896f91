"""Functions that nsdgen derived and emitted (``python -m nsdgen.emit.solver_kernels``): do not edit."""
