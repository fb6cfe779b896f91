"""One frictional contact: its cone, its natural map, its exact solution case by case."""
