"""Relations between systems: what a relation is, the class it gives, outputs and contacts."""
