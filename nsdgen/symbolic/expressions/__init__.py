"""What users write, entered once: symbols of nsdgen's own, nodes that SymPy has not, derivatives."""
