"""The functions of nsdgen/solvers/generated: what they state (statements.py), and their text (text.py)."""
