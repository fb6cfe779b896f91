"""What callers import: the functions ``solve_*``, their answers and errors."""
