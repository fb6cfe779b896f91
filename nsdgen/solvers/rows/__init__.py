"""Dense rows, compiled: pivoting and active sets."""
