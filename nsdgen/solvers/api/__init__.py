"""What callers import: the functions ``solve_*`` and the checks of their input."""
