"""What callers hand to the solvers, checked before anything is made of it: each flaw is a named ``ParameterError``."""
